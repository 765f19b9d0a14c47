//! `eocc-lab leaderboard`: `default`, its variants and every comparator on the same splits of many sets, collection by
//! collection.

mod collections;
mod kind;
mod merge;
mod report;
pub(crate) mod side_by_side;
mod told;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use eocc_baselines::{Method, method};
use eocc_core::Error;
use eocc_eval::{JournaledComparison, Summary};

use crate::cli::LeaderboardArgs;
use crate::data::{places, write_report};
use crate::progress::Bar;
use crate::variants::named;
use collections::{Collection, Found};

/// The baseline row.
pub(crate) const BASELINE: &str = "k-nn-mean";
/// AUCs closer than this count as a tie.
pub(crate) const TIE: f64 = 0.002;
/// Classifiers that take minutes on thousands of samples: skipped unless named.
const SLOW: &[&str] = &["paper", "eocc-1", "eocc-2", "mpm", "lpdd", "search"];

/// The results on one collection.
pub(crate) struct Board {
    pub(crate) title: &'static str,
    /// How it was split, in words.
    pub(crate) protocol: String,
    pub(crate) summary: Summary,
}

/// Runs the leaderboard; returns the report, unless it was written to a file.
pub fn run(args: &LeaderboardArgs) -> Result<Option<String>> {
    let (methods, slow) = methods(args)?;
    let known = methods.iter().map(|m| match args.contamination {
        Some(share) if args.told => told::told_method(m, share),
        _ => Ok(None),
    });
    let known: Vec<Option<Method>> = known.collect::<Result<_, _>>()?;
    let methods: Vec<&Method> = methods.iter().zip(&known).map(|(m, t)| t.as_ref().unwrap_or(m)).collect();
    let (boards, left_out) = boards(args, &methods)?;
    let mut parts = vec![preamble(args, &slow)];
    if !left_out.is_empty() {
        parts.push(format!("- {}", left_out.join("\n- ")));
    }
    parts.push("## The collections side by side".to_owned());
    parts.push(side_by_side::table(&boards, &methods));
    for board in &boards {
        parts.push(format!("## {}: {}", board.title, board.protocol));
        parts.extend(report::report(&board.summary));
        // The published numbers are from cross-validation.
        if args.contamination.is_none() {
            parts.extend(report::with_published(&board.summary));
        }
    }
    write_report(parts.join("\n\n"), args.output.as_deref())
}

/// The results of these methods on all requested collections that are available, and notes about missing ones.
pub(crate) fn boards(args: &LeaderboardArgs, methods: &[&Method]) -> Result<(Vec<Board>, Vec<String>)> {
    let folder = folder(args.data.as_deref())?;
    let (mut collections, mut left_out) = (Vec::new(), Vec::new());
    for found in collections::read_all(&folder, args)? {
        match found {
            Found::Read(collection) => collections.push(collection),
            Found::LeftOut(why) => left_out.push(why),
        }
    }
    let is_wanted =
        |c: &Collection| args.collections.is_empty() || args.collections.iter().any(|n| n == c.name);
    collections.retain(|c| !c.sets.is_empty() && is_wanted(c));
    if collections.is_empty() {
        let place = folder.display();
        bail!(Error::input(format!(
            "no data in {place}; name another folder with --data\n{}",
            left_out.join("\n")
        )));
    }
    for line in &left_out {
        eprintln!("{line}");
    }
    if let Some(folder) = &args.journal {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    }
    let mut boards = Vec::new();
    for collection in collections {
        let summary = collection.run(methods, args)?;
        boards.push(Board { title: collection.title, protocol: collection.protocol_in_words, summary });
    }
    Ok((boards, left_out))
}

impl Collection {
    fn run(&self, methods: &[&Method], args: &LeaderboardArgs) -> Result<Summary> {
        let journal = args.journal.as_ref().map(|folder| folder.join(format!("{}.jsonl", self.name)));
        let told = if args.told { ", told" } else { "" };
        let comparison = JournaledComparison {
            sets: &self.sets,
            methods: &self.methods(methods),
            protocol: self.protocol.as_ref(),
            settings: &format!("leaderboard {}{told}", self.name),
            journal: journal.as_deref(),
            prefix: "eocc-leaderboard",
            restart: false,
        };
        let summary = comparison.run(rayon::current_num_threads(), &Bar::new())?;
        Ok(merge::merged(&summary, &self.shown))
    }
}

/// The classifiers to run, and the names of those skipped for their time.
fn methods(args: &LeaderboardArgs) -> Result<(Vec<&'static Method>, Vec<&'static str>)> {
    if !args.methods.is_empty() {
        let mut methods = named(&args.methods)?;
        if !methods.iter().any(|m| m.name == BASELINE) {
            methods.push(method(BASELINE)?);
        }
        return Ok((methods, Vec::new()));
    }
    let all = named(&["all".to_owned(), "variants".to_owned()])?;
    let (slow, rest): (Vec<&Method>, Vec<&Method>) = all.into_iter().partition(|m| SLOW.contains(&m.name));
    Ok((rest, slow.iter().map(|m| m.name).collect()))
}

/// The folder with the data: the given one, or the first default one that exists.
fn folder(given: Option<&Path>) -> Result<PathBuf> {
    match places(given).into_iter().find(|p| p.is_dir()) {
        Some(place) => Ok(place),
        None => bail!(Error::input(
            "no folder of data sets; name one with --data, with folders such as `adbench` or `uci` in it"
        )),
    }
}

fn preamble(args: &LeaderboardArgs, slow: &[&str]) -> String {
    let mut words = vec!["eocc-lab leaderboard".to_owned()];
    for (option, names) in [("--methods", &args.methods), ("--sets", &args.sets)] {
        if !names.is_empty() {
            words.push(format!("{option} {}", names.join(",")));
        }
    }
    if let Some(share) = args.contamination {
        words.push(format!("--contamination {share}"));
    }
    if args.told {
        words.push("--told".to_owned());
    }
    words.push(format!(
        "--repeats {} --most {} --most-tests {} --seed {}",
        args.repeats, args.most, args.most_tests, args.seed
    ));
    let slow = match slow {
        [] => String::new(),
        names => format!(" Not run, because they take long: {}; name them with --methods.", names.join(", ")),
    };
    format!(
        "# Leaderboard\n\nWritten by `{}`. All rows use the same splits. `default` and its variants get features unchanged; for all \
         other rows, features are standardized on the training samples. On strings, series and graphs, all rows use the same \
         dissimilarity. Differences are to `{BASELINE}`, the mean distance to the five nearest neighbors. AUCs closer than {TIE} are \
         ties; p is that of Wilcoxon's test over the sets. The rank among classifiers leaves variants out: a variant of `default` is \
         ranked in place of `default`, and k-NN with another k in addition to all classifiers. Times are processor time of one \
         thread.{slow}",
        words.join(" ")
    )
}

/// AUC of a row on each set, if it ran on all of them.
pub(crate) fn aucs(summary: &Summary, m: usize) -> Option<Vec<f64>> {
    summary.cells[m].iter().map(|c| c.as_ref().ok().map(|c| c.auc)).collect()
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
