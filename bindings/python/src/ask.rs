//! What can be asked of a model about samples, whatever their type.

use eocc::{Decision, Explanation, Matrix, SampleSet};
use pyo3::prelude::*;

use crate::run::{Surroundings, run};

/// Something to ask of a model about samples of its type.
pub(crate) trait Question {
    type Answer;

    fn ask<X: SampleSet>(self, model: &eocc::Model<X>, samples: &X) -> PyResult<Self::Answer>;
}

/// Everything at once.
pub(crate) struct Decide<'a, 'py> {
    pub(crate) py: Python<'py>,
    pub(crate) around: &'a Surroundings,
}

impl Question for Decide<'_, '_> {
    type Answer = Vec<Decision>;

    fn ask<X: SampleSet>(self, model: &eocc::Model<X>, samples: &X) -> PyResult<Vec<Decision>> {
        run(self.py, self.around, |watch| model.decide_with(samples, model.params().scoring, watch))
    }
}

/// The dissimilarity embedding.
pub(crate) struct Embed<'a, 'py> {
    pub(crate) py: Python<'py>,
    pub(crate) around: &'a Surroundings,
}

impl Question for Embed<'_, '_> {
    type Answer = Matrix;

    fn ask<X: SampleSet>(self, model: &eocc::Model<X>, samples: &X) -> PyResult<Matrix> {
        run(self.py, self.around, |watch| model.embed_all(samples, watch))
    }
}

/// What stands behind the decisions.
pub(crate) struct Explain<'a, 'py> {
    pub(crate) py: Python<'py>,
    pub(crate) around: &'a Surroundings,
    pub(crate) count: usize,
}

impl Question for Explain<'_, '_> {
    type Answer = Vec<Explanation>;

    fn ask<X: SampleSet>(self, model: &eocc::Model<X>, samples: &X) -> PyResult<Vec<Explanation>> {
        run(self.py, self.around, |watch| model.explain(samples, self.count, watch))
    }
}
