//! Dissimilarities `d_I(x, r; p)`: the only thing the classifier computes from the data [LA17, sec. III-A].
//!
//! A new measure is a new file here and a line in the catalogue of its sample kind: in `text/` and `series/` for
//! strings and time series, in `kinds/` for all other kinds. CONTRIBUTING.md lists the other places that name it.

mod cache;
pub(crate) mod cosine;
mod custom;
mod external;
pub mod ged;
pub(crate) mod gower;
pub(crate) mod histogram;
pub(crate) mod mahalanobis;
pub mod matched;
pub(crate) mod minkowski;
pub(crate) mod precomputed;
mod prepared;
mod ranks;
mod remote_search;
mod scaling;
pub(crate) mod series;
mod settings;
mod shares;
pub(crate) mod sight;
pub(crate) mod text;
mod viewed;
pub(crate) mod views;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{ModelFault, Result};
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::sample::Sample;

pub use crate::numbers::State;
pub use cache::SearchCache;
pub use cosine::Cosine;
pub use custom::{CUSTOM, CustomDissimilarity};
pub use external::{ComputeRows, ExternalMatrix};
pub use ged::GraphEdit;
pub use gower::{Gower, Mean};
pub use histogram::{Histogram, HistogramKind};
pub use mahalanobis::Mahalanobis;
pub use minkowski::{Minkowski, Order};
pub use precomputed::PrecomputedLookup;
use prepared::PairByPair;
pub use prepared::{Index, Nearest, Prepared, Query};
pub use remote_search::{RemoteSearch, RowWork, RowsFound};
pub use scaling::{FeatureWeights, Scaling};
pub use series::{Dtw, Elastic, ElasticMeasure, Local};
pub use settings::Settings;
pub(crate) use settings::setting;
pub(crate) use shares::of_terms as shares_of_terms;
pub(crate) use sight::SEEN_WHOLE;
pub use sight::{Bag, Sight};
pub use text::{Alignment, Costs, JaroWinkler, Levenshtein, Osa, SubstitutionMatrix, Unit, are_nucleic};
pub use viewed::{Changed, FeaturesOf, LeaveOneOut, LeftOutScores, Panel, View};
pub use views::{TableRow, Views};

/// One component of `p`: what a search may change, and its current value.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Name, unique within the dissimilarity.
    pub name: String,
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
    /// Current value.
    pub value: f64,
}

/// Properties of a measure as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // These are independent facts.
pub struct Properties {
    /// Whether `between(a, b)` equals `between(b, a)`. If not, the graph cannot be built on it directly.
    pub symmetric: bool,
    /// Whether the triangle inequality holds.
    pub metric: bool,
    /// Whether p-values need cross-validation: fitting this measure moves training samples closer together than new
    /// ones, and it has no exact [leave-one-out](Dissimilarity::leave_one_out). Only effects that matter with few
    /// samples count: scales and covariances have one, a list of occurring letters has not.
    pub needs_fold_calibration: bool,
    /// Whether missing values are accepted in new samples, even if no training sample has any.
    pub takes_missing: bool,
}

impl Default for Properties {
    fn default() -> Self {
        Self { symmetric: true, metric: false, needs_fold_calibration: false, takes_missing: false }
    }
}

/// A non-negative dissimilarity between samples of type `S`, with parameters `p`.
///
/// Life cycle: it is made from settings, [learns](Self::learn) what it needs from the training samples, a search
/// [sets](Self::set) its parameters, and the fitted model stores it.
///
/// Laws, tested for every measure of the catalogue: `between(a, b)` is finite and not negative, zero for equal
/// samples, symmetric if declared so; `prepare` and all batch methods give exactly what `between` gives.
pub trait Dissimilarity<S: ?Sized>: Send + Sync {
    /// Name in the catalogue, on the command line and in model files.
    fn name(&self) -> &'static str;

    /// The dissimilarity of two samples.
    fn between(&self, a: &S, b: &S) -> f64;

    /// Checks that `sample` has the form of the training samples (such as the right number of features) and that the
    /// measure is defined for it.
    fn check(&self, _sample: &S) -> Result<()> {
        Ok(())
    }

    /// Fits everything that needs no search: number of features, scales, covariance.
    fn learn(&mut self, _samples: &[&S], _names: &[String]) -> Result<()> {
        Ok(())
    }

    /// The parameters `p`, with range and current value.
    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    /// Sets the parameters, in the order of [`parameters`](Self::parameters).
    fn set(&mut self, _p: &[f64]) {}

    /// Its properties as a whole.
    fn properties(&self) -> Properties {
        Properties::default()
    }

    /// The share of each feature in `between(a, b)`: non-negative; the shares sum to 1, or are 0 if no feature makes
    /// a difference. Empty for samples without features.
    fn shares(&self, _a: &S, _b: &S) -> Vec<f64> {
        Vec::new()
    }

    /// Everything needed to recreate this dissimilarity; read by the catalogue's `restore`. `None` if it cannot be
    /// stored (a custom function).
    fn state(&self) -> Option<Value>;

    /// The settings that recreate the unfitted measure, by name. Parameters that a search has moved have their current
    /// values.
    fn settings(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// A copy.
    fn boxed(&self) -> Box<dyn Dissimilarity<S>>;

    // How it compares one sample with many, fast. Everything equals `between`, bit for bit.

    /// Prepares `many` for comparison with a series of single samples. The default compares pair by pair. The result
    /// owns its data, so that a model can store it.
    fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>>
    where
        S: Sample,
    {
        PairByPair::new(self.boxed(), many)
    }

    /// Like [`prepare`](Self::prepare), reusing what the `cache` holds for these samples under other parameters.
    fn prepare_cached<'s>(&self, many: &[&'s S], _cache: &mut SearchCache<'s>) -> Box<dyn Prepared<S>>
    where
        S: Sample,
    {
        self.prepare(many)
    }

    /// How long comparisons with `sample` take, relative to other samples: samples of similar effort are grouped.
    fn effort(&self, _sample: &S) -> usize {
        0
    }

    /// The matrix of all `samples` to the prototypes with these indices, reusing what the `cache` holds under other
    /// parameters. `None` if that is not supported.
    fn assemble<'s>(
        &self,
        _samples: &[&'s S],
        _prototypes: &[usize],
        _cache: &mut SearchCache<'s>,
        _observer: &dyn Observer,
    ) -> Option<Result<Matrix>> {
        None
    }

    /// Coordinates whose Euclidean distance is this dissimilarity, if there are such coordinates; neighbors can then be
    /// found with a matrix product.
    fn coordinates(&self, _samples: &[&S]) -> Option<Matrix> {
        None
    }

    /// Whether computing a row is faster than storing and rereading a matrix of them.
    fn is_cheap_per_row(&self) -> bool {
        false
    }

    /// Whether the result of [`prepare`](Self::prepare) supports [`Prepared::nearest`].
    fn has_bounds(&self) -> bool {
        false
    }

    /// Numbers per sample in an [index](Self::index); `None` if there is no index.
    fn index_width(&self) -> Option<usize> {
        None
    }

    /// An index of `many`, the first `counting` of which count as neighbors; `None` if not supported.
    fn index(&self, _many: &[&S], _counting: usize) -> Option<Box<dyn Index<S>>> {
        None
    }

    /// The workers that share a neighbor search among this many samples, if the measure is distributed.
    fn remote_search(&self, _samples: usize) -> Option<&dyn RemoteSearch> {
        None
    }

    // Further inputs for a committee. These are called after `learn`, with the training samples.

    /// Parts and a summary of a sample, for additional views. `None` if only this dissimilarity is known.
    fn sight(&self) -> Option<Box<dyn Sight<S>>> {
        None
    }

    /// The views of the committee: this measure and those derived from its [sight](Self::sight).
    /// [`between`](Self::between) is the distance of the first.
    fn views(&self, samples: &[&S]) -> Vec<View<S>>
    where
        S: Sample,
    {
        sight::views(self.name(), self.boxed(), self.sight(), samples)
    }

    /// The total weight of all views and panels.
    fn total_weight(&self) -> f64 {
        sight::total_weight(self.sight().is_some())
    }

    /// Additional scores (panels), computed from the untrimmed samples `kept`.
    fn panels(&self, samples: &[&S], kept: &[u32]) -> Vec<Box<dyn Panel<S>>>
    where
        S: Sample,
    {
        sight::panels(self.sight(), samples, kept)
    }

    /// Leave-one-out distances: each as if the measure had been fitted without the sample. `None` if fitting has no
    /// effect that matters, or this is not supported.
    fn leave_one_out(&self, samples: &[&S]) -> Option<Box<dyn LeaveOneOut>>
    where
        S: Sample,
    {
        sight::leave_one_out(self.sight(), samples)
    }

    /// The features that are constant in training and differ in a new sample.
    fn changed(&self, samples: &[&S]) -> Option<Changed<S>>
    where
        S: Sample,
    {
        sight::changed(self.sight(), samples)
    }

    /// Whether two samples are copies of each other, up to rounding in a round trip through text. With `None`, samples
    /// at distance zero in every view are copies.
    fn is_copy(&self, _a: &S, _b: &S) -> Option<bool> {
        None
    }
}

/// Restores a measure from its stored state; `validate` returns the measure if its values are in range.
fn restored<D: DeserializeOwned, S: ?Sized>(
    state: &State<'_>,
    validate: impl FnOnce(D) -> Option<Box<dyn Dissimilarity<S>>>,
) -> Result<Box<dyn Dissimilarity<S>>> {
    validate(state.read()?)
        .ok_or_else(|| ModelFault::Damaged("the dissimilarity's state is out of range".into()).into())
}

/// One line of a catalogue: a measure by name.
pub struct Entry<S: ?Sized> {
    /// Name, as in [`Dissimilarity::name`].
    pub name: &'static str,
    /// A one-line description.
    pub summary: &'static str,
    /// Makes it from settings.
    pub make: fn(&Settings) -> Result<Box<dyn Dissimilarity<S>>>,
    /// Makes it from [`Dissimilarity::state`].
    pub restore: fn(&State<'_>) -> Result<Box<dyn Dissimilarity<S>>>,
}
