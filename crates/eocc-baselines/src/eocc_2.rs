//! EOCC-2: entropic one-class classifier, second kind.

use eocc_core::Result;
use eocc_core::random::Random;

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::dimension::intrinsic_dimension;
use crate::eocc_1::rule;
use crate::tree_model::{Centroids, Embedded, Tree};

/// As [`Eocc1`](crate::Eocc1), but the number of parts is chosen by cross-validation.
///
/// There are only nominals to validate on: the criterion is the likelihood of held-out ones, under round Gaussians
/// around the centroids in the estimated dimension of the embedded samples. docs/comparators.md explains how we
/// filled the gaps.
#[derive(Debug, Clone, Copy)]
pub struct Eocc2 {
    /// Number of folds.
    pub folds: usize,
}

impl Default for Eocc2 {
    fn default() -> Self {
        Self { folds: 5 }
    }
}

impl Learner for Eocc2 {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(4 * self.folds)?;
        let embedded = Embedded::from_dissimilarities(training.table);
        let all: Vec<usize> = (0..training.table.rows()).collect();
        let tree = Tree::spanning(&embedded.distances, &all);
        let count = self.best(&embedded, tree.most_parts(), training.seed);
        let model = Centroids::from_parts(&embedded.points, &all, &tree.parts(count));
        Ok(rule(model, embedded.bound))
    }
}

impl Eocc2 {
    /// The number of parts under which held-out samples are most likely; the fewest on ties.
    fn best(self, embedded: &Embedded, most: usize, seed: u64) -> usize {
        let n = embedded.points.rows();
        let q = intrinsic_dimension(&embedded.distances);
        let mut order: Vec<usize> = (0..n).collect();
        Random::stream(seed, 6).shuffle(&mut order);
        let mut likelihood = vec![0.0; most];
        for fold in 0..self.folds {
            let range = fold * n / self.folds..(fold + 1) * n / self.folds;
            let held = &order[range.clone()];
            let rest = [&order[..range.start], &order[range.end..]].concat();
            let tree = Tree::spanning(&embedded.distances, &rest);
            for (i, sum) in likelihood.iter_mut().enumerate() {
                // If a fold allows fewer parts, it votes with its maximum.
                let parts = tree.parts((i + 1).min(tree.most_parts()));
                let model = Centroids::from_parts(&embedded.points, &rest, &parts);
                *sum += held.iter().map(|&j| model.log_likelihood(embedded.points.row(j), q)).sum::<f64>();
            }
        }
        (1..most).fold(0, |best, i| if likelihood[i] > likelihood[best] { i } else { best }) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_core::Matrix;

    #[test]
    fn held_out_samples_tell_one_group_from_two() {
        let mut r = Random::new(8);
        let mut parts = |gap: f64| {
            let at: Vec<f64> = (0..60).map(|i| r.normal() + if i % 2 == 0 { 0.0 } else { gap }).collect();
            let square =
                Matrix::new(at.iter().flat_map(|a| at.iter().map(move |b| (a - b).abs())).collect(), 60, 60);
            Eocc2::default().best(&Embedded::from_dissimilarities(&square), 3, 0)
        };
        assert_eq!(parts(0.0), 1);
        assert!(parts(40.0) >= 2);
    }
}
