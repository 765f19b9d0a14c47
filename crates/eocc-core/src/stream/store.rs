//! Converts a stream to and from the contents of a file. The file is that of the present model, which anyone can score with; the
//! rest of the stream's state is stored next to it. Everything that is read is checked.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::calibration::Prequential;
use super::event::Events;
use super::history::History;
use super::live::{Live, Pending, no_committee};
use super::quartiles::Quartiles;
use super::samples::{Member, Recent, Samples};
use super::watch::Watch;
use super::watched::Watched;
use super::{Bag, Detector, Question, Stream, StreamParams};
use crate::dissimilarity::{CUSTOM, Dissimilarity, Settings};
use crate::error::{ModelFault, Result};
use crate::file::{Contents, damaged};
use crate::kinds::{Kinds, SampleKind};
use crate::model::{Judges, Model, WARMING_UP, WindowCommittee, require_complete};

/// The key of a stream in the description of a file, and the prefix of the names of its tensors.
const STREAM: &str = "stream";
/// The key of the reading options, as in any model file.
const READING: &str = "reading";
/// Later times are not exact as floating-point numbers.
const LAST_TIME: u64 = 1 << 53;

/// Everything that is not a tensor.
#[derive(Serialize, Deserialize)]
struct Stored {
    params: StreamParams,
    measure: String,
    settings: Vec<(String, String)>,
    clock: u64,
    origin: u64,
    events: Events,
    open: Vec<Question>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    before: Vec<(u64, Value)>,
    samples: Option<Value>,
    concepts: Vec<Value>,
    live: Option<StoredLive>,
}

#[derive(Serialize, Deserialize)]
struct StoredLive {
    every: usize,
    since_refresh: usize,
    since_relearn: usize,
    is_refreshed: bool,
    step: usize,
    reset_at: u64,
    resets: u64,
    columns: Vec<usize>,
    landmarks: Option<Value>,
    pending: Option<(usize, u64, u64)>,
    has_rejected: bool,
}

impl<X: SampleKind> Stream<X> {
    /// Everything needed to resume, as file contents. After warm-up they are also those of a model, whose calibration is that of
    /// the stream. A custom dissimilarity is stored by name only.
    pub fn to_contents(&self) -> Result<Contents> {
        let mut out = match &self.live {
            Some(live) => live.model.to_contents()?,
            None => Contents::default(),
        };
        if let Some(live) = &self.live {
            let scores = live.calibration.scores();
            out.put_f64("calibration", &[scores.len()], &scores);
        } else {
            out.meta = json!({ "kind": X::NAME, "judge": STREAM });
            let progress = format!("{} of {} samples", self.window_size(), self.params.warm_up);
            out.meta[WARMING_UP] = progress.into();
        }
        let samples = match &self.samples {
            Some(samples) => Some(write_samples(samples, &mut out)?),
            None => None,
        };
        let concepts = self.concepts.iter().enumerate();
        let concepts = concepts.map(|(i, set)| set.write(&format!("stream.concept.{i}"), &mut out)).collect();
        let before = self.before.iter();
        let before =
            before.map(|(id, set)| (*id, set.write(&format!("stream.before.{id}"), &mut out))).collect();
        let stored = Stored {
            params: self.params.clone(),
            measure: self.template.name().into(),
            settings: self.template.settings(),
            clock: self.clock,
            origin: self.origin,
            events: self.events.clone(),
            open: self.open.clone(),
            before,
            samples,
            concepts,
            live: self.live.as_ref().map(|live| live.write(&mut out)).transpose()?,
        };
        let history = self.history.numbers();
        out.put_f64("stream.history", &[history.len()], &history);
        out.meta[STREAM] =
            serde_json::to_value(stored).map_err(|e| ModelFault::Unsupported(e.to_string()))?;
        if let Some(reading) = &self.reading {
            out.meta[READING] = reading.clone();
        }
        Ok(out)
    }

    /// Saves the stream atomically: a killed save leaves the old file.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.to_contents()?.save(path)
    }

    /// Loads a stream of samples of this type.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_contents(&Contents::load(path)?)
    }

    /// From file contents.
    pub fn from_contents(contents: &Contents) -> Result<Self> {
        Self::from_contents_of(contents, &Kinds::default())
    }

    /// From file contents; `kinds` are used to restore the parts of records.
    pub fn from_contents_of(contents: &Contents, kinds: &Kinds) -> Result<Self> {
        Self::read(contents, kinds, None)
    }

    /// From file contents, with the custom dissimilarity that the stream was started with.
    pub fn from_contents_with(contents: &Contents, custom: Box<dyn Dissimilarity<X::Item>>) -> Result<Self> {
        Self::read(contents, &Kinds::default(), Some(custom))
    }

    /// The present model with the calibration of the stream, as it would be loaded from the saved stream.
    pub fn to_model(&self) -> Result<Model<X>> {
        let contents = self.to_contents()?;
        read_model(&contents, &Kinds::default(), self.template.as_ref())
    }

    fn read(
        contents: &Contents,
        kinds: &Kinds,
        custom: Option<Box<dyn Dissimilarity<X::Item>>>,
    ) -> Result<Self> {
        require_stream(contents)?;
        if contents.meta["kind"] != X::NAME {
            let text = format!("the stream is of {}, not of {}", contents.meta["kind"], X::NAME);
            return Err(ModelFault::Unsupported(text).into());
        }
        let stored = Stored::deserialize(&contents.meta[STREAM])
            .map_err(|e| damaged(format!("the description of the stream is not readable: {e}")))?;
        stored.params.check().map_err(|e| damaged(e.to_string()))?;
        let template = match custom {
            Some(custom) => custom,
            None if stored.measure == CUSTOM => {
                let text = "the stream uses a custom dissimilarity; to load it, pass that function";
                return Err(ModelFault::Unsupported(text.into()).into());
            }
            None => {
                let mut settings = Settings::default();
                stored.settings.iter().for_each(|(key, value)| settings.insert(key, value));
                X::measure(stored.params.one_class.preset, Some(&stored.measure), &settings)
                    .map_err(|e| damaged(e.to_string()))?
            }
        };
        if stored.clock >= LAST_TIME || stored.origin > stored.clock {
            return Err(damaged("the time of the stream is out of range".into()));
        }
        let mut samples = match &stored.samples {
            Some(meta) => Some(read_samples::<X>(contents, meta, kinds, &stored.params)?),
            None => None,
        };
        if let Some(samples) = samples.as_ref().filter(|_| stored.live.is_some() || !stored.params.impute) {
            require_complete(samples.form()).map_err(|e| damaged(e.to_string()))?;
        }
        let concept =
            |(i, meta): (usize, &Value)| read_set(&format!("stream.concept.{i}"), contents, meta, kinds);
        let concepts = stored.concepts.iter().enumerate().map(concept).collect::<Result<Vec<X>>>()?;
        let before = |(id, meta): &(u64, Value)| {
            Ok((*id, read_set(&format!("stream.before.{id}"), contents, meta, kinds)?))
        };
        let before = stored.before.iter().map(before).collect::<Result<Vec<(u64, X)>>>()?;
        let live = match (&stored.live, &mut samples) {
            (Some(live), Some(samples)) => {
                Some(live.read(contents, kinds, &stored.params, samples, template.as_ref())?)
            }
            (None, _) => None,
            (Some(_), None) => return Err(damaged("the stream has no samples".into())),
        };
        Ok(Self {
            params: stored.params,
            template,
            clock: stored.clock,
            origin: stored.origin,
            samples,
            live,
            concepts,
            events: stored.events,
            history: History::from_numbers(&contents.f64s("stream.history")?.0)?,
            open: stored.open,
            before,
            reading: contents.meta.get(READING).cloned(),
        })
    }
}

/// Fails unless the contents are those of a stream.
pub(crate) fn require_stream(contents: &Contents) -> Result<()> {
    if contents.meta.get(STREAM).is_some() {
        return Ok(());
    }
    let text = "it is a model, but not one that follows a stream; start a stream from it";
    Err(ModelFault::Unsupported(text.into()).into())
}

/// Complete samples.
fn read_set<X: SampleKind>(name: &str, contents: &Contents, meta: &Value, kinds: &Kinds) -> Result<X> {
    let samples = X::read(name, contents, meta, kinds)?;
    require_complete(&samples).map_err(|e| damaged(e.to_string()))?;
    Ok(samples)
}

fn read_model<X: SampleKind>(
    contents: &Contents,
    kinds: &Kinds,
    template: &dyn Dissimilarity<X::Item>,
) -> Result<Model<X>> {
    if contents.meta["dissimilarity"] == CUSTOM {
        return Model::from_contents_with(contents, template.boxed());
    }
    Model::from_contents_of(contents, kinds, &Judges::default())
}

impl<X: SampleKind> Live<X> {
    fn write(&self, out: &mut Contents) -> Result<StoredLive> {
        let (oddities, numbers) = self.calibration.parts();
        out.put_f64("stream.calibration", &[oddities.len()], &oddities);
        out.put_f64("stream.calibration.numbers", &[numbers.len()], &numbers);
        let watched = &self.watched;
        for (j, bag) in watched.bags.iter().enumerate() {
            let (values, counts) = bag.parts();
            out.put_f64(&format!("stream.bag.{j}.values"), &[values.len()], values);
            out.put_f64(&format!("stream.bag.{j}.counts"), &[counts.len()], &counts);
        }
        let bets = watched.detector.numbers();
        out.put_f64("stream.bets", &[bets.len()], &bets);
        out.put_u8("stream.reference", &watched.reference.to_contents()?.to_bytes());
        let landmarks = watched.watch.landmarks.as_ref().map(|set| set.write("stream.landmarks", out));
        let counts: Vec<u8> = self.committee.counts().iter().map(|c| u8::from(*c)).collect();
        out.put_u8("stream.slots.counts", &counts);
        out.put_u32("stream.slots.regions", &[counts.len()], self.committee.regions());
        Ok(StoredLive {
            every: self.every,
            since_refresh: self.since_refresh,
            since_relearn: self.since_relearn,
            is_refreshed: self.is_refreshed,
            step: watched.step,
            reset_at: watched.reset_at,
            resets: watched.resets,
            columns: watched.watch.columns.clone(),
            landmarks,
            pending: self.pending.map(|p| (p.measure, p.since, p.alarm)),
            has_rejected: self.has_rejected,
        })
    }
}

impl StoredLive {
    fn read<X: SampleKind>(
        &self,
        contents: &Contents,
        kinds: &Kinds,
        params: &StreamParams,
        samples: &mut Samples<X>,
        template: &dyn Dissimilarity<X::Item>,
    ) -> Result<Live<X>> {
        let mut model = read_model(contents, kinds, template)?;
        let committee = self.read_committee(contents, &mut model, samples)?;
        let nested = Contents::from_bytes(contents.u8s("stream.reference")?)?;
        let reference: Model<X> = read_model(&nested, kinds, template)?;
        let landmarks = self.landmarks.as_ref();
        let landmarks =
            landmarks.map(|meta| read_set("stream.landmarks", contents, meta, kinds)).transpose()?;
        let form = samples.form();
        let columns_fit = self.columns.iter().all(|&f| f < form.slots() && form.feature(f).is_some());
        if !columns_fit || self.step == 0 || self.every == 0 {
            return Err(damaged("the measures of the stream are out of range".into()));
        }
        let watch = Watch::from_parts(self.columns.clone(), landmarks, form);
        let count = watch.count();
        let bag = |j: usize| {
            let values = contents.f64s(&format!("stream.bag.{j}.values"))?.0;
            Bag::from_parts(params.window, values, &contents.f64s(&format!("stream.bag.{j}.counts"))?.0)
        };
        let bags = (0..count).map(bag).collect::<Result<Vec<Bag>>>()?;
        let mut detector = Detector::new(watch.weights(), params.alarm_rate, self.resets);
        detector.set_numbers(&contents.f64s("stream.bets")?.0)?;
        let ranked = samples.recent.iter().filter(|recent| recent.member.time >= self.reset_at);
        let ranks_fit = ranked.into_iter().all(|r| r.ranks.is_empty() || r.ranks.len() == count);
        if !ranks_fit || self.pending.is_some_and(|p| p.0 >= count) {
            return Err(damaged("the ranks of the stream are out of range".into()));
        }
        let numbers = contents.f64s("stream.calibration.numbers")?.0;
        let oddities = contents.f64s("stream.calibration")?.0;
        let calibration = Prequential::from_parts(params.window, oddities, &numbers)?;
        let pending = self.pending.map(|(measure, since, alarm)| Pending { measure, since, alarm });
        let (step, reset_at, resets) = (self.step, self.reset_at, self.resets);
        let watched = Watched { reference, watch, bags, detector, step, reset_at, resets };
        let mut live = Live {
            quartiles: Quartiles::new(model.reference()),
            model,
            committee,
            is_refreshed: self.is_refreshed,
            arrived: Vec::new(),
            calibration,
            every: self.every,
            since_refresh: self.since_refresh,
            since_relearn: self.since_relearn,
            watched,
            pending,
            reach: None,
            has_rejected: self.has_rejected,
        };
        let arrivals = samples.arrivals.clone();
        live.arrive(&samples.select(arrivals.into_iter())?)?;
        Ok(live)
    }

    /// The committee as it was after the last refresh. Lists and scores follow from the samples.
    fn read_committee<X: SampleKind>(
        &self,
        contents: &Contents,
        model: &mut Model<X>,
        samples: &mut Samples<X>,
    ) -> Result<WindowCommittee<X>> {
        let fault = || damaged("the slots of the stream are out of range".into());
        let counts: Vec<bool> = contents.u8s("stream.slots.counts")?.iter().map(|c| *c != 0).collect();
        let regions = contents.u32s("stream.slots.regions")?.0;
        let known = model.regions().len();
        let n = samples.slots.len();
        let fits = counts.len() == n && regions.len() == n && regions.iter().all(|r| (*r as usize) < known);
        let enough = counts.iter().filter(|c| **c).count() > model.trimmed().len().max(3);
        if !fits || !enough {
            return Err(fault());
        }
        let found = if self.is_refreshed {
            let slots = samples.slots.clone();
            let window = samples.select(slots.into_iter())?;
            let window = model.reference().conform(&window)?.into_owned();
            WindowCommittee::resume(model, window, counts, regions)
        } else if n == model.reference().count() {
            WindowCommittee::new(model)
        } else {
            return Err(fault());
        };
        found.ok_or_else(no_committee)
    }
}

fn write_samples<X: SampleKind>(samples: &Samples<X>, out: &mut Contents) -> Result<Value> {
    let meta = samples.all()?.write("stream.samples", out);
    write_members("window", samples.window.iter(), out);
    write_members("slots", samples.slots.iter(), out);
    write_members("arrivals", samples.arrivals.iter(), out);
    write_members("recent", samples.recent.iter().map(|recent| &recent.member), out);
    write_members("quarantine", samples.quarantine.iter(), out);
    let rejected: Vec<u8> = samples.recent.iter().map(|recent| u8::from(recent.rejected)).collect();
    out.put_u8("stream.recent.rejected", &rejected);
    let lengths: Vec<u32> = samples.recent.iter().map(|recent| recent.ranks.len() as u32).collect();
    out.put_u32("stream.recent.lengths", &[lengths.len()], &lengths);
    let ranks: Vec<f64> = samples.recent.iter().flat_map(|recent| recent.ranks.iter().copied()).collect();
    out.put_f64("stream.recent.ranks", &[ranks.len()], &ranks);
    Ok(meta)
}

fn write_members<'a>(name: &str, members: impl Iterator<Item = &'a Member>, out: &mut Contents) {
    let (times, rows): (Vec<f64>, Vec<u32>) = members.map(|member| (member.time as f64, member.row)).unzip();
    out.put_f64(&format!("stream.{name}.times"), &[times.len()], &times);
    out.put_u32(&format!("stream.{name}.rows"), &[rows.len()], &rows);
}

fn read_samples<X: SampleKind>(
    contents: &Contents,
    meta: &Value,
    kinds: &Kinds,
    params: &StreamParams,
) -> Result<Samples<X>> {
    let joined = X::read("stream.samples", contents, meta, kinds)?;
    let rows = joined.count();
    let mut samples = Samples::from_joined(joined);
    let fault = || damaged("the samples of the stream are out of range".into());
    samples.window = read_members("window", contents, rows)?.into();
    samples.slots = read_members("slots", contents, rows)?;
    samples.arrivals = read_members("arrivals", contents, rows)?;
    samples.quarantine = read_members("quarantine", contents, rows)?.into();
    let recent = read_members("recent", contents, rows)?;
    let rejected = contents.u8s("stream.recent.rejected")?;
    let lengths = contents.u32s("stream.recent.lengths")?.0;
    let ranks = contents.f64s("stream.recent.ranks")?.0;
    let total = lengths.iter().map(|l| u64::from(*l)).sum::<u64>();
    let is_sound = samples.window.len() <= params.window
        && samples.slots.len() <= params.window
        && samples.arrivals.len() <= params.window
        && recent.len() <= params.window
        && rejected.len() == recent.len()
        && lengths.len() == recent.len()
        && total == ranks.len() as u64
        && ranks.iter().all(|r| (0.0..=1.0).contains(r));
    if !is_sound {
        return Err(fault());
    }
    let mut rest = ranks.as_slice();
    for ((member, rejected), length) in recent.into_iter().zip(rejected).zip(lengths) {
        let (own, others) = rest.split_at(length as usize);
        rest = others;
        samples.recent.push_back(Recent { member, rejected: *rejected != 0, ranks: own.to_vec() });
    }
    Ok(samples)
}

fn read_members(name: &str, contents: &Contents, count: usize) -> Result<Vec<Member>> {
    let times = contents.f64s(&format!("stream.{name}.times"))?.0;
    let rows = contents.u32s(&format!("stream.{name}.rows"))?.0;
    let is_time = |t: &f64| (0.0..LAST_TIME as f64).contains(t);
    if times.len() != rows.len()
        || !times.iter().all(is_time)
        || rows.iter().any(|row| *row as usize >= count)
    {
        return Err(damaged(format!("the samples of the stream are out of range: {name}")));
    }
    Ok(times.into_iter().zip(rows).map(|(time, row)| Member { time: time as u64, row }).collect())
}
