//! Rankings of classifiers on the UCI sets.

use eocc_baselines::{METHODS, Origin};
use eocc_eval::statistics::{friedman, two_way_anova};
use eocc_eval::{ALPHA, Summary, markdown, number};

use super::uci_report::first_sets;
use crate::published::{UCI, UCI_SETS, title, uci_table};
use crate::rank_with_published::rank_with_published;

/// The rankings: ours, the published ones, and both together.
pub(super) fn ranking(summary: &Summary) -> String {
    let eight = first_sets(summary, UCI_SETS.len());
    let mut parts = vec![
        "This is our ranking of all classifiers on the eight sets, with the classes that the paper names:"
            .to_owned(),
        ranks_of(&eight.titles, &eight.table()),
    ];
    let names: Vec<String> = UCI.iter().map(|r| title(r.method).to_owned()).collect();
    parts.push(
        "For comparison, this is the ranking by the published figures (the paper says EOCC-MI is 4th by ANOVA and 8th by Friedman):"
            .to_owned(),
    );
    parts.push(ranks_of(&names, &uci_table()));
    parts.push(rank_with_published(&eight.titles, &eight.table()));
    let peers = METHODS.iter().filter(|m| m.origin == Origin::Peer).map(|m| m.title).collect::<Vec<_>>();
    parts.push(format!("Not in the paper: {}, and our `default`.", peers.join(", ")));
    parts.join("\n\n")
}

/// Classifiers by mean AUC and by mean rank, and which differences are significant.
fn ranks_of(titles: &[String], table: &[Vec<f64>]) -> String {
    let (Ok(anova), Ok(by_rank)) = (two_way_anova(table, ALPHA), friedman(table, ALPHA)) else {
        return "Too few sets for a ranking.".to_owned();
    };
    let place = |values: &[f64], m: usize, larger: bool| {
        1 + values.iter().filter(|v| if larger { **v > values[m] } else { **v < values[m] }).count()
    };
    let mut order: Vec<usize> = (0..titles.len()).collect();
    order.sort_by(|&a, &b| anova.means[b].total_cmp(&anova.means[a]));
    let header = ["classifier", "mean AUC", "place (ANOVA)", "mean rank", "place (Friedman)"];
    let mut grid = vec![header.map(ToOwned::to_owned).to_vec()];
    for m in order {
        grid.push(vec![
            titles[m].clone(),
            format!("{:.3}", anova.means[m]),
            place(&anova.means, m, true).to_string(),
            format!("{:.2}", by_rank.mean_ranks[m]),
            place(&by_rank.mean_ranks, m, false).to_string(),
        ]);
    }
    format!(
        "{}\n\nANOVA: F({}, {}) = {}, p = {}; means differ significantly if they are more than {:.3} apart (Tukey). Friedman: chi2 = {}, \
         p = {}; mean ranks differ significantly if they are more than {:.2} apart (Nemenyi).",
        markdown(&grid),
        anova.freedom.0,
        anova.freedom.1,
        number(anova.f),
        number(anova.p),
        2.0 * anova.half_width,
        number(by_rank.statistic),
        number(by_rank.p),
        by_rank.critical_difference
    )
}
