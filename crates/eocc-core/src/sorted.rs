//! Sorted numbers that are looked up often.

use std::ops::Deref;

/// Every so many numbers one stands apart.
const STEP: usize = 256;
/// Fewest numbers for which that pays.
const MIN_STEPPED: usize = 1 << 14;

/// Numbers, ascending. Of many, some stand apart: those are searched first, and then a part of all so small that memory is
/// read in one place.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sorted {
    all: Vec<f64>,
    apart: Vec<f64>,
}

impl Sorted {
    /// From numbers in any order, none of them NaN.
    pub(crate) fn new(mut numbers: Vec<f64>) -> Self {
        numbers.sort_unstable_by(f64::total_cmp);
        let apart = if numbers.len() < MIN_STEPPED { &[] } else { numbers.as_slice() };
        let apart = apart.iter().step_by(STEP).copied().collect();
        Self { all: numbers, apart }
    }

    /// How many are below `x`.
    pub(crate) fn below(&self, x: f64) -> usize {
        if self.apart.is_empty() {
            return self.all.partition_point(|v| *v < x);
        }
        // The last that stands apart and is below: what is sought lies after it, before the next.
        let Some(last) = self.apart.partition_point(|v| *v < x).checked_sub(1) else { return 0 };
        let start = last * STEP;
        let some = &self.all[start..(start + STEP).min(self.all.len())];
        start + some.partition_point(|v| *v < x)
    }
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
    fn as_many_are_below_as_a_search_of_all_finds() {
        let mut r = Random::new(8);
        for n in [0, 1, 300, MIN_STEPPED, MIN_STEPPED + 1, 20_000] {
            // In hundredths, so that they tie.
            let sorted = Sorted::new((0..n).map(|_| (500.0 * r.normal()).round() / 100.0).collect());
            assert_eq!(sorted.apart.is_empty(), n < MIN_STEPPED);
            let ends = [f64::NEG_INFINITY, -1e9, 1e9, f64::INFINITY];
            for x in sorted.iter().copied().step_by(37).chain(ends).flat_map(|x| [x, x + 0.004]) {
                assert_eq!(sorted.below(x), sorted.partition_point(|v| *v < x), "{x} among {n}");
            }
        }
    }
}
