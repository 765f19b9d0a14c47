//! MPM: the minimax probability machine for one class.

use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::kernel::{gaussian, gaussian_matrix};
use crate::linear_algebra::{Cholesky, dot};

/// The half-space that excludes the origin and contains a sample with the largest probability that mean and
/// covariance allow (G. Lanckriet, L. El Ghaoui, M. Jordan, NIPS 2002), in the space of a Gaussian kernel, in closed
/// form: `score = sum_i g_i k(x_i, x)`, `g = (L^T L + e I)^-1 m`, where `m` is the mean row of the kernel matrix and
/// `L` are the rows minus `m`, divided by `sqrt(n)`. As in `mpm_dd` of `dd_tools`; a positive factor of `g` does not
/// affect the ranking.
#[derive(Debug, Clone, Copy)]
pub struct Mpm {
    /// Width of the kernel `exp(-d^2 / s^2)`; 1, as in `mpm_dd`.
    pub width: f64,
    /// The ridge `e`; 1e-6, as in `mpm_dd`.
    pub ridge: f64,
}

impl Default for Mpm {
    fn default() -> Self {
        Self { width: 1.0, ridge: 1e-6 }
    }
}

impl Learner for Mpm {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let kernel = gaussian_matrix(training.table, self.width);
        let n = kernel.rows();
        let mean: Vec<f64> = (0..n).map(|i| kernel.row(i).iter().sum::<f64>() / n as f64).collect();
        let mut spread = Matrix::zeros(n, n);
        for i in 0..n {
            for j in 0..=i {
                spread.row_mut(i)[j] = dot(kernel.row(i), kernel.row(j)) / n as f64 - mean[i] * mean[j];
            }
            spread.row_mut(i)[i] += self.ridge;
        }
        let mut weights = mean;
        Cholesky::factorize(&spread)?.solve(&mut weights);
        let s = self.width;
        Ok(Box::new(move |row: &[f64]| row.iter().zip(&weights).map(|(d, g)| g * gaussian(*d, s)).sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_samples_weigh_the_same_and_the_weight_is_known() {
        // K = [[1, e], [e, 1]], e = exp(-1); m = (1 + e) / 2 each, and (1, 1) is an eigenvector of L^T L to 0, so
        // g = m / ridge = 1 + e.
        let square = Matrix::new(vec![0.0, 1.0, 1.0, 0.0], 2, 2);
        let mpm = Mpm { ridge: 0.5, ..Mpm::default() };
        let rule = mpm.learn(&TrainingTable { table: &square, features: 1, seed: 0 }).unwrap();
        let g = 1.0 + (-1.0_f64).exp();
        assert!((rule.score(&[0.0, f64::INFINITY]) - g).abs() < 1e-12);
        assert!((rule.score(&[f64::INFINITY, 0.0]) - g).abs() < 1e-12);
    }
}
