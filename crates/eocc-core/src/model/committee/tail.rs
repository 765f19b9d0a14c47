//! Tails: how far out a score lies among those of the training samples, as a logarithm that goes on beyond them.
//!
//! `-ln((#{r >= s} + 1/2) / (m + 1))` among `m` reference scores `r`, and beyond the largest `3 ln(1 + e)` more, `e` being
//! the excess in units of the way from the median to the largest: two samples far out are told apart, however far.

use crate::sorted::Sorted;

/// Growth beyond the largest reference score.
const GROWTH: f64 = 3.0;
/// The largest excess that is told apart.
const MAX_EXCESS: f64 = 1e300;

/// Reference scores, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct References(Sorted);

impl References {
    /// From scores in any order; there must be two.
    pub(crate) fn new(scores: Vec<f64>) -> Self {
        Self(Sorted::new(scores))
    }

    /// The scores, ascending.
    pub(crate) fn scores(&self) -> &[f64] {
        &self.0
    }

    /// The tail of a score that is not one of them.
    pub(crate) fn tail(&self, score: f64) -> f64 {
        let count = self.0.len();
        self.of(score, 0.5, count as f64 + 1.0, self.0[count - 1])
    }

    /// The tail of a score in place of one of them, among the others.
    pub(crate) fn tail_in_place_of(&self, own: f64, score: f64) -> f64 {
        let count = self.0.len();
        let is_largest = own >= self.0[count - 1];
        let top = self.0[count - if is_largest { 2 } else { 1 }];
        let is_counted = if own >= score { 1.0 } else { 0.0 };
        self.of(score, 0.5 - is_counted, count as f64, top)
    }

    fn of(&self, score: f64, more: f64, count: f64, top: f64) -> f64 {
        let not_below = self.0.len() - self.0.below(score);
        let middle = self.0[self.0.len() / 2];
        let unit = match top - middle {
            unit if unit > 0.0 => unit,
            _ if top != 0.0 => top.abs(),
            _ => 1.0,
        };
        -((not_below as f64 + more) / count).ln() + growth(score - top, unit)
    }
}

fn growth(excess: f64, unit: f64) -> f64 {
    GROWTH * (excess.max(0.0) / unit).min(MAX_EXCESS).ln_1p()
}

/// How often training samples differ in features in which all others agree, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Changes(Vec<u32>);

impl Changes {
    /// From counts in any order; there must be two.
    pub(crate) fn new(mut counts: Vec<u32>) -> Self {
        counts.sort_unstable();
        Self(counts)
    }

    /// The counts, ascending.
    pub(crate) fn counts(&self) -> &[u32] {
        &self.0
    }

    /// The tail of a new sample that differs in so many features in which all training samples agree.
    pub(crate) fn tail(&self, count: usize) -> f64 {
        self.of(count, 0, self.0[self.0.len() - 1])
    }

    /// The tail of a training sample with this count, among the others.
    pub(crate) fn tail_of_own(&self, count: usize) -> f64 {
        let last = self.0.len() - 1;
        let is_largest = count >= self.0[last] as usize;
        self.of(count, 1, self.0[last - usize::from(is_largest)])
    }

    fn of(&self, count: usize, own: usize, top: u32) -> f64 {
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
    fn tails_by_hand() {
        let r = References::new(vec![3.0, 1.0, 2.0, 5.0]);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        close(r.tail(2.5), -(2.5_f64 / 5.0).ln());
        close(r.tail(3.0), -(2.5_f64 / 5.0).ln());
        // The median counted from 0 is the third, 3; the largest 5.
        close(r.tail(9.0), -(0.5_f64 / 5.0).ln() + 3.0 * 3.0_f64.ln());
        close(r.tail_in_place_of(3.0, 3.0), -(1.5_f64 / 4.0).ln());
        // Among the others the largest is 3, as is the middle of all: its own size is the unit.
        close(r.tail_in_place_of(5.0, 5.0), -(0.5_f64 / 4.0).ln() + 3.0 * (1.0 + 2.0 / 3.0_f64).ln());
        assert!(r.tail(1e308).is_finite() && r.tail(1e307) < r.tail(1e308) + 1e-9);
        close(r.tail_in_place_of(2.0, 4.0), -(1.5_f64 / 4.0).ln());
        close(r.tail_in_place_of(5.0, 2.5), -(1.5_f64 / 4.0).ln());
        let zeros = References::new(vec![0.0; 5]);
        close(zeros.tail(1.0), -(0.5_f64 / 6.0).ln() + 3.0 * 2.0_f64.ln());
    }

    #[test]
    fn changes_by_hand() {
        let c = Changes::new(vec![0, 0, 0, 1]);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        close(c.tail(0), 0.0);
        close(c.tail(1), -(1.5_f64 / 5.0).ln());
        close(c.tail(3), -(0.5_f64 / 5.0).ln() + 3.0 * 3.0_f64.ln());
        close(c.tail_of_own(1), -(0.5_f64 / 4.0).ln() + 3.0 * 2.0_f64.ln());
    }
}
