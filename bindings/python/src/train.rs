//! Fitting, whatever the samples.

use std::sync::Arc;

use eocc::dissimilarity::Elsewhere;
use eocc::{Dissimilarity, Error, SampleSet, ValidParams};
use numpy::IntoPyArray;
use pyo3::prelude::*;

use crate::measure::{Fault, matrix_from};
use crate::model::signed;
use crate::run::{Surroundings, run};

/// What a fit needs besides samples and measure.
pub(crate) struct Training {
    pub(crate) params: ValidParams,
    pub(crate) around: Surroundings,
    pub(crate) elsewhere: Option<Arc<Py<PyAny>>>,
    pub(crate) fault: Arc<Fault>,
}

impl Training {
    pub(crate) fn fit<X: SampleSet>(
        &self,
        py: Python<'_>,
        samples: &X,
        measure: Box<dyn Dissimilarity<X::Item>>,
    ) -> PyResult<(eocc::Model<X>, Vec<String>)>
    where
        X::Item: 'static,
    {
        let measure = match &self.elsewhere {
            None => measure,
            Some(function) => {
                elsewhere(measure, samples.count(), Arc::clone(function), Arc::clone(&self.fault))
            }
        };
        let trained = run(py, &self.around, |watch| self.params.fit_watched(samples, measure, watch))?;
        Ok((trained.model, trained.warnings))
    }
}

/// The measure with its matrices from a function in Python.
fn elsewhere<S: ?Sized + 'static>(
    measure: Box<dyn Dissimilarity<S>>,
    samples: usize,
    function: Arc<Py<PyAny>>,
    fault: Arc<Fault>,
) -> Box<dyn Dissimilarity<S>> {
    Box::new(Elsewhere::new(measure, samples, move |d: &dyn Dissimilarity<S>, prototypes: &[usize]| {
        let state = d.state().map(|s| s.to_string());
        let found = Python::attach(|py| {
            let indices: Vec<i64> = prototypes.iter().map(|p| signed(*p)).collect();
            matrix_from(
                function
                    .bind(py)
                    .call1((d.name(), state, indices.into_pyarray(py), d.is_symmetric()))?
                    .as_any(),
            )
        });
        found.map_err(|error| {
            let words = error.to_string();
            fault.set(error);
            Error::input(words)
        })
    }))
}
