//! Input to the program: how files are compressed, encoded and laid out.
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::support::{Run, ok, run, run_with};

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

/// The run failed because of the data, with this message.
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
            // Whatever the name, and with several members.
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
        assert!(ok(f, "fit g.json.gz -o g.eocc").out.contains("20 labelled graphs"));
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
    // UTF-16 is recognized.
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let bytes: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(to_bytes).collect();
        write(f, "u.csv", &bytes);
        assert_eq!(ok(f, "fit u.csv -o m.eocc").err, expected);
        write(f, "u.csv.zst", zstd::encode_all(&bytes[..], 3).unwrap());
        assert_eq!(ok(f, "fit u.csv.zst -o m.eocc").err, expected);
    }
    let scores = ok(f, "score m.eocc a.csv").out;
    assert_eq!(run_with(f, "score m.eocc - --encoding cp1252", &western).out, scores);
    // Binary files have no encoding.
    ok(f, "score m.eocc a.csv -o s.parquet");
    ok(f, "fit s.parquet -o n.eocc --encoding latin1 --columns score");
    let done = run(f, "fit w.csv -o m.eocc --encoding klingon");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("no encoding has this name"), "{}", done.err);
}

#[test]
fn numbers_are_written_in_many_ways() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let number = |i: usize, p: usize| (i * p % 97) as f64 * 123.25;
    let text = |delimiter: char, written: &dyn Fn(f64) -> String| {
        let rows: Vec<String> = (1..40)
            .map(|i| format!("{}{delimiter}{}\n", written(number(i, 31)), written(number(i, 17))))
            .collect();
        format!("width{delimiter}height\n{}", rows.concat())
    };
    let grouped = |mark: char, decimal: char| {
        move |value: f64| {
            let (whole, rest) = (value as u32, format!("{:.2}", value.fract()));
            let whole = if whole < 1000 {
                whole.to_string()
            } else {
                format!("{}{mark}{:03}", whole / 1000, whole % 1000)
            };
            format!("{whole}{decimal}{}", &rest[2..])
        }
    };
    write(f, "plain.csv", text(',', &|value| format!("{value:.2}")));
    ok(f, "fit plain.csv -o m.eocc");
    let expected = ok(f, "score m.eocc plain.csv").out;
    for (name, content, options) in [
        ("german.csv", text(';', &grouped('.', ',')), "--decimal , --thousands ."),
        ("thousands.csv", text(';', &grouped('.', ',')), "--thousands ."),
        ("french.csv", text(';', &grouped('\u{202f}', ',')), "--decimal , --thousands space"),
        ("swiss.csv", text(',', &grouped('\'', '.')), "--thousands '"),
        ("english.csv", text('\t', &grouped(',', '.')), "--thousands ,"),
        ("comma.csv", text(';', &|value| format!("{value:.2}").replace('.', ",")), "--decimal ,"),
        ("quoted.csv", text(',', &|value| format!("\"{value:.2}\"").replace('.', ",")), "--decimal ,"),
    ] {
        write(f, name, content);
        assert_eq!(ok(f, &format!("score m.eocc {name} {options}")).out, expected, "{name}");
        assert!(
            ok(f, &format!("fit {name} {options} -o n.eocc")).out.contains("39 with 2 features"),
            "{name}"
        );
    }
    refused(&run(f, "score m.eocc comma.csv"), "(--decimal ,)");
    refused(&run(f, "score m.eocc english.csv"), "(--thousands ,)");
    // A point is not a decimal point if commas are decimal: 1.234 may be meant as 1234.
    refused(
        &run(f, "score m.eocc plain.csv --decimal , --delimiter ,"),
        "not a number in the notation that was given",
    );
    assert_eq!(run(f, "score m.eocc plain.csv --decimal , --thousands ,").code, 2);
    assert_eq!(run(f, "score m.eocc plain.csv --decimal x").code, 2);
}

/// A Parquet file of texts.
fn texts_as_parquet(names: &[&str], rows: &[Vec<String>]) -> Vec<u8> {
    let fields: Vec<String> = names.iter().map(|name| format!("required binary {name} (STRING);")).collect();
    let schema = parse_message_type(&format!("message t {{ {} }}", fields.join(" "))).unwrap();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    for c in 0..names.len() {
        let texts: Vec<ByteArray> = rows.iter().map(|row| ByteArray::from(row[c].as_str())).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.into_inner().unwrap()
}

#[test]
fn texts_in_columns_of_numbers_follow_the_notation() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    for names in [&["a", "b"][..], &["a", "b", "c"]] {
        let row = |i: usize| {
            let all = [i * 31 % 97, i * 17 % 89].map(|n| format!("{n},25")).to_vec();
            all.into_iter().chain(["red".to_owned()]).take(names.len()).collect::<Vec<String>>()
        };
        let rows: Vec<Vec<String>> = (0..60).map(row).collect();
        let lines: String = rows.iter().map(|row| row.join(";") + "\n").collect();
        write(f, "t.csv", format!("{}\n{lines}", names.join(";")));
        std::fs::write(f.join("t.parquet"), texts_as_parquet(names, &rows)).unwrap();
        ok(f, "fit t.csv --decimal , -o m.eocc");
        let expected = ok(f, "score m.eocc t.csv").out;
        assert_eq!(ok(f, "score m.eocc t.parquet").out, expected);
        // Texts are numbers in training only if that is said.
        let types = "--types a=number,b=number";
        ok(f, &format!("fit t.parquet --decimal , {types} -o n.eocc"));
        assert_eq!(ok(f, "score n.eocc t.parquet").out, expected);
        refused(&run(f, &format!("fit t.parquet {types} -o o.eocc")), "decimal comma");
    }
}

#[test]
fn comments_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "a.csv", rows());
    ok(f, "fit a.csv -o m.eocc");
    let expected = ok(f, "score m.eocc a.csv").out;
    write(f, "c.csv", format!("# unit: \"cm\n# site;north\n{}# the end\n", rows()));
    assert_eq!(ok(f, "score m.eocc c.csv --comment #").out, expected);
    assert_eq!(
        ok(f, "fit c.csv -o n.eocc --comment #").out.lines().next(),
        ok(f, "fit a.csv -o n.eocc").out.lines().next()
    );
    write(f, "d.csv", "#\na,b\n#\n1,2\n#\n3,oops\n5,6\n");
    refused(&run(f, "fit d.csv -o n.eocc --comment # --types b=number"), "row 1 (line 6), column \"b\"");
}

#[test]
fn several_classes_may_be_nominal() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut text = String::from("a,b,class\n");
    for i in 0..60 {
        writeln!(text, "{},{},\"{}\"", i * 7 % 11, i * 5 % 13, ["good", "fair", "good,fair", "bad"][i % 4])
            .unwrap();
    }
    write(f, "c.csv", &text);
    let first = |options: &str| {
        let out = ok(f, &format!("fit c.csv --label class -o m.eocc {options}")).out;
        out.lines().next().unwrap().to_owned()
    };
    assert!(first("--nominal good").contains("15 with"));
    // A class with a comma in its name is matched as a whole.
    assert!(first("--nominal good,fair").contains("15 with"));
    assert!(first("--nominal fair,good").contains("30 with"));
    assert!(first("--nominal good --nominal fair").contains("30 with"));
    assert!(first("--nominal fair,good --nominal good,fair").contains("45 with"));
    refused(
        &run(f, "fit c.csv --label class -o m.eocc --nominal good,poor"),
        "no row has \"poor\" in column \"class\"",
    );
    let done = ok(f, "evaluate c.csv --label class --nominal fair,good --repeats 1 --folds 3 --json");
    assert!(done.out.contains("\"auc\""), "{}", done.out);
    let done = run(f, "evaluate c.csv --label class --nominal fair,poor --repeats 1 --folds 3");
    assert_eq!(done.code, 2);
    assert!(
        done.err.contains("nominal is `poor`, but must be one of the classes good, fair"),
        "{}",
        done.err
    );
    ok(f, "compare c.csv --label class --nominal fair,good --repeats 1 --folds 3 --methods default,gauss");
}

mod series {
    use super::*;

    /// The value of series `i` at time `t` in channel `c`.
    fn value(i: usize, t: usize, c: usize) -> f64 {
        ((i * 3 % 7) as f64 + t as f64).sin() + c as f64 * (t as f64 * 0.5).cos()
    }

    fn length(i: usize) -> usize {
        8 + i % 3
    }

    /// Twenty series as JSON Lines, the oldest supported form.
    fn lines(channels: usize) -> String {
        let mut text = String::new();
        for i in 0..20 {
            let steps: Vec<String> = (0..length(i))
                .map(|t| {
                    let values: Vec<String> =
                        (0..channels).map(|c| format!("{:.4}", value(i, t, c))).collect();
                    format!("[{}]", values.join(","))
                })
                .collect();
            writeln!(text, "{{\"id\": \"s{i:02}\", \"wave\": [{}]}}", steps.join(",")).unwrap();
        }
        text
    }

    fn long(channels: usize) -> String {
        let mut text = String::from("id,time,value,channel\n");
        // Backwards: times put the values in order.
        for i in 0..20 {
            for t in (0..length(i)).rev() {
                for c in (0..channels).rev() {
                    writeln!(text, "s{i:02},{t},{:.4},{c}", value(i, t, c)).unwrap();
                }
            }
        }
        text
    }

    #[test]
    fn tables_of_series_are_the_same_series() {
        let folder = tempfile::tempdir().unwrap();
        let f = folder.path();
        for channels in [1, 2] {
            write(f, "s.jsonl", lines(channels));
            assert!(ok(f, "fit s.jsonl -o m.eocc").out.contains("20 time series"));
            let expected = ok(f, "score m.eocc s.jsonl").out;
            assert!(expected.contains(",s07,"), "{expected}");
            write(f, "long.csv", long(channels));
            assert!(ok(f, "fit long.csv --input series-long -o n.eocc").out.contains("20 time series"));
            assert_eq!(ok(f, "score m.eocc long.csv --input series-long").out, expected);
            assert_eq!(ok(f, "score n.eocc long.csv --input series-long").out, expected);
        }
        write(f, "s.jsonl", lines(1));
        ok(f, "fit s.jsonl -o m.eocc");
        let expected = ok(f, "score m.eocc s.jsonl").out;
        let mut wide = String::from("id,t0,t1,t2,t3,t4,t5,t6,t7,t8,t9\n");
        for i in 0..20 {
            let cells: Vec<String> = (0..10)
                .map(|t| if t < length(i) { format!("{:.4}", value(i, t, 0)) } else { String::new() })
                .collect();
            writeln!(wide, "s{i:02},{}", cells.join(",")).unwrap();
        }
        write(f, "wide.csv", &wide);
        assert!(ok(f, "fit wide.csv --input series-wide -o n.eocc").out.contains("20 time series"));
        assert_eq!(ok(f, "score m.eocc wide.csv --input series-wide").out, expected);
        assert_eq!(run_with(f, "score m.eocc - --input series-wide", wide.as_bytes()).out, expected);
    }

    #[test]
    fn classes_stand_beside_the_series() {
        let folder = tempfile::tempdir().unwrap();
        let f = folder.path();
        let mut text = String::from("kind,t0,t1,t2\n");
        for i in 0..40 {
            let kind = if i < 30 { "good" } else { "bad" };
            let shift = if i < 30 { 0.0 } else { 9.0 };
            writeln!(text, "{kind},{},{},{}", i % 5, shift + f64::from(i % 3), i % 7).unwrap();
        }
        write(f, "w.csv", &text);
        let fitted = ok(f, "fit w.csv --input series-wide --label kind --nominal good -o m.eocc");
        assert!(fitted.out.contains("30 time series"), "{}", fitted.out);
        ok(f, "evaluate w.csv --input series-wide --label kind --nominal good --repeats 1 --folds 3");
        assert_eq!(ok(f, "score m.eocc w.csv --input series-wide --label kind").out.lines().count(), 41);
    }

    #[test]
    fn arrays_of_three_dimensions_are_series() {
        let folder = tempfile::tempdir().unwrap();
        let f = folder.path();
        let (samples, time, channels) = (20, 8, 2);
        let (mut data, mut text) = (Vec::new(), String::new());
        for i in 0..samples {
            let mut steps = Vec::new();
            for t in 0..time {
                data.extend((0..channels).flat_map(|c| value(i, t, c).to_le_bytes()));
                steps.push(format!("[{},{}]", value(i, t, 0), value(i, t, 1)));
            }
            writeln!(text, "{{\"wave\": [{}]}}", steps.join(",")).unwrap();
        }
        let header = format!(
            "{{'descr': '<f8', 'fortran_order': False, 'shape': ({samples}, {time}, {channels}), }}\n"
        );
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(&data);
        write(f, "a.npy", &bytes);
        write(f, "a.jsonl", &text);
        let fitted = ok(f, "fit a.npy -o m.eocc");
        assert!(fitted.out.contains("20 time series"), "{}", fitted.out);
        assert_eq!(ok(f, "score m.eocc a.npy").out, ok(f, "score m.eocc a.jsonl").out);
        // A missing value ends a series, if all later time steps are missing, too.
        let cell =
            |i: usize, t: usize, c: usize| bytes.len() - data.len() + 8 * ((i * time + t) * channels + c);
        let mut gap = bytes.clone();
        for at in [cell(3, 7, 0), cell(3, 7, 1)] {
            gap[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
        }
        write(f, "b.npy", &gap);
        ok(f, "fit b.npy -o m.eocc");
        gap[cell(3, 2, 1)..][..8].copy_from_slice(&f64::NAN.to_le_bytes());
        write(f, "b.npy", &gap);
        refused(&run(f, "fit b.npy -o m.eocc"), "row 3: the value of time step 2, column `x5`, is missing");
    }

    #[test]
    fn faults_name_row_and_time() {
        let folder = tempfile::tempdir().unwrap();
        let f = folder.path();
        write(f, "l.csv", "id,time,value\na,1,5\na,2,6\na,1,7\n");
        refused(
            &run(f, "fit l.csv --input series-long -o m.eocc"),
            "row 0 (line 2) and row 2 (line 4): both have the value of series `a` at time 1",
        );
        write(f, "w.csv", "t0,t1,t2\n1,2,3\n4,,6\n");
        refused(
            &run(f, "fit w.csv --input series-wide -o m.eocc"),
            "row 1 (line 3): the value of time step 1",
        );
    }
}

mod many_files {
    use super::*;

    /// A folder `logs` of three tables with columns in different orders.
    fn logs(f: &Path) {
        std::fs::create_dir(f.join("logs")).unwrap();
        let text = rows();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        write(f, "logs/b.csv", format!("width,height\n{}\n", lines[10..20].join("\n")));
        write(f, "logs/a.csv", format!("width,height\n{}\n", lines[..10].join("\n")));
        let turned: Vec<String> = lines[20..]
            .iter()
            .map(|line| line.split_once(',').map(|(a, b)| format!("{b},{a}")).unwrap())
            .collect();
        write(
            f,
            "logs/c.csv.zst",
            zstd::encode_all(format!("height,width\n{}\n", turned.join("\n")).as_bytes(), 3).unwrap(),
        );
    }

    /// The scores without names.
    fn unnamed(scores: &str) -> Vec<String> {
        let at = |line: &str| line.split(',').skip(2).collect::<Vec<_>>().join(",");
        scores.lines().skip(1).map(at).collect()
    }

    #[test]
    fn a_folder_and_a_pattern_are_one_table() {
        let folder = tempfile::tempdir().unwrap();
        let f = folder.path();
        logs(f);
        write(f, "all.csv", rows());
        ok(f, "fit all.csv -o m.eocc");
        let expected: Vec<String> = ok(f, "score m.eocc all.csv")
            .out
            .lines()
            .skip(1)
            .map(|line| line.split(',').skip(1).collect::<Vec<_>>().join(","))
            .collect();
        for data in ["logs", "logs/", "logs/*", "logs/[abc].csv*", "l*/?.csv*"] {
            let fitted = ok(f, &format!("fit {data} -o n.eocc"));
            assert!(fitted.out.contains("30 with 2 features"), "{}", fitted.out);
            assert!(fitted.err.contains(": 3 files read as one table"), "{}", fitted.err);
            let scored = ok(f, &format!("score m.eocc {data}")).out;
            assert_eq!(unnamed(&scored), expected, "{data}");
            let names: Vec<&str> =
                scored.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
            assert_eq!([names[0], names[10], names[29]], ["a.csv:0", "b.csv:0", "c.csv.zst:9"]);
        }
        // Keys take precedence over files.
        std::fs::create_dir(f.join("keyed")).unwrap();
        write(f, "keyed/a.csv", "id,width,height\np1,1,2\np2,3,4\n");
        write(f, "keyed/b.csv", "id,width,height\nq1,5,6\n");
        assert!(ok(f, "score m.eocc keyed").out.contains("\n2,q1,"));
        // Numbers that restart in each file are keys nevertheless.
        std::fs::create_dir(f.join("counted")).unwrap();
        for (name, shift) in [("a.csv", 0), ("b.csv", 3)] {
            let rows: Vec<String> =
                (0..15).map(|i| format!("{i},{},{}\n", (i + shift) * 7 % 11, i * 5 % 13)).collect();
            write(f, &format!("counted/{name}"), format!("entry,width,height\n{}", rows.concat()));
        }
        assert!(ok(f, "fit counted -o n.eocc").err.contains("`entry` looks like a key"));
        // A hidden file, and one of another kind.
        write(f, "logs/.hidden.csv", "x\n");
        write(f, "logs/README.md", "x\n");
        std::fs::create_dir(f.join("logs/older")).unwrap();
        assert!(ok(f, "fit logs -o n.eocc").err.contains("3 files read as one table; 1 other file left out"));
        let args = "compare logs --label height --nominal 0.25 --methods gauss --repeats 1 --folds 2";
        assert_eq!(run(f, args).code, 0, "{}", run(f, args).err);
    }

    #[test]
    fn faults_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let f = folder.path();
        logs(f);
        write(f, "logs/d.csv", "width,height\n1,2\n3,oops\n5,6\n");
        refused(
            &run(f, "fit logs -o m.eocc --types height=number"),
            "logs/d.csv: row 1 (line 3), column \"height\"",
        );
        write(f, "logs/d.csv", "width,depth\n1,2\n3,4\n");
        refused(&run(f, "fit logs -o m.eocc"), "logs/a.csv: column \"depth\" of logs/d.csv is missing;");
        write(f, "logs/d.csv", "width\n1\n3\n");
        refused(&run(f, "fit logs -o m.eocc"), "logs/d.csv: column \"height\" of logs/a.csv is missing;");
        write(f, "logs/d.jsonl", "{\"width\": 1, \"height\": 2}\n");
        std::fs::remove_file(f.join("logs/d.csv")).unwrap();
        refused(&run(f, "fit logs -o m.eocc"), "logs/a.csv and logs/d.jsonl have different formats");
        refused(&run(f, "fit nothing/*.csv -o m.eocc"), "no file matches this pattern");
        std::fs::create_dir(f.join("empty")).unwrap();
        refused(
            &run(f, "fit empty -o m.eocc"),
            "there are no tables or graphs in this folder; tables end in .csv",
        );
        write(f, "empty/notes.md", "x");
        refused(&run(f, "fit empty -o m.eocc"), "in this folder, only other files (1)");
        assert_eq!(run(f, "fit nowhere -o m.eocc").code, 5);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let f = folder.path();
        logs(f);
        std::fs::create_dir(f.join("links")).unwrap();
        for name in ["a.csv", "b.csv"] {
            std::os::unix::fs::symlink(f.join("logs").join(name), f.join("links").join(name)).unwrap();
        }
        assert!(ok(f, "fit links -o m.eocc").out.contains("20 with 2 features"));
        std::os::unix::fs::symlink(f.join("gone.csv"), f.join("links/c.csv")).unwrap();
        let done = run(f, "fit links -o m.eocc");
        assert_eq!(done.code, 5);
        assert!(done.err.contains("links/c.csv: no such file"), "{}", done.err);
    }

    #[test]
    fn no_file_of_them_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let f = folder.path();
        logs(f);
        for data in ["logs", "logs/*.csv"] {
            assert_eq!(run(f, &format!("fit {data} -o logs/a.csv")).code, 2, "{data}");
        }
        ok(f, "fit logs -o m.eocc");
        assert_eq!(run(f, "score m.eocc logs -o logs/b.csv").code, 2);
        assert_eq!(run(f, "outliers logs -o logs/b.csv").code, 2);
        ok(f, "score m.eocc logs -o scores.csv");
    }
}

#[test]
fn arrow_files_and_streams_are_tables() {
    use arrow_array::{ArrayRef, Float64Array, RecordBatch};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "a.csv", rows());
    ok(f, "fit a.csv -o m.eocc");
    let expected = ok(f, "score m.eocc a.csv").out;
    let text = rows();
    let column = |at: usize| -> ArrayRef {
        let values =
            text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().parse::<f64>().unwrap());
        std::sync::Arc::new(values.collect::<Float64Array>())
    };
    let batch = RecordBatch::try_from_iter([("height", column(1)), ("width", column(0))]).unwrap();
    let packed = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME)).unwrap();
    let mut file = Vec::new();
    let mut writer = FileWriter::try_new_with_options(&mut file, &batch.schema(), packed).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let mut stream = Vec::new();
    let mut writer = StreamWriter::try_new(&mut stream, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    for (name, bytes) in [("a.feather", &file), ("a.arrows", &stream), ("unnamed", &file)] {
        write(f, name, bytes);
        assert_eq!(ok(f, &format!("score m.eocc {name}")).out, expected, "{name}");
        assert_eq!(run_with(f, "score m.eocc -", bytes).out, expected, "{name}");
        assert!(ok(f, &format!("fit {name} -o n.eocc")).out.contains("30 with 2 features"));
    }
    write(f, "cut.arrow", &file[..file.len() / 2]);
    refused(&run(f, "fit cut.arrow -o n.eocc"), "not a readable Arrow file: ");
    write(f, "old.feather", b"FEA1\0\0\0\0");
    refused(&run(f, "fit old.feather -o n.eocc"), "looks like a Feather file of version 1");
}
