//! `eocc serve` as started by a user: its answers equal the output of `eocc score`, byte for byte.
#![allow(clippy::format_collect)] // small texts

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{classes, ok, program, run};

/// A server that is killed when it is dropped.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn new(folder: &Path, words: &str) -> Self {
        let words = format!("serve --listen 127.0.0.1:0 {words}");
        let mut command = program(folder);
        let mut child = command.args(words.split_whitespace()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines.next().expect("the server ended").unwrap();
            if let Ok(line) = serde_json::from_str::<Value>(&line)
                && line["event"] == "listening"
            {
                break line["address"].as_str().unwrap().to_owned();
            }
        };
        std::thread::spawn(move || lines.count());
        Self { child, address }
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
        let status = std::str::from_utf8(&answer[9..12]).unwrap().parse().unwrap();
        (status, answer.split_off(end + 4))
    }

    fn infer(&self, model: &str, kind: &str, body: &[u8]) -> Vec<u8> {
        let path = format!("/v2/models/{model}/infer");
        let (status, answer) = self.ask("POST", &path, &format!("content-type: {kind}\r\n"), body);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
        answer
    }

    #[cfg(unix)]
    fn terminate(mut self) -> Option<i32> {
        let done = std::process::Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(done.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn answers_are_what_score_writes() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    ok(f, "fit classes.csv --label class --nominal good -o table.eocc");
    let letters: String = (0..50)
        .map(|i| format!("Dear {}, it is {} now\n", ["Ann", "Bob"][i % 2], "x".repeat(i % 5 + 1)))
        .collect();
    fs::write(f.join("letters.txt"), &letters).unwrap();
    ok(f, "fit letters.txt -o text.eocc");
    let proteins: String = (0..30).map(|i| format!(">p{i}\n{}\n", "MKVL".repeat(3 + i % 4))).collect();
    fs::write(f.join("p.fasta"), &proteins).unwrap();
    ok(f, "fit p.fasta -o named.eocc");
    let server = Server::new(f, "table.eocc text.eocc other=named.eocc");
    // Tables as CSV, JSON Lines and, of the same rows, Arrow.
    let table = fs::read(f.join("classes.csv")).unwrap();
    let expected = ok(f, "score table.eocc classes.csv -q").out;
    assert_eq!(server.infer("table", "text/csv", &table), expected.as_bytes());
    let lines = ok(f, "score table.eocc classes.csv --format jsonl -q").out;
    let asked = "content-type: text/csv\r\naccept: application/x-ndjson\r\n";
    assert_eq!(server.ask("POST", "/v2/models/table/infer", asked, &table), (200, lines.into_bytes()));
    // Texts, with nothing but the lines.
    let rows: Vec<Value> = letters.lines().map(|line| json!(line)).collect();
    let answer: Value =
        serde_json::from_slice(&server.infer("text", "application/json", json!(rows).to_string().as_bytes()))
            .unwrap();
    let expected = ok(f, "score text.eocc letters.txt --format jsonl -q").out;
    let expected: Vec<Value> = expected.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answer["rows"], json!(expected));
    // Samples with names keep theirs.
    let rows = json!([{ "name": "p7", "sequence": "MKVLMKVLMKVL" }, { "name": "odd", "sequence": "WWWW" }]);
    let answer: Value =
        serde_json::from_slice(&server.infer("other", "application/json", rows.to_string().as_bytes()))
            .unwrap();
    assert_eq!(
        (&answer["rows"][0]["name"], &answer["rows"][1]["name"]),
        (&json!("p7"), &json!("odd")),
        "{answer}"
    );
    fs::write(f.join("new.fasta"), ">p7\nMKVLMKVLMKVL\n>odd\nWWWW\n").unwrap();
    let expected = ok(f, "score named.eocc new.fasta --format jsonl -q").out;
    let expected: Vec<Value> = expected.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answer["rows"], json!(expected));
}

#[cfg(feature = "columnar")]
#[test]
fn arrow_bodies_are_read_as_arrow_files() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch};
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let rows: String = (0..60).map(|i| format!("{},{}\n", f64::from(i * 7 % 31) / 3.0, i * 5 % 23)).collect();
    fs::write(f.join("d.csv"), format!("a,b\n{rows}")).unwrap();
    ok(f, "fit d.csv -o m.eocc");
    let column = |values: Vec<Option<f64>>| Arc::new(Float64Array::from(values)) as ArrayRef;
    let batch = RecordBatch::try_from_iter([
        ("b", column(vec![Some(3.0), None, Some(1e6)])),
        ("a", column(vec![Some(1.0 / 3.0), Some(2.0), Some(-5.0)])),
    ])
    .unwrap();
    let mut bytes = Vec::new();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    fs::write(f.join("new.arrow"), &bytes).unwrap();
    let expected = ok(f, "score m.eocc new.arrow -q").out;
    let server = Server::new(f, "m.eocc");
    let asked = "content-type: application/vnd.apache.arrow.stream\r\naccept: text/csv\r\n";
    assert_eq!(server.ask("POST", "/v2/models/m/infer", asked, &bytes), (200, expected.into_bytes()));
    // By default the answer is Arrow, too: the same numbers, bit by bit.
    let answer = server.infer("m", "application/vnd.apache.arrow.stream", &bytes);
    let mut reader = arrow_ipc::reader::StreamReader::try_new(answer.as_slice(), None).unwrap();
    let batch = reader.next().unwrap().unwrap();
    let lines = ok(f, "score m.eocc new.arrow --format jsonl -q").out;
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for name in ["score", "membership", "p_value"] {
        let column = batch.column_by_name(name).unwrap().as_any().downcast_ref::<Float64Array>().unwrap();
        let found: Vec<u64> = column.values().iter().map(|value| value.to_bits()).collect();
        let expected: Vec<u64> = rows.iter().map(|row| row[name].as_f64().unwrap().to_bits()).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn term_ends_it_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    ok(f, "fit classes.csv --label class --nominal good -o m.eocc");
    let server = Server::new(f, "m.eocc");
    assert_eq!(server.ask("GET", "/v2/health/ready", "", b"").0, 200);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn what_cannot_be_served_is_said_before_it_listens() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    ok(f, "fit classes.csv --label class --nominal good -o m.eocc");
    fs::write(f.join("broken.eocc"), "?").unwrap();
    fs::write(f.join("short.txt"), "short\n").unwrap();
    fs::write(f.join("token.txt"), "a-token-of-some-length\n").unwrap();
    for (words, code, told) in [
        ("serve broken.eocc", 4, "broken.eocc"),
        ("serve nothing.eocc", 5, "nothing.eocc"),
        ("serve m.eocc m.eocc", 2, "model name is `m`, but must be unlike that of m.eocc"),
        ("serve m.eocc --listen 0.0.0.0:0", 2, "listen is 0.0.0.0:0, but must be a loopback address"),
        ("serve m.eocc --token-file short.txt", 2, "16 or more"),
        ("serve m.eocc --token-file nothing.txt", 5, "nothing.txt"),
        ("serve m.eocc --timeout 5", 2, "a number with a unit"),
        ("serve m.eocc --max-rows 0", 2, "a whole number from 1"),
    ] {
        let done = run(f, words);
        assert_eq!(done.code, code, "{words}: {}", done.err);
        assert!(done.err.contains(told), "{words}: {}", done.err);
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let done = run(f, &format!("serve m.eocc --listen {}", taken.local_addr().unwrap()));
    assert_eq!(done.code, 2);
    assert!(done.err.contains("an address that is free"), "{}", done.err);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_the_log_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    ok(f, "fit classes.csv --label class --nominal good -o m.eocc");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let child = program(f)
        .args(["serve", "m.eocc", "--listen", &format!("127.0.0.1:{port}")])
        .stderr(Stdio::from(full))
        .spawn()
        .unwrap();
    let server = Server { child, address: format!("127.0.0.1:{port}") };
    while TcpStream::connect(&server.address).is_err() {
        std::thread::sleep(Duration::from_millis(10));
    }
    for _ in 0..50 {
        assert_eq!(server.ask("GET", "/v2/models/m", "", b"").0, 200);
    }
    let metrics = String::from_utf8(server.ask("GET", "/metrics", "", b"").1).unwrap();
    let dropped =
        metrics.lines().find_map(|line| line.strip_prefix("eocc_log_lines_dropped_total ")).unwrap();
    assert!(dropped.parse::<f64>().unwrap() > 0.0);
    assert_eq!(server.terminate(), Some(0));
}
