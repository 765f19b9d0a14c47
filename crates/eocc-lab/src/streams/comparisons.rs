//! How many strings are compared for each observation.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use eocc_core::dissimilarity::Dissimilarity;
use eocc_core::stream::Stream;
use eocc_core::{Preset, SampleKind, Settings, Texts};
use serde_json::Value;

use super::{data, params};

const WINDOW: usize = 256;
/// The warm-up, all of which becomes the frozen reference.
const REFERENCE: usize = 64;
/// Comparisons of an observation at most, as the design of streams has it: each member of the window once, a tenth more to restore
/// lists of neighbors, and the reference.
const BOUND: f64 = 1.1 * WINDOW as f64 + REFERENCE as f64;

/// A measure that counts its comparisons. Without lower bounds, every one is made.
struct Counted {
    inner: Box<dyn Dissimilarity<str>>,
    count: Arc<AtomicU64>,
}

impl Dissimilarity<str> for Counted {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn between(&self, a: &str, b: &str) -> f64 {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.inner.between(a, b)
    }

    fn check(&self, sample: &str) -> eocc_core::Result<()> {
        self.inner.check(sample)
    }

    fn learn(&mut self, samples: &[&str], names: &[String]) -> eocc_core::Result<()> {
        self.inner.learn(samples, names)
    }

    fn state(&self) -> Option<Value> {
        None
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<str>> {
        Box::new(Self { inner: self.inner.boxed(), count: Arc::clone(&self.count) })
    }
}

/// Comparisons per observation after the window has filled: all of them, and those at observations at which nothing is refreshed.
fn per_observation(observations: usize) -> Result<(f64, f64)> {
    let count = Arc::<AtomicU64>::default();
    let inner = Texts::measure(Preset::Default, Some("levenshtein"), &Settings::default())?;
    let mut parameters = params(0.01, 0);
    (parameters.window, parameters.warm_up, parameters.step) = (WINDOW, REFERENCE, Some(1));
    let measure = Counted { inner, count: Arc::clone(&count) };
    let mut stream = Stream::<Texts>::with_measure(parameters, Box::new(measure))?;
    let words = Texts::new(data::words(2 * WINDOW + observations, 1))?;
    let so_far = || count.load(Ordering::Relaxed) as f64;
    for row in 0..2 * WINDOW {
        stream.observe(&words, row)?;
    }
    let (start, mut least) = (so_far(), f64::INFINITY);
    for row in 2 * WINDOW..2 * WINDOW + observations {
        let before = so_far();
        stream.observe(&words, row)?;
        least = least.min(so_far() - before);
    }
    Ok(((so_far() - start) / observations as f64, least))
}

/// Comparisons of strings next to their bound.
pub(super) fn comparisons() -> Result<String> {
    let (all, least) = per_observation(4096)?;
    let mut text = String::from("## Comparisons of strings\n\n");
    writeln!(
        text,
        "With a window of {WINDOW}, a reference of {REFERENCE} and a bet on every observation, a string is compared with {least:.0} others \
         between two refreshes. The bound is {BOUND:.0}: each member of the window once, a tenth more for lists of neighbors that run \
         short, and the reference. Refreshes, fits of the whole window and searches for new regions bring the mean to {all:.0}, which \
         the bound leaves out."
    )?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_compared_no_more_often_than_the_design_allows() {
        let (all, least) = per_observation(1024).unwrap();
        // Each member of the window must be looked at.
        assert!((WINDOW as f64..=BOUND).contains(&least), "{least}");
        // Refreshes and fits do not dominate.
        assert!(all > least && all < 2.0 * BOUND, "{least} of {all}");
    }
}
