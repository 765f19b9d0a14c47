//! The file next to a state that keeps other runs out, and tells how much output was written since the state was saved.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Result;
use eocc_core::Error;

/// What a journal starts with.
const MAGIC: u64 = u64::from_le_bytes(*b"eoccmon1");
/// Numbers in a journal after that.
const NUMBERS: usize = 9;

/// Held while a state is in use. A process that is killed holds it no longer.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

/// How far the outputs of an input have got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Journal {
    /// Which input it is of.
    pub(crate) input: u64,
    /// The table and the events.
    pub(crate) outputs: [Progress; 2],
}

/// How far an output has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    /// Device and number of the file, 0 if it is none.
    pub(crate) file: (u64, u64),
    /// Length of the file before the first byte of this input, modulo 2^64 where earlier bytes went elsewhere.
    pub(crate) start: u64,
    /// Bytes of this input that were written, or are just being written.
    pub(crate) written: u64,
}

impl Lock {
    /// Keeps others from using a state; fails if another process uses it.
    pub(crate) fn take(state: &Path) -> Result<Self> {
        let mut name = state.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        let path = state.with_file_name(name);
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let file = options.open(&path).map_err(|e| Error::io(&path, e))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let allowed =
                        "a file that no other process uses; another `eocc monitor` is running on it";
                    return Err(Error::parameter("state", state.display(), allowed).into());
                }
                Err(TryLockError::Error(e)) => return Err(Error::io(&path, e).into()),
            }
            let lock = Self { file, path: path.clone() };
            // Whoever held it may have removed it just now, and the next one would make another.
            if lock.is_in_place() {
                return Ok(lock);
            }
        }
    }

    #[cfg(unix)]
    fn is_in_place(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        match (self.file.metadata(), self.path.metadata()) {
            (Ok(held), Ok(there)) => (held.dev(), held.ino()) == (there.dev(), there.ino()),
            _ => false,
        }
    }

    #[cfg(not(unix))]
    fn is_in_place(&self) -> bool {
        true
    }

    /// What a run before has left, if it was killed.
    pub(crate) fn journal(&mut self) -> Option<Journal> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0)).ok()?;
        self.file.read_to_end(&mut bytes).ok()?;
        let numbers: Vec<u64> = bytes
            .chunks_exact(8)
            .filter_map(|eight| Some(u64::from_le_bytes(eight.try_into().ok()?)))
            .collect();
        let [magic, input, rest @ ..] = numbers.as_slice() else { return None };
        let progress = |at: usize| Progress {
            file: (rest[at], rest[at + 1]),
            start: rest[at + 2],
            written: rest[at + 3],
        };
        (*magic == MAGIC && numbers.len() == NUMBERS + 1)
            .then(|| Journal { input: *input, outputs: [progress(0), progress(4)] })
    }

    /// Notes how far outputs have got. A kill leaves this or the one before, never half of it.
    pub(crate) fn write(&mut self, journal: &Journal) -> Result<()> {
        let mut bytes = Vec::with_capacity(8 * (NUMBERS + 1));
        let mut put = |number: u64| bytes.extend(number.to_le_bytes());
        put(MAGIC);
        put(journal.input);
        for output in &journal.outputs {
            [output.file.0, output.file.1, output.start, output.written].into_iter().for_each(&mut put);
        }
        let written = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(&bytes));
        Ok(written.map_err(|e| Error::io(&self.path, e))?)
    }

    /// Leaves nothing behind: the state says all.
    pub(crate) fn remove(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
