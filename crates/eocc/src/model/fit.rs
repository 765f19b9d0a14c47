//! Fitting: from samples to a model, stage by stage in the order of the paper.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::answer::Claim;
use super::{Model, Scales, Space, Summary};
use crate::centrality::RegionGraph;
use crate::dissimilarity::{Dissimilarity, Kept};
use crate::edges::{self, Edges};
use crate::embedding::{cross, embed_keeping};
use crate::entropy::intrinsic_dimension;
use crate::error::{InputFault, Result};
use crate::jensen::{Descent, Objective};
use crate::knn::{KnnLists, nearest_by_bounds, nearest_of_points_watched, nearest_of_rows_watched};
use crate::matrix::Matrix;
use crate::membership::{Membership, log_degree};
use crate::memory;
use crate::observer::{Observer, Progress, Silent};
use crate::params::{Dimension, OneClassParams, Threshold, Unit, ValidParams};
use crate::partition::Partition;
use crate::region::{Region, local_lists, ordered_members};
use crate::sample::SampleSet;
use crate::synthesis::{SearchKind, StopReason, Stopping, search};

/// Fewest samples to learn from: `k = 1` and the lists of `k + 1` need three.
pub const FEWEST: usize = 3;
/// Folds of the training set by which a measure that adapts is calibrated.
const FOLDS: usize = 10;
/// Beyond so many features a third of the folds must do.
const MANY_FEATURES: usize = 200;
/// Numbers of samples for which it is: with fewer a fold is too little to learn without, with more it does not matter.
const CALIBRATED_BY_FOLDS: std::ops::RangeInclusive<usize> = 20..=2000;
/// Largest matrix of dissimilarities kept whole in direct mode, in numbers: 1 GiB.
const WHOLE: usize = 1 << 27;

/// A model and how it was found.
pub struct Trained<X: SampleSet> {
    /// The model.
    pub model: Model<X>,
    /// The objective of every evaluation, in order.
    pub history: Vec<f64>,
    /// The parameters `p` of every evaluation.
    pub tried: Vec<Vec<f64>>,
    /// Why the search stopped.
    pub stop: StopReason,
    /// What the user should know: small samples, and the like.
    pub warnings: Vec<String>,
}

impl ValidParams {
    /// Fits a model of `samples` under `dissimilarity`.
    pub fn fit<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
    ) -> Result<Trained<X>> {
        self.fit_watched(samples, dissimilarity, &Silent)
    }

    /// The same, watched: `observer` sees the progress and may stop the search, which then returns the best so far.
    pub fn fit_watched<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
        observer: &dyn Observer,
    ) -> Result<Trained<X>> {
        let unlearnt = dissimilarity.boxed();
        let mut trained = self.fit_once(samples, dissimilarity, observer)?;
        let n = samples.count();
        let adapts = unlearnt.adapts() && self.search == SearchKind::None;
        if adapts && CALIBRATED_BY_FOLDS.contains(&n) {
            trained.model.calibration = self.scores_of_folds(samples, unlearnt.as_ref(), observer)?;
            trained.model.calibration.sort_unstable_by(f64::total_cmp);
        }
        Ok(trained)
    }

    /// The score of every training sample under a model that has seen nothing of its fold: neither its graph nor its
    /// measure.
    fn scores_of_folds<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: &dyn Dissimilarity<X::Item>,
        observer: &dyn Observer,
    ) -> Result<Vec<f64>> {
        // Correlations of many features take their time.
        let folds = if samples.features() > MANY_FEATURES { FOLDS / 3 } else { FOLDS };
        let done = AtomicUsize::new(0);
        let of_fold = |fold: usize| {
            let (test, train): (Vec<usize>, Vec<usize>) =
                (0..samples.count()).partition(|i| i % folds == fold);
            if observer.is_cancelled() {
                return Err(crate::error::ErrorKind::Cancelled.into());
            }
            let model = self.fit_once(&samples.select(&train), dissimilarity.boxed(), &Silent)?.model;
            let scores = model.decide_all(&samples.select(&test))?.iter().map(|d| d.score).collect();
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            observer.progress(&Progress::Stage { name: "calibration", done, total: folds });
            Ok(scores)
        };
        let all: Vec<Result<Vec<f64>>> = (0..folds).into_par_iter().map(of_fold).collect();
        Ok(all.into_iter().collect::<Result<Vec<_>>>()?.concat())
    }

    /// A model whose p-values come from its own graph, each training sample left out in its turn.
    fn fit_once<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
        observer: &dyn Observer,
    ) -> Result<Trained<X>> {
        self.fit_learnt(samples, self.learnt(samples, dissimilarity)?, observer)
    }

    /// What the dissimilarity is after learning from `samples`; fails if they or it cannot be fitted.
    pub(super) fn learnt<X: SampleSet>(
        &self,
        samples: &X,
        mut dissimilarity: Box<dyn Dissimilarity<X::Item>>,
    ) -> Result<Box<dyn Dissimilarity<X::Item>>> {
        let n = samples.count();
        if n < FEWEST {
            return Err(InputFault::TooFew { found: n, needed: FEWEST }.into());
        }
        require_memory(self, n)?;
        let refs = samples.refs();
        dissimilarity.learn(&refs, samples.feature_names())?;
        for (i, sample) in refs.iter().enumerate() {
            dissimilarity.check(sample).map_err(|e| crate::Error::input(format!("sample {i}: {e}")))?;
        }
        if self.representation.prototypes(n).is_none() && !dissimilarity.is_symmetric() {
            return Err(crate::Error::parameter(
                "dissimilarity",
                dissimilarity.name(),
                "symmetric for a graph built on it directly; make its costs equal both ways, or use prototypes \
                 (--prototypes all)",
            ));
        }
        Ok(dissimilarity)
    }

    /// [`fit_once`](Self::fit_once) under a [learnt](Self::learnt) dissimilarity; the search starts from its parameters as
    /// they stand.
    pub(super) fn fit_learnt<X: SampleSet>(
        &self,
        samples: &X,
        mut dissimilarity: Box<dyn Dissimilarity<X::Item>>,
        observer: &dyn Observer,
    ) -> Result<Trained<X>> {
        let n = samples.count();
        let refs = samples.refs();
        let prototypes =
            self.representation.prototypes(n).map(|p| p.select(&refs, dissimilarity.as_ref(), self.seed));
        let stopping = Stopping { tau: self.tau, evaluations: self.evaluations };
        let parameters = dissimilarity.parameters();
        let mut kept = Kept::default();
        let found = search(self.search, &parameters, stopping, self.seed, observer, |p| {
            dissimilarity.set(p);
            let spanned =
                span(self, &refs, prototypes.as_deref(), dissimilarity.as_ref(), &mut kept, observer)?;
            Ok((spanned.admissible_eta(), spanned))
        })?;
        dissimilarity.set(&found.p);
        // What was cancelled is the search; the best so far is finished.
        let finishing = Finishing { inner: observer, ignore: found.stop == StopReason::Cancelled };
        let spanned = found.value;
        let space = match (prototypes, spanned.points) {
            (Some(indices), Some(points)) => Space::Embedded { prototypes: samples.select(&indices), points },
            _ => Space::Direct { samples: samples.clone() },
        };
        let links = self.neighbors.unwrap_or(spanned.objective.neighbors).min(spanned.objective.neighbors);
        let by_subset = || edges::suspects(self, n).then(|| edges::far_out(&refs, dissimilarity.as_ref()));
        let far = spanned.far.or_else(by_subset);
        let edges = Edges::new(self, &spanned.lists, links, far.as_deref());
        let mut left_out = edges.left_out(&spanned.lists);
        let scales = Scales { bound: spanned.bound, unit: unit(self.unit, &left_out), links };
        for length in &mut left_out {
            *length /= scales.unit;
        }
        let lists = spanned.lists.truncated(spanned.objective.neighbors);
        let rings = Rings { weights: edges.weights(), left_out };
        let regions = regions(self, &lists, &rings, &spanned.partition, &scales, &finishing)?;
        let summary = Summary {
            samples: n,
            features: samples.features(),
            neighbors: spanned.objective.neighbors,
            eta: spanned.objective.eta,
            jensen: spanned.objective.jensen,
            evaluations: found.history.len(),
            stop: found.stop,
        };
        let mut model = Model {
            params: (**self).clone(),
            dissimilarity,
            space,
            lists,
            regions,
            scales,
            summary,
            calibration: Vec::new(),
            ready: OnceLock::new(),
        };
        model.calibration = model.training_scores();
        model.calibration.sort_unstable_by(f64::total_cmp);
        let warnings = warnings(self, n);
        Ok(Trained { model, history: found.history, tried: found.tried, stop: found.stop, warnings })
    }

    /// One evaluation of the objective under a learnt dissimilarity as it stands, for benches.
    #[doc(hidden)]
    pub fn evaluate<X: SampleSet>(&self, samples: &X, d: &dyn Dissimilarity<X::Item>) -> Result<Objective> {
        let refs = samples.refs();
        let prototypes = self.representation.prototypes(refs.len()).map(|p| p.select(&refs, d, self.seed));
        Ok(span(self, &refs, prototypes.as_deref(), d, &mut Kept::default(), &Silent)?.objective)
    }
}

impl<X: SampleSet> Model<X> {
    /// The score of every training sample by its place in the trained graph, where it does not count itself:
    /// as if it were new.
    pub fn training_scores(&self) -> Vec<f64> {
        let mut scores = vec![0.0; self.summary.samples];
        for (r, region) in self.regions.iter().enumerate() {
            for (&v, &log_chi) in region.vertices.iter().zip(&region.log_chi) {
                let difference = region.fuzzy.difference(log_chi);
                let threshold = region.fuzzy.threshold;
                let log_degree = log_degree(difference, threshold);
                scores[v as usize] =
                    self.score(&Claim { region: r, log_chi, difference, threshold, log_degree });
            }
        }
        scores
    }
}

/// The graph for one `p`, and the best `k` on it.
struct Spanned {
    lists: KnnLists,
    /// How far out each sample lies, where that counts and lists can tell it.
    far: Option<Vec<f64>>,
    points: Option<Matrix>,
    bound: f64,
    objective: Objective,
    partition: Partition,
}

impl Spanned {
    /// The objective as the search sees it. The paper takes `k` as the upper bound of the number `d` of regions
    /// [LA17, sec. III-B]; without that bound the smallest objective is a graph shattered at `k = 1`. So a `p` with
    /// more than `k` regions counts as the worst there is.
    fn admissible_eta(&self) -> f64 {
        if self.partition.parts() <= self.objective.neighbors { self.objective.eta } else { 1.0 }
    }
}

fn span<S: ?Sized + Sync>(
    params: &OneClassParams,
    samples: &[&S],
    prototypes: Option<&[usize]>,
    d: &dyn Dissimilarity<S>,
    kept: &mut Kept,
    observer: &dyn Observer,
) -> Result<Spanned> {
    let n = samples.len();
    // The root of n, rounded up.
    let root = (n - 1).isqrt() + 1;
    let smallest = params.neighbors.unwrap_or(1).min(root).min(n - 2);
    let largest = n.isqrt().max(smallest).min(n - 2);
    let telling = edges::telling_width(params, n);
    let width = telling.map_or(largest + 1, |w| w.max(largest + 1));
    let bounded = params.unit == Unit::Bounded;
    let (lists, points, bound, dimension) = if let Some(prototypes) = prototypes {
        let mut points = embed_keeping(samples, prototypes, d, kept, observer)?;
        let bound = if bounded { divide_by_largest(&mut points) } else { 1.0 };
        if !bounded {
            require_squares(&points)?;
        }
        let lists = nearest_of_points_watched(&points, width, observer)?;
        (lists, Some(points), bound, prototypes.len())
    } else {
        // As if every sample were a prototype: with a smaller exponent the descent shatters the set.
        let (lists, bound) = direct(samples, d, width, bounded, kept, observer)?;
        (lists, None, bound, n)
    };
    let far = telling.map(|_| edges::far_in(&lists));
    let lists = if width > largest + 1 { lists.truncated(largest + 1) } else { lists };
    let dimension = match params.dimension {
        Dimension::Embedding => dimension,
        Dimension::Intrinsic => intrinsic_dimension(&lists),
    };
    let descent = Descent::new(&lists, params.alpha, dimension)?;
    let objective = descent.descend(smallest);
    let partition = descent.partition(objective.neighbors).clone();
    Ok(Spanned { lists, far, points, bound, objective, partition })
}

/// Fails if a square, or a sum of them, would overflow.
fn require_squares(points: &Matrix) -> Result<()> {
    match points.values().iter().position(|v| v.abs() > 1e150) {
        None => Ok(()),
        Some(at) => Err(crate::Error::input(format!(
            "sample {} has a value too large to square; divide the features by a constant",
            at / points.columns()
        ))),
    }
}

/// Divides by the largest entry, `c`; by 1 if all are zero.
fn divide_by_largest(matrix: &mut Matrix) -> f64 {
    const BLOCK: usize = 1 << 14;
    let of_block = |block: &[f64]| block.iter().copied().fold(0.0, f64::max);
    let largest = matrix.values().par_chunks(BLOCK).map(of_block).reduce(|| 0.0, f64::max);
    if largest > 0.0 {
        matrix.values_mut().par_chunks_mut(BLOCK).for_each(|block| {
            for v in block {
                *v /= largest;
            }
        });
        largest
    } else {
        1.0
    }
}

/// Lists on the dissimilarity itself, and `c` if it is to be bounded.
fn direct<S: ?Sized + Sync>(
    samples: &[&S],
    d: &dyn Dissimilarity<S>,
    width: usize,
    bounded: bool,
    kept: &mut Kept,
    observer: &dyn Observer,
) -> Result<(KnnLists, f64)> {
    let n = samples.len();
    if !bounded && let Some(points) = d.coordinates(samples) {
        require_squares(&points)?;
        return Ok((nearest_of_points_watched(&points, width, observer)?, 1.0));
    }
    if !bounded
        && d.has_bounds()
        && let Some(lists) = nearest_by_bounds(samples, d, width, kept, observer)?
    {
        return Ok((lists, 1.0));
    }
    if n.saturating_mul(n) <= WHOLE {
        let all: Vec<usize> = (0..n).collect();
        let mut matrix = embed_keeping(samples, &all, d, kept, observer)?;
        let bound = if bounded { divide_by_largest(&mut matrix) } else { 1.0 };
        let lists = nearest_of_rows_watched(n, width, observer, |i, row| row.copy_from_slice(matrix.row(i)))?;
        return Ok((lists, bound));
    }
    let prepared = d.prepare(samples);
    let mut bound = 1.0;
    if bounded {
        // One pass for c: the lists must be of bounded lengths from the start, to the bit.
        let mut largest = 0.0_f64;
        for block in samples.chunks(256) {
            let rows = cross(block, prepared.as_ref(), n, observer)?;
            largest = rows.values().iter().copied().fold(largest, f64::max);
        }
        bound = if largest > 0.0 { largest } else { 1.0 };
    }
    let lists = nearest_of_rows_watched(n, width, observer, |i, row| {
        prepared.fill(samples[i], 0..n, row);
        for v in row {
            *v /= bound;
        }
    })?;
    let faulty = lists.all_lengths().iter().position(|l| !(l.is_finite() && *l >= 0.0));
    match faulty {
        None => Ok((lists, bound)),
        Some(at) => Err(crate::Error::input(format!(
            "a dissimilarity of sample {} is {}, but must be finite and not negative",
            at / width,
            lists.all_lengths()[at]
        ))),
    }
}

/// The unit of length.
fn unit(unit: Unit, lengths: &[f64]) -> f64 {
    match unit {
        Unit::Bounded => 1.0,
        Unit::MeanEdge(share) => {
            // Divided before they are added, so that the sum cannot overflow.
            let mean: f64 = lengths.iter().map(|l| l / lengths.len() as f64).sum();
            // All neighbours are duplicates: any unit will do.
            if mean > 0.0 { share * mean } else { 1.0 }
        }
    }
}

/// What the edges of rings count as.
struct Rings {
    /// By the sample they lead to.
    weights: Vec<f64>,
    /// Those of each sample, with it left out, list after list.
    left_out: Vec<f64>,
}

impl Rings {
    /// Those of some samples.
    fn of(&self, vertices: &[u32], links: usize) -> (Vec<f64>, Vec<f64>) {
        let weights = vertices.iter().map(|&v| self.weights[v as usize]).collect();
        let ring = |v: &u32| self.left_out[*v as usize * links..(*v as usize + 1) * links].to_vec();
        (weights, vertices.iter().flat_map(ring).collect())
    }
}

fn regions(
    params: &OneClassParams,
    lists: &KnnLists,
    rings: &Rings,
    partition: &Partition,
    scales: &Scales,
    observer: &dyn Observer,
) -> Result<Vec<Region>> {
    ordered_members(partition)
        .into_iter()
        .map(|vertices| {
            let local = local_lists(lists, &vertices, lists.width(), scales.unit);
            let (weights, left_out) = rings.of(&vertices, scales.links);
            let graph = RegionGraph::new(local, scales.links, weights);
            let log_chi = params.centrality.rule().of_vertices(&graph, &left_out, observer)?;
            let fuzzy = Membership::of(&log_chi, params.scale, params.percentile);
            Ok(Region { vertices, graph, log_chi, fuzzy })
        })
        .collect()
}

fn warnings(params: &OneClassParams, n: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Threshold::Reject(share) = params.threshold {
        let smallest = 1.0 / (n as f64 + 1.0);
        if share < smallest {
            let needed = (1.0 / share).ceil() as usize - 1;
            warnings.push(format!(
                "with {n} samples no p-value is below {smallest:.4}, so nothing can be rejected at {share}; \
                 at least {needed} samples are needed for that"
            ));
        }
    }
    warnings
}

/// Refuses before the start what would not fit.
fn require_memory(params: &OneClassParams, n: usize) -> Result<()> {
    let (n, pairs) = (n as u64, (n as u64).saturating_mul(n as u64));
    let width = n.isqrt() + 1;
    let lists = n * width * 40;
    // The best embedding so far, the one being evaluated, and their products.
    let (needed, remedy) = match params.representation.prototypes(n as usize) {
        Some(p) => {
            let embedding = n.saturating_mul(p.count(n as usize) as u64).saturating_mul(8);
            let copies = if params.search == crate::SearchKind::None { 1 } else { 2 };
            let needed = embedding.saturating_mul(copies).saturating_add(pairs.min(1 << 26) * 8);
            (needed, "choose fewer prototypes (--prototypes N) or build the graph without them (--direct)")
        }
        None => (pairs.min(WHOLE as u64) * 8, "fit on a random subset of the samples"),
    };
    memory::require(&format!("fitting {n} samples"), needed.saturating_add(lists), params.memory, remedy)
}

/// Passes progress on; may be deaf to cancellation.
struct Finishing<'a> {
    inner: &'a dyn Observer,
    ignore: bool,
}

impl Observer for Finishing<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        self.inner.progress(progress);
    }

    fn is_cancelled(&self) -> bool {
        !self.ignore && self.inner.is_cancelled()
    }
}
