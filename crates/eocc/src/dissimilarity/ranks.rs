//! The place of a value among those of the training samples: what scaling by ranks measures.
//!
//! From 0 at the smallest to 1 at the largest, linear in between, the middle of the places where values tie. What lies
//! beyond all training samples is no farther than the last of them.

use serde::{Deserialize, Serialize};

/// Most values kept of a feature; of more, so many evenly spaced.
const MOST: usize = 1001;

/// The values of the training samples, feature by feature.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ranks {
    /// Ascending.
    values: Vec<Vec<f64>>,
}

impl Ranks {
    pub(super) fn of(samples: &[&[f64]]) -> Self {
        let features = samples.first().map_or(0, |s| s.len());
        let column = |f: usize| {
            let mut all: Vec<f64> = samples.iter().map(|s| s[f]).collect();
            all.sort_unstable_by(f64::total_cmp);
            let (n, count) = (all.len(), all.len().min(MOST));
            // The first and the last are among them.
            (0..count).map(|i| all[if count == 1 { 0 } else { i * (n - 1) / (count - 1) }]).collect()
        };
        Self { values: (0..features).map(column).collect() }
    }

    /// The place of `x` among the values of feature `f`.
    pub(super) fn place(&self, f: usize, x: f64) -> f64 {
        let values = &self.values[f];
        let last = values.len() - 1;
        let (below, within) = (values.partition_point(|v| *v < x), values.partition_point(|v| *v <= x));
        let at = if below < within {
            // Ties: the middle of their places.
            (below + within - 1) as f64 / 2.0
        } else if below == 0 {
            0.0
        } else if below > last {
            last as f64
        } else {
            // Halved, so that the differences do not overflow.
            let (low, high) = (values[below - 1] / 2.0, values[below] / 2.0);
            (below - 1) as f64 + (x / 2.0 - low) / (high - low)
        };
        at / last.max(1) as f64
    }

    /// Whether it holds values, ascending, for so many features.
    pub(super) fn is_sound(&self, features: usize) -> bool {
        let is_column = |v: &Vec<f64>| !v.is_empty() && v.iter().all(|x| x.is_finite()) && v.is_sorted();
        self.values.len() == features && self.values.iter().all(is_column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn of(values: &[f64]) -> Ranks {
        Ranks::of(&values.iter().map(std::slice::from_ref).collect::<Vec<_>>())
    }

    #[test]
    fn places_by_hand() {
        let ranks = of(&[5.0, 1.0, 2.0, 2.0, 2.0]);
        let places = [0.0, 1.0, 1.5, 2.0, 3.5, 5.0, 9.0].map(|x| ranks.place(0, x));
        assert_eq!(places.to_vec(), [0.0, 0.0, 0.125, 0.5, 0.875, 1.0, 1.0]);
        let constant = of(&[3.0; 4]);
        assert_eq!([2.0, 3.0, 4.0].map(|x| constant.place(0, x)).to_vec(), [0.0, 0.5, 1.0]);
        let huge = of(&[-1e308, 1e308]);
        assert!((huge.place(0, 0.0) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn places_rise_and_few_values_stand_for_many() {
        let mut r = Random::new(2);
        let values: Vec<f64> =
            (0..5000).map(|_| (4.0 * r.normal()).round() / 4.0 + 1e-3 * r.uniform()).collect();
        let ranks = of(&values);
        assert!(ranks.is_sound(1) && !ranks.is_sound(2));
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let places: Vec<f64> = sorted.iter().map(|x| ranks.place(0, *x)).collect();
        assert!(places.is_sorted());
        // The plain twin: the share of all values below.
        for (i, place) in places.iter().enumerate() {
            assert!((place - i as f64 / 4999.0).abs() < 2.5e-3, "{i}: {place}");
        }
    }
}
