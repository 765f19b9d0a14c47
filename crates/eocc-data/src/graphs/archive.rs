//! Files of a folder or an archive, by name; nothing is unpacked to disk.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Component, Path};

use super::{GraphFormat, MAX_FILES, file_name, malformed};
use crate::budget::Meter;
use crate::error::{DataError, Fault, ReadFailure};
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

/// Whether a file has a supported name; hidden files do not.
fn wanted(name: &str) -> bool {
    !file_name(name).starts_with('.')
        && GraphFormat::from_name(name).is_some_and(|kind| kind != GraphFormat::Archive)
}

/// The files of a folder, without subfolders.
pub(super) fn folder(path: &Path, meter: &mut Meter) -> Result<BTreeMap<String, Vec<u8>>, DataError> {
    let name = path.display().to_string();
    let io = |cause| DataError::io(&name, "read", cause);
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(path).map_err(io)? {
        let entry = entry.map_err(io)?;
        let file = entry.file_name().to_string_lossy().into_owned();
        if !wanted(&file) || !entry.path().is_file() {
            continue;
        }
        meter.take(entry.metadata().map_err(io)?.len()).map_err(|fault| DataError::new(&name, fault))?;
        if files.len() == MAX_FILES {
            return Err(malformed(&name, "graph", too_many()));
        }
        files.insert(file, std::fs::read(entry.path()).map_err(io)?);
    }
    Ok(files)
}

fn too_many() -> String {
    format!("there are more than {MAX_FILES} files in it; split it")
}

/// Counts what is read, and stops at the limit.
struct Limited<'a, R> {
    inner: R,
    meter: &'a mut Meter,
    /// The error at the limit, because the archive reader may wrap it in its own message.
    refused: &'a mut Option<Fault>,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.meter.take(read as u64).map_err(|fault| {
            *self.refused = Some(fault);
            io::Error::from(io::ErrorKind::InvalidData)
        })?;
        Ok(read)
    }
}

/// The files of an archive.
pub(super) fn unpack(
    name: &str,
    bytes: &[u8],
    meter: &mut Meter,
) -> Result<BTreeMap<String, Vec<u8>>, DataError> {
    let (mut refused, most) = (None, meter.left());
    let files = guarded(|| match Packing::detect(bytes) {
        Some(packing) => {
            let inner = packing.reader(bytes, Some(bytes.len() as u64))?;
            Ok(entries(Limited { inner, meter, refused: &mut refused }, most)?)
        }
        None => Ok(entries(Limited { inner: bytes, meter, refused: &mut refused }, most)?),
    });
    files.map_err(|stop: ReadFailure| DataError::new(name, refused.unwrap_or_else(|| stop.fault("archive"))))
}

fn entries(read: impl Read, most: u64) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut archive = tar::Archive::new(read);
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut count = 0;
    for entry in archive.entries().map_err(|e| e.to_string())? {
        let mut entry = entry.map_err(|e| e.to_string())?;
        count += 1;
        if count > MAX_FILES {
            return Err(too_many());
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        checked(&path)?;
        if !wanted(&path) {
            continue;
        }
        if !entry.header().entry_type().is_file() {
            return Err(format!("the entry {} is a link or a device, not a file", shown(&path)));
        }
        if entry.size() > most {
            let (path, size) = (shown(&path), entry.size());
            return Err(format!("the entry {path} claims {size} bytes, but at most {most} are read"));
        }
        let file = file_name(&path).to_owned();
        if let Some(before) = names.insert(file.clone(), path.clone()) {
            return Err(format!("{} and {} have the same file name", shown(&before), shown(&path)));
        }
        // Grows with the actual data, whatever the header claims.
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|e| format!("the entry {}: {e}", shown(&path)))?;
        files.insert(file, content);
    }
    Ok(files)
}
