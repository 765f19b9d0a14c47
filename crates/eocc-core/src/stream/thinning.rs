//! Thinning: under serial dependence only one in several observations enters the change test.

use crate::stats::normal_quantile;

/// Smaller correlations are ignored.
const WEAK: f64 = 0.1;

/// The first lag at which no column is correlated with itself; `columns` hold values in temporal order. Correlations are those
/// of normal scores; equal values have equal scores, and a constant column has no correlation. Beyond an eighth of the rows,
/// correlations are too uncertain: the lag is then extrapolated from the decay at lag 1, up to half of the rows.
pub(super) fn first_uncorrelated_lag(columns: &[Vec<f64>]) -> usize {
    let scores: Vec<Vec<f64>> = columns.iter().map(|column| normal_scores(column)).collect();
    let n = columns.first().map_or(0, Vec::len);
    let limit = WEAK.max(2.0 / (n.max(1) as f64).sqrt());
    let last = (n / 8).max(1);
    let is_weak = |scores: &Vec<f64>, lag: usize| {
        let variance = scores.iter().map(|z| z * z).sum::<f64>() / n as f64;
        let products = scores[lag..].iter().zip(scores).map(|(a, b)| a * b);
        products.sum::<f64>() / (n - lag) as f64 <= limit * variance
    };
    if let Some(lag) = (1..last).find(|&lag| scores.iter().all(|column| is_weak(column, lag))) {
        return lag;
    }
    let farthest = scores.iter().map(|scores| lag_by_decay(scores, limit)).fold(0.0, f64::max);
    (farthest.ceil() as usize).clamp(last, (n / 2).max(last))
}

/// The lag at which the correlation falls to a limit if it decays geometrically as at lag 1.
fn lag_by_decay(scores: &[f64], limit: f64) -> f64 {
    let n = scores.len() as f64;
    let variance = scores.iter().map(|z| z * z).sum::<f64>();
    if scores.len() < 2 || variance <= 0.0 {
        return 0.0;
    }
    let first = scores[1..].iter().zip(scores).map(|(a, b)| a * b).sum::<f64>() / variance;
    // Its estimate from few values is too small; this is the bias if the decay is geometric (Marriott and Pope, 1954).
    let decay = first + (1.0 + 3.0 * first) / n;
    if decay <= 0.0 {
        return 0.0;
    }
    if decay < 1.0 { limit.ln() / decay.ln() } else { n }
}

/// The normal score of each value's rank; equal values have their mid-rank.
fn normal_scores(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut scores = vec![0.0; n];
    let mut start = 0;
    for run in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        let middle = start as f64 + run.len() as f64 / 2.0;
        for &i in run {
            scores[i] = normal_quantile(middle / n as f64);
        }
        start += run.len();
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn autoregressive(n: usize, share: f64, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let mut x = random.normal();
        let mut next = || {
            x = share * x + (1.0 - share * share).sqrt() * random.normal();
            x
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn independent_values_are_not_thinned_and_dependent_ones_are() {
        let median = |share: f64| {
            let mut lags: Vec<usize> =
                (0..9).map(|seed| first_uncorrelated_lag(&[autoregressive(512, share, seed)])).collect();
            lags.sort_unstable();
            lags[4]
        };
        let lags = [0.0, 0.6, 0.9].map(median);
        assert!(lags[0] == 1 && (3..=12).contains(&lags[1]) && (10..=64).contains(&lags[2]), "{lags:?}");
    }

    #[test]
    fn where_dependence_outlasts_what_can_be_measured_its_decay_tells() {
        let lags: Vec<usize> =
            (0..9).map(|seed| first_uncorrelated_lag(&[autoregressive(256, 0.99, seed)])).collect();
        // Correlations can be measured up to lag 32.
        assert!(lags.iter().filter(|lag| **lag > 32).count() >= 6, "{lags:?}");
        // By hand: 0.99 to the power of 207 is 0.125.
        let scores: Vec<f64> = (0..4000).map(|i| (f64::from(i) * 0.141).sin()).collect();
        assert!((lag_by_decay(&scores, 0.125) - 207.0).abs() < 30.0);
    }

    #[test]
    fn constants_and_ties_do_not_thin_and_a_trend_thins_as_far_as_it_goes() {
        let mut random = Random::new(1);
        let ties: Vec<f64> = (0..400).map(|_| (random.uniform() * 3.0).floor()).collect();
        assert_eq!(first_uncorrelated_lag(&[vec![4.0; 400], ties]), 1);
        let of_trend = first_uncorrelated_lag(&[(0..400).map(f64::from).collect()]);
        assert!((100..=200).contains(&of_trend), "{of_trend}");
        assert_eq!(first_uncorrelated_lag(&[]), 1);
    }
}
