//! What a scorer says of the training samples themselves.

use super::Scorer;
use super::score::RegionScore;
use crate::sample::SampleSet;

impl<X: SampleSet> Scorer<X> {
    /// What is said of every training sample, by its place in the graph or by the committee, as if it were new.
    pub(super) fn training(&self) -> Vec<RegionScore> {
        let n = self.graph.summary.samples;
        if let Some(committee) = &self.committee {
            let judged = |i: usize| self.judged(committee.region_of[i] as usize, committee.oddity[i]);
            return (0..n).map(judged).collect();
        }
        let mut all = vec![RegionScore::default(); n];
        for (r, region) in self.graph.regions.iter().enumerate() {
            for (&v, &log_chi) in region.vertices.iter().zip(&region.log_chi) {
                all[v as usize] =
                    RegionScore::new(r, log_chi, region.fuzzy.difference(log_chi), region.fuzzy.threshold);
            }
        }
        all
    }

    /// The score at which the paper's rule turns from yes to no, the lowest of all regions.
    pub(super) fn lowest_boundary(&self) -> f64 {
        if self.committee.is_none() {
            return -0.5;
        }
        let of_region = |r: &crate::region::Region| r.fuzzy.log_largest - r.fuzzy.threshold;
        self.graph.regions.iter().map(of_region).fold(f64::INFINITY, f64::min)
    }
}
