//! Training as in the paper [LA17, alg. 1]: for each `p` of a search, embed the samples, build the graph, and descend
//! over `k` to the partition with the smallest objective. The best `p` gives the regions.

use std::sync::{Arc, OnceLock};

use super::super::graph::Graph;
use super::super::judge::Task;
use super::super::planning::search_sizes;
use super::super::record::TrainingRecord;
use super::super::reference::Reference;
use super::super::search::{AfterSearch, Subset, search};
use super::super::{Model, Summary};
use super::ClosenessJudge;
use super::score::RegionScore;
use super::span::span;
use crate::calibration::Calibration;
use crate::centrality::{RegionGraph, estimate};
use crate::dissimilarity::{Dissimilarity, SearchCache};
use crate::error::Result;
use crate::jensen::Objective;
use crate::knn::KnnLists;
use crate::membership::{Membership, Scale};
use crate::observer::{Observer, Silent};
use crate::params::OneClass;
use crate::partition::Partition;
use crate::plan::Plan;
use crate::region::{Region, local_lists, ordered_members};
use crate::sample::SampleSet;

pub(super) fn fit<X: SampleSet>(mut task: Task<'_, X>) -> Result<Model<X>> {
    let mut subset = Subset::default();
    let (params, observer) = (task.origin.params.clone(), task.observer);
    let found = search(&mut task, &mut subset, |subset, samples, d| {
        let prototypes = subset.prototypes.clone();
        let spanned =
            span(&params, &subset.select(samples), prototypes.as_deref(), d, &mut subset.cache, observer)?;
        Ok((spanned.admissible_eta(), spanned))
    })?;
    let Task { samples, measure, mut origin, observer, .. } = task;
    let observer = AfterSearch::new(observer, found.stop);
    let refs = samples.refs();
    let spanned = if search_sizes(&params, refs.len()).len() > 1 {
        // A search on a subset has found `p`, but not the graph of all samples.
        subset.choose(&params, &refs, refs.len(), measure.as_ref());
        let prototypes = subset.prototypes.as_deref();
        span(&params, &refs, prototypes, measure.as_ref(), &mut subset.cache, &observer)?
    } else {
        found.value
    };
    let objective = spanned.objective;
    let lists = Arc::new(spanned.lists.truncated(objective.neighbors));
    let regions = regions(&params, &lists, &spanned.partition, &mut origin.plan, &observer)?;
    origin.summary = Summary {
        neighbors: objective.neighbors,
        eta: objective.eta,
        jensen: objective.jensen,
        evaluations: found.history.len(),
        stop: found.stop,
        ..origin.summary
    };
    origin.record = TrainingRecord::new(spanned.steps, found.history, found.stop);
    let reference = match subset.prototypes {
        Some(indices) => samples.select(&indices),
        None => samples.clone(),
    };
    let mut judge = ClosenessJudge {
        reference: Reference::new(reference, measure),
        points: spanned.points,
        graph: Graph { lists, regions },
        bound: spanned.bound,
        percentile: params.percentile,
        memory: params.memory,
        calibration: Calibration::default(),
        cache: OnceLock::new(),
    };
    judge.calibration = Calibration::new(judge.of_training().iter().map(RegionScore::score).collect());
    Ok(Model::new(judge, origin))
}

/// The regions, each with the closeness of its vertices [LA17, eq. 8 to 10].
fn regions(
    params: &OneClass,
    lists: &Arc<KnnLists>,
    partition: &Partition,
    plan: &mut Plan,
    observer: &dyn Observer,
) -> Result<Vec<Region>> {
    let sources = plan.closeness.sources();
    let region = |vertices: Vec<u32>| {
        let graph = RegionGraph::new(local_lists(lists, &vertices, lists.width())).with_sources(sources);
        let (log_chi, error) = estimate(&graph, observer)?;
        plan.closeness_error = plan.closeness_error.max(error);
        let fuzzy = Membership::from_centrality(&log_chi, Scale::Linear, params.percentile);
        let region = Region::new(vertices, lists.clone(), log_chi, fuzzy);
        Ok(region.with_sources(sources).with_graph(graph))
    };
    ordered_members(partition).into_iter().map(region).collect()
}

/// One evaluation of the objective with a fitted dissimilarity, for benches.
pub fn evaluate<X: SampleSet>(
    params: &OneClass,
    samples: &X,
    d: &dyn Dissimilarity<X::Item>,
) -> Result<Objective> {
    let refs = samples.refs();
    let prototypes = params.representation.prototypes(refs.len()).map(|p| p.select(&refs, d, params.seed));
    Ok(span(params, &refs, prototypes.as_deref(), d, &mut SearchCache::default(), &Silent)?.objective)
}
