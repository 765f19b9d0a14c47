//! An undirected graph without labels, as lists of neighbors.

use crate::contact::ContactGraph;

/// Neighbors of every vertex, each list in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparseGraph {
    neighbors: Vec<Vec<u32>>,
    edges: usize,
}

impl From<&ContactGraph> for SparseGraph {
    fn from(graph: &ContactGraph) -> Self {
        Self::new(graph.vertices.len(), graph.edges.iter().map(|&(a, b, _)| (a, b)))
    }
}

impl SparseGraph {
    /// The graph with these edges, each once; loops and invalid ends are ignored.
    pub fn new(vertices: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut neighbors = vec![Vec::new(); vertices];
        for (a, b) in edges {
            if a != b && (a as usize) < vertices && (b as usize) < vertices {
                neighbors[a as usize].push(b);
                neighbors[b as usize].push(a);
            }
        }
        for list in &mut neighbors {
            list.sort_unstable();
            list.dedup();
        }
        let edges = neighbors.iter().map(Vec::len).sum::<usize>() / 2;
        Self { neighbors, edges }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.neighbors.len()
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// The neighbors of a vertex, in ascending order.
    pub fn neighbors(&self, vertex: usize) -> &[u32] {
        &self.neighbors[vertex]
    }

    /// How many neighbors a vertex has.
    pub fn degree(&self, vertex: usize) -> usize {
        self.neighbors[vertex].len()
    }

    /// The connected components, the one with the first vertex first; each in ascending order.
    pub fn components(&self) -> Vec<Vec<usize>> {
        let mut is_seen = vec![false; self.vertices()];
        let mut components = Vec::new();
        for start in 0..self.vertices() {
            if std::mem::replace(&mut is_seen[start], true) {
                continue;
            }
            let mut component = vec![start];
            let mut next = 0;
            while let Some(&v) = component.get(next) {
                next += 1;
                for &w in self.neighbors(v) {
                    if !std::mem::replace(&mut is_seen[w as usize], true) {
                        component.push(w as usize);
                    }
                }
            }
            component.sort_unstable();
            components.push(component);
        }
        components
    }
}
