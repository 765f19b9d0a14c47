//! The roles of the columns of a long series, and what happens to those that are not channels.

use eocc_core::Error;

use super::summary::{self, summary};
use super::{Cut, WindowShape, Windows};
use crate::cell::Cell;
use crate::column::{Column, Values};
use crate::dataset::{NoFeature, Note, ReadError, ReadRequest, of_source};
use crate::error::DataError;
use crate::field_type::FieldType;
use crate::guess::order_of;
use crate::table::Table;

/// Columns with these names hold times, unless another is given.
const TIME_NAMES: [&str; 7] = ["time", "timestamp", "datetime", "date", "ts", "ds", "t"];
/// Columns with these names hold classes, not a channel.
const CLASS_NAMES: [&str; 5] = ["label", "labels", "class", "target", "is_anomaly"];
/// Fields of the result: when a window starts and ends.
const START: &str = "start";
const END: &str = "end";
/// Field of windows that are series.
const FIELD: &str = "series";

/// The columns of a long series, by number.
#[derive(Debug, Clone)]
pub(super) struct Roles {
    names: Vec<String>,
    pub(super) time: Option<usize>,
    pub(super) channels: Vec<usize>,
    label: Option<usize>,
    split: Option<usize>,
    kept: Vec<usize>,
}

impl Roles {
    pub(super) fn resolve(
        table: &Table,
        windows: &Windows,
        request: &ReadRequest,
        notes: &mut Vec<Note>,
    ) -> Result<Self, ReadError> {
        let find = |name: &String| table.column(name);
        let mut away = request.drop.iter().map(find).collect::<Result<Vec<usize>, _>>()?;
        for (column, kind) in &request.types {
            if matches!(kind, FieldType::Id | FieldType::Ignore) {
                away.push(find(column)?);
            }
        }
        let label = request.label.as_ref().map(find).transpose()?;
        let split = request.split.as_ref().map(find).transpose()?;
        let is_all = matches!(&request.keep[..], [one] if one == "all" && table.find(one).is_none());
        let all = |names: &[String]| names.iter().map(find).collect::<Result<Vec<usize>, _>>();
        let kept = if is_all { (0..table.width()).collect() } else { all(&request.keep)? };
        let is_free =
            |column: usize| !away.contains(&column) && Some(column) != label && Some(column) != split;
        let time = match &windows.time {
            Some(name) => Some(find(name)?),
            None => time_column(table, &is_free),
        };
        let mut channels: Vec<usize> =
            if request.columns.is_empty() { (0..table.width()).collect() } else { all(&request.columns)? };
        channels.retain(|&column| is_free(column) && Some(column) != time);
        if request.columns.is_empty() && table.has_header() {
            channels.retain(|&column| {
                let is_class = CLASS_NAMES.contains(&table.name(column).trim().to_lowercase().as_str());
                if is_class {
                    let column = table.name(column).to_owned();
                    notes.push(Note::NoFeature { column, why: NoFeature::Classes, kind: "number" });
                }
                !is_class
            });
        }
        if channels.is_empty() {
            return Err(of_source(table.source())(Error::input(
                "no column is left for the channels of the series",
            )));
        }
        let names = table.names().into_iter().map(str::to_owned).collect();
        Ok(Self { names, time, channels, label, split, kept })
    }

    /// These columns in the next table of the file, whose columns may be in a different order.
    pub(super) fn for_table(self, table: &Table) -> Result<Self, DataError> {
        if table.names() == self.names {
            return Ok(self);
        }
        let place = |column: usize| table.column(&self.names[column]);
        let all = |columns: &[usize]| columns.iter().map(|&c| place(c)).collect::<Result<Vec<usize>, _>>();
        Ok(Self {
            time: self.time.map(place).transpose()?,
            channels: all(&self.channels)?,
            label: self.label.map(place).transpose()?,
            split: self.split.map(place).transpose()?,
            kept: all(&self.kept)?,
            names: table.names().into_iter().map(str::to_owned).collect(),
        })
    }

    /// The windows that start at these rows, as a table of samples.
    pub(super) fn answer(
        &self,
        table: &Table,
        windows: &Windows,
        request: &ReadRequest,
        values: &[Vec<&[f64]>],
        starts: &[usize],
        notes: Vec<Note>,
    ) -> Result<Cut, ReadError> {
        let mut columns = self.features(table, windows, values);
        let last = |start: &usize| start + windows.length - 1;
        let moment = |row: usize| match self.time {
            Some(time) => table.cell(row, time).text().trim().to_owned(),
            None => table.row_number(row).to_string(),
        };
        let begins: Vec<String> = starts.iter().map(|start| moment(*start)).collect();
        let mut beside = vec![
            (START.to_owned(), begins.clone()),
            (END.to_owned(), starts.iter().map(|start| moment(last(start))).collect::<Vec<String>>()),
        ];
        let mut name_free = |name: &str, texts: Vec<String>| {
            let mut name = name.to_owned();
            while beside.iter().any(|(other, _)| *other == name)
                || columns.iter().any(|column| column.name == name)
            {
                name = format!("input_{name}");
            }
            beside.push((name.clone(), texts));
            name
        };
        // The other columns of a window are those of its last row.
        let mut keep = vec![START.to_owned(), END.to_owned()];
        for &column in &self.kept {
            let words = table.words(column);
            let texts = starts.iter().map(|start| words[last(start)].clone()).collect();
            keep.push(name_free(table.name(column), texts));
        }
        let of_all_rows = |column: usize| -> Vec<String> {
            let words = table.words(column);
            starts.iter().map(|start| joined(&words[*start..=last(start)])).collect()
        };
        let label = self.label.map(|column| name_free(table.name(column), of_all_rows(column)));
        let split = self.split.map(|column| name_free(table.name(column), of_all_rows(column)));
        let drop = beside.iter().map(|(name, _)| name.clone()).collect();
        columns.extend(
            beside.into_iter().map(|(name, texts)| Column::texts(&name, texts).of_type(FieldType::Text)),
        );
        let lines = starts.iter().filter_map(|start| table.line(*start)).collect::<Vec<usize>>();
        let rows = starts.iter().map(|start| table.row_number(*start)).collect();
        let made = Table::of_columns(table.source(), columns, true)?.with_row_numbers(rows);
        let made = if lines.len() == starts.len() { made.with_lines(lines) } else { made };
        let made = made.with_row_names(self.time.map(|_| begins));
        let request = ReadRequest {
            columns: Vec::new(),
            types: Vec::new(),
            drop,
            label,
            split,
            keep,
            unnamed: true,
            id: None,
            column: None,
            windows: None,
            ..request.clone()
        };
        Ok(Cut { table: made, request, notes, spacing: None })
    }

    /// The columns that form the samples.
    fn features(&self, table: &Table, windows: &Windows, values: &[Vec<&[f64]>]) -> Vec<Column> {
        let names: Vec<&str> = self.channels.iter().map(|&channel| table.name(channel)).collect();
        let (names, rows): (Vec<String>, Vec<Vec<f64>>) = match windows.shape {
            WindowShape::Series => {
                let series = values.iter().map(|window| window.iter().map(|step| step.to_vec()).collect());
                let series = Values::Series(series.collect());
                return vec![Column::new(FIELD, series).of_type(FieldType::Series)];
            }
            WindowShape::Summary => {
                (summary::names(&names), values.iter().map(|window| summary(window)).collect())
            }
            WindowShape::Lags => {
                let lag = |at: usize| names.iter().map(move |name| format!("{name} {at}"));
                (
                    (0..windows.length).flat_map(lag).collect(),
                    values.iter().map(|window| window.concat()).collect(),
                )
            }
        };
        let column = |(at, name): (usize, String)| {
            let values = rows.iter().map(|row| row[at]).collect();
            Column::new(&name, Values::Float(values)).of_type(FieldType::Number)
        };
        names.into_iter().enumerate().map(column).collect()
    }
}

/// The column of the times: by its name, or the first with only dates.
fn time_column(table: &Table, is_free: &dyn Fn(usize) -> bool) -> Option<usize> {
    let free = || (0..table.width()).filter(|&column| is_free(column));
    let is_named = |column: &usize| {
        table.has_header() && TIME_NAMES.contains(&table.name(*column).trim().to_lowercase().as_str())
    };
    let holds_dates = |column: &usize| {
        let cells: Vec<Cell<'_>> = table.columns()[*column].cells().collect();
        cells.iter().all(|cell| cell.number().is_err()) && order_of(&cells).is_some()
    };
    free().find(is_named).or_else(|| free().find(holds_dates))
}

/// The words of the rows of a window: one if all agree, else the distinct ones in order.
fn joined(words: &[String]) -> String {
    let mut different: Vec<&str> = Vec::new();
    for word in words {
        if !different.contains(&word.as_str()) {
            different.push(word);
        }
    }
    different.join("+")
}
