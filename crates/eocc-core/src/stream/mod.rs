//! A classifier that follows a stream: it learns what it accepts, tells when the stream changes, and adapts.
//!
//! ```text
//! sample ─ model of the window ─ oddity ─ prequential calibration ─ p-value ─ accepted: window │ rejected: quarantine
//!        └ reference, columns ─ ranks ─ bets ─ alarm ─ change point ─ does it last? ─ report, or adapt
//! ```
//!
//! At any time the model is what `fit` gives on the window as it was at the last refresh, so that a saved stream is an ordinary model file.
//! Since the window lies behind a gate, it is taken to have a contamination of 1 % unless one is given.
//! All lots are drawn by a hash of seed and time: the same stream gives the same answers and the same bytes one by one, in
//! blocks, after a save, on any number of threads. Memory is bounded by the window.

mod adapt;
mod bag;
mod calibration;
mod change;
mod detector;
mod event;
mod params;
mod regions;
mod samples;
mod store;
mod thinning;
mod watch;

use crate::decision::Decision;
use crate::dissimilarity::{Dissimilarity, Settings};
use crate::error::{Error, Result};
use crate::kinds::SampleKind;
use crate::model::Model;
use crate::observer::Silent;
use crate::params::Scoring;
use crate::random::{Random, lot};

pub use bag::Bag;
pub use detector::{AlarmRate, Detector};
pub use event::{Answer, Event, EventKind, Observed};
pub use params::{MIN_WARM_UP, MIN_WINDOW, Policy, StreamParams};

use calibration::{Pace, Prequential, quota};
use event::Events;
use samples::{Member, Recent, Samples, push};
use watch::Watch;

/// Members of the frozen reference: more do not make alarms earlier.
const REFERENCE: usize = 256;
/// Fewest observations between two fits.
const MIN_REFRESH: usize = 8;

/// The contamination of a window that only accepted samples enter, unless one is given: some of them are trimmed, but no clump. A region that
/// was confirmed must not be taken for a clump of outliers.
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
    /// Questions that wait for an answer.
    open: Vec<Question>,
    /// How samples are read, for whoever reads them.
    reading: Option<serde_json::Value>,
}

/// A stream that has warmed up.
struct Live<X: SampleKind> {
    /// What `fit` gave on the window at the last refresh.
    model: Model<X>,
    calibration: Prequential,
    /// Observations between two refreshes, and since the last one.
    every: usize,
    since_refresh: usize,
    watched: Watched<X>,
    /// The alarm that is being looked into.
    pending: Option<Pending>,
}

/// What the alarm goes by, frozen at the last reset.
struct Watched<X: SampleKind> {
    reference: Model<X>,
    watch: Watch<X>,
    bags: Vec<Bag>,
    detector: Detector,
    /// Every so many observations are bet on.
    step: usize,
    reset_at: u64,
    /// How often it was reset before.
    resets: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Pending {
    measure: usize,
    since: u64,
    alarm: u64,
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

    /// How many samples have been observed.
    pub fn time(&self) -> u64 {
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

    /// How many samples are learned from.
    pub fn window_size(&self) -> usize {
        self.samples.as_ref().map_or(0, |samples| samples.window.len())
    }

    /// How close the stream is to an alarm: the largest statistic as a share of its threshold.
    pub fn alarm_level(&self) -> f64 {
        self.live.as_ref().map_or(0.0, |live| live.watched.detector.level())
    }

    /// Every so many observations are bet on, because of serial dependence.
    pub fn step(&self) -> usize {
        self.live.as_ref().map_or(1, |live| live.watched.step)
    }

    /// Keeps how samples were read, for whoever reads more of them; nothing here makes anything of it.
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
    /// At a fault the samples before it may have been learned; [`time`](Self::time) tells how many.
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
                let start = self.time();
                self.warm_up(samples, &rest[..wanted])?;
                out.extend((start..self.time()).map(warming));
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
        let window = self.own_samples()?.window_set()?;
        let model = self.fit(&window)?;
        let watched = self.watched(&model, &window, in_a_row.unwrap_or(&window), 0)?;
        let calibration = self.seeded(&model);
        let every = self.refresh_every(window.count());
        let mut live = Live { model, calibration, every, since_refresh: 0, watched, pending: None };
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
        one_class.fit_with(samples, self.template.boxed(), &Silent)
    }

    fn refresh_every(&self, window: usize) -> usize {
        self.params.refresh.unwrap_or((window / 8).max(MIN_REFRESH))
    }

    /// The calibration that starts with the leave-one-out oddities of a model. They are known by size, so they leave by lot.
    fn seeded(&self, model: &Model<X>) -> Prequential {
        let mut oddities: Vec<f64> = model.calibration().scores().iter().map(|s| -s).collect();
        Random::stream(self.params.one_class.seed, self.clock).shuffle(&mut oddities);
        Prequential::seeded(self.params.window, oddities, self.clock)
    }

    fn set_cap(&self, live: &mut Live<X>) {
        let quota = quota(&self.params.one_class, live.calibration.len());
        let rise = self.params.policy.rise();
        live.calibration.set_cap(Pace { time: self.clock, every: live.every, rise, quota });
    }

    /// The present model becomes the reference of the alarm, and `start` the start of the ranks of its measures. The ranks of the oddity start
    /// without any: leave-one-out oddities are not exchangeable with those of new samples.
    fn watched(&self, model: &Model<X>, start: &X, in_a_row: &X, resets: u64) -> Result<Watched<X>> {
        let (n, size) = (model.reference().count(), model.reference().count().min(REFERENCE));
        let spaced: Vec<usize> = (0..size).map(|i| i * (n - 1) / (size - 1).max(1)).collect();
        let reference = self.fit(&model.reference().select(&spaced))?;
        let (watch, skipped) = Watch::new(start, &reference)?;
        let step = match self.params.step {
            Some(step) => step,
            None => thinning::first_uncorrelated_lag(&watch.values(in_a_row, &reference)?),
        };
        let rows: Vec<usize> = (skipped..start.count()).step_by(step).collect();
        let values = watch.values(&start.select(&rows), &reference)?;
        let window = self.params.window;
        let of_measures = values.iter().map(|values| Bag::new(window, values));
        let bags = std::iter::once(Bag::new(window, &[])).chain(of_measures).collect();
        let detector = Detector::new(watch.weights(), self.params.alarm_rate, resets);
        Ok(Watched { reference, watch, bags, detector, step, reset_at: self.clock, resets })
    }

    /// How long after a change it is decided whether it lasts.
    fn patience(&self, step: usize) -> u64 {
        self.params.settle.max(16 * step) as u64
    }

    /// Goes on to the next refresh, or to the end of `rows`, or until an alarm is to be decided on; how many samples that took.
    fn advance(&mut self, samples: &X, rows: &[usize], out: &mut Vec<Observed>) -> Result<usize> {
        let (Some(mut live), Some(mut own)) = (self.live.take(), self.samples.take()) else { return Ok(0) };
        let done = self.run(&mut live, &mut own, samples, rows, out);
        (self.live, self.samples) = (Some(live), Some(own));
        let done = done?;
        self.decide_pending()?;
        self.refresh_if_due()?;
        Ok(done)
    }

    fn run(
        &mut self,
        live: &mut Live<X>,
        own: &mut Samples<X>,
        samples: &X,
        rows: &[usize],
        out: &mut Vec<Observed>,
    ) -> Result<usize> {
        let most = live.every.saturating_sub(live.since_refresh).max(1);
        let patience = self.patience(live.watched.step);
        let until = |p: &Pending| (p.since + patience).saturating_sub(self.clock).max(1) as usize;
        let most = live.pending.as_ref().map_or(most, |pending| most.min(until(pending)));
        let mut part = samples.select(&rows[..rows.len().min(most)]);
        let decisions = live.model.decide_with(&part, Scoring::Fast, &Silent)?;
        let measured = live.watched.measure(&part, self.clock)?;
        if part.first_missing().is_some() {
            part = part.filled(live.model.reference())?;
        }
        let first = own.next_row();
        let mut done = 0;
        for (decision, values) in decisions.iter().zip(measured) {
            let member = Member { time: self.clock, row: first + done as u32 };
            out.push(self.take(live, own, member, decision, values));
            done += 1;
            self.clock += 1;
            live.since_refresh += 1;
            if live.pending.is_some_and(|p| self.clock >= p.since + patience) {
                break;
            }
        }
        own.append(part.select(&(0..done).collect::<Vec<_>>()));
        Ok(done)
    }

    /// Takes one sample, of which all measures are known.
    fn take(
        &mut self,
        live: &mut Live<X>,
        own: &mut Samples<X>,
        member: Member,
        decision: &Decision,
        values: Option<Vec<f64>>,
    ) -> Observed {
        let window = self.params.window;
        let n = live.calibration.len();
        let rank = live.calibration.rank(-decision.score);
        let accepted = rank > quota(&self.params.one_class, n);
        live.calibration.push(-decision.score);
        let is_due = values.is_some();
        let ranks = values.map_or_else(Vec::new, |values| {
            live.watched.ranks(&values, self.params.one_class.seed, member.time)
        });
        let bets = if is_due && live.pending.is_none() { live.watched.detector.bet(&ranks) } else { None };
        push(&mut own.recent, Recent { member, rejected: !accepted, ranks }, window);
        if accepted {
            push(&mut own.window, member, window);
        } else {
            push(&mut own.quarantine, member, (window / 4).max(64));
        }
        let alarm = bets.map(|measure| self.raise_alarm(live, own, measure));
        Observed {
            time: member.time - self.origin,
            score: decision.score,
            membership: decision.membership,
            p_value: rank as f64 / (n + 1) as f64,
            accepted,
            region: decision.region,
            learned: accepted,
            alarm,
        }
    }

    /// Learns the window anew if that is due.
    fn refresh_if_due(&mut self) -> Result<()> {
        if self.live.as_ref().is_none_or(|live| live.since_refresh < live.every) {
            return Ok(());
        }
        self.propose()?;
        self.refit()
    }

    /// Learns the window anew.
    fn refit(&mut self) -> Result<()> {
        let own = self.own_samples()?;
        own.compact()?;
        let window = own.window_set()?;
        let model = self.fit(&window)?;
        let every = self.refresh_every(window.count());
        if let Some(mut live) = self.live.take() {
            (live.model, live.every, live.since_refresh) = (model, every, 0);
            self.set_cap(&mut live);
            self.live = Some(live);
        }
        Ok(())
    }
}

impl<X: SampleKind> Watched<X> {
    /// The measures of samples from `time` on, the oddity first; of those that are not bet on, none.
    fn measure(&self, samples: &X, time: u64) -> Result<Vec<Option<Vec<f64>>>> {
        let is_due = |i: &usize| (time + *i as u64).is_multiple_of(self.step as u64);
        let due: Vec<usize> = (0..samples.count()).filter(is_due).collect();
        let mut measured = vec![None; samples.count()];
        if due.is_empty() {
            return Ok(measured);
        }
        let some = samples.select(&due);
        let decisions = self.reference.decide_with(&some, Scoring::Fast, &Silent)?;
        let values = self.watch.values(&some, &self.reference)?;
        for (at, (&i, decision)) in due.iter().zip(decisions).enumerate() {
            let others = values.iter().map(|values| values[at]);
            measured[i] = Some(std::iter::once(-decision.score).chain(others).collect());
        }
        Ok(measured)
    }

    /// The ranks of measures, which are put into the bags.
    fn ranks(&mut self, values: &[f64], seed: u64, time: u64) -> Vec<f64> {
        let rank = |(j, (bag, value)): (usize, (&mut Bag, &f64))| {
            // Lots of their own for the oddity and for all other measures.
            let (seed, number) = if j == 0 { (seed, 0) } else { (seed.wrapping_add(2), j as u64 - 1) };
            bag.rank(*value, lot(seed, time, number), lot(seed.wrapping_add(1), time, number))
        };
        self.bags.iter_mut().zip(values).enumerate().map(rank).collect()
    }
}

/// The answer for a sample that is learned before any is judged.
fn warming(time: u64) -> Observed {
    Observed {
        time,
        score: f64::NAN,
        membership: f64::NAN,
        p_value: f64::NAN,
        accepted: true,
        region: 0,
        learned: true,
        alarm: None,
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
