//! Samples known only by their dissimilarities to the training samples.

use serde_json::{Value, json};

use super::{Kinds, Layout, SampleKind};
use crate::dissimilarity::{Entry, precomputed};
use crate::error::Result;
use crate::file::{Contents, damaged};
use crate::sample::{Precomputed, PrecomputedRow};

impl SampleKind for Precomputed {
    const NAME: &'static str = "precomputed dissimilarities";
    const KEY: &'static str = "precomputed";

    fn catalogue() -> &'static [Entry<PrecomputedRow>] {
        &[precomputed::ENTRY]
    }

    fn layout(&self) -> Layout {
        Layout::Dissimilarities(self.columns)
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        // The rows of the training matrix are no longer needed, only the column indices.
        let ids: Vec<u32> = self.rows.iter().map(|r| r.id as u32).collect();
        out.put_u32(name, &[ids.len()], &ids);
        json!({ "columns": self.columns })
    }

    fn read(name: &str, contents: &Contents, meta: &Value, _kinds: &Kinds) -> Result<Self> {
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
