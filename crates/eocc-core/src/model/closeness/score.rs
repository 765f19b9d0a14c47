//! From a new sample to its best region score.

use super::super::judge::Judgment;
use super::super::reference::{MAX_DISTANCE, bounded};
use super::ClosenessJudge;
use super::candidates::{CandidateBuffers, candidates};
use crate::centrality::{self, rejoin_all};
use crate::error::{Error, Remedy, Result};
use crate::kernel;
use crate::knn::PackedPoints;
use crate::matrix::Matrix;
use crate::membership::{Scale, log_degree};
use crate::memory;
use crate::observer::Observer;
use crate::params::Scoring;
use crate::paths;
use crate::region::Region;
use crate::sample::SampleSet;
use crate::select::keep_smallest;

/// Weight of `log2 chi` in the score. The membership saturates; beyond that, this far smaller term still separates
/// samples.
const TIE_BREAK: f64 = 1e-9;
/// The `ln mu` in the score if a region without spread (`t = 0`) does not contain the sample.
const OUTSIDE: f64 = -1e6;

/// Data that scoring derives from the graph once.
pub(super) struct ScoringCache {
    /// The embedded training samples; `None` without an embedding.
    points: Option<PackedPoints>,
    /// For each region, the squared distance within which a vertex admits a newcomer to its list, with a margin for
    /// rounding.
    admission_radii: Vec<Vec<f64>>,
}

impl<X: SampleSet> ClosenessJudge<X> {
    fn cache(&self) -> &ScoringCache {
        self.cache.get_or_init(|| ScoringCache {
            points: self.points.as_ref().map(PackedPoints::new),
            admission_radii: self.graph.regions.iter().map(admission_radii).collect(),
        })
    }

    /// Computes what scoring needs of the regions, reporting to the observer.
    pub(super) fn prepare_regions(&self, scoring: Scoring, observer: &dyn Observer) -> Result<()> {
        if scoring == Scoring::Exact {
            self.require_paths()?;
        }
        for region in &self.graph.regions {
            match scoring {
                Scoring::Exact => region.graph().prepare_paths(observer)?,
                Scoring::Fast => centrality::prepare(region.graph(), observer)?,
            }
        }
        self.reference.prepared();
        self.cache();
        Ok(())
    }

    /// The best region score of each sample, and how many dissimilarities were measured for it.
    pub(super) fn best_regions(
        &self,
        samples: &[&X::Item],
        scoring: Scoring,
    ) -> Result<(Vec<RegionScore>, usize)> {
        if let Some(scored) = self.score_by_bounds(samples, scoring) {
            return scored;
        }
        let rows = self.reference.embed(samples, self.bound)?;
        let is_exact = scoring == Scoring::Exact;
        let packed = self.cache().points.as_ref();
        let near_points = self
            .points
            .as_ref()
            .zip(packed)
            .map(|(points, packed)| (points, packed.approximate_squares(&rows)));
        let mut best = vec![Best::default(); samples.len()];
        let mut buffers = CandidateBuffers::default();
        for (r, region) in self.graph.regions.iter().enumerate() {
            let radii = is_exact.then_some(self.cache().admission_radii[r].as_slice());
            let mut near = |i: usize, near: &mut Vec<(u32, f64)>| match &near_points {
                Some((points, (squares, slacks))) => {
                    let ring_size = self.ring_size();
                    candidates(region, ring_size, radii, squares.row(i), slacks[i], &mut buffers, near);
                    measure(rows.row(i), points, region, &mut buffers, near);
                }
                None => all_vertices(rows.row(i), region, near),
            };
            let of_region = if is_exact {
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
        let measured = samples.len() * self.reference.samples.count();
        Ok((best.iter().map(|b| b.score).collect(), measured))
    }

    /// If the graph is on a dissimilarity with lower bounds, measures only the nearest samples of each region, and
    /// returns how many. `None` otherwise.
    fn score_by_bounds(
        &self,
        samples: &[&X::Item],
        scoring: Scoring,
    ) -> Option<Result<(Vec<RegionScore>, usize)>> {
        if !self.uses_bounds(scoring) {
            return None;
        }
        let prepared = self.reference.prepared();
        let mut scored = Vec::with_capacity(samples.len());
        let mut measured = 0;
        for one in samples {
            let mut best = Best::default();
            for (r, region) in self.graph.regions.iter().enumerate() {
                let nearest = prepared.nearest(one, &region.vertices, self.ring_size().min(region.size()))?;
                measured += nearest.measured;
                let mut near = Vec::with_capacity(nearest.found.len());
                for (v, distance) in nearest.found {
                    let distance = match bounded(v as usize, distance, self.bound) {
                        Ok(distance) => distance,
                        Err(e) => return Some(Err(e)),
                    };
                    // Vertices are ascending.
                    near.push((region.vertices.partition_point(|w| *w < v) as u32, distance));
                }
                best.consider(self.fast_score(r, &mut near));
            }
            scored.push(best.score);
        }
        Some(Ok((scored, measured)))
    }

    pub(super) fn uses_bounds(&self, scoring: Scoring) -> bool {
        self.points.is_none() && scoring == Scoring::Fast && self.reference.measure.has_bounds()
    }

    /// Exact scoring stores all shortest paths of each region.
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
        memory::require("exact scoring", needed, self.memory, Remedy::FastScoring)
    }

    /// The scores of region `r` for samples that join it, each on its own.
    fn exact_scores(&self, r: usize, near: &[Vec<(u32, f64)>]) -> Vec<RegionScore> {
        let graph = self.graph.regions[r].graph();
        let all = rejoin_all(graph, near, self.percentile, Scale::Linear);
        all.iter().map(|j| RegionScore::new(r, j.log_chi, j.difference, j.threshold)).collect()
    }

    /// The score of region `r` for a sample, with the graph as it is.
    fn fast_score(&self, r: usize, near: &mut Vec<(u32, f64)>) -> RegionScore {
        let region = &self.graph.regions[r];
        keep_smallest(near, self.ring_size().min(region.size()));
        let log_chi = centrality::of_newcomer(region.graph(), near);
        RegionScore::new(r, log_chi, region.fuzzy.difference(log_chi), region.fuzzy.threshold)
    }
}

/// The score of one region for a sample.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RegionScore {
    region: usize,
    /// `log2 chi`: the centrality of the sample in the region.
    pub(super) log_chi: f64,
    /// How far `chi` falls short of that of the most central vertex.
    difference: f64,
    /// `t` of the region.
    threshold: f64,
    /// `ln mu`.
    log_degree: f64,
}

impl RegionScore {
    pub(super) fn new(region: usize, log_chi: f64, difference: f64, threshold: f64) -> Self {
        Self { region, log_chi, difference, threshold, log_degree: log_degree(difference, threshold) }
    }

    /// One number that never saturates: `ln mu` plus a small multiple of the log closeness.
    pub(super) fn score(&self) -> f64 {
        // The closeness is zero if nothing is within a finite distance.
        let log_chi = self.log_chi.max(-MAX_DISTANCE);
        self.log_degree.max(OUTSIDE) + TIE_BREAK * log_chi
    }

    pub(super) fn judgment(&self) -> Judgment {
        Judgment {
            score: self.score(),
            membership: self.log_degree.exp(),
            region: self.region,
            is_central: self.difference <= self.threshold,
        }
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
    /// Takes the score of a region if its membership exceeds the largest so far; ties go to the first region.
    fn consider(&mut self, score: RegionScore) {
        if score.region == 0 || score.log_degree > self.value {
            *self = Self { value: score.log_degree, score };
        }
    }
}

/// Measures the distances of an embedded sample to the candidates.
fn measure(
    one: &[f64],
    points: &Matrix,
    region: &Region,
    buffers: &mut CandidateBuffers,
    near: &mut [(u32, f64)],
) {
    buffers.needed.clear();
    buffers.needed.extend(near.iter().map(|n| region.vertices[n.0 as usize]));
    kernel::euclidean_to_some(one, points.values(), &buffers.needed, &mut buffers.found);
    for (near, &distance) in near.iter_mut().zip(&buffers.found) {
        near.1 = distance.min(MAX_DISTANCE);
    }
}

/// All vertices of a region with their distances, selected from the distances to all training samples.
fn all_vertices(to: &[f64], region: &Region, near: &mut Vec<(u32, f64)>) {
    near.clear();
    let vertices = region.vertices.iter().zip(0..);
    near.extend(vertices.map(|(&v, local)| (local, to[v as usize])));
}

/// The squared distance within which each vertex admits a newcomer to its list, with a margin for rounding.
fn admission_radii(region: &Region) -> Vec<f64> {
    let lists = region.graph().lists();
    let farthest = |v: usize| lists.lengths(v, lists.width())[lists.width() - 1];
    (0..region.size()).map(|v| farthest(v).powi(2) * (1.0 + 1e-9)).collect()
}
