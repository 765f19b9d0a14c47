//! Area under the ROC curve, its standard error, and average precision.

/// The fraction of (nominal, outlier) pairs in which the nominal sample scores higher, ties counting one half. `NaN`
/// if either side is empty.
///
/// By ranks, `O(n log n)`; the slow twin counts all pairs.
pub fn auc(nominal: &[f64], outliers: &[f64]) -> f64 {
    // Adding zero gives zero a single sign: 0 and -0 are a tie.
    let mut all: Vec<(f64, bool)> =
        nominal.iter().map(|s| (s + 0.0, true)).chain(outliers.iter().map(|s| (s + 0.0, false))).collect();
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut wins = 0.0;
    let mut below = 0.0;
    for group in all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let here = group.iter().filter(|e| e.1).count() as f64;
        let outliers_here = group.len() as f64 - here;
        wins += here * (below + 0.5 * outliers_here);
        below += outliers_here;
    }
    wins / (nominal.len() as f64 * outliers.len() as f64)
}

/// The standard error of [`auc`] by E. `DeLong`, D. `DeLong` and D. Clarke-Pearson (Biometrics 44, 1988), which
/// assumes nothing about the distributions: `sqrt(var(p) / m + var(q) / n)`, where `p` are the fractions of outliers
/// that each nominal sample beats and `q` the fractions of nominals that beat each outlier. `NaN` with fewer than two
/// on either side.
pub fn auc_error(nominal: &[f64], outliers: &[f64]) -> f64 {
    let sorted = |values: &[f64]| {
        let mut values: Vec<f64> = values.iter().map(|v| v + 0.0).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    // How many of the sorted values lie below, ties counting one half.
    let below = |v: f64, all: &[f64]| {
        let less = all.partition_point(|a| a.total_cmp(&v).is_lt());
        let not_more = all.partition_point(|a| a.total_cmp(&v).is_le());
        0.5 * (less + not_more) as f64 / all.len() as f64
    };
    let (ns, os) = (sorted(nominal), sorted(outliers));
    let share = |values: &[f64], all: &[f64]| {
        let shares: Vec<f64> = values.iter().map(|v| below(v + 0.0, all)).collect();
        let n = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / n;
        shares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (n - 1.0) / n
    };
    (share(nominal, &os) + share(outliers, &ns)).sqrt()
}

/// Average precision of detecting the outliers by low scores: the mean over recall of the precision, like
/// scikit-learn's `average_precision_score`. `NaN` if there are no outliers.
pub fn average_precision(nominal: &[f64], outliers: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> =
        nominal.iter().map(|s| (s + 0.0, false)).chain(outliers.iter().map(|s| (s + 0.0, true))).collect();
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut found, mut seen, mut sum) = (0.0, 0.0, 0.0);
    for group in all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let here = group.iter().filter(|e| e.1).count() as f64;
        found += here;
        seen += group.len() as f64;
        sum += here * found / seen;
    }
    sum / outliers.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_core::random::Random;

    #[test]
    fn matches_hand_computation() {
        assert!((auc(&[3.0, 2.0], &[1.0, 0.0]) - 1.0).abs() < 1e-15);
        assert!(auc(&[0.0], &[1.0]).abs() < 1e-15);
        assert!((auc(&[1.0, 1.0], &[1.0]) - 0.5).abs() < 1e-15);
        assert!((auc(&[2.0, 0.0], &[1.0]) - 0.5).abs() < 1e-15);
        assert!(auc(&[], &[1.0]).is_nan());
        assert!((auc(&[-0.0], &[0.0]) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn errors_and_precisions_match_hand_computation() {
        // Nominals beat 1, 1 and 1/2 of the outliers; outliers are beaten by 1 and 2/3 of the nominals.
        let error = auc_error(&[3.0, 2.0, 1.0], &[0.0, 1.5]);
        let want = ((1.0_f64 / 12.0) / 3.0 + (1.0 / 18.0) / 2.0).sqrt();
        assert!((error - want).abs() < 1e-12, "{error} {want}");
        assert!(auc_error(&[1.0], &[0.0, 1.0]).is_nan());
        // From the lowest: an outlier (precision 1), a nominal, an outlier (2/3).
        assert!((average_precision(&[1.0, 3.0], &[0.0, 1.5]) - 5.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn equals_counting_all_pairs() {
        let mut r = Random::new(4);
        for _ in 0..50 {
            // Few distinct values: many ties.
            let mut draw = |n: usize| (0..n).map(|_| r.below(6) as f64).collect::<Vec<_>>();
            let (a, b) = (draw(17), draw(23));
            assert!((auc(&a, &b) - eocc_oracle::auc::auc(&a, &b)).abs() < 1e-12);
        }
    }
}
