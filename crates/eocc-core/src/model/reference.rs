//! The training samples and the measure that new samples are compared by.

use std::sync::OnceLock;

use crate::dissimilarity::{Dissimilarity, Prepared};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::sample::SampleSet;

/// Larger distances are clamped to this: no score could distinguish them, and infinity is avoided.
pub(crate) const MAX_DISTANCE: f64 = 1e300;

/// Samples and the measure that compares new ones with them. Both are stored with a model.
pub struct Reference<X: SampleSet> {
    pub(super) measure: Box<dyn Dissimilarity<X::Item>>,
    pub(super) samples: X,
    prepared: OnceLock<Box<dyn Prepared<X::Item>>>,
}

impl<X: SampleSet> Reference<X> {
    /// From samples and a fitted measure.
    pub fn new(samples: X, measure: Box<dyn Dissimilarity<X::Item>>) -> Self {
        Self { measure, samples, prepared: OnceLock::new() }
    }

    /// The measure.
    pub fn measure(&self) -> &dyn Dissimilarity<X::Item> {
        self.measure.as_ref()
    }

    /// The samples.
    pub fn samples(&self) -> &X {
        &self.samples
    }

    /// The samples prepared for the measure; the first call prepares them.
    pub fn prepared(&self) -> &dyn Prepared<X::Item> {
        self.prepared.get_or_init(|| self.measure.prepare(&self.samples.refs())).as_ref()
    }

    /// Fails at the first sample that the measure is not defined for.
    pub fn check_all(&self, samples: &[&X::Item]) -> Result<()> {
        for (i, sample) in samples.iter().enumerate() {
            self.measure.check(sample).map_err(|e| Error::input(format!("sample {i}: {e}")))?;
        }
        Ok(())
    }

    /// Dissimilarities of new samples to these, divided by `bound`, one row per new sample.
    pub(super) fn embed(&self, samples: &[&X::Item], bound: f64) -> Result<Matrix> {
        let columns = self.samples.count();
        let mut matrix = Matrix::zeros(samples.len(), columns);
        for (i, one) in samples.iter().enumerate() {
            let row = matrix.row_mut(i);
            self.prepared().fill(one, 0..columns, row);
            for (j, v) in row.iter_mut().enumerate() {
                *v = bounded(j, *v, bound)?;
            }
        }
        Ok(matrix)
    }

    /// How much each feature contributes to the dissimilarities between `one` and its nearest, on average.
    pub(super) fn parts(
        &self,
        measure: &dyn Dissimilarity<X::Item>,
        one: &X::Item,
        nearest: &[(u32, f64)],
    ) -> Vec<f64> {
        let mut mean = Vec::new();
        for &(i, apart) in nearest {
            let shares = measure.shares(one, self.samples.sample(i as usize));
            if shares.is_empty() {
                return shares;
            }
            mean.resize(shares.len(), 0.0);
            mean.iter_mut().zip(shares).for_each(|(m, share)| *m += share * apart / nearest.len() as f64);
        }
        mean
    }

    /// The mean share of each feature in the dissimilarities between `one` and its nearest, except equal ones.
    pub(super) fn mean_shares(
        &self,
        measure: &dyn Dissimilarity<X::Item>,
        one: &X::Item,
        nearest: &[(u32, f64)],
    ) -> Vec<f64> {
        let mut mean = Vec::new();
        for &(i, _) in nearest {
            let own = measure.shares(one, self.samples.sample(i as usize));
            mean.resize(own.len(), 0.0);
            mean.iter_mut().zip(own).for_each(|(m, s)| *m += s);
        }
        // The shares of an equal sample are 0, and those of others sum to 1.
        normalize(&mut mean);
        mean
    }
}

/// The dissimilarity to a prototype in units of `bound`; fails if it is negative or NaN.
pub(super) fn bounded(prototype: usize, value: f64, bound: f64) -> Result<f64> {
    if value.is_nan() || value < 0.0 {
        return Err(Error::input(format!(
            "the dissimilarity to prototype {prototype} is {value}, but must not be negative or NaN"
        )));
    }
    Ok((value / bound).min(MAX_DISTANCE))
}

/// Divides shares by their sum, unless that is 0.
pub(super) fn normalize(shares: &mut [f64]) {
    let sum: f64 = shares.iter().sum();
    if sum > 0.0 {
        for s in shares {
            *s /= sum;
        }
    }
}
