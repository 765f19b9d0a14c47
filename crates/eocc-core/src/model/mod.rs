//! The fitted model: a judge, and its origin. How it answers is in `answer`.

mod answer;
mod closeness;
mod committee;
mod explain;
mod fit;
mod graph;
mod judge;
mod planning;
mod record;
mod reference;
mod search;
mod store;

use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;
use crate::dissimilarity::Dissimilarity;
use crate::knn::KnnLists;
use crate::matrix::Matrix;
use crate::params::{OneClass, Threshold};
use crate::plan::Plan;
use crate::region::{Centrality, Region};
use crate::sample::SampleSet;
use crate::synthesis::StopReason;

pub(crate) use answer::require_complete;
pub use closeness::ClosenessJudge;
#[doc(hidden)]
pub use closeness::evaluate;
pub use committee::CommitteeJudge;
pub(crate) use committee::{Newcomer, WindowCommittee, WindowJudged};
pub use explain::Explanation;
pub use fit::{MIN_SAMPLES, train};
pub use graph::Graph;
pub use judge::{Judge, JudgeKind, Judged, Judges, Judgment, Reasons, Stored, Task};
pub use planning::MAX_WIDTH;
pub use record::TrainingRecord;
pub use reference::Reference;
pub(crate) use store::{WARMING_UP, require_readable};

/// A fitted one-class classifier for samples like those of `X`.
pub struct Model<X: SampleSet> {
    judge: Box<dyn Judge<X>>,
    origin: Origin,
}

/// How a model came about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Origin {
    /// The parameters it was fitted with.
    pub params: OneClass,
    /// The plan of its fit, and how well neighbors were found.
    pub plan: Plan,
    /// The result.
    pub summary: Summary,
    /// The steps of the training.
    pub record: TrainingRecord,
}

/// The result of a training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// Number of training samples.
    pub samples: usize,
    /// Number of features; 0 if it is not fixed.
    pub features: usize,
    /// `k*`.
    pub neighbors: usize,
    /// The objective at `p*`, `k*`.
    pub eta: f64,
    /// The Jensen difference behind it.
    pub jensen: f64,
    /// How often the objective was evaluated.
    pub evaluations: usize,
    /// Why the search stopped.
    pub stop: StopReason,
}

impl<X: SampleSet> Model<X> {
    /// Makes a model from a trained judge.
    pub fn new(judge: impl Judge<X>, origin: Origin) -> Self {
        Self { judge: Box::new(judge), origin }
    }

    /// The judge, if it is a `J`.
    pub fn judge<J: Judge<X>>(&self) -> Option<&J> {
        let judge: &dyn std::any::Any = self.judge.as_ref();
        judge.downcast_ref()
    }

    /// The judge, if it is a `J`, to let it learn more.
    pub fn judge_mut<J: Judge<X>>(&mut self) -> Option<&mut J> {
        let judge: &mut dyn std::any::Any = self.judge.as_mut();
        judge.downcast_mut()
    }

    /// How it came about.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The parameters it was fitted with.
    pub fn params(&self) -> &OneClass {
        &self.origin.params
    }

    /// The dissimilarity, fitted.
    pub fn dissimilarity(&self) -> &dyn Dissimilarity<X::Item> {
        self.judge.reference().measure()
    }

    /// The graph of the training samples with its regions.
    pub fn graph(&self) -> &Graph {
        self.judge.graph()
    }

    /// Its decision regions, largest first.
    pub fn regions(&self) -> &[Region] {
        self.judge.graph().regions()
    }

    /// The neighbors of the training samples.
    pub fn lists(&self) -> &KnnLists {
        self.judge.graph().lists()
    }

    /// The result of its training.
    pub fn summary(&self) -> &Summary {
        &self.origin.summary
    }

    /// The steps of its training.
    pub fn record(&self) -> &TrainingRecord {
        &self.origin.record
    }

    /// The embedded training samples, one row each; `None` if the graph is on the dissimilarity itself.
    pub fn embedding(&self) -> Option<&Matrix> {
        self.judge.embedding()
    }

    /// The plan of its fit, and how well neighbors were found.
    pub fn plan(&self) -> &Plan {
        &self.origin.plan
    }

    /// `c`: what dissimilarities are divided by.
    pub fn bound(&self) -> f64 {
        self.judge.bound()
    }

    /// The scores that those of new samples are ranked among.
    pub fn calibration(&self) -> &Calibration {
        self.judge.calibration()
    }

    /// Number of prototypes; all training samples if there is no embedding.
    pub fn prototypes(&self) -> usize {
        self.reference().count()
    }

    /// The samples that new ones are compared with.
    pub fn reference(&self) -> &X {
        self.judge.reference().samples()
    }

    /// The score of every training sample as if it were new: it is not its own neighbor.
    pub fn training_scores(&self) -> Vec<f64> {
        self.judge.training().iter().map(|judgment| judgment.score).collect()
    }

    /// Region and degree of membership of every training sample.
    pub fn training_memberships(&self) -> Vec<(usize, f64)> {
        self.judge.training().iter().map(|judgment| (judgment.region, judgment.membership)).collect()
    }

    /// Indices of the training samples that are excluded as neighbors because they lie far out, ascending.
    pub fn trimmed(&self) -> &[u32] {
        self.judge.trimmed()
    }

    /// The names that the shares of an explanation refer to: features, parts of records, or the bag and summary of a
    /// string, series or graph.
    pub fn share_names(&self) -> Vec<String> {
        self.judge.share_names()
    }

    /// The values of a sample under these names if they are not its features; NaN if not a number.
    pub fn share_values(&self, sample: &X::Item) -> Option<Vec<f64>> {
        self.judge.share_values(sample)
    }

    /// What it judges by, in words that complete "a sample is judged by".
    pub fn judged_by(&self) -> String {
        self.judge.describe()
    }

    /// What the centrality of the samples in its regions is.
    pub fn centrality(&self) -> Centrality {
        self.judge.centrality()
    }

    /// The views of the judge, by name and weight; empty if it has only one distance.
    pub fn views(&self) -> Vec<(String, f64)> {
        self.judge.views()
    }

    /// The smallest score that is accepted; minus infinity if there are too few training samples to reject any.
    ///
    /// Exact under a reject rate. The paper's rule does not depend on the score alone: its boundary is `ln mu =
    /// -1/2`, from which the score differs by about 1e-8, the small term that keeps it from saturating.
    pub fn boundary(&self) -> f64 {
        match self.params().threshold {
            Threshold::Reject(share) => self.calibration().smallest_accepted(share),
            Threshold::Contamination => self.calibration().smallest_accepted(self.contamination_threshold()),
            Threshold::Percentile => self.judge.central_boundary(),
        }
    }

    /// Warnings for the user, for example that there are too few samples to reject anything.
    pub fn warnings(&self) -> Vec<String> {
        self.origin.warnings()
    }
}

impl Origin {
    pub(crate) fn warnings(&self) -> Vec<String> {
        let n = self.summary.samples;
        let smallest = 1.0 / (n as f64 + 1.0);
        match self.params.threshold {
            Threshold::Reject(share) if share < smallest => {
                let needed = (1.0 / share).ceil() as usize - 1;
                vec![format!(
                    "with {n} samples no p-value is below {smallest:.4}, so nothing can be rejected at {share}; \
                     at least {needed} samples are needed for that"
                )]
            }
            _ => Vec::new(),
        }
    }
}
