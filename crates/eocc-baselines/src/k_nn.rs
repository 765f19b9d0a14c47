//! k-NN: the distance to the k-th neighbor, with k chosen by leaving one out.

use eocc_core::knn::nearest;
use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};

/// `score = -d_k(x)`, the distance to the `k`-th nearest nominal sample: `knndd` of `dd_tools` with its default method
/// and its choice of `k`.
///
/// `k` maximizes the leave-one-out log-likelihood `sum_i log(k / d_k(i)^q)` of the nearest-neighbor density in `q`
/// dimensions. In most sets that is 1.
#[derive(Debug, Clone, Copy, Default)]
pub struct KNn {
    /// The number of neighbors; by default chosen in training.
    pub neighbors: Option<usize>,
}

/// A volume of zero counts as this, as in `knn_optk`.
const MIN_VOLUME: f64 = 1e-20;

impl Learner for KNn {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let k = self.neighbors.unwrap_or_else(|| best_neighbors(training.table, training.dimension()));
        let k = k.min(training.table.rows());
        Ok(Box::new(move |row: &[f64]| -nearest(row, k, None)[k - 1].1))
    }
}

fn best_neighbors(square: &Matrix, q: f64) -> usize {
    let n = square.rows();
    let mut likelihood: Vec<f64> = (1..n).map(|k| n as f64 * (k as f64).ln()).collect();
    for i in 0..n {
        for (l, (_, d)) in likelihood.iter_mut().zip(nearest(square.row(i), n - 1, Some(i))) {
            *l -= (q * d.ln()).max(MIN_VOLUME.ln());
        }
    }
    (1..likelihood.len()).fold(0, |best, k| if likelihood[k] > likelihood[best] { k } else { best }) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::line;

    #[test]
    fn neighbors_match_hand_computation() {
        // On 0, 1, 2: the distances to the first neighbors are 1, 1, 1, to the second 2, 1, 2. In one dimension the
        // likelihoods are 3 log 1 - 0 = 0 and 3 log 2 - 2 log 2 > 0; in two, 0 and 3 log 2 - 4 log 2 < 0.
        assert_eq!(best_neighbors(&line(&[0.0, 1.0, 2.0]), 1.0), 2);
        assert_eq!(best_neighbors(&line(&[0.0, 1.0, 2.0]), 2.0), 1);
    }

    #[test]
    fn the_distance_is_that_to_the_kth() {
        let square = line(&[0.0, 1.0, 2.0]);
        let training = TrainingTable { table: &square, features: 1, seed: 0 };
        let rule = KNn { neighbors: Some(2) }.learn(&training).unwrap();
        assert!((rule.score(&[5.0, 4.0, 3.0]) + 4.0).abs() < 1e-15);
    }
}
