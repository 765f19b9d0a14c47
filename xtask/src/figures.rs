//! The figures of the README are those of the pages that measured them.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::root;

const README: &str = "README.md";
const BENCHMARK: &str = "docs/results/benchmark.md";

/// The columns of the README's table and those of the benchmark.
const COLUMNS: [(&str, &str); 6] = [
    ("20 ADBench tables", "ADBench (20)"),
    ("8 UCI tables", "UCI (8)"),
    ("15 image embeddings", "Embeddings (15)"),
    ("20 string sets", "More strings (20)"),
    ("25 time-series sets", "More series (25)"),
    ("7 graph sets", "More graphs (7)"),
];

/// The rows likewise; where a column of the first is missing, the second.
const ROWS: [(&str, &[&str]); 7] = [
    ("**eocc**", &["EOCC-MI default"]),
    ("DTE-NP", &["DTE-NP"]),
    ("Gaussian mixture", &["Gaussian mixture, scikit-learn"]),
    ("kernel density", &["Kernel density, scikit-learn"]),
    ("LOF", &["LOF, scikit-learn", "LOF"]),
    ("one-class SVM", &["One-class SVM, scikit-learn"]),
    ("isolation forest", &["Isolation forest, scikit-learn"]),
];

/// A phrase of the README, and what the page says that it rounds.
const PHRASES: [(&str, &str, &str); 9] = [
    ("rejects 4.7 % of unseen normal", "docs/results/ordinary.md", "| program | 0.047 |"),
    (
        "take 43 s to learn and 32 s to score",
        "docs/results/scale.md",
        "| 1 000 000 x 10 | eocc | 43.19 | 31.91 |",
    ),
    ("[1.7 GB](docs/results/scale.md)", "docs/results/scale.md", "| 43.19 | 31.91 | 1735 |"),
    ("3.3 ± 0.3 points ahead of k-NN", "docs/research/2026-11-18-kinds.md", "+3.25 ± .30"),
    ("On [614 more tables]", "docs/research/2026-11-18-kinds.md", "on 614 ordinary tables"),
    ("satellite, 3.7 points below k-NN", BENCHMARK, "10/8, -3.7 satellite"),
    ("On 130 real-world tables", "docs/results/ordinary.md", "130 tables"),
    ("plus 22 baselines", "docs/compare.md", "and 22 others in `eocc compare`"),
    ("| 5 | 61 | 7 | 27 |", "docs/compare.md", "| 5 | 61 | 7, and 2 filters | 27 in version"),
];

pub(crate) fn check() -> Result<()> {
    let root = root()?;
    let read = |name: &str| fs::read_to_string(root.join(name)).with_context(|| name.to_owned());
    let readme = read(README)?;
    let mut faults = differences(&readme, &read(BENCHMARK)?)?;
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (phrase, page, source) in PHRASES {
        if !flat(&readme).contains(phrase) {
            faults.push(format!("{README} no longer says `{phrase}`: adapt xtask/src/figures.rs"));
        }
        if !flat(&read(page)?).contains(source) {
            faults.push(format!("{README} says `{phrase}`, but {page} no longer says `{source}`"));
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    bail!("{} figures without a source:\n  {}", faults.len(), faults.join("\n  "))
}

/// The cells of the README's table that differ from the benchmark.
fn differences(readme: &str, benchmark: &str) -> Result<Vec<String>> {
    let (_, section) = benchmark.split_once("## Differences to k-NN").context("no differences to k-NN")?;
    let ours = table(readme, "20 ADBench tables")?;
    let theirs = table(section, "ADBench (20)")?;
    let mut faults = Vec::new();
    for (row, sources) in ROWS {
        for (column, source) in COLUMNS {
            let shown = ours.cell(row, column)?.trim_matches('*');
            let measured =
                sources.iter().map(|name| theirs.cell(name, source)).collect::<Result<Vec<_>>>()?;
            let measured = measured.into_iter().find(|cell| *cell != "–").unwrap_or_default();
            let measured = measured.split(" ±").next().unwrap_or_default();
            if shown != measured {
                faults.push(format!("{row}, {column}: `{shown}`, but {BENCHMARK} has `{measured}`"));
            }
        }
    }
    Ok(faults)
}

/// A table of a document.
struct Table<'a> {
    names: Vec<&'a str>,
    rows: Vec<Vec<&'a str>>,
}

impl<'a> Table<'a> {
    fn cell(&self, row: &str, column: &str) -> Result<&'a str> {
        let found = self.rows.iter().find(|cells| cells.first() == Some(&row));
        let at = self.names.iter().position(|name| *name == column);
        found
            .zip(at)
            .and_then(|(cells, at)| cells.get(at).copied())
            .with_context(|| format!("no cell {row}, {column}"))
    }
}

/// The first table with this column.
fn table<'a>(text: &'a str, column: &str) -> Result<Table<'a>> {
    let rows =
        text.lines().map(str::trim).skip_while(|line| !(line.starts_with('|') && line.contains(column)));
    let mut rows = rows.take_while(|line| line.starts_with('|')).map(|line| {
        let inner = line.strip_prefix('|').unwrap_or(line);
        inner.strip_suffix('|').unwrap_or(inner).split('|').map(str::trim).collect::<Vec<_>>()
    });
    let names = rows.next().with_context(|| format!("no table with a column `{column}`"))?;
    Ok(Table { names, rows: rows.skip(1).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(figure: &str) -> (String, String) {
        let header = |names: Vec<&str>| format!("|  | {} |\n|---|\n", names.join(" | "));
        let readme = header(COLUMNS.map(|c| c.0).to_vec())
            + &ROWS.map(|(name, _)| format!("| {name} | {} |\n", [figure; 6].join(" | "))).concat();
        let rows = ROWS.iter().flat_map(|(_, sources)| *sources);
        let cells = ["+2.23 ± 1.46, 10/8"; 6].join(" | ");
        let rows = rows.map(|name| format!("| {name} | {cells} |")).collect::<Vec<_>>().join("\n");
        (readme, format!("## Differences to k-NN\n\n{}{rows}", header(COLUMNS.map(|c| c.1).to_vec())))
    }

    #[test]
    fn a_figure_that_differs_from_its_page_is_found() {
        let (readme, benchmark) = pages("+2.23");
        assert!(differences(&readme, &benchmark).unwrap().is_empty());
        let (readme, benchmark) = pages("+2.24");
        let faults = differences(&readme, &benchmark).unwrap();
        assert_eq!(faults.len(), ROWS.len() * COLUMNS.len());
        assert!(faults[0].contains("`+2.24`, but docs/results/benchmark.md has `+2.23`"), "{}", faults[0]);
        assert!(differences("", &benchmark).is_err());
    }
}
