//! `eocc-lab reproduce iam`: the paper's table of graphs, with the published numbers next to ours.

use std::path::Path;

use anyhow::Result;
use eocc_baselines::method;
use eocc_eval::{CrossValidation, Experiment, JournaledComparison, RunOptions};

use super::iam_report::report;
use crate::cli::ReproduceArgs;
use crate::data::{folder_with, places, write_report};
use crate::iam::{GraphSource, SETS};
use crate::progress::Bar;
use crate::variants::named;

const ORIGIN: &str =
    "IAM graph database repository (Riesen and Bunke 2008), as GXL files with CXL lists in an archive";

/// Classifiers that support graphs and are fast enough.
const METHODS: [&str; 6] = ["paper", "default", "eocc-1", "eocc-2", "k-nn-mean", "dte-np"];

/// Nominal graphs, outliers, and the number tested per fold.
pub(super) type Counts = (usize, usize, usize);

/// Reproduces the table; returns the report, unless it was written to a file.
pub(super) fn run(args: &ReproduceArgs) -> Result<Option<String>> {
    let files = SETS.iter().map(|s| s.file).collect::<Vec<_>>();
    let folder = folder_with(&places(args.data.as_deref()), &files, ORIGIN)?;
    let mut sets: Vec<Box<dyn Experiment>> = Vec::new();
    let mut counts = Vec::new();
    for set in &SETS {
        let (set, count) = data_set(&folder, set, args)?;
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

/// The nominal graphs and the outliers that are used; and the number tested per fold.
fn data_set(folder: &Path, of: &GraphSource, args: &ReproduceArgs) -> Result<(Box<dyn Experiment>, Counts)> {
    let labelled = of.read(folder, args.seed)?;
    let (nominal, outliers) = (labelled.nominal.len(), labelled.outliers.len());
    let counts = (nominal, outliers, nominal / args.folds.max(1) + outliers);
    // The paper's times are per fold, including dissimilarities; so are ours.
    let options = RunOptions {
        dissimilarity: of.dissimilarity(),
        recompute: true,
        seed: args.seed,
        ..RunOptions::default()
    };
    Ok((labelled.experiment(&options)?, counts))
}
