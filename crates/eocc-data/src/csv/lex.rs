//! Splits delimited text into records incrementally, each with its location.

use std::ops::Range;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::{Dialect, check};
use crate::error::Fault;

/// Bytes that a record may always take.
const SMALL: u64 = 1 << 16;

/// The limit for a record while it is lexed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Maximum bytes in total.
    pub(crate) most: u64,
    /// Bytes per cell besides its text: its end, and the space for its value.
    pub(crate) per_cell: u64,
}

impl Room {
    /// For a text that is itself limited.
    pub(super) const UNLIMITED: Self = Self { most: u64::MAX, per_cell: 0 };
    /// Bytes of a cell's end.
    pub(super) const END: u64 = size_of::<usize>() as u64;

    fn require(self, text: usize, cells: usize) -> Result<(), Fault> {
        let needed = (cells as u64).saturating_mul(self.per_cell).saturating_add(text as u64);
        if needed > self.most.max(SMALL) { Err(Fault::Memory { needed, limit: self.most }) } else { Ok(()) }
    }
}

/// The location of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    /// Where it starts and ends in the text, including its line end.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Its line, from 1.
    pub(crate) line: usize,
}

/// Finds records as the text grows: every byte is scanned once.
#[derive(Debug)]
pub(crate) struct Lexer {
    reader: Reader,
    dialect: Dialect,
    /// The cells of the latest or current record, concatenated, and where each ends.
    cells: Vec<u8>,
    ends: Vec<usize>,
    filled: usize,
    count: usize,
    /// How much of the text has been consumed, and how much of that belongs to complete records.
    at: usize,
    complete: usize,
    /// The line, from 1, of this position in the text.
    line: usize,
    counted: usize,
    /// The byte before that position.
    last: u8,
    /// Bytes of the file before the text.
    before: usize,
}

impl Lexer {
    /// A lexer for text that starts at this byte of its file.
    pub(crate) fn new(dialect: Dialect, before: usize) -> Self {
        let reader = ReaderBuilder::new().delimiter(dialect.delimiter).comment(dialect.comment).build();
        let (cells, ends) = (vec![0; 1024], vec![0; 64]);
        Self {
            reader,
            dialect,
            cells,
            ends,
            filled: 0,
            count: 0,
            at: 0,
            complete: 0,
            line: 1,
            counted: 0,
            last: 0,
            before,
        }
    }

    /// The next record that is not blank; `None` if more text is needed, or none is left. `text` starts with
    /// everything passed before, and `is_last` means that nothing follows it.
    ///
    /// A record is refused before it takes more than `room`.
    pub(crate) fn next(&mut self, text: &[u8], is_last: bool, room: Room) -> Result<Option<Record>, Fault> {
        loop {
            if self.at == text.len() && !is_last {
                return Ok(None);
            }
            if self.at == self.complete {
                (self.filled, self.count) = (0, 0);
            }
            let (result, read, filled, count) = self.reader.read_record(
                &text[self.at..],
                &mut self.cells[self.filled..],
                &mut self.ends[self.count..],
            );
            self.at += read;
            self.filled += filled;
            self.count += count;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    room.require(2 * self.cells.len(), self.ends.len())?;
                    self.cells.resize(2 * self.cells.len(), 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    room.require(self.cells.len(), 2 * self.ends.len())?;
                    self.ends.resize(2 * self.ends.len(), 0);
                }
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::Record => {
                    let start = self.start_behind(text, self.complete);
                    self.complete = self.at;
                    let record = Record { start, end: self.at, line: self.line_of(text, start) };
                    if !self.is_blank() || text[start..].starts_with(b"\"") {
                        return Ok(Some(record));
                    }
                }
            }
        }
    }

    /// Whether the record is empty. A quoted empty cell is still a row of a single column.
    fn is_blank(&self) -> bool {
        let mut ranges = self.ranges();
        match (ranges.next(), ranges.next()) {
            (None, _) => true,
            (Some(one), None) => self.cells[one].trim_ascii().is_empty(),
            _ => false,
        }
    }

    /// The ranges of the record's cells; several blanks in a row delimit like one.
    fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = [0].into_iter().chain(self.ends[..self.count].iter().copied());
        let ranges = starts.zip(&self.ends[..self.count]).map(|(start, end)| start..*end);
        ranges.filter(|cell| self.dialect.delimiter != b' ' || !cell.is_empty())
    }

    /// How many cells the latest record has.
    pub(crate) fn width(&self) -> usize {
        if self.dialect.delimiter == b' ' { self.ranges().count() } else { self.count }
    }

    /// The bytes in those cells.
    pub(crate) fn size(&self) -> usize {
        self.filled
    }

    /// Those cells, or the error in their text.
    pub(crate) fn cells(&self, text: &[u8], record: Record) -> Result<impl Iterator<Item = &str>, Fault> {
        let all = &self.cells[..self.filled];
        let sound = std::str::from_utf8(all).ok().filter(|sound| {
            !all.contains(&0) && self.ends[..self.count].iter().all(|end| sound.is_char_boundary(*end))
        });
        let sound = sound.ok_or_else(|| self.fault(text, record))?;
        Ok(self.ranges().map(|cell| &sound[cell]))
    }

    /// The error in the text of a record.
    fn fault(&self, text: &[u8], record: Record) -> Fault {
        let (line, offset) = (record.line, self.before + record.start);
        let found = check(&text[record.start..record.end], offset, line);
        found.err().unwrap_or(Fault::NotUtf8 { line, offset })
    }

    /// Where a record starts after the line ends and comments that the reader skips.
    fn start_behind(&self, text: &[u8], mut start: usize) -> usize {
        let ends_line = |byte: &u8| matches!(byte, b'\r' | b'\n');
        loop {
            start += text[start..].iter().take_while(|byte| ends_line(byte)).count();
            if self.dialect.comment.is_none() || text.get(start).copied() != self.dialect.comment {
                return start;
            }
            start += text[start..].iter().take_while(|byte| !ends_line(byte)).count();
        }
    }

    /// The line of a position after those requested before.
    fn line_of(&mut self, text: &[u8], place: usize) -> usize {
        for &byte in text.get(self.counted..place).unwrap_or_default() {
            self.line += usize::from(byte == b'\r' || (byte == b'\n' && self.last != b'\r'));
            self.last = byte;
        }
        self.counted = place.max(self.counted);
        self.line
    }

    /// The line scanned last, from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// The dialect of the text.
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// How much of the text belongs to complete records.
    pub(crate) fn complete(&self) -> usize {
        self.complete
    }

    /// Drops this much of the text, which must be complete.
    pub(crate) fn forget(&mut self, text: &[u8], length: usize) {
        self.line_of(text, length);
        self.at -= length;
        self.complete -= length;
        self.counted -= length;
        self.before += length;
    }

    /// Whether the last record of a text opens a quote over several lines that is never closed.
    pub(crate) fn is_open(&self, text: &[u8], record: Record) -> bool {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            /// Where a quote opens.
            Start,
            Plain,
            Quoted,
            /// After a quote within quotes, which closes them unless another one follows.
            Closing,
        }
        let raw = &text[record.start..record.end];
        let state = raw.iter().fold(State::Start, |state, byte| match (state, byte) {
            (State::Quoted, b'"') => State::Closing,
            (State::Start | State::Closing, b'"') | (State::Quoted, _) => State::Quoted,
            (_, byte) if *byte == self.dialect.delimiter => State::Start,
            _ => State::Plain,
        });
        state == State::Quoted && raw.contains(&b'\n')
    }
}
