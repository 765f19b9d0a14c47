//! All integration tests of the crate in one program: what they share is compiled and linked once.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod corpus;
mod doubts;
mod fields;
mod gedlib;
mod hostile;
mod real_files;
mod round_trip;
