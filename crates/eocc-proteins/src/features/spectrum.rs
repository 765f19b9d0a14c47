//! Eigenvalues of the symmetric matrices of a graph.

use eocc_core::Matrix;
use eocc_core::linear::symmetric_eigenvalues_unless;

use crate::sparse::SparseGraph;

/// A matrix of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GraphMatrix {
    /// 1 for each edge.
    Adjacency,
    /// Degrees minus adjacency.
    Laplacian,
    /// `I - D^(-1/2) A D^(-1/2)`; the row of a vertex without edges is 0.
    NormalizedLaplacian,
}

/// All eigenvalues, ascending; `None` if stopped.
pub(super) fn eigenvalues(
    graph: &SparseGraph,
    matrix: GraphMatrix,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<f64>> {
    let n = graph.vertices();
    let degree = |v: usize| graph.degree(v) as f64;
    let mut a = Matrix::zeros(n, n);
    for v in 0..n {
        a.row_mut(v)[v] = match matrix {
            GraphMatrix::Adjacency => 0.0,
            GraphMatrix::Laplacian => degree(v),
            GraphMatrix::NormalizedLaplacian => f64::from(u8::from(graph.degree(v) > 0)),
        };
        for &w in graph.neighbors(v) {
            a.row_mut(v)[w as usize] = match matrix {
                GraphMatrix::Adjacency => 1.0,
                GraphMatrix::Laplacian => -1.0,
                GraphMatrix::NormalizedLaplacian => -1.0 / (degree(v) * degree(w as usize)).sqrt(),
            };
        }
    }
    let mut values = symmetric_eigenvalues_unless(a, stop)?;
    values.reverse();
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eigenvalues(graph: &SparseGraph, matrix: GraphMatrix) -> Vec<f64> {
        super::eigenvalues(graph, matrix, &|| false).unwrap()
    }

    fn close(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() < 1e-10, "{a:?}\n{b:?}");
        }
    }

    fn sorted(mut values: Vec<f64>) -> Vec<f64> {
        values.sort_by(f64::total_cmp);
        values
    }

    #[test]
    fn closed_forms() {
        let n = 30;
        let turn = |k: usize| 2.0 * std::f64::consts::PI * k as f64 / n as f64;
        let ring = SparseGraph::new(n, (0..n as u32).map(|i| (i, (i + 1) % n as u32)));
        close(
            &eigenvalues(&ring, GraphMatrix::Adjacency),
            &sorted((0..n).map(|k| 2.0 * turn(k).cos()).collect()),
        );
        close(
            &eigenvalues(&ring, GraphMatrix::Laplacian),
            &sorted((0..n).map(|k| 2.0 - 2.0 * turn(k).cos()).collect()),
        );
        close(
            &eigenvalues(&ring, GraphMatrix::NormalizedLaplacian),
            &sorted((0..n).map(|k| 1.0 - turn(k).cos()).collect()),
        );
        // A star: adjacency ±sqrt(n - 1), normalized Laplacian 0, 1, …, 1, 2.
        let star = SparseGraph::new(10, (1..10).map(|i| (0, i)));
        let mut want = vec![0.0; 10];
        (want[0], want[9]) = (-3.0, 3.0);
        close(&eigenvalues(&star, GraphMatrix::Adjacency), &want);
        let mut want = vec![1.0; 10];
        (want[0], want[9]) = (0.0, 2.0);
        close(&eigenvalues(&star, GraphMatrix::NormalizedLaplacian), &want);
    }

    #[test]
    fn traces_of_powers_are_kept() {
        let mut r = eocc_core::random::Random::new(5);
        let n = 60_u32;
        let pairs: Vec<(u32, u32)> = (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        let graph = SparseGraph::new(n as usize, pairs.into_iter().filter(|_| r.normal() > 1.0));
        let values = eigenvalues(&graph, GraphMatrix::Adjacency);
        let moment = |k: i32| values.iter().map(|v| v.powi(k)).sum::<f64>();
        // Closed walks: none of length 1, two for each edge of length 2, six for each triangle of length 3.
        let triangles: usize = (0..n as usize)
            .flat_map(|a| graph.neighbors(a).iter().map(move |&b| (a, b as usize)))
            .map(|(a, b)| graph.neighbors(a).iter().filter(|c| graph.neighbors(b).contains(c)).count())
            .sum();
        assert!(moment(1).abs() < 1e-9);
        assert!((moment(2) - 2.0 * graph.edges() as f64).abs() < 1e-8);
        assert!((moment(3) - triangles as f64).abs() < 1e-7);
    }

    #[test]
    fn graphs_of_no_and_of_lone_vertices() {
        assert!(eigenvalues(&SparseGraph::new(0, []), GraphMatrix::Adjacency).is_empty());
        for m in [GraphMatrix::Adjacency, GraphMatrix::Laplacian, GraphMatrix::NormalizedLaplacian] {
            close(&eigenvalues(&SparseGraph::new(3, []), m), &[0.0; 3]);
        }
    }
}
