//! Mixture of Gaussians, by expectation maximization.

use std::f64::consts::TAU;

use eocc_core::random::Random;
use eocc_core::stats::log_sum_exp;
use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::gauss::no_spread;
use crate::linear_algebra::{Cholesky, covariance, mean, mean_diagonal, scatter, squared_distance};

/// The logarithm of a density of several Gaussians with full covariances, `score = log sum_c w_c N(x; m_c, S_c)`.
///
/// As in `mog_dd` of `dd_tools`: random samples are the initial means, `regularization` times the mean variance is
/// added to every diagonal, and the iteration ends when the likelihood changes by less than a millionth.
#[derive(Debug, Clone, Copy)]
pub struct Mixture {
    /// Number of components; 5, as in `mog_dd`.
    pub components: usize,
    /// Fraction of the mean variance added to the diagonals; 0.01, as in `mog_dd`.
    pub regularization: f64,
    /// Maximum number of iterations; 100, as in `mog_dd`.
    pub iterations: usize,
}

impl Default for Mixture {
    fn default() -> Self {
        Self { components: 5, regularization: 0.01, iterations: 100 }
    }
}

/// The state at the start, or the end, of the iteration.
#[derive(Debug, Clone)]
pub struct Start {
    /// Weights of the components.
    pub weights: Vec<f64>,
    /// Their means, one per row.
    pub means: Matrix,
    /// Their covariances.
    pub covariances: Vec<Matrix>,
}

impl Mixture {
    /// Runs the iteration from here, `iterations` times unless the likelihood settles within `tolerance`.
    pub fn learn_from(&self, rows: &Matrix, start: Start, tolerance: f64) -> Result<Box<dyn Rule>> {
        let added = self.regularization * mean_diagonal(&covariance(rows, &mean(rows)));
        let mut now = Components::new(start)?;
        let mut last = f64::NEG_INFINITY;
        for _ in 0..self.iterations {
            let (responsibilities, likelihood) = now.expectation(rows);
            if (likelihood / last - 1.0).abs() < tolerance {
                break;
            }
            last = likelihood;
            now = Components::new(maximization(rows, &responsibilities, added))?;
        }
        Ok(Box::new(move |x: &[f64]| log_sum_exp(now.log_joint(x).into_iter())))
    }

    /// Random samples as means, each with the spread of the samples nearest to it plus the total variance.
    fn start(&self, rows: &Matrix, seed: u64) -> Result<Start> {
        let spread = mean_diagonal(&covariance(rows, &mean(rows)));
        if spread <= 0.0 {
            return Err(no_spread());
        }
        let mut random = Random::stream(seed, 1);
        let (mut chosen, mut nearest) = (Vec::new(), Vec::new());
        // A component whose mean equals another's gets no samples: draw again, and finally do without it.
        for _ in 0..100 {
            chosen = random.subset(rows.rows(), self.components);
            nearest = nearest_of(rows, &chosen);
            if (0..chosen.len()).all(|c| nearest.contains(&c)) {
                break;
            }
        }
        let used: Vec<usize> = (0..chosen.len()).filter(|c| nearest.contains(c)).collect();
        let means = rows.select_rows(&used.iter().map(|&c| chosen[c]).collect::<Vec<_>>());
        let (mut weights, mut covariances) = (Vec::new(), Vec::new());
        for (row, &c) in used.iter().enumerate() {
            let members = nearest.iter().filter(|&&v| v == c).count() as f64;
            weights.push(members / rows.rows() as f64);
            let own = |i: usize| if nearest[i] == c { 1.0 / members } else { 0.0 };
            let mut s = scatter(rows, means.row(row), own);
            for i in 0..s.rows() {
                s.row_mut(i)[i] += spread;
            }
            covariances.push(s);
        }
        Ok(Start { weights, means, covariances })
    }
}

impl Learner for Mixture {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(self.components + 1)?;
        self.learn_from(training.table, self.start(training.table, training.seed)?, 1e-6)
    }
}

fn nearest_of(rows: &Matrix, chosen: &[usize]) -> Vec<usize> {
    let nearest = |i: usize| {
        let d = |c: usize| squared_distance(rows.row(i), rows.row(chosen[c]));
        (1..chosen.len()).fold(0, |best, c| if d(c) < d(best) { c } else { best })
    };
    (0..rows.rows()).map(nearest).collect()
}

struct Components {
    means: Matrix,
    factors: Vec<Cholesky>,
    /// `log w_c - (q log 2 pi + log det S_c) / 2`.
    constants: Vec<f64>,
}

impl Components {
    fn new(start: Start) -> Result<Self> {
        let q = start.means.columns() as f64;
        let factors: Vec<Cholesky> =
            start.covariances.iter().map(Cholesky::factorize).collect::<Result<_>>()?;
        let constant = |(w, f): (&f64, &Cholesky)| w.ln() - 0.5 * (q * TAU.ln() + f.log_determinant());
        let constants = start.weights.iter().zip(&factors).map(constant).collect();
        Ok(Self { means: start.means, factors, constants })
    }

    fn log_joint(&self, x: &[f64]) -> Vec<f64> {
        let one = |c: usize| self.constants[c] - 0.5 * self.factors[c].squared_norm(x, self.means.row(c));
        (0..self.factors.len()).map(one).collect()
    }

    /// Responsibilities, one row per sample, and the log-likelihood.
    fn expectation(&self, rows: &Matrix) -> (Matrix, f64) {
        let mut out = Matrix::zeros(rows.rows(), self.factors.len());
        let mut likelihood = 0.0;
        for i in 0..rows.rows() {
            let joint = self.log_joint(rows.row(i));
            let total = log_sum_exp(joint.iter().copied());
            likelihood += total;
            for (o, j) in out.row_mut(i).iter_mut().zip(joint) {
                *o = (j - total).exp();
            }
        }
        (out, likelihood)
    }
}

fn maximization(rows: &Matrix, responsibilities: &Matrix, added: f64) -> Start {
    let (n, k) = (rows.rows(), responsibilities.columns());
    let mut start =
        Start { weights: Vec::new(), means: Matrix::zeros(k, rows.columns()), covariances: Vec::new() };
    for c in 0..k {
        let r = |i: usize| responsibilities.row(i)[c];
        // A component that lost all its samples stays unchanged, with negligible weight.
        let total = (0..n).map(r).sum::<f64>().max(f64::MIN_POSITIVE * 10.0);
        start.weights.push(total / n as f64);
        for i in 0..n {
            let share = r(i) / total;
            for (m, v) in start.means.row_mut(c).iter_mut().zip(rows.row(i)) {
                *m += share * v;
            }
        }
        let mut s = scatter(rows, start.means.row(c), |i| r(i) / total);
        for i in 0..s.rows() {
            s.row_mut(i)[i] += added;
        }
        start.covariances.push(s);
    }
    start
}
