//! Sorted numbers for frequent lookups.

use std::ops::Deref;

/// Numbers per group: two cache lines.
const GROUP: usize = 16;
/// Minimum count for which groups pay off.
const MIN_GROUPED: usize = 1 << 7;

/// Numbers, ascending. If there are many, the first of each group is stored separately, the first of each group of
/// those again, and so on: a search scans one group per level, so it waits for memory once per level instead of once
/// per bisection.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sorted {
    all: Vec<f64>,
    /// The first numbers of groups, smallest level first.
    levels: Vec<Vec<f64>>,
}

impl Sorted {
    /// From numbers in any order, none of them NaN.
    pub(crate) fn new(mut numbers: Vec<f64>) -> Self {
        // As integers in the same order, which sort faster.
        let mut keys: Vec<u64> = numbers.iter().map(|v| key(*v)).collect();
        keys.sort_unstable();
        numbers.iter_mut().zip(keys).for_each(|(v, key)| *v = of_key(key));
        let mut levels: Vec<Vec<f64>> = Vec::new();
        if numbers.len() >= MIN_GROUPED {
            while let below = levels.last().unwrap_or(&numbers)
                && below.len() > GROUP
            {
                let first = below.iter().step_by(GROUP).copied().collect();
                levels.push(first);
            }
        }
        levels.reverse();
        Self { all: numbers, levels }
    }

    /// How many are below `x`.
    pub(crate) fn below(&self, x: f64) -> usize {
        if self.levels.is_empty() {
            return self.all.partition_point(|v| *v < x);
        }
        let mut start = 0;
        for level in self.levels.iter().chain([&self.all]) {
            let below = |group: &[f64]| group.iter().filter(|v| **v < x).count();
            let rest = &level[start..];
            let count = rest.first_chunk::<GROUP>().map_or_else(|| below(rest), |group| below(group));
            let Some(last) = (start + count).checked_sub(1) else { return 0 };
            // The result lies in the group of the last one below.
            start = last * GROUP;
        }
        start / GROUP + 1
    }
}

/// An integer in the order of numbers, which is that of [`f64::total_cmp`].
pub(crate) fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    // Below zero the order of all bits but the sign turns around.
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The number of a key.
fn of_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

impl Deref for Sorted {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn integers_sort_as_numbers_do() {
        let mut r = Random::new(9);
        let ends = [f64::NEG_INFINITY, -f64::MAX, -1e-310, -0.0, 0.0, 1e-310, f64::INFINITY];
        let numbers: Vec<f64> = (0..200).map(|_| (3.0 * r.normal()).round()).chain(ends).collect();
        let mut wanted = numbers.clone();
        wanted.sort_by(f64::total_cmp);
        let bits = |all: &[f64]| all.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&Sorted::new(numbers)), bits(&wanted));
    }

    #[test]
    fn as_many_are_below_as_a_search_of_all_finds() {
        let mut r = Random::new(8);
        for n in [0, 1, 300, MIN_GROUPED, MIN_GROUPED + 1, 20_000, 70_000] {
            // In hundredths, so that they tie.
            let sorted = Sorted::new((0..n).map(|_| (500.0 * r.normal()).round() / 100.0).collect());
            assert_eq!(sorted.levels.is_empty(), n < MIN_GROUPED);
            let ends = [f64::NEG_INFINITY, -1e9, 1e9, f64::INFINITY];
            for x in sorted.iter().copied().step_by(37).chain(ends).flat_map(|x| [x, x + 0.004]) {
                assert_eq!(sorted.below(x), sorted.partition_point(|v| *v < x), "{x} among {n}");
            }
        }
    }
}
