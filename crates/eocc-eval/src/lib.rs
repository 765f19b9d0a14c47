//! How well a one-class classifier tells nominal samples from others: measures and protocols.

pub mod auc;
pub mod protocol;

pub use auc::auc;
pub use protocol::{CrossValidation, Evaluation, FoldResult, Split};
