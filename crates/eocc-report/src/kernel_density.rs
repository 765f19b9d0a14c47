//! Gaussian kernel density of numbers that cannot be negative.

/// Silverman's rule: `h = 0.9 min(s, IQR / 1.34) n^(-1/5)`, `s` alone if the quartiles coincide.
///
/// 0 for fewer than two values and for equal values; see [`KernelDensity::new`] for what happens then.
pub fn silverman(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if values.len() < 2 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0)).sqrt();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quartile = |share: f64| {
        let position = share * (n - 1.0);
        let below = position.floor() as usize;
        let above = (below + 1).min(sorted.len() - 1);
        sorted[below] + (sorted[above] - sorted[below]) * position.fract()
    };
    let between = (quartile(0.75) - quartile(0.25)) / 1.34;
    let spread = if between > 0.0 { deviation.min(between) } else { deviation };
    0.9 * spread * n.powf(-0.2)
}

/// The density of a set of numbers `>= 0`.
///
/// The part of a kernel below 0 is reflected, so that no difference appears negative and the curve still has area one
/// over the positive numbers.
#[derive(Debug, Clone)]
pub struct KernelDensity {
    values: Vec<f64>,
    bandwidth: f64,
}

impl KernelDensity {
    /// The density with Silverman's bandwidth, but at least `smallest`: equal values become a narrow bell.
    ///
    /// Values that are not finite are left out.
    pub fn new(values: impl IntoIterator<Item = f64>, smallest: f64) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        let bandwidth = silverman(&values).max(smallest);
        Self { values, bandwidth }
    }

    /// The values it was made of.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The standard deviation of one kernel.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// The density at `x >= 0`; 0 if there are no values.
    pub fn at(&self, x: f64) -> f64 {
        if self.values.is_empty() {
            return 0.0;
        }
        let bell = |distance: f64| (-0.5 * (distance / self.bandwidth).powi(2)).exp();
        let sum: f64 = self.values.iter().map(|v| bell(x - v) + bell(x + v)).sum();
        sum / (self.values.len() as f64 * self.bandwidth * std::f64::consts::TAU.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silverman_matches_hand_computation() {
        // 0..=4: s = sqrt(2.5), quartiles 1 and 3, so IQR / 1.34 = 1.4925 is the smaller.
        let h = silverman(&[0.0, 1.0, 2.0, 3.0, 4.0]);
        assert!((h - 0.9 * (2.0 / 1.34) * 5_f64.powf(-0.2)).abs() < 1e-12);
        // Quartiles coincide: s alone, sqrt(5 * 0.8^2 ...) of 0, 0, 0, 0, 1 is sqrt(0.2).
        let h = silverman(&[0.0, 0.0, 0.0, 0.0, 1.0]);
        assert!((h - 0.9 * 0.2_f64.sqrt() * 5_f64.powf(-0.2)).abs() < 1e-12);
        assert!(silverman(&[3.0]).abs() < 1e-15 && silverman(&[3.0, 3.0]).abs() < 1e-15);
    }

    #[test]
    fn area_is_one_even_at_the_edge_and_for_equal_values() {
        for values in [vec![0.0, 0.1, 0.5, 2.0], vec![0.0; 3], vec![1.5]] {
            let density = KernelDensity::new(values, 0.05);
            let area: f64 = (0..20_000).map(|i| density.at((f64::from(i) + 0.5) * 5e-4) * 5e-4).sum();
            assert!((area - 1.0).abs() < 1e-3, "{area}");
        }
    }

    #[test]
    fn no_values_no_density() {
        assert!(KernelDensity::new([f64::NAN], 0.1).at(0.0).abs() < 1e-15);
    }
}
