//! How a committee learns: trimming, neighbor lists in each view, and the scores of every training sample as if it
//! were new.

use super::super::reference::MAX_DISTANCE;
use super::neighbors::Neighbors;
use super::panel::{LearnedPanel, PanelMember};
use super::scores::{self, Locality, SCORES, ring_size};
use super::tail::{Changes, References};
use super::{CHANGE, Committee, Member, NEAREST_CLEAN, NEAREST_CONTAMINATED, Place, trim};
use crate::dissimilarity::{Dissimilarity, LeaveOneOut, Prepared, View};
use crate::error::{ErrorKind, Result};
use crate::knn::KnnLists;
use crate::observer::Observer;
use crate::parallel;
use crate::plan::EXACT;
use crate::sample::Sample;
use crate::select::sort_by_distance;

/// How many of the nearest are measured again when a sample is left out.
const CANDIDATES: usize = 32;
/// Number of candidates for large sets, where one sample hardly makes a difference.
const CANDIDATES_OF_MANY: usize = 16;

/// If this fraction of the training samples occurs three times or more, duplicates are part of the data, and a new
/// sample that equals a training sample is like any other. Pairs may be rows copied by mistake, which say nothing
/// about new samples.
const COMMON_TWINS: f64 = 0.05;

/// How many of the nearest are measured again when one of `n` samples is left out.
fn candidates(n: usize) -> usize {
    if n > EXACT { CANDIDATES_OF_MANY } else { CANDIDATES }
}

/// The result of learning.
pub(crate) struct Learned<S: ?Sized> {
    /// The committee; its samples have no regions yet.
    pub(crate) committee: Committee,
    /// The neighbor lists of all samples in the first view; they hold only kept samples.
    pub(crate) lists: KnnLists,
    /// The lists in every view, as wide as the scores need, if the committee has no panels.
    pub(crate) view_lists: Vec<KnnLists>,
    /// The samples prepared for every view, if the committee has no panels and trimming needed them.
    pub(crate) view_prepared: Vec<Box<dyn Prepared<S>>>,
    /// The oddity that each sample would have if it had never been in the training set; p-values are ranks among
    /// these. A new sample that equals a training sample gets the score of that one, which is not its own neighbor. So
    /// a sample with duplicates is scored here without one of them, its twin.
    pub(crate) leave_one_out: Vec<f64>,
    /// The recall of the neighbor search, estimated on some samples; the mean over the views.
    pub(crate) recall: f64,
}

/// Options for learning.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// A hash of a sample's content.
    pub(crate) content: &'a dyn Fn(usize) -> Option<u64>,
    /// The fraction of outliers expected among the samples.
    pub(crate) contamination: Option<f64>,
    /// How many samples a neighbor search may examine.
    pub(crate) visits: usize,
    /// Whether to use panels in addition to views.
    pub(crate) panels: bool,
}

/// Learns a committee of the views of `measure`; the lists of the first view are at least `width` wide.
pub(crate) fn learn<S: ?Sized + Sample>(
    samples: &[&S],
    measure: &dyn Dissimilarity<S>,
    wanted: Wanted<'_>,
    width: impl Fn(usize) -> usize,
    observer: &dyn Observer,
) -> Result<Learned<S>> {
    let Wanted { content, contamination, visits, panels } = wanted;
    let n = samples.len();
    let views = measure.views(samples);
    let left_out = measure.leave_one_out(samples);
    let of_view = |view| Neighbors::new(samples, view, candidates(n), visits, observer);
    let neighbors = views
        .iter()
        .map(|view| Ok((view.weight, of_view(view.measure.as_ref())?)))
        .collect::<Result<Vec<_>>>()?;
    let kept = trim::kept(&neighbors, n, content, contamination)?;
    let mut place = vec![None; n];
    for (&i, at) in kept.iter().zip(0..) {
        place[i as usize] = Some(Place(at));
    }
    let trimmed = (0..n as u32).filter(|i| place[*i as usize].is_none()).collect();
    let ring_size = ring_size(kept.len());
    let is_contaminated = contamination.is_some_and(|c| c > 0.0);
    let few = if is_contaminated { NEAREST_CONTAMINATED } else { NEAREST_CLEAN };
    let mut committee = Committee {
        ring_size,
        few,
        visits,
        members: Vec::with_capacity(views.len()),
        panels: Vec::new(),
        changes: Changes::default(),
        recognizes_copies: true,
        oddity: vec![0.0; n],
        region_of: vec![0; n],
        kept,
        trimmed,
    };
    let (mut first, mut recall, mut view_lists) = (None, 0.0, Vec::new());
    let mut view_prepared = Vec::new();
    let (twins_of, squares) = (vec![None; n], vec![(0.0, 0.0); n]);
    let mut training = TrainingSamples { place, twins: twins_of, squares, order: Vec::new() };
    for (v, (view, (_, neighbors))) in views.iter().zip(neighbors).enumerate() {
        // One more than the scores use, because the twin may be skipped.
        let needed = if left_out.is_some() { candidates(n) } else { ring_size.max(few) + 1 };
        let wanted = if v == 0 { width(committee.kept.len()).max(needed) } else { needed };
        let found = neighbors.lists(&committee.kept, wanted.min(committee.kept.len() - 1))?;
        recall += found.recall / views.len() as f64;
        let lists = found.lists;
        view_prepared.extend(neighbors.into_prepared().filter(|_| !panels));
        let candidates = Candidates { lists: &lists, view: v, width: needed, left_out: left_out.as_deref() };
        if v == 0 {
            training.order = found.order.unwrap_or_else(|| (0..n as u32).collect());
            let found = twins(samples, &views, &candidates, observer)?;
            if equals_are_common(&found, &committee.kept, candidates.width.min(lists.width())) {
                committee.recognizes_copies = false;
            } else {
                training.twins = found.into_iter().map(|twins| twins.first).collect();
            }
        }
        let member = committee.learn_view(view, &candidates, &mut training, observer)?;
        committee.members.push(member);
        if !panels {
            view_lists.push(lists.clone().truncated(needed.min(lists.width())));
        }
        if v == 0 {
            first = Some(lists);
        }
    }
    if let Some(left_out) = left_out.as_ref().filter(|_| panels) {
        for panel in measure.panels(samples, &committee.kept) {
            let (panel, left_out) = (panel.as_ref(), left_out.as_ref());
            let LearnedPanel { member, tails } = PanelMember::learn(
                panel,
                samples,
                &committee.kept,
                few,
                &training.twins,
                left_out,
                observer,
            )?;
            for (squares, tail) in training.squares.iter_mut().zip(tails) {
                squares.0 += member.weight * tail.0 * tail.0;
                squares.1 += member.weight * tail.1 * tail.1;
            }
            committee.panels.push(member);
        }
    }
    let changes = |i: usize| left_out.as_ref().map_or(0, |l| l.changes(i));
    let changes: Vec<usize> = parallel::map(n, 64, &changes);
    committee.changes = Changes::new(changes.iter().map(|c| *c as u32).collect());
    let weight = CHANGE * measure.changed(samples).map_or(1.0, |c| c.weight);
    let weights = committee.weights();
    let mut leave_one_out = Vec::with_capacity(n);
    for ((oddity, squares), count) in committee.oddity.iter_mut().zip(training.squares).zip(changes) {
        let tail = weight * committee.changes.tail_of_own(count);
        *oddity = (squares.0 / weights).sqrt() + tail;
        leave_one_out.push((squares.1 / weights).sqrt() + tail);
    }
    let lists = first.unwrap_or_default();
    Ok(Learned { committee, lists, view_lists, view_prepared, leave_one_out, recall })
}

/// The training samples and their data while the committee learns.
struct TrainingSamples {
    /// The place of each sample among the kept ones.
    place: Vec<Option<Place>>,
    /// The twin of each: the first kept sample that equals it in every view.
    twins: Vec<Option<u32>>,
    /// The weighted sum of squared tails of each sample: with its twin, for when the same sample is scored again, and
    /// without it, as if it were new.
    squares: Vec<(f64, f64)>,
    /// The order to go through them: those that follow each other have the same neighbors, which are then at hand.
    order: Vec<u32>,
}

/// The kept samples that equal a training sample in every view: the first, and their number as far as the lists show.
#[derive(Debug, Clone, Copy, Default)]
struct Twins {
    first: Option<u32>,
    count: usize,
}

/// Whether duplicates are part of the data: many samples occur three times or more, but not because the whole file
/// was repeated.
fn equals_are_common(twins: &[Twins], kept: &[u32], width: usize) -> bool {
    let several = twins.iter().filter(|twins| twins.count >= 2).count();
    let of_kept = kept.iter().map(|&i| twins[i as usize].count).filter(|count| *count < width);
    let divisor = of_kept.fold(0, |divisor, count| greatest_common_divisor(divisor, count + 1));
    several as f64 >= COMMON_TWINS * twins.len() as f64 - 1e-9 && divisor < 2
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The twins of each sample; the candidates come from the first view.
fn twins<S: ?Sized + Sample>(
    samples: &[&S],
    views: &[View<S>],
    candidates: &Candidates<'_>,
    observer: &dyn Observer,
) -> Result<Vec<Twins>> {
    let of_sample = |i: usize| {
        if observer.is_cancelled() {
            return Err(ErrorKind::Cancelled.into());
        }
        let width = candidates.width.min(candidates.lists.width());
        let (near, lengths) = (candidates.lists.neighbors(i, width), candidates.lists.lengths(i, width));
        let at_zero = near.iter().zip(lengths).take_while(|(_, d)| **d <= 0.0).map(|(j, _)| *j);
        let is_twin = |j: &u32| {
            let (one, other) = (samples[i], samples[*j as usize]);
            views[1..].iter().all(|view| view.measure.between(one, other) <= 0.0)
        };
        let mut equal = at_zero.into_iter().filter(is_twin).peekable();
        Ok(Twins { first: equal.peek().copied(), count: equal.count() })
    };
    parallel::try_map(samples.len(), 64, &of_sample)
}

/// The scores of a training sample in one view, with and without its twin.
type Scored = ([f64; SCORES], Option<[f64; SCORES]>);

/// The lists of one view, and how to recompute them without a sample.
struct Candidates<'a> {
    lists: &'a KnnLists,
    view: usize,
    width: usize,
    left_out: Option<&'a dyn LeaveOneOut>,
}

impl Candidates<'_> {
    /// The nearest of sample `i`, as if it had not been in the training set.
    fn nearest(&self, i: usize) -> Vec<(u32, f64)> {
        let width = self.width.min(self.lists.width());
        let neighbors = self.lists.neighbors(i, width);
        let mut distances = self.lists.lengths(i, width).to_vec();
        if let Some(left_out) = self.left_out {
            left_out.fill(self.view, i, neighbors, &mut distances);
        }
        let near = neighbors.iter().copied().zip(distances.into_iter().map(|d| d.min(MAX_DISTANCE)));
        let mut near: Vec<(u32, f64)> = near.collect();
        sort_by_distance(&mut near);
        near
    }
}

impl Committee {
    /// Learns one view, and adds its squared tails to the sums of each training sample.
    fn learn_view<S: ?Sized + Sample>(
        &mut self,
        view: &View<S>,
        candidates: &Candidates<'_>,
        training: &mut TrainingSamples,
        observer: &dyn Observer,
    ) -> Result<Member> {
        let ring = |u: &u32| {
            let lengths = candidates.lists.lengths(*u as usize, self.ring_size);
            lengths.iter().map(|l| l.min(MAX_DISTANCE) / self.ring_size as f64).sum()
        };
        let locality = Locality::from_ring_means(self.kept.iter().map(ring).collect());
        let (ring_size, few) = (self.ring_size, self.few);
        let TrainingSamples { place, twins, squares, order } = training;
        let of_sample = |i: usize| {
            if observer.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            let near = candidates.nearest(i);
            let scores = |without: Option<u32>| {
                let counting = near.iter().filter(|n| Some(n.0) != without).take(ring_size.max(few));
                // Lists hold only kept samples, and each of those has a place.
                let placed = counting.map(|&(j, d)| (place[j as usize].unwrap_or(Place(0)), d));
                scores::scores(&placed.collect::<Vec<_>>(), ring_size, few, &locality)
            };
            Ok((scores(None), twins[i].map(|twin| scores(Some(twin)))))
        };
        let ordered = parallel::try_map(order.len(), 8, &|at| of_sample(order[at] as usize))?;
        let mut all: Vec<Scored> = vec![Default::default(); twins.len()];
        for (&i, scored) in order.iter().zip(ordered) {
            all[i as usize] = scored;
        }
        let of_kept = |s: usize| References::new(self.kept.iter().map(|&i| all[i as usize].0[s]).collect());
        let references = std::array::from_fn(of_kept);
        let member = Member { name: view.name.clone(), weight: view.weight, locality, references };
        let added = parallel::map(all.len(), 64, &|i| {
            let (scores, without_twin) = &all[i];
            let squares = |with: &[f64; SCORES]| match place[i] {
                Some(_) => view.weight * member.squares_in_place_of(scores, with),
                None => view.weight * member.squares(with),
            };
            let own = squares(scores);
            (own, without_twin.as_ref().map_or(own, squares))
        });
        for (squares, (own, without_twin)) in squares.iter_mut().zip(added) {
            squares.0 += own;
            squares.1 += without_twin;
        }
        Ok(member)
    }
}
