//! Blend: the measure of `default` for vectors, three views of the features in one.
//!
//! `d(x, r; p) = |x - r|_robust / c_1 + |x - r|_range / c_2 + |x - r|_white / (2 c_3)`: Manhattan distances of the features
//! scaled by their interquartile range and by their central range, and the Euclidean distance after whitening. Which
//! of them tells outliers from nominals depends on the data and cannot be told from nominals alone; the sum is close to
//! the best of the three on nearly every set (docs/research/2026-11-15-choosing-default.md). `c` is the median over
//! pairs of training samples, so that none drowns the rest. Everything learned is robust: a few per cent of outliers among
//! the nominals move quartiles and clipped correlations little, but variances and ranges a lot.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scaling::{FeatureWeights, check_features};
use super::{Accelerated, Dissimilarity, Entry, Parameter, Prepared, Properties, Scaling, restored, shares};
use crate::correlation::Correlation;
use crate::error::Result;
use crate::kernel::{self, BLOCK};
use crate::stats::percentile;

/// Weight of the whitened part: where whitening misleads it misleads most, and half of it keeps what it gains.
const WHITE: f64 = 0.5;
/// Beyond this many features the correlations are left out: `q^2` numbers to learn from `n q`, and to store.
const MAX_CORRELATED: usize = 2000;
/// Up to so many features, shares are told by exchanging one after the other.
const MAX_EXCHANGED: usize = 256;
/// Pairs of this many samples, evenly spaced, tell the typical distance.
const TYPICAL: usize = 256;
/// Coordinates are cut off here: nothing a score could tell apart, and squares do not overflow.
const MAX_VALUE: f64 = 1e150;

/// Robust, central-range and whitened distance, added.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Blend {
    /// Scaled by the interquartile range; holds the weights `p` too.
    robust: FeatureWeights,
    /// Scaled by the central range.
    central: FeatureWeights,
    /// Whitening of what is scaled by the interquartile range; none for many features.
    correlation: Option<Correlation>,
    /// Typical distances `c`.
    typical: [f64; 3],
    #[serde(skip)]
    multipliers: Multipliers,
}

/// What a sample is multiplied by, from scales and weights.
#[derive(Debug, Clone, Default, PartialEq)]
struct Multipliers {
    /// For the Manhattan distances, both in one.
    manhattan: Vec<f64>,
    /// Before whitening.
    white: Vec<f64>,
}

impl Blend {
    /// Not learned yet.
    pub fn new() -> Self {
        Self {
            robust: FeatureWeights::new(Scaling::Robust),
            central: FeatureWeights::new(Scaling::Central),
            correlation: None,
            typical: [1.0; 3],
            multipliers: Multipliers::default(),
        }
    }

    fn refresh(&mut self) {
        let (robust, central) = (self.robust.multipliers(1.0), self.central.multipliers(1.0));
        let both = robust.iter().zip(&central);
        self.multipliers = Multipliers {
            manhattan: both.map(|(r, c)| r / self.typical[0] + c / self.typical[1]).collect(),
            white: robust.iter().map(|r| WHITE * r / self.typical[2]).collect(),
        };
    }

    /// Coordinates of a sample: for the Manhattan part, then for the Euclidean one.
    fn map(&self, sample: &[f64]) -> Vec<f64> {
        let scaled = |m: &[f64]| -> Vec<f64> { sample.iter().zip(m).map(|(x, m)| x * m).collect() };
        let mut all = scaled(&self.multipliers.manhattan);
        if let Some(correlation) = &self.correlation {
            let mut white = scaled(&self.multipliers.white);
            correlation.whiten(&mut white);
            all.append(&mut white);
        }
        for v in &mut all {
            *v = if v.is_nan() { MAX_VALUE } else { v.clamp(-MAX_VALUE, MAX_VALUE) };
        }
        all
    }

    /// The three distances of pairs of evenly spaced samples give their medians.
    fn learn_typical(&mut self, samples: &[&[f64]]) {
        let n = samples.len();
        let count = n.min(TYPICAL);
        let some: Vec<&[f64]> = (0..count).map(|i| samples[i * n / count]).collect();
        let by = |features: &FeatureWeights| {
            let m = features.multipliers(1.0);
            let map = |s: &&[f64]| -> Vec<f64> { s.iter().zip(&m).map(|(x, m)| x * m).collect() };
            some.iter().map(map).collect::<Vec<_>>()
        };
        let manhattan = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum();
        let euclidean = |a: &[f64], b: &[f64]| kernel::squared_euclidean(a, b).sqrt();
        let mut white = by(&self.robust);
        self.typical[0] = median_of_pairs(&white, manhattan);
        self.typical[1] = median_of_pairs(&by(&self.central), manhattan);
        if let Some(correlation) = &self.correlation {
            for w in &mut white {
                correlation.whiten(w);
            }
            self.typical[2] = median_of_pairs(&white, euclidean);
        }
    }
}

/// The median distance over all pairs; the largest if that is zero, and 1 if all are.
fn median_of_pairs(rows: &[Vec<f64>], distance: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
    let mut all = Vec::with_capacity(rows.len() * rows.len() / 2);
    for (i, a) in rows.iter().enumerate() {
        all.extend(rows[..i].iter().map(|b| distance(a, b)).filter(|d| d.is_finite()));
    }
    if all.is_empty() {
        return 1.0;
    }
    let median = percentile(&mut all, 50.0);
    let largest = all.iter().copied().fold(0.0, f64::max);
    [median, largest].into_iter().find(|d| *d > f64::MIN_POSITIVE).unwrap_or(1.0)
}

impl Dissimilarity<[f64]> for Blend {
    fn name(&self) -> &'static str {
        "blend"
    }

    fn learn(&mut self, samples: &[&[f64]], names: &[String]) -> Result<()> {
        self.robust.learn(samples, names);
        self.central.learn(samples, names);
        let features = samples.first().map_or(0, |s| s.len());
        self.correlation =
            (features <= MAX_CORRELATED).then(|| Correlation::of(samples, &self.robust.multipliers(1.0)));
        self.typical = [1.0; 3];
        self.learn_typical(samples);
        self.refresh();
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.robust.parameters()
    }

    fn set(&mut self, p: &[f64]) {
        self.robust.set(p);
        self.central.set(p);
        self.refresh();
    }

    fn check(&self, sample: &[f64]) -> Result<()> {
        check_features(sample.len(), self.multipliers.manhattan.len())
    }

    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let (a, b) = (self.map(a), self.map(b));
        sum(&a, &b, self.multipliers.manhattan.len())
    }

    fn shares(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        if a.len() <= MAX_EXCHANGED {
            return shares::by_exchange(self, a, b);
        }
        // Whitening anew for each of many features would take too long; the other two parts know them one by one.
        let terms = a.iter().zip(b).zip(&self.multipliers.manhattan).map(|((x, y), m)| ((x - y) * m).abs());
        shares::of_terms(terms.map(|t| t.min(MAX_VALUE)).collect())
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<[f64]>> {
        Box::new(self.clone())
    }

    fn properties(&self) -> Properties {
        Properties { metric: true, needs_fold_calibration: true, ..Properties::default() }
    }

    fn accelerated(&self) -> Option<&dyn Accelerated<[f64]>> {
        Some(self)
    }
}

impl Accelerated<[f64]> for Blend {
    fn prepare(&self, many: &[&[f64]]) -> Box<dyn Prepared<[f64]>> {
        let rows: Vec<Vec<f64>> = many.iter().map(|s| self.map(s)).collect();
        let width = rows.first().map_or(0, Vec::len);
        let mut values = vec![0.0; rows.len().next_multiple_of(BLOCK) * width];
        for (i, row) in rows.iter().enumerate() {
            let block = &mut values[i / BLOCK * BLOCK * width..];
            for (f, v) in row.iter().enumerate() {
                block[f * BLOCK + i % BLOCK] = *v;
            }
        }
        Box::new(Blocks { d: self.clone(), width, values })
    }
}

/// Manhattan distance of the first `split` coordinates plus Euclidean distance of the others, feature by feature: the
/// order in which [`kernel::blend_to_block`] adds, so that both have the same bits.
fn sum(a: &[f64], b: &[f64], split: usize) -> f64 {
    let mut differences = a.iter().zip(b).map(|(x, y)| x - y);
    let manhattan = differences.by_ref().take(split).fold(0.0, |s, d| s + d.abs());
    manhattan + differences.fold(0.0, |s, d| s + d * d).sqrt()
}

/// Samples in blocks, and within a block feature by feature: distances to a block's samples are added up side by side.
struct Blocks {
    d: Blend,
    width: usize,
    values: Vec<f64>,
}

impl Blocks {
    fn block(&self, b: usize) -> &[f64] {
        &self.values[b * BLOCK * self.width..(b + 1) * BLOCK * self.width]
    }
}

impl Prepared<[f64]> for Blocks {
    fn fill(&self, one: &[f64], range: Range<usize>, out: &mut [f64]) {
        let (one, split) = (self.d.map(one), self.d.multipliers.manhattan.len());
        let mut at = range.start;
        let mut found = [0.0; BLOCK];
        while at < range.end {
            let (b, from) = (at / BLOCK, at % BLOCK);
            let until = range.end.min((b + 1) * BLOCK);
            kernel::blend_to_block(&one, split, self.block(b), &mut found);
            out[at - range.start..until - range.start].copy_from_slice(&found[from..from + until - at]);
            at = until;
        }
    }

    fn fill_some(&self, one: &[f64], which: &[usize], out: &mut [f64]) {
        let (one, split) = (self.d.map(one), self.d.multipliers.manhattan.len());
        for (&i, o) in which.iter().zip(out) {
            let other: Vec<f64> =
                self.block(i / BLOCK).iter().skip(i % BLOCK).step_by(BLOCK).copied().collect();
            *o = sum(&one, &other, split);
        }
    }
}

/// The measure of `default` for vectors.
pub(crate) const ENTRY: Entry<[f64]> = Entry {
    name: "blend",
    summary: "robust, range and whitened distance in one, the choice of default",
    make: |s| {
        s.only("blend", &[])?;
        Ok(Box::new(Blend::new()))
    },
    restore: |state| {
        restored(state, |mut d: Blend| {
            let features = d.robust.weights().len();
            let sound = d.robust.is_sound()
                && d.central.is_sound()
                && d.central.weights() == d.robust.weights()
                && d.correlation.as_mut().is_none_or(|c| c.restore(features))
                && d.typical.iter().all(|c| *c > 0.0 && c.is_finite());
            d.refresh();
            let is_finite = d.multipliers.manhattan.iter().chain(&d.multipliers.white).all(|m| m.is_finite());
            (sound && is_finite).then(|| Box::new(d) as Box<dyn Dissimilarity<[f64]>>)
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Two features that go together, one apart, one that never changes.
    fn rows(n: usize) -> Vec<Vec<f64>> {
        let mut r = Random::new(3);
        (0..n)
            .map(|_| {
                let a = r.normal();
                vec![a, 1000.0 * (a + 0.1 * r.normal()), r.uniform(), 5.0]
            })
            .collect()
    }

    fn learned(rows: &[Vec<f64>]) -> Blend {
        let mut d = Blend::new();
        d.learn(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &[]).unwrap();
        d
    }

    #[test]
    fn blocks_have_the_bits_of_pairs() {
        let rows = rows(3 * BLOCK + 7);
        let d = learned(&rows);
        let refs: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let prepared = d.prepare(&refs);
        for range in [0..rows.len(), 1..2, BLOCK - 1..2 * BLOCK + 1, 5..5] {
            let mut out = vec![0.0; range.len()];
            prepared.fill(refs[9], range.clone(), &mut out);
            let pairs: Vec<f64> = range.clone().map(|j| d.between(refs[9], refs[j])).collect();
            assert_eq!(out, pairs);
            let which: Vec<usize> = range.collect();
            prepared.fill_some(refs[9], &which, &mut out);
            assert_eq!(out, pairs);
        }
    }

    #[test]
    fn a_broken_correlation_is_far_and_units_do_not_matter() {
        let rows = rows(400);
        let d = learned(&rows);
        let centre = [0.0, 0.0, 0.5, 5.0];
        // As far in each feature alone, but against the correlation.
        assert!(
            d.between(&centre, &[1.0, -1000.0, 0.5, 5.0])
                > 2.0 * d.between(&centre, &[1.0, 1000.0, 0.5, 5.0])
        );
        let other: Vec<Vec<f64>> =
            rows.iter().map(|r| vec![r[0] * 8.0, r[1] / 1024.0, r[2] * 2.0 + 4.0, r[3]]).collect();
        let e = learned(&other);
        let (before, after) = (d.between(&rows[0], &rows[1]), e.between(&other[0], &other[1]));
        assert!((before - after).abs() < 1e-9 * before, "{before} {after}");
    }

    #[test]
    fn weights_switch_features_off() {
        let rows = rows(50);
        let mut d = learned(&rows);
        assert_eq!(d.parameters().len(), 4);
        d.set(&[0.0, 0.0, 1.0, 0.0]);
        assert!(d.between(&[0.0, 0.0, 0.5, 5.0], &[3.0, 9.0, 0.5, 8.0]).abs() < 1e-300);
        assert!(d.between(&[0.0, 0.0, 0.5, 5.0], &[0.0, 0.0, 0.6, 5.0]) > 0.0);
    }

    #[test]
    fn others_among_the_nominals_change_little() {
        let clean = rows(380);
        let mut mixed = clean.clone();
        mixed.extend((0..20).map(|i| vec![40.0 + f64::from(i), -3e4, 60.0, 5.0]));
        let (d, e) = (learned(&clean), learned(&mixed));
        for pair in clean.windows(2).take(100) {
            let ratio = e.between(&pair[0], &pair[1]) / d.between(&pair[0], &pair[1]);
            // One of the three parts, the central range, feels one twentieth on one side.
            assert!((0.4..1.5).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn far_and_odd_values_stay_finite() {
        let d = learned(&rows(30));
        let far = d.between(&[1e308, -1e308, 1e308, -1e308], &[-1e308, 1e308, -1e308, 1e308]);
        assert!(far.is_finite() && far > 1e140);
        let constant = learned(&vec![vec![0.0, 7.0]; 5]);
        assert!(constant.between(&[0.0, 7.0], &[0.0, 7.0]).abs() < 1e-300);
        assert!(constant.between(&[0.0, 7.0], &[1.0, 7.0]) > 1.0);
    }
}
