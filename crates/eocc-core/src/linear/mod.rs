//! The little linear algebra there is: Cholesky factors and eigenvectors of symmetric matrices. Sums run in a fixed order on
//! one thread, so that results repeat to the bit.

mod cholesky;
mod eigen;

pub use cholesky::{cholesky, solve_lower, solve_upper};
pub use eigen::{symmetric_eigen, symmetric_eigenvalues, upright};
