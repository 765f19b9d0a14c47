//! Lists of nearest neighbors, by sorting everything.

/// Euclidean distance `d_2(a, b)`, squares summed in index order.
///
/// # Panics
/// If the two points differ in dimension.
pub fn euclidean(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "points differ in dimension");
    let mut sum = 0.0;
    for f in 0..a.len() {
        let difference = a[f] - b[f];
        sum += difference * difference;
    }
    sum.sqrt()
}

/// The full matrix of Euclidean distances.
pub fn distances(points: &[Vec<f64>]) -> Vec<Vec<f64>> {
    points.iter().map(|a| points.iter().map(|b| euclidean(a, b)).collect()).collect()
}

/// The `k` nearest of every point, nearest first, excluding the point itself, ties by index.
///
/// # Panics
/// If there are fewer than `k` other points.
pub fn lists(distances: &[Vec<f64>], k: usize) -> Vec<Vec<usize>> {
    let n = distances.len();
    (0..n)
        .map(|i| {
            let others: Vec<(f64, usize)> =
                (0..n).filter(|&j| j != i).map(|j| (distances[i][j], j)).collect();
            nearest(others, k)
        })
        .collect()
}

/// The `k` nearest points to one that is not among them, given its distances to them.
///
/// # Panics
/// If there are fewer than `k` points.
pub fn list_to(distances: &[f64], k: usize) -> Vec<usize> {
    nearest(distances.iter().copied().enumerate().map(|(j, d)| (d, j)).collect(), k)
}

fn nearest(mut candidates: Vec<(f64, usize)>, k: usize) -> Vec<usize> {
    assert!(k <= candidates.len(), "k is {k}, but there are {} other points", candidates.len());
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    candidates[..k].iter().map(|&(_, j)| j).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn euclidean_matches_hand_computation() {
        assert!((euclidean(&[1.0, 2.0], &[4.0, 6.0]) - 5.0).abs() < 1e-15);
    }

    #[test]
    fn lists_of_points_on_a_line() {
        // 0, 1, 3, 7: the neighbors of 3 are 1 (distance 2), 0 (3), 7 (4).
        let points = [vec![0.0], vec![1.0], vec![3.0], vec![7.0]];
        let lists = lists(&distances(&points), 3);
        assert_eq!(lists, [[1, 2, 3], [0, 2, 3], [1, 0, 3], [2, 1, 0]]);
    }

    #[test]
    fn ties_go_to_the_lower_index_and_duplicates_are_neighbors() {
        let points = [vec![0.0], vec![1.0], vec![-1.0], vec![0.0]];
        let lists = lists(&distances(&points), 2);
        assert_eq!(lists, [[3, 1], [0, 3], [0, 3], [0, 1]]);
    }

    #[test]
    fn list_to_a_stranger() {
        assert_eq!(list_to(&[2.0, 1.0, 2.0, 0.5], 3), [3, 1, 0]);
    }

    #[test]
    #[should_panic(expected = "k is 2")]
    fn too_large_a_k_is_refused() {
        lists(&[vec![0.0, 1.0], vec![1.0, 0.0]], 2);
    }
}
