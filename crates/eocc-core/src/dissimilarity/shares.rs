//! The share of each feature in a dissimilarity.

use super::Dissimilarity;

/// Terms of a sum as shares of it; zeros if the sum is zero.
pub(crate) fn of_terms(mut terms: Vec<f64>) -> Vec<f64> {
    // Divide by the largest first, so that the sum cannot overflow.
    let largest = terms.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        let sum: f64 = terms.iter().map(|t| t / largest).sum();
        for t in &mut terms {
            *t = *t / largest / sum;
        }
    }
    terms
}

/// For measures that are not a sum over the features: how much the dissimilarity changes if `a` takes the value of
/// `b` in one feature, as a share of all such changes.
pub(super) fn by_exchange(d: &dyn Dissimilarity<[f64]>, a: &[f64], b: &[f64]) -> Vec<f64> {
    let whole = d.between(a, b);
    let mut exchanged = a.to_vec();
    let changes = (0..a.len()).map(|f| {
        exchanged[f] = b[f];
        // A sample the measure rejects (an empty histogram) contributes nothing.
        let rest = if d.check(&exchanged).is_ok() { d.between(&exchanged, b) } else { whole };
        exchanged[f] = a[f];
        if rest.is_finite() { (whole - rest).abs() } else { 0.0 }
    });
    of_terms(changes.collect())
}

#[cfg(test)]
mod tests {
    use crate::dissimilarity::Settings;
    use crate::kinds::SampleKind;
    use crate::{Preset, Vectors};

    #[test]
    fn shares_sum_to_one_and_know_the_feature_that_differs() {
        let rows: [&[f64]; 4] = [&[1.0, 2.0, 3.0], &[2.0, 1.0, 5.0], &[3.0, 3.0, 1.0], &[1.0, 4.0, 2.0]];
        for entry in Vectors::catalogue() {
            let mut d = Vectors::measure(Preset::Paper, Some(entry.name), &Settings::default()).unwrap();
            d.learn(&rows, &[]).unwrap();
            let all = d.shares(&[9.0, 1.0, 1.0], rows[0]);
            assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{}: {all:?}", entry.name);
            assert!(all.iter().all(|s| (0.0..=1.0).contains(s)), "{}: {all:?}", entry.name);
            let one = d.shares(&[1.0, 9.0, 3.0], rows[0]);
            assert!(one[1] >= 0.99 || one[1] >= one[0].max(one[2]), "{}: {one:?}", entry.name);
            let same = d.shares(rows[0], rows[0]);
            assert!(same.iter().sum::<f64>() < 1e-12, "{}: {same:?}", entry.name);
        }
    }

    #[test]
    fn norms_share_by_their_terms() {
        let rows: [&[f64]; 3] = [&[0.0, 0.0], &[1.0, 1.0], &[2.0, 0.0]];
        let share = |name: &str| {
            let mut d = Vectors::measure(Preset::Paper, Some(name), &Settings::default()).unwrap();
            d.learn(&rows, &[]).unwrap();
            d.shares(&[3.0, 4.0], rows[0])[0]
        };
        assert!((share("euclidean") - 9.0 / 25.0).abs() < 1e-15);
        assert!((share("manhattan") - 3.0 / 7.0).abs() < 1e-15);
        assert!(share("chebyshev").abs() < 1e-15);
    }
}
