//! Tests of ranks: since when they are not uniform, whether that is still so, and whether two samples have the same distribution.

/// Bins of the likelihood by which a change is dated.
const BINS: usize = 8;
/// Minimum number of ranks since a change.
const MIN_RANKS: usize = 5;
/// Ranks are not uniform if `sqrt(n)` times their Kolmogorov–Smirnov distance exceeds this, the level of 10 %.
pub(super) const LASTS: f64 = 1.22;
/// Two samples differ if that statistic between them exceeds this. Strict, since it is the largest over all measures.
const DIFFERS: f64 = 1.9;

/// The time since which ranks are least uniform, given ranks with their times, oldest first; `None` if there are too few.
pub(super) fn change_point(ranks: &[(u64, f64)]) -> Option<u64> {
    let mut counts = [0.0_f64; BINS];
    let mut best: Option<(f64, u64)> = None;
    for (i, &(time, rank)) in ranks.iter().rev().enumerate() {
        counts[((rank * BINS as f64) as usize).min(BINS - 1)] += 1.0;
        let n = i as f64 + 1.0;
        let of_bin = |count: &f64| if *count > 0.0 { count * (BINS as f64 * count / n).ln() } else { 0.0 };
        let gain = counts.iter().map(of_bin).sum::<f64>() - (BINS - 1) as f64 / 2.0 * n.ln();
        if i + 1 >= MIN_RANKS && best.is_none_or(|b| gain > b.0) {
            best = Some((gain, time));
        }
    }
    best.map(|b| b.1)
}

/// `sqrt(n)` times the distance of the ranks' distribution from the uniform one.
pub(super) fn unevenness(mut ranks: Vec<f64>) -> f64 {
    ranks.sort_unstable_by(f64::total_cmp);
    let n = ranks.len() as f64;
    let gap = |(i, p): (usize, &f64)| (p - (i as f64 + 0.5) / n).abs();
    ranks.iter().enumerate().map(gap).fold(0.0, f64::max) * n.sqrt()
}

/// Below 1 if the two samples may have the same distribution (Kolmogorov–Smirnov).
pub(super) fn unlikeness(a: &[f64], b: &[f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return f64::INFINITY;
    }
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let (a, b) = (sorted(a), sorted(b));
    let (n, m) = (a.len() as f64, b.len() as f64);
    let gap = |v: &f64| {
        let share = |values: &[f64]| values.partition_point(|x| x <= v) as f64 / values.len() as f64;
        (share(&a) - share(&b)).abs()
    };
    let distance = a.iter().chain(&b).map(gap).fold(0.0, f64::max);
    distance * (n * m / (n + m)).sqrt() / DIFFERS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_change_is_dated_and_found_to_last() {
        let mut random = Random::new(2);
        let rank =
            |t: u64, random: &mut Random| if t < 300 { random.uniform() } else { random.uniform().powi(4) };
        let ranks: Vec<(u64, f64)> = (0..360).map(|t| (t, rank(t, &mut random))).collect();
        let since = change_point(&ranks).unwrap();
        assert!((290..=310).contains(&since), "{since}");
        let of = |from: usize| ranks[from..from + 60].iter().map(|r| r.1).collect::<Vec<_>>();
        assert!(unevenness(of(300)) > LASTS && unevenness(of(100)) < LASTS);
        assert_eq!(change_point(&ranks[..4]), None);
    }

    #[test]
    fn samples_of_one_distribution_are_alike() {
        let mut random = Random::new(3);
        let mut draw = |shift: f64| (0..200).map(|_| random.normal() + shift).collect::<Vec<_>>();
        let (a, b, c) = (draw(0.0), draw(0.0), draw(1.0));
        assert!(unlikeness(&a, &b) < 1.0 && unlikeness(&a, &c) > 1.0);
        assert!(unlikeness(&a, &[]).is_infinite());
    }
}
