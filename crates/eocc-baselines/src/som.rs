//! SOM: a self-organizing map.

use eocc_core::random::Random;
use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::k_means::nearest;

/// The squared distance to the nearest unit of a trained map, `score = -min_u |x - w_u|^2`: `som_dd` of `dd_tools`.
///
/// Each sample pulls the unit nearest to it, and less so the units near that one on the map, by `eta exp(-g^2 / (2
/// h^2))`, where `g` is their distance on the map. The reference does not say how the units are initialized: here, as
/// random samples.
#[derive(Debug, Clone)]
pub struct Som {
    /// Units along each side of the map; 5 and 5, as in `som_dd`.
    pub sides: [usize; 2],
    /// The phases of training, as in `som_dd`: 20, 40, 40 rounds.
    pub phases: Vec<Phase>,
}

/// One phase of training.
#[derive(Debug, Clone, Copy)]
pub struct Phase {
    /// How often all samples are presented.
    pub rounds: usize,
    /// Learning rate `eta`.
    pub rate: f64,
    /// Width `h` of the neighborhood on the map.
    pub width: f64,
}

impl Default for Som {
    fn default() -> Self {
        let phase = |rounds, rate, width| Phase { rounds, rate, width };
        Self { sides: [5, 5], phases: vec![phase(20, 0.5, 0.6), phase(40, 0.3, 0.2), phase(40, 0.1, 0.01)] }
    }
}

impl Learner for Som {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let units = self.train(training.table, training.seed);
        Ok(Box::new(move |x: &[f64]| -nearest(x, &units).1))
    }
}

impl Som {
    fn train(&self, rows: &Matrix, seed: u64) -> Matrix {
        let mut random = Random::stream(seed, 4);
        let place = |u: usize| [(u / self.sides[1]) as f64, (u % self.sides[1]) as f64];
        let count = self.sides[0] * self.sides[1];
        let first: Vec<usize> = (0..count).map(|_| random.below(rows.rows())).collect();
        let mut units = rows.select_rows(&first);
        let mut order: Vec<usize> = (0..rows.rows()).collect();
        for phase in &self.phases {
            for _ in 0..phase.rounds {
                random.shuffle(&mut order);
                for &i in &order {
                    let x = rows.row(i);
                    let winner = place(nearest(x, &units).0);
                    for u in 0..count {
                        let [a, b] = place(u);
                        let g2 = (a - winner[0]).powi(2) + (b - winner[1]).powi(2);
                        let pull = phase.rate * (-g2 / (2.0 * phase.width * phase.width)).exp();
                        if pull > 1e-12 {
                            units.row_mut(u).iter_mut().zip(x).for_each(|(w, v)| *w += pull * (v - *w));
                        }
                    }
                }
            }
        }
        units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unit_forgets_geometrically() {
        // One unit, one phase, two samples presented once each: w -> w + r (x - w), in either order.
        let rows = Matrix::new(vec![0.0, 8.0], 2, 1);
        let som = Som { sides: [1, 1], phases: vec![Phase { rounds: 1, rate: 0.5, width: 1.0 }] };
        let w = som.train(&rows, 0).values()[0];
        // From 0: 0, 4 or 4, 2; from 8: 4, 6... the four possible ends.
        assert!([2.0, 4.0, 6.0].iter().any(|end| (w - end).abs() < 1e-12), "{w}");
    }

    #[test]
    fn units_settle_on_separate_groups() {
        let rows =
            Matrix::new((0..40).map(|i| f64::from(i % 4) * 100.0 + f64::from(i / 4) * 0.01).collect(), 40, 1);
        let rule = Som::default().learn(&TrainingTable { table: &rows, features: 1, seed: 1 }).unwrap();
        for group in [0.0, 100.0, 200.0, 300.0] {
            assert!(rule.score(&[group + 0.05]) > -1.0, "{group}");
        }
        assert!(rule.score(&[1000.0]) < -400_000.0);
    }
}
