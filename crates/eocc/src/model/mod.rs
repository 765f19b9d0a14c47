//! The fitted whole: what it keeps. How it answers is in `answer`.

mod answer;
mod any;
mod boundary;
mod committee;
mod explain;
pub mod file;
mod fit;
mod samples;
mod store;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::dissimilarity::Dissimilarity;
use crate::knn::KnnLists;
use crate::matrix::Matrix;
use crate::params::OneClassParams;
use crate::region::Region;
use crate::sample::SampleSet;
use crate::synthesis::StopReason;

pub use any::AnyModel;
pub use committee::{Committee, Members};
pub use explain::Explanation;
pub use fit::{FEWEST, Trained};
pub use store::{Store, restore};

/// A fitted one-class classifier for samples like those of `X`.
pub struct Model<X: SampleSet> {
    pub(crate) params: OneClassParams,
    pub(crate) dissimilarity: Box<dyn Dissimilarity<X::Item>>,
    pub(crate) space: Space<X>,
    /// The `k*` nearest neighbours of every training sample.
    pub(crate) lists: KnnLists,
    pub(crate) regions: Vec<Region>,
    pub(crate) scales: Scales,
    pub(crate) summary: Summary,
    /// Scores of the training samples as if each were new, ascending.
    pub(crate) calibration: Vec<f64>,
    pub(crate) ready: OnceLock<answer::Ready<X::Item>>,
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
pub struct Scales {
    /// `c`: dissimilarities are divided by it.
    pub bound: f64,
    /// The unit of length in `2^-d`.
    pub unit: f64,
    /// How many nearest neighbours a newcomer is joined to.
    pub links: usize,
}

/// How the model came about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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

impl<X: SampleSet> Model<X> {
    /// The parameters it was fitted with.
    pub fn params(&self) -> &OneClassParams {
        &self.params
    }

    /// The dissimilarity with its learnt parameters.
    pub fn dissimilarity(&self) -> &dyn Dissimilarity<X::Item> {
        self.dissimilarity.as_ref()
    }

    /// Its decision regions, largest first.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The neighbours of the training samples.
    pub fn lists(&self) -> &KnnLists {
        &self.lists
    }

    /// How it came about.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The lengths it measures by.
    pub fn scales(&self) -> &Scales {
        &self.scales
    }

    /// Leave-one-out scores of the training samples, ascending.
    pub fn calibration(&self) -> &[f64] {
        &self.calibration
    }

    /// Number of prototypes; all training samples if direct.
    pub fn prototypes(&self) -> usize {
        self.reference().count()
    }

    /// The samples that new ones are compared with.
    pub fn reference(&self) -> &X {
        match &self.space {
            Space::Embedded { prototypes, .. } => prototypes,
            Space::Direct { samples } => samples,
        }
    }

    /// Region and degree of membership of every training sample.
    pub fn training_memberships(&self) -> Vec<(usize, f64)> {
        let mut all = vec![(0, 0.0); self.summary.samples];
        for (r, region) in self.regions.iter().enumerate() {
            for (&v, &log_chi) in region.vertices.iter().zip(&region.log_chi) {
                all[v as usize] = (r, region.fuzzy.degree(region.fuzzy.difference(log_chi)));
            }
        }
        all
    }
}
