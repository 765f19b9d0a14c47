//! Readers answer random, damaged and truncated files with a table or an error, never with a panic.

use std::io::{Cursor, Write as _};

use eocc_data::{
    Column, Format, OutFormat, Output, ReadOptions, Table, Values, read_bytes, write, write_npy,
};
use proptest::prelude::*;

const CASES: u32 = 3000;

fn written(extension: &str, write: impl FnOnce(&std::path::Path)) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("valid.{extension}"));
    write(&path);
    std::fs::read(path).unwrap()
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("id", Values::Integer(vec![1, 2, 3])),
        Column::new("size", Values::Float(vec![0.5, -1e300, 3.25])),
        Column::new("big", Values::Boolean(vec![true, false, true])),
        Column::texts("label", ["a,b", "c\nd", "é"]),
    ]
}

fn table(format: OutFormat, extension: &str) -> Vec<u8> {
    written(extension, |path| write(&columns(), format, &Output::Path(path.to_owned())).unwrap())
}

fn npy() -> Vec<u8> {
    written("npy", |path| write_npy(path, 2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap())
}

fn npz(method: zip::CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["X.npy", "x1.npy"] {
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        writer.start_file(name, options).unwrap();
        writer.write_all(&npy()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A valid file of each format.
fn valid() -> Vec<(Format, Vec<u8>)> {
    let mut files = vec![
        (Format::Csv, table(OutFormat::Csv, "csv")),
        (Format::JsonLines, table(OutFormat::JsonLines, "jsonl")),
        (Format::Npy, npy()),
        (Format::Npz, npz(zip::CompressionMethod::Stored)),
        (Format::Npz, npz(zip::CompressionMethod::Deflated)),
    ];
    if cfg!(feature = "columnar") {
        files.push((Format::Parquet, table(OutFormat::Parquet, "parquet")));
    }
    files
}

/// Reads, and if there is a table, uses everything in it.
fn exercise(format: Format, bytes: &[u8]) {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    match read_bytes("hostile", bytes, &options) {
        Ok(table) => ask(&table),
        Err(error) => assert!(error.to_string().starts_with("hostile: ") && !error.is_io(), "{error}"),
    }
}

fn ask(table: &Table) {
    assert!(table.rows() > 0 && !table.names().is_empty());
    for column in 0..table.names().len() {
        assert_eq!(table.text(column).count(), table.rows());
        let _ = table.matching(column, "1");
        if let Ok(numbers) = table.numbers(&[column]) {
            assert!(numbers.iter().all(|number| number.is_finite()));
        }
    }
}

/// Random bytes after the required start of each format, so that they pass the first check.
fn start(format: Format) -> &'static [u8] {
    match format {
        Format::Npy => b"\x93NUMPY\x01\x00",
        Format::Npz => b"PK\x03\x04",
        Format::Parquet => b"PAR1",
        _ => b"",
    }
}

#[derive(Debug, Clone)]
enum Damage {
    Set(prop::sample::Index, u8),
    Flip(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Insert(prop::sample::Index, Vec<u8>),
    Repeat(prop::sample::Index, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), prop::sample::select(vec![0, 1, 0x7f, 0x80, 0xff]))
            .prop_map(|(at, byte)| Damage::Set(at, byte)),
        (at(), 0_u8..8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        (at(), 1_usize..9).prop_map(|(at, count)| Damage::Remove(at, count)),
        (at(), prop::collection::vec(any::<u8>(), 1..5)).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        (at(), 1_usize..30).prop_map(|(at, count)| Damage::Repeat(at, count)),
    ]
}

fn damaged(mut bytes: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        if bytes.is_empty() {
            break;
        }
        let length = bytes.len();
        match damage {
            Damage::Set(at, byte) => bytes[at.index(length)] = *byte,
            Damage::Flip(at, bit) => bytes[at.index(length)] ^= 1 << bit,
            Damage::Remove(at, count) => {
                let at = at.index(length);
                bytes.drain(at..(at + count).min(length));
            }
            Damage::Insert(at, more) => {
                let at = at.index(length);
                bytes.splice(at..at, more.iter().copied());
            }
            Damage::Repeat(at, count) => {
                let at = at.index(length);
                let part = bytes[at..(at + count).min(length)].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}

#[test]
fn every_truncation() {
    for (format, bytes) in valid() {
        for length in 0..bytes.len() {
            exercise(format, &bytes[..length]);
        }
        exercise(format, &bytes);
    }
}

#[test]
fn valid_files_are_read() {
    for (format, bytes) in valid() {
        let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
        if format != Format::Npz {
            assert!(read_bytes("valid", &bytes, &options).is_ok(), "{}", format.name());
        }
        // And are recognized without a given format.
        assert_eq!(Format::of_content(&bytes), format);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for (format, _) in FILES.with(Clone::clone) {
            exercise(format, &bytes);
            exercise(format, &[start(format), &bytes].concat());
        }
    }

    #[test]
    fn random_text(text in "[0-9ae.,;|\"\\[\\]{}: \t\r\n\\\\-]{0,80}") {
        exercise(Format::Csv, text.as_bytes());
        exercise(Format::JsonLines, text.as_bytes());
        exercise(Format::JsonLines, format!("{{\"a\":{text}}}").as_bytes());
        let header = [&b"\x93NUMPY\x01\x00"[..], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat();
        exercise(Format::Npy, &header);
    }

    #[test]
    fn damaged_files(damages in prop::collection::vec(damage(), 1..5)) {
        for (format, bytes) in FILES.with(Clone::clone) {
            exercise(format, &damaged(bytes, &damages));
        }
    }
}

thread_local! {
    static FILES: Vec<(Format, Vec<u8>)> = valid();
}
