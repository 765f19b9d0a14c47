//! The summary of a sample as a row of a table: applies `views` to the summaries.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::super::views::Views;
use super::super::{Dissimilarity, Index, LeaveOneOut, LeftOutScores, Nearest, Panel, Prepared, Query};
use super::{SEEN_WHOLE, Sight};
use crate::sample::Sample;

/// One view of the summary.
pub(super) struct SummaryView<S: ?Sized> {
    pub(super) sight: Arc<dyn Sight<S>>,
    pub(super) table: Views,
}

impl<S: ?Sized + Sample> SummaryView<S> {
    fn rows(&self, many: &[&S]) -> Vec<Vec<f64>> {
        crate::parallel::map(many.len(), 16, &|i| self.sight.summary(many[i]))
    }
}

impl<S: ?Sized + Sample> Dissimilarity<S> for SummaryView<S> {
    fn name(&self) -> &'static str {
        "summary"
    }

    fn between(&self, a: &S, b: &S) -> f64 {
        let (a, b) = (self.sight.summary(a), self.sight.summary(b));
        Dissimilarity::<[f64]>::between(&self.table, &a, &b)
    }

    fn shares(&self, a: &S, b: &S) -> Vec<f64> {
        let (a, b) = (self.sight.summary(a), self.sight.summary(b));
        let mut shares = vec![0.0; SEEN_WHOLE];
        shares.extend(Dissimilarity::<[f64]>::shares(&self.table, &a, &b));
        shares
    }

    /// Derived from the samples.
    fn state(&self) -> Option<Value> {
        None
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<S>> {
        Box::new(Self { sight: Arc::clone(&self.sight), table: self.table.clone() })
    }

    fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>> {
        let rows = self.rows(many);
        let refs: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        Box::new(Summaries { sight: Arc::clone(&self.sight), of: self.table.prepare(&refs) })
    }

    fn is_cheap_per_row(&self) -> bool {
        true
    }

    fn index_width(&self) -> Option<usize> {
        Dissimilarity::<[f64]>::index_width(&self.table)
    }

    fn index(&self, many: &[&S], counting: usize) -> Option<Box<dyn Index<S>>> {
        let rows = self.rows(many);
        let refs: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let of = self.table.index(&refs, counting)?;
        Some(Box::new(Summaries { sight: Arc::clone(&self.sight), of }))
    }
}

/// Something that works on summaries, applied to samples.
struct Summaries<S: ?Sized, T> {
    sight: Arc<dyn Sight<S>>,
    of: T,
}

impl<S: ?Sized> Prepared<S> for Summaries<S, Box<dyn Prepared<[f64]>>> {
    fn fill(&self, one: &S, range: Range<usize>, out: &mut [f64]) {
        self.of.fill(&self.sight.summary(one), range, out);
    }

    fn fill_some(&self, one: &S, which: &[usize], out: &mut [f64]) {
        self.of.fill_some(&self.sight.summary(one), which, out);
    }
}

impl<S: ?Sized> Index<S> for Summaries<S, Box<dyn Index<[f64]>>> {
    fn nearest(&self, one: &S, query: &Query) -> Nearest {
        self.of.nearest(&self.sight.summary(one), query)
    }

    fn leaf_rank(&self, one: &S) -> u32 {
        self.of.leaf_rank(&self.sight.summary(one))
    }

    fn order(&self) -> Vec<u32> {
        self.of.order()
    }
}

/// Training samples, each left out of what the table of summaries learned.
pub(super) struct SummaryLeftOut(pub(super) Box<dyn LeaveOneOut>);

impl LeaveOneOut for SummaryLeftOut {
    fn fill(&self, view: usize, i: usize, others: &[u32], out: &mut [f64]) {
        // The views before it, dissimilarity and bag, learn nothing from other samples.
        if let Some(view) = view.checked_sub(SEEN_WHOLE) {
            self.0.fill(view, i, others, out);
        }
    }

    fn changes(&self, i: usize) -> usize {
        self.0.changes(i)
    }

    fn fill_subsets(&self, view: usize, i: usize, subsets: &[Vec<u32>], others: &mut [Vec<(u32, f64)>]) {
        self.0.fill_subsets(view, i, subsets, others);
    }

    fn coordinates(&self, view: usize, i: usize) -> Vec<f64> {
        self.0.coordinates(view, i)
    }

    fn normal_scores(&self, i: usize) -> [Vec<f64>; 2] {
        self.0.normal_scores(i)
    }
}

/// A panel of the table of summaries.
pub(super) struct SummaryPanel<S: ?Sized> {
    pub(super) sight: Arc<dyn Sight<S>>,
    pub(super) panel: Box<dyn Panel<[f64]>>,
    pub(super) factor: f64,
}

impl<S: ?Sized> Panel<S> for SummaryPanel<S> {
    fn name(&self) -> String {
        format!("summary, {}", self.panel.name())
    }

    fn weight(&self) -> f64 {
        self.factor * self.panel.weight()
    }

    fn count(&self) -> usize {
        self.panel.count()
    }

    fn scores(&self, one: &S, few: usize) -> Vec<f64> {
        self.panel.scores(&self.sight.summary(one), few)
    }

    fn left_out(
        &self,
        i: usize,
        one: &S,
        few: usize,
        twin: Option<u32>,
        left_out: &dyn LeaveOneOut,
    ) -> LeftOutScores {
        self.panel.left_out(i, &self.sight.summary(one), few, twin, left_out)
    }

    fn features(&self, score: usize) -> Vec<usize> {
        self.panel.features(score).into_iter().map(|f| f + SEEN_WHOLE).collect()
    }
}
