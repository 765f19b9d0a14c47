//! From the columns of a table to samples. Types are decided once, before any number is parsed.

use eocc_core::{Error, Matrix, Precomputed, Vectors};

use super::roles::{self, Roles};
use super::{Dataset, Note, ReadError, ReadRequest, of_fields, of_source};
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
        let samples = precomputed(&table, &columns, true)?.into();
        let (left_out, notes) = (Vec::new(), Vec::new());
        return Ok(Dataset { source, samples, names: None, classes, splits, left_out, notes });
    }
    let rows = match (label, request.only.as_slice()) {
        (Some(label), [_, ..]) => Some(table.matching_any(label, &request.only)?),
        _ => None,
    };
    let picked = |all: Option<Vec<String>>| match (&rows, all) {
        (Some(rows), Some(all)) => Some(rows.iter().map(|&r| all[r].clone()).collect()),
        (_, all) => all,
    };
    let Roles { features: columns, name, mut notes } = roles::of(&table, columns, request)?;
    if columns.is_empty() {
        return Err(of_source(&source)(Error::input("no column is left to learn from")));
    }
    let names = picked(name.map(|c| texts(&table, c)).or_else(|| table.row_names()));
    // Of numbers only those rows are looked at; words have the same levels whichever rows are nominal.
    let types = Types::of(&table, &request.types, &columns, rows.as_deref())?;
    let is_typed = request.types.iter().any(|(_, kind)| !matches!(kind, FieldType::Id | FieldType::Ignore));
    if !request.mixed && !is_typed && types.all_are(&columns, &FieldType::Number) {
        match vectors(&table, &columns, rows.as_deref()) {
            Err(e) if request.missing && is_missing(&e) => {}
            other => {
                let samples = other?.into();
                let (classes, splits) = (picked(classes), picked(splits));
                return Ok(Dataset { source, samples, names, classes, splits, left_out: Vec::new(), notes });
            }
        }
    }
    let types = if rows.is_none() { types } else { Types::of(&table, &request.types, &columns, None)? };
    let fields = convert_columns(&table, &types, &columns)?;
    notes.push(Note::Columns(fields.describe()));
    let fields = rows.as_ref().map(|rows| fields.select_rows(rows)).unwrap_or(fields);
    let samples = of_fields(&fields, request.mixed)?;
    let (classes, splits) = (picked(classes), picked(splits));
    Ok(Dataset { source, samples, names, classes, splits, left_out: Vec::new(), notes })
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
    let names = if table.has_header() {
        columns.iter().map(|&c| table.names()[c].clone()).collect()
    } else {
        Vec::new()
    };
    let matrix = Matrix::new(values, count, columns.len());
    Vectors::with_names(matrix, names).map_err(of_source(table.source()))
}

/// The table as dissimilarities: square for fitting, any number of rows for scoring.
pub(super) fn precomputed(table: &Table, columns: &[usize], square: bool) -> Result<Precomputed, ReadError> {
    let matrix = Matrix::new(table.numbers(columns)?, table.rows(), columns.len());
    let made = if square { Precomputed::square(matrix) } else { Precomputed::rectangular(matrix) };
    made.map_err(of_source(table.source()))
}
