//! Hostile inputs, made in this process on stable Rust: one [`Target`] for each file reader, for model files and for
//! the converters of the bindings.
//!
//! An input is one from the corpus, damaged a few times, or two of them joined. It must give a result or an error:
//! without a panic, within a second, and with at most 300 MB. The result is then used, since one that panics on use
//! is not better.

mod corpus;
mod mutate;
mod run;
mod targets;

pub use corpus::corpus;
pub use mutate::Mutator;
pub use run::{Finding, Limits, Report, run};
pub use targets::{TARGETS, Target};
