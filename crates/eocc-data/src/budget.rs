//! How much memory reading may take.
//!
//! A few bytes can stand for a lot of data: runs in Parquet, compressed arrays, a dictionary with one long text. So
//! all readers count what they are about to allocate, and stop before the limit. Text readers count what they read.
//! Binary readers count what the file claims to hold, before acting on the claim.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::Fault;

/// A small file may always take this much.
const SMALL: u64 = 192 << 20;
/// Memory allowed for a larger file, in bytes per byte of the file. Tables of measured numbers stay below 10 in any
/// format, those of few words or many zeros below 200.
const MAX_PER_BYTE: u64 = 200;
/// Memory of a cell besides its text: where it ends, its kind, and whether it is missing.
pub(crate) const CELL: u64 = 10;
/// Memory of a column besides its cells, including what is detected about it.
pub(crate) const COLUMN: u64 = 700;
/// Memory of one part of a nested value during its conversion to text, when it exists as read, as JSON and as text.
#[cfg(feature = "columnar")]
pub(crate) const NESTED: u64 = 160;

/// The maximum memory for reading a file: its content and the result.
///
/// By default, it is the smaller of two limits: three quarters of the memory that the process may use, and 200 times
/// the size of the file (at least 192 MiB). A pipe, which may be endless, counts as a small file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    fixed: Option<u64>,
    stop: Option<fn() -> bool>,
    most_columns: Option<usize>,
}

impl Budget {
    /// This many bytes, whatever the size of the file.
    pub fn of_bytes(bytes: u64) -> Self {
        Self { fixed: Some(bytes), ..Self::default() }
    }

    /// This budget; reading ends when `stop` returns true, which is checked frequently.
    #[must_use]
    pub fn until(self, stop: fn() -> bool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// This budget, for tables of at most `most` columns: wider ones are refused as soon as their width is known.
    #[must_use]
    pub fn with_most_columns(self, most: usize) -> Self {
        Self { most_columns: Some(most), ..self }
    }

    /// The rest of the budget once the content of a file is in memory; `size` is the size of the file, if known. A
    /// pipe counts as a small file, however much it sent.
    pub(crate) fn after_reading(self, size: Option<u64>, content: u64) -> Self {
        Self { fixed: Some(self.limit(size).saturating_sub(content)), ..self }
    }

    /// This budget, with the limit for a file of this size, if known; sizes given later have no effect.
    pub(crate) fn within(self, size: Option<u64>) -> Self {
        Self { fixed: Some(self.limit(size)), ..self }
    }

    /// Whether reading was cancelled.
    pub(crate) fn is_stopped(self) -> bool {
        self.stop.is_some_and(|stop| stop())
    }

    /// Whether reading can be cancelled.
    pub(crate) fn can_stop(self) -> bool {
        self.stop.is_some()
    }

    /// The limit for a file of this size, if known.
    pub(crate) fn limit(self, size: Option<u64>) -> u64 {
        self.fixed.unwrap_or_else(|| {
            let plausible = size.map_or(SMALL, |size| size.saturating_mul(MAX_PER_BYTE).max(SMALL));
            plausible.min(free() / 4 * 3)
        })
    }

    /// A meter that starts from zero.
    pub(crate) fn meter(self, size: Option<u64>) -> Meter {
        Meter {
            limit: self.limit(size),
            taken: 0,
            stop: self.stop,
            columns: 0,
            most_columns: self.most_columns,
        }
    }
}

/// How much memory the process may still use. The answer is cached for up to a second, because asking the system takes
/// longer than reading a small file.
fn free() -> u64 {
    // Two atomics rather than a lock, which a fork could leave locked. A stale answer does no harm.
    static ASKED: AtomicU64 = AtomicU64::new(0);
    static ANSWER: AtomicU64 = AtomicU64::new(u64::MAX);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    if ASKED.swap(now, Ordering::Relaxed) != now || now == 0 {
        ANSWER.store(eocc_core::memory::available().unwrap_or(u64::MAX), Ordering::Relaxed);
    }
    ANSWER.load(Ordering::Relaxed)
}

/// Counts the memory that reading a file takes.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    limit: u64,
    taken: u64,
    stop: Option<fn() -> bool>,
    columns: u64,
    most_columns: Option<usize>,
}

impl Meter {
    /// Adds this many bytes; fails if that is too much.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), Fault> {
        if self.stop.is_some_and(|stop| stop()) {
            return Err(Fault::Cancelled);
        }
        self.taken = self.taken.saturating_add(bytes);
        if self.taken > self.limit {
            return Err(Fault::Memory { needed: self.taken, limit: self.limit });
        }
        Ok(())
    }

    /// Adds columns, including their names.
    pub(crate) fn columns(&mut self, count: u64) -> Result<(), Fault> {
        self.columns += count;
        self.width(self.columns)?;
        self.take(count.saturating_mul(COLUMN))
    }

    /// Fails if a table with this many columns is too wide.
    pub(crate) fn width(&self, columns: u64) -> Result<(), Fault> {
        match self.most_columns {
            Some(most) if columns > most as u64 => Err(Fault::TooWide { columns, most }),
            _ => Ok(()),
        }
    }

    /// Whether the width of a table is limited.
    pub(crate) fn limits_width(&self) -> bool {
        self.most_columns.is_some()
    }

    /// Adds cells and the text in them.
    pub(crate) fn cells(&mut self, count: u64, text: u64) -> Result<(), Fault> {
        self.take(count.saturating_mul(CELL).saturating_add(text))
    }

    /// Bytes taken so far.
    #[cfg(feature = "columnar")]
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// Bytes still available.
    pub(crate) fn left(&self) -> u64 {
        self.limit.saturating_sub(self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_grows_with_the_file() {
        let fixed = Budget::of_bytes(100);
        assert_eq!((fixed.limit(None), fixed.limit(Some(1 << 40))), (100, 100));
        let usual = Budget::default();
        assert!(usual.limit(Some(10)) <= SMALL && usual.limit(None) <= SMALL);
        assert!(usual.limit(Some(10)) <= usual.limit(Some(10 << 20)));
    }

    #[test]
    fn a_pipe_stays_small_however_much_comes() {
        let content = 60 << 20;
        let left = Budget::default().after_reading(None, content).limit(Some(content));
        assert!(left <= SMALL - content, "{left}");
    }

    #[test]
    fn what_is_taken_adds_up() {
        let mut meter = Budget::of_bytes(100).meter(None);
        meter.take(60).unwrap();
        assert_eq!(meter.left(), 40);
        assert!(meter.clone().cells(4, 0).is_ok());
        let fault = meter.cells(4, 1).unwrap_err();
        assert!(matches!(fault, Fault::Memory { needed: 101, limit: 100 }));
    }

    #[test]
    fn reading_stops_when_it_is_asked_to() {
        let mut meter = Budget::default().until(|| true).meter(None);
        assert!(matches!(meter.take(0), Err(Fault::Cancelled)));
    }
}
