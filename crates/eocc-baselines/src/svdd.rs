//! SVDD: support vector data description.

use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::kernel::{gaussian, gaussian_matrix};

/// The smallest sphere around the nominal samples in the space of a Gaussian kernel, `score = sum_i a_i k(x_i, x)`, which
/// falls with the distance from its center: `svdd` of `dd_tools` (D. Tax, R. Duin, Machine Learning 54, 2004).
///
/// `a` minimizes `a^T K a` with `sum a_i = 1` and `0 <= a_i <= 1 / (n r)`; for a kernel with `k(x, x) = 1` this is
/// the one-class support vector machine with `nu = r`. Solved by sequential minimal optimization on the most
/// promising pair.
#[derive(Debug, Clone, Copy)]
pub struct Svdd {
    /// Fraction of the nominals that may lie outside; 0.1, as in `svdd`.
    pub reject: f64,
    /// Width of the kernel `exp(-d^2 / s^2)`; 5, as in `svdd`.
    pub width: f64,
}

impl Default for Svdd {
    fn default() -> Self {
        Self { reject: 0.1, width: 5.0 }
    }
}

/// Maximum difference of the gradient between the two ends of a possible step, relative to the kernel's 1.
const TOLERANCE: f64 = 1e-9;

impl Learner for Svdd {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let weights = minimize(&gaussian_matrix(training.table, self.width), self.reject);
        let s = self.width;
        Ok(Box::new(move |row: &[f64]| {
            row.iter().zip(&weights).filter(|(_, a)| **a > 0.0).map(|(d, a)| a * gaussian(*d, s)).sum()
        }))
    }
}

/// The `a` that minimizes `a^T K a`.
fn minimize(kernel: &Matrix, reject: f64) -> Vec<f64> {
    let n = kernel.rows();
    let most = 1.0 / (n as f64 * reject).clamp(1.0, n as f64);
    // The first few at the bound, as in LIBSVM.
    let mut a = vec![0.0; n];
    let mut left = 1.0_f64;
    for v in &mut a {
        *v = left.min(most);
        left -= *v;
    }
    let mut gradient = vec![0.0; n];
    for (i, v) in a.iter().enumerate().filter(|(_, v)| **v > 0.0) {
        for (g, k) in gradient.iter_mut().zip(kernel.row(i)) {
            *g += v * k;
        }
    }
    // Each step moves weight from `down` to `up`; the limit is never reached in practice.
    for _ in 0..1000 * n {
        let Some(up) = (0..n).filter(|&i| a[i] < most).min_by(|&i, &j| gradient[i].total_cmp(&gradient[j]))
        else {
            break;
        };
        let row = kernel.row(up);
        let curvature = |j: usize| (row[up] + kernel.row(j)[j] - 2.0 * row[j]).max(1e-12);
        let gain = |j: usize| (gradient[j] - gradient[up]).powi(2) / curvature(j);
        let worse = |j: &usize| a[*j] > 0.0 && gradient[*j] - gradient[up] > TOLERANCE;
        let Some(down) = (0..n).filter(worse).max_by(|&i, &j| gain(i).total_cmp(&gain(j)).then(j.cmp(&i)))
        else {
            break;
        };
        let step = ((gradient[down] - gradient[up]) / curvature(down)).min(a[down]).min(most - a[up]);
        // Set, not subtracted, at the ends: rounding must not leave a remainder.
        a[down] = if step >= a[down] { 0.0 } else { a[down] - step };
        a[up] = if step >= most - a[up] { most } else { a[up] + step };
        for ((g, u), d) in gradient.iter_mut().zip(row).zip(kernel.row(down)) {
            *g += step * (u - d);
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_samples_share_and_the_optimum_is_flat() {
        let square = Matrix::new(vec![0.0, 1.0, 1.0, 0.0], 2, 2);
        let a = minimize(&gaussian_matrix(&square, 1.0), 0.1);
        assert!((a[0] - 0.5).abs() < 1e-9 && (a[1] - 0.5).abs() < 1e-9);
        // Three on a line, kernel k(1) = e^-1, k(2) = e^-4: by symmetry a = (p, 1 - 2p, p), and the derivative of
        // 2 p^2 (1 + e^-4) + (1 - 2p)^2 + 4 p (1 - 2p) e^-1 vanishes at p = (1 - e^-1) / (3 + e^-4 - 4 e^-1).
        let at = [0.0, 1.0, 2.0_f64];
        let square = Matrix::new(at.iter().flat_map(|x| at.map(|y| (x - y).abs())).collect(), 3, 3);
        let a = minimize(&gaussian_matrix(&square, 1.0), 1.0 / 3.0);
        let (e1, e4) = ((-1.0_f64).exp(), (-4.0_f64).exp());
        let p = (1.0 - e1) / (3.0 + e4 - 4.0 * e1);
        assert!((a[0] - p).abs() < 1e-7 && (a[2] - p).abs() < 1e-7, "{a:?} {p}");
    }
}
