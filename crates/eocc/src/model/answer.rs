//! How a model answers: from a new sample to its decision.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{Model, Space};
use crate::centrality::rejoin_all;
use crate::decision::{Decision, p_value};
use crate::dissimilarity::Prepared;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel;
use crate::knn::{approximate_squares, keep_smallest, squared_norms};
use crate::matrix::Matrix;
use crate::membership::log_degree;
use crate::memory;
use crate::observer::{Observer, Progress, Silent};
use crate::params::{Comparison, Scoring, Threshold};
use crate::paths;
use crate::region::Region;
use crate::sample::SampleSet;

/// Distances beyond this are taken for it: nothing a score could tell apart, and no infinity.
const FARTHEST: f64 = 1e300;
/// Most and fewest samples scored together: the training points are read once for all of them, but every thread
/// wants its share.
const TOGETHER: std::ops::RangeInclusive<usize> = 8..=128;
/// Weight of `log2 chi` in the score where regions compete by membership. The membership saturates; this far smaller
/// term keeps on telling samples apart beyond.
const TIE_BREAK: f64 = 1e-9;
/// `ln mu` for the score where a region without spread (`t = 0`) does not hold the sample.
const OUTSIDE: f64 = -1e6;

/// What answering needs of the model, made once.
pub(crate) struct Ready<T: ?Sized> {
    /// The samples that new ones are compared with.
    prepared: Box<dyn Prepared<T>>,
    /// Squared lengths of the embedded training samples; none if direct.
    norms: Vec<f64>,
    /// For each region, the squared distance within which a vertex takes a newcomer into its list, with room for
    /// rounding.
    takes: Vec<Vec<f64>>,
    /// Whether a sample that equals a training sample is taken for it: no two training samples are equal, and the
    /// centrality is not the paper's, which is left to the letter.
    knows_its_own: bool,
}

/// Room to work in, kept from sample to sample.
#[derive(Default)]
struct Scratch {
    squares: Vec<f64>,
    order: Vec<f64>,
    needed: Vec<u32>,
    found: Vec<f64>,
}

impl<X: SampleSet> Model<X> {
    fn ready(&self) -> &Ready<X::Item> {
        self.ready.get_or_init(|| Ready {
            prepared: self.dissimilarity.prepare(&self.reference().refs()),
            norms: match &self.space {
                Space::Embedded { points, .. } => squared_norms(points),
                Space::Direct { .. } => Vec::new(),
            },
            takes: self.regions.iter().map(|region| self.takes(region)).collect(),
            knows_its_own: !self.params.centrality.rule().has_exact()
                && (0..self.lists.points()).all(|i| self.lists.lengths(i, 1)[0] > 0.0),
        })
    }

    fn takes(&self, region: &Region) -> Vec<f64> {
        let lists = region.graph.lists();
        let farthest = |v: usize| lists.lengths(v, lists.width())[lists.width() - 1] * self.scales.unit;
        (0..region.size()).map(|v| farthest(v).powi(2) * (1.0 + 1e-9)).collect()
    }

    /// Dissimilarities of samples to the prototypes, divided by `c`: the embedding of new samples.
    pub fn embed(&self, samples: &[&X::Item]) -> Result<Matrix> {
        let columns = self.reference().count();
        let mut matrix = Matrix::zeros(samples.len(), columns);
        for (i, one) in samples.iter().enumerate() {
            let row = matrix.row_mut(i);
            self.ready().prepared.fill(one, 0..columns, row);
            for (j, v) in row.iter_mut().enumerate() {
                if v.is_nan() || *v < 0.0 {
                    return Err(bad_dissimilarity(j, *v));
                }
                *v = (*v / self.scales.bound).min(FARTHEST);
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

    /// Decides on one sample, as the parameters say.
    pub fn decide(&self, sample: &X::Item) -> Result<Decision> {
        let scoring = self.params.scoring;
        self.dissimilarity.check(sample)?;
        if self.is_exact(scoring) {
            self.require_paths()?;
        }
        Ok(self.decide_batch(&[sample], scoring)?.0[0])
    }

    /// Decides on all of `samples`, in order.
    pub fn decide_all(&self, samples: &X) -> Result<Vec<Decision>> {
        self.decide_with(samples, self.params.scoring, &Silent)
    }

    /// Decides on all of `samples` with this scoring, watched.
    pub fn decide_with(
        &self,
        samples: &X,
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Decision>> {
        self.decide_refs(&self.reference().conform(samples)?.refs(), scoring, observer)
    }

    /// The same for samples that are elsewhere; they must be of the form of the training samples.
    pub fn decide_refs(
        &self,
        refs: &[&X::Item],
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Decision>> {
        self.check_all(refs)?;
        if self.is_exact(scoring) {
            self.require_paths()?;
        }
        for region in &self.regions {
            if self.is_exact(scoring) {
                region.graph.paths();
            } else {
                self.params.centrality.rule().prepare(&region.graph);
            }
        }
        self.ready();
        let threads = rayon::current_num_threads();
        let share = if threads == 1 { refs.len() } else { refs.len() / (4 * threads) };
        let together = share.clamp(*TOGETHER.start(), *TOGETHER.end());
        let (done, measured) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let decided: Result<Vec<Vec<Decision>>> = refs
            .par_chunks(together)
            .map(|ones| {
                if observer.is_cancelled() {
                    return Err(Error::from(ErrorKind::Cancelled));
                }
                let (decisions, own) = self.decide_batch(ones, scoring)?;
                measured.fetch_add(own, Ordering::Relaxed);
                let done = done.fetch_add(ones.len(), Ordering::Relaxed) + ones.len();
                observer.progress(&Progress::Stage { name: "scoring", done, total: refs.len() });
                Ok(decisions)
            })
            .collect();
        let decided = decided?.into_iter().flatten().collect();
        if self.uses_bounds(scoring) {
            let pairs = refs.len() * self.reference().count();
            observer.progress(&Progress::Spared { measured: measured.into_inner(), pairs });
        }
        Ok(decided)
    }

    /// Decides on a few samples on this thread; and how many dissimilarities were measured for it.
    fn decide_batch(&self, samples: &[&X::Item], scoring: Scoring) -> Result<(Vec<Decision>, usize)> {
        if let Some(decisions) = self.decide_by_bounds(samples, scoring) {
            return decisions;
        }
        let rows = self.embed(samples)?;
        let squares = match &self.space {
            Space::Embedded { points, .. } => Some(approximate_squares(&rows, points, &self.ready().norms)),
            Space::Direct { .. } => None,
        };
        let mut best = vec![(f64::NEG_INFINITY, Claim::NONE); samples.len()];
        let mut scratch = Scratch::default();
        for (r, region) in self.regions.iter().enumerate() {
            let takes = self.is_exact(scoring).then_some(self.ready().takes[r].as_slice());
            let mut near = |i: usize, near: &mut Vec<(u32, f64)>| match (&squares, &self.space) {
                (Some((squares, slacks)), Space::Embedded { points, .. }) => {
                    self.those_that_matter(region, takes, squares.row(i), slacks[i], &mut scratch, near);
                    self.measure(rows.row(i), points, region, &mut scratch, near);
                }
                _ => self.all(rows.row(i), region, near),
            };
            let claims = if self.is_exact(scoring) {
                let mut all = vec![Vec::new(); samples.len()];
                all.iter_mut().enumerate().for_each(|(i, own)| near(i, own));
                self.exact_claims(r, &all)
            } else {
                let mut own = Vec::new();
                let mut claim = |i| {
                    near(i, &mut own);
                    self.fast_claim(r, &mut own)
                };
                (0..samples.len()).map(&mut claim).collect()
            };
            for (best, claim) in best.iter_mut().zip(claims) {
                self.bid(r, claim, best);
            }
        }
        let measured = samples.len() * self.reference().count();
        Ok((best.iter().map(|b| self.decision(&b.1)).collect(), measured))
    }

    /// Where the graph is on the dissimilarity itself and that has lower bounds, only the nearest samples of each region
    /// are measured; and how many were. `None` where it is not so.
    fn decide_by_bounds(
        &self,
        samples: &[&X::Item],
        scoring: Scoring,
    ) -> Option<Result<(Vec<Decision>, usize)>> {
        if !self.uses_bounds(scoring) {
            return None;
        }
        let prepared = self.ready().prepared.as_ref();
        let mut decisions = Vec::with_capacity(samples.len());
        let mut measured = 0;
        for one in samples {
            let mut best = (f64::NEG_INFINITY, Claim::NONE);
            for (r, region) in self.regions.iter().enumerate() {
                let nearest =
                    prepared.nearest(one, &region.vertices, self.scales.links.min(region.size()))?;
                measured += nearest.measured;
                let mut near = Vec::with_capacity(nearest.found.len());
                for (v, distance) in nearest.found {
                    if distance.is_nan() || distance < 0.0 {
                        return Some(Err(bad_dissimilarity(v as usize, distance)));
                    }
                    let distance = self.in_units((distance / self.scales.bound).min(FARTHEST));
                    // Vertices are ascending.
                    near.push((region.vertices.partition_point(|w| *w < v) as u32, distance));
                }
                self.bid(r, self.fast_claim(r, &mut near), &mut best);
            }
            decisions.push(self.decision(&best.1));
        }
        Some(Ok((decisions, measured)))
    }

    fn uses_bounds(&self, scoring: Scoring) -> bool {
        matches!(self.space, Space::Direct { .. })
            && !self.is_exact(scoring)
            && self.dissimilarity.has_bounds()
    }

    /// Takes the claim of region `r` if it is better than the best so far; of equals, the first region's.
    fn bid(&self, r: usize, claim: Claim, best: &mut (f64, Claim)) {
        let bid = match self.params.comparison {
            Comparison::Membership => claim.log_degree,
            Comparison::Closeness => claim.log_chi,
        };
        if r == 0 || bid > best.0 {
            *best = (bid, claim);
        }
    }

    /// Measures the distances of one embedded sample to the vertices that matter.
    fn measure(
        &self,
        one: &[f64],
        points: &Matrix,
        region: &Region,
        s: &mut Scratch,
        near: &mut [(u32, f64)],
    ) {
        s.needed.clear();
        s.needed.extend(near.iter().map(|n| region.vertices[n.0 as usize]));
        kernel::euclidean_to_some(one, points.values(), &s.needed, &mut s.found);
        for (near, &distance) in near.iter_mut().zip(&s.found) {
            near.1 = self.in_units(distance);
        }
    }

    fn in_units(&self, distance: f64) -> f64 {
        (distance / self.scales.unit).min(FARTHEST)
    }

    /// All vertices of a region with their distances, from those to all training samples.
    fn all(&self, to: &[f64], region: &Region, near: &mut Vec<(u32, f64)>) {
        near.clear();
        let vertices = region.vertices.iter().zip(0..);
        near.extend(vertices.map(|(&v, local)| (local, self.in_units(to[v as usize]))));
    }

    /// The vertices that a newcomer may be joined to: the nearest, and in exact scoring those that may take it into
    /// their list. A product proposes them with room for its rounding, so that the decision is the same to the bit as
    /// with all of them. Where squares overflow, the product says nothing and all matter.
    fn those_that_matter(
        &self,
        region: &Region,
        takes: Option<&[f64]>,
        squares: &[f64],
        slack: f64,
        s: &mut Scratch,
        near: &mut Vec<(u32, f64)>,
    ) {
        s.squares.clear();
        if region.size() == squares.len() {
            s.squares.extend_from_slice(squares);
        } else {
            s.squares.extend(region.vertices.iter().map(|&v| squares[v as usize]));
        }
        let limit = not_below_smallest(&s.squares, self.scales.links, &mut s.order) + slack;
        near.clear();
        let may_be_near = |square: f64| square <= limit || square.is_nan();
        match takes {
            _ if !limit.is_finite() => near.extend((0..region.size() as u32).map(|v| (v, 0.0))),
            None => {
                let some = s.squares.iter().zip(0..).filter(|(square, _)| may_be_near(**square));
                near.extend(some.map(|(_, v)| (v, 0.0)));
            }
            Some(takes) => {
                let may_matter = |square: f64, take: f64| may_be_near(square) || square <= take + slack;
                let some = s.squares.iter().zip(takes).zip(0..).filter(|((q, t), _)| may_matter(**q, **t));
                near.extend(some.map(|(_, v)| (v, 0.0)));
            }
        }
    }

    /// Whether this scoring joins the newcomer to the graph; for some centralities there is no difference.
    fn is_exact(&self, scoring: Scoring) -> bool {
        scoring == Scoring::Exact && self.params.centrality.rule().has_exact()
    }

    /// Exact scoring keeps all shortest paths of each region.
    fn require_paths(&self) -> Result<()> {
        let largest = self.regions.iter().map(Region::size).max().unwrap_or(0);
        if largest > paths::MOST_VERTICES {
            return Err(Error::parameter(
                "scoring",
                "exact",
                format!(
                    "fast for a region of {largest} samples (exact takes up to {})",
                    paths::MOST_VERTICES
                ),
            ));
        }
        let needed: u64 = self.regions.iter().map(|r| (r.size() as u64).pow(2) * paths::BYTES_PER_PAIR).sum();
        memory::require("exact scoring", needed, self.params.memory, "use fast scoring (--scoring fast)")
    }

    fn decision(&self, claim: &Claim) -> Decision {
        let score = self.score(claim);
        let p_value = p_value(&self.calibration, score);
        let accepted = match self.params.threshold {
            Threshold::Percentile => claim.difference <= claim.threshold,
            Threshold::Reject(share) => p_value > share,
        };
        Decision { score, membership: claim.log_degree.exp(), accepted, region: claim.region, p_value }
    }

    /// What region `r` says of samples that join it, each on its own.
    fn exact_claims(&self, r: usize, near: &[Vec<(u32, f64)>]) -> Vec<Claim> {
        let all = rejoin_all(&self.regions[r].graph, near, self.params.percentile, self.params.scale);
        all.iter().map(|j| Claim::new(r, j.log_chi, j.difference, j.threshold)).collect()
    }

    /// What region `r` says of a sample, the graph as it is.
    fn fast_claim(&self, r: usize, near: &mut Vec<(u32, f64)>) -> Claim {
        let region = &self.regions[r];
        keep_smallest(near, self.scales.links.min(region.size()));
        // A training sample that comes again must not vouch for itself.
        let own = near.iter().find(|n| n.1 <= 0.0 && self.ready().knows_its_own);
        let log_chi = match own {
            Some(&(vertex, _)) => region.log_chi[vertex as usize],
            None => self.params.centrality.rule().of_newcomer(&region.graph, near),
        };
        Claim::new(r, log_chi, region.fuzzy.difference(log_chi), region.fuzzy.threshold)
    }

    /// The score of a claim: `log2` of the mean nearness to the linked neighbours where regions compete by closeness;
    /// `ln mu`, kept from saturating, where they compete by membership.
    pub(super) fn score(&self, claim: &Claim) -> f64 {
        // Closeness of zero: nothing within reach of a number.
        let log_chi = claim.log_chi.max(-FARTHEST);
        match self.params.comparison {
            Comparison::Closeness => log_chi - (self.scales.links as f64).log2(),
            Comparison::Membership => claim.log_degree.max(OUTSIDE) + TIE_BREAK * log_chi,
        }
    }
}

/// What one region says of a sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    pub(super) region: usize,
    pub(super) log_chi: f64,
    pub(super) difference: f64,
    pub(super) threshold: f64,
    pub(super) log_degree: f64,
}

impl Claim {
    fn new(region: usize, log_chi: f64, difference: f64, threshold: f64) -> Self {
        Self { region, log_chi, difference, threshold, log_degree: log_degree(difference, threshold) }
    }

    const NONE: Self = Self {
        region: 0,
        log_chi: f64::NEG_INFINITY,
        difference: f64::INFINITY,
        threshold: 0.0,
        log_degree: f64::NEG_INFINITY,
    };
}

fn bad_dissimilarity(prototype: usize, value: f64) -> Error {
    Error::input(format!(
        "the dissimilarity to prototype {prototype} is {value}, but must not be negative or NaN"
    ))
}

/// A number that at least `k` of `values` do not exceed, close to the `k`-th smallest of them; infinite if fewer than
/// `k` are numbers.
///
/// Of some four times `k` groups each holds its smallest, and the `k`-th smallest of those is not below that of all:
/// one pass in wide vectors, and a selection among few.
fn not_below_smallest(values: &[f64], k: usize, order: &mut Vec<f64>) -> f64 {
    let groups = (4 * k).next_multiple_of(16).min(values.len());
    order.clear();
    order.resize(groups, f64::INFINITY);
    if k == 0 || k > groups {
        return f64::INFINITY;
    }
    kernel::minima(values, order);
    *order.select_nth_unstable_by(k - 1, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_bound_holds_k_and_not_many_more() {
        let mut r = Random::new(4);
        let mut order = Vec::new();
        for (n, k) in [(1, 1), (20, 20), (450, 20), (1000, 3), (77, 19)] {
            let values: Vec<f64> = (0..n).map(|_| r.uniform()).collect();
            let bound = not_below_smallest(&values, k, &mut order);
            let within = values.iter().filter(|v| **v <= bound).count();
            assert!(k <= within && within <= 2 * k + 2, "{within} for k = {k} of {n}");
        }
        assert!(not_below_smallest(&[1.0, f64::NAN, 2.0], 3, &mut order).is_infinite());
        assert!(not_below_smallest(&[1.0, 2.0], 3, &mut order).is_infinite());
    }
}
