//! Closeness centrality, and the differences to its largest value.

/// `chi(v) = sum_{u != v} 2^(-d(v, u))` `[LA17, eq. 8]`; an unreachable `u` adds nothing, since `2^(-inf) = 0`.
pub fn closeness(distances: &[Vec<f64>]) -> Vec<f64> {
    let mut chi = vec![0.0; distances.len()];
    for (v, row) in distances.iter().enumerate() {
        for (u, d) in row.iter().enumerate() {
            if u != v {
                chi[v] += (-d).exp2();
            }
        }
    }
    chi
}

/// `chi* = max_v chi(v)`.
pub fn largest(chi: &[f64]) -> f64 {
    chi.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// `diff(v) = chi* - chi(v)` `[LA17, eq. 9]`.
pub fn differences(chi: &[f64]) -> Vec<f64> {
    let chi_star = largest(chi);
    chi.iter().map(|c| chi_star - c).collect()
}

/// `mu = exp(-diff^2 / (2 t^2))` `[LA17, eq. 11]`; for `t = 0`, 1 if `diff = 0`, else 0.
pub fn membership(diff: f64, t: f64) -> f64 {
    if t > 0.0 {
        return (-(diff * diff) / (2.0 * t * t)).exp();
    }
    if diff.abs() > 0.0 { 0.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::floyd_warshall;

    #[test]
    fn closeness_of_a_path() {
        // 0 - 1 - 2 with unit weights: ends 1/2 + 1/4, middle 1/2 + 1/2.
        let graph = vec![vec![(1, 1.0)], vec![(0, 1.0), (2, 1.0)], vec![(1, 1.0)]];
        let chi = closeness(&floyd_warshall(&graph));
        assert_eq!(chi, [0.75, 1.0, 0.75]);
        assert_eq!(differences(&chi), [0.25, 0.0, 0.25]);
    }

    #[test]
    fn closeness_of_a_star() {
        // Center 0, three leaves at distance 2: center 3/4, leaf 1/4 + 2/16.
        let graph = vec![vec![(1, 2.0), (2, 2.0), (3, 2.0)], vec![(0, 2.0)], vec![(0, 2.0)], vec![(0, 2.0)]];
        assert_eq!(closeness(&floyd_warshall(&graph)), [0.75, 0.375, 0.375, 0.375]);
    }

    #[test]
    fn the_unreachable_add_nothing_and_duplicates_add_one() {
        let graph = vec![vec![(1, 0.0)], vec![(0, 0.0)], vec![]];
        assert_eq!(closeness(&floyd_warshall(&graph)), [1.0, 1.0, 0.0]);
    }

    #[test]
    fn membership_matches_hand_computation() {
        assert!((membership(2.0, 2.0) - (-0.5_f64).exp()).abs() < 1e-15);
        assert!((membership(0.0, 2.0) - 1.0).abs() < 1e-15);
        assert!((membership(0.0, 0.0) - 1.0).abs() < 1e-15);
        assert!(membership(0.1, 0.0).abs() < 1e-15);
    }
}
