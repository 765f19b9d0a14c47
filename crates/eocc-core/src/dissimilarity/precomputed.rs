//! Given dissimilarities: a lookup.

use std::ops::Range;

use serde_json::{Value, json};

use super::{Dissimilarity, Entry, Prepared};
use crate::sample::PrecomputedRow;

/// The entry of the given matrix in the row of one sample and the column of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrecomputedLookup;

impl Dissimilarity<PrecomputedRow> for PrecomputedLookup {
    fn name(&self) -> &'static str {
        "precomputed"
    }

    fn between(&self, a: &PrecomputedRow, b: &PrecomputedRow) -> f64 {
        a.to(b.id)
    }

    fn state(&self) -> Option<Value> {
        Some(json!({}))
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<PrecomputedRow>> {
        Box::new(*self)
    }

    fn prepare(&self, many: &[&PrecomputedRow]) -> Box<dyn Prepared<PrecomputedRow>> {
        Box::new(Columns(many.iter().map(|row| row.id).collect()))
    }

    fn is_cheap_per_row(&self) -> bool {
        true
    }
}

/// The matrix columns of the prepared samples.
struct Columns(Vec<usize>);

impl Prepared<PrecomputedRow> for Columns {
    fn fill(&self, one: &PrecomputedRow, range: Range<usize>, out: &mut [f64]) {
        for (o, &column) in out.iter_mut().zip(&self.0[range]) {
            *o = one.to(column);
        }
    }
}

pub(crate) const ENTRY: Entry<PrecomputedRow> = Entry {
    name: "precomputed",
    summary: "a given matrix of dissimilarities",
    make: |s| {
        s.only("precomputed", &[])?;
        Ok(Box::new(PrecomputedLookup))
    },
    restore: |_| Ok(Box::new(PrecomputedLookup)),
};
