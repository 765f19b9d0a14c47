//! The registry of kinds of samples: vectors, strings, time series, mixed rows, graphs, records, precomputed rows.
//!
//! Everything the rest of the library knows about a kind is in one `impl` of [`SampleKind`]: its name, its measures,
//! its form, and how it is stored. [`Kinds`] lists them, one line each. If the kind is known only at run time, use
//! that list, or [`AnySamples`], [`AnyDissimilarity`], [`AnyModel`] and [`AnyStream`], which carry their kind at run
//! time.

mod any_dissimilarity;
mod any_model;
mod any_samples;
mod any_stream;
mod combined;
mod graphs;
mod known;
mod layout;
mod mixed;
mod precomputed;
mod record;
mod records;
mod series;
mod texts;
mod vectors;

use serde_json::Value;

use crate::dissimilarity::matched::Differences;
use crate::dissimilarity::{CUSTOM, Dissimilarity, Entry, Settings, State};
use crate::error::{Error, ModelFault, Result};
use crate::file::Contents;
use crate::graphs::Graphs;
use crate::model::{JudgeKind, Judges};
use crate::params::Preset;
use crate::sample::{MixedTable, Precomputed, SampleSet, SeriesSet, Texts, Vectors};
use crate::spelling::suggestion;
use crate::stream::{Stream, StreamParams};

pub use any_dissimilarity::{
    AnyChanged, AnyDissimilarity, AnyPrepared, AnyRowSearch, ErasedMeasure, ExternalCompute, ExternalRequest,
    ExternalRows, ExternalSearch,
};
pub use any_model::{AnyModel, ErasedModel};
pub use any_samples::{AnySamples, ErasedSamples};
pub use any_stream::{AnyStream, ErasedStream};
pub use combined::Combined;
pub use layout::Layout;
pub use record::{Part, Record, Records};

/// A kind of samples that the classifier knows by name, with measures and a form in model files.
pub trait SampleKind: SampleSet {
    /// Its name in messages and model files, in the plural.
    const NAME: &'static str;

    /// The key of this kind in the stored state of a record measure.
    const KEY: &'static str;

    /// The measures for these samples.
    fn catalogue() -> &'static [Entry<Self::Item>];

    /// The default measure of a preset; the first in the catalogue unless overridden.
    fn preset_measure(_preset: Preset) -> Option<&'static str> {
        None
    }

    /// Default settings of a measure under this preset.
    fn preset_settings(_preset: Preset, _measure: &str) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The form of the samples, for reading or converting others.
    fn layout(&self) -> Layout;

    /// Columns with levels unknown to `form`: name, number of samples affected, first unknown level.
    fn unknown_levels(&self, _form: &Layout) -> Vec<(String, usize, String)> {
        Vec::new()
    }

    /// The named parts of the samples, if they are records.
    fn parts(&self) -> Vec<Part> {
        Vec::new()
    }

    /// How sample `i` differs from sample `j` of `others` part by part, for display. `None` if samples of this kind have
    /// no parts, are too long to show, or the measure cannot say.
    fn differences(
        &self,
        _i: usize,
        _others: &Self,
        _j: usize,
        _measure: Option<&AnyDissimilarity>,
    ) -> Option<Differences> {
        None
    }

    /// Writes the samples as tensors whose names begin with `name`; returns everything that is not a tensor.
    fn write(&self, name: &str, out: &mut Contents) -> Value;

    /// Reads them back. `kinds`: which kinds the parts of a record may have.
    fn read(name: &str, contents: &Contents, meta: &Value, kinds: &Kinds) -> Result<Self>;

    /// Makes the named measure, or the default of the preset, with the preset's settings.
    fn measure(
        preset: Preset,
        name: Option<&str>,
        settings: &Settings,
    ) -> Result<Box<dyn Dissimilarity<Self::Item>>> {
        let entries = Self::catalogue();
        let entry = match name.or_else(|| Self::preset_measure(preset)) {
            None => entries.first(),
            Some(name) => entries.iter().find(|e| e.name == name),
        };
        let entry = entry.ok_or_else(|| {
            let names: Vec<_> = entries.iter().map(|e| e.name).collect();
            let given = name.unwrap_or("none");
            Error::parameter(
                "dissimilarity",
                format!("{given}{}", suggestion(given, names.iter().copied())),
                format!("one of {} for this data", names.join(", ")),
            )
        })?;
        let mut settings = settings.clone();
        for (key, value) in Self::preset_settings(preset, entry.name) {
            settings.default_to(key, value);
        }
        (entry.make)(&settings)
    }

    /// The measure with this name and stored state.
    fn restore_measure(
        name: &str,
        state: &State<'_>,
        _kinds: &Kinds,
    ) -> Result<Box<dyn Dissimilarity<Self::Item>>> {
        if name == CUSTOM {
            let text = "the model uses a custom dissimilarity; to load it, pass that function";
            return Err(ModelFault::Unsupported(text.into()).into());
        }
        let entry = Self::catalogue().iter().find(|e| e.name == name).ok_or_else(|| {
            ModelFault::Unsupported(format!("the model uses the unknown dissimilarity `{name}`"))
        })?;
        (entry.restore)(state)
    }
}

/// A kind of samples at run time; can be used without having samples.
#[derive(Clone, Copy)]
pub struct Kind {
    name: &'static str,
    key: &'static str,
    measures: fn() -> Vec<(&'static str, &'static str)>,
    measure: fn(Preset, Option<&str>, &Settings) -> Result<AnyDissimilarity>,
    restore_measure: fn(&str, &State<'_>, &Kinds) -> Result<AnyDissimilarity>,
    read_samples: fn(&str, &Contents, &Value, &Kinds) -> Result<AnySamples>,
    read_model: ReadModel,
    new_stream: fn(StreamParams, AnyDissimilarity) -> Result<AnyStream>,
    read_stream: fn(&Contents, &Kinds) -> Result<AnyStream>,
}

impl Kind {
    /// The kind of these samples.
    pub const fn new<X: SampleKind>() -> Self {
        Self {
            name: X::NAME,
            key: X::KEY,
            measures: || X::catalogue().iter().map(|e| (e.name, e.summary)).collect(),
            measure: |preset, name, settings| {
                Ok(AnyDissimilarity::new::<X>(X::measure(preset, name, settings)?))
            },
            restore_measure: |name, state, kinds| {
                Ok(AnyDissimilarity::new::<X>(X::restore_measure(name, state, kinds)?))
            },
            read_samples: |name, contents, meta, kinds| {
                let samples = X::read(name, contents, meta, kinds)?;
                crate::model::require_complete(&samples)?;
                Ok(AnySamples::new(samples))
            },
            read_model: |contents, kinds| {
                Ok(AnyModel::new(crate::Model::<X>::from_contents_of(contents, kinds, &Judges::default())?))
            },
            new_stream: |params, measure| {
                Ok(AnyStream::new(Stream::<X>::with_measure(params, measure.into_measure_of::<X>()?)?))
            },
            read_stream: |contents, kinds| {
                Ok(AnyStream::new(Stream::<X>::from_contents_of(contents, kinds)?))
            },
        }
    }

    /// Its name in messages and model files, in the plural.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The key of this kind in the stored state of a record measure.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// The names of its measures, each with a one-line description.
    pub fn measures(&self) -> Vec<(&'static str, &'static str)> {
        (self.measures)()
    }

    /// A stream of such samples that warms up with the first ones, with an unfitted measure.
    pub fn stream(&self, params: StreamParams, measure: AnyDissimilarity) -> Result<AnyStream> {
        (self.new_stream)(params, measure)
    }

    /// Makes the named measure, or the default of the preset, with the preset's settings.
    pub fn measure(
        &self,
        preset: Preset,
        name: Option<&str>,
        settings: &Settings,
    ) -> Result<AnyDissimilarity> {
        (self.measure)(preset, name, settings)
    }

    /// The measure with this name and stored state; `kinds` are used to restore the parts of records.
    pub fn restore_measure(&self, name: &str, state: &State<'_>, kinds: &Kinds) -> Result<AnyDissimilarity> {
        (self.restore_measure)(name, state, kinds)
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Kind {}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The registry: the library's kinds, kinds added by the caller, and judges added by the caller.
#[derive(Debug, Clone)]
pub struct Kinds {
    kinds: Vec<Kind>,
    judges: Vec<OuterJudge>,
}

/// How to read a model of these samples with this judge, which is not part of the library.
#[derive(Debug, Clone, Copy)]
struct OuterJudge {
    kind: &'static str,
    judge: &'static str,
    read_model: ReadModel,
}

type ReadModel = fn(&Contents, &Kinds) -> Result<AnyModel>;

impl Default for Kinds {
    /// The kinds of the library. **A new kind is one line here.**
    fn default() -> Self {
        let kinds = vec![
            Kind::new::<Vectors>(),
            Kind::new::<Precomputed>(),
            Kind::new::<Texts>(),
            Kind::new::<SeriesSet>(),
            Kind::new::<MixedTable>(),
            Kind::new::<Records>(),
            Kind::new::<Graphs>(),
        ];
        Self { kinds, judges: Vec::new() }
    }
}

impl Kinds {
    /// Adds a kind.
    #[must_use]
    pub fn with<X: SampleKind>(mut self) -> Self {
        self.kinds.push(Kind::new::<X>());
        self
    }

    /// Adds a judge from outside the library for models of such samples.
    #[must_use]
    pub fn with_judge<X: SampleKind, J: JudgeKind<X>>(mut self) -> Self {
        self.judges.push(OuterJudge {
            kind: X::NAME,
            judge: J::NAME,
            read_model: |contents, kinds| {
                let judges = Judges::default().with::<J>();
                Ok(AnyModel::new(crate::Model::<X>::from_contents_of(contents, kinds, &judges)?))
            },
        });
        self
    }

    /// Reads a model of one of these kinds.
    fn read_model(&self, contents: &Contents) -> Result<AnyModel> {
        let text = |key: &str| contents.meta.get(key).and_then(|k| k.as_str()).unwrap_or("nothing");
        let (kind, judge) = (text("kind"), text("judge"));
        let outer = self.judges.iter().find(|outer| outer.kind == kind && outer.judge == judge);
        let read = match outer {
            Some(outer) => outer.read_model,
            None => self.named(kind)?.read_model,
        };
        read(contents, self)
    }

    /// Reads a stream of samples of one of these kinds.
    fn read_stream(&self, contents: &Contents) -> Result<AnyStream> {
        let kind = contents.meta.get("kind").and_then(|k| k.as_str()).unwrap_or("nothing");
        (self.named(kind)?.read_stream)(contents, self)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter()
    }

    /// The kind with this name in model files.
    pub fn named(&self, name: &str) -> Result<&Kind> {
        self.find(name, |kind| kind.name)
    }

    pub(crate) fn keyed(&self, key: &str) -> Result<&Kind> {
        self.find(key, |kind| kind.key)
    }

    fn find(&self, wanted: &str, by: fn(&Kind) -> &'static str) -> Result<&Kind> {
        self.kinds.iter().find(|kind| by(kind) == wanted).ok_or_else(|| {
            ModelFault::Unsupported(format!(
                "the model was trained on {wanted}, which this version does not support"
            ))
            .into()
        })
    }
}

/// The error for mismatched kinds: samples, measures and models must be of the same kind.
fn different(expected: &str, found: &str) -> Error {
    Error::input(format!("the samples are {found}, but must be {expected}"))
}
