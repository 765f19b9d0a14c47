//! Calibration: from a score to a p-value.
//!
//! A new sample's score is compared with the scores of nominal samples, each computed as if that nominal sample were
//! not in the training data. If the new sample is exchangeable with them, its rank among them is uniform, so that
//! `P(p <= a) <= a` for any significance level `a`, whatever the distribution (conformal prediction).

/// The leave-one-out scores of nominal samples, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calibration {
    scores: Vec<f64>,
}

impl Calibration {
    /// From scores in any order.
    pub fn new(mut scores: Vec<f64>) -> Self {
        scores.sort_unstable_by(f64::total_cmp);
        Self { scores }
    }

    /// The scores, ascending.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// The p-value of a new sample with this score: `(1 + #{s_i <= s}) / (n + 1)`.
    pub fn p_value(&self, score: f64) -> f64 {
        self.p_value_for_count(self.scores.partition_point(|s| *s <= score))
    }

    /// The p-value of a calibration score among all of them, itself included: `#{s_i <= s} / n`.
    pub fn p_value_of_own(&self, score: f64) -> f64 {
        self.scores.partition_point(|s| *s <= score).max(1) as f64 / self.scores.len() as f64
    }

    /// The p-value at the `share` quantile of the scores.
    pub fn share_of_lowest(&self, share: f64) -> f64 {
        // So that 0.1 * 300 is not rounded below 30.
        self.p_value_for_count((share * self.scores.len() as f64 + 1e-9).floor() as usize)
    }

    /// The p-value of a score that is greater than or equal to `below` of the scores.
    fn p_value_for_count(&self, below: usize) -> f64 {
        (1.0 + below as f64) / (self.scores.len() as f64 + 1.0)
    }

    /// The smallest score whose p-value exceeds `share`; minus infinity if every p-value does.
    pub fn smallest_accepted(&self, share: f64) -> f64 {
        match (0..=self.scores.len()).find(|&below| self.p_value_for_count(below) > share) {
            Some(0) => f64::NEG_INFINITY,
            Some(below) => self.scores[below - 1],
            None => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_match_hand_computation() {
        let scores = Calibration::new(vec![2.0, 1.0, 3.0, 2.0]);
        for (score, want) in [(0.0, 0.2), (1.0, 0.4), (2.0, 0.8), (2.5, 0.8), (9.0, 1.0)] {
            assert!((scores.p_value(score) - want).abs() < 1e-15);
        }
    }

    #[test]
    fn contamination_rejects_that_fraction_of_scores() {
        let scores = Calibration::new((0..300).map(f64::from).collect());
        for (share, count) in [(0.1, 30), (0.05, 15), (1.0 / 3.0, 100), (0.5, 150)] {
            let limit = scores.share_of_lowest(share);
            let rejected = scores.scores().iter().filter(|s| scores.p_value(**s) <= limit).count();
            assert_eq!(rejected, count, "{share}");
        }
    }

    #[test]
    fn smallest_accepted_agrees_with_p_value() {
        let scores = Calibration::new(vec![1.0, 2.0, 2.0, 3.0]);
        for share in [0.1, 0.2, 0.3, 0.4, 0.5, 0.8, 0.9] {
            let smallest = scores.smallest_accepted(share);
            for score in [0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 9.0] {
                assert_eq!(scores.p_value(score) > share, score >= smallest, "{score} at {share}");
            }
        }
        assert!(scores.smallest_accepted(0.1).is_infinite());
    }
}
