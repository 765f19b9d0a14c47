//! One-class classification by entropic spanning graphs.

pub mod error;
pub mod matrix;
pub mod random;

pub use error::{Error, ErrorKind, Result};
pub use matrix::Matrix;
