//! EOCC-1: entropic one-class classifier, first kind.

use eocc_core::Result;

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::tree_model::{Centroids, Embedded, Tree};

/// The paper's predecessor (L. Livi, A. Sadeghian, W. Pedrycz, "Entropic one-class classifiers", IEEE TNNLS 26(12),
/// 2015), as far as it is described in `[LA17]`: a minimum spanning tree in the dissimilarity space is cut into parts
/// that jointly maximize entropy and modularity; a part is described by its centroid, and membership falls with the
/// distance to it.
///
/// docs/comparators.md explains how we filled the gaps. `score = log mu(x)`, where `mu` is the largest membership.
#[derive(Debug, Clone, Copy, Default)]
pub struct Eocc1;

impl Learner for Eocc1 {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(4)?;
        let embedded = Embedded::from_dissimilarities(training.table);
        let all: Vec<usize> = (0..training.table.rows()).collect();
        let tree = Tree::spanning(&embedded.distances, &all);
        let parts = tree.parts(best(&tree));
        Ok(rule(Centroids::from_parts(&embedded.points, &all, &parts), embedded.bound))
    }
}

/// The number of parts with the largest objective `max(Q - Q_0, 0) (1 - exp(-dH))`, fewer parts on ties.
///
/// `Q` is the modularity, `Q_0` that of a chain of equal edges in as many equal parts: any cut of a tree has a large
/// modularity, and only the excess speaks for a cut. `dH` is the entropy explained by the partition.
fn best(tree: &Tree) -> usize {
    let objective = |count: usize| {
        let parts = tree.parts(count);
        let excess = tree.modularity(&parts) - tree.chain_modularity(count);
        excess.max(0.0) * (1.0 - tree.entropy_of_parts(&parts).exp())
    };
    let scored = (1..=tree.most_parts()).map(|count| (objective(count), count));
    scored.fold((f64::NEG_INFINITY, 1), |best, now| if now.0 > best.0 { now } else { best }).1
}

/// Scores of samples given by their dissimilarities to all training samples.
pub(crate) fn rule(model: Centroids, bound: f64) -> Box<dyn Rule> {
    Box::new(move |row: &[f64]| {
        let point: Vec<f64> = row.iter().map(|d| d / bound).collect();
        model.log_membership(&point)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_core::Matrix;

    #[test]
    fn two_groups_are_two_parts_and_one_is_one() {
        let part = |at: &[f64]| {
            let n = at.len();
            let square =
                Matrix::new(at.iter().flat_map(|a| at.iter().map(move |b| (a - b).abs())).collect(), n, n);
            let all: Vec<usize> = (0..n).collect();
            best(&Tree::spanning(&Embedded::from_dissimilarities(&square).distances, &all))
        };
        let two: Vec<f64> = (0..40).map(|i| f64::from(i % 20) + if i < 20 { 0.0 } else { 25.0 }).collect();
        assert_eq!(part(&two), 2);
        let one: Vec<f64> = (0..40).map(f64::from).collect();
        assert_eq!(part(&one), 1);
    }

    #[test]
    fn the_middle_is_more_nominal_than_the_rim() {
        let at: Vec<f64> = (0..21).map(f64::from).collect();
        let square =
            Matrix::new(at.iter().flat_map(|a| at.iter().map(move |b| (a - b).abs())).collect(), 21, 21);
        let rule = Eocc1.learn(&TrainingTable { table: &square, features: 1, seed: 0 }).unwrap();
        let score = |x: f64| rule.score(&at.iter().map(|a| (a - x).abs()).collect::<Vec<_>>());
        assert!(score(20.0) > score(40.0) && score(40.0) > score(60.0));
    }
}
