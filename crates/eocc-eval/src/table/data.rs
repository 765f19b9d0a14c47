//! Tables for other programs: all digits, and an error in place of a missing result.

use serde_json::{Value, json};

use crate::comparison::{ALPHA, Ranking, Summary};

/// One row per classifier and data set.
pub(super) fn csv(summary: &Summary) -> String {
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

/// One object with all results and those of the tests.
pub(super) fn json(summary: &Summary) -> String {
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
    let tests: Value = match summary.ranking() {
        Ok(Ranking { anova: a, friedman: f, .. }) => json!({
            "alpha": ALPHA,
            "anova": { "f": a.f, "p": a.p, "means": a.means, "half_width": a.half_width },
            "friedman": {
                "statistic": f.statistic, "p": f.p, "mean_ranks": f.mean_ranks,
                "critical_difference": f.critical_difference,
            },
        }),
        Err(_) => Value::Null,
    };
    json!({ "sets": summary.sets, "methods": summary.methods, "results": results, "tests": tests })
        .to_string()
}
