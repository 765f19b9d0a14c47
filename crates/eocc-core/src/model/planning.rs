//! Planning a fit.
//!
//! The plan follows from the number of samples, their size and the measure. Memory decides whether the fit may start,
//! not what it does: a model does not depend on the machine it was fitted on.

use crate::embedding::MAX_WHOLE_MATRIX;
use crate::error::{Error, Remedy, Result};
use crate::file::MAX_TENSORS;
use crate::knn;
use crate::memory;
use crate::params::{OneClass, Preset};
use crate::plan::{Closeness, EXACT, NeighborSearch, Plan};
use crate::synthesis::SearchKind;

/// Up to this many rows of a table, a neighbor search examines all samples.
const EXACT_ROWS: usize = 1 << 13;
/// Rows it examines in larger tables; docs/results/scale.md has the recall and the cost in accuracy.
const VISITS: usize = 1 << 11;
/// Up to this many samples that are not table rows, all pairs are compared.
pub(super) const EXACT_COMPARED: usize = 10_000;
/// Comparisons per sample beyond that.
const COMPARED: usize = 2304;
/// Samples that a sample is compared with for trimming, and how many of their nearest are found.
pub(super) const SUBSET: usize = 512;
pub(super) const NEAREST_TRIMMED: usize = SUBSET / 10 + 1;
/// How many of the nearest neighbors are found.
pub(super) const NEAREST: usize = 32;
/// Vertices from which closeness is estimated if there are more than [`EXACT`].
const SOURCES: usize = 1 << 10;
/// Samples in each stage of a search; staged only above the second number.
const SEARCH_SIZES: [usize; 3] = [2048, 4096, 8192];
/// Maximum number of features of a table: the model file has a tensor for each.
pub const MAX_WIDTH: usize = MAX_TENSORS - (1 << 10);
/// Bytes that a feature takes whatever the number of samples: what the measure learns of it, and that as it is written.
const BYTES_OF_FEATURE: u64 = 4800;
/// Minimum number of columns for subsets.
const MIN_FOR_SUBSETS: usize = 4;
/// Maximum number of columns for relations.
const MAX_FOR_RELATIONS: usize = 256;
/// Threads assumed in estimates: more do not speed up everything.
const MAX_THREADS: usize = 16;

/// The properties of the samples and their measure that a plan depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) samples: usize,
    /// Numbers per sample in an index, if all views have one.
    pub(crate) width: Option<usize>,
    /// The table views.
    pub(crate) table: TableSize,
    /// Number of views with slow dissimilarities, and the seconds per comparison by all of them together, roughly.
    pub(crate) slow_views: usize,
    pub(crate) slow_seconds: f64,
    /// If lower bounds spare most of these comparisons: how many are made per sample, and the seconds they take.
    pub(crate) spared: Option<Spared>,
    /// Number of views without an index, searched by landmarks if not every sample is examined.
    pub(crate) landmark_views: usize,
    /// Bytes of a sample.
    pub(crate) bytes: usize,
    /// Seconds per comparison by the measure as a whole, roughly.
    pub(crate) seconds: f64,
    /// Number of fast views that are not table views, and the seconds per comparison of all of them together.
    pub(crate) row_views: usize,
    pub(crate) row_seconds: f64,
    /// How many more fits calibrate it, each on all samples but a fold; 0 if none do.
    pub(crate) folds: usize,
}

impl Size {
    /// The cost of all fits in units of the first. Each of the others trains on what its fold leaves and compares the fold with that.
    fn fits(&self) -> f64 {
        let folds = self.folds as f64;
        if self.folds == 0 { 1.0 } else { 1.0 + folds - 1.0 / folds }
    }
}

/// What the search for the neighbors of a sample takes with lower bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spared {
    pub(crate) compared: f64,
    pub(crate) seconds: f64,
}

/// The table views of a sample: of a row, or of the summary of a string.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TableSize {
    pub(crate) views: usize,
    /// Numbers per row.
    pub(crate) width: usize,
}

/// The comparisons that a committee makes, by what one of them costs. The tests count them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Work {
    /// Comparisons by each slow measure.
    compared: f64,
    /// Coordinates of samples examined to choose which to compare.
    placed: f64,
    /// Comparisons by each fast measure that is not a table view.
    rows: f64,
    /// Rows of tables examined for neighbors, in all views.
    visited: f64,
    /// Numbers stored in matrices, and read again.
    stored: f64,
    /// Samples scored in each view, and in each table view with the nearest measured again as if they had been left out.
    scored: f64,
    left_out: f64,
    /// Rows examined in subsets of the columns: in one pass for all subsets.
    subset_rows: f64,
    /// Samples whose columns are related to each other.
    related: f64,
}

impl Work {
    /// For samples of this size and this search for neighbors.
    fn new(size: &Size, neighbors: NeighborSearch) -> Self {
        let n = size.samples as f64;
        let is_exact = neighbors == NeighborSearch::Exact;
        let looked = neighbors.visits().min(size.samples);
        // Trimming; if it sees all samples, their neighbors are known.
        let trimmed = size.samples.min(SUBSET);
        let examined = if size.samples <= SUBSET { trimmed } else { trimmed + looked } as f64;
        // As long as one fits, and bounds do not spare most of it.
        let is_whole = is_exact && size.samples.saturating_mul(size.samples) <= MAX_WHOLE_MATRIX;
        // Half of a matrix, or as many as are examined.
        let compared = match size.spared {
            _ if !is_whole => examined,
            Some(spared) => spared.compared,
            None => n / 2.0,
        };
        // The coordinates of the samples examined, twice.
        let directions = knn::most_directions(knn::landmarks(looked));
        let placed = if is_exact { 0 } else { looked.saturating_mul(8).min(size.samples) * directions };
        let TableSize { views, width } = size.table;
        let subset_rows = if size.samples > EXACT_ROWS { VISITS } else { size.samples } as f64;
        let if_any = |is_any: bool, work: f64| if is_any { work } else { 0.0 };
        Self {
            compared: if_any(size.slow_views > 0, n * compared),
            placed: n * (size.landmark_views * placed) as f64,
            rows: if_any(size.row_views > 0, n * examined),
            visited: n * views as f64 * examined,
            stored: if_any(is_whole, n * n * size.slow_views as f64),
            scored: n * (views + size.slow_views + size.row_views) as f64,
            left_out: n * views as f64,
            subset_rows: if_any(views > 0 && width >= MIN_FOR_SUBSETS, n * subset_rows),
            related: if_any(views > 0 && width <= MAX_FOR_RELATIONS, n),
        }
    }

    /// Seconds that each stage takes on one thread. The constants were measured; see docs/research/2026-11-18-kinds.md.
    fn stages(&self, size: &Size) -> [(&'static str, f64); 8] {
        let width = size.table.width as f64;
        let compared_seconds = match size.spared {
            Some(spared) => spared.seconds / spared.compared,
            None => size.slow_seconds,
        };
        [
            ("comparisons", self.compared * compared_seconds + self.stored * 1.5e-8),
            ("places", self.placed * 5e-10),
            ("rows", self.rows * size.row_seconds),
            ("visits", self.visited * 9e-11 * width),
            ("scores", self.scored * 5e-6),
            ("left out", self.left_out * (5e-6 + 4.5e-7 * width)),
            ("subsets", self.subset_rows * (3e-9 + 2e-10 * width)),
            ("relations", self.related * 2e-9 * width * width),
        ]
    }

    /// Seconds that all of it takes on one thread.
    fn seconds(&self, size: &Size) -> f64 {
        self.stages(size).iter().map(|stage| stage.1).sum()
    }
}

impl Plan {
    /// The plan for these parameters and samples of this size; fails if there is not enough memory.
    pub(crate) fn new(params: &OneClass, size: &Size) -> Result<Self> {
        // `default` also summarizes strings, series and graphs: a long vector at a vertex makes many features.
        let width = match params.preset {
            Preset::Default => size.table.width,
            Preset::Paper => size.width.unwrap_or(0),
        };
        if width > MAX_WIDTH {
            return Err(Error::input(format!(
                "the samples have {width} features, but a table model supports at most {MAX_WIDTH}; choose columns, or \
                 combine them to fewer first"
            )));
        }
        let plan = match params.preset {
            Preset::Default => Self::of_committee(params, size),
            Preset::Paper => Self::of_paper(params, size),
        };
        let remedy = match params.representation.prototypes(size.samples) {
            Some(_) => Remedy::FewerPrototypes,
            None => Remedy::FitSubset,
        };
        let what = format!("fitting {} samples", size.samples);
        memory::require(&what, plan.memory, params.memory, remedy)?;
        Ok(plan)
    }

    fn of_committee(params: &OneClass, size: &Size) -> Self {
        let n = size.samples;
        let (exact, visits) = match size.width {
            Some(_) => (EXACT_ROWS, VISITS),
            None => (EXACT_COMPARED, COMPARED),
        };
        // A given matrix is read in full.
        let is_given = size.width.is_none() && size.slow_views == 0;
        let visits = if n <= exact || is_given { usize::MAX } else { visits };
        let visits = params.visits.filter(|_| !is_given).unwrap_or(visits);
        let neighbors = if visits < n { NeighborSearch::Visits(visits) } else { NeighborSearch::Exact };
        let memory = bytes_of_committee(size, neighbors);
        let seconds = size.fits() * Work::new(size, neighbors).seconds(size) / threads();
        Self { neighbors, memory, seconds, search_seconds: search_seconds(params, size), ..Self::default() }
    }

    fn of_paper(params: &OneClass, size: &Size) -> Self {
        let n = size.samples;
        let prototypes = params.representation.prototypes(n).map(|p| p.count(n));
        let is_searched = params.search != SearchKind::None;
        let is_large = n > EXACT && params.visits.is_none();
        let closeness = if is_large { Closeness::Sources(SOURCES) } else { Closeness::Exact };
        let nodes = n as f64;
        let paths = closeness.sources().unwrap_or(n) as f64 * nodes * nodes.sqrt() * 5e-9;
        let seconds = size.fits() * (evaluation_seconds(params, size, n) + paths / threads());
        let search_seconds = search_seconds(params, size);
        // The best embedding so far, the one being evaluated, the one that is returned; or the model and its file.
        let copies = if is_searched { 3 } else { 2 };
        let memory = bytes_of_paper(size, prototypes, copies, closeness);
        Self { closeness, memory, seconds, search_seconds, ..Self::default() }
    }
}

/// Threads assumed in estimates.
fn threads() -> f64 {
    crate::parallel::threads().min(MAX_THREADS) as f64
}

/// Seconds that the graph of `n` samples takes: dissimilarities, the product of an embedding, and lists.
fn evaluation_seconds(params: &OneClass, size: &Size, n: usize) -> f64 {
    let nodes = n as f64;
    let prototypes = params.representation.prototypes(n).map(|p| p.count(n) as f64);
    let product = prototypes.map_or(0.0, |m| nodes * nodes * m * 2e-11);
    // Prototypes are samples: two of them are compared once.
    let m = prototypes.unwrap_or(nodes);
    let compared = m * (nodes - m / 2.0) * size.seconds;
    (compared + product + nodes * nodes * 2e-9) / threads()
}

/// How many samples each stage of a search evaluates `p` on: all of them, or increasing subsets of a large set.
pub(crate) fn search_sizes(params: &OneClass, n: usize) -> Vec<usize> {
    if params.search == SearchKind::None || n <= SEARCH_SIZES[1] || params.visits.is_some() {
        return vec![n];
    }
    SEARCH_SIZES.into_iter().filter(|size| *size < n).collect()
}

/// Seconds that a search may take.
fn search_seconds(params: &OneClass, size: &Size) -> f64 {
    if params.search == SearchKind::None {
        return 0.0;
    }
    let sizes = search_sizes(params, size.samples);
    let each = params.evaluations as f64 / sizes.len() as f64;
    sizes.into_iter().map(|n| each * evaluation_seconds(params, size, n)).sum()
}

/// Maximum bytes that a committee takes in addition to the samples; the terms are allocations that coexist.
fn bytes_of_committee(size: &Size, neighbors: NeighborSearch) -> u64 {
    let n = size.samples as u64;
    let own = size.bytes as u64;
    let pairs = n.saturating_mul(n);
    // Otherwise rows are computed as needed.
    let is_whole = neighbors == NeighborSearch::Exact && pairs <= MAX_WHOLE_MATRIX as u64;
    let of_sample = if let Some(width) = size.width {
        // Columns, leave-one-out data, the index and its rows, and up to EXACT_ROWS the rows of subsets; lists of all
        // views, wider if neighbors are exact; the graph.
        let copies = if n > EXACT_ROWS as u64 { 5 } else { 9 };
        copies * 8 * width as u64 + if n > EXACT as u64 { 2000 } else { 3000 }
    } else {
        // Prepared samples, lists and the graph; and parts of the matrix while it is assembled. Their summaries are a
        // table.
        let summary = 9 * 8 * size.table.width as u64;
        let rest = match neighbors {
            _ if is_whole => 11_500,
            NeighborSearch::Exact => 3000,
            // The bags of parts as well.
            NeighborSearch::Visits(_) => 2700,
        };
        6 * own + summary + rest
    };
    let index = match (size.width, neighbors) {
        // The points; the coordinates, and again in a tree, with boxes and means.
        (None, NeighborSearch::Visits(visits)) => {
            let landmarks = knn::landmarks(visits).min(size.samples);
            n * (8 * landmarks + 17 * knn::most_directions(landmarks)) as u64
        }
        _ => 0,
    };
    let whole = if is_whole { 8 * pairs * size.slow_views as u64 } else { 0 };
    let features = size.table.width as u64 * BYTES_OF_FEATURE;
    BASE + (n * of_sample).saturating_add(index).saturating_add(whole).saturating_add(features)
}

/// Maximum bytes that the paper's classifier takes in addition to the samples.
fn bytes_of_paper(size: &Size, prototypes: Option<usize>, copies: u64, closeness: Closeness) -> u64 {
    let n = size.samples as u64;
    let lists = 12 * (n.isqrt() + 1);
    let pairs = n.saturating_mul(n);
    let space = match prototypes {
        Some(m) => (n * 8).saturating_mul(m as u64 * copies).saturating_add(pairs.min(1 << 26) * 8),
        None => pairs.min(1 << 27) * 8,
    };
    // Paths under construction, and again by vertex.
    let paths = closeness.sources().map_or(0, |count| 16 * n * count as u64);
    // Lists under construction, truncated, and of the regions; and the graph while it is sorted.
    BASE + space.saturating_add(n * (7 * lists + 3 * size.bytes as u64 + 200)).saturating_add(paths)
}

/// Bytes that any process takes.
const BASE: u64 = 8 << 20;

#[cfg(test)]
mod tests;
