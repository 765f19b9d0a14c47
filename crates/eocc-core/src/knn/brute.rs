//! Neighbors by brute force, for any dissimilarity.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::KnnLists;
use crate::error::{ErrorKind, Result};
use crate::observer::{Observer, Progress, Silent};
use crate::parallel;
use crate::select::nearest;

/// Lists of `n` points whose distances come row by row from `fill(i, row)`.
pub fn nearest_of_rows(n: usize, width: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> KnnLists {
    // It cannot be cancelled, so there always are lists.
    nearest_of_rows_watched(n, width, &Silent, fill).unwrap_or_default()
}

/// Like [`nearest_of_rows`], reporting to the observer; fails only if that cancels.
pub fn nearest_of_rows_watched(
    n: usize,
    width: usize,
    observer: &dyn Observer,
    fill: impl Fn(usize, &mut [f64]) + Sync,
) -> Result<KnnLists> {
    let done = AtomicUsize::new(0);
    let lists = parallel::try_map_with(n, 8, &|| vec![0.0; n], &|row, i| {
        if observer.is_cancelled() {
            return Err(ErrorKind::Cancelled.into());
        }
        fill(i, row);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(256) {
            observer.progress(&Progress::Stage { name: "neighbors", done, total: n });
        }
        Ok(nearest(row, width, Some(i)))
    });
    Ok(collect(&lists?, width))
}

pub(crate) fn collect(lists: &[Vec<(u32, f64)>], width: usize) -> KnnLists {
    let neighbors = lists.iter().flatten().map(|e| e.0).collect();
    let lengths = lists.iter().flatten().map(|e| e.1).collect();
    KnnLists::new(neighbors, lengths, width)
}
