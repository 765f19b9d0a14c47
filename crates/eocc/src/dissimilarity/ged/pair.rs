//! A pair of prepared graphs: the tables all methods work on, and the cost of a vertex map.
//!
//! Everything is counted as what it saves against deleting one graph and inserting the other. With `e` the cost of
//! deleting or inserting, mapping vertex `u` to `v` saves `V(u, v) = c(u, v) - e(u) - e(v)`, and if both have an edge to
//! mapped neighbours, that saves `S(a, b) = c(a, b) - e(a) - e(b)`, `a` and `b` the classes of the edges. A map then costs
//!
//! `e(g) + e(h) + sum_u V(u, map u) + sum_{u, w an edge} S(g_uw, h_{map u, map w})`.
//!
//! Insertions and deletions have vanished: what is not mapped saves nothing.

use super::assignment::Assignment;
use super::costs::Rates;
use super::labels::{EditDistance, edge_cost, substitution};
use super::profile::{NONE, Profile};

/// A vertex without partner.
pub(super) const UNMAPPED: u32 = u32::MAX;
/// Most work, in steps, that the assignments of edges around all pairs of vertices may take.
const MOST_EDGE_WORK: usize = 1 << 28;

/// Memory for one pair after the other; nothing is allocated once it has grown.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    /// `V`, rows of the first graph.
    pub(super) vertex: Vec<f64>,
    /// `S`, one more row and column than there are classes, of zeros: no edge.
    pub(super) edge: Vec<f64>,
    /// Classes of the second graph: the equal class of the first, or a number of its own.
    common: Vec<u32>,
    class_table: Vec<f64>,
    /// Adjacency of both graphs by class.
    pub(super) first: Vec<u32>,
    pub(super) second: Vec<u32>,
    /// The assignment problem of a method.
    pub(super) problem: Vec<f64>,
    pub(super) solver: Assignment,
    small: Vec<f64>,
    small_solver: Assignment,
    distance: EditDistance,
}

/// A pair, the first with no more vertices than the second, and its tables.
pub(super) struct Pair<'a> {
    pub(super) g: &'a Profile,
    pub(super) h: &'a Profile,
    pub(super) t: &'a mut Tables,
}

impl<'a> Pair<'a> {
    /// Fills the tables of costs.
    pub(super) fn new(g: &'a Profile, h: &'a Profile, rates: &Rates, t: &'a mut Tables) -> Self {
        debug_assert!(g.vertices <= h.vertices);
        t.fill_edges(g, h, rates);
        t.fill_vertices(g, h, rates);
        Self { g, h, t }
    }

    /// Cost of deleting one graph and inserting the other.
    pub(super) fn erase(&self) -> f64 {
        self.g.erase + self.h.erase
    }

    /// What mapping an edge of class `a` to one of class `b` saves; the numbers beyond the classes mean no edge.
    pub(super) fn saved(&self, a: u32, b: u32) -> f64 {
        self.t.edge[a as usize * (self.h.no_edge() + 1) + b as usize]
    }

    /// Fills the adjacency matrices, which local search and exact search look things up in.
    pub(super) fn fill_adjacency(&mut self) {
        let fill = |p: &Profile, out: &mut Vec<u32>| {
            let n = p.vertices;
            out.clear();
            out.resize(n * n, p.no_edge() as u32);
            for v in 0..n {
                for (w, class) in p.around(v) {
                    out[v * n + w] = class;
                }
            }
        };
        fill(self.g, &mut self.t.first);
        fill(self.h, &mut self.t.second);
    }

    /// Writes the problem of BRANCH-FAST: vertices with half of what their edges could save at best.
    pub(super) fn fill_branch_fast(&mut self) {
        self.fill_branches(|t, g, h, i, k| {
            let (a, b) = (&g.branches[i], &h.branches[k]);
            let mut cost = match a.degree.cmp(&b.degree) {
                std::cmp::Ordering::Less => (b.degree - a.degree) as f64 * b.cheapest,
                std::cmp::Ordering::Greater => (a.degree - b.degree) as f64 * a.cheapest,
                std::cmp::Ordering::Equal => 0.0,
            };
            let mut common = 0;
            for &(class, count) in &b.counts {
                let class = t.common[class as usize];
                let own = a.counts.iter().find(|c| c.0 == class).map_or(0, |c| c.1);
                common += own.min(count) as usize;
            }
            let differing = a.degree.min(b.degree) - common;
            if differing > 0 {
                let width = h.no_edge() + 1;
                let mut cheapest = f64::INFINITY;
                for &(x, _) in &a.counts {
                    for &(y, _) in &b.counts {
                        if t.common[y as usize] != x {
                            let saved = t.edge[x as usize * width + y as usize];
                            let full = g.edge_erase[x as usize] + h.edge_erase[y as usize] + saved;
                            cheapest = cheapest.min(full);
                        }
                    }
                }
                cost += differing as f64 * cheapest;
            }
            0.5 * (cost - a.erase - b.erase)
        });
    }

    /// Writes the problem of BIPARTITE: vertices with all their edges assigned among each other.
    pub(super) fn fill_bipartite(&mut self) {
        let work: usize = (self.g.branches.iter())
            .map(|a| {
                let of = |d: usize| d.saturating_mul(a.degree).saturating_mul(d.min(a.degree));
                self.h.branches.iter().map(|b| of(b.degree)).sum::<usize>()
            })
            .sum();
        if work > MOST_EDGE_WORK {
            // Dense large graphs: the cheap estimate, for edges in full.
            self.fill_branch_fast();
            for (i, row) in self.t.problem.chunks_exact_mut(self.h.vertices).enumerate() {
                for (k, p) in row.iter_mut().enumerate() {
                    *p = 2.0 * *p - self.t.vertex[i * self.h.vertices + k];
                }
            }
            return;
        }
        self.fill_branches(|t, g, h, i, k| {
            let (a, b) = (&g.branches[i], &h.branches[k]);
            let width = h.no_edge() + 1;
            if let ([(x, p)], [(y, q)]) = (&a.counts[..], &b.counts[..]) {
                return t.edge[*x as usize * width + *y as usize].min(0.0) * f64::from(*p.min(q));
            }
            let repeat = |counts: &'a [(u32, u32)]| {
                counts.iter().flat_map(|&(class, count)| std::iter::repeat_n(class as usize, count as usize))
            };
            t.small.clear();
            for x in repeat(&a.counts) {
                t.small.extend(repeat(&b.counts).map(|y| t.edge[x * width + y]));
            }
            t.small_solver.solve(&t.small, a.degree, b.degree)
        });
    }

    /// `V` plus what `edges` says of the branches of both vertices, computed once for each pair of branches.
    fn fill_branches(&mut self, edges: impl Fn(&mut Tables, &'a Profile, &'a Profile, usize, usize) -> f64) {
        let (g, h) = (self.g, self.h);
        let (rows, columns) = (g.branches.len(), h.branches.len());
        let mut table = std::mem::take(&mut self.t.class_table);
        table.clear();
        for i in 0..rows {
            for k in 0..columns {
                table.push(edges(self.t, g, h, i, k));
            }
        }
        self.t.problem.clear();
        for (i, &branch) in g.branch.iter().enumerate() {
            let row = &table[branch as usize * columns..(branch as usize + 1) * columns];
            let own = &self.t.vertex[i * h.vertices..(i + 1) * h.vertices];
            self.t.problem.extend(own.iter().zip(&h.branch).map(|(v, &b)| v + row[b as usize]));
        }
        self.t.class_table = table;
    }

    /// Solves the problem; returns what it saves.
    pub(super) fn solve(&mut self) -> f64 {
        let t = &mut *self.t;
        t.solver.solve(&t.problem, self.g.vertices, self.h.vertices)
    }

    /// The map that the solution stands for: pairs that save nothing stay apart.
    pub(super) fn read_map(&self, map: &mut Vec<u32>) {
        map.clear();
        let columns = self.h.vertices;
        let partner = |(i, &j): (usize, &u32)| {
            if self.t.problem[i * columns + j as usize] > 0.0 { UNMAPPED } else { j }
        };
        map.extend(self.t.solver.columns().iter().enumerate().map(partner));
    }

    /// The cost of a map, edge by edge.
    pub(super) fn cost(&self, map: &[u32]) -> f64 {
        self.erase() + self.savings(map)
    }

    /// What a map saves. Needs the adjacency matrices.
    pub(super) fn savings(&self, map: &[u32]) -> f64 {
        let m = self.h.vertices;
        let (mut vertices, mut edges) = (0.0, 0.0);
        for (u, &v) in map.iter().enumerate() {
            if v == UNMAPPED {
                continue;
            }
            vertices += self.t.vertex[u * m + v as usize];
            for (w, class) in self.g.around(u) {
                if w > u && map[w] != UNMAPPED {
                    edges += self.saved(class, self.t.second[v as usize * m + map[w] as usize]);
                }
            }
        }
        vertices + edges
    }
}

impl Tables {
    fn fill_edges(&mut self, g: &Profile, h: &Profile, rates: &Rates) {
        let width = h.no_edge() + 1;
        self.edge.clear();
        self.edge.resize((g.no_edge() + 1) * width, 0.0);
        self.common.clear();
        self.common.extend((0..h.no_edge() as u32).map(|b| g.no_edge() as u32 + b));
        for (a, &(out, back)) in g.edge_classes.iter().enumerate() {
            for (b, &(out2, back2)) in h.edge_classes.iter().enumerate() {
                let cost =
                    self.label_cost(g, h, rates, out, out2) + self.label_cost(g, h, rates, back, back2);
                self.edge[a * width + b] = cost - g.edge_erase[a] - h.edge_erase[b];
                let same = |x: u32, y: u32| match (x == NONE, y == NONE) {
                    (false, false) => g.edge_labels.is_same(x, &h.edge_labels, y),
                    (x, y) => x == y,
                };
                if same(out, out2) && same(back, back2) {
                    self.common[b] = a as u32;
                }
            }
        }
    }

    /// The cost of turning an edge label, or none, into another.
    fn label_cost(&mut self, g: &Profile, h: &Profile, rates: &Rates, a: u32, b: u32) -> f64 {
        match (a == NONE, b == NONE) {
            (true, true) => 0.0,
            (false, true) => g.edge_labels.erase(&rates.edge, a),
            (true, false) => h.edge_labels.erase(&rates.edge, b),
            (false, false) => {
                edge_cost(&rates.edge, (&g.edge_labels, a), (&h.edge_labels, b), &mut self.distance)
            }
        }
    }

    fn fill_vertices(&mut self, g: &Profile, h: &Profile, rates: &Rates) {
        let columns = h.vertex_classes.len();
        let mut table = std::mem::take(&mut self.class_table);
        table.clear();
        for (a, &(label, own)) in g.vertex_classes.iter().enumerate() {
            for (b, &(label2, own2)) in h.vertex_classes.iter().enumerate() {
                let one = (&g.vertex_labels, label);
                let cost = substitution(&rates.vertex, one, (&h.vertex_labels, label2), &mut self.distance);
                let cost = cost + self.label_cost(g, h, rates, own, own2);
                table.push(cost - g.vertex_erase[a] - h.vertex_erase[b]);
            }
        }
        self.vertex.clear();
        for &a in &g.vertex_class {
            let row = &table[a as usize * columns..(a as usize + 1) * columns];
            self.vertex.extend(h.vertex_class.iter().map(|&b| row[b as usize]));
        }
        self.class_table = table;
    }
}
