//! One side of many graphs, prepared; and neighbors found with the help of lower bounds.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use std::sync::Arc;

use super::costs::{Rates, Sources};
use super::profile::Profile;
use super::shape::Shape;
use super::texts::TextTable;
use super::vocabulary::{Estimates, Lookup, Newcomer, Vocabulary};
use super::{Bounds, GraphEdit, with_workspace};
use crate::dissimilarity::{Nearest, Prepared, SearchCache};
use crate::graphs::LabelledGraph;
use crate::parallel;

/// Minimum number of comparisons of a graph for its branches to be looked up in the vocabulary.
const MIN_COMPARISONS: usize = 8;

/// The shapes of many graphs and their vocabulary: everything that does not depend on the constants.
#[derive(Clone)]
pub(super) struct Shapes {
    /// The addresses of the graphs, which identify them: a [`SearchCache`] borrows them.
    places: Vec<usize>,
    sources: (Sources, Sources),
    all: Vec<Arc<Shape>>,
    words: Option<Arc<Vocabulary>>,
}

fn places(many: &[&LabelledGraph]) -> Vec<usize> {
    many.iter().map(|g| std::ptr::from_ref::<LabelledGraph>(g).addr()).collect()
}

fn sources(rates: &Rates) -> (Sources, Sources) {
    (rates.vertex.sources.clone(), rates.edge.sources.clone())
}

impl Shapes {
    /// With `cache`, distances between texts are cached, too.
    pub(super) fn new(rates: &Rates, many: &[&LabelledGraph], cache: bool) -> Self {
        let mut shapes: Vec<Shape> = parallel::map(many.len(), 16, &|g| Shape::new(many[g], rates));
        if cache {
            TextTable::share(&mut shapes.iter_mut().map(|s| &mut s.vertex_labels).collect::<Vec<_>>());
            TextTable::share(&mut shapes.iter_mut().map(|s| &mut s.edge_labels).collect::<Vec<_>>());
        }
        let words = Vocabulary::new(shapes.iter()).map(Arc::new);
        let all = shapes.into_iter().map(Arc::new).collect();
        Self { places: places(many), sources: sources(rates), all, words }
    }

    /// The cached shapes of these graphs, or new ones.
    pub(super) fn cached<'s>(rates: &Rates, many: &[&'s LabelledGraph], cache: &mut SearchCache<'s>) -> Self {
        let is_of = |s: &&Self| s.places == places(many) && s.sources == sources(rates);
        if let Some(shapes) = cache.get::<Self>().filter(is_of) {
            return shapes.clone();
        }
        let shapes = Self::new(rates, many, true);
        cache.insert(shapes.clone());
        shapes
    }
}

/// Prepared graphs with the costs they were prepared for.
pub(super) struct Profiles {
    d: GraphEdit,
    many: Vec<Profile>,
    known: Option<(Arc<Vocabulary>, Estimates)>,
}

impl Profiles {
    pub(super) fn new(d: &GraphEdit, shapes: Shapes) -> Self {
        let many: Vec<Profile> = shapes.all.into_iter().map(|s| Profile::priced(s, &d.rates)).collect();
        let known = shapes.words.map(|words| {
            let estimates = Estimates::new(&words, &many, &d.rates);
            (words, estimates)
        });
        Self { d: d.clone(), many, known }
    }

    /// A graph from outside in terms of the vocabulary.
    fn newcomer(&self, one: &Profile) -> Newcomer {
        match &self.known {
            Some((words, estimates)) => Newcomer::new(one, words, estimates, &self.many, &self.d.rates),
            None => Newcomer::default(),
        }
    }

    fn lookup<'a>(&'a self, one: &'a Newcomer, graph: usize) -> Option<Lookup<'a>> {
        self.known.as_ref().map(|(words, estimates)| Lookup { words, estimates, one, graph, is_first: true })
    }

    fn distance(&self, one: &Profile, index: usize, known: Option<Lookup<'_>>) -> f64 {
        let other = &self.many[index];
        let bounds = with_workspace(|w| w.bounds(&self.d, one, other, false, known));
        self.d.scaled(bounds, one, other).upper
    }
}

/// A bound is summed in a different order than the distance it bounds.
fn with_slack(bound: f64) -> f64 {
    bound - 1e-9 * (1.0 + bound)
}

impl Prepared<LabelledGraph> for Profiles {
    fn fill(&self, one: &LabelledGraph, range: Range<usize>, out: &mut [f64]) {
        let one = Profile::new(one, &self.d.rates);
        let newcomer = (range.len() >= MIN_COMPARISONS).then(|| self.newcomer(&one));
        for (o, index) in out.iter_mut().zip(range) {
            let known = newcomer.as_ref().and_then(|n| self.lookup(n, index));
            *o = self.distance(&one, index, known);
        }
    }

    fn fill_prepared(&self, own: usize, _one: &LabelledGraph, range: Range<usize>, out: &mut [f64]) {
        let newcomer = self.known.as_ref().map(|(words, _)| Newcomer::known(words, own));
        for (o, index) in out.iter_mut().zip(range) {
            let known = newcomer.as_ref().and_then(|n| self.lookup(n, index));
            *o = self.distance(&self.many[own], index, known);
        }
    }

    fn nearest(&self, one: &LabelledGraph, among: &[u32], k: usize) -> Option<Nearest> {
        let one = Profile::new(one, &self.d.rates);
        let newcomer = self.newcomer(&one);
        let scaled = |bound: f64, other: &Profile| {
            with_slack(self.d.scaled(Bounds { lower: bound, upper: 0.0 }, &one, other).lower)
        };
        // The smallest bound first: if it is from sizes only, it is replaced by that of BRANCH-FAST; otherwise the
        // pair is measured. No search with the same bounds measures fewer pairs.
        let mut open: BinaryHeap<Reverse<Candidate>> = among
            .iter()
            .map(|&index| {
                let other = &self.many[index as usize];
                Reverse(Candidate { bound: scaled(one.size_bound(other), other), index, is_tight: false })
            })
            .collect();
        // The k best so far, by distance and then by index.
        let mut found: Vec<(u32, f64)> = Vec::with_capacity(k + 1);
        let mut measured = 0;
        while let Some(Reverse(next)) = open.pop() {
            if found.len() == k && found.last().is_none_or(|last| next.bound > last.1) {
                break;
            }
            let index = next.index as usize;
            let known = self.lookup(&newcomer, index);
            if !next.is_tight {
                let other = &self.many[index];
                let lower = with_workspace(|w| w.lower(&self.d, &one, other, known));
                let bound = scaled(lower, other).max(next.bound);
                open.push(Reverse(Candidate { bound, is_tight: true, ..next }));
                continue;
            }
            let distance = self.distance(&one, index, known);
            measured += 1;
            let at = found.partition_point(|&(i, d)| (d, i) < (distance, next.index));
            found.insert(at, (next.index, distance));
            found.truncate(k);
        }
        let close = found.iter().take_while(|f| f.1 <= 0.0).map(|f| f.0).collect();
        Some(Nearest { found, close, measured })
    }
}

/// A graph that may be a neighbor.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    bound: f64,
    index: u32,
    /// Whether the bound is that of BRANCH-FAST.
    is_tight: bool,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(self.index.cmp(&other.index))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}
