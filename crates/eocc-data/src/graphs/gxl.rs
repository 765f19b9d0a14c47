//! GXL, the Graph eXchange Language, as far as plain labelled graphs need it.

use super::raw::{EdgeResolver, Raw, RawAttributes, RawGraph, boolean};
use super::xml::{Step, walk};
use super::{file_name, malformed};
use crate::budget::Meter;
use crate::error::DataError;
use crate::shown::shown;
use eocc_core::graphs::Value;

/// The open elements.
#[derive(Default)]
struct Open {
    graph: Option<(RawGraph, EdgeResolver)>,
    vertex: Option<String>,
    edge: Option<(String, String, String)>,
    attributes: RawAttributes,
    /// Name of the attribute, and its values so far; several form a vector.
    attribute: Option<(String, Vec<Raw>, bool)>,
}

/// Reads the graphs of a GXL file.
pub(super) fn read(name: &str, bytes: &[u8], meter: &mut Meter) -> Result<Vec<RawGraph>, DataError> {
    let mut graphs = Vec::new();
    let mut open = Open::default();
    walk(name, "GXL", bytes, meter, |step, line| match step {
        Step::Begin(tag, attributes) => begin(&mut open, &tag, attributes, line),
        Step::End(tag, text) => end(&mut open, &tag, text, &mut graphs),
    })?;
    if graphs.is_empty() {
        return Err(malformed(name, "GXL", "there is no element <graph> in it".into()));
    }
    name_all(&mut graphs, file_name(name));
    Ok(graphs)
}

/// Names graphs by their file; several in one file also get their own names or numbers.
pub(super) fn name_all(graphs: &mut [RawGraph], file: &str) {
    // Within an archive, the name of the file follows that of the archive.
    let file = file.rsplit(": ").next().unwrap_or(file);
    if let [only] = graphs {
        file.clone_into(&mut only.name);
        return;
    }
    for (number, g) in graphs.iter_mut().enumerate() {
        let own = if g.name.is_empty() { (number + 1).to_string() } else { std::mem::take(&mut g.name) };
        g.name = format!("{file}#{own}");
    }
}

fn begin(
    open: &mut Open,
    tag: &str,
    mut given: std::collections::HashMap<String, String>,
    line: usize,
) -> Result<(), String> {
    let mut needed = |key: &str| given.remove(key).ok_or_else(|| format!("<{tag}> has no attribute `{key}`"));
    match tag {
        "graph" if open.graph.is_some() => Err("a graph inside of a graph cannot be compared".into()),
        "graph" => {
            let mode = given.remove("edgemode").unwrap_or_else(|| "directed".to_owned());
            let directed = match mode.as_str() {
                "directed" | "defaultdirected" => true,
                "undirected" | "defaultundirected" => false,
                _ => {
                    return Err(format!(
                        "the edgemode is {}, but must be directed or undirected",
                        shown(&mode)
                    ));
                }
            };
            let name = given.remove("id").unwrap_or_default();
            open.graph = Some((RawGraph { name, directed, ..RawGraph::default() }, EdgeResolver::default()));
            Ok(())
        }
        "node" if open.graph.is_some() => {
            open.vertex = Some(needed("id")?);
            open.attributes.clear();
            Ok(())
        }
        "edge" if open.graph.is_some() => {
            open.edge = Some((needed("from")?, needed("to")?, format!("line {line}")));
            open.attributes.clear();
            Ok(())
        }
        "rel" | "hypergraph" => Err("hyperedges cannot be compared".into()),
        "attr" if open.vertex.is_some() || open.edge.is_some() => {
            open.attribute = Some((needed("name")?, Vec::new(), false));
            Ok(())
        }
        "tup" | "seq" | "bag" | "set" => {
            if let Some((_, _, is_vector)) = &mut open.attribute {
                *is_vector = true;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn end(open: &mut Open, tag: &str, text: String, graphs: &mut Vec<RawGraph>) -> Result<(), String> {
    match tag {
        "graph" => {
            if let Some((mut graph, ends)) = open.graph.take() {
                graph.edges = ends.resolve()?;
                graphs.push(graph);
            }
        }
        "node" => {
            if let (Some(id), Some((graph, ends))) = (open.vertex.take(), &mut open.graph) {
                ends.vertex(&id, graph.vertices.len())?;
                graph.vertices.push((id, std::mem::take(&mut open.attributes)));
            }
        }
        "edge" => {
            if let (Some((from, to, place)), Some((_, ends))) = (open.edge.take(), &mut open.graph) {
                ends.edge(from, to, place, std::mem::take(&mut open.attributes))?;
            }
        }
        "attr" => {
            if let Some((name, mut values, is_vector)) = open.attribute.take() {
                let value = match (is_vector, values.len()) {
                    (false, 0) => return Ok(()),
                    (false, 1) => values.remove(0),
                    (false, _) => return Err(format!("the attribute {} has several values", shown(&name))),
                    (true, _) => vector(&name, values)?,
                };
                open.attributes.push((name, value));
            }
        }
        "int" | "Integer" | "integer" | "float" | "Float" | "double" | "Double" => {
            if let Some((_, values, _)) = &mut open.attribute {
                values.push(Raw::Declared(text));
            }
        }
        "bool" | "Bool" => {
            if let Some((_, values, _)) = &mut open.attribute {
                values.push(Raw::Plain(Value::Text(boolean(text))));
            }
        }
        "string" | "String" | "enum" | "locator" => {
            if let Some((_, values, _)) = &mut open.attribute {
                values.push(Raw::Plain(Value::Text(text)));
            }
        }
        _ => {}
    }
    Ok(())
}

fn vector(name: &str, values: Vec<Raw>) -> Result<Raw, String> {
    let number = |raw: Raw| match raw {
        Raw::Declared(text) => text.trim().parse().map_err(|_| text),
        Raw::Plain(value) => Err(format!("{value:?}")),
    };
    let numbers: Result<Vec<f64>, String> = values.into_iter().map(number).collect();
    match numbers {
        Ok(numbers) => Ok(Raw::Plain(Value::Vector(numbers))),
        Err(text) => Err(format!("the attribute {} has {} among its numbers", shown(name), shown(&text))),
    }
}
