//! Distances in one view among the training samples, by the method that suits the measure.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::dissimilarity::{
    Dissimilarity, Index, Prepared, Query, RemoteSearch, RowWork, RowsFound, SearchCache,
};
use crate::embedding::{MAX_WHOLE_MATRIX, embed_cached};
use crate::error::{ErrorKind, Result};
use crate::knn::{
    KnnLists, LandmarkIndex, bounds_spare_enough, check, choose, collect, even_landmarks, fill_column,
    landmarks, lists_by_bounds,
};
use crate::matrix::Matrix;
use crate::observer::{Observer, Progress};
use crate::parallel;
use crate::sample::Sample;
use crate::select::{NearestBuffer, kth_and_nearest, nearest, nearest_in};

/// Samples searched for together, before their lists are stored in place.
const CHUNK: usize = 1 << 14;
/// Samples whose distances to all others are computed together.
const GROUP: usize = 4;
/// Samples between two reports.
const REPORTED: usize = 1024;
/// Minimum number of samples for which an index may pay off.
const MIN_INDEXED: usize = 1024;
/// Rows per task.
const ROWS: usize = 8;
/// How many more than its width a list of all others has, for those that are trimmed.
const SPARE: usize = 4;
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

/// The nearest of each sample among all others, most of which stay so when some are trimmed; and all samples, if rows are measured on
/// demand.
struct AmongAll<S: ?Sized> {
    lists: KnnLists,
    prepared: Option<Box<dyn Prepared<S>>>,
}

/// Buffers that are reused from row to row.
#[derive(Default)]
struct Buffers {
    row: Vec<f64>,
    nearest: NearestBuffer,
}

/// The lists of all samples in one view.
pub(super) struct FoundLists {
    pub(super) lists: KnnLists,
    /// The recall, estimated on some samples.
    pub(super) recall: f64,
    /// An order in which similar samples follow each other, if one is known.
    pub(super) order: Option<Vec<u32>>,
}

impl FoundLists {
    fn exact(lists: KnnLists) -> Self {
        Self { lists, recall: 1.0, order: None }
    }
}

/// One view of the training samples.
pub(super) struct Neighbors<'a, S: ?Sized> {
    samples: &'a [&'a S],
    measure: &'a dyn Dissimilarity<S>,
    source: Source<S>,
    /// How wide the lists will be.
    width: usize,
    /// How many samples a search may examine.
    visits: usize,
    observer: &'a dyn Observer,
    /// The neighbors that trimming has found.
    among_all: OnceLock<AmongAll<S>>,
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
        Ok(Self { samples, measure, source, width, visits, observer, among_all: OnceLock::new() })
    }

    /// For each sample, the distance to its `k`-th nearest (counted from 0) of the samples `among`, itself excluded;
    /// and the `ring` nearest of them.
    pub(super) fn near_and_far(&self, among: &[u32], k: usize, ring: usize) -> Result<Vec<(f64, Vec<u32>)>> {
        let of_row = |row: &mut [f64], own: Option<usize>| {
            let (far, near) = kth_and_nearest(row, k, ring, own);
            (far, near.into_iter().map(|at| among[at as usize]).collect())
        };
        if let Some(AmongAll { lists, .. }) = self.among_all(among, k)? {
            let of_sample = |i: usize| (lists.lengths(i, k + 1)[k], lists.neighbors(i, ring).to_vec());
            return Ok((0..self.samples.len()).map(of_sample).collect());
        }
        let place = |i: usize| among.binary_search(&(i as u32)).ok();
        match &self.source {
            Source::Whole(_) => self.each("trimming", |buffers, i| {
                self.row(None, among, i, buffers)?;
                Ok(of_row(&mut buffers.row, place(i)))
            }),
            Source::Rows if self.remote().is_some() => self.near_and_far_from_remote(among, k, ring),
            Source::Rows => self.each_row("trimming", among, |i, row| Ok(of_row(row, place(i)))),
            Source::Bounds(prepared) => self.each("trimming", |_, i| {
                let others: Vec<u32> = among.iter().copied().filter(|j| *j as usize != i).collect();
                let found = prepared.nearest(self.samples[i], &others, k + 1).unwrap_or_default().found;
                let far = found.get(k).or(found.last()).map_or(0.0, |f| f.1);
                Ok((far, found.iter().take(ring).map(|f| f.0).collect()))
            }),
        }
    }

    /// For each sample, the `width` nearest of the samples `among`, itself excluded.
    pub(super) fn lists(&self, among: &[u32], width: usize) -> Result<FoundLists> {
        if let Some(all) = self.among_all.get() {
            return Ok(FoundLists::exact(self.restricted(all, among, width)?));
        }
        if let Source::Rows = self.source {
            let some: Vec<&S> = among.iter().map(|&i| self.samples[i as usize]).collect();
            if let Some(remote) = self.remote().filter(|_| self.visits < some.len())
                && self.measure.index_width().is_none()
            {
                let (lists, recall) = self.lists_from_remote(remote, &some, among, width)?;
                return Ok(FoundLists { recall, ..FoundLists::exact(lists) });
            }
            if let Some(index) = index_if_worthwhile(self.measure, &some, some.len(), self.visits) {
                let order = self.order(index.as_ref(), among);
                let lists = self.lists_by_index(index.as_ref(), among, &order, width)?;
                let recall =
                    if self.visits < among.len() { self.recall(index.as_ref(), among, &lists) } else { 1.0 };
                return Ok(FoundLists { lists, recall, order: Some(order) });
            }
        }
        if let Source::Bounds(prepared) = &self.source {
            let lists = lists_by_bounds(self.samples, prepared.as_ref(), among, width, self.observer)?;
            return Ok(FoundLists::exact(lists));
        }
        Ok(FoundLists::exact(self.lists_by_rows(among, width)?))
    }

    /// The nearest of each sample among all others, which are `among`: enough of them for the `k`-th (counted from 0), and for the
    /// lists of most when some are trimmed. Nothing if there is another way, or `among` is only a part.
    fn among_all(&self, among: &[u32], k: usize) -> Result<Option<&AmongAll<S>>> {
        let n = self.samples.len();
        let is_other = match self.source {
            Source::Whole(_) => false,
            Source::Rows => self.remote().is_some() || self.visits < n || n >= MIN_INDEXED,
            Source::Bounds(_) => true,
        };
        if is_other || among.len() < n {
            return Ok(None);
        }
        if self.among_all.get().is_none() {
            let width = (k + 1).max(self.width + SPARE).min(n - 1);
            let prepared = self.prepared(among);
            let lists = self.each("trimming", |buffers, i| {
                self.row(prepared.as_deref(), among, i, buffers)?;
                nearest_in(&mut buffers.nearest, &buffers.row, width, Some(i));
                Ok(buffers.nearest.found.clone())
            })?;
            let found = AmongAll { lists: collect(&lists, width), prepared };
            return Ok(Some(self.among_all.get_or_init(|| found)));
        }
        Ok(self.among_all.get())
    }

    /// Lists of only the samples `among`, from those among all. Where too few are left, the others are measured again.
    fn restricted(&self, all: &AmongAll<S>, among: &[u32], width: usize) -> Result<KnnLists> {
        let everything: Vec<u32> = (0..self.samples.len() as u32).collect();
        let mut counts = vec![false; everything.len()];
        for &i in among {
            counts[i as usize] = true;
        }
        let mut buffers = Buffers::default();
        let (mut neighbors, mut lengths) = (Vec::new(), Vec::new());
        for i in 0..everything.len() {
            let before = neighbors.len();
            let found = all.lists.neighbors(i, all.lists.width()).iter();
            let found = found.zip(all.lists.lengths(i, all.lists.width()));
            for (&j, &length) in found.filter(|(j, _)| counts[**j as usize]).take(width) {
                neighbors.push(j);
                lengths.push(length);
            }
            if neighbors.len() - before < width {
                self.row(all.prepared.as_deref(), &everything, i, &mut buffers)?;
                for (distance, _) in buffers.row.iter_mut().zip(&counts).filter(|(_, counts)| !**counts) {
                    *distance = f64::INFINITY;
                }
                nearest_in(&mut buffers.nearest, &buffers.row, width, Some(i));
                neighbors.truncate(before);
                lengths.truncate(before);
                neighbors.extend(buffers.nearest.found.iter().map(|f| f.0));
                lengths.extend(buffers.nearest.found.iter().map(|f| f.1));
            }
        }
        Ok(KnnLists::new(neighbors, lengths, width))
    }

    /// The lists of all samples, by measuring those `among`.
    fn lists_by_rows(&self, among: &[u32], width: usize) -> Result<KnnLists> {
        let place = |i: usize| among.binary_search(&(i as u32)).ok();
        let named = |found: &[(u32, f64)]| -> Vec<(u32, f64)> {
            found.iter().map(|&(at, distance)| (among[at as usize], distance)).collect()
        };
        let lists = match &self.source {
            Source::Rows => {
                self.each_row("neighbors", among, |i, row| Ok(named(&nearest(row, width, place(i)))))?
            }
            _ => self.each("neighbors", |buffers, i| {
                self.row(None, among, i, buffers)?;
                nearest_in(&mut buffers.nearest, &buffers.row, width, place(i));
                Ok(named(&buffers.nearest.found))
            })?,
        };
        Ok(collect(&lists, width))
    }

    /// The samples `among`, prepared if rows are measured on demand.
    fn prepared(&self, among: &[u32]) -> Option<Box<dyn Prepared<S>>> {
        match self.source {
            Source::Whole(_) => None,
            _ => Some(self.prepare(among)),
        }
    }

    /// The distances of a sample to those `among`, into the row of the buffers.
    fn row(
        &self,
        prepared: Option<&dyn Prepared<S>>,
        among: &[u32],
        i: usize,
        buffers: &mut Buffers,
    ) -> Result<()> {
        let row = &mut buffers.row;
        if let Source::Whole(matrix) = &self.source {
            row.clear();
            row.extend(among.iter().map(|j| matrix.row(i)[*j as usize]));
            return Ok(());
        }
        row.resize(among.len(), 0.0);
        match prepared {
            Some(prepared) if among.len() == self.samples.len() => {
                prepared.fill_prepared(i, self.samples[i], 0..among.len(), row);
            }
            Some(prepared) => prepared.fill(self.samples[i], 0..among.len(), row),
            None => {}
        }
        check(i as u32, row)
    }

    /// The samples as prepared for trimming, in their order.
    pub(super) fn into_prepared(self) -> Option<Box<dyn Prepared<S>>> {
        self.among_all.into_inner()?.prepared
    }

    /// All samples, in an order in which similar ones follow each other.
    fn order(&self, index: &dyn Index<S>, among: &[u32]) -> Vec<u32> {
        let mut order: Vec<u32> = index.order().into_iter().map(|at| among[at as usize]).collect();
        order.extend((0..self.samples.len() as u32).filter(|i| among.binary_search(i).is_err()));
        order
    }

    /// The lists, from an index of the samples `among`.
    fn lists_by_index(
        &self,
        index: &dyn Index<S>,
        among: &[u32],
        order: &[u32],
        width: usize,
    ) -> Result<KnnLists> {
        let n = self.samples.len();
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

    /// The workers that search instead, if any.
    fn remote(&self) -> Option<&dyn RemoteSearch> {
        self.measure.remote_search(self.samples.len())
    }

    fn near_and_far_from_remote(&self, among: &[u32], k: usize, ring: usize) -> Result<Vec<(f64, Vec<u32>)>> {
        let Some(remote) = self.remote() else { return Ok(Vec::new()) };
        let work = RowWork::NearAndFar { among: among.to_vec(), k, ring };
        let RowsFound { indices, numbers } = remote.rows(&work, None)?;
        let ring_of = |i: usize| indices[i * ring..(i + 1) * ring].to_vec();
        Ok(numbers.into_iter().enumerate().map(|(i, far)| (far, ring_of(i))).collect())
    }

    /// The lists by landmarks, identical to those of a local index: workers compute points and searches.
    fn lists_from_remote(
        &self,
        remote: &dyn RemoteSearch,
        some: &[&S],
        among: &[u32],
        width: usize,
    ) -> Result<(KnnLists, f64)> {
        let count = landmarks(self.visits).min(some.len());
        let even = even_landmarks(some.len(), count);
        let of = even.iter().map(|&at| among[at]).collect();
        let known = remote.rows(&RowWork::Columns { of }, Some(among))?.numbers;
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
                out.copy_from_slice(&remote.rows(&work, Some(among))?.numbers);
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
        let RowsFound { indices, numbers } = remote.rows(&work, None)?;
        let lists = KnnLists::new(indices, numbers, width);
        // The recall is measured against an exhaustive search.
        let recalled = RECALLED.min(width);
        let RowWork::Nearest { among, k, visits, .. } = &mut work else { return Ok((lists, 1.0)) };
        (*k, *visits) = (recalled, Query::ALL);
        let tried: Vec<u32> = (0..RECALL_SAMPLES).map(|t| among[t * among.len() / RECALL_SAMPLES]).collect();
        let exact = remote.rows(&work, Some(&tried))?.numbers;
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

    /// Computes a value for each sample from its distances to the samples `among`, reporting to the observer.
    fn each_row<T: Send>(
        &self,
        name: &'static str,
        among: &[u32],
        of: impl Fn(usize, &mut [f64]) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let (n, done) = (self.samples.len(), AtomicUsize::new(0));
        let prepared = self.prepare(among);
        // Where a row is slow, nothing is gained, and an interruption waits for all rows of a group.
        let size = if self.measure.is_cheap_per_row() { GROUP } else { 1 };
        let of_group = |group: usize| {
            if self.observer.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            let some = group * size..((group + 1) * size).min(n);
            let mut rows = vec![0.0; some.len() * among.len()];
            prepared.fill_each(&self.samples[some.clone()], 0..among.len(), &mut rows);
            let before = done.fetch_add(some.len(), Ordering::Relaxed);
            let done = before + some.len();
            if before / REPORTED < done / REPORTED {
                self.observer.progress(&Progress::Stage { name, done, total: n });
            }
            let of_row = |(i, row): (usize, &mut [f64])| {
                check(i as u32, row)?;
                of(i, row)
            };
            some.zip(rows.chunks_exact_mut(among.len())).map(of_row).collect::<Result<Vec<T>>>()
        };
        let groups = parallel::try_map(n.div_ceil(size), 8usize.div_ceil(size), &of_group)?;
        Ok(groups.into_iter().flatten().collect())
    }

    /// Computes a value for each sample, reporting to the observer.
    fn each<T: Send>(
        &self,
        name: &'static str,
        of: impl Fn(&mut Buffers, usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let (n, done) = (self.samples.len(), AtomicUsize::new(0));
        let watched = |buffers: &mut Buffers, i: usize| {
            if self.observer.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(REPORTED) {
                self.observer.progress(&Progress::Stage { name, done, total: n });
            }
            of(buffers, i)
        };
        parallel::try_map_with(n, ROWS, &Buffers::default, &watched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::Minkowski;
    use crate::observer::Silent;
    use crate::random::Random;

    #[test]
    fn lists_found_while_trimming_are_those_of_the_kept() {
        let mut random = Random::new(1);
        // Rounded, so that distances tie.
        let rows: Vec<[f64; 2]> = (0..200).map(|_| [0, 1].map(|_| (9.0 * random.normal()).round())).collect();
        let refs: Vec<&[f64]> = rows.iter().map(<[f64; 2]>::as_slice).collect();
        let measure = Minkowski::euclidean();
        let all: Vec<u32> = (0..200).collect();
        let of = || Neighbors::<[f64]>::new(&refs, &measure, 32, usize::MAX, &Silent).unwrap();
        // The last trims too many for what trimming has found.
        for kept in [all.clone(), (0..200).filter(|i| i % 17 > 0).collect(), (100..200).collect::<Vec<u32>>()]
        {
            let (trimming, plain) = (of(), of());
            let found = trimming.near_and_far(&all, 15, 10).unwrap();
            for (i, (far, ring)) in found.into_iter().enumerate() {
                let mut row: Vec<f64> = refs.iter().map(|one| measure.between(refs[i], one)).collect();
                assert_eq!((far, ring), kth_and_nearest(&mut row, 15, 10, Some(i)));
            }
            assert_eq!(trimming.lists(&kept, 32).unwrap().lists, plain.lists(&kept, 32).unwrap().lists);
        }
    }
}
