//! From the columns of a table to samples. Types are decided once, before any number is parsed.

use eocc_core::{AnySamples, Error, Matrix, Precomputed, Vectors};

use super::build::is_plain;
use super::roles::{self, Roles};
use super::{Dataset, Missing, Note, ReadError, ReadRequest, keep, of_fields, of_source};
use crate::cell::CellFault;
use crate::error::{DataError, Fault};
use crate::field_type::FieldType;
use crate::table::Table;
use crate::typed::{Types, convert_columns};

/// Reads a table as the samples it holds.
pub(super) fn read(table: Table, request: &ReadRequest) -> Result<Dataset, ReadError> {
    let column = |name: &Option<String>| name.as_ref().map(|n| table.column(n)).transpose();
    let (label, split) = (column(&request.label)?, column(&request.split)?);
    let classes = label.map(|c| texts(&table, c));
    let splits = split.map(|c| texts(&table, c));
    let source = table.source().to_owned();
    let mut columns = features(&table, label, request)?;
    columns.retain(|c| Some(*c) != split);
    if request.precomputed {
        let samples = AnySamples::from(precomputed(&table, &columns, true)?);
        let kept = keep::of_table(&table, &request.keep)?;
        return Ok(Dataset { source, classes, splits, kept, ..Dataset::from(samples) });
    }
    let rows = match (label, request.only.as_slice()) {
        (Some(label), [_, ..]) => Some(table.matching_any(label, &request.only)?),
        _ => None,
    };
    let Roles { features: columns, name, mut notes } = roles::of(&table, columns, request)?;
    if columns.is_empty() {
        return Err(of_source(&source)(Error::input("no column is left to learn from")));
    }
    let asked = rows.as_ref().map_or(table.rows(), Vec::len);
    let rows = complete_rows(&table, &columns, rows, request.missing)?;
    let names = name.map(|c| texts(&table, c)).or_else(|| table.row_names());
    let name_column = name.map(|c| table.names()[c].clone());
    let kept = keep::of_table(&table, &request.keep)?;
    let whole = |samples: AnySamples, notes| {
        let samples = match request.missing {
            Some(Missing::Impute) => samples
                .filled(&samples)
                .and_then(|filled| filled.numbers_as_vectors())
                .map_err(of_source(&source))?,
            _ => samples,
        };
        let data = Dataset {
            source: source.clone(),
            names,
            name_column,
            classes,
            splits,
            kept,
            notes,
            ..Dataset::from(samples)
        };
        Ok(data.of_rows(rows.clone(), asked))
    };
    // Of numbers only those rows are looked at; words have the same levels whichever rows are nominal.
    let types = Types::of(&table, &request.types, &columns, rows.as_deref())?;
    let is_typed = request.types.iter().any(|(_, kind)| !matches!(kind, FieldType::Id | FieldType::Ignore));
    if !request.mixed && !is_typed && types.all_are(&columns, &FieldType::Number) {
        match vectors(&table, &columns, rows.as_deref()) {
            Err(e) if Missing::is_let_in(request.missing) && is_missing(&e) => {}
            other => return whole(other?.into(), notes),
        }
    }
    let types = if rows.is_none() { types } else { Types::of(&table, &request.types, &columns, None)? };
    let lets_empty_in = request.missing.is_some_and(|m| m != Missing::Error);
    // What is missing has no value of some types.
    let dropped = rows.as_ref().filter(|_| request.missing == Some(Missing::Drop));
    let is_picked = dropped.is_some();
    let table = match dropped {
        Some(rows) => table.pick(rows),
        None => table,
    };
    let fields = convert_columns(&table, &types, &columns, lets_empty_in)?;
    notes.push(Note::Columns(fields.describe()));
    let fields = rows.as_ref().filter(|_| !is_picked).map(|rows| fields.select_rows(rows)).unwrap_or(fields);
    // New records may lack what those to learn from do not.
    let is_mixed = request.mixed
        || (Missing::is_let_in(request.missing) && !fields.fields().iter().all(|f| is_plain(&f.values)));
    whole(of_fields(&fields, is_mixed)?, notes)
}

/// These rows, all if none are given, without those that lack a value if such are to be left out; `None` for all.
pub(super) fn complete_rows(
    table: &Table,
    columns: &[usize],
    rows: Option<Vec<usize>>,
    missing: Option<Missing>,
) -> Result<Option<Vec<usize>>, ReadError> {
    if !matches!(missing, Some(Missing::Drop | Missing::Error)) {
        return Ok(rows);
    }
    let hole = |row: usize| columns.iter().copied().find(|&c| table.cell(row, c).is_missing());
    let all = || rows.clone().unwrap_or_else(|| (0..table.rows()).collect());
    if missing == Some(Missing::Error) {
        return match all().into_iter().find_map(|row| Some((row, hole(row)?))) {
            None => Ok(rows),
            Some((row, column)) => Err(table.missing(row, column).into()),
        };
    }
    let complete: Vec<usize> = all().into_iter().filter(|&row| hole(row).is_none()).collect();
    if complete.is_empty() {
        return Err(of_source(table.source())(Error::input("every row lacks a value; none is left")));
    }
    Ok(if complete.len() == table.rows() { None } else { Some(complete) })
}

impl Dataset {
    /// With what is known of these rows only, of which the samples are; `count` is the number of rows that were asked for.
    pub(super) fn of_rows(mut self, rows: Option<Vec<usize>>, count: usize) -> Self {
        let Some(rows) = rows else { return self };
        let picked = |all: Option<Vec<String>>| -> Option<Vec<String>> {
            Some(rows.iter().map(|&r| all.as_ref().map(|all| all[r].clone()).unwrap_or_default()).collect())
                .filter(|_| all.is_some())
        };
        (self.names, self.classes, self.splits) =
            (picked(self.names), picked(self.classes), picked(self.splits));
        self.kept = self.kept.iter().map(|column| column.select(&rows)).collect();
        if rows.len() < count {
            self.notes.push(Note::RowsLeftOut { count: count - rows.len(), of: count });
        }
        self.rows = Some(rows);
        self
    }
}

/// Whether the fault is a value that is not there.
fn is_missing(error: &ReadError) -> bool {
    let fault = error.data().map(DataError::fault);
    matches!(fault, Some(Fault::Cell { why: CellFault::Missing(_), .. }))
}

/// The cells of a column as texts, without blanks around them.
pub(super) fn texts(table: &Table, column: usize) -> Vec<String> {
    table.text(column).map(|t| t.trim().to_owned()).collect()
}

/// The columns that are features: the chosen ones, or all but the label and the dropped ones.
pub(super) fn features(
    table: &Table,
    label: Option<usize>,
    request: &ReadRequest,
) -> Result<Vec<usize>, ReadError> {
    let find = |names: &[String]| names.iter().map(|n| table.column(n)).collect::<Result<Vec<_>, _>>();
    let drop = find(&request.drop)?;
    let chosen =
        if request.columns.is_empty() { (0..table.names().len()).collect() } else { find(&request.columns)? };
    let features: Vec<usize> =
        chosen.into_iter().filter(|c| Some(*c) != label && !drop.contains(c)).collect();
    if features.is_empty() {
        return Err(of_source(table.source())(Error::input("no column is left to learn from")));
    }
    Ok(features)
}

/// These columns as vectors, NaN where a value is missing.
pub(super) fn vectors_with_missing(table: &Table, columns: &[usize]) -> Result<Vectors, ReadError> {
    let matrix = Matrix::new(table.numbers_or_nan(columns)?, table.rows(), columns.len());
    Vectors::with_missing(matrix, names_of(table, columns)).map_err(of_source(table.source()))
}

/// The names of these columns, if the file has names.
fn names_of(table: &Table, columns: &[usize]) -> Vec<String> {
    if !table.has_header() {
        return Vec::new();
    }
    columns.iter().map(|&c| table.names()[c].clone()).collect()
}

/// These rows of these columns as vectors, named if the file has names.
pub(super) fn vectors(
    table: &Table,
    columns: &[usize],
    rows: Option<&[usize]>,
) -> Result<Vectors, ReadError> {
    let values = match rows {
        Some(rows) => table.numbers_of_rows(columns, rows)?,
        None => table.numbers(columns)?,
    };
    let count = rows.map_or(table.rows(), <[usize]>::len);
    let matrix = Matrix::new(values, count, columns.len());
    Vectors::with_names(matrix, names_of(table, columns)).map_err(of_source(table.source()))
}

/// The table as dissimilarities: square for fitting, any number of rows for scoring.
pub(super) fn precomputed(table: &Table, columns: &[usize], square: bool) -> Result<Precomputed, ReadError> {
    let matrix = Matrix::new(table.numbers(columns)?, table.rows(), columns.len());
    let made = if square { Precomputed::square(matrix) } else { Precomputed::rectangular(matrix) };
    made.map_err(of_source(table.source()))
}
