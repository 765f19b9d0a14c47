//! Files of a folder or an archive, by name; nothing is unpacked to disk.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Component, Path};

use super::{Kind, MAX_BYTES, MAX_FILES, file_name, malformed};
use crate::error::DataError;
use crate::guard::guarded;
use crate::shown::shown;
use crate::unpack::Packing;

/// The name if it stays inside: no `..`, not absolute.
pub(super) fn checked(name: &str) -> Result<&Path, String> {
    let path = Path::new(name);
    let stays = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if stays && !name.contains('\\') && !name.is_empty() {
        Ok(path)
    } else {
        Err(format!("the name {} leads outside; only names below the folder are read", shown(name)))
    }
}

/// Whether a file is one of ours; hidden ones are not.
fn wanted(name: &str) -> bool {
    !file_name(name).starts_with('.') && Kind::of(name).is_some_and(|kind| kind != Kind::Archive)
}

/// The files of a folder, not of those in it.
pub(super) fn folder(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, DataError> {
    let name = path.display().to_string();
    let io = |cause| DataError::io(&name, "read", cause);
    let mut files = BTreeMap::new();
    let mut total = 0_u64;
    for entry in std::fs::read_dir(path).map_err(io)? {
        let entry = entry.map_err(io)?;
        let file = entry.file_name().to_string_lossy().into_owned();
        if !wanted(&file) || !entry.path().is_file() {
            continue;
        }
        total = total.saturating_add(entry.metadata().map_err(io)?.len());
        if total > MAX_BYTES || files.len() == MAX_FILES {
            return Err(malformed(&name, "graph", too_much()));
        }
        files.insert(file, std::fs::read(entry.path()).map_err(io)?);
    }
    Ok(files)
}

fn too_much() -> String {
    format!("there are more than {MAX_BYTES} bytes or {MAX_FILES} files in it; split it")
}

/// Counts what is read, and refuses to go on beyond the limit.
struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, too_much()))?;
        Ok(read)
    }
}

/// The files of an archive.
pub(super) fn unpack(name: &str, bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, DataError> {
    guarded(|| match Packing::of(bytes) {
        Some(packing) => {
            let inner = packing.reader(bytes, Some(bytes.len() as u64)).map_err(|fault| fault.to_string())?;
            entries(Limited { inner, left: MAX_BYTES })
        }
        None => entries(Limited { inner: bytes, left: MAX_BYTES }),
    })
    .map_err(|reason| malformed(name, "archive", reason))
}

fn entries(read: impl Read) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut archive = tar::Archive::new(read);
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut count = 0;
    for entry in archive.entries().map_err(|e| e.to_string())? {
        let mut entry = entry.map_err(|e| e.to_string())?;
        count += 1;
        if count > MAX_FILES {
            return Err(too_much());
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        checked(&path)?;
        if !wanted(&path) {
            continue;
        }
        if !entry.header().entry_type().is_file() {
            return Err(format!("the entry {} is a link or a device, not a file", shown(&path)));
        }
        if entry.size() > MAX_BYTES {
            return Err(format!(
                "the entry {} claims {} bytes, but at most {MAX_BYTES} are read",
                shown(&path),
                entry.size()
            ));
        }
        let file = file_name(&path).to_owned();
        if let Some(before) = names.insert(file.clone(), path.clone()) {
            return Err(format!("{} and {} have the same file name", shown(&before), shown(&path)));
        }
        // Grows with what is there, whatever the header claims.
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|e| format!("the entry {}: {e}", shown(&path)))?;
        files.insert(file, content);
    }
    Ok(files)
}
