//! Neighbours of samples whose dissimilarity has cheap lower bounds: what cannot be near is not measured.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::KnnLists;
use super::brute::collect;
use crate::dissimilarity::{Nearest, Prepared};
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
    let found: Result<Vec<Option<Nearest>>> = (0..n)
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
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                if done.is_multiple_of(64) {
                    observer.progress(&Progress::Stage { name: "neighbours", done, total: n });
                }
                Ok(nearest)
            },
        )
        .collect();
    let found: Option<Vec<Nearest>> = found?.into_iter().collect();
    Ok(found.map(|found| {
        let measured = found.iter().map(|n| n.measured).sum();
        let lists: Vec<_> = found.into_iter().map(|n| n.found).collect();
        observer.progress(&Progress::Spared { measured, pairs: n * n.saturating_sub(1) });
        collect(&lists, width)
    }))
}
