//! Graphs in a model file: flat tensors, checked like any other input when read.

use std::ops::Range;

use serde_json::{Value as Json, json};

use super::{Attribute, AttributeKind, Column, Graphs, MAX_EDGE_LABELS, MISSING, Parts, Schema, check};
use super::{GraphInput, MAX_EDGES, MAX_VERTICES};
use crate::error::Result;
use crate::file::{Contents, damaged};

impl Graphs {
    /// Writes the graphs as tensors whose names begin with `base`; returns everything that is not a tensor.
    pub(crate) fn write_tensors(&self, base: &str, out: &mut Contents) -> Json {
        let mut sizes = Vec::new();
        let (mut ids, mut ends) = (Vec::new(), Vec::new());
        for g in &self.graphs {
            sizes.extend([g.ids.len() as u32, g.edges.len() as u32]);
            ids.extend_from_slice(&g.ids);
            ends.extend(g.edges.iter().flat_map(|e| [e.0, e.1]));
        }
        out.put_u32(&format!("{base}.sizes"), &[self.graphs.len(), 2], &sizes);
        out.put_u32(&format!("{base}.vertices"), &[ids.len()], &ids);
        out.put_u32(&format!("{base}.edges"), &[ends.len() / 2, 2], &ends);
        for (a, _) in self.schema.vertex.iter().enumerate() {
            put(out, &format!("{base}.vertex.{a}"), self.graphs.iter().map(|g| &g.vertex_columns[a]));
        }
        for (a, _) in self.schema.edge.iter().enumerate() {
            put(out, &format!("{base}.edge.{a}"), self.graphs.iter().map(|g| &g.edge_columns[a]));
        }
        let names: Vec<&str> = self.graphs.iter().map(|g| g.name.as_str()).collect();
        json!({ "schema": *self.schema, "names": names })
    }

    /// Reads them back.
    pub(crate) fn read_tensors(base: &str, contents: &Contents, meta: &Json) -> Result<Self> {
        let part = |name: &str| meta.get(name).cloned().unwrap_or(Json::Null);
        let schema: Schema = serde_json::from_value(part("schema")).map_err(|e| damaged(e.to_string()))?;
        let names: Vec<String> = serde_json::from_value(part("names")).map_err(|e| damaged(e.to_string()))?;
        let (sizes, shape) = contents.u32s(&format!("{base}.sizes"))?;
        if shape != [names.len(), 2] {
            return Err(damaged("the number of graph sizes differs from the number of names".into()));
        }
        let ids = contents.u32s(&format!("{base}.vertices"))?.0;
        let ends = contents.u32s(&format!("{base}.edges"))?.0;
        let total = |which: usize| sizes.iter().skip(which).step_by(2).map(|&s| s as usize).sum::<usize>();
        if total(0) != ids.len() || total(1).checked_mul(2) != Some(ends.len()) {
            return Err(damaged("the sizes of the graphs do not match their tables".into()));
        }
        if ids.iter().any(|&id| id as usize >= schema.texts.len()) {
            return Err(damaged("the name of a vertex is out of range".into()));
        }
        let vertex =
            Tables::read(contents, &format!("{base}.vertex"), &schema.vertex, ids.len(), schema.texts.len())?;
        let edge = Tables::read(
            contents,
            &format!("{base}.edge"),
            &schema.edge,
            ends.len() / 2,
            schema.texts.len(),
        )?;
        let (mut vertices_done, mut edges_done) = (0, 0);
        let mut parts = Vec::with_capacity(names.len());
        for (name, size) in names.into_iter().zip(sizes.chunks_exact(2)) {
            let (v, e) = (size[0] as usize, size[1] as usize);
            let edges: Vec<(u32, u32)> =
                ends[2 * edges_done..2 * (edges_done + e)].chunks_exact(2).map(|p| (p[0], p[1])).collect();
            check_graph(&name, v, &edges, schema.directed)?;
            let edge_columns = edge.slice(edges_done..edges_done + e);
            if check::distinct(&edge_columns, e) > MAX_EDGE_LABELS {
                return Err(damaged(format!("graph `{name}` has too many labels")));
            }
            parts.push(Parts {
                name,
                ids: ids[vertices_done..vertices_done + v].to_vec(),
                edges,
                vertex_columns: vertex.slice(vertices_done..vertices_done + v),
                edge_columns,
            });
            vertices_done += v;
            edges_done += e;
        }
        let schema = std::sync::Arc::new(schema);
        let graphs = parts.into_iter().map(|p| p.into_graph(&schema)).collect();
        Ok(Self { schema, graphs })
    }
}

/// Checks the shape of a stored graph like that of an input.
fn check_graph(name: &str, vertices: usize, edges: &[(u32, u32)], directed: bool) -> Result<()> {
    if vertices > MAX_VERTICES || edges.len() > MAX_EDGES {
        return Err(damaged(format!("graph `{name}` is too large")));
    }
    let input = GraphInput {
        name: name.to_owned(),
        directed,
        vertices: vec![(String::new(), Vec::new()); vertices],
        edges: edges.iter().map(|&(a, b)| (a as usize, b as usize, Vec::new())).collect(),
    };
    check::check_shape(&input).map_err(|e| damaged(e.to_string()))
}

fn put<'a>(out: &mut Contents, name: &str, columns: impl Iterator<Item = &'a Column>) {
    let (mut numbers, mut codes) = (Vec::new(), Vec::new());
    let mut is_text = false;
    for column in columns {
        match column {
            Column::Numbers(v) | Column::Vectors(_, v) => numbers.extend_from_slice(v),
            Column::Texts(v) => {
                is_text = true;
                codes.extend_from_slice(v);
            }
        }
    }
    if is_text {
        out.put_u32(name, &[codes.len()], &codes);
    } else {
        // A missing number is marked in a second table: the file holds only finite numbers.
        let missing: Vec<u32> = (0..numbers.len() as u32).filter(|&i| numbers[i as usize].is_nan()).collect();
        for &i in &missing {
            numbers[i as usize] = 0.0;
        }
        out.put_f64(name, &[numbers.len()], &numbers);
        out.put_u32(&format!("{name}.missing"), &[missing.len()], &missing);
    }
}

/// The columns of all graphs, concatenated.
struct Tables(Vec<Column>);

impl Tables {
    fn read(
        contents: &Contents,
        side: &str,
        attributes: &[Attribute],
        rows: usize,
        texts: usize,
    ) -> Result<Self> {
        let read = |(a, attribute): (usize, &Attribute)| {
            let name = format!("{side}.{a}");
            let wrong = || damaged(format!("the attribute `{}` is out of range", attribute.name));
            let numbers = |width: usize| {
                let mut values = contents.f64s(&name)?.0;
                let missing = contents.u32s(&format!("{name}.missing"))?.0;
                if Some(values.len()) != rows.checked_mul(width) || values.iter().any(|v| !v.is_finite()) {
                    return Err(wrong());
                }
                for i in missing {
                    *values.get_mut(i as usize).ok_or_else(wrong)? = f64::NAN;
                }
                Ok(values)
            };
            match attribute.kind {
                AttributeKind::Number => numbers(1).map(Column::Numbers),
                AttributeKind::Vector(width) => numbers(width).map(|v| Column::Vectors(width, v)),
                AttributeKind::Text => {
                    let codes = contents.u32s(&name)?.0;
                    if codes.len() != rows || codes.iter().any(|&c| c != MISSING && c as usize >= texts) {
                        return Err(wrong());
                    }
                    Ok(Column::Texts(codes))
                }
            }
        };
        attributes.iter().enumerate().map(read).collect::<Result<_>>().map(Self)
    }

    fn slice(&self, range: Range<usize>) -> Vec<Column> {
        let cut = |column: &Column| match column {
            Column::Numbers(v) => Column::Numbers(v[range.clone()].to_vec()),
            Column::Texts(v) => Column::Texts(v[range.clone()].to_vec()),
            Column::Vectors(width, v) => {
                Column::Vectors(*width, v[range.start * width..range.end * width].to_vec())
            }
        };
        self.0.iter().map(cut).collect()
    }
}
