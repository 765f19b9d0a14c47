//! How well one-class classifiers tell nominal samples from others: measures, protocols, comparisons and the statistics of
//! comparisons.

pub mod auc;
pub mod comparison;
mod halves;
pub mod printed;
pub mod protocol;
pub mod statistics;
mod workers;

pub use auc::{auc, auc_error, average_precision};
pub use comparison::{Cell, Comparison, DataSet, Experiment, Journal, Outcome, Record, Summary, fingerprint};
pub use halves::{Halves, Protocol};
pub use protocol::{CrossValidation, Evaluation, FoldResult, Split};
