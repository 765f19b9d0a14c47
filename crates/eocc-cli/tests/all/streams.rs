//! `score` on pipes and long files: in order, in little memory, and skipping bad rows.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use eocc_core::random::Random;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::support::{ok, run, run_with};

/// Rows of a key and three numbers.
fn rows(count: usize, seed: u64) -> String {
    let mut r = Random::new(seed);
    let mut text = String::from("id,a,b,c\n");
    for i in 0..count {
        let _ = writeln!(text, "r{i},{:.4},{:.4},{:.4}", r.normal(), r.normal(), r.uniform());
    }
    text
}

fn fitted(folder: &Path) {
    std::fs::write(folder.join("train.csv"), rows(120, 1)).unwrap();
    ok(folder, "fit train.csv -o m.eocc");
}

fn spawn(folder: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_eocc"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Every line is answered before the next is written.
#[test]
fn lines_of_a_pipe_are_answered_as_they_come() {
    let folder = tempfile::tempdir().unwrap();
    fitted(folder.path());
    let mut child = spawn(folder.path(), &["score", "m.eocc", "-"]);
    let mut input = child.stdin.take().unwrap();
    let (send, answers) = std::sync::mpsc::channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        for line in output.lines() {
            if send.send(line.unwrap()).is_err() {
                break;
            }
        }
    });
    let answer =
        || answers.recv_timeout(Duration::from_secs(60)).expect("no answer before the end of the input");
    input.write_all(b"id,a,b,c\nx,0,0,0.5\n").unwrap();
    input.flush().unwrap();
    assert_eq!(answer(), "row,name,score,membership,accepted,region,p_value");
    assert!(answer().starts_with("0,x,"));
    for i in 1..4 {
        writeln!(input, "y{i},9,9,9").unwrap();
        input.flush().unwrap();
        assert!(answer().starts_with(&format!("{i},y{i},")));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    reader.join().unwrap();
}

/// The same rows give the same scores, however they arrive.
#[test]
fn batches_do_not_show_in_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    fitted(f);
    let text = rows(60_000, 2);
    std::fs::write(f.join("new.csv"), &text).unwrap();
    let whole = ok(f, "score m.eocc new.csv");
    assert_eq!(whole.out, run_with(f, "score m.eocc -", text.as_bytes()).out);
    ok(f, "score m.eocc new.csv -o out.parquet");
    ok(f, "score m.eocc new.csv -o out.csv");
    assert_eq!(whole.out, std::fs::read_to_string(f.join("out.csv")).unwrap());
    let lines: Vec<&str> = whole.out.lines().collect();
    assert_eq!(lines.len(), 60_001);
    assert!(lines[60_000].starts_with("59999,r59999,"), "{}", lines[60_000]);
    // A single row is judged the same as among others.
    let one = format!("id,a,b,c\n{}\n", text.lines().nth(54_322).unwrap());
    let alone = run_with(f, "score m.eocc -", one.as_bytes()).out;
    assert_eq!(alone.lines().nth(1).unwrap().strip_prefix("0,"), lines[54_322].strip_prefix("54321,"));
}

/// The same rows as Parquet with groups of this size; anything but a number is null.
fn parquet(path: &Path, text: &str, size: usize) {
    let schema = "message table {
        required binary id (UTF8);
        optional double a;
        optional double b;
        optional double c;
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file =
        SerializedFileWriter::new(std::fs::File::create(path).unwrap(), schema, Arc::default()).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    for rows in rows.chunks(size) {
        let mut group = file.next_row_group().unwrap();
        let names: Vec<ByteArray> = rows.iter().map(|row| ByteArray::from(row[0])).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&names, None, None).unwrap();
        column.close().unwrap();
        for c in 1..4 {
            let cells: Vec<Option<f64>> = rows.iter().map(|row| row[c].parse().ok()).collect();
            let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
            let values: Vec<f64> = cells.into_iter().flatten().collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<DoubleType>().write_batch(&values, Some(&levels), None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    file.close().unwrap();
}

/// Row groups do not affect the output either: it equals that of the same rows as text.
#[test]
fn row_groups_do_not_show_in_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    fitted(f);
    let text = rows(90_000, 4);
    std::fs::write(f.join("new.csv"), &text).unwrap();
    let expected = ok(f, "score m.eocc new.csv").out;
    // Many small groups, some large ones, and a single one.
    for size in [700, 30_000, 90_000] {
        parquet(&f.join("new.parquet"), &text, size);
        assert!(ok(f, "score m.eocc new.parquet").out == expected, "groups of {size}");
    }
    // Bad rows are reported with their location in the file, and columns that are carried along appear with the
    // others.
    let spoiled = |line: &str| {
        if line.starts_with("r65432,") { "r65432,inf,0,0\n".to_owned() } else { format!("{line}\n") }
    };
    let text: String = text.lines().map(spoiled).collect();
    parquet(&f.join("new.parquet"), &text, 30_000);
    let stopped = run(f, "score m.eocc new.parquet");
    assert_eq!(stopped.code, 3);
    assert!(stopped.err.contains("new.parquet: row 65432, column \"a\""), "{}", stopped.err);
    let kept = ok(f, "score m.eocc new.parquet --on-bad-row skip --keep a,id").out;
    let lines: Vec<&str> = kept.lines().collect();
    assert_eq!(lines.len(), 90_000);
    let first: Vec<&str> = lines[65_433].split(',').collect();
    let input: Vec<&str> = text.lines().nth(65_434).unwrap().split(',').collect();
    assert_eq!((first[0], first[1], first[first.len() - 1]), ("65433", input[0], input[0]));
    let a = |cell: &str| cell.parse::<f64>().unwrap();
    assert!((a(first[first.len() - 2]) - a(input[1])).abs() < 1e-12);
    let refused = run(f, "score m.eocc new.parquet --on-bad-row skip --bad-rows bad.csv");
    assert!(refused.err.contains("only rows of text"), "{}", refused.err);
}

#[test]
fn bad_rows_stop_are_skipped_or_reported() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    fitted(f);
    let text = "id,a,b,c\np,0,0,0.5\nq,0,oops,0.5\nr,0,0\ns,0,0,0.5\nt,1e999,0,1\n";
    std::fs::write(f.join("new.csv"), text).unwrap();
    let stopped = run(f, "score m.eocc new.csv");
    assert_eq!((stopped.code, stopped.out.as_str()), (3, ""));
    assert!(stopped.err.contains("line 4 has 3 cells, but"), "{}", stopped.err);
    let skipped = ok(f, "score m.eocc new.csv --on-bad-row skip --bad-rows bad.csv");
    let names = |out: &str| -> Vec<String> {
        out.lines().skip(1).map(|l| l.split(',').take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(names(&skipped.out), ["0 p", "3 s"]);
    assert!(skipped.err.contains("3 rows could not be scored; the first: new.csv: row 1"), "{}", skipped.err);
    let bad = std::fs::read_to_string(f.join("bad.csv")).unwrap();
    assert_eq!(bad, "id,a,b,c\nq,0,oops,0.5\nr,0,0\nt,1e999,0,1\n");
    let reported = ok(f, "score m.eocc new.csv --on-bad-row report").out;
    let lines: Vec<&str> = reported.lines().collect();
    assert_eq!(lines[0], "row,name,score,membership,accepted,region,p_value,error");
    assert!(lines[2].starts_with("1,q,,,,,,\"new.csv: row 1 (line 3), column \"\"b\"\""), "{}", lines[2]);
    assert!(lines[3].contains("line 4 has 3 cells, but"), "{}", lines[3]);
    assert_eq!(lines.len(), 6);
    let json = ok(f, "score m.eocc new.csv --on-bad-row report --format jsonl").out;
    assert!(json.lines().nth(1).unwrap().starts_with("{\"row\":1,\"name\":\"q\",\"score\":null"), "{json}");
    let kept = ok(f, "score m.eocc new.csv --on-bad-row report --keep c,id").out;
    assert!(kept.lines().nth(2).unwrap().starts_with("1,q,,,,,,0.5,q,"), "{kept}");
    // Only rejected rows, if requested.
    let text = "id,a,b,c\np,0,0,0.5\nq,90,0,0.5\n";
    let rejected = run_with(f, "score m.eocc - --rejected", text.as_bytes()).out;
    assert_eq!(names(&rejected), ["1 q"]);
    // An explanation skips bad rows, unless one is requested.
    assert!(ok(f, "explain m.eocc new.csv --row 3").out.starts_with("row 3, s: accepted"));
    assert!(run(f, "explain m.eocc new.csv --id q").err.contains("\"oops\" is not a number"));
    // An error that affects all rows is not reported for each.
    std::fs::write(f.join("other.csv"), "id,a,b\np,0,0\n").unwrap();
    let refused = run(f, "score m.eocc other.csv --on-bad-row skip");
    assert!(refused.code == 3 && refused.out.is_empty(), "{} {}", refused.code, refused.err);
}

/// The peak memory of a run, in kilobytes.
#[cfg(target_os = "linux")]
fn peak(folder: &Path, rows: usize) -> usize {
    let mut child = spawn(folder, &["score", "m.eocc", "-"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = child.stdout.take().unwrap();
    let drain = std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()).unwrap());
    let block = self::rows(1000, 3);
    let (header, block) = block.split_once('\n').unwrap();
    writeln!(input, "{header}").unwrap();
    for _ in 0..rows / 1000 {
        input.write_all(block.as_bytes()).unwrap();
    }
    // Read while it waits for the end of its input.
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    drain.join().unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let folder = tempfile::tempdir().unwrap();
    fitted(folder.path());
    let (short, long) = (peak(folder.path(), 20_000), peak(folder.path(), 200_000));
    assert!(long < 100_000, "{long} kB");
    assert!(long < short + 20_000, "{short} kB, then {long} kB");
}
