//! Trimming: which training samples nobody may count as a neighbour.
//!
//! Outliers among the training samples come in clumps, and a clump vouches for itself. The share `q` that lies farthest
//! out is left out of all lists, by the distance to a neighbor so far down the list that a clump does not hold as many. Neighbors
//! are sought among no more than 512 samples, evenly spaced; the logarithms of the ranks of all views are added.
//!
//! If nothing is known of the contamination, that neighbor is a tenth of them down, and what is trimmed takes its clump along: a
//! sample is trimmed if a quarter of its ring is, again and again. Where that would trim more than a tenth of all samples, it is
//! no clump but a part of the nominals, and stays.

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
/// As many neighbors as a clump could hold, and half as many again.
const CLUMP: f64 = 1.5;
/// But no fewer than these.
const MIN_NEIGHBORS: usize = 5;
/// Place of the neighbor where nothing is known, as a share of the samples among which it is sought.
const FARTHER: f64 = 0.1;
/// A ring among these samples; the share of it that takes a sample along; and the most that may go.
pub(super) const RING: usize = 10;
const CLUMP_SHARE: f64 = 0.25;
const MAX_CLUMPS: f64 = 0.1;
/// Fewest samples to keep.
const MIN_KEPT: usize = 4;

/// The share of the training samples to trim, given the share of outliers expected among them.
fn share(contamination: Option<f64>) -> f64 {
    contamination.map_or(SHARE, |c| (MULTIPLE * c).min(MAX_SHARE))
}

/// Indices of the samples to keep, ascending, by the views and their weights.
pub(super) fn kept<S: ?Sized + Sample>(
    views: &[(f64, Neighbors<'_, S>)],
    n: usize,
    contamination: Option<f64>,
) -> Result<Vec<u32>> {
    let share = share(contamination);
    // With room for rounding: 2 % of 50 is one.
    let trimmed = (share * n as f64 + 1e-9).floor() as usize;
    if trimmed == 0 || n - trimmed < MIN_KEPT {
        return Ok((0..n as u32).collect());
    }
    let count = n.min(SUBSET);
    let subset: Vec<u32> = (0..count).map(|i| (i * n / count) as u32).collect();
    let farther = if contamination.is_none() { (FARTHER * count as f64) as usize } else { 0 };
    let k = ((CLUMP * share * count as f64) as usize).max(MIN_NEIGHBORS).max(farther).min(count - 2);
    let ring = if contamination.is_none() { RING.min(count - 2) } else { 0 };
    let mut far = vec![0.0; n];
    let mut rings = Vec::with_capacity(views.len());
    for (weight, view) in views {
        let found = view.near_and_far(&subset, k, ring)?;
        let distances: Vec<f64> = found.iter().map(|f| f.0).collect();
        let sorted = ascending(&distances);
        for (far, distance) in far.iter_mut().zip(&distances) {
            let nearer = sorted.partition_point(|d| d < distance);
            *far -= weight * ((n - nearer) as f64 / (n as f64 + 1.0)).ln();
        }
        rings.push((*weight, found.into_iter().map(|f| f.1).collect()));
    }
    // Equal samples are trimmed together or not at all.
    let limit = ascending(&far)[n - trimmed - 1];
    let farthest: Vec<bool> = far.iter().map(|f| *f > limit).collect();
    let trimmed = if ring == 0 { farthest } else { with_their_clumps(farthest, &rings) };
    Ok((0..n as u32).filter(|i| !trimmed[*i as usize]).collect())
}

/// A ring of each sample.
type Rings = Vec<Vec<u32>>;

/// What is trimmed, and the samples of whose rings a quarter is, on the average of the views.
fn with_their_clumps(farthest: Vec<bool>, views: &[(f64, Rings)]) -> Vec<bool> {
    let n = farthest.len();
    let weights: f64 = views.iter().map(|v| v.0).sum();
    let mut trimmed = farthest.clone();
    loop {
        let share = |i: usize| {
            let of_view = |(weight, rings): &(f64, Rings)| {
                let ring = &rings[i];
                let gone = ring.iter().filter(|j| trimmed[**j as usize]).count();
                weight * gone as f64 / ring.len() as f64
            };
            views.iter().map(of_view).sum::<f64>() / weights
        };
        let more: Vec<usize> = (0..n).filter(|&i| !trimmed[i] && share(i) >= CLUMP_SHARE - 1e-9).collect();
        if more.is_empty() {
            return trimmed;
        }
        for i in more {
            trimmed[i] = true;
        }
        if trimmed.iter().filter(|t| **t).count() as f64 > MAX_CLUMPS * n as f64 + 1e-9 {
            return farthest;
        }
    }
}

fn ascending(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}
