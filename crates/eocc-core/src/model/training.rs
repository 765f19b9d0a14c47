//! What the trained graph says of the training samples themselves.

use super::TrainedGraph;
use super::score::RegionScore;
use crate::params::RegionSelection;
use crate::region::Region;

impl TrainedGraph {
    /// The score of every training sample by its place in the graph, where it does not count itself.
    pub(crate) fn training_scores(&self) -> Vec<f64> {
        let mut scores = vec![0.0; self.summary.samples];
        for (r, region) in self.regions.iter().enumerate() {
            for (&v, &log_chi) in region.vertices.iter().zip(&region.log_chi) {
                let difference = region.fuzzy.difference(log_chi);
                scores[v as usize] =
                    self.score(&RegionScore::new(r, log_chi, difference, region.fuzzy.threshold));
            }
        }
        scores
    }

    /// Region and degree of membership of every training sample.
    pub(crate) fn training_memberships(&self) -> Vec<(usize, f64)> {
        let mut all = vec![(0, 0.0); self.summary.samples];
        for (r, region) in self.regions.iter().enumerate() {
            for (&v, &log_chi) in region.vertices.iter().zip(&region.log_chi) {
                all[v as usize] = (r, region.fuzzy.degree(region.fuzzy.difference(log_chi)));
            }
        }
        all
    }

    /// The score at which the paper's rule turns from yes to no, the lowest of all regions.
    pub(crate) fn lowest_boundary(&self) -> f64 {
        match self.params.region_selection {
            RegionSelection::Membership => -0.5,
            RegionSelection::Closeness => {
                let of_region = |r: &Region| r.fuzzy.log_largest - r.fuzzy.threshold;
                let lowest = self.regions.iter().map(of_region).fold(f64::INFINITY, f64::min);
                lowest - (self.scales.ring_size as f64).log2()
            }
        }
    }
}
