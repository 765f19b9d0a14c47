//! k-centres.

use eocc_core::random::Random;
use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};

/// The distance to the nearest of `k` centers, `score = -min_c d(x, c)`: `kcenter_dd` of `dd_tools`.
///
/// The centers are samples chosen so that the largest distance of a sample to its center is small. As in `kcentres`
/// of `PRTools`: starting from random centers, the sample of each cell with the smallest maximum distance becomes its
/// center, until nothing changes; the best of several tries counts.
#[derive(Debug, Clone, Copy)]
pub struct KCentres {
    /// Number of centers; 5, as in `kcenter_dd`.
    pub centers: usize,
    /// Number of tries; 25, as in `kcenter_dd`.
    pub tries: usize,
}

impl Default for KCentres {
    fn default() -> Self {
        Self { centers: 5, tries: 25 }
    }
}

impl Learner for KCentres {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(self.centers)?;
        let mut random = Random::stream(training.seed, 3);
        let mut best = (f64::INFINITY, Vec::new());
        for _ in 0..self.tries {
            let found = improve(training.table, random.subset(training.table.rows(), self.centers));
            if found.0 < best.0 {
                best = found;
            }
        }
        let centers = best.1;
        Ok(Box::new(move |row: &[f64]| -centers.iter().map(|&c| row[c]).fold(f64::INFINITY, f64::min)))
    }
}

/// The radius reached from these centers, and the final centers.
fn improve(square: &Matrix, mut centers: Vec<usize>) -> (f64, Vec<usize>) {
    let mut radius = f64::INFINITY;
    loop {
        let mut cells = vec![Vec::new(); centers.len()];
        let mut largest = 0.0_f64;
        for i in 0..square.rows() {
            let d = |c: usize| square.row(i)[centers[c]];
            let near = (1..centers.len()).fold(0, |best, c| if d(c) < d(best) { c } else { best });
            largest = largest.max(d(near));
            cells[near].push(i);
        }
        if largest >= radius {
            return (radius, centers);
        }
        radius = largest;
        let before = centers.clone();
        for (center, cell) in centers.iter_mut().zip(&cells) {
            let reach = |i: usize| cell.iter().map(|&j| square.row(i)[j]).fold(0.0, f64::max);
            let middle = cell.iter().map(|&i| (reach(i), i)).min_by(|a, b| a.0.total_cmp(&b.0));
            *center = middle.map_or(*center, |m| m.1);
        }
        if centers == before {
            return (radius, centers);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middles_of_two_groups_are_found() {
        let at: [f64; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 100.0, 101.0, 102.0];
        let square = Matrix::new(at.iter().flat_map(|a| at.map(|b| (a - b).abs())).collect(), 8, 8);
        let two = KCentres { centers: 2, tries: 25 };
        let rule = two.learn(&TrainingTable { table: &square, features: 1, seed: 0 }).unwrap();
        let score = |x: f64| rule.score(&at.map(|a| (a - x).abs()));
        assert!(score(2.0).abs() < 1e-15 && score(101.0).abs() < 1e-15);
        assert!((score(50.0) + 48.0).abs() < 1e-12);
    }
}
