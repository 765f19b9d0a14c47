//! One sample compared with many: samples prepared for that, and samples in an index.

use std::borrow::Borrow;
use std::ops::Range;

use super::Dissimilarity;
use crate::sample::Sample;
use crate::select::keep_smallest;

/// How many of the next best bounds are measured together.
const BATCH_SIZE: usize = 16;

/// An index of samples, which finds neighbors without examining all of them.
pub trait Index<S: ?Sized>: Send + Sync {
    /// The nearest of `one`, by distance and then by index.
    fn nearest(&self, one: &S, query: &Query) -> Nearest;

    /// A leaf rank: similar samples have similar ranks, and searches in this order touch the same memory.
    fn leaf_rank(&self, one: &S) -> u32;

    /// The samples that count as neighbors, in such an order.
    fn order(&self) -> Vec<u32>;
}

/// A query to an index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query {
    /// How many of the samples that count.
    pub k: usize,
    /// A sample to exclude, since it is the query itself.
    pub skip: Option<u32>,
    /// How many samples may be examined; [`Query::ALL`] means as many as an exact answer takes.
    pub visits: usize,
    /// Samples within this distance are returned in any case, whether or not they count.
    pub close: f64,
}

impl Query {
    /// No limit.
    pub const ALL: usize = usize::MAX;
}

/// One prepared side of a [`Dissimilarity`].
pub trait Prepared<S: ?Sized>: Send + Sync {
    /// Dissimilarities of `one` to the prepared samples of `range`, into `out`.
    fn fill(&self, one: &S, range: Range<usize>, out: &mut [f64]);

    /// Like [`fill`](Self::fill), for several samples at a time, with a row of `out` for each. What is prepared may
    /// then be read once for all of them.
    fn fill_each(&self, ones: &[&S], range: Range<usize>, out: &mut [f64]) {
        for (one, out) in ones.iter().zip(out.chunks_mut(range.len().max(1))) {
            self.fill(one, range.clone(), out);
        }
    }

    /// Like [`fill`](Self::fill), where `one` is itself the prepared sample `index`.
    fn fill_prepared(&self, _index: usize, one: &S, range: Range<usize>, out: &mut [f64]) {
        self.fill(one, range, out);
    }

    /// Replaces a prepared sample; `false` if all must be prepared again.
    fn replace(&mut self, _index: usize, _one: &S) -> bool {
        false
    }

    /// Some of the prepared samples, if that is faster than preparing them again.
    fn some(&self, _which: &[usize]) -> Option<Box<dyn Prepared<S>>> {
        None
    }

    /// Dissimilarities of `one` to some of the prepared samples.
    fn fill_some(&self, one: &S, which: &[usize], out: &mut [f64]) {
        for (&i, o) in which.iter().zip(out.chunks_mut(1)) {
            self.fill(one, i..i + 1, o);
        }
    }

    /// Lower bounds, much cheaper than the dissimilarities, for `one` and the first prepared samples, as many as fit
    /// in `out`; `false` if there are none.
    fn lower_bounds(&self, _one: &S, _out: &mut [f64]) -> bool {
        false
    }

    /// The `k` nearest of the prepared samples `among`, by distance and then by index, if there are bounds that save
    /// most measurements. The result equals that of measuring all of them.
    fn nearest(&self, one: &S, among: &[u32], k: usize) -> Option<Nearest> {
        nearest_by_lower_bounds(self, one, among, k)
    }
}

impl<S: ?Sized> dyn Prepared<S> + '_ {
    /// The dissimilarity of `one` to the first prepared sample.
    pub(crate) fn to_first(&self, one: &S) -> f64 {
        let mut out = [f64::NAN];
        self.fill(one, 0..1, &mut out);
        out[0]
    }
}

/// Neighbors found with the help of bounds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nearest {
    /// Indices and distances, by distance and then by index.
    pub found: Vec<(u32, f64)>,
    /// Samples that are [close](Query::close), as far as known, whether or not they count.
    pub close: Vec<u32>,
    /// How many distances were measured.
    pub measured: usize,
}

/// A prepared side that stores the samples and calls [`Dissimilarity::between`].
pub(super) struct PairByPair<S: ?Sized + Sample> {
    measure: Box<dyn Dissimilarity<S>>,
    many: Vec<S::Owned>,
}

impl<S: ?Sized + Sample> PairByPair<S> {
    #[expect(clippy::new_ret_no_self, reason = "the one use is behind the trait")]
    pub(super) fn new(measure: Box<dyn Dissimilarity<S>>, many: &[&S]) -> Box<dyn Prepared<S>> {
        Box::new(Self { measure, many: many.iter().map(|s| (*s).to_owned()).collect() })
    }
}

impl<S: ?Sized + Sample> Prepared<S> for PairByPair<S> {
    fn fill(&self, one: &S, range: Range<usize>, out: &mut [f64]) {
        for (o, other) in out.iter_mut().zip(&self.many[range]) {
            *o = self.measure.between(one, other.borrow());
        }
    }
}

/// The `k` nearest of `one` by [`Prepared::lower_bounds`]: the smallest bound first, a batch at a time. `None` if there
/// are none.
fn nearest_by_lower_bounds<S: ?Sized, P: Prepared<S> + ?Sized>(
    many: &P,
    one: &S,
    among: &[u32],
    k: usize,
) -> Option<Nearest> {
    let count = among.iter().map(|i| *i as usize + 1).max().unwrap_or(0);
    let mut bounds = vec![0.0; count];
    if !many.lower_bounds(one, &mut bounds) {
        return None;
    }
    let mut order: Vec<usize> = among.iter().map(|i| *i as usize).collect();
    order.sort_by(|&a, &b| bounds[a].total_cmp(&bounds[b]));
    let mut found: Vec<(u32, f64)> = Vec::with_capacity(k + BATCH_SIZE);
    let mut values = [0.0; BATCH_SIZE];
    let mut measured = 0;
    for batch in order.chunks(BATCH_SIZE) {
        // Ties are broken by index: only a bound above the last distance ends the search.
        if found.len() >= k && found.last().is_some_and(|last| bounds[batch[0]] > last.1) {
            break;
        }
        let values = &mut values[..batch.len()];
        many.fill_some(one, batch, values);
        measured += batch.len();
        found.extend(batch.iter().map(|&i| i as u32).zip(values.iter().copied()));
        keep_smallest(&mut found, k);
    }
    let close = found.iter().take_while(|f| f.1 <= 0.0).map(|f| f.0).collect();
    Some(Nearest { found, close, measured })
}
