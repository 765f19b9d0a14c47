//! Naïve Parzen: a separate kernel density for each feature.

use eocc_core::stats::log_sum_exp;
use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::parzen::best_width;

/// `score = sum_f log p_f(x_f)`, where each `p_f` is a Parzen density of one feature with its own width: `nparzen_dd`
/// of `dd_tools`.
///
/// If every value of a feature occurs twice, the likelihood has no maximum, and the width is nearly zero, as in the
/// reference: the density is then a count of equal values. A density below the smallest number counts as that number;
/// in the reference it is zero, and so is the product.
#[derive(Debug, Clone, Copy, Default)]
pub struct NaiveParzen;

/// The minimum contribution of a feature.
const MIN_LOG_DENSITY: f64 = -708.0;

impl Learner for NaiveParzen {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let densities: Vec<Density> =
            (0..training.table.columns()).map(|f| Density::estimate(training.table, f)).collect();
        Ok(Box::new(move |x: &[f64]| x.iter().zip(&densities).map(|(v, d)| d.log(*v)).sum()))
    }
}

struct Density {
    /// Distinct values, ascending, and how often each occurs.
    values: Vec<f64>,
    log_counts: Vec<f64>,
    scale: f64,
    constant: f64,
}

impl Density {
    fn estimate(table: &Matrix, feature: usize) -> Self {
        let mut sorted: Vec<f64> = (0..table.rows()).map(|i| table.row(i)[feature] + 0.0).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let groups = sorted.chunk_by(|a, b| a.total_cmp(b).is_eq());
        let (values, counts): (Vec<f64>, Vec<f64>) = groups.map(|g| (g[0], g.len() as f64)).unzip();
        let h = best_width(&counts, 1.0, |i, row| {
            row.iter_mut().zip(&values).for_each(|(o, v)| *o = (v - values[i]).powi(2));
        });
        let constant = (table.rows() as f64 * h * std::f64::consts::TAU.sqrt()).ln();
        let log_counts = counts.iter().map(|c| c.ln()).collect();
        Self { values, log_counts, scale: -0.5 / (h * h), constant }
    }

    fn log(&self, x: f64) -> f64 {
        let kernels = self.values.iter().zip(&self.log_counts).map(|(v, c)| c + self.scale * (x - v).powi(2));
        (log_sum_exp(kernels) - self.constant).max(MIN_LOG_DENSITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_independent_and_twins_count() {
        let table = Matrix::new(vec![0.0, 1.0, 0.0, 1.0, 3.0, 2.0, 3.0, 2.0], 4, 2);
        let rule = NaiveParzen.learn(&TrainingTable { table: &table, features: 2, seed: 0 }).unwrap();
        let each = (0.5 / (1e-12 * std::f64::consts::TAU.sqrt())).ln();
        assert!((rule.score(&[0.0, 2.0]) - 2.0 * each).abs() < 1e-9);
        assert!((rule.score(&[0.5, 2.0]) - each - MIN_LOG_DENSITY).abs() < 1e-9);
    }
}
