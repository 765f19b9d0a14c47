//! `eocc-lab reproduce uci`: the paper's UCI table, with the published numbers next to ours.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use eocc_core::Error;
use eocc_data::atomic_write;
use eocc_eval::{ALPHA, CrossValidation, Experiment, JournaledComparison, RunOptions, Summary};
use eocc_report::RankingFigures;

use super::uci_report::{TURNED, first_sets, report};
use crate::cli::ReproduceArgs;
use crate::data::{places, vectors, write_report};
use crate::progress::Bar;
use crate::published::UCI_SETS;
use crate::variants::named;

/// A UCI set: its acronym, file, and source.
struct Source {
    acronym: &'static str,
    file: &'static str,
    origin: &'static str,
}

const fn source(acronym: &'static str, file: &'static str, origin: &'static str) -> Source {
    Source { acronym, file, origin }
}

#[rustfmt::skip]
const SOURCES: [Source; 8] = [
    source("AB", "uci/abalone.csv", "UCI Machine Learning Repository, Abalone; target: rings <= 8"),
    source("AR", "uci/arrhythmia.csv", "UCI Machine Learning Repository, Arrhythmia; target: class 1, without column 14 and rows with gaps"),
    source("BC-P", "uci/breast_prognostic.csv", "UCI Machine Learning Repository, Breast Cancer Wisconsin (Prognostic); target: N"),
    source("BI", "uci/biomed.csv", "StatLib, biomed; target: normal, without rows with gaps"),
    source("BW", "uci/breast_original.csv", "UCI Machine Learning Repository, Breast Cancer Wisconsin (Original); target: benign"),
    source("D", "uci/diabetes.csv", "UCI Machine Learning Repository, Pima Indians Diabetes; target: class 0"),
    source("E", "uci/ecoli.csv", "UCI Machine Learning Repository, Ecoli; target: pp"),
    source("L", "uci/liver.csv", "UCI Machine Learning Repository, Liver Disorders; target: selector 2"),
];

/// The index of a set in the paper's table, by the name of its file.
pub(crate) fn place_of(stem: &str) -> Option<usize> {
    SOURCES.iter().position(|s| Path::new(s.file).file_stem().is_some_and(|name| name == stem))
}

/// Reproduces the table; returns the report, unless it was written to a file.
pub(super) fn run(args: &ReproduceArgs) -> Result<Option<String>> {
    let folder = folder(args.data.as_deref())?;
    let mut sets: Vec<Box<dyn Experiment>> = Vec::new();
    // Features as given, as in the paper.
    let options = RunOptions { seed: args.seed, ..RunOptions::default() };
    let read = |s: &Source, nominal: &str, name: String| {
        vectors(&folder.join(s.file), "label", nominal, name, &options)
    };
    for s in &SOURCES {
        sets.push(read(s, "target", s.acronym.to_owned())?);
    }
    for s in SOURCES.iter().filter(|s| TURNED.contains(&s.acronym)) {
        sets.push(read(s, "outlier", format!("{}'", s.acronym))?);
    }
    let methods = named(&args.methods)?;
    let comparison = JournaledComparison {
        sets: &sets,
        methods: &methods,
        protocol: &CrossValidation { repeats: args.repeats, folds: args.folds, seed: args.seed },
        settings: "UCI",
        journal: args.journal.as_deref(),
        prefix: "eocc-reproduce-uci",
        restart: false,
    };
    let summary = comparison.run(rayon::current_num_threads(), &Bar::new())?;
    if let Some(folder) = &args.plots {
        draw(&first_sets(&summary, UCI_SETS.len()), folder)?;
    }
    write_report(report(&summary, args), args.output.as_deref())
}

/// Draws the ranking figures into a folder; reports if there are too few classifiers.
fn draw(summary: &Summary, folder: &Path) -> Result<()> {
    let ranking = match summary.ranking() {
        Ok(ranking) => ranking,
        Err(e) => {
            eprintln!("no pictures: {e}");
            return Ok(());
        }
    };
    let names: Vec<&str> = summary.titles.iter().map(String::as_str).collect();
    let files = RankingFigures {
        names: &names,
        sets: ranking.sets,
        alpha: ALPHA,
        means: &ranking.anova.means,
        half_width: ranking.anova.half_width,
        mean_ranks: &ranking.friedman.mean_ranks,
        critical_difference: ranking.friedman.critical_difference,
    }
    .files()?;
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    for (name, bytes) in files {
        atomic_write(&folder.join(name), |w| w.write_all(&bytes))?;
    }
    Ok(())
}

/// The folder with the data: the given one, or the first default one that exists.
fn folder(given: Option<&Path>) -> Result<PathBuf> {
    let places = places(given);
    let missing = |place: &PathBuf| -> Vec<&Source> {
        SOURCES.iter().filter(|s| !place.join(s.file).is_file()).collect()
    };
    if let Some(place) = places.iter().find(|p| missing(p).is_empty()) {
        return Ok(place.clone());
    }
    // The folder with most of it; ties go to the first.
    let Some(best) = places.iter().min_by_key(|p| missing(p).len()) else {
        bail!(Error::input("no folder to look in"))
    };
    let files = missing(best);
    let list: Vec<String> =
        files.iter().map(|s| format!("  {} ({})", best.join(s.file).display(), s.origin)).collect();
    bail!(Error::input(format!(
        "{} of the 8 files are missing; get them from their public source, with a last column `label` of `target` and \
         `outlier`, or name another folder with --data:\n{}",
        files.len(),
        list.join("\n")
    )))
}
