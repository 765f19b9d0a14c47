//! Many classifiers on many data sets, on the same folds, each result kept as soon as it is there.

mod experiment;
mod journal;
mod summary;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use eocc::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use crate::auc::{auc, auc_error, average_precision};
use crate::halves::Protocol;
use crate::protocol::{Scores, Split};
use crate::workers::on_threads;

pub use experiment::{DataSet, Experiment, Run, fingerprint};
pub use journal::Journal;
pub use summary::{Cell, Summary};

/// The result of one classifier on one fold of one data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Fingerprint of the data set.
    pub set: String,
    /// Name of the classifier.
    pub method: String,
    /// Which repeat.
    pub repeat: usize,
    /// Which fold of it.
    pub fold: usize,
    /// What came out.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came out of one fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran.
    Scored {
        /// Area under the ROC curve.
        auc: f64,
        /// Its standard error (`DeLong`); absent where a side has a single sample.
        auc_error: Option<f64>,
        /// Average precision of finding the others.
        average_precision: f64,
        /// Seconds of processor time to fit, on one thread.
        fit_seconds: f64,
        /// Seconds of processor time to score, on one thread.
        score_seconds: f64,
        /// Number of samples scored.
        scored: usize,
    },
    /// It failed, and why.
    Failed(String),
}

impl Outcome {
    /// From the scores of a fold.
    fn of(result: Result<Scores>) -> Result<Self> {
        match result {
            Ok(s) => {
                let error = auc_error(&s.nominal, &s.others);
                Ok(Self::Scored {
                    auc: auc(&s.nominal, &s.others),
                    auc_error: error.is_finite().then_some(error),
                    average_precision: average_precision(&s.nominal, &s.others),
                    fit_seconds: s.fit_seconds,
                    score_seconds: s.score_seconds,
                    scored: s.nominal.len() + s.others.len(),
                })
            }
            // Not a fault of the classifier, and not a result.
            Err(e) if e.is_cancelled() => Err(e),
            Err(e) => Ok(Self::Failed(e.to_string())),
        }
    }
}

/// A comparison: which classifiers, on which folds.
pub struct Comparison<'a> {
    /// The data sets.
    pub sets: &'a [Box<dyn Experiment + 'a>],
    /// Names of the classifiers, in order.
    pub methods: &'a [&'a str],
    /// The splits; the same for all classifiers.
    pub protocol: Protocol,
}

impl Comparison<'_> {
    /// Number of results there will be.
    pub fn total(&self) -> usize {
        self.sets.len() * self.methods.len() * self.protocol.repeats() * self.protocol.folds()
    }

    /// Runs what `known` does not hold yet, `threads` folds at a time, each on a thread of its own. `keep` is given every
    /// result as it comes, with the number of results there are, and may ask to stop; its fault stops the run too.
    ///
    /// Returns all results, in the order of data sets, classifiers, repeats and folds.
    pub fn run(
        &self,
        known: Vec<Record>,
        threads: usize,
        keep: impl Fn(&Record, usize) -> Result<bool> + Sync,
    ) -> Result<Vec<Record>> {
        let done: HashSet<Key> = known.iter().map(key).collect();
        let mut jobs = Vec::new();
        for (s, set) in self.sets.iter().enumerate() {
            for split in self.protocol.splits(set.nominal(), set.others())? {
                let at = |method: &str| {
                    (set.fingerprint().to_owned(), method.to_owned(), split.repeat, split.fold)
                };
                let open: Vec<usize> =
                    (0..self.methods.len()).filter(|&m| !done.contains(&at(self.methods[m]))).collect();
                if !open.is_empty() {
                    jobs.push((s, split, open));
                }
            }
        }
        // Fold by fold over all data sets, so that a run that is stopped has something of each.
        jobs.sort_by_key(|(s, split, _)| (split.repeat, split.fold, *s));
        let results = Mutex::new(known);
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let fault = Mutex::new(None);
        let stop = |e: Error| {
            stopped.store(true, Ordering::Relaxed);
            if let Ok(mut fault) = fault.lock() {
                fault.get_or_insert(e);
            }
        };
        let work = || {
            while !stopped.load(Ordering::Relaxed) {
                let Some((s, split, open)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                let emit = |record: Record| -> Result<bool> {
                    let mut results = results.lock().map_err(|_| Error::from(ErrorKind::Cancelled))?;
                    results.push(record);
                    let count = results.len();
                    let record = &results[count - 1];
                    Ok(keep(record, count)? && !stopped.load(Ordering::Relaxed))
                };
                match self.fold(self.sets[*s].as_ref(), split, open, emit) {
                    Ok(true) => {}
                    Ok(false) => stop(ErrorKind::Cancelled.into()),
                    Err(e) => stop(e),
                }
            }
        };
        on_threads(threads.clamp(1, jobs.len().max(1)), work)?;
        if let Some(e) = fault.into_inner().unwrap_or_default() {
            return Err(e);
        }
        let mut results = results.into_inner().unwrap_or_default();
        let set = |r: &Record| self.sets.iter().position(|s| s.fingerprint() == r.set);
        let method = |r: &Record| self.methods.iter().position(|m| *m == r.method);
        results.retain(|r| {
            let is_asked = r.repeat < self.protocol.repeats() && r.fold < self.protocol.folds();
            is_asked && set(r).is_some() && method(r).is_some()
        });
        results.sort_by_key(|r| (set(r), method(r), r.repeat, r.fold));
        Ok(results)
    }

    /// Runs the open classifiers on one fold; false if the run is to stop.
    fn fold(
        &self,
        set: &dyn Experiment,
        split: &Split,
        open: &[usize],
        emit: impl Fn(Record) -> Result<bool>,
    ) -> Result<bool> {
        let prepared = set.prepare(split);
        for &m in open {
            let method = self.methods[m];
            let result = match &prepared {
                Ok(run) => catch_unwind(AssertUnwindSafe(|| run(method))).unwrap_or_else(|_| {
                    Err(Error::input("it panicked; this is a fault of eocc, please report it"))
                }),
                Err(e) => Err(Error::input(e.to_string())),
            };
            let outcome = Outcome::of(result)?;
            let (repeat, fold) = (split.repeat, split.fold);
            let record = Record {
                set: set.fingerprint().to_owned(),
                method: method.to_owned(),
                repeat,
                fold,
                outcome,
            };
            if !emit(record)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

type Key = (String, String, usize, usize);

fn key(r: &Record) -> Key {
    (r.set.clone(), r.method.clone(), r.repeat, r.fold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::CrossValidation;

    /// A data set whose classifiers score by a formula; the one called `bad` fails in fold 1, the one called `ill` panics.
    struct Formula(Vec<usize>, Vec<usize>);

    impl Experiment for Formula {
        fn name(&self) -> &'static str {
            "formula"
        }

        fn fingerprint(&self) -> &'static str {
            "f"
        }

        fn nominal(&self) -> &[usize] {
            &self.0
        }

        fn others(&self) -> &[usize] {
            &self.1
        }

        fn prepare<'a>(&'a self, split: &'a Split) -> Result<Box<Run<'a>>> {
            Ok(Box::new(move |method: &str| {
                if method == "bad" && split.fold == 1 {
                    return Err(Error::input("no"));
                }
                assert!(method != "ill", "on purpose");
                let score = |v: &usize| ((v * 7919 + method.len() * split.train.len()) % 101) as f64;
                Ok(Scores {
                    nominal: split.nominal.iter().map(score).collect(),
                    others: split.others.iter().map(score).collect(),
                    fit_seconds: 1.0,
                    score_seconds: 2.0,
                })
            }))
        }
    }

    fn sets() -> Vec<Box<dyn Experiment>> {
        vec![Box::new(Formula((0..20).collect(), (50..57).collect()))]
    }

    fn protocol() -> Protocol {
        CrossValidation { repeats: 2, folds: 3, seed: 1 }.into()
    }

    #[test]
    fn failures_are_results_and_the_rest_goes_on() {
        let sets = sets();
        let all = Comparison { sets: &sets, methods: &["good", "bad", "ill"], protocol: protocol() };
        let results = all.run(Vec::new(), 2, |_, _| Ok(true)).unwrap();
        assert_eq!(results.len(), all.total());
        let failed: Vec<(&str, usize)> = results
            .iter()
            .filter(|r| matches!(r.outcome, Outcome::Failed(_)))
            .map(|r| (r.method.as_str(), r.fold))
            .collect();
        assert_eq!(
            failed,
            [("bad", 1), ("bad", 1), ("ill", 0), ("ill", 1), ("ill", 2), ("ill", 0), ("ill", 1), ("ill", 2)]
        );
    }

    #[test]
    fn threads_and_interruptions_change_nothing() {
        let sets = sets();
        let all = Comparison { sets: &sets, methods: &["a", "bb", "bad"], protocol: protocol() };
        let whole = all.run(Vec::new(), 1, |_, _| Ok(true)).unwrap();
        assert_eq!(whole, all.run(Vec::new(), 4, |_, _| Ok(true)).unwrap());
        let kept = Mutex::new(Vec::new());
        let stopped = all.run(Vec::new(), 2, |record, count| {
            kept.lock().unwrap().push(record.clone());
            Ok(count < 7)
        });
        assert!(stopped.unwrap_err().is_cancelled());
        let kept = kept.into_inner().unwrap();
        assert!(kept.len() >= 7 && kept.len() < all.total());
        let fresh = AtomicUsize::new(0);
        let resumed = all.run(kept.clone(), 2, |_, _| {
            fresh.fetch_add(1, Ordering::Relaxed);
            Ok(true)
        });
        assert_eq!(resumed.unwrap(), whole);
        assert_eq!(fresh.into_inner(), all.total() - kept.len());
    }

    #[test]
    fn a_fault_of_the_keeper_ends_the_run() {
        let sets = sets();
        let all = Comparison { sets: &sets, methods: &["a"], protocol: protocol() };
        let e = all.run(Vec::new(), 2, |_, _| Err(Error::input("disk full"))).unwrap_err();
        assert_eq!(e.to_string(), "disk full");
    }
}
