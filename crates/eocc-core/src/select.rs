//! The smallest of many distances.

use crate::kernel;

/// Distances that are passed over together if none of them is small enough.
const CHUNK: usize = 32;
/// The same where one of some hundred is sought.
const FEW: usize = 8;

/// The `k` smallest of `distances` with their indices, by value and then by index, leaving out `skip`.
///
/// The smallest of each chunk are computed first: `k` chunks have one that is not above the `k`-th of these, so that what is
/// above is passed over, most chunks as a whole. There is room for a few times `k`, never for all.
pub fn nearest(distances: &[f64], k: usize, skip: Option<usize>) -> Vec<(u32, f64)> {
    if k == 0 {
        return Vec::new();
    }
    let mut smallest = vec![0.0; distances.len().div_ceil(CHUNK)];
    kernel::smallest_of_chunks::<CHUNK>(distances, &mut smallest);
    // One more, as the smallest of a chunk may be the one to leave out.
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
                // Indices ascend: of equal distances the first ones stay.
                limit = found.select_nth_unstable_by(k - 1, by_distance).1.1.next_down();
                found.truncate(k);
            }
        }
    }
    keep_smallest(&mut found, k);
    found
}

/// The indices of the `k` smallest of the sums of two rows, by value and then by index, leaving out `skip`. The smallest sum of each
/// chunk of `chunk` is known.
pub(crate) fn nearest_by_sums(
    a: &[f32],
    b: &[f32],
    chunk: usize,
    smallest: &[f32],
    k: usize,
    skip: Option<usize>,
) -> Vec<u32> {
    if k == 0 {
        return Vec::new();
    }
    let limit = kth_of_few(smallest, k - 1 + usize::from(skip.is_some()));
    let mut found: Vec<(u32, f32)> = Vec::with_capacity(4 * k);
    for (c, (a, b)) in a.chunks(chunk).zip(b.chunks(chunk)).enumerate() {
        if smallest[c] > limit {
            continue;
        }
        for (j, (x, y)) in (c * chunk..).zip(a.iter().zip(b)) {
            if x + y <= limit && Some(j) != skip {
                found.push((j as u32, x + y));
            }
        }
    }
    let by_sum = |a: &(u32, f32), b: &(u32, f32)| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0));
    if k < found.len() {
        found.select_nth_unstable_by(k, by_sum);
        found.truncate(k);
    }
    found.sort_unstable_by(by_sum);
    found.into_iter().map(|f| f.0).collect()
}

/// The `k`-th smallest value, counted from 0, where `k` is small; infinity if there are no more than `k`.
fn kth_of_few(values: &[f32], k: usize) -> f32 {
    let mut least = vec![f32::INFINITY; k + 1];
    for &value in values {
        if value < least[k] {
            let at = least.partition_point(|l| *l <= value);
            least[at..].rotate_right(1);
            least[at] = value;
        }
    }
    least[k]
}

/// The `k`-th smallest value, counted from 0; infinity if there are no more than `k`.
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

/// Cuts to the `k` smallest by (distance, index), and sorts those.
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
    fn the_smallest_sums_are_those_of_sorting_all() {
        let mut r = crate::random::Random::new(4);
        for (n, k) in [(1, 1), (5, 9), (40, 2), (1000, 12), (333, 0)] {
            let mut row = || (0..n).map(|_| (9.0 * r.uniform()).round() as f32).collect::<Vec<f32>>();
            let (a, b) = (row(), row());
            let mut all: Vec<u32> = (0..n as u32).filter(|j| *j != 7).collect();
            all.sort_by(|&i, &j| (a[i as usize] + b[i as usize]).total_cmp(&(a[j as usize] + b[j as usize])));
            all.truncate(k);
            let sums: Vec<f32> = a.iter().zip(&b).map(|(x, y)| x + y).collect();
            let least = |some: &[f32]| some.iter().copied().fold(f32::INFINITY, f32::min);
            let smallest: Vec<f32> = sums.chunks(16).map(least).collect();
            assert_eq!(nearest_by_sums(&a, &b, 16, &smallest, k, Some(7)), all, "{k} of {n}");
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
