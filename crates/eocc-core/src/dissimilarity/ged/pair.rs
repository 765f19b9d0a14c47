//! A pair of prepared graphs: the tables all methods work on, and the cost of a vertex map.
//!
//! Everything is counted as a saving over deleting one graph and inserting the other. With `e` the cost of deleting
//! or inserting, mapping vertex `u` to `v` saves `V(u, v) = c(u, v) - e(u) - e(v)`, and if both have an edge to
//! mapped neighbors, that saves `S(a, b) = c(a, b) - e(a) - e(b)`, where `a` and `b` are the classes of the edges. A
//! map then costs
//!
//! `e(g) + e(h) + sum_u V(u, map u) + sum_{u, w an edge} S(g_uw, h_{map u, map w})`.
//!
//! Insertions and deletions drop out: what is not mapped saves nothing.

use super::assignment::Assignment;
use super::branches::{Branch, EdgeCosts, FirstBranch, Small};
use super::costs::Rates;
use super::labels::{EditDistance, edge_cost, substitution};
use super::profile::Profile;
use super::shape::NONE;
use super::vocabulary::Lookup;

/// A vertex without a partner.
pub(super) const UNMAPPED: u32 = u32::MAX;
/// Maximum work, in steps, that the assignments of edges around all pairs of vertices may take: that for two graphs
/// of 90 vertices with 8 neighbors each.
const MAX_EDGE_WORK: usize = 1 << 22;

/// Buffers reused from pair to pair; nothing is allocated once they have grown.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    /// `V`, with rows for the first graph.
    pub(super) vertex: Vec<f64>,
    /// `S`, plus a row and a column of zeros for absent edges.
    pub(super) edge: Vec<f64>,
    /// Classes of the second graph: the equal class of the first, or a separate number.
    common: Vec<u32>,
    class_table: Vec<f64>,
    /// Adjacency of both graphs by class.
    pub(super) first: Vec<u32>,
    pub(super) second: Vec<u32>,
    /// The assignment problem of a method.
    pub(super) problem: Vec<f64>,
    pub(super) solver: Assignment,
    small: Small,
    first_branch: FirstBranch,
    distance: EditDistance,
}

/// A pair, the first with no more vertices than the second, and its tables.
pub(super) struct Pair<'a> {
    pub(super) g: &'a Profile,
    pub(super) h: &'a Profile,
    pub(super) t: &'a mut Tables,
    /// The known estimates of branches.
    lookup: Option<Lookup<'a>>,
}

impl<'a> Pair<'a> {
    /// Fills the tables of costs.
    pub(super) fn new(g: &'a Profile, h: &'a Profile, rates: &Rates, t: &'a mut Tables) -> Self {
        debug_assert!(g.vertices <= h.vertices);
        t.fill_edges(g, h, rates);
        t.fill_vertices(g, h, rates);
        Self { g, h, t, lookup: None }
    }

    /// This pair with known estimates.
    pub(super) fn looking_up(mut self, lookup: Option<Lookup<'a>>) -> Self {
        self.lookup = lookup;
        self
    }

    /// Cost of deleting one graph and inserting the other.
    pub(super) fn erase(&self) -> f64 {
        self.g.erase + self.h.erase
    }

    /// How much mapping an edge of class `a` to one of class `b` saves; numbers beyond the classes mean no edge.
    pub(super) fn saved(&self, a: u32, b: u32) -> f64 {
        self.t.edge[a as usize * (self.h.no_edge() + 1) + b as usize]
    }

    /// Fills the adjacency matrices, which local search and exact search use for lookups.
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
        self.fill_branches(true);
    }

    /// Writes the problem of BIPARTITE: vertices with an optimal assignment of all their edges.
    pub(super) fn fill_bipartite(&mut self) {
        let work: usize = (self.g.prices.iter())
            .map(|a| {
                let of = |d: usize| d.saturating_mul(a.degree).saturating_mul(d.min(a.degree));
                self.h.prices.iter().map(|b| of(b.degree)).sum::<usize>()
            })
            .sum();
        if work > MAX_EDGE_WORK {
            // Dense large graphs: the cheap estimate, with edges counted in full.
            self.fill_branch_fast();
            for (p, v) in self.t.problem.iter_mut().zip(&self.t.vertex) {
                *p = 2.0 * *p - v;
            }
            return;
        }
        self.fill_branches(false);
    }

    /// `V` plus the estimate for the branches of both vertices, computed once for each pair of branches.
    fn fill_branches(&mut self, fast: bool) {
        let (g, h) = (self.g, self.h);
        let Tables { class_table: table, small, first_branch, edge, common, problem, vertex, .. } =
            &mut *self.t;
        if let Some(lookup) = &self.lookup {
            lookup.fill(fast, table);
        } else {
            let costs = EdgeCosts {
                saved: edge,
                width: h.no_edge() + 1,
                common,
                first: &g.edge_erase,
                second: &h.edge_erase,
            };
            table.clear();
            for (counts, price) in g.branches.iter().zip(&g.prices) {
                let a = Branch { counts, price };
                let others = h.branches.iter().zip(&h.prices).map(|(counts, price)| Branch { counts, price });
                if fast {
                    costs.prepare(a, first_branch);
                    table.extend(others.map(|b| first_branch.fast(price, b)));
                } else {
                    table.extend(others.map(|b| costs.assigned(a, b, small)));
                }
            }
        }
        let columns = h.branches.len();
        problem.clear();
        for (own, &branch) in vertex.chunks_exact(h.vertices.max(1)).zip(&g.branch) {
            let row = &table[branch as usize * columns..(branch as usize + 1) * columns];
            problem.extend(own.iter().zip(&h.branch).map(|(v, &b)| v + row[b as usize]));
        }
    }

    /// Solves the problem; returns what it saves.
    pub(super) fn solve(&mut self) -> f64 {
        let t = &mut *self.t;
        t.solver.solve(&t.problem, self.g.vertices, self.h.vertices)
    }

    /// The map given by the solution: pairs that save nothing stay unmapped.
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

    /// How much a map saves. Needs the adjacency matrices.
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

/// How much mapping an edge of a class of one graph to an edge of a class of another saves.
pub(super) fn saved_by_class(
    (g, a): (&Profile, usize),
    (h, b): (&Profile, usize),
    rates: &Rates,
    distance: &mut EditDistance,
) -> f64 {
    let ((out, back), (out2, back2)) = (g.edge_classes[a], h.edge_classes[b]);
    let cost =
        label_cost(g, h, rates, (out, out2), distance) + label_cost(g, h, rates, (back, back2), distance);
    cost - g.edge_erase[a] - h.edge_erase[b]
}

/// The cost of turning one edge label into another; either may be absent.
fn label_cost(
    g: &Profile,
    h: &Profile,
    rates: &Rates,
    (a, b): (u32, u32),
    distance: &mut EditDistance,
) -> f64 {
    match (a == NONE, b == NONE) {
        (true, true) => 0.0,
        (false, true) => g.edge_labels.erase(&rates.edge, a),
        (true, false) => h.edge_labels.erase(&rates.edge, b),
        (false, false) => edge_cost(&rates.edge, (&g.edge_labels, a), (&h.edge_labels, b), distance),
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
                self.edge[a * width + b] = saved_by_class((g, a), (h, b), rates, &mut self.distance);
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

    fn fill_vertices(&mut self, g: &Profile, h: &Profile, rates: &Rates) {
        let columns = h.vertex_classes.len();
        let mut table = std::mem::take(&mut self.class_table);
        table.clear();
        for (a, &(label, own)) in g.vertex_classes.iter().enumerate() {
            for (b, &(label2, own2)) in h.vertex_classes.iter().enumerate() {
                let one = (&g.vertex_labels, label);
                let cost = substitution(&rates.vertex, one, (&h.vertex_labels, label2), &mut self.distance);
                let cost = cost + label_cost(g, h, rates, (own, own2), &mut self.distance);
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
