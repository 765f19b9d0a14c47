//! Trimming: which training samples nobody may count as a neighbour.
//!
//! Outliers among the training samples come in clumps, and a clump vouches for itself. The share `q` that lies farthest
//! out is left out of all lists, by the distance to the `1.5 q n`-th neighbour: a clump does not hold so many. Neighbours
//! are sought among no more than 512 samples, evenly spaced; the logarithms of the ranks of all views are added.

use super::neighbors::Neighbors;
use crate::error::Result;
use crate::sample::Sample;

/// The share trimmed when nothing is said.
const SHARE: f64 = 0.02;
/// The share trimmed, as a multiple of the contamination that was told.
const MULTIPLE: f64 = 2.0;
/// No more than this.
const MAX_SHARE: f64 = 0.5;
/// Samples among which neighbours are sought.
const SUBSET: usize = 512;
/// As many neighbours as a clump could hold, and half as many again.
const CLUMP: f64 = 1.5;
/// But no fewer than these.
const MIN_NEIGHBORS: usize = 5;
/// Fewest samples to keep.
const MIN_KEPT: usize = 4;

/// The share of the training samples to trim, given the share of outliers expected among them.
pub(super) fn share(contamination: Option<f64>) -> f64 {
    contamination.map_or(SHARE, |c| (MULTIPLE * c).min(MAX_SHARE))
}

/// Indices of the samples to keep, ascending, by the views and their weights.
pub(super) fn kept<S: ?Sized + Sample>(
    views: &[(f64, Neighbors<'_, S>)],
    n: usize,
    share: f64,
) -> Result<Vec<u32>> {
    // With room for rounding: 2 % of 50 is one.
    let trimmed = (share * n as f64 + 1e-9).floor() as usize;
    if trimmed == 0 || n - trimmed < MIN_KEPT {
        return Ok((0..n as u32).collect());
    }
    let count = n.min(SUBSET);
    let subset: Vec<u32> = (0..count).map(|i| (i * n / count) as u32).collect();
    let k = ((CLUMP * share * count as f64) as usize).max(MIN_NEIGHBORS).min(count - 2);
    let mut far = vec![0.0; n];
    for (weight, view) in views {
        let distances = view.distance_to_nearest(&subset, k)?;
        let sorted = ascending(&distances);
        for (far, distance) in far.iter_mut().zip(&distances) {
            let nearer = sorted.partition_point(|d| d < distance);
            *far -= weight * ((n - nearer) as f64 / (n as f64 + 1.0)).ln();
        }
    }
    // Equal samples are trimmed together or not at all.
    let limit = ascending(&far)[n - trimmed - 1];
    Ok((0..n as u32).filter(|i| far[*i as usize] <= limit).collect())
}

fn ascending(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}
