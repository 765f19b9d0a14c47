//! Why a sample is judged as it is: what it lies close to, and in which features it differs.

use rayon::prelude::*;

use super::Model;
use crate::error::{Error, ErrorKind, Result};
use crate::knn::keep_smallest;
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::sample::SampleSet;

/// Rows computed together, between two looks at the observer.
const BATCH_SIZE: usize = 16;

/// What stands behind a decision.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The region that the sample is closest to.
    pub region: usize,
    /// The nearest of the samples that it was compared with, and their dissimilarities, nearest first: indices of
    /// training samples, or among the prototypes where these are fewer.
    pub nearest: Vec<(u32, f64)>,
    /// The mean share of each feature in these dissimilarities, with sum 1, or 0 if the sample equals all of them.
    /// Empty for samples without features.
    pub shares: Vec<f64>,
}

impl<X: SampleSet> Model<X> {
    /// The dissimilarity embedding of new samples: a row each, a column for each prototype (each training sample
    /// where the graph is on the dissimilarity itself), divided by the largest dissimilarity where that is bounded.
    pub fn embed_all(&self, samples: &X, observer: &dyn Observer) -> Result<Matrix> {
        let samples = self.reference().conform(samples)?;
        let refs = samples.refs();
        self.scorer.check_all(&refs)?;
        let rows: Result<Vec<Matrix>> = refs
            .par_chunks(BATCH_SIZE)
            .map(|some| {
                if observer.is_cancelled() {
                    return Err(Error::from(ErrorKind::Cancelled));
                }
                self.scorer.embed(some)
            })
            .collect();
        let values = rows?.iter().flat_map(|m| m.values().iter().copied()).collect();
        Ok(Matrix::new(values, refs.len(), self.reference().count()))
    }

    /// Explains each sample by its `count` nearest of those it is compared with.
    pub fn explain(&self, samples: &X, count: usize, observer: &dyn Observer) -> Result<Vec<Explanation>> {
        let decisions = self.decide_with(samples, self.params().scoring, observer)?;
        let samples = self.reference().conform(samples)?;
        let reference = self.reference();
        let prepared = self.dissimilarity().prepare(&reference.refs());
        let explain = |(one, decision): (&&X::Item, &crate::Decision)| {
            if observer.is_cancelled() {
                return Err(Error::from(ErrorKind::Cancelled));
            }
            let mut row = vec![0.0; reference.count()];
            prepared.fill(one, 0..reference.count(), &mut row);
            let mut nearest: Vec<(u32, f64)> = (0..).zip(row).collect();
            keep_smallest(&mut nearest, count.min(reference.count()));
            nearest.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            let shares = self.mean_shares(one, &nearest);
            Ok(Explanation { region: decision.region, nearest, shares })
        };
        samples.refs().par_iter().zip(&decisions).map(explain).collect()
    }

    fn mean_shares(&self, one: &X::Item, nearest: &[(u32, f64)]) -> Vec<f64> {
        let mut mean = Vec::new();
        for &(i, _) in nearest {
            let own = self.dissimilarity().shares(one, self.reference().sample(i as usize));
            mean.resize(own.len(), 0.0);
            mean.iter_mut().zip(own).for_each(|(m, s)| *m += s);
        }
        // Of those that differ: an equal sample has no shares to give.
        let sum: f64 = mean.iter().sum();
        if sum > 0.0 {
            for m in &mut mean {
                *m /= sum;
            }
        }
        mean
    }
}
