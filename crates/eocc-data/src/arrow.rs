//! Tables in the Arrow IPC formats: files (also called Feather) and streams.

mod array;
mod messages;

use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;

use crate::budget::{Budget, Meter};
use crate::column::Column;
use crate::error::{DataError, Fault, ReadFailure};
use crate::guard::guarded;
use crate::table::Table;

pub(crate) use array::unit_seconds;

/// The magic of a file, followed by zeros for alignment, and a stream.
pub(crate) const FILE: &[u8] = b"ARROW1";
/// The first bytes of a stream.
pub(crate) const STREAM: &[u8] = b"\xff\xff\xff\xff";

/// Reads a table from the content of an Arrow file or stream.
///
/// A file is a stream followed by an index of its messages, which is not needed to read all of them.
pub(crate) fn read(name: &str, bytes: &[u8], mut meter: Meter) -> Result<Table, DataError> {
    let fail = |stop: ReadFailure| DataError::new(name, stop.fault("Arrow"));
    let stream = bytes.strip_prefix(FILE).map_or(bytes, without_padding);
    guarded(|| messages::check(stream, meter.left())).map_err(fail)?;
    let (names, columns) = guarded(|| columns(stream, &mut meter)).map_err(fail)?;
    if columns.first().is_none_or(Column::is_empty) {
        return Err(DataError::new(name, Fault::NoRows { columns: names.len() }));
    }
    Table::new(name, names, columns)
}

/// The content after the zeros at the start of a file: at least two, more for wider alignment.
fn without_padding(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    &bytes[zeros..]
}

/// The names and the values of all columns.
fn columns(stream: &[u8], meter: &mut Meter) -> Result<(Vec<String>, Vec<Column>), ReadFailure> {
    let reader = StreamReader::try_new(Cursor::new(stream), None).map_err(|error| error.to_string())?;
    let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    meter.columns(names.len() as u64)?;
    let mut columns: Vec<Column> = Vec::with_capacity(names.len());
    for batch in reader {
        let batch = batch.map_err(|error| error.to_string())?;
        for (at, (array, name)) in batch.columns().iter().zip(&names).enumerate() {
            let inside = |reason: String| format!("column {}: {reason}", crate::shown::shown(name));
            let values = array::column(array.as_ref(), meter).map_err(|stop| stop.map(inside))?;
            match columns.get_mut(at) {
                None => columns.push(values),
                Some(before) => before
                    .append(&values)
                    .map_err(|(one, other)| inside(format!("it has both {one} and {other}")))?,
            }
        }
    }
    Ok((names, columns))
}

/// These columns of an in-memory batch.
pub(crate) fn batch_columns(
    source: &str,
    batch: &RecordBatch,
    places: &[usize],
) -> Result<Vec<Column>, DataError> {
    // The data is in memory already, and the result is about as large.
    let mut meter = Budget::of_bytes(u64::MAX).meter(None);
    let column = |&place: &usize| {
        let inside = |reason: String| {
            format!("column {}: {reason}", crate::shown::shown(batch.schema_ref().field(place).name()))
        };
        let fail = |stop: ReadFailure| DataError::new(source, stop.map(inside).fault("Arrow"));
        array::column(batch.column(place).as_ref(), &mut meter).map_err(fail)
    };
    places.iter().map(column).collect()
}

#[cfg(test)]
mod tests;
