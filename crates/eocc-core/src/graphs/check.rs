//! From inputs to checked parts; every error names the graph, the location and the remedy.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    Attribute, AttributeKind, Attributes, Column, GraphInput, MAX_EDGE_LABELS, MAX_EDGES, MAX_VECTOR,
    MAX_VERTICES, MISSING, Parts, Schema, Value,
};
use crate::error::{Error, Result};

/// The texts so far, each with its code.
#[derive(Default)]
struct Texts {
    codes: HashMap<String, u32>,
    all: Vec<String>,
}

impl Texts {
    fn code(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.codes.get(text) {
            return code;
        }
        let code = self.all.len() as u32;
        self.codes.insert(text.to_owned(), code);
        self.all.push(text.to_owned());
        code
    }
}

/// Where the kind of an attribute was first encountered.
struct Seen {
    kind: AttributeKind,
    place: String,
}

pub(super) fn check(graphs: Vec<GraphInput>) -> Result<(Schema, Vec<Parts>)> {
    let directed = graphs.first().is_some_and(|g| g.directed);
    for g in &graphs {
        check_shape(g)?;
        if g.directed != directed {
            let word = |directed| if directed { "directed" } else { "undirected" };
            return Err(Error::input(format!(
                "graph `{}` is {}, but graph `{}` is {}; make all graphs of a set alike",
                g.name,
                word(g.directed),
                graphs[0].name,
                word(directed)
            )));
        }
    }
    let (mut vertex, mut edge) = (BTreeMap::new(), BTreeMap::new());
    for g in &graphs {
        for (id, attributes) in &g.vertices {
            learn_kinds(&mut vertex, attributes, || format!("graph `{}`, vertex `{id}`", g.name))?;
        }
        for (number, (_, _, attributes)) in g.edges.iter().enumerate() {
            learn_kinds(&mut edge, attributes, || format!("graph `{}`, edge {}", g.name, number + 1))?;
        }
    }
    let list = |seen: BTreeMap<String, Seen>| -> Vec<Attribute> {
        seen.into_iter().map(|(name, seen)| Attribute { name, kind: seen.kind }).collect()
    };
    let (vertex, edge) = (list(vertex), list(edge));
    let mut texts = Texts::default();
    let mut parts = Vec::with_capacity(graphs.len());
    for g in graphs {
        let vertex_columns = columns(&vertex, g.vertices.iter().map(|v| &v.1), &mut texts);
        let edge_columns = columns(&edge, g.edges.iter().map(|e| &e.2), &mut texts);
        let labels = distinct(&edge_columns, g.edges.len());
        if labels > MAX_EDGE_LABELS {
            return Err(Error::input(format!(
                "graph `{}` has {labels} different labels on its edges, but at most {MAX_EDGE_LABELS} can be \
                 compared; round or drop numeric attributes of edges",
                g.name
            )));
        }
        let ids = g.vertices.iter().map(|(id, _)| texts.code(id)).collect();
        let edges = g.edges.iter().map(|&(from, to, _)| (from as u32, to as u32)).collect();
        parts.push(Parts { name: g.name, ids, edges, vertex_columns, edge_columns });
    }
    Ok((Schema { directed, vertex, edge, texts: texts.all }, parts))
}

/// Checks sizes, ends of edges, and parallel edges.
pub(super) fn check_shape(g: &GraphInput) -> Result<()> {
    let most = [("vertices", g.vertices.len(), MAX_VERTICES), ("edges", g.edges.len(), MAX_EDGES)];
    for (what, count, most) in most {
        if count > most {
            return Err(Error::input(format!(
                "graph `{}` has {count} {what}, but an edit distance supports at most {most}; leave it out or split it",
                g.name
            )));
        }
    }
    let n = g.vertices.len();
    let mut seen = HashMap::with_capacity(g.edges.len());
    for (number, &(from, to, _)) in g.edges.iter().enumerate() {
        if let Some(end) = [from, to].into_iter().find(|&end| end >= n) {
            return Err(Error::input(format!(
                "graph `{}`, edge {}: its end is vertex {end}, but there are {n} vertices",
                g.name,
                number + 1
            )));
        }
        let ends = if g.directed { (from, to) } else { (from.min(to), from.max(to)) };
        if let Some(first) = seen.insert(ends, number + 1) {
            return Err(Error::input(format!(
                "graph `{}`: edges {first} and {} both join `{}` and `{}`; merge parallel edges into one, with a \
                 number for how many they are",
                g.name,
                number + 1,
                g.vertices[from].0,
                g.vertices[to].0
            )));
        }
    }
    Ok(())
}

fn learn_kinds(
    seen: &mut BTreeMap<String, Seen>,
    attributes: &Attributes,
    place: impl Fn() -> String,
) -> Result<()> {
    let mut names = HashSet::with_capacity(attributes.len());
    for (name, value) in attributes {
        if !names.insert(name) {
            return Err(Error::input(format!("{}: the attribute `{name}` is given twice", place())));
        }
        let numbers: &[f64] = match value {
            Value::Number(v) => std::slice::from_ref(v),
            Value::Vector(v) => v,
            Value::Missing | Value::Text(_) => &[],
        };
        if let Some(bad) = numbers.iter().find(|v| !v.is_finite()) {
            return Err(Error::input(format!(
                "{}: the attribute `{name}` is {bad}, but must be finite; correct it, or leave the attribute out",
                place()
            )));
        }
        let kind = match value {
            Value::Missing => continue,
            Value::Number(_) => AttributeKind::Number,
            Value::Text(_) => AttributeKind::Text,
            Value::Vector(v) if v.len() > MAX_VECTOR => {
                return Err(Error::input(format!(
                    "{}: the attribute `{name}` is a vector of {} numbers, but may have at most {MAX_VECTOR}; shorten it, \
                     or leave the attribute out",
                    place(),
                    v.len()
                )));
            }
            Value::Vector(v) => AttributeKind::Vector(v.len()),
        };
        match seen.get(name) {
            None => {
                seen.insert(name.clone(), Seen { kind, place: place() });
            }
            Some(first) if first.kind != kind => {
                return Err(Error::input(format!(
                    "{}: the attribute `{name}` is {kind}, but {} in {}; give it the same kind everywhere",
                    place(),
                    first.kind,
                    first.place
                )));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn columns<'a>(
    attributes: &[Attribute],
    rows: impl Iterator<Item = &'a Attributes> + Clone,
    texts: &mut Texts,
) -> Vec<Column> {
    let place: HashMap<&str, usize> =
        attributes.iter().enumerate().map(|(at, a)| (a.name.as_str(), at)).collect();
    // Each attribute with its present values, so that each value is visited only once.
    let mut given: Vec<Vec<(usize, &Value)>> = vec![Vec::new(); attributes.len()];
    for (row, values) in rows.clone().enumerate() {
        for (name, value) in values {
            if let Some(&at) = place.get(name.as_str()) {
                given[at].push((row, value));
            }
        }
    }
    let count = rows.count();
    attributes
        .iter()
        .zip(given)
        .map(|(a, given)| {
            let mut given = given.into_iter().peekable();
            let values =
                (0..count).map(move |row| given.next_if(|(at, _)| *at == row).map(|(_, value)| value));
            match a.kind {
                AttributeKind::Number => Column::Numbers(
                    values.map(|v| if let Some(Value::Number(x)) = v { *x } else { f64::NAN }).collect(),
                ),
                AttributeKind::Text => Column::Texts(
                    values
                        .map(|v| if let Some(Value::Text(t)) = v { texts.code(t) } else { MISSING })
                        .collect(),
                ),
                AttributeKind::Vector(width) => {
                    let mut all = Vec::new();
                    for v in values {
                        match v {
                            Some(Value::Vector(v)) => all.extend_from_slice(v),
                            _ => all.resize(all.len() + width, f64::NAN),
                        }
                    }
                    Column::Vectors(width, all)
                }
            }
        })
        .collect()
}

/// Number of distinct rows.
pub(super) fn distinct(columns: &[Column], rows: usize) -> usize {
    let row = |at: usize| -> Vec<u64> {
        columns
            .iter()
            .flat_map(|c| match c {
                Column::Numbers(v) => vec![v[at].to_bits()],
                Column::Texts(codes) => vec![u64::from(codes[at])],
                Column::Vectors(width, v) => {
                    v[at * width..(at + 1) * width].iter().map(|x| x.to_bits()).collect()
                }
            })
            .collect()
    };
    (0..rows).map(row).collect::<HashSet<_>>().len()
}
