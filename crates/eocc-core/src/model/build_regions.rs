//! From a partition to decision regions.

use super::Scales;
use crate::centrality::RegionGraph;
use crate::error::Result;
use crate::knn::KnnLists;
use crate::membership::Membership;
use crate::observer::Observer;
use crate::params::OneClass;
use crate::partition::Partition;
use crate::region::{Region, local_lists, ordered_members};

/// What the edges of rings count as.
pub(super) struct Rings {
    /// By the sample they lead to.
    pub(super) weights: Vec<f64>,
    /// Those of each sample, with it left out, list after list.
    pub(super) left_out: Vec<f64>,
}

impl Rings {
    /// Those of some samples.
    fn of(&self, vertices: &[u32], ring_size: usize) -> (Vec<f64>, Vec<f64>) {
        let weights = vertices.iter().map(|&v| self.weights[v as usize]).collect();
        let ring = |v: &u32| self.left_out[*v as usize * ring_size..(*v as usize + 1) * ring_size].to_vec();
        (weights, vertices.iter().flat_map(ring).collect())
    }
}

/// The regions of a partition, each with its graph and fuzzy set.
pub(super) fn regions(
    params: &OneClass,
    lists: &KnnLists,
    rings: &Rings,
    partition: &Partition,
    scales: &Scales,
    observer: &dyn Observer,
) -> Result<Vec<Region>> {
    ordered_members(partition)
        .into_iter()
        .map(|vertices| {
            let local = local_lists(lists, &vertices, lists.width(), scales.unit);
            let (weights, left_out) = rings.of(&vertices, scales.ring_size);
            let graph = RegionGraph::new(local, scales.ring_size, weights);
            let log_chi = params.centrality.rule().of_vertices(&graph, &left_out, observer)?;
            let fuzzy = Membership::of(&log_chi, params.scale, params.percentile);
            Ok(Region { vertices, graph, log_chi, fuzzy })
        })
        .collect()
}
