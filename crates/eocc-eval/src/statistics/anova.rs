//! Two-way analysis of variance with Tukey's comparison of all pairs.

use eocc::Result;
use statrs::distribution::{ContinuousCDF as _, FisherSnedecor};

use super::{shape, studentized_range};

/// What the analysis found.
#[derive(Debug, Clone, PartialEq)]
pub struct Anova {
    /// `F` of the classifiers.
    pub f: f64,
    /// Its tail probability.
    pub p: f64,
    /// Degrees of freedom: of the classifiers, of the residual.
    pub freedom: (usize, usize),
    /// Mean square of the residual.
    pub mean_square: f64,
    /// Mean value of each classifier.
    pub means: Vec<f64>,
    /// Half the width of each classifier's interval: two classifiers differ significantly where theirs do not overlap.
    pub half_width: f64,
}

/// Analyses `value = classifier + data set + residual`, without interaction since each pair has one value.
///
/// Tukey's honest significant difference at level `alpha` is `q sqrt(mean_square / n)`, `q` the quantile of the
/// studentized range; drawn as intervals of half that to both sides of the means.
pub fn two_way_anova(table: &[Vec<f64>], alpha: f64) -> Result<Anova> {
    let (n, k) = shape(table)?;
    let column = |c: usize| table.iter().map(|row| row[c]).sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..k).map(column).collect();
    let of_sets: Vec<f64> = table.iter().map(|row| row.iter().sum::<f64>() / k as f64).collect();
    let grand = means.iter().sum::<f64>() / k as f64;
    let between = n as f64 * means.iter().map(|m| (m - grand).powi(2)).sum::<f64>();
    let mut residual = 0.0;
    for (row, set) in table.iter().zip(&of_sets) {
        residual += row.iter().zip(&means).map(|(v, m)| (v - m - set + grand).powi(2)).sum::<f64>();
    }
    let freedom = (k - 1, (n - 1) * (k - 1));
    let mean_square = residual / freedom.1 as f64;
    let f = between / freedom.0 as f64 / mean_square;
    let p = FisherSnedecor::new(freedom.0 as f64, freedom.1 as f64).map_or(f64::NAN, |d| d.sf(f));
    let q = studentized_range::quantile(1.0 - alpha, k, freedom.1 as f64);
    Ok(Anova { f, p, freedom, mean_square, means, half_width: 0.5 * q * (mean_square / n as f64).sqrt() })
}

impl Anova {
    /// The p-value of the difference of two classifiers, among all pairs.
    pub fn pair(&self, a: usize, b: usize) -> f64 {
        let n = self.freedom.1 as f64 / self.freedom.0 as f64 + 1.0;
        let q = (self.means[a] - self.means[b]).abs() / (self.mean_square / n).sqrt();
        1.0 - studentized_range::cumulative(q, self.means.len(), self.freedom.1 as f64)
    }
}
