//! The first table of the leaderboard: the collections next to each other, and whether a variant may be called
//! better.

use eocc_baselines::Method;
use eocc_eval::{Summary, markdown};

use super::kind::RowKind;
use super::{BASELINE, Board, TIE, aucs, mean};

/// How one row compares with another on the sets of a collection, in points of AUC.
pub(crate) struct Difference<'a> {
    pub(crate) mean: f64,
    /// Standard error of the mean over the sets; `None` for a single set.
    error: Option<f64>,
    won: usize,
    lost: usize,
    /// The set with the smallest difference, and that difference.
    worst: (&'a str, f64),
}

impl<'a> Difference<'a> {
    /// Between the rows `name` and `other`; `None` if one of them has no result on some set.
    pub(crate) fn between(summary: &'a Summary, name: &str, other: &str) -> Option<Self> {
        let row = |name: &str| aucs(summary, summary.methods.iter().position(|m| m == name)?);
        let points: Vec<f64> = row(name)?.iter().zip(&row(other)?).map(|(a, b)| 100.0 * (a - b)).collect();
        let n = points.len() as f64;
        let center = mean(&points);
        let squares: f64 = points.iter().map(|d| (d - center).powi(2)).sum();
        let worst = (0..points.len()).min_by(|&a, &b| points[a].total_cmp(&points[b]))?;
        Some(Self {
            mean: center,
            error: (points.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt()),
            won: points.iter().filter(|d| **d > 100.0 * TIE).count(),
            lost: points.iter().filter(|d| **d < -100.0 * TIE).count(),
            worst: (&summary.sets[worst], points[worst]),
        })
    }

    pub(crate) fn mean_and_error(&self) -> String {
        match self.error {
            Some(error) => format!("{:+.2} ± {error:.2}", self.mean),
            None => format!("{:+.2}", self.mean),
        }
    }

    pub(crate) fn in_words(&self) -> String {
        let Self { won, lost, worst, .. } = self;
        format!("{}, {won}/{lost}, {:+.1} {}", self.mean_and_error(), worst.1, worst.0)
    }

    /// Whether the first is worse by more than the standard error.
    fn is_worse(&self) -> bool {
        self.mean < -self.error.unwrap_or(0.0)
    }
}

/// The table, and how to read it.
pub(super) fn table(boards: &[Board], methods: &[&Method]) -> String {
    let mut grid = vec![vec!["row".to_owned()]];
    grid[0].extend(boards.iter().map(|b| format!("{} ({})", b.title, b.summary.sets.len())));
    grid[0].push("not worse than default".to_owned());
    let mut rows: Vec<(RowKind, f64, Vec<String>)> = Vec::new();
    for method in methods {
        let differences: Vec<Option<Difference<'_>>> =
            boards.iter().map(|b| Difference::between(&b.summary, method.name, BASELINE)).collect();
        let means: Vec<f64> = differences.iter().flatten().map(|d| d.mean).collect();
        let mut line = vec![method.title.to_owned()];
        line.extend(differences.iter().map(|d| match d {
            None => "-".to_owned(),
            Some(_) if method.name == BASELINE => "0".to_owned(),
            Some(difference) => difference.in_words(),
        }));
        line.push(verdict(boards, method.name));
        let rank_by = if means.is_empty() { f64::NEG_INFINITY } else { mean(&means) };
        rows.push((RowKind::from_name(method.name), rank_by, line));
    }
    // `default`, its variants, the others; best first in each group.
    rows.sort_by(|a, b| sort_rank(a.0).cmp(&sort_rank(b.0)).then(b.1.total_cmp(&a.1)));
    grid.extend(rows.into_iter().map(|r| r.2));
    format!(
        "Each cell has the difference to `{BASELINE}` in points of AUC (mean over the sets of the collection ± standard error), how \
         many sets are won / lost by more than {}, and the worst set. The number of sets is in parentheses. A variant counts as better \
         than `default` only if it is not worse on any collection by more than the standard error of its difference to `default`; \
         the last column says whether this holds, or where the variant is worse. A dash means that the row cannot run there, or failed \
         on some set.\n\n{}",
        100.0 * TIE,
        markdown(&grid)
    )
}

fn sort_rank(kind: RowKind) -> usize {
    match kind {
        RowKind::Default => 0,
        RowKind::VariantOfDefault => 1,
        RowKind::Classifier | RowKind::Again => 2,
    }
}

/// Whether a variant is at most its standard error worse than `default` on every collection, and otherwise where it
/// is worse; empty for other rows, and if `default` was not run.
fn verdict(boards: &[Board], name: &str) -> String {
    if RowKind::from_name(name) != RowKind::VariantOfDefault {
        return String::new();
    }
    let mut compared = 0;
    let mut worse = Vec::new();
    for board in boards {
        if let Some(difference) = Difference::between(&board.summary, name, "default") {
            compared += 1;
            if difference.is_worse() {
                worse.push(format!("{} {}", board.title, difference.mean_and_error()));
            }
        }
    }
    match (compared, worse.is_empty()) {
        (0, _) => String::new(),
        (_, true) => "yes".to_owned(),
        (_, false) => format!("no: {}", worse.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::merge::tests::cell;
    use super::*;
    use crate::variants::{VARIANTS, is_variant};
    use eocc_baselines::method;

    /// Rows `default`, a variant of it, and the baseline, with these AUCs; `None` for a failure.
    fn board(title: &'static str, variant: &str, rows: [&[Option<f64>]; 3]) -> Board {
        let names = ["default", variant, BASELINE].map(str::to_owned).to_vec();
        let of = |auc: &Option<f64>| auc.map(cell).ok_or_else(|| "no".to_owned());
        let summary = Summary {
            sets: (0..rows[0].len()).map(|i| format!("set{i}")).collect(),
            methods: names.clone(),
            titles: names,
            cells: rows.map(|row| row.iter().map(of).collect()).to_vec(),
        };
        Board { title, protocol: String::new(), summary }
    }

    #[test]
    fn differences_and_verdicts_match_hand_computation() {
        let is_of_default = |m: &&Method| RowKind::from_name(m.name) == RowKind::VariantOfDefault;
        let Some(variant) = VARIANTS.iter().find(is_of_default) else { return };
        assert!(is_variant(variant.name));
        let one = board(
            "One",
            variant.name,
            [&[Some(0.9), Some(0.8)], &[Some(0.91), Some(0.78)], &[Some(0.88), Some(0.82)]],
        );
        let two = board("Two", variant.name, [&[Some(0.7)], &[Some(0.7)], &[Some(0.6)]]);
        let methods = [method(BASELINE).unwrap(), variant, method("default").unwrap()];
        let text = table(&[one, two], &methods);
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines[0], "| row | One (2) | Two (1) | not worse than default |");
        // +2 and -2; the deviation is the root of 8, the standard error 2.
        assert_eq!(
            lines[2],
            "| EOCC-MI default | +0.00 ± 2.00, 1/1, -2.0 set1 | +10.00, 1/0, +10.0 set0 |  |"
        );
        // +3 and -4 to the baseline; +1 and -2 to default, which is -0.5 ± 1.5.
        let cells = "-0.50 ± 3.50, 1/1, -4.0 set1 | +10.00, 1/0, +10.0 set0 | yes |";
        assert_eq!(lines[3], format!("| {} | {cells}", variant.title.replace('_', "\\_")));
        assert_eq!(lines[4], "| k-NN mean | 0 | 0 |  |");
    }

    #[test]
    fn a_variant_that_is_worse_names_the_set_and_a_failure_has_no_figure() {
        let is_of_default = |m: &&Method| RowKind::from_name(m.name) == RowKind::VariantOfDefault;
        let Some(variant) = VARIANTS.iter().find(is_of_default) else { return };
        // -1 and -3: -2 ± 1.
        let worse = board(
            "Worse",
            variant.name,
            [&[Some(0.9), Some(0.8)], &[Some(0.89), Some(0.77)], &[Some(0.5), Some(0.5)]],
        );
        let single = board("Single", variant.name, [&[Some(0.7)], &[Some(0.69)], &[Some(0.6)]]);
        let failed = board("Failed", variant.name, [&[Some(0.7)], &[None], &[Some(0.6)]]);
        assert_eq!(verdict(&[worse, single, failed], variant.name), "no: Worse -2.00 ± 1.00, Single -1.00");
        let failed = board("Failed", variant.name, [&[Some(0.7)], &[None], &[Some(0.6)]]);
        assert!(table(&[failed], &[variant]).ends_with("| - |  |"));
    }
}
