//! Gauss: one normal density.

use eocc_core::{Error, Result};

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::linear_algebra::{Cholesky, covariance, mean, mean_diagonal};

/// The Mahalanobis distance to the mean, `score = -(x - m)^T S^-1 (x - m)`.
///
/// `S = (1 - r) C + r t I`, where `C` is the covariance and `t` its mean diagonal, as in `gauss_dd` of `dd_tools`.
#[derive(Debug, Clone, Copy)]
pub struct Gauss {
    /// The weight `r` of the round part; 0.01, as in `gauss_dd`.
    pub regularization: f64,
}

impl Default for Gauss {
    fn default() -> Self {
        Self { regularization: 0.01 }
    }
}

impl Learner for Gauss {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let mean = mean(training.table);
        let mut spread = covariance(training.table, &mean);
        let round = mean_diagonal(&spread);
        if round <= 0.0 {
            return Err(no_spread());
        }
        for v in spread.values_mut() {
            *v *= 1.0 - self.regularization;
        }
        for i in 0..spread.rows() {
            spread.row_mut(i)[i] += self.regularization * round;
        }
        let factor = Cholesky::factorize(&spread)?;
        Ok(Box::new(move |x: &[f64]| -factor.squared_norm(x, &mean)))
    }
}

/// The error if all nominal samples are equal.
pub(crate) fn no_spread() -> Error {
    Error::input("all nominal samples are equal, so there is no spread to learn; add samples that differ")
}
