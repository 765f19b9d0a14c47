//! Samples whose kind is known only at run time.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{AnyDissimilarity, AnyModel, Kind, Kinds, Layout, SampleKind, different};
use crate::dissimilarity::Settings;
use crate::error::Result;
use crate::file::Contents;
use crate::observer::Observer;
use crate::params::{Preset, ValidParams};

/// A set of samples of some [kind](SampleKind). A copy shares the samples.
#[derive(Clone)]
pub struct AnySamples(Arc<dyn Erased>);

/// What can be done with samples without knowing their type.
trait Erased: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn kind(&self) -> Kind;
    fn count(&self) -> usize;
    fn select(&self, indices: &[usize]) -> AnySamples;
    fn features(&self) -> usize;
    fn bytes(&self) -> usize;
    fn feature_names(&self) -> &[String];
    fn layout(&self) -> Layout;
    fn conform(&self, samples: &AnySamples) -> Result<AnySamples>;
    fn write(&self, name: &str, out: &mut Contents) -> Value;
    fn fit(
        &self,
        params: &ValidParams,
        measure: AnyDissimilarity,
        observer: &dyn Observer,
    ) -> Result<AnyModel>;
}

impl<X: SampleKind> Erased for X {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn kind(&self) -> Kind {
        Kind::of::<X>()
    }

    fn count(&self) -> usize {
        X::count(self)
    }

    fn select(&self, indices: &[usize]) -> AnySamples {
        AnySamples::new(X::select(self, indices))
    }

    fn features(&self) -> usize {
        X::features(self)
    }

    fn bytes(&self) -> usize {
        X::bytes(self)
    }

    fn feature_names(&self) -> &[String] {
        X::feature_names(self)
    }

    fn layout(&self) -> Layout {
        X::layout(self)
    }

    fn conform(&self, samples: &AnySamples) -> Result<AnySamples> {
        match X::conform(self, samples.expect::<X>()?)? {
            Cow::Borrowed(_) => Ok(samples.clone()),
            Cow::Owned(conformed) => Ok(AnySamples::new(conformed)),
        }
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        X::write(self, name, out)
    }

    fn fit(
        &self,
        params: &ValidParams,
        measure: AnyDissimilarity,
        observer: &dyn Observer,
    ) -> Result<AnyModel> {
        Ok(AnyModel::new(params.fit_with(self, measure.into_measure_of::<X>()?, observer)?))
    }
}

impl std::fmt::Debug for AnySamples {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.count(), self.kind().name())
    }
}

impl<X: SampleKind> From<X> for AnySamples {
    fn from(samples: X) -> Self {
        Self::new(samples)
    }
}

impl AnySamples {
    /// Takes samples whose type is known here.
    pub fn new<X: SampleKind>(samples: X) -> Self {
        Self(Arc::new(samples))
    }

    /// The samples as the type they are, if it is this one.
    pub fn downcast_ref<X: SampleKind>(&self) -> Option<&X> {
        self.0.as_any().downcast_ref()
    }

    pub(crate) fn expect<X: SampleKind>(&self) -> Result<&X> {
        self.downcast_ref().ok_or_else(|| different(X::NAME, self.kind().name()))
    }

    /// Their kind.
    pub fn kind(&self) -> Kind {
        self.0.kind()
    }

    /// Number of samples.
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// The samples with these indices, in this order.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        self.0.select(indices)
    }

    /// Number of features, for samples that have a fixed number; else 0.
    pub fn features(&self) -> usize {
        self.0.features()
    }

    /// Bytes that the samples take, roughly.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Names of the features, where the samples have names for them.
    pub fn feature_names(&self) -> &[String] {
        self.0.feature_names()
    }

    /// What samples of the same form look like.
    pub fn layout(&self) -> Layout {
        self.0.layout()
    }

    /// Other samples in the form of these, the training samples; says what differs if that cannot be.
    pub fn conform(&self, samples: &Self) -> Result<Self> {
        self.0.conform(samples)
    }

    /// Makes the named measure for them, or the one of the preset's choice.
    pub fn measure(
        &self,
        preset: Preset,
        name: Option<&str>,
        settings: &Settings,
    ) -> Result<AnyDissimilarity> {
        self.kind().measure(preset, name, settings)
    }

    /// Fits a model of them under `measure`, watched.
    pub fn fit(
        &self,
        params: &ValidParams,
        measure: AnyDissimilarity,
        observer: &dyn Observer,
    ) -> Result<AnyModel> {
        self.0.fit(params, measure, observer)
    }

    /// Writes the samples as tensors whose names begin with `name`; returns what is not a tensor.
    pub(crate) fn write(&self, name: &str, out: &mut Contents) -> Value {
        self.0.write(name, out)
    }

    /// As contents of a file, to send them to another machine. Rows of precomputed dissimilarities are left behind.
    pub fn to_contents(&self) -> Contents {
        let mut out = Contents::default();
        let samples = self.write("samples", &mut out);
        out.meta = json!({ "kind": self.kind().name(), "samples": samples });
        out
    }

    /// Reads them back.
    pub fn from_contents(contents: &Contents) -> Result<Self> {
        let kinds = Kinds::default();
        let name = contents.meta["kind"].as_str().unwrap_or("nothing");
        let kind = kinds.named(name)?;
        (kind.read_samples)("samples", contents, &contents.meta["samples"], &kinds)
    }
}
