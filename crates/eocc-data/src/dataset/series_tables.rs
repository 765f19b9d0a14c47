//! Time series that stand in a table: a row for each of them, or a row for each of their values.

mod long;

use std::borrow::Cow;

use eocc_core::Error;

use super::tables::texts;
use super::{NoFeature, Note, ReadError, ReadRequest, of_source};
use crate::error::DataError;
use crate::field_type::FieldType;
use crate::fields::{Field, FieldValues, Fields};
use crate::read_fields::Content;
use crate::table::Table;

/// How time series stand in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeriesLayout {
    /// A row for each series, a column for each time step.
    Wide,
    /// A row for each value: the name of the series, the time, the value, and perhaps the channel.
    Long,
}

/// Name of the field of the series.
const FIELD: &str = "series";
/// Columns named so hold the names of the series, unless another is said to.
const KEY_NAMES: [&str; 2] = ["name", "id"];
/// Columns named so are no time steps.
const CLASS_NAMES: [&str; 5] = ["label", "labels", "class", "target", "y"];
/// Of these, the one whose classes are used without being asked for, as those of a TS file.
const CLASS: &str = "class";

/// What a file holds, and what of the request is yet to be answered.
pub(super) struct Unfolded<'a> {
    pub(super) content: Content,
    pub(super) request: Cow<'a, ReadRequest>,
    pub(super) notes: Vec<Note>,
}

/// Makes fields of a table that holds time series, because it was said to or because it is an array of three dimensions; leaves
/// everything else as it is.
pub(super) fn unfold(content: Content, request: &ReadRequest) -> Result<Unfolded<'_>, ReadError> {
    let as_it_is = |content| Ok(Unfolded { content, request: Cow::Borrowed(request), notes: Vec::new() });
    let table = match content {
        Content::Table(table) if !request.precomputed => table,
        other => return as_it_is(other),
    };
    let mut notes = Vec::new();
    let fields = match (request.series, table.steps()) {
        (None, None) => return as_it_is(Content::Table(table)),
        (Some(SeriesLayout::Long), _) => long::read(&table, request, &mut notes)?,
        _ => wide(&table, request, &mut notes)?,
    };
    let is_kept = |field: &&Field| is_all(&table, request) || is_any(&table, &request.keep, &field.name);
    let kept = fields.fields().iter().skip(1).filter(is_kept).map(|field| field.name.clone()).collect();
    // What was said of columns has been heeded; of the fields that came of them only classes and splits are left.
    let answered = ReadRequest {
        columns: Vec::new(),
        // What stands beside a series is no part of the samples.
        drop: fields.fields().iter().skip(1).map(|field| field.name.clone()).collect(),
        types: Vec::new(),
        label: name_of(&table, request.label.as_ref())?,
        split: name_of(&table, request.split.as_ref())?,
        keep: kept,
        ..request.clone()
    };
    Ok(Unfolded { content: Content::Fields(fields), request: Cow::Owned(answered), notes })
}

/// Whether every column is to be carried along.
fn is_all(table: &Table, request: &ReadRequest) -> bool {
    matches!(&request.keep[..], [one] if one == "all" && !table.names().contains(one))
}

/// Whether one of these, by name or number, is the column of this name.
fn is_any(table: &Table, asked: &[String], name: &str) -> bool {
    asked.iter().any(|one| table.column(one).is_ok_and(|column| table.names()[column] == name))
}

/// The name of a column that may be said by its number.
fn name_of(table: &Table, column: Option<&String>) -> Result<Option<String>, DataError> {
    Ok(column.map(|name| table.column(name)).transpose()?.map(|column| table.names()[column].clone()))
}

/// Which columns of a table are not part of the series.
struct Beside {
    /// The names of the series.
    name: Option<usize>,
    /// Classes, splits and what is to be carried along, which become fields.
    kept: Vec<usize>,
    /// All columns that are left, in the order asked for.
    left: Vec<usize>,
}

impl Beside {
    fn of(table: &Table, request: &ReadRequest, notes: &mut Vec<Note>) -> Result<Self, DataError> {
        let find = |name: &String| table.column(name);
        let all = |names: &[String]| names.iter().map(find).collect::<Result<Vec<_>, _>>();
        let mut kept: Vec<usize> = Vec::new();
        let keep = if is_all(table, request) { &[] } else { &request.keep[..] };
        for column in [&request.label, &request.split].into_iter().flatten().chain(keep).map(find) {
            let column = column?;
            if !kept.contains(&column) {
                kept.push(column);
            }
        }
        let mut away = all(&request.drop)?;
        let mut name = None;
        for (column, kind) in &request.types {
            match kind {
                FieldType::Id => name = Some(find(column)?),
                FieldType::Ignore => away.push(find(column)?),
                _ => {}
            }
        }
        let mut left = if request.columns.is_empty() {
            (0..table.names().len()).collect()
        } else {
            all(&request.columns)?
        };
        left.retain(|column| !kept.contains(column) && !away.contains(column) && Some(*column) != name);
        let is_chosen = !request.columns.is_empty();
        left.retain(|&column| {
            let own = table.names()[column].trim().to_lowercase();
            if is_chosen || !table.has_header() {
                return true;
            }
            if name.is_none() && KEY_NAMES.contains(&own.as_str()) {
                name = Some(column);
                return false;
            }
            if own == CLASS && request.label.is_none() {
                kept.push(column);
            } else if CLASS_NAMES.contains(&own.as_str()) {
                let column = table.names()[column].clone();
                notes.push(Note::NoFeature { column, why: NoFeature::Classes, kind: "number" });
            } else {
                return true;
            }
            false
        });
        Ok(Self { name, kept, left })
    }

    /// The columns that become fields; all but these, which are part of the series, if every column is to be carried along.
    fn kept_with(&self, table: &Table, request: &ReadRequest, part: &[usize]) -> Vec<usize> {
        let mut kept = self.kept.clone();
        if is_all(table, request) {
            kept.extend(
                (0..table.names().len())
                    .filter(|column| !part.contains(column) && !self.kept.contains(column)),
            );
        }
        kept
    }
}

/// A row for each series.
fn wide(table: &Table, request: &ReadRequest, notes: &mut Vec<Note>) -> Result<Fields, ReadError> {
    let mut beside = Beside::of(table, request, notes)?;
    if let Some(steps) = table.steps() {
        let extra: Vec<usize> =
            beside.left.iter().copied().filter(|column| *column >= steps.columns()).collect();
        beside.left.retain(|column| *column < steps.columns());
        if !extra.is_empty() {
            notes.push(Note::ColumnsLeftOut(extra.iter().map(|&c| table.names()[c].clone()).collect()));
        }
    }
    if beside.left.is_empty() {
        return Err(of_source(table.source())(Error::input("no column is left for the time steps")));
    }
    let steps = time_steps(table, &beside.left)?;
    let series = (0..table.rows()).map(|row| of_row(table, row, &steps)).collect::<Result<_, _>>()?;
    let mut fields = vec![Field { name: FIELD.to_owned(), values: FieldValues::Series(series) }];
    for &column in &beside.kept_with(table, request, &beside.left) {
        let values = FieldValues::Texts(texts(table, column));
        fields.push(Field { name: table.names()[column].clone(), values });
    }
    let fields = Fields::new(table.source(), table.rows(), fields);
    let fields = fields.with_lines((0..table.rows()).map_while(|row| table.line(row)).collect());
    Ok(match beside.name.map(|name| texts(table, name)).or_else(|| table.row_names()) {
        Some(names) => fields.with_names(names),
        None => fields,
    })
}

/// The columns of each time step, a channel each.
fn time_steps(table: &Table, columns: &[usize]) -> Result<Vec<Vec<usize>>, ReadError> {
    let Some(steps) = table.steps() else {
        return Ok(columns.iter().map(|&column| vec![column]).collect());
    };
    if columns.len() != steps.columns() {
        let error =
            Error::parameter("columns", "given", "left out: an array of three dimensions is read whole");
        return Err(error.into());
    }
    Ok((0..steps.time).map(|time| (0..steps.channels).map(|c| steps.column(time, c)).collect()).collect())
}

/// The series of a row: it ends with its last value, and has no gaps before.
fn of_row(table: &Table, row: usize, steps: &[Vec<usize>]) -> Result<Vec<Vec<f64>>, ReadError> {
    let fault = |reason: String| of_source(table.source())(Error::input(reason));
    let is_missing = |column: &usize| table.cell(row, *column).is_missing();
    let Some(last) = steps.iter().rposition(|step| !step.iter().all(is_missing)) else {
        return Err(fault(format!("{}: the series has no value; leave it out", table.place(row))));
    };
    let mut series = Vec::with_capacity(last + 1);
    for (time, step) in steps[..=last].iter().enumerate() {
        if let Some(&column) = step.iter().find(|column| is_missing(column)) {
            return Err(fault(format!(
                "{}: the value of time step {time}, column `{}`, is missing, though others follow; fill the gap, or \
                 leave out the series",
                table.place(row),
                table.names()[column]
            )));
        }
        series.push(table.numbers_of_rows(step, &[row])?);
    }
    Ok(series)
}

#[cfg(test)]
mod tests;
