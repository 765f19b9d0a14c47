//! From numbers to positions: linear scales and round ticks.

/// A linear map from a domain of numbers to a range of pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear {
    /// The numbers at both ends.
    pub domain: [f64; 2],
    /// The positions of those two; the second may be smaller, as for upward axes.
    pub range: [f64; 2],
}

impl Linear {
    /// The position of a number.
    pub fn at(&self, value: f64) -> f64 {
        let [low, high] = self.domain;
        let share = (value - low) / (high - low);
        self.range[0] + share * (self.range[1] - self.range[0])
    }
}

/// The smallest interval that contains all finite values, widened by `margin` of its length on both sides.
///
/// A single value gets space around it; without values, the result is `[0, 1]`.
pub fn extent(values: impl IntoIterator<Item = f64>, margin: f64) -> [f64; 2] {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        if value.is_finite() {
            low = low.min(value);
            high = high.max(value);
        }
    }
    if low > high {
        return [0.0, 1.0];
    }
    // Too narrow for ticks that differ within the fifteen digits of a number.
    if high - low <= 1e-12 * low.abs().max(high.abs()) {
        let room = if low == 0.0 { 0.5 } else { low.abs() * 0.1 };
        return [low - room, high + room];
    }
    let room = margin * (high - low);
    [low - room, high + room]
}

/// Ticks with their labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks {
    /// Multiples of 1, 2 or 5 times a power of ten.
    pub values: Vec<f64>,
    /// One per value, all with the same number of decimals.
    pub labels: Vec<String>,
}

/// Round ticks inside a domain: the smallest 1-2-5 step that gives at most `most` of them.
pub fn ticks(domain: [f64; 2], most: usize) -> Ticks {
    let [low, high] = domain;
    let length = high - low;
    if !(length > 0.0 && length.is_finite()) || most == 0 {
        return Ticks { values: Vec::new(), labels: Vec::new() };
    }
    let mut exponent = (length / most as f64).log10().floor() as i32;
    loop {
        for mantissa in [1.0, 2.0, 5.0] {
            let step = mantissa * 10_f64.powi(exponent);
            // A little slack, so that rounding does not lose a tick at the end.
            let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
            if last - first < most as f64 {
                let count = (last - first + 1.0).max(0.0) as usize;
                let values: Vec<f64> = (0..count).map(|i| (first + i as f64) * step).collect();
                let labels = values.iter().map(|&value| label(value, exponent, domain)).collect();
                return Ticks { values, labels };
            }
        }
        exponent += 1;
    }
}

/// A tick as text; with a power of ten if the plain number would be long.
fn label(value: f64, exponent: i32, domain: [f64; 2]) -> String {
    let largest = domain[0].abs().max(domain[1].abs());
    let text = if largest >= 1e6 || exponent < -4 {
        if value == 0.0 {
            return "0".to_owned();
        }
        let digits = (value.abs().log10().floor() as i32 - exponent).max(0) as usize;
        format!("{value:.digits$e}")
    } else {
        format!("{value:.*}", (-exponent).max(0) as usize)
    };
    let is_zero = text.starts_with('-') && text.chars().all(|letter| matches!(letter, '-' | '0' | '.'));
    if is_zero { text[1..].to_owned() } else { text.replace('-', "−") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(domain: [f64; 2], most: usize) -> Vec<String> {
        ticks(domain, most).labels
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels([0.0, 1.0], 6), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels([0.3, 9.7], 6), ["2", "4", "6", "8"]);
        assert_eq!(labels([-1.0, 1.0], 5), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels([0.0, 3e7], 4), ["0", "1e7", "2e7", "3e7"]);
        assert_eq!(labels([0.0, 3e-7], 4), ["0", "1e−7", "2e−7", "3e−7"]);
    }

    #[test]
    fn never_more_than_asked_for_and_all_inside() {
        for (i, &length) in [1e-9, 0.37, 1.0, 2.5, 99.0, 12_345.0].iter().enumerate() {
            let domain = [i as f64 * 0.1 * length, (i as f64 * 0.1 + 1.0) * length];
            for most in 2..10 {
                let ticks = ticks(domain, most);
                assert!(!ticks.values.is_empty() && ticks.values.len() <= most, "{domain:?} {most}");
                let slack = 1e-6 * length;
                assert!(ticks.values.iter().all(|v| (domain[0] - slack..=domain[1] + slack).contains(v)));
            }
        }
    }

    #[test]
    fn faulty_domains_have_no_ticks() {
        for domain in [[1.0, 1.0], [2.0, 1.0], [f64::NAN, 1.0], [f64::NEG_INFINITY, f64::INFINITY]] {
            assert!(ticks(domain, 5).values.is_empty());
        }
    }

    #[test]
    fn extents_have_room() {
        let close = |a: [f64; 2], b: [f64; 2]| assert!((a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-12);
        close(extent([1.0, 3.0, f64::NAN], 0.5), [0.0, 4.0]);
        close(extent([0.0, 0.0], 0.1), [-0.5, 0.5]);
        close(extent([], 0.1), [0.0, 1.0]);
        let [low, high] = extent([1e20, 1e20], 0.1);
        assert!(low < 1e20 && 1e20 < high);
    }

    #[test]
    fn upward_axes() {
        let scale = Linear { domain: [0.0, 10.0], range: [100.0, 0.0] };
        assert!((scale.at(2.5) - 75.0).abs() < 1e-12);
    }
}
