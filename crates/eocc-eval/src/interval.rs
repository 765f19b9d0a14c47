//! Confidence intervals at 95 % for fractions and areas.

/// The level of all intervals.
pub const LEVEL: f64 = 0.95;
/// The corresponding two-sided quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// An interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The interval of E. B. Wilson (J. Am. Stat. Assoc. 22, 1927) for a fraction of this many samples. It is inside [0,
/// 1], and has a width even if the fraction is 0 or 1.
pub fn wilson(share: f64, samples: usize) -> Interval {
    let n = samples as f64;
    if samples == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let center = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    Interval { low: ((center - half) / scale).max(0.0), high: ((center + half) / scale).min(1.0) }
}

/// The interval of R. G. Newcombe (Stat. Med. 25, 2006, method 5) for an area under the ROC curve of this many
/// nominals and outliers: all areas from which the observed one is at most 1.96 standard errors away, by the variance
/// of J. A. Hanley and B. J. `McNeil` (Radiology 143, 1982) with both numbers replaced by their mean. It is inside
/// [0, 1], and has a width even if the area is 1.
pub fn newcombe(auc: f64, nominals: usize, outliers: usize) -> Interval {
    if nominals == 0 || outliers == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (m, n) = (nominals as f64, outliers as f64);
    let more = 0.5 * (m + n) - 1.0;
    let is_near = |a: f64| {
        let factor = 1.0 + more * ((1.0 - a) / (2.0 - a) + a / (1.0 + a));
        (auc - a).powi(2) <= Z * Z * a * (1.0 - a) * factor / (m * n)
    };
    // The areas within reach form one interval around the observed one; its ends are found by bisection.
    let end = |mut far: f64| {
        let mut near = auc.clamp(0.0, 1.0);
        if is_near(far) {
            return far;
        }
        for _ in 0..60 {
            let middle = 0.5 * (near + far);
            if is_near(middle) { near = middle } else { far = middle }
        }
        near
    };
    Interval { low: end(0.0), high: end(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(found: Interval, low: f64, high: f64) {
        assert!((found.low - low).abs() < 5e-4 && (found.high - high).abs() < 5e-4, "{found:?}");
    }

    #[test]
    fn wilson_by_its_textbook_values() {
        // E. B. Wilson's interval as in R. G. Newcombe, Stat. Med. 17, 1998, table I.
        is(wilson(81.0 / 263.0, 263), 0.2553, 0.3662);
        is(wilson(15.0 / 148.0, 148), 0.0624, 0.1605);
        is(wilson(0.0, 20), 0.0, 0.1611);
        is(wilson(1.0, 29), 0.8830, 1.0);
        is(wilson(0.5, 0), 0.0, 1.0);
    }

    #[test]
    fn newcombe_solves_its_equation() {
        for (auc, m, n) in [(0.9, 30, 40), (0.5, 10, 10), (0.99, 200, 15)] {
            let found = newcombe(auc, m, n);
            assert!(found.low < auc && auc < found.high && found.high <= 1.0, "{found:?}");
            for a in [found.low, found.high] {
                let more = 0.5 * (m + n) as f64 - 1.0;
                let factor = 1.0 + more * ((1.0 - a) / (2.0 - a) + a / (1.0 + a));
                let error = (a * (1.0 - a) * factor / (m * n) as f64).sqrt();
                assert!(((auc - a).abs() / error - Z).abs() < 1e-6, "{a}");
            }
        }
        // No errors among a few samples say little.
        let whole = newcombe(1.0, 10, 10);
        assert!(whole.low > 0.6 && whole.low < 0.95 && (whole.high - 1.0).abs() < 1e-12, "{whole:?}");
        let half = newcombe(0.5, 50, 50);
        assert!((half.low + half.high - 1.0).abs() < 1e-9, "{half:?}");
    }
}
