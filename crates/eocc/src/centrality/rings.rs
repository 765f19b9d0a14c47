//! Closeness over the first ring at several units at once: a sample is judged by the nearest alone, by the whole ring, and
//! by what lies between.
//!
//! `log2 chi = log2 k + mean over c of (log2(sum over the k nearest u of 2^-(c |vu|)) - log2 k) / c`: each is a length again
//! before the mean is taken, or the smallest unit would outweigh the others.

use super::{RegionGraph, Rule, log2_sum};
use crate::error::Result;
use crate::observer::Observer;

/// The units are this many times smaller than the one of the parameters.
const FINER: [f64; 3] = [5.0, 1.0, 0.25];

pub(super) struct Rings;

fn mean_log2_sum(lengths: impl ExactSizeIterator<Item = f64> + Clone) -> f64 {
    let most = (lengths.len() as f64).log2();
    let at = |finer: &f64| (log2_sum(lengths.clone().map(|l| l * finer)) - most) / finer;
    most + FINER.iter().map(at).sum::<f64>() / FINER.len() as f64
}

impl Rule for Rings {
    fn of_vertices(&self, region: &RegionGraph, left_out: &[f64], _: &dyn Observer) -> Result<Vec<f64>> {
        Ok(left_out.chunks_exact(region.links()).map(|ring| mean_log2_sum(ring.iter().copied())).collect())
    }

    fn of_newcomer(&self, region: &RegionGraph, links: &[(u32, f64)]) -> f64 {
        mean_log2_sum(links.iter().map(|&(v, length)| length * region.weights()[v as usize]))
    }

    fn has_exact(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lengths_are_the_same_at_every_unit() {
        // k edges of length d have the closeness k 2^-d, at whatever unit d is told.
        for (k, d) in [(1, 0.0), (4, 0.0), (10, 3.5), (3, 1e6)] {
            let closeness = mean_log2_sum(vec![d; k].into_iter());
            assert!((closeness - ((k as f64).log2() - d)).abs() <= 1e-12 * (1.0 + d), "{k} {d}: {closeness}");
        }
        // By hand for lengths of 0 and 1: log2 of 1 + 2^-5, 1 + 2^-1 and 1 + 2^-(1/4).
        let by_hand = [5.0_f64, 1.0, 0.25].map(|c| ((1.0 + (-c).exp2()).log2() - 1.0) / c);
        let want = 1.0 + by_hand.iter().sum::<f64>() / 3.0;
        assert!((mean_log2_sum([0.0, 1.0].into_iter()) - want).abs() < 1e-15);
    }
}
