//! How well one-class classifiers separate nominal samples from outliers: measures, protocols, comparisons, their
//! tables and their statistics.
//!
//! [`LabelledSamples`] become an [`Experiment`], a [`Protocol`] splits it, and a [`Comparison`] runs classifiers on
//! the splits. [`evaluate`] is a comparison of one classifier; a [`JournaledComparison`] stores its results in a file
//! and resumes where it was stopped. A [`Summary`] is the result, and renders itself as a table.
//!
//! All times are processor time. Where dissimilarities are computed once for several classifiers or splits, each is
//! charged as if it had computed them itself.

pub mod auc;
mod comparison;
mod data_set;
mod experiment;
pub mod interval;
mod protocol;
mod shared_matrix;
mod standardize;
pub mod statistics;
mod table;
mod workers;

pub use auc::{auc, auc_error, average_precision};
pub use comparison::{
    ALPHA, AtThreshold, Cell, Comparison, Journal, JournaledComparison, OnFailure, Outcome, RESULTS_VERSION,
    Ranking, Record, Summary, Watcher, evaluate,
};
pub use data_set::{LabelledSamples, RunOptions, fingerprint};
pub use experiment::{Experiment, Rejected, Scores, SplitRunner};
pub use interval::Interval;
pub use protocol::{CrossValidation, HeldOut, Protocol, Split};
pub use standardize::Standardize;
pub use table::{TableFormat, markdown, number};
