//! Text with delimiters, cut into records as it comes, each with its place.

use std::ops::Range;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::{Dialect, check};
use crate::error::Fault;

/// Bytes that a record may always take.
const SMALL: u64 = 1 << 16;

/// What a record may take while it is lexed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Bytes in all.
    pub(crate) most: u64,
    /// Bytes for each cell but its text: where it ends, and what is to be made of it.
    pub(crate) per_cell: u64,
}

impl Room {
    /// For a text that is itself limited.
    pub(super) const UNLIMITED: Self = Self { most: u64::MAX, per_cell: 0 };
    /// Bytes that tell where a cell ends.
    pub(super) const END: u64 = size_of::<usize>() as u64;

    fn require(self, text: usize, cells: usize) -> Result<(), Fault> {
        let needed = (cells as u64).saturating_mul(self.per_cell).saturating_add(text as u64);
        if needed > self.most.max(SMALL) { Err(Fault::Memory { needed, limit: self.most }) } else { Ok(()) }
    }
}

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    /// Where it starts in the text, and where it ends, its end of line included.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Its line, from 1.
    pub(crate) line: usize,
}

/// Finds records as the text grows: every byte is looked at once.
#[derive(Debug)]
pub(crate) struct Lexer {
    reader: Reader,
    dialect: Dialect,
    /// The cells of the record that was found last or is under way, one after the other, and where each ends.
    cells: Vec<u8>,
    ends: Vec<usize>,
    filled: usize,
    count: usize,
    /// How much of the text has been taken, and of that, how much belongs to records that are complete.
    at: usize,
    complete: usize,
    /// The line, from 1, of this place in the text.
    line: usize,
    counted: usize,
    /// The byte before that place.
    last: u8,
    /// Bytes of the file before the text.
    before: usize,
}

impl Lexer {
    /// A lexer of text that starts at this byte of its file.
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

    /// The next record that is not blank; nothing if more text is needed, or none is left. `text` starts with all that was
    /// shown before, and `is_last` tells that nothing follows it.
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

    /// Whether the record has nothing in it. A quoted empty cell is still a row of a single column.
    fn is_blank(&self) -> bool {
        let mut ranges = self.ranges();
        match (ranges.next(), ranges.next()) {
            (None, _) => true,
            (Some(one), None) => self.cells[one].trim_ascii().is_empty(),
            _ => false,
        }
    }

    /// Where the cells of the record lie; several blanks in a row delimit as one does.
    fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = [0].into_iter().chain(self.ends[..self.count].iter().copied());
        let ranges = starts.zip(&self.ends[..self.count]).map(|(start, end)| start..*end);
        ranges.filter(|cell| self.dialect.delimiter != b' ' || !cell.is_empty())
    }

    /// How many cells the record has that was found last.
    pub(crate) fn width(&self) -> usize {
        if self.dialect.delimiter == b' ' { self.ranges().count() } else { self.count }
    }

    /// The bytes in those cells.
    pub(crate) fn size(&self) -> usize {
        self.filled
    }

    /// Those cells, or what is wrong with their text.
    pub(crate) fn cells(&self, text: &[u8], record: Record) -> Result<impl Iterator<Item = &str>, Fault> {
        let all = &self.cells[..self.filled];
        let sound = std::str::from_utf8(all).ok().filter(|sound| {
            !all.contains(&0) && self.ends[..self.count].iter().all(|end| sound.is_char_boundary(*end))
        });
        let sound = sound.ok_or_else(|| self.fault(text, record))?;
        Ok(self.ranges().map(|cell| &sound[cell]))
    }

    /// What is wrong with the text of a record.
    fn fault(&self, text: &[u8], record: Record) -> Fault {
        let (line, offset) = (record.line, self.before + record.start);
        let found = check(&text[record.start..record.end], offset, line);
        found.err().unwrap_or(Fault::NotUtf8 { line, offset })
    }

    /// Where a record starts behind the line ends and comments that the reader skips.
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

    /// The line of a place behind those that were asked for before.
    fn line_of(&mut self, text: &[u8], place: usize) -> usize {
        for &byte in text.get(self.counted..place).unwrap_or_default() {
            self.line += usize::from(byte == b'\r' || (byte == b'\n' && self.last != b'\r'));
            self.last = byte;
        }
        self.counted = place.max(self.counted);
        self.line
    }

    /// The line of what was looked at last, from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// What the text is written with.
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// How much of the text belongs to records that are complete.
    pub(crate) fn complete(&self) -> usize {
        self.complete
    }

    /// Forgets this much of the text, which must have been complete.
    pub(crate) fn forget(&mut self, text: &[u8], length: usize) {
        self.line_of(text, length);
        self.at -= length;
        self.complete -= length;
        self.counted -= length;
        self.before += length;
    }

    /// Whether a record, the last of a text, opens a quote that is never closed, over several lines.
    pub(crate) fn is_open(&self, text: &[u8], record: Record) -> bool {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            /// Where a quote opens.
            Start,
            Plain,
            Quoted,
            /// After a quote within quotes, which closes them unless another follows.
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
