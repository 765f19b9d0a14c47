//! Observing a run, and cancelling it.

use crate::plan::Plan;

/// How far a run has come.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A fit is about to start.
    Planned(&'a Plan),
    /// The search has evaluated a candidate `p`.
    Evaluation {
        /// Number of evaluations so far.
        evaluations: usize,
        /// Maximum number of evaluations.
        limit: usize,
        /// The objective of this candidate.
        eta: f64,
        /// The smallest objective so far.
        best: f64,
    },
    /// A stage has done `done` of `total` steps.
    Stage {
        /// Name of the stage.
        name: &'a str,
        /// Steps done.
        done: usize,
        /// Total steps.
        total: usize,
    },
    /// Neighbors were found with the help of lower bounds, and only some dissimilarities were measured.
    Spared {
        /// How many were measured.
        measured: usize,
        /// How many pairs there are.
        pairs: usize,
    },
}

/// Receives the progress of a run and may cancel it. Called from several threads.
pub trait Observer: Sync {
    /// Called from time to time.
    fn progress(&self, _progress: &Progress<'_>) {}

    /// Whether to stop. A search then returns the best result so far.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Whether no result is wanted any longer, not even the best of a search so far, which is then not finished.
    fn is_abandoned(&self) -> bool {
        false
    }
}

/// Observes nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
