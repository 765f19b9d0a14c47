//! Samples, from Python objects to the library's types.

use std::borrow::Cow;
use std::sync::Arc;

use eocc_core::file::Contents;
use eocc_core::graphs::{Attributes, GraphInput, Value};
use eocc_core::{AnySamples, Graphs, Matrix, Precomputed, SampleKind, Series, SeriesSet, Texts, Vectors};
use eocc_data::{ModelReader, ReadRequest, Reading};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList, PyTuple, PyType};

use crate::columns::{self, FrameRequest, GivenColumn, Made};
use crate::error::exception;
use crate::measure::matrix_from;
use crate::objects::Objects;

/// A checked set of samples.
#[pyclass(frozen, module = "eocc._eocc")]
pub(crate) struct Samples {
    pub(crate) set: AnySamples,
    /// Their names, from a file or a column of keys.
    pub(crate) names: Option<Vec<String>>,
    /// How they were read, to be stored with a model fitted on them.
    pub(crate) reading: Reading,
}

impl From<AnySamples> for Samples {
    fn from(set: AnySamples) -> Self {
        Self { set, names: None, reading: Reading::default() }
    }
}

type Vertices<'py> = Vec<(String, Bound<'py, PyDict>)>;
type Edges<'py> = Vec<(usize, usize, Bound<'py, PyDict>)>;

#[pymethods]
impl Samples {
    /// Rows of a table of numbers.
    #[staticmethod]
    fn vectors(values: &Bound<'_, PyAny>, names: Vec<String>) -> PyResult<Self> {
        checked(Vectors::with_names(matrix_from(values)?, names))
    }

    /// The same for new rows; NaN is a missing value.
    #[staticmethod]
    fn vectors_with_missing(values: &Bound<'_, PyAny>, names: Vec<String>) -> PyResult<Self> {
        checked(Vectors::with_missing(matrix_from(values)?, names))
    }

    /// Dissimilarities: of all training samples to each other if `square`, else of new ones (rows) to those.
    #[staticmethod]
    fn precomputed(values: &Bound<'_, PyAny>, square: bool) -> PyResult<Self> {
        let matrix = matrix_from(values)?;
        let made = if square { Precomputed::square(matrix) } else { Precomputed::rectangular(matrix) };
        checked(made)
    }

    /// Strings.
    #[staticmethod]
    fn texts(texts: Vec<String>) -> PyResult<Self> {
        checked(Texts::new(texts))
    }

    /// Time series: one row per time step, one column per channel.
    #[staticmethod]
    fn series(arrays: Vec<PyReadonlyArray2<'_, f64>>) -> PyResult<Self> {
        let each = arrays.iter().enumerate().map(|(i, array)| {
            Series::new(array.as_slice()?.to_vec(), array.shape()[1])
                .map_err(|e| PyValueError::new_err(format!("sample {i}: {e}")))
        });
        checked(SeriesSet::new(each.collect::<PyResult<_>>()?))
    }

    /// Reads the columns of a table as samples, by the same rules as for files. Also returns the name, type, role and
    /// reason of each column; the rows of the samples, if not all; and warnings for the user. A column is a name,
    /// values (an array of numbers, a list of booleans or texts, or samples), and levels if it is an ordered
    /// category.
    #[staticmethod]
    #[pyo3(signature = (columns, *, is_named=true, types=Vec::new(), mixed=false, missing=None))]
    fn of_columns(
        columns: Vec<GivenColumn<'_>>,
        is_named: bool,
        types: Vec<(String, String)>,
        mixed: bool,
        missing: Option<&str>,
    ) -> PyResult<Made> {
        let missing = missing.map(columns::missing_named).transpose()?;
        let request = FrameRequest { is_named, types, mixed, missing };
        columns::samples(columns, request)
    }

    /// Samples in the form of these, from the columns of a table.
    fn samples_of_columns(&self, columns: Vec<GivenColumn<'_>>) -> PyResult<Self> {
        let reader = ModelReader::new(self.set.layout(), ReadRequest::default());
        Ok(columns::samples_like(columns, &reader)?.into())
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
        checked(Graphs::new(graphs.into_iter().map(graph).collect::<PyResult<_>>()?))
    }

    /// Any objects, for a Python metric.
    #[staticmethod]
    fn objects(objects: Vec<Py<PyAny>>) -> Self {
        AnySamples::new(Objects(objects.into_iter().map(Arc::new).collect())).into()
    }

    /// Their kind, as in model files.
    #[getter]
    fn kind(&self) -> &'static str {
        self.set.kind().name()
    }

    /// The columns that form them, by name and type; empty if they have no names.
    #[getter]
    fn columns(&self) -> Vec<(String, &'static str)> {
        columns::needed(&self.set.layout())
    }

    /// The same with these names.
    fn with_names(&self, names: Vec<String>) -> Self {
        Self { set: self.set.clone(), names: Some(names), reading: self.reading.clone() }
    }

    /// Their names, if any.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        self.names.clone()
    }

    /// Number of features; 0 if it is not fixed.
    #[getter]
    fn features(&self) -> usize {
        self.set.features()
    }

    fn __len__(&self) -> usize {
        self.set.count()
    }

    /// Some of them: by a mask, by indices, or by a slice.
    fn __getitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let numpy = slf.py().import("numpy")?;
        let all = numpy.call_method1("arange", (slf.len()?,))?;
        let picked = numpy.call_method1("atleast_1d", (all.get_item(key)?,))?;
        slf.get().select(picked.extract()?)
    }

    /// The samples with these indices.
    fn select(&self, indices: Vec<usize>) -> PyResult<Self> {
        let count = self.__len__();
        if let Some(bad) = indices.iter().find(|i| **i >= count) {
            return Err(PyValueError::new_err(format!(
                "there are {count} samples, but sample {bad} is requested"
            )));
        }
        let names = self.names.as_ref().map(|all| indices.iter().map(|&i| all[i].clone()).collect());
        Ok(Self { set: self.set.select(&indices), names, reading: self.reading.clone() })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let class: Bound<'py, PyType> = slf.get_type();
        let Self { set, names, reading } = slf.get();
        if let Some(objects) = set.downcast_ref::<Objects>() {
            let list = PyList::new(py, objects.0.iter().map(|o| o.bind(py)))?;
            return Ok((class.getattr("objects")?, PyTuple::new(py, [list])?));
        }
        if set.downcast_ref::<Precomputed>().is_some() {
            return Err(PyTypeError::new_err(
                "precomputed dissimilarities cannot be sent elsewhere; send the matrix",
            ));
        }
        let bytes = PyBytes::new(py, &set.to_contents().to_bytes());
        let reading = serde_json::to_string(reading).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok((class.getattr("from_bytes")?, (bytes, names.clone(), reading).into_pyobject(py)?))
    }

    /// From pickled bytes.
    #[staticmethod]
    #[pyo3(signature = (bytes, names=None, reading="{}"))]
    fn from_bytes(bytes: &[u8], names: Option<Vec<String>>, reading: &str) -> PyResult<Self> {
        let contents = Contents::from_bytes(bytes).map_err(|e| exception(&e))?;
        let set = AnySamples::from_contents(&contents).map_err(|e| exception(&e))?;
        let reading = serde_json::from_str(reading).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(Self { set, names, reading })
    }
}

fn checked<X: SampleKind>(set: eocc_core::Result<X>) -> PyResult<Samples> {
    set.map(|set| AnySamples::new(set).into()).map_err(|e| exception(&e))
}

/// Attributes by name, as in a file of graphs: booleans are words, lists are vectors, `None` is missing.
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
    // As in a file of graphs.
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
