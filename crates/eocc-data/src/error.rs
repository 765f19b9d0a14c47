//! The errors of this crate.

use std::io;

use eocc_core::error::bytes;

use crate::cell::CellFault;
use crate::field_fault::FieldFault;
use crate::shown::{counted, counts, list, shown};

/// An error about a file: which one, and what is wrong with it.
///
/// The message starts with the name of the file (or `standard input`, `standard output`) and is complete on its own,
/// so [`std::error::Error::source`] is always empty.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {fault}")]
pub struct DataError {
    name: String,
    // Boxed because a fault may carry several texts, and results pass through many calls.
    fault: Box<Fault>,
}

impl Fault {
    /// Whether a single row is at fault, so that others may still be read.
    pub(crate) fn is_of_row(&self) -> bool {
        matches!(
            self,
            Self::Cell { .. }
                | Self::Field { .. }
                | Self::Ragged { .. }
                | Self::NotUtf8 { .. }
                | Self::ZeroByte { .. }
                | Self::Json { .. }
                | Self::Line { .. }
        )
    }
}

/// The reason why the reader of a format stops: a message about the file, or any other fault.
#[derive(Debug)]
pub(crate) enum ReadFailure {
    Message(String),
    Fault(Fault),
}

impl ReadFailure {
    /// The fault of a file in this format.
    pub(crate) fn fault(self, format: &'static str) -> Fault {
        match self {
            Self::Message(reason) => Fault::Malformed { format, reason },
            Self::Fault(fault) => fault,
        }
    }

    /// With the message changed, for example to add the location.
    pub(crate) fn map(self, words: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Message(reason) => Self::Message(words(reason)),
            fault @ Self::Fault(_) => fault,
        }
    }
}

impl From<String> for ReadFailure {
    fn from(words: String) -> Self {
        Self::Message(words)
    }
}

impl From<&str> for ReadFailure {
    fn from(words: &str) -> Self {
        Self::Message(words.to_owned())
    }
}

impl From<Fault> for ReadFailure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl DataError {
    pub(crate) fn new(name: &str, fault: Fault) -> Self {
        Self { name: name.to_owned(), fault: Box::new(fault) }
    }

    /// An error of reading or writing (`doing`) that the operating system reported.
    pub(crate) fn io(name: &str, doing: &'static str, cause: io::Error) -> Self {
        // Decompressing readers have found a fault of the content, and could only pass it on as a read error.
        let cause = match cause.downcast::<Fault>() {
            Ok(fault) => return Self::new(name, fault),
            Err(cause) => cause,
        };
        let fault = match cause.kind() {
            io::ErrorKind::BrokenPipe => Fault::ClosedPipe,
            io::ErrorKind::NotFound => Fault::NotFound,
            io::ErrorKind::IsADirectory => Fault::Directory,
            _ => Fault::Io { doing, cause },
        };
        Self::new(name, fault)
    }

    /// The file, as named by the caller.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is wrong.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// The fault, without the name of the file.
    pub(crate) fn into_fault(self) -> Fault {
        *self.fault
    }

    /// Whether the operating system failed, rather than the content being at fault.
    pub fn is_io(&self) -> bool {
        matches!(
            *self.fault,
            Fault::NotFound
                | Fault::Directory
                | Fault::NoFolder { .. }
                | Fault::Io { .. }
                | Fault::ClosedPipe
        )
    }

    /// Whether reading it would take too much memory.
    pub fn is_memory(&self) -> bool {
        matches!(*self.fault, Fault::Memory { .. })
    }

    /// Whether reading was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(*self.fault, Fault::Cancelled)
    }

    /// Whether the reader of our output is gone, as with `head`; a program should then stop quietly.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(*self.fault, Fault::ClosedPipe)
    }
}

/// The kinds of [`DataError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file does not exist.
    #[error("no such file")]
    NotFound,
    /// A directory was given where a file is needed.
    #[error("is a directory, not a file")]
    Directory,
    /// A folder contains no supported files.
    #[error(
        "there are no tables or graphs in this folder{}; tables end in .csv, .tsv, .txt, .npy, .npz, .jsonl, .arrow or .parquet, graphs \
         in .gxl, .cxl, .graphml or .json",
        if *others == 0 { String::new() } else { format!(", only other files ({others})") }
    )]
    EmptyFolder {
        /// How many other files it contains.
        others: usize,
    },
    /// No file name matches the pattern.
    #[error("no file matches this pattern")]
    NothingMatches,
    /// A pattern is invalid.
    #[error("this pattern cannot be used: {reason}")]
    Pattern {
        /// What is wrong and what to do.
        reason: String,
    },
    /// Files that should be one table have different formats.
    #[error("{first} and {second} have different formats; files read together must have the same")]
    MixedFormats {
        /// A file.
        first: String,
        /// One of another format.
        second: String,
    },
    /// A column is in one of several files, but not in another.
    #[error("column {} of {other} is missing; files read together must have the same columns", shown(.column))]
    ColumnElsewhere {
        /// Name of the column.
        column: String,
        /// The file that has it.
        other: String,
    },
    /// The types of a column differ between files.
    #[error("column {} holds {here}, but {there} in {other}; store them the same way", shown(.column))]
    TypeElsewhere {
        /// Name of the column.
        column: String,
        /// Its type in this file.
        here: &'static str,
        /// Its type in the other file.
        there: &'static str,
        /// The other file.
        other: String,
    },
    /// The folder to write into does not exist.
    #[error("cannot be written: the folder {} does not exist, create it first", shown(.folder))]
    NoFolder {
        /// The missing folder.
        folder: String,
    },
    /// The operating system reported an error.
    #[error("cannot be {doing}: {}", io_reason(.cause))]
    Io {
        /// `read` or `written`.
        doing: &'static str,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The reader of our output is gone.
    #[error("the pipe was closed by its reader")]
    ClosedPipe,
    /// The support for a format was not compiled in.
    #[error(
        "is a {format} file, which this build cannot handle: build it with the cargo feature `{feature}`, or convert \
         the file to CSV"
    )]
    FeatureOff {
        /// The format.
        format: &'static str,
        /// The cargo feature that supports it.
        feature: &'static str,
    },
    /// The content is evidently not of the expected kind.
    #[error("looks like {found}, not {expected}; {remedy}")]
    LooksLike {
        /// What the first bytes indicate.
        found: &'static str,
        /// What the reader expected.
        expected: &'static str,
        /// What the user can do.
        remedy: &'static str,
    },
    /// One of several files that should form one table contains something else.
    #[error("holds {holds}, not a table that can be joined with others; read it alone, or convert it to CSV")]
    NotATable {
        /// What it contains.
        holds: &'static str,
    },
    /// The file contains graphs in an unsupported format.
    #[error(
        "is a {format} file, which is not read; graphs are read as GXL with CXL lists, GraphML and JSON node-link, so convert \
         it to one of these"
    )]
    UnreadGraphs {
        /// The format.
        format: &'static str,
    },
    /// A compressed file unpacks to implausibly many bytes.
    #[error(
        "unpacks to more than {most} bytes, though it has only {packed}; if that is expected, unpack it \
         first"
    )]
    Inflated {
        /// Size of the file in bytes.
        packed: u64,
        /// Maximum number of bytes it may unpack to.
        most: u64,
    },
    /// Reading would take more memory than allowed.
    #[error(
        "would take {} of memory or more to read, but at most {} is allowed; if that is expected, allow more, \
         or split it",
        bytes(*.needed),
        bytes(*.limit)
    )]
    Memory {
        /// How much it needs at least, in bytes.
        needed: u64,
        /// How much it may take, in bytes.
        limit: u64,
    },
    /// A table has more columns than may be learned from.
    #[error(
        "has {columns} columns, but a model of tables keeps at most {most}; choose columns, or combine them to fewer first"
    )]
    TooWide {
        /// How many columns it has.
        columns: u64,
        /// How many it may have.
        most: usize,
    },
    /// Reading was cancelled.
    #[error("reading was stopped")]
    Cancelled,
    /// The file is empty.
    #[error("is empty; a table needs at least one row")]
    Empty,
    /// There are columns, but no rows.
    #[error("has {} but no rows of data", counted(*columns, "column"))]
    NoRows {
        /// How many columns there are.
        columns: usize,
    },
    /// There is only a header.
    #[error(
        "has a header on line {line} ({}) but no rows of data; if that line is data, say that there is no header",
        list(.names)
    )]
    HeaderOnly {
        /// Line of the header, from 1.
        line: usize,
        /// The names in it.
        names: Vec<String>,
    },
    /// A row has a different number of cells than the rows before.
    #[error("line {line} has {}, but line {first} has {expected}{hint}", counted(*found, "cell"))]
    Ragged {
        /// Line of the row, from 1.
        line: usize,
        /// How many cells it has.
        found: usize,
        /// How many the first row has.
        expected: usize,
        /// Line of the first row.
        first: usize,
        /// A further remark, starting with `; `, or nothing.
        hint: String,
    },
    /// The text is not UTF-8.
    #[error(
        "line {line}, byte {offset} of the file: not valid UTF-8 text; save the file as UTF-8, or say which encoding it has"
    )]
    NotUtf8 {
        /// Line, from 1.
        line: usize,
        /// Byte offset in the file, from 0.
        offset: usize,
    },
    /// The text is not in the encoding that it should have.
    #[error("line {line}: the bytes are not text in {encoding}; say which encoding the file has")]
    Undecodable {
        /// Line, from 1.
        line: usize,
        /// The encoding that was given, or that a byte-order mark indicates.
        encoding: &'static str,
    },
    /// The text contains a zero byte.
    #[error(
        "line {line}, byte {offset} of the file: a zero byte, which text does not have; the file is binary or damaged"
    )]
    ZeroByte {
        /// Line, from 1.
        line: usize,
        /// Byte offset in the file, from 0.
        offset: usize,
    },
    /// Two columns have the same name.
    #[error("columns {first} and {second} are both named {}; rename one of them", shown(.name))]
    DuplicateName {
        /// The name.
        name: String,
        /// Number of the first, from 0.
        first: usize,
        /// Number of the second, from 0.
        second: usize,
    },
    /// The given delimiter cannot be used.
    #[error("the delimiter {:?} cannot be used; choose a character such as ',' or ';'", char::from(*.given))]
    Delimiter {
        /// What was given.
        given: u8,
    },
    /// The given comment character cannot be used.
    #[error("comments cannot start with {:?}; choose a character such as '#', other than the delimiter", char::from(*.given))]
    Comment {
        /// What was given.
        given: u8,
    },
    /// A line of JSON is wrong.
    #[error("line {line}, column {column}: {reason}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column in the line in bytes, from 1.
        column: usize,
        /// What is wrong and what to do.
        reason: String,
    },
    /// The inner structure of a file is wrong or not supported.
    #[error("not a readable {format} file: {reason}")]
    Malformed {
        /// The format.
        format: &'static str,
        /// What is wrong and what to do.
        reason: String,
    },
    /// A cell is not the finite number it should be.
    #[error("row {row}{}, column {}: {why}", line.map(|l| format!(" (line {l})")).unwrap_or_default(), shown(.column))]
    Cell {
        /// Row of data, from 0.
        row: usize,
        /// Line in the file, from 1, for text files.
        line: Option<usize>,
        /// Name of the column.
        column: String,
        /// The cell's text.
        text: String,
        /// What is wrong with it; its message shows the text.
        why: CellFault,
    },
    /// A cell does not fit the type of its column.
    #[error("row {row}{}, column {}: {why}", line.map(|l| format!(" (line {l})")).unwrap_or_default(), shown(.column))]
    Field {
        /// Row of data, from 0.
        row: usize,
        /// Line in the file, from 1, for text files.
        line: Option<usize>,
        /// Name of the column.
        column: String,
        /// What is wrong; its message shows the value.
        why: FieldFault,
    },
    /// Two types are given for one column.
    #[error("column {} is given two types, {first} and {second}; choose one", shown(.column))]
    TwoTypes {
        /// Name of the column.
        column: String,
        /// The first type.
        first: String,
        /// The second type.
        second: String,
    },
    /// A type is given for a column whose format declares its type.
    #[error("column {} is always of type {actual} in this format, not {wanted}; leave out the type", shown(.column))]
    FixedType {
        /// Name of the column.
        column: String,
        /// The type declared by the format.
        actual: &'static str,
        /// The requested type.
        wanted: String,
    },
    /// An unclosed quote that extends to the end of the file.
    #[error("line {line}: {reason}")]
    Unclosed {
        /// Line, from 1.
        line: usize,
        /// What is wrong and what to do.
        reason: String,
    },
    /// A line of a text file is wrong.
    #[error("line {line}: {reason}")]
    Line {
        /// Line, from 1.
        line: usize,
        /// What is wrong and what to do.
        reason: String,
    },
    /// Two samples have the same name.
    #[error("the samples on lines {first} and {second} are both named {}; rename one of them, or leave one out", shown(.name))]
    DuplicateSample {
        /// The name.
        name: String,
        /// Line of the first, from 1.
        first: usize,
        /// Line of the second, from 1.
        second: usize,
    },
    /// A sample has two labels.
    #[error("the sample {} has two labels, {} and {}; leave one out", shown(.name), shown(.first), shown(.second))]
    TwoLabels {
        /// The sample.
        name: String,
        /// Its first label.
        first: String,
        /// Its second label.
        second: String,
    },
    /// A sample has no label.
    #[error(
        "the sample {}{} no label, while {unused} of the {labels} labels are of no sample here{}; compare the names, or \
         leave out what has no label",
        shown(.name),
        if *others == 0 { " has".to_owned() } else { format!(" and {others} more have") },
        .example.as_ref().map_or_else(String::new, |name| format!(", such as that of {}", shown(name)))
    )]
    NoLabel {
        /// The first sample without a label.
        name: String,
        /// How many more have none.
        others: usize,
        /// How many labels belong to no sample.
        unused: usize,
        /// The first of these, if any.
        example: Option<String>,
        /// How many labels there are.
        labels: usize,
    },
    /// Several records of a file are bad.
    #[error("{counts}: {}", .first.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Several {
        /// How many of each kind.
        counts: String,
        /// The first of each kind.
        first: Vec<Fault>,
    },
    /// No column has this name or number.
    #[error(
        "no column {}{}; the columns are {}{}",
        shown(.given),
        suggestion.as_ref().map(|s| format!(" (did you mean {}?)", shown(s))).unwrap_or_default(),
        list(.names),
        remarks(.left_out)
    )]
    NoColumn {
        /// The requested name or number.
        given: String,
        /// The existing names.
        names: Vec<String>,
        /// A similar name.
        suggestion: Option<String>,
        /// Why arrays of an archive are not among the columns.
        left_out: Vec<String>,
    },
    /// No row has this value.
    #[error("no row has {} in column {}; its values are {}", shown(.value), shown(.column), counts(.values))]
    NoMatch {
        /// Name of the column.
        column: String,
        /// The requested value.
        value: String,
        /// The existing values with their counts, most frequent first.
        values: Vec<(String, usize)>,
    },
    /// The columns to write do not form a table.
    #[error("cannot be written: {reason}")]
    BadOutput {
        /// What is wrong.
        reason: String,
    },
}

fn remarks(left_out: &[String]) -> String {
    left_out.iter().flat_map(|remark| ["; ", remark]).collect()
}

fn io_reason(cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::StorageFull => "no space is left on the device".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        _ => cause.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_starts_with_the_name() {
        let error = DataError::new("a.csv", Fault::Empty);
        assert_eq!(error.to_string(), "a.csv: is empty; a table needs at least one row");
        assert!(!error.is_io());
    }

    #[test]
    fn kinds_of_io_are_distinguished() {
        let pipe = DataError::io("standard output", "written", io::ErrorKind::BrokenPipe.into());
        assert!(pipe.is_closed_pipe() && pipe.is_io());
        let full = DataError::io("out.csv", "written", io::ErrorKind::StorageFull.into());
        assert_eq!(full.to_string(), "out.csv: cannot be written: no space is left on the device");
        assert!(full.is_io() && !full.is_closed_pipe());
    }

    #[test]
    fn a_missing_column_is_explained() {
        let fault = Fault::NoColumn {
            given: "lable".into(),
            names: vec!["x0".into(), "label".into()],
            suggestion: Some("label".into()),
            left_out: vec!["array \"ids\" was left out: 3-D".into()],
        };
        assert_eq!(
            DataError::new("a.npz", fault).to_string(),
            "a.npz: no column \"lable\" (did you mean \"label\"?); the columns are \"x0\", \"label\"; array \"ids\" was left out: 3-D"
        );
    }
}
