//! Rényi entropy of order alpha, estimated from the length of a spanning graph `[LA17, eq. 2]`.

use std::f64::consts::{E, PI};

use crate::{knn, mst};

/// `log L` with `L = sum_e |e|^gamma`, by log-sum-exp: `gamma` may be in the hundreds, where `L` itself underflows.
///
/// # Panics
/// If there are no lengths, or one is not positive.
pub fn log_length(lengths: &[f64], gamma: f64) -> f64 {
    assert!(!lengths.is_empty() && lengths.iter().all(|&e| e > 0.0), "lengths must be positive");
    let largest = lengths.iter().map(|e| gamma * e.ln()).fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for e in lengths {
        sum += (gamma * e.ln() - largest).exp();
    }
    largest + sum.ln()
}

/// `log L` by the formula itself, for small `gamma` only.
pub fn log_length_direct(lengths: &[f64], gamma: f64) -> f64 {
    let mut sum = 0.0;
    for e in lengths {
        sum += e.powf(gamma);
    }
    sum.ln()
}

/// `gamma = (1 - alpha) m`, from `alpha = (m - gamma) / m`.
pub fn gamma(alpha: f64, m: usize) -> f64 {
    (1.0 - alpha) * m as f64
}

/// `H = (m / gamma) (log L - alpha log n - log beta)` with `log beta = (gamma / 2) log(m / (2 pi e))`.
///
/// `[LA17]` publishes that last value as `beta` and takes its logarithm again; METHOD, step 6, explains why not.
pub fn renyi(log_length: f64, n: usize, m: usize, alpha: f64) -> f64 {
    let (m, n, gamma) = (m as f64, n as f64, gamma(alpha, m));
    let log_beta = gamma / 2.0 * (m / (2.0 * PI * E)).ln();
    m / gamma * (log_length - alpha * n.ln() - log_beta)
}

/// The lengths `|e_ij|` for `i` in `vertices` and `j` among the first `k` of its list: a mutual pair counts twice, as
/// in Hero and Costa.
pub fn knn_lengths(vertices: &[usize], lists: &[Vec<usize>], k: usize, distances: &[Vec<f64>]) -> Vec<f64> {
    let mut lengths = Vec::new();
    for &i in vertices {
        for &j in &lists[i][..k] {
            lengths.push(distances[i][j]);
        }
    }
    lengths
}

/// The smallest positive length, which replaces zeros; 1 if none is positive, so that a set of equal points has an
/// entropy (the same for every part, hence a Jensen difference near zero).
pub fn floor(lengths: &[f64]) -> f64 {
    let smallest = lengths.iter().copied().filter(|&e| e > 0.0).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { smallest } else { 1.0 }
}

/// Lengths with every zero raised to `floor`.
pub fn raised(lengths: &[f64], floor: f64) -> Vec<f64> {
    lengths.iter().map(|&e| if e > 0.0 { e } else { floor }).collect()
}

/// Entropy of points from their `k` nearest neighbors, where `m` is the dimension of the points.
///
/// # Panics
/// If there are no points, or fewer than `k` others.
pub fn from_knn(points: &[Vec<f64>], k: usize, alpha: f64) -> f64 {
    let (n, m) = (points.len(), points[0].len());
    let distances = knn::distances(points);
    let everyone: Vec<usize> = (0..n).collect();
    let lengths = knn_lengths(&everyone, &knn::lists(&distances, k), k, &distances);
    renyi(log_length(&raised(&lengths, floor(&lengths)), gamma(alpha, m)), n, m, alpha)
}

/// Entropy of points from their minimum spanning tree, where `m` is the dimension of the points.
///
/// # Panics
/// If there are fewer than two points.
pub fn from_mst(points: &[Vec<f64>], alpha: f64) -> f64 {
    let (n, m) = (points.len(), points[0].len());
    let lengths = mst::lengths(&knn::distances(points));
    renyi(log_length(&raised(&lengths, floor(&lengths)), gamma(alpha, m)), n, m, alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn both_ways_to_add_lengths_agree() {
        let lengths = [0.5, 2.0, 1.5, 0.01];
        for gamma in [0.5, 1.0, 3.0, 20.0] {
            close(log_length(&lengths, gamma), log_length_direct(&lengths, gamma));
        }
        close(log_length(&[1.0, 2.0, 3.0], 1.0), 6_f64.ln());
    }

    #[test]
    fn large_exponents_neither_underflow_nor_overflow() {
        assert!(log_length_direct(&[1e-3; 4], 500.0).is_infinite());
        close(log_length(&[1e-3; 4], 500.0), 500.0 * 1e-3_f64.ln() + 4_f64.ln());
    }

    #[test]
    fn knn_and_mst_of_a_line_in_the_plane() {
        // x = 0, 1, 3, 7; m = 2, alpha = 1/2, gamma = 1, so L is the plain sum of lengths.
        let points = [vec![0.0, 0.0], vec![1.0, 0.0], vec![3.0, 0.0], vec![7.0, 0.0]];
        let log_beta = 0.5 * (1.0 / (PI * E)).ln();
        // k = 1: 1 + 1 + 2 + 4.
        close(from_knn(&points, 1, 0.5), 2.0 * (8_f64.ln() - 0.5 * 4_f64.ln() - log_beta));
        // Tree: 1 + 2 + 4.
        close(from_mst(&points, 0.5), 2.0 * (7_f64.ln() - 0.5 * 4_f64.ln() - log_beta));
    }

    #[test]
    fn scaling_the_points_adds_m_times_the_logarithm() {
        // H(sX) = H(X) + m log s holds for the estimate as well as for the entropy.
        let points = [vec![0.0, 0.0, 1.0], vec![1.0, 0.5, 0.0], vec![3.0, 2.0, 2.0], vec![0.2, 0.1, 0.0]];
        let tripled: Vec<Vec<f64>> = points.iter().map(|p| p.iter().map(|x| 3.0 * x).collect()).collect();
        close(from_knn(&tripled, 2, 0.3), from_knn(&points, 2, 0.3) + 3.0 * 3_f64.ln());
        close(from_mst(&tripled, 0.3), from_mst(&points, 0.3) + 3.0 * 3_f64.ln());
    }

    #[test]
    fn zeros_are_raised() {
        let lengths = [0.0, 0.25, 2.0];
        assert_eq!(raised(&lengths, floor(&lengths)), [0.25, 0.25, 2.0]);
        assert_eq!(raised(&[0.0], floor(&[0.0])), [1.0]);
    }
}
