//! The text of the UCI table: our numbers next to the published ones, and their differences.

use eocc_eval::{Summary, markdown};

use super::uci_oddities::{EXPLAINED, oddities};
use super::uci_ranking::ranking;
use crate::cli::ReproduceArgs;
use crate::published::{PublishedRow, UCI, UCI_SETS, is_from_dd_tools, title, uci};

/// Sets for which the numbers taken from `dd_tools` turn out to be those with the other class as nominal.
pub(super) const TURNED: [&str; 2] = ["BW", "L"];

/// An AUC below this is not from a working classifier.
pub(super) const FAR_BELOW_CHANCE: f64 = 0.25;

/// Larger differences are marked and explained.
const LARGE: f64 = 0.1;

/// The summary of the first sets only.
pub(super) fn first_sets(summary: &Summary, count: usize) -> Summary {
    Summary {
        sets: summary.sets[..count].to_vec(),
        methods: summary.methods.clone(),
        titles: summary.titles.clone(),
        cells: summary.cells.iter().map(|row| row[..count].to_vec()).collect(),
    }
}

/// Our AUC of a classifier on a set.
fn ours(summary: &Summary, method: &str, set: &str) -> Option<f64> {
    let m = summary.methods.iter().position(|n| n == method)?;
    let s = summary.sets.iter().position(|n| n == set)?;
    summary.cells[m][s].as_ref().ok().map(|c| c.auc)
}

/// The column to compare a published number with: the turned one for numbers of `dd_tools` on turned sets.
fn column(method: &str, set: &str) -> String {
    if is_from_dd_tools(method) && TURNED.contains(&set) { format!("{set}'") } else { set.to_owned() }
}

pub(super) fn report(summary: &Summary, args: &ReproduceArgs) -> String {
    let mut parts = vec![
        "# The paper's UCI table, repeated".to_owned(),
        format!(
            "Written by `eocc-lab reproduce uci --repeats {} --folds {} --seed {}`. Each cell: our mean AUC, then the published one; **bold** \
             where they differ by more than {LARGE}. Features are used unchanged, as in the paper.",
            args.repeats, args.folds, args.seed
        ),
        "BW' and L' are BW and L with the other class as nominal (malignant; selector 1). The figures that the paper took from \
         the published results of `dd_tools` fit these classes, not those that the paper names. So we compare these sixteen \
         rows with BW' and L'; our figures for the classes as named are under BW and L."
            .to_owned(),
        main_table(summary),
    ];
    let is_left_out = |r: &&PublishedRow| !summary.methods.iter().any(|m| m == r.method);
    let left_out: Vec<&str> = UCI.iter().filter(is_left_out).map(|r| title(r.method)).collect();
    if !left_out.is_empty() {
        parts.push(format!("Left out by `--methods`: {}.", left_out.join(", ")));
    }
    parts.extend(failures(summary));
    parts.push("## Differences from the published figures".to_owned());
    parts.push(differences(summary));
    parts.push(averages(summary));
    parts.push("## Oddities of the published table".to_owned());
    parts.push(oddities().join("\n"));
    let large = large_differences(summary);
    parts.push(format!("## Cells that are off by more than {LARGE}"));
    parts.push(if large.is_empty() { "None.".to_owned() } else { large.join("\n") });
    parts.push("## Ranking".to_owned());
    parts.push(ranking(summary));
    parts.join("\n\n")
}

fn main_table(summary: &Summary) -> String {
    let mut header = vec!["classifier".to_owned()];
    header.extend(summary.sets.iter().cloned());
    let mut grid = vec![header];
    for (m, method) in summary.methods.iter().enumerate() {
        let mut row = vec![summary.titles[m].clone()];
        for (s, set) in summary.sets.iter().enumerate() {
            let ours = summary.cells[m][s].as_ref().map_or("-".to_owned(), |c| format!("{:.3}", c.auc));
            row.push(match published_in(method, set) {
                None => ours,
                Some(published) => {
                    let value = summary.cells[m][s].as_ref().map_or(f64::NAN, |c| c.auc);
                    let text = format!("{ours} / {published:.3}");
                    if (value - published).abs() <= LARGE { text } else { format!("**{text}**") }
                }
            });
        }
        grid.push(row);
    }
    markdown(&grid)
}

/// The published number to show in a column, if it belongs there.
fn published_in(method: &str, shown: &str) -> Option<f64> {
    let set = shown.trim_end_matches('\'');
    let at = UCI_SETS.iter().position(|s| *s == set)?;
    if column(method, set) == shown { uci(method)?.auc[at] } else { None }
}

fn failures(summary: &Summary) -> Vec<String> {
    let lines: Vec<String> = summary.failures().iter().map(|n| format!("- {n}")).collect();
    if lines.is_empty() { Vec::new() } else { vec![lines.join("\n")] }
}

/// Absolute differences of a row: with turned sets, and with the classes as named in the paper.
fn row_differences(summary: &Summary, row: &PublishedRow, turned: bool) -> Vec<(usize, f64)> {
    let of = |(s, published): (usize, &Option<f64>)| {
        let set = if turned { column(row.method, UCI_SETS[s]) } else { UCI_SETS[s].to_owned() };
        Some((s, ours(summary, row.method, &set)? - (*published)?))
    };
    row.auc.iter().enumerate().filter_map(of).collect()
}

fn mean_absolute(differences: &[(usize, f64)]) -> f64 {
    differences.iter().map(|d| d.1.abs()).sum::<f64>() / differences.len() as f64
}

fn differences(summary: &Summary) -> String {
    let mut grid = vec![vec![
        "classifier".to_owned(),
        "mean absolute difference".to_owned(),
        "with BW and L as named".to_owned(),
    ]];
    for row in UCI.iter().filter(|r| summary.methods.iter().any(|m| m == r.method)) {
        let mean = |turned| format!("{:.3}", mean_absolute(&row_differences(summary, row, turned)));
        grid.push(vec![title(row.method).to_owned(), mean(true), mean(false)]);
    }
    markdown(&grid)
}

/// The mean absolute difference over the cells of the sixteen rows that are published with at least `least`.
fn dd_tools_difference(summary: &Summary, turned: bool, least: f64) -> f64 {
    let rows = UCI.iter().filter(|r| is_from_dd_tools(r.method));
    let cells = rows.flat_map(|r| {
        let is_counted = |d: &(usize, f64)| r.auc[d.0].is_some_and(|auc| auc >= least);
        row_differences(summary, r, turned).into_iter().filter(is_counted).collect::<Vec<_>>()
    });
    mean_absolute(&cells.collect::<Vec<_>>())
}

fn averages(summary: &Summary) -> String {
    format!(
        "Over the sixteen rows of `dd_tools`, the mean absolute difference is **{:.4}** ({:.4} with BW and L as named; {:.4} without \
         the two cells whose published values are far below chance).",
        dd_tools_difference(summary, true, 0.0),
        dd_tools_difference(summary, false, 0.0),
        dd_tools_difference(summary, true, FAR_BELOW_CHANCE)
    )
}

fn large_differences(summary: &Summary) -> Vec<String> {
    let mut lines = Vec::new();
    for row in UCI {
        for (s, difference) in row_differences(summary, row, true) {
            if difference.abs() <= LARGE {
                continue;
            }
            let set = column(row.method, UCI_SETS[s]);
            let known = EXPLAINED.iter().find(|e| e.0 == row.method && (e.1.is_empty() || e.1 == set));
            let reason = known.map_or("the reason is not known", |e| e.2);
            lines.push(format!("- {} on {set}: {difference:+.3}; {reason}.", title(row.method)));
        }
    }
    lines
}
