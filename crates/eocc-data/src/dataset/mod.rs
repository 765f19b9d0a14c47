//! A file as samples, with what is known of each: the one way from data to what a classifier takes.
//!
//! [`Dataset::read`] decides by fixed rules which kind of samples a file holds; [`Dataset::read_for_model`] reads it in the
//! form that a model was fitted on. Both say what they decided and left out as [`Note`]s, which the caller may print.

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
mod training;
mod windows;

use std::path::Path;

use eocc_core::{AnySamples, Error};

use crate::column::Column;
use crate::error::DataError;
use crate::file_set::{read_set, table_files};
use crate::graphs::{is_graphs, read_graphs_within};
use crate::labels::{labels_for, read_labels};
use crate::matching;
use crate::read::read;
use crate::table::Table;
use plan::Plan;
use series_tables::{Unfolded, unfold};

pub(crate) use bad_rows::BadRows;
pub use error::ReadError;
pub use model_reader::{BadRow, ModelReader, RowsRead};
pub use request::{Missing, NoFeature, Note, ReadRequest};
pub(crate) use rules::deciding_rows;
#[cfg(feature = "columnar")]
pub use scorer::{BatchScorer, ScoreOptions};
pub use series_tables::SeriesLayout;
pub use windows::{WindowShape, Windows};

/// Samples, and what is known of each of them.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Name of the file, or `standard input`.
    pub source: String,
    /// The samples.
    pub samples: AnySamples,
    /// Their names, where they have some.
    pub names: Option<Vec<String>>,
    /// Their classes, where these are known.
    pub classes: Option<Vec<String>>,
    /// Their splits, `train` among them, where these were asked for.
    pub splits: Option<Vec<String>>,
    /// Samples that must not serve as outliers in a test: where the lists of a set have splits, only nominal samples
    /// train, and what else is in `train` stays out.
    pub left_out: Vec<usize>,
    /// The column that the names are from, and those that the samples are made of, where they are of a table.
    pub name_column: Option<String>,
    /// See [`Dataset::name_column`].
    pub columns: Vec<String>,
    /// How many columns the table has that they are of; 0 where there is none, or its format says what they are.
    pub width: usize,
    /// Columns that were asked for to be carried along.
    pub kept: Vec<Column>,
    /// The row of the file that each sample is, where some were left out.
    pub rows: Option<Vec<usize>>,
    /// Whether each sample is a line of text.
    pub are_lines: bool,
    /// What was guessed, and what was left out.
    pub notes: Vec<Note>,
}

impl From<AnySamples> for Dataset {
    /// Samples of which nothing else is known.
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
            kept: Vec::new(),
            rows: None,
            are_lines: false,
            notes: Vec::new(),
        }
    }
}

impl Dataset {
    /// Reads a file as the samples it holds.
    pub fn read(path: &Path, request: &ReadRequest) -> Result<Self, ReadError> {
        let data = match table(path, request)? {
            Some((table, set)) => Self::of_table(&table, request)?.with_notes(set.into_iter().collect()),
            None => of_graphs(path, request)?,
        };
        data.with_labels(request)
    }

    /// The samples that a table holds, by the rules of a file.
    pub fn of_table(table: &Table, request: &ReadRequest) -> Result<Self, ReadError> {
        let marked = table.without_values(&request.na);
        let table = marked.as_ref().unwrap_or(table);
        if let Some(windows) = &request.windows {
            let cut = windows::cut_whole(table, windows, request)?;
            return Ok(training::read(&cut.table, &cut.request)?.with_notes(cut.notes));
        }
        let unfolded = unfold(table, request, &mut BadRows::default())?;
        let Unfolded { table, request, notes } = unfolded
            .ok_or_else(|| of_source(table.source())(Error::input("no series is left to learn from")))?;
        Ok(training::read(&table, &request)?.with_notes(notes))
    }

    /// Reads a file in the form of other samples: those that a model was fitted on, or those of another file.
    pub fn read_for_model(path: &Path, reader: &mut ModelReader) -> Result<Self, ReadError> {
        let request = reader.request().clone();
        let data = match table(path, &request)? {
            Some((table, set)) => {
                Self::of_table_for_model(&table, reader)?.with_notes(set.into_iter().collect())
            }
            None => of_graphs(path, &request)?,
        };
        data.with_labels(&request)
    }

    /// The same of a table, of which no row may be bad.
    pub fn of_table_for_model(table: &Table, reader: &mut ModelReader) -> Result<Self, ReadError> {
        Self::of_rows_read(table, reader.read(table)?)
    }

    /// The same by a reader that is shared, for which the table stands alone.
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
            kept: self.kept.iter().map(|column| column.pick(indices)).collect(),
            rows: Some(indices.iter().map(|&i| self.row(i)).collect()),
            are_lines: self.are_lines,
            notes: self.notes.clone(),
        }
    }

    /// The row of the file that a sample is, from 0.
    pub fn row(&self, sample: usize) -> usize {
        self.rows.as_ref().and_then(|rows| rows.get(sample)).copied().unwrap_or(sample)
    }

    /// The name of a sample; its number where it has none.
    pub fn name(&self, row: usize) -> String {
        self.names.as_ref().and_then(|names| names.get(row)).map_or_else(|| row.to_string(), Clone::clone)
    }

    /// All names, or numbers where there are none.
    pub fn names_or_numbers(&self) -> Vec<String> {
        (0..self.count()).map(|row| self.name(row)).collect()
    }

    /// Samples that are neither nominal nor left out; `nominal` is ascending.
    pub fn outliers(&self, nominal: &[usize]) -> Vec<usize> {
        // Of a sample without a class nothing is known.
        let has_class = |i: usize| self.classes.as_ref().is_none_or(|classes| !classes[i].is_empty());
        let is_outlier =
            |i: &usize| nominal.binary_search(i).is_err() && !self.left_out.contains(i) && has_class(*i);
        (0..self.count()).filter(is_outlier).collect()
    }

    /// Indices of the samples of the nominal classes; of all samples if no classes are known and none is asked for. A class
    /// that no sample has may list several with commas between them.
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

    /// With what is known of these rows only, of which the samples are; `count` is the number of rows that were asked for.
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

    /// With what was decided before.
    fn with_notes(mut self, mut notes: Vec<Note>) -> Self {
        notes.append(&mut self.notes);
        Self { notes, ..self }
    }

    /// With the classes from a file of labels, if one was given.
    fn with_labels(mut self, request: &ReadRequest) -> Result<Self, ReadError> {
        if let Some(path) = &request.labels {
            let labels = read_labels(path)?;
            let by_number = |error| {
                let numbers: Vec<String> = (0..self.count()).map(|row| row.to_string()).collect();
                labels_for(&numbers, &labels).map_err(|_| error)
            };
            self.classes = Some(labels_for(&self.names_or_numbers(), &labels).or_else(by_number)?);
        }
        Ok(self)
    }
}

/// The rows of these classes. Texts are compared without surrounding blanks; only if no text is equal, numbers are, so that
/// `1` finds `1.0`.
pub(crate) fn nominal_rows(classes: &[String], nominal: &[impl AsRef<str>]) -> Result<Vec<usize>, ReadError> {
    /// Classes that a message lists.
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
    /// Samples of a table with all that is known of its rows.
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

/// The table that a path holds, and what to tell of it if it is several files; `None` if it holds graphs.
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

/// Turns a fault of the samples into one that names the file.
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
