//! `eocc-lab leaderboard`: `default`, its variants and every comparator on the same splits of many sets.

mod choice;
mod kind;
mod report;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use eocc_baselines::{Method, method};
use eocc_core::Error;
use eocc_eval::{CrossValidation, Experiment, JournaledComparison, Protocol, RunOptions, Summary};

use crate::cli::LeaderboardArgs;
use crate::data::{places, vectors, write_report};
use crate::half_split::HalfSplit;
use crate::progress::Bar;
use crate::variants::named;

/// The row that all others are compared with.
const BASELINE: &str = "k-nn-mean";
/// AUCs closer than this count as a tie.
const TIE: f64 = 0.002;
/// Classifiers that take minutes on thousands of samples: left out unless named.
const SLOW: &[&str] = &["paper", "eocc-1", "eocc-2", "mpm", "lpdd", "search"];

/// Sets from one folder, split in one way.
struct Board {
    heading: String,
    sets: Vec<Box<dyn Experiment>>,
    protocol: Box<dyn Protocol>,
    name: &'static str,
}

/// Runs the leaderboard; gives the report, unless it was written to a file.
pub fn run(args: &LeaderboardArgs) -> Result<Option<String>> {
    let folder = folder(args.data.as_deref())?;
    let methods = methods(args)?;
    let half_split = HalfSplit {
        repeats: args.repeats,
        max_train: args.most,
        contamination: args.contamination.unwrap_or(0.0),
        seed: args.seed,
    };
    let mut boards = Vec::new();
    let anomalies = files(&folder.join("adbench"), "npz", &args.sets)?;
    if !anomalies.is_empty() {
        let share = match args.contamination {
            Some(share) => format!(", and {share} of the training samples outliers"),
            None => String::new(),
        };
        boards.push(Board {
            heading: format!(
                "Anomaly detection: half of the nominals train (at most {}){share}; the rest and all outliers test; {} seeds",
                args.most, args.repeats
            ),
            sets: read_all(&anomalies, "y", "0", args.seed)?,
            protocol: Box::new(half_split),
            name: "adbench",
        });
    }
    let uci = files(&folder.join("uci"), "csv", &args.sets)?;
    if !uci.is_empty() && args.contamination.is_none() {
        boards.push(Board {
            heading: format!("UCI: {} times 10-fold cross-validation", args.repeats),
            sets: read_all(&uci, "label", "target", args.seed)?,
            protocol: Box::new(CrossValidation { repeats: args.repeats, folds: 10, seed: args.seed }),
            name: "uci",
        });
    }
    if boards.is_empty() {
        bail!(Error::input(format!(
            "no data in {}: there must be a folder `adbench` of NPZ files with `X` and `y` (1 an anomaly), or a folder `uci` \
             of CSV files with a column `label` of `target` and `outlier`; name another with --data",
            folder.display()
        )));
    }
    if let Some(folder) = &args.journal {
        std::fs::create_dir_all(folder).map_err(|e| Error::input(format!("{}: {e}", folder.display())))?;
    }
    let mut parts = vec![preamble(args)];
    for board in &boards {
        let summary = board.run(&methods, args)?;
        parts.push(format!("## {}", board.heading));
        parts.extend(report::report(&summary));
        parts.extend(report::with_published(&summary));
    }
    write_report(parts.join("\n\n"), args.output.as_deref())
}

impl Board {
    fn run(&self, methods: &[&Method], args: &LeaderboardArgs) -> Result<Summary> {
        let journal = args.journal.as_ref().map(|folder| folder.join(format!("{}.jsonl", self.name)));
        let comparison = JournaledComparison {
            sets: &self.sets,
            methods,
            protocol: self.protocol.as_ref(),
            settings: &format!("leaderboard {}", self.name),
            journal: journal.as_deref(),
            prefix: "eocc-leaderboard",
            restart: false,
        };
        Ok(comparison.run(rayon::current_num_threads(), &Bar::new())?)
    }
}

fn methods(args: &LeaderboardArgs) -> Result<Vec<&'static Method>> {
    if !args.methods.is_empty() {
        let mut methods = named(&args.methods)?;
        if !methods.iter().any(|m| m.name == BASELINE) {
            methods.push(method(BASELINE)?);
        }
        return Ok(methods);
    }
    let mut all = named(&["all".to_owned(), "variants".to_owned()])?;
    all.retain(|m| !SLOW.contains(&m.name));
    Ok(all)
}

/// The folder with the data: as given, or the first of the usual places that is there.
fn folder(given: Option<&Path>) -> Result<PathBuf> {
    match places(given).into_iter().find(|p| p.is_dir()) {
        Some(place) => Ok(place),
        None => bail!(Error::input(
            "no folder of data sets; name one with --data, with folders `adbench` (NPZ files) or `uci` (CSV files)"
        )),
    }
}

/// The files of a folder with this extension, by name; none if there is no such folder.
fn files(folder: &Path, extension: &str, wanted: &[String]) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder).map_err(|e| Error::io(folder, e))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|f| {
        let is_wanted = wanted.is_empty() || wanted.iter().any(|w| name_of(f).contains(w.as_str()));
        // The same tables with gaps, for other uses.
        let has_gaps = name_of(f).ends_with("_missing");
        f.extension().is_some_and(|e| e == extension) && is_wanted && !has_gaps
    });
    files.sort();
    Ok(files)
}

fn name_of(file: &Path) -> String {
    file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
}

fn read_all(files: &[PathBuf], label: &str, nominal: &str, seed: u64) -> Result<Vec<Box<dyn Experiment>>> {
    // Standardised for all: a comparator on raw units would be beaten by its units.
    let options = RunOptions { standardize: true, seed, ..RunOptions::default() };
    files.iter().map(|path| vectors(path, label, nominal, name_of(path), &options)).collect()
}

fn preamble(args: &LeaderboardArgs) -> String {
    let mut words = vec!["eocc-lab leaderboard".to_owned()];
    if !args.methods.is_empty() {
        words.push(format!("--methods {}", args.methods.join(",")));
    }
    if let Some(share) = args.contamination {
        words.push(format!("--contamination {share}"));
    }
    words.push(format!("--repeats {} --most {} --seed {}", args.repeats, args.most, args.seed));
    let command = words.join(" ");
    format!(
        "# Leaderboard\n\nWritten by `{command}`. Every row on the same splits; features are standardised on the training samples \
         for all rows. Differences are to `{BASELINE}`, the mean distance to the five nearest; AUCs closer than {TIE} are ties; p is \
         Wilcoxon's over the sets. The rank among classifiers counts each of them once: for a variant of `default` it is the rank in its place, for \
         k-NN with another k beside all of them. Times are processor time of one thread.{}",
        if args.methods.is_empty() {
            format!(" Not run, for their time: {}; name them with --methods.", SLOW.join(", "))
        } else {
            String::new()
        }
    )
}

/// AUC of a row on each set, where it ran on all of them.
fn aucs(summary: &Summary, m: usize) -> Option<Vec<f64>> {
    summary.cells[m].iter().map(|c| c.as_ref().ok().map(|c| c.auc)).collect()
}

/// The name of a set in tables: without the number that leads it.
fn shown(name: &str) -> &str {
    name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_')
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
