//! The alpha-Jensen difference and the objective.

/// `dH = H(whole) - sum_i (n_i / n) H(part i)` `[LA17, eq. 5]`, the parts given as `(n_i, H_i)`.
///
/// It is an estimate, so it can be negative.
pub fn difference(whole: f64, parts: &[(usize, f64)]) -> f64 {
    let n: usize = parts.iter().map(|part| part.0).sum();
    let mut mean = 0.0;
    for &(size, entropy) in parts {
        mean += size as f64 / n as f64 * entropy;
    }
    whole - mean
}

/// `eta = 1 / (1 + max(dH, 0))` `[LA17, eq. 6]`.
pub fn objective(difference: f64) -> f64 {
    1.0 / (1.0 + difference.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_hand_computation() {
        // 5 - (3/4 * 2 + 1/4 * 6) = 2.
        let difference = difference(5.0, &[(3, 2.0), (1, 6.0)]);
        assert!((difference - 2.0).abs() < 1e-15);
        assert!((objective(difference) - 1.0 / 3.0).abs() < 1e-15);
        assert!((objective(-4.0) - 1.0).abs() < 1e-15);
    }
}
