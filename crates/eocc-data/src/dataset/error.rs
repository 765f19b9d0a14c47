//! Errors between a file and its samples.

use eocc_core::Error;

use crate::error::DataError;

/// An error in a file, in the request, or in the samples.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read as requested.
    #[error(transparent)]
    Data(DataError),
    /// The request is not possible.
    #[error(transparent)]
    Request(#[from] Error),
    /// The samples cannot be used.
    #[error("{source_name}: {error}")]
    Samples {
        /// Name of the file.
        source_name: String,
        /// What is wrong.
        error: Error,
    },
}

impl ReadError {
    /// The error of the request or of the samples, if it is one of those.
    pub fn library(&self) -> Option<&Error> {
        match self {
            Self::Data(_) => None,
            Self::Request(error) | Self::Samples { error, .. } => Some(error),
        }
    }

    /// Whether a single row is at fault, so that others may still be read.
    pub fn is_of_row(&self) -> bool {
        match self {
            Self::Data(error) => error.fault().is_of_row(),
            Self::Samples { .. } => true,
            Self::Request(_) => false,
        }
    }

    /// The error of the file, if it is one.
    pub fn data(&self) -> Option<&DataError> {
        match self {
            Self::Data(error) => Some(error),
            Self::Request(_) | Self::Samples { .. } => None,
        }
    }
}
