//! Small helpers for printing.

use anyhow::Result;
use serde_json::Value;

use crate::stdout;
use crate::terminal::{self, OneLine};

pub(crate) use eocc_eval::number;
use eocc_report::why::Style;

/// The format of reasons.
pub(crate) const STYLE: Style = Style { number, date: eocc_data::date_text };

/// The format of reasons in a table: with four digits, for readability.
pub(crate) const SHORT_STYLE: Style = Style { number: short, date: eocc_data::date_text };

/// A number with four digits; integers unchanged.
fn short(value: f64) -> String {
    // Zero has no sign.
    let value = value + 0.0;
    let size = value.abs();
    if !value.is_finite() || size >= 1e9 || (size > 0.0 && size < 1e-4) {
        return number(value);
    }
    if value.fract() == 0.0 {
        return format!("{value}");
    }
    let digits = (3 - size.log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Prints a line to standard output; a closed pipe is an error like any other, and handled as one.
pub(crate) fn line(text: &str) -> Result<()> {
    Ok(terminal::print(text)?)
}

/// Buffered standard output; must be flushed.
pub(crate) fn buffered() -> Result<impl std::io::Write> {
    Ok(std::io::BufWriter::new(stdout::open()?.lock()))
}

/// Prints a JSON object on one line.
pub(crate) fn json(value: &Value) -> Result<()> {
    Ok(terminal::print_json(value)?)
}

/// Prints names and values in two columns.
pub(crate) fn pairs(rows: &[(&str, String)]) -> Result<()> {
    line(&pairs_text(rows))
}

/// Names and values in two columns.
pub(crate) fn pairs_text(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|r| r.0.len()).max().unwrap_or(0);
    let text: Vec<String> =
        rows.iter().map(|(name, value)| format!("{name:<width$}  {}", OneLine(value))).collect();
    text.join("\n")
}

/// A table with a header; numbers right-aligned, the first column left-aligned.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> Result<()> {
    let one_line = |row: &Vec<String>| row.iter().map(|cell| OneLine(cell).to_string()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(one_line).collect();
    let width =
        |c: usize| rows.iter().map(|r| r[c].chars().count()).chain([header[c].len()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let join = |cells: &[String]| {
        let cells: Vec<String> = cells
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(c, (cell, &w))| if c == 0 { format!("{cell:<w$}") } else { format!("{cell:>w$}") })
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    let head: Vec<String> = header.iter().map(ToString::to_string).collect();
    let mut lines = vec![join(&head)];
    lines.extend(rows.iter().map(|r| join(r)));
    line(&lines.join("\n"))
}

/// A table with a header, all columns left-aligned; the last may be long.
pub(crate) fn left_table(header: &[&str], rows: &[Vec<String>]) -> Result<()> {
    let head: Vec<String> = header.iter().map(ToString::to_string).collect();
    let lines: Vec<Vec<String>> = std::iter::once(&head)
        .chain(rows)
        .map(|row| row.iter().map(|cell| OneLine(cell).to_string()).collect())
        .collect();
    let widths: Vec<usize> = (0..header.len())
        .map(|c| lines.iter().map(|row| row[c].chars().count()).max().unwrap_or(0))
        .collect();
    for row in &lines {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &w)| format!("{cell:<w$}")).collect();
        line(cells.join("  ").trim_end())?;
    }
    Ok(())
}

/// The first numbers of a list, and how many more there are.
pub(crate) fn shortened<T: ToString>(items: &[T], most: usize) -> String {
    let text = items.iter().take(most).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if items.len() > most { format!("{text}, … ({} in all)", items.len()) } else { text }
}

/// A count with its noun: `1 region`, `2 regions`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let texts = [0.0, -0.0, 12.0, 2_500_000.0, -1.683_21, 0.012_345, 1234.56, 98_765.4].map(short);
        assert_eq!(texts, ["0", "0", "12", "2500000", "-1.683", "0.01235", "1235", "98765"]);
    }

    #[test]
    fn lists_are_shortened() {
        assert_eq!(shortened(&[1, 2, 3], 2), "1, 2, … (3 in all)");
    }
}
