//! A little linear algebra: Cholesky factors and eigenvectors of symmetric matrices. Every sum runs in a fixed order,
//! so that results are reproducible bit for bit on any number of threads.

mod cholesky;
mod eigen;

pub use cholesky::{cholesky, solve_lower, solve_upper};
pub use eigen::{symmetric_eigen, symmetric_eigenvalues, symmetric_eigenvalues_unless, upright};
