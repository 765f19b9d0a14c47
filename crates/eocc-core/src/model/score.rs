//! Scoring: from a new sample to what its best region says of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::candidates::{Scratch, candidates};
use super::{Scorer, Space};
use crate::centrality::{self, rejoin_all};
use crate::committee::{Committee, PreparedViews, Verdict};
use crate::dissimilarity::Prepared;
use crate::error::{Error, ErrorKind, Remedy, Result};
use crate::kernel;
use crate::knn::{PackedPoints, keep_smallest};
use crate::matrix::Matrix;
use crate::membership::{Scale, log_degree};
use crate::memory;
use crate::observer::{Observer, Progress};
use crate::params::Scoring;
use crate::paths;
use crate::region::Region;
use crate::sample::SampleSet;

/// Distances beyond this are taken for it: nothing a score could tell apart, and no infinity.
const MAX_DISTANCE: f64 = 1e300;
/// Fewest and most samples scored together: the training points are read once for all of them, but every thread
/// wants its share.
const BATCH_SIZE: std::ops::RangeInclusive<usize> = 8..=128;
/// Weight of `log2 chi` in the paper's score. The membership saturates; this far smaller term keeps on telling samples
/// apart beyond.
const TIE_BREAK: f64 = 1e-9;
/// `ln mu` for the score where a region without spread (`t = 0`) does not hold the sample.
const OUTSIDE: f64 = -1e6;

/// What scoring needs of the model, made once.
pub(crate) struct Ready<T: ?Sized> {
    /// The samples that new ones are compared with.
    prepared: Box<dyn Prepared<T>>,
    /// The embedded training samples; `None` if direct.
    points: Option<PackedPoints>,
    /// For each region, the squared distance within which a vertex admits a newcomer to its list, with room for
    /// rounding.
    admission_radii: Vec<Vec<f64>>,
}

impl<X: SampleSet> Scorer<X> {
    fn ready(&self) -> &Ready<X::Item> {
        self.ready.get_or_init(|| Ready {
            prepared: self.dissimilarity.prepare(&self.reference().refs()),
            points: match &self.space {
                Space::Embedded { points, .. } => Some(PackedPoints::new(points)),
                Space::Direct { .. } => None,
            },
            admission_radii: self.graph.regions.iter().map(admission_radii).collect(),
        })
    }

    /// The views of the committee.
    pub(super) fn views(&self, committee: &Committee) -> &PreparedViews<X::Item> {
        self.views.get_or_init(|| {
            PreparedViews::new(committee, self.dissimilarity.as_ref(), &self.reference().refs())
        })
    }

    /// Dissimilarities of samples to the prototypes, divided by `c`: the embedding of new samples.
    pub(super) fn embed(&self, samples: &[&X::Item]) -> Result<Matrix> {
        let columns = self.reference().count();
        let mut matrix = Matrix::zeros(samples.len(), columns);
        for (i, one) in samples.iter().enumerate() {
            let row = matrix.row_mut(i);
            self.ready().prepared.fill(one, 0..columns, row);
            for (j, v) in row.iter_mut().enumerate() {
                if v.is_nan() || *v < 0.0 {
                    return Err(bad_dissimilarity(j, *v));
                }
                *v = (*v / self.graph.scales.bound).min(MAX_DISTANCE);
            }
        }
        Ok(matrix)
    }

    /// Fails at the first sample that the dissimilarity is not defined for.
    pub(super) fn check_all(&self, samples: &[&X::Item]) -> Result<()> {
        for (i, sample) in samples.iter().enumerate() {
            self.dissimilarity.check(sample).map_err(|e| Error::input(format!("sample {i}: {e}")))?;
        }
        Ok(())
    }

    /// Scores one sample on this thread.
    pub(super) fn score_one(&self, sample: &X::Item, scoring: Scoring) -> Result<RegionScore> {
        self.dissimilarity.check(sample)?;
        if self.is_exact(scoring) {
            self.require_paths()?;
        }
        Ok(self.score_batch(&[sample], scoring)?.0[0])
    }

    /// Scores samples of the form of the training samples, watched.
    pub(super) fn score_all(
        &self,
        refs: &[&X::Item],
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<RegionScore>> {
        self.check_all(refs)?;
        if self.is_exact(scoring) {
            self.require_paths()?;
        }
        if let Some(committee) = &self.committee {
            self.views(committee);
        } else {
            for region in &self.graph.regions {
                if self.is_exact(scoring) {
                    region.graph().prepare_paths(observer)?;
                } else {
                    centrality::prepare(region.graph(), observer)?;
                }
            }
            self.ready();
        }
        let threads = rayon::current_num_threads();
        let share = if threads == 1 { refs.len() } else { refs.len() / (4 * threads) };
        let size = share.clamp(*BATCH_SIZE.start(), *BATCH_SIZE.end());
        let (done, measured) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let order = self.order(refs);
        let ordered: Vec<&X::Item> = order.iter().map(|&i| refs[i as usize]).collect();
        let scored: Result<Vec<Vec<RegionScore>>> = ordered
            .par_chunks(size)
            .map(|ones| {
                if observer.is_cancelled() {
                    return Err(Error::from(ErrorKind::Cancelled));
                }
                let (scores, own) = self.score_batch(ones, scoring)?;
                measured.fetch_add(own, Ordering::Relaxed);
                let done = done.fetch_add(ones.len(), Ordering::Relaxed) + ones.len();
                observer.progress(&Progress::Stage { name: "scoring", done, total: refs.len() });
                Ok(scores)
            })
            .collect();
        let mut in_place = vec![RegionScore::default(); refs.len()];
        for (&i, score) in order.iter().zip(scored?.into_iter().flatten()) {
            in_place[i as usize] = score;
        }
        if self.dissimilarity.has_bounds() && (self.committee.is_some() || self.uses_bounds(scoring)) {
            let pairs = refs.len() * self.reference().count();
            observer.progress(&Progress::Spared { measured: measured.into_inner(), pairs });
        }
        Ok(in_place)
    }

    /// The order in which samples are scored: such that look at the same training samples one after another.
    fn order(&self, refs: &[&X::Item]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..refs.len() as u32).collect();
        let Some(committee) = &self.committee else { return order };
        let views = self.views(committee);
        let places: Option<Vec<u32>> = refs.par_iter().with_min_len(64).map(|one| views.place(one)).collect();
        if let Some(places) = places {
            order.sort_unstable_by_key(|&i| (places[i as usize], i));
        }
        order
    }

    /// Scores a few samples on this thread; and how many dissimilarities were measured for it.
    fn score_batch(&self, samples: &[&X::Item], scoring: Scoring) -> Result<(Vec<RegionScore>, usize)> {
        if let Some(committee) = &self.committee {
            return self.score_by_committee(committee, samples);
        }
        if let Some(scored) = self.score_by_bounds(samples, scoring) {
            return scored;
        }
        let rows = self.embed(samples)?;
        let squares = self.ready().points.as_ref().map(|points| points.approximate_squares(&rows));
        let mut best = vec![Best::default(); samples.len()];
        let mut scratch = Scratch::default();
        for (r, region) in self.graph.regions.iter().enumerate() {
            let radii = self.is_exact(scoring).then_some(self.ready().admission_radii[r].as_slice());
            let mut near = |i: usize, near: &mut Vec<(u32, f64)>| match (&squares, &self.space) {
                (Some((squares, slacks)), Space::Embedded { points, .. }) => {
                    let ring_size = self.graph.scales.ring_size;
                    candidates(region, ring_size, radii, squares.row(i), slacks[i], &mut scratch, near);
                    measure(rows.row(i), points, region, &mut scratch, near);
                }
                _ => all_vertices(rows.row(i), region, near),
            };
            let of_region = if self.is_exact(scoring) {
                let mut all = vec![Vec::new(); samples.len()];
                all.iter_mut().enumerate().for_each(|(i, own)| near(i, own));
                self.exact_scores(r, &all)
            } else {
                let mut own = Vec::new();
                let mut score = |i| {
                    near(i, &mut own);
                    self.fast_score(r, &mut own)
                };
                (0..samples.len()).map(&mut score).collect()
            };
            for (best, score) in best.iter_mut().zip(of_region) {
                best.consider(score);
            }
        }
        let measured = samples.len() * self.reference().count();
        Ok((best.iter().map(|b| b.score).collect(), measured))
    }

    /// What a committee says of a few samples; and how many dissimilarities were measured for it.
    fn score_by_committee(
        &self,
        committee: &Committee,
        samples: &[&X::Item],
    ) -> Result<(Vec<RegionScore>, usize)> {
        let views = self.views(committee);
        let (verdicts, measured) = committee.judge(samples, self.dissimilarity.as_ref(), views)?;
        let scored = |verdict: Verdict| {
            let near = verdict.equal.or(verdict.nearest.first().map(|n| n.0)).unwrap_or(0);
            self.judged(committee.region_of[near as usize] as usize, verdict.oddity)
        };
        Ok((verdicts.into_iter().map(scored).collect(), measured))
    }

    /// What a region makes of the committee's verdict: its fuzzy set is over the scores of its vertices.
    pub(super) fn judged(&self, r: usize, oddity: f64) -> RegionScore {
        let fuzzy = &self.graph.regions[r].fuzzy;
        RegionScore::new(r, -oddity, fuzzy.difference(-oddity), fuzzy.threshold)
    }

    /// Where the graph is on the dissimilarity itself and that has lower bounds, only the nearest samples of each region
    /// are measured; and how many were. `None` where it is not so.
    fn score_by_bounds(
        &self,
        samples: &[&X::Item],
        scoring: Scoring,
    ) -> Option<Result<(Vec<RegionScore>, usize)>> {
        if !self.uses_bounds(scoring) {
            return None;
        }
        let prepared = self.ready().prepared.as_ref();
        let mut scored = Vec::with_capacity(samples.len());
        let mut measured = 0;
        for one in samples {
            let mut best = Best::default();
            for (r, region) in self.graph.regions.iter().enumerate() {
                let nearest = prepared.nearest(
                    one,
                    &region.vertices,
                    self.graph.scales.ring_size.min(region.size()),
                )?;
                measured += nearest.measured;
                let mut near = Vec::with_capacity(nearest.found.len());
                for (v, distance) in nearest.found {
                    if distance.is_nan() || distance < 0.0 {
                        return Some(Err(bad_dissimilarity(v as usize, distance)));
                    }
                    let distance = (distance / self.graph.scales.bound).min(MAX_DISTANCE);
                    // Vertices are ascending.
                    near.push((region.vertices.partition_point(|w| *w < v) as u32, distance));
                }
                best.consider(self.fast_score(r, &mut near));
            }
            scored.push(best.score);
        }
        Some(Ok((scored, measured)))
    }

    fn uses_bounds(&self, scoring: Scoring) -> bool {
        matches!(self.space, Space::Direct { .. })
            && !self.is_exact(scoring)
            && self.dissimilarity.has_bounds()
    }

    /// Whether this scoring joins the newcomer to the graph; a committee does not.
    fn is_exact(&self, scoring: Scoring) -> bool {
        scoring == Scoring::Exact && self.committee.is_none()
    }

    /// Exact scoring keeps all shortest paths of each region.
    fn require_paths(&self) -> Result<()> {
        let largest = self.graph.regions.iter().map(Region::size).max().unwrap_or(0);
        if largest > paths::MAX_VERTICES {
            return Err(Error::parameter(
                "scoring",
                "exact",
                format!("fast for a region of {largest} samples (exact takes up to {})", paths::MAX_VERTICES),
            ));
        }
        let needed: u64 =
            self.graph.regions.iter().map(|r| (r.size() as u64).pow(2) * paths::BYTES_PER_PAIR).sum();
        memory::require("exact scoring", needed, self.graph.params.memory, Remedy::FastScoring)
    }

    /// What region `r` says of samples that join it, each on its own.
    fn exact_scores(&self, r: usize, near: &[Vec<(u32, f64)>]) -> Vec<RegionScore> {
        let graph = &self.graph;
        let all = rejoin_all(graph.regions[r].graph(), near, graph.params.percentile, Scale::Linear);
        all.iter().map(|j| RegionScore::new(r, j.log_chi, j.difference, j.threshold)).collect()
    }

    /// What region `r` says of a sample, the graph as it is.
    fn fast_score(&self, r: usize, near: &mut Vec<(u32, f64)>) -> RegionScore {
        let region = &self.graph.regions[r];
        keep_smallest(near, self.graph.scales.ring_size.min(region.size()));
        let log_chi = centrality::of_newcomer(region.graph(), near);
        RegionScore::new(r, log_chi, region.fuzzy.difference(log_chi), region.fuzzy.threshold)
    }
}

impl<X: SampleSet> Scorer<X> {
    /// One number that never saturates: what the committee says; or the paper's `ln mu`, with a small term of the closeness.
    pub(super) fn score(&self, of_region: &RegionScore) -> f64 {
        // Closeness of zero: nothing within reach of a number.
        let log_chi = of_region.log_chi.max(-MAX_DISTANCE);
        match self.committee {
            Some(_) => log_chi,
            None => of_region.log_degree.max(OUTSIDE) + TIE_BREAK * log_chi,
        }
    }
}

/// What one region says of a sample.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RegionScore {
    pub(super) region: usize,
    /// How central the sample is in the region: `log2 chi`, or the committee's score.
    pub(super) log_chi: f64,
    /// How far that falls short of the most central vertex.
    pub(super) difference: f64,
    /// `t` of the region.
    pub(super) threshold: f64,
    /// `ln mu`.
    pub(super) log_degree: f64,
}

impl RegionScore {
    pub(super) fn new(region: usize, log_chi: f64, difference: f64, threshold: f64) -> Self {
        Self { region, log_chi, difference, threshold, log_degree: log_degree(difference, threshold) }
    }
}

/// The best region so far.
#[derive(Debug, Clone, Copy)]
struct Best {
    value: f64,
    score: RegionScore,
}

impl Default for Best {
    fn default() -> Self {
        Self { value: f64::NEG_INFINITY, score: RegionScore::new(0, f64::NEG_INFINITY, f64::INFINITY, 0.0) }
    }
}

impl Best {
    /// Takes the score of a region if its membership is greater than the greatest so far; of equals, the first region's.
    fn consider(&mut self, score: RegionScore) {
        if score.region == 0 || score.log_degree > self.value {
            *self = Self { value: score.log_degree, score };
        }
    }
}

/// Measures the distances of one embedded sample to the candidates.
fn measure(one: &[f64], points: &Matrix, region: &Region, s: &mut Scratch, near: &mut [(u32, f64)]) {
    s.needed.clear();
    s.needed.extend(near.iter().map(|n| region.vertices[n.0 as usize]));
    kernel::euclidean_to_some(one, points.values(), &s.needed, &mut s.found);
    for (near, &distance) in near.iter_mut().zip(&s.found) {
        near.1 = distance.min(MAX_DISTANCE);
    }
}

/// All vertices of a region with their distances, from those to all training samples.
fn all_vertices(to: &[f64], region: &Region, near: &mut Vec<(u32, f64)>) {
    near.clear();
    let vertices = region.vertices.iter().zip(0..);
    near.extend(vertices.map(|(&v, local)| (local, to[v as usize])));
}

/// The squared distance within which each vertex admits a newcomer to its list, with room for rounding.
fn admission_radii(region: &Region) -> Vec<f64> {
    let lists = region.graph().lists();
    let farthest = |v: usize| lists.lengths(v, lists.width())[lists.width() - 1];
    (0..region.size()).map(|v| farthest(v).powi(2) * (1.0 + 1e-9)).collect()
}

fn bad_dissimilarity(prototype: usize, value: f64) -> Error {
    Error::input(format!(
        "the dissimilarity to prototype {prototype} is {value}, but must not be negative or NaN"
    ))
}
