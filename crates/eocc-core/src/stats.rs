//! Order statistics and sums, in one place so that all stages agree on them.

/// The `l`-th percentile of sorted values, by linear interpolation between the two nearest ranks (the default of
/// NumPy). `values` must not be empty.
pub fn percentile_of_sorted(values: &[f64], l: f64) -> f64 {
    let at = (values.len() - 1) as f64 * l / 100.0;
    let low = at.floor() as usize;
    let high = (low + 1).min(values.len() - 1);
    let share = at - low as f64;
    interpolate(values[low], values[high], share)
}

/// The `l`-th percentile of unsorted values; reorders them.
pub fn percentile(values: &mut [f64], l: f64) -> f64 {
    let last = values.len() - 1;
    let at = last as f64 * l / 100.0;
    let low = at.floor() as usize;
    let (_, &mut a, above) = values.select_nth_unstable_by(low, f64::total_cmp);
    let b = above.iter().copied().min_by(f64::total_cmp).unwrap_or(a);
    interpolate(a, b, at - low as f64)
}

fn interpolate(a: f64, b: f64, share: f64) -> f64 {
    if share > 0.0 { a + (b - a) * share } else { a }
}

/// `log(exp(a) + exp(b))`.
pub fn log_add(a: f64, b: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if small == f64::NEG_INFINITY { large } else { large + (small - large).exp().ln_1p() }
}

/// `log sum exp(v)`; minus infinity for none.
pub fn log_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + values.map(|v| (v - largest).exp()).sum::<f64>().ln()
}

/// Natural logarithm of the gamma function for positive arguments (Lanczos, g = 7, 9 terms; about 15 digits).
pub fn ln_gamma(x: f64) -> f64 {
    const C: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        // Reflection formula.
        return (std::f64::consts::PI / (std::f64::consts::PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let t = x + 7.5;
    let series = C.iter().enumerate().skip(1).fold(C[0], |s, (i, c)| s + c / (x + i as f64));
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * t.ln() - t + series.ln()
}

/// The normal quantile `Phi^-1(p)` for `p` in (0, 1), by Acklam's rational approximations: relative error below 1.2e-9.
pub fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    const TAIL: f64 = 0.024_25;
    let horner = |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    let tail = |p: f64| {
        let q = (-2.0 * p.ln()).sqrt();
        horner(&C, q) / horner(&D, q)
    };
    if p < TAIL {
        tail(p)
    } else if p > 1.0 - TAIL {
        -tail(1.0 - p)
    } else {
        let (q, square) = (p - 0.5, (p - 0.5).powi(2));
        q * horner(&A, square) / horner(&B, square)
    }
}

/// Natural logarithm of the volume of the unit ball in `m` dimensions.
pub fn ln_unit_ball(m: usize) -> f64 {
    let half = m as f64 / 2.0;
    half * std::f64::consts::PI.ln() - ln_gamma(half + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_match_hand_computation() {
        let mut v = [3.0, 1.0, 2.0, 10.0];
        assert!((percentile(&mut v, 50.0) - 2.5).abs() < 1e-15);
        v.sort_unstable_by(f64::total_cmp);
        for l in [0.0, 10.0, 33.0, 50.0, 99.0, 100.0] {
            assert!((percentile_of_sorted(&v, l) - percentile(&mut v.clone(), l)).abs() < 1e-15);
        }
        assert!((percentile(&mut [4.0], 50.0) - 4.0).abs() < 1e-15);
    }

    #[test]
    fn normal_quantiles_are_those_of_tables() {
        // Scipy's `ndtri`.
        let known = [
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054),
            (0.01, -2.326_347_874_040_840_8),
            (0.02, -2.053_748_910_631_823),
            (0.03, -1.880_793_608_151_250_9),
            (0.999_9, 3.719_016_485_455_709),
            (1e-9, -5.997_807_015_007_686_5),
        ];
        for (p, want) in known {
            assert!((normal_quantile(p) - want).abs() < 1e-8, "{p}: {}", normal_quantile(p));
        }
    }

    #[test]
    fn gamma_and_balls_at_known_points() {
        assert!((ln_gamma(5.0) - 24.0_f64.ln()).abs() < 1e-13);
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-13);
        assert!((ln_unit_ball(2) - std::f64::consts::PI.ln()).abs() < 1e-13);
        assert!((ln_unit_ball(3) - (4.0 / 3.0 * std::f64::consts::PI).ln()).abs() < 1e-13);
    }

    #[test]
    fn log_sums() {
        assert!((log_sum_exp([0.0, 0.0].into_iter()) - 2.0_f64.ln()).abs() < 1e-15);
        assert!((log_sum_exp([1000.0, 1000.0].into_iter()) - 1000.0 - 2.0_f64.ln()).abs() < 1e-12);
        assert!((log_add(-5.0, f64::NEG_INFINITY) + 5.0).abs() < 1e-15);
        assert!((log_add(1.0, 2.0) - (1.0_f64.exp() + 2.0_f64.exp()).ln()).abs() < 1e-14);
    }
}
