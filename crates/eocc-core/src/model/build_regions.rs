//! From a partition to decision regions.

use std::sync::Arc;

use crate::centrality::{RegionGraph, estimate};
use crate::error::Result;
use crate::knn::KnnLists;
use crate::membership::{Membership, Scale};
use crate::observer::Observer;
use crate::params::OneClass;
use crate::plan::Plan;
use crate::region::{Region, local_lists};

/// The paper's regions, each with the closeness of its vertices [LA17, eq. 8 to 10].
pub(super) fn regions_by_closeness(
    params: &OneClass,
    lists: &Arc<KnnLists>,
    members: Vec<Vec<u32>>,
    plan: &mut Plan,
    observer: &dyn Observer,
) -> Result<Vec<Region>> {
    let sources = plan.closeness.sources();
    let region = |vertices: Vec<u32>| {
        let graph = RegionGraph::new(local_lists(lists, &vertices, lists.width())).with_sources(sources);
        let (log_chi, error) = estimate(&graph, observer)?;
        plan.closeness_error = plan.closeness_error.max(error);
        let fuzzy = Membership::of(&log_chi, Scale::Linear, params.percentile);
        let region = Region::new(vertices, lists.clone(), log_chi, fuzzy);
        Ok(region.with_sources(sources).with_graph(graph))
    };
    members.into_iter().map(region).collect()
}

/// Regions in which vertices are as central as the committee's scores of them say.
pub(super) fn regions_by_score(
    params: &OneClass,
    lists: &Arc<KnnLists>,
    members: Vec<Vec<u32>>,
    scores: &[f64],
) -> Vec<Region> {
    let region = |vertices: Vec<u32>| {
        let log_chi: Vec<f64> = vertices.iter().map(|&v| scores[v as usize]).collect();
        let fuzzy = Membership::of(&log_chi, Scale::Logarithmic, params.percentile);
        Region::new(vertices, lists.clone(), log_chi, fuzzy)
    };
    members.into_iter().map(region).collect()
}
