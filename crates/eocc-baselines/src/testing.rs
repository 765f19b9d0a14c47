//! Helpers for the unit tests.

use eocc_core::Matrix;

/// The distances among these points on a line.
pub(crate) fn line(at: &[f64]) -> Matrix {
    let distances = at.iter().flat_map(|a| at.iter().map(move |b| (a - b).abs())).collect();
    Matrix::new(distances, at.len(), at.len())
}
