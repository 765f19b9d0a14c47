//! The Gaussian kernel of a dissimilarity.

use eocc_core::Matrix;

/// `exp(-d^2 / s^2)`, the kernel of `dd_tools`.
pub(crate) fn gaussian(d: f64, s: f64) -> f64 {
    (-(d / s).powi(2)).exp()
}

/// The kernel of all pairs.
pub(crate) fn gaussian_matrix(square: &Matrix, s: f64) -> Matrix {
    let values = square.values().iter().map(|d| gaussian(*d, s)).collect();
    Matrix::new(values, square.rows(), square.columns())
}
