//! The little linear algebra there is: Cholesky factors and eigenvectors of symmetric matrices. Every sum runs in a
//! fixed order, so that results repeat to the bit on any number of threads.

mod cholesky;
mod eigen;

pub use cholesky::{cholesky, solve_lower, solve_upper};
pub use eigen::{symmetric_eigen, symmetric_eigenvalues, symmetric_eigenvalues_unless, upright};
