//! Rows that cannot be read: either the first one is an error for the whole table, or they are set aside.

use std::collections::BTreeMap;

use super::ReadError;
use crate::error::DataError;

/// The rows of a table that cannot be read, and their errors.
#[derive(Debug, Default)]
pub(crate) struct BadRows {
    is_skipped: bool,
    found: BTreeMap<usize, ReadError>,
}

impl BadRows {
    /// The first bad row is an error for the whole table, unless bad rows are skipped.
    pub(crate) fn new(is_skipped: bool) -> Self {
        Self { is_skipped, found: BTreeMap::new() }
    }

    /// Whether bad rows are skipped.
    pub(crate) fn are_skipped(&self) -> bool {
        self.is_skipped
    }

    /// Adds a row; only the first error of a row counts. Returns the error if bad rows are not skipped.
    pub(crate) fn add(&mut self, row: usize, fault: DataError) -> Result<(), DataError> {
        if !self.is_skipped {
            return Err(fault);
        }
        self.found.entry(row).or_insert(ReadError::Data(fault));
        Ok(())
    }

    /// Like `add`, for an error of a sample. An error that is not about the row is returned, too.
    pub(crate) fn add_sample(&mut self, row: usize, fault: ReadError) -> Result<(), ReadError> {
        if !self.is_skipped || !fault.is_of_row() {
            return Err(fault);
        }
        self.found.entry(row).or_insert(fault);
        Ok(())
    }

    /// Adds the rows that others found; an earlier error of a row counts.
    pub(crate) fn add_all(&mut self, others: Self) {
        for (row, fault) in others.found {
            self.found.entry(row).or_insert(fault);
        }
    }

    /// These rows without the bad ones, or all rows if `None` is given; `None` if no row is dropped.
    pub(crate) fn others(&self, rows: Option<Vec<usize>>, count: usize) -> Option<Vec<usize>> {
        if self.found.is_empty() {
            return rows;
        }
        let is_good = |row: &usize| !self.found.contains_key(row);
        Some(match rows {
            Some(rows) => rows.into_iter().filter(is_good).collect(),
            None => (0..count).filter(is_good).collect(),
        })
    }

    /// The bad rows, in order.
    pub(crate) fn into_rows(self) -> impl Iterator<Item = (usize, ReadError)> {
        self.found.into_iter()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }
}
