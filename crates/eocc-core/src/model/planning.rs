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
const EXACT_COMPARED: usize = 10_000;
/// Comparisons per sample beyond that.
const COMPARED: usize = 2304;
/// Vertices from which closeness is estimated if there are more than [`EXACT`].
const SOURCES: usize = 1 << 10;
/// Samples in each stage of a search; staged only above the second number.
const SEARCH_SIZES: [usize; 3] = [2048, 4096, 8192];
/// Maximum number of features of a table: the model file has a tensor for each.
pub const MAX_WIDTH: usize = MAX_TENSORS - (1 << 10);
/// Bytes that a feature takes whatever the number of samples: what the measure learns of it, and that as it is written.
const BYTES_OF_FEATURE: u64 = 4800;
/// Minimum number of columns for subsets.
const LEAST_DEALT: usize = 4;
/// Maximum number of columns for relations.
const MOST_RELATED: usize = 256;
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
    /// Number of views with slow dissimilarities.
    pub(crate) slow_views: usize,
    /// Bytes of a sample.
    pub(crate) bytes: usize,
    /// Seconds per comparison, roughly.
    pub(crate) seconds: f64,
    /// The same for all fast views that are not table views, together.
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

/// The table views of a sample: of a row, or of the summary of a string.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TableSize {
    pub(crate) views: usize,
    /// Numbers per row.
    pub(crate) width: usize,
}

impl TableSize {
    /// Seconds per sample when `looked` others are examined: neighbors in each view, subsets of the columns, and
    /// relations between them. The constants were measured; see docs/research/2026-11-18-kinds.md.
    fn seconds(self, n: usize, looked: usize) -> f64 {
        let (views, width, looked) = (self.views as f64, self.width as f64, looked as f64);
        let of_views = views * (1e-5 + 6e-7 * width + 9e-11 * width * looked);
        let rows = if n > EXACT_ROWS { VISITS } else { n };
        let of_subsets = if self.width >= LEAST_DEALT { rows as f64 * (3e-9 + 2e-10 * width) } else { 0.0 };
        let of_relations = if self.width <= MOST_RELATED { 2e-9 * width * width } else { 0.0 };
        of_views + if self.views > 0 { of_subsets + of_relations } else { 0.0 }
    }
}

impl Plan {
    /// The plan for these parameters and samples of this size; fails if there is not enough memory.
    pub(crate) fn new(params: &OneClass, size: &Size) -> Result<Self> {
        if let Some(width) = size.width.filter(|width| *width > MAX_WIDTH) {
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
        let looked = visits.min(n);
        let compared = match size.width {
            Some(_) => 0.0,
            // Half of a matrix; or landmarks, candidates, and the distances for trimming.
            None if neighbors == NeighborSearch::Exact => size.seconds * n as f64 / 2.0,
            None => {
                // And the coordinates of the samples examined, twice.
                let directions = knn::most_directions(knn::landmarks(looked));
                let places = looked.saturating_mul(8).min(n) * directions;
                size.seconds * (looked + 512) as f64 + 5e-10 * places as f64
            }
        };
        let per_sample = compared + size.row_seconds * looked as f64 + size.table.seconds(n, looked);
        let memory = bytes_of_committee(size, neighbors);
        let seconds = size.fits() * per_sample * n as f64 / threads();
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
    let of_sample = match size.width {
        // Columns, leave-one-out data, the index and its rows, and up to EXACT_ROWS the rows of subsets; lists of all
        // views, wider if neighbors are exact; the graph.
        Some(width) => {
            let copies = if n > EXACT_ROWS as u64 { 5 } else { 9 };
            copies * 8 * width as u64 + if n > EXACT as u64 { 2000 } else { 3000 }
        }
        // Prepared samples, lists and the graph; and parts of the matrix while it is assembled.
        None if is_whole => 6 * own + 10_000,
        None if neighbors == NeighborSearch::Exact => 6 * own + 3000,
        // The bags of parts as well.
        None => 6 * own + 2500,
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
    let features = size.width.map_or(0, |width| width as u64 * BYTES_OF_FEATURE);
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
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::dissimilarity::{Dissimilarity, Properties};
    use crate::observer::Silent;
    use crate::params::Representation;
    use crate::prototypes::Prototypes;
    use crate::sample::Vectors;

    /// A measure that counts how often it is asked.
    #[derive(Clone)]
    struct Counted {
        count: Arc<AtomicUsize>,
        by_folds: bool,
    }

    impl Dissimilarity<[f64]> for Counted {
        fn name(&self) -> &'static str {
            "counted"
        }

        fn between(&self, a: &[f64], b: &[f64]) -> f64 {
            self.count.fetch_add(1, Ordering::Relaxed);
            a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum::<f64>()
        }

        fn properties(&self) -> Properties {
            Properties { needs_fold_calibration: self.by_folds, ..Properties::default() }
        }

        fn state(&self) -> Option<serde_json::Value> {
            None
        }

        fn boxed(&self) -> Box<dyn Dissimilarity<[f64]>> {
            Box::new(self.clone())
        }
    }

    /// Comparisons that a fit makes, by the count and by the plan.
    fn comparisons(params: OneClass, n: usize, by_folds: bool) -> (f64, f64) {
        let place = |i: usize, step: f64| (i as f64 * step).fract();
        let row = |i: usize| vec![place(i, 0.754_877_666), place(i, 0.569_840_290), place(i, 0.430_159_709)];
        let samples = Vectors::from_rows(&(0..n).map(row).collect::<Vec<_>>()).unwrap();
        let measure = Counted { count: Arc::default(), by_folds };
        let count = measure.count.clone();
        let params = params.check().unwrap();
        params.fit_with(&samples, Box::new(measure), &Silent).unwrap();
        let size = Size {
            samples: n,
            width: None,
            table: TableSize::default(),
            slow_views: 1,
            bytes: 24,
            // So long that nothing else counts.
            seconds: 1e3,
            row_seconds: 0.0,
            folds: if by_folds { 10 } else { 0 },
        };
        let plan = Plan::new(&params, &size).unwrap();
        (count.load(Ordering::Relaxed) as f64, plan.seconds * threads() / 1e3)
    }

    #[test]
    fn a_plan_is_within_half_of_the_comparisons_that_are_made() {
        let committee = || OneClass::new(Preset::Default);
        let paper = |representation| {
            let paper = OneClass::new(Preset::Paper).representation(representation);
            OneClass { search: SearchKind::None, ..paper }
        };
        let few = || paper(Representation::Prototypes(Prototypes::Random(40)));
        let all = || paper(Representation::Prototypes(Prototypes::All));
        let mut faults = Vec::new();
        for (what, params, sizes, by_folds) in [
            ("default", committee(), &[30, 200, 1500, 10_500][..], false),
            ("default, some neighbors", OneClass { visits: Some(300), ..committee() }, &[1500], false),
            ("default by folds", committee(), &[40, 200, 900], true),
            ("paper, all prototypes", all(), &[50, 200, 900], false),
            ("paper, few prototypes", few(), &[200, 900], false),
            ("paper, direct", paper(Representation::Direct), &[200, 900], false),
            ("paper by folds", all(), &[60, 300], true),
        ] {
            for &n in sizes {
                let (made, planned) = comparisons(params.clone(), n, by_folds);
                if !(1.0 / 1.5..=1.5).contains(&(made / planned)) {
                    faults.push(format!("{what}, {n}: {made} made, {planned:.0} planned"));
                }
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
    }

    #[test]
    fn tables_that_are_too_wide_are_refused() {
        let of_width = |width: usize| {
            let table = TableSize { views: 3, width };
            let (slow_views, bytes, seconds, row_seconds, folds) = (0, 8, 0.0, 0.0, 0);
            let size = Size {
                samples: 9,
                width: Some(width),
                table,
                slow_views,
                bytes,
                seconds,
                row_seconds,
                folds,
            };
            Plan::new(&OneClass::new(Preset::Default), &size)
        };
        assert!(of_width(MAX_WIDTH).is_ok());
        assert!(of_width(MAX_WIDTH + 1).unwrap_err().to_string().contains("supports at most"));
    }
}
