//! Readers of tables and writers of results.
//!
//! A file goes in, a [`Table`] comes out: named columns of equal length whose cells keep what the file says and are
//! given a type only when asked for one. CSV, NPY, NPZ, JSON Lines and, with the cargo feature `parquet`, Parquet are
//! read; CSV, JSON Lines, Parquet and NPY are written.
//!
//! ```
//! use eocc_data::{ReadOptions, read_bytes};
//!
//! let table = read_bytes("toy.csv", b"width,height,label\n1,2,target\n3,4,outlier\n", &ReadOptions::default())?;
//! let label = table.column("label")?;
//! let rows = table.matching(label, "target")?;
//! assert_eq!(table.numbers_of_rows(&[0, 1], &rows)?, [1.0, 2.0]);
//! # Ok::<(), eocc_data::DataError>(())
//! ```
//!
//! # What is rejected, and where
//!
//! [`read()`] rejects a file that is not a table: ragged rows, bytes that are no UTF-8, sizes the file cannot hold.
//! [`Table::numbers`] rejects a cell that is not a finite number, and says where it is and what to do. A missing cell
//! is therefore no fault until somebody wants a number from it.
//!
//! # Limits
//!
//! The whole file is read into memory. Only UTF-8 text is read. Compressed files other than NPZ and Parquet are
//! recognised but not unpacked. The readers are tested on random bytes, on damaged files and on every truncation of
//! small ones; that shows they answer with an error rather than a panic, not that every damaged file is noticed.

mod cell;
mod column;
mod csv;
mod error;
mod format;
mod graphs;
mod guard;
mod jsonl;
mod matching;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod read;
mod shown;
mod table;
pub mod toy;
mod write;

pub use cell::{Cell, CellFault};
pub use error::{DataError, Fault};
pub use format::Format;
pub use graphs::{GraphSet, is_graphs, read_graph_bytes, read_graphs};
pub use read::{ReadOptions, read, read_bytes};
pub use table::Table;
pub use write::{OutColumn, OutFormat, OutValues, Output, atomic_write, write, write_npy};
