//! Watching a run, and stopping it.

use crate::plan::Plan;

/// How far a run has come.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A fit is about to start.
    Planned(&'a Plan),
    /// The search has evaluated a candidate `p`.
    Evaluation {
        /// How many so far.
        evaluations: usize,
        /// How many there may be.
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
        /// Steps in all.
        total: usize,
    },
    /// Neighbors were found with the help of lower bounds, and only some dissimilarities were measured.
    Spared {
        /// How many were measured.
        measured: usize,
        /// How many there are.
        pairs: usize,
    },
}

/// Sees the progress of a run and may ask it to stop. Called from several threads.
pub trait Observer: Sync {
    /// Called now and then.
    fn progress(&self, _progress: &Progress<'_>) {}

    /// Whether to stop. A search then returns the best found so far.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Whether nothing is wanted any more, not even the best that a search has found so far: then it is not finished.
    fn is_abandoned(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
