//! All integration tests of the crate in one program: what they share is compiled and linked once.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod leaderboard;
mod reproduce;
mod support;
mod thresholds;
