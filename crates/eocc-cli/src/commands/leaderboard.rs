//! `eocc leaderboard`: `default`, its variants and every peer on the same splits of many sets.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use eocc::Error;
use eocc::random::Random;
use eocc_baselines::{Origin, method, named};
use eocc_data::atomic_write;
use eocc_eval::printed::UCI_SETS;
use eocc_eval::statistics::{mean_ranks, wilcoxon};
use eocc_eval::{Cell, CrossValidation, Experiment, Halves, Protocol, Summary};

use super::reproduce::place_of;
use crate::cli::LeaderboardArgs;
use crate::comparing::{Plan, beside_printed, markdown, notes, places, title, vectors};
use crate::{exit_code, output};

/// The row that all others are compared with.
const BAR: &str = "k-nn-mean";
/// Random halves of the sets to choose on.
const HALVINGS: usize = 1000;
/// AUCs closer than this count as a tie.
const TIE: f64 = 0.002;
/// Classifiers that take minutes on thousands of samples: left out unless named.
const SLOW: &[&str] = &["paper", "eocc-1", "eocc-2", "mpm", "lpdd", "search", "population"];

/// Sets from one folder, split in one way.
struct Board {
    heading: String,
    sets: Vec<Box<dyn Experiment>>,
    protocol: Protocol,
    name: &'static str,
}

pub(crate) fn run(args: &LeaderboardArgs) -> Result<ExitCode> {
    let folder = folder(args.data.as_deref())?;
    let methods = methods(args)?;
    let halves = Halves {
        repeats: args.repeats,
        most: args.most,
        contamination: args.contamination.unwrap_or(0.0),
        seed: args.seed,
    };
    let mut boards = Vec::new();
    let anomalies = files(&folder.join("adbench"), "npz", &args.sets)?;
    if !anomalies.is_empty() {
        let share = match args.contamination {
            Some(share) => format!(", and {share} of the training samples others"),
            None => String::new(),
        };
        boards.push(Board {
            heading: format!(
                "Anomaly detection: half of the nominals train (at most {}){share}; the rest and all others test; {} seeds",
                args.most, args.repeats
            ),
            sets: read_all(&anomalies, "y", "0", args.seed)?,
            protocol: halves.into(),
            name: "adbench",
        });
    }
    let uci = files(&folder.join("uci"), "csv", &args.sets)?;
    if !uci.is_empty() && args.contamination.is_none() {
        boards.push(Board {
            heading: format!("UCI: {} times 10-fold cross-validation", args.repeats),
            sets: read_all(&uci, "label", "target", args.seed)?,
            protocol: CrossValidation { repeats: args.repeats, folds: 10, seed: args.seed }.into(),
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
        let Some(summary) = play(board, &methods, args)? else {
            return Ok(ExitCode::from(exit_code::INTERRUPTED));
        };
        parts.push(format!("## {}", board.heading));
        parts.extend(report(&summary));
        parts.extend(with_printed(&summary));
    }
    let text = parts.join("\n\n");
    match &args.output {
        Some(path) => atomic_write(path, |w| writeln!(w, "{text}"))?,
        None => output::line(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn play(board: &Board, methods: &[&str], args: &LeaderboardArgs) -> Result<Option<Summary>> {
    let journal = args.journal.as_ref().map(|folder| folder.join(format!("{}.jsonl", board.name)));
    let plan = Plan {
        sets: &board.sets,
        methods,
        protocol: board.protocol,
        settings: format!(
            "eocc {}, leaderboard {}, most {}, contamination {}, seed {}",
            env!("CARGO_PKG_VERSION"),
            board.name,
            args.most,
            args.contamination.unwrap_or(0.0),
            args.seed
        ),
        journal: journal.as_deref(),
        restart: false,
        prefix: "eocc-leaderboard",
    };
    plan.run()
}

fn methods(args: &LeaderboardArgs) -> Result<Vec<&'static str>> {
    if !args.methods.is_empty() {
        let mut names: Vec<&str> = named(&args.methods)?.iter().map(|m| m.name).collect();
        if !names.contains(&BAR) {
            names.push(BAR);
        }
        return Ok(names);
    }
    let all = named(&["all".to_owned(), "variants".to_owned()])?;
    Ok(all.iter().map(|m| m.name).filter(|n| !SLOW.contains(n)).collect())
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
    let mut sets: Vec<Box<dyn Experiment>> = Vec::new();
    for path in files {
        // Standardised for all: a peer on raw units would be beaten by its units.
        sets.push(vectors(path, label, nominal, name_of(path), true, seed)?);
    }
    Ok(sets)
}

fn preamble(args: &LeaderboardArgs) -> String {
    let mut words = vec!["eocc leaderboard".to_owned()];
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
         for all rows. Differences are to `{BAR}`, the mean distance to the five nearest; AUCs closer than {TIE} are ties; p is \
         Wilcoxon's over the sets. The rank among classifiers counts each of them once: for a variant of `default` it is the rank in its place, for \
         k-NN with another k beside the others. Times are of one thread, while others ran.{}",
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

fn report(summary: &Summary) -> Vec<String> {
    let rows: Vec<(usize, Vec<f64>)> =
        (0..summary.methods.len()).filter_map(|m| Some((m, aucs(summary, m)?))).collect();
    let Some(bar) = rows.iter().find(|r| summary.methods[r.0] == BAR).map(|r| r.1.clone()) else {
        return notes(summary);
    };
    let by_set: Vec<Vec<f64>> = (0..bar.len()).map(|s| rows.iter().map(|r| r.1[s]).collect()).collect();
    let mean_ranks = mean_ranks(&by_set);
    let kinds: Vec<Kind> = rows.iter().map(|r| Kind::of(&summary.methods[r.0])).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| mean(&rows[b].1).total_cmp(&mean(&rows[a].1)));
    let header = [
        "row",
        "mean AUC",
        "difference",
        "mean AP",
        "mean rank",
        "among classifiers",
        "won",
        "tied",
        "lost",
        "p",
        "fit s",
        "s / 1000 scores",
    ];
    let mut grid = vec![header.map(str::to_owned).to_vec()];
    for &r in &order {
        let (m, auc) = (rows[r].0, &rows[r].1);
        let cells: Vec<&Cell> = summary.cells[m].iter().filter_map(|c| c.as_ref().ok()).collect();
        let of = |f: fn(&Cell) -> f64| cells.iter().map(|c| f(c)).sum::<f64>() / cells.len() as f64;
        let count = |f: &dyn Fn(f64) -> bool| auc.iter().zip(&bar).filter(|(a, b)| f(*a - *b)).count();
        let p = wilcoxon(auc, &bar).map_or(1.0, |w| w.p);
        grid.push(vec![
            title(&summary.methods[m]).to_owned(),
            format!("{:.4}", mean(auc)),
            format!("{:+.2}", 100.0 * (mean(auc) - mean(&bar))),
            format!("{:.4}", of(|c| c.average_precision)),
            format!("{:.2}", mean_ranks[r]),
            format!("{:.2}", rank_among(&by_set, r, &kinds)),
            count(&|d| d > TIE).to_string(),
            count(&|d| d.abs() <= TIE).to_string(),
            count(&|d| d < -TIE).to_string(),
            format!("{p:.3}"),
            output::number(of(|c| c.fit_seconds)),
            output::number(of(|c| c.seconds_per_thousand)),
        ]);
    }
    let mut parts = vec![markdown(&grid)];
    parts.extend(halves(summary, &rows, &bar));
    parts.push(per_set(summary, &rows, &order));
    let failed = notes(summary);
    if !failed.is_empty() {
        parts.push(format!("Rows without a result on some set:\n\n- {}", failed.join("\n- ")));
    }
    parts
}

/// What a row is to the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Default,
    /// `default` with one thing changed.
    VariantOfDefault,
    Classifier,
    /// A classifier once more, with another parameter.
    Again,
}

impl Kind {
    fn of(name: &str) -> Self {
        let is_variant = method(name).is_ok_and(|m| m.origin == Origin::Variant);
        match (name, is_variant) {
            ("default", _) => Self::Default,
            (_, false) => Self::Classifier,
            (_, true) if name.starts_with(BAR) => Self::Again,
            (_, true) => Self::VariantOfDefault,
        }
    }
}

/// The mean rank of row `r` among the classifiers, each of which counts once.
fn rank_among(by_set: &[Vec<f64>], r: usize, kinds: &[Kind]) -> f64 {
    let counts = |kind: Kind| match kind {
        Kind::Classifier => true,
        Kind::Default => kinds[r] != Kind::VariantOfDefault,
        Kind::VariantOfDefault | Kind::Again => false,
    };
    let others: Vec<usize> = (0..kinds.len()).filter(|&o| o != r && counts(kinds[o])).collect();
    let row_first = |aucs: &Vec<f64>| [r].iter().chain(&others).map(|&row| aucs[row]).collect();
    mean_ranks(&by_set.iter().map(row_first).collect::<Vec<_>>())[0]
}

/// The classifiers, each once, beside the paper's printed figures; where these are its sets.
fn with_printed(summary: &Summary) -> Option<String> {
    let of_place = |place: usize| summary.sets.iter().position(|s| place_of(s) == Some(place));
    let order: Vec<usize> = (0..UCI_SETS.len()).map(of_place).collect::<Option<_>>()?;
    let is_classifier =
        |m: &usize| matches!(Kind::of(&summary.methods[*m]), Kind::Default | Kind::Classifier);
    let rows: Vec<(usize, Vec<f64>)> = (0..summary.methods.len())
        .filter(is_classifier)
        .filter_map(|m| Some((m, aucs(summary, m)?)))
        .collect();
    let names: Vec<String> = rows.iter().map(|r| summary.methods[r.0].clone()).collect();
    let table: Vec<Vec<f64>> = order.iter().map(|&s| rows.iter().map(|r| r.1[s]).collect()).collect();
    Some(beside_printed(&names, &table))
}

/// Chosen on one half of the sets, reported on the other, both ways round.
fn halves(summary: &Summary, rows: &[(usize, Vec<f64>)], bar: &[f64]) -> Option<String> {
    let is_ours = |name: &str| {
        Kind::of(name) == Kind::VariantOfDefault || method(name).is_ok_and(|m| m.origin == Origin::Ours)
    };
    let ours: Vec<&(usize, Vec<f64>)> = rows.iter().filter(|r| is_ours(&summary.methods[r.0])).collect();
    let own = ours.iter().find(|r| summary.methods[r.0] == "default")?;
    // In order of their names, case and leading numbers aside: the first half and the second.
    let mut order: Vec<usize> = (0..bar.len()).collect();
    order.sort_by_key(|&i| shown(&summary.sets[i]).to_lowercase());
    let gain = |auc: &[f64], sets: &[usize]| {
        mean(&sets.iter().map(|&i| 100.0 * (auc[i] - bar[i])).collect::<Vec<_>>())
    };
    let best = |sets: &[usize]| {
        ours.iter().max_by(|a, b| gain(&a.1, sets).total_cmp(&gain(&b.1, sets))).map_or(*own, |r| *r)
    };
    let (first, second) = order.split_at(order.len() / 2);
    let line = |here: &[usize], there: &[usize], names: [&str; 2]| {
        let chosen = best(here);
        format!(
            "- Chosen on the {} half: {} ({:+.2} there); on the {} half it gains {:+.2}, and `default` {:+.2}.",
            names[0],
            title(&summary.methods[chosen.0]),
            gain(&chosen.1, here),
            names[1],
            gain(&chosen.1, there),
            gain(&own.1, there)
        )
    };
    let lines = [line(first, second, ["first", "second"]), line(second, first, ["second", "first"])];
    let mut random = Random::new(0);
    let mut gains: Vec<[f64; 2]> = Vec::with_capacity(HALVINGS);
    for _ in 0..HALVINGS {
        random.shuffle(&mut order);
        let (here, there) = order.split_at(order.len() / 2);
        gains.push([gain(&best(here).1, there), gain(&own.1, there)]);
    }
    let mut told = |which: usize| {
        gains.sort_by(|a, b| a[which].total_cmp(&b[which]));
        let at = |share: f64| gains[(share * (HALVINGS - 1) as f64) as usize][which];
        format!("{:+.2} (median; {:+.2} to {:+.2} in nine of ten)", at(0.5), at(0.05), at(0.95))
    };
    let (chosen, fixed) = (told(0), told(1));
    Some(format!(
        "Of `default` and its variants, the best on one half of the sets (in order of their names) and what it gains on the \
         other, in points of AUC:\n\n{}\n{}\n- Over {HALVINGS} random halves, the one chosen gains {chosen} on the other half; \
         `default` gains {fixed}.",
        lines[0], lines[1]
    ))
}

/// The name of a set in tables: without the number that leads it.
fn shown(name: &str) -> &str {
    name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_')
}

fn per_set(summary: &Summary, rows: &[(usize, Vec<f64>)], order: &[usize]) -> String {
    let mut grid = vec![vec!["AUC".to_owned()]];
    grid[0].extend(summary.sets.iter().map(|s| shown(s).to_owned()));
    for &r in order {
        let mut line = vec![title(&summary.methods[rows[r].0]).to_owned()];
        line.extend(rows[r].1.iter().map(|a| format!("{a:.3}")));
        grid.push(line);
    }
    markdown(&grid)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_among_classifiers_sees_each_once() {
        // The second row is a variant of the first; the fourth ties with that on the second set; the last is k-NN again.
        let kinds = ["default", "locality-0", "lof", "gauss", "k-nn-mean-1"].map(Kind::of);
        let by_set = [vec![0.9, 0.95, 0.8, 0.7, 1.0], vec![0.5, 0.6, 0.9, 0.5, 0.55]];
        let ranks: Vec<f64> = (0..5).map(|r| rank_among(&by_set, r, &kinds)).collect();
        // 1 and 2.5; 1 and 2; 2 and 1; 3 and 2.5; 1 and 2.
        assert_eq!(ranks, [1.75, 1.5, 1.5, 2.75, 1.5]);
    }
}
