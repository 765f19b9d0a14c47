//! EOCC-MI itself, behind the trait of the comparators.

use eocc_core::{AnyDissimilarity, AnyModel, ErrorKind, Observer, OneClass, Result, Scoring};

use crate::classifier::{Classifier, Judgement, Scorer, Tests, Training};

/// EOCC-MI with its own parameters and dissimilarity, which learns from the training samples in every fit.
pub(crate) struct EoccClassifier {
    /// Checked in a fit, when the seed is known.
    pub(crate) params: OneClass,
    /// Before learning.
    pub(crate) dissimilarity: AnyDissimilarity,
    /// How to score, if the parameters do not decide it.
    pub(crate) scoring: Option<Scoring>,
}

impl Classifier for EoccClassifier {
    fn fit(&self, training: &Training, observer: &dyn Observer) -> Result<Box<dyn Scorer>> {
        let params = self.params.clone().seed(training.seed()).check()?;
        let model = training.samples().train(&params, self.dissimilarity.clone(), observer)?;
        // A cancelled search returns the best result so far, which is not that of a complete run.
        if observer.is_cancelled() {
            return Err(ErrorKind::Cancelled.into());
        }
        Ok(Box::new(EoccScorer { model, scoring: self.scoring.unwrap_or(self.params.scoring) }))
    }
}

struct EoccScorer {
    model: AnyModel,
    scoring: Scoring,
}

impl Scorer for EoccScorer {
    fn scores(&self, tests: &Tests, observer: &dyn Observer) -> Result<Vec<f64>> {
        Ok(self.judge(tests, observer)?.scores)
    }

    fn judge(&self, tests: &Tests, observer: &dyn Observer) -> Result<Judgement> {
        let decisions = self.model.decide_with(tests.samples(), self.scoring, observer)?;
        Ok(Judgement {
            scores: decisions.iter().map(|d| d.score).collect(),
            accepted: Some(decisions.iter().map(|d| d.accepted).collect()),
        })
    }
}
