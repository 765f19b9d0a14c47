//! Closeness over the first ring: only the `k` nearest count, by their direct length.
//!
//! With lengths in units of a fraction of the mean edge, all but the nearest contribute next to nothing, and this is
//! the closeness of the paper without the cost of shortest paths. A newcomer can only raise the centrality of others
//! (it enters their lists, never leaves a gap), which is what makes leave-one-out p-values valid; see docs/method.md.

use super::{RegionGraph, Rule, log2_sum};
use crate::error::Result;
use crate::observer::Observer;

pub(super) struct Ring;

impl Rule for Ring {
    fn of_vertices(&self, region: &RegionGraph, left_out: &[f64], _: &dyn Observer) -> Result<Vec<f64>> {
        Ok(left_out.chunks_exact(region.ring_size()).map(|ring| log2_sum(ring.iter().copied())).collect())
    }

    fn of_newcomer(&self, region: &RegionGraph, links: &[(u32, f64)]) -> f64 {
        log2_sum(links.iter().map(|&(v, length)| length * region.weights()[v as usize]))
    }

    fn has_exact(&self) -> bool {
        false
    }
}
