//! Readers of tables, sequences and time series, and writers of results.
//!
//! A file goes in, a [`Table`] comes out: named columns of equal length whose cells hold what the file says, and get
//! a type only on request. CSV, NPY, NPZ, JSON Lines and, with the cargo features `parquet` and `arrow`, Parquet and
//! Arrow are read, and so are FASTA, TS and lines of text; CSV, JSON Lines, Parquet and NPY are written.
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
//! # Types
//!
//! [`typed()`] gives every column its type, which is a number, a boolean, a word, a date, a text, a time series or a
//! graph: by fixed rules, or by a given [`FieldType`]. FASTA (sequences), TS (time series) and lines of text declare
//! their types.
//!
//! ```
//! use eocc_data::{ReadOptions, read_bytes, typed};
//!
//! let lines = b"{\"kind\": \"a\", \"wave\": [1, 2, 3]}\n{\"kind\": \"a\", \"wave\": [4, 5]}\n";
//! let table = typed(&read_bytes("toy.jsonl", lines, &ReadOptions::default())?, &[])?;
//! let types: Vec<String> = table.describe().into_iter().map(|(_, words)| words).collect();
//! assert_eq!(types, ["category, 1 level", "series, 1 channel, length 2 to 3"]);
//! # Ok::<(), eocc_data::DataError>(())
//! ```
//!
//! # Samples
//!
//! [`Dataset::of_table`] makes training samples from a table; [`ModelReader`] makes samples for a model from one
//! table after another. For both, the [`Column`]s may come from a file, a data frame or a stream.
//!
//! [`read_labels`] and [`read_pairs`] read small CSV files next to the data, which refer to its samples by name.
//!
//! # Scoring Arrow batches
//!
//! [`BatchScorer`] scores record batches with a model of any kind: one row in, one row out.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use arrow_array::RecordBatch;
//! use eocc_core::AnyModel;
//! use eocc_data::{BatchScorer, ScoreOptions};
//!
//! # fn batches() -> Vec<RecordBatch> { Vec::new() }
//! let scorer = BatchScorer::new(Arc::new(AnyModel::load("model.eocc".as_ref())?))?;
//! for batch in batches() {
//!     let answers = scorer.score(&batch, ScoreOptions::default().membership(true))?;
//!     assert_eq!(answers.num_rows(), batch.num_rows());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is rejected, and where
//!
//! [`read()`] rejects a file that is not a table: ragged rows, bytes that are not text in the given encoding, sizes
//! the file cannot hold. [`Table::numbers`] rejects a cell that is not a finite number, and reports where it is and
//! what to do. A missing cell is therefore not an error until a number is needed. [`typed()`] rejects a cell that
//! does not fit the type of its column.
//!
//! # Limits
//!
//! [`read()`] holds the whole file in memory; [`Batches`] returns it in parts. Text is UTF-8, or UTF-16 by its
//! byte-order mark, unless another encoding is given. Files compressed with gzip and, with the cargo feature
//! `columnar`, zstd are unpacked, up to a plausible size for text; compressed files other than NPZ and Parquet are
//! recognized but not unpacked. The readers are tested on random bytes, on damaged files and on every truncation of
//! small ones; that shows that they return an error rather than panic, not that every damaged file is noticed.

#[cfg(feature = "columnar")]
mod arrow;
mod batches;
mod budget;
mod cell;
mod cells;
mod column;
mod csv;
mod dataset;
mod date;
mod decisions;
mod drift;
mod error;
mod fasta;
mod fastq;
mod field_fault;
mod field_type;
mod file_set;
mod format;
mod graphs;
mod guard;
mod guess;
mod jsonl;
mod labels;
mod letters;
mod lines;
mod mask;
mod matching;
mod notation;
mod novelty;
mod npy;
mod npz;
#[cfg(feature = "columnar")]
mod parquet;
mod read;
mod reading;
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
mod waiting;
mod walk;
mod write;

pub use batches::{Batch, Batches, is_stored};
pub use budget::Budget;
pub use cell::{Cell, CellFault};
pub use cells::Cells;
pub use column::{Column, Values};
pub use dataset::{
    BadRow, Dataset, Gap, Missing, ModelReader, NoFeature, Note, ReadError, ReadRequest, RowsRead,
    SeriesLayout, WindowShape, Windows,
};
#[cfg(feature = "columnar")]
pub use dataset::{BatchScorer, ScoreOptions};
pub use date::{DayMonth, date_text};
pub use decisions::{add_kept, decision_columns};
pub use drift::{Drift, DriftWatch, Move};
pub use error::{DataError, Fault};
pub use field_fault::FieldFault;
pub use field_type::{FieldType, FieldTypeError};
pub use file_set::{FileSet, table_files};
pub use format::Format;
pub use graphs::{GraphSet, is_graphs, read_graph_bytes, read_graphs, read_graphs_within};
pub use guess::type_of_texts;
pub use labels::{Pair, labels_for, read_labels, read_pairs};
pub use letters::{Writing, different_writing};
pub use mask::masked;
pub use notation::{Notation, NotationError};
pub use novelty::{Novelties, Novelty, nucleic_among_proteins};
pub use read::{ReadOptions, read, read_bytes};
pub use reading::Reading;
pub use source::{Source, open_source};
pub use table::Table;
pub use text_encoding::TextEncoding;
pub use typed::typed;
#[cfg(feature = "columnar")]
pub use write::arrow_stream;
pub use write::{
    BatchError, OutFormat, Output, atomic_write, write, write_batches, write_bytes, write_npy, write_rows,
};
