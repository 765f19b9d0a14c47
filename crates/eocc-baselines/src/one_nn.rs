//! 1-NN: how far the nearest sample is, relative to the distance to its own nearest.

use eocc_core::Result;

use crate::classifier::{Learner, Rule, TrainingTable};

/// `score = -d(x, y) / d(y, z)`, where `y` is the nearest nominal sample of `x` and `z` that of `y`: `nndd` of
/// `dd_tools` (which takes the ratio of the squares).
///
/// As in the reference, twins do not count as neighbors of each other: `z` is the nearest at a positive distance.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneNn;

impl Learner for OneNn {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let positive = |i: usize| {
            training.table.row(i).iter().copied().filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min)
        };
        let own: Vec<f64> = (0..training.table.rows()).map(positive).collect();
        // All are twins: any unit works.
        let own: Vec<f64> = own.into_iter().map(|d| if d.is_finite() { d } else { 1.0 }).collect();
        Ok(Box::new(move |row: &[f64]| {
            let near = (1..row.len()).fold(0, |best, j| if row[j] < row[best] { j } else { best });
            -row[near] / own[near]
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_core::Matrix;

    #[test]
    fn matches_hand_computation() {
        // At 0, 1, 1 and 5: their own neighbors are 1, 1, 1 and 4 away.
        let at = [0.0, 1.0, 1.0, 5.0_f64];
        let square = Matrix::new(at.iter().flat_map(|a| at.map(|b| (a - b).abs())).collect(), 4, 4);
        let rule = OneNn.learn(&TrainingTable { table: &square, features: 1, seed: 0 }).unwrap();
        let score = |x: f64| rule.score(&at.map(|a| (a - x).abs()));
        assert!((score(-2.0) + 2.0).abs() < 1e-15);
        assert!((score(2.0) + 1.0).abs() < 1e-15);
        assert!((score(7.0) + 0.5).abs() < 1e-15);
    }
}
