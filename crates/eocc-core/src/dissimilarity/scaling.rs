//! Feature weights: the parameters `p` that a search changes, times the scale that makes features of different units
//! comparable.

use serde::{Deserialize, Serialize};

use super::{Parameter, Settings};
use crate::error::{Error, Result};
use crate::stats::percentile_of_sorted;

/// How features of different units are made comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// Not at all: the features as they are [LA17, sec. IV-A].
    #[default]
    None,
    /// By the standard deviation.
    Standard,
    /// By the interquartile range, or by the standard deviation if that is zero.
    Robust,
    /// By the range.
    Range,
    /// By the range of the central 95 %, or by the range if that is zero.
    Central,
    /// Each value by the normal score of its rank among the training samples; only in norms.
    Rank,
}

impl Scaling {
    /// All names, for messages.
    pub const NAMES: &'static str = "none, standard, robust, range or central";
    /// The names for measures that can map values one by one.
    pub const NAMES_AND_RANK: &'static str = "none, standard, robust, range, central or rank";

    /// The scaling with this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "standard" => Some(Self::Standard),
            "robust" => Some(Self::Robust),
            "range" => Some(Self::Range),
            "central" => Some(Self::Central),
            "rank" => Some(Self::Rank),
            _ => None,
        }
    }

    /// The spread of one feature, whose values it sorts; positive.
    pub(super) fn spread(self, values: &mut [f64]) -> f64 {
        // Normal scores have their own scale.
        if matches!(self, Self::None | Self::Rank) {
            return 1.0;
        }
        values.sort_unstable_by(f64::total_cmp);
        let n = values.len();
        let range = values[n - 1] - values[0];
        // Scaled before squaring, so that features of 1e200 do not overflow.
        let mean = values[0] + values.iter().map(|v| (v - values[0]) / n as f64).sum::<f64>();
        let deviation = if range > 0.0 {
            range * (values.iter().map(|v| ((v - mean) / range).powi(2)).sum::<f64>() / n as f64).sqrt()
        } else {
            0.0
        };
        let spread = match self {
            Self::None | Self::Rank => 1.0,
            Self::Standard => deviation,
            Self::Range => range,
            // 1.349 standard deviations of a Gaussian lie between its quartiles.
            Self::Robust => unless_next_to_nothing(between(values, 25.0, 75.0) / 1.349, deviation),
            Self::Central => unless_next_to_nothing(between(values, 2.5, 97.5), range),
        };
        if spread > f64::MIN_POSITIVE && spread.is_finite() {
            spread
        } else if values[0].abs() > f64::MIN_POSITIVE {
            // Constant in training: a change by its own size counts as one spread, whatever the unit.
            values[0].abs()
        } else {
            1.0
        }
    }
}

/// The difference between two percentiles of sorted values.
fn between(sorted: &[f64], low: f64, high: f64) -> f64 {
    percentile_of_sorted(sorted, high) - percentile_of_sorted(sorted, low)
}

/// The spread of most values, or that of all if most are equal or nearly so.
fn unless_next_to_nothing(most: f64, all: f64) -> f64 {
    if most > 1e-3 * all { most } else { all }
}

/// Fails if a sample does not have the learned number of features.
pub(super) fn check_features(found: usize, learned: usize) -> Result<()> {
    if found == learned {
        return Ok(());
    }
    Err(Error::input(format!("the sample has {found} features, but must have {learned}")))
}

/// Weights `p_f` in [0, 1] of the features, the paper's parameters for vectors, and their learned scales.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FeatureWeights {
    scaling: Scaling,
    spreads: Vec<f64>,
    weights: Vec<f64>,
    names: Vec<String>,
}

impl FeatureWeights {
    /// All weights 1, with this scaling.
    pub fn new(scaling: Scaling) -> Self {
        Self { scaling, ..Self::default() }
    }

    /// The scaling named by the setting `scaling`, with one factor per feature.
    pub fn from_settings(settings: &Settings) -> Result<Self> {
        Self::named(settings, Scaling::NAMES, |s| s != Scaling::Rank)
    }

    /// Like [`from_settings`](Self::from_settings), with `rank` as a further option.
    pub fn from_settings_or_rank(settings: &Settings) -> Result<Self> {
        Self::named(settings, Scaling::NAMES_AND_RANK, |_| true)
    }

    fn named(settings: &Settings, names: &str, may_be: impl Fn(Scaling) -> bool) -> Result<Self> {
        let name: Option<String> = settings.get("scaling", names)?;
        match name {
            None => Ok(Self::new(Scaling::None)),
            Some(name) => Scaling::named(&name)
                .filter(|s| may_be(*s))
                .map(Self::new)
                .ok_or_else(|| Error::parameter("scaling", format!("`{name}`"), names)),
        }
    }

    /// How the features are scaled.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// Learns number, names and spreads of the features.
    pub fn learn(&mut self, samples: &[&[f64]], names: &[String]) {
        let features = samples.first().map_or(0, |s| s.len());
        let mut column = vec![0.0; samples.len()];
        self.spreads = (0..features)
            .map(|f| {
                for (v, s) in column.iter_mut().zip(samples) {
                    *v = s[f];
                }
                self.scaling.spread(&mut column)
            })
            .collect();
        self.weights = vec![1.0; features];
        self.names = names.to_vec();
    }

    /// The weights as parameters.
    pub fn parameters(&self) -> Vec<Parameter> {
        let name = |f: usize| self.names.get(f).cloned().unwrap_or_else(|| format!("x{f}"));
        self.weights
            .iter()
            .enumerate()
            .map(|(f, &value)| Parameter { name: name(f), low: 0.0, high: 1.0, value })
            .collect()
    }

    /// Sets the weights.
    pub fn set(&mut self, p: &[f64]) {
        self.weights.copy_from_slice(p);
    }

    /// The weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// `x_f / spread_f`, times the root of order `order` of the weight: in these coordinates, an unweighted norm of
    /// that order is the weighted one.
    pub fn multipliers(&self, order: f64) -> Vec<f64> {
        // Call `sqrt` explicitly: the compiler turns powers into square roots only if it sees the order, and the two
        // differ in the last bit.
        let is_square = (order - 2.0).abs() < f64::EPSILON;
        let root = |p: f64| if is_square { p.sqrt() } else { p.powf(1.0 / order) };
        self.weights.iter().zip(&self.spreads).map(|(p, s)| root(*p) / s).collect()
    }

    /// Whether the parts are consistent and every multiplier is finite.
    pub fn is_sound(&self) -> bool {
        self.weights.len() == self.spreads.len()
            && self.weights.iter().all(|w| (0.0..=1.0).contains(w))
            && self.spreads.iter().all(|s| *s > 0.0 && s.is_normal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_match_hand_computation() {
        let v = [0.0, 1.0, 2.0, 3.0, 4.0];
        let spread = |s: Scaling| s.spread(&mut v.clone());
        assert!((spread(Scaling::Standard) - 2.0_f64.sqrt()).abs() < 1e-15);
        assert!((spread(Scaling::Robust) - 2.0 / 1.349).abs() < 1e-15);
        assert!((spread(Scaling::Range) - 4.0).abs() < 1e-15);
        assert!((spread(Scaling::None) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn constant_and_huge_columns_have_a_positive_finite_spread() {
        for s in [Scaling::Standard, Scaling::Robust, Scaling::Range] {
            assert!((s.spread(&mut [7.0; 4]) - 7.0).abs() < 1e-15);
            assert!((s.spread(&mut [0.0; 4]) - 1.0).abs() < 1e-15);
            let huge = s.spread(&mut [1e300, -1e300, 0.0, 5e299]);
            assert!(huge.is_finite() && huge > 0.0);
        }
    }
}
