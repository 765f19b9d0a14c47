//! Standalone dissimilarities, and the list of measures.

use std::collections::BTreeMap;
use std::sync::Arc;

use eocc_core::{AnyDissimilarity, AnySamples, Kinds, Preset};
use numpy::PyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::exception;
use crate::measure::Metric;
use crate::run::{RunContext, run};
use crate::samples::{Samples, array};

/// The measure by name and learned state, or fitted to the rows.
pub(crate) fn measure(metric: &Metric, state: Option<&str>, rows: &AnySamples) -> PyResult<AnyDissimilarity> {
    if let (Some(state), Metric::Named(Some(name), _)) = (state, metric) {
        let state: serde_json::Value =
            serde_json::from_str(state).map_err(|e| PyValueError::new_err(format!("the state: {e}")))?;
        let restored = rows.kind().restore_measure(name, &(&state).into(), &Kinds::default());
        return restored.map_err(|e| exception(&e));
    }
    // With the measure's own defaults: nothing is scaled without a setting.
    let mut measure = metric.measure(rows, Preset::Paper)?;
    measure.learn_all(rows).map_err(|e| exception(&e))?;
    Ok(measure)
}

/// The matrix of dissimilarities of `rows` to `columns`, or among `rows`. With `state`, the measure `metric` is one
/// fitted elsewhere.
#[pyfunction]
#[pyo3(signature = (rows, columns, metric, settings, *, state=None, threads=1))]
pub(crate) fn distances<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Samples>,
    columns: Option<&Bound<'py, Samples>>,
    metric: Option<&Bound<'py, PyAny>>,
    settings: BTreeMap<String, String>,
    state: Option<&str>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let metric = Metric::new(metric, settings)?;
    let fault = metric.callable().map(|_| Arc::default());
    let context = RunContext { threads, progress: None, fault };
    let (rows, columns) = (&rows.get().set, columns.map(|c| &c.get().set));
    if columns.is_some_and(|columns| columns.kind() != rows.kind()) {
        return Err(PyValueError::new_err("the two sets of samples are of different types"));
    }
    let measure = measure(&metric, state, rows)?;
    let matrix = run(py, &context, |watch| match columns {
        None => measure.matrix(rows, watch),
        Some(columns) => measure.between_sets(rows, columns, watch),
    })?;
    array(py, &matrix)
}

/// The names of all measures, by kind of samples.
#[pyfunction]
pub(crate) fn measures() -> Vec<(&'static str, Vec<&'static str>)> {
    let names = |kind: &eocc_core::Kind| kind.measures().into_iter().map(|m| m.0).collect();
    Kinds::default().iter().map(|kind| (kind.name(), names(kind))).collect()
}

/// Bytes of memory that the machine has available; `None` if unknown.
#[pyfunction]
pub(crate) fn available_memory() -> Option<u64> {
    eocc_core::memory::available()
}
