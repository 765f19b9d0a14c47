//! `GraphML`, as far as plain labelled graphs need it.

use std::collections::{HashMap, HashSet};

use super::gxl::name_all;
use super::raw::{EdgeResolver, Raw, RawAttributes, RawGraph, boolean};
use super::xml::{Step, walk};
use super::{file_name, malformed};
use crate::budget::Meter;
use crate::error::DataError;
use crate::shown::shown;
use eocc_core::graphs::Value;

/// Maximum number of values from defaults, in total: a few letters may expand to any number of them.
const MAX_DEFAULTS: usize = 1_000_000;

/// The declared type of an attribute's values.
enum ValueType {
    Number,
    Boolean,
    Text,
}

/// A declared attribute.
struct Key {
    name: String,
    kind: ValueType,
    of_vertices: bool,
    of_edges: bool,
    default: Option<String>,
}

impl Key {
    fn raw(&self, text: String) -> Raw {
        match self.kind {
            ValueType::Number => Raw::Declared(text),
            ValueType::Boolean => Raw::Plain(Value::Text(boolean(text))),
            ValueType::Text => Raw::Plain(Value::Text(text)),
        }
    }
}

#[derive(Default)]
struct Open {
    keys: HashMap<String, Key>,
    order: Vec<String>,
    key: Option<String>,
    graph: Option<(RawGraph, EdgeResolver)>,
    vertex: Option<String>,
    edge: Option<(String, String, String)>,
    attributes: RawAttributes,
    /// Values that come from defaults.
    defaults: usize,
    data: Option<String>,
}

/// Reads the graphs of a `GraphML` file.
pub(super) fn read(name: &str, bytes: &[u8], meter: &mut Meter) -> Result<Vec<RawGraph>, DataError> {
    let mut graphs = Vec::new();
    let mut open = Open::default();
    walk(name, "GraphML", bytes, meter, |step, line| match step {
        Step::Begin(tag, given) => begin(&mut open, &tag, given, line),
        Step::End(tag, text) => end(&mut open, &tag, text, &mut graphs),
    })?;
    if graphs.is_empty() {
        return Err(malformed(name, "GraphML", "there is no element <graph> in it".into()));
    }
    name_all(&mut graphs, file_name(name));
    Ok(graphs)
}

fn begin(open: &mut Open, tag: &str, mut given: HashMap<String, String>, line: usize) -> Result<(), String> {
    let mut needed = |key: &str| given.remove(key).ok_or_else(|| format!("<{tag}> has no attribute `{key}`"));
    match tag {
        "key" => {
            let id = needed("id")?;
            let name = given.remove("attr.name").unwrap_or_else(|| id.clone());
            let kind = given.remove("attr.type").unwrap_or_else(|| "string".to_owned());
            let of = given.remove("for").unwrap_or_else(|| "all".to_owned());
            let key = Key {
                name,
                kind: match kind.as_str() {
                    "int" | "long" | "float" | "double" => ValueType::Number,
                    "boolean" => ValueType::Boolean,
                    _ => ValueType::Text,
                },
                of_vertices: matches!(of.as_str(), "node" | "all"),
                of_edges: matches!(of.as_str(), "edge" | "all"),
                default: None,
            };
            open.order.push(id.clone());
            open.keys.insert(id.clone(), key);
            open.key = Some(id);
        }
        "graph" if open.graph.is_some() => return Err("a graph inside of a graph cannot be compared".into()),
        "graph" => {
            let mode = needed("edgedefault")?;
            let directed = match mode.as_str() {
                "directed" => true,
                "undirected" => false,
                _ => {
                    return Err(format!(
                        "edgedefault is {}, but must be directed or undirected",
                        shown(&mode)
                    ));
                }
            };
            let name = given.remove("id").unwrap_or_default();
            open.graph = Some((RawGraph { name, directed, ..RawGraph::default() }, EdgeResolver::default()));
        }
        "node" if open.graph.is_some() => {
            open.vertex = Some(needed("id")?);
            open.attributes.clear();
        }
        "edge" => {
            if let Some((graph, _)) = &open.graph {
                let ends = (needed("source")?, needed("target")?, format!("line {line}"));
                let own = given.remove("directed").map(|d| d == "true");
                if own.is_some_and(|own| own != graph.directed) {
                    return Err("an edge is directed and another is not; make all edges alike".into());
                }
                open.edge = Some(ends);
                open.attributes.clear();
            }
        }
        "hyperedge" | "port" => return Err(format!("<{tag}> cannot be compared")),
        "data" => open.data = Some(needed("key")?),
        _ => {}
    }
    Ok(())
}

/// The given attributes, and the defaults of the others.
fn complete(open: &mut Open, is_vertex: bool) -> Result<RawAttributes, String> {
    let given = std::mem::take(&mut open.attributes);
    let names: HashSet<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
    let applies = |key: &&Key| if is_vertex { key.of_vertices } else { key.of_edges };
    let mut defaults = Vec::new();
    for key in open.order.iter().filter_map(|id| open.keys.get(id)).filter(applies) {
        if let Some(default) = key.default.clone().filter(|_| !names.contains(key.name.as_str())) {
            defaults.push((key.name.clone(), key.raw(default)));
        }
    }
    open.defaults += defaults.len();
    if open.defaults > MAX_DEFAULTS {
        return Err(format!(
            "more than {MAX_DEFAULTS} values are left to defaults; write them where they belong, or leave out \
             attributes"
        ));
    }
    Ok([given, defaults].concat())
}

fn end(open: &mut Open, tag: &str, text: String, graphs: &mut Vec<RawGraph>) -> Result<(), String> {
    match tag {
        "key" => open.key = None,
        "default" => {
            if let Some(key) = open.key.as_ref().and_then(|id| open.keys.get_mut(id)) {
                key.default = Some(text);
            }
        }
        "data" => {
            let Some(id) = open.data.take() else { return Ok(()) };
            if open.vertex.is_some() || open.edge.is_some() {
                let key =
                    open.keys.get(&id).ok_or_else(|| format!("the key {} is not declared", shown(&id)))?;
                open.attributes.push((key.name.clone(), key.raw(text)));
            }
        }
        "node" => {
            if let Some(id) = open.vertex.take() {
                let attributes = complete(open, true)?;
                if let Some((graph, ends)) = &mut open.graph {
                    ends.vertex(&id, graph.vertices.len())?;
                    graph.vertices.push((id, attributes));
                }
            }
        }
        "edge" => {
            if let Some((from, to, place)) = open.edge.take() {
                let attributes = complete(open, false)?;
                if let Some((_, ends)) = &mut open.graph {
                    ends.edge(from, to, place, attributes)?;
                }
            }
        }
        "graph" => {
            if let Some((mut graph, ends)) = open.graph.take() {
                graph.edges = ends.resolve()?;
                graphs.push(graph);
            }
        }
        _ => {}
    }
    Ok(())
}
