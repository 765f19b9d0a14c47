//! What can be said of a set of samples before anything is learned.

use std::collections::HashSet;
use std::hash::Hash;

/// How many keys equal an earlier one.
pub(super) fn duplicates<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> usize {
    let mut seen = HashSet::new();
    keys.map(|key| usize::from(!seen.insert(key))).sum()
}

/// Numbers as a key; zeros of both signs are equal.
pub(super) fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| (v + 0.0).to_bits()).collect()
}
