//! Ways into the program: how files are packed, encoded and laid out.
use std::fmt::Write as _;
use std::path::Path;

use crate::support::{Run, classes, ok, run, run_with};

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// Thirty rows of two numbers, as CSV with a header.
fn rows() -> String {
    let mut text = String::from("width,height\n");
    for i in 0..30 {
        writeln!(text, "{}.5,{}.25", i * 7 % 11, i * 5 % 13).unwrap();
    }
    text
}

/// The run failed because of the data, and said so in these words.
fn refused(done: &Run, words: &str) {
    assert_eq!(done.code, 3, "{}", done.err);
    assert!(done.err.contains(words), "{}", done.err);
}

mod packed {
    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        use std::io::Write as _;
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(content).unwrap();
        writer.finish().unwrap()
    }

    fn zstd(content: &[u8]) -> Vec<u8> {
        zstd::encode_all(content, 3).unwrap()
    }

    #[test]
    fn anything_may_be_packed() {
        let folder = tempfile::tempdir().unwrap();
        let f = folder.path();
        let text = rows();
        write(f, "a.csv", &text);
        let plain = ok(f, "fit a.csv -o m.eocc").out;
        let scores = ok(f, "score m.eocc a.csv").out;
        for (name, bytes) in [
            ("a.csv.gz", gzip(text.as_bytes())),
            ("a.csv.zst", zstd(text.as_bytes())),
            // Whatever the name, and of several parts.
            ("b.csv", [zstd(&text.as_bytes()[..40]), zstd(&text.as_bytes()[40..])].concat()),
        ] {
            write(f, name, &bytes);
            let first = |text: &str| text.lines().next().unwrap().to_owned();
            assert_eq!(first(&ok(f, &format!("fit {name} -o n.eocc")).out), first(&plain), "{name}");
            assert_eq!(ok(f, &format!("score m.eocc {name}")).out, scores, "{name}");
            assert_eq!(run_with(f, "score m.eocc -", &bytes).out, scores, "{name}");
        }
        let strings: Vec<String> =
            (0..20).map(|i| format!(">p{i}\n{}\n", "ACGT".repeat(i % 4 + 1))).collect();
        write(f, "p.fasta.zst", zstd(strings.concat().as_bytes()));
        assert!(ok(f, "fit p.fasta.zst -o s.eocc").out.contains("20 strings"));
        let graph = r#"{"nodes": [{"id": 0, "kind": "a"}, {"id": 1, "kind": "b"}], "links": [{"source": 0, "target": 1}]}"#;
        write(f, "g.json.gz", gzip(format!("[{}]", vec![graph; 20].join(",")).as_bytes()));
        assert!(ok(f, "fit g.json.gz -o g.eocc").out.contains("20 graphs"));
    }

    #[test]
    fn damage_and_bombs_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let f = folder.path();
        let whole = zstd(rows().as_bytes());
        write(f, "a.csv.zst", &whole[..whole.len() - 5]);
        refused(&run(f, "fit a.csv.zst -o m.eocc"), "not a readable zstd file: ");
        write(f, "b.csv.zst", zstd(&vec![b'1'; 40 << 20]));
        refused(&run(f, "fit b.csv.zst -o m.eocc"), "unpacks to more than");
    }
}

#[test]
fn text_may_have_other_encodings() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut text = String::from("größe,café\n");
    for i in 0..30 {
        writeln!(text, "{},{}", i * 7 % 11, ["à la carte", "€"][i % 2]).unwrap();
    }
    write(f, "a.csv", &text);
    let expected = ok(f, "fit a.csv -o m.eocc").err;
    assert!(expected.contains("größe: number; café: category, 2 levels"), "{expected}");
    let western: Vec<u8> =
        text.chars().map(|letter| if letter == '€' { 0x80 } else { u8::try_from(letter).unwrap() }).collect();
    write(f, "w.csv", &western);
    refused(&run(f, "fit w.csv -o m.eocc"), "(--encoding windows-1252 ");
    assert_eq!(ok(f, "fit w.csv -o m.eocc --encoding windows-1252").err, expected);
    assert_eq!(ok(f, "fit w.csv -o m.eocc --encoding latin1").err, expected);
    // UTF-16 says what it is.
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let bytes: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(to_bytes).collect();
        write(f, "u.csv", &bytes);
        assert_eq!(ok(f, "fit u.csv -o m.eocc").err, expected);
        write(f, "u.csv.zst", zstd::encode_all(&bytes[..], 3).unwrap());
        assert_eq!(ok(f, "fit u.csv.zst -o m.eocc").err, expected);
    }
    let scores = ok(f, "score m.eocc a.csv").out;
    assert_eq!(run_with(f, "score m.eocc - --encoding cp1252", &western).out, scores);
    // What is no text has no encoding.
    ok(f, "score m.eocc a.csv -o s.parquet");
    ok(f, "fit s.parquet -o n.eocc --encoding latin1 --columns score");
    let done = run(f, "fit w.csv -o m.eocc --encoding klingon");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("no encoding has this name"), "{}", done.err);
}
