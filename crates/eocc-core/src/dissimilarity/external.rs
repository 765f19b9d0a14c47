//! A measure whose matrices are computed outside of the library: by the machines of a cluster, say.

use serde_json::Value;

use super::{
    Changed, Dissimilarity, LeaveOneOut, Panel, Parameter, Prepared, Properties, SearchCache, Sight, View,
};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::sample::Sample;

/// A measure like another, but matrices of samples x prototypes come from a function of the caller's.
///
/// The function is given the measure with its parameters as they stand and the indices of the prototypes, and must
/// return exactly what the measure would give: then so does the fit. It knows all samples of the fit and no others: what a fit
/// asks of a part of them (folds, say) is computed here, as are single dissimilarities.
pub struct ExternalMatrix<S: ?Sized, F> {
    inner: Box<dyn Dissimilarity<S>>,
    samples: usize,
    compute: F,
}

impl<S: ?Sized, F> ExternalMatrix<S, F>
where
    F: Fn(&dyn Dissimilarity<S>, &[usize]) -> Result<Matrix> + Clone + Send + Sync + 'static,
{
    /// The measure, the number of samples that will be fitted, and the function that computes their matrices.
    pub fn new(inner: Box<dyn Dissimilarity<S>>, samples: usize, compute: F) -> Self {
        Self { inner, samples, compute }
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
        Box::new(Self { inner: self.inner.boxed(), samples: self.samples, compute: self.compute.clone() })
    }

    fn properties(&self) -> Properties {
        self.inner.properties()
    }

    /// The matrix of each view that can be sent elsewhere is computed there, too.
    fn views(&self, samples: &[&S]) -> Vec<View<S>> {
        let external = |view: View<S>| {
            if view.measure.state().is_none() {
                return view;
            }
            let (samples, compute) = (self.samples, self.compute.clone());
            View { measure: Box::new(Self { inner: view.measure, samples, compute }), ..view }
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
