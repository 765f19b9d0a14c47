//! Apache Parquet.

mod field;
mod footer;
mod pages;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::reader::RowIter;

use crate::budget::Meter;
use crate::column::Column;
use crate::error::{DataError, Stop};
use crate::guard::guarded;
use crate::table::Table;

/// Cells of all columns that are read at once.
const CELLS_AT_ONCE: usize = 1 << 20;
/// Rows that are read at once at most.
const ROWS_AT_ONCE: usize = 1024;

/// Reads a table from the content of a Parquet file. A nested column keeps its values as JSON; dates and moments are seconds
/// since 1970, whatever their unit.
pub(crate) fn read(name: &str, bytes: &[u8], mut meter: Meter) -> Result<Table, DataError> {
    let fail = |stop: Stop| DataError::new(name, stop.fault("Parquet"));
    footer::check(bytes).map_err(|reason| fail(reason.into()))?;
    let (names, columns) = guarded(|| columns(bytes, &mut meter)).map_err(fail)?;
    Table::new(name, names, columns)
}

fn columns(bytes: &[u8], meter: &mut Meter) -> Result<(Vec<String>, Vec<Column>), Stop> {
    // A copy, because the reader wants to share the bytes among its parts.
    let content = bytes::Bytes::copy_from_slice(bytes);
    let reader = SerializedFileReader::new(content).map_err(|error| error.to_string())?;
    pages::check(&reader, bytes, meter)?;
    let leaves = reader.metadata().file_metadata().schema_descr().num_columns();
    let at_once = (CELLS_AT_ONCE / leaves.max(1)).clamp(1, ROWS_AT_ONCE);
    let schema = reader.metadata().file_metadata().schema();
    let names: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let mut builders: Vec<field::Builder> =
        schema.get_fields().iter().map(|field| field::Builder::of(field)).collect();
    for (row, fields) in RowIter::from_file_into(Box::new(reader)).with_batch_size(at_once).enumerate() {
        let fields = fields.map_err(|error| error.to_string())?.into_columns();
        if fields.len() != names.len() {
            let (found, expected) = (fields.len(), names.len());
            return Err(format!("row {row} has {found} fields, but there are {expected} columns").into());
        }
        for (builder, (_, field)) in builders.iter_mut().zip(fields) {
            builder.push(&field, meter)?;
        }
    }
    Ok((names, builders.into_iter().map(field::Builder::finish).collect()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::data_type::{Int32Type, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::budget::Budget;
    use crate::cell::Cell;
    use crate::{OutColumn, OutFormat, OutValues, Output, write};

    fn read(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
        super::read(name, bytes, Budget::default().meter(Some(bytes.len() as u64)))
    }

    /// A file as other programs write it: with nulls, a decimal, a date, a time and a list.
    fn foreign() -> Vec<u8> {
        let schema = "message table {
            optional int32 count;
            optional int64 price (DECIMAL(10, 2));
            required int32 day (DATE);
            required int64 moment (TIMESTAMP(MILLIS, true));
            optional group path (LIST) { repeated group list { optional int32 element; } }
        }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
        let mut group = file.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[7], Some(&[0, 1]), None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&[-1250], Some(&[1, 0]), None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[0, 20_000], None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&[0, 1_000], None, None).unwrap();
        column.close().unwrap();
        // The first row is [1, null], the second has no list.
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[1], Some(&[3, 2, 0]), Some(&[0, 1, 0])).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        file.into_inner().unwrap()
    }

    #[test]
    fn nulls_decimals_dates_and_lists_are_read() {
        let table = read("a.parquet", &foreign()).unwrap();
        assert_eq!(table.names(), ["count", "price", "day", "moment", "path"]);
        assert_eq!([0, 1].map(|row| table.cell(row, 0)), [Cell::Missing, Cell::Integer(7)]);
        assert_eq!([0, 1].map(|row| table.cell(row, 1)), [Cell::Decimal("-12.50"), Cell::Missing]);
        assert_eq!(table.numbers_of_rows(&[1], &[0]).unwrap(), [-12.5]);
        assert_eq!(table.cell(1, 2), Cell::Time(20_000.0 * 86_400.0));
        assert_eq!(table.cell(1, 3), Cell::Time(1.0));
        assert_eq!([0, 1].map(|row| table.cell(row, 4)), [Cell::Json("[1,null]"), Cell::Missing]);
        let message = table.numbers(&[0]).unwrap_err().to_string();
        assert!(message.starts_with("a.parquet: row 0, column \"count\": the value is missing"), "{message}");
    }

    #[test]
    fn moments_are_seconds_whatever_the_unit() {
        for (unit, value) in [("MILLIS", 1_500), ("MICROS", 1_500_000), ("NANOS", 1_500_000_000)] {
            let schema = format!("message table {{ required int64 moment (TIMESTAMP({unit}, true)); }}");
            let schema = Arc::new(parse_message_type(&schema).unwrap());
            let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
            let mut group = file.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(&[value], None, None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
            let table = read("a.parquet", &file.into_inner().unwrap()).unwrap();
            assert_eq!(table.cell(0, 0), Cell::Time(1.5), "{unit}");
        }
    }

    fn small() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let columns = [
            OutColumn::new("id", OutValues::Integer(vec![i64::MAX, -1])),
            OutColumn::new("size", OutValues::Number(vec![0.5, f64::INFINITY])),
            OutColumn::new("big", OutValues::Boolean(vec![true, false])),
            OutColumn::new("label", OutValues::Text(vec!["a".into(), "né".into()])),
        ];
        write(&columns, OutFormat::Parquet, &Output::Path(path.clone())).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn what_is_written_can_be_read() {
        let table = read("a.parquet", &small()).unwrap();
        assert_eq!(table.names(), ["id", "size", "big", "label"]);
        assert_eq!(table.text(0).collect::<Vec<_>>(), ["9223372036854775807", "-1"]);
        assert_eq!(table.text(3).collect::<Vec<_>>(), ["a", "né"]);
        assert_eq!(table.numbers_of_rows(&[1, 2], &[0]).unwrap(), [0.5, 1.0]);
        assert!(table.numbers(&[0]).unwrap_err().to_string().contains("cannot hold exactly"));
        assert!(table.numbers(&[1]).unwrap_err().to_string().contains("\"inf\" is infinite"));
    }

    #[test]
    fn every_truncation_is_an_error() {
        for bytes in [small(), foreign()] {
            for length in 0..bytes.len() {
                assert!(read("a.parquet", &bytes[..length]).is_err(), "{length}");
            }
        }
    }

    #[test]
    fn every_damaged_byte_of_a_nested_file_is_survived() {
        let bytes = foreign();
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x10] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                if let Ok(table) = read("a.parquet", &damaged) {
                    for column in 0..table.names().len() {
                        assert_eq!(table.text(column).count(), table.rows());
                    }
                }
            }
        }
    }
}
