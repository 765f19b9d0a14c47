//! The linear algebra that the classifiers need: moments and Cholesky factors.
//!
//! Sums run in a fixed order on one thread, so that results are reproducible bit for bit.

use eocc_core::linear::{cholesky, solve_lower, solve_upper};
use eocc_core::{Error, Matrix, Result};

pub use eocc_core::kernel::dot;

/// Squared Euclidean distance of two rows.
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    eocc_core::kernel::squared_euclidean(a, b)
}

/// The mean of the rows.
pub fn mean(rows: &Matrix) -> Vec<f64> {
    let mut mean = vec![0.0; rows.columns()];
    for i in 0..rows.rows() {
        for (m, v) in mean.iter_mut().zip(rows.row(i)) {
            *m += v / rows.rows() as f64;
        }
    }
    mean
}

/// `sum_i w_i (x_i - mean) (x_i - mean)^T`.
pub fn scatter(rows: &Matrix, mean: &[f64], weights: impl Fn(usize) -> f64) -> Matrix {
    let d = rows.columns();
    let mut out = Matrix::zeros(d, d);
    let mut centered = vec![0.0; d];
    for i in 0..rows.rows() {
        let w = weights(i);
        if w == 0.0 {
            continue;
        }
        for ((c, v), m) in centered.iter_mut().zip(rows.row(i)).zip(mean) {
            *c = v - m;
        }
        for a in 0..d {
            let factor = w * centered[a];
            for (o, c) in out.row_mut(a)[..=a].iter_mut().zip(&centered) {
                *o += factor * c;
            }
        }
    }
    for a in 0..d {
        for b in 0..a {
            out.row_mut(b)[a] = out.row(a)[b];
        }
    }
    out
}

/// The covariance of the rows, divided by `n - 1`.
pub fn covariance(rows: &Matrix, mean: &[f64]) -> Matrix {
    let share = 1.0 / (rows.rows() as f64 - 1.0);
    scatter(rows, mean, |_| share)
}

/// The mean of the diagonal.
pub fn mean_diagonal(square: &Matrix) -> f64 {
    (0..square.rows()).map(|i| square.row(i)[i]).sum::<f64>() / square.rows() as f64
}

/// The factor `L` of a symmetric positive definite matrix `A = L L^T`.
#[derive(Debug, Clone)]
pub struct Cholesky {
    /// Its rows up to the diagonal.
    factor: Vec<f64>,
    size: usize,
}

impl Cholesky {
    /// Factors the matrix; fails if it is not positive definite.
    pub fn factorize(a: &Matrix) -> Result<Self> {
        let size = a.rows();
        let lower: Vec<f64> = (0..size).flat_map(|i| a.row(i)[..=i].iter().copied()).collect();
        let factor = cholesky(&lower, size).ok_or_else(|| {
            Error::input(
                "the covariance of the nominal samples is singular; drop features that are constant or repeat others",
            )
        })?;
        Ok(Self { factor, size })
    }

    /// Solves `L y = b` in place: then `|y|^2 = b^T A^-1 b`.
    pub fn half_solve(&self, b: &mut [f64]) {
        solve_lower(&self.factor, b);
    }

    /// Solves `A x = b` in place.
    pub fn solve(&self, b: &mut [f64]) {
        solve_lower(&self.factor, b);
        solve_upper(&self.factor, b);
    }

    /// `b^T A^-1 b` for `b = x - center`.
    pub fn squared_norm(&self, x: &[f64], center: &[f64]) -> f64 {
        let mut b: Vec<f64> = x.iter().zip(center).map(|(x, c)| x - c).collect();
        self.half_solve(&mut b);
        dot(&b, &b)
    }

    /// `log det A`.
    pub fn log_determinant(&self) -> f64 {
        (0..self.size).map(|i| 2.0 * self.factor[i * (i + 3) / 2].ln()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_core::linear::symmetric_eigen;
    use eocc_core::random::Random;

    fn random_covariance(n: usize) -> Matrix {
        let mut r = Random::new(2);
        let rows = Matrix::new((0..3 * n * n).map(|_| r.normal()).collect(), 3 * n, n);
        covariance(&rows, &mean(&rows))
    }

    #[test]
    fn cholesky_solves_and_knows_the_determinant() {
        let a = random_covariance(11);
        let x: Vec<f64> = (0..11).map(f64::from).collect();
        let mut b: Vec<f64> = (0..11).map(|i| dot(a.row(i), &x)).collect();
        let factor = Cholesky::factorize(&a).unwrap();
        factor.solve(&mut b);
        assert!(b.iter().zip(&x).all(|(u, v)| (u - v).abs() < 1e-9), "{b:?}");
        let (values, _) = symmetric_eigen(a);
        let log_det: f64 = values.iter().map(|v| v.ln()).sum();
        assert!((factor.log_determinant() - log_det).abs() < 1e-9);
        assert!(Cholesky::factorize(&Matrix::new(vec![1.0, 2.0, 2.0, 1.0], 2, 2)).is_err());
    }

    #[test]
    fn moments_match_hand_computation() {
        let rows = Matrix::new(vec![0.0, 0.0, 2.0, 4.0], 2, 2);
        assert_eq!(mean(&rows), [1.0, 2.0]);
        assert_eq!(covariance(&rows, &[1.0, 2.0]).values(), [2.0, 4.0, 4.0, 8.0]);
    }
}
