//! How a model answers: the score of a sample, and what the calibration makes of it.

use std::borrow::Cow;

use super::Model;
use super::score::RegionScore;
use crate::decision::Decision;
use crate::error::{InputFault, Result};
use crate::observer::{Observer, Silent};
use crate::params::{Scoring, Threshold};
use crate::sample::SampleSet;

impl<X: SampleSet> Model<X> {
    /// Decides on one sample, as the parameters say.
    pub fn decide(&self, sample: &X::Item) -> Result<Decision> {
        Ok(self.decision(&self.scorer.score_one(sample, self.params().scoring)?))
    }

    /// Decides on all of `samples`, in order.
    pub fn decide_all(&self, samples: &X) -> Result<Vec<Decision>> {
        self.decide_with(samples, self.params().scoring, &Silent)
    }

    /// Decides on all of `samples` with this scoring, watched.
    pub fn decide_with(
        &self,
        samples: &X,
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Decision>> {
        self.decide_refs(&self.conformed(samples)?.refs(), scoring, observer)
    }

    /// Samples in the form of the training samples, complete unless the measure takes what is not.
    pub(super) fn conformed<'a>(&self, samples: &'a X) -> Result<Cow<'a, X>> {
        if !self.dissimilarity().properties().takes_missing {
            require_complete(samples)?;
        }
        self.reference().conform(samples)
    }

    /// The same for samples that lie elsewhere; they must be of the form of the training samples.
    pub fn decide_refs(
        &self,
        refs: &[&X::Item],
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Decision>> {
        let scored = self.scorer.score_all(refs, scoring, observer)?;
        Ok(scored.iter().map(|of_region| self.decision(of_region)).collect())
    }

    /// Decides on the training samples, each as if it were new: it does not count itself.
    pub fn training_decisions(&self) -> Vec<Decision> {
        self.scorer.training().iter().map(|of_region| self.decision(of_region)).collect()
    }

    /// The p-value up to which lie the training samples that are expected to be outliers.
    pub(super) fn contaminated_share(&self) -> f64 {
        self.calibration.share_of_lowest(self.params().contamination.unwrap_or(0.0))
    }

    fn decision(&self, of_region: &RegionScore) -> Decision {
        let score = self.scorer.score(of_region);
        let p_value = self.calibration.p_value(score);
        let accepted = match self.params().threshold {
            Threshold::Percentile => of_region.difference <= of_region.threshold,
            Threshold::Reject(share) => p_value > share,
            Threshold::Contamination => p_value > self.contaminated_share(),
        };
        let (membership, region) = (of_region.log_degree.exp(), of_region.region);
        Decision { score, membership, accepted, region, p_value }
    }
}

/// Fails at the first value that is missing.
pub(super) fn require_complete<X: SampleSet>(samples: &X) -> Result<()> {
    let Some((row, column)) = samples.first_missing() else { return Ok(()) };
    let name = samples.feature_names().get(column);
    let column = name.map_or_else(|| column.to_string(), |name| format!("`{name}`"));
    Err(InputFault::Missing { row, column }.into())
}
