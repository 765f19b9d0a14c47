//! The class `Stream`: a classifier that follows samples as they arrive.

use std::borrow::Cow;
use std::path::PathBuf;

use eocc_core::file::Contents;
use eocc_core::stream::{AlarmRate, Event, Observed, Policy, StreamParams};
use eocc_core::{AnySamples, AnyStream, Error, Threshold, Vectors};
use eocc_data::{Missing, Reading, masked};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::exception;
use crate::measure::{Metric, matrix_from};
use crate::model::{Model, signed};
use crate::params::checked;
use crate::run::{RunContext, run};
use crate::samples::Samples;

/// A stream.
#[pyclass(module = "eocc._eocc")]
pub(crate) struct Stream {
    inner: AnyStream,
}

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Integers<'py> = Bound<'py, PyArray1<i64>>;
type Truths<'py> = Bound<'py, PyArray1<bool>>;
/// Time, score, membership, accepted, region, p-value, learned, and the alarm or 0.
type Answers<'py> = (
    Integers<'py>,
    Floats<'py>,
    Floats<'py>,
    Truths<'py>,
    Integers<'py>,
    Floats<'py>,
    Truths<'py>,
    Integers<'py>,
);

/// How a stream is followed, as given by the facade.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Following {
    window: usize,
    warm_up: usize,
    policy: String,
    alarm_rate: f64,
    ever: Option<f64>,
    settle: usize,
}

impl Following {
    fn params(self) -> PyResult<StreamParams> {
        let policy = Policy::named(&self.policy)
            .ok_or_else(|| Error::parameter("policy", format!("'{}'", self.policy), "'guard' or 'follow'"));
        let mut params = StreamParams::default();
        params.window = self.window;
        params.warm_up = self.warm_up;
        params.settle = self.settle;
        params.policy = policy.map_err(|e| exception(&e))?;
        params.alarm_rate = match self.ever {
            Some(share) => AlarmRate::Ever(share),
            None => AlarmRate::PerObservation(self.alarm_rate),
        };
        Ok(params)
    }
}

#[pymethods]
impl Stream {
    /// A stream that warms up with its first samples, which have the form of these.
    #[staticmethod]
    fn start(
        samples: &Bound<'_, Samples>,
        metric: Option<&Bound<'_, PyAny>>,
        settings: std::collections::BTreeMap<String, String>,
        params: &Bound<'_, PyDict>,
        following: Following,
    ) -> PyResult<Self> {
        let mut stream_params = following.params()?;
        let reject = match stream_params.one_class.threshold {
            Threshold::Reject(share) => share,
            _ => 0.01,
        };
        let one_class = (*checked(params)?).clone();
        let is_told = params.get_item("reject")?.is_some_and(|v| !v.is_none())
            || params.get_item("contamination")?.is_some_and(|v| !v.is_none());
        stream_params.one_class = if is_told { one_class } else { one_class.reject(reject) };
        let Samples { set, reading, .. } = samples.get();
        stream_params.impute = reading.missing() == Some(Missing::Impute);
        let measure = Metric::new(metric, settings)?.measure(set, stream_params.one_class.preset)?;
        let mut inner = set.kind().stream(stream_params, measure).map_err(|e| exception(&e))?;
        inner.set_reading(reading.kept());
        Ok(Self { inner })
    }

    /// A stream whose first window is the training samples of a model.
    #[staticmethod]
    fn from_model(py: Python<'_>, model: &Bound<'_, Model>, following: Following) -> PyResult<Self> {
        let mut params = following.params()?;
        let model = model.get().inner();
        let reading = Reading::of_model(model).map_err(|e| exception(&e))?;
        params.impute = reading.missing() == Some(Missing::Impute);
        let inner = py.detach(|| AnyStream::from_model(params, model)).map_err(|e| exception(&e))?;
        Ok(Self { inner })
    }

    /// Judges samples one by one and learns from each before the next.
    #[pyo3(signature = (samples, *, threads=1))]
    fn observe<'py>(
        &mut self,
        py: Python<'py>,
        samples: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Answers<'py>> {
        let samples = match samples.cast::<Samples>() {
            Ok(samples) => samples.get().set.clone(),
            Err(_) => {
                Vectors::with_missing(matrix_from(samples)?, Vec::new()).map_err(|e| exception(&e))?.into()
            }
        };
        let context = RunContext { threads, progress: None, fault: None };
        let stream = &mut self.inner;
        let observed = run(py, &context, |_| {
            let samples = prepared(stream, &samples)?;
            stream.observe_all(&samples)
        })?;
        Ok(answers(py, &observed))
    }

    /// The latest events, as JSON; only those after the given one.
    #[pyo3(signature = (after=0))]
    fn events(&self, after: u64) -> PyResult<String> {
        let described = |event: &Event| {
            let mut value = serde_json::to_value(event)?;
            value["advice"] = event.advice().into();
            value["is_open"] = event.is_open().into();
            Ok(value)
        };
        let events = self.inner.events();
        let new = events.iter().filter(|event| event.id > after);
        let all: serde_json::Result<Vec<serde_json::Value>> = new.map(described).collect();
        let text = all.and_then(|all| serde_json::to_string(&all));
        text.map_err(|e| exception(&Error::input(e.to_string())))
    }

    /// The stream over time, as JSON.
    fn history(&self) -> PyResult<String> {
        serde_json::to_string(self.inner.history()).map_err(|e| exception(&Error::input(e.to_string())))
    }

    /// Confirms that the subject of a question is nominal.
    fn confirm(&mut self, id: u64) -> PyResult<()> {
        self.inner.confirm(id).map_err(|e| exception(&e))
    }

    /// Dismisses a question.
    fn dismiss(&mut self, id: u64) -> PyResult<()> {
        self.inner.dismiss(id).map_err(|e| exception(&e))
    }

    /// How many samples were observed.
    #[getter]
    fn seen(&self) -> u64 {
        self.inner.seen()
    }

    /// Whether the stream is still warming up.
    #[getter]
    fn is_warming_up(&self) -> bool {
        self.inner.is_warming_up()
    }

    /// How many samples the stream learns from.
    #[getter]
    fn window_size(&self) -> usize {
        self.inner.window_size()
    }

    /// Only every `step`-th observation is bet on.
    #[getter]
    fn step(&self) -> usize {
        self.inner.step()
    }

    /// How close the stream is to an alarm, which occurs at 1.
    #[getter]
    fn alarm_level(&self) -> f64 {
        self.inner.alarm_level()
    }

    /// How it is followed: window, warm-up, policy, rate, whether that is the probability of ever alarming falsely, and settle.
    #[getter]
    fn following(&self) -> (usize, usize, &'static str, f64, bool, usize) {
        let params = self.inner.params();
        let (rate, is_ever) = match params.alarm_rate {
            AlarmRate::PerObservation(rate) => (rate, false),
            AlarmRate::Ever(share) => (share, true),
        };
        (params.window, params.warm_up, params.policy.name(), rate, is_ever, params.settle)
    }

    /// The current model.
    fn model(&self, py: Python<'_>) -> PyResult<Model> {
        let model = py.detach(|| self.inner.to_model()).map_err(|e| exception(&e))?;
        Model::from_inner(model)
    }

    /// The current model, to read further samples by.
    fn form(&self, py: Python<'_>) -> PyResult<Model> {
        let model = py.detach(|| self.inner.to_model()).map_err(|e| exception(&e))?;
        Model::for_stream(model)
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.inner.to_contents().map(|contents| contents.to_bytes()));
        Ok(PyBytes::new(py, &bytes.map_err(|e| exception(&e))?))
    }

    /// From the bytes of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let read = || Contents::from_bytes(bytes).and_then(|contents| AnyStream::from_contents(&contents));
        Ok(Self { inner: py.detach(read).map_err(|e| exception(&e))? })
    }

    /// Writes the model file atomically.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.inner.save(&path)).map_err(|e| exception(&e))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self { inner: py.detach(|| AnyStream::load(&path)).map_err(|e| exception(&e))? })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.borrow().to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }
}

/// Samples prepared like earlier ones: masked, if these were.
fn prepared<'a>(stream: &AnyStream, samples: &'a AnySamples) -> eocc_core::Result<Cow<'a, AnySamples>> {
    let reading = Reading::of_kept(stream.reading())?;
    if reading.is_masked() {
        return masked(samples).map(Cow::Owned);
    }
    Ok(Cow::Borrowed(samples))
}

fn answers<'py>(py: Python<'py>, observed: &[Observed]) -> Answers<'py> {
    let floats = |f: fn(&Observed) -> f64| observed.iter().map(f).collect::<Vec<_>>().into_pyarray(py);
    let truths = |f: fn(&Observed) -> bool| observed.iter().map(f).collect::<Vec<_>>().into_pyarray(py);
    let integers = |f: fn(&Observed) -> i64| observed.iter().map(f).collect::<Vec<_>>().into_pyarray(py);
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let times: Vec<i64> = observed.iter().map(|o| number(o.time)).collect();
    let alarms: Vec<i64> = observed.iter().map(|o| number(o.alarm.unwrap_or(0))).collect();
    (
        times.into_pyarray(py),
        floats(|o| o.score),
        floats(|o| o.membership),
        truths(|o| o.accepted),
        integers(|o| signed(o.region)),
        floats(|o| o.p_value),
        truths(|o| o.learned),
        alarms.into_pyarray(py),
    )
}
