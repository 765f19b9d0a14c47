//! Decision regions: the components of the kNN graph, each with its fuzzy set.

use crate::centrality::RegionGraph;
use crate::knn::KnnLists;
use crate::membership::Membership;
use crate::partition::Partition;

/// One decision region.
#[derive(Debug, Clone)]
pub struct Region {
    pub(crate) vertices: Vec<u32>,
    pub(crate) graph: RegionGraph,
    pub(crate) log_chi: Vec<f64>,
    pub(crate) fuzzy: Membership,
}

impl Region {
    /// Indices of its training samples, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Number of its training samples.
    pub fn size(&self) -> usize {
        self.vertices.len()
    }

    /// Its graph, over `0..size()`.
    pub fn graph(&self) -> &RegionGraph {
        &self.graph
    }

    /// How central each of its vertices is: `log2 chi`; where a committee judges, its score.
    pub fn log_closeness(&self) -> &[f64] {
        &self.log_chi
    }

    /// Its fuzzy set.
    pub fn membership(&self) -> &Membership {
        &self.fuzzy
    }
}

/// The parts of a partition, largest first, ties by smallest vertex.
pub(crate) fn ordered_members(partition: &Partition) -> Vec<Vec<u32>> {
    let mut members = partition.members();
    members.sort_by(|a, b| b.len().cmp(&a.len()).then(a[0].cmp(&b[0])));
    members
}

/// The lists of `vertices` cut to `k`, in the region's own numbers.
///
/// A component of `G_k` holds the `k` nearest of each of its vertices, so nothing points outside.
pub(crate) fn local_lists(lists: &KnnLists, vertices: &[u32], k: usize) -> KnnLists {
    let mut number = vec![0_u32; lists.points()];
    for (local, &v) in vertices.iter().enumerate() {
        number[v as usize] = local as u32;
    }
    let each = |f: &mut dyn FnMut(usize)| vertices.iter().for_each(|&v| f(v as usize));
    let mut neighbors = Vec::with_capacity(vertices.len() * k);
    let mut lengths = Vec::with_capacity(vertices.len() * k);
    each(&mut |v| {
        neighbors.extend(lists.neighbors(v, k).iter().map(|&w| number[w as usize]));
        lengths.extend(lists.lengths(v, k));
    });
    KnnLists::new(neighbors, lengths, k)
}
