//! Samples to and from the contents of a file, an `impl` for each type.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::file::{Contents, damaged};
use super::store::Store;
use crate::error::Result;
use crate::graphs::Graphs;
use crate::sample::{
    MixedColumn, MixedTable, NamedPart, PartSet, Precomputed, PrecomputedRow, Records, SampleSet, Series,
    SeriesSet, Texts, Vectors, with_part,
};

impl Store for Vectors {
    const KIND: &'static str = "vectors";

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        let m = self.matrix();
        out.put_f64(name, &[m.rows(), m.columns()], m.values());
        json!({ "names": self.feature_names() })
    }

    fn read(name: &str, contents: &Contents, meta: &Value) -> Result<Self> {
        let names = meta.get("names").cloned().unwrap_or(Value::Array(Vec::new()));
        let names: Vec<String> = serde_json::from_value(names).map_err(|e| damaged(e.to_string()))?;
        Self::with_names(contents.matrix(name)?, names).map_err(|e| damaged(e.to_string()))
    }
}

impl Store for Precomputed {
    const KIND: &'static str = "precomputed dissimilarities";

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        // The rows of the training matrix have served: only which columns to look at is needed.
        let ids: Vec<u32> = self.rows.iter().map(|r| r.id as u32).collect();
        out.put_u32(name, &[ids.len()], &ids);
        json!({ "columns": self.columns })
    }

    fn read(name: &str, contents: &Contents, meta: &Value) -> Result<Self> {
        let ids = contents.u32s(name)?.0;
        let columns = meta.get("columns").and_then(Value::as_u64).and_then(|c| usize::try_from(c).ok());
        let columns = columns.ok_or_else(|| damaged("the number of columns is missing".into()))?;
        if ids.iter().any(|&id| id as usize >= columns) {
            return Err(damaged("a column is out of range".into()));
        }
        let rows = ids.into_iter().map(|id| PrecomputedRow { id: id as usize, values: Vec::new() }).collect();
        Ok(Self { rows, columns })
    }
}

/// Lengths must add up to what is there, each of at least `least`.
fn lengths(name: &str, contents: &Contents, total: usize, least: usize) -> Result<Vec<usize>> {
    let lengths: Vec<usize> = contents.u32s(name)?.0.into_iter().map(|l| l as usize).collect();
    let sum = lengths.iter().try_fold(0_usize, |sum, l| sum.checked_add(*l));
    if sum != Some(total) || lengths.iter().any(|l| *l < least) {
        return Err(damaged("the lengths of the samples do not add up".into()));
    }
    Ok(lengths)
}

impl Store for Texts {
    const KIND: &'static str = "strings";

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        let lengths: Vec<u32> = self.refs().iter().map(|t| t.len() as u32).collect();
        let bytes: Vec<u8> = self.refs().iter().flat_map(|t| t.bytes()).collect();
        out.put_u32(&format!("{name}.lengths"), &[lengths.len()], &lengths);
        out.put_u8(name, &bytes);
        json!({})
    }

    fn read(name: &str, contents: &Contents, _meta: &Value) -> Result<Self> {
        let bytes = contents.u8s(name)?;
        let mut rest = bytes;
        let mut items = Vec::new();
        for length in lengths(&format!("{name}.lengths"), contents, bytes.len(), 0)? {
            let (own, others) = rest.split_at(length);
            let text =
                std::str::from_utf8(own).map_err(|e| damaged(format!("a string is not UTF-8: {e}")))?;
            items.push(text.to_owned());
            rest = others;
        }
        Self::new(items).map_err(|e| damaged(e.to_string()))
    }
}

impl Store for SeriesSet {
    const KIND: &'static str = "time series";

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        let lengths: Vec<u32> = self.refs().iter().map(|s| s.len() as u32).collect();
        let values: Vec<f64> = self.refs().iter().flat_map(|s| s.values().iter().copied()).collect();
        out.put_u32(&format!("{name}.lengths"), &[lengths.len()], &lengths);
        out.put_f64(name, &[values.len() / self.channels().max(1), self.channels()], &values);
        json!({})
    }

    fn read(name: &str, contents: &Contents, _meta: &Value) -> Result<Self> {
        let values = contents.matrix(name)?;
        let mut rest = values.values();
        let mut items = Vec::new();
        for length in lengths(&format!("{name}.lengths"), contents, values.rows(), 1)? {
            let (own, others) = rest.split_at(length * values.columns());
            items.push(Series::new(own.to_vec(), values.columns()).map_err(|e| damaged(e.to_string()))?);
            rest = others;
        }
        Self::new(items).map_err(|e| damaged(e.to_string()))
    }
}

impl Store for MixedTable {
    const KIND: &'static str = "rows of a mixed table";

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        // Tensors hold finite numbers: what is missing is marked apart.
        let cells: Vec<f64> = self.refs().iter().flat_map(|r| r.cells.iter().copied()).collect();
        let missing: Vec<u8> = cells.iter().map(|c| u8::from(c.is_nan())).collect();
        let values: Vec<f64> = cells.iter().map(|c| if c.is_nan() { 0.0 } else { *c }).collect();
        let shape = [self.count(), self.columns().len()];
        out.put_f64(name, &shape, &values);
        out.put_u8(&format!("{name}.missing"), &missing);
        json!({ "columns": self.columns() })
    }

    fn read(name: &str, contents: &Contents, meta: &Value) -> Result<Self> {
        let columns: Vec<MixedColumn> =
            serde_json::from_value(meta.get("columns").cloned().unwrap_or_default())
                .map_err(|e| damaged(e.to_string()))?;
        let values = contents.matrix(name)?;
        let missing = contents.u8s(&format!("{name}.missing"))?;
        if values.columns() != columns.len() || missing.len() != values.values().len() {
            return Err(damaged("the cells have another shape than the columns".into()));
        }
        let cell = |row: usize, f: usize| {
            let is_missing = missing[row * values.columns() + f] != 0;
            if is_missing { None } else { Some(values.row(row)[f]) }
        };
        let filled = columns
            .into_iter()
            .enumerate()
            .map(|(f, column)| (column, (0..values.rows()).map(|row| cell(row, f)).collect()));
        Self::new(filled.collect()).map_err(|e| damaged(e.to_string()))
    }
}

#[derive(Serialize, Deserialize)]
struct StoredPart {
    name: String,
    kind: String,
    meta: Value,
}

impl Store for Records {
    const KIND: &'static str = "records";

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        let parts = self.parts();
        let stored = parts.iter().enumerate().map(|(i, part)| {
            let (kind, meta) =
                with_part!(&part.set, set => (kind(set), set.write(&format!("{name}.{i}"), out)));
            StoredPart { name: part.name.clone(), kind: kind.to_owned(), meta }
        });
        json!({ "parts": stored.collect::<Vec<_>>() })
    }

    fn read(name: &str, contents: &Contents, meta: &Value) -> Result<Self> {
        let stored: Vec<StoredPart> = serde_json::from_value(meta.get("parts").cloned().unwrap_or_default())
            .map_err(|e| damaged(e.to_string()))?;
        let parts = stored.into_iter().enumerate().map(|(i, part)| {
            let at = format!("{name}.{i}");
            let set = match part.kind.as_str() {
                Texts::KIND => PartSet::Texts(Texts::read(&at, contents, &part.meta)?),
                SeriesSet::KIND => PartSet::Series(SeriesSet::read(&at, contents, &part.meta)?),
                Vectors::KIND => PartSet::Vectors(Vectors::read(&at, contents, &part.meta)?),
                MixedTable::KIND => PartSet::Mixed(MixedTable::read(&at, contents, &part.meta)?),
                Graphs::KIND => PartSet::Graphs(Graphs::read(&at, contents, &part.meta)?),
                other => return Err(damaged(format!("unknown kind of part `{other}`"))),
            };
            Ok(NamedPart { name: part.name, set })
        });
        Self::new(parts.collect::<Result<_>>()?).map_err(|e| damaged(e.to_string()))
    }
}

fn kind<X: Store>(_: &X) -> &'static str {
    X::KIND
}
