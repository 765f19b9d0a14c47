//! Percentile with linear interpolation, like the default of `numpy.percentile` `[LA17, eq. 10]`.

/// The `l`-th percentile: with the `n` values sorted, the value at the fractional position `(n - 1) l / 100`.
///
/// Between neighbors `a <= b` at fraction `s` this is `a + (b - a) s`, computed from `b` backwards for `s >= 1/2`, as
/// in NumPy, so that both ends are exact.
///
/// # Panics
/// If there are no values, or `l` is not in `[0, 100]`.
pub fn percentile(values: &[f64], l: f64) -> f64 {
    assert!(!values.is_empty(), "no values");
    assert!((0.0..=100.0).contains(&l), "percentile is {l}, but must be in 0..=100");
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = (sorted.len() - 1) as f64 * (l / 100.0);
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let (a, b, s) = (sorted[below], sorted[above], position - position.floor());
    if s < 0.5 { a + (b - a) * s } else { b - (b - a) * (1.0 - s) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-14, "{a} {b}");
    }

    #[test]
    fn median_of_odd_and_even() {
        close(percentile(&[3.0, 1.0, 2.0], 50.0), 2.0);
        close(percentile(&[4.0, 1.0, 2.0, 3.0], 50.0), 2.5);
    }

    #[test]
    fn ends_and_between() {
        let values = [10.0, 20.0, 40.0];
        close(percentile(&values, 0.0), 10.0);
        close(percentile(&values, 100.0), 40.0);
        close(percentile(&values, 20.0), 14.0); // position 0.4
        close(percentile(&values, 90.0), 36.0); // position 1.8
        close(percentile(&[7.0], 33.0), 7.0);
    }
}
