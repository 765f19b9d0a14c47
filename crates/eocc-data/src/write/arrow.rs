//! Arrow streams.

use std::io;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;

use crate::column::{Column, Values};

/// Writes columns of equal length as a stream of one batch.
pub(super) fn stream(columns: &[Column]) -> io::Result<Vec<u8>> {
    let named = columns.iter().map(|column| (column.name.as_str(), array(column)));
    let batch = RecordBatch::try_from_iter(named).map_err(io::Error::other)?;
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).map_err(io::Error::other)?;
    writer.write(&batch).and_then(|()| writer.finish()).map_err(io::Error::other)?;
    drop(writer);
    Ok(bytes)
}

fn array(column: &Column) -> ArrayRef {
    let is_there = |row: usize| !column.is_gap(row);
    match column.values() {
        Values::Float(all) => {
            let values = all.iter().enumerate().map(|(row, value)| is_there(row).then_some(*value));
            Arc::new(values.collect::<Float64Array>())
        }
        Values::Integer(all) => {
            let values = all.iter().enumerate().map(|(row, value)| is_there(row).then_some(*value));
            Arc::new(values.collect::<Int64Array>())
        }
        Values::Boolean(all) => {
            let values = all.iter().enumerate().map(|(row, value)| is_there(row).then_some(*value));
            Arc::new(values.collect::<BooleanArray>())
        }
        _ => {
            let texts = (0..column.len()).map(|row| is_there(row).then(|| column.text(row)));
            Arc::new(texts.collect::<StringArray>())
        }
    }
}
