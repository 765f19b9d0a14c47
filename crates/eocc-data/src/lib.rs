//! Readers of tables, sequences and time series, and writers of results.
//!
//! A file goes in, a [`Table`] comes out: named columns of equal length whose cells keep what the file says and are
//! given a type only when asked for one. CSV, NPY, NPZ, JSON Lines and, with the cargo features `parquet` and `arrow`, Parquet
//! and Arrow are read; CSV, JSON Lines, Parquet and NPY are written. FASTA, TS and
//! lines of text hold no tables; they are read as fields, see below.
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
//! # Fields: samples of any kind
//!
//! [`read_fields`] yields [`Fields`] from every format: columns with a type, which is a number, a truth value, a word, a
//! text, a time series or a graph. FASTA (sequences) and TS (time series) say their types themselves; the columns of a
//! table are given theirs by [`typed()`], which guesses by fixed rules or is told with a [`FieldType`].
//!
//! ```
//! use eocc_data::{ReadOptions, read_fields_bytes};
//!
//! let lines = b"{\"kind\": \"a\", \"wave\": [1, 2, 3]}\n{\"kind\": \"a\", \"wave\": [4, 5]}\n";
//! let fields = read_fields_bytes("toy.jsonl", lines, &ReadOptions::default(), &[])?;
//! let types: Vec<String> = fields.describe().into_iter().map(|(_, words)| words).collect();
//! assert_eq!(types, ["category, 1 level", "series, 1 channel, length 2 to 3"]);
//! # Ok::<(), eocc_data::DataError>(())
//! ```
//!
//! [`read_labels`] and [`read_pairs`] read small CSV files next to the data, which name its samples.
//!
//! # What is rejected, and where
//!
//! [`read()`] rejects a file that is not a table: ragged rows, bytes that are no UTF-8, sizes the file cannot hold.
//! [`Table::numbers`] rejects a cell that is not a finite number, and says where it is and what to do. A missing cell
//! is therefore no fault until somebody wants a number from it. [`typed()`] rejects a cell that does not fit the type of
//! its column; in [`Fields`] numbers and series are finite, and what may be missing is an `Option`.
//!
//! # Limits
//!
//! The whole file is read into memory. Text is UTF-8, or UTF-16 by its byte-order mark, unless another encoding is named.
//! Files packed with gzip and, with the cargo feature `zstd`,
//! zstd are unpacked, if they give no more than text of their size should; other compressed files than NPZ and Parquet are
//! recognised but not unpacked. The readers are tested on random bytes, on damaged files and on every truncation of
//! small ones; that shows they answer with an error rather than a panic, not that every damaged file is noticed.

#[cfg(feature = "arrow")]
mod arrow;
mod batches;
mod budget;
mod cell;
mod column;
mod csv;
mod dataset;
mod date;
mod error;
mod fasta;
mod field_fault;
mod field_type;
mod fields;
mod file_set;
mod format;
mod graphs;
mod guard;
mod guess;
mod jsonl;
mod labels;
mod lines;
mod matching;
mod notation;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod read;
mod read_fields;
mod series;
mod shown;
mod source;
mod strings;
mod table;
mod text_encoding;
pub mod toy;
mod ts;
mod typed;
mod unpack;
mod write;

pub use batches::{Batch, Batches};
pub use budget::Budget;
pub use cell::{Cell, CellFault};
pub use dataset::{
    ColumnValues, Columns, Dataset, Missing, NoFeature, Note, ReadError, ReadRequest, SeriesLayout,
};
pub use date::{DayMonth, date_text};
pub use error::{DataError, Fault};
pub use field_fault::FieldFault;
pub use field_type::{FieldType, FieldTypeError};
pub use fields::{Field, FieldValues, Fields};
pub use file_set::{FileSet, table_files};
pub use format::Format;
pub use graphs::{GraphSet, is_graphs, read_graph_bytes, read_graphs, read_graphs_within};
pub use guess::type_of_texts;
pub use labels::{Pair, labels_for, read_labels, read_pairs};
pub use notation::{Notation, NotationError};
pub use read::{ReadOptions, read, read_bytes};
pub use read_fields::{Content, check_types, read_content, read_fields, read_fields_bytes};
pub use source::{Source, open_source};
pub use table::Table;
pub use text_encoding::TextEncoding;
pub use typed::typed;
pub use write::{
    BatchError, OutColumn, OutFormat, OutValues, Output, atomic_write, write, write_batches, write_npy,
};
