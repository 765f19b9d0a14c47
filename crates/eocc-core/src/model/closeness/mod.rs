//! The paper's judge: the centrality of a sample in the graph of a region, by closeness [LA17, sec. III].
//!
//! `fit` searches `p`, `span` builds the graph for one `p`, `score` joins a new sample to the regions.

mod candidates;
mod fit;
mod score;
mod span;
mod store;

use std::sync::OnceLock;

use serde_json::Value;

use super::Model;
use super::graph::Graph;
use super::judge::{Judge, JudgeKind, Judged, Judgment, Reasons, Stored, Task};
use super::reference::Reference;
use crate::calibration::Calibration;
use crate::error::Result;
use crate::file::Contents;
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::params::Scoring;
use crate::region::Centrality;
use crate::sample::SampleSet;

#[doc(hidden)]
pub use fit::evaluate;
use score::{RegionScore, ScoringCache};

/// The graph with its regions, in the space of the prototypes or on the dissimilarity itself.
pub struct ClosenessJudge<X: SampleSet> {
    /// The prototypes; all training samples if there is no embedding.
    reference: Reference<X>,
    /// The embedded training samples.
    points: Option<Matrix>,
    graph: Graph,
    /// `c`: dissimilarities are divided by it.
    bound: f64,
    /// `l`, the percentile that gives a region's threshold.
    percentile: f64,
    /// Maximum memory to use, in bytes.
    memory: Option<u64>,
    calibration: Calibration,
    cache: OnceLock<ScoringCache>,
}

impl<X: SampleSet> ClosenessJudge<X> {
    /// How many nearest neighbors a newcomer is joined to: `k*`.
    fn ring_size(&self) -> usize {
        self.graph.lists.width()
    }

    /// The region score of each training sample.
    fn of_training(&self) -> Vec<RegionScore> {
        let mut all = vec![RegionScore::default(); self.graph.lists.points()];
        for (r, region) in self.graph.regions.iter().enumerate() {
            for (&v, &log_chi) in region.vertices.iter().zip(&region.centrality) {
                all[v as usize] =
                    RegionScore::new(r, log_chi, region.fuzzy.difference(log_chi), region.fuzzy.threshold);
            }
        }
        all
    }
}

impl<X: SampleSet> Judge<X> for ClosenessJudge<X> {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn reference(&self) -> &Reference<X> {
        &self.reference
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn describe(&self) -> String {
        "closeness in its graph, as in the paper".to_owned()
    }

    fn centrality(&self) -> Centrality {
        Centrality::Closeness
    }

    fn prepare(&self, scoring: Scoring, observer: &dyn Observer) -> Result<()> {
        self.prepare_regions(scoring, observer)
    }

    fn judge(&self, samples: &[&X::Item], scoring: Scoring) -> Result<Judged> {
        let (best, measured) = self.best_regions(samples, scoring)?;
        Ok(Judged { judgments: best.iter().map(RegionScore::judgment).collect(), measured })
    }

    fn spares_comparisons(&self, scoring: Scoring) -> bool {
        self.uses_bounds(scoring)
    }

    fn training(&self) -> Vec<Judgment> {
        self.of_training().iter().map(RegionScore::judgment).collect()
    }

    fn recalibrate(&mut self, scores: Vec<f64>) {
        self.calibration = Calibration::new(scores);
    }

    fn reasons(&self, sample: &X::Item, count: usize) -> Result<Reasons> {
        let total = self.reference.samples.count();
        let mut row = vec![0.0; total];
        self.reference.prepared().fill(sample, 0..total, &mut row);
        let mut nearest = crate::select::nearest(&row, (count + 1).min(total), None);
        // The sample itself, or an equal one, explains nothing.
        if nearest.first().is_some_and(|n| n.1 <= 0.0) {
            nearest.remove(0);
        }
        nearest.truncate(count);
        let shares = self.reference.mean_shares(self.reference.measure(), sample, &nearest);
        Ok(Reasons { nearest, shares })
    }

    fn central_boundary(&self) -> f64 {
        // At `diff = t`, `ln mu` is -1/2 in every region.
        -0.5
    }

    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn embedding(&self) -> Option<&Matrix> {
        self.points.as_ref()
    }

    fn bound(&self) -> f64 {
        self.bound
    }

    fn write(&self, out: &mut Contents) -> Result<Value> {
        self.write_tensors(out)
    }
}

impl<X: SampleSet> JudgeKind<X> for ClosenessJudge<X> {
    const NAME: &'static str = "closeness";

    fn train(task: Task<'_, X>) -> Result<Model<X>> {
        fit::fit(task)
    }

    fn read(stored: Stored<'_, X>) -> Result<Self> {
        store::read(stored)
    }
}
