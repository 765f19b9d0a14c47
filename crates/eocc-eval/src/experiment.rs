//! The interface between a comparison and a data set: splitting it, and running classifiers on a split.

use eocc_baselines::Method;
use eocc_core::{Observer, Result};
use serde::{Deserialize, Serialize};

use crate::protocol::Split;

/// A data set that classifiers can be run on.
pub trait Experiment: Sync {
    /// Its name in tables.
    fn name(&self) -> &str;

    /// Sixteen letters that differ whenever the data, or how classifiers see them, differ.
    fn fingerprint(&self) -> &str;

    /// Nominal samples.
    fn nominal(&self) -> &[usize];

    /// Outliers.
    fn outliers(&self) -> &[usize];

    /// Computes, on all threads, what these methods can share over these splits. Called once, before the first split.
    fn begin(&self, _methods: &[&Method], _splits: &[&Split], _observer: &dyn Observer) -> Result<()> {
        Ok(())
    }

    /// Prepares one split, on which several classifiers may then be run.
    fn prepare<'a>(&'a self, split: &'a Split) -> Result<Box<SplitRunner<'a>>>;
}

/// Runs a classifier on one split.
pub type SplitRunner<'a> = dyn Fn(&Method, &dyn Observer) -> Result<Scores> + 'a;

/// How many test samples of a split were rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// Nominal samples that were rejected: false alarms.
    pub nominal: usize,
    /// Number of nominal samples.
    pub of_nominal: usize,
    /// Outliers that were rejected: detections.
    pub outliers: usize,
    /// Number of outliers.
    pub of_outliers: usize,
}

/// Scores of one split by a classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Scores of the nominal test samples.
    pub nominal: Vec<f64>,
    /// Scores of the outliers.
    pub outliers: Vec<f64>,
    /// The result of the classifier's threshold, if it has one.
    pub rejected: Option<Rejected>,
    /// Seconds of processor time to fit.
    pub fit_seconds: f64,
    /// Seconds of processor time to score.
    pub score_seconds: f64,
}
