//! Mixed tables: Gower's dissimilarity (1971) and HEOM (Wilson and Martinez 1997).
//!
//! Each column gives a difference `d_f`: for numbers `|x - y|` over the range in training, for ordered categories the
//! difference of ranks over the largest rank, for categories and booleans 0 if equal and 1 if not. Gower is the
//! weighted mean of them, HEOM is `sqrt(sum_f p_f d_f^2)`. The weights `p_f` in [0, 1] are the parameters.
//!
//! A missing value differs by 1 in HEOM. Gower (1971) excludes it from the mean; then rows with few columns in common
//! look near, and a single row with many missing values makes any outlier look nominal. Here it is replaced by the
//! median of its column, or its most frequent level.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Dissimilarity, Entry, Parameter, Prepared, Properties, Settings};
use crate::error::{Error, Result};
use crate::numbers::State;
use crate::sample::{ColumnKind, MixedRow};

/// How the differences of the columns are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mean {
    /// The weighted mean, with missing values replaced by typical ones.
    Gower,
    /// The Euclidean norm; a missing value differs by 1.
    Heom,
}

/// A dissimilarity of rows of a mixed table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gower {
    mean: Mean,
    columns: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Column {
    name: String,
    weight: f64,
    /// The divisor of a difference; `None` if values are only equal or not.
    range: Option<f64>,
    /// The replacement for a missing value; `None` in old model files, and if training has no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usual: Option<f64>,
}

impl Gower {
    /// With all weights 1.
    pub fn new(mean: Mean) -> Self {
        Self { mean, columns: Vec::new() }
    }

    fn of_cells(&self, a: &[f64], b: &[f64]) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for ((x, y), column) in a.iter().zip(b).zip(&self.columns) {
            let (x, y) = match self.mean {
                Mean::Gower => (column.or_usual(*x), column.or_usual(*y)),
                Mean::Heom => (*x, *y),
            };
            let difference = column.difference(x, y);
            match self.mean {
                Mean::Gower if x.is_nan() || y.is_nan() => {}
                Mean::Gower => {
                    sum += column.weight * difference;
                    weights += column.weight;
                }
                Mean::Heom => sum += column.weight * difference * difference,
            }
        }
        match self.mean {
            Mean::Heom => sum.sqrt(),
            Mean::Gower if weights > 0.0 => sum / weights,
            // Nothing to compare, so the maximum.
            Mean::Gower => 1.0,
        }
    }

    fn is_sound(&self) -> bool {
        let is_column = |c: &Column| (0.0..=1.0).contains(&c.weight) && c.range.is_none_or(f64::is_normal);
        !self.columns.is_empty() && self.columns.iter().all(is_column)
    }
}

impl Column {
    fn or_usual(&self, x: f64) -> f64 {
        if x.is_nan() { self.usual.unwrap_or(x) } else { x }
    }

    fn difference(&self, x: f64, y: f64) -> f64 {
        match self.range {
            _ if x.is_nan() || y.is_nan() => 1.0,
            // A level unknown in training.
            Some(_) if self.is_place() && (x < 0.0 || y < 0.0) => 1.0,
            Some(range) => (x - y).abs() / range.abs(),
            None if x < 0.0 || y < 0.0 => 1.0,
            None => f64::from(u8::from(x.to_bits() != y.to_bits())),
        }
    }

    /// Ordered categories store the number of steps as a negative range, since ranks may be unknown.
    fn is_place(&self) -> bool {
        self.range.is_some_and(|r| r < 0.0)
    }
}

fn range(kind: &ColumnKind, values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    match kind {
        ColumnKind::Boolean | ColumnKind::Category(_) => None,
        ColumnKind::Ordered(levels) => Some(-(levels.len().saturating_sub(1).max(1) as f64)),
        ColumnKind::Number | ColumnKind::Date(_) => {
            let known = values.filter(|v| !v.is_nan());
            let low = known.clone().fold(f64::INFINITY, f64::min);
            let high = known.fold(f64::NEG_INFINITY, f64::max);
            // Constant in training: a change by its own size counts as one.
            Some(if high > low {
                high - low
            } else if high.is_finite() && high.abs() > f64::MIN_POSITIVE {
                high.abs()
            } else {
                1.0
            })
        }
    }
}

impl Dissimilarity<MixedRow> for Gower {
    fn name(&self) -> &'static str {
        match self.mean {
            Mean::Gower => "gower",
            Mean::Heom => "heom",
        }
    }

    fn learn(&mut self, samples: &[&MixedRow], _names: &[String]) -> Result<()> {
        let Some(first) = samples.first() else { return Ok(()) };
        let columns = first.columns().iter().enumerate();
        self.columns = columns
            .map(|(f, column)| Column {
                name: column.name.clone(),
                weight: 1.0,
                range: range(&column.kind, samples.iter().map(|s| s.cells()[f])),
                usual: column.kind.usual(samples.iter().map(|s| s.cells()[f])),
            })
            .collect();
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        let parameter = |c: &Column| Parameter { name: c.name.clone(), low: 0.0, high: 1.0, value: c.weight };
        self.columns.iter().map(parameter).collect()
    }

    fn set(&mut self, p: &[f64]) {
        for (column, p) in self.columns.iter_mut().zip(p) {
            column.weight = *p;
        }
    }

    fn check(&self, sample: &MixedRow) -> Result<()> {
        if self.columns.is_empty() || sample.cells().len() == self.columns.len() {
            return Ok(());
        }
        Err(Error::input(format!(
            "the row has {} columns, but must have {}",
            sample.cells().len(),
            self.columns.len()
        )))
    }

    fn between(&self, a: &MixedRow, b: &MixedRow) -> f64 {
        self.of_cells(a.cells(), b.cells())
    }

    fn shares(&self, a: &MixedRow, b: &MixedRow) -> Vec<f64> {
        let term = |((x, y), column): ((&f64, &f64), &Column)| {
            let (x, y) = match self.mean {
                Mean::Gower => (column.or_usual(*x), column.or_usual(*y)),
                Mean::Heom => (*x, *y),
            };
            let difference = column.difference(x, y);
            match self.mean {
                Mean::Gower if x.is_nan() || y.is_nan() => 0.0,
                Mean::Gower => column.weight * difference,
                Mean::Heom => column.weight * difference * difference,
            }
        };
        super::shares::of_terms(a.cells().iter().zip(b.cells()).zip(&self.columns).map(term).collect())
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<MixedRow>> {
        Box::new(self.clone())
    }

    fn properties(&self) -> Properties {
        Properties { needs_fold_calibration: true, takes_missing: true, ..Properties::default() }
    }

    fn prepare(&self, many: &[&MixedRow]) -> Box<dyn Prepared<MixedRow>> {
        Box::new(Many { d: self.clone(), many: many.iter().map(|row| row.cells().to_vec()).collect() })
    }
}

struct Many {
    d: Gower,
    many: Vec<Vec<f64>>,
}

impl Prepared<MixedRow> for Many {
    fn fill(&self, one: &MixedRow, range: Range<usize>, out: &mut [f64]) {
        for (o, other) in out.iter_mut().zip(&self.many[range]) {
            *o = self.d.of_cells(one.cells(), other);
        }
    }
}

fn make(mean: Mean, settings: &Settings) -> Result<Box<dyn Dissimilarity<MixedRow>>> {
    let d = Gower::new(mean);
    settings.only(d.name(), &[])?;
    Ok(Box::new(d))
}

fn restore(state: &State<'_>) -> Result<Box<dyn Dissimilarity<MixedRow>>> {
    super::restored(state, |d: Gower| d.is_sound().then(|| d.boxed()))
}

pub(crate) const GOWER: Entry<MixedRow> = Entry {
    name: "gower",
    summary: "mean difference of the columns; a missing value is the median or the most frequent level",
    make: |s| make(Mean::Gower, s),
    restore,
};

pub(crate) const HEOM: Entry<MixedRow> = Entry {
    name: "heom",
    summary: "norm of the differences, a missing value counting as 1",
    make: |s| make(Mean::Heom, s),
    restore,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{MixedColumn, MixedTable, SampleSet};

    #[test]
    fn a_table_matches_hand_computation() {
        let names = |levels: &[&str]| levels.iter().map(ToString::to_string).collect::<Vec<_>>();
        let column = |name: &str, kind| MixedColumn { name: name.into(), kind };
        let table = MixedTable::new(vec![
            (column("size", ColumnKind::Number), vec![Some(1.0), Some(3.0), Some(5.0)]),
            (
                column("color", ColumnKind::Category(names(&["blue", "red"]))),
                vec![Some(0.0), Some(1.0), None],
            ),
            (
                column("grade", ColumnKind::Ordered(names(&["c", "b", "a"]))),
                vec![Some(0.0), Some(2.0), Some(1.0)],
            ),
            (column("old", ColumnKind::Boolean), vec![Some(1.0), Some(1.0), None]),
        ])
        .unwrap();
        let refs = table.refs();
        let mut gower = Gower::new(Mean::Gower);
        gower.learn(&refs, &[]).unwrap();
        let mut heom = Gower::new(Mean::Heom);
        heom.learn(&refs, &[]).unwrap();
        // size 2/4, color 1, grade 2/2, old 0.
        assert!((gower.between(refs[0], refs[1]) - 2.5 / 4.0).abs() < 1e-15);
        assert!((heom.between(refs[0], refs[1]) - 2.25_f64.sqrt()).abs() < 1e-15);
        // size 4/4, grade 1/2; color and old are missing, and replaced by blue, the first of two, and true.
        assert!((gower.between(refs[0], refs[2]) - 1.5 / 4.0).abs() < 1e-15);
        assert!((heom.between(refs[0], refs[2]) - 3.25_f64.sqrt()).abs() < 1e-15);
        let shares = gower.shares(refs[0], refs[1]);
        assert!(shares.iter().zip([0.2, 0.4, 0.4, 0.0]).all(|(s, w)| (s - w).abs() < 1e-15), "{shares:?}");
        gower.set(&[0.5, 0.0, 1.0, 0.0]);
        assert!((gower.between(refs[0], refs[1]) - 1.25 / 1.5).abs() < 1e-15);
    }
}
