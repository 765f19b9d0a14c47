//! An edit path: which vertex is mapped where, and what each edit costs.

use std::fmt;

use super::Bounds;
use super::costs::Rates;
use super::labels::{EditDistance, Labels, edge_cost, substitution};
use super::pair::UNMAPPED;
use crate::graphs::LabelledGraph;

/// The element that an edit applies to, named by vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A vertex.
    Vertex(String),
    /// An edge, by its ends.
    Edge(String, String),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(v) => f.write_str(v),
            Self::Edge(from, to) => write!(f, "{from} - {to}"),
        }
    }
}

/// One edit: `from` without `to` is a deletion, `to` without `from` an insertion.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// In the first graph.
    pub from: Option<Part>,
    /// In the second graph.
    pub to: Option<Part>,
    /// Its cost.
    pub cost: f64,
}

/// All edits that turn one graph into another.
#[derive(Debug, Clone, PartialEq)]
pub struct EditPath {
    /// Where each vertex of the first graph is mapped; `None` if deleted.
    pub map: Vec<Option<usize>>,
    /// Vertices first, then edges.
    pub edits: Vec<Edit>,
    /// Bounds of the distance, not normalized; the upper bound is the sum of the edits.
    pub bounds: Bounds,
    /// The cost of deleting the first graph and inserting the second.
    pub whole: f64,
}

impl EditPath {
    pub(super) fn new(
        a: &LabelledGraph,
        b: &LabelledGraph,
        map: &[u32],
        rates: &Rates,
        bounds: Bounds,
    ) -> Self {
        let labels = |g: &LabelledGraph| {
            let schema = g.schema();
            let vertices = Labels::new(&rates.vertex.sources, &schema.vertex, g.vertices(), |v, at| {
                g.vertex_value(v, at)
            });
            let edges =
                Labels::new(&rates.edge.sources, &schema.edge, g.edges().len(), |e, at| g.edge_value(e, at));
            (vertices, edges)
        };
        let ((va, va_of), (ea, ea_of)) = labels(a);
        let ((vb, vb_of), (eb, eb_of)) = labels(b);
        let mut distance = EditDistance::default();
        let mut edits = Vec::new();
        let mut whole = 0.0;
        let vertex = |g: &LabelledGraph, v: usize| Some(Part::Vertex(g.vertex_name(v).to_owned()));
        let mut is_image = vec![false; b.vertices()];
        for (u, &v) in map.iter().enumerate() {
            let erase = va.erase(&rates.vertex, va_of[u]);
            whole += erase;
            if v == UNMAPPED {
                edits.push(Edit { from: vertex(a, u), to: None, cost: erase });
            } else {
                let v = v as usize;
                is_image[v] = true;
                let cost = substitution(&rates.vertex, (&va, va_of[u]), (&vb, vb_of[v]), &mut distance);
                edits.push(Edit { from: vertex(a, u), to: vertex(b, v), cost });
            }
        }
        for (v, &label) in vb_of.iter().enumerate() {
            let erase = vb.erase(&rates.vertex, label);
            whole += erase;
            if !is_image[v] {
                edits.push(Edit { from: None, to: vertex(b, v), cost: erase });
            }
        }
        let directed = a.schema().directed;
        let ends = |from: u32, to: u32| if directed { (from, to) } else { (from.min(to), from.max(to)) };
        let index: std::collections::HashMap<(u32, u32), usize> =
            b.edges().iter().enumerate().map(|(e, &(from, to))| (ends(from, to), e)).collect();
        let edge = |g: &LabelledGraph, e: usize| {
            let (from, to) = g.edges()[e];
            let name = |v: u32| g.vertex_name(v as usize).to_owned();
            Some(Part::Edge(name(from), name(to)))
        };
        let mut is_kept = vec![false; b.edges().len()];
        for (e, &(from, to)) in a.edges().iter().enumerate() {
            let erase = ea.erase(&rates.edge, ea_of[e]);
            whole += erase;
            let (x, y) = (map[from as usize], map[to as usize]);
            let image = (x != UNMAPPED && y != UNMAPPED).then(|| index.get(&ends(x, y)).copied()).flatten();
            if let Some(other) = image {
                is_kept[other] = true;
                let cost = edge_cost(&rates.edge, (&ea, ea_of[e]), (&eb, eb_of[other]), &mut distance);
                edits.push(Edit { from: edge(a, e), to: edge(b, other), cost });
            } else {
                edits.push(Edit { from: edge(a, e), to: None, cost: erase });
            }
        }
        for (e, &label) in eb_of.iter().enumerate() {
            let erase = eb.erase(&rates.edge, label);
            whole += erase;
            if !is_kept[e] {
                edits.push(Edit { from: None, to: edge(b, e), cost: erase });
            }
        }
        // The same sum, in the order in which the edits are listed.
        let upper: f64 = edits.iter().map(|e| e.cost).sum();
        let bounds = Bounds { lower: bounds.lower.min(upper), upper };
        let map = map.iter().map(|&v| (v != UNMAPPED).then_some(v as usize)).collect();
        Self { map, edits, bounds, whole }
    }

    /// The sum of all edits.
    pub fn cost(&self) -> f64 {
        self.edits.iter().map(|e| e.cost).sum()
    }
}

/// A cost without rounding noise in its last digits.
struct Shown(f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.9}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl fmt::Display for EditPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for edit in &self.edits {
            let what = match edit.from.as_ref().or(edit.to.as_ref()) {
                Some(Part::Edge(..)) => "edge",
                _ => "vertex",
            };
            match (&edit.from, &edit.to) {
                (Some(from), Some(to)) => writeln!(f, "{what} {from} -> {to}: {}", Shown(edit.cost))?,
                (Some(from), None) => writeln!(f, "{what} {from} deleted: {}", Shown(edit.cost))?,
                (None, Some(to)) => writeln!(f, "{what} {to} inserted: {}", Shown(edit.cost))?,
                (None, None) => {}
            }
        }
        write!(
            f,
            "total: {} (no way is cheaper than {}; deleting and inserting everything: {})",
            Shown(self.bounds.upper),
            Shown(self.bounds.lower),
            Shown(self.whole)
        )
    }
}
