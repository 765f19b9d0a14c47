//! Atomic writes: a file is either the old one or the new one, never half of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Prefix of temporary files.
const PREFIX: &str = ".eocc-";
const SUFFIX: &str = ".part";
/// Minimum age of a temporary file to be considered stale.
const MIN_STALE_AGE: Duration = Duration::from_secs(60);
/// Maximum length of a chain of links, as on most systems.
const MAX_LINKS: usize = 40;

/// Writes a file as a whole: to a temporary file next to it, which is renamed once it is safely on disk.
///
/// If anything fails, an existing file of that name is unchanged. A symbolic link is followed; the permissions of an
/// existing file are preserved. Anything but a regular file, such as a pipe, `/dev/null` or `/dev/stdout`, cannot be
/// replaced, and is written to directly.
pub fn atomic_write(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    if is_stdout(path) {
        // Through the program's own buffer, to preserve the order of its output.
        let mut writer = BufWriter::new(io::stdout());
        content(&mut writer)?;
        return writer.flush();
    }
    let mut file = PendingFile::create(path)?;
    content(&mut file)?;
    file.finish()
}

/// The final target of a chain of symbolic links, which need not exist; writing there leaves the links intact.
pub fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut end = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&end) {
            // An absolute link replaces the whole path.
            Ok(next) => end = folder_of(&end).join(next),
            Err(_) => return Ok(end),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// Whether the path is standard output under one of its names.
pub fn is_stdout(path: &Path) -> bool {
    ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Whether the path names an open file of this process. It may be a regular file, but must not be replaced: whoever
/// opened it would never see the new one.
pub fn is_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stderr") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
}

/// The parent folder of a file.
pub fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A file that is written piece by piece and renamed when complete; see [`atomic_write`]. If dropped earlier, it
/// leaves nothing behind.
#[derive(Debug)]
pub struct PendingFile(BufWriter<Target>);

#[derive(Debug)]
enum Target {
    New { file: tempfile::NamedTempFile, path: PathBuf },
    Direct(File),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::New { file, .. } => file.write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::New { file, .. } => file.flush(),
            Self::Direct(file) => file.flush(),
        }
    }
}

impl PendingFile {
    /// Starts writing a file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let target = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() || is_descriptor(path) => {
                // Appending, because a descriptor of a regular file may already have content from the same run.
                Target::Direct(OpenOptions::new().append(true).open(path)?)
            }
            Ok(found) => {
                // Resolve links first, since renaming would replace the link itself.
                let path = fs::canonicalize(path)?;
                // Open it to check the permission: a read-only file must not be replaced either.
                OpenOptions::new().write(true).open(&path)?;
                Target::New { file: create_temporary(&path, Some(found.permissions()))?, path }
            }
            Err(_) => {
                let path = end_of_links(path)?;
                Target::New { file: create_temporary(&path, None)?, path }
            }
        };
        Ok(Self(BufWriter::with_capacity(1 << 16, target)))
    }

    /// Renames the file to its final name.
    pub fn finish(self) -> io::Result<()> {
        match self.0.into_inner().map_err(io::IntoInnerError::into_error)? {
            Target::New { file, path } => persist(file, &path),
            Target::Direct(_) => Ok(()),
        }
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Creates a temporary file next to its final path.
fn create_temporary(
    path: &Path,
    permissions: Option<fs::Permissions>,
) -> io::Result<tempfile::NamedTempFile> {
    let folder = folder_of(path);
    remove_stale(&folder);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // Temporary files are private by default; a result is as public as the user's umask allows.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(&folder).map_err(without_path)?;
    // The lock is held as long as this process lives; it distinguishes a file being written from a stale one.
    let _ = file.as_file().try_lock();
    if let Some(permissions) = permissions {
        fs::set_permissions(file.path(), permissions)?;
    }
    Ok(file)
}

/// Removes temporary files that killed runs left in a folder: those that no process has locked. Without lock support,
/// they stay.
fn remove_stale(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        // A recent one may be about to be locked. Links are not followed and pipes not opened: anyone may have put
        // them there, and opening a pipe would block until it has a reader.
        let is_old_file = || {
            let metadata = entry.metadata().ok()?;
            let age = metadata.modified().ok()?.elapsed().ok()?;
            Some(metadata.is_file() && age > MIN_STALE_AGE)
        };
        if is_ours
            && is_old_file() == Some(true)
            && let Ok(file) = open_for_locking(&entry.path())
            && file.metadata().is_ok_and(|metadata| metadata.is_file())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Opens a file without blocking and without following a link: it may have been replaced since it was checked.
fn open_for_locking(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOFOLLOW);
    options.open(path)
}

fn persist(file: tempfile::NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The new name is safe only once the folder is on disk; ignore folders that cannot be synchronized.
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The error without the random name of the temporary file, which tells the user nothing.
fn without_path(error: io::Error) -> io::Error {
    io::Error::from(error.kind())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn hello(writer: &mut (dyn Write + Send)) -> io::Result<()> {
        writer.write_all(b"hello")
    }

    #[test]
    fn a_failure_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        atomic_write(&path, hello).unwrap();
        let fault = |writer: &mut (dyn Write + Send)| {
            writer.write_all(b"half of")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        let error = atomic_write(&path, fault).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"hello");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the temporary file is gone");
    }

    #[test]
    fn a_pending_file_is_renamed_on_finish() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let mut pending = PendingFile::create(&path).unwrap();
        pending.write_all(b"half").unwrap();
        drop(pending);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let mut pending = PendingFile::create(&path).unwrap();
        pending.write_all(b"new").unwrap();
        pending.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the temporary file is gone");
        assert!(PendingFile::create(folder.path()).is_err());
    }

    #[test]
    fn links_and_permissions_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        atomic_write(&link, hello).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"hello");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn dangling_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("below")).unwrap();
        symlink("below/real", at("second")).unwrap();
        symlink("second", at("first")).unwrap();
        atomic_write(&at("first"), hello).unwrap();
        assert!(fs::symlink_metadata(at("first")).unwrap().is_symlink());
        assert_eq!(fs::read(at("below/real")).unwrap(), b"hello");
        symlink("round", at("round")).unwrap();
        assert!(atomic_write(&at("round"), hello).is_err());
        assert!(PendingFile::create(&at("round")).is_err());
    }

    #[test]
    fn stale_temporary_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = std::time::SystemTime::now() - 2 * MIN_STALE_AGE;
        let part = |name: &str| {
            let path = folder.path().join(name);
            let file = File::create(&path).unwrap();
            file.set_modified(long_ago).unwrap();
            (path, file)
        };
        let (stale, _) = part(".eocc-stale.part");
        let (held, file) = part(".eocc-held.part");
        let (other, _) = part("other.part");
        file.lock().unwrap();
        // Anyone may put these into a world-writable folder; opening the pipe would block until it has a reader.
        let pipe = folder.path().join(".eocc-pipe.part");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        let aged =
            std::process::Command::new("touch").args(["-d", "2001-01-01"]).arg(&pipe).status().unwrap();
        assert!(made.success() && aged.success());
        let link = folder.path().join(".eocc-link.part");
        symlink(&other, &link).unwrap();
        let young = folder.path().join(".eocc-young.part");
        fs::write(&young, "").unwrap();
        atomic_write(&folder.path().join("a"), hello).unwrap();
        assert_eq!(
            [stale, held, other, young, pipe, link].map(|path| path.exists()),
            [false, true, true, true, true, true]
        );
    }

    #[test]
    fn special_files_are_written_to_directly() {
        atomic_write(Path::new("/dev/null"), hello).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        if Path::new("/dev/full").exists() {
            let error = atomic_write(Path::new("/dev/full"), hello).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}
