//! Area under the ROC curve.

/// The share of (nominal, other) pairs in which the nominal sample scores higher, ties counting one half.
/// `NaN` if either side is empty.
///
/// By ranks, `O(n log n)`; the slow twin counts all pairs.
pub fn auc(nominal: &[f64], others: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> =
        nominal.iter().map(|s| (*s, true)).chain(others.iter().map(|s| (*s, false))).collect();
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut wins = 0.0;
    let mut below = 0.0;
    for group in all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let here = group.iter().filter(|e| e.1).count() as f64;
        let others_here = group.len() as f64 - here;
        wins += here * (below + 0.5 * others_here);
        below += others_here;
    }
    wins / (nominal.len() as f64 * others.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc::random::Random;

    #[test]
    fn by_hand() {
        assert!((auc(&[3.0, 2.0], &[1.0, 0.0]) - 1.0).abs() < 1e-15);
        assert!(auc(&[0.0], &[1.0]).abs() < 1e-15);
        assert!((auc(&[1.0, 1.0], &[1.0]) - 0.5).abs() < 1e-15);
        assert!((auc(&[2.0, 0.0], &[1.0]) - 0.5).abs() < 1e-15);
        assert!(auc(&[], &[1.0]).is_nan());
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
