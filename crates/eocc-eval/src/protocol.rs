//! Repeated cross-validation for one-class problems: train on the nominals of the other folds, test on the nominals of
//! this fold and on everything else.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use eocc::random::Random;
use eocc::{Error, ErrorKind, Result};

use crate::auc::auc;
use crate::workers::on_threads;

/// One training and testing split: indices of samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Which repeat.
    pub repeat: usize,
    /// Which fold of it.
    pub fold: usize,
    /// Nominal samples to train on.
    pub train: Vec<usize>,
    /// Nominal samples to test on.
    pub nominal: Vec<usize>,
    /// The others, all of them.
    pub others: Vec<usize>,
}

/// The result of one split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldResult {
    /// Area under the ROC curve.
    pub auc: f64,
    /// Seconds to fit, on one thread.
    pub fit_seconds: f64,
    /// Seconds to score, on one thread.
    pub score_seconds: f64,
}

/// Scores of one split, as a classifier gives them.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Of the nominal test samples.
    pub nominal: Vec<f64>,
    /// Of the others.
    pub others: Vec<f64>,
    /// Seconds to fit.
    pub fit_seconds: f64,
    /// Seconds to score.
    pub score_seconds: f64,
}

/// Repeated cross-validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrossValidation {
    /// How often.
    pub repeats: usize,
    /// In how many folds the nominals are cut.
    pub folds: usize,
    /// Seed of the shuffles.
    pub seed: u64,
}

/// What a cross-validation found.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Each fold of each repeat.
    pub folds: Vec<FoldResult>,
    /// Mean AUC of each repeat.
    pub repeats: Vec<f64>,
}

impl Evaluation {
    /// Mean AUC over repeats.
    pub fn mean(&self) -> f64 {
        self.repeats.iter().sum::<f64>() / self.repeats.len() as f64
    }

    /// Standard deviation of the AUC over repeats (unbiased; 0 for a single repeat).
    pub fn deviation(&self) -> f64 {
        let (n, mean) = (self.repeats.len() as f64, self.mean());
        if n < 2.0 {
            return 0.0;
        }
        (self.repeats.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
    }

    /// Mean seconds to fit and to score one fold.
    pub fn seconds(&self) -> (f64, f64) {
        let n = self.folds.len() as f64;
        let mean = |f: fn(&FoldResult) -> f64| self.folds.iter().map(f).sum::<f64>() / n;
        (mean(|f| f.fit_seconds), mean(|f| f.score_seconds))
    }
}

impl CrossValidation {
    /// All splits, in order of repeat and fold.
    pub fn splits(&self, nominal: &[usize], others: &[usize]) -> Result<Vec<Split>> {
        let n = nominal.len();
        if self.repeats == 0 {
            return Err(Error::parameter("repeats", 0, "at least 1"));
        }
        if self.folds < 2 || self.folds > n {
            return Err(Error::parameter("folds", self.folds, format!("in 2..={n} for {n} nominal samples")));
        }
        if others.is_empty() {
            return Err(Error::input("every sample is nominal, so there is nothing to tell apart"));
        }
        let mut splits = Vec::with_capacity(self.repeats * self.folds);
        for repeat in 0..self.repeats {
            let mut order = nominal.to_vec();
            Random::stream(self.seed, 100 + repeat as u64).shuffle(&mut order);
            for fold in 0..self.folds {
                // Folds differ in size by at most one.
                let range = fold * n / self.folds..(fold + 1) * n / self.folds;
                let mut train: Vec<usize> = [&order[..range.start], &order[range.end..]].concat();
                let mut test = order[range].to_vec();
                train.sort_unstable();
                test.sort_unstable();
                splits.push(Split { repeat, fold, train, nominal: test, others: others.to_vec() });
            }
        }
        Ok(splits)
    }

    /// Runs `classify` on every split, `threads` splits at a time, each on a thread of its own, so that the times are
    /// comparable and the result does not depend on the number of threads. `done` is told of every finished split and
    /// may ask to stop.
    pub fn run(
        &self,
        nominal: &[usize],
        others: &[usize],
        threads: usize,
        classify: impl Fn(&Split) -> Result<Scores> + Sync,
        done: impl Fn(usize, usize) -> bool + Sync,
    ) -> Result<Evaluation> {
        let splits = self.splits(nominal, others)?;
        let folds = in_parallel(&splits, threads, classify, done)?;
        let repeats = folds
            .chunks(self.folds)
            .map(|folds| folds.iter().map(|f| f.auc).sum::<f64>() / folds.len() as f64)
            .collect();
        Ok(Evaluation { folds, repeats })
    }
}

fn in_parallel(
    splits: &[Split],
    threads: usize,
    classify: impl Fn(&Split) -> Result<Scores> + Sync,
    done: impl Fn(usize, usize) -> bool + Sync,
) -> Result<Vec<FoldResult>> {
    let results: Mutex<Vec<Option<Result<FoldResult>>>> = Mutex::new(splits.iter().map(|_| None).collect());
    let (next, finished, stopped) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let work = || {
        while !stopped.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(split) = splits.get(at) else { break };
            let result = classify(split).map(|s| FoldResult {
                auc: auc(&s.nominal, &s.others),
                fit_seconds: s.fit_seconds,
                score_seconds: s.score_seconds,
            });
            let failed = result.is_err();
            if let Ok(mut results) = results.lock() {
                results[at] = Some(result);
            }
            let count = finished.fetch_add(1, Ordering::Relaxed) + 1;
            if failed || !done(count, splits.len()) {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    };
    on_threads(threads.clamp(1, splits.len()), work)?;
    let results = results.into_inner().unwrap_or_default();
    // The first failure by index, so that the message repeats itself too.
    let failure = results.iter().position(|r| matches!(r, Some(Err(_))));
    let mut results = results;
    if let Some(at) = failure
        && let Some(Err(e)) = results.swap_remove(at)
    {
        return Err(e);
    }
    results.into_iter().map(|r| r.unwrap_or_else(|| Err(ErrorKind::Cancelled.into()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cv() -> CrossValidation {
        CrossValidation { repeats: 3, folds: 4, seed: 1 }
    }

    #[test]
    fn folds_partition_the_nominals() {
        let nominal: Vec<usize> = (0..22).collect();
        let splits = cv().splits(&nominal, &[30, 31]).unwrap();
        assert_eq!(splits.len(), 12);
        for repeat in splits.chunks(4) {
            let mut tested: Vec<usize> = repeat.iter().flat_map(|s| s.nominal.clone()).collect();
            tested.sort_unstable();
            assert_eq!(tested, nominal);
            for s in repeat {
                assert_eq!(s.train.len() + s.nominal.len(), 22);
                assert!(s.nominal.iter().all(|v| !s.train.contains(v)));
                assert_eq!(s.others, [30, 31]);
            }
        }
        assert_ne!(splits[0].nominal, splits[4].nominal);
    }

    #[test]
    fn the_number_of_threads_changes_nothing_and_faults_come_through() {
        let nominal: Vec<usize> = (0..20).collect();
        let classify = |s: &Split| {
            let score = |v: &usize| ((v * 7919 + s.train.len()) % 101) as f64;
            Ok(Scores {
                nominal: s.nominal.iter().map(score).collect(),
                others: s.others.iter().map(score).collect(),
                fit_seconds: 0.0,
                score_seconds: 0.0,
            })
        };
        let run = |threads| cv().run(&nominal, &[50, 51, 52], threads, classify, |_, _| true).unwrap();
        assert_eq!(run(1), run(4));
        let e = cv().run(&nominal, &[50], 2, |_| Err(Error::input("no")), |_, _| true).unwrap_err();
        assert_eq!(e.to_string(), "no");
        let e = cv().run(&nominal, &[50], 2, classify, |_, _| false).unwrap_err();
        assert!(e.is_cancelled());
        assert!(cv().splits(&nominal[..3], &[50]).is_err());
        assert!(cv().splits(&nominal, &[]).is_err());
    }
}
