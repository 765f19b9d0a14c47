//! Minimum spanning trees.

use crate::kernel;
use crate::matrix::Matrix;

/// An edge of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// One end, already in the tree when the edge was added.
    pub from: usize,
    /// The other end.
    pub to: usize,
    /// Its length.
    pub length: f64,
}

/// The minimum spanning tree of `n` vertices (Prim), where `fill(v, row)` gives the lengths from `v` to all. Ties go
/// to the lower index. Returns `n - 1` edges; none for fewer than two vertices.
pub fn spanning_tree(n: usize, mut fill: impl FnMut(usize, &mut [f64])) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(n.saturating_sub(1));
    let mut best = vec![(f64::INFINITY, 0_usize); n];
    let mut outside: Vec<usize> = (1..n).collect();
    let mut row = vec![0.0; n];
    let mut added = 0;
    while !outside.is_empty() {
        fill(added, &mut row);
        let mut next = 0;
        for (slot, &v) in outside.iter().enumerate() {
            if row[v] < best[v].0 {
                best[v] = (row[v], added);
            }
            if best[v].0 < best[outside[next]].0 {
                next = slot;
            }
        }
        added = outside.remove(next);
        edges.push(Edge { from: best[added].1, to: added, length: best[added].0 });
    }
    edges
}

/// The Euclidean minimum spanning tree of the rows of `points`.
pub fn euclidean(points: &Matrix) -> Vec<Edge> {
    spanning_tree(points.rows(), |v, row| kernel::euclidean_to_rows(points.row(v), points.values(), row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_of_a_line() {
        let edges = euclidean(&Matrix::new(vec![0.0, 10.0, 1.0, 3.0], 4, 1));
        let total: f64 = edges.iter().map(|e| e.length).sum();
        assert!((total - 10.0).abs() < 1e-15);
        assert_eq!(edges.len(), 3);
        assert!(euclidean(&Matrix::new(vec![1.0], 1, 1)).is_empty());
    }
}
