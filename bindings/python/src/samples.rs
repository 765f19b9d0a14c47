//! Samples, from what Python has to what the library takes.

use std::borrow::Cow;
use std::sync::Arc;

use eocc::graphs::{Attributes, GraphInput, Value};
use eocc::model::file::Contents;
use eocc::sample::{ColumnKind, MixedColumn, NamedPart, PartSet};
use eocc::{
    AnySamples, Graphs, Matrix, MixedTable, Precomputed, Records, SampleSet, Series, SeriesSet, Texts,
    Vectors, with_samples,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList, PyTuple, PyType};

use crate::error::exception;
use crate::measure::matrix_from;

/// Any object of Python's. Shared, since a copy of a reference needs the interpreter lock and this does not.
pub(crate) type Object = Arc<Py<PyAny>>;

/// A checked set of samples.
#[pyclass(frozen, module = "eocc._eocc")]
pub(crate) struct Samples {
    pub(crate) set: Set,
}

pub(crate) enum Set {
    Any(AnySamples),
    /// Compared by a function in Python, which alone knows what they are.
    Objects(Vec<Object>),
}

impl From<AnySamples> for Samples {
    fn from(set: AnySamples) -> Self {
        Self { set: Set::Any(set) }
    }
}

type Vertices<'py> = Vec<(String, Bound<'py, PyDict>)>;
type Edges<'py> = Vec<(usize, usize, Bound<'py, PyDict>)>;

#[pymethods]
impl Samples {
    /// Rows of a table of numbers.
    #[staticmethod]
    fn vectors(values: &Bound<'_, PyAny>, names: Vec<String>) -> PyResult<Self> {
        checked(Vectors::with_names(matrix_from(values)?, names), AnySamples::Vectors)
    }

    /// Dissimilarities: of all training samples to each other if `square`, else of new ones (rows) to those.
    #[staticmethod]
    fn precomputed(values: &Bound<'_, PyAny>, square: bool) -> PyResult<Self> {
        let matrix = matrix_from(values)?;
        let made = if square { Precomputed::square(matrix) } else { Precomputed::rectangular(matrix) };
        checked(made, AnySamples::Precomputed)
    }

    /// Strings.
    #[staticmethod]
    fn texts(texts: Vec<String>) -> PyResult<Self> {
        checked(Texts::new(texts), AnySamples::Texts)
    }

    /// Time series: a row a time step, a column a channel.
    #[staticmethod]
    fn series(arrays: Vec<PyReadonlyArray2<'_, f64>>) -> PyResult<Self> {
        let each = arrays.iter().enumerate().map(|(i, array)| {
            Series::new(array.as_slice()?.to_vec(), array.shape()[1])
                .map_err(|e| PyValueError::new_err(format!("sample {i}: {e}")))
        });
        checked(SeriesSet::new(each.collect::<PyResult<_>>()?), AnySamples::Series)
    }

    /// Rows of a mixed table, column by column: name, kind, levels (none for numbers and truth values), cells (NaN where
    /// missing).
    #[staticmethod]
    fn mixed(columns: Vec<(String, String, Vec<String>, PyReadonlyArray1<'_, f64>)>) -> PyResult<Self> {
        let column =
            |(name, kind, levels, cells): (String, String, Vec<String>, PyReadonlyArray1<'_, f64>)| {
                let kind = match kind.as_str() {
                    "number" => ColumnKind::Number,
                    "boolean" => ColumnKind::Boolean,
                    "category" => ColumnKind::Category(levels),
                    "ordered" => ColumnKind::Ordered(levels),
                    other => {
                        return Err(PyValueError::new_err(format!("there is no kind of column `{other}`")));
                    }
                };
                let cells = cells.as_array().iter().map(|v| (!v.is_nan()).then_some(*v)).collect();
                Ok((MixedColumn { name, kind }, cells))
            };
        checked(MixedTable::new(columns.into_iter().map(column).collect::<PyResult<_>>()?), AnySamples::Mixed)
    }

    /// Labelled graphs: name, whether directed, vertices (name, attributes), edges (ends, attributes).
    #[staticmethod]
    fn graphs(graphs: Vec<(String, bool, Vertices<'_>, Edges<'_>)>) -> PyResult<Self> {
        let graph = |(name, directed, vertices, edges): (String, bool, Vertices<'_>, Edges<'_>)| {
            let vertices = vertices.iter().map(|(id, own)| Ok((id.clone(), attributes(own, &name)?)));
            let vertices = vertices.collect::<PyResult<_>>()?;
            let edges = edges.iter().map(|(from, to, own)| Ok((*from, *to, attributes(own, &name)?)));
            let edges = edges.collect::<PyResult<_>>()?;
            Ok(GraphInput { name, directed, vertices, edges })
        };
        checked(Graphs::new(graphs.into_iter().map(graph).collect::<PyResult<_>>()?), AnySamples::Graphs)
    }

    /// Records: parts by name, all of the same number of samples.
    #[staticmethod]
    fn records(parts: Vec<(String, Bound<'_, Self>)>) -> PyResult<Self> {
        let part = |(name, samples): (String, Bound<'_, Self>)| {
            let set = match &samples.get().set {
                Set::Any(AnySamples::Vectors(set)) => PartSet::Vectors(set.clone()),
                Set::Any(AnySamples::Texts(set)) => PartSet::Texts(set.clone()),
                Set::Any(AnySamples::Series(set)) => PartSet::Series(set.clone()),
                Set::Any(AnySamples::Mixed(set)) => PartSet::Mixed(set.clone()),
                Set::Any(AnySamples::Graphs(set)) => PartSet::Graphs(set.clone()),
                _ => return Err(PyTypeError::new_err(format!("`{name}` cannot be part of a record"))),
            };
            Ok(NamedPart { name, set })
        };
        checked(Records::new(parts.into_iter().map(part).collect::<PyResult<_>>()?), AnySamples::Records)
    }

    /// Anything, for a metric in Python.
    #[staticmethod]
    fn objects(objects: Vec<Py<PyAny>>) -> Self {
        Self { set: Set::Objects(objects.into_iter().map(Arc::new).collect()) }
    }

    /// What they are, as model files call it.
    #[getter]
    fn kind(&self) -> &'static str {
        match &self.set {
            Set::Any(any) => any.kind(),
            Set::Objects(_) => OBJECTS,
        }
    }

    fn __len__(&self) -> usize {
        match &self.set {
            Set::Any(any) => with_samples!(any, set => set.count()),
            Set::Objects(objects) => objects.len(),
        }
    }

    /// The samples with these indices.
    fn select(&self, indices: Vec<usize>) -> PyResult<Self> {
        let count = self.__len__();
        if let Some(bad) = indices.iter().find(|i| **i >= count) {
            return Err(PyValueError::new_err(format!(
                "there are {count} samples, but sample {bad} is asked for"
            )));
        }
        Ok(match &self.set {
            Set::Any(any) => with_samples!(any, set => AnySamples::from(set.select(&indices))).into(),
            Set::Objects(objects) => Self { set: Set::Objects(objects.select(&indices)) },
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let class: Bound<'py, PyType> = slf.get_type();
        match &slf.get().set {
            Set::Objects(objects) => {
                let list = PyList::new(py, objects.iter().map(|o| o.bind(py)))?;
                Ok((class.getattr("objects")?, PyTuple::new(py, [list])?))
            }
            Set::Any(AnySamples::Precomputed(_)) => Err(PyTypeError::new_err(
                "precomputed dissimilarities cannot be sent elsewhere; send the matrix",
            )),
            Set::Any(any) => {
                let bytes = PyBytes::new(py, &any.to_contents().to_bytes());
                Ok((class.getattr("from_bytes")?, PyTuple::new(py, [bytes])?))
            }
        }
    }

    /// From what pickle kept.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let contents = Contents::from_bytes(bytes).map_err(|e| exception(&e))?;
        Ok(AnySamples::from_contents(&contents).map_err(|e| exception(&e))?.into())
    }
}

/// How objects of Python's are called.
pub(crate) const OBJECTS: &str = "objects";

fn checked<X>(set: eocc::Result<X>, into: fn(X) -> AnySamples) -> PyResult<Samples> {
    set.map(|set| into(set).into()).map_err(|e| exception(&e))
}

/// Attributes by name, as a file of graphs has them: truth values are words, lists are vectors, `None` is missing.
fn attributes(given: &Bound<'_, PyDict>, graph: &str) -> PyResult<Attributes> {
    let mut all = Vec::with_capacity(given.len());
    for (name, value) in given {
        let name: String = name.str()?.extract()?;
        let value = if value.is_none() {
            Value::Missing
        } else if let Ok(truth) = value.cast::<PyBool>() {
            Value::text(if truth.is_true() { "true" } else { "false" })
        } else if let Ok(text) = value.extract::<Cow<'_, str>>() {
            Value::text(text)
        } else if let Ok(number) = value.extract::<f64>() {
            Value::Number(number)
        } else if let Ok(vector) = value.extract::<Vec<f64>>() {
            Value::Vector(vector)
        } else {
            return Err(PyTypeError::new_err(format!(
                "graph `{graph}`: the attribute `{name}` is {value}, but must be a number, a text or a list of \
                 numbers"
            )));
        };
        all.push((name, value));
    }
    // As a file of graphs has them.
    all.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(all)
}

/// The rows of a C-contiguous array of numbers.
pub(crate) fn rows_of(values: &[f64], columns: usize) -> Vec<&[f64]> {
    if columns == 0 { Vec::new() } else { values.chunks_exact(columns).collect() }
}

/// A matrix for NumPy.
pub(crate) fn array<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, numpy::PyArray2<f64>>> {
    use numpy::{PyArray1, PyArrayMethods as _};
    PyArray1::from_slice(py, matrix.values()).reshape([matrix.rows(), matrix.columns()])
}
