//! All errors, typed. Messages are lower case, without a full stop, and name the item, the value and what is allowed,
//! followed by a remedy if there is one.

use std::path::{Path, PathBuf};

/// The result of every fallible call of the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the library; see [`Error::kind`] or the `is_…` methods.
#[derive(Debug)]
pub struct Error {
    kind: Box<ErrorKind>,
}

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// One or more parameters are out of range; all of them are listed.
    #[error("{}", join(.0))]
    Parameter(Vec<ParameterFault>),
    /// The samples cannot be used.
    #[error(transparent)]
    Input(InputFault),
    /// The run would need more memory than the limit; nothing was started.
    #[error("{what} would need about {} of memory, but {} is available; {remedy}", bytes(*needed), bytes(*available))]
    Memory {
        /// The data or step that would need it.
        what: String,
        /// Estimate, in bytes.
        needed: u64,
        /// The limit, in bytes.
        available: u64,
        /// What the user can do.
        remedy: Remedy,
    },
    /// The model file cannot be used.
    #[error(transparent)]
    ModelFile(ModelFault),
    /// Reading or writing failed.
    #[error("{} cannot be read or written", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The observer cancelled before there was anything to return.
    #[error("cancelled before the first model was ready")]
    Cancelled,
}

/// A parameter out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {given}, but must be {allowed}{}", remedy.map_or_else(String::new, |r| format!(", {r}")))]
pub struct ParameterFault {
    /// Name of the parameter.
    pub name: String,
    /// The value received.
    pub given: String,
    /// The allowed values.
    pub allowed: String,
    /// What else the user can do, if anything.
    pub remedy: Option<Remedy>,
}

/// What a user can do about an error. The library describes it in words; a program or a binding may name its own
/// option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Remedy {
    /// Fewer prototypes, or none.
    #[error("choose fewer prototypes or build the graph without them")]
    FewerPrototypes,
    /// The paper's embedding by prototypes instead of a graph on the dissimilarity itself.
    #[error("or use the preset `paper` with prototypes")]
    UsePrototypes,
    /// Fewer samples.
    #[error("fit on a random subset of the samples")]
    FitSubset,
    /// Fast instead of exact scoring.
    #[error("use fast scoring")]
    FastScoring,
    /// Another file.
    #[error("is this really a model file?")]
    CheckFile,
    /// Another journal of results.
    #[error("choose another journal")]
    OtherJournal,
    /// The journal of results from its beginning.
    #[error("restart the journal")]
    FreshJournal,
    /// Another journal, or the same one from its beginning.
    #[error("choose another journal or restart this one")]
    OtherOrFreshJournal,
    /// Nothing but more memory.
    #[error("free some memory")]
    FreeMemory,
    /// Something only the caller can know, in its own words.
    #[error("{0}")]
    Words(&'static str),
}

/// What is wrong with the samples.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InputFault {
    /// NaN or infinite cell.
    #[error(
        "row {row}, column {column}: the value is {value}, but must be finite; drop the row or fill the cell"
    )]
    NotFinite {
        /// Row, from 0.
        row: usize,
        /// Column, by name or number.
        column: String,
        /// The value.
        value: f64,
    },
    /// A missing value in data for a measure that needs all of them.
    #[error("row {row}, column {column}: the value is missing; drop the row or fill the cell")]
    Missing {
        /// Row, from 0.
        row: usize,
        /// Column, by name or number.
        column: String,
    },
    /// A row of a different length.
    #[error("row {row} has {found} values, but row 0 has {expected}; all rows must have the same number")]
    Ragged {
        /// Row, from 0.
        row: usize,
        /// Its number of values.
        found: usize,
        /// The number of values of the first row.
        expected: usize,
    },
    /// Too few samples to learn from.
    #[error(
        "there {}, but at least {needed} are needed; add more nominal samples",
        if *found == 1 { "is 1 nominal sample".to_owned() } else { format!("are {found} nominal samples") }
    )]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A precomputed dissimilarity that is negative or not finite.
    #[error(
        "the dissimilarity of row {row} and column {column} is {value}, but must be finite and not negative"
    )]
    BadDissimilarity {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A square matrix that is not symmetric.
    #[error(
        "the matrix is not symmetric: entry ({row}, {column}) is {value}, entry ({column}, {row}) is {mirror}; \
         average it with its transpose if the difference is meant"
    )]
    Asymmetric {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// Entry above the diagonal.
        value: f64,
        /// Its mirror image.
        mirror: f64,
    },
    /// A self-dissimilarity that is not zero.
    #[error(
        "entry ({row}, {row}) of the matrix is {value}, but a sample's dissimilarity to itself must be 0"
    )]
    Diagonal {
        /// Row, from 0.
        row: usize,
        /// The value.
        value: f64,
    },
    /// An error message with a remedy.
    #[error("{message}; {remedy}")]
    WithRemedy {
        /// What is wrong.
        message: String,
        /// What the user can do.
        remedy: Remedy,
    },
    /// Anything else about the shape or type of the samples.
    #[error("{0}")]
    Other(String),
}

/// What is wrong with a model file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFault {
    /// Not a model file at all.
    #[error("this is not an eocc model file: {0}")]
    NotAModel(String),
    /// Shorter or longer than its header says, or its parts are inconsistent.
    #[error("the model file is damaged: {0}; fit the model again or restore the file from a copy")]
    Damaged(String),
    /// Written by a newer program.
    #[error("the model file has format version {found}, but this program reads up to {known}; update eocc")]
    TooNew {
        /// The file's version.
        found: u64,
        /// The newest version known here.
        known: u64,
    },
    /// A model of something that this program or this call does not support.
    #[error("{0}")]
    Unsupported(String),
}

impl Error {
    /// The kind and its details.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Whether a parameter is out of range.
    pub fn is_parameter(&self) -> bool {
        matches!(*self.kind, ErrorKind::Parameter(_))
    }

    /// Whether the samples are at fault.
    pub fn is_input(&self) -> bool {
        matches!(*self.kind, ErrorKind::Input(_))
    }

    /// Whether a model file is at fault.
    pub fn is_model_file(&self) -> bool {
        matches!(*self.kind, ErrorKind::ModelFile(_))
    }

    /// Whether the run was refused for lack of memory.
    pub fn is_memory(&self) -> bool {
        matches!(*self.kind, ErrorKind::Memory { .. })
    }

    /// Whether the observer stopped the run.
    pub fn is_cancelled(&self) -> bool {
        matches!(*self.kind, ErrorKind::Cancelled)
    }

    /// Whether reading or writing failed.
    pub fn is_io(&self) -> bool {
        matches!(*self.kind, ErrorKind::Io { .. })
    }

    /// What the user can do, if it is one of the known remedies.
    pub fn remedy(&self) -> Option<Remedy> {
        match self.kind() {
            ErrorKind::Memory { remedy, .. } | ErrorKind::Input(InputFault::WithRemedy { remedy, .. }) => {
                Some(*remedy)
            }
            ErrorKind::Parameter(faults) => faults.iter().find_map(|fault| fault.remedy),
            _ => None,
        }
    }

    /// The message with those of its sources.
    pub fn chain(&self) -> String {
        let source = std::error::Error::source(self).map_or_else(String::new, |s| format!(": {s}"));
        format!("{self}{source}")
    }

    /// A single parameter fault.
    pub fn parameter(name: &str, given: impl ToString, allowed: impl ToString) -> Self {
        let (given, allowed) = (given.to_string(), allowed.to_string());
        ParameterFault { name: name.to_owned(), given, allowed, remedy: None }.into()
    }

    /// An error in the samples, described in words.
    pub fn input(message: impl Into<String>) -> Self {
        InputFault::Other(message.into()).into()
    }

    /// Like [`input`](Self::input), with a remedy.
    pub fn input_with(message: impl Into<String>, remedy: Remedy) -> Self {
        InputFault::WithRemedy { message: message.into(), remedy }.into()
    }

    /// A failed read or write of `path`.
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        ErrorKind::Io { path: path.to_owned(), source }.into()
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self { kind: Box::new(kind) }
    }
}

impl From<ParameterFault> for Error {
    fn from(fault: ParameterFault) -> Self {
        ErrorKind::Parameter(vec![fault]).into()
    }
}

impl From<InputFault> for Error {
    fn from(fault: InputFault) -> Self {
        ErrorKind::Input(fault).into()
    }
}

impl From<ModelFault> for Error {
    fn from(fault: ModelFault) -> Self {
        ErrorKind::ModelFile(fault).into()
    }
}

fn join(faults: &[ParameterFault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// A number of bytes in human-readable form: `3.2 GB`.
pub fn bytes(n: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_value_and_range() {
        let e = Error::parameter("alpha", 1.5, "in (0, 1)");
        assert_eq!(e.to_string(), "alpha is 1.5, but must be in (0, 1)");
        assert!(e.is_parameter() && !e.is_input());
    }

    #[test]
    fn bytes_are_readable() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(3_200_000_000), "3.2 GB");
        assert_eq!(bytes(u64::MAX), "18.4 EB");
    }
}
