//! How far apart the times of series are. Only their order counts for a model, so what differs is reported.

use eocc_core::stats::percentile_of_sorted;

use super::request::Gap;
use crate::cell::Cell;
use crate::date::{DayMonth, of_cell};
use crate::guess::order_of;
use crate::shown::shown;
use crate::table::Table;

/// A step between times is unusual if it differs from the usual one by more than this share of it: months are alike.
const UNUSUAL: f64 = 0.5;

/// The times of all rows.
pub(super) struct Times {
    /// Numbers, or seconds of dates.
    pub(super) values: Vec<f64>,
    are_dates: bool,
}

impl Times {
    /// The times in a column: numbers or dates.
    pub(super) fn of_column(table: &Table, column: usize) -> Result<Self, String> {
        let cells: Vec<Cell<'_>> = table.columns()[column].cells().collect();
        let numbers: Result<Vec<f64>, usize> =
            cells.iter().enumerate().map(|(row, cell)| cell.number().map_err(|_| row)).collect();
        let odd = match numbers {
            Ok(values) => return Ok(Self { values, are_dates: false }),
            Err(row) => row,
        };
        let order = order_of(&cells).unwrap_or(DayMonth::MonthFirst);
        let moments: Result<Vec<f64>, usize> =
            cells.iter().enumerate().map(|(row, cell)| of_cell(*cell, order).ok_or(row)).collect();
        let values = moments.map_err(|row| {
            // Among numbers, the exception is the error; among dates, the value that is not a date.
            let row = if of_cell(cells[0], order).is_some() { row } else { odd };
            format!(
                "{}, column `{}`: {} is not a time; times must be numbers, or dates such as 2024-03-01 12:30:00",
                table.location(row),
                table.name(column),
                shown(cells[row].text().trim())
            )
        })?;
        Ok(Self { values, are_dates: true })
    }

    /// The step between successive different times of these rows.
    fn steps<'a>(&'a self, rows: &'a [usize]) -> impl Iterator<Item = (usize, usize, f64)> + 'a {
        let step = |pair: &[usize]| (pair[0], pair[1], self.values[pair[1]] - self.values[pair[0]]);
        rows.windows(2).map(step).filter(|(.., step)| step.abs() > 0.0)
    }

    /// The usual step within these groups of rows: the median.
    pub(super) fn usual<'a>(&'a self, groups: impl Iterator<Item = &'a [usize]>) -> Option<f64> {
        let mut steps: Vec<f64> = groups.flat_map(|rows| self.steps(rows).map(|(.., step)| step)).collect();
        steps.sort_by(f64::total_cmp);
        let usual = if steps.is_empty() { return None } else { percentile_of_sorted(&steps, 50.0) };
        (usual > 0.0).then_some(usual)
    }

    /// The first rows in a sequence that are not as far apart as usual.
    pub(super) fn first_unusual(&self, rows: &[usize], usual: f64) -> Option<(usize, usize)> {
        let is_unusual = |step: f64| (step - usual).abs() > UNUSUAL * usual;
        self.steps(rows).find(|(.., step)| is_unusual(*step)).map(|(from, to, _)| (from, to))
    }

    /// Two rows that are not as far apart as usual.
    pub(super) fn gap(&self, table: &Table, column: usize, (from, to): (usize, usize), usual: f64) -> Gap {
        let text = |row: usize| table.cell(row, column).text().trim().to_owned();
        Gap {
            from: text(from),
            to: text(to),
            length: self.length(self.values[to] - self.values[from]),
            usual: self.length(usual),
        }
    }

    /// A distance between times: a number, or a duration in the largest unit that it reaches.
    fn length(&self, step: f64) -> String {
        let rounded = |value: f64| {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        if !self.are_dates {
            return rounded(step);
        }
        let (size, unit) = [(86_400.0, "day"), (3600.0, "hour"), (60.0, "minute")]
            .into_iter()
            .find(|(size, _)| step.abs() >= *size)
            .unwrap_or((1.0, "second"));
        let count = format!("{:.1}", step / size);
        let count = count.strip_suffix(".0").unwrap_or(&count);
        format!("{count} {unit}{}", if count == "1" { "" } else { "s" })
    }
}
