//! Missing values: where they are, and what is usual in their place.

use super::{ColumnKind, MixedColumn, MixedTable, Part, Records, SampleSet, Vectors};
use crate::error::{Error, Result};
use crate::kinds::AnySamples;
use crate::matrix::Matrix;

impl ColumnKind {
    /// What is usual in a column: the median of numbers and places, the lower one of two, and else the most frequent
    /// level, the first of several. NaN is missing; nothing is usual where all are.
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

impl AnySamples {
    /// The first row and column without a value.
    pub fn first_missing(&self) -> Option<(usize, String)> {
        if let Some(vectors) = self.downcast_ref::<Vectors>() {
            let (row, column) = vectors.first_missing()?;
            let name = vectors.feature_names().get(column).cloned();
            Some((row, name.unwrap_or_else(|| column.to_string())))
        } else if let Some(table) = self.downcast_ref::<MixedTable>() {
            let of_column = |c: usize| Some((table.cells(c).position(|cell| cell.is_none())?, c));
            let first = (0..table.columns().len()).filter_map(of_column).min()?;
            Some((first.0, table.columns()[first.1].name.clone()))
        } else {
            let records = self.downcast_ref::<Records>()?;
            records.parts().iter().filter_map(|part| part.samples.first_missing()).min()
        }
    }

    /// The rows that lack a value, in order.
    pub fn rows_with_missing(&self) -> Vec<usize> {
        let is_missing: Box<dyn Fn(usize) -> bool> = if let Some(vectors) = self.downcast_ref::<Vectors>() {
            Box::new(|row| vectors.sample(row).iter().any(|v| v.is_nan()))
        } else if let Some(table) = self.downcast_ref::<MixedTable>() {
            Box::new(|row| table.sample(row).cells.iter().any(|v| v.is_nan()))
        } else if let Some(records) = self.downcast_ref::<Records>() {
            let parts: Vec<Vec<usize>> =
                records.parts().iter().map(|part| part.samples.rows_with_missing()).collect();
            Box::new(move |row| parts.iter().any(|rows| rows.binary_search(&row).is_ok()))
        } else {
            return Vec::new();
        };
        (0..self.count()).filter(|&row| is_missing(row)).collect()
    }

    /// The same with what is usual among `like` in the place of what is missing: the median of numbers, the most frequent
    /// level. Numbers only are vectors then. Fails where nothing is usual.
    pub fn filled(&self, like: &Self) -> Result<Self> {
        if let Some(vectors) = self.downcast_ref::<Vectors>() {
            let usual = |column: usize| match like.downcast_ref::<Vectors>() {
                Some(like) => ColumnKind::Number.usual((0..like.count()).map(|i| like.sample(i)[column])),
                None => None,
            };
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
            let matrix = Matrix::new(values, vectors.count(), width);
            return Ok(Vectors::with_names(matrix, vectors.feature_names().to_vec())?.into());
        }
        if let Some(table) = self.downcast_ref::<MixedTable>() {
            return filled_table(table, like.expect::<MixedTable>()?);
        }
        if let Some(records) = self.downcast_ref::<Records>() {
            let like = like.expect::<Records>()?.parts();
            let parts = records.parts().into_iter().zip(&like).map(|(part, like)| {
                Ok(Part { samples: part.samples.filled(&like.samples)?, name: part.name })
            });
            return Ok(Records::new(parts.collect::<Result<_>>()?)?.into());
        }
        Ok(self.clone())
    }
}

fn filled_table(table: &MixedTable, like: &MixedTable) -> Result<AnySamples> {
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
    if columns.iter().any(|(column, _)| column.kind != ColumnKind::Number) {
        return Ok(MixedTable::new(columns)?.into());
    }
    let names = columns.iter().map(|(column, _)| column.name.clone()).collect();
    let cell = |row: usize| columns.iter().map(move |(_, cells)| cells[row].unwrap_or(f64::NAN));
    let values = (0..table.count()).flat_map(cell).collect();
    Ok(Vectors::with_names(Matrix::new(values, table.count(), columns.len()), names)?.into())
}

impl MixedTable {
    /// What is usual in a column of this table, as a cell of another table with the column `other`, whose levels may
    /// stand in another order, and gain one.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table(sizes: &[Option<f64>], colours: &[Option<f64>], levels: &[&str]) -> AnySamples {
        let levels = levels.iter().map(ToString::to_string).collect();
        let size = MixedColumn { name: "size".into(), kind: ColumnKind::Number };
        let colour = MixedColumn { name: "colour".into(), kind: ColumnKind::Category(levels) };
        MixedTable::new(vec![(size, sizes.to_vec()), (colour, colours.to_vec())]).unwrap().into()
    }

    #[test]
    fn medians_and_frequent_levels_fill() {
        let trained = table(
            &[Some(1.0), Some(9.0), None, Some(2.0)],
            &[Some(1.0), Some(1.0), Some(0.0), None],
            &["blue", "red"],
        );
        assert_eq!(trained.first_missing(), Some((2, "size".to_owned())));
        assert_eq!(trained.rows_with_missing(), [2, 3]);
        let filled = trained.filled(&trained).unwrap();
        let rows = filled.downcast_ref::<MixedTable>().unwrap();
        assert_eq!((rows.sample(2).cells[0], rows.sample(3).cells[1]), (2.0, 1.0));
        assert_eq!(filled.first_missing(), None);
        // Levels go by their names.
        let new = table(&[None], &[None], &["red", "white"]).filled(&trained).unwrap();
        assert_eq!(new.downcast_ref::<MixedTable>().unwrap().sample(0).cells, [2.0, 0.0]);
        let new = table(&[None], &[None], &["white"]).filled(&trained).unwrap();
        assert_eq!(new.downcast_ref::<MixedTable>().unwrap().sample(0).cells, [2.0, 1.0]);
    }

    #[test]
    fn numbers_become_vectors() {
        let column = MixedColumn { name: "a".into(), kind: ColumnKind::Number };
        let table: AnySamples = MixedTable::new(vec![(column, vec![Some(1.0), None])]).unwrap().into();
        let filled = table.filled(&table).unwrap();
        assert_eq!(filled.downcast_ref::<Vectors>().unwrap().matrix().values(), [1.0, 1.0]);
        let holes = Vectors::with_missing(Matrix::new(vec![f64::NAN, 3.0], 2, 1), Vec::new()).unwrap();
        let holes = AnySamples::from(holes);
        assert_eq!(holes.first_missing(), Some((0, "0".to_owned())));
        assert_eq!(
            holes.filled(&filled).unwrap().downcast_ref::<Vectors>().unwrap().matrix().values(),
            [1.0, 3.0]
        );
        let none = Vectors::with_missing(Matrix::new(vec![f64::NAN], 1, 1), Vec::new()).unwrap();
        let none = AnySamples::from(none);
        assert!(none.filled(&none).unwrap_err().to_string().contains("no value at all"));
    }
}
