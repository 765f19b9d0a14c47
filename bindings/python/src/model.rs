//! The class `Model`: a fitted model of whatever samples.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use arrow_array::RecordBatch;
use eocc_core::file::Contents;
use eocc_core::sample::{ColumnKind, MixedColumn};
use eocc_core::{
    AnyModel, AnySamples, Decision, Error, ErrorKind, Explanation, Layout, Matrix, Observer, Part,
    SampleKind, SampleSet as _, SearchKind, Settings, Texts, Vectors, parallel,
};
use eocc_data::{
    BatchScorer, DriftWatch, Missing, ModelReader, Novelties, Novelty, ReadRequest, Reading, ScoreOptions,
    date_text, masked,
};
use eocc_report::outliers::{EXPECTED, Outliers, REJECTED, rare_words, repetition};
use eocc_report::report::number;
use eocc_report::why::{Reasons, Style};
use eocc_report::{NewSamples, ReportData};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use pyo3_arrow::input::AnyRecordBatch;
use pyo3_arrow::{PyRecordBatch, PySchema, PyTable};

use crate::arrow;
use crate::columns::{self, GivenColumn};
use crate::error::exception;
use crate::measure::{Callable, Metric, matrix_from};
use crate::objects::Objects;
use crate::params::{checked, describe};
use crate::run::{RunContext, run};
use crate::samples::{Samples, array, rows_of};
use crate::train::Training;

/// A fitted model.
#[pyclass(frozen, module = "eocc._eocc")]
pub(crate) struct Model {
    inner: Arc<AnyModel>,
    callable: Option<Callable>,
    warnings: Vec<String>,
    /// The treatment of missing values in new samples, and whether any are allowed.
    missing: Option<Missing>,
    accepts_missing: bool,
    /// Whether missing values are left to a stream to impute.
    is_for_stream: bool,
    /// Whether texts are masked.
    is_masked: bool,
    /// Detects what is new in samples; made on first use.
    novelties: OnceLock<Novelties>,
    /// Compares new samples with the training samples; made on first use.
    drift: OnceLock<DriftWatch>,
    /// Reads columns and batches for it; made on first use.
    reader: OnceLock<ModelReader>,
    scorer: OnceLock<BatchScorer>,
    /// Whether it has been used before: then a single row is scored immediately, on the caller's thread.
    is_warm: AtomicBool,
}

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Integers<'py> = Bound<'py, PyArray1<i64>>;
/// Score, membership, accepted, region, p-value.
type Answers<'py> = (Floats<'py>, Floats<'py>, Bound<'py, PyArray1<bool>>, Integers<'py>, Floats<'py>);
/// Score, p-value and accepted of all, then the most suspicious, their features and their groups.
type Found<'py> = (
    Floats<'py>,
    Floats<'py>,
    Bound<'py, PyArray1<bool>>,
    Integers<'py>,
    Vec<Vec<(String, f64)>>,
    Integers<'py>,
);
/// Neighbors and lengths.
type Lists<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);
/// Regions, nearest samples, their dissimilarities, shares of the features.
type Explained<'py> =
    (Integers<'py>, Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

#[pymethods]
impl Model {
    /// Fits a model. `external(name, state, prototypes, is_symmetric)` computes matrices of dissimilarities, if
    /// given, and `external_rows(name, state, task, rows)` does the work on rows if there are too many samples for a
    /// matrix.
    #[staticmethod]
    #[pyo3(signature = (samples, metric, settings, params, *, threads=1, progress=None, external=None, external_rows=None))]
    #[expect(clippy::too_many_arguments, reason = "by name, in the one place that calls it")]
    fn fit(
        py: Python<'_>,
        samples: &Bound<'_, Samples>,
        metric: Option<&Bound<'_, PyAny>>,
        settings: BTreeMap<String, String>,
        params: &Bound<'_, PyDict>,
        threads: usize,
        progress: Option<Py<PyAny>>,
        external: Option<Py<PyAny>>,
        external_rows: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let metric = Metric::new(metric, settings)?;
        let params = checked(params)?;
        let callable = metric.callable().cloned();
        let fault = Arc::default();
        let context = RunContext { threads, progress, fault: Some(Arc::clone(&fault)) };
        let (external, external_rows) = (external.map(Arc::new), external_rows.map(Arc::new));
        let training = Training { params, context, external, external_rows, fault };
        let Samples { set, names, reading } = samples.get();
        let measure = metric.measure(set, training.params.preset)?;
        let mut model = training.fit(py, set, measure)?;
        let mut warnings = model.warnings();
        warnings.extend(repetition(set));
        warnings.extend(rare_words(&model).into_iter().map(|rare| {
            format!(
                "column '{}' is '{}' in {} of {} samples, which are trimmed because they lie far out: new samples like \
                 them will be rejected (contamination=0 if all are nominal)",
                rare.column,
                rare.word,
                rare.count,
                model.summary().samples
            )
        }));
        if let Some(names) = names {
            model.set_names(names.clone()).map_err(|e| exception(&e))?;
        }
        reading.keep_in(&mut model);
        Self::new(model, callable, warnings)
    }

    /// What is new in these samples compared with training, in words.
    fn novelties(&self, samples: &Bound<'_, Samples>) -> Vec<String> {
        let mut novelties = self.novelties.get_or_init(|| Novelties::new(&self.inner)).clone();
        novelties.add(&samples.get().set);
        let counted =
            |count: usize| if count == 1 { "1 sample".to_owned() } else { format!("{count} samples") };
        let graphs = |count: usize| if count == 1 { "1 graph".to_owned() } else { format!("{count} graphs") };
        let words = |novelty: Novelty| match novelty {
            Novelty::Missing { count } => Some(format!(
                "{} had missing values, which no training sample has; missing='impute' at fit fills them in",
                counted(count)
            )),
            Novelty::Word { column, count, word } => Some(format!(
                "{} had a word in '{column}' that training did not have, such as '{word}'",
                counted(count)
            )),
            Novelty::Attribute { side, name, count } => Some(format!(
                "{} had no attribute '{name}' of {side}, which all training graphs have",
                graphs(count)
            )),
            Novelty::Nucleotides { count } => Some(format!(
                "{} had only the letters of DNA or RNA, but the training samples are proteins",
                counted(count)
            )),
            Novelty::Label { side, name, count, word } => Some(format!(
                "{} had {side} with the {name} '{word}', which no training graph has",
                graphs(count)
            )),
            Novelty::Range { side, name, count, value, usual: [low, high] } => Some(format!(
                "{} had {side} with a {name} far outside of training, such as {value} (there {low} to {high})",
                graphs(count)
            )),
            Novelty::Writing { writing, count } => Some(format!("{} {}", counted(count), writing.of_new())),
            _ => None,
        };
        novelties.found().into_iter().filter_map(words).collect()
    }

    /// How these samples, with these p-values and decisions, differ from the training samples, in words. The decisions
    /// were made at this reject rate, if given, else at that of the model.
    #[pyo3(signature = (samples, p_values, accepted, *, reject=None))]
    fn drift(
        &self,
        py: Python<'_>,
        samples: &Bound<'_, PyAny>,
        p_values: Vec<f64>,
        accepted: Vec<bool>,
        reject: Option<f64>,
    ) -> PyResult<Vec<String>> {
        if p_values.len() < DriftWatch::MIN_SAMPLES {
            return Ok(Vec::new());
        }
        let samples = match samples.cast::<Samples>() {
            Ok(samples) => samples.get().set.clone(),
            Err(_) => {
                Vectors::with_missing(matrix_from(samples)?, Vec::new()).map_err(|e| exception(&e))?.into()
            }
        };
        let watched = || {
            let mut watch = self.drift.get_or_init(|| DriftWatch::new(&self.inner)).clone();
            if let Some(share) = reject {
                watch = watch.rejecting(share);
            }
            watch.add(&self.inner, &samples, p_values.into_iter().zip(accepted));
            watch.found()
        };
        // The shared pool does not survive a fork, and `n_jobs` does not limit it.
        let found = py.detach(|| parallel::on_this_thread(watched));
        Ok(found.iter().map(ToString::to_string).collect())
    }

    /// The mean share of each feature in the explanations of the rejected samples, or of all if none is rejected, by
    /// name, largest first. `None` means the training samples.
    #[pyo3(signature = (samples, count, *, threads=1))]
    fn importance(
        &self,
        py: Python<'_>,
        samples: Option<&Bound<'_, Samples>>,
        count: usize,
        threads: usize,
    ) -> PyResult<Vec<(String, f64)>> {
        let context = self.context(threads, None);
        let samples = match samples {
            Some(samples) => self.prepared(&samples.get().set)?.into_owned(),
            None => self.inner.reference(),
        };
        run(py, &context, |watch| eocc_report::outliers::mean_shares(&self.inner, &samples, count, watch))
    }

    /// The name column of the training samples, unless its own name identifies it.
    #[getter]
    fn id_column(&self) -> Option<String> {
        Reading::of_model(&self.inner).unwrap_or_default().id().map(str::to_owned)
    }

    /// Whether its samples are windows of one long series.
    #[getter]
    fn is_windowed(&self) -> bool {
        Reading::of_model(&self.inner).unwrap_or_default().windows().is_some()
    }

    /// The treatment of missing values; `None` if the measure decides.
    #[getter]
    fn missing_word(&self) -> Option<&'static str> {
        Reading::of_model(&self.inner).unwrap_or_default().missing_word()
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
        let context = self.context(threads, progress);
        if let Ok(samples) = samples.cast::<Samples>() {
            return Ok(answers(py, &self.decide_samples(py, &samples.get().set, &context)?));
        }
        let values: PyReadonlyArray2<'_, f64> = samples.extract()?;
        Ok(answers(py, &self.decide_rows(py, &values, &context)?))
    }

    /// Scores objects with Arrow's C interface: a batch gives a batch, a stream gives a table with the same number of
    /// batches.
    #[pyo3(signature = (data, *, membership=false, reasons=false, skip_bad_rows=false, threads=1, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "by name, in the one place that calls it")]
    fn score_arrow<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        membership: bool,
        reasons: bool,
        skip_bad_rows: bool,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options =
            ScoreOptions::default().membership(membership).reasons(reasons).skip_bad_rows(skip_bad_rows);
        let (context, scorer) = (self.context(threads, progress), self.scorer()?);
        let score = |batch: &RecordBatch| -> PyResult<RecordBatch> {
            // Errors of the batch have their own exceptions.
            run(py, &context, |watch| match scorer.score_watched(batch, options, watch) {
                Err(fault) if fault.library().is_some_and(Error::is_cancelled) => {
                    Err(ErrorKind::Cancelled.into())
                }
                scored => Ok(scored),
            })?
            .map_err(|fault| arrow::refusal(&fault))
        };
        match arrow::imported(data)? {
            AnyRecordBatch::RecordBatch(batch) => {
                arrow::exported(py, PyRecordBatch::new(score(batch.as_ref())?))
            }
            AnyRecordBatch::Stream(stream) => {
                let mut scored = Vec::new();
                for batch in stream.into_reader()? {
                    scored.push(score(&batch.map_err(|error| arrow::unreadable(&error))?)?);
                }
                let table = PyTable::try_new(scored, BatchScorer::schema(options))?;
                Ok(table.into_pyobject(py)?.into_any())
            }
        }
    }

    /// The columns of the answers to Arrow data.
    #[staticmethod]
    #[pyo3(signature = (*, membership=false, reasons=false))]
    fn arrow_schema(membership: bool, reasons: bool) -> PySchema {
        PySchema::new(BatchScorer::schema(ScoreOptions::default().membership(membership).reasons(reasons)))
    }

    /// The dissimilarity embedding, one row per sample.
    #[pyo3(signature = (samples, *, threads=1))]
    fn embed<'py>(
        &self,
        py: Python<'py>,
        samples: &Bound<'py, Samples>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let context = self.context(threads, None);
        let samples = &self.prepared(&samples.get().set)?;
        let matrix: Matrix = run(py, &context, |watch| self.inner.embed_all(samples, watch))?;
        array(py, &matrix)
    }

    /// The region, the nearest samples compared with, their dissimilarities, and the shares of the features.
    #[pyo3(signature = (samples, count, *, threads=1))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        samples: &Bound<'py, Samples>,
        count: usize,
        threads: usize,
    ) -> PyResult<Explained<'py>> {
        let context = self.context(threads, None);
        let samples = &self.prepared(&samples.get().set)?;
        let all: Vec<Explanation> = run(py, &context, |watch| self.inner.explain(samples, count, watch))?;
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

    /// Why each sample is judged as it is, in words.
    #[pyo3(signature = (samples, count, *, threads=1))]
    fn why(
        &self,
        py: Python<'_>,
        samples: &Bound<'_, Samples>,
        count: usize,
        threads: usize,
    ) -> PyResult<Vec<String>> {
        let context = self.context(threads, None);
        let samples = &self.prepared(&samples.get().set)?;
        run(py, &context, |watch| {
            let reasons = Reasons::new(&self.inner, Style { number, date: date_text });
            let explained = self.inner.explain(samples, count, watch)?;
            let words = |(i, explanation)| {
                let why = reasons.why(&samples.select(&[i]), explanation);
                why.lines(number).join("\n")
            };
            Ok(explained.iter().enumerate().map(words).collect())
        })
    }

    /// The unusual samples among those it was fitted on: score, p-value and decision for each, then the most
    /// suspicious in order (this many, or all rejected ones) with the largest shares of their features.
    #[pyo3(signature = (samples, top=None, *, threads=1))]
    fn outliers<'py>(
        &self,
        py: Python<'py>,
        samples: &Bound<'py, Samples>,
        top: Option<usize>,
        threads: usize,
    ) -> PyResult<Found<'py>> {
        let context = self.context(threads, None);
        let samples = &self.prepared(&samples.get().set)?;
        let found: Outliers = run(py, &context, |watch| Outliers::find(&self.inner, samples, top, watch))?;
        let floats =
            |f: fn(&Decision) -> f64| found.decisions.iter().map(f).collect::<Vec<_>>().into_pyarray(py);
        Ok((
            floats(|d| d.score),
            floats(|d| d.p_value),
            found.decisions.iter().map(|d| d.accepted).collect::<Vec<_>>().into_pyarray(py),
            found.order.iter().map(|&i| signed(i)).collect::<Vec<_>>().into_pyarray(py),
            found.features,
            found.groups.iter().map(|&group| signed(group)).collect::<Vec<_>>().into_pyarray(py),
        ))
    }

    /// The kind of the samples, as in model files.
    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.kind().name()
    }

    /// Samples in the form of the training samples, from the columns of a table.
    fn samples_of_columns(&self, columns: Vec<GivenColumn<'_>>) -> PyResult<Samples> {
        Ok(columns::samples_like(columns, self.reader()?)?.into())
    }

    /// The required form of samples to be scored: names of features, or columns, or parts.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        shape(py, &self.inner.reference())
    }

    /// Number of features; 0 if it is not fixed.
    #[getter]
    fn features(&self) -> usize {
        match self.inner.layout() {
            // Each row holds a number for every training sample.
            Layout::Dissimilarities(_) => self.samples(),
            _ => self.inner.summary().features,
        }
    }

    /// Names of the training samples, if any.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        let names = self.inner.names();
        (!names.is_empty()).then(|| names.to_vec())
    }

    /// Number of training samples.
    #[getter]
    fn samples(&self) -> usize {
        self.inner.summary().samples
    }

    /// Number of samples that new ones are compared with.
    #[getter]
    fn prototypes(&self) -> usize {
        self.inner.prototypes()
    }

    /// Name of the dissimilarity.
    #[getter]
    fn metric(&self) -> &'static str {
        self.inner.measure().name()
    }

    /// Whether new samples may have missing values: the measure accepts them, or they are imputed as in training.
    #[getter]
    fn accepts_missing(&self) -> bool {
        self.accepts_missing
    }

    /// Settings of the dissimilarity that differ from its defaults. Parameters moved by a search are excluded.
    #[getter]
    fn settings(&self) -> Vec<(String, String)> {
        let (measure, params) = (self.inner.measure(), self.inner.params());
        let reference = self.inner.reference();
        let usual = reference.measure(params.preset, Some(measure.name()), &Settings::default());
        let usual = usual.and_then(|mut usual| usual.learn_all(&reference).map(|()| usual.settings()));
        let usual = usual.unwrap_or_default();
        let searched: Vec<String> = match params.search {
            SearchKind::None => Vec::new(),
            _ => self.inner.parameters().into_iter().map(|p| p.name).collect(),
        };
        let is_own = |one: &(String, String)| !usual.contains(one) && !searched.contains(&one.0);
        measure.settings().into_iter().filter(is_own).collect()
    }

    /// The columns that it needs, by name and type; empty if they have no names.
    #[getter]
    fn columns(&self) -> Vec<(String, &'static str)> {
        columns::needed(&self.inner.layout())
    }

    /// Parameters of the dissimilarity, by name.
    #[getter]
    fn weights(&self) -> Vec<(String, f64)> {
        let all = self.inner.parameters();
        all.into_iter().map(|p| (p.name, p.value)).collect()
    }

    /// `k*`.
    #[getter]
    fn k(&self) -> usize {
        self.inner.summary().neighbors
    }

    /// How neighbors were found, as JSON.
    #[getter]
    fn plan(&self) -> String {
        serde_json::to_string(self.inner.plan()).unwrap_or_default()
    }

    /// The objective.
    #[getter]
    fn eta(&self) -> f64 {
        self.inner.summary().eta
    }

    /// Evaluations of the search, and why it stopped.
    #[getter]
    fn search(&self) -> (usize, &'static str) {
        (self.inner.summary().evaluations, self.inner.summary().stop.name())
    }

    /// The smallest accepted score.
    #[getter]
    fn boundary(&self) -> f64 {
        self.inner.boundary()
    }

    /// The training samples of each region.
    #[getter]
    fn regions<'py>(&self, py: Python<'py>) -> Vec<Integers<'py>> {
        let of = |vertices: &[u32]| -> Vec<i64> { vertices.iter().map(|v| i64::from(*v)).collect() };
        self.inner.regions().iter().map(|r| of(r.vertices()).into_pyarray(py)).collect()
    }

    /// The trimmed training samples, which are excluded as neighbors because they lie far out.
    #[getter]
    fn trimmed<'py>(&self, py: Python<'py>) -> Integers<'py> {
        self.inner.trimmed().iter().map(|v| i64::from(*v)).collect::<Vec<_>>().into_pyarray(py)
    }

    /// What the shares of an explanation refer to.
    #[getter]
    fn share_names(&self) -> Vec<String> {
        self.inner.share_names()
    }

    /// The views of the committee, by name and weight; empty with the preset `paper`.
    #[getter]
    fn views(&self) -> Vec<(String, f64)> {
        self.inner.views()
    }

    /// Neighbors of the training samples and their lengths, one row each.
    #[getter]
    fn lists<'py>(&self, py: Python<'py>) -> PyResult<Lists<'py>> {
        let lists = self.inner.lists();
        let shape = [lists.points(), lists.width()];
        let neighbors: Vec<i64> = lists.all_neighbors().iter().map(|v| i64::from(*v)).collect();
        let lengths = PyArray1::from_slice(py, lists.all_lengths());
        Ok((neighbors.into_pyarray(py).reshape(shape)?, lengths.reshape(shape)?))
    }

    /// Scores of the training samples, each as if it were new.
    #[getter]
    fn training_scores<'py>(&self, py: Python<'py>) -> Floats<'py> {
        self.inner.training_scores().into_pyarray(py)
    }

    /// Regions of the training samples; for trimmed ones, that of their nearest neighbor.
    #[getter]
    fn training_regions<'py>(&self, py: Python<'py>) -> Integers<'py> {
        let all = self.inner.training_memberships();
        all.into_iter().map(|m| i64::try_from(m.0).unwrap_or(i64::MAX)).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Degrees of membership of the training samples.
    #[getter]
    fn training_memberships<'py>(&self, py: Python<'py>) -> Floats<'py> {
        let all = self.inner.training_memberships();
        all.into_iter().map(|m| m.1).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The parameters it was fitted with that differ from the preset.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        describe(py, self.inner.params())
    }

    /// The data for plots of the model, and of new samples if given, as JSON.
    #[pyo3(signature = (title, samples=None, *, threads=1))]
    fn report(
        &self,
        py: Python<'_>,
        title: &str,
        samples: Option<&Bound<'_, Samples>>,
        threads: usize,
    ) -> PyResult<String> {
        let data = match samples {
            None => self.report_data(py, title, threads)?,
            Some(samples) => {
                let context = self.context(threads, None);
                let samples = self.prepared(&samples.get().set)?;
                let decisions = self.decide_samples(py, &samples, &context)?;
                let rows: Vec<usize> = (0..decisions.len()).collect();
                let new = NewSamples {
                    samples: &samples,
                    decisions: &decisions,
                    rows: &rows,
                    names: None,
                    is_nominal: None,
                };
                run(py, &context, |watch| ReportData::new(&self.inner, title, Some(new), watch))?
            }
        };
        data.to_json().map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// A small map of the training samples, as SVG.
    #[pyo3(signature = (title, *, threads=1))]
    fn small_map(&self, py: Python<'_>, title: &str, threads: usize) -> PyResult<String> {
        Ok(self.report_data(py, title, threads)?.small_map())
    }

    /// Warnings for the user.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// The bytes of a model file, without Python objects.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.inner.to_contents().map(|contents| contents.to_bytes()));
        Ok(PyBytes::new(py, &bytes.map_err(|e| exception(&e))?))
    }

    /// From the bytes of a model file, and the objects that are not in it.
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
        if self.inner.kind().name() == Objects::NAME {
            return Err(PyTypeError::new_err(
                "a model file cannot hold samples that only Python knows; pickle the estimator",
            ));
        }
        py.detach(|| self.inner.save(&path)).map_err(|e| exception(&e))
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
        let objects = own.inner.downcast_ref::<Objects>();
        let objects = objects.map(|m| m.reference().0.iter().map(|o| o.clone_ref(py)).collect::<Vec<_>>());
        let function = own.callable.as_ref().map(|c| c.function.clone_ref(py));
        let arguments = (own.to_bytes(py)?, function, objects).into_pyobject(py)?;
        Ok((slf.get_type().getattr("from_bytes")?, arguments.into_any()))
    }
}

impl Model {
    /// A model without any Python objects.
    pub(crate) fn from_inner(inner: AnyModel) -> PyResult<Self> {
        Self::new(inner, None, Vec::new())
    }

    /// A model that reads samples for a stream, which imputes missing values itself.
    pub(crate) fn for_stream(inner: AnyModel) -> PyResult<Self> {
        Ok(Self { is_for_stream: true, ..Self::new(inner, None, Vec::new())? })
    }

    /// The wrapped model.
    pub(crate) fn inner(&self) -> &AnyModel {
        &self.inner
    }

    fn report_data(&self, py: Python<'_>, title: &str, threads: usize) -> PyResult<ReportData> {
        let context = self.context(threads, None);
        run(py, &context, |watch| ReportData::new(&self.inner, title, None, watch))
    }

    fn context(&self, threads: usize, progress: Option<Py<PyAny>>) -> RunContext {
        RunContext { threads, progress, fault: self.callable.as_ref().map(|_| Arc::default()) }
    }

    fn from_contents(
        py: Python<'_>,
        contents: &Contents,
        metric: Option<Py<PyAny>>,
        objects: Option<Vec<Py<PyAny>>>,
    ) -> PyResult<Self> {
        let callable = metric.map(Callable::new);
        let kind = contents.meta["kind"].as_str().unwrap_or_default();
        let model = py.detach(|| match (&callable, objects) {
            (Some(custom), Some(objects)) => {
                let objects = Objects(objects.into_iter().map(Arc::new).collect());
                eocc_core::Model::from_parts(contents, objects, custom.of_objects()).map(AnyModel::new)
            }
            (Some(custom), None) if kind == Texts::NAME => {
                AnyModel::from_contents_with::<Texts>(contents, custom.of_texts())
            }
            (Some(custom), None) => AnyModel::from_contents_with::<Vectors>(contents, custom.of_vectors()),
            (None, _) => AnyModel::from_contents(contents),
        });
        Self::new(model.map_err(|e| exception(&e))?, callable, Vec::new())
    }

    fn new(model: AnyModel, callable: Option<Callable>, warnings: Vec<String>) -> PyResult<Self> {
        let reading = Reading::of_model(&model).map_err(|e| exception(&e))?;
        let missing = reading.missing_for(&model);
        let accepts_missing = match missing {
            Some(Missing::Impute) => true,
            Some(Missing::Error) => false,
            _ => model.measure().properties().takes_missing,
        };
        Ok(Self {
            inner: Arc::new(model),
            callable,
            warnings,
            missing,
            accepts_missing,
            is_for_stream: false,
            is_masked: reading.is_masked(),
            novelties: OnceLock::new(),
            drift: OnceLock::new(),
            reader: OnceLock::new(),
            scorer: OnceLock::new(),
            is_warm: AtomicBool::new(false),
        })
    }

    /// The reader of columns. If two threads both make one, either works.
    fn reader(&self) -> PyResult<&ModelReader> {
        if let Some(reader) = self.reader.get() {
            return Ok(reader);
        }
        let made = ModelReader::for_model(&self.inner, ReadRequest::default(), None);
        let made = made.map(|reader| if self.is_for_stream { reader.without_imputing() } else { reader });
        Ok(self.reader.get_or_init({
            let made = made.map_err(|e| exception(&e))?;
            || made
        }))
    }

    /// The scorer of batches.
    fn scorer(&self) -> PyResult<&BatchScorer> {
        if let Some(scorer) = self.scorer.get() {
            return Ok(scorer);
        }
        let made = BatchScorer::new(Arc::clone(&self.inner)).map_err(|e| exception(&e))?;
        Ok(self.scorer.get_or_init(|| made))
    }

    fn decide_samples(
        &self,
        py: Python<'_>,
        samples: &AnySamples,
        context: &RunContext,
    ) -> PyResult<Vec<Decision>> {
        let (samples, scoring) = (&self.prepared(samples)?, self.inner.params().scoring);
        let decide = |watch: &dyn Observer| self.inner.decide_with(samples, scoring, watch);
        let decisions = run(py, context, decide)?;
        self.is_warm.store(true, Ordering::Relaxed);
        Ok(decisions)
    }

    /// Decides on rows in place.
    fn decide_rows(
        &self,
        py: Python<'_>,
        values: &PyReadonlyArray2<'_, f64>,
        context: &RunContext,
    ) -> PyResult<Vec<Decision>> {
        let Some(model) = self.inner.downcast_ref::<Vectors>() else {
            return Err(PyTypeError::new_err(format!("the model is of {}, not of vectors", self.kind())));
        };
        let columns = values.shape()[1];
        let values = values.as_slice()?;
        if self.accepts_missing && values.iter().any(|v| v.is_nan()) {
            let matrix = Matrix::new(values.to_vec(), values.len() / columns.max(1), columns);
            let names = model.reference().feature_names().to_vec();
            let rows = Vectors::with_missing(matrix, names).map_err(|e| exception(&e))?;
            return self.decide_samples(py, &AnySamples::new(rows), context);
        }
        let names = model.reference().feature_names();
        if columns != 0 {
            Vectors::require_finite(values, columns, names).map_err(|e| exception(&e))?;
        }
        let rows = rows_of(values, columns);
        if let ([one], true, None) = (rows.as_slice(), self.is_warm.load(Ordering::Relaxed), &context.fault) {
            return Ok(vec![py.detach(|| model.decide(one)).map_err(|e| exception(&e))?]);
        }
        let decisions = run(py, context, |watch| model.decide_refs(&rows, model.params().scoring, watch))?;
        self.is_warm.store(true, Ordering::Relaxed);
        Ok(decisions)
    }

    /// The samples, which must be of the kind of the model, with missing values imputed if they were in training.
    fn prepared<'a>(&self, samples: &'a AnySamples) -> PyResult<Cow<'a, AnySamples>> {
        if samples.kind() != self.inner.kind() {
            return Err(PyValueError::new_err(format!(
                "X is of another type than the model, which is of {}",
                self.kind()
            )));
        }
        if self.is_masked {
            return masked(samples).map(Cow::Owned).map_err(|e| exception(&e));
        }
        match self.missing {
            Some(Missing::Impute) if samples.first_missing().is_some() => {
                samples.filled(&self.inner.reference()).map(Cow::Owned).map_err(|e| exception(&e))
            }
            _ => Ok(Cow::Borrowed(samples)),
        }
    }
}

/// The default expected fraction of outliers, and the fraction that is then reported.
#[pyfunction]
pub(crate) fn outlier_shares() -> (f64, f64) {
    (EXPECTED, REJECTED)
}

/// An index as in NumPy.
pub(crate) fn signed(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
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

/// The form of samples for Python: names of features, or columns, or parts with their kinds.
fn shape<'py>(py: Python<'py>, samples: &AnySamples) -> PyResult<Bound<'py, PyAny>> {
    let parts = samples.parts();
    if !parts.is_empty() {
        let part =
            |part: &Part| Ok((part.name.clone(), part.samples.kind().name(), shape(py, &part.samples)?));
        let parts = parts.iter().map(part).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyList::new(py, parts)?.into_any());
    }
    Ok(match samples.layout() {
        Layout::Numbers(names) => PyList::new(py, names)?.into_any(),
        Layout::Columns(all) => described(py, &all)?,
        _ => PyList::empty(py).into_any(),
    })
}

/// Name, kind and levels of each column.
fn described<'py>(py: Python<'py>, columns: &[MixedColumn]) -> PyResult<Bound<'py, PyAny>> {
    let describe = |column: &MixedColumn| {
        let levels = match &column.kind {
            ColumnKind::Category(levels) | ColumnKind::Ordered(levels) => levels.clone(),
            _ => Vec::new(),
        };
        (column.name.clone(), column.kind.name(), levels)
    };
    Ok(PyList::new(py, columns.iter().map(describe))?.into_any())
}
