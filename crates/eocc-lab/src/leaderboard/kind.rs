//! Classifiers and their variants: which rows of the leaderboard are ranked.

use eocc_eval::statistics::mean_ranks;

use super::BASELINE;
use crate::variants::is_variant;

/// The relation of a row to the other rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    Default,
    /// `default` with one thing changed.
    VariantOfDefault,
    Classifier,
    /// The same classifier with another parameter.
    Again,
}

impl RowKind {
    pub(super) fn from_name(name: &str) -> Self {
        match (name, is_variant(name)) {
            ("default", _) => Self::Default,
            (_, false) => Self::Classifier,
            (_, true) if name.starts_with(BASELINE) => Self::Again,
            (_, true) => Self::VariantOfDefault,
        }
    }
}

/// The mean rank of row `r` among the classifiers, each counted once.
pub(super) fn rank_among(by_set: &[Vec<f64>], r: usize, kinds: &[RowKind]) -> f64 {
    let counts = |kind: RowKind| match kind {
        RowKind::Classifier => true,
        RowKind::Default => kinds[r] != RowKind::VariantOfDefault,
        RowKind::VariantOfDefault | RowKind::Again => false,
    };
    let rivals: Vec<usize> = (0..kinds.len()).filter(|&o| o != r && counts(kinds[o])).collect();
    let row_first = |aucs: &Vec<f64>| [r].iter().chain(&rivals).map(|&row| aucs[row]).collect();
    mean_ranks(&by_set.iter().map(row_first).collect::<Vec<_>>())[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_among_classifiers_sees_each_once() {
        // The second row is a variant of the first; the fourth ties with that on the second set; the last is k-NN
        // again.
        let kinds = [
            RowKind::Default,
            RowKind::VariantOfDefault,
            RowKind::Classifier,
            RowKind::Classifier,
            RowKind::Again,
        ];
        assert!(["default", "lof"].map(RowKind::from_name) == [RowKind::Default, RowKind::Classifier]);
        let by_set = [vec![0.9, 0.95, 0.8, 0.7, 1.0], vec![0.5, 0.6, 0.9, 0.5, 0.55]];
        let ranks: Vec<f64> = (0..5).map(|r| rank_among(&by_set, r, &kinds)).collect();
        // 1 and 2.5; 1 and 2; 2 and 1; 3 and 2.5; 1 and 2.
        assert_eq!(ranks, [1.75, 1.5, 1.5, 2.75, 1.5]);
    }
}
