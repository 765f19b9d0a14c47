//! How a committee learns: trimming, lists in each view, and the scores of every training sample as if it were new.

use rayon::prelude::*;

use super::neighbors::Neighbors;
use super::scores::{self, Locality, SCORES, ring_size};
use super::tail::{Changes, References};
use super::{CHANGE, Committee, FEW, MAX_DISTANCE, Member, trim};
use crate::dissimilarity::{Dissimilarity, LeaveOneOut};
use crate::error::{ErrorKind, Result};
use crate::knn::KnnLists;
use crate::observer::Observer;
use crate::sample::Sample;

/// The nearest whose distances are computed anew when a sample is left out.
const CANDIDATES: usize = 32;

/// A committee, not yet with regions; and the lists of all samples in the first view, `width` wide or wider, of which
/// only kept samples are members.
pub(crate) fn learn<S: ?Sized + Sample>(
    samples: &[&S],
    measure: &dyn Dissimilarity<S>,
    contamination: Option<f64>,
    width: impl Fn(usize) -> usize,
    observer: &dyn Observer,
) -> Result<(Committee, KnnLists)> {
    let n = samples.len();
    let views = measure.views();
    let left_out = measure.leave_one_out(samples);
    let of_view = |view| Neighbors::new(samples, view, CANDIDATES, observer);
    let neighbors = views
        .iter()
        .map(|view| Ok((view.weight, of_view(view.measure.as_ref())?)))
        .collect::<Result<Vec<_>>>()?;
    let kept = trim::kept(&neighbors, n, trim::share(contamination))?;
    let mut place = vec![None; n];
    for (&i, at) in kept.iter().zip(0_u32..) {
        place[i as usize] = Some(at);
    }
    let trimmed = (0..n as u32).filter(|i| place[*i as usize].is_none()).collect();
    let ring_size = ring_size(kept.len());
    let few = FEW[usize::from(contamination.is_some_and(|c| c > 0.0))];
    let mut committee = Committee {
        ring_size,
        few,
        members: Vec::with_capacity(views.len()),
        changes: Changes::default(),
        oddity: vec![0.0; n],
        region_of: vec![0; n],
        kept,
        trimmed,
    };
    let mut first = None;
    for (v, (view, (_, neighbors))) in views.iter().zip(neighbors).enumerate() {
        let needed = if left_out.is_some() { CANDIDATES } else { ring_size.max(few) };
        let wanted = if v == 0 { width(committee.kept.len()).max(needed) } else { needed };
        let lists = neighbors.lists(&committee.kept, wanted.min(committee.kept.len() - 1))?;
        drop(neighbors);
        let candidates = Candidates { lists: &lists, view: v, width: needed, left_out: left_out.as_deref() };
        let member = committee.seat(&view.name, view.weight, &candidates, &place, observer)?;
        committee.members.push(member);
        if v == 0 {
            first = Some(lists);
        }
    }
    let weights = committee.weights();
    for oddity in &mut committee.oddity {
        *oddity /= weights;
    }
    let changes = |i: usize| left_out.as_ref().map_or(0, |l| l.changes(i));
    let changes: Vec<usize> = (0..n).into_par_iter().map(changes).collect();
    committee.changes = Changes::new(changes.iter().map(|c| *c as u32).collect());
    for (oddity, count) in committee.oddity.iter_mut().zip(changes) {
        *oddity += CHANGE * committee.changes.tail_of_own(count);
    }
    Ok((committee, first.unwrap_or_default()))
}

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
    /// Learns one view, and adds its tails to the oddity of each sample.
    fn seat(
        &mut self,
        name: &str,
        weight: f64,
        candidates: &Candidates<'_>,
        place: &[Option<u32>],
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
            let near: Vec<(u32, f64)> = candidates
                .of(i)
                .into_iter()
                .take(ring_size.max(few))
                .map(|(j, d)| (place[j as usize].unwrap_or(0), d))
                .collect();
            Ok(scores::scores(&near, ring_size, few, &locality))
        };
        let all: Vec<[f64; SCORES]> =
            (0..place.len()).into_par_iter().with_min_len(8).map(of_sample).collect::<Result<_>>()?;
        let of_kept = |s: usize| References::new(self.kept.iter().map(|&i| all[i as usize][s]).collect());
        let references = std::array::from_fn(of_kept);
        let member = Member { name: name.to_owned(), weight, locality, references };
        for ((oddity, scores), place) in self.oddity.iter_mut().zip(&all).zip(place) {
            let tails = if place.is_some() { member.tails_of_own(scores) } else { member.tails(scores) };
            *oddity += weight * tails;
        }
        Ok(member)
    }
}
