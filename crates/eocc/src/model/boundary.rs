//! Where on the scale of the scores yes turns to no.

use super::Model;
use crate::decision::smallest_accepted;
use crate::params::{Comparison, Threshold};
use crate::region::Region;
use crate::sample::SampleSet;

impl<X: SampleSet> Model<X> {
    /// The smallest score that is accepted; minus infinity where the training samples are too few to reject any.
    ///
    /// Exact where a share of nominal samples is rejected. The paper's rule is not one of the score alone: its boundary
    /// is `ln mu = -1/2`, which the score meets but for the small term that keeps it from saturating, about 1e-8.
    pub fn boundary(&self) -> f64 {
        match (self.params.threshold, self.params.comparison) {
            (Threshold::Reject(share), _) => smallest_accepted(&self.calibration, share),
            (Threshold::Percentile, Comparison::Membership) => -0.5,
            (Threshold::Percentile, Comparison::Closeness) => {
                // A boundary for each region: the lowest is the one below which nothing is accepted.
                let of_region = |r: &Region| r.fuzzy.log_largest - r.fuzzy.threshold;
                let lowest = self.regions.iter().map(of_region).fold(f64::INFINITY, f64::min);
                lowest - (self.scales.links as f64).log2()
            }
        }
    }
}
