//! k-NN mean: the mean distance to the nearest few.

use eocc::Result;
use eocc::knn::nearest;

use crate::classifier::{Given, Learner, Rule};

/// `score = -mean of d(x, y)` over the `k` nearest nominal samples `y`, the plain baseline of anomaly detection.
#[derive(Debug, Clone, Copy)]
pub struct KNnMean {
    /// Number of neighbours; 5, as the default of scikit-learn's `NearestNeighbors`.
    pub neighbors: usize,
}

impl Default for KNnMean {
    fn default() -> Self {
        Self { neighbors: 5 }
    }
}

impl Learner for KNnMean {
    fn learn(&self, given: &Given<'_>) -> Result<Box<dyn Rule>> {
        let k = self.neighbors.min(given.table.rows());
        Ok(Box::new(move |row: &[f64]| -nearest(row, k, None).iter().map(|(_, d)| d).sum::<f64>() / k as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc::Matrix;

    #[test]
    fn by_hand() {
        let square = Matrix::zeros(3, 3);
        let given = Given { table: &square, features: 1, seed: 0 };
        let rule = KNnMean { neighbors: 2 }.learn(&given).unwrap();
        assert!((rule.score(&[5.0, 4.0, 3.0]) + 3.5).abs() < 1e-15);
        let rule = KNnMean::default().learn(&given).unwrap();
        assert!((rule.score(&[5.0, 4.0, 3.0]) + 4.0).abs() < 1e-15);
    }
}
