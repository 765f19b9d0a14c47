//! A comparison that can be resumed.

use std::path::{Path, PathBuf};

use eocc_baselines::Method;
use eocc_core::{Observer, Result};

use super::{Comparison, Journal, OnFailure, Record, Summary};
use crate::data_set::fingerprint;
use crate::experiment::Experiment;
use crate::protocol::Protocol;

/// The version of the classifiers' numbers. Raise it with every change that makes a classifier, a dissimilarity, or
/// the splits give other scores on the same data: older journals are then not resumed, and no table mixes old numbers
/// with new ones. A change of times alone does not count.
pub const RESULTS_VERSION: u32 = 3;

/// A comparison whose results are stored in a file as they come.
pub struct JournaledComparison<'a> {
    /// The data sets.
    pub sets: &'a [Box<dyn Experiment + 'a>],
    /// The classifiers.
    pub methods: &'a [&'a Method],
    /// The splits.
    pub protocol: &'a dyn Protocol,
    /// Everything else that results depend on, in words: how the data were read, and the like. What the fingerprints
    /// of the data sets cover may be left out, but including it gives better messages.
    pub settings: &'a str,
    /// Where results are stored; by default in the current folder, named after data and settings.
    pub journal: Option<&'a Path>,
    /// First part of the default name of a journal.
    pub prefix: &'a str,
    /// Whether to discard the results in the journal.
    pub restart: bool,
}

/// Observes the progress of a comparison.
pub trait Watcher: Observer {
    /// This many results are in the journal already.
    fn resumed(&self, known: usize, total: usize, journal: &Path);

    /// A classifier has finished a split of a data set: the number of results so far, and in total.
    fn step(&self, set: &str, method: &str, done: usize, total: usize);
}

impl JournaledComparison<'_> {
    /// Runs what the journal does not contain yet, `threads` splits at a time, and summarizes.
    pub fn run(&self, threads: usize, watcher: &dyn Watcher) -> Result<Summary> {
        Ok(Summary::new(&self.records(threads, watcher)?, self.sets, self.methods))
    }

    /// The results, split by split.
    pub fn records(&self, threads: usize, watcher: &dyn Watcher) -> Result<Vec<Record>> {
        let comparison = Comparison::new(self.sets, self.methods, self.protocol, OnFailure::Record)?;
        let path = self.path();
        if self.restart {
            Journal::forget(&path)?;
        }
        let (journal, mut known) = Journal::open(&path, &self.key())?;
        // A journal may contain results of other data sets, or more repeats.
        known.retain(|r| comparison.includes(r));
        let total = comparison.total();
        if !known.is_empty() {
            watcher.resumed(known.len(), total, &path);
        }
        let keep = |record: &Record, count: usize| {
            journal.add(record)?;
            let set = self.sets.iter().find(|s| s.fingerprint() == record.set).map_or("", |s| s.name());
            watcher.step(set, &record.method, count, total);
            Ok(!watcher.is_cancelled())
        };
        comparison.run(known, threads, &AsObserver(watcher), keep)
    }

    /// Where the results are. The default name depends on data and settings: the same command finds the journal
    /// again, another command does not.
    pub fn path(&self) -> PathBuf {
        if let Some(path) = self.journal {
            return path.to_owned();
        }
        let key = self.key();
        let mut parts: Vec<&[u8]> = vec![key.as_bytes()];
        parts.extend(self.sets.iter().map(|s| s.fingerprint().as_bytes()));
        PathBuf::from(format!("{}-{}.jsonl", self.prefix, &fingerprint(&parts)[..8]))
    }

    /// Everything a result depends on, except the data, the classifier and the split.
    fn key(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let mut parts = vec![format!("eocc {version}"), format!("results {RESULTS_VERSION}")];
        parts.extend([self.settings.to_owned(), self.protocol.key()].into_iter().filter(|p| !p.is_empty()));
        parts.join(", ")
    }
}

struct AsObserver<'a>(&'a dyn Watcher);

impl Observer for AsObserver<'_> {
    fn progress(&self, progress: &eocc_core::Progress<'_>) {
        self.0.progress(progress);
    }

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
