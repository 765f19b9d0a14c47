//! The answer for one sample.

/// Whether a sample belongs, how surely, and to which region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// Larger is more nominal; never saturates, and does not depend on what else is scored.
    pub score: f64,
    /// Degree of membership in [0, 1].
    pub membership: f64,
    /// The hard answer.
    pub accepted: bool,
    /// The region that claims the sample.
    pub region: usize,
    /// Share of nominal samples expected to score no higher: small means unlike the nominals.
    pub p_value: f64,
}

/// The p-value of `score` among the sorted leave-one-out scores of the training samples:
/// `(1 + #{s_i <= s}) / (n + 1)`.
pub fn p_value(sorted: &[f64], score: f64) -> f64 {
    let below = sorted.partition_point(|s| *s <= score);
    (1.0 + below as f64) / (sorted.len() as f64 + 1.0)
}

/// The smallest score whose p-value exceeds `share`; minus infinity if every score's does.
pub fn smallest_accepted(sorted: &[f64], share: f64) -> f64 {
    let n = sorted.len();
    // By the formula of the p-value itself, so that both round alike.
    let exceeds = |below: usize| (1.0 + below as f64) / (n as f64 + 1.0) > share;
    match (0..=n).find(|&below| exceeds(below)) {
        Some(0) => f64::NEG_INFINITY,
        Some(below) => sorted[below - 1],
        None => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_by_hand() {
        let scores = [1.0, 2.0, 2.0, 3.0];
        for (score, want) in [(0.0, 0.2), (1.0, 0.4), (2.0, 0.8), (2.5, 0.8), (9.0, 1.0)] {
            assert!((p_value(&scores, score) - want).abs() < 1e-15);
        }
    }

    #[test]
    fn the_smallest_accepted_score_is_where_the_p_value_exceeds_the_share() {
        let scores = [1.0, 2.0, 2.0, 3.0];
        for share in [0.1, 0.2, 0.3, 0.4, 0.5, 0.8, 0.9] {
            let smallest = smallest_accepted(&scores, share);
            for score in [0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 9.0] {
                assert_eq!(p_value(&scores, score) > share, score >= smallest, "{score} at {share}");
            }
        }
        assert!(smallest_accepted(&scores, 0.1).is_infinite());
    }
}
