//! A graph as far as any costs can distinguish it: labels that count the same are one class, vertices with the same
//! edges are one branch. Made once per graph; it does not depend on the constants.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use super::costs::Rates;
use super::labels::{Content, Labels};
use crate::graphs::LabelledGraph;

/// No label: no edge, or no loop.
pub(super) const NONE: u32 = u32::MAX;

/// A class of edges by its content: the outgoing and the incoming label.
pub(super) type ClassContent = (Option<Content>, Option<Content>);
/// Classes and the number of edges in each, by class.
pub(super) type Counts = Vec<(u32, u32)>;

/// A graph in classes and branches.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    pub(super) vertices: usize,
    /// Neighbors of vertex `v`: `offsets[v]..offsets[v + 1]`, ascending.
    pub(super) offsets: Vec<u32>,
    pub(super) neighbors: Vec<u32>,
    /// Class of the edge to each neighbor, seen from the vertex.
    pub(super) classes: Vec<u32>,
    /// Class of each vertex: its label and the label of its loop.
    pub(super) vertex_class: Vec<u32>,
    pub(super) vertex_classes: Vec<(u32, u32)>,
    /// Classes of edges: the outgoing label, and the incoming one if edges are directed. Ordered by content, which is
    /// the same in every graph, so sums over classes have the same bits wherever they are computed.
    pub(super) edge_classes: Vec<(u32, u32)>,
    pub(super) vertex_labels: Labels,
    pub(super) edge_labels: Labels,
    /// The branch of each vertex: how many edges of each class it has.
    pub(super) branch: Vec<u32>,
    pub(super) branches: Vec<Counts>,
    /// A hash of all of the above.
    pub(super) key: u64,
}

/// Numbers items in order of appearance.
struct Classes<K> {
    numbers: HashMap<K, u32>,
    all: Vec<K>,
}

impl<K: Hash + Eq + Clone> Classes<K> {
    fn new() -> Self {
        Self { numbers: HashMap::new(), all: Vec::new() }
    }

    fn intern(&mut self, key: K) -> u32 {
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let number = self.all.len() as u32;
        self.numbers.insert(key.clone(), number);
        self.all.push(key);
        number
    }
}

impl Shape {
    /// Only which values the rates use matters, not how they weigh them.
    pub(super) fn new(graph: &LabelledGraph, rates: &Rates) -> Self {
        let n = graph.vertices();
        let schema = graph.schema();
        let (vertex_labels, vertex_label) =
            Labels::new(&rates.vertex.sources, &schema.vertex, n, |v, a| graph.vertex_value(v, a));
        let (edge_labels, edge_label) =
            Labels::new(&rates.edge.sources, &schema.edge, graph.edges().len(), |e, a| {
                graph.edge_value(e, a)
            });
        let mut loops = vec![NONE; n];
        // Both directions of a pair of vertices together: (vertex, neighbor, label out, label in).
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
        let mut classes: Vec<u32> = ends.iter().map(|e| edge_class.intern((e.2, e.3))).collect();
        let edge_classes = in_order(edge_class.all, &edge_labels, &mut classes);
        let mut vertex_class = Classes::new();
        let of_vertex: Vec<u32> = (0..n).map(|v| vertex_class.intern((vertex_label[v], loops[v]))).collect();
        let mut branch = Classes::new();
        let of_branch: Vec<u32> = (0..n)
            .map(|v| {
                let mut own = classes[offsets[v] as usize..offsets[v + 1] as usize].to_vec();
                own.sort_unstable();
                branch.intern(own.chunk_by(|a, b| a == b).map(|c| (c[0], c.len() as u32)).collect::<Counts>())
            })
            .collect();
        let mut shape = Self {
            vertices: n,
            offsets,
            neighbors,
            classes,
            vertex_class: of_vertex,
            vertex_classes: vertex_class.all,
            edge_classes,
            vertex_labels,
            edge_labels,
            branch: of_branch,
            branches: branch.all,
            key: 0,
        };
        shape.key = shape.hash_of_content();
        shape
    }

    /// Neighbors of a vertex with the classes of the edges to them.
    #[inline]
    pub(super) fn around(&self, vertex: usize) -> impl Iterator<Item = (usize, u32)> + Clone + '_ {
        let range = self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize;
        self.neighbors[range.clone()].iter().map(|&w| w as usize).zip(self.classes[range].iter().copied())
    }

    /// The number of edge classes, which as a class means no edge.
    pub(super) fn no_edge(&self) -> usize {
        self.edge_classes.len()
    }

    /// The content of the edge classes.
    pub(super) fn class_contents(&self) -> impl Iterator<Item = ClassContent> + '_ {
        self.edge_classes.iter().map(|&class| content(class, &self.edge_labels))
    }

    fn hash_of_content(&self) -> u64 {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        (&self.offsets, &self.neighbors, &self.classes, &self.vertex_class).hash(&mut hash);
        (&self.vertex_classes, &self.edge_classes).hash(&mut hash);
        self.vertex_labels.hash_into(&mut hash);
        self.edge_labels.hash_into(&mut hash);
        hash.finish()
    }

    /// Whether the pair is in this order. Heuristics are not symmetric by themselves: both orders of a pair run as
    /// one, the smaller graph first.
    pub(super) fn goes_before(&self, other: &Self) -> bool {
        let key = |p: &Self| (p.vertices, p.neighbors.len(), p.key);
        key(self) <= key(other)
    }

    /// Whether no costs can distinguish the two, vertex by vertex.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.key == other.key && self == other
    }
}

fn content((out, back): (u32, u32), labels: &Labels) -> ClassContent {
    let of = |label: u32| (label != NONE).then(|| labels.content(label));
    (of(out), of(back))
}

/// The classes ordered by content; `of_edges` is renumbered.
fn in_order(all: Vec<(u32, u32)>, labels: &Labels, of_edges: &mut [u32]) -> Vec<(u32, u32)> {
    let mut sorted: Vec<(ClassContent, u32)> =
        all.iter().zip(0..).map(|(&class, number)| (content(class, labels), number)).collect();
    sorted.sort_unstable();
    let mut place = vec![0; all.len()];
    for ((_, number), now) in sorted.iter().zip(0..) {
        place[*number as usize] = now;
    }
    for class in of_edges {
        *class = place[*class as usize];
    }
    sorted.into_iter().map(|(_, number)| all[number as usize]).collect()
}

/// FNV-1a: stable across versions of the library, as the order of a pair must be.
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
