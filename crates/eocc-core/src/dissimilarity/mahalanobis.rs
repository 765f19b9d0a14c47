//! Mahalanobis distance: the paper's case of `p` as a covariance matrix [LA17, sec. III-B].
//!
//! `d(x, r) = sqrt((x - r)' C^-1 (x - r))` with `C = (1 - s) S + s diag(S)`, `S` the sample covariance. The
//! shrinkage `s` in [0, 1] is the parameter `p`: 0 is the full covariance, 1 scales each feature alone.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Accelerated, Dissimilarity, Entry, Parameter, Prepared, Properties};
use crate::cholesky::{cholesky, solve_lower};
use crate::error::{Error, ModelFault, Result};
use crate::kernel;
use crate::matrix::Matrix;

/// Share of the mean variance added to the diagonal, so that constant and dependent features can be inverted.
const RIDGE: f64 = 1e-6;
const SHRINKAGE: f64 = 0.1;

/// Euclidean distance after whitening by the training covariance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Mahalanobis {
    shrinkage: f64,
    features: usize,
    /// Covariance, row by row.
    covariance: Vec<f64>,
    /// Its Cholesky factor after shrinking, lower triangle, row by row.
    #[serde(skip)]
    factor: Vec<f64>,
}

impl Mahalanobis {
    /// With this shrinkage in [0, 1].
    pub fn new(shrinkage: f64) -> Self {
        Self { shrinkage, ..Self::default() }
    }

    fn refresh(&mut self) -> Result<()> {
        let q = self.features;
        let c = |i: usize, j: usize| self.covariance[i * q + j];
        let mean = (0..q).map(|f| c(f, f)).sum::<f64>() / q as f64;
        let ridge = if mean > 0.0 { RIDGE * mean } else { 1.0 };
        let shrunk =
            |i: usize, j: usize| if i == j { c(i, i) + ridge } else { (1.0 - self.shrinkage) * c(i, j) };
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
        let mut values = sample.to_vec();
        solve_lower(&self.factor, &mut values);
        values
    }

    fn block(&self, samples: &[&[f64]]) -> Matrix {
        let values: Vec<f64> = samples.iter().flat_map(|s| self.map(s)).collect();
        Matrix::new(values, samples.len(), self.features)
    }
}

impl Dissimilarity<[f64]> for Mahalanobis {
    fn name(&self) -> &'static str {
        "mahalanobis"
    }

    fn learn(&mut self, samples: &[&[f64]], _names: &[String]) -> Result<()> {
        let q = samples.first().map_or(0, |s| s.len());
        let n = samples.len() as f64;
        let mut mean = vec![0.0; q];
        for s in samples {
            mean.iter_mut().zip(*s).for_each(|(m, x)| *m += x / n);
        }
        let mut covariance = vec![0.0; q * q];
        for s in samples {
            for i in 0..q {
                let d = s[i] - mean[i];
                for j in 0..=i {
                    covariance[i * q + j] += d * (s[j] - mean[j]) / (n - 1.0).max(1.0);
                }
            }
        }
        for i in 0..q {
            for j in 0..i {
                covariance[j * q + i] = covariance[i * q + j];
            }
        }
        if covariance.iter().any(|v| !v.is_finite()) {
            return Err(Error::input("the covariance of the features overflows; divide them by a constant"));
        }
        self.features = q;
        self.covariance = covariance;
        self.refresh()
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter { name: "shrinkage".into(), low: 0.0, high: 1.0, value: self.shrinkage }]
    }

    fn set(&mut self, p: &[f64]) {
        let old = std::mem::replace(&mut self.shrinkage, p[0]);
        if self.refresh().is_err() {
            // A shrinkage under which the covariance cannot be inverted is not taken.
            self.shrinkage = old;
            let _ = self.refresh();
        }
    }

    fn check(&self, sample: &[f64]) -> Result<()> {
        super::scaling::check_features(sample.len(), self.features)
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

    fn boxed(&self) -> Box<dyn Dissimilarity<[f64]>> {
        Box::new(self.clone())
    }

    fn properties(&self) -> Properties {
        Properties { metric: true, needs_fold_calibration: true, ..Properties::default() }
    }

    fn accelerated(&self) -> Option<&dyn Accelerated<[f64]>> {
        Some(self)
    }
}

impl Accelerated<[f64]> for Mahalanobis {
    fn prepare(&self, many: &[&[f64]]) -> Box<dyn Prepared<[f64]>> {
        Box::new(Whitened { d: self.clone(), many: self.block(many) })
    }

    fn coordinates(&self, samples: &[&[f64]]) -> Option<Matrix> {
        Some(self.block(samples))
    }
}

struct Whitened {
    d: Mahalanobis,
    many: Matrix,
}

impl Prepared<[f64]> for Whitened {
    fn fill(&self, one: &[f64], range: Range<usize>, out: &mut [f64]) {
        let q = self.d.features;
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
        let mut d: Mahalanobis = serde_json::from_value(state.clone())
            .map_err(|e| ModelFault::Damaged(format!("the dissimilarity's state is not readable: {e}")))?;
        let sound = d.features.checked_mul(d.features) == Some(d.covariance.len())
            && d.covariance.iter().all(|v| v.is_finite())
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
    fn constant_and_dependent_features_can_be_used() {
        let samples: Vec<Vec<f64>> = (0..9).map(|i| vec![f64::from(i), 2.0 * f64::from(i), 3.0]).collect();
        let refs: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
        let mut d = Mahalanobis::new(0.0);
        d.learn(&refs, &[]).unwrap();
        assert!(d.between(&samples[0], &samples[1]).is_finite());
    }
}
