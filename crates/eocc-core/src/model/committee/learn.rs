//! How a committee learns: trimming, lists in each view, and the scores of every training sample as if it were new.

use super::super::reference::MAX_DISTANCE;
use super::neighbors::Neighbors;
use super::scores::{self, Locality, SCORES, ring_size};
use super::tail::{Changes, References};
use super::{CHANGE, Committee, FEW, Member, Place, trim};
use crate::dissimilarity::{Dissimilarity, LeaveOneOut};
use crate::error::{ErrorKind, Result};
use crate::knn::KnnLists;
use crate::observer::Observer;
use crate::parallel;
use crate::plan::EXACT;
use crate::sample::Sample;

/// The nearest whose distances are computed anew when a sample is left out; and of many samples, where one makes hardly a
/// difference.
const CANDIDATES: [usize; 2] = [32, 16];

/// How many of the nearest are measured anew.
fn candidates(n: usize) -> usize {
    CANDIDATES[usize::from(n > EXACT)]
}

/// What was learned.
pub(crate) struct Learned {
    /// Not yet with regions.
    pub(crate) committee: Committee,
    /// The lists of all samples in the first view, of which only kept samples are members.
    pub(crate) lists: KnnLists,
    /// The oddity each sample would have if it had never been in the training set; p-values are taken from these. A newcomer
    /// that equals a training sample sees all duplicates but that one, so a sample with duplicates sees one less of them here.
    pub(crate) leave_one_out: Vec<f64>,
    /// The share of the neighbours of some samples that was found, the mean of all views.
    pub(crate) recall: f64,
}

/// A committee of the views of `measure`; lists of the first are `width` wide or wider.
pub(crate) fn learn<S: ?Sized + Sample>(
    samples: &[&S],
    measure: &dyn Dissimilarity<S>,
    contamination: Option<f64>,
    visits: usize,
    width: impl Fn(usize) -> usize,
    observer: &dyn Observer,
) -> Result<Learned> {
    let n = samples.len();
    let views = measure.views();
    let left_out = measure.leave_one_out(samples);
    let of_view = |view| Neighbors::new(samples, view, candidates(n), visits, observer);
    let neighbors = views
        .iter()
        .map(|view| Ok((view.weight, of_view(view.measure.as_ref())?)))
        .collect::<Result<Vec<_>>>()?;
    let kept = trim::kept(&neighbors, n, trim::share(contamination))?;
    let mut place = vec![None; n];
    for (&i, at) in kept.iter().zip(0..) {
        place[i as usize] = Some(Place(at));
    }
    let trimmed = (0..n as u32).filter(|i| place[*i as usize].is_none()).collect();
    let ring_size = ring_size(kept.len());
    let few = FEW[usize::from(contamination.is_some_and(|c| c > 0.0))];
    let mut committee = Committee {
        ring_size,
        few,
        visits,
        members: Vec::with_capacity(views.len()),
        changes: Changes::default(),
        oddity: vec![0.0; n],
        region_of: vec![0; n],
        kept,
        trimmed,
    };
    let (mut first, mut recall) = (None, 0.0);
    let mut leave_one_out = vec![0.0; n];
    let mut twins = vec![None; n];
    for (v, (view, (_, neighbors))) in views.iter().zip(neighbors).enumerate() {
        // One more than the scores use: a duplicate may be skipped.
        let needed = if left_out.is_some() { candidates(n) } else { ring_size.max(few) + 1 };
        let wanted = if v == 0 { width(committee.kept.len()).max(needed) } else { needed };
        let (lists, found) = neighbors.lists(&committee.kept, wanted.min(committee.kept.len() - 1))?;
        recall += found / views.len() as f64;
        drop(neighbors);
        let candidates = Candidates { lists: &lists, view: v, width: needed, left_out: left_out.as_deref() };
        let member = committee.learn_view(
            &view.name,
            view.weight,
            &candidates,
            &place,
            &mut twins,
            &mut leave_one_out,
            observer,
        )?;
        committee.members.push(member);
        if v == 0 {
            first = Some(lists);
        }
    }
    let weights = committee.weights();
    for oddity in committee.oddity.iter_mut().chain(&mut leave_one_out) {
        *oddity /= weights;
    }
    let changes = |i: usize| left_out.as_ref().map_or(0, |l| l.changes(i));
    let changes: Vec<usize> = parallel::map(n, 64, &changes);
    committee.changes = Changes::new(changes.iter().map(|c| *c as u32).collect());
    for ((oddity, leave_one_out), count) in committee.oddity.iter_mut().zip(&mut leave_one_out).zip(changes) {
        let tail = CHANGE * committee.changes.tail_of_own(count);
        *oddity += tail;
        *leave_one_out += tail;
    }
    Ok(Learned { committee, lists: first.unwrap_or_default(), leave_one_out, recall })
}

/// The scores of a training sample in one view; the same without its twin; and the twin, the first kept sample that it
/// equals.
type Scored = ([f64; SCORES], Option<[f64; SCORES]>, Option<u32>);

/// The lists of one view, and how to measure them without a sample.
struct Candidates<'a> {
    lists: &'a KnnLists,
    view: usize,
    width: usize,
    left_out: Option<&'a dyn LeaveOneOut>,
}

impl Candidates<'_> {
    /// The nearest of sample `i`, as if it had not been there to learn from.
    fn of(&self, i: usize) -> Vec<(u32, f64)> {
        let width = self.width.min(self.lists.width());
        let neighbors = self.lists.neighbors(i, width);
        let mut distances = self.lists.lengths(i, width).to_vec();
        if let Some(left_out) = self.left_out {
            left_out.fill(self.view, i, neighbors, &mut distances);
        }
        let near = neighbors.iter().copied().zip(distances.into_iter().map(|d| d.min(MAX_DISTANCE)));
        let mut near: Vec<(u32, f64)> = near.collect();
        near.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        near
    }
}

impl Committee {
    /// Learns one view, and adds its tails to the oddity of each sample, as an answer and as if it were new. The first view
    /// tells the twin of each sample, the first kept one that equals it.
    #[expect(clippy::too_many_arguments, reason = "what is known of the training samples, of two kinds")]
    fn learn_view(
        &mut self,
        name: &str,
        weight: f64,
        candidates: &Candidates<'_>,
        place: &[Option<Place>],
        twins: &mut [Option<u32>],
        leave_one_out: &mut [f64],
        observer: &dyn Observer,
    ) -> Result<Member> {
        let ring = |u: &u32| {
            let lengths = candidates.lists.lengths(*u as usize, self.ring_size);
            lengths.iter().map(|l| l.min(MAX_DISTANCE) / self.ring_size as f64).sum()
        };
        let locality = Locality::of(self.kept.iter().map(ring).collect());
        let (ring_size, few) = (self.ring_size, self.few);
        let of_sample = |i: usize| {
            if observer.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            let near = candidates.of(i);
            let twin = match candidates.view {
                0 => near.first().filter(|n| n.1 <= 0.0).map(|n| n.0),
                _ => twins[i],
            };
            let scores = |without: Option<u32>| {
                let counting = near.iter().filter(|n| Some(n.0) != without).take(ring_size.max(few));
                // Lists hold only kept samples, which all have a place.
                let placed = counting.map(|&(j, d)| (place[j as usize].unwrap_or(Place(0)), d));
                scores::scores(&placed.collect::<Vec<_>>(), ring_size, few, &locality)
            };
            Ok((scores(None), twin.map(|twin| scores(Some(twin))), twin))
        };
        let all: Vec<Scored> = parallel::try_map(twins.len(), 8, &of_sample)?;
        for (twin, one) in twins.iter_mut().zip(&all) {
            *twin = one.2;
        }
        let of_kept = |s: usize| References::new(self.kept.iter().map(|&i| all[i as usize].0[s]).collect());
        let references = std::array::from_fn(of_kept);
        let member = Member { name: name.to_owned(), weight, locality, references };
        let added = parallel::map(all.len(), 64, &|i| {
            let (scores, without_twin, _) = &all[i];
            let tails = |with: &[f64; SCORES]| match place[i] {
                Some(_) => weight * member.tails_in_place_of(scores, with),
                None => weight * member.tails(with),
            };
            let own = tails(scores);
            (own, without_twin.as_ref().map_or(own, tails))
        });
        for ((oddity, leave_one_out), (own, without_twin)) in
            self.oddity.iter_mut().zip(leave_one_out).zip(added)
        {
            *oddity += own;
            *leave_one_out += without_twin;
        }
        Ok(member)
    }
}
