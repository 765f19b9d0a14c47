//! The text of the table of graphs.

use eocc_eval::{Summary, markdown};

use super::iam::Counts;
use crate::cli::ReproduceArgs;
use crate::iam::SETS;
use crate::published::iam;

/// Two tables: AUCs and seconds.
pub(super) fn report(summary: &Summary, counts: &[Counts], args: &ReproduceArgs) -> String {
    let (mut aucs, mut times) = (Vec::new(), Vec::new());
    let header: Vec<String> =
        ["classifier"].into_iter().chain(SETS.iter().map(|s| s.acronym)).map(str::to_owned).collect();
    aucs.push(header.clone());
    times.push(header);
    let (mut ours, mut theirs) = (0.0, 0.0);
    let mut below = Vec::new();
    for (m, method) in summary.methods.iter().enumerate() {
        let (mut auc, mut time) = (vec![summary.titles[m].clone()], vec![summary.titles[m].clone()]);
        for (s, cell) in summary.cells[m].iter().enumerate() {
            let Ok(cell) = cell else {
                auc.push("-".into());
                time.push("-".into());
                continue;
            };
            let score = cell.seconds_per_thousand * counts[s].2 as f64 / 1000.0;
            let (mut a, mut t) = (
                format!("{:.3} ({:.3}, {:.3})", cell.auc, cell.deviation, cell.fold_deviation),
                format!("{:.3} / {score:.3}", cell.fit_seconds),
            );
            if let Some((value, deviation, train, test)) = iam(method).map(|p| p[s]) {
                let mark = if (cell.auc - value).abs() > 0.1 { "**" } else { "" };
                a = format!("{mark}{a}{mark}, published {value:.3} ({deviation:.3})");
                t = format!("{t}, published {train} / {test}");
                if cell.auc + cell.fold_deviation < value {
                    below.push(format!("{} on {}", summary.titles[m], SETS[s].acronym));
                }
                if method == "paper" {
                    ours += cell.fit_seconds + score;
                    theirs += train + test;
                }
            }
            auc.push(a);
            time.push(t);
        }
        aucs.push(auc);
        times.push(time);
    }
    let sizes: Vec<String> =
        SETS.iter().zip(counts).map(|(s, c)| format!("{} {} / {}", s.acronym, c.0, c.1)).collect();
    let mut parts = vec![
        "# The paper's IAM table, repeated".to_owned(),
        format!(
            "Written by `eocc-lab reproduce iam --repeats {} --folds {} --seed {} --methods {}`. The measure is graph edit distance \
             by `refine` with the published costs, normalized. The nominal class is split into folds, and all outliers are tested in \
             each. Cells have the AUC, with its standard deviations over repeats and over folds, in **bold** if it differs from the \
             published one by more than 0.1.",
            args.repeats,
            args.folds,
            args.seed,
            args.methods.join(",")
        ),
        format!("Nominal graphs / outliers, counted as in the paper as far as we can tell: {}.", sizes.join(", ")),
        markdown(&aucs),
        match below.len() {
            0 => "No figure is below the published one by more than a standard deviation over folds.".to_owned(),
            _ => format!("Below the published figure by more than a standard deviation over folds: {}.", below.join(", ")),
        },
        "## Seconds to train and to test, processor time on one thread".to_owned(),
        "These are the times of one fold of each set: nine tenths of the nominal class train; the other tenth and all outliers \
         test. The paper also gives serial processor time."
            .to_owned(),
        markdown(&times),
    ];
    if ours > 0.0 {
        parts.push(format!(
            "To train and test once on each set, `paper` takes {ours:.1} s in all, and the published classifier {theirs:.1} s, {:.0} \
             times as long.",
            theirs / ours
        ));
    }
    parts.join("\n\n")
}
