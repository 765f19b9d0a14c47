//! Wilcoxon's signed-rank test for two classifiers over several data sets.

use eocc_core::{Error, Result};
use statrs::function::erf::erfc;

use super::ranks;

/// What the test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    /// The smaller of the sums of ranks of positive and of negative differences.
    pub statistic: f64,
    /// Two-sided probability of one as small: exact up to 25 differences without ties, else by the normal approximation.
    pub p: f64,
}

/// Up to so many differences all signs are counted.
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
    let has_ties = ranks.iter().any(|r| r.fract() != 0.0) || {
        let mut sorted = ranks.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.windows(2).any(|w| w[0].total_cmp(&w[1]).is_eq())
    };
    let p = if n <= EXACT && !has_ties { exact(n, statistic) } else { normal(n, &ranks, statistic) };
    Ok(Wilcoxon { statistic, p: p.min(1.0) })
}

/// Twice the share of the `2^n` choices of signs whose positive ranks sum to at most `statistic`.
fn exact(n: usize, statistic: f64) -> f64 {
    let mut ways = vec![0.0; n * (n + 1) / 2 + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..ways.len()).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    2.0 * ways[..=statistic as usize].iter().sum::<f64>() / (n as f64).exp2()
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
    fn by_hand() {
        // Differences 1, 2, 3, all positive: one choice of eight has no positive rank.
        let w = wilcoxon(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]).unwrap();
        assert!(w.statistic.abs() < 1e-15 && (w.p - 0.25).abs() < 1e-15);
        assert!((wilcoxon(&[1.0], &[1.0]).unwrap().p - 1.0).abs() < 1e-15);
        assert!(wilcoxon(&[1.0], &[1.0, 2.0]).is_err());
    }
}
