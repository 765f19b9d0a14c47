//! The search over the parameters `p` of the dissimilarity [LA17, alg. 1].
//!
//! A search proposes candidates and receives their objectives. The driver evaluates them one by one (each evaluation
//! is parallel inside), so that the result does not depend on the number of threads, and decides when to stop. A new
//! search is a new file here and a variant of [`SearchKind`].

mod genetic;

use serde::{Deserialize, Serialize};

use crate::dissimilarity::Parameter;
use crate::error::{Error, ErrorKind, Result};
use crate::observer::{Observer, Progress};
use crate::random::Random;

/// A derivative-free search on the unit cube. Smaller is better.
pub trait Search {
    /// The next candidates to evaluate.
    fn ask(&mut self, random: &mut Random) -> Vec<Vec<f64>>;

    /// Their objectives, in the same order.
    fn tell(&mut self, candidates: &[Vec<f64>], values: &[f64]);
}

/// The available searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SearchKind {
    /// No search: the parameters as they are after learning (uniform weights).
    None,
    /// The paper's genetic algorithm.
    Genetic,
}

impl SearchKind {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::None, Self::Genetic];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Genetic => "genetic",
        }
    }

    /// The search with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|s| s.name() == name)
    }

    /// A search from `first`, one of the first candidates.
    fn start(self, first: Vec<f64>) -> Option<Box<dyn Search>> {
        match self {
            Self::None => None,
            Self::Genetic => Some(Box::new(genetic::Genetic::new(first))),
        }
    }
}

/// Why the search stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StopReason {
    /// No search was requested, or there is nothing to search.
    NoSearch,
    /// The objective fell to the threshold `tau`.
    Converged,
    /// The limit of evaluations was reached.
    Limit,
    /// The observer cancelled.
    Cancelled,
}

impl StopReason {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoSearch => "no-search",
            Self::Converged => "converged",
            Self::Limit => "limit",
            Self::Cancelled => "cancelled",
        }
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// The threshold `tau`: small enough.
    pub tau: f64,
    /// Maximum number of evaluations.
    pub evaluations: usize,
    /// The number of stages, with about the same number of evaluations; with many samples, each stage uses more of
    /// them.
    pub stages: usize,
}

impl Stopping {
    /// The stage of an evaluation, given the number of earlier ones.
    fn stage(&self, before: usize, limit: usize) -> usize {
        (before * self.stages / limit).min(self.stages - 1)
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    /// The best parameters.
    pub p: Vec<f64>,
    /// The value of the objective for them.
    pub value: T,
    /// Objective of each evaluation, in order.
    pub history: Vec<f64>,
    /// Their parameters.
    pub tried: Vec<Vec<f64>>,
    /// Why it stopped.
    pub stop: StopReason,
}

/// Searches `parameters` for the smallest objective; the current parameters are evaluated first.
///
/// `evaluate` receives the stage, and returns the objective and whatever the caller wants back for the best
/// candidate. That is evaluated again at the beginning of each stage: objectives of different stages are not
/// compared. If it fails because the run was cancelled, the best result so far is returned; any other error ends the
/// search.
pub fn search<T>(
    kind: SearchKind,
    parameters: &[Parameter],
    stopping: Stopping,
    seed: u64,
    observer: &dyn Observer,
    mut evaluate: impl FnMut(&[f64], usize) -> Result<(f64, T)>,
) -> Result<Found<T>> {
    let scaled = |unit: &[f64]| -> Vec<f64> {
        unit.iter().zip(parameters).map(|(u, p)| p.low + u * (p.high - p.low)).collect()
    };
    let standing: Vec<f64> = parameters.iter().map(|p| p.value).collect();
    let searching = kind != SearchKind::None && !parameters.is_empty();
    let mut best: Option<(f64, Vec<f64>, T)> = None;
    let mut history = Vec::new();
    let mut tried = Vec::new();
    let limit = if searching { stopping.evaluations.max(1) } else { 1 };
    let mut last_stage = 0;
    let mut try_one = |p: Vec<f64>, best: &mut Option<(f64, Vec<f64>, T)>, history: &mut Vec<f64>| {
        let stage = stopping.stage(history.len(), limit);
        if stage > last_stage
            && let Some((_, best_p, _)) = best.take()
        {
            let (eta, value) = evaluate(&best_p, stage)?;
            *best = Some((eta, best_p, value));
        }
        last_stage = stage;
        let (eta, value) = evaluate(&p, stage)?;
        history.push(eta);
        tried.push(p.clone());
        // Strictly smaller: ties go to the first.
        if best.as_ref().is_none_or(|b| eta < b.0) {
            *best = Some((eta, p, value));
        }
        let smallest = best.as_ref().map_or(eta, |b| b.0);
        observer.progress(&Progress::Evaluation { evaluations: history.len(), limit, eta, best: smallest });
        Ok::<f64, Error>(eta)
    };
    let stop = 'run: {
        try_one(standing.clone(), &mut best, &mut history)?;
        let first = parameters
            .iter()
            .map(|p| if p.high > p.low { (p.value - p.low) / (p.high - p.low) } else { 0.0 })
            .collect();
        let Some(mut search) = kind.start(first).filter(|_| searching) else {
            break 'run StopReason::NoSearch;
        };
        let mut random = Random::stream(seed, 2);
        loop {
            let candidates = search.ask(&mut random);
            let mut values = Vec::with_capacity(candidates.len());
            for unit in &candidates {
                if best.as_ref().is_some_and(|b| b.0 <= stopping.tau) {
                    break 'run StopReason::Converged;
                }
                if history.len() >= limit {
                    break 'run StopReason::Limit;
                }
                if observer.is_cancelled() {
                    break 'run StopReason::Cancelled;
                }
                let p = scaled(unit);
                if p == standing {
                    // Known from the start.
                    values.push(history[0]);
                    continue;
                }
                match try_one(p, &mut best, &mut history) {
                    Ok(eta) => values.push(eta),
                    Err(e) if e.is_cancelled() => break 'run StopReason::Cancelled,
                    Err(e) => return Err(e),
                }
            }
            search.tell(&candidates, &values);
        }
    };
    let (_, p, value) = best.ok_or(Error::from(ErrorKind::Cancelled))?;
    Ok(Found { p, value, history, tried, stop })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Silent;
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn cube(q: usize, value: f64) -> Vec<Parameter> {
        (0..q).map(|f| Parameter { name: format!("x{f}"), low: -1.0, high: 3.0, value }).collect()
    }

    fn sphere(p: &[f64]) -> f64 {
        p.iter().map(|x| (x - 0.3).powi(2)).sum()
    }

    #[test]
    fn the_search_finds_the_minimum_of_a_bowl_and_repeats_itself() {
        let run = || {
            let stopping = Stopping { tau: 1e-3, evaluations: 6000, stages: 1 };
            let cube = cube(5, 1.0);
            search(SearchKind::Genetic, &cube, stopping, 9, &Silent, |p, _| Ok((sphere(p), ()))).unwrap()
        };
        let found = run();
        assert_eq!(found.stop, StopReason::Converged);
        assert!(sphere(&found.p) <= 1e-3);
        assert_eq!(found, run());
    }

    #[test]
    fn stopping_is_a_value() {
        let go = |kind, tau, evaluations| {
            search(kind, &cube(2, 1.0), Stopping { tau, evaluations, stages: 1 }, 1, &Silent, |p, _| {
                Ok((sphere(p), ()))
            })
            .unwrap()
        };
        assert_eq!(go(SearchKind::None, 0.0, 100).stop, StopReason::NoSearch);
        assert_eq!(go(SearchKind::None, 0.0, 100).history.len(), 1);
        assert_eq!(go(SearchKind::Genetic, 10.0, 100).history.len(), 1);
        assert_eq!(go(SearchKind::Genetic, 10.0, 100).stop, StopReason::Converged);
        let limited = go(SearchKind::Genetic, 0.0, 57);
        assert_eq!((limited.stop, limited.history.len()), (StopReason::Limit, 57));
        assert!(limited.history.iter().all(|eta| *eta >= sphere(&limited.p)));
        let again: Vec<f64> = limited.tried.iter().map(|p| sphere(p)).collect();
        assert_eq!(again, limited.history);
    }

    #[test]
    fn cancelled_runs_return_the_best_so_far() {
        struct After(AtomicUsize);
        impl Observer for After {
            fn is_cancelled(&self) -> bool {
                self.0.fetch_add(1, Ordering::Relaxed) >= 10
            }
        }
        let calls = Cell::new(0);
        let stopping = Stopping { tau: 0.0, evaluations: 1000, stages: 1 };
        let observer = After(AtomicUsize::new(0));
        let found = search(SearchKind::Genetic, &cube(3, 1.0), stopping, 1, &observer, |p, _| {
            calls.set(calls.get() + 1);
            Ok((sphere(p), ()))
        });
        let found = found.unwrap();
        assert_eq!(found.stop, StopReason::Cancelled);
        assert_eq!(calls.get(), found.history.len());
        assert!(found.history.len() < 20);
    }

    #[test]
    fn stages_come_one_after_another_and_the_best_is_evaluated_again_in_each() {
        let stopping = Stopping { tau: 0.0, evaluations: 90, stages: 3 };
        let mut seen: Vec<(usize, Vec<f64>)> = Vec::new();
        // Objectives of later stages are larger: compared with earlier ones, none would be the best.
        let found = search(SearchKind::Genetic, &cube(3, 1.0), stopping, 5, &Silent, |p, stage| {
            seen.push((stage, p.to_vec()));
            Ok((sphere(p) + 100.0 * stage as f64, stage))
        })
        .unwrap();
        assert_eq!((found.value, found.history.len(), seen.len()), (2, 90, 92));
        assert!(seen.is_sorted_by_key(|s| s.0));
        let of_stage = |stage: usize| seen.iter().filter(move |s| s.0 == stage);
        let best = of_stage(1).map(|s| sphere(&s.1)).fold(f64::INFINITY, f64::min);
        let first = of_stage(2).next().unwrap();
        assert!((sphere(&first.1) - best).abs() < 1e-15);
    }
}
