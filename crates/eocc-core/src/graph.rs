//! The undirected kNN graph of one region, in compressed rows.

use crate::knn::KnnLists;

/// An undirected graph with edge lengths; neighbors are sorted by index.
#[derive(Debug, Clone, PartialEq)]
pub struct KnnGraph {
    offsets: Vec<usize>,
    targets: Vec<u32>,
    lengths: Vec<f64>,
}

impl KnnGraph {
    /// The graph in which `i` and `j` are joined if either is in the list of the other.
    pub fn from_lists(lists: &KnnLists) -> Self {
        let n = lists.points();
        let k = lists.width();
        let mut edges: Vec<(u32, u32, f64)> = Vec::with_capacity(2 * n * k);
        for i in 0..n {
            for (&j, &length) in lists.neighbors(i, k).iter().zip(lists.lengths(i, k)) {
                edges.push((i as u32, j, length));
                edges.push((j, i as u32, length));
            }
        }
        edges.sort_unstable_by_key(|e| (e.0, e.1));
        edges.dedup_by_key(|e| (e.0, e.1));
        let mut offsets = vec![0; n + 1];
        for e in &edges {
            offsets[e.0 as usize + 1] += 1;
        }
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        Self {
            offsets,
            targets: edges.iter().map(|e| e.1).collect(),
            lengths: edges.iter().map(|e| e.2).collect(),
        }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Neighbors of `v` with the lengths of the edges to them.
    pub fn edges(&self, v: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.offsets[v]..self.offsets[v + 1];
        self.targets[range.clone()].iter().copied().zip(self.lengths[range].iter().copied())
    }

    /// Whether `{v, w}` is an edge.
    pub fn has_edge(&self, v: u32, w: u32) -> bool {
        let range = self.offsets[v as usize]..self.offsets[v as usize + 1];
        self.targets[range].binary_search(&w).is_ok()
    }
}
