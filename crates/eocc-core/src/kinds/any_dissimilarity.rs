//! A measure of samples whose kind is known only at run time. Samples are named by the set they are in and their row.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::{AnySamples, Kind, SampleKind, different};
use crate::dissimilarity::{
    Dissimilarity, ExternalMatrix, LeaveOneOut, Parameter, Prepared, Properties, SearchCache,
};
use crate::embedding::{between_sets, embed_cached};
use crate::error::Result;
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::sample::SampleSet;

/// A dissimilarity of samples of some [kind](SampleKind).
pub struct AnyDissimilarity(Box<dyn Erased>);

/// A matrix that is to be computed outside of the library: what its measure is, and for which prototypes.
pub struct ExternalRequest<'a> {
    /// Name of the measure.
    pub name: &'static str,
    /// Its learned state with the parameters as they stand; `None` for a custom function.
    pub state: Option<Value>,
    /// Whether it is symmetric.
    pub symmetric: bool,
    /// The columns of the matrix; its rows are all samples of the fit.
    pub prototypes: &'a [usize],
}

/// Computes matrices outside of the library.
pub type ExternalCompute = Arc<dyn Fn(&ExternalRequest<'_>) -> Result<Matrix> + Send + Sync>;

/// The measure of a kind whose type is known here.
struct Typed<X: SampleKind>(Box<dyn Dissimilarity<X::Item>>);

trait Erased: Send + Sync {
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
    fn kind(&self) -> Kind;
    fn name(&self) -> &'static str;
    fn properties(&self) -> Properties;
    fn parameters(&self) -> Vec<Parameter>;
    fn set(&mut self, p: &[f64]);
    fn state(&self) -> Option<Value>;
    fn settings(&self) -> Vec<(String, String)>;
    fn boxed(&self) -> AnyDissimilarity;
    fn with_external_matrix(self: Box<Self>, samples: usize, compute: ExternalCompute) -> AnyDissimilarity;
    fn learn(&mut self, samples: &AnySamples, rows: &[usize]) -> Result<()>;
    fn check(&self, samples: &AnySamples, row: usize) -> Result<()>;
    fn effort(&self, samples: &AnySamples, row: usize) -> usize;
    fn between(&self, a: (&AnySamples, usize), b: (&AnySamples, usize)) -> f64;
    fn shares(&self, a: (&AnySamples, usize), b: (&AnySamples, usize)) -> Vec<f64>;
    fn prepare(&self, samples: &AnySamples, rows: &[usize]) -> Result<AnyPrepared>;
    fn fills_rows_fast(&self) -> bool;
    fn views(&self) -> Vec<(String, f64, AnyDissimilarity)>;
    fn leave_one_out(&self, samples: &AnySamples, rows: &[usize]) -> Option<Box<dyn LeaveOneOut>>;
    fn changed(&self, samples: &AnySamples, row: usize) -> Vec<usize>;
    fn embed<'s>(
        &self,
        samples: &'s AnySamples,
        rows: &[usize],
        prototypes: &[usize],
        cache: &mut SearchCache<'s>,
        observer: &dyn Observer,
    ) -> Result<Matrix>;
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

impl<X: SampleKind> Erased for Typed<X> {
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        Box::new(self.0)
    }

    fn kind(&self) -> Kind {
        Kind::of::<X>()
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

    fn with_external_matrix(self: Box<Self>, samples: usize, compute: ExternalCompute) -> AnyDissimilarity {
        let compute = move |d: &dyn Dissimilarity<X::Item>, prototypes: &[usize]| {
            let (name, state, symmetric) = (d.name(), d.state(), d.properties().symmetric);
            compute(&ExternalRequest { name, state, symmetric, prototypes })
        };
        AnyDissimilarity::new::<X>(Box::new(ExternalMatrix::new(self.0, samples, compute)))
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
        let set = samples.expect::<X>()?;
        Ok(AnyPrepared(Box::new(TypedPrepared::<X>(self.0.prepare(&at(set, rows))))))
    }

    fn fills_rows_fast(&self) -> bool {
        self.0.fills_rows_fast()
    }

    fn views(&self) -> Vec<(String, f64, AnyDissimilarity)> {
        let views = self.0.views().into_iter();
        views.map(|view| (view.name, view.weight, AnyDissimilarity::new::<X>(view.measure))).collect()
    }

    fn leave_one_out(&self, samples: &AnySamples, rows: &[usize]) -> Option<Box<dyn LeaveOneOut>> {
        self.0.leave_one_out(&at(samples.downcast_ref::<X>()?, rows))
    }

    fn changed(&self, samples: &AnySamples, row: usize) -> Vec<usize> {
        samples.downcast_ref::<X>().map_or_else(Vec::new, |set| self.0.changed(set.sample(row)))
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

impl AnyDissimilarity {
    /// Takes a measure of a kind that is known here.
    pub fn new<X: SampleKind>(measure: Box<dyn Dissimilarity<X::Item>>) -> Self {
        Self(Box::new(Typed::<X>(measure)))
    }

    /// The measure as one of this kind; fails if it is of another.
    pub fn into_measure_of<X: SampleKind>(self) -> Result<Box<dyn Dissimilarity<X::Item>>> {
        let found = self.kind();
        let measure = self.0.into_any().downcast::<Box<dyn Dissimilarity<X::Item>>>();
        measure.map(|measure| *measure).map_err(|_| different(found.name(), X::NAME))
    }

    /// The same measure, but matrices of so many samples x prototypes are computed outside of the library.
    #[must_use]
    pub fn with_external_matrix(self, samples: usize, compute: ExternalCompute) -> Self {
        self.0.with_external_matrix(samples, compute)
    }

    /// The kind of samples it compares.
    pub fn kind(&self) -> Kind {
        self.0.kind()
    }

    /// Its name in the catalogue.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// What holds for it as a whole.
    pub fn properties(&self) -> Properties {
        self.0.properties()
    }

    /// The parameters `p`, with range and present value.
    pub fn parameters(&self) -> Vec<Parameter> {
        self.0.parameters()
    }

    /// Sets the parameters, in order.
    pub fn set(&mut self, p: &[f64]) {
        self.0.set(p);
    }

    /// The settings that make it anew; see [`Dissimilarity::settings`].
    pub fn settings(&self) -> Vec<(String, String)> {
        self.0.settings()
    }

    /// Everything needed to make it again; `None` if it cannot be stored.
    pub fn state(&self) -> Option<Value> {
        self.0.state()
    }

    /// Learns from the samples in these rows.
    pub fn learn(&mut self, samples: &AnySamples, rows: &[usize]) -> Result<()> {
        self.0.learn(samples, rows)
    }

    /// Learns from all samples.
    pub fn learn_all(&mut self, samples: &AnySamples) -> Result<()> {
        self.learn(samples, &(0..samples.count()).collect::<Vec<_>>())
    }

    /// Checks that the measure is defined for the sample in this row.
    pub fn check(&self, samples: &AnySamples, row: usize) -> Result<()> {
        self.0.check(samples, row)
    }

    /// How long comparisons with a sample take, relative to other samples.
    pub fn effort(&self, samples: &AnySamples, row: usize) -> usize {
        self.0.effort(samples, row)
    }

    /// The dissimilarity of two samples; NaN if one of them is of another kind, which [`check`](Self::check) finds.
    pub fn between(&self, a: (&AnySamples, usize), b: (&AnySamples, usize)) -> f64 {
        self.0.between(a, b)
    }

    /// The share of each feature in the dissimilarity of two samples.
    pub fn shares(&self, a: (&AnySamples, usize), b: (&AnySamples, usize)) -> Vec<f64> {
        self.0.shares(a, b)
    }

    /// Prepares the samples in these rows to be compared with others.
    pub fn prepare(&self, samples: &AnySamples, rows: &[usize]) -> Result<AnyPrepared> {
        self.0.prepare(samples, rows)
    }

    /// Whether rows are computed faster than a matrix of them can be kept.
    pub fn fills_rows_fast(&self) -> bool {
        self.0.fills_rows_fast()
    }

    /// Its views after learning: name, weight and measure of each.
    pub fn views(&self) -> Vec<(String, f64, Self)> {
        self.0.views()
    }

    /// Distances of the samples in these rows, which it learned from, as if it had learned without one of them.
    pub fn leave_one_out(&self, samples: &AnySamples, rows: &[usize]) -> Option<Box<dyn LeaveOneOut>> {
        self.0.leave_one_out(samples, rows)
    }

    /// The features in which all training samples agree and the sample in this row differs.
    pub fn changed(&self, samples: &AnySamples, row: usize) -> Vec<usize> {
        self.0.changed(samples, row)
    }

    /// The matrix of the samples in these rows to the prototypes, which are places in `rows`.
    pub fn embed<'s>(
        &self,
        samples: &'s AnySamples,
        rows: &[usize],
        prototypes: &[usize],
        cache: &mut SearchCache<'s>,
        observer: &dyn Observer,
    ) -> Result<Matrix> {
        self.0.embed(samples, rows, prototypes, cache, observer)
    }

    /// All dissimilarities among `samples`.
    pub fn matrix(&self, samples: &AnySamples, observer: &dyn Observer) -> Result<Matrix> {
        let all: Vec<usize> = (0..samples.count()).collect();
        self.embed(samples, &all, &all, &mut SearchCache::default(), observer)
    }

    /// The matrix of `rows` to `columns`, two sets of the same form.
    pub fn between_sets(
        &self,
        rows: &AnySamples,
        columns: &AnySamples,
        observer: &dyn Observer,
    ) -> Result<Matrix> {
        self.0.between_sets(rows, columns, observer)
    }
}

/// Samples of some kind, prepared to be compared with others.
pub struct AnyPrepared(Box<dyn ErasedPrepared>);

struct TypedPrepared<X: SampleKind>(Box<dyn Prepared<X::Item>>);

trait ErasedPrepared: Send + Sync {
    fn fill(&self, one: (&AnySamples, usize), range: Range<usize>, out: &mut [f64]);
}

impl<X: SampleKind> ErasedPrepared for TypedPrepared<X> {
    fn fill(&self, one: (&AnySamples, usize), range: Range<usize>, out: &mut [f64]) {
        match one.0.downcast_ref::<X>() {
            Some(set) => self.0.fill(set.sample(one.1), range, out),
            None => out.fill(f64::NAN),
        }
    }
}

impl AnyPrepared {
    /// Dissimilarities of one sample to the prepared samples of `range`; NaN if it is of another kind.
    pub fn fill(&self, one: (&AnySamples, usize), range: Range<usize>, out: &mut [f64]) {
        self.0.fill(one, range, out);
    }
}
