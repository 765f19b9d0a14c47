//! Prequential calibration: a new sample is ranked among the oddities that the latest samples had when they were new.
//!
//! A window that only accepted samples enter would get ever stricter if it were calibrated by leave-one-out oddities: rejected
//! samples are missing from it, so the rest looks more homogeneous than the stream is. Oddities at the time of arrival avoid this
//! (`docs/glossary.md`: prequential).

use std::collections::VecDeque;

use crate::error::Result;
use crate::file::damaged;
use crate::kernel;
use crate::params::{OneClass, Threshold};

/// The first oddities come from a window that nobody has checked. The largest of them, this many times the quota, are not trusted:
/// otherwise, if as many of them are outliers as are to be rejected, these would set the threshold, and less odd outliers would be
/// learned.
const UNTRUSTED: usize = 3;
/// How far above the base the cap is, as a fraction of the height of the base above the median. Without this margin, the base could
/// not rise with the level.
const CAP: f64 = 0.5;
/// The ceiling is so high that fewer samples lie above it than are rejected, by this many standard deviations of a count. Otherwise,
/// a ceiling that is low by chance would stay low.
const SLACK: f64 = 3.0;
/// Under serial dependence a window says less about where the ceiling should be, so it takes more windows: one more for every
/// this many observations of the step between nearly independent ones.
pub(super) const STEPS_PER_WINDOW: usize = 4;
/// Maximum number of these windows.
const MAX_WINDOWS: usize = 8;

/// At most this fraction is kept out of the window. Without the samples just beyond the threshold, the window looks more homogeneous
/// than the stream is, and more and more samples look odd: at a reject rate of .05, .17 of a stream without a change were rejected,
/// and at .1, more than half.
const MAX_UNLEARNED: f64 = 0.02;

/// The oddities of the latest samples when they were new, none of them higher than a cap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prequential {
    /// Maximum number of oddities.
    size: usize,
    /// Oldest first.
    oddities: VecDeque<f64>,
    /// The threshold that the cap is taken from.
    base: f64,
    /// The highest base until the calibration had settled, with some slack. After that the base stays below, or rises slowly.
    ceiling: f64,
    /// Larger oddities count as this.
    cap: f64,
    /// When the ceiling is final.
    settled: u64,
    /// The smallest median since the start, which heights are measured from. The present median would not do: once most of the stream
    /// is odder than the base, the median equals the base, and nothing could rise any more.
    middle: f64,
}

/// How far the calibration may rise.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// The time now.
    pub(super) time: u64,
    /// Observations between refreshes.
    pub(super) every: usize,
    /// How far the base may rise beyond the ceiling per window, as a fraction of its height.
    pub(super) rise: f64,
    /// Number of calibration oddities that are kept out of the window.
    pub(super) quota: usize,
}

/// How many of `n` oddities and a new one may be rejected.
pub(super) fn quota(params: &OneClass, n: usize) -> usize {
    quota_up_to(1.0, params, n)
}

/// How many of `n` oddities and a new one may be kept out of the window.
pub(super) fn unlearned_quota(params: &OneClass, n: usize) -> usize {
    quota_up_to(MAX_UNLEARNED, params, n)
}

/// The quota of a reject rate of at most `most`. Outliers that the user expects count whatever their number.
fn quota_up_to(most: f64, params: &OneClass, n: usize) -> usize {
    let allowed = match params.threshold {
        // So that 0.01 * 300 is not rounded below 3.
        Threshold::Reject(share) => (share.min(most) * (n as f64 + 1.0) + 1e-9).floor() as usize,
        _ => 1 + (params.contamination.unwrap_or(0.0) * n as f64 + 1e-9).floor() as usize,
    };
    allowed.max(1)
}

impl Prequential {
    /// Starts with the leave-one-out oddities of a window, which new ones replace. `step` is the number of observations over which
    /// they depend on each other.
    pub(super) fn seeded(size: usize, oddities: Vec<f64>, time: u64, step: usize) -> Self {
        let skip = oddities.len().saturating_sub(size);
        let oddities = oddities.into_iter().skip(skip).collect();
        let never = f64::INFINITY;
        let windows = (1 + (step - 1) / STEPS_PER_WINDOW).min(MAX_WINDOWS);
        let settled = time + (windows * size) as u64;
        Self { size, oddities, base: never, ceiling: never, cap: never, settled, middle: never }
    }

    /// Caps the first oddities by those that are surely nominal, unless the number of outliers among them is known.
    pub(super) fn cap_first(&mut self, quota: usize) {
        let mut sorted: Vec<f64> = self.oddities.iter().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let Some(last) = sorted.len().checked_sub(1) else { return };
        let level = sorted[sorted.len().saturating_sub(UNTRUSTED * quota).min(last)];
        let most = level + CAP * (level - sorted[sorted.len() / 2]).max(0.0);
        for oddity in &mut self.oddities {
            *oddity = oddity.min(most);
        }
    }

    /// Whether an oddity exceeds everything typical while the threshold settled. The rank alone is not enough: frequent outliers no
    /// odder than the cap would soon have ordinary ranks among each other.
    pub(super) fn is_beyond(&self, oddity: f64, time: u64) -> bool {
        time >= self.settled && oddity > self.ceiling
    }

    pub(super) fn len(&self) -> usize {
        self.oddities.len()
    }

    /// How many are at least as odd, the new one included.
    pub(super) fn rank(&self, oddity: f64) -> usize {
        let (first, second) = self.oddities.as_slices();
        1 + kernel::count_from(first, oddity) + kernel::count_from(second, oddity)
    }

    /// Replaces the oldest oddity by a new one.
    pub(super) fn push(&mut self, oddity: f64) {
        if self.oddities.len() >= self.size {
            self.oddities.pop_front();
        }
        self.oddities.push_back(oddity.min(self.cap));
    }

    /// Sets base and cap. The base falls freely. It rises only to where it was before the calibration had settled, and beyond that by
    /// `rise`, so that a burst of outliers cannot make itself typical.
    pub(super) fn set_cap(&mut self, pace: Pace) {
        let mut sorted: Vec<f64> = self.oddities.iter().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        if sorted.is_empty() {
            return;
        }
        let level = sorted[sorted.len().saturating_sub(pace.quota).min(sorted.len() - 1)];
        self.middle = self.middle.min(sorted[sorted.len() / 2]);
        let height = (self.base - self.middle).max(0.0);
        let step = height * pace.every as f64 / self.size as f64;
        if pace.time < self.settled {
            self.base = if self.base.is_finite() { level.min(self.base + step) } else { level };
            let surely = pace.quota as f64 - SLACK * (pace.quota as f64).sqrt();
            let high = sorted[sorted.len().saturating_sub((surely as usize).max(1))];
            let ceiling = self.base.max(high.min(self.cap_above_base()));
            self.ceiling = if self.ceiling.is_finite() { self.ceiling.max(ceiling) } else { ceiling };
        } else {
            self.base = level.min(self.ceiling.max(self.base + pace.rise * step));
        }
        self.cap = self.cap_above_base();
    }

    fn cap_above_base(&self) -> f64 {
        self.base + CAP * (self.base - self.middle).max(0.0)
    }

    /// The scores of a model's calibration, ascending.
    pub(super) fn scores(&self) -> Vec<f64> {
        let mut scores: Vec<f64> = self.oddities.iter().map(|o| -o).collect();
        scores.sort_unstable_by(f64::total_cmp);
        scores
    }

    /// Oddities and the other numbers, for a file.
    pub(super) fn parts(&self) -> (Vec<f64>, [f64; 5]) {
        let numbers = [self.base, self.ceiling, self.cap, self.settled as f64, self.middle];
        (self.oddities.iter().copied().collect(), numbers)
    }

    /// Restores a calibration from its [`parts`](Self::parts).
    pub(super) fn from_parts(size: usize, oddities: Vec<f64>, numbers: &[f64]) -> Result<Self> {
        let &[base, ceiling, cap, settled, middle] = numbers else {
            return Err(damaged("the calibration of the stream has another shape".into()));
        };
        let is_sound = !oddities.is_empty()
            && oddities.len() <= size
            && oddities.iter().all(|o| o.is_finite())
            && ![base, ceiling, cap, middle].iter().any(|v| v.is_nan())
            && (0.0..9e15).contains(&settled);
        if !is_sound {
            return Err(damaged("the calibration of the stream is out of range".into()));
        }
        Ok(Self { size, oddities: oddities.into(), base, ceiling, cap, settled: settled as u64, middle })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn pace(time: u64, rise: f64) -> Pace {
        Pace { time, every: 10, rise, quota: 2 }
    }

    #[test]
    fn quotas_by_hand() {
        let params = OneClass::default().reject(0.01);
        assert_eq!([98, 99, 199, 512].map(|n| quota(&params, n)), [1, 1, 2, 5]);
        let dirty = OneClass::default().contamination(0.1);
        assert_eq!([300, 512].map(|n| quota(&dirty, n)), [31, 52]);
        let many = OneClass::default().reject(0.1);
        assert_eq!((quota(&many, 99), unlearned_quota(&many, 99), unlearned_quota(&dirty, 300)), (10, 2, 31));
    }

    #[test]
    fn ranks_and_the_ring_by_hand() {
        let mut ring = Prequential::seeded(3, vec![9.0, 1.0, 2.0, 3.0], 0, 1);
        assert_eq!((ring.len(), ring.rank(2.0), ring.rank(9.0)), (3, 3, 1));
        ring.push(5.0);
        assert_eq!(ring.oddities, [2.0, 3.0, 5.0]);
        assert_eq!(ring.scores(), [-5.0, -3.0, -2.0]);
    }

    #[test]
    fn outliers_cannot_lift_the_threshold_but_by_the_rise() {
        let run = |rise: f64| {
            let mut random = Random::new(1);
            let mut ring = Prequential::seeded(100, (0..100).map(|_| random.uniform()).collect(), 0, 1);
            ring.set_cap(pace(0, rise));
            let mut bases = Vec::new();
            for t in 0..600 {
                let is_outlier = t >= 200 && random.uniform() < 0.2;
                ring.push(if is_outlier { 50.0 } else { random.uniform() });
                if t % 10 == 9 {
                    ring.set_cap(pace(t + 1, rise));
                    bases.push(ring.base);
                }
            }
            (bases[19], bases[59])
        };
        let (before, after) = run(0.0);
        assert!(before > 0.8 && before < 1.1 && after <= before.max(1.1), "{before} {after}");
        let (_, after) = run(0.25);
        assert!(after > 1.2 && after < 3.0, "{after}");
    }

    #[test]
    fn outliers_between_threshold_and_cap_stay_beyond_the_ceiling() {
        let mut random = Random::new(2);
        let mut ring = Prequential::seeded(100, (0..100).map(|_| random.uniform()).collect(), 0, 1);
        ring.set_cap(pace(0, 0.0));
        for t in 0..220 {
            ring.push(if t < 200 { random.uniform() } else { 1.1 });
            if t % 10 == 9 {
                ring.set_cap(pace(t + 1, 0.0));
            }
        }
        // By rank alone they would be accepted: twenty calibration oddities are as large.
        assert!(ring.rank(1.1) > 20, "{}", ring.rank(1.1));
        assert!(ring.is_beyond(1.1, 220) && !ring.is_beyond(0.9, 220) && !ring.is_beyond(1.1, 50));
        assert_eq!(Prequential::seeded(100, vec![0.0], 0, 9).settled, 300);
    }

    #[test]
    fn outliers_in_the_warm_up_do_not_set_threshold_or_ceiling() {
        let mut random = Random::new(3);
        for outliers in [0, 5, 10, 15] {
            let oddity = |i: usize| {
                if i.is_multiple_of(50) && i / 50 < outliers { 40.0 + i as f64 } else { random.uniform() }
            };
            let mut ring = Prequential::seeded(750, (0..750).map(oddity).collect(), 0, 1);
            let pace = |time: u64| Pace { time, every: 75, rise: 0.0, quota: 15 };
            ring.cap_first(15);
            ring.set_cap(pace(0));
            assert!(ring.base < 1.5 && ring.ceiling < 1.5 && ring.rank(3.0) == 1, "{outliers} {ring:?}");
            // The ceiling comes from the observed samples, not from those that the window was learned from.
            for t in 0..750 {
                ring.push(random.uniform());
                if t % 75 == 74 {
                    ring.set_cap(pace(t + 1));
                }
            }
            assert!((0.9..1.3).contains(&ring.ceiling), "{outliers} {}", ring.ceiling);
        }
    }

    #[test]
    fn the_threshold_rises_though_most_of_the_stream_is_beyond_it() {
        let mut random = Random::new(4);
        let mut ring = Prequential::seeded(100, (0..100).map(|_| random.uniform()).collect(), 0, 9);
        ring.set_cap(pace(0, 0.0));
        let mut bases = Vec::new();
        for t in 0..300 {
            ring.push(2.0 + random.uniform());
            if t % 10 == 9 {
                ring.set_cap(pace(t + 1, 0.0));
                bases.push(ring.base);
            }
        }
        // All oddities since the first hundred are at the cap.
        assert!(bases[29] > 1.5 * bases[9], "{bases:?}");
    }

    #[test]
    fn parts_round_trip() {
        let mut ring = Prequential::seeded(5, vec![1.0, 4.0, 2.0], 7, 1);
        ring.set_cap(pace(7, 0.0));
        let (oddities, numbers) = ring.parts();
        assert_eq!(Prequential::from_parts(5, oddities.clone(), &numbers).unwrap(), ring);
        assert!(Prequential::from_parts(2, oddities, &numbers).is_err());
    }
}
