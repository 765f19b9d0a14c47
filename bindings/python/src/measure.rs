//! Measures: by name with settings, or a function in Python.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use eocc_core::dissimilarity::CustomDissimilarity;
use eocc_core::{
    AnyDissimilarity, AnySamples, Dissimilarity, Matrix, Preset, SampleKind, Settings, Texts, Vectors,
};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods, ToPyArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::error::exception;
use crate::objects::{Object, Objects};

/// The exception of a Python function, until the caller's thread can raise it. Each call has its own, on its own
/// threads: two calls may use one model at the same time, and their exceptions are independent.
#[derive(Default)]
pub(crate) struct Fault {
    is_set: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

thread_local! {
    /// Where functions on this thread store exceptions.
    static CURRENT: RefCell<Option<Arc<Fault>>> = const { RefCell::new(None) };
}

impl Fault {
    /// From now on, exceptions on this thread are stored here.
    pub(crate) fn attach(self: Arc<Self>) {
        CURRENT.set(Some(self));
    }

    fn current() -> Option<Arc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    /// Stores the first exception.
    pub(crate) fn set(&self, error: PyErr) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.is_set.store(true, Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        if !self.is_set() {
            return None;
        }
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.is_set.store(false, Ordering::Relaxed);
        error
    }
}

/// A function in Python that compares two samples.
#[derive(Clone)]
pub(crate) struct Callable {
    pub(crate) function: Arc<Py<PyAny>>,
}

impl Callable {
    pub(crate) fn new(function: Py<PyAny>) -> Self {
        Self { function: Arc::new(function) }
    }

    /// Calls it with the arguments that `pair` makes of two samples; on failure, returns NaN and stores the
    /// exception.
    fn call<'a>(&self, pair: impl for<'py> FnOnce(Python<'py>) -> PyResult<Pair<'py>> + 'a) -> f64 {
        let fault = Fault::current();
        // After an exception nothing matters: the run is ending.
        if fault.as_ref().is_some_and(|fault| fault.is_set()) {
            return f64::NAN;
        }
        Python::attach(|py| {
            let found = pair(py).and_then(|pair| self.function.bind(py).call1(pair)).and_then(|value| {
                let number: f64 = value.extract().map_err(|_| {
                    let shown = value.repr().map_or_else(|_| "something".to_owned(), |r| r.to_string());
                    PyTypeError::new_err(format!("metric returned {shown}, but must return a number"))
                })?;
                if number >= 0.0 && number.is_finite() {
                    return Ok(number);
                }
                Err(PyValueError::new_err(format!(
                    "metric returned {number}, but must return a finite number of at least 0"
                )))
            });
            found.unwrap_or_else(|error| {
                match fault {
                    Some(fault) => fault.set(error),
                    None => error.write_unraisable(py, None),
                }
                f64::NAN
            })
        })
    }

    pub(crate) fn of_vectors(&self) -> Box<dyn Dissimilarity<[f64]>> {
        let own = self.clone();
        Box::new(CustomDissimilarity::new(move |a: &[f64], b: &[f64]| {
            own.call(|py| Ok((a.to_pyarray(py).into_any(), b.to_pyarray(py).into_any())))
        }))
    }

    pub(crate) fn of_texts(&self) -> Box<dyn Dissimilarity<str>> {
        let own = self.clone();
        Box::new(CustomDissimilarity::new(move |a: &str, b: &str| {
            own.call(|py| Ok((PyString::new(py, a).into_any(), PyString::new(py, b).into_any())))
        }))
    }

    pub(crate) fn of_objects(&self) -> Box<dyn Dissimilarity<Object>> {
        let own = self.clone();
        Box::new(CustomDissimilarity::new(move |a: &Object, b: &Object| {
            own.call(|py| Ok((a.bind(py).clone(), b.bind(py).clone())))
        }))
    }
}

impl Callable {
    /// The function as a measure of these samples; `None` if they do not support one.
    pub(crate) fn measure(&self, samples: &AnySamples) -> Option<AnyDissimilarity> {
        match samples.kind().name() {
            Vectors::NAME => Some(AnyDissimilarity::new::<Vectors>(self.of_vectors())),
            Texts::NAME => Some(AnyDissimilarity::new::<Texts>(self.of_texts())),
            Objects::NAME => Some(AnyDissimilarity::new::<Objects>(self.of_objects())),
            _ => None,
        }
    }
}

type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A measure as given by Python.
pub(crate) enum Metric {
    /// By name, or the first in its catalogue.
    Named(Option<String>, Settings),
    /// A function.
    Callable(Callable),
}

impl Metric {
    /// From `None`, a name or a callable.
    pub(crate) fn new(
        metric: Option<&Bound<'_, PyAny>>,
        settings: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let Some(metric) = metric else { return Ok(Self::named(None, &settings)) };
        if let Ok(name) = metric.extract::<String>() {
            return Ok(Self::named(Some(name), &settings));
        }
        if metric.is_callable() {
            return Ok(Self::Callable(Callable::new(metric.clone().unbind())));
        }
        Err(PyTypeError::new_err(format!("metric is {metric}, but must be a name or a callable")))
    }

    fn named(name: Option<String>, given: &BTreeMap<String, String>) -> Self {
        let mut settings = Settings::default();
        for (key, value) in given {
            settings.insert(key, value);
        }
        Self::Named(name, settings)
    }

    pub(crate) fn callable(&self) -> Option<&Callable> {
        match self {
            Self::Callable(callable) => Some(callable),
            Self::Named(..) => None,
        }
    }

    /// The unfitted measure for these samples.
    pub(crate) fn measure(&self, samples: &AnySamples, preset: Preset) -> PyResult<AnyDissimilarity> {
        match self {
            Self::Callable(callable) => callable.measure(samples).ok_or_else(|| {
                PyTypeError::new_err("metric is a function, but these samples are compared by name only")
            }),
            Self::Named(..) if samples.downcast_ref::<Objects>().is_some() => Err(PyTypeError::new_err(
                "the samples are of no type that a metric is known for: give a function of two samples as metric",
            )),
            Self::Named(name, settings) => {
                samples.measure(preset, name.as_deref(), settings).map_err(|e| exception(&e))
            }
        }
    }
}

/// A copy of a C-contiguous array of numbers.
pub(crate) fn matrix_from(array: &Bound<'_, PyAny>) -> PyResult<Matrix> {
    let array: PyReadonlyArray2<'_, f64> = array.extract()?;
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    Ok(Matrix::new(array.as_slice()?.to_vec(), rows, columns))
}
