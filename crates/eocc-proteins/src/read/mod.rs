//! Reading structures: PDB, mmCIF, tables of Cα atoms, and folders of them.

mod atoms;
mod mmcif;
mod pdb;
mod table;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use eocc_data::{Budget, ReadOptions, open_source};

use crate::error::{Result, StructureError};
use crate::structure::Structure;

/// Default maximum number of residues of a structure: the largest assemblies of proteins have fewer.
pub const MAX_RESIDUES: usize = 1 << 17;

/// A format of structures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructureFormat {
    /// The fixed columns of the Protein Data Bank: `.pdb`, `.ent`.
    Pdb,
    /// Its current format: `.cif`, `.mmcif`.
    Mmcif,
    /// A table of Cα atoms with the columns `id`, `chain`, `resseq`, `aa`, `x`, `y`, `z`: `.csv`.
    Table,
}

impl StructureFormat {
    /// The format indicated by the name of a file, ignoring `.gz`, `.zst` and the like.
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let end = unpacked(&name).rsplit_once('.')?.1;
        match end {
            "pdb" | "ent" | "pdb1" => Some(Self::Pdb),
            "cif" | "mmcif" => Some(Self::Mmcif),
            "csv" => Some(Self::Table),
            _ => None,
        }
    }
}

/// The name of a file without compression suffixes.
fn unpacked(name: &str) -> &str {
    [".gz", ".zst", ".zstd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// The name of a structure: that of its file without folder and extensions.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let name = unpacked(&name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// The structures of a file, optionally compressed with gzip or zstd: one of a PDB or mmCIF file, all of a table of
/// Cα atoms.
///
/// A PDB file with the name of an mmCIF file is read as PDB, and vice versa.
pub fn read_file(path: &Path, budget: Budget) -> Result<Vec<Structure>> {
    let name = path.display().to_string();
    let Some(format) = StructureFormat::of_name(path) else {
        let reason = "its name says no format of structures; .pdb, .ent, .cif, .mmcif and .csv do";
        return Err(StructureError::File { file: name, reason: reason.to_owned() });
    };
    let options = ReadOptions { budget, ..ReadOptions::default() };
    if format == StructureFormat::Table {
        return table::read(path, &options);
    }
    let bytes = open_source(path, &options)?.into_bytes()?;
    let format = detected_format(&bytes).unwrap_or(format);
    read_bytes(&name, &bytes, format, MAX_RESIDUES).map(|mut structure| {
        structure.name = stem(path);
        vec![structure]
    })
}

/// The structure in the bytes of a PDB or mmCIF file with this name, if it has at most `most` residues.
pub fn read_bytes(name: &str, bytes: &[u8], format: StructureFormat, most: usize) -> Result<Structure> {
    let read = match format {
        StructureFormat::Pdb => pdb::read,
        StructureFormat::Mmcif => mmcif::read,
        StructureFormat::Table => {
            let reason = "a table of atoms holds many structures, and is read from a file";
            return Err(StructureError::File { file: name.to_owned(), reason: reason.to_owned() });
        }
    };
    read(&stem(Path::new(name)), &lines(bytes), most).map_err(|fault| fault.in_file(name))
}

/// The format if the start of a file identifies it unambiguously.
fn detected_format(bytes: &[u8]) -> Option<StructureFormat> {
    let start = without_mark(bytes).trim_ascii_start();
    let is = |word: &[u8]| start.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word));
    if is(b"data_") {
        Some(StructureFormat::Mmcif)
    } else if is(b"HEADER    ") || is(b"ATOM      ") {
        Some(StructureFormat::Pdb)
    } else {
        None
    }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The bytes without a byte-order mark, and with line feeds if lines end in carriage returns only.
fn lines(bytes: &[u8]) -> Cow<'_, [u8]> {
    let bytes = without_mark(bytes);
    if bytes.contains(&b'\n') || !bytes.contains(&b'\r') {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(bytes.iter().map(|b| if *b == b'\r' { b'\n' } else { *b }).collect())
}

/// The structure files at a path: the file itself, or those of the folder, sorted by name. Hidden files are ignored:
/// some systems keep their own notes in them.
pub fn structure_files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let file = || path.display().to_string();
    let fail = |e: std::io::Error| StructureError::File { file: file(), reason: e.to_string() };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let is_hidden = path.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"."));
        // A pipe, which is not a regular file, might never end.
        let is_other = path.metadata().is_ok_and(|m| !m.is_file());
        if !is_hidden && !is_other && StructureFormat::of_name(&path).is_some() {
            files.push(path);
        }
    }
    files.sort_unstable();
    if files.is_empty() {
        let reason =
            "no file of the folder is a structure; .pdb, .ent, .cif, .mmcif and .csv are, packed or not";
        return Err(StructureError::File { file: file(), reason: reason.to_owned() });
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
