//! Graphs as written in a file, before attributes have kinds.

use std::collections::{HashMap, HashSet};

use eocc_core::graphs::{Attributes, GraphInput, MAX_EDGES, MAX_VERTICES, Value};

use crate::guess::word_of_truth;

/// A value as written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Raw {
    /// Declared to be a number.
    Declared(String),
    /// A value whose kind is certain.
    Plain(Value),
}

pub(super) type RawAttributes = Vec<(String, Raw)>;

/// A boolean in JSON spelling, so that equal meanings are equal texts; anything else is unchanged.
pub(super) fn boolean(text: String) -> String {
    match text.trim() {
        "1" => "true".to_owned(),
        "0" => "false".to_owned(),
        word => word_of_truth(word).map_or_else(|| text.clone(), |value| value.to_string()),
    }
}

/// A graph as written.
#[derive(Debug, Clone, Default)]
pub(super) struct RawGraph {
    pub(super) name: String,
    pub(super) directed: bool,
    pub(super) class: Option<String>,
    pub(super) split: Option<String>,
    pub(super) vertices: Vec<(String, RawAttributes)>,
    pub(super) edges: Vec<(usize, usize, RawAttributes)>,
}

/// Reported immediately, not after all files have been read.
fn too_many(what: &str, most: usize) -> String {
    format!("a graph has more than {most} {what}, the maximum for an edit distance; leave it out or split it")
}

/// Vertices by name, and edges whose ends are still names.
#[derive(Default)]
pub(super) struct EdgeResolver {
    index: HashMap<String, usize>,
    /// From, to, location, attributes.
    edges: Vec<(String, String, String, RawAttributes)>,
}

impl EdgeResolver {
    /// Numbers a vertex; fails if the name is taken.
    pub(super) fn vertex(&mut self, id: &str, number: usize) -> Result<(), String> {
        if number >= MAX_VERTICES {
            return Err(too_many("vertices", MAX_VERTICES));
        }
        match self.index.insert(id.to_owned(), number) {
            None => Ok(()),
            Some(_) => Err(format!("the vertex {} is there twice", crate::shown::shown(id))),
        }
    }

    /// Adds an edge; fails if there are too many.
    pub(super) fn edge(
        &mut self,
        from: String,
        to: String,
        place: String,
        attributes: RawAttributes,
    ) -> Result<(), String> {
        if self.edges.len() == MAX_EDGES {
            return Err(too_many("edges", MAX_EDGES));
        }
        self.edges.push((from, to, place, attributes));
        Ok(())
    }

    /// The edges by number; an error names an end that does not exist.
    pub(super) fn resolve(self) -> Result<Vec<(usize, usize, RawAttributes)>, String> {
        let find = |id: &str, place: &str| {
            self.index.get(id).copied().ok_or_else(|| {
                format!(
                    "{place}: the edge ends at the vertex {}, which does not exist",
                    crate::shown::shown(id)
                )
            })
        };
        self.edges
            .into_iter()
            .map(|(from, to, place, attributes)| Ok((find(&from, &place)?, find(&to, &place)?, attributes)))
            .collect()
    }
}

/// Memory of the attribute columns: every attribute has a value for each vertex or edge of the whole set.
pub(super) fn table_size(graphs: &[RawGraph]) -> u64 {
    let size = |rows: usize, names: HashSet<&str>| (rows as u64).saturating_mul(names.len() as u64 * 8);
    let vertices = graphs.iter().map(|g| g.vertices.len()).sum();
    let edges = graphs.iter().map(|g| g.edges.len()).sum();
    let of_vertices = graphs.iter().flat_map(|g| &g.vertices).flat_map(|(_, all)| names(all)).collect();
    let of_edges = graphs.iter().flat_map(|g| &g.edges).flat_map(|(_, _, all)| names(all)).collect();
    size(vertices, of_vertices).saturating_add(size(edges, of_edges))
}

fn names(attributes: &RawAttributes) -> impl Iterator<Item = &str> {
    attributes.iter().map(|(name, _)| name.as_str())
}

/// Decides which attributes are numbers: those whose values all parse as numbers. Declared types may be wrong: the
/// IAM set Protein has sequences of letters in elements named `int`.
pub(super) fn resolve(graphs: Vec<RawGraph>) -> Vec<GraphInput> {
    let mut texts: [HashSet<String>; 2] = Default::default();
    for g in &graphs {
        let vertices = g.vertices.iter().map(|v| (0, &v.1));
        let edges = g.edges.iter().map(|e| (1, &e.2));
        for (side, attributes) in vertices.chain(edges) {
            for (name, raw) in attributes {
                if let Raw::Declared(text) = raw
                    && text.trim().parse::<f64>().is_err()
                    && !texts[side].contains(name)
                {
                    texts[side].insert(name.clone());
                }
            }
        }
    }
    let values = |side: usize, attributes: RawAttributes| -> Attributes {
        let value = |name: &str, raw: Raw| match raw {
            Raw::Plain(value) => value,
            Raw::Declared(text) if texts[side].contains(name) => Value::Text(text),
            Raw::Declared(text) => Value::Number(text.trim().parse().unwrap_or(f64::NAN)),
        };
        attributes.into_iter().map(|(name, raw)| (name.clone(), value(&name, raw))).collect()
    };
    graphs
        .into_iter()
        .map(|g| GraphInput {
            name: g.name,
            directed: g.directed,
            vertices: g.vertices.into_iter().map(|(id, a)| (id, values(0, a))).collect(),
            edges: g.edges.into_iter().map(|(from, to, a)| (from, to, values(1, a))).collect(),
        })
        .collect()
}
