//! A [shape](Shape) with its prices: what it costs to delete each part of a graph, given the constants.

use std::ops::Deref;
use std::sync::Arc;

use super::costs::{Rates, Side};
use super::labels::Labels;
use super::shape::{NONE, Shape};
use crate::graphs::LabelledGraph;

/// A prepared graph.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    shape: Arc<Shape>,
    /// Cost of deleting a vertex (with its loop) of each class, and an edge of each class.
    pub(super) vertex_erase: Vec<f64>,
    pub(super) edge_erase: Vec<f64>,
    pub(super) prices: Vec<Price>,
    /// Cost of deleting everything.
    pub(super) erase: f64,
    /// Cost of deleting the cheapest vertex, and the cheapest edge; 0 if there is none.
    cheapest: (f64, f64),
}

impl Deref for Profile {
    type Target = Shape;

    fn deref(&self) -> &Shape {
        &self.shape
    }
}

/// The cost of the edges of a branch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Price {
    pub(super) degree: usize,
    /// Cost of deleting all of them, and the cheapest.
    pub(super) erase: f64,
    pub(super) cheapest: f64,
}

impl Price {
    /// For a branch with these counts of classes.
    pub(super) fn new(counts: &[(u32, u32)], edge_erase: &[f64]) -> Self {
        Self {
            degree: counts.iter().map(|c| c.1 as usize).sum(),
            erase: counts.iter().map(|&(c, k)| edge_erase[c as usize] * f64::from(k)).sum(),
            cheapest: counts.iter().map(|c| edge_erase[c.0 as usize]).fold(f64::INFINITY, f64::min),
        }
    }
}

/// Cost of deleting what has the label; nothing has [`NONE`].
fn erase_label(labels: &Labels, side: &Side, label: u32) -> f64 {
    if label == NONE { 0.0 } else { labels.erase(side, label) }
}

impl Profile {
    pub(super) fn new(graph: &LabelledGraph, rates: &Rates) -> Self {
        Self::priced(Arc::new(Shape::new(graph, rates)), rates)
    }

    /// The shape priced at these rates.
    pub(super) fn priced(shape: Arc<Shape>, rates: &Rates) -> Self {
        let erase_edge = |label| erase_label(&shape.edge_labels, &rates.edge, label);
        let edge_erase: Vec<f64> =
            shape.edge_classes.iter().map(|&(out, back)| erase_edge(out) + erase_edge(back)).collect();
        let vertex_erase: Vec<f64> = (shape.vertex_classes.iter())
            .map(|&(label, own)| erase_label(&shape.vertex_labels, &rates.vertex, label) + erase_edge(own))
            .collect();
        let prices = shape.branches.iter().map(|counts| Price::new(counts, &edge_erase)).collect();
        let of_vertices: f64 = shape.vertex_class.iter().map(|&c| vertex_erase[c as usize]).sum();
        let of_edges: f64 = shape.classes.iter().map(|&c| edge_erase[c as usize]).sum();
        let cheapest = |all: &[f64]| all.iter().copied().reduce(f64::min).unwrap_or(0.0);
        Self {
            cheapest: (cheapest(&vertex_erase), cheapest(&edge_erase)),
            erase: of_vertices + 0.5 * of_edges,
            shape,
            vertex_erase,
            edge_erase,
            prices,
        }
    }

    /// A lower bound of the cost from sizes alone: the surplus of either graph must be inserted or deleted.
    pub(super) fn size_bound(&self, other: &Self) -> f64 {
        let surplus = |own: usize, theirs: usize, cheapest: f64| own.saturating_sub(theirs) as f64 * cheapest;
        let of = |a: &Self, b: &Self| {
            surplus(a.vertices, b.vertices, a.cheapest.0)
                + 0.5 * surplus(a.neighbors.len(), b.neighbors.len(), a.cheapest.1)
        };
        of(self, other) + of(other, self)
    }
}
