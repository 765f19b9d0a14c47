//! Reads a file in batches, so that files of any length need little memory, and lines of a pipe are processed as they
//! arrive.
//!
//! Text is cut between records, each with its location in the file. CSV is lexed once, incrementally. Parquet is read
//! one row group at a time. Other binary formats are read whole; they and large row groups are returned in parts.

mod parts;
mod records;

use std::borrow::Cow;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::parts::Parts;
use self::records::{Rule, Scanner};
use crate::csv::{self, Dialect, Record};
use crate::dataset::{
    BadRow, Dataset, ModelReader, ReadError, ReadRequest, RowsRead, SeriesLayout, WholeFile,
};
use crate::error::{DataError, Fault};
use crate::file_set::{read_set, table_files};
use crate::format::{Format, may_become_fastq, starts_array_of_objects, without_mark};
use crate::graphs::is_graphs;
#[cfg(feature = "columnar")]
use crate::parquet::RowGroups;
use crate::read::{ReadOptions, format_of, of_pieces, table};
use crate::source::{START, Source, open_source};
use crate::table::{SomeRows, Table};
use crate::{fasta, jsonl, strings};

/// Approximate size of the first batch of text, in bytes; some ten thousand rows.
const BATCH_BYTES: usize = 1 << 20;
/// Batches grow up to this size: with a large model, many rows are judged faster together.
const MAX_BATCH_BYTES: usize = 8 << 20;
/// Bytes read at a time; the capacity of a pipe.
const CHUNK: usize = 1 << 16;
/// Maximum length of a record: longer ones are not a table.
const MAX_RECORD: usize = 64 << 20;

/// The batches of a file.
#[derive(Debug)]
pub struct Batches(Inner);

#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one of them lives at a time; without columnar files, only one is large"
)]
enum Inner {
    Text(Box<Text>),
    Table(Parts),
    /// Parquet with several row groups, and the part read last.
    #[cfg(feature = "columnar")]
    Groups {
        groups: Box<RowGroups>,
        read: Option<Parts>,
    },
    /// Graphs, or series in long form; `None` once read.
    Whole(Option<Box<(PathBuf, ReadRequest)>>),
}

/// Text that is read as it comes.
#[derive(Debug)]
struct Text {
    source: Source,
    options: ReadOptions,
    cutter: Cutter,
    /// Whether to return a batch as soon as there is a record.
    is_pipe: bool,
    has_ended: bool,
    buffer: Vec<u8>,
    /// Bytes of the next batch.
    size: usize,
}

/// Some rows of a file.
#[derive(Debug)]
pub struct Batch {
    rows: Range<usize>,
    part: Part,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one of them lives at a time")]
enum Part {
    /// The rows that form a table, if any, and the bad ones.
    Rows {
        table: Option<Table>,
        bad: Vec<(usize, DataError)>,
        /// Whether rows are objects, in which fields may be missing.
        are_objects: bool,
        text: Option<RowsText>,
    },
    Whole(WholeFile),
}

/// The text of rows.
#[derive(Debug)]
struct RowsText {
    header: Arc<Vec<u8>>,
    text: Vec<u8>,
    records: Vec<Record>,
}

impl Batches {
    /// Opens a file, or standard input if the path is `-`. Reads only enough of the input to detect the format.
    pub fn open(path: &Path, request: &ReadRequest) -> Result<Self, DataError> {
        let options = &request.options;
        let files = table_files(path)?;
        // The values of a series may be anywhere in a file.
        if (files.is_none() && is_graphs(path)) || request.series == Some(SeriesLayout::Long) {
            return Ok(Self(Inner::Whole(Some(Box::new((path.to_owned(), request.clone()))))));
        }
        if let Some(files) = files {
            return Ok(Self(Inner::of_table(read_set(path, &files, options)?)));
        }
        let mut source = open_source(path, options)?;
        let is_pipe = !is_file(path);
        let (mut start, mut has_ended, mut has_line, mut is_seen) = (Vec::new(), false, false, false);
        let is_enough = |start: &[u8], has_line: bool| {
            has_line && (is_pipe || start.len() >= BATCH_BYTES) && !may_become_fastq(start)
        };
        while !has_ended && !is_enough(&start, has_line) && start.len() < MAX_RECORD {
            let before = start.len();
            has_ended = !more(&mut source, &mut start)?;
            has_line |= start[before..].contains(&b'\n');
            // The first few bytes come alone.
            if !is_seen && start.len() > START {
                source.first_look(&start)?;
                is_seen = true;
            }
        }
        let name = source.name().to_owned();
        let format = format_of(&name, &start, options)?;
        // Old-style line ends need the whole text.
        let has_returns = !has_line && start.contains(&b'\r');
        let rule = match format {
            Format::Csv if !has_returns => None,
            Format::JsonLines if !has_returns && !starts_array_of_objects(&start) => {
                Some(Rule::Lines { comment: None })
            }
            Format::Lines if !has_returns => Some(Rule::Lines { comment: options.comment }),
            Format::Fasta if !has_returns => Some(Rule::Fasta),
            #[cfg(feature = "columnar")]
            Format::Parquet => {
                let rest = source.read_whole()?;
                let before = start.len() as u64;
                start.extend(rest.bytes);
                return Ok(Self(Inner::of_parquet(&name, start, before, &rest.options)?));
            }
            _ => {
                // Not text, or lines that belong together.
                let rest = source.read_whole()?;
                start.extend(rest.bytes);
                return Ok(Self(Inner::of_table(table(&name, format, &start, &rest.options)?)));
            }
        };
        let before = start.len() - without_mark(&start).len();
        let mut buffer = start;
        buffer.drain(..before);
        let cutter = match rule {
            Some(rule) => {
                Cutter::Records { scanner: Scanner::new(rule), format, records: Vec::new(), before, rows: 0 }
            }
            None => Cutter::Csv(Box::new(csv_rows(&name, &buffer, before, has_ended, options)?)),
        };
        // The amount a pipe has sent so far does not limit the result.
        let size = source.size().map(|size| size.min(MAX_BATCH_BYTES.max(buffer.len()) as u64));
        let mut options = options.clone();
        options.budget = options.budget.within(size);
        let mut text = Text { source, options, cutter, is_pipe, has_ended, buffer, size: BATCH_BYTES };
        text.scan()?;
        Ok(Self(Inner::Text(Box::new(text))))
    }

    /// Whether the rows are text, available from [`Batch::text_of`].
    pub fn is_text(&self) -> bool {
        matches!(self.0, Inner::Text(_))
    }

    /// The next batch; `None` at the end.
    #[allow(clippy::should_implement_trait)] // An error ends it, and is not an item.
    pub fn next(&mut self) -> Result<Option<Batch>, DataError> {
        match &mut self.0 {
            Inner::Text(text) => text.next(),
            Inner::Table(parts) => Ok(parts.next()),
            #[cfg(feature = "columnar")]
            Inner::Groups { groups, read } => loop {
                if let Some(batch) = read.as_mut().and_then(Parts::next) {
                    return Ok(Some(batch));
                }
                // Released before more is read.
                *read = None;
                let first = groups.rows();
                let Some(table) = groups.next()? else { return Ok(None) };
                *read = Some(Parts::new(table, first));
            },
            Inner::Whole(file) => {
                let Some((path, request)) = file.take().map(|file| *file) else { return Ok(None) };
                Ok(Some(Batch { rows: 0..0, part: Part::Whole(WholeFile::open(&path, &request)?) }))
            }
        }
    }
}

impl Inner {
    fn of_table(table: Table) -> Self {
        Self::Table(Parts::new(table, 0))
    }

    /// Reads Parquet by row groups, if it has several. This many of its bytes are not yet deducted from the budget.
    #[cfg(feature = "columnar")]
    fn of_parquet(
        name: &str,
        bytes: Vec<u8>,
        uncounted: u64,
        options: &ReadOptions,
    ) -> Result<Self, DataError> {
        let bytes = bytes::Bytes::from(bytes);
        let groups = RowGroups::open(name, bytes.clone(), options.budget.after_reading(None, uncounted))?;
        if groups.left() < 2 {
            drop(groups);
            return Ok(Self::of_table(table(name, Format::Parquet, &bytes, options)?));
        }
        Ok(Self::Groups { groups: Box::new(groups), read: None })
    }
}

/// Whether the path refers to a complete file on disk, or to a folder of them; for standard input, whether it is redirected from such a
/// file.
pub fn is_stored(path: &Path) -> bool {
    is_file(path) || path.is_dir()
}

/// Whether the path refers to a complete file on disk; for standard input, whether it is redirected from such a file.
fn is_file(path: &Path) -> bool {
    let path = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
    path.is_file()
}

/// Reads the available bytes, up to a chunk; false at the end.
fn more(source: &mut Source, buffer: &mut Vec<u8>) -> Result<bool, DataError> {
    let before = buffer.len();
    buffer.resize(before + CHUNK, 0);
    let read = source.read(&mut buffer[before..]);
    buffer.truncate(before + *read.as_ref().unwrap_or(&0));
    read.map(|count| count > 0).map_err(|cause| source.fault(cause))
}

/// The rows of CSV text with this start, after this many bytes of the file.
fn csv_rows(
    name: &str,
    start: &[u8],
    before: usize,
    has_ended: bool,
    options: &ReadOptions,
) -> Result<csv::Rows, DataError> {
    let line_before =
        |end: usize| start[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    // The last line may be cut off, even within a letter.
    let whole = if has_ended { start.len() } else { line_before(start.len()) };
    let fail = |fault| DataError::new(name, fault);
    // A row that is not text is an error of that row.
    let text = csv::decode(&start[..whole]).or_else(|fault| {
        let (Fault::NotUtf8 { offset, .. } | Fault::ZeroByte { offset, .. }) = fault else {
            return Err(fault);
        };
        match line_before(offset) {
            0 => Err(fault),
            sound => csv::decode(&start[..sound]),
        }
    });
    let text = text.map_err(fail)?;
    let dialect = Dialect::detect(text, options).map_err(fail)?;
    let has_header = options.header.unwrap_or_else(|| dialect.has_header(text));
    Ok(csv::Rows::new(name, dialect, has_header, before, options.budget.meter(None)))
}

/// Cuts text into records.
#[derive(Debug)]
enum Cutter {
    /// CSV, which is lexed in one pass.
    Csv(Box<csv::Rows>),
    /// Text that is cut first and then parsed by the reader of its format.
    Records {
        scanner: Scanner,
        format: Format,
        /// Complete records.
        records: Vec<Record>,
        /// Bytes and rows of the file before the text.
        before: usize,
        rows: usize,
    },
}

impl Cutter {
    /// Finds the complete records in `text`, which starts with everything passed before.
    fn take(&mut self, text: &[u8], is_last: bool, options: &ReadOptions) -> Result<(), DataError> {
        match self {
            Self::Csv(rows) => {
                if rows.waiting().0 == 0 {
                    rows.meter(options.budget.meter(None));
                }
                rows.take(text, is_last)
            }
            Self::Records { scanner, records, .. } => {
                scanner.complete(text, records);
                if is_last {
                    scanner.last(text, records);
                }
                Ok(())
            }
        }
    }

    /// How many records are ready, and how much of the text they take.
    fn waiting(&self) -> (usize, usize) {
        match self {
            Self::Csv(rows) => rows.waiting(),
            Self::Records { scanner, records, .. } => (records.len(), scanner.pending()),
        }
    }
}

impl Text {
    /// Finds the complete records.
    fn scan(&mut self) -> Result<(), DataError> {
        self.cutter.take(&self.buffer, self.has_ended, &self.options)?;
        let (records, length) = self.cutter.waiting();
        if records == 0 && self.buffer.len() - length > MAX_RECORD {
            let reason = format!(
                "the row is longer than {MAX_RECORD} bytes; it is not a table, or a quote is missing"
            );
            let line = match &self.cutter {
                Cutter::Csv(rows) => rows.line(),
                Cutter::Records { scanner, .. } => scanner.line() + 1,
            };
            return Err(DataError::new(self.source.name(), Fault::Line { line, reason }));
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Batch>, DataError> {
        loop {
            let (records, length) = self.cutter.waiting();
            let is_due = self.is_pipe || self.has_ended || length >= self.size;
            if records > 0 && is_due {
                self.size = (2 * self.size).min(MAX_BATCH_BYTES);
                return self.cut(length).map(Some);
            }
            if self.has_ended {
                return Ok(None);
            }
            self.has_ended = !more(&mut self.source, &mut self.buffer)?;
            self.scan()?;
        }
    }

    /// All complete records, which take this much of the text, as a batch.
    fn cut(&mut self, length: usize) -> Result<Batch, DataError> {
        let name = self.source.name().to_owned();
        let text: Vec<u8> = self.buffer.drain(..length).collect();
        let (rows, table, bad, are_objects, text) = match &mut self.cutter {
            Cutter::Csv(rows) => {
                let first = rows.before();
                let csv::Lexed { table, bad, records } = rows.cut(&text);
                let of_rows = first..first + records.len();
                (of_rows, table, bad, false, RowsText { header: rows.header(), text, records })
            }
            Cutter::Records { scanner, format, records, before, rows } => {
                scanner.forget(length);
                let records = std::mem::take(records);
                let first = *rows;
                *rows += records.len();
                let (table, bad) =
                    read_records(&name, *format, &text, &records, (*before, first), &self.options)?;
                *before += length;
                let are_objects = *format == Format::JsonLines;
                (first..*rows, table, bad, are_objects, RowsText { header: Arc::default(), text, records })
            }
        };
        Ok(Batch { rows, part: Part::Rows { table, bad, are_objects, text: Some(text) } })
    }
}

/// Reads records with the reader of their format; `before` counts the bytes and rows of the file before them. Records
/// that are not text are blanked, which preserves the line numbers of the others.
fn read_records(
    name: &str,
    format: Format,
    text: &[u8],
    records: &[Record],
    (before, first): (usize, usize),
    options: &ReadOptions,
) -> Result<SomeRows, DataError> {
    let mut bad: Vec<(usize, DataError)> = Vec::new();
    let mut text = Cow::Borrowed(text);
    for (at, record) in records.iter().enumerate() {
        let raw = record.start..record.end;
        if let Err(fault) = csv::check(&text[raw.clone()], before + record.start, record.line) {
            bad.push((first + at, DataError::new(name, fault)));
            let bytes = text.to_mut()[raw].iter_mut();
            bytes.filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        }
    }
    let is_text = |row: &usize| bad.binary_search_by_key(row, |(row, _)| *row).is_err();
    let rows: Vec<usize> = (first..first + records.len()).filter(is_text).collect();
    let Some(start) = records.first().filter(|_| !rows.is_empty()) else { return Ok((None, bad)) };
    let lines = start.line - 1;
    // Blanks and comments lie between records.
    let own = csv::decode(&text[start.start..]).map_err(|fault| DataError::new(name, fault))?;
    let meter = options.budget.meter(Some(text.len() as u64));
    let (table, others) = match format {
        Format::JsonLines => jsonl::read_some(name, own, lines, meter)?,
        Format::Fasta => {
            of_pieces(name, &text, meter)?;
            fasta::read_some(name, own, lines)?
        }
        _ => {
            of_pieces(name, &text, meter)?;
            (strings::read_some(name, own, lines, options.comment)?, Vec::new())
        }
    };
    let is_good = |at: &usize| others.binary_search_by_key(at, |(row, _)| *row).is_err();
    let good = (0..rows.len()).filter(is_good).map(|at| rows[at]).collect();
    bad.extend(others.into_iter().map(|(at, fault)| (rows[at], fault)));
    bad.sort_by_key(|(row, _)| *row);
    let placed = |table: Table| {
        if bad.is_empty() { table.starting_at(first) } else { table.with_row_numbers(good) }
    };
    Ok((table.map(placed), bad))
}

impl Batch {
    /// Its rows in the file, from 0; unknown for graphs and series in long form.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// The header of the file, including its line end; `None` if the file is not text.
    pub fn header(&self) -> Option<Arc<Vec<u8>>> {
        let Part::Rows { text: Some(text), .. } = &self.part else { return None };
        Some(text.header.clone())
    }

    /// The text of a row; `None` if the file is not text.
    pub fn text_of(&self, row: usize) -> Option<&[u8]> {
        let Part::Rows { text: Some(text), .. } = &self.part else { return None };
        let record = text.records.get(row.checked_sub(self.rows.start)?)?;
        Some(&text.text[record.start..record.end])
    }

    /// The first readable rows of consecutive batches as training samples, or as many graphs or series in long form; `None` if there
    /// are no rows.
    pub fn training(
        batches: &[Self],
        rows: usize,
        request: &ReadRequest,
    ) -> Result<Option<Dataset>, ReadError> {
        if let [Self { part: Part::Whole(file), .. }] = batches {
            let data = file.training(request)?;
            let first: Vec<usize> = (0..rows.min(data.count())).collect();
            return Ok(Some(data.select(&first)));
        }
        let table = Self::joined(batches)?.filter(|table| table.rows() > 0);
        let Some(table) = table else { return Ok(None) };
        let first: Vec<usize> = (0..rows.min(table.rows())).collect();
        Dataset::of_table(&table.pick(&first), request).map(Some)
    }

    /// The readable rows of consecutive batches as one table; `None` if there are none.
    fn joined(batches: &[Self]) -> Result<Option<Table>, DataError> {
        let parts = batches.iter().filter_map(|batch| match &batch.part {
            Part::Rows { table: Some(table), are_objects, .. } => Some((table, *are_objects)),
            _ => None,
        });
        let mut all: Option<Table> = None;
        for (table, are_objects) in parts {
            let Some(joined) = all.take() else {
                all = Some(table.clone());
                continue;
            };
            // Fields of objects may be missing.
            let names = |table: &Table| table.names().into_iter().map(str::to_owned).collect::<Vec<_>>();
            let (mut joined, table) = if are_objects {
                let columns = names(&joined);
                (joined.with_columns(&names(table)), table.clone().with_columns(&columns))
            } else {
                (joined, table.clone())
            };
            joined.append(&table)?;
            all = Some(joined);
        }
        Ok(all)
    }

    /// Its rows in the form of other samples. Errors give the location in the file.
    pub fn read(&mut self, reader: &mut ModelReader) -> Result<RowsRead, ReadError> {
        let (table, bad, are_objects) = match &mut self.part {
            Part::Whole(file) => {
                let data = Some(file.for_model(reader)?);
                return Ok(RowsRead { data, bad: Vec::new() });
            }
            Part::Rows { table, bad, are_objects, .. } => (table.take(), std::mem::take(bad), *are_objects),
        };
        let mut bad: Vec<BadRow> = bad
            .into_iter()
            .map(|(row, error)| BadRow { row, error: error.into(), name: None, kept: Vec::new() })
            .collect();
        if !reader.request().skip_bad_rows && !bad.is_empty() {
            return Err(bad.swap_remove(0).error);
        }
        let Some(table) = table else { return Ok(RowsRead { data: None, bad }) };
        let read = if are_objects { reader.read_objects(table)? } else { reader.read(&table)? };
        bad.extend(read.bad);
        bad.sort_by_key(|bad| bad.row);
        Ok(RowsRead { data: read.data, bad })
    }
}

#[cfg(test)]
mod tests;
