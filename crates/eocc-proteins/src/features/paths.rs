//! Shortest paths in steps: their mean length, closeness and betweenness.

use crate::sparse::SparseGraph;

/// Aggregates of all shortest paths.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct PathFeatures {
    /// Mean length over all connected pairs of vertices.
    pub(super) mean_length: f64,
    /// Mean closeness of the vertices: with `r` reachable others at a total of `s` steps, `(r / s) (r / (n - 1))`; 0
    /// if none is reachable.
    pub(super) closeness: f64,
    /// The largest betweenness of a vertex: the fraction of shortest paths between two others that pass through it,
    /// over all pairs of others.
    pub(super) betweenness: f64,
}

/// By a search from each vertex (U. Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical
/// Sociology 25, 2001). `None` if stopped.
pub(super) fn path_features(graph: &SparseGraph, stop: &dyn Fn() -> bool) -> Option<PathFeatures> {
    let n = graph.vertices();
    let (mut total, mut pairs, mut closeness) = (0_u64, 0_u64, 0.0);
    let mut between = vec![0.0; n];
    let mut search =
        Search { steps: vec![u32::MAX; n], ways: vec![0.0; n], order: Vec::new(), share: vec![0.0; n] };
    for start in 0..n {
        if stop() {
            return None;
        }
        search.run(graph, start);
        let reached = search.order.len() - 1;
        let sum: u64 = search.order.iter().map(|&v| u64::from(search.steps[v])).sum();
        total += sum;
        pairs += reached as u64;
        if sum > 0 {
            let reached = reached as f64;
            closeness += reached / sum as f64 * (reached / (n as f64 - 1.0));
        }
        search.add_shares(graph, &mut between);
    }
    // Each pair of others was counted from both of its ends.
    let pairs_of_others = (n as f64 - 1.0) * (n as f64 - 2.0);
    Some(PathFeatures {
        mean_length: if pairs > 0 { total as f64 / pairs as f64 } else { 0.0 },
        closeness: if n > 0 { closeness / n as f64 } else { 0.0 },
        betweenness: if n > 2 {
            between.iter().fold(0.0, |a: f64, b| a.max(*b)) / pairs_of_others
        } else {
            0.0
        },
    })
}

struct Search {
    /// Steps from the start; `u32::MAX` if not reached.
    steps: Vec<u32>,
    /// Number of shortest paths from the start.
    ways: Vec<f64>,
    /// Vertices in the order they were reached.
    order: Vec<usize>,
    /// Fraction of the paths to vertices farther out that pass through this one.
    share: Vec<f64>,
}

impl Search {
    fn run(&mut self, graph: &SparseGraph, start: usize) {
        self.steps.fill(u32::MAX);
        self.ways.fill(0.0);
        self.order.clear();
        self.order.push(start);
        (self.steps[start], self.ways[start]) = (0, 1.0);
        let mut next = 0;
        while let Some(&v) = self.order.get(next) {
            next += 1;
            for &w in graph.neighbors(v) {
                let w = w as usize;
                if self.steps[w] == u32::MAX {
                    self.steps[w] = self.steps[v] + 1;
                    self.order.push(w);
                }
                if self.steps[w] == self.steps[v] + 1 {
                    self.ways[w] += self.ways[v];
                }
            }
        }
    }

    fn add_shares(&mut self, graph: &SparseGraph, between: &mut [f64]) {
        self.share.fill(0.0);
        for &w in self.order.iter().skip(1).rev() {
            let each = (1.0 + self.share[w]) / self.ways[w];
            for &v in graph.neighbors(w) {
                let v = v as usize;
                if self.steps[v] + 1 == self.steps[w] {
                    self.share[v] += self.ways[v] * each;
                }
            }
            between[w] += self.share[w];
        }
    }
}

/// The mean fraction of pairs of neighbors of a vertex that are neighbors themselves; 0 for a vertex with fewer than
/// two.
pub(super) fn clustering(graph: &SparseGraph) -> f64 {
    let n = graph.vertices();
    let mut is_neighbor = vec![false; n];
    let mut sum = 0.0;
    for v in 0..n {
        let neighbors = graph.neighbors(v);
        if neighbors.len() < 2 {
            continue;
        }
        for &w in neighbors {
            is_neighbor[w as usize] = true;
        }
        let linked: usize = neighbors
            .iter()
            .map(|&w| graph.neighbors(w as usize).iter().filter(|u| is_neighbor[**u as usize]).count())
            .sum();
        for &w in neighbors {
            is_neighbor[w as usize] = false;
        }
        sum += linked as f64 / (neighbors.len() * (neighbors.len() - 1)) as f64;
    }
    if n > 0 { sum / n as f64 } else { 0.0 }
}
