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
#[derive(Debug, Clone)]
pub struct MixedRow {
    pub(crate) cells: Vec<f64>,
    pub(crate) columns: Arc<Vec<MixedColumn>>,
}

impl MixedRow {
    /// The columns.
    pub fn columns(&self) -> &[MixedColumn] {
        &self.columns
    }
}

/// Rows of a mixed table.
#[derive(Debug, Clone)]
pub struct MixedTable {
    rows: Vec<MixedRow>,
    columns: Arc<Vec<MixedColumn>>,
    names: Vec<String>,
}

impl MixedTable {
    /// From columns with their cells: numbers; 0 or 1; or ranks of levels, or [`UNKNOWN_LEVEL`]; `None` if missing.
    pub fn new(columns: Vec<(MixedColumn, Vec<Option<f64>>)>) -> Result<Self> {
        let count = columns.first().map_or(0, |c| c.1.len());
        if columns.is_empty() {
            return Err(Error::input("the table has no columns; give at least one"));
        }
        let mut rows = vec![Vec::with_capacity(columns.len()); count];
        for (column, cells) in &columns {
            let name = &column.name;
            if cells.len() != count {
                return Err(Error::input(format!(
                    "column `{name}` has {} rows, but must have {count}",
                    cells.len()
                )));
            }
            let levels = match &column.kind {
                ColumnKind::Number | ColumnKind::Date(_) => None,
                ColumnKind::Boolean => Some(2),
                ColumnKind::Category(levels) | ColumnKind::Ordered(levels) => Some(levels.len()),
            };
            for ((row, cell), at) in rows.iter_mut().zip(cells).zip(0..) {
                let value = cell.unwrap_or(f64::NAN);
                let is_sound = match (cell, levels) {
                    (None, _) => true,
                    (Some(v), None) => v.abs() <= 1e150,
                    (Some(v), Some(levels)) => {
                        v.fract().abs() < f64::EPSILON && *v >= UNKNOWN_LEVEL && *v < levels as f64
                    }
                };
                if !is_sound {
                    return Err(Error::input(format!(
                        "row {at}, column `{name}`: the value is {value}, which the column cannot hold"
                    )));
                }
                row.push(value);
            }
        }
        let columns: Arc<Vec<MixedColumn>> = Arc::new(columns.into_iter().map(|c| c.0).collect());
        let names = columns.iter().map(|c| c.name.clone()).collect();
        let rows = rows.into_iter().map(|cells| MixedRow { cells, columns: columns.clone() }).collect();
        Ok(Self { rows, columns, names })
    }

    /// The columns.
    pub fn columns(&self) -> &[MixedColumn] {
        &self.columns
    }

    /// The cells of a column, `None` if missing.
    pub(crate) fn cells(&self, column: usize) -> impl Iterator<Item = Option<f64>> + Clone + '_ {
        self.rows.iter().map(move |row| Some(row.cells[column]).filter(|cell| !cell.is_nan()))
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

impl ColumnKind {
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
        Some(facts::duplicates(self.rows.iter().map(|row| facts::bits(&row.cells))))
    }

    fn content_hash(&self, i: usize) -> Option<u64> {
        let of_cell = |(column, cell): (&MixedColumn, &f64)| match &column.kind {
            // Levels by name: their codes depend on which occurs first.
            ColumnKind::Category(levels) | ColumnKind::Ordered(levels) => {
                levels.get(*cell as usize).map_or(0, |level| facts::hash_of_text(level))
            }
            _ => facts::hash_of_set(&[*cell]),
        };
        Some(self.columns.iter().zip(&self.rows[i].cells).map(of_cell).fold(0, u64::wrapping_add))
    }

    fn feature(&self, feature: usize) -> Option<(ColumnKind, Vec<Option<f64>>)> {
        Some((self.columns.get(feature)?.kind.clone(), self.cells(feature).collect()))
    }

    fn is_table(&self) -> bool {
        true
    }

    fn is_incomplete(&self, row: usize) -> bool {
        self.rows[row].cells.iter().any(|v| v.is_nan())
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
        let values = self.rows.iter().flat_map(|row| row.cells.clone()).collect();
        Vectors::with_names(Matrix::new(values, self.count(), self.columns.len()), names).map(Some)
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self {
            rows: indices.iter().map(|&i| self.rows[i].clone()).collect(),
            columns: self.columns.clone(),
            names: self.names.clone(),
        }
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
        let rows = others.rows.iter().map(|row| {
            let cells = row.cells.iter().zip(&translation).map(|(cell, levels)| match levels {
                Some(levels) if *cell >= 0.0 => levels.get(*cell as usize).copied().unwrap_or(UNKNOWN_LEVEL),
                _ => *cell,
            });
            MixedRow { cells: cells.collect(), columns: self.columns.clone() }
        });
        let rows = rows.collect();
        Ok(Cow::Owned(Self { rows, columns: self.columns.clone(), names: self.names.clone() }))
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
    fn levels_are_told_by_name() {
        let model = colors(&["blue", "red"], &[0.0, 1.0]);
        let others = colors(&["green", "red"], &[0.0, 1.0]);
        let conformed = model.conform(&others).unwrap();
        assert_eq!(conformed.sample(0).cells, [UNKNOWN_LEVEL]);
        assert_eq!(conformed.sample(1).cells, [1.0]);
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
