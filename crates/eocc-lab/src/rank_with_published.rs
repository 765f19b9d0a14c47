//! Our numbers and those published in the paper, ranked together.

use eocc_eval::markdown;
use eocc_eval::statistics::mean_ranks;

use crate::published::{UCI, title, uci_table};

/// How many rows are shown.
const SHOWN: usize = 10;

/// The best of our classifiers, by their titles, and of the rows of the paper's UCI table, by mean rank; `table` has
/// our AUCs set by set, in the order of the paper's sets.
pub fn rank_with_published(titles: &[String], table: &[Vec<f64>]) -> String {
    let mut names = titles.to_vec();
    names.extend(UCI.iter().map(|r| format!("{}, published", title(r.method))));
    let both: Vec<Vec<f64>> =
        table.iter().zip(uci_table()).map(|(ours, theirs)| [ours.as_slice(), &theirs].concat()).collect();
    let ranks = mean_ranks(&both);
    let mean = |m: usize| both.iter().map(|set| set[m]).sum::<f64>() / both.len() as f64;
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    let mut grid = vec![["classifier", "mean AUC", "mean rank"].map(ToOwned::to_owned).to_vec()];
    for &m in order.iter().take(SHOWN) {
        grid.push(vec![names[m].clone(), format!("{:.4}", mean(m)), format!("{:.2}", ranks[m])]);
    }
    format!(
        "These are the first of {} by mean rank, together with the {} rows that the paper publishes:\n\n{}",
        names.len(),
        UCI.len(),
        markdown(&grid)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_everywhere_is_first_and_the_worst_is_not_shown() {
        let text =
            rank_with_published(&["EOCC-MI default".to_owned(), "LOF".to_owned()], &vec![vec![1.0, 0.0]; 8]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].contains("the 19 rows") && lines[0].contains("of 21"), "{text}");
        assert_eq!(lines[4], "| EOCC-MI default | 1.0000 | 1.00 |", "{text}");
        // First of the published ones by rank, as the paper says; behind one of ours.
        assert!(lines[5].starts_with("| Naïve Parzen, published | 0.7859 | 5.8"), "{text}");
        assert_eq!(lines.len(), 4 + SHOWN);
        assert!(!text.contains("LOF"));
    }
}
