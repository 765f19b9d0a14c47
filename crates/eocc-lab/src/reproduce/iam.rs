//! `eocc-lab reproduce iam`: the paper's table of graphs, the published figures next to ours.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use eocc_baselines::{Options, method};
use eocc_core::random::Random;
use eocc_core::{Error, Settings};
use eocc_eval::{CrossValidation, Experiment, JournaledComparison, LabelledSamples, RunOptions};

use super::iam_report::report;
use crate::cli::ReproduceArgs;
use crate::data::{places, write_report};
use crate::progress::Bar;
use crate::variants::named;

/// A set of graphs, and which of them the paper's counts are of.
pub(super) struct Set {
    pub(super) acronym: &'static str,
    file: &'static str,
    nominal: &'static str,
    costs: &'static str,
    /// Nominal graphs in the paper; if there are more, as many at random.
    max_nominal: usize,
    /// Whether graphs of other classes in `train` count.
    all: bool,
}

/// The counts are the paper's as far as they can be told: nominal graphs of all splits (of A half of them), outliers of all
/// splits for A and G (for G the paper has 17 fewer, nobody knows which), else those outside of `train`.
pub(super) const SETS: [Set; 5] = [
    Set { acronym: "A", file: "iam/AIDS.tar.gz", nominal: "a", costs: "aids", max_nominal: 200, all: true },
    Set { acronym: "G", file: "iam/GREC.tar.gz", nominal: "1", costs: "grec", max_nominal: 50, all: true },
    Set {
        acronym: "L-L",
        file: "iam/Letter-LOW.tar.gz",
        nominal: "A",
        costs: "letter",
        max_nominal: 150,
        all: false,
    },
    Set {
        acronym: "L-H",
        file: "iam/Letter-HIGH.tar.gz",
        nominal: "A",
        costs: "letter",
        max_nominal: 150,
        all: false,
    },
    Set {
        acronym: "P",
        file: "iam/Protein.tar.gz",
        nominal: "1",
        costs: "protein",
        max_nominal: 100,
        all: false,
    },
];
const ORIGIN: &str =
    "IAM graph database repository (Riesen and Bunke 2008), as GXL files with CXL lists in an archive";

/// Classifiers that take graphs, and are worth the wait.
const METHODS: [&str; 6] = ["paper", "default", "eocc-1", "eocc-2", "k-nn-mean", "dte-np"];

/// Nominal graphs, outliers, and how many a fold tests.
pub(super) type Counts = (usize, usize, usize);

/// Repeats the table; gives the report, unless it was written to a file.
pub(super) fn run(args: &ReproduceArgs) -> Result<Option<String>> {
    let folder = folder(&places(args.data.as_deref()))?;
    let mut sets: Vec<Box<dyn Experiment>> = Vec::new();
    let mut counts = Vec::new();
    for set in &SETS {
        let (set, count) = data_set(&folder.join(set.file), set, args)?;
        sets.push(set);
        counts.push(count);
    }
    let is_all = args.methods.iter().any(|m| m == "all");
    let methods = if is_all {
        METHODS.iter().map(|m| method(m)).collect::<Result<_, _>>()?
    } else {
        named(&args.methods)?
    };
    let comparison = JournaledComparison {
        sets: &sets,
        methods: &methods,
        protocol: &CrossValidation { repeats: args.repeats, folds: args.folds, seed: args.seed },
        settings: "IAM",
        journal: args.journal.as_deref(),
        prefix: "eocc-reproduce-iam",
        restart: false,
    };
    let summary = comparison.run(rayon::current_num_threads(), &Bar::new())?;
    for failure in summary.failures() {
        eprintln!("failed: {failure}");
    }
    write_report(report(&summary, &counts, args), args.output.as_deref())
}

/// The first place that has all the files.
fn folder(places: &[PathBuf]) -> Result<PathBuf> {
    let missing = |place: &Path| {
        SETS.iter().filter(|s| !place.join(s.file).is_file()).map(|s| s.file).collect::<Vec<_>>()
    };
    if let Some(place) = places.iter().find(|p| missing(p).is_empty()) {
        return Ok(place.clone());
    }
    let Some(first) = places.first() else { bail!(Error::input("no folder to look in")) };
    bail!(Error::input(format!(
        "files are missing in {}: {}; get them from their public source ({ORIGIN}), or name another folder with --data",
        first.display(),
        missing(first).join(", ")
    )))
}

/// The nominal graphs and the outliers that count; and how many a fold tests.
fn data_set(path: &Path, of: &Set, args: &ReproduceArgs) -> Result<(Box<dyn Experiment>, Counts)> {
    let set = eocc_data::read_graphs(path)?;
    let (mut nominal, mut outliers) = set.one_class(of.nominal)?;
    if nominal.len() > of.max_nominal {
        Random::new(args.seed).shuffle(&mut nominal);
        nominal.truncate(of.max_nominal);
        nominal.sort_unstable();
    }
    if of.all {
        let is_outlier = |i: &usize| set.classes[*i].as_deref() != Some(of.nominal);
        outliers = (0..set.classes.len()).filter(is_outlier).collect();
    }
    let counts = (nominal.len(), outliers.len(), nominal.len() / args.folds.max(1) + outliers.len());
    let content = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    let mut settings = Settings::default();
    settings.insert("costs", of.costs);
    let dissimilarity = Options { dissimilarity: Some("ged".into()), settings };
    // The paper's times are those of a fold with its dissimilarities; so are ours.
    let options = RunOptions { dissimilarity, recompute: true, seed: args.seed, ..RunOptions::default() };
    let (name, samples) = (of.acronym.to_owned(), set.graphs.into());
    let labelled = LabelledSamples { name, content, samples, nominal, outliers, test: None };
    Ok((labelled.experiment(&options)?, counts))
}
