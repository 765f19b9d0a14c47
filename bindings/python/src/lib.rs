//! The compiled half of the Python package: samples in, models and decisions out. It contains no algorithms.
//!
//! The interpreter lock is released while the library computes (`run`); users see the facade in `python/eocc`.

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
// No test has run on a free-threaded interpreter, which PyO3 would otherwise declare fit.
#[pyo3::pymodule(gil_used = true)]
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
