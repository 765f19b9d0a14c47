//! What `compare` and `reproduce` share: running with a journal, tables, pictures.

mod beside;
mod data;
mod pictures;
mod table;

use std::path::{Path, PathBuf};

use anyhow::Result;
use eocc_eval::{Comparison, Experiment, Journal, Protocol, Record, Summary, fingerprint};

use crate::progress::Bar;

pub(crate) use beside::beside_printed;
pub(crate) use data::{places, vectors};
pub(crate) use pictures::draw;
pub(crate) use table::{markdown, notes, render, title};

/// What to run, and where to keep the results.
pub(crate) struct Plan<'a> {
    pub(crate) sets: &'a [Box<dyn Experiment + 'a>],
    pub(crate) methods: &'a [&'a str],
    pub(crate) protocol: Protocol,
    /// What every result depends on but the data.
    pub(crate) settings: String,
    pub(crate) journal: Option<&'a Path>,
    pub(crate) restart: bool,
    /// First part of the name of a journal that was not named.
    pub(crate) prefix: &'a str,
}

impl Plan<'_> {
    /// Runs what the journal does not hold yet. `None` if the user stopped the run.
    pub(crate) fn run(&self) -> Result<Option<Summary>> {
        let path = self.journal.map_or_else(|| self.journal_path(), Path::to_owned);
        if self.restart {
            Journal::forget(&path)?;
        }
        let (journal, known) = Journal::open(&path, &self.settings)?;
        let comparison = Comparison { sets: self.sets, methods: self.methods, protocol: self.protocol };
        let total = comparison.total();
        let known: Vec<Record> = known.into_iter().filter(|r| self.wants(r)).collect();
        if !known.is_empty() {
            eprintln!("{} of {total} results are in {} already", known.len(), path.display());
        }
        let bar = Bar::new();
        let keep = |record: &Record, count: usize| {
            journal.add(record)?;
            let set = self.sets.iter().find(|s| s.fingerprint() == record.set).map_or("", |s| s.name());
            Ok(bar.step(&format!("{set} {}", record.method), count, total))
        };
        let results = comparison.run(known, rayon::current_num_threads(), keep);
        drop(bar);
        let records = match results {
            Ok(records) => records,
            Err(e) if e.is_cancelled() => {
                eprintln!(
                    "stopped; the same command goes on where this one was (results are in {})",
                    path.display()
                );
                return Ok(None);
            }
            Err(e) => return Err(e.into()),
        };
        let sets: Vec<(&str, &str)> = self.sets.iter().map(|s| (s.name(), s.fingerprint())).collect();
        Ok(Some(Summary::of(&records, &sets, self.methods)))
    }

    /// Whether a record belongs to this run; a journal may hold results of other data sets or more repeats.
    fn wants(&self, r: &Record) -> bool {
        self.sets.iter().any(|s| s.fingerprint() == r.set)
            && self.methods.contains(&r.method.as_str())
            && r.repeat < self.protocol.repeats()
    }

    /// Named after data and settings: the same command finds it again, another command does not.
    fn journal_path(&self) -> PathBuf {
        let mut parts: Vec<&[u8]> = vec![self.settings.as_bytes()];
        parts.extend(self.sets.iter().map(|s| s.fingerprint().as_bytes()));
        PathBuf::from(format!("{}-{}.jsonl", self.prefix, &fingerprint(&parts)[..8]))
    }
}
