//! Arrow data through its C interface for Python, without a copy.

use std::panic::{AssertUnwindSafe, catch_unwind};

use eocc_data::ReadError;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyRecordBatch;

use crate::columns;

/// A batch or a stream of batches.
pub(crate) fn imported(data: &Bound<'_, PyAny>) -> PyResult<AnyRecordBatch> {
    let speaks = |method: &str| data.hasattr(method);
    if !speaks("__arrow_c_array__")? && !speaks("__arrow_c_stream__")? {
        return Err(PyTypeError::new_err(format!(
            "data is of type {}, but must be a record batch, a table or a stream with Arrow's C interface; use decide for \
             other samples",
            data.get_type().name()?
        )));
    }
    // Buffers without the required alignment make the reader panic.
    catch_unwind(AssertUnwindSafe(|| data.extract()))
        .unwrap_or_else(|_| Err(PyValueError::new_err("the buffers of data are not aligned; copy the data")))
}

/// A batch for Python.
pub(crate) fn exported(py: Python<'_>, batch: PyRecordBatch) -> PyResult<Bound<'_, PyAny>> {
    Ok(batch.into_pyobject(py)?.into_any())
}

/// A stream that ends with an error.
pub(crate) fn unreadable(error: &dyn std::error::Error) -> PyErr {
    PyValueError::new_err(format!("data cannot be read: {error}"))
}

/// The exception for a batch that cannot be read, with the names for rows and columns used in Python.
pub(crate) fn refusal(error: &ReadError) -> PyErr {
    columns::refusal(error)
}
