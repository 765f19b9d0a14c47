//! Why a sample is judged as it is: what it lies close to, and in which features it differs.

use rayon::prelude::*;

use super::Model;
use crate::committee::Committee;
use crate::dissimilarity::Dissimilarity;
use crate::error::{Error, ErrorKind, Result};
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::sample::SampleSet;

/// Rows computed together, between two looks at the observer.
const BATCH_SIZE: usize = 16;

/// Indices and dissimilarities, nearest first.
type Neighbors = Vec<(u32, f64)>;

/// What stands behind a decision.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The region that the sample is closest to.
    pub region: usize,
    /// The nearest of the samples that it was compared with, and their dissimilarities, nearest first: indices of
    /// training samples, or among the prototypes where these are fewer.
    pub nearest: Vec<(u32, f64)>,
    /// The mean share of each feature in these dissimilarities, with sum 1, or 0 if the sample equals all of them; where
    /// a committee judges, in the distances to the ring in each view, weighed by what the view adds to the oddity, and
    /// in the changed features. Empty for samples without features.
    pub shares: Vec<f64>,
}

impl<X: SampleSet> Model<X> {
    /// The dissimilarity embedding of new samples: a row each, a column for each prototype (each training sample
    /// where the graph is on the dissimilarity itself), divided by the largest dissimilarity where that is bounded.
    pub fn embed_all(&self, samples: &X, observer: &dyn Observer) -> Result<Matrix> {
        let samples = self.conformed(samples)?;
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

    /// Explains each sample by its `count` nearest of those it is compared with. A training sample does not count itself.
    pub fn explain(&self, samples: &X, count: usize, observer: &dyn Observer) -> Result<Vec<Explanation>> {
        let decisions = self.decide_with(samples, self.params().scoring, observer)?;
        let samples = self.conformed(samples)?;
        let reference = self.reference();
        let prepared = match self.scorer.committee {
            Some(_) => None,
            None => Some(self.dissimilarity().prepare(&reference.refs())),
        };
        let explain = |(one, decision): (&&X::Item, &crate::Decision)| {
            if observer.is_cancelled() {
                return Err(Error::from(ErrorKind::Cancelled));
            }
            let (nearest, shares) = match (&self.scorer.committee, &prepared) {
                (Some(committee), _) => self.by_committee(committee, one, count)?,
                (None, Some(prepared)) => {
                    let mut row = vec![0.0; reference.count()];
                    prepared.fill(one, 0..reference.count(), &mut row);
                    let mut nearest = crate::knn::nearest(&row, (count + 1).min(reference.count()), None);
                    // The sample itself, or one that equals it: it explains nothing.
                    if nearest.first().is_some_and(|n| n.1 <= 0.0) {
                        nearest.remove(0);
                    }
                    nearest.truncate(count);
                    let shares = self.mean_shares(self.dissimilarity(), one, &nearest);
                    (nearest, shares)
                }
                (None, None) => (Vec::new(), Vec::new()),
            };
            Ok(Explanation { region: decision.region, nearest, shares })
        };
        samples.refs().par_iter().zip(&decisions).map(explain).collect()
    }

    /// The nearest in the first view; and shares of the features in what each view and the changed features contribute.
    fn by_committee(
        &self,
        committee: &Committee,
        one: &X::Item,
        count: usize,
    ) -> Result<(Neighbors, Vec<f64>)> {
        let views = self.scorer.views(committee);
        let (verdicts, _) = committee.judge(&[one], self.dissimilarity(), views)?;
        let verdict = &verdicts[0];
        let mut shares: Vec<f64> = Vec::new();
        let mut nearest = Vec::new();
        for (v, contribution) in verdict.contributions[..committee.members.len()].iter().enumerate() {
            let wanted = if v == 0 { count + 1 } else { 0 };
            let mut near = committee.nearest_of(one, views, v, wanted)?;
            near.retain(|n| Some(n.0) != verdict.equal);
            let own = self.mean_shares(views.measure(v), one, &near[..near.len().min(committee.ring_size)]);
            shares.resize(own.len().max(shares.len()), 0.0);
            shares.iter_mut().zip(own).for_each(|(s, own)| *s += contribution * own);
            if v == 0 {
                near.truncate(count);
                nearest = near;
            }
        }
        let changed = self.dissimilarity().changed(one);
        let of_changes = verdict.contributions[committee.members.len()];
        for &f in &changed {
            if let Some(share) = shares.get_mut(f) {
                *share += of_changes / changed.len() as f64;
            }
        }
        let sum: f64 = shares.iter().sum();
        if sum > 0.0 {
            for s in &mut shares {
                *s /= sum;
            }
        }
        Ok((nearest, shares))
    }

    fn mean_shares(
        &self,
        measure: &dyn Dissimilarity<X::Item>,
        one: &X::Item,
        nearest: &[(u32, f64)],
    ) -> Vec<f64> {
        let mut mean = Vec::new();
        for &(i, _) in nearest {
            let own = measure.shares(one, self.reference().sample(i as usize));
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
