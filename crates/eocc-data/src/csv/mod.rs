//! Text with delimiters.

mod detect;

pub(crate) use detect::is_table;

use crate::budget::Meter;
use crate::column::{Column, TextCells, Values};
use crate::error::{DataError, Fault};
use crate::format::without_mark;
use crate::notation::Notation;
use crate::read::ReadOptions;
use crate::table::{Table, duplicate, numbered};

/// What the text of a table is written with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    /// Lines that start so are skipped.
    pub(crate) comment: Option<u8>,
    /// How numbers are written, if not as usual.
    pub(crate) notation: Option<Notation>,
}

impl Dialect {
    /// What was said of a text, and what it looks like.
    pub(crate) fn of(text: &str, options: &ReadOptions) -> Result<Self, Fault> {
        let (comment, notation) = (options.comment, options.notation);
        let delimiter = match options.delimiter {
            Some(given) => given,
            None => detect::delimiter(text, comment, notation),
        };
        let cannot = |byte: u8| matches!(byte, b'"' | b'\r' | b'\n' | 0x80..);
        if cannot(delimiter) {
            return Err(Fault::Delimiter { given: delimiter });
        }
        if let Some(given) = comment.filter(|byte| cannot(*byte) || *byte == delimiter) {
            return Err(Fault::Comment { given });
        }
        Ok(Self { delimiter, comment, notation })
    }

    /// Whether the first row of a text looks like a header.
    pub(crate) fn has_header(self, text: &str) -> bool {
        detect::header(text, self)
    }
}

/// Reads a table from text with delimiters.
///
/// Fields may be quoted with `"`; blank lines and comments are skipped. With the blank as delimiter, several blanks count as one.
pub(crate) fn read(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
    mut meter: Meter,
) -> Result<Table, DataError> {
    let fail = |fault| DataError::new(name, fault);
    let text = decode(bytes).map_err(fail)?;
    let dialect = Dialect::of(text, options).map_err(fail)?;
    let delimiter = dialect.delimiter;
    let mut records = Records::new(text, dialect);
    let mut record = csv::StringRecord::new();
    let Some(first) = records.next(&mut record).map_err(fail)? else {
        return Err(fail(Fault::Empty));
    };
    let width = record.len();
    meter.columns(width as u64).map_err(fail)?;
    let mut columns: Vec<TextCells> = Vec::new();
    columns.resize_with(width, || TextCells::noted(dialect.notation));
    let mut lines = Vec::new();
    let mut header: Option<Vec<String>> = None;
    let has_header = options.header.unwrap_or_else(|| dialect.has_header(text));
    if has_header {
        header = Some(header_names(&record));
    } else {
        push(&mut columns, &record);
        lines.push(first);
    }
    while let Some(line) = records.next(&mut record).map_err(fail)? {
        if record.len() != width {
            let hint = ragged_hint(&record, delimiter);
            return Err(fail(Fault::Ragged { line, found: record.len(), expected: width, first, hint }));
        }
        meter.cells(width as u64 + 1, record.as_slice().len() as u64).map_err(fail)?;
        push(&mut columns, &record);
        lines.push(line);
    }
    if let Some(names) = &header {
        if let Some((one, two)) = duplicate(names) {
            return Err(fail(Fault::DuplicateName { name: names[two].clone(), first: one, second: two }));
        }
        if lines.is_empty() {
            return Err(fail(Fault::HeaderOnly { line: first, names: names.clone() }));
        }
    }
    let names = header.unwrap_or_else(|| numbered(width));
    let columns = columns.into_iter().map(|cells| Column::new(Values::Text(cells))).collect();
    Ok(Table::new(name, names, columns)?.with_header(has_header).with_lines(lines))
}

fn push(columns: &mut [TextCells], record: &csv::StringRecord) {
    for (column, cell) in columns.iter_mut().zip(record) {
        column.push_raw(cell);
    }
}

fn header_names(record: &csv::StringRecord) -> Vec<String> {
    let name = |(at, cell): (usize, &str)| {
        if cell.trim().is_empty() { format!("column_{at}") } else { cell.trim().to_owned() }
    };
    record.iter().enumerate().map(name).collect()
}

fn ragged_hint(record: &csv::StringRecord, delimiter: u8) -> String {
    if record.iter().any(|cell| cell.contains('\n')) {
        "; a cell of it goes over several lines, so that a quote may be missing".to_owned()
    } else {
        format!("; the delimiter is {:?}", char::from(delimiter))
    }
}

/// The text, if it is one: UTF-8 without zero bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, Fault> {
    let line = |offset: usize| bytes[..offset].split(|byte| *byte == b'\n').count();
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        return Err(Fault::ZeroByte { line: line(offset), offset });
    }
    let mark = bytes.len() - without_mark(bytes).len();
    std::str::from_utf8(&bytes[mark..]).map_err(|error| {
        let offset = mark + error.valid_up_to();
        Fault::NotUtf8 { line: line(offset), offset }
    })
}

/// The records of a text, each with the line on which it starts.
struct Records<'a> {
    text: &'a str,
    reader: csv::Reader<&'a [u8]>,
    dialect: Dialect,
    at: usize,
    line: usize,
}

impl<'a> Records<'a> {
    fn new(text: &'a str, dialect: Dialect) -> Self {
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(dialect.delimiter)
            .comment(dialect.comment)
            .from_reader(text.as_bytes());
        Self { text, reader, dialect, at: 0, line: 1 }
    }

    /// Reads the next record that is not blank and gives its line; `None` at the end.
    fn next(&mut self, record: &mut csv::StringRecord) -> Result<Option<usize>, Fault> {
        loop {
            let start = self.reader.position().byte() as usize;
            let more = self
                .reader
                .read_record(record)
                .map_err(|error| Fault::Malformed { format: "CSV", reason: error.to_string() })?;
            if !more {
                return Ok(None);
            }
            let start = self.start_behind(start);
            let line = self.line_of(start);
            if self.dialect.delimiter == b' ' {
                *record = record.iter().filter(|cell| !cell.is_empty()).collect();
            }
            let is_blank = record.is_empty() || (record.len() == 1 && record[0].trim().is_empty());
            // A quoted empty cell is a row of a single column with a missing value; a line of blanks is none.
            if !is_blank || self.is_quoted(start) {
                return Ok(Some(line));
            }
        }
    }

    /// Where a record starts behind the line ends and comments that the reader skips: its own position of a record lies
    /// before these.
    fn start_behind(&self, mut start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let ends_line = |byte: &u8| matches!(byte, b'\r' | b'\n');
        loop {
            start += bytes[start..].iter().take_while(|byte| ends_line(byte)).count();
            if self.dialect.comment.is_none() || bytes.get(start).copied() != self.dialect.comment {
                return start;
            }
            start += bytes[start..].iter().take_while(|byte| !ends_line(byte)).count();
        }
    }

    /// Line of the record that starts at `end`.
    fn line_of(&mut self, end: usize) -> usize {
        let bytes = self.text.as_bytes();
        for at in self.at..end {
            let ends_line = bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            self.line += usize::from(ends_line);
        }
        self.at = end.max(self.at);
        self.line
    }

    fn is_quoted(&self, start: usize) -> bool {
        self.text[start..].starts_with('"')
    }
}

#[cfg(test)]
mod tests;
