//! The fitted whole: what it keeps, and how it answers.

mod any;
pub mod file;
mod fit;
mod store;

use std::sync::OnceLock;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::centrality::rejoin;
use crate::decision::{Decision, p_value};
use crate::dissimilarity::{Dissimilarity, Prepared};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel;
use crate::knn::{KnnLists, approximate_squares, nearest, squared_norms};
use crate::matrix::Matrix;
use crate::membership::log_degree;
use crate::memory;
use crate::observer::{Observer, Progress, Silent};
use crate::params::{Comparison, OneClassParams, Scoring, Threshold};
use crate::paths;
use crate::region::Region;
use crate::sample::SampleSet;
use crate::synthesis::StopReason;

pub use any::AnyModel;
pub use fit::{FEWEST, Trained};
pub use store::Store;

/// A fitted one-class classifier for samples like those of `X`.
pub struct Model<X: SampleSet> {
    pub(crate) params: OneClassParams,
    pub(crate) dissimilarity: Box<dyn Dissimilarity<X::Item>>,
    pub(crate) space: Space<X>,
    /// The `k*` nearest neighbours of every training sample.
    pub(crate) lists: KnnLists,
    pub(crate) regions: Vec<Region>,
    pub(crate) scales: Scales,
    pub(crate) summary: Summary,
    /// Scores of the training samples as if each were new, ascending.
    pub(crate) calibration: Vec<f64>,
    pub(crate) prepared: OnceLock<Box<dyn Prepared<X::Item>>>,
}

/// Where the graph lives.
pub(crate) enum Space<X> {
    /// Points of the dissimilarity space, a row a training sample.
    Embedded {
        /// The prototypes.
        prototypes: X,
        /// The embedded training samples.
        points: Matrix,
    },
    /// The training samples themselves.
    Direct {
        /// All of them.
        samples: X,
    },
}

/// The lengths that everything is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scales {
    /// `c`: dissimilarities are divided by it.
    pub bound: f64,
    /// The unit of length in `2^-d`.
    pub unit: f64,
    /// How many nearest neighbours a newcomer is joined to.
    pub links: usize,
}

/// How the model came about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of training samples.
    pub samples: usize,
    /// Number of their features; 0 if they have no fixed number.
    pub features: usize,
    /// `k*`.
    pub neighbors: usize,
    /// The objective at `p*`, `k*`.
    pub eta: f64,
    /// The Jensen difference behind it.
    pub jensen: f64,
    /// Evaluations of the search.
    pub evaluations: usize,
    /// Why the search stopped.
    pub stop: StopReason,
}

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

impl<X: SampleSet> Model<X> {
    /// The parameters it was fitted with.
    pub fn params(&self) -> &OneClassParams {
        &self.params
    }

    /// The dissimilarity with its learnt parameters.
    pub fn dissimilarity(&self) -> &dyn Dissimilarity<X::Item> {
        self.dissimilarity.as_ref()
    }

    /// Its decision regions, largest first.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The neighbours of the training samples.
    pub fn lists(&self) -> &KnnLists {
        &self.lists
    }

    /// How it came about.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The lengths it measures by.
    pub fn scales(&self) -> &Scales {
        &self.scales
    }

    /// Leave-one-out scores of the training samples, ascending.
    pub fn calibration(&self) -> &[f64] {
        &self.calibration
    }

    /// Number of prototypes; all training samples if direct.
    pub fn prototypes(&self) -> usize {
        self.reference().count()
    }

    /// The samples that new ones are compared with.
    pub fn reference(&self) -> &X {
        match &self.space {
            Space::Embedded { prototypes, .. } => prototypes,
            Space::Direct { samples } => samples,
        }
    }

    /// Region and degree of membership of every training sample.
    pub fn training_memberships(&self) -> Vec<(usize, f64)> {
        let mut all = vec![(0, 0.0); self.summary.samples];
        for (r, region) in self.regions.iter().enumerate() {
            for (&v, &log_chi) in region.vertices.iter().zip(&region.log_chi) {
                all[v as usize] = (r, region.fuzzy.degree(region.fuzzy.difference(log_chi)));
            }
        }
        all
    }

    /// Dissimilarities of samples to the prototypes, divided by `c`: the embedding of new samples.
    pub fn embed(&self, samples: &[&X::Item]) -> Result<Matrix> {
        let prepared = self.prepared();
        let columns = self.reference().count();
        let mut matrix = Matrix::zeros(samples.len(), columns);
        for (i, one) in samples.iter().enumerate() {
            let row = matrix.row_mut(i);
            prepared.fill(one, 0..columns, row);
            for (j, v) in row.iter_mut().enumerate() {
                if v.is_nan() || *v < 0.0 {
                    return Err(Error::input(format!(
                        "the dissimilarity to prototype {j} is {v}, but must not be negative or NaN"
                    )));
                }
                *v = (*v / self.scales.bound).min(FARTHEST);
            }
        }
        Ok(matrix)
    }

    /// Distances of samples to all training samples in the space of the graph, in its unit.
    ///
    /// Given the squared `norms` of the embedded training samples, only those distances are measured that can matter
    /// to a decision; the others are [`FARTHEST`], and the decision is the same to the bit.
    fn distances(&self, samples: &[&X::Item], norms: Option<&[f64]>, exact: bool) -> Result<Distances> {
        if !exact && matches!(self.space, Space::Direct { .. }) && self.dissimilarity.has_bounds() {
            return Ok(self.distances_by_bounds(samples));
        }
        let mut out = self.embed(samples)?;
        let measured = out.values().len();
        if let Space::Embedded { points, .. } = &self.space {
            let embedded = out;
            if let Some(norms) = norms {
                out = self.distances_that_matter(&embedded, points, norms, exact);
            } else {
                out = Matrix::zeros(samples.len(), points.rows());
                kernel::euclidean_block(
                    embedded.values(),
                    points.values(),
                    points.columns(),
                    out.values_mut(),
                );
            }
        }
        for d in out.values_mut() {
            *d = (*d / self.scales.unit).min(FARTHEST);
        }
        Ok(Distances { rows: out, measured })
    }

    /// Distances to the nearest training samples of each region, which are all that matter unless newcomers join; the
    /// others are [`FARTHEST`]. Only those are measured that lower bounds do not rule out.
    fn distances_by_bounds(&self, samples: &[&X::Item]) -> Distances {
        let prepared = self.prepared();
        let mut rows = Matrix::zeros(samples.len(), self.reference().count());
        let mut measured = 0;
        for (i, one) in samples.iter().enumerate() {
            let row = rows.row_mut(i);
            row.fill(FARTHEST);
            for region in &self.regions {
                let links = self.scales.links.min(region.vertices.len());
                let Some(nearest) = prepared.nearest(one, &region.vertices, links) else { continue };
                measured += nearest.measured;
                for (v, d) in nearest.found {
                    row[v as usize] = (d / self.scales.bound / self.scales.unit).min(FARTHEST);
                }
            }
        }
        Distances { rows, measured }
    }

    fn prepared(&self) -> &dyn Prepared<X::Item> {
        self.prepared.get_or_init(|| self.dissimilarity.prepare(&self.reference().refs())).as_ref()
    }

    /// Distances to the vertices that a newcomer may be joined to: the nearest of each region, and in exact scoring
    /// those that may take the newcomer into their list. A product proposes them with room for its rounding.
    fn distances_that_matter(&self, ones: &Matrix, points: &Matrix, norms: &[f64], exact: bool) -> Matrix {
        let (mut squares, slacks) = approximate_squares(ones, points, norms);
        let (mut needed, mut order, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for (i, slack) in slacks.into_iter().enumerate() {
            let row = squares.row_mut(i);
            needed.clear();
            for region in &self.regions {
                order.clear();
                order.extend(region.vertices.iter().map(|&v| row[v as usize]));
                let links = self.scales.links.min(order.len());
                let (_, &mut bound, _) = order.select_nth_unstable_by(links - 1, f64::total_cmp);
                let limit = bound + slack;
                let lists = region.graph.lists();
                let k = lists.width();
                needed.extend(region.vertices.iter().enumerate().filter_map(|(local, &v)| {
                    let square = row[v as usize];
                    // Where squares overflow the product says nothing.
                    let may_be_near = square <= limit || !limit.is_finite() || square.is_nan();
                    let may_take = exact && {
                        let last = lists.lengths(local, k)[k - 1] * self.scales.unit;
                        square <= last * last * (1.0 + 1e-9) + slack
                    };
                    (may_be_near || may_take).then_some(v)
                }));
            }
            kernel::euclidean_to_some(ones.row(i), points.values(), &needed, &mut found);
            row.fill(f64::INFINITY);
            for (&v, &distance) in needed.iter().zip(&found) {
                row[v as usize] = distance;
            }
        }
        squares
    }

    /// Decides on one sample, as the parameters say.
    pub fn decide(&self, sample: &X::Item) -> Result<Decision> {
        let scoring = self.params.scoring;
        let distances = self.distances(&[sample], None, self.is_exact(scoring))?;
        Ok(self.decide_at(distances.rows.row(0), scoring))
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
        self.reference().accepts(samples)?;
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
        let norms = match &self.space {
            Space::Embedded { points, .. } => Some(squared_norms(points)),
            Space::Direct { .. } => None,
        };
        let exact = self.is_exact(scoring);
        let refs = samples.refs();
        let share = refs.len() / (4 * rayon::current_num_threads());
        let together = share.clamp(*TOGETHER.start(), *TOGETHER.end());
        let done = std::sync::atomic::AtomicUsize::new(0);
        let measured = std::sync::atomic::AtomicUsize::new(0);
        let decided: Result<Vec<Vec<Decision>>> = refs
            .par_chunks(together)
            .map(|ones| {
                if observer.is_cancelled() {
                    return Err(Error::from(ErrorKind::Cancelled));
                }
                let distances = self.distances(ones, norms.as_deref(), exact)?;
                measured.fetch_add(distances.measured, std::sync::atomic::Ordering::Relaxed);
                let rows = &distances.rows;
                let decisions = (0..ones.len()).map(|i| self.decide_at(rows.row(i), scoring)).collect();
                let done = done.fetch_add(ones.len(), std::sync::atomic::Ordering::Relaxed) + ones.len();
                observer.progress(&Progress::Stage { name: "scoring", done, total: refs.len() });
                Ok(decisions)
            })
            .collect();
        let decided = decided?.into_iter().flatten().collect();
        if self.dissimilarity.has_bounds() && matches!(self.space, Space::Direct { .. }) {
            let pairs = refs.len() * self.reference().count();
            observer.progress(&Progress::Spared { measured: measured.into_inner(), pairs });
        }
        Ok(decided)
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

    /// Decides from the distances to all training samples.
    fn decide_at(&self, to: &[f64], scoring: Scoring) -> Decision {
        let exact = self.is_exact(scoring);
        let mut best: Option<(f64, Claim)> = None;
        let mut local = Vec::new();
        for (r, region) in self.regions.iter().enumerate() {
            local.clear();
            local.extend(region.vertices.iter().map(|&v| to[v as usize]));
            let claim = self.claim(r, region, &local, exact);
            let bid = match self.params.comparison {
                Comparison::Membership => claim.log_degree,
                Comparison::Closeness => claim.log_chi,
            };
            // Strictly more: of equals, the first region.
            if best.is_none_or(|b| bid > b.0) {
                best = Some((bid, claim));
            }
        }
        let claim = best.map_or(Claim::NONE, |b| b.1);
        let score = self.score(&claim);
        let p_value = p_value(&self.calibration, score);
        let accepted = match self.params.threshold {
            Threshold::Percentile => claim.difference <= claim.threshold,
            Threshold::Reject(share) => p_value > share,
        };
        Decision { score, membership: claim.log_degree.exp(), accepted, region: claim.region, p_value }
    }

    fn claim(&self, r: usize, region: &Region, to: &[f64], exact: bool) -> Claim {
        let (log_chi, difference, threshold) = if exact {
            let joined = rejoin(&region.graph, to, self.params.percentile, self.params.scale);
            (joined.log_chi, joined.difference, joined.threshold)
        } else {
            let links = nearest(to, self.scales.links.min(to.len()), None);
            let log_chi = self.params.centrality.rule().of_newcomer(&region.graph, &links);
            (log_chi, region.fuzzy.difference(log_chi), region.fuzzy.threshold)
        };
        Claim { region: r, log_chi, difference, threshold, log_degree: log_degree(difference, threshold) }
    }

    /// The score of a claim: `log2` of the mean nearness to the linked neighbours where regions compete by closeness;
    /// `ln mu`, kept from saturating, where they compete by membership.
    fn score(&self, claim: &Claim) -> f64 {
        // Closeness of zero: nothing within reach of a number.
        let log_chi = claim.log_chi.max(-FARTHEST);
        match self.params.comparison {
            Comparison::Closeness => log_chi - (self.scales.links as f64).log2(),
            Comparison::Membership => claim.log_degree.max(OUTSIDE) + TIE_BREAK * log_chi,
        }
    }
}

/// Distances of samples (rows) to the training samples, and how many dissimilarities were measured for them.
struct Distances {
    rows: Matrix,
    measured: usize,
}

/// What one region says of a sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    region: usize,
    log_chi: f64,
    difference: f64,
    threshold: f64,
    log_degree: f64,
}

impl Claim {
    const NONE: Self = Self {
        region: 0,
        log_chi: f64::NEG_INFINITY,
        difference: f64::INFINITY,
        threshold: 0.0,
        log_degree: f64::NEG_INFINITY,
    };
}
