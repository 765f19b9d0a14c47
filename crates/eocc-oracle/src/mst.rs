//! Minimum spanning tree of the complete graph, by Prim.

/// The `n - 1` edges `(i, j)` of a minimum spanning tree, in the order in which Prim adds them from vertex 0.
///
/// At each step the nearest outside vertex joins, ties by index; `i` is inside already, `j` joins.
pub fn edges(distances: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let n = distances.len();
    let mut is_inside = vec![false; n];
    let mut edges = Vec::new();
    if n == 0 {
        return edges;
    }
    is_inside[0] = true;
    while edges.len() < n - 1 {
        let mut best: Option<(usize, usize)> = None;
        for i in (0..n).filter(|&i| is_inside[i]) {
            for j in (0..n).filter(|&j| !is_inside[j]) {
                if best.is_none_or(|(a, b)| distances[i][j] < distances[a][b]) {
                    best = Some((i, j));
                }
            }
        }
        let Some((i, j)) = best else { break };
        is_inside[j] = true;
        edges.push((i, j));
    }
    edges
}

/// The lengths of the edges of a minimum spanning tree.
pub fn lengths(distances: &[Vec<f64>]) -> Vec<f64> {
    edges(distances).into_iter().map(|(i, j)| distances[i][j]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knn;

    #[test]
    fn a_line_is_its_own_tree() {
        let distances = knn::distances(&[vec![0.0], vec![7.0], vec![1.0], vec![3.0]]);
        assert_eq!(edges(&distances), [(0, 2), (2, 3), (3, 1)]);
        assert_eq!(lengths(&distances), [1.0, 2.0, 4.0]);
    }

    #[test]
    fn a_square_leaves_out_one_side() {
        let square = [vec![0.0, 0.0], vec![0.0, 1.0], vec![1.0, 0.0], vec![1.0, 1.0]];
        assert_eq!(lengths(&knn::distances(&square)), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn no_points_and_one_point_have_no_edges() {
        assert!(edges(&[]).is_empty());
        assert!(edges(&[vec![0.0]]).is_empty());
    }
}
