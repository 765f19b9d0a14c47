//! Dissimilarities `d_I(x, r; p)`: the only thing the classifier ever asks of the data [LA17, sec. III-A].
//!
//! A new measure is one new file here and one line in the catalogue of its kind of samples: in `text/` and `series/` for
//! strings and time series, in `kinds/` for all others. CONTRIBUTING.md has the other places that name it.

mod cache;
pub(crate) mod cosine;
mod custom;
mod elsewhere;
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
pub use elsewhere::{Elsewhere, RowWork, RowsFound};
pub use external::{ComputeRows, ExternalMatrix};
pub use ged::GraphEdit;
pub use gower::{Gower, Mean};
pub use histogram::{Histogram, Kind as HistogramKind};
pub use mahalanobis::Mahalanobis;
pub use minkowski::{Minkowski, Order};
pub use precomputed::PrecomputedLookup;
use prepared::PairByPair;
pub use prepared::{Index, Nearest, Prepared, Query};
pub use scaling::{FeatureWeights, Scaling};
pub use series::{Dtw, Elastic, ElasticMeasure, Local};
pub use settings::Settings;
pub(crate) use settings::setting;
pub(crate) use shares::of_terms as shares_of_terms;
pub(crate) use sight::SEEN_WHOLE;
pub use sight::{Bag, Sight};
pub use text::{Alignment, Costs, JaroWinkler, Levenshtein, Osa, SubstitutionMatrix, Unit};
pub use viewed::{Changed, FeaturesOf, LeaveOneOut, LeftOutScores, Panel, View};
pub use views::{TableRow, Views};

/// One component of `p`: what a search may change, and its present value.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Name, unique within the dissimilarity.
    pub name: String,
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
    /// Present value.
    pub value: f64,
}

/// What holds for a measure as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub struct Properties {
    /// Whether `between(a, b)` and `between(b, a)` are the same. If not, the graph cannot be built on it directly.
    pub symmetric: bool,
    /// Whether the triangle inequality holds.
    pub metric: bool,
    /// Whether what it learns makes the training samples closer to each other than new ones are to them, by a share
    /// that matters while samples are few (scales and covariances do, a list of the letters that occur does not), and it
    /// cannot [leave one out](Dissimilarity::leave_one_out). P-values then come from models that have not seen the sample.
    pub needs_fold_calibration: bool,
    /// Whether a new sample may lack values that no training sample lacks.
    pub takes_missing: bool,
}

impl Default for Properties {
    fn default() -> Self {
        Self { symmetric: true, metric: false, needs_fold_calibration: false, takes_missing: false }
    }
}

/// A non-negative dissimilarity between samples of type `S`, with parameters `p`.
///
/// The life of one: it is made from settings, [learns](Self::learn) what it needs from the training samples,
/// a search [sets](Self::set) its parameters, and the fitted model keeps it.
///
/// Laws, tested for every measure of the catalogue: `between(a, b)` is finite and not negative, zero for equal
/// samples, symmetric where it says so; `prepare` and all that compares many give exactly what `between` gives.
pub trait Dissimilarity<S: ?Sized>: Send + Sync {
    /// Name in the catalogue, on the command line and in model files.
    fn name(&self) -> &'static str;

    /// The dissimilarity of two samples.
    fn between(&self, a: &S, b: &S) -> f64;

    /// Checks that `sample` is of the form that was learned from (the right number of features, say) and that the
    /// measure is defined for it.
    fn check(&self, _sample: &S) -> Result<()> {
        Ok(())
    }

    /// Learns from the training samples whatever does not need a search: number of features, scales, covariance.
    fn learn(&mut self, _samples: &[&S], _names: &[String]) -> Result<()> {
        Ok(())
    }

    /// The parameters `p`, with range and present value.
    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    /// Sets the parameters, in the order of [`parameters`](Self::parameters).
    fn set(&mut self, _p: &[f64]) {}

    /// What holds for it as a whole.
    fn properties(&self) -> Properties {
        Properties::default()
    }

    /// The share of each feature in `between(a, b)`: not negative, with sum 1, or 0 where no feature makes a
    /// difference. Empty for samples without features.
    fn shares(&self, _a: &S, _b: &S) -> Vec<f64> {
        Vec::new()
    }

    /// Everything needed to make this dissimilarity again; read by the catalogue's `restore`.
    /// `None` if it cannot be stored (a custom function).
    fn state(&self) -> Option<Value>;

    /// The settings that make it anew, as it was before it learned: all that it has, by name. Parameters that a search has
    /// moved are given as they stand.
    fn settings(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// A copy.
    fn boxed(&self) -> Box<dyn Dissimilarity<S>>;

    // How it compares one sample with many, fast. Everything gives exactly what `between` gives, to the bit.

    /// Prepares one side, `many`, to be compared with one sample after another; pair by pair unless overridden. What is
    /// returned stands by itself, so that a model can keep it.
    fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>>
    where
        S: Sample,
    {
        PairByPair::new(self.boxed(), many)
    }

    /// The same by way of what the `cache` holds of these samples under other parameters.
    fn prepare_cached<'s>(&self, many: &[&'s S], _cache: &mut SearchCache<'s>) -> Box<dyn Prepared<S>>
    where
        S: Sample,
    {
        self.prepare(many)
    }

    /// How long comparisons with `sample` take, relative to other samples: samples of like effort are put side by side.
    fn effort(&self, _sample: &S) -> usize {
        0
    }

    /// The matrix of all `samples` to the prototypes with these indices, by way of what the `cache` holds of it under
    /// other parameters. `None` where there is no such way.
    fn assemble<'s>(
        &self,
        _samples: &[&'s S],
        _prototypes: &[usize],
        _cache: &mut SearchCache<'s>,
        _observer: &dyn Observer,
    ) -> Option<Result<Matrix>> {
        None
    }

    /// Coordinates whose Euclidean distance is this dissimilarity, if there are any: then neighbors can be found
    /// by a matrix product.
    fn coordinates(&self, _samples: &[&S]) -> Option<Matrix> {
        None
    }

    /// Whether rows are computed faster than a matrix of them can be kept and looked at again.
    fn fills_rows_fast(&self) -> bool {
        false
    }

    /// Whether what [`prepare`](Self::prepare) returns answers [`Prepared::nearest`].
    fn has_bounds(&self) -> bool {
        false
    }

    /// Numbers that a sample takes in an [index](Self::index); `None` where there is none.
    fn index_width(&self) -> Option<usize> {
        None
    }

    /// An index of `many`, of which the first `counting` count as neighbors; `None` where there is no such way.
    fn index(&self, _many: &[&S], _counting: usize) -> Option<Box<dyn Index<S>>> {
        None
    }

    /// Who does parts of a search among so many samples elsewhere; nobody, unless the measure was made for that.
    fn elsewhere(&self, _samples: usize) -> Option<&dyn Elsewhere> {
        None
    }

    // What it tells a committee besides its distances. All of it is asked after learning, with the samples that it learned from.

    /// What else there is to see in a sample: its parts and a summary of it. `None` where nothing is known of samples but this
    /// dissimilarity.
    fn sight(&self) -> Option<Box<dyn Sight<S>>> {
        None
    }

    /// The views that a committee judges by: itself, and what its [sight](Self::sight) adds. The first is the one that
    /// [`between`](Self::between) is the distance of.
    fn views(&self, samples: &[&S]) -> Vec<View<S>>
    where
        S: Sample,
    {
        sight::views(self.name(), self.boxed(), self.sight(), samples)
    }

    /// What all views and panels count together.
    fn total_weight(&self) -> f64 {
        sight::total_weight(self.sight().is_some())
    }

    /// Scores besides those of the views, by the samples `kept` as neighbors.
    fn panels(&self, samples: &[&S], kept: &[u32]) -> Vec<Box<dyn Panel<S>>>
    where
        S: Sample,
    {
        sight::panels(self.sight(), samples, kept)
    }

    /// Distances of the samples, as if it had learned without one of them; `None` where it learns nothing that matters, or cannot
    /// tell.
    fn leave_one_out(&self, samples: &[&S]) -> Option<Box<dyn LeaveOneOut>>
    where
        S: Sample,
    {
        sight::leave_one_out(self.sight(), samples)
    }

    /// The features in which all of the samples agree and a new one differs.
    fn changed(&self, samples: &[&S]) -> Option<Changed<S>>
    where
        S: Sample,
    {
        sight::changed(self.sight(), samples)
    }

    /// Whether two samples are copies of each other, give or take what a number loses when it is written and read again. `None`:
    /// copies are those at distance zero in every view.
    fn is_copy(&self, _a: &S, _b: &S) -> Option<bool> {
        None
    }
}

/// A measure from its stored state; `sound` gives it back if its values are in range.
fn restored<D: DeserializeOwned, S: ?Sized>(
    state: &State<'_>,
    sound: impl FnOnce(D) -> Option<Box<dyn Dissimilarity<S>>>,
) -> Result<Box<dyn Dissimilarity<S>>> {
    sound(state.read()?)
        .ok_or_else(|| ModelFault::Damaged("the dissimilarity's state is out of range".into()).into())
}

/// One line of a catalogue: a measure by name.
pub struct Entry<S: ?Sized> {
    /// Name, as in [`Dissimilarity::name`].
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Makes it from settings.
    pub make: fn(&Settings) -> Result<Box<dyn Dissimilarity<S>>>,
    /// Makes it from [`Dissimilarity::state`].
    pub restore: fn(&State<'_>) -> Result<Box<dyn Dissimilarity<S>>>,
}
