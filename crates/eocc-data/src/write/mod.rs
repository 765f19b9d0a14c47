//! Writers of results.

#[cfg(feature = "columnar")]
mod arrow;
mod atomic;
mod batches;
mod npy;
mod number;
#[cfg(feature = "columnar")]
mod parquet;
mod text;

use std::io::{self, Write};
use std::path::PathBuf;

pub use atomic::atomic_write;
pub use batches::{BatchError, write_batches};
pub use npy::write_npy;
pub(crate) use number::number_text;

use crate::column::Column;
use crate::error::{DataError, Fault};
use crate::table::duplicate;

/// A format of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutFormat {
    /// Comma-separated text with a header.
    Csv,
    /// One JSON object per line. Numbers that are not finite, which JSON does not have, become `null`.
    JsonLines,
    /// Apache Parquet; an error unless built with the cargo feature `columnar`.
    Parquet,
}

/// Where results go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// A file; see [`atomic_write`].
    Path(PathBuf),
}

/// Writes columns of equal length as lines of text, CSV with an optional header; other formats cannot be extended
/// line by line.
pub fn write_rows(
    columns: &[Column],
    format: OutFormat,
    has_header: bool,
    writer: &mut dyn Write,
) -> io::Result<()> {
    match format {
        OutFormat::Csv if has_header => text::csv(columns, writer),
        OutFormat::Csv => text::csv_rows(columns, writer),
        OutFormat::JsonLines => text::json_lines(columns, writer),
        OutFormat::Parquet => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Writes columns of equal length, with distinct names, as a table.
pub fn write(columns: &[Column], format: OutFormat, to: &Output) -> Result<(), DataError> {
    let name = match to {
        Output::Stdout => "standard output".to_owned(),
        Output::Path(path) => path.display().to_string(),
    };
    check(columns, format).map_err(|fault| DataError::new(&name, fault))?;
    let table = |writer: &mut (dyn Write + Send)| write_table(columns, format, writer);
    match to {
        Output::Stdout => to_stdout(table).map_err(|cause| DataError::io(&name, "written", cause)),
        Output::Path(path) => atomic_write(path, table),
    }
}

/// Like [`write()`], to bytes.
pub fn write_bytes(columns: &[Column], format: OutFormat) -> Result<Vec<u8>, DataError> {
    const NAME: &str = "the answer";
    check(columns, format).map_err(|fault| DataError::new(NAME, fault))?;
    let mut bytes = Vec::new();
    write_table(columns, format, &mut bytes).map_err(|cause| DataError::io(NAME, "written", cause))?;
    Ok(bytes)
}

/// The columns as an Arrow stream.
#[cfg(feature = "columnar")]
pub fn arrow_stream(columns: &[Column]) -> Result<Vec<u8>, DataError> {
    const NAME: &str = "the answer";
    check(columns, OutFormat::Csv).map_err(|fault| DataError::new(NAME, fault))?;
    arrow::stream(columns).map_err(|cause| DataError::io(NAME, "written", cause))
}

fn write_table(columns: &[Column], format: OutFormat, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    match format {
        OutFormat::Csv => text::csv(columns, writer),
        OutFormat::JsonLines => text::json_lines(columns, writer),
        #[cfg(feature = "columnar")]
        OutFormat::Parquet => parquet::write(columns, writer),
        #[cfg(not(feature = "columnar"))]
        OutFormat::Parquet => Err(io::ErrorKind::Unsupported.into()),
    }
}

fn to_stdout(content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
    let mut writer = io::BufWriter::new(io::stdout());
    content(&mut writer)?;
    writer.flush()
}

fn check(columns: &[Column], format: OutFormat) -> Result<(), Fault> {
    let refuse = |reason: String| Err(Fault::BadOutput { reason });
    if format == OutFormat::Parquet && !cfg!(feature = "columnar") {
        return Err(Fault::FeatureOff { format: "Parquet", feature: "columnar" });
    }
    let Some(first) = columns.first() else {
        return refuse("there are no columns".to_owned());
    };
    if let Some(other) = columns.iter().find(|column| column.len() != first.len()) {
        return refuse(format!(
            "column {:?} has {} rows, but column {:?} has {}",
            other.name,
            other.len(),
            first.name,
            first.len()
        ));
    }
    match duplicate(columns.iter().map(|column| column.name.as_str())) {
        Some((first, second)) => {
            Err(Fault::DuplicateName { name: columns[second].name.clone(), first, second })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Values;

    #[test]
    fn what_is_not_a_table_is_refused() {
        let path = Output::Path(PathBuf::from("never.csv"));
        let column = |name: &str, rows| Column::new(name, Values::Integer(vec![0; rows]));
        let message = |columns: &[Column]| write(columns, OutFormat::Csv, &path).unwrap_err().to_string();
        assert_eq!(message(&[]), "never.csv: cannot be written: there are no columns");
        assert!(
            message(&[column("a", 1), column("b", 2)])
                .contains("column \"b\" has 2 rows, but column \"a\" has 1")
        );
        assert!(message(&[column("a", 1), column("a", 1)]).contains("both named \"a\""));
    }

    #[cfg(not(feature = "columnar"))]
    #[test]
    fn a_format_left_out_of_the_build_is_named() {
        let column = Column::new("a", Values::Integer(vec![0]));
        let error = write(&[column], OutFormat::Parquet, &Output::Stdout).unwrap_err();
        assert!(error.to_string().contains("cargo feature `columnar`"));
    }
}
