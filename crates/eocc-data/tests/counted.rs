//! The cost of readers, counted by the allocator: work grows with the file, and memory stays below its limit. A
//! single test, because the counts are for the whole process.

#![allow(clippy::unwrap_used, clippy::case_sensitive_file_extension_comparisons, reason = "helpers of tests")]

use std::alloc::System;
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use cap::Cap;
use eocc_core::Layout;
use eocc_core::sample::{ColumnKind, MixedColumn};
use eocc_data::{
    Batches, DataError, Dataset, ModelReader, ReadOptions, ReadRequest, SeriesLayout, read_bytes,
    read_graph_bytes, typed,
};

#[global_allocator]
static ALLOCATED: Cap<System> = Cap::new(System, usize::MAX);

/// Maximum memory for each file below.
const MAX_ALLOCATED: usize = 300_000_000;

fn read(name: &str, bytes: &[u8]) -> Result<(), DataError> {
    if name.contains("graph") || name.ends_with(".gxl") || name.ends_with(".tar") {
        return read_graph_bytes(name, bytes).map(|_| ());
    }
    let table = read_bytes(name, bytes, &ReadOptions::default())?;
    let series = match name {
        "wide.csv" => Some(SeriesLayout::Wide),
        "long.csv" => Some(SeriesLayout::Long),
        _ => return typed(&table, &[]).map(|_| ()),
    };
    let data = Dataset::of_table(&table, &ReadRequest { series, ..ReadRequest::default() });
    assert!(data.is_ok(), "{name}");
    Ok(())
}

/// Bytes allocated while a file was read.
fn work(name: &str, bytes: &[u8]) -> usize {
    let before = ALLOCATED.total_allocated();
    // Whether or not it is refused, it must not take long.
    let _ = read(name, bytes);
    ALLOCATED.total_allocated() - before
}

fn npy(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}

fn npz(arrays: usize) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..arrays {
        writer.start_file(format!("a{at}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&npy("|u1", "(3,)", &[1, 2, 3])).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn lines(count: usize, head: &str, line: impl Fn(usize) -> String, tail: &str) -> Vec<u8> {
    let mut text = head.to_owned();
    for at in 0..count {
        text += &line(at);
    }
    (text + tail).into_bytes()
}

fn tar(files: usize) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut add = |name: &str, content: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_cksum();
        archive.append_data(&mut header, name, content).unwrap();
    };
    let mut list = String::from("<a>");
    for at in 0..files {
        add(&format!("g{at}.gxl"), b"<gxl><graph edgemode=\"undirected\"><node id=\"0\"/></graph></gxl>");
        let _ = write!(list, "<print file=\"g{at}.gxl\" class=\"x\"/>");
    }
    list += "</a>";
    add("train.cxl", list.as_bytes());
    archive.into_inner().unwrap()
}

/// A file of each kind with this many units.
fn files(n: usize) -> Vec<(&'static str, Vec<u8>)> {
    let attribute = |at: usize| format!("<attr name=\"a{at}\"><int>{at}</int></attr>");
    let vertex = "<gxl><graph edgemode=\"undirected\"><node id=\"0\">";
    vec![
        ("rows.csv", lines(n, "a,b\n", |at| format!("{at},x{}\n", at % 7), "")),
        ("columns.csv", lines(n, "", |at| format!("{at},"), "1\n1")),
        ("rows.jsonl", lines(n, "", |at| format!("{{\"a\": {at}, \"b\": [1, 2]}}\n"), "")),
        ("fields.jsonl", lines(n, "{\"z\": 0", |at| format!(", \"f{at}\": 1"), "}")),
        ("s.fa", lines(n, "", |at| format!(">s{at}\nACDEF\n"), "")),
        ("one.fa", lines(n, ">s\n", |_| "ACDEF\n".to_owned(), "")),
        ("t.ts", lines(n, "@classLabel true a b\n@data\n", |_| "1,2,3:a\n".to_owned(), "")),
        ("l.txt", lines(n, "", |at| format!("word {at} and more\n"), "")),
        ("a.npy", npy("<i2", &format!("({n}, 2)"), &vec![1; 4 * n])),
        ("arrays.npz", npz(n / 10)),
        ("attributes.gxl", lines(n, vertex, attribute, "</node></graph></gxl>")),
        (
            "written.gxl",
            lines(n, "<gxl><graph><node id=\"0\"", |at| format!(" a{at}=\"1\""), "/></graph></gxl>"),
        ),
        (
            "vertices.graphml",
            lines(
                n,
                "<graphml><graph edgedefault=\"directed\">",
                |at| format!("<node id=\"{at}\"/>"),
                "</graph></graphml>",
            ),
        ),
        ("list.tar", tar(n / 10)),
        ("wide.csv", lines(n, "t0,t1,t2\n", |at| format!("{at},1,{}\n", at % 7), "")),
        ("long.csv", lines(n, "id,time,value\n", |at| format!("s{},{},{at}\n", at / 5, at % 5), "")),
    ]
}

/// Bytes allocated while rows for a model were read in batches, `bad` of which could not be read.
fn work_of_rows(name: &str, bytes: &[u8], layout: Layout, bad: usize) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let request = ReadRequest { skip_bad_rows: true, ..ReadRequest::default() };
    let mut reader = ModelReader::new(layout, request.clone());
    let before = ALLOCATED.total_allocated();
    let mut batches = Batches::open(&path, &request).unwrap();
    let mut found = 0;
    while let Some(mut batch) = batches.next().unwrap() {
        found += batch.read(&mut reader).unwrap().bad.len();
    }
    assert_eq!(found, bad, "{name}");
    ALLOCATED.total_allocated() - before
}

/// Bad rows cost no more if there are more of them: each is examined and reported once.
fn bad_rows_are_read_once() {
    /// Memory for the message about a row.
    const MESSAGE: usize = 1500;
    let rows = 1 << 17;
    for (name, head, good, bad) in [
        ("cells.csv", "a,b\n", "1,2\n", "1,x\n"),
        ("ragged.csv", "a,b\n", "1,2\n", "1,2,3\n"),
        ("lines.jsonl", "{\"a\":1,\"b\":2}\n", "{\"a\":1,\"b\":2}\n", "{\"a\":1,\"b\":}\n"),
        ("cells.jsonl", "{\"a\":1,\"b\":2}\n", "{\"a\":1,\"b\":2}\n", "{\"a\":1,\"b\":\"x\"}\n"),
    ] {
        let text = |line: &str| lines(rows, head, |_| line.to_owned(), "");
        let layout = || Layout::Numbers(vec!["a".into(), "b".into()]);
        let (good, all) =
            (work_of_rows(name, &text(good), layout(), 0), work_of_rows(name, &text(bad), layout(), rows));
        assert!(all < 2 * good + rows * MESSAGE, "{name}: {good} for good rows, {all} for bad ones");
    }
    // Only the samples show that these are bad.
    let column = |name: &str, kind: ColumnKind| MixedColumn { name: name.into(), kind };
    let words: Vec<String> = (0..2000).map(|at| format!("w{at:04}")).collect();
    let layout = || {
        Layout::Columns(vec![
            column("a", ColumnKind::Category(words.clone())),
            column("b", ColumnKind::Number),
        ])
    };
    let text = |number: &str| {
        lines(rows, "a,b\n", |at| format!("w{:04},{}\n", at % 2000, ["1", number][at % 2]), "")
    };
    let good = work_of_rows("words.csv", &text("2"), layout(), 0);
    let all = work_of_rows("words.csv", &text("1e200"), layout(), rows / 2);
    assert!(all < 2 * good + rows * MESSAGE, "words.csv: {good} for good rows, {all} for bad ones");
}

#[test]
fn work_grows_with_the_file_and_memory_stays_below_its_limit() {
    for ((name, one), (_, two)) in files(10_000).into_iter().zip(files(20_000)) {
        let (one, two) = (work(name, &one), work(name, &two));
        // Vectors that grow in steps may be at different positions between them.
        assert!(two < 3 * one + 100_000, "{name}: {one}, then {two} bytes");
    }
    bad_rows_are_read_once();
    #[cfg(feature = "columnar")]
    {
        let (one, two) =
            (work("a.parquet", &parquet::binary(24_000)), work("a.parquet", &parquet::binary(48_000)));
        assert!(two < 3 * one + 100_000, "hexadecimal: {one}, then {two} bytes");
        let (one, two) = (work("a.arrow", &arrow(10_000)), work("a.arrow", &arrow(20_000)));
        assert!(two < 3 * one + 100_000, "a.arrow: {one}, then {two} bytes");
        for (what, bytes) in parquet::bombs() {
            let before = ALLOCATED.max_allocated();
            let error = read("bomb.parquet", &bytes).unwrap_err();
            assert!(error.is_memory(), "{what}: {error}");
            assert!(ALLOCATED.max_allocated() < before.max(MAX_ALLOCATED), "{what}");
        }
    }
    // A quadratic reader would never finish.
    let large = tar(30_000);
    assert!(read("large.tar", &large).is_ok());
    drop(large);
    let attributes = files(200_000).swap_remove(10).1;
    assert!(read("large.gxl", &attributes).is_ok());
    drop(attributes);
    let error = read("vertices.graphml", &files(400_000).swap_remove(12).1).unwrap_err();
    assert!(error.to_string().contains("a graph has more than 2048 vertices"), "{error}");
    assert!(ALLOCATED.max_allocated() < 2 * MAX_ALLOCATED, "{}", ALLOCATED.max_allocated());
}

/// A stream of batches of a hundred rows.
#[cfg(feature = "columnar")]
fn arrow(rows: usize) -> Vec<u8> {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};

    let batch = |from: usize| {
        let numbers: ArrayRef = Arc::new(Float64Array::from_iter_values((0..100).map(|i| (from + i) as f64)));
        let texts: ArrayRef =
            Arc::new(StringArray::from_iter_values((0..100).map(|i| format!("w{}", (from + i) % 7))));
        RecordBatch::try_from_iter([("number", numbers), ("text", texts)]).unwrap()
    };
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch(0).schema()).unwrap();
    (0..rows).step_by(100).for_each(|from| writer.write(&batch(from)).unwrap());
    writer.into_inner().unwrap()
}

#[cfg(feature = "columnar")]
mod parquet {
    use std::sync::Arc;

    use bytes::Bytes;
    use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    fn texts(schema: &str, values: &[ByteArray], repeated: Option<&[i16]>) -> Vec<u8> {
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
        let mut group = file.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let defined = vec![1; values.len()];
        let defined = repeated.map(|_| defined.as_slice());
        column.typed::<ByteArrayType>().write_batch(values, defined, repeated).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        file.into_inner().unwrap()
    }

    /// A cell of bytes that are not text.
    pub(super) fn binary(length: usize) -> Vec<u8> {
        let value = ByteArray::from(vec![0xff; length]);
        texts("message t { required binary a; }", &[value], None)
    }

    /// Small files that stand for a lot of data.
    pub(super) fn bombs() -> Vec<(&'static str, Vec<u8>)> {
        let long = ByteArray::from(Bytes::from(vec![b'x'; 100_000]));
        let many = vec![long.clone(); 4_000];
        let mut repeated = vec![1; many.len()];
        repeated[0] = 0;
        let zeros = {
            let schema = Arc::new(parse_message_type("message t { repeated int32 a; }").unwrap());
            let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
            let mut group = file.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            let count = 2_000_000;
            let mut repeated = vec![1; count];
            repeated[0] = 0;
            let column_writer = column.typed::<Int32Type>();
            column_writer.write_batch(&vec![0; count], Some(&vec![1; count]), Some(&repeated)).unwrap();
            column.close().unwrap();
            group.close().unwrap();
            file.into_inner().unwrap()
        };
        vec![
            ("a long text in every row", texts("message t { required binary a (UTF8); }", &many, None)),
            (
                "a list of a long text",
                texts("message t { repeated binary a (UTF8); }", &many, Some(&repeated)),
            ),
            ("one list of millions of zeros", zeros),
        ]
    }
}
