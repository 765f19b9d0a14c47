//! The row groups of a Parquet file, one after the other.

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use super::{File, field, footer};
use crate::budget::Budget;
use crate::column::Column;
use crate::error::{DataError, ReadFailure};
use crate::guard::guarded;
use crate::table::Table;

/// Groups smaller than this are read together with the next: programs that write rows as they come make groups of a
/// few rows, from which a column's type cannot be guessed.
const SMALL: u64 = 1 << 20;

/// A Parquet file that is decoded a few rows at a time. The file itself stays in memory, compressed.
pub(crate) struct RowGroups {
    name: String,
    file: File,
    budget: Budget,
    /// Groups still to be read.
    left: Range<usize>,
    /// Rows before those.
    rows: usize,
}

impl fmt::Debug for RowGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowGroups")
            .field("name", &self.name)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

impl RowGroups {
    /// Reads the footer. The budget is for what is decoded at a time.
    pub(crate) fn open(name: &str, bytes: Bytes, budget: Budget) -> Result<Self, DataError> {
        let fail = |stop: ReadFailure| DataError::new(name, stop.fault("Parquet"));
        footer::check(&bytes).map_err(|reason| fail(reason.into()))?;
        let file = guarded(|| File::open(bytes)).map_err(fail)?;
        let left = 0..file.groups();
        Ok(Self { name: name.to_owned(), file, budget, left, rows: 0 })
    }

    /// How many groups are still to be read.
    pub(crate) fn left(&self) -> usize {
        self.left.len()
    }

    /// How many rows have been read.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The rows of the next group, and of those after it while all are small; `None` at the end, or after an error. A
    /// file without rows is an error, as when it is read whole.
    pub(crate) fn next(&mut self) -> Result<Option<Table>, DataError> {
        if self.left.is_empty() {
            return Ok(None);
        }
        let mut left = std::mem::take(&mut self.left);
        let columns = guarded(|| self.columns(&mut left))
            .map_err(|stop: ReadFailure| DataError::new(&self.name, stop.fault("Parquet")))?;
        let count = columns.first().map_or(0, Column::len);
        if count == 0 && self.rows > 0 {
            return Ok(None);
        }
        let table = Table::new(&self.name, self.file.names(), columns)?.starting_at(self.rows);
        self.left = left;
        self.rows += count;
        Ok(Some(table))
    }

    fn columns(&self, left: &mut Range<usize>) -> Result<Vec<Column>, ReadFailure> {
        let mut meter = self.budget.meter(Some(self.file.bytes.len() as u64));
        let mut builders = self.file.builders(&mut meter)?;
        for group in left.by_ref() {
            self.file.check(group..group + 1, &mut meter)?;
            self.file.decode(group, &mut builders, &mut meter)?;
            let has_rows = builders.first().is_some_and(|builder| !builder.is_empty());
            if has_rows && meter.taken() >= SMALL {
                break;
            }
        }
        Ok(builders
            .into_iter()
            .zip(self.file.fields())
            .map(|(b, f)| field::Builder::finish_as(b, f))
            .collect())
    }
}
