//! Exact scoring: the closeness of every vertex after a newcomer has joined the graph and the lists were updated,
//! without recomputing all pairs.
//!
//! Two things happen when `x` joins [LA17, sec. III-C]. Some vertices take `x` into their list and drop their
//! farthest neighbor, so an edge is lost if neither end lists the other any longer; and `x` adds edges of its own. So
//! distances grow only below a lost edge in the shortest-path tree of a source: that is one slice of the tree's
//! preorder, repaired by a search inside the slice. They shrink only through `x`, where `2^-d(v,u)` becomes
//! `max(2^-d(v,u), 2^-d(v,x) 2^-d(x,u))`: one multiplication and one maximum per pair, and no power. The slow twin
//! recomputes everything (`eocc-oracle`).

use std::collections::BinaryHeap;
use std::ops::Range;

use super::{RegionGraph, log2_sum};
use crate::graph::KnnGraph;
use crate::kernel;
use crate::membership::Scale;
use crate::paths::{AllPaths, At};
use crate::select::keep_smallest;
use crate::stats::percentile;

/// Two sums of the same lengths in different orders differ by less than this fraction, for paths of up to a million
/// edges.
const ROUNDING: f64 = 1e-9;

/// Newcomers in a batch: their state fits the cache next to the rows of the current source.
const BATCH_SIZE: usize = 32;

/// The result for the newcomer after joining.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rejoined {
    /// `log2 chi(x)`.
    pub log_chi: f64,
    /// `diff(x) = chi* - chi(x)` [LA17, eq. 9].
    pub difference: f64,
    /// The percentile `t` of all differences [LA17, eq. 10].
    pub threshold: f64,
    /// `chi*`, the largest closeness.
    pub largest: f64,
}

/// Joins a newcomer with these distances to the region's vertices, ascending by vertex. Vertices may be omitted that
/// are neither among the nearest nor would take the newcomer into their list.
pub fn rejoin(region: &RegionGraph, to: &[(u32, f64)], l: f64, scale: Scale) -> Rejoined {
    let mut join = [Join::new(region, to)];
    run(region, &mut join);
    let [join] = join;
    join.finish(l, scale)
}

/// Like [`rejoin`], for many newcomers, each on its own: the stored data of each source is read once per batch.
pub fn rejoin_all(region: &RegionGraph, all: &[Vec<(u32, f64)>], l: f64, scale: Scale) -> Vec<Rejoined> {
    let mut joined = Vec::with_capacity(all.len());
    for batch in all.chunks(BATCH_SIZE) {
        let mut joins: Vec<Join> = batch.iter().map(|to| Join::new(region, to)).collect();
        run(region, &mut joins);
        joined.extend(joins.into_iter().map(|join| join.finish(l, scale)));
    }
    joined
}

fn run(region: &RegionGraph, joins: &mut [Join]) {
    let n = region.vertices();
    let mut search = Search::new(region);
    for source in 0..n {
        for join in &mut *joins {
            join.repair(source, &mut search);
        }
    }
    for join in &mut *joins {
        join.near_x = join.from_x.iter().map(|d| (-d).exp2()).collect();
    }
    for v in 0..n {
        for join in &mut *joins {
            join.add_closeness(v, region.paths().nearness(v));
        }
    }
}

/// A newcomer being joined to the graph.
struct Join {
    change: Change,
    /// Whether a vertex has lost an edge.
    is_cut: Vec<bool>,
    /// Sources with the lost edges that their shortest paths may use, near end first, sorted; and how many are done.
    over: Vec<(u32, u16, u16)>,
    done: usize,
    repairs: Repairs,
    /// Distances from the newcomer, and `2^-d`.
    from_x: Vec<f64>,
    near_x: Vec<f64>,
    /// The closeness of the vertices.
    chi: Vec<f64>,
}

impl Join {
    fn new(region: &RegionGraph, to: &[(u32, f64)]) -> Self {
        let n = region.vertices();
        let change = Change::from_newcomer(region, to);
        let mut is_cut = vec![false; n];
        for &(a, b) in &change.lost {
            is_cut[a as usize] = true;
            is_cut[b as usize] = true;
        }
        let over = sources_over(region, &change.lost);
        let repairs = Repairs { start: Vec::with_capacity(n + 1), grown: Vec::new() };
        let (from_x, chi) = (vec![f64::INFINITY; n], vec![0.0; n]);
        Self { change, is_cut, over, done: 0, repairs, from_x, near_x: Vec::new(), chi }
    }

    /// Repeats the search for the vertices that `source` reached through a lost edge, and routes the newcomer through
    /// `source` if the two are joined.
    fn repair(&mut self, source: usize, search: &mut Search) {
        self.repairs.start.push(self.repairs.grown.len());
        let begin = self.done;
        while self.over.get(self.done).is_some_and(|o| o.0 as usize == source) {
            self.done += 1;
        }
        if begin < self.done {
            search.mark(source, &self.over[begin..self.done]);
            if !search.affected.is_empty() {
                search.run(source as u16, self);
                let found = search.affected.iter().copied().zip(search.distance.iter().copied());
                self.repairs.grown.extend(found);
            }
        }
        if let Ok(at) = self.change.joined.binary_search_by_key(&(source as u32), |j| j.0) {
            let length = self.change.joined[at].1;
            let known = search.paths.distances(source);
            let grown = &self.repairs.grown[self.repairs.start[source]..];
            if grown.is_empty() {
                kernel::min_shifted(&mut self.from_x, length, known);
            } else {
                search.row.clear();
                search.row.extend_from_slice(known);
                for &(u, distance) in grown {
                    search.row[u as usize] = distance;
                }
                kernel::min_shifted(&mut self.from_x, length, &search.row);
            }
        }
    }

    /// Adds the nearness between `v` and the vertices before it, and the distances that have grown at `v`.
    fn add_closeness(&mut self, v: usize, row: &[f64]) {
        let scale = self.near_x[v];
        // A pair counts the same at both ends, so half of the pairs are read.
        let own = kernel::share_max(&row[..v], scale, &self.near_x[..v], &mut self.chi[..v]);
        let grown: f64 = self
            .repairs
            .grown_at(v)
            .iter()
            .map(|&(u, distance)| {
                let via = scale * self.near_x[u as usize];
                (-distance).exp2().max(via) - row[u as usize].max(via)
            })
            .sum();
        self.chi[v] += own + scale + grown;
    }

    fn finish(self, l: f64, scale: Scale) -> Rejoined {
        let Self { mut chi, from_x, near_x, .. } = self;
        let n = chi.len();
        let log_chi = log2_sum(from_x.iter().copied());
        chi.push(near_x.iter().sum());
        let largest = chi.iter().copied().fold(0.0, f64::max);
        match scale {
            Scale::Linear => chi.iter_mut().for_each(|c| *c = largest - *c),
            Scale::Logarithmic => chi.iter_mut().for_each(|c| *c = largest.log2() - c.log2()),
        }
        let difference = match scale {
            Scale::Linear => chi[n],
            // `2^-d` may underflow; its logarithm does not.
            Scale::Logarithmic => (largest.log2() - log_chi).max(0.0),
        };
        Rejoined { log_chi, difference, threshold: percentile(&mut chi, l), largest }
    }
}

/// The changes to the graph.
struct Change {
    /// Vertices with an edge to the newcomer, ascending, and its length.
    joined: Vec<(u32, f64)>,
    /// Lost edges, lower end first.
    lost: Vec<(u32, u32)>,
}

impl Change {
    fn from_newcomer(region: &RegionGraph, to: &[(u32, f64)]) -> Self {
        let lists = region.lists();
        let k = lists.width();
        let last = |v: u32| lists.neighbors(v as usize, k)[k - 1];
        // The newcomer has the last index: it enters a list only if strictly nearer than the last entry.
        let is_taken = |near: &&(u32, f64)| near.1 < lists.lengths(near.0 as usize, k)[k - 1];
        let takers: Vec<(u32, f64)> = to.iter().filter(is_taken).copied().collect();
        let takes = |v: u32| takers.binary_search_by_key(&v, |t| t.0).is_ok();
        let mut lost: Vec<(u32, u32)> = Vec::new();
        for &(v, _) in &takers {
            let w = last(v);
            let w_lists_v = lists.neighbors(w as usize, k).contains(&v) && !(last(w) == v && takes(w));
            if !w_lists_v {
                lost.push((v.min(w), v.max(w)));
            }
        }
        lost.sort_unstable();
        lost.dedup();
        let mut joined = to.to_vec();
        keep_smallest(&mut joined, k);
        joined.extend_from_slice(&takers);
        joined.sort_unstable_by_key(|near| near.0);
        joined.dedup_by_key(|near| near.0);
        Self { joined, lost }
    }

    /// The vertices that `v` is no longer joined to.
    fn lost_at(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        self.lost.iter().filter(move |e| e.0 == v || e.1 == v).map(move |e| if e.0 == v { e.1 } else { e.0 })
    }
}

/// Distances that have grown, by source, for the finished sources.
struct Repairs {
    start: Vec<usize>,
    grown: Vec<(u16, f64)>,
}

impl Repairs {
    fn grown_at(&self, source: usize) -> &[(u16, f64)] {
        let end = self.start.get(source + 1).copied().unwrap_or(self.grown.len());
        &self.grown[self.start[source]..end]
    }
}

/// Sources with the lost edges that their shortest paths may use, near end first, sorted.
fn sources_over(region: &RegionGraph, lost: &[(u32, u32)]) -> Vec<(u32, u16, u16)> {
    let paths = region.paths();
    let mut over = Vec::new();
    for &(a, b) in lost {
        let length = region.graph().edges(a as usize).find(|edge| edge.0 == b).map_or(0.0, |edge| edge.1);
        let rows = paths.distances(a as usize).iter().zip(paths.distances(b as usize));
        for ((&to_a, &to_b), source) in rows.zip(0..) {
            // A path uses an edge only if one end is farther from the source than the other by the edge's length.
            // Slightly less counts, too: the two directions of a path may differ by rounding.
            let least = length - ROUNDING * (to_a + to_b);
            let ahead = to_b - to_a;
            if ahead >= least {
                over.push((source, a as u16, b as u16));
            }
            // Both, if the length is lost in rounding.
            if -ahead >= least {
                over.push((source, b as u16, a as u16));
            }
        }
    }
    over.sort_unstable();
    over
}

/// Working memory of the search from one source in the graph without the lost edges.
struct Search<'a> {
    graph: &'a KnnGraph,
    paths: &'a AllPaths,
    /// The vertices that were reached through a lost edge.
    affected: Vec<u16>,
    /// The position of a vertex among the affected ones, plus one; 0 for all others.
    place: Vec<u16>,
    /// Distances of the affected vertices, infinite until found.
    distance: Vec<f64>,
    /// Edges between them, by position, and where those of each begin.
    inner: Vec<(u16, f64)>,
    inner_of: Vec<Range<usize>>,
    heap: BinaryHeap<At>,
    /// Neighbors that the current vertex has lost.
    gone: Vec<u32>,
    row: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(region: &'a RegionGraph) -> Self {
        Self {
            graph: region.graph(),
            paths: region.paths(),
            affected: Vec::new(),
            place: vec![0; region.vertices()],
            distance: Vec::new(),
            inner: Vec::new(),
            inner_of: Vec::new(),
            heap: BinaryHeap::new(),
            gone: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Finds the distances of the affected vertices of `source`, given those of earlier sources.
    fn run(&mut self, source: u16, join: &Join) {
        let known = self.paths.distances(source as usize);
        self.distance.clear();
        for (&u, at) in self.affected.iter().zip(1..) {
            self.place[u as usize] = at;
            // A distance is the same from both ends: search only for later vertices.
            self.distance.push(if u < source {
                let seen = join.repairs.grown_at(u as usize).iter().find(|g| g.0 == source);
                seen.map_or(known[u as usize], |g| g.1)
            } else {
                f64::INFINITY
            });
        }
        self.inner.clear();
        self.inner_of.clear();
        for at in 0..self.affected.len() {
            let u = self.affected[at];
            let begin = self.inner.len();
            if u > source {
                let best = self.outside(u, known, join);
                if best < f64::INFINITY {
                    // Not written yet: a neighbor in the slice must not take it for a known distance.
                    self.heap.push(At { distance: best, vertex: at as u32 });
                }
            }
            self.inner_of.push(begin..self.inner.len());
        }
        while let Some(At { distance, vertex }) = self.heap.pop() {
            if distance >= self.distance[vertex as usize] {
                continue;
            }
            self.distance[vertex as usize] = distance;
            for &(w, length) in &self.inner[self.inner_of[vertex as usize].clone()] {
                if distance + length < self.distance[w as usize] {
                    self.heap.push(At { distance: distance + length, vertex: u32::from(w) });
                }
            }
        }
        for &u in &self.affected {
            self.place[u as usize] = 0;
        }
    }

    /// The distance of an affected vertex through neighbors with known distances; edges to the others are stored.
    fn outside(&mut self, u: u16, known: &[f64], join: &Join) -> f64 {
        let u = u32::from(u);
        self.gone.clear();
        if join.is_cut[u as usize] {
            self.gone.extend(join.change.lost_at(u));
        }
        let mut best = f64::INFINITY;
        for (w, length) in self.graph.edges(u as usize) {
            if self.gone.contains(&w) {
                continue;
            }
            let at = self.place[w as usize];
            let to_w = if at == 0 { known[w as usize] } else { self.distance[at as usize - 1] };
            if to_w + length < best {
                best = to_w + length;
            } else if at > 0 && to_w.is_infinite() {
                self.inner.push((at - 1, length));
            }
        }
        best
    }

    /// Finds the vertices below a lost edge in the tree of `source`; `over` lists the edges its paths may use.
    fn mark(&mut self, source: usize, over: &[(u32, u16, u16)]) {
        let tree = self.paths.tree(source);
        self.affected.clear();
        for &(_, near, far) in over {
            // Two slices of a preorder are disjoint or nested.
            if tree.parent(far) == near && !self.affected.contains(&far) {
                let slice = tree.below(far);
                if slice.len() > 1 {
                    self.affected.retain(|u| !slice.contains(u));
                }
                self.affected.extend_from_slice(slice);
            }
        }
    }
}
