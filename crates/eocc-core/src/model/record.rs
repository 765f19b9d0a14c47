//! The steps of a training, for plots. Nothing here depends on the clock: the same seed gives the same file.

use serde::{Deserialize, Serialize};

use crate::jensen::DescentStep;
use crate::synthesis::StopReason;

/// The steps of a training.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrainingRecord {
    /// The descent over `k` that led to the model's graph, from the largest `k` on.
    pub descent: Vec<DescentStep>,
    /// The objective of every evaluation of a search, in order; empty without a search.
    pub search: Vec<f64>,
}

impl TrainingRecord {
    pub(super) fn new(descent: Vec<DescentStep>, history: Vec<f64>, stop: StopReason) -> Self {
        let search = if stop == StopReason::NoSearch { Vec::new() } else { history };
        Self { descent, search }
    }

    /// Whether it can come from a training on `n` samples.
    pub(super) fn is_possible(&self, n: usize) -> bool {
        let is_share = |eta: f64| (0.0..=1.0).contains(&eta);
        let is_step = |s: &DescentStep| {
            is_share(s.eta) && (1..n).contains(&s.neighbors) && (1..=n).contains(&s.regions)
        };
        self.descent.len() <= n
            && self.descent.iter().all(is_step)
            && self.search.iter().all(|e| is_share(*e))
    }
}
