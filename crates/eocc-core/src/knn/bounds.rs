//! Neighbors by lower bounds: a pair whose bound exceeds the distance of the last neighbor found is not measured.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::KnnLists;
use super::brute::collect;
use crate::dissimilarity::{Dissimilarity, Nearest, Prepared, SearchCache};
use crate::error::{Error, ErrorKind, Result};
use crate::observer::{Observer, Progress};
use crate::parallel;
use crate::sample::Sample;

/// Samples on which the gain is measured.
const TRIAL_SAMPLES: usize = 24;
/// With fewer samples there is nothing to gain.
pub(crate) const MIN_SAMPLES: usize = 128;
/// The first of them, which end the trial if they measure more than this fraction.
const FIRST_TRIALS: usize = 4;
const MAX_SHARE_AT_FIRST: f64 = 0.7;
/// Maximum fraction of pairs worth measuring from both ends: a full matrix computes half of them.
const MAX_MEASURED_SHARE: f64 = 0.4;

/// Lists of the `width` nearest, if the measure has lower bounds and they save enough; `None` if not. The lists equal
/// those of brute force; the observer learns how many measurements were saved.
pub fn nearest_by_bounds<'s, S: ?Sized + Sample>(
    samples: &[&'s S],
    d: &dyn Dissimilarity<S>,
    width: usize,
    cache: &mut SearchCache<'s>,
    observer: &dyn Observer,
) -> Result<Option<KnnLists>> {
    let prepared = d.prepare_cached(samples, cache);
    if !bounds_spare_enough(samples, prepared.as_ref(), width) {
        return Ok(None);
    }
    let all: Vec<u32> = (0..samples.len() as u32).collect();
    lists_by_bounds(samples, prepared.as_ref(), &all, width, observer).map(Some)
}

/// The trials in an order in which the first are spread over all.
fn in_spread_order(t: usize) -> usize {
    let rounds = TRIAL_SAMPLES / FIRST_TRIALS;
    t % FIRST_TRIALS * rounds + t / FIRST_TRIALS
}

/// Whether bounds save most measurements when searching for the `width` nearest of a few prepared samples.
pub(crate) fn bounds_spare_enough<S: ?Sized + Sample>(
    samples: &[&S],
    prepared: &dyn Prepared<S>,
    width: usize,
) -> bool {
    let n = samples.len();
    if n < MIN_SAMPLES {
        return false;
    }
    let of_trial = |t: usize| {
        let i = t * n / TRIAL_SAMPLES;
        let among: Vec<u32> = (0..n as u32).filter(|j| *j as usize != i).collect();
        prepared.nearest(samples[i], &among, width).map(|found| found.measured)
    };
    // Some first, spread over all: where bounds spare hardly anything, more trials take as long as a part of the matrix.
    let (mut measured, mut tried) = (0, 0);
    for (some, most) in [(FIRST_TRIALS, MAX_SHARE_AT_FIRST), (TRIAL_SAMPLES, MAX_MEASURED_SHARE)] {
        let of_some = |t: usize| of_trial(in_spread_order(tried + t));
        let found: Option<Vec<usize>> = parallel::map(some - tried, 1, &of_some).into_iter().collect();
        let Some(found) = found else { return false };
        measured += found.into_iter().sum::<usize>();
        tried = some;
        if measured as f64 > most * (tried * (n - 1)) as f64 {
            return false;
        }
    }
    true
}

/// What the search for the `width` nearest `among` the prepared samples takes with bounds: how many are measured for each
/// sample, and the seconds, as means of a few; `None` if bounds do not spare enough.
pub(crate) fn work_by_bounds<S: ?Sized + Sample>(
    samples: &[&S],
    prepared: &dyn Prepared<S>,
    among: &[u32],
    width: usize,
) -> Option<(f64, f64)> {
    let (mut measured, mut seconds) = (0, 0.0);
    for t in 0..FIRST_TRIALS {
        let i = (2 * t + 1) * samples.len() / (2 * FIRST_TRIALS);
        let others: Vec<u32> = among.iter().copied().filter(|j| *j as usize != i).collect();
        let start = Instant::now();
        measured += prepared.nearest(samples[i], &others, width.min(others.len()))?.measured;
        seconds += start.elapsed().as_secs_f64();
    }
    let trials = FIRST_TRIALS as f64;
    let is_enough = measured as f64 <= MAX_MEASURED_SHARE * trials * samples.len() as f64;
    is_enough.then_some((measured as f64 / trials, seconds / trials))
}

/// For each of the prepared samples, the `width` nearest `among` them, itself excluded.
pub(crate) fn lists_by_bounds<S: ?Sized + Sample>(
    samples: &[&S],
    prepared: &dyn Prepared<S>,
    among: &[u32],
    width: usize,
    observer: &dyn Observer,
) -> Result<KnnLists> {
    let n = samples.len();
    let list = |i: usize| {
        let others: Vec<u32> = among.iter().copied().filter(|j| *j as usize != i).collect();
        prepared.nearest(samples[i], &others, width)
    };
    let done = AtomicUsize::new(0);
    let found: Vec<Nearest> = parallel::try_map(n, 4, &|i| {
        if observer.is_cancelled() {
            return Err(ErrorKind::Cancelled.into());
        }
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(64) {
            observer.progress(&Progress::Stage { name: "neighbors", done, total: n });
        }
        Ok(list(i).unwrap_or_default())
    })?;
    for (i, nearest) in found.iter().enumerate() {
        if let Some((j, value)) = nearest.found.iter().find(|(_, v)| !(v.is_finite() && *v >= 0.0)) {
            return Err(Error::input(format!(
                "the dissimilarity of samples {i} and {j} is {value}, but must be finite and not negative"
            )));
        }
    }
    let measured = found.iter().map(|n| n.measured).sum();
    observer.progress(&Progress::Spared { measured, pairs: n * among.len().saturating_sub(1) });
    let lists: Vec<_> = found.into_iter().map(|n| n.found).collect();
    Ok(collect(&lists, width))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::dissimilarity::{Dtw, Local};
    use crate::knn::nearest_of_rows;
    use crate::random::Random;
    use crate::sample::Series;

    #[derive(Default)]
    struct Counted(Mutex<(usize, usize)>);

    impl Observer for Counted {
        fn progress(&self, progress: &Progress<'_>) {
            if let Progress::Spared { measured, pairs } = progress {
                *self.0.lock().unwrap() = (*measured, *pairs);
            }
        }
    }

    #[test]
    fn bounds_give_the_lists_of_brute_force() {
        let mut r = Random::new(5);
        let series: Vec<Series> = (0..200)
            .map(|_| {
                // In tenths, so that distances tie.
                let level = (30.0 * r.normal()).round();
                let value = |r: &mut Random| (level + (2.0 * r.normal()).round()) / 10.0;
                Series::univariate((0..20).map(|_| value(&mut r)).collect()).unwrap()
            })
            .collect();
        let refs: Vec<&Series> = series.iter().collect();
        let d = Dtw::new(Local::Euclidean, None, false).unwrap();
        let counted = Counted::default();
        let lists =
            nearest_by_bounds(&refs, &d, 7, &mut SearchCache::default(), &counted).unwrap().expect("a gain");
        let (measured, pairs) = *counted.0.lock().unwrap();
        assert!(measured < pairs / 2 && pairs == 200 * 199);
        let prepared = (&d as &dyn Dissimilarity<Series>).prepare(&refs);
        assert_eq!(lists, nearest_of_rows(200, 7, |i, row| prepared.fill(refs[i], 0..200, row)));
    }
}
