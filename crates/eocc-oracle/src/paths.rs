//! All-pairs shortest paths, twice: by Floyd and Warshall, and by Dijkstra from every vertex.
//!
//! The two are independent of each other and agree up to rounding. The distance between unconnected vertices is
//! `f64::INFINITY`.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::graph::Graph;

/// Floyd–Warshall: `d(i, j) = min(d(i, j), d(i, h) + d(h, j))` for `h = 0, 1, …`.
pub fn floyd_warshall(graph: &Graph) -> Vec<Vec<f64>> {
    let n = graph.len();
    let mut d = vec![vec![f64::INFINITY; n]; n];
    for i in 0..n {
        d[i][i] = 0.0;
        for &(j, weight) in &graph[i] {
            d[i][j] = weight;
        }
    }
    for h in 0..n {
        for i in 0..n {
            for j in 0..n {
                if d[i][h] + d[h][j] < d[i][j] {
                    d[i][j] = d[i][h] + d[h][j];
                }
            }
        }
    }
    d
}

/// Dijkstra from every vertex.
pub fn dijkstra(graph: &Graph) -> Vec<Vec<f64>> {
    (0..graph.len()).map(|source| dijkstra_from(graph, source)).collect()
}

/// Distances from `source` to every vertex, by Dijkstra with a heap in which outdated entries are skipped.
pub fn dijkstra_from(graph: &Graph, source: usize) -> Vec<f64> {
    let mut d = vec![f64::INFINITY; graph.len()];
    let mut is_settled = vec![false; graph.len()];
    let mut heap = BinaryHeap::from([Reverse(Reached { distance: 0.0, vertex: source })]);
    d[source] = 0.0;
    while let Some(Reverse(Reached { distance, vertex })) = heap.pop() {
        if is_settled[vertex] {
            continue;
        }
        is_settled[vertex] = true;
        for &(u, weight) in &graph[vertex] {
            if distance + weight < d[u] {
                d[u] = distance + weight;
                heap.push(Reverse(Reached { distance: d[u], vertex: u }));
            }
        }
    }
    d
}

/// A vertex on the heap; nearer ones come first, ties by index.
struct Reached {
    distance: f64,
    vertex: usize,
}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.vertex.cmp(&other.vertex))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Reached {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Reached {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Lcg;
    use crate::{graph, knn};

    #[test]
    fn a_detour_can_be_shorter() {
        // 0 - 1 - 2 with weights 1 and 1.5, the edge 0 - 2 weighs 4; 3 is on its own.
        let graph =
            vec![vec![(1, 1.0), (2, 4.0)], vec![(0, 1.0), (2, 1.5)], vec![(0, 4.0), (1, 1.5)], vec![]];
        let far = f64::INFINITY;
        let expected =
            [[0.0, 1.0, 2.5, far], [1.0, 0.0, 1.5, far], [2.5, 1.5, 0.0, far], [far, far, far, 0.0]];
        assert_eq!(floyd_warshall(&graph), expected);
        assert_eq!(dijkstra(&graph), expected);
    }

    #[test]
    fn both_agree_on_knn_graphs_with_duplicates() {
        let mut lcg = Lcg::new(5);
        for k in 1..5 {
            // Coordinates on a coarse lattice, so that points coincide and distances tie.
            let points: Vec<Vec<f64>> =
                (0..40).map(|_| (0..2).map(|_| (lcg.uniform() * 8.0).floor()).collect()).collect();
            let distances = knn::distances(&points);
            let graph = graph::undirected(&knn::lists(&distances, k), k, &distances);
            let (a, b) = (floyd_warshall(&graph), dijkstra(&graph));
            for i in 0..40 {
                for j in 0..40 {
                    assert_eq!(a[i][j].is_finite(), b[i][j].is_finite());
                    assert!(a[i][j].is_infinite() || (a[i][j] - b[i][j]).abs() < 1e-12);
                }
            }
        }
    }
}
