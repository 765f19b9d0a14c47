//! Fitting, whatever the samples.

use std::sync::Arc;

use eocc_core::kinds::{ExternalCompute, ExternalRequest, ExternalRows, ExternalSearch};
use eocc_core::{AnyDissimilarity, AnyModel, AnySamples, Error, ValidParams};
use numpy::IntoPyArray;
use pyo3::prelude::*;

use crate::measure::{Fault, matrix_from};
use crate::model::signed;
use crate::rows::{RowTask, found_from};
use crate::run::{RunContext, run};

/// Inputs of a fit besides samples and measure.
pub(crate) struct Training {
    pub(crate) params: ValidParams,
    pub(crate) context: RunContext,
    /// Computes matrices of dissimilarities, for example on a cluster.
    pub(crate) external: Option<Arc<Py<PyAny>>>,
    /// Does the work on rows if there are too many samples for a matrix.
    pub(crate) external_rows: Option<Arc<Py<PyAny>>>,
    pub(crate) fault: Arc<Fault>,
}

impl Training {
    pub(crate) fn fit(
        &self,
        py: Python<'_>,
        samples: &AnySamples,
        measure: AnyDissimilarity,
    ) -> PyResult<AnyModel> {
        let measure = match &self.external {
            None => measure,
            Some(function) => {
                let compute = external(Arc::clone(function), Arc::clone(&self.fault));
                match &self.external_rows {
                    None => measure.with_external_matrix(samples.count(), compute),
                    Some(rows) => {
                        let search = external_rows(Arc::clone(rows), Arc::clone(&self.fault));
                        measure.with_external_search(samples.count(), compute, search)
                    }
                }
            }
        };
        run(py, &self.context, |watch| samples.train(&self.params, measure, watch))
    }
}

/// Matrices from a Python function.
fn external(function: Arc<Py<PyAny>>, fault: Arc<Fault>) -> ExternalCompute {
    Arc::new(move |request: &ExternalRequest<'_>| {
        let state = request.state.as_ref().map(ToString::to_string);
        let found = Python::attach(|py| {
            let indices: Vec<i64> = request.prototypes.iter().map(|p| signed(*p)).collect();
            let arguments = (request.name, state, indices.into_pyarray(py), request.symmetric);
            matrix_from(function.bind(py).call1(arguments)?.as_any())
        });
        found.map_err(|error| {
            let words = error.to_string();
            fault.set(error);
            Error::input(words)
        })
    })
}

/// Work on rows by a Python function.
fn external_rows(function: Arc<Py<PyAny>>, fault: Arc<Fault>) -> ExternalSearch {
    Arc::new(move |request: &ExternalRows<'_>| {
        let state = request.state.as_ref().map(ToString::to_string);
        let found = Python::attach(|py| {
            let rows = request.rows.map(|rows| rows.to_vec().into_pyarray(py));
            let task = RowTask::from(request.work.clone());
            found_from(&function.bind(py).call1((request.name, state, task, rows))?)
        });
        found.map_err(|error| {
            let words = error.to_string();
            fault.set(error);
            Error::input(words)
        })
    })
}
