//! The graph for one `p`: lists of neighbours, the descent over `k`, and the partition at its end.

use rayon::prelude::*;

use crate::committee::{MAX_WHOLE_MATRIX, ring_size};
use crate::dissimilarity::{Dissimilarity, SearchCache};
use crate::embedding::{cross, embed_cached};
use crate::error::Result;
use crate::jensen::{Descent, Objective};
use crate::knn::{KnnLists, nearest_by_bounds, nearest_of_points_watched, nearest_of_rows_watched};
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::params::{OneClass, Preset};
use crate::partition::Partition;
use crate::sample::Sample;

/// The graph for one `p`, and the best `k` on it.
pub(super) struct Spanned {
    pub(super) lists: KnnLists,
    pub(super) points: Option<Matrix>,
    pub(super) bound: f64,
    pub(super) objective: Objective,
    pub(super) partition: Partition,
}

impl Spanned {
    /// The objective as the search sees it. The paper takes `k` as the upper bound of the number `d` of regions
    /// [LA17, sec. III-B]; without that bound the smallest objective is a graph shattered at `k = 1`. So a `p` with
    /// more than `k` regions counts as the worst there is.
    pub(super) fn admissible_eta(&self) -> f64 {
        if self.partition.parts() <= self.objective.neighbors { self.objective.eta } else { 1.0 }
    }
}

/// Spans the graph of `samples` under the dissimilarity as it stands.
pub(super) fn span<S: ?Sized + Sample>(
    params: &OneClass,
    samples: &[&S],
    prototypes: Option<&[usize]>,
    d: &dyn Dissimilarity<S>,
    cache: &mut SearchCache,
    observer: &dyn Observer,
) -> Result<Spanned> {
    let n = samples.len();
    let (smallest, largest) = neighbors(params.preset, n);
    let width = largest + 1;
    let bounded = params.preset == Preset::Paper;
    let (lists, points, bound, dimension) = if let Some(prototypes) = prototypes {
        let mut points = embed_cached(samples, prototypes, d, cache, observer)?;
        let bound = if bounded { divide_by_largest(&mut points) } else { 1.0 };
        if !bounded {
            require_squares(&points)?;
        }
        let lists = nearest_of_points_watched(&points, width, observer)?;
        (lists, Some(points), bound, prototypes.len())
    } else {
        // As if every sample were a prototype: with a smaller exponent the descent shatters the set.
        let (lists, bound) = direct(samples, d, width, bounded, cache, observer)?;
        (lists, None, bound, n)
    };
    let descent = Descent::new(&lists, params.alpha, dimension)?;
    let objective = descent.descend(smallest);
    let partition = descent.partition(objective.neighbors).clone();
    Ok(Spanned { lists, points, bound, objective, partition })
}

/// Where a committee judges, the descent starts from no more: its lists are as wide in any case, and memory stays linear.
const MAX_NEIGHBORS: usize = 31;

/// The smallest `k` of the descent among `n` samples, and the largest, from which it starts. The paper's ends at 1; where a
/// committee judges, regions need not be closer than its rings.
pub(super) fn neighbors(preset: Preset, n: usize) -> (usize, usize) {
    let smallest = match preset {
        Preset::Paper => 1,
        Preset::Default => ring_size(n),
    };
    let smallest = smallest.min(n - 2);
    let most = match preset {
        Preset::Paper => n,
        Preset::Default => MAX_NEIGHBORS,
    };
    (smallest, n.isqrt().min(most).max(smallest).min(n - 2))
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
fn direct<S: ?Sized + Sample>(
    samples: &[&S],
    d: &dyn Dissimilarity<S>,
    width: usize,
    bounded: bool,
    cache: &mut SearchCache,
    observer: &dyn Observer,
) -> Result<(KnnLists, f64)> {
    let n = samples.len();
    if !bounded && let Some(points) = d.coordinates(samples) {
        require_squares(&points)?;
        return Ok((nearest_of_points_watched(&points, width, observer)?, 1.0));
    }
    if !bounded
        && d.has_bounds()
        && let Some(lists) = nearest_by_bounds(samples, d, width, cache, observer)?
    {
        return Ok((lists, 1.0));
    }
    if n.saturating_mul(n) <= MAX_WHOLE_MATRIX {
        let all: Vec<usize> = (0..n).collect();
        let mut matrix = embed_cached(samples, &all, d, cache, observer)?;
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
