//! Determines the size of the pages of a Parquet file before they are read: a few bytes may stand for any number of
//! values.
//!
//! The library trusts the head of a page, and builds a whole row at once, however long its lists are. Neither can be
//! interrupted, so both are checked here first: the heads of all pages, which give the number of values, and for
//! nested columns the values themselves, one column at a time.

use std::ops::Range;

use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, RowGroupReader};

use super::footer::Walker;
use crate::budget::{Meter, NESTED};
use crate::error::{Fault, ReadFailure};

/// Old programs recorded the length of a column too short by this many bytes, and the library reads on for them.
const LEGACY_LENGTH_SLACK: u64 = 100;
/// Memory of a value of a nested column while it is read: itself and two levels.
const READ: u64 = 40;
/// Memory of the text of a nested number or word, besides the letters of the word.
const WRITTEN: u64 = 24;
/// Rows of a nested column that are checked at a time.
const ROWS: usize = 64;

/// Counts the memory of the cells of these row groups, except the text of columns that are not nested.
pub(super) fn check(
    reader: &dyn FileReader,
    groups: Range<usize>,
    bytes: &[u8],
    meter: &mut Meter,
) -> Result<(), ReadFailure> {
    let fields = reader.metadata().file_metadata().schema().get_fields().len() as u64;
    for number in groups {
        let group = reader.metadata().row_group(number);
        let rows = u64::try_from(group.num_rows()).map_err(|_| "it has less than no rows")?;
        meter.cells(rows.saturating_mul(fields), 0)?;
        for (at, column) in group.columns().iter().enumerate() {
            let values = values(column, bytes, meter)?;
            if column.column_descr().max_rep_level() > 0 {
                allow(values.saturating_mul(READ), meter)?;
                let group = reader.get_row_group(number).map_err(|error| error.to_string())?;
                nested(group.as_ref(), at, meter)?;
            }
        }
    }
    Ok(())
}

/// Fails if this much cannot be allocated temporarily.
fn allow(needed: u64, meter: &Meter) -> Result<(), ReadFailure> {
    let limit = meter.left();
    if needed > limit { Err(Fault::Memory { needed, limit }.into()) } else { Ok(()) }
}

/// How many values the pages of a column claim to hold.
fn values(column: &ColumnChunkMetaData, bytes: &[u8], meter: &mut Meter) -> Result<u64, ReadFailure> {
    let (mut at, length) = column.byte_range();
    let end = at.saturating_add(length);
    let mut all = 0_u64;
    while at < end.saturating_add(LEGACY_LENGTH_SLACK).min(bytes.len() as u64) {
        let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let mut walker = Walker::new(rest);
        let page = match page(&mut walker) {
            Ok(page) => page,
            Err(_) if at >= end => break,
            Err(reason) => return Err(reason.into()),
        };
        meter.take(0)?;
        allow(page.unpacked, meter)?;
        all = all.saturating_add(page.values);
        let head = (rest.len() - walker.rest().len()) as u64;
        at = at.saturating_add(head).saturating_add(page.packed);
    }
    Ok(all)
}

/// The head of a page: its compressed and uncompressed size, and its number of values, unless it is a dictionary.
#[derive(Default)]
struct Page {
    unpacked: u64,
    packed: u64,
    values: u64,
}

fn page(walker: &mut Walker<'_>) -> Result<Page, &'static str> {
    const NEGATIVE: &str = "a page claims a negative size";
    let mut page = Page::default();
    let mut id = 0;
    while let Some(kind) = walker.field(&mut id)? {
        let size = |size: i64| u64::try_from(size).map_err(|_| NEGATIVE);
        match (id, kind) {
            (2, 5) => page.unpacked = size(walker.signed()?)?,
            (3, 5) => page.packed = size(walker.signed()?)?,
            // Data pages of version 1 and 2.
            (5 | 8, 12) => {
                let mut inner = 0;
                while let Some(kind) = walker.field(&mut inner)? {
                    if (inner, kind) == (1, 5) {
                        page.values = size(walker.signed()?)?;
                    } else {
                        walker.skip_value(kind)?;
                    }
                }
            }
            _ => walker.skip_value(kind)?,
        }
    }
    Ok(page)
}

/// Counts the memory of a nested column as text, and checks how much a single row takes while it is built.
fn nested(group: &dyn RowGroupReader, at: usize, meter: &mut Meter) -> Result<(), ReadFailure> {
    let fixed = match group.metadata().column(at).column_descr().physical_type() {
        Physical::FIXED_LEN_BYTE_ARRAY => group.metadata().column(at).column_descr().type_length(),
        _ => 0,
    };
    let fixed = u64::try_from(fixed).unwrap_or(0);
    match group.get_column_reader(at).map_err(|error| error.to_string())? {
        ColumnReader::BoolColumnReader(reader) => rows(reader, meter, |_| 0),
        ColumnReader::Int32ColumnReader(reader) => rows(reader, meter, |_| 0),
        ColumnReader::Int64ColumnReader(reader) => rows(reader, meter, |_| 0),
        ColumnReader::Int96ColumnReader(reader) => rows(reader, meter, |_| 0),
        ColumnReader::FloatColumnReader(reader) => rows(reader, meter, |_| 0),
        ColumnReader::DoubleColumnReader(reader) => rows(reader, meter, |_| 0),
        ColumnReader::ByteArrayColumnReader(reader) => rows(reader, meter, |text| text.len() as u64),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => rows(reader, meter, |_| fixed),
    }
}

fn rows<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    meter: &mut Meter,
    text: impl Fn(&T::T) -> u64,
) -> Result<(), ReadFailure> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        values.clear();
        defined.clear();
        repeated.clear();
        let (records, _, levels) = reader
            .read_records(ROWS, Some(&mut defined), Some(&mut repeated), &mut values)
            .map_err(|error| error.to_string())?;
        if records == 0 && levels == 0 {
            return Ok(());
        }
        // If values have no text, attribute all of them to the row with the most.
        let letters: u64 = values.iter().map(&text).fold(0, u64::saturating_add);
        let written = (levels as u64).saturating_mul(WRITTEN).saturating_add(letters);
        meter.take(written)?;
        let longest =
            repeated.split(|level| *level == 0).map(|rest| rest.len() as u64 + 1).max().unwrap_or(0);
        allow(longest.saturating_mul(NESTED).saturating_add(letters.saturating_mul(2)), meter)?;
    }
}
