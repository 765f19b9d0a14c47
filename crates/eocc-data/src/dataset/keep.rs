//! Columns that are carried along with the samples, as they are.

use crate::cell::Cell;
use crate::column::Values;
use crate::error::DataError;
use crate::fields::{FieldValues, Fields};
use crate::table::Table;
use crate::write::{OutColumn, OutValues};

use super::build::words;

/// Asks for every column.
const ALL: &str = "all";

/// The asked columns of a table.
pub(super) fn of_table(table: &Table, asked: &[String]) -> Result<Vec<OutColumn>, DataError> {
    let is_column = |name: &String| table.names().contains(name);
    let columns: Vec<usize> = match asked {
        [one] if one == ALL && !is_column(one) => (0..table.names().len()).collect(),
        some => some.iter().map(|name| table.column(name)).collect::<Result<_, _>>()?,
    };
    let column = |c: usize| {
        let missing = || (0..table.rows()).map(|row| matches!(table.cell(row, c), Cell::Missing)).collect();
        match typed(table.values(c)).filter(|_| table.is_part()) {
            Some(values) => OutColumn { missing: missing(), ..OutColumn::new(&table.names()[c], values) },
            None => OutColumn::new(&table.names()[c], values(table, c)),
        }
    };
    Ok(columns.into_iter().map(column).collect())
}

/// The values of a part of a column, in the type that all parts have, whether or not some are missing here.
fn typed(values: &Values) -> Option<OutValues> {
    Some(match values {
        Values::Boolean(values) => OutValues::Boolean(values.clone()),
        Values::Integer(values) => OutValues::Integer(values.clone()),
        Values::Float(values) => OutValues::Number(values.clone()),
        Values::Single(values) => OutValues::Number(values.iter().copied().map(f64::from).collect()),
        Values::Text(_) | Values::Unsigned(_) | Values::Time(_) => return None,
    })
}

/// The cells of a column, in the type that their file gives them; those of a file without types as they are written.
fn values(table: &Table, column: usize) -> OutValues {
    let cells = || (0..table.rows()).map(|row| table.cell(row, column));
    let integers = |cell: Cell<'_>| match cell {
        Cell::Integer(value) => Some(value),
        _ => None,
    };
    let numbers = |cell: Cell<'_>| match cell {
        Cell::Float(value) => Some(value),
        Cell::Single(value) => Some(f64::from(value)),
        _ => None,
    };
    let booleans = |cell: Cell<'_>| match cell {
        Cell::Boolean(value) => Some(value),
        _ => None,
    };
    if let Some(values) = cells().map(integers).collect() {
        OutValues::Integer(values)
    } else if let Some(values) = cells().map(numbers).collect() {
        OutValues::Number(values)
    } else if let Some(values) = cells().map(booleans).collect() {
        OutValues::Boolean(values)
    } else {
        OutValues::Text(cells().map(|cell| cell.text().into_owned()).collect())
    }
}

/// The asked fields, where the format says their types.
pub(super) fn of_fields(fields: &Fields, asked: &[String]) -> Result<Vec<OutColumn>, DataError> {
    let chosen: Vec<usize> = match asked {
        [one] if one == ALL => (0..fields.fields().len()).collect(),
        some => some.iter().map(|name| fields.field(name)).collect::<Result<_, _>>()?,
    };
    let column = |c: usize| {
        let field = &fields.fields()[c];
        let values = match &field.values {
            FieldValues::Series(all) => all.iter().map(|s| format!("{s:?}")).collect(),
            FieldValues::Graphs(all) => all.clone(),
            values => words(values),
        };
        OutColumn::new(&field.name, OutValues::Text(values))
    };
    Ok(chosen.into_iter().map(column).collect())
}
