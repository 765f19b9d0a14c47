//! Inputs of a committee besides the dissimilarity of strings, series and graphs: the bag of a sample's parts, and a
//! summary in a few columns. The dissimilarity counts as much as the other two together.
//!
//! A single dissimilarity can be blind: short strings are close to everything. Views made from the dissimilarity
//! alone did not help (docs/research/2026-11-18-kinds.md); views of the sample itself did.

mod bag;
mod bag_index;
mod graph;
mod series;
mod summary;
mod text;

use std::sync::Arc;

use super::{Changed, Dissimilarity, LeaveOneOut, Panel, View, Views};
use crate::sample::Sample;

pub use bag::Bag;
use bag::BagView;
pub(crate) use graph::{GraphSight, Labels};
pub(crate) use series::SeriesSight;
use summary::{SummaryLeftOut, SummaryPanel, SummaryView};
pub(crate) use text::TextSight;

/// Weights of the bag and of the summary, relative to the dissimilarity.
const PARTS: f64 = 0.5;
const SUMMARY: f64 = 0.5;
/// Number of names before the columns of the summary: the dissimilarity and the bag.
pub(crate) const SEEN_WHOLE: usize = 2;

/// Bag and summary of a sample. Only what these depend on is learned from the training samples.
pub trait Sight<S: ?Sized>: Send + Sync {
    /// Learns from the training samples.
    fn learn(&mut self, _samples: &[&S]) {}

    /// The parts of a sample.
    fn bag(&self, one: &S) -> Bag;

    /// The columns of the summary, all finite.
    fn summary(&self, one: &S) -> Vec<f64>;

    /// The columns of the summary in human-readable form: a length, not its logarithm.
    fn values(&self, one: &S) -> Vec<f64> {
        self.summary(one)
    }

    /// The names of the shares: of the sample as a whole, of its parts, and of the columns of the summary.
    fn names(&self) -> Vec<String>;
}

/// A fitted sight, and the table of the summaries of its samples.
pub(crate) struct Learned<S: ?Sized> {
    pub(crate) sight: Arc<dyn Sight<S>>,
    /// The summaries of the training samples.
    pub(crate) rows: Vec<Vec<f64>>,
    table: Views,
}

impl<S: ?Sized + Sample> Learned<S> {
    /// From a sight and the training samples.
    pub(crate) fn new(mut sight: Box<dyn Sight<S>>, samples: &[&S]) -> Self {
        sight.learn(samples);
        let rows = crate::parallel::map(samples.len(), 16, &|i| sight.summary(samples[i]));
        let mut table = Views::new();
        let refs: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let names = sight.names().split_off(SEEN_WHOLE);
        table.learn_rows(&refs, &names);
        Self { sight: sight.into(), rows, table }
    }

    /// The training samples as rows.
    fn refs(&self) -> Vec<&[f64]> {
        self.rows.iter().map(Vec::as_slice).collect()
    }

    /// The weight of a view of the summary, relative to a view of a table.
    fn factor(&self) -> f64 {
        SUMMARY / self.table.total_weight()
    }
}

/// The total weight of the views and panels of a measure, with and without a sight.
pub(super) fn total_weight(has_sight: bool) -> f64 {
    if has_sight { 1.0 + PARTS + SUMMARY } else { 1.0 }
}

/// The views of a measure and of its sight.
pub(super) fn views<S: ?Sized + Sample>(
    name: &str,
    measure: Box<dyn Dissimilarity<S>>,
    sight: Option<Box<dyn Sight<S>>>,
    samples: &[&S],
) -> Vec<View<S>> {
    let whole = View { name: name.to_owned(), weight: 1.0, measure, feature: Some(0) };
    let Some(sight) = sight else { return vec![View { feature: None, ..whole }] };
    let learned = Learned::new(sight, samples);
    let names = learned.sight.names();
    let bag = Box::new(BagView(Arc::clone(&learned.sight)));
    let parts = View { name: names[1].clone(), weight: PARTS, measure: bag, feature: Some(1) };
    let of_table = |view: View<[f64]>, table: Views| View {
        name: format!("summary, {}", view.name),
        weight: learned.factor() * view.weight,
        measure: Box::new(SummaryView { sight: Arc::clone(&learned.sight), table }) as Box<_>,
        feature: None,
    };
    let tables = Dissimilarity::<[f64]>::views(&learned.table, &[]).into_iter().zip(learned.table.each());
    let summary = tables.map(|(view, table)| of_table(view, table));
    [whole, parts].into_iter().chain(summary).collect()
}

/// The panels of the summary.
pub(super) fn panels<S: ?Sized + Sample>(
    sight: Option<Box<dyn Sight<S>>>,
    samples: &[&S],
    kept: &[u32],
) -> Vec<Box<dyn Panel<S>>> {
    let Some(sight) = sight else { return Vec::new() };
    let learned = Learned::new(sight, samples);
    let factor = learned.factor();
    let panels = Dissimilarity::<[f64]>::panels(&learned.table, &learned.refs(), kept);
    let of_summary = |panel| SummaryPanel { sight: Arc::clone(&learned.sight), panel, factor };
    panels.into_iter().map(|panel| Box::new(of_summary(panel)) as Box<dyn Panel<S>>).collect()
}

/// The summaries as if learned without a sample; dissimilarity and bag do not depend on other samples.
pub(super) fn leave_one_out<S: ?Sized + Sample>(
    sight: Option<Box<dyn Sight<S>>>,
    samples: &[&S],
) -> Option<Box<dyn LeaveOneOut>> {
    let learned = Learned::new(sight?, samples);
    let table = Dissimilarity::<[f64]>::leave_one_out(&learned.table, &learned.refs())?;
    Some(Box::new(SummaryLeftOut(table)))
}

/// The columns of the summary that are constant in training.
pub(super) fn changed<S: ?Sized + Sample>(
    sight: Option<Box<dyn Sight<S>>>,
    samples: &[&S],
) -> Option<Changed<S>> {
    let learned = Learned::new(sight?, samples);
    let weight = SUMMARY / total_weight(true);
    let of = move |one: &S| {
        let changes = learned.table.changes(&learned.sight.summary(one));
        changes.into_iter().map(|f| f + SEEN_WHOLE).collect()
    };
    Some(Changed { weight, of: Box::new(of) })
}
