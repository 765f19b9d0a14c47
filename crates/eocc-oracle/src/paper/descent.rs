//! Steps 3 to 9: the greedy descent over `k` `[LA17, algorithm 1]`.

use crate::components::components;
use crate::entropy::{floor, gamma, knn_lengths, log_length, raised, renyi};
use crate::{graph, jensen, knn};

/// The result of the descent.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The number of neighbors `k*`.
    pub k: usize,
    /// The components of `G_{k*}`.
    pub components: Vec<Vec<usize>>,
    /// `dH(k*)`.
    pub jensen: f64,
    /// `eta(k*)`.
    pub eta: f64,
    /// `(k, dH, eta)` for every `k` tried, in order.
    pub trace: Vec<(usize, f64, f64)>,
}

/// `K = floor(sqrt(n))`, but small enough that lists of `K + 1` do not exceed the `n - 1` other points.
///
/// # Panics
/// If there are fewer than three points.
pub fn largest_k(n: usize) -> usize {
    assert!(n >= 3, "there are {n} samples, but at least 3 are needed");
    n.isqrt().min(n - 2)
}

/// `k = K, K - 1, …, 1`; at the first `k` with `eta(k) > eta(k + 1)` stops and returns `k + 1`, otherwise returns `k
/// = 1`.
///
/// `m` is the dimension of the embedding in which the `distances` were measured.
///
/// # Panics
/// If there are fewer than three points.
pub fn descend(distances: &[Vec<f64>], m: usize, alpha: f64) -> Kept {
    let top = largest_k(distances.len());
    let lists = knn::lists(distances, top + 1);
    let mut kept = step(distances, &lists, top, m, alpha);
    for k in (1..top).rev() {
        let next = step(distances, &lists, k, m, alpha);
        kept.trace.push((k, next.jensen, next.eta));
        if next.eta > kept.eta {
            break;
        }
        kept = Kept { trace: kept.trace, ..next };
    }
    kept
}

/// Steps 4 to 8 for one `k`.
fn step(distances: &[Vec<f64>], lists: &[Vec<usize>], k: usize, m: usize, alpha: f64) -> Kept {
    let everyone: Vec<usize> = (0..distances.len()).collect();
    // All lists have K + 1 entries: the replacement of zero lengths is the same for every k.
    let floor = floor(&knn_lengths(&everyone, lists, lists[0].len(), distances));
    let entropy = |vertices: &[usize], k: usize| {
        let lengths = raised(&knn_lengths(vertices, lists, k, distances), floor);
        renyi(log_length(&lengths, gamma(alpha, m)), vertices.len(), m, alpha)
    };

    let components = components(&graph::undirected(lists, k, distances));
    let whole = entropy(&everyone, k + 1);
    let parts: Vec<(usize, f64)> =
        components.iter().map(|component| (component.len(), entropy(component, k))).collect();
    let jensen = jensen::difference(whole, &parts);
    let eta = jensen::objective(jensen);
    Kept { k, components, jensen, eta, trace: vec![(k, jensen, eta)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_k_leaves_room_for_one_more() {
        assert_eq!([3, 4, 5, 8, 9, 10, 150].map(largest_k), [1, 2, 2, 2, 3, 3, 12]);
        for n in 3..50 {
            assert!(largest_k(n) < n - 1);
        }
    }

    #[test]
    fn two_pairs_match_hand_computation() {
        // 0, 1, 10, 12 on a line, not divided: m = 2, alpha = 1/2, gamma = 1, m / gamma = 2; K = 2.
        let distances = knn::distances(&[vec![0.0], vec![1.0], vec![10.0], vec![12.0]]);
        let kept = descend(&distances, 2, 0.5);
        // Lists of 1: lengths 1, 1, 2, 2. Of 2: + 10, 9, 9, 11. Of 3: + 12, 11, 10, 12.
        let (l2, l3) = (45_f64, 90_f64);
        // k = 2: 0-1, 0-10, 1-10, 10-12, 1-12: one component of four.
        let two = 2.0 * (l3 / l2).ln();
        // k = 1: {0, 1} with L = 2 and {10, 12} with L = 4; log beta cancels.
        let whole = 2.0 * (l2.ln() - 0.5 * 4_f64.ln());
        let parts = 2.0 * (0.5 * 2_f64.ln() + 0.5 * 4_f64.ln() - 0.5 * 2_f64.ln());
        let one = whole - parts;
        assert_eq!(kept.trace.len(), 2);
        assert!((kept.trace[0].1 - two).abs() < 1e-12 && (kept.trace[1].1 - one).abs() < 1e-12);
        assert!((kept.trace[1].2 - 1.0 / (1.0 + one)).abs() < 1e-12);
        assert!(one > two);
        assert_eq!(kept.k, 1);
        assert_eq!(kept.components, [[0, 1], [2, 3]]);
    }

    #[test]
    fn a_rejected_step_is_in_the_trace_but_not_kept() {
        // Nine points evenly spaced, K = 3: the objective rises before k = 1.
        let points: Vec<Vec<f64>> = (0..9).map(|i| vec![f64::from(i)]).collect();
        let kept = descend(&knn::distances(&points), 9, 0.5);
        let (last, before) = (kept.trace[kept.trace.len() - 1], kept.trace[kept.trace.len() - 2]);
        assert!(last.2 > before.2, "{:?}", kept.trace);
        assert_eq!((kept.k, kept.eta.to_bits()), (before.0, before.2.to_bits()));
    }

    #[test]
    fn equal_points_have_no_difference_to_speak_of() {
        let kept = descend(&vec![vec![0.0; 5]; 5], 5, 0.5);
        assert!(kept.jensen.is_finite() && kept.eta <= 1.0);
    }
}
