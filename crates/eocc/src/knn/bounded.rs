//! Neighbours of samples whose dissimilarity has cheap lower bounds: what cannot be near is not measured.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::KnnLists;
use super::brute::collect;
use crate::dissimilarity::Prepared;
use crate::error::{ErrorKind, Result};
use crate::observer::{Observer, Progress};

/// Lists of `width` neighbours among `samples`, which `prepared` holds; `None` if it has no bounds. The lists are those of
/// measuring everything; how many measurements were spared goes to the observer.
pub fn nearest_by_bounds<S: ?Sized + Sync>(
    samples: &[&S],
    prepared: &dyn Prepared<S>,
    width: usize,
    observer: &dyn Observer,
) -> Result<Option<KnnLists>> {
    let n = samples.len();
    let done = AtomicUsize::new(0);
    let measured = AtomicUsize::new(0);
    let lists: Result<Vec<Option<Vec<(u32, f64)>>>> = (0..n)
        .into_par_iter()
        .map_init(
            || (0..n as u32).collect::<Vec<_>>(),
            |among, i| {
                if observer.is_cancelled() {
                    return Err(ErrorKind::Cancelled.into());
                }
                // All but the sample itself, in order; put back afterwards.
                among.remove(i);
                let nearest = prepared.nearest(samples[i], among, width);
                among.insert(i, i as u32);
                measured.fetch_add(nearest.as_ref().map_or(0, |n| n.measured), Ordering::Relaxed);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                if done.is_multiple_of(64) {
                    observer.progress(&Progress::Stage { name: "neighbours", done, total: n });
                }
                Ok(nearest.map(|n| n.found))
            },
        )
        .collect();
    let lists: Option<Vec<Vec<(u32, f64)>>> = lists?.into_iter().collect();
    Ok(lists.map(|lists| {
        let pairs = n * n.saturating_sub(1);
        observer.progress(&Progress::Spared { measured: measured.into_inner(), pairs });
        collect(&lists, width)
    }))
}
