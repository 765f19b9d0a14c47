//! CHAMELEON: clusters of a kNN graph, merged by their similarity inside and between.

use eocc_core::knn::nearest;
use eocc_core::{Matrix, Result};

use crate::bisection::{Cut, Graph, bisect};
use crate::classifier::{Learner, Rule, TrainingTable};

/// The mean dissimilarity to the samples of the nearest cluster, `score = -min_c mean over y in c of d(x, y)`.
///
/// Clusters as in G. Karypis, E. Han, V. Kumar, IEEE Computer 32(8), 1999: the kNN graph is bisected until no part
/// contains more than a small fraction of the samples; then the two parts with the largest `RI RC^2` are merged until
/// few are left. `RI`, the relative inter-connectivity, is the weight between two parts over the mean of the weights
/// that bisect each; `RC`, the relative closeness, the same with mean edge weights, where the parts are weighted by
/// size.
///
/// Our choices, which that paper leaves to the user: edges weigh `1 / (1 + d / mean d)`; parts merge down to 5, the
/// number of means in k-means; a part that cannot be bisected merges first.
#[derive(Debug, Clone, Copy)]
pub struct Chameleon {
    /// Neighbors in the graph; 10, as in the paper.
    pub neighbors: usize,
    /// Parts contain at most this fraction of the samples before merging; 0.025, within the paper's 1 to 5 percent.
    pub share: f64,
    /// Number of clusters.
    pub clusters: usize,
}

impl Default for Chameleon {
    fn default() -> Self {
        Self { neighbors: 10, share: 0.025, clusters: 5 }
    }
}

impl Learner for Chameleon {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let graph = self.graph(training.table);
        // A part smaller than a neighborhood would say nothing about it.
        let largest = ((self.share * graph.len() as f64) as usize).max(self.neighbors);
        let clusters = merge(&graph, split(&graph, largest), self.clusters);
        Ok(Box::new(move |row: &[f64]| {
            let mean = |c: &Vec<u32>| c.iter().map(|&j| row[j as usize]).sum::<f64>() / c.len() as f64;
            -clusters.iter().map(mean).fold(f64::INFINITY, f64::min)
        }))
    }
}

impl Chameleon {
    /// Two samples are joined if either is among the nearest of the other.
    fn graph(&self, square: &Matrix) -> Graph {
        let n = square.rows();
        let lists: Vec<Vec<(u32, f64)>> =
            (0..n).map(|i| nearest(square.row(i), self.neighbors.min(n - 1), Some(i))).collect();
        let lengths = lists.iter().flatten().map(|e| e.1);
        let mean = lengths.sum::<f64>() / lists.iter().map(Vec::len).sum::<usize>() as f64;
        let unit = if mean > 0.0 { mean } else { 1.0 };
        let mut graph: Graph = vec![Vec::new(); n];
        for (i, list) in lists.iter().enumerate() {
            for &(j, d) in list {
                let is_mutual = lists[j as usize].iter().any(|e| e.0 as usize == i);
                if !is_mutual || i < j as usize {
                    let w = 1.0 / (1.0 + d / unit);
                    graph[i].push((j, w));
                    graph[j as usize].push((i as u32, w));
                }
            }
        }
        graph
    }
}

/// Bisects until no part has more than `largest` vertices.
fn split(graph: &Graph, largest: usize) -> Vec<Vec<u32>> {
    let mut open = vec![(0..graph.len() as u32).collect::<Vec<_>>()];
    let mut parts = Vec::new();
    while let Some(part) = open.pop() {
        let cut = if part.len() > largest { bisect(&within(graph, &part)) } else { None };
        match cut {
            None => parts.push(part),
            Some(cut) => {
                for side in [false, true] {
                    let half = part.iter().zip(&cut.side).filter(|(_, s)| **s == side).map(|(v, _)| *v);
                    open.push(half.collect());
                }
            }
        }
    }
    parts.sort_unstable_by_key(|p| p.first().copied());
    parts
}

/// The graph among these vertices.
fn within(graph: &Graph, part: &[u32]) -> Graph {
    let mut place = vec![u32::MAX; graph.len()];
    for (local, &v) in part.iter().enumerate() {
        place[v as usize] = local as u32;
    }
    let inside = |v: u32| {
        let edges = graph[v as usize].iter().map(|&(u, w)| (place[u as usize], w));
        edges.filter(|e| e.0 != u32::MAX).collect()
    };
    part.iter().map(|&v| inside(v)).collect()
}

/// Merges the two most similar parts until `count` are left or none are joined.
fn merge(graph: &Graph, parts: Vec<Vec<u32>>, count: usize) -> Vec<Vec<u32>> {
    let mut parts: Vec<(Vec<u32>, Option<Cut>)> = parts
        .into_iter()
        .map(|p| {
            let cut = bisect(&within(graph, &p));
            (p, cut)
        })
        .collect();
    while parts.len() > count {
        let between = links(graph, &parts);
        let alike = |&((a, b), (weight, edges)): &((usize, usize), (f64, usize))| {
            likeness(&parts[a], &parts[b], weight, edges)
        };
        let best =
            between.iter().map(|pair| (alike(pair), pair.0)).fold(None, |best: Option<(f64, _)>, now| {
                if best.is_none_or(|b| now.0 > b.0) { Some(now) } else { best }
            });
        let Some((_, (a, b))) = best else { break };
        let (second, _) = parts.remove(b);
        parts[a].0.extend(second);
        parts[a].0.sort_unstable();
        parts[a].1 = bisect(&within(graph, &parts[a].0));
    }
    parts.into_iter().map(|p| p.0).collect()
}

/// Weight and number of the edges between every two joined parts `a < b`, in order.
fn links(graph: &Graph, parts: &[(Vec<u32>, Option<Cut>)]) -> Vec<((usize, usize), (f64, usize))> {
    let mut part_of = vec![0; graph.len()];
    for (p, (members, _)) in parts.iter().enumerate() {
        for &v in members {
            part_of[v as usize] = p;
        }
    }
    let mut between = std::collections::BTreeMap::new();
    for (v, edges) in graph.iter().enumerate() {
        for &(u, w) in edges {
            let (a, b) = (part_of[v], part_of[u as usize]);
            if a < b {
                let entry = between.entry((a, b)).or_insert((0.0, 0));
                entry.0 += w;
                entry.1 += 1;
            }
        }
    }
    between.into_iter().collect()
}

/// `RI RC^2`.
fn likeness(a: &(Vec<u32>, Option<Cut>), b: &(Vec<u32>, Option<Cut>), weight: f64, edges: usize) -> f64 {
    let inner = |part: &(Vec<u32>, Option<Cut>)| match &part.1 {
        Some(cut) if cut.edges > 0 => (cut.weight, cut.weight / cut.edges as f64),
        // Nothing holds it together: anything joined to it is closer.
        _ => (1e-9, 1e-9),
    };
    let ((weight_a, mean_a), (weight_b, mean_b)) = (inner(a), inner(b));
    let share = a.0.len() as f64 / (a.0.len() + b.0.len()) as f64;
    let interconnectivity = weight / (0.5 * (weight_a + weight_b));
    let closeness = (weight / edges as f64) / (share * mean_a + (1.0 - share) * mean_b);
    interconnectivity * closeness * closeness
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::line;

    #[test]
    fn separate_groups_are_the_clusters() {
        let at: Vec<f64> = (0..60).map(|i| f64::from(i % 3) * 1000.0 + f64::from(i / 3)).collect();
        let square = line(&at);
        let three = Chameleon { neighbors: 4, share: 0.1, clusters: 3 };
        let graph = three.graph(&square);
        let clusters = merge(&graph, split(&graph, 6), 3);
        assert_eq!(clusters.len(), 3);
        for c in &clusters {
            assert!(c.len() == 20 && c.iter().all(|v| v % 3 == c[0] % 3), "{clusters:?}");
        }
        // At 1009.5, the middle of the second group, the mean distance is 5.
        let rule = three.learn(&TrainingTable { table: &square, features: 1, seed: 0 }).unwrap();
        let score = |x: f64| rule.score(&at.iter().map(|a| (a - x).abs()).collect::<Vec<_>>());
        assert!((score(1009.5) + 5.0).abs() < 1e-9);
        assert!((score(1509.5) + 500.0).abs() < 1e-9);
    }

    #[test]
    fn likeness_matches_hand_computation() {
        let cut = |weight: f64, edges| Some(Cut { side: Vec::new(), weight, edges });
        let (a, b) = ((vec![0, 1, 2], cut(2.0, 2)), (vec![3], cut(4.0, 2)));
        // RI = 3 / 3, RC = (3 / 3) / (3/4 * 1 + 1/4 * 2) = 0.8
        assert!((likeness(&a, &b, 3.0, 3) - 0.64).abs() < 1e-12);
    }
}
