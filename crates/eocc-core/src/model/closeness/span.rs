//! The graph for one `p`: lists of neighbors, the descent over `k`, and the partition at its end.

use crate::dissimilarity::{Dissimilarity, SearchCache};
use crate::embedding::{MAX_WHOLE_MATRIX, cross, embed_cached};
use crate::error::Result;
use crate::jensen::{Descent, DescentStep, Objective};
use crate::knn::{KnnLists, nearest_of_points_watched, nearest_of_rows_watched};
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::parallel;
use crate::params::OneClass;
use crate::partition::Partition;
use crate::sample::Sample;

/// The graph for one `p`, and the best `k` on it.
pub(super) struct SpannedGraph {
    pub(super) lists: KnnLists,
    pub(super) points: Option<Matrix>,
    pub(super) bound: f64,
    pub(super) objective: Objective,
    pub(super) steps: Vec<DescentStep>,
    pub(super) partition: Partition,
}

impl SpannedGraph {
    /// The objective as the search sees it. The paper takes `k` as the upper bound of the number `d` of regions
    /// [LA17, sec. III-B]; without that bound, the smallest objective is that of a graph shattered at `k = 1`. So a
    /// `p` with more than `k` regions gets the worst objective.
    pub(super) fn admissible_eta(&self) -> f64 {
        if self.partition.parts() <= self.objective.neighbors { self.objective.eta } else { 1.0 }
    }
}

/// Builds the graph of `samples` under the current dissimilarity.
pub(super) fn span<'s, S: ?Sized + Sample>(
    params: &OneClass,
    samples: &[&'s S],
    prototypes: Option<&[usize]>,
    d: &dyn Dissimilarity<S>,
    cache: &mut SearchCache<'s>,
    observer: &dyn Observer,
) -> Result<SpannedGraph> {
    let n = samples.len();
    let width = largest_neighbors(n) + 1;
    let (lists, points, bound, dimension) = if let Some(prototypes) = prototypes {
        let mut points = embed_cached(samples, prototypes, d, cache, observer)?;
        let bound = divide_by_largest(&mut points);
        let lists = nearest_of_points_watched(&points, width, observer)?;
        (lists, Some(points), bound, prototypes.len())
    } else {
        // As if every sample were a prototype: with a smaller exponent, the descent shatters the set.
        let (lists, bound) = direct(samples, d, width, cache, observer)?;
        (lists, None, bound, n)
    };
    let descent = Descent::new(&lists, params.alpha, dimension)?;
    let (objective, steps) = descent.descend_recorded(1);
    let partition = descent.partition(objective.neighbors).clone();
    Ok(SpannedGraph { lists, points, bound, objective, steps, partition })
}

/// The `k` that the descent among `n` samples starts from.
fn largest_neighbors(n: usize) -> usize {
    n.isqrt().max(1).min(n - 2)
}

/// Divides by the largest entry, `c`; by 1 if all are zero.
fn divide_by_largest(matrix: &mut Matrix) -> f64 {
    const BLOCK: usize = 1 << 14;
    let blocks: Vec<&[f64]> = matrix.values().chunks(BLOCK).collect();
    let of_block = |b: usize| blocks[b].iter().copied().fold(0.0, f64::max);
    let largest = parallel::map(blocks.len(), 1, &of_block).into_iter().fold(0.0, f64::max);
    if largest > 0.0 {
        parallel::for_each_chunk(matrix.values_mut(), BLOCK, &|_, block| {
            for v in block {
                *v /= largest;
            }
        });
        largest
    } else {
        1.0
    }
}

/// Lists on the dissimilarity itself, divided by its largest value, `c`.
fn direct<'s, S: ?Sized + Sample>(
    samples: &[&'s S],
    d: &dyn Dissimilarity<S>,
    width: usize,
    cache: &mut SearchCache<'s>,
    observer: &dyn Observer,
) -> Result<(KnnLists, f64)> {
    let n = samples.len();
    if n.saturating_mul(n) <= MAX_WHOLE_MATRIX {
        let all: Vec<usize> = (0..n).collect();
        let mut matrix = embed_cached(samples, &all, d, cache, observer)?;
        let bound = divide_by_largest(&mut matrix);
        let lists = nearest_of_rows_watched(n, width, observer, |i, row| row.copy_from_slice(matrix.row(i)))?;
        return Ok((lists, bound));
    }
    let prepared = d.prepare(samples);
    // One pass for c: the lists must hold divided lengths from the start, to be equal bit for bit.
    let mut largest = 0.0_f64;
    for block in samples.chunks(256) {
        let rows = cross(block, prepared.as_ref(), n, observer)?;
        largest = rows.values().iter().copied().fold(largest, f64::max);
    }
    let bound = if largest > 0.0 { largest } else { 1.0 };
    let lists = nearest_of_rows_watched(n, width, observer, |i, row| {
        prepared.fill(samples[i], 0..n, row);
        for v in row {
            *v /= bound;
        }
    })?;
    lists.require_distances()?;
    Ok((lists, bound))
}
