//! A classifier that follows a stream: it learns what it accepts, reports when the stream changes, and adapts.
//!
//! ```text
//! sample ─ model of the window ─ oddity ─ prequential calibration ─ p-value ─ accepted: window │ rejected: quarantine
//!        └ reference, columns ─ ranks ─ bets ─ alarm ─ change point ─ does it last? ─ report, or adapt
//! ```
//!
//! The window is learned as by `fit`, without panels, when the stream has warmed up and then every window or when a column has moved.
//! In between, every eighth of a window, the committee is refreshed: lists of neighbors are maintained exactly, scales stay.
//! A saved stream is an ordinary model file, of the window when it was last learned. Only accepted samples enter the window, so it is
//! taken to have a contamination of 1 % unless one is given.
//!
//! Random numbers are hashes of seed and time: the same stream gives the same answers and the same bytes one by one, in blocks,
//! after a save, on any number of threads. Memory is bounded by the window.

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

/// Members of the frozen reference: more do not make alarms earlier.
const REFERENCE: usize = 256;
/// Fewest observations between two fits.
const MIN_REFRESH: usize = 8;

/// The contamination of a window that only accepted samples enter, unless one is given: single samples are trimmed, but no clump. A
/// region that was confirmed must not be taken for a clump of outliers.
const BEHIND_THE_GATE: f64 = 0.01;

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
    /// The measure as it was before it learned.
    template: Box<dyn Dissimilarity<X::Item>>,
    /// The time of the next sample.
    clock: u64,
    /// The time of the first sample that was observed: those of a model come before.
    origin: u64,
    samples: Option<Samples<X>>,
    /// What there is after warming up.
    live: Option<Live<X>>,
    /// Windows of earlier times.
    concepts: Vec<X>,
    events: Events,
    history: History,
    /// Questions that wait for an answer.
    open: Vec<Question>,
    /// How samples are read, for whoever reads them.
    reading: Option<serde_json::Value>,
}

/// A question about a change since a time, or about rejected samples of these times.
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

    /// The same under a measure that has not learned yet.
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
            reading: None,
        })
    }

    /// A stream that starts from a model: its window is that of the model's training samples, a window of them evenly spaced if
    /// there are more. The parameters of the classifier are those of the model.
    pub fn from_model(mut params: StreamParams, model: &Model<X>) -> Result<Self> {
        params.one_class = model.params().clone();
        let mut stream =
            Self::with_measure(params, anew::<X>(model.dissimilarity(), model.params().preset)?)?;
        let all = model.reference();
        let (n, size) = (all.count(), all.count().min(stream.params.window));
        let spaced: Vec<usize> = (0..size).map(|i| i * (n - 1) / (size - 1).max(1)).collect();
        let window = all.select(&spaced);
        stream.warm_up(&window, &(0..size).collect::<Vec<_>>())?;
        // Only samples in a row tell how they depend on each other.
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

    /// Whether no sample is judged yet.
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

    /// How many samples are learned from.
    pub fn window_size(&self) -> usize {
        self.samples.as_ref().map_or(0, |samples| samples.window.len())
    }

    /// How close the stream is to an alarm: the largest statistic as a share of its threshold.
    pub fn alarm_level(&self) -> f64 {
        self.live.as_ref().map_or(0.0, |live| live.watched.detector.level())
    }

    /// One of this many observations is bet on, because of serial dependence.
    pub fn step(&self) -> usize {
        self.live.as_ref().map_or(1, |live| live.watched.step)
    }

    /// Keeps how samples were read, for whoever reads more of them. The stream itself does not use it.
    pub fn set_reading(&mut self, reading: Option<serde_json::Value>) {
        self.reading = reading;
    }

    /// How samples were read, if that was kept.
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
    /// At a fault the samples before it may have been learned; [`seen`](Self::seen) tells how many.
    pub fn observe_all(&mut self, samples: &X) -> Result<Vec<Observed>> {
        let rows: Vec<usize> = (0..samples.count()).collect();
        let mut observed = Vec::with_capacity(rows.len());
        self.observe_rows(samples, &rows, &mut observed)?;
        Ok(observed)
    }

    /// The same for some rows; answers are added to `out`, up to a fault if there is one.
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

    /// Takes samples to warm up with.
    fn warm_up(&mut self, samples: &X, rows: &[usize]) -> Result<()> {
        let part = samples.select(rows);
        crate::model::require_complete(&part)?;
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

    /// Fits the first model; serial dependence is looked for in `in_a_row`, or the window.
    fn begin(&mut self, in_a_row: Option<&X>) -> Result<()> {
        let own = self.own_samples()?;
        own.relearn();
        let window = own.window_set()?;
        let mut model = self.fit(&window)?;
        let committee = WindowCommittee::new(&mut model).ok_or_else(no_committee)?;
        let watched = self.watched(&model, &window, in_a_row.unwrap_or(&window), 0)?;
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
            one_class.contamination.get_or_insert(BEHIND_THE_GATE);
        }
        one_class.fit_without_panels(samples, self.template.boxed(), &Silent)
    }
}

/// A measure as it was before it learned.
fn anew<X: SampleKind>(
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
