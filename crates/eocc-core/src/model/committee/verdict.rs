//! How a committee judges new samples.

use std::sync::OnceLock;

use super::neighbors::index_if_worthwhile;
use super::{CHANGE, Committee, Place, scores};
use crate::dissimilarity::{Changed, Dissimilarity, Index, Nearest, Panel, Prepared, Query, Sight, View};
use crate::error::{Error, Result};
use crate::kernel;
use crate::parallel;
use crate::sample::Sample;
use crate::select::{NearestBuffer, nearest_in};

/// A copy of a training sample lies within this distance of it in the first view, if the measure can recognize
/// copies.
pub(super) const CLOSE: f64 = 1e-3;

/// Samples whose distances to all training samples are computed together.
const GROUP: usize = 4;

/// The committee's result for a sample.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Verdict {
    /// The root mean square of the tails: about 1 for a typical nominal, unbounded.
    pub(crate) oddity: f64,
    /// The training sample it is a copy of.
    pub(crate) copy_of: Option<u32>,
    /// The nearest kept samples in the first view, nearest first.
    pub(crate) nearest: Vec<(u32, f64)>,
    /// The contributions to the oddity: of each view, then of each panel, and last of the changed features.
    pub(crate) contributions: Vec<f64>,
}

/// The training samples prepared for each view, once: the kept ones first, then the trimmed.
pub(crate) struct PreparedViews<S: ?Sized + Sample> {
    views: Vec<(View<S>, NeighborSource<S>)>,
    pub(super) panels: Vec<Box<dyn Panel<S>>>,
    pub(super) changed: Option<Changed<S>>,
    pub(super) sight: Option<Box<dyn Sight<S>>>,
    /// How much each feature contributes to the distances of a typical nominal, in each view; computed for the first
    /// explanation.
    pub(super) typical: OnceLock<Vec<Vec<f64>>>,
}

/// How a view finds the nearest of the training samples.
enum NeighborSource<S: ?Sized> {
    /// By measuring all of them, or by lower bounds.
    Rows(Box<dyn Prepared<S>>),
    /// By an index.
    Index(Box<dyn Index<S>>),
}

impl<S: ?Sized + Sample> PreparedViews<S> {
    pub(crate) fn new(committee: &Committee, measure: &dyn Dissimilarity<S>, samples: &[&S]) -> Self {
        let order = committee.kept.iter().chain(&committee.trimmed);
        let ordered: Vec<&S> = order.map(|&i| samples[i as usize]).collect();
        let prepared = |view: View<S>| {
            let index =
                index_if_worthwhile(view.measure.as_ref(), &ordered, committee.kept.len(), committee.visits);
            let side = index
                .map_or_else(|| NeighborSource::Rows(view.measure.prepare(&ordered)), NeighborSource::Index);
            (view, side)
        };
        let mut sight = measure.sight();
        if let Some(sight) = &mut sight {
            sight.learn(samples);
        }
        let has_panels = !committee.panels.is_empty();
        Self {
            sight,
            views: measure.views(samples).into_iter().map(prepared).collect(),
            panels: if has_panels { measure.panels(samples, &committee.kept) } else { Vec::new() },
            changed: measure.changed(samples),
            typical: OnceLock::new(),
        }
    }

    /// The order in which to judge samples: those that examine the same training samples follow each other.
    pub(crate) fn order(&self, samples: &[&S]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        // Without an index, all training samples are examined anyway.
        if let Some((_, NeighborSource::Index(index))) = self.views.first() {
            let leaf_ranks: Vec<u32> = parallel::map(samples.len(), 256, &|i| index.leaf_rank(samples[i]));
            order.sort_unstable_by_key(|&i| (leaf_ranks[i as usize], i));
        }
        order
    }

    /// The one feature that a view is about, if any.
    pub(crate) fn feature(&self, view: usize) -> Option<usize> {
        self.views[view].0.feature
    }

    /// The measure of a view.
    pub(crate) fn measure(&self, view: usize) -> &dyn Dissimilarity<S> {
        self.views[view].0.measure.as_ref()
    }
}

/// The nearest training samples in one view.
struct NearestInView {
    /// Kept samples and distances, nearest first.
    kept: Vec<(Place, f64)>,
    /// Indices of the training samples close enough to be copies.
    close: Vec<u32>,
    /// How many distances were measured.
    measured: usize,
}

/// The nearest training samples in each view and their distances.
type NearestByView = Vec<Vec<(u32, f64)>>;
/// Sees the nearest kept samples of a sample in a view.
type See<'a> = dyn FnMut(&[(Place, f64)]) + 'a;

impl Committee {
    /// How many of the nearest are needed in each view.
    fn width(&self) -> usize {
        self.ring_size.max(self.few).min(self.kept.len())
    }

    /// The nearest of `one` in a view, at least this many, and those within `close`.
    fn nearest<S: ?Sized + Sample>(
        &self,
        one: &S,
        view: &(View<S>, NeighborSource<S>),
        width: usize,
        close: f64,
        (row, buffer): &mut (Vec<f64>, NearestBuffer),
    ) -> Result<NearestInView> {
        let (kept, all) = (self.kept.len(), self.samples());
        let width = width.max(self.width()).min(kept);
        let prepared = match &view.1 {
            NeighborSource::Index(index) => {
                let near = index.nearest(one, &Query { k: width, skip: None, visits: self.visits, close });
                check_all(near.found.iter().map(|f| f.1))?;
                let close = near.close.iter().map(|at| self.sample_at(Place(*at))).collect();
                return Ok(NearestInView { kept: places(near.found), close, measured: near.measured });
            }
            NeighborSource::Rows(prepared) => prepared,
        };
        if view.0.measure.has_bounds() {
            let find = |from: usize, to: usize, k: usize| {
                let among: Vec<u32> = (from as u32..to as u32).collect();
                prepared.nearest(one, &among, k).unwrap_or_default()
            };
            let near = find(0, kept, width);
            let trimmed = if kept < all { find(kept, all, 1) } else { Nearest::default() };
            let found = near.found.iter().chain(&trimmed.found);
            check_all(found.clone().map(|f| f.1))?;
            let close = found.filter(|f| f.1 <= close).map(|f| self.sample_at(Place(f.0))).collect();
            return Ok(NearestInView {
                kept: places(near.found),
                close,
                measured: near.measured + trimmed.measured,
            });
        }
        row.resize(all, 0.0);
        prepared.fill(one, 0..all, row);
        self.nearest_of_row(row, width, close, buffer)
    }

    /// Like `nearest`, for several samples.
    fn nearest_each<S: ?Sized + Sample>(
        &self,
        ones: &[&S],
        view: &(View<S>, NeighborSource<S>),
        width: usize,
        close: f64,
        buffers: &mut (Vec<f64>, NearestBuffer),
    ) -> Result<Vec<NearestInView>> {
        match &view.1 {
            NeighborSource::Rows(prepared)
                if ones.len() > 1 && view.0.measure.is_cheap_per_row() && !view.0.measure.has_bounds() =>
            {
                let width = width.max(self.width()).min(self.kept.len());
                let (rows, buffer) = buffers;
                rows.resize(ones.len() * self.samples(), 0.0);
                prepared.fill_each(ones, 0..self.samples(), rows);
                let rows = rows.chunks_exact(self.samples());
                rows.map(|row| self.nearest_of_row(row, width, close, buffer)).collect()
            }
            _ => ones.iter().map(|one| self.nearest(*one, view, width, close, buffers)).collect(),
        }
    }

    /// The nearest by the distances to all samples, the kept ones first.
    fn nearest_of_row(
        &self,
        row: &[f64],
        width: usize,
        close: f64,
        buffer: &mut NearestBuffer,
    ) -> Result<NearestInView> {
        let (kept, all) = (self.kept.len(), self.samples());
        if !kernel::are_distances(row) {
            check_all(row.iter().copied())?;
        }
        nearest_in(buffer, &row[..kept], width, None);
        let near = &buffer.found;
        let close_from = |from: usize| {
            let within = row[from..].iter().enumerate().filter(|(_, d)| **d <= close);
            within.map(move |(at, _)| Place((from + at) as u32))
        };
        // If the nearest is not close, none is.
        let has_close = near.first().is_some_and(|n| n.1 <= close);
        let close = close_from(if has_close { 0 } else { kept }).map(|at| self.sample_at(at)).collect();
        let near = near.iter().map(|&(at, distance)| (Place(at), distance)).collect();
        Ok(NearestInView { kept: near, close, measured: all })
    }

    /// The verdict on one sample as if it were new, training sample or not; and its nearest samples in each view, nearest
    /// first, at least `width` of them in the first view.
    pub(crate) fn judge_as_new<'s, S: ?Sized + Sample>(
        &self,
        one: &S,
        original: &dyn Fn(u32) -> &'s S,
        measure: &dyn Dissimilarity<S>,
        prepared: &PreparedViews<S>,
        width: usize,
    ) -> Result<(Verdict, NearestByView)> {
        let mut of_views = Vec::with_capacity(self.members.len());
        let mut see = |near: &[(Place, f64)]| {
            of_views.push(near.iter().map(|n| (self.sample_at(n.0), n.1)).collect());
        };
        let (mut verdicts, _) = self.judge_seen(&[one], original, measure, prepared, width, &mut see)?;
        let mut verdict = verdicts.swap_remove(0);
        if verdict.copy_of.is_some() {
            self.finish(&mut verdict, one, prepared);
        }
        Ok((verdict, of_views))
    }

    /// Judges samples; returns how many distances were measured, too. `original` gives the training sample with an
    /// index.
    ///
    /// Goes view by view: samples close to each other then find the training data in the cache.
    pub(crate) fn judge<'s, S: ?Sized + Sample>(
        &self,
        many: &[&S],
        original: &dyn Fn(u32) -> &'s S,
        measure: &dyn Dissimilarity<S>,
        prepared: &PreparedViews<S>,
    ) -> Result<(Vec<Verdict>, usize)> {
        self.judge_seen(many, original, measure, prepared, 0, &mut |_| {})
    }

    /// Judges samples, and passes the nearest of each in each view to `see`; in the first view, at least `width` of them.
    ///
    /// Works view by view, since samples that are close to each other read the same training samples, which are then in
    /// cache.
    fn judge_seen<'s, S: ?Sized + Sample>(
        &self,
        many: &[&S],
        original: &dyn Fn(u32) -> &'s S,
        measure: &dyn Dissimilarity<S>,
        prepared: &PreparedViews<S>,
        width: usize,
        see: &mut See<'_>,
    ) -> Result<(Vec<Verdict>, usize)> {
        let mut verdicts = vec![Verdict::default(); many.len()];
        let mut copies: Vec<Vec<u32>> = vec![Vec::new(); many.len()];
        // Whether the measure can recognize a copy; otherwise a copy is at distance zero in every view.
        let tells_copies = many.first().is_some_and(|one| measure.is_copy(one, one).is_some());
        let close = if tells_copies { CLOSE } else { 0.0 };
        let mut measured = 0;
        let mut buffers = (Vec::new(), NearestBuffer::default());
        for (v, (member, view)) in self.members.iter().zip(&prepared.views).enumerate() {
            let width = if v == 0 { width } else { 0 };
            let mut each = many.iter().zip(verdicts.iter_mut().zip(&mut copies));
            for ones in many.chunks(GROUP) {
                let found = self.nearest_each(ones, view, width, close, &mut buffers)?;
                for (near, (one, (verdict, copies))) in found.into_iter().zip(each.by_ref()) {
                    measured += near.measured;
                    see(&near.kept);
                    let scores = scores::scores(&near.kept, self.ring_size, self.few, &member.locality);
                    verdict.contributions.push(member.weight * member.squares(&scores));
                    if v == 0 {
                        verdict.nearest = near.kept.iter().map(|n| (self.sample_at(n.0), n.1)).collect();
                        let is_copy = |i: &u32| measure.is_copy(one, original(*i)).unwrap_or(true);
                        *copies = near.close.into_iter().filter(is_copy).collect();
                    } else if !tells_copies {
                        copies.retain(|i| near.close.contains(i));
                    }
                }
            }
        }
        for (one, (verdict, copies)) in many.iter().zip(verdicts.iter_mut().zip(copies)) {
            verdict.copy_of = copies.into_iter().min().filter(|_| self.recognizes_copies);
            // A training sample that comes again must not be its own neighbor.
            if let Some(i) = verdict.copy_of {
                verdict.oddity = self.oddity[i as usize];
                continue;
            }
            self.finish(verdict, *one, prepared);
        }
        Ok((verdicts, measured))
    }

    /// Adds the panels and the changed features, and combines everything.
    fn finish<S: ?Sized + Sample>(&self, verdict: &mut Verdict, one: &S, prepared: &PreparedViews<S>) {
        for (member, panel) in self.panels.iter().zip(&prepared.panels) {
            let tail = member.tail(&panel.scores(one, self.few));
            verdict.contributions.push(member.weight * tail * tail);
        }
        let squares: f64 = verdict.contributions.iter().sum();
        let together = (squares / self.weights()).sqrt();
        if squares > 0.0 {
            verdict.contributions.iter_mut().for_each(|c| *c *= together / squares);
        }
        let changed = prepared
            .changed
            .as_ref()
            .map_or(0.0, |changed| CHANGE * changed.weight * self.changes.tail((changed.of)(one).len()));
        verdict.contributions.push(changed);
        verdict.oddity = together + changed;
    }
}

/// Search results among samples that are stored by place.
fn places(found: Vec<(u32, f64)>) -> Vec<(Place, f64)> {
    found.into_iter().map(|(at, distance)| (Place(at), distance)).collect()
}

/// Fails if a distance is negative or not a number.
fn check_all(mut distances: impl Iterator<Item = f64>) -> Result<()> {
    match distances.find(|d| d.is_nan() || *d < 0.0) {
        None => Ok(()),
        Some(d) => Err(Error::input(format!(
            "a dissimilarity to a training sample is {d}, but must not be negative or NaN"
        ))),
    }
}
