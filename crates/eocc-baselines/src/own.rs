//! Ours: EOCC-MI behind the same trait.

use eocc::{Committee, Dissimilarity, Members, Model, OneClassParams, Result, SampleSet};

use crate::classifier::{OneClass, Scorer, Tests, Training};

/// EOCC-MI with parameters and a measure of its own.
pub(crate) struct Own<X: SampleSet> {
    pub(crate) params: OneClassParams,
    pub(crate) measure: Box<dyn Dissimilarity<X::Item>>,
    /// Many in place of one.
    pub(crate) members: Option<Members>,
}

impl<X: SampleSet> OneClass<X> for Own<X> {
    fn fit(&self, training: &Training<X>) -> Result<Box<dyn Scorer<X>>> {
        let params = self.params.clone().seed(training.seed()).check()?;
        Ok(match self.members {
            None => Box::new(params.fit(training.samples(), self.measure.boxed())?.model),
            Some(members) => {
                Box::new(params.fit_committee(training.samples(), self.measure.as_ref(), members)?)
            }
        })
    }
}

impl<X: SampleSet> Scorer<X> for Committee<X> {
    fn scores(&self, tests: &Tests<X>) -> Result<Vec<f64>> {
        self.scores(tests.samples())
    }
}

impl<X: SampleSet> Scorer<X> for Model<X> {
    fn scores(&self, tests: &Tests<X>) -> Result<Vec<f64>> {
        Ok(self.decide_all(tests.samples())?.iter().map(|d| d.score).collect())
    }
}
