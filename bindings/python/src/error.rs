//! Errors of the library as the exceptions that Python users expect.

use eocc_core::{Error, ErrorKind, Remedy};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(
    eocc,
    EoccError,
    PyValueError,
    "A model file that is damaged, too new, or of something else; what `load` raises."
);

/// The exception for an error of the library, with the parameter names used in Python.
pub(crate) fn exception(error: &Error) -> PyErr {
    match error.kind() {
        ErrorKind::Parameter(faults) => {
            let renamed = faults.iter().map(|fault| {
                let name = if fault.name == "dissimilarity" { "metric" } else { &fault.name };
                format!("{name} is {}, but must be {}{}", fault.given, fault.allowed, remedy(fault.remedy))
            });
            PyValueError::new_err(renamed.collect::<Vec<_>>().join("; "))
        }
        ErrorKind::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        ErrorKind::ModelFile(_) => EoccError::new_err(error.to_string()),
        ErrorKind::Io { path, source } => match source.raw_os_error() {
            // With its number, so that Python makes it a `FileNotFoundError`, and so on.
            Some(number) => {
                PyOSError::new_err((number, source.to_string(), path.to_string_lossy().into_owned()))
            }
            None => PyOSError::new_err(error.chain()),
        },
        ErrorKind::Cancelled => PyKeyboardInterrupt::new_err("the computation was interrupted"),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The remedy in terms of Python.
fn remedy(remedy: Option<Remedy>) -> &'static str {
    match remedy {
        Some(Remedy::UsePrototypes) => ", or set preset=\"paper\"",
        _ => "",
    }
}

/// The exception for an internal error.
pub(crate) fn internal(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("internal error: {what}; please report it"))
}
