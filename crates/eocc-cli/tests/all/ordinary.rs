//! Realistic tables: keys of many kinds, some missing or repeated, indexes of data frames, different fields in each
//! object, files from other programs. Fresh nominals are rejected at the promised rate, and planted outliers are
//! detected.

use std::fmt::Write as _;
use std::path::Path;

use eocc_core::random::Random;

use crate::support::{ok, run, run_with};

/// A table with this key and three numbers; for new rows the keys continue, and outliers have twenty times the
/// amount.
struct Table {
    header: &'static str,
    key: fn(usize) -> String,
}

const KEYS: [Table; 7] = [
    Table { header: "nr", key: |i| (1000 + i).to_string() },
    Table { header: "customer", key: |i| (5000 + i * 17 % 31 + i / 31 * 31).to_string() },
    Table { header: "order", key: |i| format!("A-{i:05}") },
    Table { header: "ref", key: |i| format!("{:08x}-1234-4abc-8def-0123456789ab", i * 77_777) },
    Table {
        header: "at",
        key: |i| format!("2024-{:02}-{:02} 12:{:02}:00", 1 + i / 280, 1 + i / 10 % 28, i % 10),
    },
    Table { header: "", key: |i| (i * 7919 % 20_000).to_string() },
    Table { header: "epoch", key: |i| (1_700_000_000 + i * 60).to_string() },
];

fn row(r: &mut Random, factor: f64) -> String {
    let amount = factor * (3.0 + 0.4 * r.normal()).exp();
    format!("{amount:.3},{},{:.1}", r.below(8), 40.0 + 9.0 * r.normal())
}

/// Rows of a table with keys from `first` on; with some missing keys and some repeated rows.
fn write(path: &Path, table: &Table, rows: (usize, usize), factor: f64, mess: (usize, usize), seed: u64) {
    let mut r = Random::new(seed);
    let mut lines: Vec<String> = (rows.0..rows.0 + rows.1)
        .map(|i| {
            let key = if mess.0 > 0 && i % mess.0 == 7 { String::new() } else { (table.key)(i) };
            format!("{key},{}", row(&mut r, factor))
        })
        .collect();
    if mess.1 > 0 {
        let doubled: Vec<String> = lines.iter().step_by(mess.1).cloned().collect();
        lines.extend(doubled);
    }
    std::fs::write(path, format!("{},amount,visits,age\n{}\n", table.header, lines.join("\n"))).unwrap();
}

fn rejected(scores: &str) -> f64 {
    let mut lines = scores.lines();
    let accepted = lines.next().unwrap().split(',').position(|name| name == "accepted").unwrap();
    let rows: Vec<&str> = lines.collect();
    let is_rejected = |line: &&&str| line.split(',').nth(accepted) == Some("false");
    rows.iter().filter(is_rejected).count() as f64 / rows.len() as f64
}

/// Keys are not features, whatever a few rows look like.
#[test]
fn keys_of_many_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    for (number, table) in KEYS.iter().enumerate() {
        // Clean; one in fifty missing; one row in ten, and every row, repeated.
        for mess in [(0, 0), (50, 0), (0, 10), (0, 1)] {
            let what = format!("{:?}, {mess:?}", table.header);
            let seed = number as u64 * 10;
            write(&f.join("train.csv"), table, (0, 500), 1.0, mess, seed);
            write(&f.join("new.csv"), table, (500, 1000), 1.0, (0, 0), seed + 1);
            write(&f.join("odd.csv"), table, (1500, 40), 20.0, (0, 0), seed + 2);
            let fitted = ok(f, "fit train.csv -o m.eocc");
            assert!(fitted.err.contains("not a feature"), "{what}: {}", fitted.err);
            assert!(
                fitted.out.contains("features    amount, visits, age")
                    || fitted.out.contains("features  amount, visits, age"),
                "{what}: {}",
                fitted.out
            );
            let lost = rejected(&ok(f, "score m.eocc new.csv").out);
            assert!((0.02..=0.085).contains(&lost), "{what}: {lost} of the nominals rejected");
            let found = rejected(&ok(f, "score m.eocc odd.csv").out);
            assert!(found >= 0.99, "{what}: {found} of the outliers rejected");
        }
    }
}

/// One or many repeated rows leave `outliers` unchanged.
#[test]
fn outliers_among_doubled_rows() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(9);
    for share in [0, 1, 10, 50] {
        let mut lines: Vec<String> = (0..475).map(|_| row(&mut r, 1.0)).collect();
        lines.extend((0..25).map(|_| row(&mut r, 20.0)));
        let doubled: Vec<String> = lines[..475].iter().take(475 * share / 100).cloned().collect();
        lines.extend(doubled);
        std::fs::write(f.join("all.csv"), format!("amount,visits,age\n{}\n", lines.join("\n"))).unwrap();
        let found = ok(f, "outliers all.csv --contamination 0.05").out;
        let rows = found.lines().skip(1).map(|l| l.split(',').next().unwrap().parse::<usize>().unwrap());
        let planted = rows.filter(|row| (475..500).contains(row)).count();
        assert!(planted >= 22, "{share} % doubled: {planted} of 25 found\n{found}");
    }
}

/// Columns with names of classes are not used by the model, in any table format.
#[test]
fn classes_are_not_features() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(4);
    for name in ["label", "target", "y", "is_fraud", "outlier"] {
        let lines: Vec<String> = (0..60).map(|i| format!("{},{}", row(&mut r, 1.0), i % 2)).collect();
        std::fs::write(f.join("t.csv"), format!("amount,visits,age,{name}\n{}\n", lines.join("\n"))).unwrap();
        let fitted = ok(f, "fit t.csv -o m.eocc");
        assert!(fitted.out.starts_with("samples   60 with 3 features"), "{name}: {}", fitted.out);
        // The same as Parquet, written by the program itself.
        ok(f, "score m.eocc t.csv --keep all -o kept.parquet");
        let typed = ok(
            f,
            "fit kept.parquet -o p.eocc --types amount=number,visits=number,age=number --drop row,score,membership,accepted,region,p_value",
        );
        assert!(typed.err.contains(&format!("`{name}` seems to hold")), "{name}: {}", typed.err);
    }
}

/// Objects of a stream need not have the same fields in the same order.
#[test]
fn fields_of_objects_are_found_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(5);
    let mut text = String::from("a,b\n");
    (0..80).for_each(|_| {
        let _ = writeln!(text, "{:.3},{:.3}", r.normal(), r.normal());
    });
    std::fs::write(f.join("t.csv"), text).unwrap();
    ok(f, "fit t.csv -o m.eocc");
    let first = "{\"a\":0,\"b\":0.5,\"n\":\"first\"}\n".repeat(40_000);
    let second = "{\"z\":1,\"b\":0.5,\"n\":\"second\",\"a\":0}\n".repeat(40_000);
    std::fs::write(f.join("big.jsonl"), format!("{first}{second}")).unwrap();
    let scores = ok(f, "score m.eocc big.jsonl --keep all").out;
    let last = scores.lines().last().unwrap();
    assert!(last.ends_with(",0,0.5,second"), "{last}");
    assert_eq!(scores.lines().filter(|l| l.ends_with(",second")).count(), 40_000);
    // A field that an object does not have is missing there, in long files and short ones.
    let short = b"{\"a\":0,\"b\":0}\n{\"b\":0}\n{\"a\":0,\"b\":0}\n";
    assert_eq!(run_with(f, "score m.eocc -", short).out.lines().count(), 4);
}

/// Old-style line ends, unclosed quotes, headers of arrays, empty columns that fill up.
#[test]
fn files_of_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(6);
    let lines: Vec<String> =
        (0..60).map(|_| format!("{:.3},{:.3},{:.3}", r.uniform(), r.uniform(), r.uniform())).collect();
    std::fs::write(f.join("t.csv"), format!("a,b,c\n{}\n", lines.join("\n"))).unwrap();
    ok(f, "fit t.csv -o m.eocc");
    let old = format!("a,b,c\r{}\r50,50,50\r", lines.join("\r"));
    let scored = run_with(f, "score m.eocc -", old.as_bytes());
    assert!(
        scored.err.contains("of 61 samples rejected")
            && scored.out.lines().last().unwrap().contains(",false,"),
        "{}",
        scored.err
    );
    let open = run_with(f, "score m.eocc - --on-bad-row skip", b"a,b,c\n0.5,0.5,0.5\n\"50,3\n0.1,0.1,0.2\n");
    assert!(
        open.code == 3 && open.err.contains("line 3: a quote is opened and never closed"),
        "{}",
        open.err
    );
    std::fs::write(f.join("array.csv"), format!("0,1,2\n{}\n", lines.join("\n"))).unwrap();
    assert!(ok(f, "fit array.csv -o n.eocc").out.contains("samples   60 with"));
    let empty: Vec<String> = lines.iter().map(|line| format!("{line},")).collect();
    std::fs::write(f.join("e.csv"), format!("a,b,c,alarm\n{}\n", empty.join("\n"))).unwrap();
    ok(f, "fit e.csv -o e.eocc");
    for value in ["7", "FIRE"] {
        let new = format!("a,b,c,alarm\n0.5,0.5,0.5,\n0.5,0.5,0.5,{value}\n");
        let out = run_with(f, "score e.eocc -", new.as_bytes()).out;
        let accepted: Vec<&str> = out.lines().skip(1).map(|l| l.split(',').nth(3).unwrap()).collect();
        assert_eq!(accepted, ["true", "false"], "{value}: {out}");
    }
    // Units are neither numbers nor words.
    let units: Vec<String> = (0..60).map(|i| format!("{}.5 kg,{}", 40 + i, i % 7)).collect();
    std::fs::write(f.join("u.csv"), format!("w,n\n{}\n", units.join("\n"))).unwrap();
    let refused = run(f, "fit u.csv -o u.eocc");
    assert!(
        refused.code == 3 && refused.err.contains("is a number with \"kg\" next to it"),
        "{}",
        refused.err
    );
    // If no row can be judged, the run fails.
    let none = run_with(f, "score m.eocc - --on-bad-row skip", b"a,b,c\nx,y,z\n");
    assert!(none.code == 3 && none.err.contains("no row could be judged"), "{}", none.err);
    let clash = run(f, "score m.eocc t.csv -o q.csv --bad-rows q.csv");
    assert_eq!(clash.code, 2, "{}", clash.err);
}
