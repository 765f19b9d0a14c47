//! A measure of any kind that counts its comparisons, those of its views, and the scores of its panels.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::{Size, Work};
use crate::dissimilarity::{
    Changed, Dissimilarity, Index, LeaveOneOut, LeftOutScores, Nearest, Panel, Parameter, Prepared,
    Properties, Query, View,
};
use crate::error::Result;
use crate::observer::{Observer, Progress};
use crate::sample::Sample;

/// Comparisons since the plan was made.
#[derive(Default)]
pub(super) struct Made {
    slow: AtomicUsize,
    rows: AtomicUsize,
    table: AtomicUsize,
    /// Distances as if a sample had been left out, and the calls for them.
    left_out: AtomicUsize,
    subsets: AtomicUsize,
    relations: AtomicUsize,
}

impl Made {
    /// The work that was done, in the units of a plan; `planned` has what is not counted.
    pub(super) fn work(&self, size: &Size, planned: &Work) -> Work {
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed) as f64;
        let of_each = |counter: &AtomicUsize, views: usize| count(counter) / views.max(1) as f64;
        let n = size.samples as f64;
        Work {
            compared: of_each(&self.slow, size.slow_views),
            placed: planned.placed,
            stored: planned.stored,
            rows: of_each(&self.rows, size.row_views),
            visited: count(&self.table),
            scored: planned.scored,
            left_out: count(&self.left_out),
            // Each call examines the same rows.
            subset_rows: count(&self.subsets) * planned.subset_rows / n,
            related: count(&self.relations),
        }
    }
}

impl Observer for Made {
    fn progress(&self, progress: &Progress<'_>) {
        if let Progress::Planned(_) = progress {
            for counter in
                [&self.slow, &self.rows, &self.table, &self.left_out, &self.subsets, &self.relations]
            {
                counter.store(0, Ordering::Relaxed);
            }
        }
    }
}

/// What a comparison is counted as.
#[derive(Clone, Copy)]
enum Kind {
    Slow,
    Row,
    Table,
}

/// Counts by kind.
#[derive(Clone)]
struct Counter {
    made: Arc<Made>,
    kind: Kind,
}

impl Counter {
    fn add(&self, count: usize) {
        let counter = match self.kind {
            Kind::Slow => &self.made.slow,
            Kind::Row => &self.made.rows,
            Kind::Table => &self.made.table,
        };
        counter.fetch_add(count, Ordering::Relaxed);
    }
}

/// A measure that counts.
pub(super) struct Counting<S: ?Sized> {
    inner: Box<dyn Dissimilarity<S>>,
    counter: Counter,
}

impl<S: ?Sized + Sample> Counting<S> {
    pub(super) fn new(inner: Box<dyn Dissimilarity<S>>) -> Self {
        Self::with(inner, &Arc::default())
    }

    fn with(inner: Box<dyn Dissimilarity<S>>, made: &Arc<Made>) -> Self {
        let kind = match (inner.is_cheap_per_row(), inner.index_width()) {
            (false, _) => Kind::Slow,
            (true, None) => Kind::Row,
            (true, Some(_)) => Kind::Table,
        };
        Self { inner, counter: Counter { made: Arc::clone(made), kind } }
    }

    pub(super) fn made(&self) -> Arc<Made> {
        Arc::clone(&self.counter.made)
    }
}

impl<S: ?Sized + Sample> Dissimilarity<S> for Counting<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn between(&self, a: &S, b: &S) -> f64 {
        self.counter.add(1);
        self.inner.between(a, b)
    }

    fn check(&self, sample: &S) -> Result<()> {
        self.inner.check(sample)
    }

    fn learn(&mut self, samples: &[&S], names: &[String]) -> Result<()> {
        self.inner.learn(samples, names)
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.inner.parameters()
    }

    fn set(&mut self, p: &[f64]) {
        self.inner.set(p);
    }

    fn properties(&self) -> Properties {
        self.inner.properties()
    }

    fn state(&self) -> Option<Value> {
        None
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<S>> {
        Box::new(Self { inner: self.inner.boxed(), counter: self.counter.clone() })
    }

    fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>> {
        Box::new(CountingPrepared { inner: self.inner.prepare(many), counter: self.counter.clone() })
    }

    fn effort(&self, sample: &S) -> usize {
        self.inner.effort(sample)
    }

    fn is_cheap_per_row(&self) -> bool {
        self.inner.is_cheap_per_row()
    }

    fn has_bounds(&self) -> bool {
        self.inner.has_bounds()
    }

    fn index_width(&self) -> Option<usize> {
        self.inner.index_width()
    }

    fn index(&self, many: &[&S], counting: usize) -> Option<Box<dyn Index<S>>> {
        let inner = self.inner.index(many, counting)?;
        Some(Box::new(CountingIndex { inner, counter: self.counter.clone() }))
    }

    fn views(&self, samples: &[&S]) -> Vec<View<S>> {
        let counting =
            |view: View<S>| View { measure: Box::new(Self::with(view.measure, &self.counter.made)), ..view };
        self.inner.views(samples).into_iter().map(counting).collect()
    }

    fn total_weight(&self) -> f64 {
        self.inner.total_weight()
    }

    fn panels(&self, samples: &[&S], kept: &[u32]) -> Vec<Box<dyn Panel<S>>> {
        let counting = |inner| {
            Box::new(CountingPanel { inner, made: Arc::clone(&self.counter.made) }) as Box<dyn Panel<S>>
        };
        self.inner.panels(samples, kept).into_iter().map(counting).collect()
    }

    fn leave_one_out(&self, samples: &[&S]) -> Option<Box<dyn LeaveOneOut>> {
        let views = self.inner.views(samples);
        let is_table = views.iter().map(|view| view.measure.index_width().is_some()).collect();
        let inner = self.inner.leave_one_out(samples)?;
        Some(Box::new(CountingLeaveOneOut { inner, is_table, made: Arc::clone(&self.counter.made) }))
    }

    fn changed(&self, samples: &[&S]) -> Option<Changed<S>> {
        self.inner.changed(samples)
    }

    fn is_copy(&self, a: &S, b: &S) -> Option<bool> {
        self.inner.is_copy(a, b)
    }
}

struct CountingPrepared<S: ?Sized> {
    inner: Box<dyn Prepared<S>>,
    counter: Counter,
}

impl<S: ?Sized> Prepared<S> for CountingPrepared<S> {
    fn fill(&self, one: &S, range: Range<usize>, out: &mut [f64]) {
        self.counter.add(range.len());
        self.inner.fill(one, range, out);
    }

    fn fill_each(&self, ones: &[&S], range: Range<usize>, out: &mut [f64]) {
        self.counter.add(ones.len() * range.len());
        self.inner.fill_each(ones, range, out);
    }

    fn fill_prepared(&self, index: usize, one: &S, range: Range<usize>, out: &mut [f64]) {
        self.counter.add(range.len());
        self.inner.fill_prepared(index, one, range, out);
    }

    fn fill_some(&self, one: &S, which: &[usize], out: &mut [f64]) {
        self.counter.add(which.len());
        self.inner.fill_some(one, which, out);
    }

    fn lower_bounds(&self, one: &S, out: &mut [f64]) -> bool {
        self.inner.lower_bounds(one, out)
    }

    fn nearest(&self, one: &S, among: &[u32], k: usize) -> Option<Nearest> {
        let found = self.inner.nearest(one, among, k)?;
        self.counter.add(found.measured);
        Some(found)
    }
}

struct CountingIndex<S: ?Sized> {
    inner: Box<dyn Index<S>>,
    counter: Counter,
}

impl<S: ?Sized> Index<S> for CountingIndex<S> {
    fn nearest(&self, one: &S, query: &Query) -> Nearest {
        let found = self.inner.nearest(one, query);
        self.counter.add(found.measured);
        found
    }

    fn leaf_rank(&self, one: &S) -> u32 {
        self.inner.leaf_rank(one)
    }

    fn order(&self) -> Vec<u32> {
        self.inner.order()
    }
}

struct CountingPanel<S: ?Sized> {
    inner: Box<dyn Panel<S>>,
    made: Arc<Made>,
}

impl<S: ?Sized> Panel<S> for CountingPanel<S> {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn weight(&self) -> f64 {
        self.inner.weight()
    }

    fn count(&self) -> usize {
        self.inner.count()
    }

    fn scores(&self, one: &S, few: usize) -> Vec<f64> {
        self.inner.scores(one, few)
    }

    fn left_out(
        &self,
        i: usize,
        one: &S,
        few: usize,
        twin: Option<u32>,
        left_out: &dyn LeaveOneOut,
    ) -> LeftOutScores {
        let is_of_subsets = self.inner.name().contains("subsets");
        let counter = if is_of_subsets { &self.made.subsets } else { &self.made.relations };
        counter.fetch_add(1, Ordering::Relaxed);
        self.inner.left_out(i, one, few, twin, left_out)
    }

    fn features(&self, score: usize) -> Vec<usize> {
        self.inner.features(score)
    }
}

struct CountingLeaveOneOut {
    inner: Box<dyn LeaveOneOut>,
    is_table: Vec<bool>,
    made: Arc<Made>,
}

impl LeaveOneOut for CountingLeaveOneOut {
    fn fill(&self, view: usize, i: usize, others: &[u32], out: &mut [f64]) {
        self.made.left_out.fetch_add(usize::from(self.is_table[view]), Ordering::Relaxed);
        self.inner.fill(view, i, others, out);
    }

    fn changes(&self, i: usize) -> usize {
        self.inner.changes(i)
    }

    fn fill_subsets(&self, view: usize, i: usize, subsets: &[Vec<u32>], others: &mut [Vec<(u32, f64)>]) {
        self.inner.fill_subsets(view, i, subsets, others);
    }

    fn part(&self, part: usize) -> Option<&dyn LeaveOneOut> {
        self.inner.part(part)
    }

    fn coordinates(&self, view: usize, i: usize) -> Vec<f64> {
        self.inner.coordinates(view, i)
    }

    fn normal_scores(&self, i: usize) -> [Vec<f64>; 2] {
        self.inner.normal_scores(i)
    }
}
