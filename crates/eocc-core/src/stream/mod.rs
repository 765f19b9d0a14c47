//! A classifier that follows a stream: it learns what it accepts, reports when the stream changes, and adapts.
//!
//! ```text
//! sample ─ model of the window ─ oddity ─ prequential calibration ─ p-value ─ accepted: window │ rejected: quarantine
//!        └ reference, columns ─ ranks ─ bets ─ alarm ─ change point ─ does it last? ─ report, or adapt
//! ```
//!
//! The bets are a test martingale: they multiply while ranks depart from those of the frozen reference (see `detector.rs`).
//! The window is fitted like `fit` does, but without panels: after warm-up, then once per window length or when a column drifts.
//! In between, the committee is refreshed every eighth of a window: neighbor lists are updated exactly, scales are not.
//! A saved stream is an ordinary model file of the last fitted window. Only accepted samples enter the window, so its contamination
//! is assumed to be 1 % by default.
//!
//! Random numbers are hashes of seed and time: the results and saved bytes do not depend on block size, saves or the number of
//! threads. Memory is bounded by the window.

mod adapt;
mod bag;
mod calibration;
mod change;
mod detector;
mod event;
mod history;
mod live;
mod params;
mod quartiles;
mod regions;
mod samples;
mod store;
mod thinning;
mod watch;
mod watched;

use crate::dissimilarity::{Dissimilarity, Settings};
use crate::error::{Error, Result};
use crate::kinds::SampleKind;
use crate::model::{Model, WindowCommittee};
use crate::observer::Silent;

pub use bag::Bag;
pub use detector::{AlarmRate, Detector};
pub use event::{Answer, Event, EventKind, Observed};
pub use history::{P_VALUE_BINS, Period};
pub use params::{MIN_WARM_UP, MIN_WINDOW, Policy, StreamParams};

use event::Events;
use history::History;
use live::{Live, no_committee};
use quartiles::Quartiles;
use samples::{Member, Recent, Samples};

/// Size of the frozen reference. A larger one does not detect changes sooner.
const REFERENCE: usize = 256;
/// Minimum number of observations between refreshes.
const MIN_REFRESH: usize = 8;

/// Default contamination of the window. Low enough that isolated samples are trimmed but clumps are not, since a clump may be a
/// confirmed new region.
const WINDOW_CONTAMINATION: f64 = 0.01;

/// A one-class classifier that follows a stream of samples like those of `X`.
///
/// ```
/// use eocc_core::random::Random;
/// use eocc_core::stream::{Stream, StreamParams};
/// use eocc_core::Vectors;
///
/// let mut random = Random::new(1);
/// let rows: Vec<[f64; 2]> = (0..300).map(|_| [random.normal(), random.normal()]).collect();
/// let mut stream = Stream::new(StreamParams::default())?;
/// stream.observe_all(&Vectors::from_rows(&rows)?)?;
/// let far = stream.observe(&Vectors::from_rows(&[[9.0, 9.0]])?, 0)?;
/// assert!(!far.accepted && !far.learned && far.time == 300);
/// # Ok::<(), eocc_core::Error>(())
/// ```
pub struct Stream<X: SampleKind> {
    params: StreamParams,
    /// The unfitted measure.
    template: Box<dyn Dissimilarity<X::Item>>,
    /// The time of the next sample.
    clock: u64,
    /// The time of the first sample that was observed: samples from an initial model come earlier.
    origin: u64,
    samples: Option<Samples<X>>,
    /// The state after warm-up.
    live: Option<Live<X>>,
    /// Windows saved from earlier regimes, for recurrence.
    concepts: Vec<X>,
    events: Events,
    history: History,
    /// Questions that wait for an answer.
    open: Vec<Question>,
    /// For each question about a lasting change, the window as it was before the change.
    before: Vec<(u64, X)>,
    /// Reading options, stored on behalf of the caller.
    reading: Option<serde_json::Value>,
}

/// A question about a change that began at `since`, or about samples rejected at `times`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Question {
    id: u64,
    since: u64,
    times: Vec<u64>,
}

impl<X: SampleKind> Stream<X> {
    /// A stream that warms up with its first samples, under the measure of `default` for their kind.
    pub fn new(params: StreamParams) -> Result<Self> {
        let measure = X::measure(params.one_class.preset, None, &Settings::default())?;
        Self::with_measure(params, measure)
    }

    /// Like [`new`](Self::new), with this unfitted measure.
    pub fn with_measure(params: StreamParams, measure: Box<dyn Dissimilarity<X::Item>>) -> Result<Self> {
        params.check()?;
        Ok(Self {
            params,
            template: measure,
            clock: 0,
            origin: 0,
            samples: None,
            live: None,
            concepts: Vec::new(),
            events: Events::default(),
            history: History::default(),
            open: Vec::new(),
            before: Vec::new(),
            reading: None,
        })
    }

    /// A stream that starts from a model: its window holds the training samples, or an evenly spaced subset if there are too many.
    /// The parameters of the classifier are those of the model.
    pub fn from_model(mut params: StreamParams, model: &Model<X>) -> Result<Self> {
        params.one_class = model.params().clone();
        let mut stream =
            Self::with_measure(params, unfitted_copy::<X>(model.dissimilarity(), model.params().preset)?)?;
        let all = model.reference();
        let (n, size) = (all.count(), all.count().min(stream.params.window));
        let spaced: Vec<usize> = (0..size).map(|i| i * (n - 1) / (size - 1).max(1)).collect();
        let window = all.select(&spaced);
        stream.warm_up(&window, &(0..size).collect::<Vec<_>>())?;
        // Serial dependence can only be measured on consecutive samples.
        let latest: Vec<usize> = (n - size..n).collect();
        stream.begin(Some(&all.select(&latest)))?;
        stream.origin = stream.clock;
        Ok(stream)
    }

    /// How many samples have been observed, those of the warm-up included.
    pub fn seen(&self) -> u64 {
        self.clock - self.origin
    }

    /// The parameters.
    pub fn params(&self) -> &StreamParams {
        &self.params
    }

    /// Whether the stream is still warming up.
    pub fn is_warming_up(&self) -> bool {
        self.live.is_none()
    }

    /// The latest events, oldest first.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.events.list.iter()
    }

    /// The stream over time, oldest first: at most 512 periods, however long it is.
    pub fn history(&self) -> &[Period] {
        self.history.periods()
    }

    /// Number of samples in the window.
    pub fn window_size(&self) -> usize {
        self.samples.as_ref().map_or(0, |samples| samples.window.len())
    }

    /// How close the stream is to an alarm: the largest statistic as a share of its threshold.
    pub fn alarm_level(&self) -> f64 {
        self.live.as_ref().map_or(0.0, |live| live.watched.detector.level())
    }

    /// Only every `step`-th observation enters the change test, because of serial dependence.
    pub fn step(&self) -> usize {
        self.live.as_ref().map_or(1, |live| live.watched.step)
    }

    /// Stores reading options for the caller. The stream itself does not use them.
    pub fn set_reading(&mut self, reading: Option<serde_json::Value>) {
        self.reading = reading;
    }

    /// The stored reading options, if any.
    pub fn reading(&self) -> Option<&serde_json::Value> {
        self.reading.as_ref()
    }

    /// Judges one sample of a set, and learns from it.
    pub fn observe(&mut self, samples: &X, row: usize) -> Result<Observed> {
        let mut observed = Vec::with_capacity(1);
        self.observe_rows(samples, &[row], &mut observed)?;
        observed.pop().ok_or_else(|| Error::input("there is no sample"))
    }

    /// Judges samples one after another, and learns from each before the next.
    ///
    /// If a sample fails, the samples before it may already have been learned; [`seen`](Self::seen) returns how many.
    pub fn observe_all(&mut self, samples: &X) -> Result<Vec<Observed>> {
        let rows: Vec<usize> = (0..samples.count()).collect();
        let mut observed = Vec::with_capacity(rows.len());
        self.observe_rows(samples, &rows, &mut observed)?;
        Ok(observed)
    }

    /// Like [`observe_all`](Self::observe_all), for some rows; answers before the first error are appended to `out`.
    pub fn observe_rows(&mut self, samples: &X, rows: &[usize], out: &mut Vec<Observed>) -> Result<()> {
        if let Some(own) = &self.samples {
            own.form().conform(samples)?;
        }
        let mut rest = rows;
        while !rest.is_empty() {
            let done = if self.live.is_some() {
                self.advance(samples, rest, out)?
            } else {
                let wanted = self.params.warm_up.saturating_sub(self.window_size()).max(1).min(rest.len());
                let start = self.seen();
                self.warm_up(samples, &rest[..wanted])?;
                out.extend((start..self.seen()).map(Observed::warming_up));
                if self.window_size() >= self.params.warm_up {
                    self.begin(None)?;
                }
                wanted
            };
            rest = &rest[done..];
        }
        Ok(())
    }

    /// Adds samples to the warm-up.
    fn warm_up(&mut self, samples: &X, rows: &[usize]) -> Result<()> {
        let part = samples.select(rows);
        if !self.params.impute {
            crate::model::require_complete(&part)?;
        }
        let mut own = match self.samples.take() {
            Some(own) => own,
            None => Samples::like(&part)?,
        };
        let first = own.append(part);
        for row in first..own.next_row() {
            let member = Member { time: self.clock, row };
            own.window.push_back(member);
            own.recent.push_back(Recent { member, rejected: false, ranks: Vec::new() });
            self.clock += 1;
        }
        self.samples = Some(own);
        Ok(())
    }

    /// Fits the first model; serial dependence is estimated on `consecutive`, or on the window.
    fn begin(&mut self, consecutive: Option<&X>) -> Result<()> {
        let imputes = self.params.impute;
        let own = self.own_samples()?;
        if imputes {
            own.fill()?;
        }
        own.relearn();
        let window = own.window_set()?;
        let mut model = self.fit(&window)?;
        let committee = WindowCommittee::new(&mut model).ok_or_else(no_committee)?;
        let watched = self.watched(&model, &window, consecutive.unwrap_or(&window), 0)?;
        let calibration = self.seeded(&model, watched.step)?;
        let mut live = Live {
            model,
            committee,
            is_refreshed: false,
            arrived: Vec::new(),
            quartiles: Quartiles::new(&window),
            calibration,
            every: self.refresh_every(window.count()),
            since_refresh: 0,
            since_relearn: 0,
            watched,
            pending: None,
            reach: None,
            has_rejected: false,
        };
        self.set_cap(&mut live);
        self.live = Some(live);
        Ok(())
    }

    fn own_samples(&mut self) -> Result<&mut Samples<X>> {
        self.samples.as_mut().ok_or_else(|| Error::input("the stream has no samples yet"))
    }

    fn fit(&self, samples: &X) -> Result<Model<X>> {
        let mut one_class = self.params.one_class.clone();
        if self.live.is_some() {
            one_class.contamination.get_or_insert(WINDOW_CONTAMINATION);
        }
        one_class.fit_without_panels(samples, self.template.boxed(), &Silent)
    }
}

/// An unfitted copy of a measure.
fn unfitted_copy<X: SampleKind>(
    measure: &dyn Dissimilarity<X::Item>,
    preset: crate::params::Preset,
) -> Result<Box<dyn Dissimilarity<X::Item>>> {
    if measure.state().is_none() {
        return Ok(measure.boxed());
    }
    let mut settings = Settings::default();
    for (key, value) in measure.settings() {
        settings.insert(&key, &value);
    }
    X::measure(preset, Some(measure.name()), &settings)
}
