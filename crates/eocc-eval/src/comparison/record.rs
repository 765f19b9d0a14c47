//! The result of one classifier on one split of one data set.

use eocc_core::Result;
use serde::{Deserialize, Serialize};

use crate::auc::{auc, auc_error, average_precision};
use crate::experiment::{Rejected, Scores};

/// The result of one classifier on one split of one data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Fingerprint of the data set.
    pub set: String,
    /// Name of the classifier.
    pub method: String,
    /// Which repeat.
    pub repeat: usize,
    /// Which fold of it.
    pub fold: usize,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The outcome of one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran.
    Scored {
        /// Area under the ROC curve.
        auc: f64,
        /// Its standard error (`DeLong`); missing if a side has a single sample.
        auc_error: Option<f64>,
        /// Average precision of detecting the outliers.
        average_precision: f64,
        /// Seconds of processor time to fit.
        fit_seconds: f64,
        /// Seconds of processor time to score.
        score_seconds: f64,
        /// Number of samples scored.
        scored: usize,
        /// The result of the classifier's threshold, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rejected: Option<Rejected>,
    },
    /// It failed, with this error.
    Failed(String),
}

impl Outcome {
    /// From the scores of a split. Cancellation is not an error of the classifier, and not a result.
    pub(super) fn from_scores(result: Result<Scores>) -> Result<Self> {
        match result {
            Ok(s) => {
                let error = auc_error(&s.nominal, &s.outliers);
                Ok(Self::Scored {
                    auc: auc(&s.nominal, &s.outliers),
                    auc_error: error.is_finite().then_some(error),
                    average_precision: average_precision(&s.nominal, &s.outliers),
                    fit_seconds: s.fit_seconds,
                    score_seconds: s.score_seconds,
                    scored: s.nominal.len() + s.outliers.len(),
                    rejected: s.rejected,
                })
            }
            Err(e) if e.is_cancelled() => Err(e),
            Err(e) => Ok(Self::Failed(e.to_string())),
        }
    }
}
