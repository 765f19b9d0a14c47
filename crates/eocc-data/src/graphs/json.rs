//! JSON node-link, as written by `NetworkX` and D3: `{"directed": …, "nodes": [{"id": …}], "links": [{"source": …,
//! "target": …}]}`, one such object or a list of them; in JSON Lines, one per line, on its own or in a field.

use serde_json::{Map, Value as Json};

use super::gxl::name_all;
use super::raw::{EdgeResolver, Raw, RawAttributes, RawGraph};
use super::{file_name, malformed};
use crate::budget::Meter;
use crate::error::{DataError, Fault};
use crate::jsonl::check_distinct;
use crate::shown::shown;
use eocc_core::graphs::Value;

/// A single object that is no graph is often a table in some other form.
const NO_NODES: &str = "there is no list \"nodes\"; if it holds a table, write its rows as an array of objects, or one object on each line";

/// Memory of an object with few fields, and of a further item.
const OBJECT: u64 = 640;
const ITEM: u64 = 72;

/// Reads a file with one graph, or a list of graphs.
pub(super) fn read(name: &str, bytes: &[u8], meter: &mut Meter) -> Result<Vec<RawGraph>, DataError> {
    let fail = |reason| malformed(name, "JSON node-link", reason);
    let value = value(bytes, meter).map_err(|refusal| {
        let fault = match refusal {
            Ok(fault) => fault,
            Err(e) => Fault::Json { line: e.line(), column: e.column(), reason: words(&e) },
        };
        DataError::new(name, fault)
    })?;
    let list = match value {
        Json::Array(list) => list,
        one => vec![one],
    };
    let mut graphs = Vec::with_capacity(list.len());
    for (number, value) in list.iter().enumerate() {
        let graph = graph(value).map_err(|reason| fail(format!("graph {}: {reason}", number + 1)))?;
        graphs.push(graph);
    }
    name_all(&mut graphs, file_name(name));
    Ok(graphs)
}

/// Reads one graph per line.
pub(super) fn read_lines(name: &str, bytes: &[u8], meter: &mut Meter) -> Result<Vec<RawGraph>, DataError> {
    let mut graphs = Vec::new();
    for (at, line) in bytes.split(|b| *b == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let fail = |column, reason| DataError::new(name, Fault::Json { line: at + 1, column, reason });
        let value = value(line, meter).map_err(|refusal| match refusal {
            Ok(fault) => DataError::new(name, fault),
            Err(e) => fail(e.column(), words(&e)),
        })?;
        graphs.push(row(&value).map_err(|reason| fail(1, reason))?);
    }
    name_all(&mut graphs, file_name(name));
    Ok(graphs)
}

/// Reads the graph in one cell.
pub(super) fn of_cell(text: &str) -> Result<RawGraph, String> {
    check_distinct(text.as_bytes()).map_err(|e| e.to_string())?;
    let value: Json = serde_json::from_str(text).map_err(|e| e.to_string())?;
    row(&value)
}

/// A value, unless it takes too much memory, which is reported first, or an object in it has two fields of the same
/// name.
fn value(bytes: &[u8], meter: &mut Meter) -> Result<Json, Result<Fault, serde_json::Error>> {
    let (mut objects, mut items) = (0_u64, 0_u64);
    for byte in bytes {
        objects += u64::from(*byte == b'{');
        items += u64::from(*byte == b',');
    }
    let needed = objects.saturating_mul(OBJECT).saturating_add(items.saturating_mul(ITEM));
    meter.take(needed.saturating_add(bytes.len() as u64)).map_err(Ok)?;
    check_distinct(bytes).and_then(|()| serde_json::from_slice(bytes)).map_err(Err)
}

/// The parser's message without the location, which the fault has.
fn words(e: &serde_json::Error) -> String {
    let text = e.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// A line: a graph, or an object with a graph in one of its fields.
fn row(value: &Json) -> Result<RawGraph, String> {
    let object = value.as_object().ok_or("the line is not an object")?;
    if object.contains_key("nodes") {
        return graph(value);
    }
    let mut fields = object.iter().filter(|(_, v)| v.get("nodes").is_some());
    let (Some((_, inner)), None) = (fields.next(), fields.next()) else {
        return Err("the line has no field with a graph (an object with \"nodes\"), or several".into());
    };
    let mut graph = graph(inner)?;
    describe(&mut graph, object);
    Ok(graph)
}

/// Name, class and split, if an object has them.
fn describe(graph: &mut RawGraph, object: &Map<String, Json>) {
    let text = |keys: &[&str]| keys.iter().find_map(|key| object.get(*key).and_then(as_text));
    if let Some(name) = text(&["name", "id"]) {
        graph.name = name;
    }
    graph.class = text(&["class", "label"]).or(graph.class.take());
    graph.split = text(&["split"]).or(graph.split.take());
}

fn as_text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(b) => Some(b.to_string()),
        _ => None,
    }
}

fn graph(value: &Json) -> Result<RawGraph, String> {
    let object = value.as_object().ok_or("it is not an object")?;
    let flag = |key: &str| object.get(key).and_then(Json::as_bool).unwrap_or(false);
    let mut out = RawGraph { directed: flag("directed"), ..RawGraph::default() };
    if let Some(about) = object.get("graph").and_then(Json::as_object) {
        describe(&mut out, about);
    }
    describe(&mut out, object);
    let list = |keys: &[&str]| keys.iter().find_map(|key| object.get(*key)).and_then(Json::as_array);
    let nodes = list(&["nodes"]).ok_or(NO_NODES)?;
    let links = list(&["links", "edges"]).ok_or("there is no list \"links\" (or \"edges\")")?;
    let mut ends = EdgeResolver::default();
    for (number, node) in nodes.iter().enumerate() {
        let place = format!("node {}", number + 1);
        let object = node.as_object().ok_or_else(|| format!("{place} is not an object"))?;
        let id = named(object, "id").ok_or_else(|| format!("{place} has no \"id\""))?;
        ends.vertex(&id, number).map_err(|e| format!("{place}: {e}"))?;
        out.vertices.push((id, attributes(object, &["id"], &place)?));
    }
    for (number, link) in links.iter().enumerate() {
        let place = format!("link {}", number + 1);
        let object = link.as_object().ok_or_else(|| format!("{place} is not an object"))?;
        let end = |key: &str| named(object, key).ok_or_else(|| format!("{place} has no \"{key}\""));
        let attributes = attributes(object, &["source", "target", "key"], &place)?;
        ends.edge(end("source")?, end("target")?, place.clone(), attributes)?;
    }
    out.edges = ends.resolve()?;
    Ok(out)
}

fn named(object: &Map<String, Json>, key: &str) -> Option<String> {
    object.get(key).and_then(as_text)
}

fn attributes(object: &Map<String, Json>, without: &[&str], place: &str) -> Result<RawAttributes, String> {
    let mut out = Vec::new();
    for (name, value) in object.iter().filter(|(name, _)| !without.contains(&name.as_str())) {
        let wrong = |what: &str| format!("{place}: the attribute {} is {what}", shown(name));
        let value = match value {
            Json::Null => Value::Missing,
            Json::Number(n) => Value::Number(n.as_f64().ok_or_else(|| wrong("too large a number"))?),
            Json::String(text) => Value::Text(text.clone()),
            Json::Bool(b) => Value::Text(b.to_string()),
            Json::Array(list) => {
                let numbers: Option<Vec<f64>> = list.iter().map(Json::as_f64).collect();
                Value::Vector(numbers.ok_or_else(|| wrong("a list that does not only hold numbers"))?)
            }
            Json::Object(_) => {
                return Err(wrong("an object; only numbers, texts and lists of numbers are compared"));
            }
        };
        out.push((name.clone(), Raw::Plain(value)));
    }
    Ok(out)
}
