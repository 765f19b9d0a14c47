//! All integration tests of the crate in one program: what they share is compiled and linked once.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod adding_a_judge;
mod any_data;
mod calibration;
mod cancel;
mod committee;
mod degenerate;
mod edit_distance;
mod entropy;
mod golden;
mod killed;
mod laws;
mod measures;
mod model_file;
mod oracle;
mod outside;
mod quality;
mod repeat;
mod scale;
mod seen;
mod stream;
mod support;
mod ties;
