//! PCA: the distance to the principal subspace.

use eocc_core::linear::symmetric_eigen;
use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::gauss::no_spread;
use crate::linear_algebra::{covariance, dot, mean};

/// The squared distance to the subspace of the first principal components, `score = -(|y|^2 - |W y|^2)`, `y = x - mean`:
/// `pca_dd` of `dd_tools`.
#[derive(Debug, Clone, Copy)]
pub struct Pca {
    /// As many components as explain this fraction of the variance; 0.9, as in `pca_dd`.
    pub share: f64,
}

impl Default for Pca {
    fn default() -> Self {
        Self { share: 0.9 }
    }
}

impl Learner for Pca {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let mean = mean(training.table);
        let components = self.components(&covariance(training.table, &mean))?;
        Ok(Box::new(move |x: &[f64]| {
            let mut y: Vec<f64> = x.iter().zip(&mean).map(|(x, m)| x - m).collect();
            for i in 0..components.rows() {
                let along = dot(components.row(i), &y);
                for (v, c) in y.iter_mut().zip(components.row(i)) {
                    *v -= along * c;
                }
            }
            -dot(&y, &y)
        }))
    }
}

impl Pca {
    fn components(self, covariance: &Matrix) -> Result<Matrix> {
        let (values, vectors) = symmetric_eigen(covariance.clone());
        let total: f64 = values.iter().sum();
        if total <= 0.0 {
            return Err(no_spread());
        }
        let mut sum = 0.0;
        let below = values.iter().take_while(|v| {
            sum += **v;
            sum < self.share * total
        });
        let count = (below.count() + 1).min(values.len());
        Ok(vectors.select_rows(&(0..count).collect::<Vec<_>>()))
    }
}
