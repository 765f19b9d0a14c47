//! One row per value of a time series.

use std::collections::HashMap;

use eocc_core::Error;

use super::super::{Note, ReadError, ReadRequest, of_source};
use super::SideColumns;
use crate::cell::Cell;
use crate::date::{DayMonth, of_cell};
use crate::guess::order_of;
use crate::shown::shown;
use crate::table::Table;

/// The columns of a long table.
struct Columns {
    id: usize,
    time: usize,
    value: usize,
    channel: Option<usize>,
}

/// Reads series from one row per value. Rows of a series may be anywhere; times put them in order, and a series has a
/// value in every channel at each of its times. Channels are ordered by number or name.
pub(super) fn read(table: &Table, request: &ReadRequest, notes: &mut Vec<Note>) -> Result<Table, ReadError> {
    let fault = of_source(table.source());
    let side = SideColumns::resolve(table, request, notes)?;
    let columns = Columns::resolve(table, &side, notes).map_err(|reason| fault(Error::input(reason)))?;
    let times = times(table, columns.time).map_err(|reason| fault(Error::input(reason)))?;
    let (channels, channel_of) = match columns.channel {
        Some(column) => numbered_channels(table, column),
        None => (vec![String::new()], vec![0; table.rows()]),
    };
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let (mut names, mut rows): (Vec<String>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    for (row, id) in table.words(columns.id).into_iter().enumerate() {
        if id.is_empty() {
            return Err(fault(Error::input(format!(
                "{}: the series has no name, in column `{}`; fill it in, or leave out the row",
                table.location(row),
                table.name(columns.id)
            ))));
        }
        let number = *numbers.entry(id).or_insert_with_key(|id| {
            names.push(id.clone());
            rows.push(Vec::new());
            rows.len() - 1
        });
        rows[number].push(row);
    }
    let assembly =
        Assembly { table, columns: &columns, times: &times, channels: &channels, channel_of: &channel_of };
    let mut series = Vec::with_capacity(rows.len());
    for (name, own) in names.iter().zip(&mut rows) {
        own.sort_by(|&a, &b| times[a].total_cmp(&times[b]).then(channel_of[a].cmp(&channel_of[b])));
        series.push(assembly.series(name, own)?);
    }
    let mut texts = Vec::new();
    for &column in &side.kept_with(table, request, &[columns.time, columns.value]) {
        texts.push((table.name(column), of_each(table, column, &names, &rows)?));
    }
    let series = Table::of_columns(table.source(), super::columns(series, texts), true)?;
    Ok(series.with_row_names(Some(names)))
}

impl Columns {
    /// The columns named `id`, `time`, `value` and perhaps `channel`; or the remaining ones, in this order.
    fn resolve(table: &Table, side: &SideColumns, notes: &mut Vec<Note>) -> Result<Self, String> {
        let named =
            |name: &str| side.left.iter().copied().find(|&c| table.name(c).trim().eq_ignore_ascii_case(name));
        if let (Some(id), Some(time), Some(value)) = (side.name, named("time"), named("value")) {
            let channel = named("channel");
            let used = |column: &usize| [Some(time), Some(value), channel].contains(&Some(*column));
            let extra: Vec<usize> = side.left.iter().copied().filter(|column| !used(column)).collect();
            if !extra.is_empty() {
                notes.push(Note::ColumnsLeftOut(extra.iter().map(|&c| table.name(c).to_owned()).collect()));
            }
            return Ok(Self { id, time, value, channel });
        }
        let in_order: Vec<usize> = side.name.into_iter().chain(side.left.iter().copied()).collect();
        match in_order[..] {
            [id, time, value] => Ok(Self { id, time, value, channel: None }),
            [id, time, value, channel] => Ok(Self { id, time, value, channel: Some(channel) }),
            _ => Err(format!(
                "there are {} columns for series in rows of single values, but three or four are needed: name them id, time, \
                 value and channel, or choose them in this order",
                in_order.len()
            )),
        }
    }
}

/// The time of each row: its number, or its date in seconds.
fn times(table: &Table, column: usize) -> Result<Vec<f64>, String> {
    let cells: Vec<Cell<'_>> = table.columns()[column].cells().collect();
    let numbers: Result<Vec<f64>, usize> =
        cells.iter().enumerate().map(|(row, cell)| cell.number().map_err(|_| row)).collect();
    let odd = match numbers {
        Ok(numbers) => return Ok(numbers),
        Err(row) => row,
    };
    let order = order_of(&cells).unwrap_or(DayMonth::MonthFirst);
    let moments: Result<Vec<f64>, usize> =
        cells.iter().enumerate().map(|(row, cell)| of_cell(*cell, order).ok_or(row)).collect();
    moments.map_err(|row| {
        // Among numbers, the exception is the error; among dates, the value that is not a date.
        let row = if of_cell(cells[0], order).is_some() { row } else { odd };
        format!(
            "{}, column `{}`: {} is not a time; times must be numbers, or dates such as 2024-03-01 12:30:00",
            table.location(row),
            table.name(column),
            shown(cells[row].text().trim())
        )
    })
}

/// The channels in order, and the channel index of each row.
fn numbered_channels(table: &Table, column: usize) -> (Vec<String>, Vec<usize>) {
    let all = table.words(column);
    let mut names = all.clone();
    names.sort_unstable();
    names.dedup();
    let number = |name: &String| Cell::Raw(name).number();
    if names.iter().all(|name| number(name).is_ok()) {
        // So that 10 comes after 9.
        names.sort_by(|a, b| number(a).unwrap_or(0.0).total_cmp(&number(b).unwrap_or(0.0)));
    }
    let places: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
    let channel_of = all.iter().map(|name| places.get(name.as_str()).copied().unwrap_or(0)).collect();
    (names, channel_of)
}

/// The context for assembling the rows of a series.
struct Assembly<'a> {
    table: &'a Table,
    columns: &'a Columns,
    times: &'a [f64],
    channels: &'a [String],
    channel_of: &'a [usize],
}

impl Assembly<'_> {
    /// The series of these rows, which are ordered by time and then channel.
    fn series(&self, name: &str, rows: &[usize]) -> Result<Vec<Vec<f64>>, ReadError> {
        let table = self.table;
        let fault = |reason: String| of_source(table.source())(Error::input(reason));
        let time = |row: usize| table.cell(row, self.columns.time).text().trim().to_owned();
        let mut series: Vec<Vec<f64>> = Vec::new();
        for step in rows.chunk_by(|&a, &b| self.times[a].total_cmp(&self.times[b]).is_eq()) {
            if let Some(pair) =
                step.windows(2).find(|pair| self.channel_of[pair[0]] == self.channel_of[pair[1]])
            {
                let channel = match self.columns.channel {
                    Some(_) => format!(", channel `{}`", self.channels[self.channel_of[pair[0]]]),
                    None => String::new(),
                };
                return Err(fault(format!(
                    "{} and {}: both have the value of series `{name}` at time {}{channel}; leave one out",
                    table.location(pair[0].min(pair[1])),
                    table.location(pair[0].max(pair[1])),
                    time(pair[0])
                )));
            }
            if step.len() != self.channels.len() {
                let missing = (0..self.channels.len())
                    .find(|channel| !step.iter().any(|&row| self.channel_of[row] == *channel))
                    .unwrap_or(0);
                return Err(fault(format!(
                    "series `{name}` has no value in channel `{}` at time {} ({}); fill the gap, or leave out the time",
                    self.channels[missing],
                    time(step[0]),
                    table.location(step[0])
                )));
            }
            let mut values = Vec::with_capacity(step.len());
            for &row in step {
                if table.cell(row, self.columns.value).is_missing() {
                    return Err(fault(format!(
                        "{}: the value of series `{name}` at time {} is missing; fill it in, or leave out the row",
                        table.location(row),
                        time(row)
                    )));
                }
                values.extend(table.numbers_of_rows(&[self.columns.value], &[row])?);
            }
            series.push(values);
        }
        Ok(series)
    }
}

/// The text of a column that is constant within each series.
fn of_each(
    table: &Table,
    column: usize,
    names: &[String],
    rows: &[Vec<usize>],
) -> Result<Vec<String>, ReadError> {
    let all = table.words(column);
    let mut found = Vec::with_capacity(rows.len());
    for (name, own) in names.iter().zip(rows) {
        if let Some(&other) = own.iter().find(|&&row| all[row] != all[own[0]]) {
            let reason = format!(
                "{} and {}: series `{name}` has `{}` and `{}` in column `{}`; a series has one of it",
                table.location(own[0]),
                table.location(other),
                all[own[0]],
                all[other],
                table.name(column)
            );
            return Err(of_source(table.source())(Error::input(reason)));
        }
        found.push(all[own[0]].clone());
    }
    Ok(found)
}
