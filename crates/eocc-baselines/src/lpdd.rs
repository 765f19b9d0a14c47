//! LPDD: linear programming dissimilarity description.

use eocc_core::{Error, Matrix, Result};
use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, SolveOutcome, Variable};

use crate::classifier::{Learner, Rule, TrainingTable};

/// A plane in the space of dissimilarities, `score = -sum_j w_j f(d(x, x_j))`: `lpdd` of `dd_tools` (E. Pękalska, D. Tax,
/// R. Duin, NIPS 2003).
///
/// `f(d) = 4 s / (1 + exp(-d / s)) - 2 s` bounds the dissimilarities, which are not squared: the program squares
/// Euclidean distances by default, but its published results fit the plain ones (docs/comparators.md); `w >= 0` with
/// `sum w_j = 1` minimizes `rho + 1 / (n nu) sum_i e_i` under `sum_j w_j f(d_ij) <= rho + e_i`, `e_i >= 0`. Solved by
/// the simplex method.
#[derive(Debug, Clone, Copy)]
pub struct Lpdd {
    /// The fraction of nominals that may lie beyond the plane; 0.1, as in `lpdd`.
    pub reject: f64,
    /// The scale `s` of the sigmoid; 1, as in `lpdd`.
    pub scale: f64,
}

impl Default for Lpdd {
    fn default() -> Self {
        Self { reject: 0.1, scale: 1.0 }
    }
}

/// Weights below this are rounding, as in `dlpdd`.
const MIN_WEIGHT: f64 = 1e-8;

impl Learner for Lpdd {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let s = self.scale;
        let bounded = move |d: f64| 4.0 * s / (1.0 + (-d / s).exp()) - 2.0 * s;
        let n = training.table.rows();
        let mut table = Matrix::new(training.table.values().iter().map(|d| bounded(*d)).collect(), n, n);
        let mean = table.values().iter().sum::<f64>() / (n * n) as f64;
        if mean <= 0.0 {
            return Err(crate::gauss::no_spread());
        }
        // As in `dlpdd`, for numerical reasons.
        for v in table.values_mut() {
            *v /= mean;
        }
        let weights: Vec<(usize, f64)> =
            plane(&table, self.reject)?.into_iter().enumerate().filter(|w| w.1 > MIN_WEIGHT).collect();
        Ok(Box::new(move |row: &[f64]| -weights.iter().map(|&(j, w)| w * bounded(row[j])).sum::<f64>()))
    }
}

/// The weights `w` of the plane.
fn plane(table: &Matrix, reject: f64) -> Result<Vec<f64>> {
    let n = table.rows();
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let rho = problem.add_var(1.0, (f64::NEG_INFINITY, f64::INFINITY));
    let weights: Vec<Variable> = (0..n).map(|_| problem.add_var(0.0, (0.0, f64::INFINITY))).collect();
    for i in 0..n {
        let error = problem.add_var(1.0 / (n as f64 * reject), (0.0, f64::INFINITY));
        let mut row = LinearExpr::empty();
        row.add(rho, -1.0);
        row.add(error, -1.0);
        for (&w, &d) in weights.iter().zip(table.row(i)).filter(|(_, d)| **d > 0.0) {
            row.add(w, d);
        }
        problem.add_constraint(row, ComparisonOp::Le, 0.0);
    }
    let mut sum = LinearExpr::empty();
    for &w in &weights {
        sum.add(w, 1.0);
    }
    problem.add_constraint(sum, ComparisonOp::Eq, 1.0);
    match problem.solve() {
        Ok(SolveOutcome::Solution(solution)) => Ok(weights.iter().map(|&w| solution.var_value(w)).collect()),
        Ok(SolveOutcome::Interrupted(_)) => Err(Error::input("the linear program was left unsolved")),
        Err(e) => Err(Error::input(format!(
            "the linear program cannot be solved: {e}; scale the features, so that dissimilarities are about 1"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_errors_the_plane_is_the_value_of_a_game() {
        // min over w of the largest of (0 w1 + 1 w2 + 4 w3, 1 w1 + 0 w2 + 1 w3, 4 w1 + 1 w2 + 0 w3): the middle
        // alone, with value 1.
        let table = Matrix::new(vec![0.0, 1.0, 4.0, 1.0, 0.0, 1.0, 4.0, 1.0, 0.0], 3, 3);
        let w = plane(&table, 1e-3).unwrap();
        assert!(w[0].abs() < 1e-9 && (w[1] - 1.0).abs() < 1e-9 && w[2].abs() < 1e-9, "{w:?}");
        // Two samples have equal weights.
        let w = plane(&Matrix::new(vec![0.0, 1.0, 1.0, 0.0], 2, 2), 1e-3).unwrap();
        assert!((w[0] - 0.5).abs() < 1e-9 && (w[1] - 0.5).abs() < 1e-9, "{w:?}");
    }

    #[test]
    fn the_score_falls_with_the_bounded_distance() {
        let at = [0.0, 0.5, 1.0_f64];
        let square = Matrix::new(at.iter().flat_map(|a| at.map(|b| (a - b).abs())).collect(), 3, 3);
        let rule = Lpdd::default().learn(&TrainingTable { table: &square, features: 1, seed: 0 }).unwrap();
        let score = |x: f64| rule.score(&at.map(|a| (a - x).abs()));
        // By symmetry w = (p, 1 - 2 p, p), and both rows of the game are worth the same:
        // (1 - 2 p) f(1/2) + p f(1) = 2 p f(1/2).
        let f = |d: f64| 4.0 / (1.0 + (-d).exp()) - 2.0;
        let p = f(0.5) / (4.0 * f(0.5) - f(1.0));
        let want = -(p * f(2.0) + (1.0 - 2.0 * p) * f(1.5) + p * f(1.0));
        assert!((score(2.0) - want).abs() < 1e-9, "{} {want}", score(2.0));
    }
}
