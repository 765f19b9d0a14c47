//! Apache Parquet.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use crate::column::{Column, Values};

/// Rows per group; readers read a group at a time.
const GROUP: usize = 1 << 20;

/// Writes a table.
pub(super) fn write(columns: &[Column], writer: &mut (dyn Write + Send)) -> io::Result<()> {
    let mut groups = Groups::new(writer);
    groups.write(columns)?;
    groups.finish()
}

/// A table written in groups of rows.
pub(super) struct Groups<'a> {
    state: State<'a>,
    /// Rows that do not fill a group yet.
    waiting: Vec<Column>,
}

enum State<'a> {
    /// Nothing is known about the columns.
    Empty(&'a mut (dyn Write + Send)),
    Open(SerializedFileWriter<&'a mut (dyn Write + Send)>),
    Failed,
}

impl<'a> Groups<'a> {
    pub(super) fn new(writer: &'a mut (dyn Write + Send)) -> Self {
        Self { state: State::Empty(writer), waiting: Vec::new() }
    }

    /// Adds rows; all have the columns of the first ones, and may have gaps where those do not.
    pub(super) fn write(&mut self, columns: &[Column]) -> io::Result<()> {
        if self.waiting.is_empty() {
            self.waiting = columns.to_vec();
        } else {
            for (all, some) in self.waiting.iter_mut().zip(columns) {
                if all.append(some).is_err() {
                    let text = format!("column `{}` changes its type", all.name);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, text));
                }
            }
        }
        if rows(&self.waiting) >= GROUP { self.flush() } else { Ok(()) }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        if rows(&self.waiting) > 0 {
            self.flush()?;
        }
        match self.state {
            State::Open(file) => file.close().map(|_| ()).map_err(plain),
            State::Empty(_) | State::Failed => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let columns = std::mem::take(&mut self.waiting);
        self.state = match std::mem::replace(&mut self.state, State::Failed) {
            State::Empty(writer) => State::Open(open(&columns, writer).map_err(plain)?),
            state => state,
        };
        let State::Open(file) = &mut self.state else { return Err(io::ErrorKind::Other.into()) };
        for start in (0..rows(&columns)).step_by(GROUP) {
            group(file, &columns, start..rows(&columns).min(start + GROUP)).map_err(plain)?;
        }
        Ok(())
    }
}

fn rows(columns: &[Column]) -> usize {
    columns.first().map_or(0, Column::len)
}

/// Full disks and closed pipes must stay recognizable.
fn plain(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        other => io::Error::other(other),
    }
}

fn open<'a>(
    columns: &[Column],
    writer: &'a mut (dyn Write + Send),
) -> Result<SerializedFileWriter<&'a mut (dyn Write + Send)>> {
    let fields = columns.iter().map(|column| Ok(Arc::new(field(column)?))).collect::<Result<Vec<_>>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    SerializedFileWriter::new(writer, Arc::new(schema), Arc::new(properties))
}

fn group(
    file: &mut SerializedFileWriter<&mut (dyn Write + Send)>,
    columns: &[Column],
    range: Range<usize>,
) -> Result<()> {
    let mut group = file.next_row_group()?;
    for column in columns {
        let present: Vec<usize> = range.clone().filter(|&row| !column.is_gap(row)).collect();
        let levels: Vec<i16> = range.clone().map(|row| i16::from(!column.is_gap(row))).collect();
        match column.values() {
            Values::Integer(all) => cells::<Int64Type>(&mut group, &picked(all, &present), &levels)?,
            Values::Float(all) => cells::<DoubleType>(&mut group, &picked(all, &present), &levels)?,
            Values::Boolean(all) => cells::<BoolType>(&mut group, &picked(all, &present), &levels)?,
            _ => {
                let texts: Vec<ByteArray> =
                    present.iter().map(|&row| ByteArray::from(column.text(row).as_ref())).collect();
                cells::<ByteArrayType>(&mut group, &texts, &levels)?;
            }
        }
    }
    group.close()?;
    Ok(())
}

fn picked<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| values[row]).collect()
}

fn field(column: &Column) -> Result<Type> {
    let (physical, logical) = match column.values() {
        Values::Integer(_) => (Physical::INT64, None),
        Values::Float(_) => (Physical::DOUBLE, None),
        Values::Boolean(_) => (Physical::BOOLEAN, None),
        _ => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

fn cells<T: DataType>(
    group: &mut SerializedRowGroupWriter<&mut (dyn Write + Send)>,
    values: &[T::T],
    levels: &[i16],
) -> Result<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, Some(levels), None)?;
        column.close()?;
    }
    Ok(())
}
