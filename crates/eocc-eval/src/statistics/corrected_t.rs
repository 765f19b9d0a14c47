//! A t-test for two classifiers on the same splits of one data set.

use eocc_core::{Error, Result};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrectedT {
    /// Mean difference, the first minus the second.
    pub difference: f64,
    /// The statistic.
    pub statistic: f64,
    /// Two-sided probability of a value at least as extreme.
    pub p: f64,
}

/// Compares values of the same splits, each trained on `train` samples and tested on `test` others.
///
/// Training sets of different splits overlap, so their results are not independent, and the plain test finds
/// differences where there are none. The variance of the mean is estimated as `(1 / J + test / train) s^2` for `J`
/// splits (C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003).
pub fn corrected_t(a: &[f64], b: &[f64], train: usize, test: usize) -> Result<CorrectedT> {
    if a.len() != b.len() || a.len() < 2 || train == 0 {
        return Err(Error::input(format!(
            "the test needs at least 2 pairs and a training set, but has {} and {} values and {train} training samples",
            a.len(),
            b.len()
        )));
    }
    let count = a.len() as f64;
    let differences: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    let difference = differences.iter().sum::<f64>() / count;
    let variance = differences.iter().map(|d| (d - difference).powi(2)).sum::<f64>() / (count - 1.0);
    let error = ((1.0 / count + test as f64 / train as f64) * variance).sqrt();
    let (statistic, p) = match (error > 0.0, difference.abs() > 0.0) {
        (true, _) => {
            let t = difference / error;
            (t, StudentsT::new(0.0, 1.0, count - 1.0).map_or(f64::NAN, |d| 2.0 * d.sf(t.abs())))
        }
        (false, true) => (f64::INFINITY.copysign(difference), 0.0),
        (false, false) => (0.0, 1.0),
    };
    Ok(CorrectedT { difference, statistic, p })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_hand_computation() {
        // Differences 1, 2, 3: mean 2, variance 1; with a tenth as many test as training samples, the error is
        // sqrt(1/3 + 1/10).
        let t = corrected_t(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0], 100, 10).unwrap();
        let want = 2.0 / (1.0_f64 / 3.0 + 0.1).sqrt();
        assert!((t.statistic - want).abs() < 1e-12 && (t.difference - 2.0).abs() < 1e-12);
        // Two degrees of freedom: p = 1 - t / sqrt(2 + t^2).
        assert!((t.p - (1.0 - want / (2.0 + want * want).sqrt())).abs() < 1e-9, "{t:?}");
        assert!((corrected_t(&[1.0, 2.0], &[1.0, 2.0], 9, 1).unwrap().p - 1.0).abs() < 1e-15);
        assert!(corrected_t(&[2.0, 3.0], &[1.0, 2.0], 9, 1).unwrap().p.abs() < 1e-15);
        assert!(corrected_t(&[1.0], &[2.0], 9, 1).is_err());
    }
}
