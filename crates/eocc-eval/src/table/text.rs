//! Tables for people: a grid of cells as aligned columns, Markdown or LaTeX.

use crate::comparison::{ALPHA, Cell, Ranking, Summary, is_inapplicable};
use crate::statistics::mean_ranks;

/// Header and rows: AUC and deviation on each set, then means and times.
pub(super) fn grid(summary: &Summary) -> Vec<Vec<String>> {
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
        let mut row = vec![summary.titles[m].clone()];
        row.extend(cells.iter().map(|c| match c {
            Ok(c) => format!("{:.3}({:.3})", c.auc, c.deviation),
            Err(reason) if is_inapplicable(reason) => "not applicable".to_owned(),
            Err(_) => "failed".to_owned(),
        }));
        if several {
            row.push(or_dash(format!("{:.3}", mean(|c| c.auc))));
            row.push(or_dash(format!("{:.2}", mean_ranks[m])));
        } else {
            row.push(or_dash(format!("{:.3}", mean(|c| c.average_precision))));
        }
        row.push(or_dash(seconds(mean(|c| c.fit_seconds))));
        row.push(or_dash(seconds(mean(|c| c.seconds_per_thousand))));
        grid.push(row);
    }
    grid
}

/// The meaning of the numbers, and the results of the tests.
pub(super) fn below(summary: &Summary) -> Vec<String> {
    let mut lines = vec![caption(summary)];
    lines.extend(statistics(summary));
    lines
}

fn caption(summary: &Summary) -> String {
    let folds =
        summary.cells.iter().flatten().filter_map(|cell| cell.as_ref().ok()).map(|cell| cell.folds).max();
    let over = folds.map_or_else(String::new, |folds| format!(" over {folds} folds"));
    let rest = if summary.sets.len() > 1 {
        "mean: of all data sets; rank: mean of its places among the methods, 1 being best"
    } else {
        "AP: average precision of finding the outliers"
    };
    format!(
        "AUC{over}, in brackets its standard deviation over repeats; {rest}; fit s: seconds of processor time to fit a fold"
    )
}

/// The results of the tests, if there are enough data sets.
fn statistics(summary: &Summary) -> Vec<String> {
    let Ok(Ranking { anova, friedman: by_rank, .. }) = summary.ranking() else { return Vec::new() };
    vec![
        format!(
            "two-way ANOVA: F({}, {}) = {}, p = {}; means closer than {:.3} do not differ (Tukey, {ALPHA})",
            anova.freedom.0,
            anova.freedom.1,
            number(anova.f),
            number(anova.p),
            2.0 * anova.half_width
        ),
        format!(
            "Friedman: chi2 = {}, p = {}; mean ranks closer than {:.2} do not differ (Nemenyi, {ALPHA})",
            number(by_rank.statistic),
            number(by_rank.p),
            by_rank.critical_difference
        ),
    ]
}

/// Columns of equal width, right-aligned.
pub(super) fn aligned(grid: &[Vec<String>]) -> String {
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
pub fn markdown(grid: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| format!("| {} |", row.join(" | ").replace('_', "\\_"));
    let mut lines: Vec<String> = grid.iter().map(line).collect();
    let columns = grid.first().map_or(0, Vec::len);
    let rule: Vec<&str> = (0..columns).map(|c| if c == 0 { "---" } else { "---:" }).collect();
    lines.insert(1.min(lines.len()), format!("| {} |", rule.join(" | ")));
    lines.join("\n")
}

/// A LaTeX `tabular` of a header and rows.
pub(super) fn latex(grid: &[Vec<String>]) -> String {
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

/// A time for people: three significant digits, but nothing below a microsecond, which the clock does not measure
/// reliably.
fn seconds(value: f64) -> String {
    const CLOCK: f64 = 1e-6;
    if value < CLOCK {
        return "<1e-6".to_owned();
    }
    let digits = (2 - value.log10().floor() as i32).clamp(0, 6);
    let text = format!("{value:.*}", digits as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number for people: five significant digits.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = 4 - value.abs().log10().floor() as i32;
    if (0..=12).contains(&digits) {
        let text = format!("{value:.*}", digits as usize);
        return if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        };
    }
    format!("{value:.4e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_digits_of_the_clock() {
        for (value, want) in [
            (0.0, "<1e-6"),
            (2e-7, "<1e-6"),
            (1.26e-6, "0.000001"),
            (0.000_123_456, "0.000123"),
            (0.25, "0.25"),
            (1.0 / 3.0, "0.333"),
            (12.345, "12.3"),
            (1234.5, "1234"),
        ] {
            assert_eq!(seconds(value), want);
        }
    }

    #[test]
    fn numbers_are_short() {
        for (value, want) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.33333"),
            (123_456.0, "1.2346e5"),
            (-2.0, "-2"),
            (1e-20, "1.0000e-20"),
        ] {
            assert_eq!(number(value), want);
        }
    }
}
