//! Modularity of the best partition into communities that is found.

use crate::sparse::SparseGraph;

/// Smaller gains are rounding errors.
const MIN_GAIN: f64 = 1e-12;

/// The modularity of a partition: the fraction of edges within its parts, minus the expected fraction if ends were
/// joined at random; 0 without edges.
pub(super) fn modularity(graph: &SparseGraph, part: &[usize]) -> f64 {
    let twice = 2.0 * graph.edges() as f64;
    if twice == 0.0 {
        return 0.0;
    }
    let parts = part.iter().max().map_or(0, |p| p + 1);
    let (mut within, mut degrees) = (0.0, vec![0.0; parts]);
    for v in 0..graph.vertices() {
        degrees[part[v]] += graph.degree(v) as f64;
        within += graph.neighbors(v).iter().filter(|w| part[**w as usize] == part[v]).count() as f64;
    }
    within / twice - degrees.iter().map(|d| (d / twice) * (d / twice)).sum::<f64>()
}

/// A partition of large modularity by the method of Louvain (V. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre,
/// "Fast unfolding of communities in large networks", Journal of Statistical Mechanics, 2008): vertices move one by
/// one, in order, to the neighboring part where they gain most, until none does; then parts become vertices. Ties go
/// to the part with the lower number, so that the same graph gives the same parts.
pub(super) fn communities(graph: &SparseGraph) -> Vec<usize> {
    let mut level = Level::from_graph(graph);
    let mut part: Vec<usize> = (0..graph.vertices()).collect();
    loop {
        let (moved, count) = level.partition();
        if count == level.weights.len() {
            return part;
        }
        for p in &mut part {
            *p = moved[*p];
        }
        level = level.merged(&moved, count);
    }
}

/// A graph whose vertices are parts of the previous level.
struct Level {
    /// Neighbors other than itself, with the number of edges to them.
    neighbors: Vec<Vec<(usize, f64)>>,
    /// Ends of edges within a vertex.
    inner: Vec<f64>,
    /// Ends of edges of a vertex, including inner ones.
    weights: Vec<f64>,
    total: f64,
}

impl Level {
    fn from_graph(graph: &SparseGraph) -> Self {
        let n = graph.vertices();
        let neighbors =
            (0..n).map(|v| graph.neighbors(v).iter().map(|&w| (w as usize, 1.0)).collect()).collect();
        let weights: Vec<f64> = (0..n).map(|v| graph.degree(v) as f64).collect();
        Self { neighbors, inner: vec![0.0; n], total: weights.iter().sum(), weights }
    }

    /// The part of each vertex, numbered by first vertex, and the number of parts.
    fn partition(&self) -> (Vec<usize>, usize) {
        let n = self.weights.len();
        let mut part: Vec<usize> = (0..n).collect();
        let mut sums = self.weights.clone();
        // Edges to each part; only those of the current vertex are nonzero.
        let mut links = vec![0.0; n];
        let mut touched: Vec<usize> = Vec::new();
        let mut is_moving = self.total > 0.0;
        while is_moving {
            is_moving = false;
            for v in 0..n {
                for &(w, weight) in &self.neighbors[v] {
                    if links[part[w]] == 0.0 {
                        touched.push(part[w]);
                    }
                    links[part[w]] += weight;
                }
                let own = part[v];
                sums[own] -= self.weights[v];
                let gain = |p: usize| links[p] - sums[p] * self.weights[v] / self.total;
                touched.sort_unstable();
                let mut best = (gain(own) + MIN_GAIN, own);
                for &p in &touched {
                    if gain(p) > best.0 {
                        best = (gain(p), p);
                    }
                }
                sums[best.1] += self.weights[v];
                is_moving |= best.1 != own;
                part[v] = best.1;
                for p in touched.drain(..) {
                    links[p] = 0.0;
                }
            }
        }
        let mut number = vec![usize::MAX; n];
        let mut count = 0;
        for p in &mut part {
            if number[*p] == usize::MAX {
                number[*p] = count;
                count += 1;
            }
            *p = number[*p];
        }
        (part, count)
    }

    fn merged(&self, part: &[usize], count: usize) -> Self {
        let (mut inner, mut weights) = (vec![0.0; count], vec![0.0; count]);
        let mut lists: Vec<std::collections::BTreeMap<usize, f64>> =
            vec![std::collections::BTreeMap::new(); count];
        for v in 0..part.len() {
            inner[part[v]] += self.inner[v];
            weights[part[v]] += self.weights[v];
            for &(w, weight) in &self.neighbors[v] {
                if part[w] == part[v] {
                    inner[part[v]] += weight;
                } else {
                    *lists[part[v]].entry(part[w]).or_default() += weight;
                }
            }
        }
        let neighbors = lists.into_iter().map(|list| list.into_iter().collect()).collect();
        Self { neighbors, inner, weights, total: self.total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cliques_and_a_bridge() {
        let clique = |from: u32| (from..from + 5).flat_map(move |a| (from..a).map(move |b| (a, b)));
        let graph = SparseGraph::new(10, clique(0).chain(clique(5)).chain([(4, 5)]));
        let part = communities(&graph);
        assert_eq!(part, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
        // 20 of 21 edges within, half of all ends in each part.
        assert!((modularity(&graph, &part) - (20.0 / 21.0 - 0.5)).abs() < 1e-12);
    }

    #[test]
    fn one_part_has_modularity_0_and_so_has_a_graph_without_edges() {
        let ring = SparseGraph::new(5, (0..5).map(|i| (i, (i + 1) % 5)));
        assert!(modularity(&ring, &[0; 5]).abs() < 1e-12);
        let lone = SparseGraph::new(3, []);
        assert_eq!(communities(&lone), [0, 1, 2]);
        assert!(modularity(&lone, &communities(&lone)).abs() < 1e-12);
    }
}
