//! Writing files so that a killed or failed write leaves the old file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Writes `path` by way of a temporary file beside it: written, flushed to the disk, then renamed over the old one.
///
/// Devices and pipes are written directly, since a rename would replace them by a file; a link is followed.
pub fn atomic_write(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let fail = |source| Error::io(path, source);
    let target = follow(path);
    if is_special(&target) {
        let mut file = BufWriter::new(File::options().write(true).open(&target).map_err(fail)?);
        return write(&mut file).and_then(|()| file.flush()).map_err(fail);
    }
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let name = target.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut builder = tempfile::Builder::new();
    let prefix = format!(".{name}.");
    builder.prefix(&prefix).suffix(".tmp");
    #[cfg(unix)]
    {
        // What a plain new file would get; the umask still applies.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder).map_err(fail)?;
    let mut buffered = BufWriter::new(temporary.as_file_mut());
    write(&mut buffered).and_then(|()| buffered.flush()).map_err(fail)?;
    drop(buffered);
    temporary.as_file().sync_all().map_err(fail)?;
    temporary.persist(&target).map_err(|e| fail(e.error))?;
    // The rename itself must reach the disk too; not every system can do this for a folder.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The file behind a link, or the path itself.
fn follow(path: &Path) -> PathBuf {
    if path.is_symlink() { path.canonicalize().unwrap_or_else(|_| path.to_owned()) } else { path.to_owned() }
}

/// Whether something is there that is neither a file nor a folder.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        atomic_write(&path, |w| w.write_all(b"old")).unwrap();
        let e = atomic_write(&path, |w| {
            w.write_all(b"ne")?;
            Err(std::io::Error::other("disk full"))
        });
        assert!(e.unwrap_err().to_string().ends_with("a.txt: disk full"));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written_directly() {
        assert!(atomic_write(Path::new("/dev/null"), |w| w.write_all(b"x")).is_ok());
        assert!(atomic_write(Path::new("/dev/full"), |w| w.write_all(b"x")).unwrap_err().is_io());
        assert!(is_special(Path::new("/dev/null")));
    }
}
