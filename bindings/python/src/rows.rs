//! Work on the rows of a search, for the machines of a cluster: the work itself, and samples prepared for it.

use std::sync::Arc;

use eocc_core::dissimilarity::{RowWork, RowsFound};
use eocc_core::kinds::AnyRowSearch;
use numpy::{Element, IntoPyArray as _, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::measure::Metric;
use crate::pairs::measure;
use crate::run::{RunContext, run};
use crate::samples::Samples;

/// The work for each row. It can be pickled.
#[pyclass(frozen, module = "eocc._eocc")]
pub(crate) struct RowTask {
    work: RowWork,
}

impl From<RowWork> for RowTask {
    fn from(work: RowWork) -> Self {
        Self { work }
    }
}

type Indices<'py> = Bound<'py, PyArray1<u32>>;
type Numbers<'py> = Bound<'py, PyArray1<f64>>;

#[pymethods]
impl RowTask {
    /// From its parts, as pickled.
    #[staticmethod]
    fn from_parts(
        kind: &str,
        among: &Bound<'_, PyAny>,
        landmarks: &Bound<'_, PyAny>,
        points: &Bound<'_, PyAny>,
        numbers: (usize, usize, usize),
    ) -> PyResult<Self> {
        let (k, ring, visits) = numbers;
        let among = values(among)?;
        let work = match kind {
            "columns" => RowWork::Columns { of: among },
            "near and far" => RowWork::NearAndFar { among, k, ring },
            "nearest" => {
                let (landmarks, points) = (values(landmarks)?, values(points)?);
                RowWork::Nearest { among, landmarks, points, k, visits }
            }
            other => return Err(PyValueError::new_err(format!("there is no task called '{other}'"))),
        };
        Ok(Self { work })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let none = Vec::new;
        let (kind, among, landmarks, points, numbers) = match slf.get().work.clone() {
            RowWork::Columns { of } => ("columns", of, none(), Vec::new(), (0, 0, 0)),
            RowWork::NearAndFar { among, k, ring } => {
                ("near and far", among, none(), Vec::new(), (k, ring, 0))
            }
            RowWork::Nearest { among, landmarks, points, k, visits } => {
                ("nearest", among, landmarks, points, (k, 0, visits))
            }
        };
        let arguments =
            (kind, among.into_pyarray(py), landmarks.into_pyarray(py), points.into_pyarray(py), numbers);
        Ok((slf.get_type().getattr("from_parts")?, arguments.into_pyobject(py)?))
    }
}

/// All samples of a fit, prepared for a task.
#[pyclass(frozen, module = "eocc._eocc")]
pub(crate) struct RowSearch {
    search: Box<dyn AnyRowSearch>,
    /// Whether the measure is a function in Python.
    is_callable: bool,
}

#[pymethods]
impl RowSearch {
    /// Prepares samples for comparison by a measure fitted elsewhere.
    #[new]
    fn new(
        py: Python<'_>,
        samples: &Bound<'_, Samples>,
        metric: &Bound<'_, PyAny>,
        state: Option<&str>,
        task: &Bound<'_, RowTask>,
    ) -> PyResult<Self> {
        let metric = Metric::new(Some(metric), std::collections::BTreeMap::new())?;
        let samples = &samples.get().set;
        let measure = measure(&metric, state, samples)?;
        let work = task.get().work.clone();
        let is_callable = metric.callable().is_some();
        let context = context(1, is_callable);
        let search = run(py, &context, |_| measure.row_search(samples, work))?;
        Ok(Self { search, is_callable })
    }

    /// Does the task for these samples: indices and numbers, row after row.
    #[pyo3(signature = (rows, *, threads=1))]
    fn find<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<(Indices<'py>, Numbers<'py>)> {
        let rows: Vec<u32> = values(rows)?;
        let context = context(threads, self.is_callable);
        let RowsFound { indices, numbers } = run(py, &context, |_| self.search.find(&rows))?;
        Ok((indices.into_pyarray(py), numbers.into_pyarray(py)))
    }
}

/// Exceptions of a function are stored until they can be raised here.
fn context(threads: usize, is_callable: bool) -> RunContext {
    RunContext { threads, progress: None, fault: is_callable.then(Arc::default) }
}

/// The values of an array, which may not be contiguous and aligned if it came over a network.
fn values<T: Element + Clone>(array: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    let numpy = array.py().import("numpy")?;
    let aligned = numpy.call_method1("require", (array, array.py().None(), ("C", "A")))?;
    let aligned: PyReadonlyArray1<'_, T> = aligned.extract()?;
    Ok(aligned.as_slice()?.to_vec())
}

/// The result of a Python function.
pub(crate) fn found_from(found: &Bound<'_, PyAny>) -> PyResult<RowsFound> {
    let (indices, numbers): (Bound<'_, PyAny>, Bound<'_, PyAny>) = found.extract()?;
    Ok(RowsFound { indices: values(&indices)?, numbers: values(&numbers)? })
}
