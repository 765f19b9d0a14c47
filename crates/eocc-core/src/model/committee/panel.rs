//! A panel is a group of scores in addition to those of the views. Each score becomes a tail. The mean of the three
//! largest tails is then a score itself, and becomes a tail again.
//!
//! The second step is needed because among many scores of a nominal sample, some are large by chance: it learns how
//! large the largest typically are.

use super::tail::References;
use crate::dissimilarity::{LeaveOneOut, Panel};
use crate::error::{ErrorKind, Result};
use crate::observer::Observer;
use crate::parallel;
use crate::sample::Sample;

/// How many of the largest tails count.
const LARGEST: usize = 3;
/// Maximum number of reference samples, evenly spaced among the kept ones.
const MAX_REFERENCES: usize = 1 << 13;

/// A panel in a committee, with what was learned about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PanelMember {
    pub(crate) name: String,
    pub(crate) weight: f64,
    /// For each score, the scores of the reference samples.
    pub(crate) references: Vec<References>,
    /// The mean of the largest tails of each reference sample.
    pub(crate) top: References,
}

/// The tails of a panel for the training samples.
pub(super) struct LearnedPanel {
    pub(super) member: PanelMember,
    /// The tails of each sample as if it were new: with its twin, and without.
    pub(super) tails: Vec<(f64, f64)>,
}

impl PanelMember {
    /// The mean of the largest tails of some scores.
    fn largest(tails: impl Iterator<Item = f64>) -> f64 {
        let mut largest = [f64::NEG_INFINITY; LARGEST];
        let mut count = 0;
        for tail in tails {
            count += 1;
            let at = largest.partition_point(|l| *l >= tail);
            if at < LARGEST {
                largest[at..].rotate_right(1);
                largest[at] = tail;
            }
        }
        let count = LARGEST.min(count);
        largest[..count].iter().sum::<f64>() / count as f64
    }

    /// The tail of a new sample.
    pub(super) fn tail(&self, scores: &[f64]) -> f64 {
        self.top.tail(Self::largest(self.references.iter().zip(scores).map(|(r, s)| r.tail(*s))))
    }

    /// The scores with the largest tails, which count: index and tail, largest first.
    pub(super) fn largest_of(&self, scores: &[f64]) -> Vec<(usize, f64)> {
        let tails = self.references.iter().zip(scores).map(|(r, s)| r.tail(*s));
        let mut largest: Vec<(usize, f64)> = tails.enumerate().collect();
        largest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        largest.truncate(LARGEST);
        largest
    }

    /// Learns from the training samples; `twins` are left out when the others are judged as if they were new.
    pub(super) fn learn<S: ?Sized + Sample>(
        panel: &dyn Panel<S>,
        samples: &[&S],
        kept: &[u32],
        few: usize,
        twins: &[Option<u32>],
        left_out: &dyn LeaveOneOut,
        observer: &dyn Observer,
    ) -> Result<LearnedPanel> {
        let scores = |i: usize| {
            if observer.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            Ok(panel.left_out(i, samples[i], few, twins[i], left_out))
        };
        let count = kept.len().min(MAX_REFERENCES);
        let chosen: Vec<u32> = (0..count).map(|i| kept[i * kept.len() / count]).collect();
        let known = parallel::try_map(count, 8, &|i| scores(chosen[i] as usize))?;
        let of_score = |s: usize| References::new(known.iter().map(|all| all.own[s]).collect());
        let references: Vec<References> = (0..panel.count()).map(of_score).collect();
        let mut member =
            Self { name: panel.name(), weight: panel.weight(), references, top: References::default() };
        let at_place = |i: usize| chosen.binary_search(&(i as u32)).ok();
        // The mean of the largest tails, with and without the twin.
        let largest = parallel::try_map(samples.len(), 8, &|i| {
            let place = at_place(i);
            let computed = if place.is_none() { Some(scores(i)?) } else { None };
            let own = computed.as_ref().or(place.map(|at| &known[at])).ok_or(ErrorKind::Cancelled)?;
            let of = |scores: &[f64]| {
                let pairs = member.references.iter().zip(own.own.iter().zip(scores));
                Self::largest(pairs.map(|(r, (own, s))| match place {
                    Some(_) => r.tail_leaving_out(*own, *s),
                    None => r.tail(*s),
                }))
            };
            let with = of(&own.own);
            Ok((with, own.without_twin.as_ref().map_or(with, |scores| of(scores))))
        })?;
        member.top = References::new(chosen.iter().map(|&i| largest[i as usize].0).collect());
        let tails = parallel::map(samples.len(), 64, &|i| {
            let (own, without) = largest[i];
            match at_place(i) {
                Some(_) => (member.top.tail_leaving_out(own, own), member.top.tail_leaving_out(own, without)),
                None => (member.top.tail(own), member.top.tail(without)),
            }
        });
        Ok(LearnedPanel { member, tails })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_matches_hand_computation() {
        let largest = |values: &[f64]| PanelMember::largest(values.iter().copied());
        assert!((largest(&[1.0, 5.0, 2.0, 9.0, 4.0]) - 6.0).abs() < 1e-15);
        assert!((largest(&[1.0, 2.0]) - 1.5).abs() < 1e-15);
        assert!((largest(&[3.0, 3.0, 3.0, 3.0]) - 3.0).abs() < 1e-15);
    }
}
