//! A comparison as a table: for people, for documents, or for other programs.

mod data;
mod text;

use crate::Summary;

pub use text::{markdown, number};

/// A format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Aligned columns.
    Text,
    /// One row per classifier and data set, all digits.
    Csv,
    /// A Markdown table.
    Markdown,
    /// A LaTeX `tabular`.
    Latex,
    /// One object, all digits.
    Json,
}

impl Summary {
    /// The whole comparison in a format, without a last line break.
    pub fn render(&self, format: TableFormat) -> String {
        let joined = |table: String, lines: Vec<String>, gap: &str| {
            [table, lines.join(gap)].join(gap).trim_end().to_owned()
        };
        match format {
            TableFormat::Text => joined(text::aligned(&text::grid(self)), text::below(self), "\n"),
            TableFormat::Markdown => joined(markdown(&text::grid(self)), text::below(self), "\n\n"),
            TableFormat::Latex => text::latex(&text::grid(self)),
            TableFormat::Csv => data::csv(self),
            TableFormat::Json => data::json(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::Cell;

    fn summary() -> Summary {
        let cell = |auc: f64| {
            Ok(Cell {
                auc,
                repeats: vec![auc],
                deviation: 0.01,
                fold_deviation: 0.01,
                error: None,
                average_precision: 0.5,
                fit_seconds: 0.25,
                score_seconds: 0.1,
                seconds_per_thousand: 2.0,
                folds: 4,
                at_threshold: None,
            })
        };
        Summary {
            sets: vec!["a".to_owned(), "b".to_owned()],
            methods: vec!["gauss".to_owned(), "mst_cd".to_owned()],
            titles: vec!["Gauss".to_owned(), "MST_CD".to_owned()],
            cells: vec![vec![cell(0.9), cell(0.8)], vec![cell(0.7), Err("too few, \"really\"".to_owned())]],
        }
    }

    #[test]
    fn every_format_by_example() {
        let s = summary();
        let text = s.render(TableFormat::Text);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "method             a             b   mean  rank  fit s  s / 1000 scores");
        assert_eq!(lines[1], "Gauss   0.900(0.010)  0.800(0.010)  0.850  1.25   0.25                2");
        assert_eq!(lines[2], "MST_CD  0.700(0.010)        failed  0.700  1.75   0.25                2");
        assert!(lines.iter().any(|l| l.starts_with("Friedman: chi2")), "{text}");
        assert!(
            text.contains("\nAUC over 4 folds, in brackets its standard deviation over repeats; "),
            "{text}"
        );
        let text = s.render(TableFormat::Markdown);
        assert!(text.contains("| MST\\_CD | 0.700(0.010) | failed |"), "{text}");
        let text = s.render(TableFormat::Latex);
        assert!(
            text.contains("MST\\_CD & 0.700(0.010) & failed &") && text.ends_with("\\end{tabular}"),
            "{text}"
        );
        let text = s.render(TableFormat::Csv);
        assert!(text.ends_with("b,mst_cd,,,,,,,,\"too few, \"\"really\"\"\""), "{text}");
        let value: Value = serde_json::from_str(&s.render(TableFormat::Json)).unwrap();
        assert_eq!(value["results"][3]["failure"], "too few, \"really\"");
        assert_eq!(s.failures(), ["MST_CD on b: too few, \"really\""]);
    }
}
