//! The search over the parameters `p` of a measure, on all samples or on increasing subsets.

use super::judge::Task;
use super::planning::search_sizes;
use crate::dissimilarity::{Dissimilarity, SearchCache};
use crate::error::Result;
use crate::observer::{Observer, Progress};
use crate::params::OneClass;
use crate::sample::{Sample, SampleSet};
use crate::synthesis::{self, Found, StopReason, Stopping};

/// The samples that `p` is evaluated on.
#[derive(Default)]
pub(super) struct Subset<'s> {
    indices: Vec<usize>,
    /// Which of them are prototypes; `None` if the graph is on the dissimilarity itself.
    pub(super) prototypes: Option<Vec<usize>>,
    pub(super) cache: SearchCache<'s>,
}

impl Subset<'_> {
    /// Takes `size` evenly spaced samples, and the prototypes among them.
    pub(super) fn choose<S: ?Sized + Sample>(
        &mut self,
        params: &OneClass,
        samples: &[&S],
        size: usize,
        d: &dyn Dissimilarity<S>,
    ) {
        if self.indices.len() == size {
            return;
        }
        self.indices = (0..size).map(|i| i * samples.len() / size).collect();
        let prototypes = params.representation.prototypes(size);
        self.prototypes = prototypes.map(|p| p.select(&self.select(samples), d, params.seed));
        self.cache = SearchCache::default();
    }

    /// Selects these from all samples.
    pub(super) fn select<'a, S: ?Sized>(&self, samples: &[&'a S]) -> Vec<&'a S> {
        self.indices.iter().map(|&i| samples[i]).collect()
    }
}

/// Searches for the `p` with the smallest objective, and leaves the measure with the best. `evaluate` computes the
/// objective on a subset of the samples, and may return a result with it.
pub(super) fn search<'s, X: SampleSet, T>(
    task: &mut Task<'s, X>,
    subset: &mut Subset<'s>,
    mut evaluate: impl FnMut(&mut Subset<'s>, &[&'s X::Item], &dyn Dissimilarity<X::Item>) -> Result<(f64, T)>,
) -> Result<Found<T>> {
    let (params, measure) = (&task.origin.params, &mut task.measure);
    let refs = task.samples.refs();
    let sizes = search_sizes(params, refs.len());
    let stopping = Stopping { tau: params.tau, evaluations: params.evaluations, stages: sizes.len() };
    let parameters = measure.parameters();
    let found =
        synthesis::search(params.search, &parameters, stopping, params.seed, task.observer, |p, stage| {
            measure.set(p);
            subset.choose(params, &refs, sizes[stage], measure.as_ref());
            evaluate(subset, &refs, measure.as_ref())
        })?;
    measure.set(&found.p);
    Ok(found)
}

/// Observes what follows a search. If the search was cancelled, the best result so far is still finished, unless
/// nobody is waiting for it.
pub(super) struct AfterSearch<'a> {
    inner: &'a dyn Observer,
    was_cancelled: bool,
}

impl<'a> AfterSearch<'a> {
    pub(super) fn new(inner: &'a dyn Observer, stop: StopReason) -> Self {
        Self { inner, was_cancelled: stop == StopReason::Cancelled }
    }
}

impl Observer for AfterSearch<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        self.inner.progress(progress);
    }

    fn is_cancelled(&self) -> bool {
        self.is_abandoned() || (!self.was_cancelled && self.inner.is_cancelled())
    }

    fn is_abandoned(&self) -> bool {
        self.inner.is_abandoned()
    }
}
