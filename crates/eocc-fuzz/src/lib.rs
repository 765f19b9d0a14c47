//! Hostile inputs, made in this process on stable Rust: one [`Target`] for each reader of files, for the model file and for
//! the converters of the bindings.
//!
//! An input is one of the corpus that was damaged a few times, or two of them joined. It must be answered with a result or an
//! error: not with a panic, not later than a second, and not with more than 300 MB. What is answered is then used, as a result
//! that breaks whoever asks it is no better.

mod corpus;
mod mutate;
mod run;
mod targets;

pub use corpus::corpus;
pub use mutate::Mutator;
pub use run::{Finding, Limits, Report, run};
pub use targets::{TARGETS, Target};
