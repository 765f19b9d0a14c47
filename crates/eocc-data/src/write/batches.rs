//! A table written batch by batch.

use std::io::{self, Write};

#[cfg(feature = "columnar")]
use super::parquet::Groups;
use super::{OutFormat, Output, atomic_write, check, text};
use crate::column::Column;
use crate::error::DataError;

/// Why a table was not written.
#[derive(Debug)]
pub enum BatchError<E> {
    /// The next batch failed.
    Next(E),
    /// Writing failed.
    Write(DataError),
}

/// Writes a table whose rows come in batches, all with the same columns, until there are no more. Each batch is on
/// standard output before the next is requested; a file is written like [`atomic_write`] does.
pub fn write_batches<E>(
    format: OutFormat,
    to: &Output,
    mut next: impl FnMut() -> Result<Option<Vec<Column>>, E>,
) -> Result<(), BatchError<E>> {
    let name = match to {
        Output::Stdout => "standard output".to_owned(),
        Output::Path(path) => path.display().to_string(),
    };
    let mut fault = None;
    let mut refused = None;
    let mut content = |writer: &mut (dyn Write + Send)| -> io::Result<()> {
        let mut table = Table::new(format, writer);
        loop {
            match next() {
                Ok(None) => return table.finish(),
                Ok(Some(columns)) => {
                    if let Err(reason) = check(&columns, format) {
                        refused = Some(DataError::new(&name, reason));
                        return Err(io::ErrorKind::Other.into());
                    }
                    table.write(&columns)?;
                }
                Err(error) => {
                    fault = Some(error);
                    return Err(io::ErrorKind::Other.into());
                }
            }
        }
    };
    let written = match to {
        Output::Stdout => {
            let mut writer = io::BufWriter::new(io::stdout());
            content(&mut writer)
                .and_then(|()| writer.flush())
                .map_err(|cause| DataError::io(&name, "written", cause))
        }
        Output::Path(path) => atomic_write(path, content),
    };
    match (fault, refused, written) {
        (Some(error), ..) => Err(BatchError::Next(error)),
        (_, Some(error), _) | (_, _, Err(error)) => Err(BatchError::Write(error)),
        (None, None, Ok(())) => Ok(()),
    }
}

/// A table being written.
enum Table<'a> {
    Csv {
        writer: &'a mut (dyn Write + Send),
        has_header: bool,
    },
    JsonLines {
        writer: &'a mut (dyn Write + Send),
    },
    #[cfg(feature = "columnar")]
    Parquet(Box<Groups<'a>>),
    #[cfg(not(feature = "columnar"))]
    Parquet,
}

impl<'a> Table<'a> {
    fn new(format: OutFormat, writer: &'a mut (dyn Write + Send)) -> Self {
        match format {
            OutFormat::Csv => Self::Csv { writer, has_header: false },
            OutFormat::JsonLines => Self::JsonLines { writer },
            #[cfg(feature = "columnar")]
            OutFormat::Parquet => Self::Parquet(Box::new(Groups::new(writer))),
            // Refused with the first batch.
            #[cfg(not(feature = "columnar"))]
            OutFormat::Parquet => Self::Parquet,
        }
    }

    fn write(&mut self, columns: &[Column]) -> io::Result<()> {
        match self {
            Self::Csv { writer, has_header } => {
                if !std::mem::replace(has_header, true) {
                    text::csv_header(columns, writer)?;
                }
                text::csv_rows(columns, writer)?;
                writer.flush()
            }
            Self::JsonLines { writer } => {
                text::json_lines(columns, writer)?;
                writer.flush()
            }
            #[cfg(feature = "columnar")]
            Self::Parquet(groups) => groups.write(columns),
            #[cfg(not(feature = "columnar"))]
            Self::Parquet => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Csv { .. } | Self::JsonLines { .. } => Ok(()),
            #[cfg(feature = "columnar")]
            Self::Parquet(groups) => groups.finish(),
            #[cfg(not(feature = "columnar"))]
            Self::Parquet => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
