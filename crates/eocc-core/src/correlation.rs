//! Correlations of features, robust and shrunk, and the whitening they give.
//!
//! Values are centred by the median and clipped before correlations are taken, so that single wild values do not make
//! them. The correlations are shrunk towards none by the share that Ledoit and Wolf derive from their uncertainty
//! ("A well-conditioned estimator for large-dimensional covariance matrices", 2004, lemma 3.3 and eq. 14, with the
//! identity as target): with few samples and many features whitening fades into scaling.

use serde::{Deserialize, Serialize};

use crate::kernel::dot;
use crate::stats::percentile;

/// Scaled values are clipped at this many spreads from the median.
const CLIP: f64 = 3.0;
/// Least share of shrinkage, so that features that depend on each other stay apart from a singular matrix.
const MIN_SHRINKAGE: f64 = 0.01;

/// Shrunk correlations of the features, and their deviations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Correlation {
    /// Standard deviation of each scaled and clipped feature; 1 where that is constant.
    deviations: Vec<f64>,
    /// Lower triangle, row by row.
    lower: Vec<f64>,
    /// Its Cholesky factor, in the same order.
    #[serde(skip)]
    factor: Vec<f64>,
}

impl Correlation {
    /// Of the features of `samples` times `multipliers`.
    pub(crate) fn of(samples: &[&[f64]], multipliers: &[f64]) -> Self {
        let (n, q) = (samples.len(), multipliers.len());
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(q);
        let mut deviations = Vec::with_capacity(q);
        for (f, m) in multipliers.iter().enumerate() {
            let mut column: Vec<f64> = samples.iter().map(|s| s[f] * m).collect();
            let median = percentile(&mut column.clone(), 50.0);
            for v in &mut column {
                *v = (*v - median).clamp(-CLIP, CLIP);
            }
            let mean = column.iter().sum::<f64>() / n as f64;
            let variance = column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
            let deviation = if variance > 1e-18 { variance.sqrt() } else { 1.0 };
            for v in &mut column {
                *v = (*v - mean) / deviation;
            }
            columns.push(column);
            deviations.push(deviation);
        }
        let mut lower = Vec::with_capacity(q * (q + 1) / 2);
        let (mut off, mut squares) = (0.0, q as f64);
        for (i, a) in columns.iter().enumerate() {
            for b in &columns[..i] {
                let r = dot(a, b) / n as f64;
                off += 2.0 * r * r;
                lower.push(r);
            }
            lower.push(1.0);
        }
        squares += off;
        let fourth: f64 =
            (0..n).map(|i| columns.iter().map(|c| c[i] * c[i]).sum::<f64>().powi(2)).sum::<f64>();
        // How far the sample's correlations are from none, and how much of that is their own uncertainty.
        let (distance, noise) = (off, fourth / (n * n) as f64 - squares / n as f64);
        let share = if distance > 0.0 { (noise / distance).clamp(MIN_SHRINKAGE, 1.0) } else { 1.0 };
        let mut at = 0;
        for i in 0..q {
            for r in &mut lower[at..at + i] {
                *r *= 1.0 - share;
            }
            at += i + 1;
        }
        let mut all = Self { deviations, lower, factor: Vec::new() };
        if !all.restore(q) {
            // Rounding alone could bring this about; no correlations are always sound.
            let is_diagonal = |at: usize| (0..q).any(|i| i * (i + 3) / 2 == at);
            all.lower.iter_mut().enumerate().for_each(|(at, r)| *r = f64::from(u8::from(is_diagonal(at))));
            all.restore(q);
        }
        all
    }

    /// Computes what is not stored; false if this is not a correlation of so many features.
    pub(crate) fn restore(&mut self, features: usize) -> bool {
        let fits = self.deviations.len() == features
            && features.checked_mul(features + 1).is_some_and(|twice| self.lower.len() == twice / 2)
            && self.deviations.iter().all(|d| *d > 0.0 && d.is_finite());
        match fits.then(|| cholesky(&self.lower, features)).flatten() {
            Some(factor) => {
                self.factor = factor;
                true
            }
            None => false,
        }
    }

    /// Turns scaled features into coordinates without correlation, of unit variance.
    pub(crate) fn whiten(&self, values: &mut [f64]) {
        for (v, d) in values.iter_mut().zip(&self.deviations) {
            *v /= d;
        }
        solve_lower(&self.factor, values);
    }
}

/// Solves `L y = values` in place, `L` given by its rows up to the diagonal.
pub(crate) fn solve_lower(factor: &[f64], values: &mut [f64]) {
    let mut at = 0;
    for i in 0..values.len() {
        let (before, rest) = values.split_at_mut(i);
        let row = &factor[at..=at + i];
        rest[0] = (rest[0] - dot(&row[..i], before)) / row[i];
        at += i + 1;
    }
}

/// The Cholesky factor of a matrix given by its lower triangle, row by row; `None` if it is not positive definite.
pub(crate) fn cholesky(lower: &[f64], q: usize) -> Option<Vec<f64>> {
    let mut factor: Vec<f64> = Vec::with_capacity(lower.len());
    for i in 0..q {
        let start = i * (i + 1) / 2;
        for j in 0..=i {
            let row = j * (j + 1) / 2;
            let rest = lower[start + j] - dot(&factor[start..start + j], &factor[row..row + j]);
            if i == j && !(rest > 0.0 && rest.is_finite()) {
                return None;
            }
            factor.push(if i == j { rest.sqrt() } else { rest / factor[row + j] });
        }
    }
    Some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn of(rows: &[Vec<f64>]) -> Correlation {
        let refs: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        Correlation::of(&refs, &vec![1.0; rows[0].len()])
    }

    #[test]
    fn factor_by_hand() {
        // [[4, 2], [2, 3]] = L L' with L = [[2, 0], [1, sqrt 2]].
        let factor = cholesky(&[4.0, 2.0, 3.0], 2).unwrap();
        for (got, want) in factor.iter().zip([2.0, 1.0, 2.0_f64.sqrt()]) {
            assert!((got - want).abs() < 1e-15);
        }
        assert!(cholesky(&[1.0, 2.0, 1.0], 2).is_none());
    }

    #[test]
    fn whitened_features_do_not_go_together() {
        let mut r = Random::new(1);
        let rows: Vec<Vec<f64>> = (0..4000)
            .map(|_| {
                let (a, b) = (r.normal(), r.normal());
                vec![a, 0.8 * a + 0.6 * b, b]
            })
            .collect();
        let c = of(&rows);
        let white: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| {
                let mut row = row.clone();
                c.whiten(&mut row);
                row
            })
            .collect();
        for i in 0..3 {
            for j in 0..i {
                let r = white.iter().map(|w| w[i] * w[j]).sum::<f64>() / 4000.0;
                // The third is a sum of the others; only the least shrinkage keeps it apart.
                assert!(r.abs() < 0.2, "{i} {j} {r}");
            }
        }
    }

    #[test]
    fn few_samples_of_many_features_are_hardly_whitened() {
        let mut r = Random::new(2);
        let mut largest = |n: usize| {
            let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..30).map(|_| r.normal()).collect()).collect();
            let c = of(&rows);
            let on_diagonal = |at: usize| (0..30).any(|i| i * (i + 3) / 2 == at);
            let off = c.lower.iter().enumerate().filter(|(at, _)| !on_diagonal(*at));
            off.map(|(_, r)| r.abs()).fold(0.0, f64::max)
        };
        assert!(largest(10) < 0.3);
        assert!(largest(2000) < 0.1);
    }

    #[test]
    fn wild_values_and_constants_do_no_harm() {
        let mut r = Random::new(4);
        let mut rows: Vec<Vec<f64>> = (0..300).map(|_| vec![r.normal(), r.normal(), 2.0]).collect();
        rows[0] = vec![1e9, 1e9, 2.0];
        let c = of(&rows);
        // Of the two, whose correlation the wild sample would make one.
        assert!(c.lower[1].abs() < 0.2, "{}", c.lower[1]);
        assert!(c.factor.iter().all(|v| v.is_finite()));
        let mut damaged = c.clone();
        damaged.deviations.pop();
        assert!(!damaged.restore(3));
        let mut damaged = c;
        damaged.lower[1] = 2.0;
        assert!(!damaged.restore(3));
    }
}
