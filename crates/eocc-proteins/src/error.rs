//! Why a structure cannot be used, and where.

use eocc_data::DataError;

/// A file without a usable structure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StructureError {
    /// The file, the line from 1, and what is wrong there.
    #[error("{file}: line {line}: {reason}")]
    Line {
        /// Name of the file.
        file: String,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// The file, and what is wrong with it as a whole.
    #[error("{file}: {reason}")]
    File {
        /// Name of the file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file cannot be opened, unpacked or read as a table.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// A result with a [`StructureError`].
pub type Result<T> = std::result::Result<T, StructureError>;

/// An error on a line, before the file is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineFault {
    pub(crate) line: usize,
    pub(crate) reason: String,
}

impl LineFault {
    pub(crate) fn new(line: usize, reason: impl Into<String>) -> Self {
        Self { line, reason: reason.into() }
    }

    pub(crate) fn in_file(self, file: &str) -> StructureError {
        StructureError::Line { file: file.to_owned(), line: self.line, reason: self.reason }
    }
}
