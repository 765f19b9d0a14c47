//! Dissimilarities by themselves, and what measures there are.

use std::collections::BTreeMap;
use std::sync::Arc;

use eocc::embedding::{between_sets, embed};
use eocc::{
    AnySamples, Catalogue, Dissimilarity, Graphs, Matrix, MixedTable, Precomputed, Preset, Records,
    SampleSet, SeriesSet, Store, Texts, Vectors, with_like,
};
use eocc_data::FieldType;
use numpy::PyArray2;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::error::exception;
use crate::measure::Metric;
use crate::run::{Surroundings, run};
use crate::samples::{Samples, Set, array};

/// How a measure is known: by name with settings, to be learnt from the rows, or by name and learnt state.
struct Known<'a> {
    metric: Metric,
    state: Option<&'a str>,
}

impl Known<'_> {
    fn measure<X: Store>(&self, rows: &X) -> PyResult<Box<dyn Dissimilarity<X::Item>>> {
        if let (Some(state), Metric::Named(Some(name), _)) = (self.state, &self.metric) {
            let state =
                serde_json::from_str(state).map_err(|e| PyValueError::new_err(format!("the state: {e}")))?;
            return eocc::model::restore::<X>(name, &state).map_err(|e| exception(&e));
        }
        // The measure as it is: nothing is scaled unless a setting says so.
        let mut measure =
            self.metric.of_catalogue::<X>(Preset::Paper, "these samples are compared by name only")?;
        measure.learn(&rows.refs(), rows.feature_names()).map_err(|e| exception(&e))?;
        Ok(measure)
    }
}

/// The matrix of dissimilarities of `rows` to `columns`, or among `rows`. With `state`, of the measure `metric` as it was
/// learnt elsewhere.
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
    let known = Known { metric: Metric::new(metric, settings)?, state };
    let callable = known.metric.callable().cloned();
    let fault = callable.as_ref().map(|c| Arc::clone(&c.fault));
    let around = Surroundings { threads, progress: None, fault };
    let (rows, columns) = (&rows.get().set, columns.map(|c| &c.get().set));
    let matrix = match (rows, columns.unwrap_or(rows), callable) {
        (Set::Objects(a), Set::Objects(b), Some(own)) => {
            compute(py, &around, a, columns.map(|_| b), own.of_objects())
        }
        (Set::Any(AnySamples::Vectors(a)), Set::Any(AnySamples::Vectors(b)), Some(own)) => {
            compute(py, &around, a, columns.map(|_| b), own.of_vectors())
        }
        (Set::Any(AnySamples::Texts(a)), Set::Any(AnySamples::Texts(b)), Some(own)) => {
            compute(py, &around, a, columns.map(|_| b), own.of_texts())
        }
        (Set::Any(a), Set::Any(b), _) => {
            let found = with_like!(AnySamples, a, b, a, b => {
                known.measure(a).and_then(|d| compute(py, &around, a, columns.map(|_| b), d))
            });
            found.unwrap_or_else(|| {
                Err(PyValueError::new_err("the two sets of samples are of different types"))
            })
        }
        _ => Err(PyTypeError::new_err("samples of unknown type need a function as metric")),
    }?;
    array(py, &matrix)
}

fn compute<X: SampleSet>(
    py: Python<'_>,
    around: &Surroundings,
    rows: &X,
    columns: Option<&X>,
    measure: Box<dyn Dissimilarity<X::Item>>,
) -> PyResult<Matrix> {
    run(py, around, |watch| {
        let refs = rows.refs();
        match columns {
            None => embed(&refs, &(0..refs.len()).collect::<Vec<_>>(), measure.as_ref(), watch),
            Some(columns) => {
                let columns = rows.conform(columns)?;
                between_sets(&refs, &columns.refs(), measure.as_ref(), watch)
            }
        }
    })
}

/// The names of all measures, by what they compare.
#[pyfunction]
pub(crate) fn measures() -> Vec<(&'static str, Vec<&'static str>)> {
    fn of<X: Store>() -> (&'static str, Vec<&'static str>) {
        (X::KIND, <X as Catalogue>::catalogue().iter().map(|e| e.name).collect())
    }
    vec![
        of::<Vectors>(),
        of::<Precomputed>(),
        of::<Texts>(),
        of::<SeriesSet>(),
        of::<MixedTable>(),
        of::<Records>(),
        of::<Graphs>(),
    ]
}

/// What a column of texts holds by the program's rules: `boolean`, `category` or `text`.
#[pyfunction]
pub(crate) fn text_type(texts: Vec<Option<String>>) -> &'static str {
    let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
    match eocc_data::type_of_texts(&texts) {
        FieldType::Boolean => "boolean",
        FieldType::Category | FieldType::Number => "category",
        _ => "text",
    }
}
