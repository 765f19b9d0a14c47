//! Missing values: where they are, and the typical values that replace them.

use super::{ColumnKind, MixedColumn, MixedTable, SampleSet, Vectors};
use crate::error::{Error, Result};
use crate::matrix::Matrix;

impl ColumnKind {
    /// The typical value of a column: the lower median of numbers and ranks, otherwise the most frequent level, ties
    /// going to the first. NaN is missing; there is none if all values are missing.
    pub(crate) fn usual(&self, values: impl Iterator<Item = f64>) -> Option<f64> {
        let mut known: Vec<f64> = values.filter(|v| !v.is_nan()).collect();
        known.sort_unstable_by(f64::total_cmp);
        match self {
            Self::Number | Self::Date(_) | Self::Ordered(_) => {
                known.get(known.len().saturating_sub(1) / 2).copied()
            }
            Self::Boolean | Self::Category(_) => {
                let runs = known.chunk_by(|a, b| a.to_bits() == b.to_bits());
                let longest = runs.reduce(|best, run| if run.len() > best.len() { run } else { best });
                longest.map(|run| run[0])
            }
        }
    }
}

/// Vectors with missing values replaced by the medians of `like`.
pub(super) fn filled_vectors(vectors: &Vectors, like: &Vectors) -> Result<Vectors> {
    let usual = |column: usize| ColumnKind::Number.usual((0..like.count()).map(|i| like.sample(i)[column]));
    let width = vectors.features();
    let mut columns: Vec<Option<f64>> = vec![None; width];
    let mut values = vectors.matrix().values().to_vec();
    for (at, value) in values.iter_mut().enumerate().filter(|(_, v)| v.is_nan()) {
        let column = at % width;
        if columns[column].is_none() {
            columns[column] = usual(column);
        }
        *value = columns[column].ok_or_else(|| nothing_usual(&column.to_string()))?;
    }
    Vectors::with_names(Matrix::new(values, vectors.count(), width), vectors.feature_names().to_vec())
}

/// A table with missing values replaced by the typical values of `like`.
pub(super) fn filled_table(table: &MixedTable, like: &MixedTable) -> Result<MixedTable> {
    let mut columns: Vec<(MixedColumn, Vec<Option<f64>>)> = Vec::with_capacity(table.columns().len());
    for (c, column) in table.columns().iter().enumerate() {
        let mut column = column.clone();
        let usual = like.usual_cell(c, &mut column);
        let fill = |cell: Option<f64>| match cell.or(usual) {
            Some(value) => Ok(Some(value)),
            None => Err(nothing_usual(&column.name)),
        };
        let cells = table.cells(c).map(fill).collect::<Result<_>>()?;
        columns.push((column, cells));
    }
    MixedTable::new(columns)
}

impl MixedTable {
    /// The typical value of a column of this table as a cell of another table with the column `other`, whose levels
    /// may be in a different order, and gain one.
    fn usual_cell(&self, column: usize, other: &mut MixedColumn) -> Option<f64> {
        let own = self.columns().get(column)?;
        let usual = own.kind.usual(self.cells(column).map(|cell| cell.unwrap_or(f64::NAN)))?;
        match (&own.kind, &mut other.kind) {
            (ColumnKind::Category(own), ColumnKind::Category(other))
            | (ColumnKind::Ordered(own), ColumnKind::Ordered(other)) => {
                let level = own.get(usual as usize)?;
                let place = other.iter().position(|o| o == level).unwrap_or_else(|| {
                    other.push(level.clone());
                    other.len() - 1
                });
                Some(place as f64)
            }
            _ => Some(usual),
        }
    }
}

fn nothing_usual(column: &str) -> Error {
    Error::input(format!("column `{column}` has no value at all to fill it with; leave it out"))
}
