//! Values from SciPy and scikit-learn; see `scripts/golden/baselines.py`.
#![allow(clippy::unwrap_used)] // helpers of tests

use eocc_eval::statistics::{cumulative, friedman, quantile, two_way_anova, wilcoxon};
use eocc_eval::{auc, auc_error, average_precision};
use serde_json::Value;

fn golden() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/golden/statistics.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn table(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn close(got: f64, want: &Value, tolerance: f64) {
    let want = want.as_f64().unwrap();
    assert!((got - want).abs() <= tolerance, "{got}, but should be {want}");
}

#[test]
fn areas_with_ties() {
    let g = &golden()["auc"];
    let (nominal, outliers) = (numbers(&g["nominal"]), numbers(&g["others"]));
    close(auc(&nominal, &outliers), &g["value"], 1e-12);
    close(auc_error(&nominal, &outliers), &g["error"], 1e-12);
    close(average_precision(&nominal, &outliers), &g["average_precision"], 1e-12);
}

#[test]
fn studentized_ranges() {
    let g = golden();
    for row in g["studentized_range"].as_array().unwrap() {
        let freedom = row[2].as_f64().unwrap_or(f64::INFINITY);
        let got = cumulative(row[0].as_f64().unwrap(), row[1].as_u64().unwrap() as usize, freedom);
        close(got, &row[3], 1e-8);
    }
    for row in g["quantiles"].as_array().unwrap() {
        let freedom = row[2].as_f64().unwrap_or(f64::INFINITY);
        close(quantile(row[0].as_f64().unwrap(), row[1].as_u64().unwrap() as usize, freedom), &row[3], 1e-5);
    }
}

#[test]
fn analysis_of_variance() {
    let g = golden();
    let found = two_way_anova(&table(&g["table"]), 0.05).unwrap();
    close(found.f, &g["anova"]["f"], 1e-9);
    close(found.p, &g["anova"]["p"], 1e-12);
    close(found.mean_square, &g["anova"]["mean_square"], 1e-12);
    // Two means whose distance equals the width of their intervals differ with p = 0.05.
    let mut two = found.clone();
    two.means[1] = two.means[0] + 2.0 * found.half_width;
    assert!((two.pair(0, 1) - 0.05).abs() < 1e-6);
}

#[test]
fn ranks_of_friedman() {
    let g = golden();
    let found = friedman(&table(&g["table"]), 0.05).unwrap();
    close(found.statistic, &g["friedman"]["statistic"], 1e-9);
    close(found.p, &g["friedman"]["p"], 1e-12);
    for (got, want) in found.mean_ranks.iter().zip(numbers(&g["friedman"]["mean_ranks"])) {
        assert!((got - want).abs() < 1e-12);
    }
}

#[test]
fn signed_ranks() {
    let g = golden();
    let rows = table(&g["table"]);
    let column = |c: usize| rows.iter().map(|r| r[c]).collect::<Vec<_>>();
    let exact = wilcoxon(&column(4), &column(0)).unwrap();
    close(exact.statistic, &g["wilcoxon"]["exact"]["statistic"], 1e-12);
    close(exact.p, &g["wilcoxon"]["exact"]["p"], 1e-12);
    let normal = wilcoxon(&numbers(&g["wilcoxon"]["a"]), &numbers(&g["wilcoxon"]["b"])).unwrap();
    close(normal.statistic, &g["wilcoxon"]["normal"]["statistic"], 1e-9);
    close(normal.p, &g["wilcoxon"]["normal"]["p"], 1e-9);
}
