//! Apache Parquet.

mod field;
mod footer;
mod groups;
mod pages;

use std::ops::Range;

use bytes::Bytes;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::reader::TreeBuilder;
use parquet::schema::types::TypePtr;

pub(crate) use self::groups::RowGroups;

use crate::budget::Meter;
use crate::column::Column;
use crate::error::{DataError, ReadFailure};
use crate::guard::guarded;
use crate::table::Table;

/// Cells of all columns read at a time.
const CELLS_AT_ONCE: usize = 1 << 20;
/// Maximum number of rows read at a time.
const ROWS_AT_ONCE: usize = 1024;

/// Reads a table from the content of a Parquet file. Nested values become JSON; dates and timestamps become seconds
/// since 1970, whatever their unit.
pub(crate) fn read(name: &str, bytes: &[u8], mut meter: Meter) -> Result<Table, DataError> {
    let fail = |stop: ReadFailure| DataError::new(name, stop.fault("Parquet"));
    footer::check(bytes).map_err(|reason| fail(reason.into()))?;
    let (names, columns) = guarded(|| columns(bytes, &mut meter)).map_err(fail)?;
    Table::new(name, names, columns)
}

fn columns(bytes: &[u8], meter: &mut Meter) -> Result<(Vec<String>, Vec<Column>), ReadFailure> {
    // A copy, because the reader shares the bytes among its parts.
    let file = File::open(Bytes::copy_from_slice(bytes))?;
    let mut builders = file.builders(meter)?;
    let all = 0..file.groups();
    file.check(all.clone(), meter)?;
    for group in all {
        file.decode(group, &mut builders, meter)?;
    }
    Ok((file.names(), builders.into_iter().map(field::Builder::finish).collect()))
}

/// A file whose footer has been read. Third-party code reads it, so call its methods inside the fence of [`guarded`].
struct File {
    bytes: Bytes,
    reader: SerializedFileReader<Bytes>,
}

impl File {
    /// Reads the footer, after [`footer::check`].
    fn open(bytes: Bytes) -> Result<Self, ReadFailure> {
        let reader = SerializedFileReader::new(bytes.clone()).map_err(|error| error.to_string())?;
        Ok(Self { bytes, reader })
    }

    /// How many row groups it has.
    fn groups(&self) -> usize {
        self.reader.num_row_groups()
    }

    fn fields(&self) -> &[TypePtr] {
        self.reader.metadata().file_metadata().schema().get_fields()
    }

    fn names(&self) -> Vec<String> {
        self.fields().iter().map(|field| field.name().to_owned()).collect()
    }

    /// Columns without rows yet.
    fn builders(&self, meter: &mut Meter) -> Result<Vec<field::Builder>, ReadFailure> {
        meter.columns(self.fields().len() as u64)?;
        Ok(self.fields().iter().map(|field| field::Builder::for_column(field)).collect())
    }

    /// Counts the memory that these groups will take, see [`pages::check`].
    fn check(&self, groups: Range<usize>, meter: &mut Meter) -> Result<(), ReadFailure> {
        pages::check(&self.reader, groups, &self.bytes, meter)
    }

    /// Appends the rows of a group.
    fn decode(
        &self,
        group: usize,
        builders: &mut [field::Builder],
        meter: &mut Meter,
    ) -> Result<(), ReadFailure> {
        let schema = self.reader.metadata().file_metadata().schema_descr_ptr();
        let at_once = (CELLS_AT_ONCE / schema.num_columns().max(1)).clamp(1, ROWS_AT_ONCE);
        let reader = self.reader.get_row_group(group).map_err(|error| error.to_string())?;
        // Not by `RowIter::from_row_group`, which chooses its own batch size.
        let rows = TreeBuilder::new().with_batch_size(at_once).as_iter(schema, reader.as_ref());
        for (row, fields) in rows.map_err(|error| error.to_string())?.enumerate() {
            let fields = fields.map_err(|error| error.to_string())?.into_columns();
            if fields.len() != builders.len() {
                let (found, expected) = (fields.len(), builders.len());
                return Err(format!(
                    "row {row} of group {group} has {found} fields, but there are {expected} columns"
                )
                .into());
            }
            for (builder, (_, field)) in builders.iter_mut().zip(fields) {
                builder.push(&field, meter)?;
            }
        }
        Ok(())
    }
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
    use crate::{OutFormat, Output, Values, write};

    fn read(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
        super::read(name, bytes, Budget::default().meter(Some(bytes.len() as u64)))
    }

    /// A file as written by other programs: with nulls, a decimal, a date, a time and a list.
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
            Column::new("id", Values::Integer(vec![i64::MAX, -1])),
            Column::new("size", Values::Float(vec![0.5, f64::INFINITY])),
            Column::new("big", Values::Boolean(vec![true, false])),
            Column::texts("label", ["a", "né"]),
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
