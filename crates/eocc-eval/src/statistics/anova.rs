//! Two-way analysis of variance with Tukey's comparison of all pairs.

use eocc_core::Result;
use statrs::distribution::{ContinuousCDF as _, FisherSnedecor};

use super::{shape, studentized_range};

/// The result of the analysis.
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
    /// Half the width of each classifier's interval: two classifiers differ significantly if their intervals do not
    /// overlap.
    pub half_width: f64,
}

/// Analyzes `value = classifier + data set + residual`, without interaction since each pair has one value.
///
/// Tukey's honest significant difference at level `alpha` is `q sqrt(mean_square / n)`, where `q` is the quantile of
/// the studentized range; it is drawn as intervals of half that on both sides of the means.
///
/// If nothing varies beyond rounding, there is nothing to divide by: classifiers that are equal everywhere have `F =
/// 0` and `p = 1`; classifiers that differ by the same amount on every data set have an infinite `F` and `p = 0`.
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
    // Sums of squares within rounding are set to zero: the ratio of two of them would be random.
    let largest = table.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    let noise = (n * k) as f64 * (4.0 * f64::EPSILON * largest).powi(2);
    let [between, residual] = [between, residual].map(|s| if s <= noise { 0.0 } else { s });
    let freedom = (k - 1, (n - 1) * (k - 1));
    let mean_square = residual / freedom.1 as f64;
    let f = if between > 0.0 { between / freedom.0 as f64 / mean_square } else { 0.0 };
    let p = match FisherSnedecor::new(freedom.0 as f64, freedom.1 as f64) {
        Ok(distribution) if f.is_finite() => distribution.sf(f),
        // No residual at all: any difference is not by chance.
        Ok(_) => 0.0,
        Err(_) => f64::NAN,
    };
    let q = studentized_range::quantile(1.0 - alpha, k, freedom.1 as f64);
    Ok(Anova { f, p, freedom, mean_square, means, half_width: 0.5 * q * (mean_square / n as f64).sqrt() })
}

impl Anova {
    /// The p-value of the difference of two classifiers, among all pairs.
    pub fn pair(&self, a: usize, b: usize) -> f64 {
        let n = self.freedom.1 as f64 / self.freedom.0 as f64 + 1.0;
        let difference = (self.means[a] - self.means[b]).abs();
        if difference <= 0.0 {
            return 1.0;
        }
        let q = difference / (self.mean_square / n).sqrt();
        1.0 - studentized_range::cumulative(q, self.means.len(), self.freedom.1 as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifiers_that_are_equal_everywhere_do_not_differ() {
        for table in [vec![vec![1.0; 3]; 2], vec![vec![0.9; 3], vec![0.7; 3], vec![0.1; 3]]] {
            let found = two_way_anova(&table, 0.05).unwrap();
            assert!(found.f.abs() < 1e-300 && (found.p - 1.0).abs() < 1e-12, "{found:?}");
            assert!(found.half_width.abs() < 1e-300 && (found.pair(0, 2) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_difference_without_any_residual_is_certain() {
        let found = two_way_anova(&[vec![0.75, 0.5], vec![0.5, 0.25]], 0.05).unwrap();
        assert!(found.f.is_infinite() && found.p.abs() < 1e-300, "{found:?}");
        assert!(found.pair(0, 1) < 1e-6);
    }
}
