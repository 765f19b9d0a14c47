//! How a committee judges new samples.

use std::sync::OnceLock;

use super::neighbors::index_if_worthwhile;
use super::{CHANGE, Committee, Place, scores};
use crate::dissimilarity::{Changed, Dissimilarity, Index, Nearest, Panel, Prepared, Query, Sight, View};
use crate::error::{Error, Result};
use crate::kernel;
use crate::parallel;
use crate::sample::Sample;
use crate::select::nearest;

/// A copy of a training sample lies within this distance of it in the first view, if the measure can recognize
/// copies.
pub(super) const CLOSE: f64 = 1e-3;

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
    /// What each feature contributes to the distances of a typical nominal, in each view; computed for the first explanation.
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
            let places: Vec<u32> = parallel::map(samples.len(), 256, &|i| index.place(samples[i]));
            order.sort_unstable_by_key(|&i| (places[i as usize], i));
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
struct Near {
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
    ) -> Result<Near> {
        let (kept, all) = (self.kept.len(), self.samples());
        let width = width.max(self.width()).min(kept);
        let prepared = match &view.1 {
            NeighborSource::Index(index) => {
                let near = index.nearest(one, &Query { k: width, skip: None, visits: self.visits, close });
                check_all(near.found.iter().map(|f| f.1))?;
                let close = near.close.iter().map(|at| self.sample_at(Place(*at))).collect();
                return Ok(Near { kept: places(near.found), close, measured: near.measured });
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
            return Ok(Near { kept: places(near.found), close, measured: near.measured + trimmed.measured });
        }
        let mut row = vec![0.0; all];
        prepared.fill(one, 0..all, &mut row);
        if !kernel::are_distances(&row) {
            check_all(row.iter().copied())?;
        }
        let near = nearest(&row[..kept], width, None);
        let close_from = |from: usize| {
            let within = row[from..].iter().enumerate().filter(|(_, d)| **d <= close);
            within.map(move |(at, _)| Place((from + at) as u32))
        };
        // If the nearest is not close, none is.
        let has_close = near.first().is_some_and(|n| n.1 <= close);
        let close = close_from(if has_close { 0 } else { kept }).map(|at| self.sample_at(at)).collect();
        Ok(Near { kept: places(near), close, measured: all })
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

    /// The same, where the nearest of each sample in each view are seen, in the first view at least so many.
    ///
    /// One view after another: what a sample reads of the training samples is at hand for those that lie close.
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
        for (v, (member, view)) in self.members.iter().zip(&prepared.views).enumerate() {
            for (one, (verdict, copies)) in many.iter().zip(verdicts.iter_mut().zip(&mut copies)) {
                let near = self.nearest(*one, view, if v == 0 { width } else { 0 }, close)?;
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
