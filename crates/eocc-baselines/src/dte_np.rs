//! DTE-NP: diffusion time, estimated without a network.

use eocc_core::Result;
use eocc_core::knn::nearest;

use crate::classifier::{Learner, Rule, TrainingTable};

/// `score = -mean of d(x, y)^2` over the `k` nearest nominal samples `y`: the non-parametric estimate of how long a
/// diffusion must have run to carry a nominal sample to `x` (V. Livernoche et al., "On diffusion modeling for anomaly
/// detection", ICLR 2024).
#[derive(Debug, Clone, Copy)]
pub struct DteNp {
    /// Number of neighbors; 5, as in the paper.
    pub neighbors: usize,
}

impl Default for DteNp {
    fn default() -> Self {
        Self { neighbors: 5 }
    }
}

impl Learner for DteNp {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        let k = self.neighbors.min(training.table.rows());
        Ok(Box::new(move |row: &[f64]| {
            -nearest(row, k, None).iter().map(|(_, d)| d * d).sum::<f64>() / k as f64
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_core::Matrix;

    #[test]
    fn matches_hand_computation() {
        let square = Matrix::zeros(3, 3);
        let rule =
            DteNp { neighbors: 2 }.learn(&TrainingTable { table: &square, features: 1, seed: 0 }).unwrap();
        assert!((rule.score(&[5.0, 4.0, 3.0]) + 12.5).abs() < 1e-15);
    }
}
