//! The fitted whole: what it keeps. How it scores is in `score`, how it answers in `answer`.

mod answer;
mod build_regions;
mod candidates;
mod explain;
pub mod file;
mod fit;
mod score;
mod span;
mod store;
mod stored_committee;
mod training;

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;
use crate::committee::{Committee, PreparedViews};
use crate::dissimilarity::Dissimilarity;
use crate::knn::KnnLists;
use crate::matrix::Matrix;
use crate::params::{OneClass, Threshold};
use crate::plan::Plan;
use crate::region::Region;
use crate::sample::SampleSet;
use crate::synthesis::StopReason;

pub use explain::Explanation;
pub use fit::{MIN_SAMPLES, Trained};

/// A fitted one-class classifier for samples like those of `X`: a scorer and a calibration of its scores.
pub struct Model<X: SampleSet> {
    pub(crate) scorer: Scorer<X>,
    pub(crate) calibration: Calibration,
}

/// The trained graph with its regions, and the committee of `default`: from a sample to its score.
pub(crate) struct Scorer<X: SampleSet> {
    pub(crate) dissimilarity: Box<dyn Dissimilarity<X::Item>>,
    pub(crate) space: Space<X>,
    pub(crate) graph: TrainedGraph,
    /// Who judges; `None`: the paper's closeness does.
    pub(crate) committee: Option<Committee>,
    /// What scoring needs besides, made at the first sample.
    pub(crate) ready: OnceLock<score::Ready<X::Item>>,
    pub(crate) views: OnceLock<PreparedViews<X::Item>>,
}

/// What training found, whatever the samples are.
pub(crate) struct TrainedGraph {
    pub(crate) params: OneClass,
    pub(crate) plan: Plan,
    /// The `k*` nearest neighbours of every training sample.
    pub(crate) lists: Arc<KnnLists>,
    pub(crate) regions: Vec<Region>,
    pub(crate) scales: Scales,
    pub(crate) summary: Summary,
}

/// Where the graph lives.
pub(crate) enum Space<X> {
    /// Points of the dissimilarity space, a row a training sample.
    Embedded {
        /// The prototypes.
        prototypes: X,
        /// The embedded training samples.
        points: Matrix,
    },
    /// The training samples themselves.
    Direct {
        /// All of them.
        samples: X,
    },
}

/// The lengths that everything is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Scales {
    /// `c`: dissimilarities are divided by it.
    pub bound: f64,
    /// The unit of length in `2^-d`: 1, in files for the sake of their form.
    pub(crate) unit: f64,
    /// How many nearest neighbours a newcomer is joined to.
    #[serde(rename = "links")]
    pub ring_size: usize,
}

/// How the model came about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// Number of training samples.
    pub samples: usize,
    /// Number of their features; 0 if they have no fixed number.
    pub features: usize,
    /// `k*`.
    pub neighbors: usize,
    /// The objective at `p*`, `k*`.
    pub eta: f64,
    /// The Jensen difference behind it.
    pub jensen: f64,
    /// Evaluations of the search.
    pub evaluations: usize,
    /// Why the search stopped.
    pub stop: StopReason,
}

impl<X: SampleSet> Scorer<X> {
    /// The samples that new ones are compared with.
    pub(crate) fn reference(&self) -> &X {
        match &self.space {
            Space::Embedded { prototypes, .. } => prototypes,
            Space::Direct { samples } => samples,
        }
    }
}

impl<X: SampleSet> Model<X> {
    /// The parameters it was fitted with.
    pub fn params(&self) -> &OneClass {
        &self.scorer.graph.params
    }

    /// The dissimilarity with what it has learned.
    pub fn dissimilarity(&self) -> &dyn Dissimilarity<X::Item> {
        self.scorer.dissimilarity.as_ref()
    }

    /// Its decision regions, largest first.
    pub fn regions(&self) -> &[Region] {
        &self.scorer.graph.regions
    }

    /// The neighbours of the training samples.
    pub fn lists(&self) -> &KnnLists {
        &self.scorer.graph.lists
    }

    /// How it came about.
    pub fn summary(&self) -> &Summary {
        &self.scorer.graph.summary
    }

    /// What its fit was planned to do, and how well neighbours were found.
    pub fn plan(&self) -> &Plan {
        &self.scorer.graph.plan
    }

    /// The lengths it measures by.
    pub fn scales(&self) -> &Scales {
        &self.scorer.graph.scales
    }

    /// The scores that new ones are compared with.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Number of prototypes; all training samples if direct.
    pub fn prototypes(&self) -> usize {
        self.reference().count()
    }

    /// The samples that new ones are compared with.
    pub fn reference(&self) -> &X {
        self.scorer.reference()
    }

    /// The score of every training sample as if it were new: it does not count itself.
    pub fn training_scores(&self) -> Vec<f64> {
        self.scorer.training().iter().map(|of_region| self.scorer.score(of_region)).collect()
    }

    /// Region and degree of membership of every training sample.
    pub fn training_memberships(&self) -> Vec<(usize, f64)> {
        self.scorer.training().iter().map(|r| (r.region, r.log_degree.exp())).collect()
    }

    /// Indices of the training samples that count as nobody's neighbour, since they lie far out, ascending.
    pub fn trimmed(&self) -> &[u32] {
        self.scorer.committee.as_ref().map_or(&[], |c| &c.trimmed)
    }

    /// The views of the committee, by name and weight; none where the paper's closeness judges.
    pub fn views(&self) -> Vec<(String, f64)> {
        let members = self.scorer.committee.iter().flat_map(|c| &c.members);
        members.map(|m| (m.name.clone(), m.weight)).collect()
    }

    /// The smallest score that is accepted; minus infinity where the training samples are too few to reject any.
    ///
    /// Exact where a share of nominal samples is rejected. The paper's rule is not one of the score alone: its boundary
    /// is `ln mu = -1/2`, which the score meets but for the small term that keeps it from saturating, about 1e-8.
    pub fn boundary(&self) -> f64 {
        match self.params().threshold {
            Threshold::Reject(share) => self.calibration.smallest_accepted(share),
            Threshold::Contamination => self.calibration.smallest_accepted(self.contaminated_share()),
            Threshold::Percentile => self.scorer.lowest_boundary(),
        }
    }
}
