//! `eocc-lab benchmark`: `default` next to the best known classifiers, in the implementations of scikit-learn and
//! PyOD, on every open collection.

mod peer;

use std::fmt::Write as _;

use anyhow::Result;
use eocc_baselines::{Classifier, Method, Origin, Recipe, method};
use eocc_eval::markdown;

use crate::cli::{BenchmarkArgs, LeaderboardArgs};
use crate::data::write_report;
use crate::leaderboard::side_by_side::Difference;
use crate::leaderboard::{BASELINE, Board, TIE, aucs, boards, mean};
use peer::Peer;

const fn line(
    name: &'static str,
    title: &'static str,
    make: fn() -> Box<dyn Classifier>,
    summary: &'static str,
) -> Method {
    Method { name, title, origin: Origin::Peer, summary, recipe: Recipe::Classifier(make) }
}

/// Classifiers that Python runs.
#[rustfmt::skip]
static PEERS: &[Method] = &[
    line("pyod-knn", "k-NN, PyOD", || Box::new(Peer("pyod-knn")), "distance to the fifth nearest"),
    line("pyod-knn-mean", "k-NN mean, PyOD", || Box::new(Peer("pyod-knn-mean")), "mean distance to the five nearest"),
    line("pyod-ecod", "ECOD, PyOD", || Box::new(Peer("pyod-ecod")), "empirical tails of each column"),
    line("sklearn-lof", "LOF, scikit-learn", || Box::new(Peer("sklearn-lof")), "local outlier factor, 20 neighbors"),
    line("sklearn-isolation-forest", "Isolation forest, scikit-learn", || Box::new(Peer("sklearn-isolation-forest")), "100 trees"),
    line("sklearn-oc-svm", "One-class SVM, scikit-learn", || Box::new(Peer("sklearn-oc-svm")), "RBF, gamma scale, nu 0.5"),
    line("sklearn-kde", "Kernel density, scikit-learn", || Box::new(Peer("sklearn-kde")), "Gaussian, Scott's bandwidth"),
    line("sklearn-mixture", "Gaussian mixture, scikit-learn", || Box::new(Peer("sklearn-mixture")), "five components"),
];

/// Ours, and those that also work on dissimilarities.
const OWN: [&str; 5] = ["default", BASELINE, "dte-np", "1-nn", "lof"];

/// The published mean AUCs by the normals-only protocol of `ADBench`, over 57 sets: DTE-NP, k-NN, and the best of the rest.
const PUBLISHED: [f64; 3] = [81.49, 80.86, 80.37];

/// Runs the benchmark; returns the page, unless it was written to a file.
pub fn run(args: &BenchmarkArgs) -> Result<Option<String>> {
    let versions = peer::start(&args.python)?;
    let known: Vec<String> =
        versions.iter().filter_map(|(name, version)| Some(format!("{name} {}", version.as_ref()?))).collect();
    let own: Vec<&Method> = OWN.iter().map(|name| method(name)).collect::<Result<_, _>>()?;
    let methods: Vec<&Method> = own.iter().copied().chain(PEERS).collect();
    let (found, left_out) = boards(&board_args(args), &methods)?;
    let mut page = format!(
        "# `default` compared with the best known classifiers\n\nWritten by `cargo run --release -p eocc-lab -- benchmark`. All \
         classifiers use the same splits ({} seeds). `default` gets features unchanged; for all others, features are standardized on \
         the training samples. Classifiers of scikit-learn and PyOD run with their default settings ({}); DTE-NP, 1-NN and LOF on \
         dissimilarities are our own. On strings, series and graphs, only classifiers that work on a dissimilarity can run, and all \
         use the same one.\n",
        args.repeats,
        known.join(", ")
    );
    for line in left_out {
        write!(page, "\n- {line}")?;
    }
    write!(
        page,
        "\n\n## Differences to k-NN\n\nEach cell has the difference to the mean distance to the five nearest neighbors, in points of \
         AUC (mean over the sets of a collection ± standard error), how many sets are won / lost by more than {}, and the worst \
         set.\n\n{}\n\n## Mean AUC\n\n{}\n\n## Where `default` loses\n\nThese are the sets on which the best other classifier is more \
         than a point ahead. With a dozen classifiers, one is ahead by chance more often than not.\n\n{}\n",
        100.0 * TIE,
        differences(&found, &methods),
        means(&found, &methods),
        losses(&found)
    )?;
    if args.collections.is_empty() || args.collections.iter().any(|name| name == "adbench") {
        page.push_str(&published(args)?);
    }
    page.push_str("\n## How the data was split\n\n");
    for board in &found {
        writeln!(page, "- {}: {}.", board.title, board.protocol)?;
    }
    write_report(page, args.output.as_deref())
}

fn board_args(args: &BenchmarkArgs) -> LeaderboardArgs {
    LeaderboardArgs {
        data: args.data.clone(),
        methods: Vec::new(),
        collections: args.collections.clone(),
        sets: args.sets.clone(),
        repeats: args.repeats,
        most: 1000,
        most_tests: 1000,
        contamination: None,
        told: false,
        journal: args.journal.clone(),
        output: None,
        seed: 0,
    }
}

fn differences(found: &[Board], methods: &[&Method]) -> String {
    table(found, methods, |board, method| {
        Some(Difference::between(&board.summary, method.name, BASELINE)?.in_words())
    })
}

fn means(found: &[Board], methods: &[&Method]) -> String {
    table(found, methods, |board, method| Some(format!("{:.1}", 100.0 * mean(&row(board, method.name)?))))
}

/// One line per method that has any result, best mean first.
fn table(found: &[Board], methods: &[&Method], cell: impl Fn(&Board, &Method) -> Option<String>) -> String {
    let mut grid = vec![vec![String::new()]];
    grid[0].extend(found.iter().map(|board| format!("{} ({})", board.title, board.summary.sets.len())));
    let over = |method: &Method| -> Vec<f64> {
        let gain = |board| Some(Difference::between(board, method.name, BASELINE)?.mean);
        found.iter().filter_map(|board| gain(&board.summary)).collect()
    };
    let mut order: Vec<(&Method, f64)> = methods
        .iter()
        .map(|method| (*method, over(method)))
        .filter(|(_, gains)| !gains.is_empty())
        .map(|(method, gains)| (method, mean(&gains)))
        .collect();
    order.sort_by(|a, b| (b.0.name == "default").cmp(&(a.0.name == "default")).then(b.1.total_cmp(&a.1)));
    for (method, _) in order {
        let mut line = vec![method.title.to_owned()];
        line.extend(found.iter().map(|board| cell(board, method).unwrap_or_else(|| "–".to_owned())));
        grid.push(line);
    }
    markdown(&grid)
}

fn row(board: &Board, name: &str) -> Option<Vec<f64>> {
    aucs(&board.summary, board.summary.methods.iter().position(|m| m == name)?)
}

fn losses(found: &[Board]) -> String {
    let header = ["collection", "set", "`default`", "best of the rest", "AUC", "points"];
    let mut grid = vec![header.map(str::to_owned).to_vec()];
    for board in found {
        let Some(ours) = row(board, "default") else { continue };
        for (s, own) in ours.iter().enumerate() {
            let rest = (0..board.summary.methods.len()).filter(|m| board.summary.methods[*m] != "default");
            let results = rest.filter_map(|m| Some((m, board.summary.cells[m].get(s)?.as_ref().ok()?.auc)));
            let Some((best, auc)) = results.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
            if auc > own + 0.01 {
                let set = board.summary.sets[s].clone();
                let title = board.summary.titles[best].clone();
                let points = format!("{:.1}", 100.0 * (own - auc));
                grid.push(vec![
                    board.title.to_owned(),
                    set,
                    format!("{own:.3}"),
                    title,
                    format!("{auc:.3}"),
                    points,
                ]);
            }
        }
    }
    markdown(&grid)
}

/// Our row in the published table of `ADBench` with nominals only, on the available sets.
fn published(args: &BenchmarkArgs) -> Result<String> {
    let own = LeaderboardArgs {
        collections: vec!["adbench".to_owned()],
        // Half of the nominals are for training, all the rest for testing.
        most: usize::MAX,
        most_tests: usize::MAX,
        journal: args.journal.as_ref().map(|folder| folder.join("published")),
        ..board_args(args)
    };
    let named = ["default", "dte-np"].map(method).into_iter().collect::<Result<Vec<_>, _>>()?;
    let base = &PEERS[0];
    let (found, _) = boards(&own, &[named.as_slice(), &[base]].concat())?;
    let board = &found[0];
    let mut text = format!(
        "\n## The published table of ADBench\n\nThis follows its protocol for training on nominals only: half of them train, whatever \
         their number, and the rest and all outliers test. The table has 57 sets and 26 methods. We have {} of the sets, so only \
         differences to k-NN (PyOD's, its baseline) can be compared. It has {} for DTE-NP and {} for k-NN, a difference of {:+.2}; the \
         best other method has {}.\n\n",
        board.summary.sets.len(),
        PUBLISHED[0],
        PUBLISHED[1],
        PUBLISHED[0] - PUBLISHED[1],
        PUBLISHED[2]
    );
    let mut grid = vec![vec!["row".to_owned(), "points over k-NN".to_owned()]];
    for method in named {
        if let Some(difference) = Difference::between(&board.summary, method.name, base.name) {
            grid.push(vec![method.title.to_owned(), difference.in_words()]);
        }
    }
    text.push_str(&markdown(&grid));
    text.push('\n');
    Ok(text)
}
