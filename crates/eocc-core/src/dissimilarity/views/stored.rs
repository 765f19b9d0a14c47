//! Views to and from the state of a measure: stores counts and sorted values; everything else follows from them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::columns::{Columns, Levels};
use super::{TableView, Views};
use crate::error::{ModelFault, Result};
use crate::numbers::{Numbers, State};

#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    only: Option<TableView>,
    rows: usize,
    #[serde(default)]
    most_missing: [usize; 2],
    weights: Vec<f64>,
    names: Vec<String>,
    columns: Vec<StoredColumn>,
}

#[derive(Serialize, Deserialize)]
struct StoredColumn {
    /// The numbers, ascending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    numbers: Option<Numbers>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    levels: Option<StoredLevels>,
}

#[derive(Serialize, Deserialize)]
struct StoredLevels {
    counts: Vec<usize>,
    of_numbers: bool,
    ordered: bool,
}

impl Views {
    pub(super) fn stored(&self) -> Option<Value> {
        let column = |c: &super::columns::Column| StoredColumn {
            numbers: c.number.as_ref().map(|n| Numbers::Here(n.sorted.to_vec())),
            levels: c.levels.as_ref().map(|l| {
                let (of_numbers, ordered) = l.form();
                StoredLevels { counts: l.counts.clone(), of_numbers, ordered }
            }),
        };
        let stored = Stored {
            only: self.only,
            rows: self.columns.rows,
            most_missing: self.columns.most_missing,
            weights: self.weights.clone(),
            names: self.names.clone(),
            columns: self.columns.all.iter().map(column).collect(),
        };
        serde_json::to_value(stored).ok()
    }

    pub(super) fn restored(state: &State<'_>) -> Result<Self> {
        let mut stored: Stored = state.read()?;
        for column in &mut stored.columns {
            if let Some(numbers) = column.numbers.take() {
                column.numbers = Some(Numbers::Here(state.numbers(numbers)?));
            }
        }
        if !stored.is_sound() {
            return Err(ModelFault::Damaged("the dissimilarity's state is out of range".into()).into());
        }
        let column = |c: StoredColumn| {
            let levels = c.levels.map(|l| Levels::restored(l.counts, l.of_numbers, l.ordered));
            (c.numbers.map(Numbers::into_values), levels)
        };
        let columns =
            Columns::new(stored.rows, stored.most_missing, stored.columns.into_iter().map(column).collect());
        let (weights, names) = (stored.weights, stored.names);
        Ok(Self { only: stored.only, columns: Arc::new(columns), weights, names })
    }
}

impl Stored {
    fn is_sound(&self) -> bool {
        let are_columns = self.columns.iter().all(|c| c.is_sound(self.rows));
        let are_weights = self.weights.iter().all(|w| (0.0..=1.0).contains(w));
        // There is a normal score for every rank.
        let is_filled = self.columns.is_empty() == (self.rows == 0);
        are_columns && are_weights && is_filled && self.weights.len() == self.columns.len()
    }
}

impl StoredColumn {
    fn is_sound(&self, rows: usize) -> bool {
        let numbers = self.numbers.as_ref().map(Numbers::values);
        let are_numbers =
            numbers.is_none_or(|n| n.len() <= rows && n.is_sorted() && n.iter().all(|v| v.is_finite()));
        match &self.levels {
            None => are_numbers && numbers.is_some_and(|n| n.len() == rows),
            Some(levels) => {
                let sum = levels.counts.iter().try_fold(0_usize, |sum, c| sum.checked_add(*c));
                let has_form = levels.of_numbers == numbers.is_some()
                    && levels.counts.len() >= 2
                    && (!levels.of_numbers || levels.counts.len() == 3);
                are_numbers
                    && has_form
                    && sum == Some(rows)
                    && numbers.is_none_or(|n| n.len() == levels.counts[0])
            }
        }
    }
}
