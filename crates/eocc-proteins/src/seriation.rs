//! From a graph to a sequence of vertices, by the leading eigenvector of its adjacency matrix.
//!
//! A. Robles-Kelly, E. Hancock, "Graph edit distance from spectral seriation", IEEE TPAMI 27, 2005; L. Livi, A.
//! Giuliani, A. Rizzi, "Toward a multilevel representation of protein molecules", Information Sciences 326, 2016, use
//! it to turn contact graphs into sequences.

use eocc_core::{ErrorKind, Result, Series};

use crate::amino_acids::Descriptors;
use crate::contact::ContactGraph;
use crate::sparse::SparseGraph;

/// Maximum number of rounds of the power iteration.
const ROUNDS: usize = 200_000;
/// Rounds between two looks at whether to stop.
const ROUNDS_UNWATCHED: usize = 64;
/// Seconds that a neighbor of a vertex takes in a round, measured.
const SECONDS_PER_NEIGHBOR: f64 = 1.4e-9;
/// It has converged when no entry changes by more than this fraction of the largest.
const SETTLED: f64 = 1e-13;
/// Entries that differ by less than this fraction of the largest are a tie.
const RESOLUTION: f64 = 1e-7;

/// All vertices in the order of the sequence: those with the largest entry of the leading eigenvector first, ties in the
/// order of the vertices.
///
/// A graph that is not connected has no unique leading eigenvector: its components follow each other, largest first,
/// ties by first vertex, each ordered by its own.
pub fn spectral_order(graph: &SparseGraph) -> Vec<usize> {
    order_unless(graph, &|| false).unwrap_or_default()
}

/// The same, unless it is told to stop: `None`.
fn order_unless(graph: &SparseGraph, stop: &dyn Fn() -> bool) -> Option<Vec<usize>> {
    let mut components = graph.components();
    components.sort_by_key(|c| (std::cmp::Reverse(c.len()), c[0]));
    let mut order = Vec::with_capacity(graph.vertices());
    for component in components {
        let entries = leading_eigenvector(graph, &component, stop)?;
        let mut ranked: Vec<(i64, usize)> =
            entries.iter().zip(&component).map(|(x, &v)| (-(x / RESOLUTION).round() as i64, v)).collect();
        ranked.sort_unstable();
        order.extend(ranked.into_iter().map(|(_, v)| v));
    }
    Some(order)
}

/// The leading eigenvector of the adjacency matrix of a component, positive, its largest entry 1.
///
/// By power iteration on the matrix plus the identity, which has the same eigenvectors and, unlike the matrix of a
/// graph with even cycles only, a unique eigenvalue of largest magnitude.
fn leading_eigenvector(
    graph: &SparseGraph,
    component: &[usize],
    stop: &dyn Fn() -> bool,
) -> Option<Vec<f64>> {
    let mut place = vec![u32::MAX; graph.vertices()];
    for (i, &v) in component.iter().enumerate() {
        place[v] = i as u32;
    }
    let mut x = vec![1.0; component.len()];
    let mut next = x.clone();
    for round in 0..ROUNDS {
        if round % ROUNDS_UNWATCHED == 0 && stop() {
            return None;
        }
        let mut largest = 0.0_f64;
        for (i, &v) in component.iter().enumerate() {
            let sum: f64 = graph.neighbors(v).iter().map(|&w| x[place[w as usize] as usize]).sum();
            next[i] = x[i] + sum;
            largest = largest.max(next[i]);
        }
        let mut moved = 0.0_f64;
        for (new, old) in next.iter_mut().zip(&x) {
            *new /= largest;
            moved = moved.max((*new - old).abs());
        }
        std::mem::swap(&mut x, &mut next);
        if moved < SETTLED {
            break;
        }
    }
    Some(x)
}

/// The most seconds that the order of a graph may take, roughly: a compact structure takes a hundredth of it, an extended one all.
pub fn most_seconds(graph: &ContactGraph) -> f64 {
    (graph.vertices.len() + 2 * graph.edges.len()) as f64 * ROUNDS as f64 * SECONDS_PER_NEIGHBOR
}

/// The properties of the residues in the order of the sequence: a time series of three channels.
pub fn seriated(graph: &ContactGraph, descriptors: Descriptors) -> Result<Series> {
    seriated_unless(graph, descriptors, &|| false)
}

/// The same, unless it is told to stop.
pub fn seriated_unless(
    graph: &ContactGraph,
    descriptors: Descriptors,
    stop: &dyn Fn() -> bool,
) -> Result<Series> {
    let order = order_unless(&SparseGraph::from(graph), stop).ok_or(ErrorKind::Cancelled)?;
    let values = order.iter().flat_map(|&v| descriptors.describe(graph.vertices[v].letter)).collect();
    Series::new(values, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_ordered_from_its_middle_outwards() {
        // Entries are sin(pi i / 6), i = 1 … 5.
        let path = SparseGraph::new(5, (0..4).map(|i| (i, i + 1)));
        assert_eq!(spectral_order(&path), [2, 1, 3, 0, 4]);
    }

    #[test]
    fn ties_go_by_index_and_components_by_size() {
        let ring = SparseGraph::new(6, (0..6).map(|i| (i, (i + 1) % 6)));
        assert_eq!(spectral_order(&ring), [0, 1, 2, 3, 4, 5]);
        // A lone vertex, an edge, a star of four.
        let apart = SparseGraph::new(7, [(1, 2), (3, 5), (4, 5), (6, 5)]);
        assert_eq!(spectral_order(&apart), [5, 3, 4, 6, 1, 2, 0]);
        assert!(spectral_order(&SparseGraph::new(0, [])).is_empty());
    }

    #[test]
    fn it_stops_when_cancelled() {
        let path = SparseGraph::new(5, (0..4).map(|i| (i, i + 1)));
        assert_eq!(order_unless(&path, &|| true), None);
    }

    #[test]
    fn the_iteration_settles_on_bipartite_and_on_long_graphs() {
        let n = 400;
        let path = SparseGraph::new(n, (0..n as u32 - 1).map(|i| (i, i + 1)));
        let all: Vec<usize> = (0..n).collect();
        let x = leading_eigenvector(&path, &all, &|| false).unwrap();
        for (i, value) in x.iter().enumerate() {
            let exact = (std::f64::consts::PI * (i + 1) as f64 / (n + 1) as f64).sin();
            assert!((value - exact).abs() < 1e-4, "{i}: {value} {exact}");
        }
    }
}
