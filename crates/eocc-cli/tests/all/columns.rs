//! Realistic tables: keys and classes among the columns are not features, and names appear in the output.
use std::fmt::Write as _;
use std::path::Path;

use crate::support::{ok, run};

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// Evenly spread numbers, without a random generator.
fn spread(i: usize, by: f64) -> f64 {
    (i as f64 * by).fract()
}

/// A table with a key and two plain features.
fn keyed(header: &str, rows: std::ops::Range<usize>, key: impl Fn(usize) -> String) -> String {
    let mut text = format!("{header},amount,age\n");
    for i in rows {
        writeln!(text, "{},{:.4},{:.4}", key(i), spread(i, 0.754_877_666), spread(i, 0.569_840_290)).unwrap();
    }
    text
}

fn features(fitted: &str) -> &str {
    fitted.lines().next().unwrap().trim_start_matches("samples").trim()
}

#[test]
fn keys_of_many_kinds_are_not_features() {
    type Key = fn(usize) -> String;
    let kinds: [(&str, &str, Key); 8] = [
        ("id", "id", |i| i.to_string()),
        ("number", "nr", |i| (1000 + i).to_string()),
        ("text", "customer", |i| format!("C-{i:05}")),
        ("uuid", "token", |i| format!("{:08x}-1234-4abc-8def-0123456789ab", i * 7919)),
        ("moment", "when", |i| format!("2024-01-{:02}T{:02}:00:00", 1 + i / 24, i % 24)),
        ("pandas", "", |i| i.to_string()),
        ("unnamed", "Unnamed: 0", |i| i.to_string()),
        ("long", "account", |i| format!("98765432109876543{:03}", 999 - i)),
    ];
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    for (kind, header, key) in kinds {
        write(f, "train.csv", &keyed(header, 0..200, key));
        write(f, "new.csv", &keyed(header, 200..400, key));
        let done = ok(f, "fit train.csv -o m.eocc");
        assert_eq!(features(&done.out), "200 with 2 features", "{kind}");
        assert!(done.err.contains("is not a feature (--types"), "{kind}: {}", done.err);
        let scores = ok(f, "score m.eocc new.csv").out;
        let rejected = scores.lines().filter(|line| line.contains(",false,")).count();
        assert!(rejected < 30, "{kind}: {rejected} of 200 rejected");
        // The key is in the output.
        assert!(scores.starts_with("row,name,score,"), "{kind}: {scores}");
        assert!(scores.lines().nth(1).unwrap().starts_with(&format!("0,{},", key(200))), "{kind}: {scores}");
    }
}

#[test]
fn types_overrule_what_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "t.csv", &keyed("id", 0..50, |i| i.to_string()));
    let done = ok(f, "fit t.csv -o m.eocc --types id=number");
    assert_eq!(features(&done.out), "50 with 3 features");
    assert!(!done.err.contains("not a feature"), "{}", done.err);
    assert!(ok(f, "score m.eocc t.csv").out.starts_with("row,score,"));
    let done = ok(f, "fit t.csv -o m.eocc --types id=ignore");
    assert_eq!(features(&done.out), "50 with 2 features");
    let done = ok(f, "fit t.csv -o m.eocc --types age=id,id=ignore");
    assert_eq!(features(&done.out), "50 with 1 feature");
    let scores = ok(f, "score m.eocc t.csv --types age=id,id=ignore").out;
    assert!(scores.lines().nth(2).unwrap().starts_with("1,0.5698,"), "{scores}");
    let done = run(f, "fit t.csv -o m.eocc --types id=key");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("id, ignore"), "{}", done.err);
}

#[test]
fn classes_are_not_features() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    for (name, value) in [("label", "good"), ("Class", "1"), ("target", "0"), ("y", "0")] {
        let rows = (0..60)
            .map(|i| {
                format!(
                    "{:.4},{:.4},{}\n",
                    spread(i, 0.754_877_666),
                    spread(i, 0.569_840_290),
                    if i % 9 == 0 { "7" } else { value }
                )
            })
            .collect::<Vec<String>>()
            .concat();
        write(f, "t.csv", &format!("amount,age,{name}\n{rows}"));
        let done = ok(f, "fit t.csv -o m.eocc");
        assert_eq!(features(&done.out), "60 with 2 features", "{name}");
        assert!(
            done.err.contains(&format!("--label {name} if these are classes, --types {name}=")),
            "{name}: {}",
            done.err
        );
        assert_eq!(ok(f, "score m.eocc t.csv").out.lines().count(), 61);
        let done = ok(f, &format!("fit t.csv -o m.eocc --types {name}=category"));
        assert_eq!(features(&done.out), "60 with 3 features", "{name}");
    }
}

/// An NPY file with one or two dimensions.
fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
    let dict = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    let padding = (64 - (10 + dict.len() + 1) % 64) % 64;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(dict.len() + padding + 1).unwrap().to_le_bytes());
    bytes.extend(format!("{dict}{:padding$}\n", "").bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// A zip archive with uncompressed entries.
fn zip(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in entries {
        let sizes = [crc32(bytes), bytes.len() as u32, bytes.len() as u32].map(u32::to_le_bytes).concat();
        let lengths = [(name.len() as u16).to_le_bytes(), [0, 0]].concat();
        let offset = (out.len() as u32).to_le_bytes();
        let common = [&[20, 0, 0, 0, 0, 0, 0, 0, 33, 0][..], &sizes, &lengths].concat();
        out.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), bytes].concat());
        directory.extend([&b"PK\x01\x02\x14\x00"[..], &common, &[0; 10], &offset, name.as_bytes()].concat());
    }
    let count = (entries.len() as u16).to_le_bytes();
    let end = [(directory.len() as u32).to_le_bytes(), (out.len() as u32).to_le_bytes()].concat();
    [out, directory, b"PK\x05\x06\0\0\0\0".to_vec(), count.to_vec(), count.to_vec(), end, vec![0, 0]].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    };
    !bytes.iter().fold(!0, step)
}

#[test]
fn the_classes_of_an_archive_are_not_a_feature() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let x: Vec<f64> = (0..60).flat_map(|i| [spread(i, 0.754_877_666), spread(i, 0.569_840_290)]).collect();
    let y: Vec<f64> = (0..60).map(|i| f64::from(i % 2)).collect();
    let matrix = ("X.npy", npy("(60, 2)", &x));
    std::fs::write(f.join("d.npz"), zip(&[matrix.clone(), ("y.npy", npy("(60,)", &y))])).unwrap();
    std::fs::write(f.join("new.npz"), zip(&[matrix])).unwrap();
    let done = ok(f, "fit d.npz -o m.eocc");
    assert_eq!(features(&done.out), "60 with 2 features");
    assert!(done.err.contains("`y` seems to hold what is to be predicted"), "{}", done.err);
    assert_eq!(ok(f, "score m.eocc new.npz").out, ok(f, "score m.eocc d.npz").out);
    ok(f, "evaluate d.npz --label y --nominal 0 --folds 3 --repeats 1");
}

#[test]
fn names_come_out_with_the_scores() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let names = |model: &str, data: &str| -> Vec<String> {
        let out = ok(f, &format!("score {model} {data}")).out;
        assert!(out.starts_with("row,name,score,"), "{data}: {out}");
        out.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect()
    };
    // FASTA, in the order of the file.
    let records = (0..20)
        .rev()
        .map(|i| format!(">p{i} made\nMKV{}\n", "AC".repeat(1 + i % 5)))
        .collect::<Vec<String>>()
        .concat();
    write(f, "p.fasta", &records);
    ok(f, "fit p.fasta -o p.eocc");
    assert_eq!(names("p.eocc", "p.fasta")[..2], ["p19", "p18"]);
    // Strings with a column of names, which once could be fitted but not scored.
    let rows = (0..20).map(|i| format!("w{i},MKV{}\n", "AC".repeat(1 + i))).collect::<Vec<String>>().concat();
    write(f, "w.csv", &format!("name,word\n{rows}"));
    ok(f, "fit w.csv -o w.eocc");
    assert_eq!(names("w.eocc", "w.csv")[3], "w3");
    // JSON Lines.
    let lines = (0..20)
        .map(|i| format!("{{\"name\": \"r{i}\", \"wave\": [{i}, 1, 2]}}\n"))
        .collect::<Vec<String>>()
        .concat();
    write(f, "j.jsonl", &lines);
    ok(f, "fit j.jsonl -o j.eocc");
    assert_eq!(names("j.eocc", "j.jsonl")[19], "r19");
    ok(f, "score j.eocc j.jsonl -o s.jsonl");
    assert!(
        std::fs::read_to_string(f.join("s.jsonl"))
            .unwrap()
            .starts_with("{\"row\":0,\"name\":\"r0\",\"score\":")
    );
    // A folder, in the order of the names of its files.
    std::fs::create_dir(f.join("set")).unwrap();
    for i in 0..12 {
        let nodes = (0..2 + i % 4).map(|v| format!("<node id=\"{v}\"/>")).collect::<Vec<String>>().concat();
        let text = format!(
            "<gxl><graph id=\"g\" edgemode=\"undirected\">{nodes}<edge from=\"0\" to=\"1\"/></graph></gxl>"
        );
        write(f, &format!("set/g{i}.gxl"), &text);
    }
    ok(f, "fit set -o g.eocc");
    assert_eq!(names("g.eocc", "set")[..3], ["g0.gxl", "g1.gxl", "g10.gxl"]);
}

#[test]
fn series_as_other_programs_write_them() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let series = |i: usize| {
        (0..12)
            .map(|t| format!("{:.3}", (0.3 * f64::from(t) + 0.1 * (i % 7) as f64).sin()))
            .collect::<Vec<_>>()
            .join(",")
    };
    // The target of a regression is not a feature.
    let lines = (0..20).map(|i| format!("{}:{}.5\n", series(i), i)).collect::<Vec<String>>().concat();
    write(f, "r.ts", &format!("@problemName r\n@targetLabel true\n@data\n{lines}"));
    let done = ok(f, "fit r.ts -o m.eocc");
    assert!(done.out.starts_with("samples  20 time series"), "{}", done.out);
    assert!(done.err.contains("`target` seems to hold"), "{}", done.err);
    assert_eq!(ok(f, "score m.eocc r.ts").out.lines().count(), 21);
    // Comments with `%`, and lines without a label that end with a colon.
    let lines = (0..20).map(|i| format!("{}:\n", series(i))).collect::<Vec<String>>().concat();
    write(f, "u.ts", &format!("%made by a program\n@problemName u\n@classlabel false\n@data\n{lines}"));
    assert_eq!(ok(f, "score m.eocc u.ts").out.lines().count(), 21);
}

#[test]
fn truth_values_of_graphs_have_one_spelling() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    std::fs::create_dir(f.join("set")).unwrap();
    for (name, value) in [("a", "True"), ("b", "true"), ("c", "1"), ("d", "false")] {
        let text = format!(
            "<graphml><key id=\"k\" for=\"node\" attr.name=\"on\" attr.type=\"boolean\"/><graph edgedefault=\"undirected\">\
             <node id=\"0\"><data key=\"k\">{value}</data></node><node id=\"1\"><data key=\"k\">0</data></node>\
             <edge source=\"0\" target=\"1\"/></graph></graphml>"
        );
        write(f, &format!("set/{name}.graphml"), &text);
    }
    let out = ok(f, "distances set").out;
    let row: Vec<f64> = out.lines().nth(1).unwrap().split(',').map(|d| d.parse().unwrap()).collect();
    assert!(row[1] == 0.0 && row[2] == 0.0 && row[3] > 0.0, "{out}");
}
