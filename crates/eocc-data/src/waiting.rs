//! Cancellable reading of sources that may block, such as a pipe without a writer.
//!
//! Reads of the standard library cannot be cancelled. So a separate thread reads, and we alternately check it and the
//! cancellation. A thread that is still blocked at the end is left behind; it ends with the process or the writer of
//! the pipe.

use std::io::{self, Cursor, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::budget::Budget;
use crate::error::Fault;

/// Bytes read at a time; the capacity of a pipe.
const CHUNK: usize = 1 << 16;
/// How long to wait between checks for cancellation.
const PATIENCE: Duration = Duration::from_millis(50);

/// A reader that can be cancelled while it waits.
pub(crate) struct Waiting {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Cursor<Vec<u8>>,
    budget: Budget,
}

impl Waiting {
    /// Opens, which may block as well, and reads on another thread.
    pub(crate) fn new<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        budget: Budget,
    ) -> io::Result<Self> {
        // Only one piece ahead, since it is held in memory.
        let (send, pieces) = sync_channel(1);
        let read_all = move || {
            let mut reader = match open() {
                Ok(reader) => reader,
                Err(fault) => return drop(send.send(Err(fault))),
            };
            loop {
                let mut piece = vec![0; CHUNK];
                let read = match reader.read(&mut piece) {
                    Err(fault) if fault.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let is_last = !matches!(read, Ok(1..));
                let piece = read.map(|count| {
                    piece.truncate(count);
                    piece
                });
                if send.send(piece).is_err() || is_last {
                    return;
                }
            }
        };
        thread::Builder::new().name("input".to_owned()).stack_size(1 << 18).spawn(read_all)?;
        Ok(Self { pieces, piece: Cursor::default(), budget })
    }
}

impl Read for Waiting {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.piece.read(out)?;
        if read > 0 || out.is_empty() {
            return Ok(read);
        }
        loop {
            if self.budget.is_stopped() {
                return Err(io::Error::other(Fault::Cancelled));
            }
            match self.pieces.recv_timeout(PATIENCE) {
                Ok(piece) => {
                    self.piece = Cursor::new(piece?);
                    return self.piece.read(out);
                }
                Err(RecvTimeoutError::Timeout) => {}
                // After the end.
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;

    use super::*;

    /// Returns pieces as they are sent, and blocks between them.
    struct Pipe(std::sync::mpsc::Receiver<&'static [u8]>);

    impl Read for Pipe {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let Ok(piece) = self.0.recv() else { return Ok(0) };
            out[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn what_comes_is_read_in_order_to_the_end() {
        let (send, receive) = channel();
        let mut waiting = Waiting::new(|| Ok(Pipe(receive)), Budget::default()).unwrap();
        send.send(b"ab").unwrap();
        let mut two = [0; 2];
        waiting.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"ab");
        send.send(b"cde").unwrap();
        send.send(b"f").unwrap();
        drop(send);
        let mut rest = Vec::new();
        waiting.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"cdef");
        assert_eq!(waiting.read(&mut two).unwrap(), 0);
    }

    #[test]
    fn a_request_to_stop_is_heard_while_nothing_comes() {
        static STOP: AtomicBool = AtomicBool::new(false);
        let budget = Budget::default().until(|| STOP.load(Ordering::Relaxed));
        let (send, receive) = channel();
        let mut waiting = Waiting::new(|| Ok(Pipe(receive)), budget).unwrap();
        thread::spawn(|| {
            thread::sleep(4 * PATIENCE);
            STOP.store(true, Ordering::Relaxed);
        });
        let fault = waiting.read(&mut [0; 8]).unwrap_err();
        assert!(matches!(fault.downcast::<Fault>(), Ok(Fault::Cancelled)));
        drop(send);
    }

    #[test]
    fn a_fault_of_opening_is_one_of_reading() {
        let open = || Err::<io::Empty, _>(io::Error::from(io::ErrorKind::PermissionDenied));
        let fault = Waiting::new(open, Budget::default()).unwrap().read(&mut [0; 8]).unwrap_err();
        assert_eq!(fault.kind(), io::ErrorKind::PermissionDenied);
    }
}
