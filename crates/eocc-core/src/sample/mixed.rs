//! Rows of a mixed table: numbers, booleans, categories and ordered categories, any of them missing.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{SampleSet, Vectors, facts, missing, nothing_to_join};
use crate::error::{Error, Result};
use crate::matrix::Matrix;

/// The kind of a column of a mixed table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// Numbers.
    Number,
    /// Booleans.
    Boolean,
    /// Unordered categories, by name.
    Category(Vec<String>),
    /// Ordered categories, lowest first.
    Ordered(Vec<String>),
    /// Numbers derived from dates.
    Date(DatePart),
}

/// A number derived from a date, and the column of dates it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatePart {
    /// Name of the column of dates.
    pub of: String,
    /// Which number.
    pub value: DateValue,
    /// Whether `3/4/2024` is in April, for columns in that format.
    pub day_first: bool,
}

/// The number derived from a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateValue {
    /// Days since the start of 1970.
    Elapsed,
    /// The time of day on a circle.
    HourSine,
    /// The time of day on a circle.
    HourCosine,
    /// The day of the week on a circle.
    WeekdaySine,
    /// The day of the week on a circle.
    WeekdayCosine,
}

/// A column: its name and kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MixedColumn {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: ColumnKind,
}

/// The code of a level unknown in training: equal to nothing.
pub const UNKNOWN_LEVEL: f64 = -1.0;

/// One row: one number per column, the level's rank for categories, NaN for missing values.
#[derive(Clone)]
pub struct MixedRow {
    block: Arc<Block>,
    /// The place of its first cell.
    start: usize,
}

/// Rows that were made together: one allocation instead of one per row, which takes longer than to fill it.
struct Block {
    /// Row after row.
    cells: Vec<f64>,
    columns: Arc<Vec<MixedColumn>>,
}

impl MixedRow {
    /// The columns.
    pub fn columns(&self) -> &[MixedColumn] {
        &self.block.columns
    }

    /// One number per column.
    pub(crate) fn cells(&self) -> &[f64] {
        &self.block.cells[self.start..self.start + self.block.columns.len()]
    }
}

impl std::fmt::Debug for MixedRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MixedRow").field(&self.cells()).finish()
    }
}

/// Rows of a mixed table.
#[derive(Debug, Clone)]
pub struct MixedTable {
    rows: Vec<MixedRow>,
    columns: Arc<Vec<MixedColumn>>,
    names: Arc<Vec<String>>,
}

impl MixedTable {
    /// From columns with their cells: numbers; 0 or 1; or ranks of levels, or [`UNKNOWN_LEVEL`]; `None` if missing.
    pub fn new(columns: Vec<(MixedColumn, Vec<Option<f64>>)>) -> Result<Self> {
        let count = columns.first().map_or(0, |c| c.1.len());
        if columns.is_empty() {
            return Err(Error::input("the table has no columns; give at least one"));
        }
        let width = columns.len();
        let mut all = vec![0.0; count * width];
        for (f, (column, cells)) in columns.iter().enumerate() {
            if cells.len() != count {
                return Err(Error::input(format!(
                    "column `{}` has {} rows, but must have {count}",
                    column.name,
                    cells.len()
                )));
            }
            let levels = column.kind.levels();
            for ((out, cell), at) in all.iter_mut().skip(f).step_by(width).zip(cells).zip(0..) {
                if cell.is_some_and(|value| !can_hold(levels, value)) {
                    return Err(column.refusal(at, cell.unwrap_or(f64::NAN)));
                }
                *out = cell.unwrap_or(f64::NAN);
            }
        }
        let columns: Arc<Vec<MixedColumn>> = Arc::new(columns.into_iter().map(|c| c.0).collect());
        let names = Arc::new(columns.iter().map(|c| c.name.clone()).collect());
        Ok(Self::of_cells(columns, names, all))
    }

    /// Rows with the columns of this table, from their cells row after row: those that [`MixedTable::new`] takes, with
    /// the ranks of this table's levels, and NaN where a value is missing.
    pub fn like(&self, cells: Vec<f64>) -> Result<Self> {
        let width = self.columns.len();
        if !cells.len().is_multiple_of(width) {
            let found = cells.len();
            return Err(Error::input(format!("{found} cells cannot form rows of {width} columns")));
        }
        let levels: Vec<Option<usize>> = self.columns.iter().map(|column| column.kind.levels()).collect();
        for (at, row) in cells.chunks_exact(width).enumerate() {
            let is_bad =
                |(value, levels): (&f64, &Option<usize>)| !value.is_nan() && !can_hold(*levels, *value);
            if let Some(f) = row.iter().zip(&levels).position(is_bad) {
                return Err(self.columns[f].refusal(at, row[f]));
            }
        }
        Ok(Self::of_cells(self.columns.clone(), self.names.clone(), cells))
    }

    /// From sound cells, row after row.
    fn of_cells(columns: Arc<Vec<MixedColumn>>, names: Arc<Vec<String>>, cells: Vec<f64>) -> Self {
        let (width, end) = (columns.len().max(1), cells.len());
        let block = Arc::new(Block { cells, columns: columns.clone() });
        let row = |start: usize| MixedRow { block: block.clone(), start };
        Self { rows: (0..end).step_by(width).map(row).collect(), columns, names }
    }

    /// The columns.
    pub fn columns(&self) -> &[MixedColumn] {
        &self.columns
    }

    /// The cells of a column, `None` if missing.
    pub(crate) fn cells(&self, column: usize) -> impl Iterator<Item = Option<f64>> + Clone + '_ {
        self.rows.iter().map(move |row| Some(row.cells()[column]).filter(|cell| !cell.is_nan()))
    }

    /// For each column of `others`, from its levels to ours.
    fn translation(&self, others: &Self) -> Result<Vec<Option<Vec<f64>>>> {
        let found: Vec<&str> = others.columns.iter().map(|c| c.name.as_str()).collect();
        let wanted: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
        if found != wanted {
            return Err(Error::input(format!(
                "the model was fitted on the columns {}, but the samples have {}",
                wanted.join(", "),
                found.join(", ")
            )));
        }
        let pairs = self.columns.iter().zip(others.columns.iter());
        pairs
            .map(|(own, other)| match (&own.kind, &other.kind) {
                (ColumnKind::Number, ColumnKind::Number)
                | (ColumnKind::Boolean, ColumnKind::Boolean)
                | (ColumnKind::Date(_), ColumnKind::Date(_)) => Ok(None),
                (ColumnKind::Category(own), ColumnKind::Category(other))
                | (ColumnKind::Ordered(own), ColumnKind::Ordered(other)) => {
                    let places: HashMap<&str, usize> = own.iter().map(String::as_str).zip(0..).collect();
                    let place =
                        |level: &String| places.get(level.as_str()).map_or(UNKNOWN_LEVEL, |&p| p as f64);
                    Ok(Some(other.iter().map(place).collect()))
                }
                _ => Err(Error::input(format!(
                    "column `{}` held {} in training, but holds {} here; give its type",
                    own.name,
                    own.kind.word(),
                    other.kind.word()
                ))),
            })
            .collect()
    }
}

/// Whether a column with this many levels, or of numbers, can hold a value.
fn can_hold(levels: Option<usize>, value: f64) -> bool {
    match levels {
        None => value.abs() <= 1e150,
        Some(levels) => {
            // Not by its fraction, which is a call on machines without an instruction for it.
            value >= UNKNOWN_LEVEL
                && value < levels as f64
                && (value - (value as i64) as f64).abs() < f64::EPSILON
        }
    }
}

impl MixedColumn {
    /// The name of the column that it is made from: several columns are made from one with dates.
    pub fn source(&self) -> &str {
        match &self.kind {
            ColumnKind::Date(part) => &part.of,
            _ => &self.name,
        }
    }

    fn refusal(&self, row: usize, value: f64) -> Error {
        let name = &self.name;
        Error::input(format!(
            "row {row}, column `{name}`: the value is {value}, which the column cannot hold"
        ))
    }
}

impl ColumnKind {
    /// How many levels it has; `None` for numbers.
    fn levels(&self) -> Option<usize> {
        match self {
            Self::Number | Self::Date(_) => None,
            Self::Boolean => Some(2),
            Self::Category(levels) | Self::Ordered(levels) => Some(levels.len()),
        }
    }

    /// Its name as the type of a column.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Category(_) => "category",
            Self::Ordered(_) => "ordered",
            Self::Date(_) => "date",
        }
    }

    /// The kind in one word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Number => "numbers",
            Self::Boolean => "truth values",
            Self::Category(_) => "categories",
            Self::Ordered(_) => "ordered categories",
            Self::Date(_) => "dates",
        }
    }
}

impl SampleSet for MixedTable {
    type Item = MixedRow;

    fn count(&self) -> usize {
        self.rows.len()
    }

    fn sample(&self, i: usize) -> &MixedRow {
        &self.rows[i]
    }

    fn duplicates(&self) -> Option<usize> {
        Some(facts::duplicates(self.rows.iter().map(|row| facts::bits(row.cells()))))
    }

    fn content_hash(&self, i: usize) -> Option<u64> {
        let of_cell = |(column, cell): (&MixedColumn, &f64)| match &column.kind {
            // Levels by name: their codes depend on which occurs first.
            ColumnKind::Category(levels) | ColumnKind::Ordered(levels) => {
                levels.get(*cell as usize).map_or(0, |level| facts::hash_of_text(level))
            }
            _ => facts::hash_of_set(&[*cell]),
        };
        Some(self.columns.iter().zip(self.rows[i].cells()).map(of_cell).fold(0, u64::wrapping_add))
    }

    fn feature(&self, feature: usize) -> Option<(ColumnKind, Vec<Option<f64>>)> {
        Some((self.columns.get(feature)?.kind.clone(), self.cells(feature).collect()))
    }

    fn is_table(&self) -> bool {
        true
    }

    fn is_incomplete(&self, row: usize) -> bool {
        self.rows[row].cells().iter().any(|v| v.is_nan())
    }

    fn first_gap(&self) -> Option<(usize, String)> {
        let of_column = |c: usize| Some((self.cells(c).position(|cell| cell.is_none())?, c));
        let (row, column) = (0..self.columns.len()).filter_map(of_column).min()?;
        Some((row, self.columns[column].name.clone()))
    }

    fn filled(&self, like: &Self) -> Result<Self> {
        missing::filled_table(self, like)
    }

    fn as_vectors(&self) -> Result<Option<Vectors>> {
        let is_number = |column: &MixedColumn| column.kind == ColumnKind::Number;
        if !self.columns.iter().all(is_number) || self.first_gap().is_some() {
            return Ok(None);
        }
        let names = self.columns.iter().map(|column| column.name.clone()).collect();
        let values = self.rows.iter().flat_map(MixedRow::cells).copied().collect();
        Vectors::with_names(Matrix::new(values, self.count(), self.columns.len()), names).map(Some)
    }

    fn select(&self, indices: &[usize]) -> Self {
        // Copied, so that a few rows do not keep all others in memory.
        let mut cells = Vec::with_capacity(indices.len() * self.columns.len());
        for &i in indices {
            cells.extend_from_slice(self.rows[i].cells());
        }
        Self::of_cells(self.columns.clone(), self.names.clone(), cells)
    }

    /// Categories have the levels that occur, in order of appearance, so that it does not matter how a table was
    /// split.
    fn joined(sets: &[&Self]) -> Result<Self> {
        let first = sets.first().ok_or_else(nothing_to_join)?;
        for set in sets {
            first.translation(set)?;
        }
        let columns = (0..first.columns.len()).map(|c| joined_column(sets, &first.columns[c], c));
        Self::new(columns.collect())
    }

    fn features(&self) -> usize {
        self.columns.len()
    }

    fn feature_names(&self) -> &[String] {
        &self.names
    }

    /// Levels are matched by name; one unknown in training differs from all.
    fn conform<'a>(&self, others: &'a Self) -> Result<Cow<'a, Self>> {
        let translation = self.translation(others)?;
        let mut cells = Vec::with_capacity(others.count() * self.columns.len());
        for row in &others.rows {
            cells.extend(row.cells().iter().zip(&translation).map(|(cell, levels)| match levels {
                Some(levels) if *cell >= 0.0 => levels.get(*cell as usize).copied().unwrap_or(UNKNOWN_LEVEL),
                _ => *cell,
            }));
        }
        Ok(Cow::Owned(Self::of_cells(self.columns.clone(), self.names.clone(), cells)))
    }
}

/// A column of all these tables; `first` is that of the first table.
fn joined_column(
    sets: &[&MixedTable],
    first: &MixedColumn,
    column: usize,
) -> (MixedColumn, Vec<Option<f64>>) {
    let cells = || sets.iter().map(|set| (&set.columns[column].kind, set.cells(column)));
    let (mut known, is_ordered) = match &first.kind {
        ColumnKind::Ordered(levels) => (levels.clone(), true),
        ColumnKind::Category(_) => (Vec::new(), false),
        _ => return (first.clone(), cells().flat_map(|set| set.1).collect()),
    };
    let mut places: HashMap<String, usize> = known.iter().cloned().zip(0..).collect();
    let mut all = Vec::new();
    for (kind, cells) in cells() {
        let (ColumnKind::Category(levels) | ColumnKind::Ordered(levels)) = kind else { continue };
        for cell in cells {
            let level = cell.filter(|v| *v >= 0.0).and_then(|v| levels.get(v as usize));
            all.push(match level {
                None => cell.map(|_| UNKNOWN_LEVEL),
                Some(level) => Some(*places.entry(level.clone()).or_insert_with(|| {
                    known.push(level.clone());
                    known.len() - 1
                }) as f64),
            });
        }
    }
    let kind = if is_ordered { ColumnKind::Ordered(known) } else { ColumnKind::Category(known) };
    (MixedColumn { name: first.name.clone(), kind }, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colors(levels: &[&str], cells: &[f64]) -> MixedTable {
        let kind = ColumnKind::Category(levels.iter().map(ToString::to_string).collect());
        let column = MixedColumn { name: "color".into(), kind };
        MixedTable::new(vec![(column, cells.iter().map(|c| Some(*c)).collect())]).unwrap()
    }

    #[test]
    fn joined_tables_have_the_levels_that_occur_however_they_were_cut() {
        let (a, b) = (colors(&["blue", "red"], &[1.0, 1.0]), colors(&["green", "red", "blue"], &[2.0, 1.0]));
        let whole = MixedTable::joined(&[&a, &b]).unwrap();
        let ColumnKind::Category(levels) = &whole.columns()[0].kind else { panic!("categories") };
        assert_eq!(levels, &["red", "blue"]);
        assert_eq!(whole.cells(0).collect::<Vec<_>>(), [Some(0.0), Some(0.0), Some(1.0), Some(0.0)]);
        let pieces: Vec<MixedTable> = (0..4).map(|i| whole.select(&[i])).collect();
        let again = MixedTable::joined(&pieces.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!((again.columns(), again.count()), (whole.columns(), 4));
        assert!(again.cells(0).eq(whole.cells(0)));
    }

    #[test]
    fn levels_are_matched_by_name() {
        let model = colors(&["blue", "red"], &[0.0, 1.0]);
        let others = colors(&["green", "red"], &[0.0, 1.0]);
        let conformed = model.conform(&others).unwrap();
        assert_eq!(conformed.sample(0).cells(), [UNKNOWN_LEVEL]);
        assert_eq!(conformed.sample(1).cells(), [1.0]);
    }

    #[test]
    fn rows_of_cells_are_those_of_columns() {
        let table = colors(&["blue", "red"], &[0.0, 1.0, UNKNOWN_LEVEL]);
        let same = table.like(vec![0.0, 1.0, UNKNOWN_LEVEL, f64::NAN]).unwrap();
        assert_eq!((same.columns(), same.count()), (table.columns(), 4));
        assert!((0..3).all(|i| same.sample(i).cells() == table.sample(i).cells()));
        assert_eq!(same.cells(0).last(), Some(None));
        let e = table.like(vec![0.0, 2.0]).unwrap_err().to_string();
        assert!(e.starts_with("row 1, column `color`: the value is 2"), "{e}");
        let two = MixedTable::new(
            ["a", "b"]
                .map(|name| {
                    (MixedColumn { name: name.into(), kind: ColumnKind::Number }, vec![Some(1.0), None])
                })
                .to_vec(),
        )
        .unwrap();
        assert_eq!(two.select(&[1, 0]).sample(1).cells(), [1.0, 1.0]);
        assert!(two.like(vec![1.0]).is_err() && two.like(vec![1.0, f64::INFINITY]).is_err());
    }

    #[test]
    fn faults_are_named() {
        let column = |kind| MixedColumn { name: "a".into(), kind };
        let say = |kind, cells: Vec<Option<f64>>| {
            MixedTable::new(vec![(column(kind), cells)]).unwrap_err().to_string()
        };
        assert!(
            say(ColumnKind::Number, vec![Some(f64::INFINITY)])
                .starts_with("row 0, column `a`: the value is inf")
        );
        assert!(say(ColumnKind::Boolean, vec![None, Some(2.0)]).starts_with("row 1, column `a`"));
        assert!(MixedTable::new(Vec::new()).is_err());
        let numbers = MixedTable::new(vec![(
            MixedColumn { name: "color".into(), kind: ColumnKind::Number },
            vec![None],
        )]);
        let e = colors(&["red"], &[0.0]).conform(&numbers.unwrap()).unwrap_err();
        assert!(e.to_string().contains("held categories in training, but holds numbers"), "{e}");
    }
}
