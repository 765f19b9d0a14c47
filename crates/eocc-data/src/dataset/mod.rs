//! A file as samples, with what is known about each: the only path from data to a classifier.
//!
//! [`Dataset::read`] decides by fixed rules which kind of samples a file holds; [`Dataset::read_for_model`] reads it
//! in the form of a model's training samples. Both report what they decided and left out as [`Note`]s, which the
//! caller may print.

mod bad_rows;
mod build;
mod error;
mod model_reader;
mod plan;
mod request;
mod roles;
mod rules;
#[cfg(feature = "columnar")]
mod scorer;
mod series_tables;
mod spacing;
mod training;
mod windows;

use std::path::{Path, PathBuf};

use eocc_core::{AnySamples, Error};

use crate::column::Column;
use crate::error::DataError;
use crate::file_set::{read_set, table_files};
use crate::graphs::{is_graphs, read_graphs_within};
use crate::labels::{labels_for, labels_of_file, read_labels};
use crate::matching;
use crate::read::read;
use crate::table::Table;
use plan::Plan;
use series_tables::{Unfolded, unfold};

pub(crate) use bad_rows::BadRows;
pub use error::ReadError;
pub use model_reader::{BadRow, ModelReader, RowsRead};
pub use request::{Gap, Missing, NoFeature, Note, ReadRequest};
pub(crate) use rules::deciding_rows;
#[cfg(feature = "columnar")]
pub use scorer::{BatchScorer, ScoreOptions};
pub use series_tables::SeriesLayout;
pub use windows::{WindowShape, Windows};

/// Samples, and what is known about each of them.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Name of the file, or `standard input`.
    pub source: String,
    /// The samples.
    pub samples: AnySamples,
    /// Their names, if they have any.
    pub names: Option<Vec<String>>,
    /// Their classes, if known.
    pub classes: Option<Vec<String>>,
    /// Their splits, including `train`, if requested.
    pub splits: Option<Vec<String>>,
    /// Samples that must not serve as outliers in a test: if the lists of a set have splits, only nominal samples are
    /// for training, and other samples in `train` are unused.
    pub left_out: Vec<usize>,
    /// The column of the names, and the columns that form the samples, if they come from a table.
    pub name_column: Option<String>,
    /// See [`Dataset::name_column`].
    pub columns: Vec<String>,
    /// How many columns their table has; 0 if there is none, or if its format declares the roles of its columns.
    pub width: usize,
    /// The names of the columns whose order matters, if the file has any: the time steps of a wide table, or the
    /// samples of a matrix of dissimilarities.
    pub header: Vec<String>,
    /// How far apart the times of series usually are, in their unit or in seconds.
    pub spacing: Option<f64>,
    /// Columns requested to be carried along.
    pub kept: Vec<Column>,
    /// The row number of each sample in the file, if some were left out.
    pub rows: Option<Vec<usize>>,
    /// Whether each sample is a line of text.
    pub are_lines: bool,
    /// Notes on guesses and on columns left out.
    pub notes: Vec<Note>,
}

impl From<AnySamples> for Dataset {
    /// Samples about which nothing else is known.
    fn from(samples: AnySamples) -> Self {
        Self {
            source: String::new(),
            samples,
            names: None,
            classes: None,
            splits: None,
            left_out: Vec::new(),
            name_column: None,
            columns: Vec::new(),
            width: 0,
            header: Vec::new(),
            spacing: None,
            kept: Vec::new(),
            rows: None,
            are_lines: false,
            notes: Vec::new(),
        }
    }
}

impl Dataset {
    /// Reads a file as samples.
    pub fn read(path: &Path, request: &ReadRequest) -> Result<Self, ReadError> {
        WholeFile::open(path, request)?.training(request)
    }

    /// The samples in a table, by the same rules as for a file.
    pub fn of_table(table: &Table, request: &ReadRequest) -> Result<Self, ReadError> {
        let asked = table.as_asked(request);
        let table = asked.as_ref();
        if let Some(windows) = &request.windows {
            let cut = windows::cut_whole(table, windows, request)?;
            let data = training::read(&cut.table, &cut.request)?.with_notes(cut.notes);
            return Ok(Self { spacing: cut.spacing, ..data });
        }
        let unfolded = unfold(table, request, &mut BadRows::default())?;
        let Unfolded { table, request, notes, header, spacing } = unfolded
            .ok_or_else(|| of_source(table.source())(Error::input("no series is left to learn from")))?;
        let data = training::read(&table, &request)?.with_notes(notes);
        let header = if data.header.is_empty() { header } else { data.header.clone() };
        Ok(Self { header, spacing, ..data })
    }

    /// Reads a file in the form of other samples: those of a model, or those of another file.
    pub fn read_for_model(path: &Path, reader: &mut ModelReader) -> Result<Self, ReadError> {
        WholeFile::open(path, reader.request())?.for_model(reader)
    }

    /// Like `read_for_model`, for a table, in which no row may be bad.
    pub fn of_table_for_model(table: &Table, reader: &mut ModelReader) -> Result<Self, ReadError> {
        Self::of_rows_read(table, reader.read(table)?)
    }

    /// Like [`of_table_for_model`](Self::of_table_for_model), with a shared reader, independently of other tables.
    pub fn of_table_alone(table: &Table, reader: &ModelReader) -> Result<Self, ReadError> {
        Self::of_rows_read(table, reader.read_alone(table)?)
    }

    fn of_rows_read(table: &Table, RowsRead { data, bad }: RowsRead) -> Result<Self, ReadError> {
        match (data, bad.into_iter().next()) {
            (Some(data), _) => Ok(data),
            (None, Some(bad)) => Err(bad.error),
            (None, None) => Err(of_source(table.source())(Error::input("there are no samples"))),
        }
    }

    /// Number of samples.
    pub fn count(&self) -> usize {
        self.samples.count()
    }

    /// These samples only, in this order.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let picked = |all: &Option<Vec<String>>| {
            all.as_ref().map(|all| indices.iter().map(|&i| all[i].clone()).collect::<Vec<String>>())
        };
        Self {
            source: self.source.clone(),
            samples: self.samples.select(indices),
            names: picked(&self.names),
            classes: picked(&self.classes),
            splits: picked(&self.splits),
            left_out: Vec::new(),
            name_column: self.name_column.clone(),
            columns: self.columns.clone(),
            width: self.width,
            header: self.header.clone(),
            spacing: self.spacing,
            kept: self.kept.iter().map(|column| column.pick(indices)).collect(),
            rows: Some(indices.iter().map(|&i| self.row(i)).collect()),
            are_lines: self.are_lines,
            notes: self.notes.clone(),
        }
    }

    /// The row number of a sample in the file, from 0.
    pub fn row(&self, sample: usize) -> usize {
        self.rows.as_ref().and_then(|rows| rows.get(sample)).copied().unwrap_or(sample)
    }

    /// The name of a sample, or its number if it has none.
    pub fn name(&self, row: usize) -> String {
        self.names.as_ref().and_then(|names| names.get(row)).map_or_else(|| row.to_string(), Clone::clone)
    }

    /// The row of a sample in the file, with its name if it has one, for messages.
    pub fn location(&self, sample: usize) -> String {
        let row = self.row(sample);
        match &self.names {
            Some(names) => format!("`{}` (row {row})", names[sample]),
            None => format!("row {row}"),
        }
    }

    /// An error of the samples that names the row in the file instead of a sample's position.
    #[must_use]
    pub fn located(&self, error: Error) -> Error {
        let text = error.to_string();
        let found = text.strip_prefix("sample ").and_then(|rest| {
            let (number, reason) = rest.split_once(':')?;
            let sample = number.parse::<usize>().ok().filter(|sample| *sample < self.count())?;
            Some(format!("{}:{reason}", self.location(sample)))
        });
        match found {
            Some(text) if error.is_input() && error.remedy().is_none() => Error::input(text),
            _ => error,
        }
    }

    /// All names, or numbers if there are none.
    pub fn names_or_numbers(&self) -> Vec<String> {
        (0..self.count()).map(|row| self.name(row)).collect()
    }

    /// Samples that are neither nominal nor left out; `nominal` is ascending.
    pub fn outliers(&self, nominal: &[usize]) -> Vec<usize> {
        // Nothing is known about a sample without a class.
        let has_class = |i: usize| self.classes.as_ref().is_none_or(|classes| !classes[i].is_empty());
        let is_outlier =
            |i: &usize| nominal.binary_search(i).is_err() && !self.left_out.contains(i) && has_class(*i);
        (0..self.count()).filter(is_outlier).collect()
    }

    /// Indices of the samples of the nominal classes; of all samples if no classes are known and none is requested. A
    /// value that is not a class may be a comma-separated list of classes.
    pub fn nominal(&self, nominal: &[impl AsRef<str>]) -> Result<Vec<usize>, ReadError> {
        let Some(classes) = &self.classes else {
            return match nominal {
                [] => Ok((0..self.count()).collect()),
                [value, ..] => {
                    let allowed = "given together with the column of the classes, the label";
                    Err(Error::parameter("nominal", value.as_ref(), allowed).into())
                }
            };
        };
        nominal_rows(classes, nominal)
    }

    /// With the information about these rows only, which the samples come from; `count` is the number of requested
    /// rows.
    fn of_rows(mut self, table: &Table, rows: Option<Vec<usize>>, count: usize) -> Self {
        if let Some(rows) = &rows {
            let picked =
                |all: Option<Vec<String>>| all.map(|all| rows.iter().map(|&r| all[r].clone()).collect());
            (self.names, self.classes, self.splits) =
                (picked(self.names), picked(self.classes), picked(self.splits));
            self.kept = self.kept.iter().map(|column| column.pick(rows)).collect();
            if rows.len() < count {
                self.notes.push(Note::RowsLeftOut { count: count - rows.len(), of: count });
            }
        }
        if rows.is_some() || table.is_part() {
            let rows = rows.unwrap_or_else(|| (0..table.rows()).collect());
            self.rows = Some(rows.into_iter().map(|row| table.row_number(row)).collect());
        }
        self
    }

    /// With the notes about earlier decisions.
    fn with_notes(mut self, mut notes: Vec<Note>) -> Self {
        notes.append(&mut self.notes);
        Self { notes, ..self }
    }

    /// With the classes from a file of labels, if given.
    fn with_labels(mut self, request: &ReadRequest) -> Result<Self, ReadError> {
        if let Some(path) = &request.labels {
            let labels = read_labels(path)?;
            let by_number = |error| {
                let numbers: Vec<String> = (0..self.count()).map(|row| row.to_string()).collect();
                labels_for(&numbers, &labels).map_err(|_| error)
            };
            self.classes = Some(labels_of_file(path, &self.names_or_numbers(), &labels).or_else(by_number)?);
        }
        Ok(self)
    }
}

/// The rows of these classes. Texts are compared without surrounding blanks; only if no text is equal are numbers
/// compared, so that `1` finds `1.0`.
pub(crate) fn nominal_rows(classes: &[String], nominal: &[impl AsRef<str>]) -> Result<Vec<usize>, ReadError> {
    /// Maximum number of classes listed in a message.
    const MAX_LISTED: usize = 10;
    let cells = || classes.iter().map(|class| crate::cell::Cell::Raw(class));
    let missing = match matching::rows_of_any(cells(), nominal) {
        Ok(found) if !nominal.is_empty() => return Ok(found),
        Ok(_) => None,
        Err(missing) => Some(missing),
    };
    let mut seen: Vec<&str> = Vec::new();
    for class in classes {
        if !seen.contains(&class.as_str()) {
            seen.push(class);
        }
    }
    let more = if seen.len() > MAX_LISTED { ", …" } else { "" };
    let allowed = format!("one of the classes {}{more}", seen[..seen.len().min(MAX_LISTED)].join(", "));
    let given = missing.map_or_else(|| "not given".to_owned(), |value| format!("`{value}`"));
    Err(Error::parameter("nominal", given, allowed).into())
}

impl Plan {
    /// Samples of a table with all information about its rows.
    fn dataset(&self, table: &Table, samples: AnySamples) -> Dataset {
        let words = |column: Option<usize>| column.map(|column| table.words(column));
        Dataset {
            source: table.source().to_owned(),
            names: words(self.name).or_else(|| table.row_names()),
            name_column: self.name.map(|column| table.name(column).to_owned()),
            columns: self.features.iter().map(|&column| table.name(column).to_owned()).collect(),
            width: if table.is_typed() { 0 } else { table.width() },
            classes: words(self.classes),
            splits: words(self.split),
            kept: self.kept.iter().map(|&column| table.columns()[column].carried()).collect(),
            are_lines: table.are_lines(),
            notes: self.notes.clone(),
            ..Dataset::from(samples)
        }
    }
}

/// A file that is read whole: a table, with a note if it consists of several files, or graphs.
#[derive(Debug)]
pub(crate) enum WholeFile {
    Table(Box<Table>, Option<Note>),
    Graphs(PathBuf),
}

impl WholeFile {
    /// Reads a table; graphs are read when samples are made of them.
    pub(crate) fn open(path: &Path, request: &ReadRequest) -> Result<Self, DataError> {
        Ok(match table(path, request)? {
            Some((table, note)) => Self::Table(Box::new(table), note),
            None => Self::Graphs(path.to_owned()),
        })
    }

    /// Its samples, by the rules for training.
    pub(crate) fn training(&self, request: &ReadRequest) -> Result<Dataset, ReadError> {
        let data = match self {
            Self::Table(table, note) => {
                Dataset::of_table(table, request)?.with_notes(note.iter().cloned().collect())
            }
            Self::Graphs(path) => of_graphs(path, request)?,
        };
        data.with_labels(request)
    }

    /// Its samples in the form of others.
    pub(crate) fn for_model(&self, reader: &mut ModelReader) -> Result<Dataset, ReadError> {
        let request = reader.request().clone();
        let data = match self {
            Self::Table(table, note) => {
                Dataset::of_table_for_model(table, reader)?.with_notes(note.iter().cloned().collect())
            }
            Self::Graphs(path) => of_graphs(path, &request)?,
        };
        data.with_labels(&request)
    }
}

/// The table at a path, and a note if it consists of several files; `None` if the path holds graphs.
fn table(path: &Path, request: &ReadRequest) -> Result<Option<(Table, Option<Note>)>, DataError> {
    if let Some(set) = table_files(path)? {
        let table = read_set(path, &set, &request.options)?;
        let (source, count, left_out) = (path.display().to_string(), set.files.len(), set.left_out);
        return Ok(Some((table, Some(Note::Files { source, count, left_out }))));
    }
    if is_graphs(path) {
        return Ok(None);
    }
    Ok(Some((read(path, &request.options)?, None)))
}

/// Graphs, with the classes and splits of their lists.
fn of_graphs(path: &Path, request: &ReadRequest) -> Result<Dataset, ReadError> {
    let source = path.display().to_string();
    if let Some(label) = &request.label {
        let allowed = "left out: graphs have their classes from a CXL list, or from a file of labels";
        return Err(Error::parameter("label", label, allowed).into());
    }
    let set = read_graphs_within(path, request.options.budget)?;
    let mut notes = Vec::new();
    if !set.left_out.is_empty() {
        notes.push(Note::FilesLeftOut { source: source.clone(), count: set.left_out.len() });
    }
    let names = set.graphs.graphs().iter().map(|g| g.name().to_owned()).collect();
    let known = |all: &[Option<String>]| -> Option<Vec<String>> {
        all.iter().any(Option::is_some).then(|| all.iter().map(|c| c.clone().unwrap_or_default()).collect())
    };
    let (classes, all_splits) = (known(&set.classes), known(&set.splits));
    let is_train = |s: &String| s.eq_ignore_ascii_case("train");
    let train =
        all_splits.iter().flatten().enumerate().filter(|(_, s)| is_train(s)).map(|(i, _)| i).collect();
    let splits = match request.split.as_deref() {
        Some("split") => all_splits,
        Some(other) => {
            let allowed = "`split` for graphs, which have it from their lists";
            return Err(Error::parameter("split", other, allowed).into());
        }
        None => None,
    };
    let left_out = if splits.is_some() { Vec::new() } else { train };
    Ok(Dataset {
        source,
        names: Some(names),
        classes,
        splits,
        left_out,
        notes,
        ..Dataset::from(AnySamples::from(set.graphs))
    })
}

/// Turns an error of the samples into one that names the file.
fn of_source(source: &str) -> impl Fn(Error) -> ReadError + '_ {
    |error| ReadError::Samples { source_name: source.to_owned(), error }
}

impl From<DataError> for ReadError {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}

#[cfg(test)]
mod tests;
