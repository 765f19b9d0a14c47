//! Mahalanobis distance: the paper's case of `p` as a covariance matrix [LA17, sec. III-B].
//!
//! `d(x, r) = sqrt((x - r)' C^-1 (x - r))` with `C = (1 - s) S + (s + 1e-6) diag(S)`, `S` the sample covariance. The
//! shrinkage `s` in [0, 1] is the parameter `p`: 0 is the full covariance, 1 scales each feature alone. Computed from
//! the correlations, so it does not depend on the units of the features, however different.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::settings::setting;
use super::{Dissimilarity, Entry, Parameter, Prepared, Properties};
use crate::error::{Error, ModelFault, Result};
use crate::kernel;
use crate::linear::{cholesky, solve_lower};
use crate::matrix::Matrix;
use crate::numbers::Numbers;

/// Fraction of its variance added to that of each feature, so that dependent features can be inverted; independent of
/// units.
const RIDGE: f64 = 1e-6;
const SHRINKAGE: f64 = 0.1;
/// Coordinates are clamped to this: no score could distinguish larger ones, and squares do not overflow.
const MAX_VALUE: f64 = 1e150;

/// Euclidean distance after whitening by the training covariance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Mahalanobis {
    shrinkage: f64,
    /// Standard deviations of the features; the absolute value of a constant one.
    deviations: Vec<f64>,
    /// Correlations, row by row.
    correlations: Numbers,
    /// Their Cholesky factor after shrinking, lower triangle, row by row.
    #[serde(skip)]
    factor: Vec<f64>,
}

impl Mahalanobis {
    /// With this shrinkage in [0, 1].
    pub fn new(shrinkage: f64) -> Self {
        Self { shrinkage, ..Self::default() }
    }

    fn features(&self) -> usize {
        self.deviations.len()
    }

    fn refresh(&mut self) -> Result<()> {
        let q = self.features();
        let correlation = |i: usize, j: usize| self.correlations.values()[i * q + j];
        let shrunk = |i: usize, j: usize| {
            if i == j { 1.0 + RIDGE } else { (1.0 - self.shrinkage) * correlation(i, j) }
        };
        let lower: Vec<f64> =
            (0..q).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| shrunk(i, j)).collect();
        self.factor = cholesky(&lower, q).ok_or_else(|| {
            Error::input(
                "the covariance of the features is not positive definite; raise `shrinkage` towards 1",
            )
        })?;
        Ok(())
    }

    /// Whitened coordinates.
    fn map(&self, sample: &[f64]) -> Vec<f64> {
        let scaled = |(x, deviation): (&f64, &f64)| (x / deviation).clamp(-MAX_VALUE, MAX_VALUE);
        let mut values: Vec<f64> = sample.iter().zip(&self.deviations).map(scaled).collect();
        solve_lower(&self.factor, &mut values);
        values
    }

    fn block(&self, samples: &[&[f64]]) -> Matrix {
        let values: Vec<f64> = samples.iter().flat_map(|s| self.map(s)).collect();
        Matrix::new(values, samples.len(), self.features())
    }
}

impl Dissimilarity<[f64]> for Mahalanobis {
    fn name(&self) -> &'static str {
        "mahalanobis"
    }

    fn learn(&mut self, samples: &[&[f64]], _names: &[String]) -> Result<()> {
        let q = samples.first().map_or(0, |s| s.len());
        let columns: Vec<(f64, Vec<f64>)> =
            (0..q).map(|f| standardized(samples.iter().map(|s| s[f]).collect())).collect();
        let divisor = (samples.len() as f64 - 1.0).max(1.0);
        let mut correlations = vec![0.0; q * q];
        for i in 0..q {
            for j in 0..=i {
                let correlation = kernel::dot(&columns[i].1, &columns[j].1) / divisor;
                correlations[i * q + j] = correlation;
                correlations[j * q + i] = correlation;
            }
        }
        self.deviations = columns.into_iter().map(|c| c.0).collect();
        self.correlations = Numbers::Here(correlations);
        self.refresh()
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter { name: "shrinkage".into(), low: 0.0, high: 1.0, value: self.shrinkage }]
    }

    fn set(&mut self, p: &[f64]) {
        let old = std::mem::replace(&mut self.shrinkage, p[0]);
        if self.refresh().is_err() {
            // Reject a shrinkage under which the covariance cannot be inverted.
            self.shrinkage = old;
            let _ = self.refresh();
        }
    }

    fn check(&self, sample: &[f64]) -> Result<()> {
        super::scaling::check_features(sample.len(), self.features())
    }

    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        kernel::squared_euclidean(&self.map(a), &self.map(b)).sqrt()
    }

    fn shares(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        super::shares::by_exchange(self, a, b)
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn settings(&self) -> Vec<(String, String)> {
        vec![setting("shrinkage", self.shrinkage)]
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<[f64]>> {
        Box::new(self.clone())
    }

    fn properties(&self) -> Properties {
        Properties { metric: true, needs_fold_calibration: true, ..Properties::default() }
    }

    fn prepare(&self, many: &[&[f64]]) -> Box<dyn Prepared<[f64]>> {
        Box::new(Whitened { d: self.clone(), many: self.block(many) })
    }

    fn coordinates(&self, samples: &[&[f64]]) -> Option<Matrix> {
        Some(self.block(samples))
    }
}

/// The standard deviation of a column, and its values minus the mean in units of it. For a constant column, a change
/// by its own size counts as one deviation, and the values are zeros.
fn standardized(values: Vec<f64>) -> (f64, Vec<f64>) {
    let n = values.len() as f64;
    // Relative to one of them and in halves of their width, so that nothing overflows.
    let origin = values[0];
    let half = |v: &f64| v / 2.0 - origin / 2.0;
    let unit = values.iter().fold(0.0, |m: f64, v| m.max(half(v).abs()));
    if unit <= 0.0 {
        let size = origin.abs();
        return (if size > f64::MIN_POSITIVE { size } else { 1.0 }, vec![0.0; values.len()]);
    }
    let mean = values.iter().map(|v| half(v) / unit).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (half(v) / unit - mean).powi(2)).sum();
    let deviation = (squares / (n - 1.0).max(1.0)).sqrt();
    let own = (2.0 * unit * deviation).clamp(f64::MIN_POSITIVE, f64::MAX);
    (own, values.iter().map(|v| (half(v) / unit - mean) / deviation).collect())
}

struct Whitened {
    d: Mahalanobis,
    many: Matrix,
}

impl Prepared<[f64]> for Whitened {
    fn fill(&self, one: &[f64], range: Range<usize>, out: &mut [f64]) {
        let q = self.d.features();
        kernel::euclidean_to_rows(&self.d.map(one), &self.many.values()[range.start * q..range.end * q], out);
    }
}

pub(crate) const ENTRY: Entry<[f64]> = Entry {
    name: "mahalanobis",
    summary: "distance whitened by the training covariance; setting: shrinkage (0.1)",
    make: |s| {
        s.only("mahalanobis", &["shrinkage"])?;
        let allowed = "a number in [0, 1]";
        let shrinkage = s.get("shrinkage", allowed)?.unwrap_or(SHRINKAGE);
        if !(0.0..=1.0).contains(&shrinkage) {
            return Err(Error::parameter("shrinkage", shrinkage, allowed));
        }
        Ok(Box::new(Mahalanobis::new(shrinkage)))
    },
    restore: |state| {
        let mut d: Mahalanobis = state.read()?;
        d.correlations = Numbers::Here(state.numbers(d.correlations)?);
        let correlations = d.correlations.values();
        let sound = d.features().checked_mul(d.features()) == Some(correlations.len())
            && correlations.iter().all(|v| v.is_finite())
            && d.deviations.iter().all(|v| *v > 0.0 && v.is_normal())
            && (0.0..=1.0).contains(&d.shrinkage);
        if !sound || d.refresh().is_err() {
            return Err(ModelFault::Damaged("the dissimilarity's state is out of range".into()).into());
        }
        Ok(Box::new(d))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitens_a_known_covariance() {
        // The factor of [[4, 2], [2, 3]] is [[2, 0], [1, sqrt 2]], and its inverse [[0.5, 0], [-0.5 / r, 1 / r]].
        let r = 2.0_f64.sqrt();
        let factor = cholesky(&[4.0, 2.0, 3.0], 2).unwrap();
        let column = |mut values: [f64; 2]| {
            solve_lower(&factor, &mut values);
            values
        };
        let w = [column([1.0, 0.0]), column([0.0, 1.0])];
        for (got, want) in [w[0][0], w[1][0], w[0][1], w[1][1]].iter().zip([0.5, 0.0, -0.5 / r, 1.0 / r]) {
            assert!((got - want).abs() < 1e-15);
        }
        assert!(cholesky(&[1.0, 2.0, 1.0], 2).is_none());
    }

    #[test]
    fn shrunk_to_the_diagonal_it_scales_each_feature() {
        let samples: Vec<Vec<f64>> = (0..20).map(|i| vec![f64::from(i), 10.0 * f64::from(i % 7)]).collect();
        let refs: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
        let mut d = Mahalanobis::new(1.0);
        d.learn(&refs, &[]).unwrap();
        let variance = 35.0; // of 0..20, unbiased
        assert!((d.between(&[0.0, 5.0], &[2.0, 5.0]) - (4.0_f64 / variance).sqrt()).abs() < 1e-4);
    }

    #[test]
    fn units_do_not_matter_however_far_apart() {
        let mut r = crate::random::Random::new(4);
        let rows: Vec<Vec<f64>> = (0..60)
            .map(|_| {
                let a = r.normal();
                vec![a, a + 0.3 * r.normal(), r.normal()]
            })
            .collect();
        let measured = |units: [f64; 3]| {
            let scaled: Vec<Vec<f64>> =
                rows.iter().map(|r| r.iter().zip(units).map(|(x, u)| x * u).collect()).collect();
            let mut d = Mahalanobis::new(0.0);
            d.learn(&scaled.iter().map(Vec::as_slice).collect::<Vec<_>>(), &[]).unwrap();
            d.between(&scaled[0], &scaled[1])
        };
        let plain = measured([1.0; 3]);
        for units in [[1.0, 1e4, 1e-4], [1e300, 1e-300, 1.0], [1e-300; 3]] {
            assert!((measured(units) - plain).abs() < 1e-6 * plain, "{units:?}: {} {plain}", measured(units));
        }
    }

    #[test]
    fn constant_and_dependent_features_can_be_used() {
        let samples: Vec<Vec<f64>> = (0..9).map(|i| vec![f64::from(i), 2.0 * f64::from(i), 3.0]).collect();
        let refs: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
        let mut d = Mahalanobis::new(0.0);
        d.learn(&refs, &[]).unwrap();
        assert!(d.between(&samples[0], &samples[1]).is_finite());
    }
}
