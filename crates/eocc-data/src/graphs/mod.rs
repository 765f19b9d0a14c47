//! Readers of labelled graphs: GXL with CXL lists, `GraphML`, JSON node-link.
//!
//! A path goes in: a folder, an archive (`.tar`, `.tgz`), a list (`.cxl`), or a single file (`.gxl`, `.graphml`,
//! `.json`, `.jsonl`), each of them possibly compressed with gzip or zstd. A [`GraphSet`] comes out. Samples are
//! named by file name; files with several graphs add the name or number of each.
//!
//! Nothing in a file is trusted: entities are not expanded, nesting is limited, nothing is unpacked to disk, and the
//! size of an archive's content is limited by what was read, not by what it claims.

mod archive;
mod cxl;
mod graphml;
mod gxl;
mod json;
mod raw;
mod xml;

use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead as _, Read as _};
use std::path::Path;

use eocc_core::Graphs;

use crate::budget::{Budget, Meter};
use crate::error::{DataError, Fault};
use crate::format::starts_array_of_objects;
use crate::read::{ReadOptions, load};
use crate::shown::{list, shown};
use crate::source::{Whole, open_source, plain_bytes};
use crate::unpack::inner_name;
use cxl::Listed;
use raw::RawGraph;

/// Maximum length of the first line that is examined to decide whether a file holds graphs: 64 MiB.
const MAX_LINE: u64 = 1 << 26;
/// Maximum number of files of a folder or an archive.
const MAX_FILES: usize = 1_000_000;

/// Graphs with the information from their lists.
#[derive(Debug, Clone)]
pub struct GraphSet {
    /// The graphs, by name.
    pub graphs: Graphs,
    /// The class of each, if any.
    pub classes: Vec<Option<String>>,
    /// The split of each (`train`, `valid`, `test`), if any.
    pub splits: Vec<Option<String>>,
    /// Existing files that are not in any list.
    pub left_out: Vec<String>,
}

impl GraphSet {
    /// The indices of the nominal graphs, those of this class, and of the outliers. If there are splits, the outliers
    /// are those not in `train`: training data are nominal only.
    pub fn one_class(&self, nominal: &str) -> Result<(Vec<usize>, Vec<usize>), DataError> {
        let all = || 0..self.classes.len();
        let is_nominal = |i: &usize| self.classes[*i].as_deref() == Some(nominal);
        let found: Vec<usize> = all().filter(is_nominal).collect();
        if found.is_empty() {
            let mut classes: Vec<String> = self.classes.iter().flatten().cloned().collect();
            classes.sort_unstable();
            classes.dedup();
            let reason =
                format!("no graph has the class {}; the classes are {}", shown(nominal), list(&classes));
            return Err(malformed("graphs", "graph", reason));
        }
        let in_training = |i: &usize| self.splits[*i].as_deref() == Some("train");
        Ok((found, all().filter(|i| !is_nominal(i) && !in_training(i)).collect()))
    }
}

/// Whether [`read_graphs`] reads a path: a folder, an archive, or a file with a graph extension. JSON files may also
/// be tables, so that only `.json` is taken for graphs.
pub fn is_graphs(path: &Path) -> bool {
    path.is_dir()
        || match GraphFormat::from_name(&path.to_string_lossy()) {
            None | Some(GraphFormat::JsonLines) => false,
            Some(GraphFormat::Json) => !holds_records(path),
            Some(_) => true,
        }
}

/// Whether a file is a JSON array of objects, as programs write tables.
fn holds_records(path: &Path) -> bool {
    let Ok(source) = open_source(path, &ReadOptions::default()) else { return false };
    let mut start = Vec::new();
    source.take(JSON_START).read_to_end(&mut start).is_ok() && starts_array_of_objects(&start)
}

/// Bytes at the start of JSON that indicate its content.
const JSON_START: u64 = 4096;

/// Whether a file of JSON Lines holds graphs: its first line is one.
pub(crate) fn holds_graphs(path: &Path) -> bool {
    let Ok(source) = open_source(path, &ReadOptions::default()) else { return false };
    let mut line = String::new();
    let first = std::io::BufReader::new(source).take(MAX_LINE).read_line(&mut line);
    first.is_ok() && json::of_cell(line.trim()).is_ok()
}

/// Reads graphs from a folder, an archive, a list or a single file.
pub fn read_graphs(path: &Path) -> Result<GraphSet, DataError> {
    read_graphs_within(path, Budget::default())
}

/// Like [`read_graphs`], with a memory limit.
pub fn read_graphs_within(path: &Path, budget: Budget) -> Result<GraphSet, DataError> {
    let name = path.display().to_string();
    if path.is_dir() {
        let mut meter = budget.meter(Some(folder_size(path)));
        let files = archive::folder(path, &mut meter)?;
        return gather(&name, files, &mut meter);
    }
    let options = ReadOptions { budget, ..ReadOptions::default() };
    if GraphFormat::from_name(&name) == Some(GraphFormat::Archive) {
        let bytes = std::fs::read(path).map_err(|cause| DataError::io(&name, "read", cause))?;
        return of_archive(&name, &bytes, &mut budget.meter(Some(bytes.len() as u64)));
    }
    let Whole { bytes, options, .. } = load(path, &options)?;
    let mut meter = options.budget.meter(Some(bytes.len() as u64));
    if GraphFormat::from_name(&name) == Some(GraphFormat::Cxl) {
        let folder = path.parent().unwrap_or(Path::new(""));
        let listed = cxl::read(&name, &bytes, &mut meter)?;
        let mut files = BTreeMap::new();
        let mut size = 0;
        for one in &listed {
            let file = archive::checked(&one.file).map_err(|reason| malformed(&name, "CXL", reason))?;
            let content = load(&folder.join(file), &options)?.bytes;
            size += content.len() as u64;
            // The files named by a list may be larger than the list.
            options.budget.meter(Some(size)).take(size).map_err(|fault| DataError::new(&name, fault))?;
            files.insert(one.file.clone(), content);
        }
        files.insert(file_name(&name).to_owned(), bytes);
        return gather(&name, files, &mut budget.meter(Some(size)));
    }
    of_plain_bytes(&name, &bytes, &mut meter)
}

/// Size of the files of a folder, as far as known.
fn folder_size(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.metadata().ok())
        .map(|metadata| metadata.len())
        .fold(0, u64::saturating_add)
}

/// Reads graphs from the content of an archive or a single file; the extension of `name` indicates the format.
pub fn read_graph_bytes(name: &str, bytes: &[u8]) -> Result<GraphSet, DataError> {
    if GraphFormat::from_name(name) == Some(GraphFormat::Archive) {
        return of_archive(name, bytes, &mut Budget::default().meter(Some(bytes.len() as u64)));
    }
    let (bytes, options) = plain_bytes(name, bytes, &ReadOptions::default())?;
    of_plain_bytes(name, &bytes, &mut options.budget.meter(Some(bytes.len() as u64)))
}

fn of_archive(name: &str, bytes: &[u8], meter: &mut Meter) -> Result<GraphSet, DataError> {
    let files = archive::unpack(name, bytes, meter)?;
    gather(name, files, meter)
}

/// The graphs of a single uncompressed file.
fn of_plain_bytes(name: &str, bytes: &[u8], meter: &mut Meter) -> Result<GraphSet, DataError> {
    if bytes.is_empty() {
        return Err(DataError::new(name, Fault::Empty));
    }
    match GraphFormat::from_name(name) {
        Some(GraphFormat::Cxl) => Err(malformed(
            name,
            "CXL",
            "a list needs the files it lists; give its path, or an archive".into(),
        )),
        Some(kind) => finish(name, single(kind, name, bytes, meter)?, &BTreeMap::new(), Vec::new(), meter),
        None => Err(malformed(
            name,
            "graph",
            "the extension is none of .gxl, .cxl, .graphml, .json, .jsonl, .tar, .tgz, or one of these with .gz or .zst".into(),
        )),
    }
}

/// Graphs in the cells of a column, each a JSON object in node-link form; `place` gives the location of a cell.
pub(crate) fn graphs_of_cells(
    source: &str,
    cells: &[String],
    place: impl Fn(usize) -> String,
) -> Result<Graphs, DataError> {
    let mut raw = Vec::with_capacity(cells.len());
    for (row, cell) in cells.iter().enumerate() {
        let graph = json::of_cell(cell);
        raw.push(graph.map_err(|reason| malformed(source, "graph", format!("{}: {reason}", place(row))))?);
    }
    gxl::name_all(&mut raw, file_name(source));
    let size = cells.iter().map(|cell| cell.len() as u64).fold(0, u64::saturating_add);
    let mut meter = Budget::default().meter(Some(size));
    Ok(finish(source, raw, &BTreeMap::new(), Vec::new(), &mut meter)?.graphs)
}

/// The kinds of files, by extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GraphFormat {
    Gxl,
    Cxl,
    GraphMl,
    Json,
    JsonLines,
    Archive,
}

impl GraphFormat {
    fn from_name(name: &str) -> Option<Self> {
        let name = inner_name(name).to_ascii_lowercase();
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        match () {
            () if ends(&[".gxl"]) => Some(Self::Gxl),
            () if ends(&[".cxl"]) => Some(Self::Cxl),
            () if ends(&[".graphml"]) => Some(Self::GraphMl),
            () if ends(&[".json"]) => Some(Self::Json),
            () if ends(&[".jsonl", ".ndjson"]) => Some(Self::JsonLines),
            () if ends(&[".tar", ".tgz"]) => Some(Self::Archive),
            () => None,
        }
    }
}

fn malformed(name: &str, format: &'static str, reason: String) -> DataError {
    DataError::new(name, Fault::Malformed { format, reason })
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The graphs of one file.
fn single(
    kind: GraphFormat,
    name: &str,
    bytes: &[u8],
    meter: &mut Meter,
) -> Result<Vec<RawGraph>, DataError> {
    match kind {
        GraphFormat::Gxl => gxl::read(name, bytes, meter),
        GraphFormat::GraphMl => graphml::read(name, bytes, meter),
        GraphFormat::Json => json::read(name, bytes, meter),
        GraphFormat::JsonLines => json::read_lines(name, bytes, meter),
        GraphFormat::Cxl | GraphFormat::Archive => Ok(Vec::new()),
    }
}

/// Joins the files of a folder or an archive with the lists in it.
fn gather(name: &str, files: BTreeMap<String, Vec<u8>>, meter: &mut Meter) -> Result<GraphSet, DataError> {
    let present: HashSet<&str> = files.keys().map(|file| file_name(file)).collect();
    let inside = |file: &str| format!("{name}: {file}");
    let mut listed: BTreeMap<String, Listed> = BTreeMap::new();
    let mut has_lists = false;
    for (file, bytes) in
        files.iter().filter(|(file, _)| GraphFormat::from_name(file) == Some(GraphFormat::Cxl))
    {
        has_lists = true;
        for one in cxl::read(&inside(file), bytes, meter)? {
            let target = file_name(&one.file).to_owned();
            if !present.contains(target.as_str()) {
                let reason = format!("it lists {}, which does not exist", shown(&one.file));
                return Err(malformed(&inside(file), "CXL", reason));
            }
            match listed.get_mut(&target) {
                None => {
                    listed.insert(target, one);
                }
                Some(before) if before.class != one.class => {
                    let reason = format!(
                        "it gives {} the class {}, but another list gives it {}",
                        shown(&one.file),
                        shown(&one.class),
                        shown(&before.class)
                    );
                    return Err(malformed(&inside(file), "CXL", reason));
                }
                // Some lists of test graphs repeat all of them: training graphs are not test graphs.
                Some(before) if before.split == "test" => before.split = one.split,
                Some(_) => {}
            }
        }
    }
    let (mut raw, mut left_out) = (Vec::new(), Vec::new());
    for (file, bytes) in &files {
        let Some(kind) =
            GraphFormat::from_name(file).filter(|k| !matches!(k, GraphFormat::Cxl | GraphFormat::Archive))
        else {
            continue;
        };
        if has_lists && !listed.contains_key(file_name(file)) {
            left_out.push(file.clone());
        } else {
            raw.extend(single(kind, &inside(file), bytes, meter)?);
        }
    }
    finish(name, raw, &listed, left_out, meter)
}

/// Gives attributes their kinds and checks the whole.
fn finish(
    name: &str,
    mut raw: Vec<RawGraph>,
    listed: &BTreeMap<String, Listed>,
    left_out: Vec<String>,
    meter: &mut Meter,
) -> Result<GraphSet, DataError> {
    if raw.is_empty() {
        return Err(malformed(name, "graph", "there is no graph in it".into()));
    }
    for g in &mut raw {
        if let Some(one) = listed.get(&g.name) {
            g.class = Some(one.class.clone());
            g.split = Some(one.split.clone());
        }
    }
    meter.take(raw::table_size(&raw)).map_err(|fault| DataError::new(name, fault))?;
    let classes = raw.iter().map(|g| g.class.clone()).collect();
    let splits = raw.iter().map(|g| g.split.clone()).collect();
    let graphs = Graphs::new(raw::resolve(raw)).map_err(|e| malformed(name, "graph", e.to_string()))?;
    Ok(GraphSet { graphs, classes, splits, left_out })
}

#[cfg(test)]
mod tests;
