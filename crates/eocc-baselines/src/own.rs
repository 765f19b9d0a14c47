//! Ours: EOCC-MI behind the same trait.

use eocc::{Dissimilarity, Model, OneClassParams, Preset, Result, SampleSet};

use crate::classifier::{OneClass, Scorer, Tests, Training};

/// EOCC-MI with the parameters of a preset and a measure of its own.
pub(crate) struct Own<X: SampleSet> {
    pub(crate) preset: Preset,
    pub(crate) measure: Box<dyn Dissimilarity<X::Item>>,
}

impl<X: SampleSet> OneClass<X> for Own<X> {
    fn fit(&self, training: &Training<X>) -> Result<Box<dyn Scorer<X>>> {
        let params = OneClassParams::new(self.preset).seed(training.seed()).check()?;
        Ok(Box::new(params.fit(training.samples(), self.measure.boxed())?.model))
    }
}

impl<X: SampleSet> Scorer<X> for Model<X> {
    fn scores(&self, tests: &Tests<X>) -> Result<Vec<f64>> {
        Ok(self.decide_all(tests.samples())?.iter().map(|d| d.score).collect())
    }
}
