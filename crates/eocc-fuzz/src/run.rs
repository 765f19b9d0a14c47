//! Runs a target on many inputs, and finds those that are answered badly.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::corpus::corpus;
use crate::mutate::Mutator;
use crate::targets::Target;

/// An input that takes longer has hung.
const HANG: Duration = Duration::from_secs(1);
/// The most memory of one input, in bytes.
const MOST_MEMORY: usize = 300_000_000;

/// When to end, whichever comes first.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// So many inputs.
    pub inputs: u64,
    /// So long.
    pub time: Duration,
}

/// An input that was answered badly.
#[derive(Debug)]
pub struct Finding {
    /// What is wrong.
    pub what: String,
    /// The input.
    pub input: Vec<u8>,
}

/// How a target did.
#[derive(Debug, Default)]
pub struct Report {
    /// Inputs that were tried.
    pub inputs: u64,
    /// Inputs that were taken for good.
    pub accepted: u64,
    /// All bytes of all inputs.
    pub bytes: u64,
    /// The longest that an input took.
    pub slowest: Duration,
    /// The most memory that an input took, in bytes, as far as it was more than any before.
    pub most_memory: usize,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// Counts memory; the program that runs targets says how.
pub(crate) type Peak<'a> = &'a dyn Fn() -> usize;

/// Runs a target. `peak` tells the most memory that this process has held so far.
pub fn run(target: &Target, seed: u64, limits: Limits, peak: Peak<'_>) -> Result<Report> {
    let corpus = corpus(target)?;
    let mut mutator = Mutator::new(&corpus, seed);
    let mut report = Report::default();
    let start = Instant::now();
    // First all of the corpus as it is.
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
    // Only a peak above all earlier ones is seen, which is enough to find the first that is too high.
    let memory = if after > before { after } else { 0 };
    report.most_memory = report.most_memory.max(memory);
    let what = match answer {
        Err(_) => Some("a panic".to_owned()),
        Ok(_) if took > HANG => Some(format!("it takes {:.1} s", took.as_secs_f64())),
        Ok(_) if memory > MOST_MEMORY => Some(format!("it takes {memory} bytes of memory")),
        Ok(is_accepted) => {
            report.accepted += u64::from(is_accepted);
            None
        }
    };
    if let Some(what) = what {
        report.findings.push(Finding { what, input });
    }
}
