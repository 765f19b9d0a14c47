//! The undirected kNN graph `G_k`.

/// Weighted adjacency: for each vertex its neighbors with the weight of the edge, by ascending index.
pub type Graph = Vec<Vec<(usize, f64)>>;

/// The graph with an edge `{i, j}` if `j` is among the first `k` of the list of `i`, or `i` among those of `j`.
///
/// The weight of an edge is the distance of its ends, `w_ij = d_2(x_i, x_j)` `[LA17, section III-A]`.
pub fn undirected(lists: &[Vec<usize>], k: usize, distances: &[Vec<f64>]) -> Graph {
    let n = lists.len();
    let mut is_edge = vec![vec![false; n]; n];
    for i in 0..n {
        for &j in &lists[i][..k] {
            is_edge[i][j] = true;
            is_edge[j][i] = true;
        }
    }
    (0..n).map(|i| (0..n).filter(|&j| is_edge[i][j]).map(|j| (j, distances[i][j])).collect()).collect()
}

/// Every edge once, as `(i, j)` with `i < j`, in lexicographic order.
pub fn edges(graph: &Graph) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for (i, neighbors) in graph.iter().enumerate() {
        for &(j, _) in neighbors {
            if i < j {
                edges.push((i, j));
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knn;

    #[test]
    fn an_edge_needs_only_one_of_the_two_lists() {
        // 0, 1, 3 on a line: 3 lists 1, but 1 lists 0.
        let distances = knn::distances(&[vec![0.0], vec![1.0], vec![3.0]]);
        let lists = knn::lists(&distances, 2);
        let graph = undirected(&lists, 1, &distances);
        assert_eq!(graph, [vec![(1, 1.0)], vec![(0, 1.0), (2, 2.0)], vec![(1, 2.0)]]);
        assert_eq!(edges(&graph), [(0, 1), (1, 2)]);
    }
}
