//! Wilcoxon's signed-rank test for two classifiers over several data sets.

use eocc_core::{Error, Result};
use statrs::function::erf::erfc;

use super::ranks;

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    /// The smaller of the sums of ranks of positive and of negative differences.
    pub statistic: f64,
    /// Two-sided probability of a value at least as small: exact up to 25 differences, with or without ties, else by
    /// the normal approximation.
    pub p: f64,
}

/// Up to this many differences, all signs are enumerated.
const EXACT: usize = 25;

/// Compares pairs of values. Pairs without a difference are left out.
pub fn wilcoxon(a: &[f64], b: &[f64]) -> Result<Wilcoxon> {
    if a.len() != b.len() {
        return Err(Error::input(format!(
            "the test needs pairs, but there are {} and {} values",
            a.len(),
            b.len()
        )));
    }
    let differences: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).filter(|d| *d != 0.0).collect();
    let n = differences.len();
    if n == 0 {
        return Ok(Wilcoxon { statistic: 0.0, p: 1.0 });
    }
    // Rank 1 is the smallest.
    let sizes: Vec<f64> = differences.iter().map(|d| -d.abs()).collect();
    let ranks = ranks(&sizes);
    let positive: f64 = ranks.iter().zip(&differences).filter(|(_, d)| **d > 0.0).map(|(r, _)| r).sum();
    let total = (n * (n + 1)) as f64 / 2.0;
    let statistic = positive.min(total - positive);
    let p = if n <= EXACT { exact(&ranks, statistic) } else { normal(n, &ranks, statistic) };
    Ok(Wilcoxon { statistic, p: p.min(1.0) })
}

/// Twice the fraction of the `2^n` choices of signs whose positive ranks sum to at most `statistic`. Counted in
/// halves: ties share the mean of their ranks.
fn exact(ranks: &[f64], statistic: f64) -> f64 {
    let halves = |rank: f64| (2.0 * rank).round() as usize;
    let n = ranks.len();
    let mut ways = vec![0.0; n * (n + 1) + 1];
    ways[0] = 1.0;
    for &rank in ranks {
        for sum in (halves(rank)..ways.len()).rev() {
            ways[sum] += ways[sum - halves(rank)];
        }
    }
    2.0 * ways[..=halves(statistic)].iter().sum::<f64>() / (n as f64).exp2()
}

fn normal(n: usize, ranks: &[f64], statistic: f64) -> f64 {
    let mean = (n * (n + 1)) as f64 / 4.0;
    // With ties the sum of squared ranks is smaller.
    let variance = ranks.iter().map(|r| r * r).sum::<f64>() / 4.0;
    erfc((mean - statistic) / (2.0 * variance).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_hand_computation() {
        // Differences 1, 2, 3, all positive: one choice of eight has no positive rank.
        let w = wilcoxon(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]).unwrap();
        assert!(w.statistic.abs() < 1e-15 && (w.p - 0.25).abs() < 1e-15);
        // Differences 1, 1, -1, 2: ranks 2, 2, 2, 4.
        let tied = wilcoxon(&[1.0, 1.0, 0.0, 2.0], &[0.0, 0.0, 1.0, 0.0]).unwrap();
        assert!((tied.statistic - 2.0).abs() < 1e-15, "{tied:?}");
        // None, or one of the three ranks of 2: 4 of 16 choices, both ways.
        assert!((tied.p - 0.5).abs() < 1e-15, "{tied:?}");
        assert!((wilcoxon(&[1.0], &[1.0]).unwrap().p - 1.0).abs() < 1e-15);
        assert!(wilcoxon(&[1.0], &[1.0, 2.0]).is_err());
    }
}
