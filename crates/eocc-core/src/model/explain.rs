//! Explains a decision: which samples lie closest, and in which features the sample differs.

use super::Model;
use super::judge::Reasons;
use crate::error::{Error, ErrorKind, Result};
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::parallel;
use crate::sample::SampleSet;

/// Rows computed between two checks of the observer.
const BATCH_SIZE: usize = 16;

/// The reasons for a decision.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The region that the sample is closest to.
    pub region: usize,
    /// The nearest of the samples it was compared with, and their dissimilarities, nearest first: indices of training
    /// samples, or of prototypes if there are fewer of those.
    pub nearest: Vec<(u32, f64)>,
    /// The mean share of each feature in these dissimilarities. A committee takes the distances to the ring of each
    /// view, weighted by what the view adds to the oddity, and adds the changed features. The shares sum to 1, or are
    /// 0 if the sample equals all of its nearest. Empty for samples without features.
    pub shares: Vec<f64>,
}

impl<X: SampleSet> Model<X> {
    /// The dissimilarity embedding of new samples: one row per sample, one column per prototype (per training sample
    /// if the graph is on the dissimilarity itself), divided by the [bound](crate::model::Judge::bound) of the judge.
    pub fn embed_all(&self, samples: &X, observer: &dyn Observer) -> Result<Matrix> {
        let samples = self.conformed(samples)?;
        let refs = samples.refs();
        let reference = self.judge.reference();
        reference.check_all(&refs)?;
        let batches: Vec<&[&X::Item]> = refs.chunks(BATCH_SIZE).collect();
        let rows: Vec<Matrix> = parallel::try_map(batches.len(), 1, &|b| {
            if observer.is_cancelled() {
                return Err(Error::from(ErrorKind::Cancelled));
            }
            reference.embed(batches[b], self.judge.bound())
        })?;
        let values = rows.iter().flat_map(|m| m.values().iter().copied()).collect();
        Ok(Matrix::new(values, refs.len(), self.reference().count()))
    }

    /// Explains each sample by the `count` nearest of those it is compared with. A training sample is not compared
    /// with itself.
    pub fn explain(&self, samples: &X, count: usize, observer: &dyn Observer) -> Result<Vec<Explanation>> {
        let samples = self.conformed(samples)?;
        let (refs, scoring) = (samples.refs(), self.params().scoring);
        self.check_all(&refs)?;
        self.judge.prepare(scoring, observer)?;
        let explain = |i: usize| {
            if observer.is_cancelled() {
                return Err(Error::from(ErrorKind::Cancelled));
            }
            let (region, Reasons { nearest, shares }) = self.judge.explain(refs[i], count, scoring)?;
            Ok(Explanation { region, nearest, shares })
        };
        parallel::try_map(refs.len(), 1, &explain)
    }
}
