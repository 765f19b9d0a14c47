//! One long series as many samples: overlapping windows of its rows.
//!
//! A row of the table is a time step, a column is a channel, and one column may be the time. Every window is a
//! sample: the series of its rows, a few summary statistics, or its concatenated values. Windows start at every
//! `step`-th row of the file, however the file is split into batches; see [`Cutter`].

mod columns;
mod summary;

use std::ops::Range;

use eocc_core::Error;
use serde::{Deserialize, Serialize};

use super::bad_rows::BadRows;
use super::spacing::Times;
use super::{Note, ReadError, ReadRequest, of_source};
use crate::table::Table;
use columns::Roles;

/// How a long series is cut into windows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// Rows of a window.
    pub length: usize,
    /// Rows from the start of one window to that of the next.
    pub step: usize,
    /// The form of a window as a sample.
    #[serde(rename = "as", default, skip_serializing_if = "WindowShape::is_default")]
    pub shape: WindowShape,
    /// The column of the times, if given; otherwise found by its name or content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
}

/// The form of a window as a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WindowShape {
    /// A time series, compared by the dissimilarities of series.
    #[default]
    Series,
    /// A row of summary statistics of each channel: mean, deviation, extremes, slope, roughness.
    Summary,
    /// A row of all its values, concatenated.
    Lags,
}

impl WindowShape {
    // By reference, as required by serde.
    #[expect(clippy::trivially_copy_pass_by_ref)]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Windows {
    /// Windows of this many rows that overlap by half, unless `step` is given.
    pub fn new(length: usize, step: Option<usize>, shape: WindowShape) -> Result<Self, Error> {
        if length < 2 {
            return Err(Error::parameter("window-of", length, "at least 2 rows"));
        }
        let step = step.unwrap_or(length / 2);
        if step == 0 {
            return Err(Error::parameter("step", step, "at least 1 row"));
        }
        Ok(Self { length, step, shape, time: None })
    }
}

/// Cuts consecutive tables into windows, across table boundaries.
#[derive(Debug, Clone, Default)]
pub(super) struct Cutter {
    /// Rows that have not been used for a window yet.
    rest: Option<Table>,
    /// Rows to skip before the next window starts.
    skip: usize,
    roles: Option<Roles>,
    /// How far apart times usually are, and whether an exception was reported.
    spacing: Option<f64>,
    has_reported: bool,
}

/// Windows as a table, and the rest of the request.
pub(super) struct Cut {
    pub(super) table: Table,
    pub(super) request: ReadRequest,
    pub(super) notes: Vec<Note>,
    /// How far apart times usually are, if known.
    pub(super) spacing: Option<f64>,
}

/// Cuts a whole table. Windows with missing values are left out and reported.
pub(super) fn cut_whole(table: &Table, windows: &Windows, request: &ReadRequest) -> Result<Cut, ReadError> {
    let mut bad = BadRows::new(true);
    let cut = Cutter::default().cut(table, windows, request, &mut bad)?;
    let left_out = bad.count();
    let Some(mut cut) = cut else {
        let first = bad.into_rows().next().map(|(_, error)| error);
        return Err(first.unwrap_or_else(|| too_short(table, windows)));
    };
    if left_out > 0 {
        cut.notes.push(Note::WindowsLeftOut { count: left_out, of: left_out + cut.table.rows() });
    }
    Ok(cut)
}

fn too_short(table: &Table, windows: &Windows) -> ReadError {
    of_source(table.source())(Error::input(format!(
        "the series has {} rows, but a window has {}; choose a shorter one",
        table.rows(),
        windows.length
    )))
}

impl Cutter {
    /// The windows that end in this table, which follows the earlier ones; `None` if there are none.
    pub(super) fn cut(
        &mut self,
        table: &Table,
        windows: &Windows,
        request: &ReadRequest,
        bad: &mut BadRows,
    ) -> Result<Option<Cut>, ReadError> {
        let mut notes = Vec::new();
        let roles = match self.roles.take() {
            Some(roles) => roles.for_table(table)?,
            None => Roles::resolve(table, windows, request, &mut notes)?,
        };
        let roles = self.roles.insert(roles);
        let passed = self.skip.min(table.rows());
        self.skip -= passed;
        if passed == table.rows() {
            return Ok(None);
        }
        let fresh = if passed > 0 { table.part(passed..table.rows()) } else { table.clone() };
        let all = match self.rest.take() {
            None => fresh,
            Some(mut rest) => {
                rest.append(&fresh)?;
                rest
            }
        };
        if let Some(column) = roles.time {
            self.spacing = self.spacing.or(request.spacing);
            report_gap(&all, column, &mut self.spacing, &mut self.has_reported, &mut notes);
        }
        let count =
            if all.rows() < windows.length { 0 } else { (all.rows() - windows.length) / windows.step + 1 };
        let next = count * windows.step;
        self.skip += next.saturating_sub(all.rows());
        self.rest = (next < all.rows()).then(|| all.part(next..all.rows()));
        let used = if count == 0 { 0 } else { next - windows.step + windows.length };
        let number = |row: usize| all.numbers_of_rows(&roles.channels, &[row]).ok();
        let rows: Vec<Option<Vec<f64>>> = (0..used).map(number).collect();
        let (mut values, mut starts) = (Vec::new(), Vec::new());
        for start in (0..count).map(|window| window * windows.step) {
            match window_at(&all, &roles.channels, &rows, start..start + windows.length) {
                Ok(window) => {
                    values.push(window);
                    starts.push(start);
                }
                Err(fault) => bad.add_sample(all.row_number(start), fault)?,
            }
        }
        if starts.is_empty() {
            return Ok(None);
        }
        let cut = roles.answer(&all, windows, request, &values, &starts, notes)?;
        Ok(Some(Cut { spacing: self.spacing, ..cut }))
    }
}

/// Reports the first rows whose times are not as far apart as usual.
fn report_gap(
    table: &Table,
    column: usize,
    spacing: &mut Option<f64>,
    has_reported: &mut bool,
    notes: &mut Vec<Note>,
) {
    if *has_reported {
        return;
    }
    let Ok(times) = Times::of_column(table, column) else { return };
    let rows: Vec<usize> = (0..table.rows()).collect();
    *spacing = spacing.or_else(|| times.usual(std::iter::once(&rows[..])));
    let Some(usual) = *spacing else { return };
    if let Some(pair) = times.first_unusual(&rows, usual) {
        *has_reported = true;
        let gap = times.gap(table, column, pair, usual);
        notes.push(Note::WindowGap { column: table.name(column).to_owned(), gap });
    }
}

/// The time steps of a window.
fn window_at<'a>(
    table: &Table,
    channels: &[usize],
    rows: &'a [Option<Vec<f64>>],
    window: Range<usize>,
) -> Result<Vec<&'a [f64]>, ReadError> {
    let (first, last) = (window.start, window.end - 1);
    if table.row_number(last) - table.row_number(first) != last - first {
        return Err(of_source(table.source())(Error::input(format!(
            "{} to {}: a row of the window could not be read",
            table.location(first),
            table.location(last)
        ))));
    }
    if let Some(row) = window.clone().find(|row| rows[*row].is_none()) {
        table.numbers_of_rows(channels, &[row])?;
    }
    Ok(rows[window].iter().flatten().map(Vec::as_slice).collect())
}

#[cfg(test)]
mod tests;
