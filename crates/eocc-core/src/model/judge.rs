//! The interface of a *judge*: the trained classifier inside a model.
//!
//! Each judge has its own folder: `closeness` for the preset `paper`, `committee` for `default`. A new one
//! implements [`Judge`] and [`JudgeKind`], and gets a line in [`Judges::default`]; `tests/all/adding_a_judge.rs` adds
//! one from outside the crate.

use std::any::Any;

use serde_json::Value;

use super::graph::Graph;
use super::reference::Reference;
use super::{Model, Origin};
use crate::calibration::Calibration;
use crate::dissimilarity::Dissimilarity;
use crate::error::{ModelFault, Result};
use crate::file::Contents;
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::params::Scoring;
use crate::region::Centrality;
use crate::sample::SampleSet;

/// A judge's result for one sample.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Judgment {
    /// Larger is more nominal; finite, and never saturates.
    pub score: f64,
    /// Degree of membership in its region, in [0, 1].
    pub membership: f64,
    /// The region that the sample is closest to.
    pub region: usize,
    /// Whether its centrality reaches the percentile `l` of that region [LA17, eq. 11].
    pub is_central: bool,
}

/// A judge's results for a batch of samples.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judged {
    /// One judgment per sample, in order.
    pub judgments: Vec<Judgment>,
    /// How many dissimilarities were computed for them.
    pub measured: usize,
}

/// Why a sample is judged as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reasons {
    /// The nearest of the [reference](Judge::reference) samples and their dissimilarities, nearest first.
    pub nearest: Vec<(u32, f64)>,
    /// How much each feature contributes. They sum to 1, or are all 0 if no feature contributes. Empty for samples
    /// without features.
    pub shares: Vec<f64>,
}

/// A trained classifier, which scores samples like those in `X`.
///
/// Judging takes `&self`, so that threads can share a model. A judge that keeps learning adds its own methods, called
/// through [`Model::judge_mut`].
pub trait Judge<X: SampleSet>: Any + Send + Sync {
    /// Its name in model files.
    fn name(&self) -> &'static str;

    /// The training samples and the measure that new samples are compared by.
    fn reference(&self) -> &Reference<X>;

    /// The scores of nominal samples, among which new scores are ranked.
    fn calibration(&self) -> &Calibration;

    /// Does the one-time work of the first call of [`judge`](Self::judge) in advance, reporting to the observer.
    fn prepare(&self, _scoring: Scoring, _observer: &dyn Observer) -> Result<()> {
        Ok(())
    }

    /// Judges a few samples on this thread. The caller has checked that they have the form of the training samples,
    /// and that the measure is defined for them.
    fn judge(&self, samples: &[&X::Item], scoring: Scoring) -> Result<Judged>;

    /// The order in which to judge these samples. Every order gives the same results; grouping similar samples makes
    /// better use of the cache.
    fn order(&self, samples: &[&X::Item]) -> Vec<u32> {
        (0..samples.len() as u32).collect()
    }

    /// Whether it uses lower bounds to skip comparisons.
    fn spares_comparisons(&self, _scoring: Scoring) -> bool {
        false
    }

    /// Its judgment of every training sample, as if the sample were new.
    fn training(&self) -> Vec<Judgment>;

    /// Replaces the calibration scores: `scores` has one per training sample, from a judge trained without it.
    fn recalibrate(&mut self, scores: Vec<f64>);

    /// Explains its judgment of a sample by the `count` nearest other samples.
    fn reasons(&self, sample: &X::Item, count: usize) -> Result<Reasons>;

    /// Returns both the region of a sample and its [`reasons`](Self::reasons); computing both at once may be faster.
    fn explain(&self, sample: &X::Item, count: usize, scoring: Scoring) -> Result<(usize, Reasons)> {
        let judged = self.judge(&[sample], scoring)?;
        let region = judged.judgments.first().map_or(0, |judgment| judgment.region);
        Ok((region, self.reasons(sample, count)?))
    }

    /// The smallest score that counts as central in some region.
    fn central_boundary(&self) -> f64;

    /// The graph of the training samples with its regions, for inspection; may be empty.
    fn graph(&self) -> &Graph;

    /// The names of the features that [`Reasons::shares`] refers to; by default those of the samples.
    fn share_names(&self) -> Vec<String> {
        self.reference().samples().share_names()
    }

    /// The values of the [`share_names`](Self::share_names) in a sample if they are not features of the samples; NaN if
    /// not numeric.
    fn share_values(&self, _sample: &X::Item) -> Option<Vec<f64>> {
        None
    }

    /// What it judges by, in words that complete "a sample is judged by"; by default its name.
    fn describe(&self) -> String {
        format!("`{}`", self.name())
    }

    /// What the centrality of the samples in its regions is; by default their scores.
    fn centrality(&self) -> Centrality {
        Centrality::Score
    }

    /// The names and weights of its views; empty if it has only one distance.
    fn views(&self) -> Vec<(String, f64)> {
        Vec::new()
    }

    /// Indices of the training samples that are excluded as neighbors, ascending.
    fn trimmed(&self) -> &[u32] {
        &[]
    }

    /// The embedded training samples, one row each, if it embeds them.
    fn embedding(&self) -> Option<&Matrix> {
        None
    }

    /// The divisor that normalizes dissimilarities.
    fn bound(&self) -> f64 {
        1.0
    }

    /// Writes what it has learned: large arrays as tensors, the rest as the returned value. Reference and calibration
    /// are written elsewhere.
    fn write(&self, out: &mut Contents) -> Result<Value>;
}

/// How a judge is made: by training, or from a file.
pub trait JudgeKind<X: SampleSet>: Judge<X> + Sized {
    /// Its name in model files.
    const NAME: &'static str;

    /// Trains one.
    fn train(task: Task<'_, X>) -> Result<Model<X>>;

    /// Reads what [`Judge::write`] wrote. Files may be damaged, so everything must be checked.
    fn read(stored: Stored<'_, X>) -> Result<Self>;
}

/// The input for training a judge.
pub struct Task<'a, X: SampleSet> {
    /// The training samples.
    pub samples: &'a X,
    /// Their measure, which has learned from them.
    pub measure: Box<dyn Dissimilarity<X::Item>>,
    /// Parameters, plan and size, as known before training.
    pub origin: Origin,
    /// Receives the progress.
    pub observer: &'a dyn Observer,
    /// Whether it may use panels in addition to views. Streams may not, because panels cannot be updated.
    pub panels: bool,
}

/// A model that is being read.
pub struct Stored<'a, X: SampleSet> {
    /// The file.
    pub contents: &'a Contents,
    /// The value that [`Judge::write`] returned when this model was saved.
    pub learned: &'a Value,
    /// Parameters, plan and record of the training.
    pub origin: &'a Origin,
    /// The training samples and the measure that new samples are compared by.
    pub reference: Reference<X>,
    /// The scores of nominal samples, among which new scores are ranked.
    pub calibration: Calibration,
}

type Read<X> = fn(Stored<'_, X>) -> Result<Box<dyn Judge<X>>>;

/// The judges that a model file may contain: those of the library, and any that a caller adds.
pub struct Judges<X: SampleSet>(Vec<(&'static str, Read<X>)>);

impl<X: SampleSet> Default for Judges<X> {
    /// The judges of the library. **A new judge is one line here.**
    fn default() -> Self {
        Self(Vec::new())
            .with::<super::closeness::ClosenessJudge<X>>()
            .with::<super::committee::CommitteeJudge<X>>()
    }
}

impl<X: SampleSet> Judges<X> {
    /// Adds a judge.
    #[must_use]
    pub fn with<J: JudgeKind<X>>(mut self) -> Self {
        self.0.push((J::NAME, |stored| Ok(Box::new(J::read(stored)?))));
        self
    }

    pub(super) fn read(&self, name: &str, stored: Stored<'_, X>) -> Result<Box<dyn Judge<X>>> {
        let Some((_, read)) = self.0.iter().find(|judge| judge.0 == name) else {
            let text = format!("the model judges by `{name}`, which this program does not know");
            return Err(ModelFault::Unsupported(text).into());
        };
        read(stored)
    }
}
