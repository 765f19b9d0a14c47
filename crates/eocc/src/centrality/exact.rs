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

use super::{RegionGraph, log2_sum};
use crate::kernel;
use crate::knn::nearest;
use crate::membership::Scale;
use crate::paths::{AllPaths, At};
use crate::stats::percentile;

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
    let repairs = repairs(region, paths, &change.lost);
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
    fn of(&self, source: usize) -> &[(u16, f64)] {
        &self.grown[self.start[source]..self.start[source + 1]]
    }
}

/// Searches anew for every vertex that is reached by way of a lost edge.
fn repairs(region: &RegionGraph, paths: &AllPaths, lost: &[(u32, u32)]) -> Repairs {
    let graph = region.graph();
    let n = graph.vertices();
    let mut grown: Vec<(u16, f64)> = Vec::new();
    let mut start = Vec::with_capacity(n + 1);
    let mut is_cut = vec![false; n];
    for &(a, b) in lost {
        is_cut[a as usize] = true;
        is_cut[b as usize] = true;
    }
    let is_lost = |v: u32, w: u32| {
        is_cut[v as usize] && is_cut[w as usize] && lost.binary_search(&(v.min(w), v.max(w))).is_ok()
    };
    // Tentative distances of affected vertices; NAN marks the others.
    let mut tentative = vec![f64::NAN; n];
    let mut affected: Vec<u16> = Vec::new();
    let mut heap = BinaryHeap::new();
    for source in 0..n {
        start.push(grown.len());
        let tree = paths.tree(source);
        affected.clear();
        for &(a, b) in lost {
            let below = if u32::from(tree.parent[b as usize]) == a {
                b
            } else if u32::from(tree.parent[a as usize]) == b {
                a
            } else {
                continue;
            };
            for &u in tree.below(below as u16) {
                if tentative[u as usize].is_nan() {
                    tentative[u as usize] = f64::INFINITY;
                    affected.push(u);
                }
            }
        }
        if affected.is_empty() {
            continue;
        }
        let known = paths.distances(source);
        for &u in &affected {
            let mut best = f64::INFINITY;
            for (w, length) in graph.edges(u as usize) {
                if tentative[w as usize].is_nan() && !is_lost(u32::from(u), w) {
                    best = best.min(known[w as usize] + length);
                }
            }
            if best < tentative[u as usize] {
                // Not written yet: a neighbour in the slice must not take it for a known distance.
                heap.push(At { distance: best, vertex: u32::from(u) });
            }
        }
        while let Some(At { distance, vertex }) = heap.pop() {
            if distance >= tentative[vertex as usize] {
                continue;
            }
            tentative[vertex as usize] = distance;
            for (w, length) in graph.edges(vertex as usize) {
                let through = distance + length;
                if through < tentative[w as usize] && !is_lost(vertex, w) {
                    heap.push(At { distance: through, vertex: w });
                }
            }
        }
        for &u in &affected {
            grown.push((u, tentative[u as usize]));
            tentative[u as usize] = f64::NAN;
        }
    }
    start.push(grown.len());
    Repairs { start, grown }
}
