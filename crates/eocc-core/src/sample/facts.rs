//! Properties of a set of samples before anything is learned.

use std::collections::HashSet;
use std::hash::Hash;

use crate::random::{fnv1a, mix};

/// How many keys equal an earlier one.
pub(super) fn duplicates<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> usize {
    let mut seen = HashSet::new();
    keys.map(|key| usize::from(!seen.insert(key))).sum()
}

/// Numbers as a key; zeros of both signs are equal.
pub(super) fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| (v + 0.0).to_bits()).collect()
}

/// The hash of a text.
pub(super) fn hash_of_text(text: &str) -> u64 {
    mix(fnv1a(text.as_bytes()))
}

/// The hash of some numbers in any order.
pub(super) fn hash_of_set(values: &[f64]) -> u64 {
    values.iter().map(|v| mix(coarse(*v))).fold(0, u64::wrapping_add)
}

/// The hash of some numbers in this order.
pub(super) fn hash_of_list(values: &[f64]) -> u64 {
    values.iter().fold(0, |hash, v| mix(hash ^ coarse(*v)))
}

/// The bits of a number rounded to the digits of single precision, at any magnitude; the same for all missing values.
fn coarse(value: f64) -> u64 {
    const SPARE: u32 = f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS;
    if value.is_nan() {
        return u64::MAX;
    }
    ((value + 0.0).to_bits() + (1 << (SPARE - 1))) >> SPARE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_go_by_content() {
        let values = [0.1, -3.75, 1e200, 0.0, f64::NAN];
        let rounded = [f64::from(0.1_f32), -3.75, 1e200 * (1.0 + 1e-15), -0.0, f64::NAN];
        assert_eq!(hash_of_list(&values), hash_of_list(&rounded));
        assert_eq!(hash_of_set(&values), hash_of_set(&[-3.75, f64::NAN, 0.1, 0.0, 1e200]));
        assert_ne!(hash_of_list(&values[..2]), hash_of_list(&[-3.75, 0.1]));
        assert_ne!(hash_of_set(&values), hash_of_set(&[0.1, -3.75, 1e200, 1.0, f64::NAN]));
    }
}
