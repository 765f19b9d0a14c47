//! What is in memory already, in batches.

use std::ops::Range;
use std::sync::Arc;

use super::{Batch, Part};
use crate::read_fields::Content;

/// Rows of a batch.
pub(super) const BATCH_ROWS: usize = 1 << 18;

/// Content that is handed out in parts.
#[derive(Debug)]
pub(super) struct Parts {
    content: Arc<Content>,
    /// The row of the file that it starts with.
    first: usize,
    /// Rows of the file that are yet to be handed out.
    left: Range<usize>,
}

impl Parts {
    pub(super) fn new(content: Content, first: usize) -> Self {
        let count = match &content {
            Content::Table(table) => table.rows(),
            Content::Fields(fields) => fields.rows(),
        };
        Self { content: Arc::new(content), first, left: first..first + count }
    }

    pub(super) fn next(&mut self) -> Option<Batch> {
        let rows = self.left.start..(self.left.start + BATCH_ROWS).min(self.left.end);
        self.left.start = rows.end;
        let part = Part::Table { content: self.content.clone(), first: self.first };
        (!rows.is_empty()).then_some(Batch { rows, part })
    }
}
