//! Rows of a mixed table.

use serde_json::{Value, json};

use super::{Kinds, Layout, SampleKind};
use crate::dissimilarity::{Entry, gower, views};
use crate::error::Result;
use crate::file::{Contents, damaged, distinct};
use crate::params::Preset;
use crate::sample::{ColumnKind, MixedColumn, MixedRow, MixedTable, SampleSet};

impl SampleKind for MixedTable {
    const NAME: &'static str = "rows of a mixed table";
    const KEY: &'static str = "mixed";

    fn catalogue() -> &'static [Entry<MixedRow>] {
        const ENTRIES: &[Entry<MixedRow>] = &[gower::GOWER, gower::HEOM, views::entry()];
        ENTRIES
    }

    fn preset_measure(preset: Preset) -> Option<&'static str> {
        (preset == Preset::Default).then_some("views")
    }

    fn layout(&self) -> Layout {
        Layout::Columns(self.columns().to_vec())
    }

    /// The columns with levels that samples of this form do not have: name, number of samples, and the first such
    /// level.
    fn unknown_levels(&self, form: &Layout) -> Vec<(String, usize, String)> {
        let Layout::Columns(known) = form else { return Vec::new() };
        let of_column = |(c, known): (usize, &MixedColumn)| {
            let own = &self.columns().get(c)?.kind;
            let (ColumnKind::Category(levels), ColumnKind::Category(known_levels)) = (own, &known.kind)
            else {
                return None;
            };
            let is_unknown: Vec<bool> = levels.iter().map(|level| !known_levels.contains(level)).collect();
            let is_new = |cell: &Option<f64>| {
                cell.is_some_and(|v| v < 0.0 || is_unknown.get(v as usize).copied().unwrap_or(true))
            };
            let count = self.cells(c).filter(is_new).count();
            let first = self.cells(c).find(is_new).flatten()?;
            let word = levels.get(first as usize).filter(|_| first >= 0.0).cloned().unwrap_or_default();
            (count > 0).then(|| (known.name.clone(), count, word))
        };
        known.iter().enumerate().filter_map(of_column).collect()
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        // Tensors hold only finite numbers: missing values are marked separately.
        let cells: Vec<f64> = self.refs().iter().flat_map(|r| r.cells().iter().copied()).collect();
        let missing: Vec<u8> = cells.iter().map(|c| u8::from(c.is_nan())).collect();
        let values: Vec<f64> = cells.iter().map(|c| if c.is_nan() { 0.0 } else { *c }).collect();
        let shape = [self.count(), self.columns().len()];
        out.put_f64(name, &shape, &values);
        out.put_u8(&format!("{name}.missing"), &missing);
        json!({ "columns": self.columns() })
    }

    fn read(name: &str, contents: &Contents, meta: &Value, _kinds: &Kinds) -> Result<Self> {
        let columns: Vec<MixedColumn> =
            serde_json::from_value(meta.get("columns").cloned().unwrap_or_default())
                .map_err(|e| damaged(e.to_string()))?;
        distinct(columns.iter().map(|column| column.name.as_str()))?;
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
