//! The compiled half of the Python package: samples in, models out, answers back. No algorithm lives here.
//!
//! The interpreter lock is released while the library computes (`run`); what the facade in `python/eocc` makes of
//! the pieces is what users see.

mod arrow;
mod columns;
mod error;
mod measure;
mod model;
mod objects;
mod pairs;
mod params;
mod read;
mod rows;
mod run;
mod samples;
mod stream;
mod train;

/// The private module `eocc._eocc`.
#[pyo3::pymodule]
mod _eocc {
    #[pymodule_export]
    use super::error::EoccError;
    #[pymodule_export]
    use super::model::{Model, outlier_shares};
    #[pymodule_export]
    use super::pairs::{available_memory, distances, measures};
    #[pymodule_export]
    use super::read::read;
    #[pymodule_export]
    use super::rows::{RowSearch, RowTask};
    #[pymodule_export]
    use super::samples::Samples;
    #[pymodule_export]
    use super::stream::Stream;
}
