//! Files are what their names and content indicate: output formats, lines of text, headers of years, unsupported
//! graphs, numbers with commas, objects in cells.
use std::fmt::Write as _;
use std::path::Path;

use crate::support::{classes, ok, run};

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn the_extension_of_an_output_is_its_format() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    ok(f, "fit classes.csv --label class --nominal good -o m.eocc");
    let score = "score m.eocc classes.csv --label class -o";
    let start = |name: &str| std::fs::read(f.join(name)).unwrap()[..4].to_vec();
    for (name, expected) in [
        ("s.parquet", b"PAR1"),
        ("s.PQ", b"PAR1"),
        ("s.jsonl", b"{\"ro"),
        ("s.ndjson", b"{\"ro"),
        ("s.csv", b"row,"),
        ("s", b"row,"),
    ] {
        ok(f, &format!("{score} {name}"));
        assert_eq!(start(name), expected, "{name}");
    }
    // The option takes precedence over the name.
    ok(f, &format!("{score} t.parquet --format csv"));
    assert_eq!(start("t.parquet"), b"row,");
    let done = run(f, &format!("{score} s.npy"));
    assert_eq!(done.code, 2);
    assert!(done.err.contains("s.npy, but must be a .csv, .jsonl or .parquet file"), "{}", done.err);
    write(f, "pairs.csv", "a,b\n0,1\n");
    ok(f, "distances classes.csv --label class --pairs pairs.csv -o d.parquet");
    assert_eq!(start("d.parquet"), b"PAR1");
    let done = run(f, "distances classes.csv --label class -o d.jsonl");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("a .npy or .csv file for a matrix"), "{}", done.err);
}

#[test]
fn a_text_file_is_one_string_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut text = String::new();
    for i in 0..30 {
        writeln!(
            text,
            "Dear {}, it is {} now{}",
            ["Ann", "Bob", "Cy"][i % 3],
            "x".repeat(i % 5 + 1),
            [".", ", yes."][i % 2]
        )
        .unwrap();
    }
    write(f, "letters.txt", &text);
    let done = ok(f, "fit letters.txt -o m.eocc");
    assert!(done.out.contains("30 strings"), "{}", done.out);
    assert_eq!(ok(f, "score m.eocc letters.txt").out.lines().count(), 31);
    write(f, "letters.dat", &text);
    assert!(ok(f, "fit letters.dat --input lines -o m.eocc").out.contains("30 strings"));
    // A table stays one.
    let rows: Vec<String> = (0..30).map(|i| format!("{}\t{}\n", i * 7 % 11, i * 5 % 13)).collect();
    write(f, "table.txt", &format!("a\tb\n{}", rows.concat()));
    assert!(ok(f, "fit table.txt -o m.eocc").out.contains("30 with 2 features"));
}

#[test]
fn years_are_names_of_columns() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let rows: Vec<String> = (0..30).map(|i| format!("{},{}\n", i * 7 % 11, i * 5 % 13)).collect();
    write(f, "years.csv", &format!("2019,2020\n{}", rows.concat()));
    assert!(ok(f, "fit years.csv -o m.eocc").out.contains("30 with 2 features"));
    let inspected = ok(f, "inspect m.eocc --json").out;
    assert!(inspected.contains("[\"2019\",\"2020\"]"), "{inspected}");
}

#[test]
fn graphs_that_are_not_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    for (name, format) in [("g.gexf", "GEXF"), ("g.gml", "GML")] {
        write(f, name, "graph [\n  node [ id 0 ]\n  node [ id 1 ]\n]\n");
        let done = run(f, &format!("fit {name} -o m.eocc"));
        assert_eq!(done.code, 3, "{}", done.err);
        assert!(
            done.err.contains(&format!("is a {format} file, which is not read; graphs are read as GXL")),
            "{}",
            done.err
        );
    }
}

#[test]
fn commas_in_numbers_get_both_readings() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    for (cell, advice) in [
        ("1,000", "write 1000 if the comma separates thousands, or 1.000 if it is a decimal comma"),
        ("1,234,567.5", "write 1234567.5 if the comma separates thousands"),
        ("2,5", "it seems to have a decimal comma; write a decimal point"),
    ] {
        write(f, "n.csv", &format!("a,b\n1,2\n3,\"{cell}\"\n5,6\n"));
        let done = run(f, "fit n.csv -o m.eocc");
        assert_eq!(done.code, 3);
        assert!(done.err.contains(advice), "{cell}: {}", done.err);
    }
}

#[test]
fn an_object_in_a_cell_is_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut text = String::new();
    for i in 0..30 {
        writeln!(text, r#"{{"size": {}, "options": {{"color": "{}"}}}}"#, i * 7 % 11, ["red", "blue"][i % 2])
            .unwrap();
    }
    write(f, "o.jsonl", &text);
    let done = ok(f, "fit o.jsonl -o m.eocc");
    assert!(done.err.contains("options: category, 2 levels"), "{}", done.err);
    assert_eq!(ok(f, "score m.eocc o.jsonl").out.lines().count(), 31);
}
