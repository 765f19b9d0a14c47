//! The collections of the leaderboard: where each is, how it is read and how it is split.
//!
//! A rule that gains on one collection may lose on the next, so each is reported separately.

mod graphs;
mod kinds;
mod series;
mod strings;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::Result;
use eocc_baselines::{Method, Needs, Options};
use eocc_core::{Error, Kind};
use eocc_eval::{CrossValidation, Experiment, Protocol};

use crate::cli::LeaderboardArgs;

/// Number of folds for collections split by cross-validation.
const FOLDS: usize = 10;

/// Sets of one kind from one folder, with the same split.
pub(super) struct Collection {
    /// Name of its journal.
    pub(super) name: &'static str,
    /// Name in tables.
    pub(super) title: &'static str,
    /// How it is split, in words.
    pub(super) protocol_in_words: String,
    /// The kind of its samples.
    pub(super) kind: Kind,
    /// The sets.
    pub(super) sets: Vec<Box<dyn Experiment>>,
    /// Their display names. Sets with the same name count as one, by the mean of their results.
    pub(super) shown: Vec<String>,
    /// How they are split.
    pub(super) protocol: Box<dyn Protocol>,
}

/// A collection, or why it is skipped.
pub(super) enum Found {
    /// It was read, though `--sets` may have excluded all of it.
    Read(Collection),
    /// Why there is nothing, in one line.
    LeftOut(String),
}

/// Reads every collection, in the order of the tables.
pub(super) fn read_all(folder: &Path, args: &LeaderboardArgs) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for source in &tables::SOURCES {
        found.push(source.read(folder, args)?);
    }
    found.push(strings::read(folder, args)?);
    found.push(series::read(folder, args)?);
    found.push(graphs::read(folder, args)?);
    for source in &kinds::SOURCES {
        found.push(source.read(folder, args)?);
    }
    Ok(found)
}

impl Collection {
    /// The classifiers that can run here: without vectors, those that need only dissimilarities; and no dissimilarity
    /// for other samples.
    pub(super) fn methods<'a>(&self, all: &[&'a Method]) -> Vec<&'a Method> {
        let has_vectors = self.kind.name() == Kind::new::<eocc_core::Vectors>().name();
        let can_run = |m: &&&Method| match m.needs() {
            Needs::Vectors => has_vectors,
            Needs::Dissimilarities => m.dissimilarity(self.kind, &Options::default()).is_ok(),
        };
        all.iter().filter(can_run).copied().collect()
    }
}

/// Whether a set with this name was requested.
fn is_wanted(name: &str, args: &LeaderboardArgs) -> bool {
    args.sets.is_empty() || args.sets.iter().any(|wanted| name.contains(wanted.as_str()))
}

/// The note that a collection has no data.
fn absent(title: &str, files: &str) -> Found {
    Found::LeftOut(format!("{title}: left out, there is no {files}"))
}

/// The note that a collection is not run with contaminants; `None` if there are none.
fn without_contamination(title: &str, args: &LeaderboardArgs) -> Option<Found> {
    let text = format!("{title}: left out, only tables are run with contamination");
    args.contamination.map(|_| Found::LeftOut(text))
}

fn cross_validation(args: &LeaderboardArgs) -> (String, Box<dyn Protocol>) {
    let protocol = CrossValidation { repeats: args.repeats, folds: FOLDS, seed: args.seed };
    (format!("{FOLDS}-fold cross-validation, {}", seeds(args)), Box::new(protocol))
}

fn seeds(args: &LeaderboardArgs) -> String {
    if args.repeats == 1 { "1 seed".to_owned() } else { format!("{} seeds", args.repeats) }
}

/// The files of a folder with one of these extensions, by name; empty if the folder does not exist.
fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder).map_err(|e| Error::io(folder, e))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|f| endings.iter().any(|ending| f.to_string_lossy().ends_with(ending)));
    files.sort();
    Ok(files)
}

/// The name of a file without its extension.
fn stem(file: &Path) -> String {
    file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
}
