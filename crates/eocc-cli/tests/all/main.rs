//! All integration tests of the crate in one program: what they share is compiled and linked once.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod any_data;
#[cfg(all(target_os = "linux", feature = "columnar"))]
mod attacks;
mod bad_input;
mod biology;
mod columns;
mod compare;
mod contract;
mod drift;
mod evaluate;
mod everyday;
mod explain;
mod formats;
mod guide;
#[cfg(all(target_os = "linux", feature = "columnar"))]
mod hostile;
#[cfg(target_os = "linux")]
mod kills;
mod missing;
mod monitor;
mod ordinary;
mod outliers;
mod overwriting;
mod plan;
mod proteins;
mod report;
#[cfg(feature = "serve")]
mod serve;
#[cfg(unix)] // the system's messages are part of the errors
mod snapshots;
mod streams;
mod support;
mod unsaid;
mod ways_in;
mod windows;
mod wording;
