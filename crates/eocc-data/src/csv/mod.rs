//! Delimited text.

mod detect;
mod lex;

use std::sync::Arc;

pub(crate) use detect::is_table;
pub(crate) use lex::Record;
use lex::{Lexer, Room};

use crate::budget::{COLUMN, Meter};
use crate::cells::Cells;
use crate::column::{Column, Values};
use crate::error::{DataError, Fault};
use crate::format::without_mark;
use crate::notation::Notation;
use crate::read::ReadOptions;
use crate::table::{Table, duplicate, numbered};

/// The dialect of a delimited text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    /// Lines that start with this are skipped.
    pub(crate) comment: Option<u8>,
    /// The number notation, if it is not the usual one.
    pub(crate) notation: Option<Notation>,
}

impl Dialect {
    /// From the options, with the rest detected in the text.
    pub(crate) fn detect(text: &str, options: &ReadOptions) -> Result<Self, Fault> {
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

/// Reads a table from delimited text.
///
/// Fields may be quoted with `"`; blank lines and comments are skipped. With the blank as delimiter, several blanks count as one.
pub(crate) fn read(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
    meter: Meter,
) -> Result<Table, DataError> {
    let fail = |fault| DataError::new(name, fault);
    let text = decode(bytes).map_err(fail)?;
    let dialect = Dialect::detect(text, options).map_err(fail)?;
    let has_header = options.header.unwrap_or_else(|| dialect.has_header(text));
    let mut rows = Rows::new(name, dialect, has_header, bytes.len() - text.len(), meter);
    rows.take(text.as_bytes(), true)?;
    let lexed = rows.cut(text.as_bytes());
    if let Some((_, fault)) = lexed.bad.into_iter().next() {
        return Err(fault);
    }
    lexed.table.ok_or_else(|| fail(rows.nothing()))
}

/// The rows of delimited text, read incrementally.
#[derive(Debug)]
pub(crate) struct Rows {
    name: String,
    lexer: Lexer,
    meter: Meter,
    has_header: bool,
    /// The names of the columns and their line, once the first record has been read.
    names: Option<Vec<String>>,
    first: usize,
    /// The text of the header.
    header: Arc<Vec<u8>>,
    /// The cells of rows that are not returned yet, and the lines of these rows.
    columns: Vec<Cells>,
    lines: Vec<usize>,
    /// Their records, including those of bad rows.
    records: Vec<Record>,
    bad: Vec<(usize, DataError)>,
    /// Rows of the file before them.
    before: usize,
}

/// Rows that have been lexed.
#[derive(Debug)]
pub(crate) struct Lexed {
    /// The rows that form a table, if any.
    pub(crate) table: Option<Table>,
    /// The bad rows by their number in the file, and their errors.
    pub(crate) bad: Vec<(usize, DataError)>,
    /// The location of each row in the text, including bad ones.
    pub(crate) records: Vec<Record>,
}

impl Rows {
    /// Rows of text that starts at this byte of its file.
    pub(crate) fn new(name: &str, dialect: Dialect, has_header: bool, before: usize, meter: Meter) -> Self {
        Self {
            name: name.to_owned(),
            lexer: Lexer::new(dialect, before),
            meter,
            has_header,
            names: None,
            first: 0,
            header: Arc::default(),
            columns: Vec::new(),
            lines: Vec::new(),
            records: Vec::new(),
            bad: Vec::new(),
            before: 0,
        }
    }

    /// Takes all complete records in `text`, which starts with everything passed before.
    pub(crate) fn take(&mut self, text: &[u8], is_last: bool) -> Result<(), DataError> {
        while let Some(record) =
            self.lexer.next(text, is_last, self.room()).map_err(|fault| self.fail(fault))?
        {
            if is_last && record.end == text.len() && self.lexer.is_open(text, record) {
                let reason = "a quote is opened and never closed; close it, or take it out".to_owned();
                return Err(self.fail(Fault::Unclosed { line: record.line, reason }));
            }
            let taken = match self.names {
                None => self.first(text, record),
                Some(_) => self.row(text, record),
            };
            taken.map_err(|fault| self.fail(fault))?;
        }
        Ok(())
    }

    fn fail(&self, fault: Fault) -> DataError {
        DataError::new(&self.name, fault)
    }

    /// The limit for the next record. Each cell of the first becomes a column.
    fn room(&self) -> Room {
        let makes_columns = self.names.is_none() && !self.meter.limits_width();
        let per_cell = if makes_columns { COLUMN } else { Room::END };
        Room { most: self.meter.left(), per_cell }
    }

    /// The first record: the header, or a row.
    fn first(&mut self, text: &[u8], record: Record) -> Result<(), Fault> {
        self.first = record.line;
        let width = self.lexer.width();
        self.meter.columns(width as u64)?;
        self.columns = no_cells(width, self.lexer.dialect().notation);
        if !self.has_header {
            self.names = Some(numbered(width));
            return self.row(text, record);
        }
        let names: Vec<String> = self.lexer.cells(text, record)?.enumerate().map(header_name).collect();
        if let Some((first, second)) = duplicate(names.iter().map(String::as_str)) {
            return Err(Fault::DuplicateName { name: names[second].clone(), first, second });
        }
        self.names = Some(names);
        let mut header = text[record.start..record.end].to_vec();
        if !header.ends_with(b"\n") {
            header.push(b'\n');
        }
        self.header = Arc::new(header);
        Ok(())
    }

    /// A row. Bad rows are stored separately.
    fn row(&mut self, text: &[u8], record: Record) -> Result<(), Fault> {
        let (width, expected) = (self.lexer.width(), self.columns.len());
        self.meter.cells(width as u64 + 1, self.lexer.size() as u64)?;
        let cells = self.lexer.cells(text, record).and_then(|cells| {
            if width == expected {
                return Ok(cells);
            }
            let hint = ragged_hint(&text[record.start..record.end], self.lexer.dialect().delimiter);
            Err(Fault::Ragged { line: record.line, found: width, expected, first: self.first, hint })
        });
        match cells {
            Ok(cells) => {
                self.columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push_raw(cell));
                self.lines.push(record.line);
            }
            Err(fault) => {
                let bad = (self.before + self.records.len(), DataError::new(&self.name, fault));
                self.bad.push(bad);
            }
        }
        self.records.push(record);
        Ok(())
    }

    /// How many rows are ready, and how much of the text they and the gaps between them take.
    pub(crate) fn waiting(&self) -> (usize, usize) {
        (self.records.len(), self.lexer.complete())
    }

    /// How many rows of the file have been returned.
    pub(crate) fn before(&self) -> usize {
        self.before
    }

    /// The line scanned last, from 1.
    pub(crate) fn line(&self) -> usize {
        self.lexer.line()
    }

    /// The text of the header.
    pub(crate) fn header(&self) -> Arc<Vec<u8>> {
        self.header.clone()
    }

    /// Returns the rows that are ready; the text up to the end of the last may then be dropped, and its length is
    /// returned.
    pub(crate) fn cut(&mut self, text: &[u8]) -> Lexed {
        self.lexer.forget(text, self.lexer.complete());
        let notation = self.lexer.dialect().notation;
        let columns = std::mem::take(&mut self.columns);
        self.columns = no_cells(columns.len(), notation);
        let (lines, records) = (std::mem::take(&mut self.lines), std::mem::take(&mut self.records));
        let bad = std::mem::take(&mut self.bad);
        let first = self.before;
        self.before += records.len();
        let table = self.names.as_ref().filter(|_| !lines.is_empty()).and_then(|names| {
            let columns = columns.into_iter().map(|cells| Column::from(Values::Cells(cells))).collect();
            let table = Table::new(&self.name, names.clone(), columns).ok()?;
            Some(table.with_header(self.has_header).with_lines(lines).starting_at(first))
        });
        let table = table.map(|table| match bad.as_slice() {
            [] => table,
            bad => {
                let is_bad = |row: &usize| bad.binary_search_by_key(row, |(row, _)| *row).is_ok();
                table.with_row_numbers((first..self.before).filter(|row| !is_bad(row)).collect())
            }
        });
        Lexed { table, bad, records }
    }

    /// Restarts counting the memory of rows, for this much text.
    pub(crate) fn meter(&mut self, meter: Meter) {
        self.meter = meter;
    }

    /// Why there are no rows.
    fn nothing(&self) -> Fault {
        match &self.names {
            Some(names) => Fault::HeaderOnly { line: self.first, names: names.clone() },
            None => Fault::Empty,
        }
    }
}

fn no_cells(width: usize, notation: Option<Notation>) -> Vec<Cells> {
    std::iter::repeat_with(|| Cells::noted(notation)).take(width).collect()
}

fn header_name((at, cell): (usize, &str)) -> String {
    if cell.trim().is_empty() { format!("column_{at}") } else { cell.trim().to_owned() }
}

fn ragged_hint(raw: &[u8], delimiter: u8) -> String {
    if raw.trim_ascii_end().contains(&b'\n') {
        "; a cell of it goes over several lines, so that a quote may be missing".to_owned()
    } else {
        format!("; the delimiter is {:?}", char::from(delimiter))
    }
}

/// The bytes as text: UTF-8 without zero bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, Fault> {
    let mark = bytes.len() - without_mark(bytes).len();
    check(&bytes[mark..], mark, 1)?;
    // Just checked.
    Ok(std::str::from_utf8(&bytes[mark..]).unwrap_or_default())
}

/// Refuses bytes that are not text; they start at this byte, from 0, and on this line, from 1, of the file.
pub(crate) fn check(bytes: &[u8], offset: usize, line: usize) -> Result<(), Fault> {
    let line_of = |at: usize| line + bytes[..at].split(|byte| *byte == b'\n').count() - 1;
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(Fault::ZeroByte { line: line_of(at), offset: offset + at });
    }
    match std::str::from_utf8(bytes) {
        Ok(_) => Ok(()),
        Err(error) => {
            let at = error.valid_up_to();
            Err(Fault::NotUtf8 { line: line_of(at), offset: offset + at })
        }
    }
}

#[cfg(test)]
mod tests;
