//! A comparison as text.

use eocc_baselines::method;
use eocc_eval::statistics::{friedman, mean_ranks, two_way_anova};
use eocc_eval::{Cell, Summary};
use serde_json::{Value, json};

use crate::cli::TableFormat;
use crate::output::number;

/// Level of the tests.
pub(crate) const ALPHA: f64 = 0.05;

/// The whole comparison in a format.
pub(crate) fn render(summary: &Summary, format: TableFormat) -> String {
    match format {
        TableFormat::Table => {
            [aligned(&grid(summary)), statistics(summary).join("\n")].join("\n").trim_end().to_owned()
        }
        TableFormat::Markdown => {
            [markdown(&grid(summary)), statistics(summary).join("\n\n")].join("\n\n").trim_end().to_owned()
        }
        TableFormat::Latex => latex(&grid(summary)),
        TableFormat::Csv => csv(summary),
        TableFormat::Json => json_text(summary),
    }
}

/// The name of a classifier in tables.
pub(crate) fn title(name: &str) -> &str {
    method(name).map_or(name, |m| m.title)
}

/// Why cells are empty, a line each.
pub(crate) fn notes(summary: &Summary) -> Vec<String> {
    let mut notes = Vec::new();
    for (m, row) in summary.methods.iter().zip(&summary.cells) {
        for (set, cell) in summary.sets.iter().zip(row) {
            if let Err(reason) = cell {
                notes.push(format!("{} on {set}: {reason}", title(m)));
            }
        }
    }
    notes
}

/// Header and rows: AUC and deviation on each set, then means and times.
fn grid(summary: &Summary) -> Vec<Vec<String>> {
    let several = summary.sets.len() > 1;
    let mut header = vec!["method".to_owned()];
    header.extend(summary.sets.iter().cloned());
    if several {
        header.extend(["mean".to_owned(), "rank".to_owned()]);
    } else {
        header.push("AP".to_owned());
    }
    header.extend(["fit s".to_owned(), "s / 1000 scores".to_owned()]);
    let mean_ranks = mean_ranks(&summary.table());
    let mut grid = vec![header];
    for (m, cells) in summary.cells.iter().enumerate() {
        let known: Vec<&Cell> = cells.iter().filter_map(|c| c.as_ref().ok()).collect();
        let mean = |f: fn(&Cell) -> f64| known.iter().map(|c| f(c)).sum::<f64>() / known.len() as f64;
        let or_dash = |text: String| if known.is_empty() { "-".to_owned() } else { text };
        let mut row = vec![title(&summary.methods[m]).to_owned()];
        row.extend(cells.iter().map(|c| match c {
            Ok(c) => format!("{:.3}({:.3})", c.auc, c.deviation),
            Err(_) => "failed".to_owned(),
        }));
        if several {
            row.push(or_dash(format!("{:.3}", mean(|c| c.auc))));
            row.push(or_dash(format!("{:.2}", mean_ranks[m])));
        } else {
            row.push(or_dash(format!("{:.3}", mean(|c| c.average_precision))));
        }
        row.push(or_dash(number(mean(|c| c.fit_seconds))));
        row.push(or_dash(number(mean(|c| c.seconds_per_thousand))));
        grid.push(row);
    }
    grid
}

/// What the tests say, if there are data sets enough.
fn statistics(summary: &Summary) -> Vec<String> {
    let table = summary.table();
    let (Ok(anova), Ok(by_rank)) = (two_way_anova(&table, ALPHA), friedman(&table, ALPHA)) else {
        return Vec::new();
    };
    vec![
        format!(
            "two-way ANOVA: F({}, {}) = {}, p = {}; means closer than {:.3} are not told apart (Tukey, {ALPHA})",
            anova.freedom.0,
            anova.freedom.1,
            number(anova.f),
            number(anova.p),
            2.0 * anova.half_width
        ),
        format!(
            "Friedman: chi2 = {}, p = {}; mean ranks closer than {:.2} are not told apart (Nemenyi, {ALPHA})",
            number(by_rank.statistic),
            number(by_rank.p),
            by_rank.critical_difference
        ),
    ]
}

/// Columns of equal width, numbers to the right.
fn aligned(grid: &[Vec<String>]) -> String {
    let width = |c: usize| grid.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..grid.first().map_or(0, Vec::len)).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(c, (t, &w))| if c == 0 { format!("{t:<w$}") } else { format!("{t:>w$}") });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    grid.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// A Markdown table of a header and rows.
pub(crate) fn markdown(grid: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| format!("| {} |", row.join(" | ").replace('_', "\\_"));
    let mut lines: Vec<String> = grid.iter().map(line).collect();
    let columns = grid.first().map_or(0, Vec::len);
    let rule: Vec<&str> = (0..columns).map(|c| if c == 0 { "---" } else { "---:" }).collect();
    lines.insert(1.min(lines.len()), format!("| {} |", rule.join(" | ")));
    lines.join("\n")
}

fn latex(grid: &[Vec<String>]) -> String {
    let escape = |t: &String| t.replace('_', "\\_").replace('%', "\\%").replace('&', "\\&");
    let line = |row: &Vec<String>| format!("{} \\\\", row.iter().map(escape).collect::<Vec<_>>().join(" & "));
    let columns = grid.first().map_or(0, Vec::len).saturating_sub(1);
    let mut lines = vec![format!("\\begin{{tabular}}{{l{}}}", "r".repeat(columns)), "\\hline".to_owned()];
    for (i, row) in grid.iter().enumerate() {
        lines.push(line(row));
        if i == 0 {
            lines.push("\\hline".to_owned());
        }
    }
    lines.extend(["\\hline".to_owned(), "\\end{tabular}".to_owned()]);
    lines.join("\n")
}

/// A row for each classifier and data set.
fn csv(summary: &Summary) -> String {
    let quoted = |t: &str| {
        if t.contains(['"', ',', '\n']) { format!("\"{}\"", t.replace('"', "\"\"")) } else { t.to_owned() }
    };
    let mut lines = vec![
        "set,method,auc,auc_std,auc_se,average_precision,fit_seconds,seconds_per_1000_scores,folds,failure"
            .to_owned(),
    ];
    for (m, row) in summary.methods.iter().zip(&summary.cells) {
        for (set, cell) in summary.sets.iter().zip(row) {
            lines.push(match cell {
                Ok(c) => format!(
                    "{},{m},{},{},{},{},{},{},{},",
                    quoted(set),
                    c.auc,
                    c.deviation,
                    c.error.map_or(String::new(), |e| e.to_string()),
                    c.average_precision,
                    c.fit_seconds,
                    c.seconds_per_thousand,
                    c.folds
                ),
                Err(reason) => format!("{},{m},,,,,,,,{}", quoted(set), quoted(reason)),
            });
        }
    }
    lines.join("\n")
}

fn json_text(summary: &Summary) -> String {
    let mut results = Vec::new();
    for (m, row) in summary.methods.iter().zip(&summary.cells) {
        for (set, cell) in summary.sets.iter().zip(row) {
            results.push(match cell {
                Ok(c) => json!({
                    "set": set, "method": m, "auc": c.auc, "auc_std": c.deviation, "auc_se": c.error,
                    "average_precision": c.average_precision, "fit_seconds": c.fit_seconds,
                    "seconds_per_1000_scores": c.seconds_per_thousand, "folds": c.folds,
                }),
                Err(reason) => json!({ "set": set, "method": m, "failure": reason }),
            });
        }
    }
    let table = summary.table();
    let tests: Value = match (two_way_anova(&table, ALPHA), friedman(&table, ALPHA)) {
        (Ok(a), Ok(f)) => json!({
            "alpha": ALPHA,
            "anova": { "f": a.f, "p": a.p, "means": a.means, "half_width": a.half_width },
            "friedman": {
                "statistic": f.statistic, "p": f.p, "mean_ranks": f.mean_ranks,
                "critical_difference": f.critical_difference,
            },
        }),
        _ => Value::Null,
    };
    json!({ "sets": summary.sets, "methods": summary.methods, "results": results, "tests": tests })
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> Summary {
        let cell = |auc: f64| {
            Ok(Cell {
                auc,
                deviation: 0.01,
                fold_deviation: 0.01,
                error: None,
                average_precision: 0.5,
                fit_seconds: 0.25,
                seconds_per_thousand: 2.0,
                folds: 4,
            })
        };
        Summary {
            sets: vec!["a".to_owned(), "b".to_owned()],
            methods: vec!["gauss".to_owned(), "mst_cd".to_owned()],
            cells: vec![vec![cell(0.9), cell(0.8)], vec![cell(0.7), Err("too few, \"really\"".to_owned())]],
        }
    }

    #[test]
    fn every_format_by_example() {
        let s = summary();
        let text = render(&s, TableFormat::Table);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "method             a             b   mean  rank  fit s  s / 1000 scores");
        assert_eq!(lines[1], "Gauss   0.900(0.010)  0.800(0.010)  0.850  1.25   0.25                2");
        assert_eq!(lines[2], "MST_CD  0.700(0.010)        failed  0.700  1.75   0.25                2");
        assert!(lines.iter().any(|l| l.starts_with("Friedman: chi2")), "{text}");
        let text = render(&s, TableFormat::Markdown);
        assert!(text.contains("| MST\\_CD | 0.700(0.010) | failed |"), "{text}");
        let text = render(&s, TableFormat::Latex);
        assert!(
            text.contains("MST\\_CD & 0.700(0.010) & failed &") && text.ends_with("\\end{tabular}"),
            "{text}"
        );
        let text = render(&s, TableFormat::Csv);
        assert!(text.ends_with("b,mst_cd,,,,,,,,\"too few, \"\"really\"\"\""), "{text}");
        let value: Value = serde_json::from_str(&render(&s, TableFormat::Json)).unwrap();
        assert_eq!(value["results"][3]["failure"], "too few, \"really\"");
        assert_eq!(notes(&s), ["MST_CD on b: too few, \"really\""]);
    }
}
