//! Rényi entropy from the length of a spanning graph [LA17, eq. 2; Hero et al. 2002].
//!
//! A graph over `n` points of an `m`-dimensional density `f` has the length `L = sum |e|^gamma`. For kNN graphs and
//! minimum spanning trees `L / n^alpha` tends to `beta * integral f^alpha`, `alpha = (m - gamma) / m`, so that
//!
//! `H = (1 / (1 - alpha)) (log L - alpha log n - log beta)`,
//!
//! in nats, and `m / gamma = 1 / (1 - alpha)`. The constant `beta` does not depend on `f`.

use crate::error::{Error, Result};
use crate::knn::{KnnLists, nearest_of_points};
use crate::matrix::Matrix;
use crate::mst;
use crate::random::Random;
use crate::stats::{ln_gamma, ln_unit_ball, log_sum_exp};

/// How the constant `log beta` is obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constant {
    /// The paper's `(gamma / 2) log(m / (2 pi e))`, which Hero et al. give for large `m`. Differences of entropies
    /// do not depend on it.
    Paper,
    /// The exact limit for kNN lists, `sum_j Gamma(j + gamma/m) / Gamma(j) * V^(-gamma/m)` with `V` the volume of the
    /// unit ball; for trees, where no limit is known, from the mean tree length over `cubes` seeded uniform samples
    /// of the unit cube.
    Calibrated {
        /// How many cubes to use for trees.
        cubes: usize,
    },
}

/// The estimator of Rényi entropy of order `alpha` for points in `m` dimensions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenyiEntropy {
    alpha: f64,
    dimension: usize,
    constant: Constant,
}

impl RenyiEntropy {
    /// Of order `alpha` in (0, 1), for points of this dimension.
    pub fn new(alpha: f64, dimension: usize, constant: Constant) -> Result<Self> {
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(Error::parameter("alpha", alpha, "in (0, 1)"));
        }
        if dimension == 0 {
            return Err(Error::parameter("dimension", dimension, "at least 1"));
        }
        Ok(Self { alpha, dimension, constant })
    }

    /// The exponent of the edge lengths, `gamma = (1 - alpha) m`.
    pub fn gamma(&self) -> f64 {
        (1.0 - self.alpha) * self.dimension as f64
    }

    /// Entropy in nats from `log L` over `n` vertices and `log beta`.
    pub(crate) fn at_log_length(&self, log_length: f64, n: usize, log_beta: f64) -> f64 {
        (log_length - self.alpha * (n as f64).ln() - log_beta) / (1.0 - self.alpha)
    }

    /// `(gamma / 2) log(m / (2 pi e))`.
    pub(crate) fn paper_log_beta(&self) -> f64 {
        let m = self.dimension as f64;
        0.5 * self.gamma() * (m / (std::f64::consts::TAU * std::f64::consts::E)).ln()
    }

    fn knn_log_beta(&self, k: usize) -> f64 {
        match self.constant {
            Constant::Paper => self.paper_log_beta(),
            Constant::Calibrated { .. } => {
                // gamma / m = 1 - alpha
                let share = 1.0 - self.alpha;
                let sum = log_sum_exp((1..=k).map(|j| ln_gamma(j as f64 + share) - ln_gamma(j as f64)));
                sum - share * ln_unit_ball(self.dimension)
            }
        }
    }

    fn log_length(&self, lengths: &[f64]) -> f64 {
        let floor = lengths.iter().copied().filter(|l| *l > 0.0).fold(f64::INFINITY, f64::min);
        let floor = if floor.is_finite() { floor } else { 1.0 };
        log_sum_exp(lengths.iter().map(|l| self.gamma() * l.max(floor).ln()))
    }

    /// From lists of `k` nearest neighbors over all `n` points. Zero lengths (duplicates) count as the smallest
    /// positive one.
    pub fn of_lists(&self, lists: &KnnLists) -> f64 {
        let log_beta = self.knn_log_beta(lists.width());
        self.at_log_length(self.log_length(lists.all_lengths()), lists.points(), log_beta)
    }

    /// From the kNN graph of `points`.
    pub fn of_points(&self, points: &Matrix, k: usize) -> Result<f64> {
        self.check(points)?;
        if k == 0 || k >= points.rows() {
            let allowed = format!("in 1..={} for {} samples", points.rows() - 1, points.rows());
            return Err(Error::parameter("neighbors", k, allowed));
        }
        Ok(self.of_lists(&nearest_of_points(points, k)))
    }

    /// From the minimum spanning tree of `points`.
    pub fn of_tree(&self, points: &Matrix) -> Result<f64> {
        self.check(points)?;
        let n = points.rows();
        let lengths: Vec<f64> = mst::euclidean(points).into_iter().map(|e| e.length).collect();
        let log_beta = match self.constant {
            Constant::Paper => self.paper_log_beta(),
            Constant::Calibrated { cubes } => self.tree_log_beta(n, cubes.max(1)),
        };
        Ok(self.at_log_length(self.log_length(&lengths), n, log_beta))
    }

    /// The uniform density on the unit cube has entropy 0, so the mean tree length gives the constant.
    fn tree_log_beta(&self, n: usize, cubes: usize) -> f64 {
        let lengths = (0..cubes).map(|c| {
            let mut random = Random::stream(0, c as u64);
            let values = (0..n * self.dimension).map(|_| random.uniform()).collect();
            let tree = mst::euclidean(&Matrix::new(values, n, self.dimension));
            self.log_length(&tree.into_iter().map(|e| e.length).collect::<Vec<_>>())
        });
        let lengths: Vec<f64> = lengths.collect();
        log_sum_exp(lengths.into_iter()) - (cubes as f64).ln() - self.alpha * (n as f64).ln()
    }

    fn check(&self, points: &Matrix) -> Result<()> {
        if points.columns() != self.dimension {
            return Err(Error::parameter(
                "dimension",
                self.dimension,
                format!("{} (the dimension of the points)", points.columns()),
            ));
        }
        if points.rows() < 2 {
            return Err(Error::input("estimating entropy requires at least 2 points"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_form_of_one_edge() {
        // Two points at distance 2 in one dimension, alpha 1/2: L over both lists is 2 sqrt 2.
        let h = RenyiEntropy::new(0.5, 1, Constant::Paper).unwrap();
        let points = Matrix::new(vec![0.0, 2.0], 2, 1);
        let log_beta = 0.25 * (1.0 / (std::f64::consts::TAU * std::f64::consts::E)).ln();
        let want = 2.0 * ((2.0 * 2.0_f64.sqrt()).ln() - 0.5 * 2.0_f64.ln() - log_beta);
        assert!((h.of_points(&points, 1).unwrap() - want).abs() < 1e-14);
    }

    #[test]
    fn errors_name_the_parameter() {
        assert!(RenyiEntropy::new(1.0, 2, Constant::Paper).unwrap_err().to_string().contains("alpha is 1"));
        let h = RenyiEntropy::new(0.5, 1, Constant::Paper).unwrap();
        let e = h.of_points(&Matrix::zeros(4, 1), 4).unwrap_err();
        assert_eq!(e.to_string(), "neighbors is 4, but must be in 1..=3 for 4 samples");
    }
}
