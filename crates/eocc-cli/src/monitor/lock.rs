//! The file next to a state that locks out other runs, and records how much output was written since the state was
//! saved.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Result;
use eocc_core::Error;

/// The magic number of a journal.
const MAGIC: u64 = u64::from_le_bytes(*b"eoccmon1");
/// How many numbers follow it in a journal. Then come the paths of the outputs, each after its length.
const NUMBERS: usize = 9;
/// Maximum length of a path that is recorded; with longer ones, the journal would not be written at once.
const MAX_PATH: usize = 1024;

/// Held while a state is in use. A killed process releases it.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

/// The progress of the outputs of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Journal {
    /// The number of the input.
    pub(crate) input: u64,
    /// The table and the events.
    pub(crate) outputs: [Progress; 2],
}

/// The progress of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    /// Device and inode of the file; 0 if it is not a file.
    pub(crate) file: (u64, u64),
    /// Length of the file before the first byte of this input, modulo 2^64 if earlier bytes went elsewhere.
    pub(crate) start: u64,
    /// Bytes of this input that were written, or are being written.
    pub(crate) written: u64,
}

impl Lock {
    /// Locks a state; fails if another process uses it.
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
            // Its previous holder may have just removed it, and the next one would create another.
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

    /// The journal of a previous run that was killed, and the paths of its outputs where they are files.
    pub(crate) fn journal(&mut self) -> Option<(Journal, [Option<PathBuf>; 2])> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0)).ok()?;
        self.file.read_to_end(&mut bytes).ok()?;
        let (numbers, mut paths) = bytes.split_at_checked(8 * (NUMBERS + 1))?;
        let numbers: Vec<u64> = numbers
            .chunks_exact(8)
            .filter_map(|eight| Some(u64::from_le_bytes(eight.try_into().ok()?)))
            .collect();
        let mut path = || {
            let (length, rest) = paths.split_at_checked(2)?;
            let length = u16::from_le_bytes(length.try_into().ok()?);
            let (path, rest) = rest.split_at_checked(length.into())?;
            paths = rest;
            (!path.is_empty()).then(|| PathBuf::from(String::from_utf8_lossy(path).into_owned()))
        };
        let outputs = [path(), path()];
        let [magic, input, rest @ ..] = numbers.as_slice() else { return None };
        let progress = |at: usize| Progress {
            file: (rest[at], rest[at + 1]),
            start: rest[at + 2],
            written: rest[at + 3],
        };
        let journal = || Journal { input: *input, outputs: [progress(0), progress(4)] };
        (*magic == MAGIC).then(|| (journal(), outputs))
    }

    /// Records the progress and the paths of outputs.
    pub(crate) fn begin(&mut self, journal: &Journal, paths: [Option<&Path>; 2]) -> Result<()> {
        let mut bytes = Vec::new();
        for path in paths {
            let text = path.and_then(Path::to_str).filter(|text| text.len() <= MAX_PATH).unwrap_or_default();
            bytes.extend((text.len() as u16).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        self.put(journal, &bytes)
    }

    /// Records the progress of outputs. After a kill, this record or the previous one remains, never half of one.
    pub(crate) fn write(&mut self, journal: &Journal) -> Result<()> {
        self.put(journal, &[])
    }

    fn put(&mut self, journal: &Journal, paths: &[u8]) -> Result<()> {
        let mut bytes = Vec::with_capacity(8 * (NUMBERS + 1));
        let mut put = |number: u64| bytes.extend(number.to_le_bytes());
        put(MAGIC);
        put(journal.input);
        for output in &journal.outputs {
            [output.file.0, output.file.1, output.start, output.written].into_iter().for_each(&mut put);
        }
        bytes.extend(paths);
        let written = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(&bytes));
        Ok(written.map_err(|e| Error::io(&self.path, e))?)
    }

    /// Removes the file: the state contains everything.
    pub(crate) fn remove(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
