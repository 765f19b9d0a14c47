//! Distances in one view among the training samples, by the method that suits the measure.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::dissimilarity::{
    Dissimilarity, Elsewhere, Index, Prepared, Query, RowWork, RowsFound, SearchCache,
};
use crate::embedding::{MAX_WHOLE_MATRIX, embed_cached};
use crate::error::{ErrorKind, Result};
use crate::knn::{
    KnnLists, LandmarkIndex, bounds_spare_enough, check, choose, collect, even_landmarks, fill_column,
    landmarks, lists_by_bounds, near_and_far,
};
use crate::matrix::Matrix;
use crate::observer::{Observer, Progress};
use crate::parallel;
use crate::sample::Sample;
use crate::select::nearest;

/// Samples searched for together, before their lists are stored in place.
const CHUNK: usize = 1 << 14;
/// Minimum number of samples for which an index may pay off.
const MIN_INDEXED: usize = 1024;
/// Samples on which the gain of an index is measured.
const TRIALS: usize = 16;
/// Maximum fraction of the samples to examine: beyond it, a linear scan is faster.
const MAX_VISITED_SHARE: f64 = 0.3;

/// An index of samples, the first `counting` of which may be neighbors; `None` if a search examines all of them
/// anyway.
pub(super) fn index_if_worthwhile<S: ?Sized + Sample>(
    measure: &dyn Dissimilarity<S>,
    samples: &[&S],
    counting: usize,
    visits: usize,
) -> Option<Box<dyn Index<S>>> {
    if visits >= counting && counting < MIN_INDEXED {
        return None;
    }
    let index = measure.index(samples, counting);
    if visits < counting {
        let by_landmarks = || Box::new(LandmarkIndex::new(measure, samples, counting, visits)) as Box<_>;
        return Some(index.unwrap_or_else(by_landmarks));
    }
    let index = index?;
    let trial = |t: usize| {
        let query = Query { k: TRIALS, skip: None, visits: Query::ALL, close: 0.0 };
        index.nearest(samples[t * counting / TRIALS], &query).measured
    };
    let visited: usize = (0..TRIALS).map(trial).sum();
    (visited as f64 <= MAX_VISITED_SHARE * (TRIALS * counting) as f64).then_some(index)
}

/// Samples whose exact neighbors are computed to estimate recall, and how many neighbors of each.
const RECALL_SAMPLES: usize = 64;
const RECALLED: usize = 10;

/// A column slower than this is worth a round trip to other machines.
const ROUND_TRIP: Duration = Duration::from_millis(250);

/// Where distances come from.
enum Source<S: ?Sized> {
    /// All of them, computed once: for slow measures.
    Whole(Matrix),
    /// Row by row, on demand.
    Rows,
    /// By lower bounds; most are never measured.
    Bounds(Box<dyn Prepared<S>>),
}

/// One view of the training samples.
pub(super) struct Neighbors<'a, S: ?Sized> {
    samples: &'a [&'a S],
    measure: &'a dyn Dissimilarity<S>,
    source: Source<S>,
    /// How many samples a search may examine.
    visits: usize,
    observer: &'a dyn Observer,
}

impl<'a, S: ?Sized + Sample> Neighbors<'a, S> {
    /// Chooses the method; lists will be `width` wide, and a search may examine `visits` samples.
    pub(super) fn new(
        samples: &'a [&'a S],
        measure: &'a dyn Dissimilarity<S>,
        width: usize,
        visits: usize,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let n = samples.len();
        let by_bounds = || {
            let prepared = measure.has_bounds().then(|| measure.prepare(samples))?;
            bounds_spare_enough(samples, prepared.as_ref(), width).then_some(Source::Bounds(prepared))
        };
        let source = if measure.is_cheap_per_row() || visits < n || n.saturating_mul(n) > MAX_WHOLE_MATRIX {
            Source::Rows
        } else if let Some(bounds) = by_bounds() {
            bounds
        } else {
            let all: Vec<usize> = (0..n).collect();
            Source::Whole(embed_cached(samples, &all, measure, &mut SearchCache::default(), observer)?)
        };
        Ok(Self { samples, measure, source, visits, observer })
    }

    /// For each sample, the distance to its `k`-th nearest (counted from 0) of the samples `among`, itself excluded;
    /// and the `ring` nearest of them.
    pub(super) fn near_and_far(&self, among: &[u32], k: usize, ring: usize) -> Result<Vec<(f64, Vec<u32>)>> {
        let of_row = |row: &mut Vec<f64>, own: Option<usize>| {
            let (far, near) = near_and_far(row, own, k, ring);
            (far, near.into_iter().map(|at| among[at as usize]).collect())
        };
        let place = |i: usize| among.binary_search(&(i as u32)).ok();
        match &self.source {
            Source::Whole(matrix) => self.each("trimming", |i| {
                let mut row = among.iter().map(|j| matrix.row(i)[*j as usize]).collect();
                Ok(of_row(&mut row, place(i)))
            }),
            Source::Rows if self.elsewhere().is_some() => self.near_and_far_elsewhere(among, k, ring),
            Source::Rows => {
                let prepared = self.prepare(among);
                self.each("trimming", |i| {
                    let mut row = vec![0.0; among.len()];
                    prepared.fill(self.samples[i], 0..among.len(), &mut row);
                    check(i as u32, &row)?;
                    Ok(of_row(&mut row, place(i)))
                })
            }
            Source::Bounds(prepared) => self.each("trimming", |i| {
                let others: Vec<u32> = among.iter().copied().filter(|j| *j as usize != i).collect();
                let found = prepared.nearest(self.samples[i], &others, k + 1).unwrap_or_default().found;
                let far = found.get(k).or(found.last()).map_or(0.0, |f| f.1);
                Ok((far, found.iter().take(ring).map(|f| f.0).collect()))
            }),
        }
    }

    /// For each sample, the `width` nearest of the samples `among`, itself excluded; and the recall, estimated on
    /// some samples.
    pub(super) fn lists(&self, among: &[u32], width: usize) -> Result<(KnnLists, f64)> {
        if let Source::Rows = self.source {
            let some: Vec<&S> = among.iter().map(|&i| self.samples[i as usize]).collect();
            if let Some(elsewhere) = self.elsewhere().filter(|_| self.visits < some.len())
                && self.measure.index_width().is_none()
            {
                return self.lists_elsewhere(elsewhere, &some, among, width);
            }
            if let Some(index) = index_if_worthwhile(self.measure, &some, some.len(), self.visits) {
                let lists = self.lists_by_index(index.as_ref(), among, width)?;
                let recall =
                    if self.visits < among.len() { self.recall(index.as_ref(), among, &lists) } else { 1.0 };
                return Ok((lists, recall));
            }
        }
        let place = |i: usize| among.binary_search(&(i as u32)).ok();
        let named = |found: Vec<(u32, f64)>| {
            found.into_iter().map(|(at, d)| (among[at as usize], d)).collect::<Vec<_>>()
        };
        let lists = match &self.source {
            Source::Whole(matrix) => self.each("neighbors", |i| {
                let row: Vec<f64> = among.iter().map(|j| matrix.row(i)[*j as usize]).collect();
                Ok(named(nearest(&row, width, place(i))))
            })?,
            Source::Rows => {
                let prepared = self.prepare(among);
                self.each("neighbors", |i| {
                    let mut row = vec![0.0; among.len()];
                    prepared.fill(self.samples[i], 0..among.len(), &mut row);
                    check(i as u32, &row)?;
                    Ok(named(nearest(&row, width, place(i))))
                })?
            }
            Source::Bounds(prepared) => {
                let lists = lists_by_bounds(self.samples, prepared.as_ref(), among, width, self.observer)?;
                return Ok((lists, 1.0));
            }
        };
        Ok((collect(&lists, width), 1.0))
    }

    /// The lists, from an index of the samples `among`.
    fn lists_by_index(&self, index: &dyn Index<S>, among: &[u32], width: usize) -> Result<KnnLists> {
        let n = self.samples.len();
        let mut order: Vec<u32> = index.order().into_iter().map(|at| among[at as usize]).collect();
        order.extend((0..n as u32).filter(|i| among.binary_search(i).is_err()));
        let (mut neighbors, mut lengths) = (vec![0; n * width], vec![0.0; n * width]);
        let mut done = 0;
        for some in order.chunks(CHUNK) {
            let of_sample = |at: usize| {
                let i = some[at];
                if self.observer.is_cancelled() {
                    return Err(ErrorKind::Cancelled.into());
                }
                let skip = among.binary_search(&i).ok().map(|at| at as u32);
                let query = Query { k: width, skip, visits: self.visits, close: 0.0 };
                Ok(index.nearest(self.samples[i as usize], &query).found)
            };
            let found: Vec<Vec<(u32, f64)>> = parallel::try_map(some.len(), 64, &of_sample)?;
            for (&i, found) in some.iter().zip(found) {
                let i = i as usize;
                for (at, (place, distance)) in found.into_iter().enumerate() {
                    check(i as u32, &[distance])?;
                    neighbors[i * width + at] = among[place as usize];
                    lengths[i * width + at] = distance;
                }
            }
            done += some.len();
            self.observer.progress(&Progress::Stage { name: "neighbors", done, total: n });
        }
        Ok(KnnLists::new(neighbors, lengths, width))
    }

    /// The recall of the lists, estimated on some samples. Among equal distances, any neighbor counts.
    fn recall(&self, index: &dyn Index<S>, among: &[u32], lists: &KnnLists) -> f64 {
        let k = RECALLED.min(lists.width());
        let of_sample = |t: usize| {
            let at = t * among.len() / RECALL_SAMPLES;
            let i = among[at] as usize;
            let query = Query { k, skip: Some(at as u32), visits: Query::ALL, close: 0.0 };
            let exact = index.nearest(self.samples[i], &query).found;
            let last = exact.last().map_or(0.0, |f| f.1);
            lists.lengths(i, k).iter().filter(|l| **l <= last).count()
        };
        let found: usize = parallel::map(RECALL_SAMPLES, 1, &of_sample).into_iter().sum();
        found as f64 / (RECALL_SAMPLES * k) as f64
    }

    /// The machines that search instead, if any.
    fn elsewhere(&self) -> Option<&dyn Elsewhere> {
        self.measure.elsewhere(self.samples.len())
    }

    fn near_and_far_elsewhere(&self, among: &[u32], k: usize, ring: usize) -> Result<Vec<(f64, Vec<u32>)>> {
        let Some(elsewhere) = self.elsewhere() else { return Ok(Vec::new()) };
        let work = RowWork::NearAndFar { among: among.to_vec(), k, ring };
        let RowsFound { indices, numbers } = elsewhere.rows(&work, None)?;
        let ring_of = |i: usize| indices[i * ring..(i + 1) * ring].to_vec();
        Ok(numbers.into_iter().enumerate().map(|(i, far)| (far, ring_of(i))).collect())
    }

    /// The lists by landmarks, identical to those of a local index: points and searches are computed elsewhere.
    fn lists_elsewhere(
        &self,
        elsewhere: &dyn Elsewhere,
        some: &[&S],
        among: &[u32],
        width: usize,
    ) -> Result<(KnnLists, f64)> {
        let count = landmarks(self.visits).min(some.len());
        let even = even_landmarks(some.len(), count);
        let of = even.iter().map(|&at| among[at]).collect();
        let known = elsewhere.rows(&RowWork::Columns { of }, Some(among))?.numbers;
        let prepared = self.measure.prepare(some);
        // Each of the other landmarks depends on the previous ones, so they are computed one by one; locally, if a
        // round trip takes longer.
        let (mut asked, mut is_slow) = (0, None);
        let column = |landmark: usize, out: &mut [f64]| {
            if self.observer.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            if asked < even.len() {
                let values = known[asked..].iter().step_by(even.len());
                out.iter_mut().zip(values).for_each(|(out, value)| *out = *value);
            } else if is_slow == Some(true) {
                let work = RowWork::Columns { of: vec![among[landmark]] };
                out.copy_from_slice(&elsewhere.rows(&work, Some(among))?.numbers);
            } else {
                let start = Instant::now();
                fill_column(prepared.as_ref(), some[landmark], out);
                is_slow.get_or_insert(start.elapsed() > ROUND_TRIP);
            }
            asked += 1;
            Ok(())
        };
        let (landmarks, points) = choose(some.len(), some.len(), count, column)?;
        let (among, visits) = (among.to_vec(), self.visits);
        let mut work = RowWork::Nearest { among, landmarks, points, k: width, visits };
        let RowsFound { indices, numbers } = elsewhere.rows(&work, None)?;
        let lists = KnnLists::new(indices, numbers, width);
        // The recall is measured against an exhaustive search.
        let recalled = RECALLED.min(width);
        let RowWork::Nearest { among, k, visits, .. } = &mut work else { return Ok((lists, 1.0)) };
        (*k, *visits) = (recalled, Query::ALL);
        let tried: Vec<u32> = (0..RECALL_SAMPLES).map(|t| among[t * among.len() / RECALL_SAMPLES]).collect();
        let exact = elsewhere.rows(&work, Some(&tried))?.numbers;
        let found = tried.iter().zip(exact.chunks_exact(recalled)).map(|(&i, exact)| {
            let last = exact.last().copied().unwrap_or(0.0);
            lists.lengths(i as usize, recalled).iter().filter(|l| **l <= last).count()
        });
        let recall = found.sum::<usize>() as f64 / (RECALL_SAMPLES * recalled) as f64;
        Ok((lists, recall))
    }

    fn prepare(&self, among: &[u32]) -> Box<dyn Prepared<S>> {
        let some: Vec<&S> = among.iter().map(|&i| self.samples[i as usize]).collect();
        self.measure.prepare(&some)
    }

    /// Computes a value for each sample, reporting to the observer.
    fn each<T: Send>(&self, name: &'static str, of: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
        let (n, done) = (self.samples.len(), AtomicUsize::new(0));
        let watched = |i: usize| {
            if self.observer.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(1024) {
                self.observer.progress(&Progress::Stage { name, done, total: n });
            }
            of(i)
        };
        parallel::try_map(n, 8, &watched)
    }
}
