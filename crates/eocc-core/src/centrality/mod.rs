//! How central a vertex is in the graph of its region [LA17, sec. III-C].
//!
//! A new centrality is one new file here and one line in [`Centrality::rule`] and [`Centrality::ALL`].
//! Values are logarithms to base 2, so that they never vanish however far a sample lies.

mod exact;
mod geodesic;
mod ring;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::graph::KnnGraph;
use crate::knn::KnnLists;
use crate::observer::Observer;
use crate::paths::AllPaths;
use std::sync::OnceLock;

pub use exact::{Rejoined, rejoin, rejoin_all};

/// The centralities there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Centrality {
    /// The paper's closeness, `sum over all u of 2^-d(v, u)` by shortest paths.
    Geodesic,
    /// Closeness over the first ring only: `sum over the k nearest u of 2^-|vu|`.
    Ring,
}

impl Centrality {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Geodesic, Self::Ring];

    /// Its rule.
    pub fn rule(self) -> &'static dyn Rule {
        match self {
            Self::Geodesic => &geodesic::Geodesic,
            Self::Ring => &ring::Ring,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Geodesic => "geodesic",
            Self::Ring => "ring",
        }
    }

    /// Whether only the first ring counts, where edges are weighed by the sample they lead to.
    pub fn is_of_rings(self) -> bool {
        self == Self::Ring
    }
}

/// A centrality of the vertices of a region.
pub trait Rule: Sync {
    /// `log2` of the centrality of every vertex. `left_out` holds, for each vertex, what the edges of its ring count as
    /// when it is left out of all that is learned.
    fn of_vertices(
        &self,
        region: &RegionGraph,
        left_out: &[f64],
        observer: &dyn Observer,
    ) -> Result<Vec<f64>>;

    /// `log2` of the centrality of a newcomer joined to these vertices, nearest first, in the graph as it is.
    fn of_newcomer(&self, region: &RegionGraph, links: &[(u32, f64)]) -> f64;

    /// Computes what [`of_newcomer`](Self::of_newcomer) needs of the region, once, before many newcomers ask for it.
    fn prepare(&self, _region: &RegionGraph) {}

    /// Whether a newcomer changes the centrality of others only through [`rejoin`]; if not, exact and fast scoring
    /// are the same.
    fn has_exact(&self) -> bool;
}

/// The graph of one region, over the region's own vertex numbers, with what is derived from it when needed.
#[derive(Debug, Clone)]
pub struct RegionGraph {
    lists: KnnLists,
    ring_size: usize,
    weights: Vec<f64>,
    graph: KnnGraph,
    paths: OnceLock<AllPaths>,
}

/// Up to here all shortest paths are kept; beyond, each newcomer runs its own search.
const MAX_CACHED_PATHS: usize = 6000;

impl RegionGraph {
    /// From the lists of the region's vertices, of which the first `ring_size` entries count in a ring. There, edges are
    /// weighed by the vertex they lead to.
    pub fn new(lists: KnnLists, ring_size: usize, weights: Vec<f64>) -> Self {
        let graph = KnnGraph::of(&lists);
        Self { lists, ring_size, weights, graph, paths: OnceLock::new() }
    }

    /// Weights of edges in a ring, by the vertex they lead to.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The lists.
    pub fn lists(&self) -> &KnnLists {
        &self.lists
    }

    /// How many of a vertex's nearest count in a ring.
    pub fn ring_size(&self) -> usize {
        self.ring_size
    }

    /// The undirected graph.
    pub fn graph(&self) -> &KnnGraph {
        &self.graph
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.graph.vertices()
    }

    /// All shortest paths, computed at the first call.
    pub fn paths(&self) -> &AllPaths {
        if let Some(paths) = self.paths.get() {
            return paths;
        }
        // Outside of the lock: the computation is parallel, and a thread that waits for its parts may take up another
        // sample meanwhile, which asks for the same paths. Inside, it would wait for itself.
        let paths = AllPaths::of(&self.graph);
        self.paths.get_or_init(|| paths)
    }

    fn caches_paths(&self) -> bool {
        self.vertices() <= MAX_CACHED_PATHS
    }
}

/// `log2 sum 2^-d`; minus infinity for none.
fn log2_sum(distances: impl Iterator<Item = f64> + Clone) -> f64 {
    let nearest = distances.clone().fold(f64::INFINITY, f64::min);
    if nearest == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    distances.map(|d| (nearest - d).exp2()).sum::<f64>().log2() - nearest
}
