//! Several files that form one table: those of a folder, or those whose names match a pattern.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::error::{DataError, Fault};
use crate::format::Format;
use crate::graphs;
use crate::read::{ReadOptions, read};
use crate::table::Table;
use crate::unpack::inner_name;
use crate::walk;

/// Files that are read as one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSet {
    /// The files, in the order of their names.
    pub files: Vec<PathBuf>,
    /// How many files of the folder are neither tables nor graphs, or are other names of a file that is read.
    pub left_out: usize,
}

/// The files that a path refers to if it is a folder of tables, or a pattern with `*`, `?` or `[…]` that is not
/// itself the name of a file. `None` if it refers to a single file, for graphs, or for standard input.
pub fn table_files(path: &Path) -> Result<Option<FileSet>, DataError> {
    if path.is_dir() {
        return of_folder(path);
    }
    let is_pattern = path.to_string_lossy().contains(['*', '?', '[']);
    if is_pattern && path.symlink_metadata().is_err() { of_pattern(path).map(Some) } else { Ok(None) }
}

/// Reads all files as one table: the columns are those of the first, and are found by name in the others.
pub(crate) fn read_set(path: &Path, set: &FileSet, options: &ReadOptions) -> Result<Table, DataError> {
    if let Some((one, other)) = of_different_formats(&set.files) {
        let fault =
            Fault::MixedFormats { first: one.display().to_string(), second: other.display().to_string() };
        return Err(DataError::new(&path.display().to_string(), fault));
    }
    let table = |file: &PathBuf| {
        let table = read(file, options)?;
        if !table.is_typed() {
            return Ok(table);
        }
        let holds = table.columns()[0].type_name();
        let fault = Fault::NotATable { holds: if holds == "series" { "time series" } else { "texts" } };
        Err(DataError::new(table.source(), fault))
    };
    let tables = set.files.iter().map(table).collect::<Result<Vec<_>, _>>()?;
    Table::join(&path.display().to_string(), tables)
}

fn of_folder(path: &Path) -> Result<Option<FileSet>, DataError> {
    let name = path.display().to_string();
    let io = |cause| DataError::io(&name, "read", cause);
    let (mut files, mut left_out) = (Vec::new(), 0);
    for entry in std::fs::read_dir(path).map_err(io)? {
        let file = entry.map_err(io)?.path();
        let is_hidden = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // Subfolders are not read; a dangling link is an error when it is read.
        if is_hidden || file.is_dir() {
            continue;
        }
        if graphs::is_graphs(&file) {
            return Ok(None);
        }
        if format(&file).is_some() && !is_device(&file) { files.push(file) } else { left_out += 1 }
    }
    files.sort_unstable();
    left_out += once(&mut files);
    match files.first() {
        None => Err(DataError::new(&name, Fault::EmptyFolder { others: left_out })),
        // JSON Lines may contain graphs, even a whole folder of them.
        Some(first) if format(first) == Some(Format::JsonLines) && graphs::holds_graphs(first) => Ok(None),
        Some(_) => Ok(Some(FileSet { files, left_out })),
    }
}

fn of_pattern(path: &Path) -> Result<FileSet, DataError> {
    let name = path.display().to_string();
    let bad = |reason: String| DataError::new(&name, Fault::Pattern { reason });
    let mut files =
        walk::matching(&name).map_err(bad)?.map_err(|cause| DataError::io(&name, "read", cause))?;
    if let Some(device) = files.iter().find(|file| is_device(file)) {
        let reason =
            format!("it matches {}, which is a pipe or a device; give that by itself", device.display());
        return Err(bad(reason));
    }
    let left_out = once(&mut files);
    if files.is_empty() {
        return Err(DataError::new(&name, Fault::NothingMatches));
    }
    if let Some(graphs) = files.iter().find(|file| graphs::is_graphs(file)) {
        return Err(bad(format!("it matches {}, which holds graphs; give their folder", graphs.display())));
    }
    Ok(FileSet { files, left_out })
}

/// Whether this is neither a file nor a folder: opening a pipe may block forever, and a device may have no end. A
/// dangling link is an error when it is read.
fn is_device(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Removes duplicate names of the same file; the first one stays. Returns how many were removed.
fn once(files: &mut Vec<PathBuf>) -> usize {
    let before = files.len();
    let mut seen = HashSet::new();
    files.retain(|file| identity(file).is_none_or(|identity| seen.insert(identity)));
    before - files.len()
}

/// Identifies a file, whatever its name.
#[cfg(unix)]
fn identity(file: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    file.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Identifies a file, whatever its name, except for hard links, which the standard library cannot detect here.
#[cfg(not(unix))]
fn identity(file: &Path) -> Option<PathBuf> {
    file.canonicalize().ok()
}

/// The format indicated by the name of a file.
fn format(file: &Path) -> Option<Format> {
    Format::of_extension(Path::new(inner_name(&file.to_string_lossy())))
}

/// Two files whose names indicate different formats.
fn of_different_formats(files: &[PathBuf]) -> Option<(&Path, &Path)> {
    let first = files.first()?;
    let other = files.iter().find(|file| format(file) != format(first))?;
    Some((first, other))
}
