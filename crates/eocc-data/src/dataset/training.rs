//! Samples to learn from. Types are decided once, before any number is parsed.

use eocc_core::{AnySamples, Error};

use super::bad_rows::BadRows;
use super::build::{self, Numbers};
use super::plan::Plan;
use super::{Dataset, Missing, Note, ReadError, ReadRequest, of_source};
use crate::cell::CellFault;
use crate::column::{Column, Values};
use crate::error::{DataError, Fault};
use crate::field_type::FieldType;
use crate::table::Table;
use crate::typed::{Types, convert};

/// The samples of a table, to learn from.
pub(super) fn read(table: &Table, request: &ReadRequest) -> Result<Dataset, ReadError> {
    let plan = Plan::for_training(table, request)?;
    let (columns, bad) = (plan.features.as_slice(), &mut BadRows::default());
    if request.precomputed {
        let numbers = Numbers { table, columns, rows: None, lets_missing_in: false };
        let data = plan.dataset(table, numbers.precomputed(true, bad)?.into());
        return Ok(Dataset { names: None, ..data });
    }
    let rows = match (plan.classes, request.only.as_slice()) {
        (Some(label), [_, ..]) if !table.is_typed() => Some(table.matching_any(label, &request.only)?),
        _ => None,
    };
    let asked = rows.as_ref().map_or(table.rows(), Vec::len);
    let rows = complete_rows(table, columns, rows, request.missing, bad)?;
    let (samples, note) = samples(table, &plan, rows.as_deref(), request)?;
    let samples = match request.missing {
        Some(Missing::Impute) => samples
            .filled(&samples)
            .and_then(|filled| filled.numbers_as_vectors())
            .map_err(of_source(table.source()))?,
        _ => samples,
    };
    let mut data = plan.dataset(table, samples);
    data.notes.extend(note);
    Ok(data.of_rows(table, rows, asked))
}

/// The samples of these rows, all if none are given, and what is to be told of their columns.
fn samples(
    table: &Table,
    plan: &Plan,
    rows: Option<&[usize]>,
    request: &ReadRequest,
) -> Result<(AnySamples, Option<Note>), ReadError> {
    let (columns, bad) = (plan.features.as_slice(), &mut BadRows::default());
    // Of numbers only those rows are looked at; words have the same levels whichever rows are nominal.
    let types = Types::of(table, &request.types, columns, rows)?;
    let is_told = request.types.iter().any(|(_, kind)| !matches!(kind, FieldType::Id | FieldType::Ignore));
    if !request.mixed && !is_told && !table.is_typed() && types.all_are(columns, &FieldType::Number) {
        match (Numbers { table, columns, rows, lets_missing_in: false }).vectors(bad) {
            Err(fault) if Missing::is_let_in(request.missing) && is_missing(&fault) => {}
            vectors => return Ok((vectors?.into(), None)),
        }
    }
    let types = if rows.is_none() { types } else { Types::of(table, &request.types, columns, None)? };
    let lets_empty_in = Missing::lets_empty_in(request.missing);
    // What is missing has no value of some types, so that such rows go first.
    let (typed, rows) = match rows.filter(|_| request.missing == Some(Missing::Drop)) {
        Some(rows) => (convert(&table.pick(rows), &types, columns, lets_empty_in, bad)?, None),
        None => (convert(table, &types, columns, lets_empty_in, bad)?, rows),
    };
    let is_cell = |column: &&Column| !matches!(column.values(), Values::Samples(_));
    let described = typed.columns().iter().filter(is_cell).map(|c| (c.name.clone(), c.describe())).collect();
    let note = (!table.is_typed()).then_some(Note::Columns(described));
    let typed = rows.map(|rows| typed.pick(rows)).unwrap_or(typed);
    // New records may lack what those to learn from do not.
    let has_special = typed.columns().iter().any(Column::is_special);
    let is_mixed = request.mixed || (Missing::is_let_in(request.missing) && has_special);
    Ok((build::samples(&typed, is_mixed)?, note))
}

/// Whether the fault is a value that is not there.
fn is_missing(error: &ReadError) -> bool {
    let fault = error.data().map(DataError::fault);
    matches!(fault, Some(Fault::Cell { why: CellFault::Missing(_), .. }))
}

/// These rows, all if none are given, without those that lack a value if such are to be left out; `None` for all. If none may
/// lack a value, those that do are bad.
pub(super) fn complete_rows(
    table: &Table,
    columns: &[usize],
    rows: Option<Vec<usize>>,
    missing: Option<Missing>,
    bad: &mut BadRows,
) -> Result<Option<Vec<usize>>, ReadError> {
    if !matches!(missing, Some(Missing::Drop | Missing::Error)) {
        return Ok(rows);
    }
    let hole = |row: usize| columns.iter().copied().find(|&column| table.columns()[column].is_missing(row));
    let all = || rows.clone().unwrap_or_else(|| (0..table.rows()).collect());
    if missing == Some(Missing::Error) {
        for (row, column) in all().into_iter().filter_map(|row| Some((row, hole(row)?))) {
            bad.add(row, table.missing(row, column))?;
        }
        return Ok(rows);
    }
    let complete: Vec<usize> = all().into_iter().filter(|&row| hole(row).is_none()).collect();
    if complete.is_empty() {
        return Err(of_source(table.source())(Error::input("every row lacks a value; none is left")));
    }
    Ok(if complete.len() == table.rows() { None } else { Some(complete) })
}
