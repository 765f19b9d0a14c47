//! A measure whose matrices are computed outside of the library, such as on a cluster.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Changed, Dissimilarity, Index, LeaveOneOut, Panel, Parameter, Prepared, Properties, RemoteSearch,
    RowWork, RowsFound, SearchCache, Sight, View,
};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::sample::Sample;

/// A measure like another, but matrices of samples x prototypes come from a function of the caller.
///
/// The function gets the measure with its current parameters and the indices of the prototypes, and must return
/// exactly what the measure would; then the fit is the same, too. It knows exactly the samples of the fit: work on a
/// subset (such as folds) and single dissimilarities are computed here.
pub struct ExternalMatrix<S: ?Sized, F> {
    inner: Box<dyn Dissimilarity<S>>,
    samples: usize,
    compute: F,
    rows: Option<ComputeRows<S>>,
}

/// Does the work of a search on some rows or all, given the measure with its current parameters.
pub type ComputeRows<S> =
    Arc<dyn Fn(&dyn Dissimilarity<S>, &RowWork, Option<&[u32]>) -> Result<RowsFound> + Send + Sync>;

impl<S: ?Sized, F> ExternalMatrix<S, F>
where
    F: Fn(&dyn Dissimilarity<S>, &[usize]) -> Result<Matrix> + Clone + Send + Sync + 'static,
{
    /// The measure, the number of samples to fit, and the function that computes their matrices.
    pub fn new(inner: Box<dyn Dissimilarity<S>>, samples: usize, compute: F) -> Self {
        Self { inner, samples, compute, rows: None }
    }

    /// Adds a function that does the work on rows if there are too many samples for a matrix.
    #[must_use]
    pub fn with_rows(self, rows: Option<ComputeRows<S>>) -> Self {
        Self { rows, ..self }
    }
}

impl<S, F> RemoteSearch for ExternalMatrix<S, F>
where
    S: ?Sized + Sample,
    F: Send + Sync,
{
    fn rows(&self, work: &RowWork, rows: Option<&[u32]>) -> Result<RowsFound> {
        let Some(compute) = &self.rows else {
            return Err(Error::input("no row work was requested"));
        };
        let found = compute(self.inner.as_ref(), work, rows)?;
        let (count, (indices, numbers)) = (rows.map_or(self.samples, <[u32]>::len), work.widths());
        if (found.indices.len(), found.numbers.len()) != (count * indices, count * numbers) {
            return Err(Error::input(format!(
                "{} indices and {} numbers were found for {count} rows, but must be {} and {}",
                found.indices.len(),
                found.numbers.len(),
                count * indices,
                count * numbers
            )));
        }
        if let Some(bad) = found.indices.iter().find(|index| **index as usize >= self.samples) {
            return Err(Error::input(format!(
                "sample {bad} was found, but there are {} samples",
                self.samples
            )));
        }
        Ok(found)
    }
}

impl<S, F> Dissimilarity<S> for ExternalMatrix<S, F>
where
    S: ?Sized + Sample,
    F: Fn(&dyn Dissimilarity<S>, &[usize]) -> Result<Matrix> + Clone + Send + Sync + 'static,
{
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn learn(&mut self, samples: &[&S], names: &[String]) -> Result<()> {
        self.inner.learn(samples, names)
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.inner.parameters()
    }

    fn set(&mut self, p: &[f64]) {
        self.inner.set(p);
    }

    fn check(&self, sample: &S) -> Result<()> {
        self.inner.check(sample)
    }

    fn between(&self, a: &S, b: &S) -> f64 {
        self.inner.between(a, b)
    }

    fn shares(&self, a: &S, b: &S) -> Vec<f64> {
        self.inner.shares(a, b)
    }

    fn settings(&self) -> Vec<(String, String)> {
        self.inner.settings()
    }

    fn state(&self) -> Option<Value> {
        self.inner.state()
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<S>> {
        let (samples, compute, rows) = (self.samples, self.compute.clone(), self.rows.clone());
        Box::new(Self { inner: self.inner.boxed(), samples, compute, rows })
    }

    fn properties(&self) -> Properties {
        self.inner.properties()
    }

    /// The matrix of each view that can be sent elsewhere is computed there, too.
    fn views(&self, samples: &[&S]) -> Vec<View<S>> {
        let external = |view: View<S>| {
            // A custom function has no state, and is its own only view.
            if view.measure.state().is_none() && self.inner.state().is_some() {
                return view;
            }
            let (samples, compute, rows) = (self.samples, self.compute.clone(), self.rows.clone());
            View { measure: Box::new(Self { inner: view.measure, samples, compute, rows }), ..view }
        };
        self.inner.views(samples).into_iter().map(external).collect()
    }

    fn total_weight(&self) -> f64 {
        self.inner.total_weight()
    }

    fn panels(&self, samples: &[&S], kept: &[u32]) -> Vec<Box<dyn Panel<S>>> {
        self.inner.panels(samples, kept)
    }

    fn sight(&self) -> Option<Box<dyn Sight<S>>> {
        self.inner.sight()
    }

    fn leave_one_out(&self, samples: &[&S]) -> Option<Box<dyn LeaveOneOut>> {
        self.inner.leave_one_out(samples)
    }

    fn changed(&self, samples: &[&S]) -> Option<Changed<S>> {
        self.inner.changed(samples)
    }

    fn is_copy(&self, a: &S, b: &S) -> Option<bool> {
        self.inner.is_copy(a, b)
    }

    fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>> {
        self.inner.prepare(many)
    }

    fn effort(&self, sample: &S) -> usize {
        self.inner.effort(sample)
    }

    // An index finds the neighbors that a fit on one machine finds, and takes less time than sending samples around.

    fn index_width(&self) -> Option<usize> {
        self.inner.index_width()
    }

    fn index(&self, many: &[&S], counting: usize) -> Option<Box<dyn Index<S>>> {
        self.inner.index(many, counting)
    }

    fn remote_search(&self, samples: usize) -> Option<&dyn RemoteSearch> {
        (self.rows.is_some() && samples == self.samples).then_some(self)
    }

    fn assemble<'s>(
        &self,
        samples: &[&'s S],
        prototypes: &[usize],
        cache: &mut SearchCache<'s>,
        observer: &dyn Observer,
    ) -> Option<Result<Matrix>> {
        if samples.len() != self.samples {
            return self.inner.assemble(samples, prototypes, cache, observer);
        }
        let checked = |matrix: Matrix| {
            let (rows, columns) = (matrix.rows(), matrix.columns());
            if (rows, columns) != (samples.len(), prototypes.len()) {
                return Err(Error::input(format!(
                    "the external matrix is {rows} x {columns}, but must be {} x {}",
                    samples.len(),
                    prototypes.len()
                )));
            }
            Ok(matrix)
        };
        Some((self.compute)(self.inner.as_ref(), prototypes).and_then(checked))
    }
}
