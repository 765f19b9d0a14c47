//! One graph prepared under given costs: labels that cost the same are one class, vertices with the same edges are one
//! branch. Made once for each graph; every pair only combines two of them.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use super::costs::{Rates, Side};
use super::labels::Labels;
use crate::graphs::Graph;

/// No label: there is no edge, or no loop.
pub(super) const NONE: u32 = u32::MAX;

/// A prepared graph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Profile {
    pub(super) vertices: usize,
    /// Neighbours of vertex `v`: `offsets[v]..offsets[v + 1]`, ascending.
    pub(super) offsets: Vec<u32>,
    pub(super) neighbors: Vec<u32>,
    /// Class of the edge to each neighbour, seen from the vertex.
    pub(super) classes: Vec<u32>,
    /// Class of each vertex: its label and the label of its loop.
    pub(super) vertex_class: Vec<u32>,
    pub(super) vertex_classes: Vec<(u32, u32)>,
    /// Classes of edges: the label out, and the label in if edges have a direction.
    pub(super) edge_classes: Vec<(u32, u32)>,
    pub(super) vertex_labels: Labels,
    pub(super) edge_labels: Labels,
    /// The branch of each vertex: how many edges of which class it has.
    pub(super) branch: Vec<u32>,
    pub(super) branches: Vec<Branch>,
    /// Cost of deleting a vertex (with its loop) of each class, and an edge of each class.
    pub(super) vertex_erase: Vec<f64>,
    pub(super) edge_erase: Vec<f64>,
    /// Cost of deleting everything.
    pub(super) erase: f64,
    /// Cost of deleting the cheapest vertex, and the cheapest edge; 0 if there is none.
    pub(super) cheapest: (f64, f64),
    /// Stands for all of the above.
    pub(super) key: u64,
}

/// The edges of a vertex, as far as costs can tell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Branch {
    /// Classes and how many edges are of each, by class.
    pub(super) counts: Vec<(u32, u32)>,
    pub(super) degree: usize,
    /// Cost of deleting all of them, and the cheapest.
    pub(super) erase: f64,
    pub(super) cheapest: f64,
}

/// Numbers things in the order they come.
struct Classes<K> {
    numbers: HashMap<K, u32>,
    all: Vec<K>,
}

impl<K: Hash + Eq + Clone> Classes<K> {
    fn new() -> Self {
        Self { numbers: HashMap::new(), all: Vec::new() }
    }

    fn of(&mut self, key: K) -> u32 {
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let number = self.all.len() as u32;
        self.numbers.insert(key.clone(), number);
        self.all.push(key);
        number
    }
}

impl Profile {
    pub(super) fn new(graph: &Graph, rates: &Rates) -> Self {
        let n = graph.vertices();
        let schema = graph.schema();
        let (vertex_labels, vertex_label) =
            Labels::new(&rates.vertex.sources, &schema.vertex, n, |v, a| graph.vertex_value(v, a));
        let (edge_labels, edge_label) =
            Labels::new(&rates.edge.sources, &schema.edge, graph.edges().len(), |e, a| {
                graph.edge_value(e, a)
            });
        let mut loops = vec![NONE; n];
        // Both directions of a pair of vertices come together: (vertex, neighbour, label out, label in).
        let mut ends: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(2 * graph.edges().len());
        for (&(from, to), &label) in graph.edges().iter().zip(&edge_label) {
            if from == to {
                loops[from as usize] = label;
            } else if schema.directed {
                ends.push((from, to, label, NONE));
                ends.push((to, from, NONE, label));
            } else {
                ends.push((from, to, label, NONE));
                ends.push((to, from, label, NONE));
            }
        }
        ends.sort_unstable();
        ends.dedup_by(|next, first| {
            let same = (next.0, next.1) == (first.0, first.1);
            if same {
                first.2 = first.2.min(next.2);
                first.3 = first.3.min(next.3);
            }
            same
        });
        let mut edge_class = Classes::new();
        let mut offsets = vec![0_u32; n + 1];
        for end in &ends {
            offsets[end.0 as usize + 1] += 1;
        }
        for v in 0..n {
            offsets[v + 1] += offsets[v];
        }
        let neighbors = ends.iter().map(|e| e.1).collect();
        let classes: Vec<u32> = ends.iter().map(|e| edge_class.of((e.2, e.3))).collect();
        let mut vertex_class = Classes::new();
        let of_vertex: Vec<u32> = (0..n).map(|v| vertex_class.of((vertex_label[v], loops[v]))).collect();

        let erase_label = |labels: &Labels, side: &Side, label: u32| {
            if label == NONE { 0.0 } else { labels.erase(side, label) }
        };
        let erase_edge = |label| erase_label(&edge_labels, &rates.edge, label);
        let edge_erase: Vec<f64> =
            edge_class.all.iter().map(|&(out, back)| erase_edge(out) + erase_edge(back)).collect();
        let vertex_erase: Vec<f64> = vertex_class
            .all
            .iter()
            .map(|&(label, own)| erase_label(&vertex_labels, &rates.vertex, label) + erase_edge(own))
            .collect();

        let mut branch = Classes::new();
        let of_branch: Vec<u32> = (0..n)
            .map(|v| {
                let mut own = classes[offsets[v] as usize..offsets[v + 1] as usize].to_vec();
                own.sort_unstable();
                let counts = own.chunk_by(|a, b| a == b).map(|c| (c[0], c.len() as u32)).collect::<Vec<_>>();
                branch.of(counts)
            })
            .collect();
        let branches = branch
            .all
            .into_iter()
            .map(|counts: Vec<(u32, u32)>| Branch {
                degree: counts.iter().map(|c| c.1 as usize).sum(),
                erase: counts.iter().map(|&(c, k)| edge_erase[c as usize] * f64::from(k)).sum(),
                cheapest: counts.iter().map(|c| edge_erase[c.0 as usize]).fold(f64::INFINITY, f64::min),
                counts,
            })
            .collect();
        let of_vertices: f64 = of_vertex.iter().map(|&c| vertex_erase[c as usize]).sum();
        let of_edges: f64 = classes.iter().map(|&c| edge_erase[c as usize]).sum();
        let cheapest = |all: &[f64]| all.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let mut profile = Self {
            cheapest: (cheapest(&vertex_erase), cheapest(&edge_erase)),
            vertices: n,
            offsets,
            neighbors,
            classes,
            vertex_class: of_vertex,
            vertex_classes: vertex_class.all,
            edge_classes: edge_class.all,
            vertex_labels,
            edge_labels,
            branch: of_branch,
            branches,
            vertex_erase,
            edge_erase,
            erase: of_vertices + 0.5 * of_edges,
            key: 0,
        };
        profile.key = profile.hash_of_content();
        profile
    }

    /// Neighbours of a vertex with the classes of the edges to them.
    pub(super) fn around(&self, vertex: usize) -> impl Iterator<Item = (usize, u32)> + Clone + '_ {
        let range = self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize;
        self.neighbors[range.clone()].iter().map(|&w| w as usize).zip(self.classes[range].iter().copied())
    }

    /// The edge classes there are; the number beyond them means no edge.
    pub(super) fn no_edge(&self) -> usize {
        self.edge_classes.len()
    }

    fn hash_of_content(&self) -> u64 {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        (&self.offsets, &self.neighbors, &self.classes, &self.vertex_class).hash(&mut hash);
        (&self.vertex_classes, &self.edge_classes).hash(&mut hash);
        self.vertex_labels.hash_into(&mut hash);
        self.edge_labels.hash_into(&mut hash);
        hash.finish()
    }

    /// Whether the pair is to be taken in this order. Heuristics are not symmetric by themselves: both orders of a pair
    /// run as one, the smaller graph first.
    pub(super) fn goes_before(&self, other: &Self) -> bool {
        let key = |p: &Self| (p.vertices, p.neighbors.len(), p.key);
        key(self) <= key(other)
    }

    /// A lower bound of the cost from sizes alone: what one graph has more of must be inserted or deleted.
    pub(super) fn size_bound(&self, other: &Self) -> f64 {
        let surplus = |own: usize, theirs: usize, cheapest: f64| own.saturating_sub(theirs) as f64 * cheapest;
        let of = |a: &Self, b: &Self| {
            surplus(a.vertices, b.vertices, a.cheapest.0)
                + 0.5 * surplus(a.neighbors.len(), b.neighbors.len(), a.cheapest.1)
        };
        of(self, other) + of(other, self)
    }

    /// Whether the costs cannot tell the two apart, vertex by vertex.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.key == other.key && self == other
    }
}

/// FNV-1a: the same in every version of the library, as the order of a pair must be.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0 ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
