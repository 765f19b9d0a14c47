//! Labelled graphs, checked when a set is made: vertices and edges with any mix of numbers, texts and vectors, some of
//! which may be missing; directed or not.
//!
//! ```
//! use eocc_core::graphs::{GraphInput, Graphs, Value};
//!
//! let mut water = GraphInput::new("water", false);
//! let oxygen = water.vertex("o", [("symbol", Value::text("O"))]);
//! for id in ["h1", "h2"] {
//!     let hydrogen = water.vertex(id, [("symbol", Value::text("H"))]);
//!     water.edge(oxygen, hydrogen, [("valence", Value::Number(1.0))]);
//! }
//! let graphs = Graphs::new(vec![water])?;
//! assert_eq!((graphs.graphs()[0].vertices(), graphs.graphs()[0].edges().len()), (3, 2));
//! # Ok::<(), eocc_core::Error>(())
//! ```

mod check;
mod schema;
mod store;

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::sample::SampleSet;

pub use schema::{Attribute, AttributeKind, Schema};

/// Maximum number of vertices of a graph: the assignment problems behind an edit distance take cubic time.
pub const MAX_VERTICES: usize = 2048;
/// Maximum number of edges of a graph.
pub const MAX_EDGES: usize = 1 << 16;
/// Maximum number of distinct edge labels of one graph: each pair of graphs has a table of their costs.
pub const MAX_EDGE_LABELS: usize = 4096;
/// Maximum number of values of a vector on a vertex or an edge: each becomes several features of the graph's summary.
pub(crate) const MAX_VECTOR: usize = 1 << 14;
/// The code of a missing text.
const MISSING: u32 = u32::MAX;

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// The attribute is missing.
    Missing,
    /// A finite number.
    Number(f64),
    /// A category or a string.
    Text(String),
    /// Finite numbers, the same count on every vertex (or edge).
    Vector(Vec<f64>),
}

impl Value {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// Attributes by name.
pub type Attributes = Vec<(String, Value)>;

/// A graph as made by a reader or a caller, not yet checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphInput {
    /// Name, used in messages and results.
    pub name: String,
    /// Whether edges are directed.
    pub directed: bool,
    /// Names and attributes of the vertices.
    pub vertices: Vec<(String, Attributes)>,
    /// End vertices and attributes of the edges.
    pub edges: Vec<(usize, usize, Attributes)>,
}

fn owned<'a>(attributes: impl IntoIterator<Item = (&'a str, Value)>) -> Attributes {
    attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl GraphInput {
    /// A graph without vertices.
    pub fn new(name: impl Into<String>, directed: bool) -> Self {
        Self { name: name.into(), directed, ..Self::default() }
    }

    /// Adds a vertex; returns its index.
    pub fn vertex<'a>(
        &mut self,
        name: impl Into<String>,
        attributes: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> usize {
        self.vertices.push((name.into(), owned(attributes)));
        self.vertices.len() - 1
    }

    /// Adds an edge between the vertices with these indices.
    pub fn edge<'a>(
        &mut self,
        from: usize,
        to: usize,
        attributes: impl IntoIterator<Item = (&'a str, Value)>,
    ) {
        self.edges.push((from, to, owned(attributes)));
    }
}

/// The values of one attribute on all vertices, or all edges, of a graph.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Column {
    /// NaN if missing.
    Numbers(Vec<f64>),
    /// Indices into the texts of the schema.
    Texts(Vec<u32>),
    /// All vectors, concatenated; NaN if missing.
    Vectors(usize, Vec<f64>),
}

/// One attribute of one vertex or edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueRef<'a> {
    /// Missing.
    Missing,
    /// A finite number.
    Number(f64),
    /// A text.
    Text(&'a str),
    /// Finite numbers.
    Vector(&'a [f64]),
}

impl std::fmt::Display for ValueRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("missing"),
            Self::Number(v) => write!(f, "{v}"),
            Self::Text(t) => f.write_str(t),
            Self::Vector(v) => write!(f, "{v:?}"),
        }
    }
}

/// One labelled graph of a checked set: no parallel edges, all ends in range, all numbers finite.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledGraph {
    schema: Arc<Schema>,
    name: String,
    /// Text codes of the names of the vertices.
    ids: Vec<u32>,
    edges: Vec<(u32, u32)>,
    vertex_columns: Vec<Column>,
    edge_columns: Vec<Column>,
}

impl LabelledGraph {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The attributes of its vertices and edges.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.ids.len()
    }

    /// The ends of the edges.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// The name of a vertex.
    pub fn vertex_name(&self, vertex: usize) -> &str {
        self.schema.text(self.ids[vertex])
    }

    /// Attribute number `attribute` of a vertex.
    pub fn vertex_value(&self, vertex: usize, attribute: usize) -> ValueRef<'_> {
        self.value(&self.vertex_columns[attribute], vertex)
    }

    /// Attribute number `attribute` of an edge.
    pub fn edge_value(&self, edge: usize, attribute: usize) -> ValueRef<'_> {
        self.value(&self.edge_columns[attribute], edge)
    }

    /// The graph as unchecked input.
    fn input(&self) -> GraphInput {
        let owned = |value: ValueRef<'_>| match value {
            ValueRef::Missing => Value::Missing,
            ValueRef::Number(v) => Value::Number(v),
            ValueRef::Text(t) => Value::text(t),
            ValueRef::Vector(v) => Value::Vector(v.to_vec()),
        };
        let attributes = |list: &[Attribute], value: &dyn Fn(usize) -> Value| {
            list.iter().enumerate().map(|(a, attribute)| (attribute.name.clone(), value(a))).collect()
        };
        let vertex = |v: usize| {
            let own = attributes(&self.schema.vertex, &|a| owned(self.vertex_value(v, a)));
            (self.vertex_name(v).to_owned(), own)
        };
        let edge = |(e, ends): (usize, &(u32, u32))| {
            let own = attributes(&self.schema.edge, &|a| owned(self.edge_value(e, a)));
            (ends.0 as usize, ends.1 as usize, own)
        };
        GraphInput {
            name: self.name.clone(),
            directed: self.schema.directed,
            vertices: (0..self.vertices()).map(vertex).collect(),
            edges: self.edges.iter().enumerate().map(edge).collect(),
        }
    }

    fn value<'a>(&'a self, column: &'a Column, at: usize) -> ValueRef<'a> {
        match column {
            Column::Numbers(v) if v[at].is_nan() => ValueRef::Missing,
            Column::Numbers(v) => ValueRef::Number(v[at]),
            Column::Texts(codes) if codes[at] == MISSING => ValueRef::Missing,
            Column::Texts(codes) => ValueRef::Text(self.schema.text(codes[at])),
            Column::Vectors(width, values) => {
                let vector = &values[at * width..(at + 1) * width];
                if vector.iter().any(|v| v.is_nan()) { ValueRef::Missing } else { ValueRef::Vector(vector) }
            }
        }
    }
}

/// A checked set of labelled graphs that share a schema: all directed or all undirected, each attribute of one kind.
///
/// A graph may have no vertex or no edge. Self-loops are allowed and cost the same as edges. Parallel edges are
/// rejected: an edit distance does not define which of them is mapped where.
#[derive(Debug, Clone, PartialEq)]
pub struct Graphs {
    schema: Arc<Schema>,
    graphs: Vec<LabelledGraph>,
}

impl Graphs {
    /// Checks and takes graphs.
    pub fn new(graphs: Vec<GraphInput>) -> Result<Self> {
        let (schema, checked) = check::check(graphs)?;
        let schema = Arc::new(schema);
        let graphs = checked.into_iter().map(|parts| parts.into_graph(&schema)).collect();
        Ok(Self { schema, graphs })
    }

    /// The attributes of vertices and edges.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The graphs.
    pub fn graphs(&self) -> &[LabelledGraph] {
        &self.graphs
    }

    /// The index of the graph with this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.graphs.iter().position(|g| g.name == name)
    }
}

/// The parts of a checked input, before the schema is complete.
struct Parts {
    name: String,
    ids: Vec<u32>,
    edges: Vec<(u32, u32)>,
    vertex_columns: Vec<Column>,
    edge_columns: Vec<Column>,
}

impl Parts {
    fn into_graph(self, schema: &Arc<Schema>) -> LabelledGraph {
        LabelledGraph {
            schema: Arc::clone(schema),
            name: self.name,
            ids: self.ids,
            edges: self.edges,
            vertex_columns: self.vertex_columns,
            edge_columns: self.edge_columns,
        }
    }
}

impl SampleSet for Graphs {
    type Item = LabelledGraph;

    fn count(&self) -> usize {
        self.graphs.len()
    }

    fn sample(&self, i: usize) -> &LabelledGraph {
        &self.graphs[i]
    }

    fn bytes(&self) -> usize {
        self.graphs.iter().map(|g| 256 + 64 * (g.vertices() + g.edges().len())).sum()
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self {
            schema: Arc::clone(&self.schema),
            graphs: indices.iter().map(|&i| self.graphs[i].clone()).collect(),
        }
    }

    fn joined(sets: &[&Self]) -> Result<Self> {
        // Without any graph, only the schema tells whether they are directed.
        if let Some(first) = sets.first().filter(|_| sets.iter().all(|set| set.graphs.is_empty())) {
            return Ok((*first).clone());
        }
        // Text codes belong to a set: the joined set assigns new ones.
        Self::new(sets.iter().flat_map(|set| set.graphs.iter().map(LabelledGraph::input)).collect())
    }

    fn accepts(&self, others: &Self) -> Result<()> {
        match self.schema.differs(&others.schema) {
            None => Ok(()),
            Some(what) => Err(Error::input(format!("the graphs are not like the model's: {what}"))),
        }
    }
}

#[cfg(test)]
mod tests;
