//! A measure of samples whose kind is known only at run time. Samples are given by set and row.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::record::Record;
use super::{AnySamples, Kind, SampleKind, different};
use crate::dissimilarity::{
    ComputeRows, Dissimilarity, ExternalMatrix, LeaveOneOut, LeftOutScores, Panel, Parameter, Properties,
    RowWork, RowsFound, SearchCache,
};
use crate::embedding::{between_sets, embed_cached};
use crate::error::Result;
use crate::knn::RowSearch;
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::sample::SampleSet;

/// A dissimilarity of samples of some [kind](SampleKind).
pub struct AnyDissimilarity(Box<dyn ErasedMeasure>);

/// A matrix to be computed outside of the library: its measure and prototypes.
pub struct ExternalRequest<'a> {
    /// Name of the measure.
    pub name: &'static str,
    /// Its learned state with the current parameters; `None` for a custom function.
    pub state: Option<Value>,
    /// Whether it is symmetric.
    pub symmetric: bool,
    /// The columns of the matrix; its rows are all samples of the fit.
    pub prototypes: &'a [usize],
}

/// Work on the rows of a search to be done outside of the library, if there are too many samples for a matrix.
pub struct ExternalRows<'a> {
    /// Name of the measure.
    pub name: &'static str,
    /// Its learned state with the current parameters; `None` for a custom function.
    pub state: Option<Value>,
    /// The work; `row_search` does it.
    pub work: &'a RowWork,
    /// The samples to compute it for; `None` means all.
    pub rows: Option<&'a [u32]>,
}

/// Computes work on rows outside of the library.
pub type ExternalSearch = Arc<dyn Fn(&ExternalRows<'_>) -> Result<RowsFound> + Send + Sync>;

/// All samples of a fit, prepared for some work on rows.
pub trait AnyRowSearch: Send + Sync {
    /// Does the work for these samples.
    fn find(&self, rows: &[u32]) -> Result<RowsFound>;
}

struct TypedRowSearch<X: SampleKind> {
    samples: X,
    search: RowSearch<X::Item>,
}

impl<X: SampleKind> AnyRowSearch for TypedRowSearch<X> {
    fn find(&self, rows: &[u32]) -> Result<RowsFound> {
        self.search.find(&self.samples.refs(), rows)
    }
}

/// Computes matrices outside of the library.
pub type ExternalCompute = Arc<dyn Fn(&ExternalRequest<'_>) -> Result<Matrix> + Send + Sync>;

/// A measure whose type of samples is known here.
struct Typed<X: SampleKind>(Box<dyn Dissimilarity<X::Item>>);

/// The methods of a measure without the type of its samples, which are given by set and row; see [`Dissimilarity`]
/// for each of these.
pub trait ErasedMeasure: Send + Sync {
    #[doc(hidden)]
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
    #[doc(hidden)]
    fn boxed(&self) -> AnyDissimilarity;
    #[doc(hidden)]
    fn with_external(
        self: Box<Self>,
        samples: usize,
        compute: ExternalCompute,
        search: Option<ExternalSearch>,
    ) -> AnyDissimilarity;
    /// Prepares all samples of a fit for some work on rows.
    fn row_search(&self, samples: &AnySamples, work: RowWork) -> Result<Box<dyn AnyRowSearch>>;
    /// The kind of samples it compares.
    fn kind(&self) -> Kind;
    /// Its name in the catalogue.
    fn name(&self) -> &'static str;
    /// Its properties as a whole.
    fn properties(&self) -> Properties;
    /// The parameters `p`, with range and current value.
    fn parameters(&self) -> Vec<Parameter>;
    /// Sets the parameters, in order.
    fn set(&mut self, p: &[f64]);
    /// Everything needed to recreate it; `None` if it cannot be stored.
    fn state(&self) -> Option<Value>;
    /// The settings that recreate it.
    fn settings(&self) -> Vec<(String, String)>;
    /// Learns from the samples in these rows.
    fn learn(&mut self, samples: &AnySamples, rows: &[usize]) -> Result<()>;
    /// Checks that the measure is defined for the sample in this row.
    fn check(&self, samples: &AnySamples, row: usize) -> Result<()>;
    /// How long comparisons with a sample take, relative to other samples.
    fn effort(&self, samples: &AnySamples, row: usize) -> usize;
    /// The dissimilarity of two samples; NaN if one of them is of another kind, which [`check`](Self::check) detects.
    fn between(&self, a: (&AnySamples, usize), b: (&AnySamples, usize)) -> f64;
    /// The share of each feature in the dissimilarity of two samples.
    fn shares(&self, a: (&AnySamples, usize), b: (&AnySamples, usize)) -> Vec<f64>;
    /// Prepares the samples in these rows to be compared with others.
    fn prepare(&self, samples: &AnySamples, rows: &[usize]) -> Result<AnyPrepared>;
    /// Whether computing a row is faster than storing it.
    fn is_cheap_per_row(&self) -> bool;
    /// Its views after learning from the samples in these rows: name, weight and measure of each.
    fn views(&self, samples: &AnySamples, rows: &[usize]) -> Vec<(String, f64, AnyDissimilarity)>;
    /// The total weight of all views and panels.
    fn total_weight(&self) -> f64;
    /// Whether a committee also uses the samples themselves: their parts, and a summary of them.
    fn has_sight(&self) -> bool;
    /// Its panels, given the samples in these rows and the positions `kept` among them, which are this part of records.
    fn panels(
        &self,
        samples: &AnySamples,
        rows: &[usize],
        kept: &[u32],
        part: usize,
    ) -> Vec<Box<dyn Panel<Record>>>;
    /// Distances of the samples in these rows, which it learned from, as if it had learned without one of them.
    fn leave_one_out(&self, samples: &AnySamples, rows: &[usize]) -> Option<Box<dyn LeaveOneOut>>;
    /// The features that are constant in these rows and differ in a new sample.
    fn changed(&self, samples: &AnySamples, rows: &[usize]) -> Option<AnyChanged>;
    /// The matrix of the samples in these rows to the prototypes, which are positions in `rows`.
    fn embed<'s>(
        &self,
        samples: &'s AnySamples,
        rows: &[usize],
        prototypes: &[usize],
        cache: &mut SearchCache<'s>,
        observer: &dyn Observer,
    ) -> Result<Matrix>;
    /// The matrix of `rows` to `columns`, two sets of the same form.
    fn between_sets(
        &self,
        rows: &AnySamples,
        columns: &AnySamples,
        observer: &dyn Observer,
    ) -> Result<Matrix>;
}

/// The samples in these rows.
fn at<'a, X: SampleSet>(set: &'a X, rows: &[usize]) -> Vec<&'a X::Item> {
    rows.iter().map(|&row| set.sample(row)).collect()
}

impl<X: SampleKind> ErasedMeasure for Typed<X> {
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        Box::new(self.0)
    }

    fn kind(&self) -> Kind {
        Kind::new::<X>()
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn properties(&self) -> Properties {
        self.0.properties()
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.0.parameters()
    }

    fn set(&mut self, p: &[f64]) {
        self.0.set(p);
    }

    fn state(&self) -> Option<Value> {
        self.0.state()
    }

    fn settings(&self) -> Vec<(String, String)> {
        self.0.settings()
    }

    fn boxed(&self) -> AnyDissimilarity {
        AnyDissimilarity::new::<X>(self.0.boxed())
    }

    fn row_search(&self, samples: &AnySamples, work: RowWork) -> Result<Box<dyn AnyRowSearch>> {
        let samples = samples.expect::<X>()?.clone();
        let search = RowSearch::new(self.0.as_ref(), &samples.refs(), work)?;
        Ok(Box::new(TypedRowSearch { samples, search }))
    }

    fn with_external(
        self: Box<Self>,
        samples: usize,
        compute: ExternalCompute,
        search: Option<ExternalSearch>,
    ) -> AnyDissimilarity {
        let rows = search.map(|search| -> ComputeRows<X::Item> {
            Arc::new(move |d: &dyn Dissimilarity<X::Item>, work: &RowWork, rows: Option<&[u32]>| {
                search(&ExternalRows { name: d.name(), state: d.state(), work, rows })
            })
        });
        let compute = move |d: &dyn Dissimilarity<X::Item>, prototypes: &[usize]| {
            let (name, state, symmetric) = (d.name(), d.state(), d.properties().symmetric);
            compute(&ExternalRequest { name, state, symmetric, prototypes })
        };
        AnyDissimilarity::new::<X>(Box::new(ExternalMatrix::new(self.0, samples, compute).with_rows(rows)))
    }

    fn learn(&mut self, samples: &AnySamples, rows: &[usize]) -> Result<()> {
        let set = samples.expect::<X>()?;
        self.0.learn(&at(set, rows), set.feature_names())
    }

    fn check(&self, samples: &AnySamples, row: usize) -> Result<()> {
        self.0.check(samples.expect::<X>()?.sample(row))
    }

    fn effort(&self, samples: &AnySamples, row: usize) -> usize {
        samples.downcast_ref::<X>().map_or(0, |set| self.0.effort(set.sample(row)))
    }

    fn between(&self, a: (&AnySamples, usize), b: (&AnySamples, usize)) -> f64 {
        match (a.0.downcast_ref::<X>(), b.0.downcast_ref::<X>()) {
            (Some(left), Some(right)) => self.0.between(left.sample(a.1), right.sample(b.1)),
            _ => f64::NAN,
        }
    }

    fn shares(&self, a: (&AnySamples, usize), b: (&AnySamples, usize)) -> Vec<f64> {
        match (a.0.downcast_ref::<X>(), b.0.downcast_ref::<X>()) {
            (Some(left), Some(right)) => self.0.shares(left.sample(a.1), right.sample(b.1)),
            _ => Vec::new(),
        }
    }

    fn prepare(&self, samples: &AnySamples, rows: &[usize]) -> Result<AnyPrepared> {
        let prepared = self.0.prepare(&at(samples.expect::<X>()?, rows));
        Ok(AnyPrepared(Box::new(move |one, which, out| match (one.0.downcast_ref::<X>(), which) {
            (Some(set), Which::Range(range)) => prepared.fill(set.sample(one.1), range, out),
            (Some(set), Which::These(which)) => prepared.fill_some(set.sample(one.1), which, out),
            (None, _) => out.fill(f64::NAN),
        })))
    }

    fn is_cheap_per_row(&self) -> bool {
        self.0.is_cheap_per_row()
    }

    fn views(&self, samples: &AnySamples, rows: &[usize]) -> Vec<(String, f64, AnyDissimilarity)> {
        let Some(set) = samples.downcast_ref::<X>() else { return Vec::new() };
        let views = self.0.views(&at(set, rows)).into_iter();
        views.map(|view| (view.name, view.weight, AnyDissimilarity::new::<X>(view.measure))).collect()
    }

    fn total_weight(&self) -> f64 {
        self.0.total_weight()
    }

    fn has_sight(&self) -> bool {
        self.0.sight().is_some()
    }

    fn panels(
        &self,
        samples: &AnySamples,
        rows: &[usize],
        kept: &[u32],
        part: usize,
    ) -> Vec<Box<dyn Panel<Record>>> {
        let Some(set) = samples.downcast_ref::<X>() else { return Vec::new() };
        let panels = self.0.panels(&at(set, rows), kept).into_iter();
        panels.map(|panel| Box::new(PartPanel::<X> { part, panel }) as Box<dyn Panel<Record>>).collect()
    }

    fn leave_one_out(&self, samples: &AnySamples, rows: &[usize]) -> Option<Box<dyn LeaveOneOut>> {
        self.0.leave_one_out(&at(samples.downcast_ref::<X>()?, rows))
    }

    fn changed(&self, samples: &AnySamples, rows: &[usize]) -> Option<AnyChanged> {
        let changed = self.0.changed(&at(samples.downcast_ref::<X>()?, rows))?;
        let of = move |samples: &AnySamples, row: usize| {
            samples.downcast_ref::<X>().map_or_else(Vec::new, |set| (changed.of)(set.sample(row)))
        };
        Some(AnyChanged { weight: changed.weight, of: Box::new(of) })
    }

    fn embed<'s>(
        &self,
        samples: &'s AnySamples,
        rows: &[usize],
        prototypes: &[usize],
        cache: &mut SearchCache<'s>,
        observer: &dyn Observer,
    ) -> Result<Matrix> {
        embed_cached(&at(samples.expect::<X>()?, rows), prototypes, self.0.as_ref(), cache, observer)
    }

    fn between_sets(
        &self,
        rows: &AnySamples,
        columns: &AnySamples,
        observer: &dyn Observer,
    ) -> Result<Matrix> {
        let (rows, columns) = (rows.expect::<X>()?, columns.expect::<X>()?);
        between_sets(&rows.refs(), &rows.conform(columns)?.refs(), self.0.as_ref(), observer)
    }
}

impl Clone for AnyDissimilarity {
    fn clone(&self) -> Self {
        self.0.boxed()
    }
}

impl std::ops::Deref for AnyDissimilarity {
    type Target = dyn ErasedMeasure;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

impl std::ops::DerefMut for AnyDissimilarity {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_mut()
    }
}

impl AnyDissimilarity {
    /// Takes a measure of a kind that is known here.
    pub fn new<X: SampleKind>(measure: Box<dyn Dissimilarity<X::Item>>) -> Self {
        Self(Box::new(Typed::<X>(measure)))
    }

    /// The measure as one for this kind; fails if it is of another kind.
    pub fn into_measure_of<X: SampleKind>(self) -> Result<Box<dyn Dissimilarity<X::Item>>> {
        let found = self.kind();
        let measure = self.0.into_any().downcast::<Box<dyn Dissimilarity<X::Item>>>();
        measure.map(|measure| *measure).map_err(|_| different(found.name(), X::NAME))
    }

    /// This measure, with matrices of this many samples x prototypes computed outside of the library.
    #[must_use]
    pub fn with_external_matrix(self, samples: usize, compute: ExternalCompute) -> Self {
        self.0.with_external(samples, compute, None)
    }

    /// Does the work on rows outside of the library, too, if there are too many samples for a matrix.
    #[must_use]
    pub fn with_external_search(
        self,
        samples: usize,
        compute: ExternalCompute,
        search: ExternalSearch,
    ) -> Self {
        self.0.with_external(samples, compute, Some(search))
    }

    /// Learns from all samples.
    pub fn learn_all(&mut self, samples: &AnySamples) -> Result<()> {
        self.learn(samples, &(0..samples.count()).collect::<Vec<_>>())
    }

    /// All dissimilarities among `samples`.
    pub fn matrix(&self, samples: &AnySamples, observer: &dyn Observer) -> Result<Matrix> {
        let all: Vec<usize> = (0..samples.count()).collect();
        self.embed(samples, &all, &all, &mut SearchCache::default(), observer)
    }
}

/// [`Changed`](crate::dissimilarity::Changed) for samples of some kind.
pub struct AnyChanged {
    pub(super) weight: f64,
    pub(super) of: ChangedFeatures,
}

/// The changed features of the sample in a row.
type ChangedFeatures = Box<dyn Fn(&AnySamples, usize) -> Vec<usize> + Send + Sync>;

/// A panel for one part of a record.
struct PartPanel<X: SampleKind> {
    part: usize,
    panel: Box<dyn Panel<X::Item>>,
}

impl<X: SampleKind> PartPanel<X> {
    /// The value of the part in a record; `None` if it is of another kind.
    fn value<'a>(&self, one: &'a Record) -> Option<&'a X::Item> {
        Some(one.parts[self.part].samples.downcast_ref::<X>()?.sample(one.row))
    }
}

impl<X: SampleKind> Panel<Record> for PartPanel<X> {
    fn name(&self) -> String {
        self.panel.name()
    }

    fn weight(&self) -> f64 {
        self.panel.weight()
    }

    fn count(&self) -> usize {
        self.panel.count()
    }

    fn scores(&self, one: &Record, few: usize) -> Vec<f64> {
        self.value(one).map_or_else(Vec::new, |value| self.panel.scores(value, few))
    }

    fn left_out(
        &self,
        i: usize,
        one: &Record,
        few: usize,
        twin: Option<u32>,
        left_out: &dyn LeaveOneOut,
    ) -> LeftOutScores {
        let scores = |left_out| Some(self.panel.left_out(i, self.value(one)?, few, twin, left_out));
        left_out.part(self.part).and_then(scores).unwrap_or_default()
    }

    fn features(&self, score: usize) -> Vec<usize> {
        self.panel.features(score)
    }
}

/// Samples of some kind, prepared to be compared with others.
pub struct AnyPrepared(Fill);

/// Fills in the dissimilarities of the sample in a row to some of the prepared samples.
type Fill = Box<dyn Fn((&AnySamples, usize), Which<'_>, &mut [f64]) + Send + Sync>;

/// Some of the prepared samples.
enum Which<'a> {
    Range(Range<usize>),
    These(&'a [usize]),
}

impl AnyPrepared {
    /// Dissimilarities of one sample to the prepared samples of `range`; NaN if it is of another kind.
    pub fn fill(&self, one: (&AnySamples, usize), range: Range<usize>, out: &mut [f64]) {
        (self.0)(one, Which::Range(range), out);
    }

    /// Like [`fill`](Self::fill), for some of the prepared samples.
    pub fn fill_some(&self, one: (&AnySamples, usize), which: &[usize], out: &mut [f64]) {
        (self.0)(one, Which::These(which), out);
    }
}
