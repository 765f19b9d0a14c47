//! The destination of output: a growing file, or standard output. Bytes written by an earlier run are not written
//! again.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use eocc_core::Error;

use super::lock::Progress;
use crate::stdout;

/// Maximum number of bytes written at a time: what a pipe accepts atomically.
const CHUNK: usize = 4096;

/// An output that resumes where an earlier run ended.
pub(crate) struct Sink {
    writer: Box<dyn Write>,
    name: PathBuf,
    progress: Progress,
    /// Bytes of this input that were passed in, written or not.
    position: u64,
    /// Bytes of this input that have been written already.
    there: u64,
    is_empty: bool,
}

impl Sink {
    /// A file that is appended to, or standard output. `before` is the progress of an earlier run on the same input, and
    /// the path of its output, and `position` its progress when the state was saved.
    pub(crate) fn open(
        path: Option<&Path>,
        before: Option<(Progress, Option<&Path>)>,
        position: u64,
    ) -> Result<Self> {
        let (writer, name): (Box<dyn Write>, PathBuf) = match path {
            None => (Box::new(stdout::open()?), PathBuf::from("/dev/stdout")),
            Some(path) => {
                let file = OpenOptions::new().append(true).create(true).open(path);
                (Box::new(file.map_err(|e| Error::io(path, e))?), path.to_owned())
            }
        };
        let (file, length) = identity(&name).unwrap_or_default();
        let there = match before {
            // Everything that the state records has been written, since the state is saved afterwards.
            None => position,
            // The file itself shows its content; others may have truncated it.
            Some((before, _)) if file != (0, 0) && before.file == file => before.held(length).max(position),
            // So does the file that the earlier run wrote. Otherwise, its last bytes may or may not have been written.
            Some((before, path)) => match path.and_then(identity) {
                Some((file, length)) if file != (0, 0) && before.file == file => {
                    before.held(length).max(position)
                }
                _ => before.written.max(position),
            },
        };
        // As if all bytes of this input were in this file.
        let progress = Progress { file, start: length.wrapping_sub(there), written: there };
        Ok(Self { writer, name, progress, position, there, is_empty: length == 0 })
    }

    /// Whether nothing has been written so far, by any run.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Whether an earlier run got further than this one so far.
    pub(crate) fn is_ahead(&self) -> bool {
        self.there > self.position
    }

    /// Its progress.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Writes bytes that have not been written yet; calls `note` with the progress beforehand.
    pub(crate) fn put(&mut self, bytes: &[u8], mut note: impl FnMut(Progress) -> Result<()>) -> Result<()> {
        let known = self.there.saturating_sub(self.position).min(bytes.len() as u64);
        self.position += bytes.len() as u64;
        let mut rest = &bytes[usize::try_from(known).unwrap_or(bytes.len())..];
        while !rest.is_empty() {
            let end = chunk(rest);
            self.progress.written = self.position - (rest.len() - end) as u64;
            note(self.progress)?;
            let written = self.writer.write_all(&rest[..end]).and_then(|()| self.writer.flush());
            written.map_err(|e| match e.kind() {
                io::ErrorKind::BrokenPipe => anyhow::Error::new(e),
                _ => Error::io(&self.name, e).into(),
            })?;
            rest = &rest[end..];
            self.is_empty = false;
        }
        Ok(())
    }

    /// The path of the output, if it is known.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        // Standard output is a link to a file, if it is one.
        self.name.canonicalize().ok().filter(|path| path.is_file())
    }

    /// The progress of the output.
    pub(crate) fn progress(&self) -> Progress {
        self.progress
    }
}

impl Progress {
    /// Bytes of the input in its file, which has this length now.
    fn held(self, length: u64) -> u64 {
        u64::try_from(length.wrapping_sub(self.start).cast_signed()).unwrap_or(0)
    }
}

/// The length of the first complete lines of a text; of one line if it is long.
fn chunk(text: &[u8]) -> usize {
    if text.len() <= CHUNK {
        return text.len();
    }
    let end = |at: usize| at + 1;
    let last = text[..CHUNK].iter().rposition(|byte| *byte == b'\n').map(end);
    last.or_else(|| text.iter().position(|byte| *byte == b'\n').map(end)).unwrap_or(text.len())
}

/// Device, inode and length of a file; `None` for a pipe.
#[cfg(unix)]
fn identity(path: &Path) -> Option<((u64, u64), u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let found = File::open(path).and_then(|file| file.metadata()).or_else(|_| path.metadata()).ok()?;
    found.is_file().then(|| ((found.dev(), found.ino()), found.len()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<((u64, u64), u64)> {
    let found = path.metadata().ok()?;
    found.is_file().then(|| ((0, 0), found.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_there_are_not_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        std::fs::write(&path, "older\n").unwrap();
        let mut sink = Sink::open(Some(&path), None, 0).unwrap();
        assert!(!sink.is_empty());
        let mut noted = Progress::default();
        sink.put(b"one\ntwo\n", |progress| {
            noted = progress;
            Ok(())
        })
        .unwrap();
        assert_eq!((noted.start, noted.written, sink.position()), (6, 8, 8));
        drop(sink);
        // Half of a line was written before the kill, and the state knows of the first line only.
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"thr").unwrap();
        let mut sink = Sink::open(Some(&path), Some((noted, None)), 4).unwrap();
        assert!(sink.is_ahead());
        sink.put(b"two\nthree\n", |_| Ok(())).unwrap();
        assert!(!sink.is_ahead());
        sink.put(b"four\n", |_| Ok(())).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "older\none\ntwo\nthree\nfour\n");
        // Another file: the journal has the progress of the old one.
        let other = folder.path().join("other.csv");
        let mut sink = Sink::open(Some(&other), Some((noted, None)), 4).unwrap();
        sink.put(b"two\nthree\n", |_| Ok(())).unwrap();
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "three\n");
        // Killed before the bytes that the journal announces were written: the old file shows it.
        let part = folder.path().join("part.csv");
        let mut sink = Sink::open(Some(&part), None, 0).unwrap();
        sink.put(b"one\n", |_| Ok(())).unwrap();
        let announced = Progress { written: 8, ..sink.progress() };
        let next = folder.path().join("next.csv");
        let mut sink = Sink::open(Some(&next), Some((announced, Some(&part))), 0).unwrap();
        sink.put(b"one\ntwo\n", |_| Ok(())).unwrap();
        assert_eq!(std::fs::read_to_string(&next).unwrap(), "two\n");
    }

    #[test]
    fn a_file_that_was_taken_up_before_is_taken_up_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        std::fs::write(&path, "one\n").unwrap();
        // A run that ended normally has left no journal; the next one is killed after it wrote a line.
        let mut noted = Progress::default();
        let mut sink = Sink::open(Some(&path), None, 4).unwrap();
        sink.put(b"two\n", |progress| {
            noted = progress;
            Ok(())
        })
        .unwrap();
        drop(sink);
        let mut sink = Sink::open(Some(&path), Some((noted, None)), 4).unwrap();
        sink.put(b"two\nthree\n", |_| Ok(())).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
        // The file was emptied: what the state recorded is gone, the rest is written.
        std::fs::write(&path, "").unwrap();
        let mut sink = Sink::open(Some(&path), Some((noted, None)), 4).unwrap();
        sink.put(b"two\n", |_| Ok(())).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two\n");
    }

    #[test]
    fn chunks_are_whole_lines() {
        let line = [b"x".repeat(99), b"\n".to_vec()].concat();
        assert_eq!(chunk(&line.repeat(100)), 4000);
        assert_eq!(chunk(&[b"y".repeat(9000), b"\nz".to_vec()].concat()), 9001);
        assert_eq!(chunk(b"ab"), 2);
    }
}
