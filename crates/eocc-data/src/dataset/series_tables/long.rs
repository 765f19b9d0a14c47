//! One row per value of a time series.

use std::collections::HashMap;

use eocc_core::Error;

use super::super::rules::words_of;
use super::super::spacing::Times;
use super::super::{Note, ReadError, ReadRequest, of_source};
use super::SideColumns;
use crate::cell::Cell;
use crate::table::Table;

/// Words in the names of columns that hold times.
const TIME_WORDS: [&str; 28] = [
    "when",
    "time",
    "times",
    "timestamp",
    "datetime",
    "date",
    "day",
    "days",
    "hour",
    "hours",
    "hr",
    "h",
    "minute",
    "minutes",
    "min",
    "second",
    "seconds",
    "sec",
    "ms",
    "week",
    "month",
    "year",
    "t",
    "ts",
    "step",
    "tick",
    "frame",
    "cycle",
];

/// The columns of a long table.
struct Columns {
    id: usize,
    time: usize,
    value: usize,
    channel: Option<usize>,
}

/// Reads series from one row per value. Rows of a series may be anywhere; times put them in order, and a series has a
/// value in every channel at each of its times. Channels are ordered by number or name.
pub(super) fn read(
    table: &Table,
    request: &ReadRequest,
    notes: &mut Vec<Note>,
) -> Result<(Table, Option<f64>), ReadError> {
    let fault = of_source(table.source());
    let side = SideColumns::resolve(table, request, notes)?;
    let is_chosen = !request.columns.is_empty();
    let columns =
        Columns::resolve(table, &side, is_chosen, notes).map_err(|reason| fault(Error::input(reason)))?;
    let name = |column: usize| table.name(column).to_owned();
    notes.push(Note::SeriesColumns {
        id: name(columns.id),
        time: name(columns.time),
        value: name(columns.value),
        channel: columns.channel.map(name),
    });
    let all_times = Times::of_column(table, columns.time).map_err(|reason| fault(Error::input(reason)))?;
    let times = &all_times.values;
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
    let assembly = Assembly { table, columns: &columns, times, channels: &channels, channel_of: &channel_of };
    let mut series = Vec::with_capacity(rows.len());
    for (name, own) in names.iter().zip(&mut rows) {
        own.sort_by(|&a, &b| times[a].total_cmp(&times[b]).then(channel_of[a].cmp(&channel_of[b])));
        series.push(assembly.series(name, own)?);
    }
    let mut texts = Vec::new();
    for &column in &side.kept_with(table, request, &[columns.time, columns.value]) {
        texts.push((table.name(column), of_each(table, column, &names, &rows)?));
    }
    let spacing = spacing(table, &all_times, columns.time, (&names, &rows), request.spacing, notes);
    let series = Table::of_columns(table.source(), super::columns(series, texts), true)?;
    Ok((series.with_row_names(Some(names)), spacing))
}

impl Columns {
    /// The columns named `id`, `time`, `value` and perhaps `channel`. Otherwise the remaining ones: in this order if
    /// they are chosen or have no names, or else with the one that holds the times, by its name or values.
    fn resolve(
        table: &Table,
        side: &SideColumns,
        is_chosen: bool,
        notes: &mut Vec<Note>,
    ) -> Result<Self, String> {
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
        let by_place = match in_order[..] {
            [id, time, value] => Self { id, time, value, channel: None },
            [id, time, value, channel] => Self { id, time, value, channel: Some(channel) },
            _ => {
                return Err(format!(
                    "there are {} columns for series in rows of single values, but three or four are needed: name them id, \
                     time, value and channel, or choose them in this order",
                    in_order.len()
                ));
            }
        };
        if is_chosen || !table.has_header() {
            return Ok(by_place);
        }
        let time = by_place.time_column(table, side.name, &in_order)?;
        let mut others: Vec<usize> = in_order.into_iter().filter(|column| *column != time).collect();
        let mut take = |is_such: &dyn Fn(usize) -> bool| {
            others.remove(others.iter().position(|column| is_such(*column)).unwrap_or(0))
        };
        let numbers = |column: usize| -> Option<Vec<f64>> {
            table.columns()[column].cells().map(|cell| cell.number().ok()).collect()
        };
        // Names have no fractions.
        let is_id = |column: usize| numbers(column).is_none_or(|all| all.iter().all(|v| v.fract() == 0.0));
        let id = match side.name {
            Some(id) => take(&|column| column == id),
            None => take(&is_id),
        };
        // A missing value is an error that names its place.
        let is_value = |column: usize| {
            let mut present = table.columns()[column].cells().filter(|cell| !cell.is_missing()).peekable();
            present.peek().is_some()
                && present.all(|cell| cell.number().is_ok())
                && named("channel") != Some(column)
        };
        let value = take(&is_value);
        Ok(Self { id, time, value, channel: others.first().copied() })
    }

    /// The column with the times: the only one with such a name, or else the only one whose values increase within
    /// each series. `self` has the columns by their places.
    fn time_column(&self, table: &Table, name: Option<usize>, all: &[usize]) -> Result<usize, String> {
        let free = || all.iter().copied().filter(|column| Some(*column) != name);
        let is_named = |column: &usize| {
            words_of(table.name(*column)).iter().any(|word| TIME_WORDS.contains(&word.as_str()))
        };
        let named: Vec<usize> = free().filter(is_named).collect();
        let is_word =
            |column: &usize| TIME_WORDS.contains(&table.name(*column).trim().to_lowercase().as_str());
        let words: Vec<usize> = named.iter().copied().filter(is_word).collect();
        if let ([one], _) | (_, [one]) = (&named[..], &words[..]) {
            return Ok(*one);
        }
        // Several rows have the same time if there are channels.
        let key = table.words(self.id);
        let increases = |column: &usize| {
            let Ok(times) = Times::of_column(table, *column) else { return false };
            let mut last: HashMap<&str, f64> = HashMap::new();
            let mut rises = 0;
            let is_sorted = key.iter().zip(&times.values).all(|(id, &time)| {
                let before = last.insert(id, time);
                rises += usize::from(before.is_some_and(|before| before < time));
                before.is_none_or(|before| before < time || before <= time && self.channel.is_some())
            });
            is_sorted && rises > 0
        };
        let among =
            if named.is_empty() { free().filter(|column| *column != self.id).collect() } else { named };
        let rising: Vec<usize> = among.iter().copied().filter(increases).collect();
        match rising[..] {
            [one] => Ok(one),
            _ if rising.contains(&self.time) => Ok(self.time),
            _ => Err(format!(
                "it is not clear which of the columns {} holds the times: name them id, time, value and channel, or choose \
                 them in this order",
                all.iter().map(|&column| format!("`{}`", table.name(column))).collect::<Vec<_>>().join(", ")
            )),
        }
    }
}

/// How far apart times are in most series, and a note about the others; in training, if none is given.
fn spacing(
    table: &Table,
    times: &Times,
    column: usize,
    (names, rows): (&[String], &[Vec<usize>]),
    trained: Option<f64>,
    notes: &mut Vec<Note>,
) -> Option<f64> {
    let own = times.usual(rows.iter().map(Vec::as_slice))?;
    let usual = trained.unwrap_or(own);
    let unusual = |rows: &Vec<usize>| times.first_unusual(rows, usual);
    let found: Vec<(usize, (usize, usize))> =
        rows.iter().enumerate().filter_map(|(series, rows)| Some((series, unusual(rows)?))).collect();
    if let Some(&(series, pair)) = found.first() {
        notes.push(Note::UnevenTimes {
            count: found.len(),
            of: rows.len(),
            series: names[series].clone(),
            gap: times.gap(table, column, pair, usual),
        });
    }
    (2 * found.len() <= rows.len()).then_some(own)
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
