//! The committee of `default`: the views of a measure, three scores in each, their tails added.
//!
//! No single distance is best on all data, and from nominals alone nobody can tell which one is; but the tails of the
//! scores add up where distances do not (docs/research/2026-11-16-views.md). Every training sample is scored as if it were
//! new: left out of the lists and of all that the measure learned. These scores are what tails are taken against, and
//! the sums are what p-values are taken from.

mod learn;
mod neighbors;
mod scores;
mod tail;
mod trim;

use crate::dissimilarity::{Dissimilarity, Index, Nearest, Prepared, Query, View};
use crate::error::{Error, Result};
use crate::kernel;
use crate::knn::{KnnLists, nearest};
use crate::sample::Sample;

pub(crate) use learn::{Learned, learn};
use neighbors::useful_index;

pub(crate) use neighbors::MAX_WHOLE_MATRIX;
pub(crate) use scores::{Locality, SCORES, ring_size};
pub(crate) use tail::{Changes, References};

/// Weight of the tail of features in which all training samples agree, beside the mean of all other tails.
const CHANGE: f64 = 2.0 / 9.0;
/// Distances beyond this are taken for it: nothing a score could tell apart, and no infinity.
const MAX_DISTANCE: f64 = 1e300;
/// Nearest that count in the first score: of samples that may hold an outlier here and there, and of such that are known to.
pub(crate) const FEW: [usize; 2] = [2, 5];

/// What a committee has learned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Committee {
    /// The training samples that count as neighbours, ascending.
    pub(crate) kept: Vec<u32>,
    /// All others, ascending.
    pub(crate) trimmed: Vec<u32>,
    /// How many of the nearest count.
    pub(crate) ring_size: usize,
    /// How many count in the first score.
    pub(crate) few: usize,
    /// How many training samples a search for neighbours may look at.
    pub(crate) visits: usize,
    /// A member for each view.
    pub(crate) members: Vec<Member>,
    pub(crate) changes: Changes,
    /// How odd each training sample is, as if it were new.
    pub(crate) oddity: Vec<f64>,
    /// The region of each training sample; of one that was trimmed, that of its nearest.
    pub(crate) region_of: Vec<u32>,
}

/// What a committee has learned of one view.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) weight: f64,
    pub(crate) locality: Locality,
    /// Of each score, those of the kept samples.
    pub(crate) references: [References; SCORES],
}

impl Member {
    /// The sum of the tails of a new sample.
    fn tails(&self, scores: &[f64; SCORES]) -> f64 {
        self.references.iter().zip(scores).map(|(r, s)| r.tail(*s)).sum()
    }

    /// The sum of the tails of a kept sample with scores in place of its own.
    fn tails_in_place_of(&self, own: &[f64; SCORES], scores: &[f64; SCORES]) -> f64 {
        let pairs = self.references.iter().zip(own.iter().zip(scores));
        pairs.map(|(r, (own, s))| r.tail_in_place_of(*own, *s)).sum()
    }
}

/// What the committee says of a sample.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Verdict {
    /// The mean of the tails: about 1 for a typical nominal, without bound.
    pub(crate) oddity: f64,
    /// The training sample that it equals in every view.
    pub(crate) equal: Option<u32>,
    /// The nearest kept samples in the first view, nearest first.
    pub(crate) nearest: Vec<(u32, f64)>,
    /// What each view contributes to the oddity, and last, what the changed features do.
    pub(crate) contributions: Vec<f64>,
}

/// The training samples as each view wants them, made once: the kept ones first, then the trimmed.
pub(crate) struct PreparedViews<S: ?Sized> {
    views: Vec<(View<S>, Side<S>)>,
}

/// How a view finds the nearest of the training samples.
enum Side<S: ?Sized> {
    /// By looking at all of them, or by lower bounds.
    Rows(Box<dyn Prepared<S>>),
    /// By an index.
    Index(Box<dyn Index<S>>),
}

impl<S: ?Sized + Sample> PreparedViews<S> {
    pub(crate) fn new(committee: &Committee, measure: &dyn Dissimilarity<S>, samples: &[&S]) -> Self {
        let order = committee.kept.iter().chain(&committee.trimmed);
        let ordered: Vec<&S> = order.map(|&i| samples[i as usize]).collect();
        let prepared = |view: View<S>| {
            let index = useful_index(view.measure.as_ref(), &ordered, committee.kept.len(), committee.visits);
            let side = index.map_or_else(|| Side::Rows(view.measure.prepare(&ordered)), Side::Index);
            (view, side)
        };
        Self { views: measure.views().into_iter().map(prepared).collect() }
    }

    /// Samples that lie close have numbers that are close; `None` if all training samples are looked at anyhow.
    pub(crate) fn place(&self, one: &S) -> Option<u32> {
        match self.views.first()? {
            (_, Side::Index(index)) => Some(index.place(one)),
            _ => None,
        }
    }

    /// The measure of a view.
    pub(crate) fn measure(&self, view: usize) -> &dyn Dissimilarity<S> {
        self.views[view].0.measure.as_ref()
    }
}

/// The nearest of a sample in one view.
struct Near {
    /// Places among the kept samples, and distances, nearest first.
    kept: Vec<(u32, f64)>,
    /// Training samples at distance zero.
    equal: Vec<u32>,
    /// How many distances were measured.
    measured: usize,
}

impl Committee {
    /// Number of training samples.
    pub(crate) fn samples(&self) -> usize {
        self.kept.len() + self.trimmed.len()
    }

    /// Takes the regions, and puts each training sample into that of its nearest kept sample, or its own.
    pub(crate) fn take_regions(&mut self, members: &[Vec<u32>], lists: &KnnLists) {
        for (region, vertices) in (0..).zip(members) {
            for &v in vertices {
                self.region_of[v as usize] = region;
            }
        }
        for &v in &self.trimmed {
            self.region_of[v as usize] = self.region_of[lists.neighbors(v as usize, 1)[0] as usize];
        }
    }

    /// How many of the nearest are needed in each view.
    fn width(&self) -> usize {
        self.ring_size.max(self.few).min(self.kept.len())
    }

    /// The nearest of `one` in a view, at least so many.
    fn nearest<S: ?Sized + Sample>(&self, one: &S, view: &(View<S>, Side<S>), width: usize) -> Result<Near> {
        let (kept, all) = (self.kept.len(), self.samples());
        let width = width.max(self.width()).min(kept);
        let prepared = match &view.1 {
            Side::Index(index) => {
                let near = index.nearest(one, &Query { k: width, skip: None, visits: self.visits });
                check_all(near.found.iter().map(|f| f.1))?;
                let equal = near.equal.iter().map(|at| self.name(*at)).collect();
                return Ok(Near { kept: near.found, equal, measured: near.measured });
            }
            Side::Rows(prepared) => prepared,
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
            let equal = found.filter(|f| f.1 <= 0.0).map(|f| self.name(f.0)).collect();
            return Ok(Near { kept: near.found, equal, measured: near.measured + trimmed.measured });
        }
        let mut row = vec![0.0; all];
        prepared.fill(one, 0..all, &mut row);
        if !kernel::are_distances(&row) {
            check_all(row.iter().copied())?;
        }
        let near = nearest(&row[..kept], width, None);
        let at_zero = |from: usize| {
            let zeros = row[from..].iter().enumerate().filter(|(_, d)| **d <= 0.0);
            zeros.map(move |(at, _)| (from + at) as u32)
        };
        // Where the nearest is not at zero none is.
        let has_zero = near.first().is_some_and(|n| n.1 <= 0.0);
        let equal = at_zero(if has_zero { 0 } else { kept }).map(|at| self.name(at)).collect();
        Ok(Near { kept: near, equal, measured: all })
    }

    /// The nearest kept samples of `one` in a view, at least so many, by their indices.
    pub(crate) fn nearest_of<S: ?Sized + Sample>(
        &self,
        one: &S,
        prepared: &PreparedViews<S>,
        view: usize,
        width: usize,
    ) -> Result<Vec<(u32, f64)>> {
        let near = self.nearest(one, &prepared.views[view], width)?.kept;
        Ok(near.into_iter().map(|n| (self.kept[n.0 as usize], n.1)).collect())
    }

    /// The index of a training sample by its place among the kept and then the trimmed.
    fn name(&self, place: u32) -> u32 {
        let at = place as usize;
        if at < self.kept.len() { self.kept[at] } else { self.trimmed[at - self.kept.len()] }
    }

    /// Judges samples; and how many distances were measured for them.
    ///
    /// One view after another: what a sample reads of the training samples is at hand for those that lie close.
    pub(crate) fn judge<S: ?Sized + Sample>(
        &self,
        many: &[&S],
        measure: &dyn Dissimilarity<S>,
        prepared: &PreparedViews<S>,
    ) -> Result<(Vec<Verdict>, usize)> {
        let mut verdicts = vec![Verdict::default(); many.len()];
        let mut equals: Vec<Option<Vec<u32>>> = vec![None; many.len()];
        let mut measured = 0;
        for (v, (member, view)) in self.members.iter().zip(&prepared.views).enumerate() {
            for (one, (verdict, equal)) in many.iter().zip(verdicts.iter_mut().zip(&mut equals)) {
                let near = self.nearest(*one, view, 0)?;
                measured += near.measured;
                let scores = scores::scores(&near.kept, self.ring_size, self.few, &member.locality);
                verdict.contributions.push(member.weight * member.tails(&scores) / self.weights());
                *equal = Some(match equal.take() {
                    None => near.equal,
                    Some(before) => before.into_iter().filter(|i| near.equal.contains(i)).collect(),
                });
                if v == 0 {
                    verdict.nearest = near.kept.iter().map(|n| (self.kept[n.0 as usize], n.1)).collect();
                }
            }
        }
        for (one, (verdict, equal)) in many.iter().zip(verdicts.iter_mut().zip(equals)) {
            verdict.contributions.push(CHANGE * self.changes.tail(measure.changed(one).len()));
            verdict.equal = equal.and_then(|all| all.into_iter().min());
            // A training sample that comes again must not vouch for itself.
            verdict.oddity = match verdict.equal {
                Some(i) => self.oddity[i as usize],
                None => verdict.contributions.iter().sum(),
            };
        }
        Ok((verdicts, measured))
    }

    /// The sum of the weights of all tails.
    fn weights(&self) -> f64 {
        SCORES as f64 * self.members.iter().map(|m| m.weight).sum::<f64>()
    }
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
