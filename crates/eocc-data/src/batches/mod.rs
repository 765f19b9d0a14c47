//! A file in batches, so that one of any length passes through little memory, and lines of a pipe are answered as they come.
//!
//! Text is cut between records, and each batch is read as a file of its own with the same header: one parser, and faults
//! are told with their place in the whole. Formats that are not text are read whole and handed out in parts.

mod records;

use std::io::Read as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use eocc_core::Layout;

use self::records::{Record, Rule, Scanner};
use crate::csv::Dialect;
use crate::dataset::{Dataset, ReadError, ReadRequest, SeriesLayout, wanted_columns};
use crate::error::{DataError, Fault};
use crate::file_set::{read_set, table_files};
use crate::format::{Format, without_mark};
use crate::graphs::is_graphs;
use crate::read::{ReadOptions, format_of};
use crate::read_fields::{Content, content};
use crate::source::{Source, open_source};

/// Bytes of text of the first batch, more or less; some ten thousand rows.
const BATCH_BYTES: usize = 1 << 20;
/// Batches grow to this: many rows together are judged faster, if the model is large.
const MAX_BATCH_BYTES: usize = 8 << 20;
/// Bytes that are read at once; what a pipe holds.
const CHUNK: usize = 1 << 16;
/// The longest record: what is longer is no table.
const MAX_RECORD: usize = 64 << 20;
/// So few objects at the start of a file may lack a field that later ones have.
const FEW_OBJECTS: usize = 10;
/// Rows of a batch of a table that is in memory already.
const BATCH_ROWS: usize = 1 << 18;

/// The batches of a file.
#[derive(Debug)]
pub struct Batches(Inner);

#[derive(Debug)]
enum Inner {
    Text(Box<Text>),
    Table {
        content: Arc<Content>,
        count: usize,
        next: usize,
    },
    /// Graphs, which are read as a set.
    Set {
        path: std::path::PathBuf,
        is_read: bool,
    },
}

/// Text that is read as it comes.
#[derive(Debug)]
struct Text {
    source: Source,
    options: ReadOptions,
    scanner: Scanner,
    header: Arc<Vec<u8>>,
    /// Whether nothing more is waited for once there is a record.
    is_pipe: bool,
    has_ended: bool,
    buffer: Vec<u8>,
    /// Complete records in the buffer.
    records: Vec<Record>,
    /// Rows before those.
    rows: usize,
    /// Bytes of the next batch.
    size: usize,
}

/// Some rows of a file.
#[derive(Debug, Clone)]
pub struct Batch {
    rows: Range<usize>,
    part: Part,
}

#[derive(Debug, Clone)]
enum Part {
    Text {
        name: String,
        options: ReadOptions,
        header: Arc<Vec<u8>>,
        text: Arc<Vec<u8>>,
        records: Vec<Record>,
    },
    Table(Arc<Content>),
    Set(std::path::PathBuf),
}

impl Batches {
    /// Opens a file, or standard input if the path is `-`. Not more is read than is there, and is needed to tell the format.
    pub fn open(path: &Path, request: &ReadRequest) -> Result<Self, DataError> {
        let options = &request.options;
        let files = table_files(path)?;
        // The values of a series may stand anywhere in a file.
        if (files.is_none() && is_graphs(path)) || request.series == Some(SeriesLayout::Long) {
            return Ok(Self(Inner::Set { path: path.to_owned(), is_read: false }));
        }
        if let Some(files) = files {
            return Ok(Self(Inner::of_content(Content::Table(read_set(path, &files, options)?))));
        }
        let mut source = open_source(path, options)?;
        let is_pipe = !is_file(path);
        let (mut start, mut has_ended) = (Vec::new(), false);
        while !has_ended
            && !(has_line(&start) && (is_pipe || start.len() >= BATCH_BYTES))
            && start.len() < MAX_RECORD
        {
            has_ended = !more(&mut source, &mut start)?;
        }
        let name = source.name().to_owned();
        let format = format_of(&name, &start, options)?;
        // Lines that end as those of old programs do are cut when all is there.
        let has_returns = !has_line(&start) && start.contains(&b'\r');
        let rule = match format {
            _ if has_returns => {
                let rest = source.read_whole()?;
                start.extend(rest.bytes);
                return Ok(Self(Inner::of_content(content(&name, &start, &rest.options)?)));
            }
            Format::Csv => None,
            Format::JsonLines | Format::Lines => Some(Rule::Lines),
            Format::Fasta => Some(Rule::Fasta),
            _ => {
                // Not text, or of lines that belong together.
                let rest = source.read_whole()?;
                start.extend(rest.bytes);
                return Ok(Self(Inner::of_content(content(&name, &start, &rest.options)?)));
            }
        };
        let buffer = without_mark(&start).to_vec();
        let mut options = ReadOptions { format: Some(format), ..options.clone() };
        let (rule, has_header) = match rule {
            Some(rule) => (rule, false),
            None => csv_rule(&name, &buffer, has_ended, &mut options)?,
        };
        let mut text = Text {
            source,
            options,
            scanner: Scanner::new(rule),
            header: Arc::default(),
            is_pipe,
            has_ended,
            buffer,
            records: Vec::new(),
            rows: 0,
            size: BATCH_BYTES,
        };
        text.scan()?;
        if has_header {
            text.take_header()?;
        }
        Ok(Self(Inner::Text(Box::new(text))))
    }

    /// Whether the rows are text, which [`Batch::text`] gives.
    pub fn is_text(&self) -> bool {
        matches!(self.0, Inner::Text(_))
    }

    /// The next batch; nothing at the end.
    #[allow(clippy::should_implement_trait)] // A fault ends it, and is no item.
    pub fn next(&mut self) -> Result<Option<Batch>, DataError> {
        match &mut self.0 {
            Inner::Text(text) => text.next(),
            Inner::Table { content, count, next } => {
                let rows = *next..(*next + BATCH_ROWS).min(*count);
                *next = rows.end;
                let part = Part::Table(content.clone());
                Ok((!rows.is_empty()).then_some(Batch { rows, part }))
            }
            Inner::Set { path, is_read } => {
                let batch = Batch { rows: 0..0, part: Part::Set(path.clone()) };
                Ok((!std::mem::replace(is_read, true)).then_some(batch))
            }
        }
    }
}

impl Inner {
    fn of_content(content: Content) -> Self {
        let count = match &content {
            Content::Table(table) => table.rows(),
            Content::Fields(fields) => fields.rows(),
        };
        Self::Table { content: Arc::new(content), count, next: 0 }
    }
}

/// Whether the path is of a file on a disk, which is all there; of standard input, whether such a file was put there.
fn is_file(path: &Path) -> bool {
    let path = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
    path.is_file()
}

fn has_line(bytes: &[u8]) -> bool {
    bytes.contains(&b'\n')
}

/// Reads what is there, up to a chunk; false at the end.
fn more(source: &mut Source, buffer: &mut Vec<u8>) -> Result<bool, DataError> {
    let before = buffer.len();
    buffer.resize(before + CHUNK, 0);
    let read = source.read(&mut buffer[before..]);
    buffer.truncate(before + *read.as_ref().unwrap_or(&0));
    read.map(|count| count > 0).map_err(|cause| source.fault(cause))
}

/// How CSV text is cut, and whether its first record is a header; the options then say what was found out.
fn csv_rule(
    name: &str,
    start: &[u8],
    has_ended: bool,
    options: &mut ReadOptions,
) -> Result<(Rule, bool), DataError> {
    // The last line may be cut off, within a letter too.
    let whole =
        if has_ended { start.len() } else { start.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1) };
    let fail = |fault| DataError::new(name, fault);
    let text = crate::csv::decode(&start[..whole]).map_err(fail)?;
    let dialect = Dialect::of(text, options).map_err(fail)?;
    let has_header = options.header.unwrap_or_else(|| dialect.has_header(text));
    options.header = Some(has_header);
    options.delimiter = Some(dialect.delimiter);
    Ok((Rule::Quoted { delimiter: dialect.delimiter, comment: dialect.comment }, has_header))
}

impl Text {
    /// Finds the records that are complete.
    fn scan(&mut self) -> Result<(), DataError> {
        self.scanner.complete(&self.buffer, &mut self.records);
        if self.has_ended {
            if let Some(line) = self.scanner.open_quote() {
                let reason = "a quote is opened and never closed; close it, or take it out".to_owned();
                return Err(DataError::new(self.source.name(), Fault::Unclosed { line: line + 1, reason }));
            }
            self.scanner.last(&self.buffer, &mut self.records);
        }
        Ok(())
    }

    fn fill(&mut self) -> Result<(), DataError> {
        self.has_ended = !more(&mut self.source, &mut self.buffer)?;
        self.scan()?;
        if self.records.is_empty() && self.buffer.len() - self.scanner.pending() > MAX_RECORD {
            let reason =
                format!("the row is longer than {MAX_RECORD} bytes; it is no table, or a quote is missing");
            return Err(DataError::new(
                self.source.name(),
                Fault::Line { line: self.scanner.line() + 1, reason },
            ));
        }
        Ok(())
    }

    /// Takes the first record as the header of all batches.
    fn take_header(&mut self) -> Result<(), DataError> {
        while self.records.is_empty() && !self.has_ended {
            self.fill()?;
        }
        if self.records.is_empty() {
            return Err(DataError::new(self.source.name(), Fault::Empty));
        }
        let header = self.records.remove(0);
        let mut bytes = self.buffer[header.start..header.end].to_vec();
        if !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        self.header = Arc::new(bytes);
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Batch>, DataError> {
        loop {
            let complete =
                self.records.last().map_or(0, |r| r.end) - self.records.first().map_or(0, |r| r.start);
            let is_due = self.is_pipe || self.has_ended || complete >= self.size;
            if !self.records.is_empty() && is_due {
                self.size = (2 * self.size).min(MAX_BATCH_BYTES);
                return Ok(Some(self.cut()));
            }
            if self.has_ended {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    /// All complete records as a batch.
    fn cut(&mut self) -> Batch {
        let mut records = std::mem::take(&mut self.records);
        let (start, end) = (records[0].start, self.scanner.pending());
        let text = self.buffer[start..end].to_vec();
        self.buffer.drain(..end);
        self.scanner.forget(end);
        for record in &mut records {
            record.start -= start;
            record.end -= start;
        }
        let rows = self.rows..self.rows + records.len();
        self.rows = rows.end;
        let part = Part::Text {
            name: self.source.name().to_owned(),
            options: self.options.clone(),
            header: self.header.clone(),
            text: Arc::new(text),
            records,
        };
        Batch { rows, part }
    }
}

impl Batch {
    /// Its rows in the file, from 0; none are known of a set of graphs.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Its two halves; nothing if it cannot be divided.
    pub fn halves(&self) -> Option<[Self; 2]> {
        let count = self.rows.len();
        if count < 2 {
            return None;
        }
        let half = |from: usize, to: usize| {
            let part = match &self.part {
                Part::Text { name, options, header, text, records } => Part::Text {
                    name: name.clone(),
                    options: options.clone(),
                    header: header.clone(),
                    text: text.clone(),
                    records: records[from..to].to_vec(),
                },
                other => other.clone(),
            };
            Self { rows: self.rows.start + from..self.rows.start + to, part }
        };
        Some([half(0, count / 2), half(count / 2, count)])
    }

    /// The header of the file, its end of line included, and the text of the rows; nothing where the file is no text.
    pub fn text(&self) -> Option<(&[u8], &[u8])> {
        match &self.part {
            Part::Text { header, text, records, .. } => {
                let (first, last) = (records.first()?, records.last()?);
                Some((header, &text[first.start..last.end]))
            }
            _ => None,
        }
    }

    /// With columns that these objects do not have, though others of the file may: their values are missing here. Only of few
    /// objects, or where others came before, can that be told from a name that is wrong.
    fn completed(&self, content: Content, layout: &Layout, request: &ReadRequest) -> Content {
        let Content::Table(table) = content else { return content };
        if self.rows.start == 0 && self.rows.len() >= FEW_OBJECTS {
            return Content::Table(table);
        }
        let wanted = wanted_columns(layout).into_iter().map(|(name, _)| name);
        let known: Vec<String> =
            wanted.chain(request.keep.iter().filter(|name| *name != "all").cloned()).collect();
        let has_some = known.iter().any(|name| table.names().contains(name));
        Content::Table(if has_some { table.with_columns(&known) } else { table })
    }

    /// The cells of these columns, one row after the other, as far as the text can be read as a table; else nothing.
    pub fn cells(&self, columns: &[String]) -> Vec<Vec<String>> {
        let table = match &self.part {
            Part::Text { name, options, header, .. } => {
                let (_, rows) = self.text().unwrap_or_default();
                content(name, &[header.as_slice(), rows].concat(), options).ok()
            }
            Part::Table(whole) => Some(whole.part(self.rows.clone())),
            Part::Set(_) => None,
        };
        let Some(Content::Table(table)) = table else { return Vec::new() };
        let cell = |row: usize, name: &String| {
            table.column(name).map(|c| table.cell(row, c).text().trim().to_owned()).unwrap_or_default()
        };
        (0..table.rows()).map(|row| columns.iter().map(|name| cell(row, name)).collect()).collect()
    }

    /// The line of its first row, from 1, where the file is text.
    pub fn line(&self) -> Option<usize> {
        match &self.part {
            Part::Text { records, .. } => records.first().map(|record| record.line + 1),
            _ => None,
        }
    }

    /// Its rows in the form of other samples, as [`Dataset::read_for_model`]. Faults tell their place in the file.
    pub fn read_for_model(&self, layout: &Layout, request: &ReadRequest) -> Result<Dataset, ReadError> {
        let content = match &self.part {
            Part::Set(path) => return Dataset::read_for_model(path, layout, request),
            Part::Table(whole) => whole.part(self.rows.clone()),
            Part::Text { name, options, header, .. } => {
                let (_, rows) = self.text().unwrap_or_default();
                let bytes = [header.as_slice(), rows].concat();
                let headers = header.split(|byte| *byte == b'\n').count() - 1;
                // Counted from the first line after the header.
                let lines = self.line().unwrap_or(1).cast_signed() - 1 - headers.cast_signed();
                let content = content(name, &bytes, options)
                    .map(|content| content.moved(self.rows.start, lines))
                    .map_err(|error| error.moved(self.rows.start, lines))?;
                match options.format {
                    Some(Format::JsonLines) => self.completed(content, layout, request),
                    _ => content,
                }
            }
        };
        Dataset::of_content_for_model(content, layout, request)
    }
}

#[cfg(test)]
mod tests;
