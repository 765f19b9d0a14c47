//! k-NN mean: the mean distance to the nearest few samples.

use eocc_core::Result;
use eocc_core::knn::nearest;

use crate::classifier::{Learner, Rule, TrainingTable};

/// `score = -mean of d(x, y)` over the `k` nearest nominal samples `y`, the plain baseline of anomaly detection.
#[derive(Debug, Clone, Copy)]
pub struct KNnMean {
    /// Number of neighbors; 5, as the default of scikit-learn's `NearestNeighbors`.
    pub neighbors: usize,
}

impl Default for KNnMean {
    fn default() -> Self {
        Self { neighbors: 5 }
    }
}

impl Learner for KNnMean {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        let k = self.neighbors.min(training.table.rows());
        Ok(Box::new(move |row: &[f64]| -nearest(row, k, None).iter().map(|(_, d)| d).sum::<f64>() / k as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_core::Matrix;

    #[test]
    fn matches_hand_computation() {
        let square = Matrix::zeros(3, 3);
        let training = TrainingTable { table: &square, features: 1, seed: 0 };
        let rule = KNnMean { neighbors: 2 }.learn(&training).unwrap();
        assert!((rule.score(&[5.0, 4.0, 3.0]) + 3.5).abs() < 1e-15);
        let rule = KNnMean::default().learn(&training).unwrap();
        assert!((rule.score(&[5.0, 4.0, 3.0]) + 4.0).abs() < 1e-15);
    }
}
