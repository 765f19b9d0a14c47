//! Area under the ROC curve.

/// The fraction of pairs (target, outlier) in which the target scores higher, a tie counting one half.
///
/// # Panics
/// If either side is empty.
pub fn auc(targets: &[f64], outliers: &[f64]) -> f64 {
    assert!(!targets.is_empty() && !outliers.is_empty(), "both classes are needed");
    let mut won = 0.0;
    for target in targets {
        for outlier in outliers {
            if target > outlier {
                won += 1.0;
            } else if target >= outlier {
                won += 0.5;
            }
        }
    }
    won / (targets.len() * outliers.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_hand_computation() {
        // 3 beats 1 and ties 3; 2 beats 1 and loses to 3: 2.5 of 4.
        assert!((auc(&[3.0, 2.0], &[1.0, 3.0]) - 0.625).abs() < 1e-15);
        assert!((auc(&[1.0], &[0.0, -1.0]) - 1.0).abs() < 1e-15);
        assert!((auc(&[1.0, 1.0], &[1.0]) - 0.5).abs() < 1e-15);
    }
}
