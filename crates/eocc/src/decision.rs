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
}
