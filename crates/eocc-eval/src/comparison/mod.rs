//! Runs classifiers on data sets, all on the same splits, and returns each result as soon as it is available.
//!
//! This is the only place where classifiers are run: an evaluation is a comparison of one.

mod journal;
mod journaled;
mod record;
mod summary;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use eocc_baselines::Method;
use eocc_core::{Error, ErrorKind, Observer, Result};

use crate::experiment::Experiment;
use crate::protocol::{Protocol, Split};
use crate::workers::on_threads;

pub use journal::Journal;
pub use journaled::{JournaledComparison, RESULTS_VERSION, Watcher};
pub use record::{Outcome, Record};
pub(crate) use summary::is_inapplicable;
pub use summary::{ALPHA, AtThreshold, Cell, Ranking, Summary};

/// What to do if a classifier fails on a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// The failure is recorded as its result, and the rest continues.
    Record,
    /// The run ends with the error; of several errors, that of the first split.
    Stop,
}

/// A comparison: which classifiers, on which splits of which data sets.
pub struct Comparison<'a> {
    sets: &'a [Box<dyn Experiment + 'a>],
    methods: &'a [&'a Method],
    /// The splits of each data set.
    splits: Vec<Vec<Split>>,
    on_failure: OnFailure,
}

/// A split of a data set, and the classifiers that are still to be run on it.
struct Job<'a> {
    set: usize,
    split: &'a Split,
    methods: Vec<&'a Method>,
}

impl<'a> Comparison<'a> {
    /// Splits the data sets; the splits are the same for all classifiers.
    pub fn new(
        sets: &'a [Box<dyn Experiment + 'a>],
        methods: &'a [&'a Method],
        protocol: &dyn Protocol,
        on_failure: OnFailure,
    ) -> Result<Self> {
        let splits =
            sets.iter().map(|s| protocol.splits(s.nominal(), s.outliers())).collect::<Result<_>>()?;
        Ok(Self { sets, methods, splits, on_failure })
    }

    /// Total number of results.
    pub fn total(&self) -> usize {
        self.methods.len() * self.distinct().map(|s| self.splits[s].len()).sum::<usize>()
    }

    /// The data sets without duplicates: the results of the first apply to all.
    fn distinct(&self) -> impl Iterator<Item = usize> {
        let is_first = |s: &usize| {
            let own = self.sets[*s].fingerprint();
            self.sets[..*s].iter().all(|before| before.fingerprint() != own)
        };
        (0..self.sets.len()).filter(is_first)
    }

    /// Whether a result belongs to this comparison.
    pub fn includes(&self, record: &Record) -> bool {
        let is_split = |s: &Split| s.repeat == record.repeat && s.fold == record.fold;
        let set = self.sets.iter().position(|s| s.fingerprint() == record.set);
        set.is_some_and(|s| self.splits[s].iter().any(is_split))
            && self.methods.iter().any(|m| m.name == record.method)
    }

    /// Runs what `known` does not contain yet, `threads` splits at a time, each on its own thread; a single split
    /// uses all threads, and reports its progress to `observer`. `keep` receives every result as it comes, with the
    /// total number so far, and may stop the run; so does an error of it.
    ///
    /// Returns all results, in the order of data sets, classifiers, repeats and folds.
    pub fn run(
        &self,
        known: Vec<Record>,
        threads: usize,
        observer: &dyn Observer,
        keep: impl Fn(&Record, usize) -> Result<bool> + Sync,
    ) -> Result<Vec<Record>> {
        let jobs = self.jobs(&known);
        self.begin(&jobs, observer)?;
        let results = Mutex::new(known);
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let fault: Mutex<Option<(usize, Error)>> = Mutex::new(None);
        let stop = |at: usize, e: Error| {
            stopped.store(true, Ordering::Relaxed);
            let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
            // The first by index, so that the message is reproducible; but a real error rather than a cancellation.
            let rank = |at: usize, e: &Error| (e.is_cancelled(), at);
            if fault.as_ref().is_none_or(|known| rank(at, &e) < rank(known.0, &known.1)) {
                *fault = Some((at, e));
            }
        };
        let is_stopped = || stopped.load(Ordering::Relaxed);
        let work = |observer: &dyn Observer| {
            while !is_stopped() {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(at) else { break };
                let emit = |record: Record| -> Result<bool> {
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results.push(record);
                    let count = results.len();
                    Ok(keep(&results[count - 1], count)? && !is_stopped())
                };
                match self.run_job(job, observer, emit) {
                    Ok(true) => {}
                    Ok(false) => stop(at, ErrorKind::Cancelled.into()),
                    Err(e) => stop(at, e),
                }
            }
        };
        if jobs.len() == 1 {
            work(observer);
        } else {
            let observer = CancelOnly(observer);
            on_threads(threads.clamp(1, jobs.len().max(1)), || work(&observer))?;
        }
        if let Some((_, e)) = fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(e);
        }
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        let set = |r: &Record| self.sets.iter().position(|s| s.fingerprint() == r.set);
        let method = |r: &Record| self.methods.iter().position(|m| m.name == r.method);
        results.retain(|r| self.includes(r));
        results.sort_by_key(|r| (set(r), method(r), r.repeat, r.fold));
        Ok(results)
    }

    /// The remaining work.
    fn jobs(&self, known: &[Record]) -> Vec<Job<'_>> {
        let key = |r: &Record| (r.set.clone(), r.method.clone(), r.repeat, r.fold);
        let done: HashSet<_> = known.iter().map(key).collect();
        let mut jobs = Vec::new();
        for s in self.distinct() {
            let set = &self.sets[s];
            for split in &self.splits[s] {
                let at =
                    |name: &str| (set.fingerprint().to_owned(), name.to_owned(), split.repeat, split.fold);
                let open = self.methods.iter().copied().filter(|m| !done.contains(&at(m.name)));
                let methods: Vec<&Method> = open.collect();
                if !methods.is_empty() {
                    jobs.push(Job { set: s, split, methods });
                }
            }
        }
        // Fold by fold over all data sets, so that a stopped run has something of each.
        jobs.sort_by_key(|job| (job.split.repeat, job.split.fold, job.set));
        jobs
    }

    /// Lets every data set with remaining work compute what its splits share.
    fn begin(&self, jobs: &[Job<'_>], observer: &dyn Observer) -> Result<()> {
        for (s, set) in self.sets.iter().enumerate() {
            let splits: Vec<&Split> = jobs.iter().filter(|job| job.set == s).map(|job| job.split).collect();
            if splits.is_empty() {
                continue;
            }
            match set.begin(self.methods, &splits, observer) {
                // Each split will report it, for each classifier concerned.
                Err(e) if self.on_failure == OnFailure::Record && !e.is_cancelled() => {}
                other => other?,
            }
        }
        Ok(())
    }

    /// Runs the remaining classifiers on one split; false if the run is stopped.
    fn run_job(
        &self,
        job: &Job<'_>,
        observer: &dyn Observer,
        emit: impl Fn(Record) -> Result<bool>,
    ) -> Result<bool> {
        let set = self.sets[job.set].as_ref();
        let prepared = match self.on_failure {
            OnFailure::Stop => Ok(set.prepare(job.split)?),
            OnFailure::Record => set.prepare(job.split),
        };
        for method in &job.methods {
            let run = || match &prepared {
                Ok(run) => run(method, observer),
                Err(e) => Err(Error::input(e.to_string())),
            };
            let result = match self.on_failure {
                OnFailure::Stop => Ok(run()?),
                OnFailure::Record => catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
                    Err(Error::input("it panicked; this is a fault of eocc, please report it"))
                }),
            };
            let record = Record {
                set: set.fingerprint().to_owned(),
                method: method.name.to_owned(),
                repeat: job.split.repeat,
                fold: job.split.fold,
                outcome: Outcome::from_scores(result)?,
            };
            if !emit(record)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// One classifier on one data set. An error on any split is an error of the whole. `step` receives the number of
/// finished splits and the total, and may stop the run.
pub fn evaluate(
    set: Box<dyn Experiment + '_>,
    method: &Method,
    protocol: &dyn Protocol,
    threads: usize,
    observer: &dyn Observer,
    step: impl Fn(usize, usize) -> bool + Sync,
) -> Result<Cell> {
    let (sets, methods) = ([set], [method]);
    let comparison = Comparison::new(&sets, &methods, protocol, OnFailure::Stop)?;
    let total = comparison.total();
    let records = comparison.run(Vec::new(), threads, observer, |_, count| Ok(step(count, total)))?;
    Cell::from_records(&records.iter().collect::<Vec<_>>()).map_err(Error::input)
}

/// Passes on cancellation, but no progress: many simultaneous splits have none to show.
struct CancelOnly<'a>(&'a dyn Observer);

impl Observer for CancelOnly<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

#[cfg(test)]
mod tests;
