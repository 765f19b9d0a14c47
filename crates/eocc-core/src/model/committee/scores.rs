//! The three scores of a view, from the list of the nearest; larger is odder.
//!
//! 1. The mean distance to the two nearest; to the five nearest if the training samples are known to contain
//!    outliers.
//! 2. The mean distance to the whole ring.
//! 3. Local: `-ln sum 2^-(d_j w_j / unit)` over the ring without the largest term, with `w_j = (s_j / s)^-1/2`. Here,
//!    `s_j` is the mean distance of `j` to its own ring, and `s` their geometric mean: distances count less where
//!    nominals are sparse. Without the largest term, no single training sample can make its surroundings nominal.

use std::f64::consts::LN_2;

use super::Place;
use crate::stats::{log_sum_exp, percentile};

/// Number of scores of a view.
pub(crate) const SCORES: usize = 3;
/// Maximum number of neighbors in a ring.
const MAX_RING: usize = 10;
/// The unit of the local score, as a multiple of the mean distance to a ring.
const UNIT: f64 = 0.25;
/// Distances to a ring count as at least this fraction of their median: duplicates must not be infinitely dense.
const MIN_SCALE: f64 = 0.1;
/// And at least this fraction of their mean.
const MIN_OF_MEAN: f64 = 1e-9;
/// Edges, the exponents of the local score, are clamped to this.
const MAX_EDGE: f64 = 1e300;

/// The number of neighbors in a ring, given the number of kept samples.
pub(crate) fn ring_size(kept: usize) -> usize {
    // The square root of their number, rounded up.
    let root = kept.saturating_sub(1).isqrt() + 1;
    MAX_RING.min(root).min(kept - 1)
}

/// The weights of the kept samples in a view, learned from their rings.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Locality {
    pub(crate) unit: f64,
    /// `w` of each kept sample.
    pub(crate) weights: Vec<f64>,
}

impl Locality {
    /// From the mean distance of each kept sample to its ring.
    pub(crate) fn from_ring_means(means: Vec<f64>) -> Self {
        let count = means.len() as f64;
        // Divided before they are added, so that the sum cannot overflow.
        let mean: f64 = means.iter().map(|s| s / count).sum();
        if mean <= 0.0 {
            return Self { unit: 1.0, weights: vec![1.0; means.len()] };
        }
        let median = percentile(&mut means.clone(), 50.0);
        let least = (MIN_SCALE * median).max(MIN_OF_MEAN * mean);
        let scales: Vec<f64> = means.into_iter().map(|s| s.max(least)).collect();
        let typical = (scales.iter().map(|s| s.ln()).sum::<f64>() / count).exp();
        Self { unit: UNIT * mean, weights: scales.iter().map(|s| (s / typical).powf(-0.5)).collect() }
    }
}

/// The scores of a sample, given the places and distances of its nearest kept samples, nearest first.
pub(crate) fn scores(
    nearest: &[(Place, f64)],
    ring_size: usize,
    few: usize,
    locality: &Locality,
) -> [f64; SCORES] {
    let mean = |count: usize| {
        let count = count.min(nearest.len());
        nearest[..count].iter().map(|n| n.1 / count as f64).sum::<f64>()
    };
    let ring = &nearest[..ring_size.min(nearest.len())];
    // Rings are small, so an array suffices.
    let mut edges = [f64::INFINITY; MAX_RING];
    for (edge, &(u, d)) in edges.iter_mut().zip(ring) {
        *edge = (d * locality.weights[u.index()] * (LN_2 / locality.unit)).min(MAX_EDGE);
    }
    sort(&mut edges);
    let edges = &edges[..ring.len()];
    let counting = &edges[1.min(edges.len() - 1)..];
    let local = -log_sum_exp(counting.iter().map(|e| -e));
    [mean(few), mean(ring_size), local]
}

/// Sorts numbers, none of them NaN, by a network of comparisons: without branches, as their order cannot be foreseen.
fn sort(numbers: &mut [f64; MAX_RING]) {
    // All places are known here, so that the numbers stay in registers.
    let mut sorted = *numbers;
    macro_rules! compare {
        ($($low:literal $high:literal),+) => {$(
            let (a, b) = (sorted[$low], sorted[$high]);
            sorted[$low] = if b < a { b } else { a };
            sorted[$high] = if b < a { a } else { b };
        )+};
    }
    compare!(0 8, 1 9, 2 7, 3 5, 4 6);
    compare!(0 2, 1 4, 5 8, 7 9);
    compare!(0 3, 2 4, 5 7, 6 9);
    compare!(0 1, 3 6, 8 9);
    compare!(1 5, 2 3, 4 8, 6 7);
    compare!(1 2, 3 5, 4 6, 7 8);
    compare!(2 3, 4 5, 6 7);
    compare!(3 4, 5 6);
    *numbers = sorted;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_sorts_zeros_and_ones_and_so_everything() {
        for bits in 0..1_u32 << MAX_RING {
            let mut numbers: [f64; MAX_RING] = std::array::from_fn(|i| f64::from(bits >> i & 1));
            sort(&mut numbers);
            assert!(numbers.is_sorted(), "{bits:b}");
        }
    }

    #[test]
    fn scores_match_hand_computation() {
        let locality = Locality { unit: 2.0, weights: vec![1.0, 0.5, 1.0] };
        let [few, ring, local] =
            scores(&[(Place(0), 2.0), (Place(1), 6.0), (Place(2), 8.0)], 3, 2, &locality);
        assert!((few - 4.0).abs() < 1e-15 && (ring - 16.0 / 3.0).abs() < 1e-14);
        // Edges of 1, 1.5 and 4 halvings; the shortest is excluded.
        let by_hand = -(2.0_f64.powf(-1.5) + 2.0_f64.powi(-4)).ln();
        assert!((local - by_hand).abs() < 1e-14, "{local} {by_hand}");
    }

    #[test]
    fn rings_of_duplicates_have_a_unit() {
        let none = Locality::from_ring_means(vec![0.0; 4]);
        assert_eq!((none.unit, none.weights), (1.0, vec![1.0; 4]));
        let some = Locality::from_ring_means(vec![0.0, 0.0, 0.0, 4.0]);
        assert!(some.weights.iter().all(|w| w.is_finite() && *w > 0.0));
        assert!((some.unit - 0.25).abs() < 1e-15);
        assert_eq!([2, 3, 5, 50, 82, 200].map(ring_size), [1, 2, 3, 8, 10, 10]);
    }
}
