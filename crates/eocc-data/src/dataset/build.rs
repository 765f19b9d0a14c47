//! From typed columns to samples: of the kind they form, or of the kind of a model.

use std::sync::{Mutex, PoisonError};

use eocc_core::parallel;
use eocc_core::sample::{ColumnKind, DatePart, DateValue, MAX_TEXT_BYTES, MixedColumn, UNKNOWN_LEVEL};
use eocc_core::{
    AnySamples, Error, Layout, Matrix, MixedTable, Part, Precomputed, Records, Series, SeriesSet, Texts,
    Vectors,
};

use super::bad_rows::BadRows;
use super::plan::wanted_columns;
use super::{ReadError, of_source};
use crate::cell::CellFault;
use crate::column::{Column, Values};
use crate::date::{self, DayMonth};
use crate::error::{DataError, Fault};
use crate::field_type::FieldType;
use crate::graphs::graphs_of_cells;
use crate::guess::truth_of;
use crate::table::Table;

/// The name of the part with all plain columns of a record.
const TABLE: &str = "table";

/// The samples formed by columns, which are given by number.
enum Form<'a> {
    /// One column of complete samples: texts, series, graphs, or samples already.
    Special(usize),
    /// Rows of complete numbers.
    Numbers(Vec<usize>),
    /// Rows of a mixed table with its own columns.
    Mixed(Vec<usize>),
    /// Rows of a mixed table in the columns of a model, each with its counterpart.
    Like(Vec<(usize, &'a MixedColumn)>),
    /// Records of these parts.
    Parts(Vec<(String, Form<'a>)>),
}

/// The samples formed by typed columns: vectors if all are numbers, strings or series if there is one such column,
/// rows of a mixed table if they are numbers, words and the like, and records if there are several kinds. `mixed`
/// requests a mixed table even for numbers only.
pub(super) fn samples(table: &Table, mixed: bool) -> Result<AnySamples, ReadError> {
    let (special, plain): (Vec<usize>, Vec<usize>) =
        (0..table.width()).partition(|&column| table.columns()[column].is_special());
    let form = match (plain.is_empty(), special.as_slice()) {
        (true, []) => return Err(of_source(table.source())(Error::input("no column is left to learn from"))),
        (false, []) => plain_form(table, plain, mixed),
        (true, [one]) => Form::Special(*one),
        (is_empty, special) => {
            let mut parts: Vec<(String, Form<'_>)> = special
                .iter()
                .map(|&column| (table.name(column).to_owned(), Form::Special(column)))
                .collect();
            if !is_empty {
                parts.push((TABLE.to_owned(), plain_form(table, plain, mixed)));
            }
            Form::Parts(parts)
        }
    };
    form.build(table)
}

/// The samples in a model's form formed by typed columns, and the rows that do not yield any, if these are skipped.
pub(super) fn samples_like(
    table: &Table,
    layout: &Layout,
    bad: &mut BadRows,
) -> Result<AnySamples, ReadError> {
    let form = Form::like(table, layout)?;
    let fault = match form.build(table) {
        Err(fault) if bad.are_skipped() && fault.is_of_row() => fault,
        made => return made,
    };
    form.bad_rows(table, bad)?;
    let good: Vec<usize> = bad.others(None, table.rows()).unwrap_or_else(|| (0..table.rows()).collect());
    if good.is_empty() {
        return Err(fault);
    }
    if let Ok(samples) = form.build(&table.pick(&good)) {
        return Ok(samples);
    }
    // Samples of two kinds, such as directed graphs among undirected ones: the fewer are at fault.
    let (mut like, mut unlike) = (vec![good[0]], Vec::new());
    for &row in &good[1..] {
        match form.build(&table.pick(&[good[0], row])) {
            Ok(_) => like.push(row),
            Err(fault) => unlike.push((row, fault)),
        }
    }
    if unlike.len() > like.len() {
        let kept: Vec<usize> = unlike.iter().map(|(row, _)| *row).collect();
        let with = |row: usize| form.build(&table.pick(&[kept[0], row])).err();
        unlike = like.into_iter().filter_map(|row| Some((row, with(row)?))).collect();
        like = kept;
    }
    let samples = form.build(&table.pick(&like)).map_err(|_| fault)?;
    for (row, fault) in unlike {
        bad.add_sample(row, fault)?;
    }
    Ok(samples)
}

/// Plain columns: rows of numbers if all are numbers and complete.
fn plain_form<'a>(table: &Table, columns: Vec<usize>, mixed: bool) -> Form<'a> {
    let is_numbers = |&column: &usize| {
        let column = &table.columns()[column];
        column.kind() == Some(&FieldType::Number) && column.missing() == 0
    };
    if !mixed && columns.iter().all(is_numbers) { Form::Numbers(columns) } else { Form::Mixed(columns) }
}

impl<'a> Form<'a> {
    /// The form of a model's samples, with columns found by name or, if it has no names, by type.
    fn like(table: &Table, layout: &'a Layout) -> Result<Self, ReadError> {
        let fault = |words: String| of_source(table.source())(Error::input(words));
        let only = |what: &str, name: &str| {
            let is_such = |&column: &usize| {
                let column = &table.columns()[column];
                column.is_special() && column.type_name() == name
            };
            let found: Vec<usize> = (0..table.width()).filter(is_such).collect();
            match found.as_slice() {
                [one] => Ok(Self::Special(*one)),
                [] => Err(fault(format!("the model was fitted on {what}, but there is no such column"))),
                _ => Err(fault(format!("the model is of {what}, and several columns hold such; choose one"))),
            }
        };
        match layout {
            Layout::Text => only("strings", "text"),
            Layout::Series => only("time series", "series"),
            Layout::Graph => only("graphs", "graph"),
            Layout::Numbers(_) => Ok(plain_form(table, (0..table.width()).collect(), false)),
            Layout::Columns(columns) => Self::like_columns(table, columns),
            Layout::Parts(parts) => {
                let part = |(name, layout): &'a (String, Layout)| -> Result<_, ReadError> {
                    let form = match layout {
                        layout if layout.single_column().is_some() => Self::Special(table.column(name)?),
                        Layout::Columns(columns) => Self::like_columns(table, columns)?,
                        layout => {
                            let names: Vec<String> =
                                wanted_columns(layout).into_iter().map(|(name, _)| name).collect();
                            plain_form(table, table.find_all(&names)?, false)
                        }
                    };
                    Ok((name.clone(), form))
                };
                Ok(Self::Parts(parts.iter().map(part).collect::<Result<_, _>>()?))
            }
            Layout::Dissimilarities(count) => Err(fault(format!(
                "the model was fitted on a matrix of dissimilarities; give one row of {count} dissimilarities per sample"
            ))),
            _ => Err(fault("the model is of samples that no file holds".to_owned())),
        }
    }

    fn like_columns(table: &Table, columns: &'a [MixedColumn]) -> Result<Self, ReadError> {
        let place = |column: &'a MixedColumn| {
            let name = column.source();
            Ok((table.column(name)?, column))
        };
        Ok(Self::Like(columns.iter().map(place).collect::<Result<_, DataError>>()?))
    }

    /// Adds the rows that do not yield a sample. Errors of a sample only show when it is made: the columns are made
    /// one at a time, and the values of a column with an error one at a time.
    fn bad_rows(&self, table: &Table, bad: &mut BadRows) -> Result<(), ReadError> {
        let alone: Vec<(usize, Self)> = match self {
            Self::Parts(parts) => return parts.iter().try_for_each(|(_, form)| form.bad_rows(table, bad)),
            Self::Special(one) => vec![(*one, Self::Special(0))],
            Self::Numbers(columns) => columns.iter().map(|&c| (c, Self::Numbers(vec![0]))).collect(),
            Self::Mixed(columns) => columns.iter().map(|&c| (c, Self::Mixed(vec![0]))).collect(),
            Self::Like(columns) => {
                columns.iter().map(|&(c, like)| (c, Self::Like(vec![(0, like)]))).collect()
            }
        };
        for (column, form) in alone {
            let column = table.with(vec![table.columns()[column].clone()]);
            if form.build(&column).is_ok() {
                continue;
            }
            for row in 0..column.rows() {
                if let Err(fault) = form.build(&column.pick(&[row])) {
                    bad.add_sample(row, fault)?;
                }
            }
        }
        Ok(())
    }

    /// Makes the samples.
    fn build(&self, table: &Table) -> Result<AnySamples, ReadError> {
        let fault = of_source(table.source());
        let column = |column: &usize| &table.columns()[*column];
        match self {
            Self::Special(one) => special(table, column(one)),
            Self::Numbers(columns) => {
                let names = columns.iter().map(|&column| table.name(column).to_owned()).collect();
                let matrix = Matrix::new(table.numbers(columns)?, table.rows(), columns.len());
                Ok(Vectors::with_names(matrix, names).map_err(fault)?.into())
            }
            Self::Mixed(columns) => {
                let columns = columns.iter().flat_map(|one| mixed_columns(column(one))).collect();
                Ok(MixedTable::new(columns).map_err(fault)?.into())
            }
            Self::Like(columns) => {
                let columns = columns.iter().map(|(one, like)| like_column(column(one), like)).collect();
                Ok(MixedTable::new(columns).map_err(fault)?.into())
            }
            Self::Parts(parts) => {
                let part = |(name, form): &(String, Self)| Ok(Part::new(name, form.build(table)?));
                let parts = parts.iter().map(part).collect::<Result<_, ReadError>>()?;
                Ok(Records::new(parts).map_err(fault)?.into())
            }
        }
    }
}

/// Samples of one column.
fn special(table: &Table, column: &Column) -> Result<AnySamples, ReadError> {
    let fault = of_source(table.source());
    let at = |row: usize, error: String| fault(Error::input(format!("{}: {error}", table.location(row))));
    let texts = || (0..column.len()).map(|row| column.text(row).into_owned()).collect::<Vec<String>>();
    match (column.values(), column.kind()) {
        (Values::Samples(samples), _) => Ok(samples.clone()),
        (Values::Series(all), _) => {
            let each = all.iter().enumerate().map(|(row, steps)| {
                let channels = steps.first().map_or(0, Vec::len);
                Series::new(steps.concat(), channels).map_err(|e| at(row, e.to_string()))
            });
            Ok(SeriesSet::new(each.collect::<Result<_, _>>()?).map_err(&fault)?.into())
        }
        (_, Some(FieldType::Graph)) => {
            let place = |row: usize| format!("{}, column `{}`", table.location(row), column.name);
            let graphs =
                graphs_of_cells(table.source(), &texts(), place).map_err(|error| match error.fault() {
                    // A single graph is at fault.
                    Fault::Malformed { .. } => fault(Error::input(error.fault().to_string())),
                    _ => error.into(),
                })?;
            Ok(graphs.into())
        }
        (_, Some(FieldType::Text)) => {
            let texts = texts();
            if let Some(row) = texts.iter().position(|text| text.len() > MAX_TEXT_BYTES) {
                let found = texts[row].len();
                return Err(at(
                    row,
                    format!(
                        "the text has {found} bytes, but at most {MAX_TEXT_BYTES} are supported; cut it into pieces"
                    ),
                ));
            }
            Ok(Texts::new(texts).map_err(&fault)?.into())
        }
        _ => Err(fault(Error::input(format!("column `{}` cannot be compared", column.name)))),
    }
}

/// A plain column as columns of a mixed table: several for a date, else one.
fn mixed_columns(column: &Column) -> Vec<(MixedColumn, Vec<Option<f64>>)> {
    let (order, is_time) = match column.kind() {
        Some(FieldType::Date(order)) => (*order, false),
        Some(FieldType::Time) => (None, true),
        _ => return vec![mixed_column(column)],
    };
    let (seconds, day_first) = (column.numbers(), order == Some(DayMonth::DayFirst));
    let of_value = |value: DateValue| {
        let kind = ColumnKind::Date(DatePart { of: column.name.clone(), value, day_first });
        (MixedColumn { name: date::feature_name(&column.name, value), kind }, date_cells(&seconds, value))
    };
    let values = if is_time { date::TIME_OF_DAY.to_vec() } else { date::features(&seconds) };
    values.into_iter().map(of_value).collect()
}

/// The values derived from a column of dates.
fn date_cells(seconds: &[Option<f64>], value: DateValue) -> Vec<Option<f64>> {
    seconds.iter().map(|s| s.map(|s| date::value(s, value))).collect()
}

/// A plain column as a column of a mixed table.
fn mixed_column(column: &Column) -> (MixedColumn, Vec<Option<f64>>) {
    let kind = match (column.values(), column.kind()) {
        (Values::Levels { levels, .. }, Some(FieldType::Ordered(_))) => ColumnKind::Ordered(levels.clone()),
        (Values::Levels { levels, .. }, _) => ColumnKind::Category(levels.clone()),
        (Values::Boolean(_), _) => ColumnKind::Boolean,
        _ => ColumnKind::Number,
    };
    (MixedColumn { name: column.name.clone(), kind }, column.numbers())
}

/// A plain column in the form of the model's column.
fn like_column(column: &Column, like: &MixedColumn) -> (MixedColumn, Vec<Option<f64>>) {
    if let (ColumnKind::Date(part), Some(FieldType::Date(_) | FieldType::Time)) = (&like.kind, column.kind())
    {
        return (like.clone(), date_cells(&column.numbers(), part.value));
    }
    let (mut own, mut cells) = mixed_column(column);
    match (&own.kind, &like.kind) {
        (ColumnKind::Category(levels), ColumnKind::Ordered(_)) => {
            own.kind = ColumnKind::Ordered(levels.clone());
        }
        (ColumnKind::Category(levels), ColumnKind::Boolean) => {
            cells = truth_values(levels, &cells);
            own.kind = ColumnKind::Boolean;
        }
        _ => {}
    }
    (own, cells)
}

/// Words as booleans; any other word is a level of its own.
fn truth_values(levels: &[String], cells: &[Option<f64>]) -> Vec<Option<f64>> {
    let of_level: Vec<f64> = levels
        .iter()
        .map(|word| truth_of(word).map_or(UNKNOWN_LEVEL, |truth| f64::from(u8::from(truth))))
        .collect();
    cells.iter().map(|cell| cell.and_then(|place| of_level.get(place as usize).copied())).collect()
}

/// Rows per task.
const ROWS: usize = 4096;

/// The numbers of a table, directly from its cells, without typed columns in between.
pub(super) struct Numbers<'a> {
    pub(super) table: &'a Table,
    pub(super) columns: &'a [usize],
    /// These rows of it, or all.
    pub(super) rows: Option<&'a [usize]>,
    /// Whether some may be missing.
    pub(super) accepts_missing: bool,
}

impl Numbers<'_> {
    /// The numbers of all rows that can be read.
    pub(super) fn matrix(&self, bad: &mut BadRows) -> Result<Matrix, DataError> {
        let width = self.columns.len();
        let count = self.rows.map_or(self.table.rows(), <[usize]>::len);
        let row_at = |at: usize| self.rows.map_or(at, |rows| rows[at]);
        let mut values = vec![0.0; width * count];
        let faults = Mutex::new(Vec::new());
        let is_skipped = bad.are_skipped();
        parallel::for_each_chunk(&mut values, ROWS * width, &|chunk, out| {
            let mut own = Vec::with_capacity(width);
            for (i, cells) in out.chunks_exact_mut(width).enumerate() {
                own.clear();
                let at = chunk * ROWS + i;
                match self.table.push_numbers(row_at(at), self.columns, self.accepts_missing, &mut own) {
                    Ok(()) => cells.copy_from_slice(&own),
                    Err(fault) => {
                        faults.lock().unwrap_or_else(PoisonError::into_inner).push((at, fault));
                        // The first error ends it; it is in the first chunk that has one.
                        if !is_skipped {
                            return;
                        }
                    }
                }
            }
        });
        let mut faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
        faults.sort_unstable_by_key(|(at, _)| *at);
        let mut end = 0;
        let mut faults = faults.into_iter().peekable();
        if faults.peek().is_some() {
            for at in 0..count {
                if let Some((_, fault)) = faults.next_if(|(bad, _)| *bad == at) {
                    bad.add(row_at(at), fault)?;
                    continue;
                }
                values.copy_within(at * width..(at + 1) * width, end);
                end += width;
            }
            values.truncate(end);
        }
        let rows = values.len() / width.max(1);
        Ok(Matrix::new(values, rows, width))
    }

    /// The matrix as vectors, named if the table has names.
    pub(super) fn vectors(&self, bad: &mut BadRows) -> Result<Vectors, ReadError> {
        let named = self.columns.iter().filter(|_| self.table.has_header());
        let names = named.map(|&column| self.table.name(column).to_owned()).collect();
        let matrix = self.matrix(bad)?;
        let made = if self.accepts_missing {
            Vectors::with_missing(matrix, names)
        } else {
            Vectors::with_names(matrix, names)
        };
        made.map_err(of_source(self.table.source()))
    }

    /// The fault of a missing dissimilarity, for which no measure can stand in.
    fn of_dissimilarity(&self, fault: DataError) -> ReadError {
        let Fault::Cell { row, line, column, why: CellFault::Missing(_), .. } = fault.fault() else {
            return fault.into();
        };
        let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
        of_source(self.table.source())(Error::input(format!(
            "row {row}{line}, column `{column}`: the dissimilarity is missing; fill it in, or leave out the row and the column \
             of this sample"
        )))
    }

    /// The matrix as dissimilarities: square for fitting, any number of rows for scoring.
    pub(super) fn precomputed(&self, square: bool, bad: &mut BadRows) -> Result<Precomputed, ReadError> {
        let matrix = self.matrix(bad).map_err(|fault| self.of_dissimilarity(fault))?;
        let made = if square { Precomputed::square(matrix) } else { Precomputed::rectangular(matrix) };
        made.map_err(of_source(self.table.source()))
    }
}
