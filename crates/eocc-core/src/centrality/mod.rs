//! The centrality of a vertex in the graph of its region: the paper's closeness [LA17, sec. III-C].
//!
//! Values are logarithms to base 2, so that they never underflow, however far away a sample lies.

mod exact;
mod geodesic;
mod sampled;

use crate::error::Result;
use crate::graph::KnnGraph;
use crate::knn::KnnLists;
use crate::observer::Observer;
use crate::paths::AllPaths;
use std::sync::OnceLock;

pub use exact::{Rejoined, rejoin, rejoin_all};
pub use geodesic::{estimate, of_newcomer, of_vertices, prepare};
pub use sampled::SampledPaths;

/// The graph of one region in the region's own vertex numbers, with derived data computed on demand.
#[derive(Debug, Clone)]
pub struct RegionGraph {
    lists: KnnLists,
    graph: KnnGraph,
    paths: OnceLock<AllPaths>,
    /// How many vertices closeness is estimated from; `None` means all.
    sources: Option<usize>,
    sampled: OnceLock<SampledPaths>,
}

/// Up to here, all shortest paths are stored; beyond, each newcomer runs its own search.
const MAX_CACHED_PATHS: usize = 6000;

impl RegionGraph {
    /// From the lists of the region's vertices.
    pub fn new(lists: KnnLists) -> Self {
        let graph = KnnGraph::from_lists(&lists);
        Self { lists, graph, paths: OnceLock::new(), sources: None, sampled: OnceLock::new() }
    }

    /// Closeness is estimated from this many vertices, if there are more.
    #[must_use]
    pub fn with_sources(self, sources: Option<usize>) -> Self {
        let sources = sources.filter(|count| *count < self.vertices());
        Self { sources, ..self }
    }

    /// The paths that closeness is estimated from, computed on the first call; `None` if it is not estimated.
    pub fn sampled(&self, observer: &dyn Observer) -> Result<Option<&SampledPaths>> {
        let Some(count) = self.sources else { return Ok(None) };
        if self.sampled.get().is_none() {
            let paths = SampledPaths::new(self, count, observer)?;
            self.sampled.get_or_init(|| paths);
        }
        Ok(self.sampled.get())
    }

    /// The lists.
    pub fn lists(&self) -> &KnnLists {
        &self.lists
    }

    /// The undirected graph.
    pub fn graph(&self) -> &KnnGraph {
        &self.graph
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.graph.vertices()
    }

    /// All shortest paths, computed on the first call.
    pub fn paths(&self) -> &AllPaths {
        if let Some(paths) = self.paths.get() {
            return paths;
        }
        // Outside of the lock: the computation is parallel, and a thread that waits for its parts may meanwhile start
        // another sample, which needs the same paths. Inside the lock, it would wait for itself.
        let paths = AllPaths::new(&self.graph);
        self.paths.get_or_init(|| paths)
    }

    /// Computes all shortest paths unless already done, reporting to the observer.
    pub fn prepare_paths(&self, observer: &dyn Observer) -> Result<()> {
        if self.paths.get().is_none() {
            let paths = AllPaths::new_watched(&self.graph, observer)?;
            self.paths.get_or_init(|| paths);
        }
        Ok(())
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
