//! Weighted shortest paths.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::error::{ErrorKind, Result};
use crate::graph::KnnGraph;
use crate::observer::Observer;
use crate::parallel;

/// No vertex: the parent of a source or of an unreachable vertex.
pub(crate) const NONE: u16 = u16::MAX;

/// A vertex at a tentative distance; the heap gives the nearest first, ties by index.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct At {
    pub(crate) distance: f64,
    pub(crate) vertex: u32,
}

impl Eq for At {}

impl Ord for At {
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.vertex.cmp(&self.vertex))
    }
}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Runs Dijkstra's algorithm from the vertices already in `heap`, with their distances in `distance`. Calls
/// `settle(v, from)` whenever the distance of `v` was lowered through `from`.
pub(crate) fn dijkstra(
    graph: &KnnGraph,
    heap: &mut BinaryHeap<At>,
    distance: &mut [f64],
    mut lowered: impl FnMut(u32, u32),
) {
    while let Some(At { distance: d, vertex: v }) = heap.pop() {
        if d > distance[v as usize] {
            continue;
        }
        for (w, length) in graph.edges(v as usize) {
            let through = d + length;
            if through < distance[w as usize] {
                distance[w as usize] = through;
                lowered(w, v);
                heap.push(At { distance: through, vertex: w });
            }
        }
    }
}

/// Distances from one vertex to all; infinite if there is no path.
pub fn from_vertex(graph: &KnnGraph, source: usize) -> Vec<f64> {
    let mut distance = vec![f64::INFINITY; graph.vertices()];
    distance[source] = 0.0;
    let mut heap = BinaryHeap::from([At { distance: 0.0, vertex: source as u32 }]);
    dijkstra(graph, &mut heap, &mut distance, |_, _| {});
    distance
}

/// Like [`from_vertex`], for sums of `2^-d`: stops at the distance from which all remaining terms together add less
/// than `share` of the sum. Unreached vertices are infinitely far.
pub fn from_vertex_within(graph: &KnnGraph, source: usize, share: f64) -> Vec<f64> {
    let n = graph.vertices();
    let mut distance = vec![f64::INFINITY; n];
    distance[source] = 0.0;
    let mut is_settled = vec![false; n];
    let mut heap = BinaryHeap::from([At { distance: 0.0, vertex: source as u32 }]);
    // The source itself is not a term of the sum.
    let (mut sum, mut left) = (0.0, n);
    while let Some(At { distance: d, vertex: v }) = heap.pop() {
        if is_settled[v as usize] {
            continue;
        }
        let term = (-d).exp2();
        if left as f64 * term < share * sum {
            break;
        }
        is_settled[v as usize] = true;
        left -= 1;
        sum += if v as usize == source { 0.0 } else { term };
        for (w, length) in graph.edges(v as usize) {
            let through = d + length;
            if through < distance[w as usize] {
                distance[w as usize] = through;
                heap.push(At { distance: through, vertex: w });
            }
        }
    }
    for (d, is_settled) in distance.iter_mut().zip(is_settled) {
        *d = if is_settled { *d } else { f64::INFINITY };
    }
    distance
}

/// Distances from a newcomer joined to some vertices by edges of these lengths, which only the newcomer uses.
pub fn from_links(graph: &KnnGraph, links: &[(u32, f64)]) -> Vec<f64> {
    let mut distance = vec![f64::INFINITY; graph.vertices()];
    let mut heap = BinaryHeap::new();
    for &(v, length) in links {
        distance[v as usize] = length;
        heap.push(At { distance: length, vertex: v });
    }
    dijkstra(graph, &mut heap, &mut distance, |_, _| {});
    distance
}

/// All shortest paths of a graph: distances, their closeness `2^-d`, and the tree of each source.
///
/// Takes 24 bytes per pair of vertices, and supports at most 65 535 vertices.
#[derive(Debug, Clone)]
pub struct AllPaths {
    n: usize,
    distance: Vec<f64>,
    nearness: Vec<f64>,
    trees: Vec<Tree>,
}

/// The shortest-path tree of one source in preorder, so that the vertices below any vertex form one slice.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    /// Interleaved, since they are used together.
    nodes: Vec<Node>,
    order: Vec<u16>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u16,
    /// Where in the preorder the vertex and those below it begin, and how many they are.
    place: u16,
    size: u16,
}

/// Bytes of [`AllPaths`] per pair of vertices.
pub(crate) const BYTES_PER_PAIR: u64 = 24;
/// Maximum number of vertices of [`AllPaths`].
pub(crate) const MAX_VERTICES: usize = u16::MAX as usize;

impl AllPaths {
    /// All pairs of `graph`, source by source.
    ///
    /// # Panics
    /// If there are more than 65 535 vertices; exact scoring refuses such regions first.
    pub fn new(graph: &KnnGraph) -> Self {
        let none = || Self { n: 0, distance: Vec::new(), nearness: Vec::new(), trees: Vec::new() };
        // It cannot be cancelled.
        Self::unless(graph, || false).unwrap_or_else(none)
    }

    /// Like [`new`](Self::new), reporting to the observer; fails only if that cancels.
    ///
    /// # Panics
    /// As [`AllPaths::new`].
    pub fn new_watched(graph: &KnnGraph, observer: &dyn Observer) -> Result<Self> {
        Self::unless(graph, || observer.is_cancelled()).ok_or_else(|| ErrorKind::Cancelled.into())
    }

    /// `None` if cancelled, which is checked before each source.
    fn unless(graph: &KnnGraph, is_cancelled: impl Fn() -> bool + Sync) -> Option<Self> {
        let n = graph.vertices();
        assert!(n <= MAX_VERTICES, "too many vertices for all shortest paths");
        let mut distance = vec![f64::INFINITY; n * n];
        let mut nearness = vec![0.0; n * n];
        let rows = distance.chunks_mut(n.max(1)).zip(nearness.chunks_mut(n.max(1)));
        let mut rows: Vec<(&mut [f64], &mut [f64], Option<Tree>)> =
            rows.map(|(distance, nearness)| (distance, nearness, None)).collect();
        let stopped = parallel::try_for_each_chunk(&mut rows, 1, &|source, row| {
            let Some((distance, nearness, tree)) = row.first_mut() else { return Ok(()) };
            if is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            let mut parent = vec![NONE; n];
            distance[source] = 0.0;
            let mut heap = BinaryHeap::from([At { distance: 0.0, vertex: source as u32 }]);
            dijkstra(graph, &mut heap, distance, |w, v| parent[w as usize] = v as u16);
            for (e, d) in nearness.iter_mut().zip(distance.iter()) {
                *e = (-d).exp2();
            }
            *tree = Some(Tree::new(parent, source));
            Ok(())
        });
        stopped.ok()?;
        let trees = rows.into_iter().map(|(_, _, tree)| tree).collect::<Option<Vec<Tree>>>()?;
        Some(Self { n, distance, nearness, trees })
    }

    /// Distances from `v` to all.
    pub fn distances(&self, v: usize) -> &[f64] {
        &self.distance[v * self.n..(v + 1) * self.n]
    }

    /// `2^-d` from `v` to all; 1 for `v` itself.
    pub fn nearness(&self, v: usize) -> &[f64] {
        &self.nearness[v * self.n..(v + 1) * self.n]
    }

    pub(crate) fn tree(&self, v: usize) -> &Tree {
        &self.trees[v]
    }
}

impl Tree {
    fn new(parent: Vec<u16>, source: usize) -> Self {
        let n = parent.len();
        // Children by counting sort.
        let mut start = vec![0_u32; n + 1];
        for &p in parent.iter().filter(|p| **p != NONE) {
            start[p as usize + 1] += 1;
        }
        for v in 0..n {
            start[v + 1] += start[v];
        }
        let mut children = vec![0_u16; start[n] as usize];
        let mut next = start.clone();
        for (v, &p) in parent.iter().enumerate().filter(|(_, p)| **p != NONE) {
            children[next[p as usize] as usize] = v as u16;
            next[p as usize] += 1;
        }
        let mut order = Vec::with_capacity(n);
        let mut place = vec![0_u16; n];
        let mut stack = vec![source as u16];
        while let Some(v) = stack.pop() {
            place[v as usize] = order.len() as u16;
            order.push(v);
            stack.extend_from_slice(&children[start[v as usize] as usize..start[v as usize + 1] as usize]);
        }
        let mut size = vec![1_u16; n];
        for &v in order.iter().rev() {
            let p = parent[v as usize];
            if p != NONE {
                size[p as usize] += size[v as usize];
            }
        }
        let node = |v: usize| Node { parent: parent[v], place: place[v], size: size[v] };
        Self { nodes: (0..n).map(node).collect(), order }
    }

    /// `v` and all vertices whose path leads through it.
    pub(crate) fn below(&self, v: u16) -> &[u16] {
        let node = self.nodes[v as usize];
        &self.order[node.place as usize..node.place as usize + node.size as usize]
    }

    /// The vertex before `v` on the path from the source.
    pub(crate) fn parent(&self, v: u16) -> u16 {
        self.nodes[v as usize].parent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knn::{KnnLists, nearest_of_points};
    use crate::matrix::Matrix;

    fn path_of_four() -> KnnGraph {
        // 0 - 1 - 2 - 3 with lengths 1, 2, 4.
        KnnGraph::from_lists(&KnnLists::new(vec![1, 0, 1, 2], vec![1.0, 1.0, 2.0, 4.0], 1))
    }

    #[test]
    fn a_path_matches_hand_computation() {
        let g = path_of_four();
        assert_eq!(from_vertex(&g, 0), [0.0, 1.0, 3.0, 7.0]);
        assert_eq!(from_links(&g, &[(1, 0.5), (3, 1.0)]), [1.5, 0.5, 2.5, 1.0]);
        let all = AllPaths::new(&g);
        assert_eq!(all.distances(2), [3.0, 2.0, 0.0, 4.0]);
        assert_eq!(all.nearness(2), [0.125, 0.25, 1.0, 0.0625]);
        let mut below = all.tree(0).below(1).to_vec();
        below.sort_unstable();
        assert_eq!(below, [1, 2, 3]);
    }

    #[test]
    fn unreachable_vertices_are_infinitely_far() {
        let points = Matrix::new(vec![0.0, 1.0, 50.0, 51.0], 4, 1);
        let all = AllPaths::new(&KnnGraph::from_lists(&nearest_of_points(&points, 1)));
        assert!(all.distances(0)[2].is_infinite());
        assert_eq!(all.nearness(0), [1.0, 0.5, 0.0, 0.0]);
        assert_eq!(all.tree(0).below(0), [0, 1]);
    }
}
