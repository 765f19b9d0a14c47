//! Exact scoring: the closeness of every vertex after a newcomer has joined the graph and its lists have been
//! redone, without recomputing all pairs.
//!
//! Two things happen when `x` joins [LA17, sec. III-C]. Some vertices take `x` into their list and drop their
//! farthest neighbour, and an edge is lost where neither end lists the other any more; and `x` brings edges of its
//! own. So distances grow only below a lost edge in the shortest-path tree of a source, which is one slice of the
//! tree's preorder and is repaired by a search inside that slice; and they shrink only by way of `x`, where
//! `2^-d(v,u)` becomes `max(2^-d(v,u), 2^-d(v,x) 2^-d(x,u))`: one multiplication and one maximum a pair, and no
//! power. The slow twin recomputes everything (`eocc-oracle`).

use std::collections::BinaryHeap;
use std::ops::Range;

use super::{RegionGraph, log2_sum};
use crate::graph::Graph;
use crate::kernel;
use crate::knn::nearest;
use crate::membership::Scale;
use crate::paths::{AllPaths, At};
use crate::stats::percentile;

/// Two sums of the same lengths in another order differ by less than this share, for paths of up to a million edges.
const ROUNDING: f64 = 1e-9;

/// What the newcomer finds after joining.
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

/// Joins a newcomer with these distances to the region's vertices.
pub fn rejoin(region: &RegionGraph, to: &[f64], l: f64, scale: Scale) -> Rejoined {
    let n = region.vertices();
    let change = Change::of(region, to);
    let paths = region.paths();
    let repairs = Repairs::of_all(region, &change.lost);
    // Distances from x: by one of its edges, then along what is left of the old graph.
    let mut from_x = vec![f64::INFINITY; n];
    let mut row = Vec::with_capacity(n);
    for &v in &change.joined {
        row.clear();
        row.extend_from_slice(paths.distances(v as usize));
        for &(u, distance) in repairs.of(v as usize) {
            row[u as usize] = distance;
        }
        kernel::min_shifted(&mut from_x, to[v as usize], &row);
    }
    let near_x: Vec<f64> = from_x.iter().map(|d| (-d).exp2()).collect();
    let mut chi = Vec::with_capacity(n + 1);
    for v in 0..n {
        let row = paths.nearness(v);
        let scale = near_x[v];
        // Without the vertex itself, whose entry is 1.
        let mut sum = kernel::sum_of_max(&row[..v], scale, &near_x[..v])
            + kernel::sum_of_max(&row[v + 1..], scale, &near_x[v + 1..])
            + scale;
        for &(u, distance) in repairs.of(v) {
            let via = scale * near_x[u as usize];
            sum += (-distance).exp2().max(via) - row[u as usize].max(via);
        }
        chi.push(sum);
    }
    let log_chi = log2_sum(from_x.iter().copied());
    chi.push(near_x.iter().sum());
    let largest = chi.iter().copied().fold(0.0, f64::max);
    match scale {
        Scale::Linear => chi.iter_mut().for_each(|c| *c = largest - *c),
        Scale::Logarithmic => chi.iter_mut().for_each(|c| *c = largest.log2() - c.log2()),
    }
    let difference = match scale {
        Scale::Linear => chi[n],
        // Where 2^-d has vanished, its logarithm has not.
        Scale::Logarithmic => (largest.log2() - log_chi).max(0.0),
    };
    Rejoined { log_chi, difference, threshold: percentile(&mut chi, l), largest }
}

/// What changes in the graph.
struct Change {
    /// Vertices with an edge to the newcomer, ascending.
    joined: Vec<u32>,
    /// Edges that are gone, lower end first.
    lost: Vec<(u32, u32)>,
}

impl Change {
    fn of(region: &RegionGraph, to: &[f64]) -> Self {
        let lists = region.lists();
        let (n, k) = (lists.points(), lists.width());
        // The newcomer has the last index: it enters a list only if strictly nearer than the last entry.
        let takes = |v: u32| to[v as usize] < lists.lengths(v as usize, k)[k - 1];
        let last = |v: u32| lists.neighbors(v as usize, k)[k - 1];
        let takers: Vec<u32> = (0..n as u32).filter(|&v| takes(v)).collect();
        let mut joined: Vec<u32> = nearest(to, k, None).into_iter().map(|e| e.0).collect();
        joined.extend_from_slice(&takers);
        joined.sort_unstable();
        joined.dedup();
        let mut lost: Vec<(u32, u32)> = Vec::new();
        for &v in &takers {
            let w = last(v);
            let w_lists_v = lists.neighbors(w as usize, k).contains(&v) && !(takes(w) && last(w) == v);
            if !w_lists_v {
                lost.push((v.min(w), v.max(w)));
            }
        }
        lost.sort_unstable();
        lost.dedup();
        Self { joined, lost }
    }
}

/// Distances that have grown, by source.
struct Repairs {
    start: Vec<usize>,
    grown: Vec<(u16, f64)>,
}

impl Repairs {
    /// Searches anew, from every source, for the vertices that it reached by way of a lost edge.
    fn of_all(region: &RegionGraph, lost: &[(u32, u32)]) -> Self {
        let n = region.vertices();
        let over = sources_over(region, lost);
        let mut search = Search::new(region, lost);
        let mut repairs = Self { start: Vec::with_capacity(n + 1), grown: Vec::new() };
        let mut next = over.as_slice();
        for source in 0..n as u32 {
            repairs.start.push(repairs.grown.len());
            let count = next.iter().take_while(|o| o.0 == source).count();
            let (own, others) = next.split_at(count);
            next = others;
            search.mark(source as usize, own.iter().map(|o| lost[o.1 as usize]));
            if search.affected.is_empty() {
                continue;
            }
            search.run(source as u16, &repairs);
            repairs.grown.extend(search.affected.iter().map(|&u| (u, search.distance[u as usize])));
        }
        repairs.start.push(repairs.grown.len());
        repairs
    }

    fn of(&self, source: usize) -> &[(u16, f64)] {
        &self.grown[self.start[source]..self.start[source + 1]]
    }
}

/// Sources with the numbers of the lost edges that their shortest paths may lead over, sorted.
fn sources_over(region: &RegionGraph, lost: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let paths = region.paths();
    let mut over = Vec::new();
    for (e, &(a, b)) in lost.iter().enumerate() {
        let length = region.graph().edges(a as usize).find(|edge| edge.0 == b).map_or(0.0, |edge| edge.1);
        // A path leads over an edge only if one end is farther from the source than the other by its length. A
        // little less counts too: the two directions of a path may differ by rounding.
        let rows = paths.distances(a as usize).iter().zip(paths.distances(b as usize));
        let is_over = |to_a: f64, to_b: f64| (to_a - to_b).abs() >= length - ROUNDING * (to_a + to_b);
        over.extend(
            rows.zip(0..).filter(|((x, y), _)| is_over(**x, **y)).map(|(_, source)| (source, e as u32)),
        );
    }
    over.sort_unstable();
    over
}

/// The search from one source in the graph without the lost edges, with its scratch space.
struct Search<'a> {
    graph: &'a Graph,
    paths: &'a AllPaths,
    lost: &'a [(u32, u32)],
    /// Whether a vertex has lost an edge.
    is_cut: Vec<bool>,
    /// Distances from the source: as they were, infinite where they must be found anew.
    distance: Vec<f64>,
    /// The vertices that were reached by way of a lost edge.
    affected: Vec<u16>,
    /// Edges between them, and where those of each begin.
    inner: Vec<(u32, f64)>,
    inner_of: Vec<Range<usize>>,
    heap: BinaryHeap<At>,
}

impl<'a> Search<'a> {
    fn new(region: &'a RegionGraph, lost: &'a [(u32, u32)]) -> Self {
        let n = region.vertices();
        let mut is_cut = vec![false; n];
        for &(a, b) in lost {
            is_cut[a as usize] = true;
            is_cut[b as usize] = true;
        }
        Self {
            graph: region.graph(),
            paths: region.paths(),
            lost,
            is_cut,
            distance: vec![0.0; n],
            affected: Vec::new(),
            inner: Vec::new(),
            inner_of: vec![0..0; n],
            heap: BinaryHeap::new(),
        }
    }

    /// Finds the distances of the affected vertices of `source`, given those of the sources before it.
    fn run(&mut self, source: u16, before: &Repairs) {
        let known = self.paths.distances(source as usize);
        let is_search = self.affected.iter().any(|u| *u > source);
        if is_search {
            self.distance.copy_from_slice(known);
        }
        for &u in &self.affected {
            // A distance is the same from both ends: only later vertices must be searched for.
            self.distance[u as usize] = if u < source {
                let seen = before.of(u as usize).iter().find(|g| g.0 == source);
                seen.map_or(known[u as usize], |g| g.1)
            } else {
                f64::INFINITY
            };
        }
        if !is_search {
            return;
        }
        self.inner.clear();
        for &u in self.affected.iter().filter(|u| **u > source) {
            let u = u32::from(u);
            let begin = self.inner.len();
            let may_miss = self.is_cut[u as usize];
            let mut best = f64::INFINITY;
            for (w, length) in self.graph.edges(u as usize) {
                if may_miss && self.is_cut[w as usize] && self.is_lost(u, w) {
                    continue;
                }
                let through = self.distance[w as usize] + length;
                if through < best {
                    best = through;
                } else if through.is_infinite() {
                    self.inner.push((w, length));
                }
            }
            self.inner_of[u as usize] = begin..self.inner.len();
            if best < f64::INFINITY {
                // Not written yet: a neighbour in the slice must not take it for a known distance.
                self.heap.push(At { distance: best, vertex: u });
            }
        }
        while let Some(At { distance, vertex }) = self.heap.pop() {
            if distance >= self.distance[vertex as usize] {
                continue;
            }
            self.distance[vertex as usize] = distance;
            for &(w, length) in &self.inner[self.inner_of[vertex as usize].clone()] {
                if distance + length < self.distance[w as usize] {
                    self.heap.push(At { distance: distance + length, vertex: w });
                }
            }
        }
    }

    fn is_lost(&self, v: u32, w: u32) -> bool {
        self.lost.binary_search(&(v.min(w), v.max(w))).is_ok()
    }

    /// Finds the vertices below a lost edge in the tree of `source`; `lost` are the edges its paths may lead over.
    fn mark(&mut self, source: usize, lost: impl Iterator<Item = (u32, u32)>) {
        let tree = self.paths.tree(source);
        self.affected.clear();
        for (a, b) in lost {
            let below = if u32::from(tree.parent[b as usize]) == a {
                b
            } else if u32::from(tree.parent[a as usize]) == b {
                a
            } else {
                continue;
            };
            // Two slices of a preorder are apart or one is part of the other.
            if !self.affected.contains(&(below as u16)) {
                let slice = tree.below(below as u16);
                self.affected.retain(|u| !slice.contains(u));
                self.affected.extend_from_slice(slice);
            }
        }
    }
}
