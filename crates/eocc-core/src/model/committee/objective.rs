//! The objective of a search over `p` on the graph of the first view, with all samples.

use super::scores::ring_size;
use crate::dissimilarity::{Dissimilarity, SearchCache};
use crate::embedding::{MAX_WHOLE_MATRIX, embed_cached};
use crate::error::{Error, Result};
use crate::jensen::Descent;
use crate::knn::{KnnLists, nearest_by_bounds, nearest_of_points_watched, nearest_of_rows_watched};
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::sample::Sample;

/// Maximum `k` the descent starts from: lists are this wide anyway, and memory stays linear.
const MAX_NEIGHBORS: usize = 31;

/// The smallest `k` of the descent among `n` samples, and the largest, from which it starts. Regions need not be
/// finer than the rings of the committee.
pub(super) fn neighbors(n: usize) -> (usize, usize) {
    let smallest = ring_size(n).min(n - 2);
    (smallest, n.isqrt().min(MAX_NEIGHBORS).max(smallest).min(n - 2))
}

/// The objective as a search sees it: the worst possible if there are more regions than neighbors [LA17, sec. III-B].
pub(super) fn admissible_eta<'s, S: ?Sized + Sample>(
    alpha: f64,
    samples: &[&'s S],
    d: &dyn Dissimilarity<S>,
    cache: &mut SearchCache<'s>,
    observer: &dyn Observer,
) -> Result<f64> {
    let n = samples.len();
    let (smallest, largest) = neighbors(n);
    let lists = lists(samples, d, largest + 1, cache, observer)?;
    let descent = Descent::new(&lists, alpha, n)?;
    let (objective, _) = descent.descend_recorded(smallest);
    let regions = descent.partition(objective.neighbors).parts();
    Ok(if regions <= objective.neighbors { objective.eta } else { 1.0 })
}

fn lists<'s, S: ?Sized + Sample>(
    samples: &[&'s S],
    d: &dyn Dissimilarity<S>,
    width: usize,
    cache: &mut SearchCache<'s>,
    observer: &dyn Observer,
) -> Result<KnnLists> {
    let n = samples.len();
    if let Some(points) = d.coordinates(samples) {
        require_squares(&points)?;
        return nearest_of_points_watched(&points, width, observer);
    }
    if d.has_bounds()
        && let Some(lists) = nearest_by_bounds(samples, d, width, cache, observer)?
    {
        return Ok(lists);
    }
    if n.saturating_mul(n) <= MAX_WHOLE_MATRIX {
        let all: Vec<usize> = (0..n).collect();
        let matrix = embed_cached(samples, &all, d, cache, observer)?;
        return nearest_of_rows_watched(n, width, observer, |i, row| row.copy_from_slice(matrix.row(i)));
    }
    let prepared = d.prepare(samples);
    let lists = nearest_of_rows_watched(n, width, observer, |i, row| prepared.fill(samples[i], 0..n, row))?;
    lists.require_distances()?;
    Ok(lists)
}

/// Fails if a square or a sum of squares would overflow.
fn require_squares(points: &Matrix) -> Result<()> {
    match points.values().iter().position(|v| v.abs() > 1e150) {
        None => Ok(()),
        Some(at) => Err(Error::input(format!(
            "sample {} has a value too large to square; divide the features by a constant",
            at / points.columns()
        ))),
    }
}
