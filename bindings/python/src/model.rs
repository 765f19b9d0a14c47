//! The class `Model`: a fitted model of whatever samples.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use eocc::dissimilarity::OWN;
use eocc::model::file::Contents;
use eocc::sample::{ColumnKind, MixedColumn, PartSet};
use eocc::{
    AnyModel, AnySamples, Decision, Dissimilarity, Error, Graphs, MixedTable, SampleSet, SeriesSet, Store,
    Texts, Vectors, with_like, with_model, with_samples,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::ask::{Decide, Embed, Explain, Question};
use crate::error::exception;
use crate::measure::{Callable, Metric};
use crate::params::{Params, describe};
use crate::run::{Surroundings, run};
use crate::samples::{OBJECTS, Object, Samples, Set, array, rows_of};
use crate::train::Training;

/// A fitted model.
#[pyclass(frozen, module = "eocc._eocc")]
pub(crate) struct Model {
    fitted: Fitted,
    callable: Option<Callable>,
    warnings: Vec<String>,
    /// Whether it has answered before: then a single row is answered at once, on the caller's thread.
    is_warm: AtomicBool,
}

enum Fitted {
    Any(Box<AnyModel>),
    Objects(Box<eocc::Model<Vec<Object>>>),
}

/// Does the same with whatever model it is.
macro_rules! with_fitted {
    ($fitted:expr, $model:ident => $body:expr) => {
        match $fitted {
            Fitted::Any(any) => with_model!(any.as_ref(), $model => $body),
            Fitted::Objects($model) => $body,
        }
    };
}

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Integers<'py> = Bound<'py, PyArray1<i64>>;
/// Score, membership, accepted, region, p-value.
type Answers<'py> = (Floats<'py>, Floats<'py>, Bound<'py, PyArray1<bool>>, Integers<'py>, Floats<'py>);
/// Neighbours and lengths.
type Lists<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);
/// Regions, nearest samples, their dissimilarities, shares of the features.
type Reasons<'py> =
    (Integers<'py>, Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

#[pymethods]
impl Model {
    /// Fits a model. `elsewhere(name, state, prototypes, is_symmetric)` computes matrices of dissimilarities, if given.
    #[staticmethod]
    #[pyo3(signature = (samples, metric, settings, params, *, threads=1, progress=None, elsewhere=None))]
    #[expect(clippy::too_many_arguments, reason = "by name, in the one place that calls it")]
    fn fit(
        py: Python<'_>,
        samples: &Bound<'_, Samples>,
        metric: Option<&Bound<'_, PyAny>>,
        settings: BTreeMap<String, String>,
        params: Params,
        threads: usize,
        progress: Option<Py<PyAny>>,
        elsewhere: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let metric = Metric::new(metric, settings)?;
        let params = params.check()?;
        let callable = metric.callable().cloned();
        let fault = callable.as_ref().map_or_else(Arc::default, |c| Arc::clone(&c.fault));
        let around = Surroundings { threads, progress, fault: Some(Arc::clone(&fault)) };
        let training = Training { params, around, elsewhere: elsewhere.map(Arc::new), fault };
        let (fitted, warnings) = match (&samples.get().set, &callable) {
            (Set::Objects(objects), Some(own)) => {
                let (model, warnings) = training.fit(py, objects, own.of_objects())?;
                (Fitted::Objects(Box::new(model)), warnings)
            }
            (Set::Objects(_), None) => {
                return Err(PyTypeError::new_err(
                    "the samples are of no type that a metric is known for: give a function of two samples as metric",
                ));
            }
            (Set::Any(AnySamples::Vectors(set)), Some(own)) => fit_any(&training, py, set, own.of_vectors())?,
            (Set::Any(AnySamples::Texts(set)), Some(own)) => fit_any(&training, py, set, own.of_texts())?,
            (Set::Any(any), _) => with_samples!(any, set => {
                let what = "these samples are compared by name only";
                fit_any(&training, py, set, measure_for(set, &metric, training.params.preset, what)?)?
            }),
        };
        Ok(Self { fitted, callable, warnings, is_warm: AtomicBool::new(false) })
    }

    /// Score, membership, accepted, region and p-value of each sample. Rows of numbers are not copied.
    #[pyo3(signature = (samples, *, threads=1, progress=None))]
    fn decide<'py>(
        &self,
        py: Python<'py>,
        samples: &Bound<'py, PyAny>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Answers<'py>> {
        let around = self.around(threads, progress);
        if let Ok(samples) = samples.cast::<Samples>() {
            return Ok(answers(py, &self.decide_samples(py, &samples.get().set, &around)?));
        }
        let values: PyReadonlyArray2<'_, f64> = samples.extract()?;
        Ok(answers(py, &self.decide_rows(py, &values, &around)?))
    }

    /// The dissimilarity embedding of each sample, a row each.
    #[pyo3(signature = (samples, *, threads=1))]
    fn embed<'py>(
        &self,
        py: Python<'py>,
        samples: &Bound<'py, Samples>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let around = self.around(threads, None);
        let matrix = self.each(&samples.get().set, Embed { py, around: &around })?;
        array(py, &matrix)
    }

    /// Region, nearest of the samples compared with, their dissimilarities, and shares of the features.
    #[pyo3(signature = (samples, count, *, threads=1))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        samples: &Bound<'py, Samples>,
        count: usize,
        threads: usize,
    ) -> PyResult<Reasons<'py>> {
        let around = self.around(threads, None);
        let all = self.each(&samples.get().set, Explain { py, around: &around, count })?;
        let regions: Vec<i64> = all.iter().map(|e| signed(e.region)).collect();
        let nearest: Vec<Vec<i64>> =
            all.iter().map(|e| e.nearest.iter().map(|n| i64::from(n.0)).collect()).collect();
        let distances: Vec<Vec<f64>> = all.iter().map(|e| e.nearest.iter().map(|n| n.1).collect()).collect();
        let shares: Vec<Vec<f64>> = all.into_iter().map(|e| e.shares).collect();
        Ok((
            regions.into_pyarray(py),
            PyArray2::from_vec2(py, &nearest)?,
            PyArray2::from_vec2(py, &distances)?,
            PyArray2::from_vec2(py, &shares)?,
        ))
    }

    /// What the samples are, as model files call it.
    #[getter]
    fn kind(&self) -> &'static str {
        fn kind<X: Store>(_: &eocc::Model<X>) -> &'static str {
            X::KIND
        }
        match &self.fitted {
            Fitted::Any(any) => with_model!(any.as_ref(), model => kind(model)),
            Fitted::Objects(_) => OBJECTS,
        }
    }

    /// What samples to be scored must look like: names of features, or columns, or parts.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Fitted::Any(any) = &self.fitted else { return Ok(PyList::empty(py).into_any()) };
        match any.as_ref() {
            AnyModel::Vectors(model) => names(py, model.reference()),
            AnyModel::Mixed(model) => columns(py, model.reference().columns()),
            AnyModel::Records(model) => {
                let refs = model.reference().refs();
                let all = refs.first().map_or(&[][..], |record| record.parts());
                let part = |part: &eocc::sample::NamedPart| -> PyResult<_> {
                    let nothing = || PyList::empty(py).into_any();
                    let (kind, shape) = match &part.set {
                        PartSet::Vectors(set) => (Vectors::KIND, names(py, set)?),
                        PartSet::Mixed(set) => (MixedTable::KIND, columns(py, set.columns())?),
                        PartSet::Texts(_) => (Texts::KIND, nothing()),
                        PartSet::Series(_) => (SeriesSet::KIND, nothing()),
                        PartSet::Graphs(_) => (Graphs::KIND, nothing()),
                    };
                    Ok((part.name.clone(), kind, shape))
                };
                Ok(PyList::new(py, all.iter().map(part).collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
            _ => Ok(PyList::empty(py).into_any()),
        }
    }

    /// Number of features; 0 if the samples have no fixed number.
    #[getter]
    fn features(&self) -> usize {
        match &self.fitted {
            // Each row holds a number for every training sample.
            Fitted::Any(any) if matches!(any.as_ref(), AnyModel::Precomputed(_)) => self.samples(),
            fitted => with_fitted!(fitted, model => model.summary().features),
        }
    }

    /// Number of training samples.
    #[getter]
    fn samples(&self) -> usize {
        with_fitted!(&self.fitted, model => model.summary().samples)
    }

    /// Number of samples that new ones are compared with.
    #[getter]
    fn prototypes(&self) -> usize {
        with_fitted!(&self.fitted, model => model.prototypes())
    }

    /// Name of the dissimilarity.
    #[getter]
    fn metric(&self) -> &'static str {
        with_fitted!(&self.fitted, model => model.dissimilarity().name())
    }

    /// Parameters of the dissimilarity, by name.
    #[getter]
    fn weights(&self) -> Vec<(String, f64)> {
        let all = with_fitted!(&self.fitted, model => model.dissimilarity().parameters());
        all.into_iter().map(|p| (p.name, p.value)).collect()
    }

    /// `k*`.
    #[getter]
    fn k(&self) -> usize {
        with_fitted!(&self.fitted, model => model.summary().neighbors)
    }

    /// The objective.
    #[getter]
    fn eta(&self) -> f64 {
        with_fitted!(&self.fitted, model => model.summary().eta)
    }

    /// Evaluations of the search, and why it stopped.
    #[getter]
    fn search(&self) -> (usize, &'static str) {
        with_fitted!(&self.fitted, model => (model.summary().evaluations, model.summary().stop.name()))
    }

    /// The smallest score that is accepted.
    #[getter]
    fn boundary(&self) -> f64 {
        with_fitted!(&self.fitted, model => model.boundary())
    }

    /// The training samples of each region.
    #[getter]
    fn regions<'py>(&self, py: Python<'py>) -> Vec<Integers<'py>> {
        let of = |vertices: &[u32]| -> Vec<i64> { vertices.iter().map(|v| i64::from(*v)).collect() };
        with_fitted!(&self.fitted, model => {
            model.regions().iter().map(|r| of(r.vertices()).into_pyarray(py)).collect()
        })
    }

    /// Neighbours of the training samples and their lengths, a row each.
    #[getter]
    fn lists<'py>(&self, py: Python<'py>) -> PyResult<Lists<'py>> {
        with_fitted!(&self.fitted, model => {
            let lists = model.lists();
            let shape = [lists.points(), lists.width()];
            let neighbors: Vec<i64> = lists.all_neighbors().iter().map(|v| i64::from(*v)).collect();
            let lengths = PyArray1::from_slice(py, lists.all_lengths());
            Ok((neighbors.into_pyarray(py).reshape(shape)?, lengths.reshape(shape)?))
        })
    }

    /// Scores of the training samples, each as if it were new.
    #[getter]
    fn training_scores<'py>(&self, py: Python<'py>) -> Floats<'py> {
        with_fitted!(&self.fitted, model => model.training_scores()).into_pyarray(py)
    }

    /// Degrees of membership of the training samples.
    #[getter]
    fn training_memberships<'py>(&self, py: Python<'py>) -> Floats<'py> {
        let all = with_fitted!(&self.fitted, model => model.training_memberships());
        all.into_iter().map(|m| m.1).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The parameters it was fitted with, where they differ from the preset's.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        with_fitted!(&self.fitted, model => describe(py, model.params()))
    }

    /// What the user should know.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// The bytes of a model file. Objects of Python's are not in it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.contents().map(|contents| contents.to_bytes()));
        Ok(PyBytes::new(py, &bytes.map_err(|e| exception(&e))?))
    }

    /// From the bytes of a model file, with what is not in it.
    #[staticmethod]
    #[pyo3(signature = (bytes, metric=None, objects=None))]
    fn from_bytes(
        py: Python<'_>,
        bytes: &[u8],
        metric: Option<Py<PyAny>>,
        objects: Option<Vec<Py<PyAny>>>,
    ) -> PyResult<Self> {
        let contents = py.detach(|| Contents::from_bytes(bytes)).map_err(|e| exception(&e))?;
        Self::from_contents(py, &contents, metric, objects)
    }

    /// Writes the model file atomically.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        if matches!(self.fitted, Fitted::Objects(_)) {
            return Err(PyTypeError::new_err(
                "a model file cannot hold samples that only Python knows; pickle the estimator",
            ));
        }
        py.detach(|| self.contents()?.save(&path)).map_err(|e| exception(&e))
    }

    /// Reads a model file; `metric` is the function it was fitted with, if it was one.
    #[staticmethod]
    #[pyo3(signature = (path, metric=None))]
    fn load(py: Python<'_>, path: PathBuf, metric: Option<Py<PyAny>>) -> PyResult<Self> {
        let contents = py.detach(|| Contents::load(&path)).map_err(|e| exception(&e))?;
        Self::from_contents(py, &contents, metric, None)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let own = slf.get();
        let objects = match &own.fitted {
            Fitted::Objects(model) => {
                Some(model.reference().iter().map(|o| o.clone_ref(py)).collect::<Vec<_>>())
            }
            Fitted::Any(_) => None,
        };
        let function = own.callable.as_ref().map(|c| c.function.clone_ref(py));
        let arguments = (own.to_bytes(py)?, function, objects).into_pyobject(py)?;
        Ok((slf.get_type().getattr("from_bytes")?, arguments.into_any()))
    }
}

impl Model {
    fn around(&self, threads: usize, progress: Option<Py<PyAny>>) -> Surroundings {
        Surroundings { threads, progress, fault: self.callable.as_ref().map(|c| Arc::clone(&c.fault)) }
    }

    fn contents(&self) -> eocc::Result<Contents> {
        match &self.fitted {
            Fitted::Any(any) => any.to_contents(),
            Fitted::Objects(model) => model.to_parts(),
        }
    }

    fn from_contents(
        py: Python<'_>,
        contents: &Contents,
        metric: Option<Py<PyAny>>,
        objects: Option<Vec<Py<PyAny>>>,
    ) -> PyResult<Self> {
        let callable = metric.map(Callable::new);
        let kind = contents.meta["kind"].as_str().unwrap_or_default();
        let fitted = py.detach(|| match (&callable, objects) {
            (Some(own), Some(objects)) => {
                let objects: Vec<Object> = objects.into_iter().map(Arc::new).collect();
                let model = eocc::Model::from_parts(contents, objects, own.of_objects())?;
                Ok(Fitted::Objects(Box::new(model)))
            }
            (Some(_), None) if contents.meta["dissimilarity"] != OWN => {
                let name = &contents.meta["dissimilarity"];
                Err(Error::parameter("metric", "given", format!("left out: the model has its own, {name}")))
            }
            (Some(own), None) if kind == Vectors::KIND => {
                let model = eocc::Model::<Vectors>::from_contents_with(contents, own.of_vectors())?;
                Ok(any(model))
            }
            (Some(own), None) if kind == Texts::KIND => {
                let model = eocc::Model::<Texts>::from_contents_with(contents, own.of_texts())?;
                Ok(any(model))
            }
            _ => AnyModel::from_contents(contents).map(|model| Fitted::Any(Box::new(model))),
        });
        let fitted = fitted.map_err(|e| exception(&e))?;
        Ok(Self { fitted, callable, warnings: Vec::new(), is_warm: AtomicBool::new(false) })
    }

    fn decide_samples(&self, py: Python<'_>, set: &Set, around: &Surroundings) -> PyResult<Vec<Decision>> {
        let decisions = self.each(set, Decide { py, around })?;
        self.is_warm.store(true, Ordering::Relaxed);
        Ok(decisions)
    }

    /// Decides on rows where they are.
    fn decide_rows(
        &self,
        py: Python<'_>,
        values: &PyReadonlyArray2<'_, f64>,
        around: &Surroundings,
    ) -> PyResult<Vec<Decision>> {
        let vectors = match &self.fitted {
            Fitted::Any(any) => {
                if let AnyModel::Vectors(model) = any.as_ref() {
                    Some(model)
                } else {
                    None
                }
            }
            Fitted::Objects(_) => None,
        };
        let Some(model) = vectors else {
            return Err(PyTypeError::new_err(format!("the model is of {}, not of vectors", self.kind())));
        };
        let columns = values.shape()[1];
        let values = values.as_slice()?;
        let names = model.reference().feature_names();
        if columns != 0 {
            Vectors::require_finite(values, columns, names).map_err(|e| exception(&e))?;
        }
        let rows = rows_of(values, columns);
        if let ([one], true, None) = (rows.as_slice(), self.is_warm.load(Ordering::Relaxed), &around.fault) {
            return Ok(vec![py.detach(|| model.decide(one)).map_err(|e| exception(&e))?]);
        }
        let decisions = run(py, around, |watch| model.decide_refs(&rows, model.params().scoring, watch))?;
        self.is_warm.store(true, Ordering::Relaxed);
        Ok(decisions)
    }

    /// Asks the model about samples, which must be of its type.
    fn each<Q: Question>(&self, set: &Set, question: Q) -> PyResult<Q::Answer> {
        let asked = match (&self.fitted, set) {
            (Fitted::Any(model), Set::Any(samples)) => match (model.as_ref(), samples) {
                (AnyModel::Precomputed(m), AnySamples::Precomputed(s)) => Some(question.ask(m, s)),
                (model, samples) => with_like!(AnyModel, model, samples, m, s => question.ask(m, s)),
            },
            (Fitted::Objects(model), Set::Objects(samples)) => Some(question.ask(model, samples)),
            _ => None,
        };
        asked.unwrap_or_else(|| {
            Err(PyValueError::new_err(format!(
                "X is of another type than the model, which is of {}",
                self.kind()
            )))
        })
    }
}

fn any<X: SampleSet>(model: eocc::Model<X>) -> Fitted
where
    AnyModel: From<eocc::Model<X>>,
{
    Fitted::Any(Box::new(model.into()))
}

/// An index as NumPy has them.
pub(crate) fn signed(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}

/// Fits samples that a file can hold.
fn fit_any<X: Store>(
    training: &Training,
    py: Python<'_>,
    samples: &X,
    measure: Box<dyn Dissimilarity<X::Item>>,
) -> PyResult<(Fitted, Vec<String>)>
where
    X::Item: 'static,
    AnyModel: From<eocc::Model<X>>,
{
    let (model, warnings) = training.fit(py, samples, measure)?;
    Ok((any(model), warnings))
}

fn measure_for<X: Store>(
    _: &X,
    metric: &Metric,
    preset: eocc::Preset,
    what: &str,
) -> PyResult<Box<dyn Dissimilarity<X::Item>>> {
    metric.of_catalogue::<X>(preset, what)
}

fn answers<'py>(py: Python<'py>, decisions: &[Decision]) -> Answers<'py> {
    let floats = |f: fn(&Decision) -> f64| decisions.iter().map(f).collect::<Vec<_>>().into_pyarray(py);
    (
        floats(|d| d.score),
        floats(|d| d.membership),
        decisions.iter().map(|d| d.accepted).collect::<Vec<_>>().into_pyarray(py),
        decisions.iter().map(|d| signed(d.region)).collect::<Vec<_>>().into_pyarray(py),
        floats(|d| d.p_value),
    )
}

fn names<'py>(py: Python<'py>, vectors: &Vectors) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyList::new(py, vectors.feature_names())?.into_any())
}

/// Name, kind and levels of each column.
fn columns<'py>(py: Python<'py>, columns: &[MixedColumn]) -> PyResult<Bound<'py, PyAny>> {
    let describe = |column: &MixedColumn| {
        let (kind, levels) = match &column.kind {
            ColumnKind::Number => ("number", Vec::new()),
            ColumnKind::Boolean => ("boolean", Vec::new()),
            ColumnKind::Category(levels) => ("category", levels.clone()),
            ColumnKind::Ordered(levels) => ("ordered", levels.clone()),
        };
        (column.name.clone(), kind, levels)
    };
    Ok(PyList::new(py, columns.iter().map(describe))?.into_any())
}
