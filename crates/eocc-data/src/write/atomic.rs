//! Atomic writes: a file is either the old one or the new one, never half of it.

use std::io::{self, Write};
use std::path::Path;

use eocc_core::atomic;

use crate::error::{DataError, Fault};

/// Writes a file as a whole; see [`eocc_core::atomic::atomic_write`].
pub fn atomic_write(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), DataError> {
    let name = path.display().to_string();
    let folder = atomic::folder_of(path);
    if !folder.is_dir() {
        return Err(DataError::new(&name, Fault::NoFolder { folder: folder.display().to_string() }));
    }
    atomic::atomic_write(path, content).map_err(|cause| DataError::io(&name, "written", cause))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn hello(writer: &mut (dyn Write + Send)) -> io::Result<()> {
        writer.write_all(b"hello")
    }

    #[test]
    fn a_full_disk_is_described_in_words() {
        if Path::new("/dev/full").exists() {
            let error = atomic_write(Path::new("/dev/full"), hello).unwrap_err();
            assert_eq!(error.to_string(), "/dev/full: cannot be written: no space is left on the device");
            assert!(error.is_io());
        }
    }

    #[test]
    fn places_that_cannot_be_written_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = atomic_write(folder.path(), hello).unwrap_err();
        assert!(error.to_string().ends_with("is a directory, not a file"));
        let error = atomic_write(&folder.path().join("no/such/a.csv"), hello).unwrap_err();
        assert!(error.to_string().contains("does not exist, create it first"), "{error}");
    }

    #[test]
    fn a_closed_pipe_is_its_own_kind() {
        let fault = |_: &mut (dyn Write + Send)| Err(io::ErrorKind::BrokenPipe.into());
        assert!(atomic_write(Path::new("/dev/null"), fault).unwrap_err().is_closed_pipe());
    }
}
