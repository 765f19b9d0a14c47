//! Friedman's test on ranks, with Nemenyi's comparison of all pairs.

use eocc_core::Result;
use statrs::distribution::{ChiSquared, ContinuousCDF as _};

use super::{shape, studentized_range};

/// The result of the test.
#[derive(Debug, Clone, PartialEq)]
pub struct Friedman {
    /// Mean rank of each classifier over the data sets; 1 is best.
    pub mean_ranks: Vec<f64>,
    /// The statistic, corrected for ties.
    pub statistic: f64,
    /// Its tail probability, by chi-squared.
    pub p: f64,
    /// Nemenyi's critical difference: mean ranks that differ by less are not distinguishable.
    pub critical_difference: f64,
}

/// The ranks of a row of values, the largest first; ties share the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for group in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        for &i in group {
            ranks[i] = start as f64 + 0.5 * (group.len() + 1) as f64;
        }
        start += group.len();
    }
    ranks
}

/// Mean rank of each classifier over the data sets; 1 is best.
pub fn mean_ranks(table: &[Vec<f64>]) -> Vec<f64> {
    let mut sums = vec![0.0; table.first().map_or(0, Vec::len)];
    for row in table {
        for (sum, rank) in sums.iter_mut().zip(ranks(row)) {
            *sum += rank;
        }
    }
    sums.iter().map(|s| s / table.len() as f64).collect()
}

/// Tests whether the classifiers have equal ranks over the data sets; the critical difference `q sqrt(k (k + 1) / (12
/// n))`, where `q` is the quantile of the studentized range with known deviation, is at level `alpha` (J. Demšar,
/// JMLR 7, 2006, whose `q` is ours divided by `sqrt 2`).
pub fn friedman(table: &[Vec<f64>], alpha: f64) -> Result<Friedman> {
    let (n, k) = shape(table)?;
    let of_rows: Vec<Vec<f64>> = table.iter().map(|row| ranks(row)).collect();
    let (nf, kf) = (n as f64, k as f64);
    let mean_ranks = mean_ranks(table);
    // Ties make the ranks vary less than the formula without ties assumes.
    let squares: f64 = of_rows.iter().flatten().map(|r| r * r).sum();
    let spread = squares - nf * kf * (kf + 1.0).powi(2) / 4.0;
    let between = nf * nf * mean_ranks.iter().map(|r| (r - 0.5 * (kf + 1.0)).powi(2)).sum::<f64>();
    let statistic = if spread > 0.0 { (kf - 1.0) * between / spread } else { 0.0 };
    let p = ChiSquared::new(kf - 1.0).map_or(f64::NAN, |d| d.sf(statistic));
    let q = studentized_range::quantile(1.0 - alpha, k, f64::INFINITY);
    Ok(Friedman { mean_ranks, statistic, p, critical_difference: q * (kf * (kf + 1.0) / (12.0 * nf)).sqrt() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_ranks() {
        assert_eq!(ranks(&[0.5, 0.9, 0.5, 0.1]), [2.5, 1.0, 2.5, 4.0]);
    }

    #[test]
    fn critical_differences_of_the_literature() {
        // Demšar's table: q(0.05) = 2.728 for five classifiers, so CD = 2.728 sqrt(5 * 6 / (6 * 30)).
        let table: Vec<Vec<f64>> =
            (0..30).map(|i| (0..5).map(|c| f64::from((i * 7 + c * 3) % 11)).collect()).collect();
        let cd = friedman(&table, 0.05).unwrap().critical_difference;
        assert!((cd - 2.728 * (30.0_f64 / 180.0).sqrt()).abs() < 1e-3, "{cd}");
    }

    #[test]
    fn equal_columns_do_not_differ() {
        let f = friedman(&[vec![1.0, 1.0, 1.0], vec![2.0, 2.0, 2.0]], 0.05).unwrap();
        assert!(f.statistic.abs() < 1e-300 && (f.p - 1.0).abs() < 1e-12);
        assert!(friedman(&[vec![1.0, 2.0]], 0.05).is_err());
        assert!(friedman(&[vec![1.0, 2.0], vec![1.0, f64::NAN]], 0.05).is_err());
    }
}
