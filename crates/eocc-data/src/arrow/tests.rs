use std::sync::Arc;

use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float32Array, Int64Array, NullArray, RecordBatch,
    StringArray, TimestampMillisecondArray, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

use super::*;
use crate::budget::Budget;
use crate::cell::Cell;

fn read(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
    super::read(name, bytes, Budget::default().meter(Some(bytes.len() as u64)))
}

fn batch() -> RecordBatch {
    let mut lists = ListBuilder::new(Float64Builder::new());
    lists.append_value([Some(1.5), Some(2.0)]);
    lists.append_value([Some(3.0)]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("number", Arc::new(Int64Array::from(vec![Some(7), None]))),
        ("single", Arc::new(Float32Array::from(vec![0.5, 1.5]))),
        ("large", Arc::new(UInt64Array::from(vec![u64::MAX, 1]))),
        ("truth", Arc::new(BooleanArray::from(vec![true, false]))),
        ("text", Arc::new(StringArray::from(vec![Some("é"), None]))),
        ("kind", Arc::new(["b", "a"].into_iter().collect::<DictionaryArray<Int8Type>>())),
        ("day", Arc::new(Date32Array::from(vec![1, 2]))),
        ("moment", Arc::new(TimestampMillisecondArray::from(vec![1500, -500]))),
        ("wave", Arc::new(lists.finish())),
        ("nothing", Arc::new(NullArray::new(2))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn written(packing: Option<CompressionType>, is_file: bool) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(packing).unwrap();
    let (batch, mut bytes) = (batch(), Vec::new());
    if is_file {
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    } else {
        let mut writer = StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
    bytes
}

#[test]
fn files_and_streams_are_read_packed_or_not() {
    for packing in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        for is_file in [true, false] {
            let bytes = written(packing, is_file);
            let table = read("a.arrow", &bytes).unwrap();
            assert_eq!(table.rows(), 4);
            for row in [0, 2] {
                let cells: Vec<Cell<'_>> = (0..10).map(|column| table.cell(row, column)).collect();
                let expected = [
                    Cell::Integer(7),
                    Cell::Single(0.5),
                    Cell::Unsigned(u64::MAX),
                    Cell::Boolean(true),
                    Cell::Text("é"),
                    Cell::Text("b"),
                    Cell::Time(86_400.0),
                    Cell::Time(1.5),
                    Cell::Json("[1.5,2]"),
                    Cell::Missing,
                ];
                assert_eq!(cells, expected);
                assert_eq!(table.cell(row + 1, 0), Cell::Missing);
                assert_eq!(table.cell(row + 1, 7), Cell::Time(-0.5));
            }
        }
    }
}

#[test]
fn every_truncation_and_every_damaged_byte_is_survived() {
    for packing in [None, Some(CompressionType::LZ4_FRAME)] {
        let whole = written(packing, false);
        for length in 0..whole.len() {
            let _ = read("a.arrow", &whole[..length]);
        }
        let mut bytes = whole.clone();
        for at in 0..whole.len() {
            for value in [0, 0x7f, 0xff] {
                bytes[at] = value;
                let _ = read("a.arrow", &bytes);
            }
            bytes[at] = whole[at];
        }
    }
}

#[test]
fn claims_without_substance_are_refused() {
    // A compressed buffer that claims to be huge.
    let mut bytes = written(Some(CompressionType::LZ4_FRAME), false);
    let plain = read("a.arrow", &bytes).unwrap();
    assert_eq!(plain.rows(), 4);
    let lz4 = [0x04, 0x22, 0x4d, 0x18];
    let at = bytes.windows(4).position(|four| four == lz4);
    if let Some(at) = at {
        bytes[at - 8..at].copy_from_slice(&(1_i64 << 50).to_le_bytes());
        let message = read("a.arrow", &bytes).unwrap_err().to_string();
        assert!(message.contains("claim more than"), "{message}");
    }
    // Only nulls, a huge number of them.
    let nulls: ArrayRef = Arc::new(NullArray::new(1 << 40));
    let batch = RecordBatch::try_from_iter_with_nullable([("a", nulls, true)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let message = read("a.arrow", &bytes).unwrap_err().to_string();
    assert!(message.contains("rows, but has only"), "{message}");
    assert!(read("a.arrow", b"ARROW1").is_err() && read("a.arrow", b"\xff\xff\xff\xff").is_err());
}

/// As one would do it by hand: a dictionary text is repeated in each row.
fn of_dictionary(text: &str, rows: usize) -> Vec<u8> {
    let array: ArrayRef = Arc::new(std::iter::repeat_n(text, rows).collect::<DictionaryArray<Int8Type>>());
    let batch = RecordBatch::try_from_iter_with_nullable([("a", array, true)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn a_long_text_that_stands_there_often_is_refused() {
    let bytes = of_dictionary("word", 3);
    assert_eq!(read("a.arrow", &bytes).unwrap().text(0).collect::<Vec<_>>(), ["word"; 3]);
    let bytes = of_dictionary(&"x".repeat(100_000), 3_000);
    let error = read("a.arrow", &bytes).unwrap_err();
    assert!(error.is_memory(), "{error}");
}
