//! The studentized range: the distribution behind Tukey's and Nemenyi's tests.
//!
//! For `k` standard normal values and an independent estimate `s` of their deviation with `v` degrees of freedom,
//! `P(range / s <= q)` is the mean over `s` of `k integral phi(z) (Phi(z) - Phi(z - q s))^(k-1) dz`, with `v s^2` distributed
//! as chi-squared.

use eocc_core::stats::ln_gamma;
use statrs::function::erf::erfc;

/// `P(Q <= q)` for `k` means and `v` degrees of freedom; infinite `v` for a known deviation.
pub fn cumulative(q: f64, k: usize, v: f64) -> f64 {
    if q <= 0.0 {
        return 0.0;
    }
    if v.is_infinite() {
        return of_range(q, k);
    }
    // The density of s: v^(v/2) / (Gamma(v/2) 2^(v/2 - 1)) s^(v-1) exp(-v s^2 / 2).
    let log_constant = 0.5 * v * v.ln() - ln_gamma(0.5 * v) - (0.5 * v - 1.0) * 2.0_f64.ln();
    let density = |s: f64| (log_constant + (v - 1.0) * s.ln() - 0.5 * v * s * s).exp();
    // The deviation of s is about 1 / sqrt(2 v); twelve of them contain everything.
    let reach = 12.0 / (2.0 * v).sqrt();
    let low = (1.0 - reach).max(1e-12);
    gauss_legendre(low, 1.0 + reach, 24, |s| density(s) * of_range(q * s, k)).clamp(0.0, 1.0)
}

/// The `q` with `P(Q <= q) = p`.
pub fn quantile(p: f64, k: usize, v: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while cumulative(high, k, v) < p && high < 1e6 {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if cumulative(middle, k, v) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The distribution of the range of `k` standard normal values.
fn of_range(w: f64, k: usize) -> f64 {
    let integrand = |z: f64| {
        let phi = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        phi * (normal(z) - normal(z - w)).max(0.0).powf(k as f64 - 1.0)
    };
    k as f64 * gauss_legendre(-8.0, 8.0 + w.min(8.0), 20, integrand)
}

fn normal(z: f64) -> f64 {
    0.5 * erfc(-z / std::f64::consts::SQRT_2)
}

/// Integrates over `panels` panels of eight nodes each.
fn gauss_legendre(low: f64, high: f64, panels: usize, f: impl Fn(f64) -> f64) -> f64 {
    const NODES: [(f64, f64); 4] = [
        (0.183_434_642_495_649_8, 0.362_683_783_378_362),
        (0.525_532_409_916_329, 0.313_706_645_877_887_27),
        (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
        (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
    ];
    let width = (high - low) / panels as f64;
    let panel = |p: usize| {
        let (middle, half) = (low + (p as f64 + 0.5) * width, 0.5 * width);
        NODES.iter().map(|(x, w)| w * (f(middle - half * x) + f(middle + half * x))).sum::<f64>() * half
    };
    (0..panels).map(panel).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_means_are_a_difference_of_normals() {
        // The range of two is |x - y|, so P = 2 Phi(q / sqrt 2) - 1.
        for q in [0.1, 1.0, 2.5, 4.0] {
            assert!(
                (cumulative(q, 2, f64::INFINITY) - (2.0 * normal(q / 2.0_f64.sqrt()) - 1.0)).abs() < 1e-10
            );
        }
        assert!(cumulative(-1.0, 3, 10.0).abs() < 1e-300);
    }

    #[test]
    fn quantiles_invert() {
        for (k, v) in [(3, 10.0), (19, 126.0), (24, f64::INFINITY)] {
            assert!((cumulative(quantile(0.95, k, v), k, v) - 0.95).abs() < 1e-9);
        }
    }
}
