//! Two small sets of the paper's table: the reading in METHOD gives the accuracy it was chosen for.

use eocc_oracle::auc::auc;
use eocc_oracle::paper::Reference;

/// AUC by exact membership on one split.
fn measured(name: &str) -> Option<f64> {
    let split = crate::support::split(name, 1)?;
    let model = Reference::fit(&split.training, &vec![1.0; split.training[0].len()], 0.5, 50.0);
    let score = |rows: &[Vec<f64>]| -> Vec<f64> { rows.iter().map(|x| model.exact(x).membership).collect() };
    Some(auc(&score(&split.targets), &score(&split.outliers)))
}

fn check(name: &str, prototype: f64) {
    if let Some(auc) = measured(name) {
        eprintln!("{name}: AUC {auc:.3}, prototype {prototype}");
        assert!(
            (auc - prototype).abs() <= 0.08,
            "{name}: AUC is {auc:.3}, but the prototype had {prototype}"
        );
    }
}

#[test]
fn ecoli() {
    check("ecoli", 0.959);
}

#[test]
fn biomed() {
    check("biomed", 0.876);
}
