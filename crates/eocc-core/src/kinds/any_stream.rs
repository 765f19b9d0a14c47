//! A stream of samples whose kind is known only at run time.

use std::any::Any;
use std::path::Path;

use super::{AnyModel, AnySamples, Kind, Kinds, SampleKind};
use crate::dissimilarity::Settings;
use crate::error::{Error, Result};
use crate::file::Contents;
use crate::params::Preset;
use crate::stream::{Event, Observed, Period, Stream, StreamParams};

/// A stream of samples of some [kind](SampleKind).
pub struct AnyStream(Box<dyn ErasedStream>);

/// The methods of a stream without the type of its samples; see [`Stream`] for each of these.
pub trait ErasedStream: Send + Sync {
    #[doc(hidden)]
    fn as_any(&self) -> &dyn Any;
    /// The kind of its samples.
    fn kind(&self) -> Kind;
    /// The parameters.
    fn params(&self) -> &StreamParams;
    /// How many samples have been observed, including the warm-up.
    fn seen(&self) -> u64;
    /// Whether the stream is still warming up.
    fn is_warming_up(&self) -> bool;
    /// How many samples the stream learns from.
    fn window_size(&self) -> usize;
    /// How close the stream is to an alarm, which occurs at 1.
    fn alarm_level(&self) -> f64;
    /// Only every `step`-th observation is bet on, because of serial dependence.
    fn step(&self) -> usize;
    /// The latest events, oldest first.
    fn events(&self) -> Vec<Event>;
    /// The events that wait for an answer.
    fn questions(&self) -> Vec<Event>;
    /// The times of the samples in an open proposal; `None` for other events.
    fn samples_of(&self, id: u64) -> Option<Vec<u64>>;
    /// How many of the samples that the stream learns from came since a time.
    fn learned_since(&self, time: u64) -> usize;
    /// The stream over time, oldest first: at most 512 periods, however long it is.
    fn history(&self) -> &[Period];
    /// Judges some rows one by one and learns from each before the next; decisions are added to `out`, up to the
    /// first error.
    fn observe_rows(&mut self, samples: &AnySamples, rows: &[usize], out: &mut Vec<Observed>) -> Result<()>;
    /// Confirms a lasting change or a proposal as nominal.
    fn confirm(&mut self, id: u64) -> Result<()>;
    /// Dismisses it.
    fn dismiss(&mut self, id: u64) -> Result<()>;
    /// The current model with the calibration of the stream.
    fn to_model(&self) -> Result<AnyModel>;
    /// Everything needed to continue, as file contents.
    fn to_contents(&self) -> Result<Contents>;
    /// How samples were read, if stored.
    fn reading(&self) -> Option<&serde_json::Value>;
    /// Stores how samples were read, for reading more of them.
    fn set_reading(&mut self, reading: Option<serde_json::Value>);
}

impl<X: SampleKind> ErasedStream for Stream<X> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn kind(&self) -> Kind {
        Kind::new::<X>()
    }

    fn params(&self) -> &StreamParams {
        Stream::params(self)
    }

    fn seen(&self) -> u64 {
        Stream::seen(self)
    }

    fn is_warming_up(&self) -> bool {
        Stream::is_warming_up(self)
    }

    fn window_size(&self) -> usize {
        Stream::window_size(self)
    }

    fn alarm_level(&self) -> f64 {
        Stream::alarm_level(self)
    }

    fn step(&self) -> usize {
        Stream::step(self)
    }

    fn events(&self) -> Vec<Event> {
        Stream::events(self).cloned().collect()
    }

    fn questions(&self) -> Vec<Event> {
        Stream::questions(self).cloned().collect()
    }

    fn samples_of(&self, id: u64) -> Option<Vec<u64>> {
        Stream::samples_of(self, id)
    }

    fn learned_since(&self, time: u64) -> usize {
        Stream::learned_since(self, time)
    }

    fn history(&self) -> &[Period] {
        Stream::history(self)
    }

    fn observe_rows(&mut self, samples: &AnySamples, rows: &[usize], out: &mut Vec<Observed>) -> Result<()> {
        Stream::observe_rows(self, samples.expect::<X>()?, rows, out)
    }

    fn confirm(&mut self, id: u64) -> Result<()> {
        Stream::confirm(self, id)
    }

    fn dismiss(&mut self, id: u64) -> Result<()> {
        Stream::dismiss(self, id)
    }

    fn to_model(&self) -> Result<AnyModel> {
        let mut model = AnyModel::new(Stream::to_model(self)?);
        model.set_reading(Stream::reading(self).cloned());
        Ok(model)
    }

    fn to_contents(&self) -> Result<Contents> {
        Stream::to_contents(self)
    }

    fn reading(&self) -> Option<&serde_json::Value> {
        Stream::reading(self)
    }

    fn set_reading(&mut self, reading: Option<serde_json::Value>) {
        Stream::set_reading(self, reading);
    }
}

impl std::ops::Deref for AnyStream {
    type Target = dyn ErasedStream;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

impl std::ops::DerefMut for AnyStream {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_mut()
    }
}

impl AnyStream {
    /// Takes a stream whose type is known here.
    pub fn new<X: SampleKind>(stream: Stream<X>) -> Self {
        Self(Box::new(stream))
    }

    /// A stream that warms up with its first samples, with the measure of `default` for their kind.
    pub fn start(params: StreamParams, kind: &Kind) -> Result<Self> {
        let measure = kind.measure(Preset::Default, None, &Settings::default())?;
        kind.stream(params, measure)
    }

    /// A stream that starts from a model, whose training samples become its first window. Carries over how samples
    /// were read.
    pub fn from_model(params: StreamParams, model: &AnyModel) -> Result<Self> {
        let mut stream = model.typed_stream(params)?;
        stream.set_reading(model.reading().cloned());
        Ok(stream)
    }

    /// The stream as its concrete type, if it is for these samples.
    pub fn downcast_ref<X: SampleKind>(&self) -> Option<&Stream<X>> {
        self.0.as_any().downcast_ref()
    }

    /// Judges one sample of a set, and learns from it.
    pub fn observe(&mut self, samples: &AnySamples, row: usize) -> Result<Observed> {
        let mut observed = Vec::with_capacity(1);
        self.0.observe_rows(samples, &[row], &mut observed)?;
        observed.pop().ok_or_else(|| Error::input("there is no sample"))
    }

    /// Judges samples one by one, and learns from each before the next.
    pub fn observe_all(&mut self, samples: &AnySamples) -> Result<Vec<Observed>> {
        let rows: Vec<usize> = (0..samples.count()).collect();
        let mut observed = Vec::with_capacity(rows.len());
        self.0.observe_rows(samples, &rows, &mut observed)?;
        Ok(observed)
    }

    /// Loads a stream of any kind.
    pub fn load(path: &Path) -> Result<Self> {
        Contents::load_as(path, Self::from_contents)
    }

    /// From file contents.
    pub fn from_contents(contents: &Contents) -> Result<Self> {
        Kinds::default().read_stream(contents)
    }

    /// Saves the stream atomically: if the process is killed, the old file remains.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.to_contents()?.save(path)
    }
}
