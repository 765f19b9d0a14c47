//! Training of `default`. The committee learns from all samples. Then the kNN graph of the untrimmed samples, in the
//! first view, is partitioned into regions as in the paper. If a parameter search is on (off by default), it builds one
//! such graph per evaluation.

use std::sync::{Arc, OnceLock};

use super::super::graph::Graph;
use super::super::judge::Task;
use super::super::record::TrainingRecord;
use super::super::reference::Reference;
use super::super::search::{AfterSearch, Subset, search};
use super::super::{Model, Summary};
use super::judge::regions_by_score;
use super::learn::{Learned, Wanted, learn};
use super::objective::{admissible_eta, neighbors};
use super::{CommitteeJudge, Place};
use crate::calibration::Calibration;
use crate::error::Result;
use crate::jensen::Descent;
use crate::knn::KnnLists;
use crate::plan::EXACT;
use crate::region::ordered_members;
use crate::sample::SampleSet;
use crate::synthesis::{SearchKind, StopReason};

pub(super) fn fit<X: SampleSet>(mut task: Task<'_, X>) -> Result<Model<X>> {
    let (history, stop) = search_parameters(&mut task)?;
    let Task { samples, measure, mut origin, observer, panels } = task;
    let observer = AfterSearch::new(observer, stop);
    let (params, plan) = (&origin.params, &mut origin.plan);
    let refs = samples.refs();
    let width = |kept: usize| neighbors(kept).1 + 1;
    let visits = plan.neighbors.visits();
    let content = |i: usize| samples.content_hash(i);
    let wanted = Wanted { content: &content, contamination: params.contamination, visits, panels };
    let Learned { mut committee, lists, view_lists, view_prepared, leave_one_out, recall } =
        learn(&refs, measure.as_ref(), wanted, width, &observer)?;
    plan.recall = recall;
    let kept = committee.kept.len();
    let among_kept = lists_of(&lists, &committee.kept, width(kept));
    let descent = Descent::new(&among_kept, params.alpha, kept)?;
    let (objective, steps) = descent.descend_recorded(neighbors(kept).0);
    let named = |part: Vec<u32>| part.into_iter().map(|v| committee.sample_at(Place(v))).collect();
    let members: Vec<Vec<u32>> =
        ordered_members(descent.partition(objective.neighbors)).into_iter().map(named).collect();
    committee.assign_regions(&members, &lists);
    drop(descent);
    drop(among_kept);
    // The lists are for plots. For large sets they are truncated, so that model files load fast.
    let width = if kept > EXACT { committee.ring_size } else { objective.neighbors };
    let lists = Arc::new(lists.truncated(width.min(objective.neighbors)));
    let scores: Vec<f64> = committee.oddity.iter().map(|o| -o).collect();
    let regions = regions_by_score(params.percentile, &lists, members, &scores);
    let judge = CommitteeJudge {
        reference: Reference::new(samples.clone(), measure),
        committee,
        graph: Graph { lists, regions },
        percentile: params.percentile,
        calibration: Calibration::new(leave_one_out.into_iter().map(|oddity| -oddity).collect()),
        views: OnceLock::new(),
        view_lists,
        view_prepared,
    };
    origin.summary = Summary {
        neighbors: objective.neighbors,
        eta: objective.eta,
        jensen: objective.jensen,
        // Without a search, the graph of the kept samples is the only one evaluated.
        evaluations: history.len().max(1),
        stop,
        ..origin.summary
    };
    origin.record = TrainingRecord::new(steps, history, stop);
    Ok(Model::new(judge, origin))
}

/// Searches the measure's parameters `p` if requested; returns the objective of each evaluation and why the search
/// stopped.
fn search_parameters<X: SampleSet>(task: &mut Task<'_, X>) -> Result<(Vec<f64>, StopReason)> {
    if task.origin.params.search == SearchKind::None {
        return Ok((Vec::new(), StopReason::NoSearch));
    }
    let (alpha, observer) = (task.origin.params.alpha, task.observer);
    let found = search(task, &mut Subset::default(), |subset, samples, d| {
        Ok((admissible_eta(alpha, &subset.select(samples), d, &mut subset.cache, observer)?, ()))
    })?;
    Ok((found.history, found.stop))
}

/// The lists of some samples, truncated to `width` and renumbered; all neighbors must be among these samples.
fn lists_of(lists: &KnnLists, some: &[u32], width: usize) -> KnnLists {
    let mut number = vec![0_u32; lists.points()];
    for (&v, own) in some.iter().zip(0..) {
        number[v as usize] = own;
    }
    let neighbors = some.iter().flat_map(|&v| lists.neighbors(v as usize, width));
    let neighbors = neighbors.map(|&w| number[w as usize]).collect();
    let lengths = some.iter().flat_map(|&v| lists.lengths(v as usize, width).iter().copied()).collect();
    KnnLists::new(neighbors, lengths, width)
}
