//! In-memory data, in batches.

use std::ops::Range;

use super::{Batch, Part};
use crate::table::Table;

/// Rows per batch.
pub(super) const BATCH_ROWS: usize = 1 << 18;

/// A table that is returned in parts.
#[derive(Debug)]
pub(super) struct Parts {
    table: Table,
    /// The number of its first row in the file.
    first: usize,
    /// Rows of the file that are still to be returned.
    left: Range<usize>,
}

impl Parts {
    pub(super) fn new(table: Table, first: usize) -> Self {
        let left = first..first + table.rows();
        Self { table, first, left }
    }

    pub(super) fn next(&mut self) -> Option<Batch> {
        let rows = self.left.start..(self.left.start + BATCH_ROWS).min(self.left.end);
        self.left.start = rows.end;
        if rows.is_empty() {
            return None;
        }
        let table = Some(self.table.part(rows.start - self.first..rows.end - self.first));
        let part = Part::Rows { table, bad: Vec::new(), are_objects: false, text: None };
        Some(Batch { rows, part })
    }
}
