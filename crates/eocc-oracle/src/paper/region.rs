//! Steps 11 and 12: the fuzzy model of one component.

use crate::closeness::{closeness, differences, largest, membership};
use crate::percentile::percentile;
use crate::{graph, knn, paths};

/// One component with the values of its vertices, in the given order.
#[derive(Debug, Clone)]
pub struct Region {
    /// Shortest paths between all pairs of vertices, `d_G(v, u)`.
    pub paths: Vec<Vec<f64>>,
    /// `chi(v)`.
    pub chi: Vec<f64>,
    /// `chi*`.
    pub chi_star: f64,
    /// `chi* - chi(v)`.
    pub differences: Vec<f64>,
    /// The threshold: the `l`-th percentile of the differences.
    pub t: f64,
    /// `mu(v)`.
    pub memberships: Vec<f64>,
}

impl Region {
    /// The region of the kNN graph of a set of points, given their distances to one another.
    ///
    /// In training these are the points of one component of `G_k`. Their lists are computed again among themselves,
    /// which changes nothing: the `k` nearest of a point are in its component.
    ///
    /// # Panics
    /// If there are not more than `k` points.
    pub fn new(distances: &[Vec<f64>], k: usize, l: f64) -> Self {
        let graph = graph::undirected(&knn::lists(distances, k), k, distances);
        let paths = paths::dijkstra(&graph);
        let chi = closeness(&paths);
        let differences = differences(&chi);
        let t = percentile(&differences, l);
        let memberships = differences.iter().map(|&diff| membership(diff, t)).collect();
        Self { chi_star: largest(&chi), paths, chi, differences, t, memberships }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_four_matches_hand_computation() {
        // 0, 1, 2, 4 on a line, k = 1: 0-1, 1-2, 2-4.
        let region = Region::new(&knn::distances(&[vec![0.0], vec![1.0], vec![2.0], vec![4.0]]), 1, 50.0);
        // chi: 1/2 + 1/4 + 1/16, 1/2 + 1/2 + 1/8, 1/4 + 1/2 + 1/4, 1/16 + 1/8 + 1/4.
        assert_eq!(region.chi, [0.8125, 1.125, 1.0, 0.4375]);
        assert_eq!(region.differences, [0.3125, 0.0, 0.125, 0.6875]);
        assert!((region.chi_star - 1.125).abs() < 1e-15);
        assert!((region.t - 0.21875).abs() < 1e-15); // median of 0.125 and 0.3125
        let expected = (-(0.125_f64 / 0.21875).powi(2) / 2.0).exp();
        assert!((region.memberships[2] - expected).abs() < 1e-15);
        assert!((region.memberships[1] - 1.0).abs() < 1e-15);
    }

    #[test]
    fn equal_points_are_all_full_members() {
        let region = Region::new(&vec![vec![0.0; 4]; 4], 2, 50.0);
        assert!(region.t.abs() < 1e-15);
        assert_eq!(region.memberships, [1.0; 4]);
    }
}
