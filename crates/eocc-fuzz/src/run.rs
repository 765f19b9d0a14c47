//! Runs a target on many inputs, and collects failures.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::corpus::corpus;
use crate::mutate::Mutator;
use crate::targets::Target;

/// An input that takes longer counts as a hang.
const HANG: Duration = Duration::from_secs(1);
/// Maximum memory for one input, in bytes.
const MAX_MEMORY: usize = 300_000_000;

/// When to stop, whichever comes first.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// After this many inputs.
    pub inputs: u64,
    /// After this time.
    pub time: Duration,
}

/// An input that failed.
#[derive(Debug)]
pub struct Finding {
    /// What is wrong.
    pub what: String,
    /// The input.
    pub input: Vec<u8>,
}

/// The results of a target.
#[derive(Debug, Default)]
pub struct Report {
    /// Inputs that were tried.
    pub inputs: u64,
    /// Inputs that were accepted.
    pub accepted: u64,
    /// All bytes of all inputs.
    pub bytes: u64,
    /// The longest time for an input.
    pub slowest: Duration,
    /// The largest increase of peak memory by an input, in bytes.
    pub most_memory: usize,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// Measures peak memory; provided by the program that runs targets.
pub(crate) type Peak<'a> = &'a dyn Fn() -> usize;

/// Runs a target. `peak` returns the peak memory of this process so far.
pub fn run(target: &Target, seed: u64, limits: Limits, peak: Peak<'_>) -> Result<Report> {
    let corpus = corpus(target)?;
    let mut mutator = Mutator::new(&corpus, seed);
    let mut report = Report::default();
    let start = Instant::now();
    // First all of the corpus unchanged.
    let mut whole = corpus.iter();
    while report.inputs < limits.inputs && start.elapsed() < limits.time {
        let input = whole.next().cloned().unwrap_or_else(|| mutator.next_input());
        one(target, input, peak, &mut report);
    }
    Ok(report)
}

fn one(target: &Target, input: Vec<u8>, peak: Peak<'_>, report: &mut Report) {
    let before = peak();
    let start = Instant::now();
    let answer = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
    let (took, after) = (start.elapsed(), peak());
    report.inputs += 1;
    report.bytes += input.len() as u64;
    report.slowest = report.slowest.max(took);
    // Only a peak above all earlier ones is noticed, which is enough to find the first that is too high.
    let memory = if after > before { after } else { 0 };
    report.most_memory = report.most_memory.max(memory);
    let what = match answer {
        Err(_) => Some("a panic".to_owned()),
        Ok(_) if took > HANG => Some(format!("it takes {:.1} s", took.as_secs_f64())),
        Ok(_) if memory > MAX_MEMORY => Some(format!("it takes {memory} bytes of memory")),
        Ok(is_accepted) => {
            report.accepted += u64::from(is_accepted);
            None
        }
    };
    if let Some(what) = what {
        report.findings.push(Finding { what, input });
    }
}
