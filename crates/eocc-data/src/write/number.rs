//! Numbers as text.

/// The fewest digits that parse back to the same bits, in exponent form if the plain form would be long.
pub(crate) fn number_text(value: f64) -> String {
    let size = value.abs();
    if size.to_bits() == 0 || (1e-5..1e16).contains(&size) || !value.is_finite() {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_short_and_exact() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.1, "0.1"),
            (1e-5, "0.00001"),
            (1e-6, "1e-6"),
            (1e16, "1e16"),
            (f64::MAX, "1.7976931348623157e308"),
            (5e-324, "5e-324"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number_text(value), text);
        }
    }
}
