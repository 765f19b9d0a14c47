//! Dissimilarities `d_I(x, r; p)`: the only thing the classifier ever asks of the data [LA17, sec. III-A].
//!
//! A new measure is one new file here and one line in the catalogue of its sample type.

mod blend;
mod combined;
mod cosine;
mod elsewhere;
pub mod ged;
mod gower;
mod histogram;
mod kept;
mod mahalanobis;
mod minkowski;
mod precomputed;
mod ranks;
mod scaling;
mod series;
mod settings;
mod shares;
mod text;

use std::borrow::Borrow;
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{ModelFault, Result};
use crate::graphs::{Graph, Graphs};
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::params::Preset;
use crate::sample::{Precomputed, PrecomputedRow, SampleSet, Vectors};

pub use blend::Blend;
pub use combined::Combined;
pub use cosine::Cosine;
pub use elsewhere::Elsewhere;
pub use ged::GraphEdit;
pub use gower::{Gower, Mean};
pub use histogram::{Histogram, Kind as HistogramKind};
pub use kept::Kept;
pub use mahalanobis::Mahalanobis;
pub use minkowski::{Minkowski, Order};
pub use precomputed::Given;
pub use scaling::{FeatureWeights, Scaling};
pub use series::{Dtw, Elastic, ElasticMeasure, Local};
pub use settings::Settings;
pub use text::{Alignment, Costs, JaroWinkler, Levenshtein, Osa, SubstitutionMatrix, Unit};

/// One component of `p`: what a search may move, and where it stands.
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

/// A non-negative dissimilarity between samples of type `S`, with parameters `p`.
///
/// The life of one: it is made from settings, [learns](Self::learn) what it needs from the training samples,
/// a search [sets](Self::set) its parameters, and the fitted model keeps it.
///
/// Laws, tested for every measure of the catalogue: `between(a, b)` is finite and not negative, zero for equal
/// samples, symmetric; `prepare` gives exactly what `between` gives.
pub trait Dissimilarity<S: ?Sized>: Send + Sync {
    /// Name in the catalogue, on the command line and in model files.
    fn name(&self) -> &'static str;

    /// Learns from the training samples whatever does not need a search: number of features, scales, covariance.
    fn learn(&mut self, _samples: &[&S], _names: &[String]) -> Result<()> {
        Ok(())
    }

    /// Whether what it learns makes the training samples closer to each other than new ones are to them, by a share that
    /// matters while samples are few: scales and correlations do, a list of the letters that occur does not. P-values then
    /// come from samples that it has not learnt from.
    fn adapts(&self) -> bool {
        false
    }

    /// The parameters `p`, with range and present value.
    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    /// Sets the parameters, in the order of [`parameters`](Self::parameters).
    fn set(&mut self, _p: &[f64]) {}

    /// Checks that `sample` is of the kind that was learnt from (the right number of features, say) and that the
    /// measure is defined for it.
    fn check(&self, _sample: &S) -> Result<()> {
        Ok(())
    }

    /// The dissimilarity of two samples. By way of [`prepare`](Self::prepare) unless there is a shorter one; a measure
    /// whose `prepare` is [`plain`] must have its own.
    fn between(&self, a: &S, b: &S) -> f64 {
        let mut out = [0.0];
        self.prepare(&[b]).fill(a, 0..1, &mut out);
        out[0]
    }

    /// Prepares one side, `many`, to be compared with one sample after another. What is returned stands by itself,
    /// so that a model can keep it. [`plain`] is the way to do it where nothing can be gained.
    fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>>;

    /// The same by way of what was `kept` of these samples under other parameters.
    fn prepare_keeping(&self, many: &[&S], _kept: &mut Kept) -> Box<dyn Prepared<S>> {
        self.prepare(many)
    }

    /// How long comparisons with `sample` take, next to others: samples of like effort are put side by side.
    fn effort(&self, _sample: &S) -> usize {
        0
    }

    /// The matrix of all `samples` to the prototypes with these indices, by way of what was `kept` of it under other
    /// parameters. `None` where there is no such way.
    fn assemble(
        &self,
        _samples: &[&S],
        _prototypes: &[usize],
        _kept: &mut Kept,
        _observer: &dyn Observer,
    ) -> Option<Result<Matrix>> {
        None
    }

    /// Coordinates whose Euclidean distance is this dissimilarity, if there are any: then neighbours can be found
    /// by a matrix product.
    fn coordinates(&self, _samples: &[&S]) -> Option<Matrix> {
        None
    }

    /// Whether `between(a, b)` and `between(b, a)` are the same. If not, the graph cannot be built on it directly.
    fn is_symmetric(&self) -> bool {
        true
    }

    /// Whether the triangle inequality holds.
    fn is_metric(&self) -> bool {
        false
    }

    /// Whether what [`prepare`](Self::prepare) returns answers [`Prepared::nearest`].
    fn has_bounds(&self) -> bool {
        false
    }

    /// The share of each feature in `between(a, b)`: not negative, with sum 1, or 0 where no feature makes a
    /// difference. Empty for samples without features.
    fn shares(&self, _a: &S, _b: &S) -> Vec<f64> {
        Vec::new()
    }

    /// Everything needed to make this dissimilarity again; read by the catalogue's `restore`.
    /// `None` if it cannot be stored (a function of the user's own).
    fn state(&self) -> Option<Value>;

    /// A copy.
    fn boxed(&self) -> Box<dyn Dissimilarity<S>>;
}

/// One prepared side of a [`Dissimilarity`].
pub trait Prepared<S: ?Sized>: Send + Sync {
    /// Dissimilarities of `one` to the prepared samples of `range`, into `out`.
    fn fill(&self, one: &S, range: Range<usize>, out: &mut [f64]);

    /// The same for `one` that is itself the prepared sample number `own`.
    fn fill_own(&self, _own: usize, one: &S, range: Range<usize>, out: &mut [f64]) {
        self.fill(one, range, out);
    }

    /// Dissimilarities of `one` to some of the prepared samples.
    fn fill_some(&self, one: &S, which: &[usize], out: &mut [f64]) {
        for (&i, o) in which.iter().zip(out.chunks_mut(1)) {
            self.fill(one, i..i + 1, o);
        }
    }

    /// Numbers that the dissimilarities of `one` to the first prepared samples, as many as `out` has room for, do not
    /// fall below, much faster than those; `false` if there are none.
    fn lower_bounds(&self, _one: &S, _out: &mut [f64]) -> bool {
        false
    }

    /// The `k` nearest of the prepared samples `among`, by distance and then by index, if there are bounds by which most
    /// of them can be left unmeasured. They are exactly those that measuring all of them would give.
    fn nearest(&self, one: &S, among: &[u32], k: usize) -> Option<Nearest> {
        crate::knn::nearest_by_lower_bounds(self, one, among, k)
    }
}

/// Neighbours found with the help of bounds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nearest {
    /// Indices and distances, by distance and then by index.
    pub found: Vec<(u32, f64)>,
    /// How many distances were measured.
    pub measured: usize,
}

/// A measure from its stored state; `sound` gives it back if its values are in range.
fn restored<D: DeserializeOwned, S: ?Sized>(
    state: &Value,
    sound: impl FnOnce(D) -> Option<Box<dyn Dissimilarity<S>>>,
) -> Result<Box<dyn Dissimilarity<S>>> {
    let d = serde_json::from_value(state.clone())
        .map_err(|e| ModelFault::Damaged(format!("the dissimilarity's state is not readable: {e}")))?;
    sound(d).ok_or_else(|| ModelFault::Damaged("the dissimilarity's state is out of range".into()).into())
}

/// A prepared side that just keeps the samples and calls [`Dissimilarity::between`].
pub fn plain<S, D>(d: &D, many: &[&S]) -> Box<dyn Prepared<S>>
where
    S: ?Sized + ToOwned<Owned: Send + Sync> + 'static,
    D: Dissimilarity<S> + Clone + 'static,
{
    struct Plain<O, D> {
        d: D,
        many: Vec<O>,
    }
    impl<S: ?Sized, O: Borrow<S> + Send + Sync, D: Dissimilarity<S>> Prepared<S> for Plain<O, D> {
        fn fill(&self, one: &S, range: Range<usize>, out: &mut [f64]) {
            for (o, other) in out.iter_mut().zip(&self.many[range]) {
                *o = self.d.between(one, other.borrow());
            }
        }
    }
    Box::new(Plain { d: d.clone(), many: many.iter().map(|s| (*s).to_owned()).collect() })
}

/// The name of every dissimilarity of the user's own.
pub const OWN: &str = "own";

/// A dissimilarity given by a function of the user's own. It has no parameters and cannot be stored by name:
/// a model that uses it is loaded with the function at hand.
#[derive(Debug, Clone)]
pub struct Own<F> {
    function: F,
}

impl<F> Own<F> {
    /// Takes the function; it must be symmetric, not negative, and zero for equal samples.
    pub fn new(function: F) -> Self {
        Self { function }
    }
}

impl<S, F> Dissimilarity<S> for Own<F>
where
    S: ?Sized + ToOwned<Owned: Send + Sync> + 'static,
    F: Fn(&S, &S) -> f64 + Clone + Send + Sync + 'static,
{
    fn name(&self) -> &'static str {
        OWN
    }

    fn between(&self, a: &S, b: &S) -> f64 {
        (self.function)(a, b)
    }

    fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>> {
        plain(self, many)
    }

    fn state(&self) -> Option<Value> {
        None
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<S>> {
        Box::new(self.clone())
    }
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
    pub restore: fn(&Value) -> Result<Box<dyn Dissimilarity<S>>>,
}

/// A type of samples with its list of measures.
pub trait Catalogue: SampleSet {
    /// The measures for these samples.
    fn catalogue() -> &'static [Entry<Self::Item>];

    /// The measure that a preset takes when none is named; the first of the catalogue unless said otherwise.
    fn choice(_preset: Preset) -> Option<&'static str> {
        None
    }

    /// Settings that a preset adds to a measure unless they are given.
    fn preset_settings(_preset: Preset, _measure: &str) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Makes the named measure, or the one of the preset's choice, as the preset wants it.
    fn measure(
        preset: Preset,
        name: Option<&str>,
        settings: &Settings,
    ) -> Result<Box<dyn Dissimilarity<Self::Item>>> {
        let entries = Self::catalogue();
        let entry = match name.or_else(|| Self::choice(preset)) {
            None => entries.first(),
            Some(name) => entries.iter().find(|e| e.name == name),
        };
        let entry = entry.ok_or_else(|| {
            let names: Vec<_> = entries.iter().map(|e| e.name).collect();
            crate::Error::parameter(
                "dissimilarity",
                name.unwrap_or("none"),
                format!("one of {} for this data", names.join(", ")),
            )
        })?;
        let mut settings = settings.clone();
        for (key, value) in Self::preset_settings(preset, entry.name) {
            settings.default_to(key, value);
        }
        (entry.make)(&settings)
    }
}

impl Catalogue for Vectors {
    fn choice(preset: Preset) -> Option<&'static str> {
        (preset == Preset::Default).then_some("blend")
    }

    fn preset_settings(preset: Preset, measure: &str) -> &'static [(&'static str, &'static str)] {
        // Angles and whitened distances have no unit; norms do, and `default` must not depend on it.
        match (preset, measure) {
            (Preset::Default, "euclidean" | "manhattan" | "chebyshev" | "minkowski") => {
                &[("scaling", "robust")]
            }
            _ => &[],
        }
    }

    fn catalogue() -> &'static [Entry<[f64]>] {
        &[
            minkowski::EUCLIDEAN,
            blend::ENTRY,
            mahalanobis::ENTRY,
            minkowski::MANHATTAN,
            minkowski::CHEBYSHEV,
            minkowski::MINKOWSKI,
            cosine::ENTRY,
            histogram::HAMMING,
            histogram::JACCARD,
            histogram::CHI2,
            histogram::EMD,
        ]
    }
}

impl Catalogue for Precomputed {
    fn catalogue() -> &'static [Entry<PrecomputedRow>] {
        &[precomputed::ENTRY]
    }
}

impl Catalogue for Graphs {
    fn catalogue() -> &'static [Entry<Graph>] {
        &[ged::ENTRY]
    }
}
