//! LOF: the local outlier factor, for new samples.

use eocc_core::Result;
use eocc_core::knn::nearest;

use crate::classifier::{Learner, Rule, TrainingTable};

/// `score = -mean over the k nearest y of r(y) / r(x)`, where `r` is the local reachability density, `1 / r(x) = mean
/// over the k nearest y of max(d(x, y), d_k(y))`, and `d_k(y)` the distance of `y` to its own `k`-th neighbor (M.
/// Breunig et al., SIGMOD 2000), as in scikit-learn's `LocalOutlierFactor(novelty=True)`.
#[derive(Debug, Clone, Copy)]
pub struct Lof {
    /// Number of neighbors; 20, as in scikit-learn.
    pub neighbors: usize,
}

impl Default for Lof {
    fn default() -> Self {
        Self { neighbors: 20 }
    }
}

/// Added to mean reachabilities, so that twins have a density; as in scikit-learn.
const MIN_REACHABILITY: f64 = 1e-10;

impl Learner for Lof {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let n = training.table.rows();
        let k = self.neighbors.min(n - 1);
        let lists: Vec<Vec<(u32, f64)>> =
            (0..n).map(|i| nearest(training.table.row(i), k, Some(i))).collect();
        let reach: Vec<f64> = lists.iter().map(|l| l[k - 1].1).collect();
        let density = move |list: &[(u32, f64)], reach: &[f64]| {
            let sum: f64 = list.iter().map(|&(j, d)| d.max(reach[j as usize])).sum();
            1.0 / (sum / list.len() as f64 + MIN_REACHABILITY)
        };
        let densities: Vec<f64> = lists.iter().map(|l| density(l, &reach)).collect();
        Ok(Box::new(move |row: &[f64]| {
            let list = nearest(row, k, None);
            let around: f64 = list.iter().map(|&(j, _)| densities[j as usize]).sum();
            -around / (k as f64 * density(&list, &reach))
        }))
    }
}
