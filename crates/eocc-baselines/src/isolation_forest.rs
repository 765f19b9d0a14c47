//! Isolation forest.

use eocc_core::random::Random;
use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};

/// How many random cuts separate a sample from the others, `score = -2^(-mean depth / c(m))` (F. Liu, K. Ting, Z.
/// Zhou, ICDM 2008), as in scikit-learn's `IsolationForest`.
#[derive(Debug, Clone, Copy)]
pub struct IsolationForest {
    /// Number of trees; 100, as in scikit-learn.
    pub trees: usize,
    /// Maximum number of samples per tree; 256, as in scikit-learn.
    pub samples: usize,
}

impl Default for IsolationForest {
    fn default() -> Self {
        Self { trees: 100, samples: 256 }
    }
}

impl Learner for IsolationForest {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let m = self.samples.min(training.table.rows());
        let deepest = (m as f64).log2().ceil() as usize;
        let trees: Vec<Vec<Node>> = (0..self.trees)
            .map(|t| {
                let mut random = Random::stream(training.seed, 1000 + t as u64);
                let rows = random.subset(training.table.rows(), m);
                let mut tree = Vec::new();
                grow(&mut tree, training.table, rows, 0, deepest, &mut random);
                tree
            })
            .collect();
        let norm = mean_depth(m) * trees.len() as f64;
        Ok(Box::new(move |x: &[f64]| {
            let sum: f64 = trees.iter().map(|tree| depth(tree, x)).sum();
            -(-sum / norm).exp2()
        }))
    }
}

enum Node {
    Cut { feature: usize, at: f64, left: usize, right: usize },
    Leaf { depth: f64 },
}

/// The mean depth of an unsuccessful search in a binary tree of `m` samples, `2 (ln(m - 1) + 0.5772…) - 2 (m - 1) / m`.
fn mean_depth(m: usize) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    match m {
        0 | 1 => 0.0,
        2 => 1.0,
        _ => {
            let m = m as f64;
            2.0 * ((m - 1.0).ln() + EULER) - 2.0 * (m - 1.0) / m
        }
    }
}

/// Grows the tree of these rows and returns the index of its root.
fn grow(
    tree: &mut Vec<Node>,
    table: &Matrix,
    rows: Vec<usize>,
    depth: usize,
    deepest: usize,
    random: &mut Random,
) -> usize {
    let place = tree.len();
    tree.push(Node::Leaf { depth: depth as f64 + mean_depth(rows.len()) });
    if depth >= deepest || rows.len() < 2 {
        return place;
    }
    let range = |f: usize| {
        let values = rows.iter().map(|&i| table.row(i)[f]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
    };
    // A feature that varies here, uniformly at random.
    let mut features: Vec<usize> = (0..table.columns()).collect();
    while !features.is_empty() {
        let feature = features.swap_remove(random.below(features.len()));
        let (low, high) = range(feature);
        if low >= high {
            continue;
        }
        let at = random.range(low, high);
        let (left, right) = rows.iter().partition(|&&i| table.row(i)[feature] <= at);
        let left = grow(tree, table, left, depth + 1, deepest, random);
        let right = grow(tree, table, right, depth + 1, deepest, random);
        tree[place] = Node::Cut { feature, at, left, right };
        break;
    }
    place
}

fn depth(tree: &[Node], x: &[f64]) -> f64 {
    let mut at = 0;
    loop {
        match &tree[at] {
            Node::Leaf { depth } => return *depth,
            Node::Cut { feature, at: cut, left, right } => {
                at = if x[*feature] <= *cut { *left } else { *right }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_match_hand_computation() {
        // Two samples are always separated by the first cut: depth 1 = c(2), so the score is -1/2 everywhere.
        let two = Matrix::new(vec![0.0, 1.0], 2, 1);
        let rule =
            IsolationForest::default().learn(&TrainingTable { table: &two, features: 1, seed: 3 }).unwrap();
        assert!((rule.score(&[0.0]) + 0.5).abs() < 1e-15 && (rule.score(&[9.0]) + 0.5).abs() < 1e-15);
        // c(256), as computed by scikit-learn.
        assert!((mean_depth(256) - 10.244_770_920_119_917).abs() < 1e-12);
    }

    #[test]
    fn three_on_a_line_have_their_mean_depth() {
        // 0, 1, 10: the first cut falls below 1 with probability 1/10. Then 0 has depth 1, else 0 has depth 2:
        // mean 1.9 for 0, 2 for 1, 1.1 for 10.
        let three = Matrix::new(vec![0.0, 1.0, 10.0], 3, 1);
        let many = IsolationForest { trees: 20_000, samples: 3 };
        let rule = many.learn(&TrainingTable { table: &three, features: 1, seed: 3 }).unwrap();
        for (x, want) in [(0.0, 1.9), (1.0, 2.0), (10.0, 1.1)] {
            let mean = -(-rule.score(&[x])).log2() * mean_depth(3);
            assert!((mean - want).abs() < 0.01, "{x}: {mean}");
        }
    }
}
