//! The alarm: bets against the ranks being uniform, added up by the Shiryaev–Roberts rule.
//!
//! For each measure nine bets, densities on [0, 1], share a stake that is redistributed by success (fixed share). While ranks are
//! independent and uniform a bet multiplies its stake by 1 on average, so `R_t - t` is a martingale, where
//! `R_t = (R_(t-1) + 1) e_t`. By Doob's inequality the probability of an alarm within `n` observations is at most `n delta`. Without the `+ 1` it is
//! Ville's inequality: the probability of ever alarming is at most `delta`.

use std::sync::LazyLock;

use crate::error::Result;
use crate::file::damaged;
use crate::stats::ln_gamma;

/// Parameters of the Beta densities. The first is not a bet at all; the others are on values that grow, shrink, concentrate or
/// spread, strongly or mildly.
const BETS: [(f64, f64); 9] = [
    (1.0, 1.0),
    (0.5, 1.0),
    (1.0, 0.5),
    (1.0, 2.0),
    (2.0, 1.0),
    (1.0, 1.3),
    (1.3, 1.0),
    (2.0, 2.0),
    (0.6, 0.6),
];
/// The fraction of all stakes that is redistributed after each bet.
const SHARE: f64 = 0.005;
/// Ranks are clamped to this distance from 0 and 1, where densities have poles.
const CLOSEST: f64 = 1e-6;

/// The factor that normalizes each density.
static FACTORS: LazyLock<[f64; BETS.len()]> =
    LazyLock::new(|| BETS.map(|(a, b)| (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp()));

/// The densities of all bets at a rank, in the order of [`BETS`]. Most take only a root or a product.
fn densities(rank: f64) -> [f64; BETS.len()] {
    let (p, q) = (rank, 1.0 - rank);
    let (low, high) = (p.ln(), q.ln());
    [
        1.0,
        0.5 / p.sqrt(),
        0.5 / q.sqrt(),
        2.0 * q,
        2.0 * p,
        1.3 * (0.3 * high).exp(),
        1.3 * (0.3 * low).exp(),
        6.0 * p * q,
        FACTORS[8] * (-0.4 * (low + high)).exp(),
    ]
}

/// How rare false alarms are.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlarmRate {
    /// At most this many are expected per observation.
    PerObservation(f64),
    /// The probability of ever having one is at most this.
    Ever(f64),
}

/// The bets on all measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Detector {
    /// The weight of each measure; their sum is at most 1.
    weights: Vec<f64>,
    /// A weighted statistic that reaches this is an alarm.
    threshold: f64,
    /// Added to the statistic before each bet.
    restart: f64,
    stakes: Vec<[f64; BETS.len()]>,
    statistics: Vec<f64>,
}

impl Detector {
    /// Bets on one measure per weight. `resets` is the number of earlier detectors of the same stream: the probability of ever
    /// alarming is divided among all of them.
    pub fn new(weights: Vec<f64>, rate: AlarmRate, resets: u64) -> Self {
        let (threshold, restart, start) = match rate {
            AlarmRate::PerObservation(delta) => (1.0 / delta, 1.0, 0.0),
            AlarmRate::Ever(delta) => {
                // The fractions 1/2, 1/6, 1/12 ... sum to 1.
                let k = resets as f64 + 1.0;
                (k * (k + 1.0) / delta, 0.0, 1.0)
            }
        };
        let n = weights.len();
        let stakes = vec![[1.0 / BETS.len() as f64; BETS.len()]; n];
        Self { weights, threshold, restart, stakes, statistics: vec![start; n] }
    }

    /// Bets on one rank of each measure; returns the measure that raises an alarm, if any.
    pub fn bet(&mut self, ranks: &[f64]) -> Option<usize> {
        let mut largest = (0, 0.0);
        for (j, rank) in ranks.iter().enumerate().take(self.weights.len()) {
            let rank = rank.clamp(CLOSEST, 1.0 - CLOSEST);
            let mut gains = densities(rank);
            gains.iter_mut().zip(&self.stakes[j]).for_each(|(gain, stake)| *gain *= stake);
            let gain: f64 = gains.iter().sum();
            for (stake, own) in self.stakes[j].iter_mut().zip(gains) {
                *stake = (1.0 - SHARE) * own / gain + SHARE / BETS.len() as f64;
            }
            self.statistics[j] = (self.statistics[j] + self.restart) * gain;
            let weighted = self.weights[j] * self.statistics[j];
            if weighted > largest.1 {
                largest = (j, weighted);
            }
        }
        (largest.1 >= self.threshold).then_some(largest.0)
    }

    /// The largest weighted statistic divided by the threshold: an alarm at 1.
    pub fn level(&self) -> f64 {
        let weighted = self.weights.iter().zip(&self.statistics).map(|(w, r)| w * r);
        weighted.fold(0.0, f64::max) / self.threshold
    }

    /// Statistics and stakes as numbers, for a file.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.statistics.iter().copied().chain(self.stakes.iter().flatten().copied()).collect()
    }

    /// Restores the result of [`numbers`](Self::numbers).
    pub(super) fn set_numbers(&mut self, numbers: &[f64]) -> Result<()> {
        let n = self.weights.len();
        if numbers.len() != n * (1 + BETS.len()) || numbers.iter().any(|v| !v.is_finite() || *v < 0.0) {
            return Err(damaged("the bets of the stream are out of range".into()));
        }
        self.statistics = numbers[..n].to_vec();
        for (stakes, own) in self.stakes.iter_mut().zip(numbers[n..].chunks_exact(BETS.len())) {
            stakes.copy_from_slice(own);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn every_bet_is_fair() {
        for k in 0..BETS.len() {
            // By the midpoint rule in the angle, where the poles are harmless: x = sin^2.
            let n = 20_000;
            let sum: f64 = (0..n)
                .map(|i| {
                    let angle = std::f64::consts::FRAC_PI_2 * (f64::from(i) + 0.5) / f64::from(n);
                    let (s, c) = angle.sin_cos();
                    let (a, b) = BETS[k];
                    2.0 * s * c * FACTORS[k] * (s * s).powf(a - 1.0) * (c * c).powf(b - 1.0)
                })
                .sum();
            let mean = sum * std::f64::consts::FRAC_PI_2 / f64::from(n);
            assert!((mean - 1.0).abs() < 1e-3, "{k}: {mean}");
        }
    }

    #[test]
    fn densities_are_those_of_the_beta_distributions() {
        for rank in [1e-6, 0.01, 0.3, 0.5, 0.999] {
            for (k, density) in densities(rank).into_iter().enumerate() {
                let (a, b) = BETS[k];
                let want = FACTORS[k] * rank.powf(a - 1.0) * (1.0 - rank).powf(b - 1.0);
                assert!((density / want - 1.0).abs() < 1e-12, "{k} at {rank}: {density} {want}");
            }
        }
    }

    fn share_with_alarm(measures: usize, rate: AlarmRate, steps: usize) -> f64 {
        let alarms = |seed: u64| {
            let mut random = Random::new(seed);
            let mut weights = vec![0.5 / (measures - 1) as f64; measures];
            weights[0] = 0.5;
            let mut detector = Detector::new(weights, rate, 0);
            (0..steps).any(|_| {
                let ranks: Vec<f64> = (0..measures).map(|_| random.uniform()).collect();
                detector.bet(&ranks).is_some()
            })
        };
        (0..200).filter(|seed| alarms(*seed)).count() as f64 / 200.0
    }

    #[test]
    fn false_alarms_are_as_rare_as_was_asked_for() {
        for measures in [2, 6, 21] {
            let share = share_with_alarm(measures, AlarmRate::PerObservation(1e-4), 4000);
            assert!(share <= 0.4 && share > 0.02, "{measures}: {share}");
            let ever = share_with_alarm(measures, AlarmRate::Ever(0.2), 4000);
            assert!(ever <= 0.2, "{measures}: {ever}");
        }
    }

    #[test]
    fn a_shift_alarms_soon_and_is_named() {
        let mut random = Random::new(3);
        let mut detector = Detector::new(vec![0.5, 0.25, 0.25], AlarmRate::PerObservation(1e-4), 0);
        let uniform: Vec<f64> = (0..3).map(|_| random.uniform()).collect();
        assert_eq!(detector.bet(&uniform), None);
        let delay = (0..200).find_map(|t| {
            let ranks = [random.uniform(), random.uniform(), random.uniform().powi(3)];
            detector.bet(&ranks).map(|j| (t, j))
        });
        assert!(delay.is_some_and(|(t, j)| t < 60 && j == 2), "{delay:?}");
        assert!(detector.level() >= 1.0);
    }
}
