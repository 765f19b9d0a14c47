//! Parzen: a kernel density over all samples, with its width chosen by leaving one out.

use eocc_core::stats::log_sum_exp;
use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};

/// The logarithm of a density of Gaussian kernels, `score = log mean_i exp(-d(x, x_i)^2 / (2 h^2)) - q log h`, with the
/// width `h` that maximizes the leave-one-out likelihood: `parzen_dd` of `dd_tools` with `parzenml` of `PRTools`.
///
/// `q` is the number of features, or an estimate of the dimension if there are only dissimilarities.
#[derive(Debug, Clone, Copy, Default)]
pub struct Parzen {
    /// The width; by default chosen in training.
    pub width: Option<f64>,
}

/// The width if every sample has a twin, as in `nparzen_dd`: the likelihood has no maximum then.
pub(crate) const NO_WIDTH: f64 = 1e-12;

impl Learner for Parzen {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let (n, q) = (training.table.rows() as f64, training.dimension());
        let h = self.width.unwrap_or_else(|| width_of(training.table, q));
        let constant = n.ln() + q * (h * std::f64::consts::TAU.sqrt()).ln();
        let scale = -0.5 / (h * h);
        Ok(Box::new(move |row: &[f64]| log_sum_exp(row.iter().map(|d| scale * d * d)) - constant))
    }
}

/// The width for samples with these dissimilarities in `q` dimensions.
fn width_of(square: &Matrix, q: f64) -> f64 {
    best_width(&vec![1.0; square.rows()], q, |i, row| {
        row.iter_mut().zip(square.row(i)).for_each(|(o, d)| *o = d * d);
    })
}

/// The `h` that maximizes `sum_i log sum_{j != i} exp(-d_ij^2 / (2 h^2)) - n q log h`, where `squares(i, row)` gives
/// `d_ij^2` for all `j`, and `counts` the multiplicity of each sample.
///
/// At the maximum `h^2 = mean over i of sum_j w_ij d_ij^2 / q`, where `w_ij` is the share of `j` in the density at
/// `i`. Iterating this is expectation maximization: every step increases the likelihood.
pub(crate) fn best_width(counts: &[f64], q: f64, squares: impl Fn(usize, &mut [f64])) -> f64 {
    let n = counts.len();
    let total: f64 = counts.iter().sum();
    let mut row = vec![0.0; n];
    let mut nearest = vec![0.0; n];
    // A sample is not its own neighbor, but its twins are.
    let is_alone = |i: usize| counts[i] < 1.5;
    for (i, e) in nearest.iter_mut().enumerate().filter(|(i, _)| is_alone(*i)) {
        squares(i, &mut row);
        row[i] = f64::INFINITY;
        *e = row.iter().copied().fold(f64::INFINITY, f64::min);
    }
    let mut h2 = nearest.iter().copied().fold(0.0, f64::max);
    if h2 <= 0.0 || !h2.is_finite() {
        return NO_WIDTH;
    }
    for _ in 0..200 {
        let scale = -0.5 / h2;
        let mut sum = 0.0;
        for i in 0..n {
            squares(i, &mut row);
            let (mut density, mut weighted) = (0.0, 0.0);
            for (j, (d2, count)) in row.iter().zip(counts).enumerate() {
                // Relative to the nearest, and without excluded samples.
                let y = scale * (d2 - nearest[i]);
                if y > -40.0 {
                    let weight = if i == j { count - 1.0 } else { *count };
                    let p = weight * y.exp();
                    density += p;
                    weighted += p * d2;
                }
            }
            sum += counts[i] * weighted / density;
        }
        let next = sum / (total * q);
        let settled = (next / h2 - 1.0).abs() < 1e-4;
        h2 = next.max(NO_WIDTH * NO_WIDTH);
        if settled {
            break;
        }
    }
    h2.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_samples_have_a_closed_form() {
        // -d^2 / (2 h^2) - q log h is largest at h = d / sqrt(q).
        let square = Matrix::new(vec![0.0, 3.0, 3.0, 0.0], 2, 2);
        assert!((width_of(&square, 1.0) - 3.0).abs() < 1e-3);
        assert!((width_of(&square, 4.0) - 1.5).abs() < 1e-3);
        let twins = Matrix::zeros(2, 2);
        assert!((width_of(&twins, 1.0) - NO_WIDTH).abs() < 1e-20);
    }

    #[test]
    fn counts_stand_for_twins() {
        let line = |at: &[f64]| {
            let n = at.len();
            Matrix::new(at.iter().flat_map(|a| at.iter().map(move |b| (a - b).abs())).collect(), n, n)
        };
        let apart = width_of(&line(&[0.0, 0.0, 1.0, 1.0, 1.0, 2.5]), 1.0);
        let places = [0.0, 1.0, 2.5_f64];
        let counted = best_width(&[2.0, 3.0, 1.0], 1.0, |i, row| {
            row.iter_mut().zip(places).for_each(|(o, p)| *o = (p - places[i]).powi(2));
        });
        assert!((apart - counted).abs() < 1e-12, "{apart} {counted}");
    }

    #[test]
    fn no_other_width_is_more_likely() {
        let at: Vec<f64> = vec![0.0, 0.3, 0.9, 1.0, 2.2, 2.5, 2.9, 5.0];
        let n = at.len();
        let square =
            Matrix::new(at.iter().flat_map(|a| at.iter().map(move |b| (a - b).abs())).collect(), n, n);
        let likelihood = |h: f64| -> f64 {
            (0..n)
                .map(|i| {
                    let near =
                        (0..n).filter(|j| *j != i).map(|j| (-0.5 * (square.row(i)[j] / h).powi(2)).exp());
                    near.sum::<f64>().ln() - h.ln()
                })
                .sum()
        };
        let best = likelihood(width_of(&square, 1.0));
        for h in (1..400).map(|i| f64::from(i) * 0.01) {
            assert!(likelihood(h) <= best + 1e-5, "{h}");
        }
    }
}
