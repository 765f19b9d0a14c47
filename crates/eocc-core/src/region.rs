//! Decision regions: the components of the kNN graph, each with its fuzzy set.

use std::sync::{Arc, OnceLock};

use crate::centrality::RegionGraph;
use crate::knn::KnnLists;
use crate::membership::Membership;
use crate::partition::Partition;

/// What the centrality of a sample in its region is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Centrality {
    /// `log2 chi`, the logarithm of its closeness in the graph of the region [LA17, eq. 8].
    Closeness,
    /// Its score.
    Score,
}

/// One decision region.
#[derive(Debug, Clone)]
pub struct Region {
    pub(crate) vertices: Vec<u32>,
    /// The k-nearest-neighbor lists of all training samples.
    lists: Arc<KnnLists>,
    /// How many vertices closeness is estimated from.
    sources: Option<usize>,
    graph: OnceLock<RegionGraph>,
    pub(crate) centrality: Vec<f64>,
    pub(crate) fuzzy: Membership,
}

impl Region {
    pub(crate) fn new(
        vertices: Vec<u32>,
        lists: Arc<KnnLists>,
        centrality: Vec<f64>,
        fuzzy: Membership,
    ) -> Self {
        Self { vertices, lists, sources: None, graph: OnceLock::new(), centrality, fuzzy }
    }

    /// Closeness is estimated from this many vertices.
    pub(crate) fn with_sources(self, sources: Option<usize>) -> Self {
        Self { sources, ..self }
    }

    /// Uses an existing graph.
    pub(crate) fn with_graph(self, graph: RegionGraph) -> Self {
        Self { graph: OnceLock::from(graph), ..self }
    }

    /// Indices of its training samples, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Number of its training samples.
    pub fn size(&self) -> usize {
        self.vertices.len()
    }

    /// Its graph, over `0..size()`, built lazily: with a committee, only plots need it.
    pub fn graph(&self) -> &RegionGraph {
        self.graph.get_or_init(|| {
            RegionGraph::new(local_lists(&self.lists, &self.vertices, self.lists.width()))
                .with_sources(self.sources)
        })
    }

    /// The [`Centrality`] of each of its vertices.
    pub fn centrality(&self) -> &[f64] {
        &self.centrality
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

/// The lists of `vertices` truncated to `k`, with indices within the region.
///
/// A component of `G_k` contains the `k` nearest of each of its vertices, so no edge leaves the component.
pub(crate) fn local_lists(lists: &KnnLists, vertices: &[u32], k: usize) -> KnnLists {
    // Vertices are ascending.
    let number = |w: u32| vertices.partition_point(|v| *v < w) as u32;
    let mut neighbors = Vec::with_capacity(vertices.len() * k);
    let mut lengths = Vec::with_capacity(vertices.len() * k);
    for &v in vertices {
        neighbors.extend(lists.neighbors(v as usize, k).iter().map(|&w| number(w)));
        lengths.extend(lists.lengths(v as usize, k));
    }
    KnnLists::new(neighbors, lengths, k)
}
