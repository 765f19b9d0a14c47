//! How a dissimilarity compares one sample with many, fast.

use std::borrow::Borrow;
use std::ops::Range;

use super::{Dissimilarity, SearchCache};
use crate::error::Result;
use crate::matrix::Matrix;
use crate::observer::Observer;
use crate::sample::Sample;

/// The fast ways of a measure. Every one of them gives exactly what [`Dissimilarity::between`] gives, to the bit.
pub trait Accelerated<S: ?Sized> {
    /// Prepares one side, `many`, to be compared with one sample after another. What is returned stands by itself, so
    /// that a model can keep it.
    fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>>;

    /// The same by way of what the `cache` holds of these samples under other parameters.
    fn prepare_cached(&self, many: &[&S], _cache: &mut SearchCache) -> Box<dyn Prepared<S>> {
        self.prepare(many)
    }

    /// How long comparisons with `sample` take, relative to other samples: samples of like effort are put side by side.
    fn effort(&self, _sample: &S) -> usize {
        0
    }

    /// The matrix of all `samples` to the prototypes with these indices, by way of what the `cache` holds of it under
    /// other parameters. `None` where there is no such way.
    fn assemble(
        &self,
        _samples: &[&S],
        _prototypes: &[usize],
        _cache: &mut SearchCache,
        _observer: &dyn Observer,
    ) -> Option<Result<Matrix>> {
        None
    }

    /// Coordinates whose Euclidean distance is this dissimilarity, if there are any: then neighbours can be found
    /// by a matrix product.
    fn coordinates(&self, _samples: &[&S]) -> Option<Matrix> {
        None
    }

    /// Whether rows are computed faster than a matrix of them can be kept and looked at again.
    fn fills_rows_fast(&self) -> bool {
        false
    }

    /// Whether what [`prepare`](Self::prepare) returns answers [`Prepared::nearest`].
    fn has_bounds(&self) -> bool {
        false
    }

    /// Numbers that a sample takes in an [index](Self::index); `None` where there is none.
    fn index_width(&self) -> Option<usize> {
        None
    }

    /// An index of `many`, of which the first `counting` count as neighbours; `None` where there is no such way.
    fn index(&self, _many: &[&S], _counting: usize) -> Option<Box<dyn Index<S>>> {
        None
    }
}

/// Samples put in order, so that neighbours are found without looking at all of them.
pub trait Index<S: ?Sized>: Send + Sync {
    /// The nearest of `one`, by distance and then by index.
    fn nearest(&self, one: &S, query: &Query) -> Nearest;

    /// Samples that lie close have numbers that are close: in their order, searches look at the same part of memory.
    fn place(&self, one: &S) -> u32;

    /// The samples that count, in such an order.
    fn order(&self) -> Vec<u32>;
}

/// What an index is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// How many of the samples that count.
    pub k: usize,
    /// One that does not, since the sample is itself that one.
    pub skip: Option<u32>,
    /// How many samples may be looked at; [`Query::ALL`]: as many as it takes to be sure.
    pub visits: usize,
}

impl Query {
    /// As many as it takes.
    pub const ALL: usize = usize::MAX;
}

/// One prepared side of a [`Dissimilarity`].
pub trait Prepared<S: ?Sized>: Send + Sync {
    /// Dissimilarities of `one` to the prepared samples of `range`, into `out`.
    fn fill(&self, one: &S, range: Range<usize>, out: &mut [f64]);

    /// The same for `one` that is itself the prepared sample number `index`.
    fn fill_prepared(&self, _index: usize, one: &S, range: Range<usize>, out: &mut [f64]) {
        self.fill(one, range, out);
    }

    /// Dissimilarities of `one` to some of the prepared samples.
    fn fill_some(&self, one: &S, which: &[usize], out: &mut [f64]) {
        for (&i, o) in which.iter().zip(out.chunks_mut(1)) {
            self.fill(one, i..i + 1, o);
        }
    }

    /// Lower bounds of the dissimilarities of `one` to the first prepared samples, as many as `out` has room for, much
    /// faster than those; `false` if there are none.
    fn lower_bounds(&self, _one: &S, _out: &mut [f64]) -> bool {
        false
    }

    /// The `k` nearest of the prepared samples `among`, by distance and then by index, if there are bounds by which most
    /// of them can be left unmeasured. They are exactly those that measuring all of them would give.
    fn nearest(&self, one: &S, among: &[u32], k: usize) -> Option<Nearest> {
        crate::knn::nearest_by_lower_bounds(self, one, among, k)
    }
}

/// Neighbours found with the help of bounds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nearest {
    /// Indices and distances, by distance and then by index.
    pub found: Vec<(u32, f64)>,
    /// Samples at distance zero, as far as they are known, whether they count or not.
    pub equal: Vec<u32>,
    /// How many distances were measured.
    pub measured: usize,
}

/// What every measure can do: by its fast ways where it has them, pair by pair where not.
impl<S: ?Sized + Sample> dyn Dissimilarity<S> + '_ {
    /// Prepares one side, see [`Accelerated::prepare`].
    pub fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>> {
        match self.accelerated() {
            Some(fast) => fast.prepare(many),
            None => PairByPair::new(self, many),
        }
    }

    /// The same by way of the cache, see [`Accelerated::prepare_cached`].
    pub fn prepare_cached(&self, many: &[&S], cache: &mut SearchCache) -> Box<dyn Prepared<S>> {
        match self.accelerated() {
            Some(fast) => fast.prepare_cached(many, cache),
            None => PairByPair::new(self, many),
        }
    }

    /// See [`Accelerated::effort`].
    pub fn effort(&self, sample: &S) -> usize {
        self.accelerated().map_or(0, |fast| fast.effort(sample))
    }

    /// See [`Accelerated::assemble`].
    pub fn assemble(
        &self,
        samples: &[&S],
        prototypes: &[usize],
        cache: &mut SearchCache,
        observer: &dyn Observer,
    ) -> Option<Result<Matrix>> {
        self.accelerated()?.assemble(samples, prototypes, cache, observer)
    }

    /// See [`Accelerated::coordinates`].
    pub fn coordinates(&self, samples: &[&S]) -> Option<Matrix> {
        self.accelerated()?.coordinates(samples)
    }

    /// See [`Accelerated::fills_rows_fast`].
    pub fn fills_rows_fast(&self) -> bool {
        self.accelerated().is_some_and(Accelerated::fills_rows_fast)
    }

    /// See [`Accelerated::has_bounds`].
    pub fn has_bounds(&self) -> bool {
        self.accelerated().is_some_and(Accelerated::has_bounds)
    }

    /// See [`Accelerated::index_width`].
    pub fn index_width(&self) -> Option<usize> {
        self.accelerated()?.index_width()
    }

    /// See [`Accelerated::index`].
    pub fn index(&self, many: &[&S], counting: usize) -> Option<Box<dyn Index<S>>> {
        self.accelerated()?.index(many, counting)
    }
}

/// A prepared side that keeps the samples and calls [`Dissimilarity::between`].
struct PairByPair<S: ?Sized + Sample> {
    measure: Box<dyn Dissimilarity<S>>,
    many: Vec<S::Owned>,
}

impl<S: ?Sized + Sample> PairByPair<S> {
    #[expect(clippy::new_ret_no_self, reason = "the one use is behind the trait")]
    fn new(measure: &dyn Dissimilarity<S>, many: &[&S]) -> Box<dyn Prepared<S>> {
        Box::new(Self { measure: measure.boxed(), many: many.iter().map(|s| (*s).to_owned()).collect() })
    }
}

impl<S: ?Sized + Sample> Prepared<S> for PairByPair<S> {
    fn fill(&self, one: &S, range: Range<usize>, out: &mut [f64]) {
        for (o, other) in out.iter_mut().zip(&self.many[range]) {
            *o = self.measure.between(one, other.borrow());
        }
    }
}
