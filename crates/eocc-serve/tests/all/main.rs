//! All integration tests of the crate in one program: what they share is compiled and linked once.
#![allow(
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::format_push_string,
    reason = "helpers of tests"
)]

mod answers;
mod batching;
mod faults;
mod forms;
mod monitor;
mod reload;
mod support;
mod under_load;
