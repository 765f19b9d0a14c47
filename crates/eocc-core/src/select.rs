//! The smallest of many distances.

use crate::kernel;

/// Distances that are skipped together if none of them is small enough.
const CHUNK: usize = 32;
/// The same when only a few hundred are searched.
const FEW: usize = 8;

/// The `k` smallest of `distances` with their indices, by value and then by index, excluding `skip`.
///
/// The minimum of each chunk is computed first. The `k`-th smallest of these minima is an upper bound, so everything
/// above it is skipped, most chunks as a whole. The buffer holds a few times `k` entries, never all.
pub fn nearest(distances: &[f64], k: usize, skip: Option<usize>) -> Vec<(u32, f64)> {
    if k == 0 {
        return Vec::new();
    }
    let mut smallest = vec![0.0; distances.len().div_ceil(CHUNK)];
    kernel::smallest_of_chunks::<CHUNK>(distances, &mut smallest);
    // One more, as the minimum of a chunk may be the one to exclude.
    let last = k - 1 + usize::from(skip.is_some());
    let mut limit = f64::INFINITY;
    if last < smallest.len() {
        limit = *smallest.clone().select_nth_unstable_by(last, f64::total_cmp).1;
    }
    let room = 2 * k.max(16);
    let mut found: Vec<(u32, f64)> = Vec::with_capacity(room);
    for (c, chunk) in distances.chunks(CHUNK).enumerate() {
        if smallest[c] > limit {
            continue;
        }
        for (j, &d) in (c * CHUNK..).zip(chunk) {
            if d > limit || Some(j) == skip {
                continue;
            }
            found.push((j as u32, d));
            if found.len() == room {
                // Indices ascend, so ties are broken by index.
                limit = found.select_nth_unstable_by(k - 1, by_distance).1.1.next_down();
                found.truncate(k);
            }
        }
    }
    keep_smallest(&mut found, k);
    found
}

/// The `k` smallest of many values that arrive in index order, by value and then by index. For small `k`.
#[derive(Debug, Clone)]
pub(crate) struct Smallest {
    k: usize,
    /// Ascending.
    found: Vec<(f32, u32)>,
}

impl Smallest {
    pub(crate) fn new(k: usize) -> Self {
        Self { k, found: Vec::with_capacity(k + 1) }
    }

    /// A value must be below this to be one of them.
    pub(crate) fn limit(&self) -> f32 {
        if self.found.len() < self.k { f32::INFINITY } else { self.found.last().map_or(0.0, |f| f.0) }
    }

    pub(crate) fn add(&mut self, index: u32, value: f32) {
        if value < self.limit() {
            if self.found.len() == self.k {
                self.found.pop();
            }
            let mut at = self.found.len();
            self.found.push((value, index));
            while at > 0 && self.found[at - 1].0 > value {
                self.found[at] = self.found[at - 1];
                at -= 1;
            }
            self.found[at] = (value, index);
        }
    }

    /// Their indices.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> {
        self.found.iter().map(|f| f.1)
    }
}

/// The `k`-th smallest value, counted from 0; infinity if there are at most `k`.
pub(crate) fn kth_smallest(values: &[f64], k: usize) -> f64 {
    if k >= values.len() {
        return f64::INFINITY;
    }
    let mut smallest = vec![0.0; values.len().div_ceil(FEW)];
    kernel::smallest_of_chunks::<FEW>(values, &mut smallest);
    let mut limit = f64::INFINITY;
    if k < smallest.len() {
        limit = *smallest.select_nth_unstable_by(k, f64::total_cmp).1;
    }
    let mut near: Vec<f64> = values.iter().copied().filter(|v| *v <= limit).collect();
    *near.select_nth_unstable_by(k, f64::total_cmp).1
}

pub(crate) fn by_distance(a: &(u32, f64), b: &(u32, f64)) -> std::cmp::Ordering {
    a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))
}

/// Truncates to the `k` smallest by (distance, index), and sorts those.
pub(crate) fn keep_smallest(found: &mut Vec<(u32, f64)>, k: usize) {
    if k < found.len() {
        found.select_nth_unstable_by(k, by_distance);
        found.truncate(k);
    }
    found.sort_unstable_by(by_distance);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_those_of_sorting_all() {
        let mut r = crate::random::Random::new(3);
        for (n, k) in [(0, 0), (1, 1), (5, 9), (40, 1), (1000, 10), (1000, 40), (333, 0)] {
            // In tenths, so that they tie.
            let distances: Vec<f64> = (0..n).map(|_| (30.0 * r.uniform()).round() / 10.0).collect();
            let mut all: Vec<(u32, f64)> = (0..).zip(distances.iter().copied()).collect();
            all.sort_by(by_distance);
            all.retain(|(j, _)| *j != 7);
            all.truncate(k);
            let found = nearest(&distances, k, Some(7));
            assert_eq!(found, all, "{k} of {n}");
            assert!(found.capacity() <= 2 * k.max(16), "room for all of them: {}", found.capacity());
        }
    }

    #[test]
    fn the_smallest_are_those_of_sorting_all() {
        let mut r = crate::random::Random::new(4);
        for (n, k) in [(1, 1), (5, 9), (40, 2), (1000, 12), (333, 0)] {
            let values: Vec<f32> = (0..n).map(|_| (9.0 * r.uniform()).round() as f32).collect();
            let mut all: Vec<u32> = (0..n as u32).collect();
            all.sort_by(|&i, &j| values[i as usize].total_cmp(&values[j as usize]));
            all.truncate(k);
            let mut smallest = Smallest::new(k);
            values.iter().zip(0..).for_each(|(value, i)| smallest.add(i, *value));
            assert_eq!(smallest.indices().collect::<Vec<_>>(), all, "{k} of {n}");
        }
    }

    #[test]
    fn ties_go_by_index_and_self_is_left_out() {
        let d = [0.0, 1.0, 0.0, 1.0, 0.5];
        assert_eq!(nearest(&d, 3, Some(0)), [(2, 0.0), (4, 0.5), (1, 1.0)]);
        assert_eq!(nearest(&d, 9, None).len(), 5);
    }

    #[test]
    fn the_kth_smallest_is_that_of_all_sorted() {
        let mut r = crate::random::Random::new(11);
        for n in [1, 7, 8, 100, 513] {
            let values: Vec<f64> = (0..n).map(|_| (3.0 * r.normal()).round().abs()).collect();
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            for k in (0..n).step_by(1 + n / 20) {
                assert_eq!(kth_smallest(&values, k).to_bits(), sorted[k].to_bits(), "{k} of {n}");
            }
            assert!(kth_smallest(&values, n).is_infinite());
        }
    }
}
