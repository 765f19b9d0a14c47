//! The smallest of many distances.

use crate::kernel;
use crate::sorted::key;

/// Distances that are skipped together if none of them is small enough.
const CHUNK: usize = 32;
/// The size of a chunk when only a few hundred are searched.
const SMALL_CHUNK: usize = 8;
/// Up to this many are sorted without allocating.
const MAX_SORTED_ON_STACK: usize = 64;
/// Up to this many are searched at once, in a buffer that holds all of them.
const AT_ONCE: usize = 1 << 10;

/// The `k` smallest of `distances` with their indices, by value and then by index, excluding `skip`.
///
/// The minimum of each chunk is computed first. The `k`-th smallest of these minima is an upper bound, so everything
/// above it is skipped, most chunks as a whole. The buffer holds a few times `k` entries, never all.
pub fn nearest(distances: &[f64], k: usize, skip: Option<usize>) -> Vec<(u32, f64)> {
    if k == 0 {
        return Vec::new();
    }
    if distances.len() <= AT_ONCE {
        let mut buffer =
            NearestBuffer { keys: Vec::with_capacity(2 * k.min(AT_ONCE)), found: Vec::with_capacity(k) };
        nearest_of_few(&mut buffer, distances, k, skip);
        return buffer.found;
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

/// Memory that [`nearest_in`] reuses.
#[derive(Debug, Default)]
pub(crate) struct NearestBuffer {
    keys: Vec<u64>,
    /// The distances found, smallest first.
    pub(crate) found: Vec<(u32, f64)>,
}

/// Like [`nearest`], working in `buffer`.
pub(crate) fn nearest_in(buffer: &mut NearestBuffer, distances: &[f64], k: usize, skip: Option<usize>) {
    buffer.found.clear();
    if distances.len() > AT_ONCE || k == 0 {
        buffer.found.extend(nearest(distances, k, skip));
    } else {
        nearest_of_few(buffer, distances, k, skip);
    }
}

/// Like [`nearest_in`], for at most [`AT_ONCE`]: in smaller chunks, and sorted as integers.
fn nearest_of_few(buffer: &mut NearestBuffer, distances: &[f64], k: usize, skip: Option<usize>) {
    let mut smallest = [0.0; AT_ONCE / SMALL_CHUNK];
    let smallest = &mut smallest[..distances.len().div_ceil(SMALL_CHUNK)];
    kernel::smallest_of_chunks::<SMALL_CHUNK>(distances, smallest);
    let wanted = k + usize::from(skip.is_some());
    // Any limit will do that at least `wanted` distances do not exceed, and few more.
    let limit = if wanted <= smallest.len() { kernel::bound_of(smallest, wanted) } else { f64::INFINITY };
    let keys = &mut buffer.keys;
    keys.clear();
    kernel::each_not_above(distances, limit, &mut |i| {
        if Some(i) != skip {
            keys.push(key(distances[i]) & !(AT_ONCE as u64 - 1) | i as u64);
        }
    });
    keys.sort_unstable();
    // In the order of all but the last bits of the distances, which the indices have taken.
    let of_key = |key: &u64| (*key as usize & (AT_ONCE - 1)) as u32;
    buffer.found.extend(keys.iter().map(|key| (of_key(key), distances[of_key(key) as usize])));
    restore_order(&mut buffer.found);
    buffer.found.truncate(k);
}

/// Sorts by distance and then by index what hardly is out of order.
fn restore_order(found: &mut [(u32, f64)]) {
    for i in 1..found.len() {
        let mut at = i;
        while at > 0 && by_distance(&found[at - 1], &found[at]).is_gt() {
            found.swap(at - 1, at);
            at -= 1;
        }
    }
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
    let mut smallest = vec![0.0; values.len().div_ceil(SMALL_CHUNK)];
    kernel::smallest_of_chunks::<SMALL_CHUNK>(values, &mut smallest);
    let mut limit = f64::INFINITY;
    if k < smallest.len() {
        limit = *smallest.select_nth_unstable_by(k, f64::total_cmp).1;
    }
    let mut near: Vec<f64> = values.iter().copied().filter(|v| *v <= limit).collect();
    *near.select_nth_unstable_by(k, f64::total_cmp).1
}

/// The `k`-th smallest value, counted from 0, and the indices of the `count` smallest, by value and then by index,
/// excluding `skip`, which counts as infinite.
pub(crate) fn kth_and_nearest(
    values: &mut [f64],
    k: usize,
    count: usize,
    skip: Option<usize>,
) -> (f64, Vec<u32>) {
    if let Some(skip) = skip {
        values[skip] = f64::INFINITY;
    }
    let indices = |found: Vec<(u32, f64)>| found.into_iter().map(|found| found.0).collect();
    let mut smallest = vec![0.0; values.len().div_ceil(SMALL_CHUNK)];
    kernel::smallest_of_chunks::<SMALL_CHUNK>(values, &mut smallest);
    if k >= smallest.len() || count > k {
        let near = indices(nearest(values, count, skip));
        return (kth_smallest(values, k), near);
    }
    // The first ones are among those up to the `k`-th, and with all of these at hand need no pass of their own.
    let limit = *smallest.select_nth_unstable_by(k, f64::total_cmp).1;
    let mut near: Vec<(u32, f64)> = Vec::with_capacity(4 * k);
    near.extend((0..).zip(values.iter().copied()).filter(|near| near.1 <= limit));
    let kth = near.select_nth_unstable_by(k, by_distance).1.1;
    near.truncate(k);
    near.retain(|near| Some(near.0 as usize) != skip);
    keep_smallest(&mut near, count);
    (kth, indices(near))
}

pub(crate) fn by_distance(a: &(u32, f64), b: &(u32, f64)) -> std::cmp::Ordering {
    a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))
}

/// Sorts by distance and then by index; as integers, which is faster.
pub(crate) fn sort_by_distance(found: &mut [(u32, f64)]) {
    if found.len() > AT_ONCE {
        return found.sort_unstable_by(by_distance);
    }
    let place = AT_ONCE as u64 - 1;
    let mut few = ([0; MAX_SORTED_ON_STACK], [(0, 0.0); MAX_SORTED_ON_STACK]);
    let mut many = (Vec::new(), Vec::new());
    let (keys, sorted) = if found.len() <= MAX_SORTED_ON_STACK {
        (&mut few.0[..found.len()], &mut few.1[..found.len()])
    } else {
        many.0.resize(found.len(), 0);
        many.1.resize(found.len(), (0, 0.0));
        (many.0.as_mut_slice(), many.1.as_mut_slice())
    };
    for (i, (to, f)) in (0..).zip(keys.iter_mut().zip(&*found)) {
        *to = key(f.1) & !place | i;
    }
    keys.sort_unstable();
    for (to, key) in sorted.iter_mut().zip(&*keys) {
        *to = found[(key & place) as usize];
    }
    found.copy_from_slice(sorted);
    restore_order(found);
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
    use crate::random::Random;

    #[test]
    fn one_pass_finds_what_two_find() {
        let mut r = Random::new(12);
        for n in [1, 2, 30, 512, 700] {
            for k in [0, 1, 9, 10, 11, 51, 200] {
                let mut values: Vec<f64> = (0..n).map(|_| r.normal().abs()).collect();
                // Half of the time with ties.
                if k % 2 == 1 {
                    for v in &mut values {
                        *v = (4.0 * *v).round();
                    }
                }
                let skip = Some(r.below(n)).filter(|_| r.below(3) > 0);
                if let Some(skip) = skip {
                    values[skip] = f64::INFINITY;
                }
                let near: Vec<u32> = nearest(&values, 10, skip).into_iter().map(|near| near.0).collect();
                let kth = kth_smallest(&values, k);
                let found = kth_and_nearest(&mut values, k, 10, skip);
                assert_eq!((found.0.to_bits(), found.1), (kth.to_bits(), near), "{n} {k} {skip:?}");
            }
        }
    }

    #[test]
    fn the_nearest_are_those_of_sorting_all() {
        let mut r = crate::random::Random::new(3);
        for (n, k) in
            [(0, 0), (1, 1), (5, 9), (40, 1), (1000, 10), (1000, 40), (333, 0), (513, 33), (3000, 10)]
        {
            // In tenths, so that they tie; some below zero, some apart by the last bits only.
            let near = |v: f64, i: usize| if i.is_multiple_of(3) { v + v * 1e-15 } else { v };
            let distances: Vec<f64> =
                (0..n).map(|i| near((30.0 * r.uniform() - 1.0).round() / 10.0, i)).collect();
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
    fn integers_sort_as_distances_do() {
        let mut r = crate::random::Random::new(5);
        for n in [0, 1, 2, 30, 200] {
            let mut found: Vec<(u32, f64)> = (0..n).map(|i| (n - i, (2.0 * r.normal()).round())).collect();
            found.extend([(9, f64::INFINITY), (8, -0.0), (7, 0.0), (6, f64::NEG_INFINITY), (5, 1e-310)]);
            let mut wanted = found.clone();
            wanted.sort_by(by_distance);
            sort_by_distance(&mut found);
            let bits = |all: &[(u32, f64)]| all.iter().map(|f| (f.0, f.1.to_bits())).collect::<Vec<_>>();
            assert_eq!(bits(&found), bits(&wanted));
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
