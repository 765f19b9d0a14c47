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

use super::{OutColumn, OutValues};

/// Rows of one group; readers take a group at a time.
const GROUP: usize = 1 << 20;

/// Writes columns without missing values.
pub(super) fn write(columns: &[OutColumn], writer: &mut (dyn Write + Send)) -> io::Result<()> {
    table(columns, writer).map_err(|error| match error {
        // Full disks and closed pipes must stay what they are.
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        other => io::Error::other(other),
    })
}

fn table(columns: &[OutColumn], writer: &mut (dyn Write + Send)) -> Result<()> {
    let fields = columns.iter().map(|column| Ok(Arc::new(field(column)?))).collect::<Result<Vec<_>>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = SerializedFileWriter::new(writer, Arc::new(schema), Arc::new(properties))?;
    let rows = columns.first().map_or(0, |column| column.values.len());
    for start in (0..rows).step_by(GROUP) {
        let range = start..rows.min(start + GROUP);
        let mut group = file.next_row_group()?;
        for column in columns {
            let range = range.clone();
            match &column.values {
                OutValues::Integer(values) => cells::<Int64Type>(&mut group, &values[range])?,
                OutValues::Number(values) => cells::<DoubleType>(&mut group, &values[range])?,
                OutValues::Boolean(values) => cells::<BoolType>(&mut group, &values[range])?,
                OutValues::Text(values) => cells::<ByteArrayType>(&mut group, &texts(values, range))?,
            }
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
}

fn field(column: &OutColumn) -> Result<Type> {
    let (physical, logical) = match column.values {
        OutValues::Integer(_) => (Physical::INT64, None),
        OutValues::Number(_) => (Physical::DOUBLE, None),
        OutValues::Boolean(_) => (Physical::BOOLEAN, None),
        OutValues::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(logical)
        .build()
}

fn texts(values: &[String], range: Range<usize>) -> Vec<ByteArray> {
    values[range].iter().map(|text| ByteArray::from(text.as_str())).collect()
}

fn cells<T: DataType>(
    group: &mut SerializedRowGroupWriter<&mut (dyn Write + Send)>,
    values: &[T::T],
) -> Result<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, None, None)?;
        column.close()?;
    }
    Ok(())
}
