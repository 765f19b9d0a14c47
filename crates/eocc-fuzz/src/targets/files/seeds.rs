//! Small valid files.

use std::io::{Cursor, Write as _};
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use eocc_data::{Column, OutFormat, Output, Values, write};

fn of_texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub(crate) fn csv() -> Vec<Vec<u8>> {
    of_texts(&[
        "a,b,label\n1,2.5,x\n-3e2,,y\n\"4\",\"5\n\",z\n",
        "x;y\n1,5;2019-01-02\n1.234,5;2020-02-29T12:00:00Z\n",
        "1 2 3\n4 5 6\n",
        "yes,no\ntrue,false\n?,NA\n",
    ])
}

pub(crate) fn jsonl() -> Vec<Vec<u8>> {
    of_texts(&[
        "{\"a\": 1, \"b\": \"x\\u00e9\", \"c\": [1, 2.5], \"d\": null}\n{\"a\": 2, \"b\": \"y\"}\n",
        "[1, 2, true]\n[3, 4, false]\n",
        "{\"nodes\": [{\"id\": 0}, {\"id\": 1}], \"links\": [{\"source\": 0, \"target\": 1}]}\n",
    ])
}

fn array(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}

pub(crate) fn npy() -> Vec<Vec<u8>> {
    vec![
        array("<f8", "(2, 3)", &[0; 48]),
        array("|u1", "(2, 2, 2)", &[1, 2, 3, 4, 5, 6, 7, 8]),
        array("<U2", "(2,)", &[97, 0, 0, 0, 98, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0]),
        array(">i4", "(3,)", &[0; 12]),
    ]
}

pub(crate) fn npz() -> Vec<Vec<u8>> {
    let packed = |method: zip::CompressionMethod| {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        for (name, content) in
            [("X.npy", array("<f8", "(3, 2)", &[0; 48])), ("y.npy", array("|u1", "(3,)", &[1; 3]))]
        {
            writer.start_file(name, options).ok()?;
            writer.write_all(&content).ok()?;
        }
        Some(writer.finish().ok()?.into_inner())
    };
    [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated]
        .into_iter()
        .filter_map(packed)
        .collect()
}

/// Columns of every type, as a file in this format.
fn written(format: OutFormat) -> Option<Vec<u8>> {
    let columns = [
        Column::new("id", Values::Integer(vec![1, -2, i64::MAX])),
        Column::new("size", Values::Float(vec![0.5, -1e300, 0.0])),
        Column::new("big", Values::Boolean(vec![true, false, true])),
        Column::texts("label", ["a", "a", "é"]),
    ];
    let file = tempfile::NamedTempFile::new().ok()?;
    write(&columns, format, &Output::Path(file.path().to_owned())).ok()?;
    std::fs::read(file.path()).ok()
}

pub(crate) fn parquet() -> Vec<Vec<u8>> {
    written(OutFormat::Parquet).into_iter().collect()
}

pub(crate) fn arrow() -> Vec<Vec<u8>> {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("number", Arc::new(Int64Array::from(vec![Some(7), None]))),
        ("float", Arc::new(Float64Array::from(vec![0.5, 1.5]))),
        ("text", Arc::new(StringArray::from(vec![Some("é"), None]))),
        ("kind", Arc::new(["b", "a"].into_iter().collect::<DictionaryArray<Int8Type>>())),
    ];
    let stream = || {
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).ok()?;
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).ok()?;
        writer.write(&batch).ok()?;
        writer.finish().ok()?;
        drop(writer);
        Some(bytes)
    };
    stream().into_iter().collect()
}

pub(crate) fn fasta() -> Vec<Vec<u8>> {
    of_texts(&[">p1 a protein\nACDEFG\nHIK*\n>p2\nacd-ef\n", ";c\n>x\nA\n", "@r1 a read\nACGT\n+\nII@I\n"])
}

pub(crate) fn ts() -> Vec<Vec<u8>> {
    of_texts(&[
        "@problemName T\n@timeStamps false\n@classLabel true a b\n@data\n1,2,3:4,5,6:a\n1,2,3:0,0,0:b\n",
        "@targetLabel true\n@timeStamps true\n@data\n(0,1),(1,2):0.5\n",
    ])
}

pub(crate) fn packed() -> Vec<Vec<u8>> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let gzip = writer.write_all(b"a,b\n1,2\n3,4\n").and_then(|()| writer.finish());
    gzip.into_iter().chain(zstd::encode_all(&b"a,b\n1,2\n3,4\n"[..], 3)).collect()
}

pub(crate) fn gxl() -> Vec<Vec<u8>> {
    of_texts(&[
        "<?xml version=\"1.0\"?><gxl><graph id=\"g\" edgemode=\"undirected\"><node id=\"0\"><attr name=\"x\"><float>1.5</float>\
         </attr></node><node id=\"1\"><attr name=\"x\"><int>2</int></attr></node><edge from=\"0\" to=\"1\"><attr name=\"k\">\
         <string>a&amp;b</string></attr></edge></graph></gxl>",
        "<gxl><graph><node id=\"a\"><attr name=\"v\"><tup><int>1</int><int>2</int></tup></attr></node></graph></gxl>",
    ])
}

pub(crate) fn graphml() -> Vec<Vec<u8>> {
    of_texts(&[
        "<graphml><key id=\"d0\" for=\"node\" attr.name=\"w\" attr.type=\"double\"><default>1.0</default></key>\
         <graph edgedefault=\"directed\"><node id=\"a\"><data key=\"d0\">2</data></node><node id=\"b\"/>\
         <edge source=\"a\" target=\"b\"/></graph></graphml>",
    ])
}

pub(crate) fn json_graph() -> Vec<Vec<u8>> {
    of_texts(&[
        "{\"directed\": false, \"nodes\": [{\"id\": 0, \"x\": 1.5}, {\"id\": \"b\", \"v\": [1, 2]}], \
         \"links\": [{\"source\": 0, \"target\": \"b\", \"k\": \"a\"}]}",
        "[{\"nodes\": [{\"id\": 1}], \"edges\": [], \"class\": \"c\"}]",
    ])
}

pub(crate) fn archive() -> Vec<Vec<u8>> {
    let built = || {
        let mut archive = tar::Builder::new(Vec::new());
        let list = "<l><print file=\"a.gxl\" class=\"x\"/><print file=\"b.gxl\" class=\"y\"/></l>";
        let graph = "<gxl><graph><node id=\"0\"/></graph></gxl>";
        for (name, content) in [("a.gxl", graph), ("b.gxl", graph), ("train.cxl", list)] {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_cksum();
            archive.append_data(&mut header, name, content.as_bytes()).ok()?;
        }
        archive.into_inner().ok()
    };
    built().into_iter().collect()
}

/// Some of each.
pub(crate) fn all() -> Vec<Vec<u8>> {
    [csv(), jsonl(), npy(), npz(), parquet(), arrow(), fasta(), ts(), packed()].concat()
}
