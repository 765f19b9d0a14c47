//! The history of a stream in constant memory: a fixed number of periods, which double in length when they are full.

use serde::Serialize;

use super::Observed;
use crate::error::Result;
use crate::file::damaged;

/// Maximum number of periods. When they are full, neighbors are merged, and each covers twice as many observations.
const MAX_PERIODS: usize = 512;
/// Bins of the p-values of a period.
pub const P_VALUE_BINS: usize = 10;
/// How many numbers a period takes in a file.
const NUMBERS: usize = 5 + P_VALUE_BINS;

/// A summary of consecutive observations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Period {
    /// The time of the first observation.
    pub start: u64,
    /// How many observations there were.
    pub count: u64,
    /// How many of them were rejected.
    pub rejected: u64,
    /// The smallest p-value.
    pub smallest: f64,
    /// The largest alarm level: at 1 there is an alarm.
    pub level: f64,
    /// How many p-values fell into each tenth of [0, 1].
    pub p_values: [u64; P_VALUE_BINS],
}

impl Period {
    fn starting(start: u64) -> Self {
        Self { start, count: 0, rejected: 0, smallest: 1.0, level: 0.0, p_values: [0; P_VALUE_BINS] }
    }

    /// The fraction of observations that were rejected.
    pub fn rejected_share(&self) -> f64 {
        self.rejected as f64 / self.count.max(1) as f64
    }

    fn add(&mut self, observed: &Observed, level: f64) {
        self.count += 1;
        self.rejected += u64::from(!observed.accepted);
        self.smallest = self.smallest.min(observed.p_value);
        self.level = self.level.max(level);
        let bin = (observed.p_value * P_VALUE_BINS as f64) as usize;
        self.p_values[bin.min(P_VALUE_BINS - 1)] += 1;
    }

    fn merge(&mut self, next: &Self) {
        self.count += next.count;
        self.rejected += next.rejected;
        self.smallest = self.smallest.min(next.smallest);
        self.level = self.level.max(next.level);
        self.p_values.iter_mut().zip(next.p_values).for_each(|(a, b)| *a += b);
    }
}

/// The periods of a stream, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct History {
    /// Observations in a full period.
    span: u64,
    periods: Vec<Period>,
}

impl Default for History {
    fn default() -> Self {
        Self { span: 1, periods: Vec::new() }
    }
}

impl History {
    pub(super) fn periods(&self) -> &[Period] {
        &self.periods
    }

    /// Counts an observation at this alarm level.
    pub(super) fn add(&mut self, observed: &Observed, level: f64) {
        if self.periods.last().is_none_or(|period| period.count >= self.span) {
            if self.periods.len() >= MAX_PERIODS {
                self.halve();
            }
            self.periods.push(Period::starting(observed.time));
        }
        if let Some(period) = self.periods.last_mut() {
            period.add(observed, level);
        }
    }

    fn halve(&mut self) {
        let merged = |pair: &[Period]| {
            let mut first = pair[0];
            pair[1..].iter().for_each(|next| first.merge(next));
            first
        };
        self.periods = self.periods.chunks(2).map(merged).collect();
        self.span *= 2;
    }

    /// The span and all periods as numbers, for a file.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let of = |p: &Period| {
            let first = [p.start as f64, p.count as f64, p.rejected as f64, p.smallest, p.level];
            first.into_iter().chain(p.p_values.map(|c| c as f64))
        };
        std::iter::once(self.span as f64).chain(self.periods.iter().flat_map(of)).collect()
    }

    /// Restores a history from its [`numbers`](Self::numbers).
    pub(super) fn from_numbers(numbers: &[f64]) -> Result<Self> {
        let fault = || damaged("the history of the stream is out of range".into());
        let (span, rest) = numbers.split_first().ok_or_else(fault)?;
        let is_sound = rest.len().is_multiple_of(NUMBERS)
            && rest.len() / NUMBERS <= MAX_PERIODS
            && numbers.iter().all(|v| (0.0..9e15).contains(v))
            && *span >= 1.0;
        if !is_sound {
            return Err(fault());
        }
        let period = |own: &[f64]| Period {
            start: own[0] as u64,
            count: own[1] as u64,
            rejected: own[2] as u64,
            smallest: own[3],
            level: own[4],
            p_values: std::array::from_fn(|bin| own[5 + bin] as u64),
        };
        Ok(Self { span: *span as u64, periods: rest.chunks_exact(NUMBERS).map(period).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_observations_are_counted_in_bounded_memory() {
        let mut history = History::default();
        for time in 0..5000 {
            let p_value = (time % 100) as f64 / 100.0;
            let observed = Observed { p_value, accepted: p_value > 0.02, ..Observed::warming_up(time) };
            history.add(&observed, time as f64 / 5000.0);
        }
        let periods = history.periods();
        assert!(periods.len() <= MAX_PERIODS && history.span == 16, "{}", periods.len());
        assert_eq!(periods.iter().map(|p| p.count).sum::<u64>(), 5000);
        assert_eq!(periods.iter().map(|p| p.rejected).sum::<u64>(), 150);
        assert_eq!(periods.iter().map(|p| p.p_values[3]).sum::<u64>(), 500);
        assert!(periods.windows(2).all(|p| p[1].start == p[0].start + p[0].count && p[1].level > p[0].level));
        assert_eq!(History::from_numbers(&history.numbers()).unwrap(), history);
        assert!(History::from_numbers(&[]).is_err() && History::from_numbers(&[1.0, 2.0]).is_err());
    }
}
