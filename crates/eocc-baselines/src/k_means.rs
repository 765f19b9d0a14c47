//! k-means.

use eocc_core::random::Random;
use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::linear_algebra::squared_distance;

/// The distance to the nearest of `k` means, `score = -min_c |x - m_c|`: `kmeans_dd` of `dd_tools`, which starts
/// once, at random samples.
#[derive(Debug, Clone, Copy)]
pub struct KMeans {
    /// Number of means; 5, as in `kmeans_dd`.
    pub means: usize,
    /// The iteration ends when the squared error decreases by less than this fraction; 1e-5, as in `kmeans_dd`.
    pub tolerance: f64,
}

impl Default for KMeans {
    fn default() -> Self {
        Self { means: 5, tolerance: 1e-5 }
    }
}

impl Learner for KMeans {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(self.means)?;
        let chosen = Random::stream(training.seed, 2).subset(training.table.rows(), self.means);
        let means = self.improve(training.table, training.table.select_rows(&chosen));
        Ok(Box::new(move |x: &[f64]| -nearest(x, &means).1.sqrt()))
    }
}

impl KMeans {
    /// Lloyd's iteration from these means. A mean that loses all its samples stays unchanged.
    pub fn improve(&self, rows: &Matrix, mut means: Matrix) -> Matrix {
        let mut last = f64::INFINITY;
        loop {
            let assigned: Vec<(usize, f64)> =
                (0..rows.rows()).map(|i| nearest(rows.row(i), &means)).collect();
            let error: f64 = assigned.iter().map(|a| a.1).sum();
            if last - error <= self.tolerance * error {
                return means;
            }
            last = error;
            let mut sums = Matrix::zeros(means.rows(), means.columns());
            let mut counts = vec![0.0; means.rows()];
            for (i, (c, _)) in assigned.into_iter().enumerate() {
                counts[c] += 1.0;
                for (s, v) in sums.row_mut(c).iter_mut().zip(rows.row(i)) {
                    *s += v;
                }
            }
            for (c, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0.0) {
                for (m, s) in means.row_mut(c).iter_mut().zip(sums.row(c)) {
                    *m = s / count;
                }
            }
        }
    }
}

/// The nearest of `centers` and its squared distance; ties go to the first.
pub(crate) fn nearest(x: &[f64], centers: &Matrix) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for c in 0..centers.rows() {
        let d = squared_distance(x, centers.row(c));
        if d < best.1 {
            best = (c, d);
        }
    }
    best
}
