//! Tails: how far out a score lies among those of the training samples, as a logarithm that keeps growing beyond
//! them.
//!
//! A score `s` that equals one of the `m` reference scores `r` has the tail `-ln((#{r >= s} + 1/2) / (m + 1))`.
//! Between two of them the tail is linear, so that different scores have different tails. Below the smallest it falls
//! toward 0. Beyond the largest it grows by `3 ln(1 + e)`, where `e` is the excess in units of the distance from the
//! median to the largest: two samples far out stay distinct, however far out they are.

use crate::sorted::Sorted;

/// Growth beyond the largest reference score.
const GROWTH: f64 = 3.0;
/// Scores that differ by less, relative to their size, count as equal.
const ROUNDING: f64 = 1e-9;
/// Reference scores scanned linearly before a binary search.
const NEAR: usize = 4;
/// Larger excesses are clamped to this.
const MAX_EXCESS: f64 = 1e300;

/// Reference scores, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct References(Sorted);

impl References {
    /// From scores in any order; there must be at least two.
    pub(crate) fn new(scores: Vec<f64>) -> Self {
        Self(Sorted::new(scores))
    }

    /// The scores, ascending.
    pub(crate) fn scores(&self) -> &[f64] {
        &self.0
    }

    /// The tail of a score that is not one of them.
    pub(crate) fn tail(&self, score: f64) -> f64 {
        Others { all: &self.0, left_out: None }.tail(score)
    }

    /// The tail of `score` among the reference scores without `own`, which is one of them.
    pub(crate) fn tail_leaving_out(&self, own: f64, score: f64) -> f64 {
        Others { all: &self.0, left_out: Some((own, self.0.below(own))) }.tail(score)
    }
}

/// Reference scores, one of which may be left out, given by value and place.
struct Others<'a> {
    all: &'a Sorted,
    left_out: Option<(f64, usize)>,
}

impl Others<'_> {
    fn count(&self) -> usize {
        self.all.len() - usize::from(self.left_out.is_some())
    }

    fn at(&self, place: usize) -> f64 {
        let is_after = self.left_out.is_some_and(|(_, at)| place >= at);
        self.all[place + usize::from(is_after)]
    }

    fn below(&self, score: f64) -> usize {
        let place = match self.left_out {
            // Most scores are at the place of `own` or close to it.
            Some((own, place)) if own >= score => self.before(place, score),
            _ => self.all.below(score),
        };
        place - usize::from(self.left_out.is_some_and(|(own, _)| own < score))
    }

    /// How many are below a score, known to be at most `place`.
    fn before(&self, place: usize, score: f64) -> usize {
        let near = self.all[..place].iter().rev().take(NEAR).take_while(|v| **v >= score).count();
        if near < NEAR { place - near } else { self.all.below(score) }
    }

    /// The tail at a reference score with this many below it.
    fn value(&self, below: usize) -> f64 {
        let count = self.count() as f64;
        -((count - below as f64 + 0.5) / (count + 1.0)).ln()
    }

    fn tail(&self, score: f64) -> f64 {
        // A score that equals a reference score up to rounding gets exactly its tail: if several are equal, the tail
        // jumps there.
        let (count, below) = (self.count(), self.below(score - ROUNDING * score.abs()));
        let top = self.at(count - 1);
        let middle = self.all[self.all.len() / 2];
        let unit = match top - middle {
            unit if unit > 0.0 => unit,
            _ if top != 0.0 => top.abs(),
            _ => 1.0,
        };
        if below == count {
            return self.value(count) + growth(score - top, unit);
        }
        let next = self.at(below);
        if next <= score {
            return self.value(below);
        }
        if below == 0 {
            return self.value(0) * (-((next - score) / unit).min(MAX_EXCESS)).exp();
        }
        let before = self.at(below - 1);
        let is_alone = below == 1 || self.at(below - 2) < before;
        let first = if is_alone { below - 1 } else { self.below(before) };
        let (low, high) = (self.value(first), self.value(below));
        // Halve first: the distance between two scores may overflow.
        let (part, whole) = (score / 2.0 - before / 2.0, next / 2.0 - before / 2.0);
        // Half of the smallest number is 0.
        low + (high - low) * if whole > 0.0 { (part / whole).min(1.0) } else { 1.0 }
    }
}

fn growth(excess: f64, unit: f64) -> f64 {
    GROWTH * (excess.max(0.0) / unit).min(MAX_EXCESS).ln_1p()
}

/// For each training sample, the number of its features that are constant among all others and differ; ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Changes(Vec<u32>);

impl Changes {
    /// From counts in any order; there must be at least two.
    pub(crate) fn new(mut counts: Vec<u32>) -> Self {
        counts.sort_unstable();
        Self(counts)
    }

    /// The counts, ascending.
    pub(crate) fn counts(&self) -> &[u32] {
        &self.0
    }

    /// The tail of a new sample in which this many features differ that are constant in training.
    pub(crate) fn tail(&self, count: usize) -> f64 {
        self.log_tail(count, 0, self.0[self.0.len() - 1])
    }

    /// The tail of a training sample with this count, among the others.
    pub(crate) fn tail_of_own(&self, count: usize) -> f64 {
        let last = self.0.len() - 1;
        let is_largest = count >= self.0[last] as usize;
        self.log_tail(count, 1, self.0[last - usize::from(is_largest)])
    }

    fn log_tail(&self, count: usize, own: usize, top: u32) -> f64 {
        if count == 0 {
            return 0.0;
        }
        let not_below = self.0.len() - self.0.partition_point(|c| (*c as usize) < count) - own;
        let all = (self.0.len() + 1 - own) as f64;
        let top = f64::from(top);
        -((not_below as f64 + 0.5) / all).ln() + growth(count as f64 - top, top.max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_match_hand_computation() {
        let r = References::new(vec![3.0, 1.0, 2.0, 5.0]);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        // At references, half-way between two, below all.
        close(r.tail(3.0), -(2.5_f64 / 5.0).ln());
        close(r.tail(2.5), -((3.5_f64 / 5.0).ln() + (2.5_f64 / 5.0).ln()) / 2.0);
        close(r.tail(1.0), -(4.5_f64 / 5.0).ln());
        close(r.tail(0.0), -(4.5_f64 / 5.0).ln() * (-0.5_f64).exp());
        // The median counted from 0 is the third, 3; the largest 5.
        close(r.tail(9.0), -(0.5_f64 / 5.0).ln() + 3.0 * 3.0_f64.ln());
        // Among 1, 2 and 5.
        close(r.tail_leaving_out(3.0, 3.0), -((2.5_f64 / 4.0).ln() * 2.0 + (1.5_f64 / 4.0).ln()) / 3.0);
        // Among the others, the largest is 3, which is also the overall median: its own size is the unit.
        close(r.tail_leaving_out(5.0, 5.0), -(0.5_f64 / 4.0).ln() + 3.0 * (1.0 + 2.0 / 3.0_f64).ln());
        assert!(r.tail(1e308).is_finite() && r.tail(1e307) < r.tail(1e308) + 1e-9);
        let zeros = References::new(vec![0.0; 5]);
        close(zeros.tail(1.0), -(0.5_f64 / 6.0).ln() + 3.0 * 2.0_f64.ln());
    }

    #[test]
    fn changes_match_hand_computation() {
        let c = Changes::new(vec![0, 0, 0, 1]);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        close(c.tail(0), 0.0);
        close(c.tail(1), -(1.5_f64 / 5.0).ln());
        close(c.tail(3), -(0.5_f64 / 5.0).ln() + 3.0 * 3.0_f64.ln());
        close(c.tail_of_own(1), -(0.5_f64 / 4.0).ln() + 3.0 * 2.0_f64.ln());
    }

    #[test]
    fn tails_grow_with_the_score() {
        let mut r = crate::random::Random::new(2);
        let scores: Vec<f64> = (0..40).map(|_| (4.0 * r.normal()).round()).collect();
        let references = References::new(scores.clone());
        let own = scores[7];
        let mut last = [f64::NEG_INFINITY; 2];
        for step in -400..400 {
            let score = f64::from(step) / 20.0;
            let tails = [references.tail(score), references.tail_leaving_out(own, score)];
            assert!(tails[0] > last[0] && tails[1] > last[1], "{score}: {tails:?} {last:?}");
            last = tails;
        }
        // Excluding a score gives what references without it give.
        let mut others = scores;
        others.remove(7);
        let others = References::new(others);
        for score in [-30.0, -2.0, -1.9, 0.0, own, 30.0] {
            let (a, b) = (references.tail_leaving_out(own, score), others.tail(score));
            // Except for the median, which is taken over all.
            assert!((a - b).abs() < 0.5 && (score.abs() > 10.0 || (a - b).abs() < 1e-12), "{score}: {a} {b}");
        }
    }
}
