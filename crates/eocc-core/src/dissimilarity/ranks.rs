//! Scaling by ranks: the rank of a value among those of the training samples, as a normal score.
//!
//! The value with `a` of `n` below it becomes `Phi^-1((a + 1/2) / n)` (van der Waerden), interpolated linearly in the
//! ranks; tied values get their mid-rank. Whatever a feature's distribution, its scores are nearly Gaussian. Beyond
//! all training samples they continue in units of the feature's robust spread: by ranks alone, nothing would be
//! farther out than the last nominal.

use serde::{Deserialize, Serialize};

use super::Scaling;
use crate::stats::normal_quantile;

/// Maximum number of values stored per feature; evenly spaced if there are more.
const MAX_KNOTS: usize = 1001;
/// Scores are clamped to this: no measure could distinguish larger ones, and squares do not overflow.
const MAX_VALUE: f64 = 1e150;

/// The learned values of each feature.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ranks {
    features: Vec<Feature>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Feature {
    /// Values of the training samples, ascending.
    values: Vec<f64>,
    /// The unit beyond them.
    spread: f64,
}

impl Feature {
    fn from_values(mut values: Vec<f64>) -> Self {
        // Sorts them too.
        let spread = Scaling::Robust.spread(&mut values);
        let n = values.len();
        if n > MAX_KNOTS {
            // Includes the first and the last.
            values = (0..MAX_KNOTS).map(|i| values[i * (n - 1) / (MAX_KNOTS - 1)]).collect();
        }
        Self { values, spread }
    }

    /// The rank of `x`: how many values are below it, at most one less than there are.
    fn mid_rank(&self, x: f64) -> f64 {
        let values = &self.values;
        let (below, within) = (values.partition_point(|v| *v < x), values.partition_point(|v| *v <= x));
        if below < within {
            // Ties: their mid-rank.
            (below + within - 1) as f64 / 2.0
        } else if below == 0 {
            0.0
        } else if below == values.len() {
            (below - 1) as f64
        } else {
            // Halved, so that the differences do not overflow.
            let (low, high) = (values[below - 1] / 2.0, values[below] / 2.0);
            (below - 1) as f64 + (x / 2.0 - low) / (high - low)
        }
    }

    fn score(&self, x: f64) -> f64 {
        let (first, last) = (self.values[0], self.values[self.values.len() - 1]);
        let beyond = (x - last).max(0.0) / self.spread - (first - x).max(0.0) / self.spread;
        let score = normal_quantile((self.mid_rank(x) + 0.5) / self.values.len() as f64);
        (score + beyond).clamp(-MAX_VALUE, MAX_VALUE)
    }

    fn is_sound(&self) -> bool {
        !self.values.is_empty()
            && self.values.iter().all(|x| x.is_finite())
            && self.values.is_sorted()
            && self.spread > 0.0
            && self.spread.is_normal()
    }
}

impl Ranks {
    pub(super) fn from_samples(samples: &[&[f64]]) -> Self {
        let features = samples.first().map_or(0, |s| s.len());
        Self {
            features: (0..features)
                .map(|f| Feature::from_values(samples.iter().map(|s| s[f]).collect()))
                .collect(),
        }
    }

    /// The score of `x` in feature `f`.
    pub(super) fn score(&self, f: usize, x: f64) -> f64 {
        self.features[f].score(x)
    }

    /// Whether it holds plausible values for this many features.
    pub(super) fn is_sound(&self, features: usize) -> bool {
        self.features.len() == features && self.features.iter().all(Feature::is_sound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn places_match_hand_computation() {
        let some = Feature::from_values(vec![5.0, 1.0, 2.0, 2.0, 2.0]);
        let places = [0.0, 1.0, 1.5, 2.0, 3.5, 5.0, 9.0].map(|x| some.mid_rank(x));
        assert_eq!(places.to_vec(), [0.0, 0.0, 0.5, 2.0, 3.5, 4.0, 4.0]);
        let constant = Feature::from_values(vec![3.0; 4]);
        assert_eq!([2.0, 3.0, 4.0].map(|x| constant.mid_rank(x)).to_vec(), [0.0, 1.5, 3.0]);
        assert!((Feature::from_values(vec![-1e308, 1e308, 1e308]).mid_rank(0.0) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn scores_match_hand_computation() {
        let some = Feature::from_values(vec![1.0, 2.0, 3.0]);
        // The quantiles at 1/6, 1/2 and 5/6; beyond them a spread is 1 / 1.349.
        let last = normal_quantile(2.5 / 3.0);
        let want = [-last - 1.349, -last, 0.0, last, last + 2.0 * 1.349];
        for (x, want) in [0.0, 1.0, 2.0, 3.0, 5.0].into_iter().zip(want) {
            assert!((some.score(x) - want).abs() < 1e-12, "{x}: {} and not {want}", some.score(x));
        }
        let far = Feature::from_values(vec![-1e308, -1e308, -1e308]).score(1e308);
        assert!(far.is_finite() && far > 1.0);
    }

    #[test]
    fn scores_rise_and_few_values_stand_for_many() {
        let mut r = Random::new(2);
        let values: Vec<f64> = (0..5000).map(|_| (4.0 * r.normal()).exp() + 1e-3 * r.uniform()).collect();
        let some = Feature::from_values(values.clone());
        assert!(some.is_sound() && some.values.len() == MAX_KNOTS);
        let mut sorted = values;
        sorted.sort_unstable_by(f64::total_cmp);
        let scores: Vec<f64> = sorted.iter().map(|x| some.score(*x)).collect();
        assert!(scores.is_sorted());
        // The slow twin: the score of the rank among all of them.
        for (i, score) in scores.iter().enumerate().skip(50).take(4900) {
            let twin = normal_quantile((i as f64 + 0.5) / 5000.0);
            assert!((score - twin).abs() < 0.03, "{i}: {score} and not {twin}");
        }
    }
}
