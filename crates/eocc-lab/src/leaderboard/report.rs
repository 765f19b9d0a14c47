//! The tables of one collection.

use eocc_eval::statistics::{mean_ranks, wilcoxon};
use eocc_eval::{Cell, Summary, markdown, number};

use super::kind::{RowKind, rank_among};
use super::{BASELINE, TIE, aucs, mean};
use crate::published::UCI_SETS;
use crate::rank_with_published::rank_with_published;
use crate::reproduce::place_of;

/// The tables of one collection.
pub(super) fn report(summary: &Summary) -> Vec<String> {
    let rows: Vec<(usize, Vec<f64>)> =
        (0..summary.methods.len()).filter_map(|m| Some((m, aucs(summary, m)?))).collect();
    let Some(baseline) = rows.iter().find(|r| summary.methods[r.0] == BASELINE).map(|r| r.1.clone()) else {
        return summary.failures();
    };
    let by_set: Vec<Vec<f64>> = (0..baseline.len()).map(|s| rows.iter().map(|r| r.1[s]).collect()).collect();
    let mean_ranks = mean_ranks(&by_set);
    let kinds: Vec<RowKind> = rows.iter().map(|r| RowKind::from_name(&summary.methods[r.0])).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| mean(&rows[b].1).total_cmp(&mean(&rows[a].1)));
    let header = [
        "row",
        "mean AUC",
        "difference",
        "mean AP",
        "mean rank",
        "among classifiers",
        "won",
        "tied",
        "lost",
        "p",
        "fit s",
        "s / 1000 scores",
    ];
    let mut grid = vec![header.map(str::to_owned).to_vec()];
    for &r in &order {
        let (m, auc) = (rows[r].0, &rows[r].1);
        let cells: Vec<&Cell> = summary.cells[m].iter().filter_map(|c| c.as_ref().ok()).collect();
        let of = |f: fn(&Cell) -> f64| cells.iter().map(|c| f(c)).sum::<f64>() / cells.len() as f64;
        let count = |f: &dyn Fn(f64) -> bool| auc.iter().zip(&baseline).filter(|(a, b)| f(*a - *b)).count();
        let p = wilcoxon(auc, &baseline).map_or(1.0, |w| w.p);
        grid.push(vec![
            summary.titles[m].clone(),
            format!("{:.4}", mean(auc)),
            format!("{:+.2}", 100.0 * (mean(auc) - mean(&baseline))),
            format!("{:.4}", of(|c| c.average_precision)),
            format!("{:.2}", mean_ranks[r]),
            format!("{:.2}", rank_among(&by_set, r, &kinds)),
            count(&|d| d > TIE).to_string(),
            count(&|d| d.abs() <= TIE).to_string(),
            count(&|d| d < -TIE).to_string(),
            format!("{p:.3}"),
            number(of(|c| c.fit_seconds)),
            number(of(|c| c.seconds_per_thousand)),
        ]);
    }
    let mut parts = vec![markdown(&grid)];
    parts.push(per_set(summary, &rows, &order));
    let failed = summary.failures();
    if !failed.is_empty() {
        parts.push(format!("Rows without a result on some set:\n\n- {}", failed.join("\n- ")));
    }
    parts
}

/// The classifiers, each once, ranked with the paper's published numbers, if these are its sets.
pub(super) fn with_published(summary: &Summary) -> Option<String> {
    let of_place = |place: usize| summary.sets.iter().position(|s| place_of(s) == Some(place));
    let order: Vec<usize> = (0..UCI_SETS.len()).map(of_place).collect::<Option<_>>()?;
    let is_classifier = |m: &usize| {
        matches!(RowKind::from_name(&summary.methods[*m]), RowKind::Default | RowKind::Classifier)
    };
    let rows: Vec<(usize, Vec<f64>)> = (0..summary.methods.len())
        .filter(is_classifier)
        .filter_map(|m| Some((m, aucs(summary, m)?)))
        .collect();
    let names: Vec<String> = rows.iter().map(|r| summary.titles[r.0].clone()).collect();
    let table: Vec<Vec<f64>> = order.iter().map(|&s| rows.iter().map(|r| r.1[s]).collect()).collect();
    Some(rank_with_published(&names, &table))
}

fn per_set(summary: &Summary, rows: &[(usize, Vec<f64>)], order: &[usize]) -> String {
    let mut grid = vec![vec!["AUC".to_owned()]];
    grid[0].extend(summary.sets.iter().cloned());
    for &r in order {
        let mut line = vec![summary.titles[rows[r].0].clone()];
        line.extend(rows[r].1.iter().map(|a| format!("{a:.3}")));
        grid.push(line);
    }
    markdown(&grid)
}
