//! Neighbours by looking at every distance: the plain way, for any dissimilarity.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::KnnLists;
use crate::error::{ErrorKind, Result};
use crate::observer::{Observer, Progress, Silent};

/// The `k` smallest of `distances` with their indices, by value and then by index, leaving out `skip`.
///
/// Once `k` are found, what is not below the largest of them is passed over: one comparison for nearly every distance,
/// and room for a few times `k` of them.
pub fn nearest(distances: &[f64], k: usize, skip: Option<usize>) -> Vec<(u32, f64)> {
    let room = 2 * k.max(16);
    let mut found: Vec<(u32, f64)> = Vec::with_capacity(room);
    let mut limit = None;
    for (j, &d) in distances.iter().enumerate() {
        // Indices ascend: of equal distances the first ones stay.
        if limit.is_some_and(|limit| d >= limit) || Some(j) == skip {
            continue;
        }
        found.push((j as u32, d));
        if found.len() == room {
            keep_smallest(&mut found, k);
            limit = found.last().map(|last| last.1);
        }
    }
    keep_smallest(&mut found, k);
    found
}

/// Cuts to the `k` smallest by (distance, index), and sorts those.
pub(crate) fn keep_smallest(found: &mut Vec<(u32, f64)>, k: usize) {
    let order = |a: &(u32, f64), b: &(u32, f64)| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0));
    if k < found.len() {
        found.select_nth_unstable_by(k, order);
        found.truncate(k);
    }
    found.sort_unstable_by(order);
}

/// Lists of `n` points whose distances come row by row from `fill(i, row)`.
pub fn nearest_of_rows(n: usize, width: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> KnnLists {
    // Nobody stops it: the lists are always there.
    nearest_of_rows_watched(n, width, &Silent, fill).unwrap_or_default()
}

/// The same, watched; fails only if the observer asks to stop.
pub fn nearest_of_rows_watched(
    n: usize,
    width: usize,
    observer: &dyn Observer,
    fill: impl Fn(usize, &mut [f64]) + Sync,
) -> Result<KnnLists> {
    let done = AtomicUsize::new(0);
    let lists: Result<Vec<Vec<(u32, f64)>>> = (0..n)
        .into_par_iter()
        .with_min_len(8)
        .map_init(
            || vec![0.0; n],
            |row, i| {
                if observer.is_cancelled() {
                    return Err(ErrorKind::Cancelled.into());
                }
                fill(i, row);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                if done.is_multiple_of(256) {
                    observer.progress(&Progress::Stage { name: "neighbours", done, total: n });
                }
                Ok(nearest(row, width, Some(i)))
            },
        )
        .collect();
    Ok(collect(&lists?, width))
}

pub(crate) fn collect(lists: &[Vec<(u32, f64)>], width: usize) -> KnnLists {
    let neighbors = lists.iter().flatten().map(|e| e.0).collect();
    let lengths = lists.iter().flatten().map(|e| e.1).collect();
    KnnLists::new(neighbors, lengths, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_by_index_and_self_is_left_out() {
        let d = [0.0, 1.0, 0.0, 1.0, 0.5];
        assert_eq!(nearest(&d, 3, Some(0)), [(2, 0.0), (4, 0.5), (1, 1.0)]);
        assert_eq!(nearest(&d, 9, None).len(), 5);
    }
}
