//! Neighbours by way of lower bounds: a pair whose bound exceeds the distance of the last neighbour found is skipped.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::KnnLists;
use super::brute::{collect, keep_smallest};
use crate::dissimilarity::{Dissimilarity, Prepared};
use crate::error::{Error, ErrorKind, Result};
use crate::observer::{Observer, Progress};

/// Pairs that were spared, out of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skipped {
    /// Pairs that were not compared.
    pub skipped: u64,
    /// All pairs.
    pub pairs: u64,
}

impl Skipped {
    /// Adds up.
    pub fn add(&mut self, other: Self) {
        self.skipped += other.skipped;
        self.pairs += other.pairs;
    }
}

/// Samples compared at a time, between two looks at the bounds.
const BATCH: usize = 16;
/// Samples that the gain is tried out on.
const TRIED: usize = 24;
/// Below this many samples there is nothing to gain.
const FEWEST: usize = 128;
/// The largest share of pairs worth comparing one by one: of the whole matrix, half is computed.
const WORTH: f64 = 0.4;

/// Neighbours with their distances, and how many samples were compared to find them.
type Found = (Vec<(u32, f64)>, usize);

/// The `k` nearest of `one` among the prepared samples `0..n`, by distance and then by index, without `skip`; and how
/// many were compared. `None` if the measure has no lower bounds.
pub(crate) fn nearest_with_bounds<S: ?Sized>(
    one: &S,
    many: &dyn Prepared<S>,
    n: usize,
    k: usize,
    skip: Option<usize>,
) -> Option<Found> {
    let mut bounds = vec![0.0; n];
    if !many.lower_bounds(one, &mut bounds) {
        return None;
    }
    let mut order: Vec<usize> = (0..n).filter(|i| Some(*i) != skip).collect();
    order.sort_by(|&a, &b| bounds[a].total_cmp(&bounds[b]));
    let mut found: Vec<(u32, f64)> = Vec::with_capacity(k + BATCH);
    let mut values = [0.0; BATCH];
    let mut compared = 0;
    for batch in order.chunks(BATCH) {
        // Of equal distances the lower index counts: only a bound above the last one ends the search.
        if found.len() >= k && found.last().is_some_and(|last| bounds[batch[0]] > last.1) {
            break;
        }
        let values = &mut values[..batch.len()];
        many.fill_some(one, batch, values);
        compared += batch.len();
        found.extend(batch.iter().map(|&i| i as u32).zip(values.iter().copied()));
        keep_smallest(&mut found, k);
    }
    Some((found, compared))
}

/// Lists of the `width` nearest, where the measure has lower bounds and they spare enough; `None` if not. They are those
/// of brute force.
pub fn nearest_by_bounds<S: ?Sized + Sync>(
    samples: &[&S],
    d: &dyn Dissimilarity<S>,
    width: usize,
    observer: &dyn Observer,
) -> Result<Option<(KnnLists, Skipped)>> {
    let n = samples.len();
    if n < FEWEST {
        return Ok(None);
    }
    let prepared = d.prepare(samples);
    let list = |i: usize| nearest_with_bounds(samples[i], prepared.as_ref(), n, width, Some(i));
    let tried: Option<Vec<usize>> =
        (0..TRIED).into_par_iter().map(|t| list(t * n / TRIED).map(|found| found.1)).collect();
    let Some(tried) = tried else { return Ok(None) };
    if tried.iter().sum::<usize>() as f64 > WORTH * (TRIED * (n - 1)) as f64 {
        return Ok(None);
    }
    let done = AtomicUsize::new(0);
    let lists: Result<Vec<Found>> = (0..n)
        .into_par_iter()
        .with_max_len(8)
        .map(|i| {
            if observer.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            observer.progress(&Progress::Stage { name: "neighbours", done, total: n });
            Ok(list(i).unwrap_or_default())
        })
        .collect();
    let (lists, compared): (Vec<_>, Vec<usize>) = lists?.into_iter().unzip();
    for (i, list) in lists.iter().enumerate() {
        if let Some((j, value)) = list.iter().find(|(_, v)| !(v.is_finite() && *v >= 0.0)) {
            return Err(Error::input(format!(
                "the dissimilarity of samples {i} and {j} is {value}, but must be finite and not negative"
            )));
        }
    }
    let pairs = (n * (n - 1)) as u64;
    let skipped = pairs - compared.iter().map(|c| *c as u64).sum::<u64>();
    Ok(Some((collect(&lists, width), Skipped { skipped, pairs })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::Dtw;
    use crate::knn::nearest_of_rows;
    use crate::observer::Silent;
    use crate::random::Random;
    use crate::sample::Series;

    #[test]
    fn bounds_give_the_lists_of_brute_force() {
        let mut r = Random::new(5);
        let series: Vec<Series> = (0..200)
            .map(|_| {
                let level = (3.0 * r.normal()).round();
                Series::univariate((0..20).map(|_| level + r.normal().round()).collect()).unwrap()
            })
            .collect();
        let refs: Vec<&Series> = series.iter().collect();
        let d = Dtw::default();
        let (lists, skipped) = nearest_by_bounds(&refs, &d, 7, &Silent).unwrap().expect("a gain");
        assert!(skipped.skipped > skipped.pairs / 2 && skipped.pairs == 200 * 199);
        let prepared = d.prepare(&refs);
        assert_eq!(lists, nearest_of_rows(200, 7, |i, row| prepared.fill(refs[i], 0..200, row)));
    }
}
