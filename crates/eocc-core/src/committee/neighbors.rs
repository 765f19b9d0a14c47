//! Distances of one view among the training samples, in the way that suits the measure.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::dissimilarity::{Dissimilarity, Prepared, SearchCache};
use crate::embedding::embed_cached;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel;
use crate::knn::{KnnLists, bounds_spare_enough, collect, lists_by_bounds, nearest};
use crate::matrix::Matrix;
use crate::observer::{Observer, Progress};
use crate::sample::Sample;

/// Largest matrix of dissimilarities kept whole, in numbers: 1 GiB.
pub(crate) const MAX_WHOLE_MATRIX: usize = 1 << 27;

/// How distances are had.
enum Source<S: ?Sized> {
    /// All of them, computed once: for measures that take their time.
    Whole(Matrix),
    /// A row whenever it is asked for.
    Rows,
    /// By lower bounds, most of them never measured.
    Bounds(Box<dyn Prepared<S>>),
}

/// One view of the training samples.
pub(super) struct Neighbors<'a, S: ?Sized> {
    samples: &'a [&'a S],
    measure: &'a dyn Dissimilarity<S>,
    source: Source<S>,
    observer: &'a dyn Observer,
}

impl<'a, S: ?Sized + Sample> Neighbors<'a, S> {
    /// Chooses the way; lists will be `width` wide.
    pub(super) fn new(
        samples: &'a [&'a S],
        measure: &'a dyn Dissimilarity<S>,
        width: usize,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let n = samples.len();
        let by_bounds = || {
            let prepared = measure.has_bounds().then(|| measure.prepare(samples))?;
            bounds_spare_enough(samples, prepared.as_ref(), width).then_some(Source::Bounds(prepared))
        };
        let source = if measure.fills_rows_fast() || n.saturating_mul(n) > MAX_WHOLE_MATRIX {
            Source::Rows
        } else if let Some(bounds) = by_bounds() {
            bounds
        } else {
            let all: Vec<usize> = (0..n).collect();
            Source::Whole(embed_cached(samples, &all, measure, &mut SearchCache::default(), observer)?)
        };
        Ok(Self { samples, measure, source, observer })
    }

    /// For each sample the distance to its `k`-th nearest, counted from 0, of the samples `among`, itself left out.
    pub(super) fn distance_to_nearest(&self, among: &[u32], k: usize) -> Result<Vec<f64>> {
        let kth = |row: &mut Vec<f64>, own: Option<usize>| {
            if let Some(own) = own {
                row[own] = f64::INFINITY;
            }
            *row.select_nth_unstable_by(k, f64::total_cmp).1
        };
        let place = |i: usize| among.binary_search(&(i as u32)).ok();
        match &self.source {
            Source::Whole(matrix) => self.each("trimming", |i| {
                let mut row = among.iter().map(|j| matrix.row(i)[*j as usize]).collect();
                Ok(kth(&mut row, place(i)))
            }),
            Source::Rows => {
                let prepared = self.prepare(among);
                self.each("trimming", |i| {
                    let mut row = vec![0.0; among.len()];
                    prepared.fill(self.samples[i], 0..among.len(), &mut row);
                    check(i, &row)?;
                    Ok(kth(&mut row, place(i)))
                })
            }
            Source::Bounds(prepared) => self.each("trimming", |i| {
                let others: Vec<u32> = among.iter().copied().filter(|j| *j as usize != i).collect();
                let found = prepared.nearest(self.samples[i], &others, k + 1).unwrap_or_default().found;
                Ok(found.get(k).or(found.last()).map_or(0.0, |f| f.1))
            }),
        }
    }

    /// For each sample the `width` nearest of the samples `among`, itself left out.
    pub(super) fn lists(&self, among: &[u32], width: usize) -> Result<KnnLists> {
        let place = |i: usize| among.binary_search(&(i as u32)).ok();
        let named = |found: Vec<(u32, f64)>| {
            found.into_iter().map(|(at, d)| (among[at as usize], d)).collect::<Vec<_>>()
        };
        let lists = match &self.source {
            Source::Whole(matrix) => self.each("neighbours", |i| {
                let row: Vec<f64> = among.iter().map(|j| matrix.row(i)[*j as usize]).collect();
                Ok(named(nearest(&row, width, place(i))))
            })?,
            Source::Rows => {
                let prepared = self.prepare(among);
                self.each("neighbours", |i| {
                    let mut row = vec![0.0; among.len()];
                    prepared.fill(self.samples[i], 0..among.len(), &mut row);
                    check(i, &row)?;
                    Ok(named(nearest(&row, width, place(i))))
                })?
            }
            Source::Bounds(prepared) => {
                return lists_by_bounds(self.samples, prepared.as_ref(), among, width, self.observer);
            }
        };
        Ok(collect(&lists, width))
    }

    fn prepare(&self, among: &[u32]) -> Box<dyn Prepared<S>> {
        let some: Vec<&S> = among.iter().map(|&i| self.samples[i as usize]).collect();
        self.measure.prepare(&some)
    }

    /// A value for each sample, watched.
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
        (0..n).into_par_iter().with_min_len(8).map(watched).collect()
    }
}

fn check(i: usize, row: &[f64]) -> Result<()> {
    if kernel::are_distances(row) {
        return Ok(());
    }
    match row.iter().find(|v| !(v.is_finite() && **v >= 0.0)) {
        None => Ok(()),
        Some(value) => Err(Error::input(format!(
            "a dissimilarity of sample {i} is {value}, but must be finite and not negative"
        ))),
    }
}
