//! Standard output, which may have been closed before the program started.
//!
//! The standard library opens `/dev/null` in its place before `main` runs, so that all that is written is lost without a
//! fault. Others put `/dev/null` there on purpose, and to the eye it is the same; so this is looked at before.

use std::io::{self, ErrorKind};

/// Standard output, if there is one.
pub(crate) fn open() -> io::Result<io::Stdout> {
    require()?;
    Ok(io::stdout())
}

/// Fails if there is no standard output.
pub(crate) fn require() -> io::Result<()> {
    if is_closed() { Err(io::Error::new(ErrorKind::NotConnected, CLOSED)) } else { Ok(()) }
}

/// The message in that case.
const CLOSED: &str = "standard output is closed, so that the result would be lost; write it to a file, or open standard output";

/// Whether it was closed when the program started.
pub(crate) fn is_closed() -> bool {
    #[cfg(unix)]
    let is_closed = unix::IS_CLOSED.load(std::sync::atomic::Ordering::Relaxed);
    #[cfg(not(unix))]
    let is_closed = false;
    is_closed
}

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub(super) static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// Runs before `main`, and so asks the system alone.
    #[ctor::ctor]
    fn check_stdout() {
        let is_closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        IS_CLOSED.store(is_closed, Ordering::Relaxed);
    }
}
