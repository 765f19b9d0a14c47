//! The fuzzy model: from closeness to a degree of membership in [0, 1] [LA17, eq. 9 to 11].

use serde::{Deserialize, Serialize};

use crate::stats::percentile;

/// The scale on which closeness is compared with the largest in the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// `diff = chi* - chi`, as in the paper. It saturates: `diff <= chi*`, however far away a sample lies.
    Linear,
    /// The difference of the centralities, such as `diff = log2 chi* - log2 chi`, which grows without bound as a
    /// sample moves away.
    Logarithmic,
}

/// The fuzzy set of one region.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Membership {
    /// The scale of the differences.
    pub scale: Scale,
    /// The centrality of the most central vertex, such as `log2 chi*`.
    pub largest: f64,
    /// `t`, the percentile of the differences, at which the degree is `exp(-1/2)`.
    pub threshold: f64,
}

impl Membership {
    /// From the centrality of all vertices of the region and the percentile `l`.
    pub fn from_centrality(centrality: &[f64], scale: Scale, l: f64) -> Self {
        let largest = centrality.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut fuzzy = Self { scale, largest, threshold: 0.0 };
        let mut differences: Vec<f64> = centrality.iter().map(|c| fuzzy.difference(*c)).collect();
        fuzzy.threshold = percentile(&mut differences, l);
        fuzzy
    }

    /// How far a vertex falls short of the most central one; non-negative.
    pub fn difference(&self, centrality: f64) -> f64 {
        match self.scale {
            Scale::Linear => (self.largest.exp2() - centrality.exp2()).max(0.0),
            Scale::Logarithmic => (self.largest - centrality).max(0.0),
        }
    }

    /// `mu = exp(-diff^2 / (2 t^2))`.
    pub fn degree(&self, difference: f64) -> f64 {
        log_degree(difference, self.threshold).exp()
    }
}

/// `ln mu = -diff^2 / (2 t^2)`; for `t = 0`, it is 0 if `diff = 0` and minus infinity otherwise.
pub fn log_degree(difference: f64, threshold: f64) -> f64 {
    if difference <= 0.0 {
        0.0
    } else if threshold > 0.0 {
        -0.5 * (difference / threshold).powi(2)
    } else {
        f64::NEG_INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_match_hand_computation() {
        let chi = [4.0_f64, 3.0, 2.0];
        let log: Vec<f64> = chi.iter().map(|c| c.log2()).collect();
        let fuzzy = Membership::from_centrality(&log, Scale::Linear, 50.0);
        assert!((fuzzy.threshold - 1.0).abs() < 1e-14);
        assert!((fuzzy.degree(0.0) - 1.0).abs() < 1e-15);
        assert!((fuzzy.degree(1.0) - (-0.5_f64).exp()).abs() < 1e-14);
        assert!((fuzzy.degree(2.0) - (-2.0_f64).exp()).abs() < 1e-14);
        let fuzzy = Membership::from_centrality(&log, Scale::Logarithmic, 50.0);
        assert!((fuzzy.threshold - (4.0_f64 / 3.0).log2()).abs() < 1e-15);
        assert!(fuzzy.degree(fuzzy.difference(-1e6)).abs() < 1e-300);
    }

    #[test]
    fn without_spread_only_the_centre_belongs() {
        let fuzzy = Membership::from_centrality(&[1.0, 1.0, 1.0], Scale::Linear, 50.0);
        assert!((fuzzy.degree(0.0) - 1.0).abs() < 1e-15);
        assert!(fuzzy.degree(1e-9).abs() < 1e-300);
    }
}
