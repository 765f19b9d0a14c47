//! Weights of the channels of time series: the parameters `p` of every measure of series.

use serde::{Deserialize, Serialize};

use super::super::scaling::FeatureWeights;
use super::super::settings::word;
use super::super::{Parameter, Settings};
use crate::error::{Error, Result};
use crate::sample::Series;

/// Weights `p_c` in [0, 1] of the channels, and their learned scales.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Channels {
    weights: FeatureWeights,
    /// Roots of the weights over the scales; one for every channel until learned.
    #[serde(skip)]
    multipliers: Vec<f64>,
}

impl Channels {
    pub(super) fn from_settings(settings: &Settings) -> Result<Self> {
        Ok(Self { weights: FeatureWeights::from_settings(settings)?, multipliers: Vec::new() })
    }

    /// The name of the scaling.
    pub(super) fn scaling(&self) -> String {
        word(&self.weights.scaling())
    }

    pub(super) fn learn(&mut self, samples: &[&Series], names: &[String]) {
        let mut steps: Vec<&[f64]> = samples.iter().flat_map(|s| s.steps()).collect();
        if names.len() == 1 {
            // The scale of a single channel only changes the unit; unscaled, nothing depends on the samples.
            self.weights = FeatureWeights::default();
            steps.truncate(1);
        }
        self.weights.learn(&steps, names);
        self.refresh();
    }

    /// Empty for a single channel, whose weight only changes the unit.
    pub(super) fn parameters(&self) -> Vec<Parameter> {
        if self.multipliers.len() < 2 { Vec::new() } else { self.weights.parameters() }
    }

    pub(super) fn set(&mut self, p: &[f64]) {
        if !p.is_empty() {
            self.weights.set(p);
            self.refresh();
        }
    }

    /// Restores what is not stored; `false` if the stored values are out of range.
    pub(super) fn restore(&mut self) -> bool {
        let is_sound = self.weights.is_sound();
        if is_sound {
            self.refresh();
        }
        is_sound
    }

    fn refresh(&mut self) {
        self.multipliers = self.weights.multipliers(2.0);
    }

    pub(super) fn check(&self, sample: &Series) -> Result<()> {
        if self.multipliers.is_empty() || sample.channels() == self.multipliers.len() {
            return Ok(());
        }
        Err(Error::input(format!(
            "the series has {} channels, but must have {}",
            sample.channels(),
            self.multipliers.len()
        )))
    }

    /// The values, scaled and weighted, so that plain Euclidean distances of time steps are the weighted ones.
    pub(super) fn map(&self, series: &Series) -> Vec<f64> {
        if self.multipliers.is_empty() {
            return series.values().to_vec();
        }
        let factors = self.multipliers.iter().cycle();
        series.values().iter().zip(factors).map(|(v, m)| v * m).collect()
    }
}
