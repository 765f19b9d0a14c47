//! The five IAM sets of the paper: AUC and seconds of `paper` and `default`, beside what the paper prints.
//!
//! Graphs are in `iam/<set>.tar.gz` of the data folder (`$EOCC_DATA`, or `../shared/data`). Nominals are those of all
//! splits; the others those of valid and test, as the README of the data reads the paper's counts. Arguments: names of
//! sets, `repeats=N`.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use eocc::{Catalogue, Graphs, OneClassParams, Preset, SampleSet, Settings, Silent};
use eocc_eval::protocol::Scores;
use eocc_eval::{CrossValidation, Split};

/// Set, nominal class, costs; the paper's AUC and seconds to train and test.
const SETS: [(&str, &str, &str, f64, f64, f64); 5] = [
    ("AIDS", "a", "aids", 0.984, 14.5, 1.9),
    ("GREC", "1", "grec", 0.952, 6.4, 0.33),
    ("Letter-LOW", "A", "letter", 1.000, 5.3, 0.6),
    ("Letter-HIGH", "A", "letter", 0.951, 8.0, 1.5),
    ("Protein", "1", "protein", 0.491, 870.0, 6.4),
];

fn main() {
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("EOCC_DATA").map_or_else(usual, PathBuf::from);
    if !data.join("iam").is_dir() {
        println!("skipped: there is no folder `iam` in {}; set EOCC_DATA", data.display());
        return;
    }
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let repeats = arguments.iter().find_map(|a| a.strip_prefix("repeats=")?.parse().ok()).unwrap_or(1);
    let names: Vec<&String> = arguments.iter().filter(|a| !a.contains('=')).collect();
    println!("| set | preset | nominal / others | AUC | paper | train s | test s | paper's | times faster |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for set in SETS {
        if names.is_empty() || names.iter().any(|n| n.as_str() == set.0) {
            evaluate(&data, set, repeats);
        }
    }
}

fn evaluate(
    data: &Path,
    (set, class, costs, auc, train, test): (&str, &str, &str, f64, f64, f64),
    repeats: usize,
) {
    let read = eocc_data::read_graphs(&data.join(format!("iam/{set}.tar.gz"))).unwrap();
    let samples = &read.graphs;
    let (nominal, others) = read.one_class(class).unwrap();
    let mut settings = Settings::default();
    settings.insert("costs", costs);
    for preset in [Preset::Paper, Preset::Default] {
        let params = OneClassParams::new(preset).check().unwrap();
        let measure = Graphs::measure(preset, Some("ged"), &settings).unwrap();
        let classify = |split: &Split| {
            let start = Instant::now();
            let model = params.fit(&samples.select(&split.train), measure.boxed())?.model;
            let fit_seconds = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let score = |rows: &[usize]| -> eocc::Result<Vec<f64>> {
                let decisions = model.decide_with(&samples.select(rows), params.scoring, &Silent)?;
                Ok(decisions.iter().map(|d| d.score).collect())
            };
            let (nominal, others) = (score(&split.nominal)?, score(&split.others)?);
            Ok(Scores { nominal, others, fit_seconds, score_seconds: start.elapsed().as_secs_f64() })
        };
        let protocol = CrossValidation { repeats, folds: 10, seed: 0 };
        let found =
            protocol.run(&nominal, &others, rayon::current_num_threads(), classify, |_, _| true).unwrap();
        let (fit, score) = found.seconds();
        let folds: Vec<f64> = found.folds.iter().map(|f| f.auc).collect();
        let deviation = {
            let squares: f64 = folds.iter().map(|a| (a - found.mean()).powi(2)).sum();
            (squares / (folds.len() as f64 - 1.0)).sqrt()
        };
        println!(
            "| {set} | {} | {} / {} | {:.3} ± {deviation:.3} | {auc:.3} | {fit:.3} | {score:.3} | {train} / {test} | {:.0} |",
            preset.name(),
            nominal.len(),
            others.len(),
            found.mean(),
            (train + test) / (fit + score)
        );
    }
}
