//! Time series in a table: one row per series, or one row per value.

mod long;

use std::borrow::Cow;
use std::collections::HashMap;

use eocc_core::Error;

use super::bad_rows::BadRows;
use super::rules::names_keys;
use super::{Missing, NoFeature, Note, ReadError, ReadRequest, of_source};
use crate::cell::{Cell, CellFault};
use crate::column::{Column, Values};
use crate::error::DataError;
use crate::field_type::FieldType;
use crate::table::Table;

/// The layout of time series in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeriesLayout {
    /// One row per series, one column per time step.
    Wide,
    /// One row per value: the name of the series, the time, the value, and perhaps the channel.
    Long,
}

/// Name of the field of the series.
const FIELD: &str = "series";
/// Columns with these names hold the names of the series, unless another is given.
const KEY_NAMES: [&str; 2] = ["name", "id"];
/// Columns with these names are not time steps.
const CLASS_NAMES: [&str; 5] = ["label", "labels", "class", "target", "y"];
/// The one whose classes are used without being requested, like those of a TS file.
const CLASS: &str = "class";

/// A table of series, and the rest of the request; or the table unchanged.
pub(super) struct Unfolded<'a> {
    pub(super) table: Cow<'a, Table>,
    pub(super) request: Cow<'a, ReadRequest>,
    pub(super) notes: Vec<Note>,
    /// The names of the time steps, and how far apart times usually are, if known.
    pub(super) header: Vec<String>,
    pub(super) spacing: Option<f64>,
}

/// Makes a column of series from a table of series, if requested or if it is a three-dimensional array; leaves
/// everything else unchanged. `None` if all rows are bad.
pub(super) fn unfold<'a>(
    table: &'a Table,
    request: &'a ReadRequest,
    bad: &mut BadRows,
) -> Result<Option<Unfolded<'a>>, ReadError> {
    let (mut notes, mut header, mut spacing) = (Vec::new(), Vec::new(), None);
    let series = match (request.series, table.steps()) {
        _ if request.precomputed || table.is_typed() => None,
        (None, None) => None,
        (Some(SeriesLayout::Long), _) => {
            let (series, usual) = long::read(table, request, &mut notes)?;
            spacing = usual;
            Some(series)
        }
        _ => match wide(table, request, &mut notes, bad)? {
            Some((series, names)) => {
                header = names;
                Some(series)
            }
            None => return Ok(None),
        },
    };
    let Some(series) = series else {
        let (table, request) = (Cow::Borrowed(table), Cow::Borrowed(request));
        return Ok(Some(Unfolded { table, request, notes, header, spacing }));
    };
    let others = || series.names().into_iter().skip(1);
    let is_kept = |name: &&str| is_all(table, request) || is_any(table, &request.keep, name);
    // The options for columns have been used; for the resulting columns, only classes and splits are left.
    let answered = ReadRequest {
        columns: Vec::new(),
        // Columns next to a series are not part of the samples.
        drop: others().map(str::to_owned).collect(),
        types: Vec::new(),
        label: name_of(table, request.label.as_ref())?,
        split: name_of(table, request.split.as_ref())?,
        keep: others().filter(is_kept).map(str::to_owned).collect(),
        ..request.clone()
    };
    let (table, request) = (Cow::Owned(series), Cow::Owned(answered));
    Ok(Some(Unfolded { table, request, notes, header, spacing }))
}

/// A column of series, and the texts next to them.
fn columns(series: Vec<Vec<Vec<f64>>>, texts: Vec<(&str, Vec<String>)>) -> Vec<Column> {
    let mut columns = vec![Column::new(FIELD, Values::Series(series)).of_type(FieldType::Series)];
    columns
        .extend(texts.into_iter().map(|(name, texts)| Column::texts(name, texts).of_type(FieldType::Text)));
    columns
}

/// Whether every column is carried along.
fn is_all(table: &Table, request: &ReadRequest) -> bool {
    matches!(&request.keep[..], [one] if one == "all" && table.find(one).is_none())
}

/// Whether one of these, by name or number, is the column with this name.
fn is_any(table: &Table, asked: &[String], name: &str) -> bool {
    asked.iter().any(|one| table.column(one).is_ok_and(|column| table.name(column) == name))
}

/// The name of a column that may be given by number.
fn name_of(table: &Table, column: Option<&String>) -> Result<Option<String>, DataError> {
    Ok(column.map(|name| table.column(name)).transpose()?.map(|column| table.name(column).to_owned()))
}

/// The columns of a table that are not part of the series.
struct SideColumns {
    /// The names of the series.
    name: Option<usize>,
    /// Classes, splits and columns to be carried along, which become fields.
    kept: Vec<usize>,
    /// All remaining columns, in the requested order.
    left: Vec<usize>,
}

impl SideColumns {
    fn resolve(table: &Table, request: &ReadRequest, notes: &mut Vec<Note>) -> Result<Self, DataError> {
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
        let mut left =
            if request.columns.is_empty() { (0..table.width()).collect() } else { all(&request.columns)? };
        left.retain(|column| !kept.contains(column) && !away.contains(column) && Some(*column) != name);
        let is_chosen = !request.columns.is_empty();
        left.retain(|&column| {
            let own = table.name(column).trim().to_lowercase();
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
                let column = table.name(column).to_owned();
                notes.push(Note::NoFeature { column, why: NoFeature::Classes, kind: "number" });
            } else {
                return true;
            }
            false
        });
        Ok(Self { name, kept, left })
    }

    /// Takes the first column as the names of the series if it has the name of a key or holds words: neither is a
    /// time step.
    fn take_key(&mut self, table: &Table, notes: &mut Vec<Note>) {
        let Some(&first) = self.left.first().filter(|_| table.has_header() && self.left.len() > 1) else {
            return;
        };
        let is_word =
            |cell: Cell<'_>| matches!(cell.number(), Err(CellFault::NotANumber(_) | CellFault::Text(_)));
        let (by_name, by_look) = (names_keys(table, first), table.columns()[first].cells().all(is_word));
        if by_name || by_look {
            let why = if by_name { NoFeature::KeyByName } else { NoFeature::KeyByLook };
            let column = table.name(first).to_owned();
            notes.push(Note::NoFeature { column, why, kind: if by_look { "text" } else { "number" } });
            self.name = Some(self.left.remove(0));
        }
    }

    /// The columns that become fields; all but these, which are part of the series, if every column is carried along.
    fn kept_with(&self, table: &Table, request: &ReadRequest, part: &[usize]) -> Vec<usize> {
        let mut kept = self.kept.clone();
        if is_all(table, request) {
            kept.extend(
                (0..table.width()).filter(|column| !part.contains(column) && !self.kept.contains(column)),
            );
        }
        kept
    }
}

/// One row per series, and the names of the time steps; `None` if all rows are bad.
fn wide(
    table: &Table,
    request: &ReadRequest,
    notes: &mut Vec<Note>,
    bad: &mut BadRows,
) -> Result<Option<(Table, Vec<String>)>, ReadError> {
    let mut side = SideColumns::resolve(table, request, notes)?;
    if request.columns.is_empty() && side.name.is_none() && table.steps().is_none() {
        side.take_key(table, notes);
    }
    if let Some(steps) = table.steps() {
        let extra: Vec<usize> =
            side.left.iter().copied().filter(|column| *column >= steps.columns()).collect();
        side.left.retain(|column| *column < steps.columns());
        if !extra.is_empty() {
            notes.push(Note::ColumnsLeftOut(extra.iter().map(|&c| table.name(c).to_owned()).collect()));
        }
    }
    if side.left.is_empty() {
        return Err(of_source(table.source())(Error::input("no column is left for the time steps")));
    }
    let has_names = table.has_header() && table.steps().is_none();
    if has_names && request.columns.is_empty() && !request.header.is_empty() {
        as_in_training(table, &mut side.left, &request.header, notes)?;
    }
    let header =
        side.left.iter().filter(|_| has_names).map(|&column| table.name(column).to_owned()).collect();
    let steps = time_steps(table, &side.left)?;
    let is_gap = |row: usize| {
        let last =
            steps.iter().rposition(|step| !step.iter().all(|&column| table.cell(row, column).is_missing()));
        last.is_none_or(|last| {
            steps[..last].iter().flatten().any(|&column| table.cell(row, column).is_missing())
        })
    };
    let mut left_out = 0;
    let (mut series, mut rows) = (Vec::with_capacity(table.rows()), Vec::with_capacity(table.rows()));
    for row in 0..table.rows() {
        match of_row(table, row, &steps) {
            Ok(one) => {
                series.push(one);
                rows.push(row);
            }
            Err(_) if request.missing == Some(Missing::Drop) && is_gap(row) => left_out += 1,
            Err(fault) => bad.add_sample(row, fault)?,
        }
    }
    if left_out > 0 {
        notes.push(Note::RowsLeftOut { count: left_out, of: table.rows() });
    }
    if rows.is_empty() {
        return Ok(None);
    }
    let picked = (rows.len() < table.rows()).then(|| table.pick(&rows));
    let table = picked.as_ref().unwrap_or(table);
    let kept = side.kept_with(table, request, &side.left);
    let texts = kept.iter().map(|&column| (table.name(column), table.words(column))).collect();
    let names = side.name.map(|name| table.words(name)).or_else(|| table.row_names());
    Ok(Some((table.with(columns(series, texts)).with_row_names(names), header)))
}

/// Puts the columns of time steps in the order of the training samples, by name, and reports other differences. New
/// columns come last.
fn as_in_training(
    table: &Table,
    left: &mut [usize],
    header: &[String],
    notes: &mut Vec<Note>,
) -> Result<(), ReadError> {
    let places: HashMap<&str, usize> = header.iter().map(|name| name.trim()).zip(0..).collect();
    let place = |column: &usize| places.get(table.name(*column).trim()).copied();
    let has = |name: &str| left.iter().any(|&column| table.name(column).trim().eq_ignore_ascii_case(name));
    if !left.iter().any(|column| place(column).is_some()) && has("time") && has("value") {
        return Err(of_source(table.source())(Error::input(
            "the model was fitted on one series in each row, but the columns `time` and `value` hold one value in each row",
        )));
    }
    let mut known: Vec<usize> = left.iter().filter_map(place).collect();
    if !known.is_sorted() {
        left.sort_by_key(|column| place(column).unwrap_or(usize::MAX));
        notes.push(Note::StepsInOrder);
    }
    known.sort_unstable();
    let new: Vec<String> = (left.iter().filter(|column| place(column).is_none()))
        .map(|&column| table.name(column).to_owned())
        .collect();
    // Series may be longer, or shorter.
    let is_cut = known.iter().copied().eq(0..known.len());
    if known.is_empty() || !is_cut || (!new.is_empty() && known.len() < header.len()) {
        let is_missing =
            |name: &&String| !left.iter().any(|&column| table.name(column).trim() == name.trim());
        let missing = header.iter().filter(is_missing).cloned().collect();
        notes.push(Note::OtherSteps { missing, new });
    }
    Ok(())
}

/// The columns of each time step, one per channel.
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
        return Err(fault(format!("{}: the series has no value; leave it out", table.location(row))));
    };
    let mut series = Vec::with_capacity(last + 1);
    for (time, step) in steps[..=last].iter().enumerate() {
        if let Some(&column) = step.iter().find(|column| is_missing(column)) {
            return Err(fault(format!(
                "{}: the value of time step {time}, column `{}`, is missing, but later values exist; fill the gap, or \
                 leave out the series",
                table.location(row),
                table.name(column)
            )));
        }
        series.push(table.numbers_of_rows(step, &[row])?);
    }
    Ok(series)
}

#[cfg(test)]
mod tests;
