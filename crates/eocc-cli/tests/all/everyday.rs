//! Problems with real tables, one test each: the same rows give the same result in any order, number, format or
//! notation, and the program reports its choices.

use std::fmt::Write as _;
use std::path::Path;

use eocc_core::random::Random;

use crate::support::{ok, run, run_with};

fn write(folder: &Path, name: &str, text: impl AsRef<str>) {
    std::fs::write(folder.join(name), text.as_ref()).unwrap();
}

/// People with salaries, one of which is far too high; the header comes first.
fn salaries() -> Vec<String> {
    let mut r = Random::new(5);
    let mut rows: Vec<String> = (0..200)
        .map(|i| {
            let salary = (30_000.0 + 9_000.0 * r.normal().abs()).round();
            format!("{salary},{:.1},{}", 40.0 + 9.0 * r.normal(), ["north", "south", "west"][i % 3])
        })
        .collect();
    rows.push("2500000,41.0,north".into());
    rows
}

fn table(rows: &[String]) -> String {
    format!("salary,age,region\n{}\n", rows.join("\n"))
}

fn first_line(out: &str) -> Vec<&str> {
    out.lines().nth(1).unwrap().split(',').collect()
}

/// The rejected rows as in the file, sorted, and their number.
fn rejected(folder: &Path, args: &str) -> Vec<String> {
    let out = ok(folder, &format!("outliers {args} --keep salary,age,region")).out;
    let mut rows: Vec<String> = out
        .lines()
        .skip(1)
        .map(|line| {
            line.split(',').rev().take(3).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(",")
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn the_order_of_rows_and_columns_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let rows = salaries();
    write(f, "plain.csv", table(&rows));
    let expected = rejected(f, "plain.csv");
    assert!(expected.iter().any(|row| row.starts_with("2500000")), "{expected:?}");
    // Sorted by the salary, which is then not a key, and in any other order.
    let mut sorted = rows.clone();
    sorted.sort_by(|a, b| {
        let salary = |row: &str| row.split(',').next().unwrap().parse::<f64>().unwrap();
        salary(a).total_cmp(&salary(b))
    });
    write(f, "sorted.csv", table(&sorted));
    assert_eq!(rejected(f, "sorted.csv"), expected);
    let first = ok(f, "outliers sorted.csv --top 1").out;
    assert_eq!(first_line(&first)[0], "200", "{first}");
    let mut reversed = rows.clone();
    reversed.reverse();
    write(f, "reversed.csv", table(&reversed));
    assert_eq!(rejected(f, "reversed.csv"), expected);
    // Other columns first.
    let turned: Vec<String> =
        rows.iter().map(|row| row.split(',').rev().collect::<Vec<_>>().join(",")).collect();
    write(f, "turned.csv", format!("region,age,salary\n{}\n", turned.join("\n")));
    assert_eq!(rejected(f, "turned.csv"), expected);
}

/// With more than 512 rows, trimming examines only some of them, independently of their order.
#[test]
fn the_order_of_many_rows_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(41);
    let mut rows: Vec<String> = (0..2000)
        .map(|i| {
            let (a, b) = (r.normal(), r.normal());
            let region = ["north", "south", "west"][r.below(3)];
            format!("{},{:.6},{:.6},{:.6},{region}", 5000 + i, a, 0.5 * a + b, r.normal())
        })
        .collect();
    (0..40).for_each(|i| rows.push(format!("{},{:.6},{:.6},9,west", 7000 + i, 6.0 + r.uniform(), -5.0)));
    let decisions = |rows: &[String], columns: &str| {
        write(f, "t.csv", format!("{columns}\n{}\n", rows.join("\n")));
        ok(f, "fit t.csv --id id -o m.eocc --scores s.csv");
        let scores = std::fs::read_to_string(f.join("s.csv")).unwrap();
        let mut found: Vec<(usize, bool, f64)> = scores
            .lines()
            .skip(1)
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                (cells[1].parse().unwrap(), cells[4] == "true", cells[2].parse().unwrap())
            })
            .collect();
        found.sort_by_key(|row| row.0);
        found
    };
    let columns = "id,a,b,c,region";
    let expected = decisions(&rows, columns);
    let same = |found: &[(usize, bool, f64)], what: &str| {
        let differ = expected.iter().zip(found).filter(|(a, b)| a.1 != b.1).count();
        assert_eq!(differ, 0, "{what}");
        assert!(expected.iter().zip(found).all(|(a, b)| (a.2 - b.2).abs() <= 1e-9 * a.2.abs()), "{what}");
    };
    let mut sorted = rows.clone();
    sorted.sort_by(|a, b| {
        let value = |row: &str| row.split(',').nth(2).unwrap().parse::<f64>().unwrap();
        value(a).total_cmp(&value(b))
    });
    same(&decisions(&sorted, columns), "sorted");
    r.shuffle(&mut rows);
    same(&decisions(&rows, columns), "shuffled");
    let turned: Vec<String> =
        rows.iter().map(|row| row.split(',').rev().collect::<Vec<_>>().join(",")).collect();
    same(&decisions(&turned, "region,c,b,a,id"), "columns from last to first");
}

#[test]
fn formats_and_notations_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let rows = salaries();
    write(f, "plain.csv", table(&rows));
    let expected = rejected(f, "plain.csv");
    write(f, "tabs.tsv", table(&rows).replace(',', "\t"));
    assert_eq!(rejected(f, "tabs.tsv"), expected);
    let cells = |row: &String| row.split(',').map(str::to_owned).collect::<Vec<_>>();
    let object = |row: &String| {
        let c = cells(row);
        format!("{{\"salary\": {}, \"age\": {}, \"region\": \"{}\"}}", c[0], c[1], c[2])
    };
    let objects: Vec<String> = rows.iter().map(object).collect();
    write(f, "lines.jsonl", objects.join("\n"));
    // One array of objects, as written by programs, on one line or many.
    write(f, "records.json", format!("[{}]", objects.join(", ")));
    write(f, "pretty.json", format!("[\n  {}\n]\n", objects.join(",\n  ")));
    for file in ["lines.jsonl", "records.json", "pretty.json"] {
        let found: Vec<String> = ok(f, &format!("outliers {file}")).out.lines().map(str::to_owned).collect();
        assert_eq!(found.len(), expected.len() + 1, "{file}");
        assert_eq!(first_line(&found.join("\n"))[0], "200", "{file}");
    }
    // The program reads the same file again, to score it.
    ok(f, "fit records.json -o m.eocc");
    assert_eq!(ok(f, "score m.eocc pretty.json").out, ok(f, "score m.eocc lines.jsonl").out);
    let done = run(f, "fit broken.json -o m.eocc");
    assert_ne!(done.code, 0);
    write(f, "broken.json", "[{\"a\": 1},\n {\"a\": }]");
    let done = run(f, "fit broken.json -o n.eocc");
    assert!(done.code == 3 && done.err.contains("line 2"), "{}", done.err);
}

#[test]
fn a_point_for_thousands_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(2);
    let rows: Vec<String> = (0..60)
        .map(|_| {
            let value = 200 + r.below(8000);
            let text = if value < 1000 {
                value.to_string()
            } else {
                format!("{}.{:03}", value / 1000, value % 1000)
            };
            format!("{text};{}", r.below(50))
        })
        .collect();
    write(f, "de.csv", format!("menge;rest\n{}\n", rows.join("\n")));
    let done = ok(f, "fit de.csv -o m.eocc");
    assert!(done.err.contains("`menge`") && done.err.contains("--thousands ."), "{}", done.err);
    assert!(!ok(f, "fit de.csv --thousands . -o m.eocc").err.contains("decimal point"));
}

/// A model without names gives output without names, whatever the file; one with names always has the column.
#[test]
fn the_model_decides_the_columns_of_the_answers() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(3);
    let mut numbers = || format!("{:.3},{:.3}", r.normal(), r.normal());
    let rows: Vec<String> = (0..80).map(|_| numbers()).collect();
    write(f, "train.csv", format!("a,b\n{}\n", rows.join("\n")));
    ok(f, "fit train.csv -o m.eocc");
    let plain = "row,score,membership,accepted,region,p_value";
    for count in [1, 5, 12, 60] {
        let keyed: Vec<String> = (0..count).map(|i| format!("A-{i:04},{}", rows[i])).collect();
        let text = format!("ref,a,b\n{}\n", keyed.join("\n"));
        write(f, "new.csv", &text);
        assert_eq!(ok(f, "score m.eocc new.csv").out.lines().next(), Some(plain), "{count} rows");
        let piped = run_with(f, "score m.eocc -", text.as_bytes());
        assert_eq!(piped.out.lines().next(), Some(plain), "{count} rows, piped");
    }
    assert!(ok(f, "score m.eocc new.csv --id ref").out.contains("\n3,A-0003,"));
    // Named: even for files without the names.
    let keyed: Vec<String> = rows.iter().enumerate().map(|(i, row)| format!("A-{i:04},{row}")).collect();
    write(f, "keyed.csv", format!("ref,a,b\n{}\n", keyed.join("\n")));
    ok(f, "fit keyed.csv -o k.eocc");
    let named = "row,name,score,membership,accepted,region,p_value";
    for (file, name) in [("train.csv", ""), ("keyed.csv", "A-0000"), ("new.csv", "A-0000")] {
        let out = ok(f, &format!("score k.eocc {file}")).out;
        assert_eq!(out.lines().next(), Some(named), "{file}");
        assert_eq!(first_line(&out)[1], name, "{file}");
    }
    // Without rows: only the header.
    write(f, "none.csv", "ref,a,b\n");
    assert_eq!(ok(f, "score k.eocc none.csv").out, format!("{named}\n"));
    assert_eq!(ok(f, "score m.eocc none.csv").out, format!("{plain}\n"));
}

/// A model of January is applied to February.
#[test]
fn a_constant_month_is_left_out_and_other_constants_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(4);
    let mut month = |number: usize, site: &str| {
        let mut text = String::from("year,month,site,x,y\n");
        for _ in 0..150 {
            writeln!(text, "2024,{number},{site},{:.3},{:.3}", r.normal(), r.normal()).unwrap();
        }
        text
    };
    write(f, "january.csv", month(1, "north"));
    write(f, "february.csv", month(2, "north"));
    write(f, "south.csv", month(1, "south"));
    let fitted = ok(f, "fit january.csv -o m.eocc");
    assert!(fitted.err.contains("`month` is the same in all rows"), "{}", fitted.err);
    assert!(fitted.err.contains("`site` has one value in all samples"), "{}", fitted.err);
    assert!(fitted.err.contains("--drop site"), "{}", fitted.err);
    let rejected = |file: &str| {
        let said = ok(f, &format!("score m.eocc {file}")).err;
        let line = said.lines().find(|line| line.ends_with("rejected")).unwrap().to_owned();
        line.split(' ').next().unwrap().parse::<usize>().unwrap()
    };
    assert!(rejected("february.csv") < 30);
    // Other constants count.
    assert_eq!(rejected("south.csv"), 150);
}

#[test]
fn missing_values_are_blamed_only_beyond_their_share() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(6);
    let mut rows = |lacks: fn(usize) -> bool| {
        let mut text = String::from("a,b,c\n");
        for i in 0..400 {
            let b = if lacks(i) { String::new() } else { format!("{:.3}", r.normal()) };
            writeln!(text, "{:.3},{b},{:.3}", r.normal(), r.normal()).unwrap();
        }
        text
    };
    write(f, "mostly.csv", rows(|i| i % 20 != 3));
    write(f, "some.csv", rows(|i| i % 40 == 3));
    let said = ok(f, "outliers mostly.csv").err;
    assert!(!said.contains("missing values"), "{said}");
    let said = ok(f, "outliers some.csv").err;
    if let Some(line) = said.lines().find(|line| line.contains("missing values")) {
        assert!(line.contains("as 10 of all 400 samples do"), "{said}");
    }
}

#[test]
fn a_class_may_be_minus_one() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(7);
    let rows: Vec<String> = (0..90)
        .map(|i| format!("{:.3},{:.3},{}", r.normal(), r.normal(), if i % 9 == 0 { 1 } else { -1 }))
        .collect();
    write(f, "t.csv", format!("a,b,kind\n{}\n", rows.join("\n")));
    let fitted = ok(f, "fit t.csv --label kind --nominal -1 -o m.eocc").out;
    assert!(fitted.contains("80 with 2 features"), "{fitted}");
    let done = ok(f, "evaluate t.csv --label kind --nominal -1 --repeats 1 --folds 3");
    assert!(done.out.contains("in one repeat") && !done.out.contains('±'), "{}", done.out);
}

#[test]
fn dna_is_not_judged_by_a_model_of_proteins_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(8);
    let mut letters =
        |from: &[u8]| (0..40).map(|_| char::from(from[r.below(from.len())])).collect::<String>();
    let fasta = |sequences: Vec<String>| {
        let records: Vec<String> =
            sequences.iter().enumerate().map(|(i, s)| format!(">s{i}\n{s}\n")).collect();
        records.concat()
    };
    write(f, "p.fasta", fasta((0..30).map(|_| letters(b"ACDEFGHIKLMNPQRSTVWY")).collect()));
    write(f, "d.fasta", fasta((0..5).map(|_| letters(b"ACGT")).collect()));
    ok(f, "fit p.fasta -o p.eocc");
    let said = ok(f, "score p.eocc d.fasta").err;
    assert!(said.contains("5 samples had only the letters of DNA or RNA"), "{said}");
    assert!(!ok(f, "score p.eocc p.fasta").err.contains("DNA"));
}

/// Many copies of one message are one line with a count; the odd one is not buried.
#[test]
fn similar_outliers_are_one_line_for_people() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(9);
    let mut text = String::from("size,price,kind\n");
    for _ in 0..300 {
        writeln!(text, "{:.3},{:.3},usual", r.normal(), r.normal()).unwrap();
    }
    for i in 0..6 {
        writeln!(text, "{:.4},0.1,usual", 50.0 + 0.001 * f64::from(i)).unwrap();
    }
    text.push_str("0.1,-30,usual\n");
    write(f, "t.csv", text);
    let table = ok(f, "outliers t.csv --format table").out;
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("row"), "{table}");
    assert!(table.contains("5 more") && table.contains("size 50"), "{table}");
    assert!(
        lines.iter().take(3).any(|line| line.starts_with("306 ") && line.contains("price -30")),
        "{table}"
    );
    assert!(table.contains("usual: "), "{table}");
    let csv = ok(f, "outliers t.csv --top 7").out;
    assert_eq!(
        csv.lines().next(),
        Some("row,score,p_value,rejected,feature_1,share_1,feature_2,share_2,trimmed,group")
    );
    let groups: std::collections::BTreeSet<&str> =
        csv.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(groups.len(), 2, "{csv}");
    assert_eq!(run(f, "outliers t.csv --format table -o t.txt").code, 2);
    // They come first on the page, too.
    ok(f, "outliers t.csv --report r.html -o o.csv");
    let page = std::fs::read_to_string(f.join("r.html")).unwrap();
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    assert!(page.contains("<title>Outliers of t.csv</title>"));
    assert!(place("The most unusual") < place("Map of the samples"));
    assert!(place("and 5 like it") < place("Map of the samples"));
    assert!(place("Map of the samples") < place("Facts of the model"));
    assert!(page.contains("<details id=\"internals\">"));
    // Which columns, over all of them; and whether new rows are like the old ones.
    assert!(
        place("What sets them apart, over all that are rejected: <b>") < place("and 5 like it"),
        "{page}"
    );
    assert!(!page.contains("id=\"calibration-title\""));
    ok(f, "fit t.csv -o m.eocc");
    ok(f, "report m.eocc t.csv -o r.html");
    let page = std::fs::read_to_string(f.join("r.html")).unwrap();
    assert!(page.contains(
        "of the new samples have a p-value of at most 0.05; of samples like the nominals 5 % would"
    ));
}

/// Office documents are not NumPy arrays.
#[test]
fn spreadsheets_are_refused_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let sheet =
        [&b"PK\x03\x04\x14\0\0\0\x08\0........................docProps/app.xml"[..], &[7; 400]].concat();
    std::fs::write(f.join("t.xlsx"), sheet).unwrap();
    let done = run(f, "fit t.xlsx -o m.eocc");
    assert!(done.code == 3 && done.err.contains("export the sheet as CSV"), "{}", done.err);
}

/// A row with several missing values is odd because of these.
#[test]
fn several_missing_values_are_the_first_reason() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(11);
    let mut text = String::from("a,b,c,d\n");
    for i in 0..300 {
        let c = if i % 40 == 5 { String::new() } else { format!("{:.3}", r.normal()) };
        writeln!(text, "{:.3},{:.3},{c},{:.3}", r.normal(), r.normal(), r.normal()).unwrap();
    }
    write(f, "t.csv", text);
    write(f, "new.csv", "a,b,c,d\n0.1,,,0.2\n0.3,,0.1,\n");
    ok(f, "fit t.csv -o m.eocc");
    for (row, reasons) in [(0, ["b", "c"]), (1, ["b", "d"])] {
        let out = ok(f, &format!("explain m.eocc new.csv --row {row}")).out;
        let first: Vec<&str> =
            out.lines().skip(1).take(2).filter_map(|l| l.split_whitespace().nth(2)).collect();
        assert!(reasons.iter().all(|name| first.contains(name)), "{out}");
        assert!(out.lines().nth(1).is_some_and(|line| line.contains("missing")), "{out}");
    }
}

/// Log lines by their templates: those that differ only in numbers and addresses are alike, and the rare message
/// comes first.
#[test]
fn variable_parts_of_messages_are_masked() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(12);
    let mut lines: Vec<String> = (0..300)
        .map(|i| {
            let ip = format!("{}.{}.{}.{}", r.below(250), r.below(250), r.below(250), r.below(250));
            match i % 3 {
                0 => format!("Failed password for root from {ip} port {} ssh2", r.below(60_000)),
                1 => format!("Connection closed by {ip} [preauth]"),
                _ => format!("Received disconnect from {ip}: {}: Bye Bye [preauth]", r.below(20)),
            }
        })
        .collect();
    lines[123] = "Accepted password for ann from 119.137.62.142 port 49116 ssh2".into();
    write(f, "log.txt", lines.join("\n"));
    let table = ok(f, "outliers log.txt --mask --format table --top 300").out;
    let shown: Vec<&str> = table.lines().skip(1).collect();
    assert!(shown[0].starts_with("123 "), "{table}");
    assert_eq!(shown.len(), 4, "{table}");
    assert!(table.contains("Connection closed by # [preauth]") && table.contains("99 more"), "{table}");
    // The model remembers it.
    ok(f, "fit log.txt --mask -o m.eocc");
    let of = |line: &str| {
        let out = run_with(f, "score m.eocc - --input lines", format!("{line}\n").as_bytes()).out;
        first_line(&out)[1].to_owned()
    };
    assert_eq!(
        of("Connection closed by 1.2.3.4 [preauth]"),
        of("Connection closed by 99.88.77.66 [preauth]")
    );
}

/// The same file twice in a folder, as with exports, gives the columns of the file.
#[test]
fn a_folder_with_a_copy_has_the_columns_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let rows: Vec<String> =
        salaries().iter().enumerate().map(|(i, row)| format!("{},{row}", 7000 + i * 3)).collect();
    let text = format!("entry,salary,age,region\n{}\n", rows.join("\n"));
    std::fs::create_dir(f.join("both")).unwrap();
    for name in ["one.csv", "both/a.csv", "both/b.csv"] {
        write(f, name, &text);
    }
    let columns = |data: &str| {
        let said = ok(f, &format!("fit {data} -o m.eocc")).err;
        said.lines().find(|line| line.starts_with("columns:")).unwrap().to_owned()
    };
    assert_eq!(columns("both"), columns("one.csv"));
    assert!(columns("one.csv").contains("salary, age: number"), "{}", columns("one.csv"));
}

/// A table of few words repeats its rows; a column with few values names nothing.
#[test]
fn columns_of_few_values_are_not_keys() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(21);
    for rows in [100, 300, 800, 3000] {
        let mut text = "method,path,status,code\n".to_owned();
        for _ in 0..rows {
            let method = ["GET", "POST"][r.below(2)];
            let path = ["/", "/login", "/cart", "/static/app.js"][r.below(4)];
            let (status, code) = ([200, 304, 404][r.below(3)], ["A1", "B2", "C3"][r.below(3)]);
            let _ = writeln!(text, "{method},{path},{status},{code}");
        }
        write(f, "t.csv", text);
        let fitted = ok(f, "fit t.csv -o m.eocc");
        assert!(
            !fitted.err.contains("key") && !fitted.err.contains("names the samples"),
            "{rows}: {}",
            fitted.err
        );
        write(f, "new.csv", "method,path,status,code\nGET,/,999999,A1\n");
        assert!(ok(f, "score m.eocc new.csv").out.contains("false"), "{rows}");
    }
}

/// Among many equal rows, none has a p-value below their fraction, and one of 20 rows can be rejected.
#[test]
fn p_values_of_outliers_are_shares_of_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(22);
    for run in 0..10 {
        let words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"];
        let lines: Vec<String> = (0..400)
            .map(|_| match r.below(10) {
                0 | 1 => "a line that comes very often".to_owned(),
                _ => (0..5).map(|_| words[r.below(6)]).collect::<Vec<_>>().join(" "),
            })
            .collect();
        let often = lines.iter().filter(|l| l.starts_with("a line")).count();
        write(f, "log.txt", lines.join("\n"));
        let out = ok(f, "outliers log.txt --top 400").out;
        let p = out.lines().skip(1).filter(|line| {
            let row: usize = line.split(',').next().and_then(|row| row.parse().ok()).unwrap();
            lines[row].starts_with("a line")
        });
        for line in p {
            let p: f64 = line.split(',').nth(2).and_then(|p| p.parse().ok()).unwrap();
            assert!(p >= often as f64 / 400.0 - 1e-12, "{run}: {p} of {often}");
        }
    }
    let mut text = "a,b\n".to_owned();
    (0..19).for_each(|_| {
        let _ = writeln!(text, "{},{}", r.uniform(), r.uniform());
    });
    write(f, "few.csv", text + "900,-800\n");
    let out = ok(f, "outliers few.csv").out;
    assert!(out.lines().nth(1).is_some_and(|line| line.starts_with("19,") && line.contains("true")), "{out}");
}

/// A number can be declared to mean missing, and the model remembers it; in a file and in JSON.
#[test]
fn values_may_be_said_to_stand_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(51);
    let mut rows = |gap: &str, word: &str| {
        let mut text = String::from("a,b,kind\n");
        for i in 0..200 {
            let b = if i % 17 == 3 { gap.to_owned() } else { format!("{:.3}", 5.0 + r.normal()) };
            let kind = if i % 13 == 4 { word } else { ["red", "blue"][r.below(2)] };
            writeln!(text, "{:.3},{b},{kind}", r.normal()).unwrap();
        }
        text
    };
    let marked = rows("-9999", "unknown");
    write(f, "marked.csv", &marked);
    write(f, "empty.csv", marked.replace("-9999", "").replace("unknown", ""));
    let said = ok(f, "fit marked.csv -o plain.eocc").err;
    assert!(said.contains("--na -9999"), "{said}");
    let said = ok(f, "fit marked.csv --na -9999.0,unknown -o na.eocc").err;
    assert!(!said.contains("-9999") && said.contains("12 missing") && said.contains("16 missing"), "{said}");
    ok(f, "fit empty.csv -o empty.eocc");
    let expected = ok(f, "score empty.eocc empty.csv").out;
    assert_eq!(ok(f, "score na.eocc marked.csv").out, expected);
    assert_eq!(ok(f, "score empty.eocc marked.csv --na -9999,unknown").out, expected);
    assert_ne!(ok(f, "score empty.eocc marked.csv").out, expected);
    // Numbers only, which are read another way.
    let numbers = |text: &str| {
        let two = |line: &str| line.split(',').take(2).collect::<Vec<_>>().join(",");
        text.lines().map(|line| two(line) + "\n").collect::<String>()
    };
    write(f, "n.csv", numbers(&marked));
    write(f, "e.csv", numbers(&marked).replace("-9999", ""));
    ok(f, "fit n.csv --na -9999 -o n.eocc");
    ok(f, "fit e.csv -o e.eocc");
    assert_eq!(ok(f, "score n.eocc n.csv").out, ok(f, "score e.eocc e.csv").out);
}

#[test]
fn sequences_in_a_text_file_are_read_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(52);
    let mut dna = || (0..30).map(|_| char::from(b"ACGT"[r.below(4)])).collect::<String>();
    let records: Vec<String> = (0..30).map(|i| format!(">s{i} sample\n{}\n", dna())).collect();
    write(f, "s.txt", records.concat());
    write(f, "s.fasta", records.concat());
    assert_eq!(ok(f, "outliers s.txt --top 3").out, ok(f, "outliers s.fasta --top 3").out);
    // Nucleotides are not compared as amino acids.
    ok(f, "fit s.txt --dissimilarity alignment -o a.eocc");
    assert_eq!(
        ok(f, "distances s.txt --dissimilarity alignment").out,
        ok(f, "distances s.txt --dissimilarity alignment --set matrix=dna").out
    );
    assert_ne!(
        ok(f, "distances s.txt --dissimilarity alignment").out,
        ok(f, "distances s.txt --dissimilarity alignment --set matrix=blosum62").out
    );
}

/// Tags of a shop, or tokens: a list of words is a text.
#[test]
fn lists_of_words_are_texts() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(53);
    let words = ["red", "round", "soft", "sweet", "small", "green"];
    let (mut lists, mut texts) = (String::new(), String::new());
    for i in 0..60 {
        let some: Vec<&str> = (0..r.below(4)).map(|_| words[r.below(6)]).collect();
        let size = r.normal();
        writeln!(lists, "{{\"size\": {size}, \"tags\": {some:?}, \"n\": {i}.5}}").unwrap();
        writeln!(texts, "{{\"size\": {size}, \"tags\": {:?}, \"n\": {i}.5}}", some.join(" ")).unwrap();
    }
    write(f, "lists.jsonl", lists);
    write(f, "texts.jsonl", texts);
    assert_eq!(ok(f, "outliers lists.jsonl --top 60").out, ok(f, "outliers texts.jsonl --top 60").out);
    ok(f, "fit lists.jsonl -o m.eocc");
    assert_eq!(ok(f, "score m.eocc lists.jsonl").out, ok(f, "score m.eocc texts.jsonl").out);
}

/// The names of series may be in a column of any name.
#[test]
fn wide_series_have_keys_of_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(54);
    let rows: Vec<String> = (0..30)
        .map(|_| {
            (0..12)
                .map(|t| format!("{:.3}", f64::from(t).sin() + 0.2 * r.normal()))
                .collect::<Vec<_>>()
                .join(",")
        })
        .collect();
    let steps = (0..12).map(|t| format!("t{t}")).collect::<Vec<_>>().join(",");
    let table = |key: &str, value: &dyn Fn(usize) -> String| {
        let keyed: Vec<String> =
            rows.iter().enumerate().map(|(i, row)| format!("{}{row}", value(i))).collect();
        format!("{key}{steps}\n{}\n", keyed.join("\n"))
    };
    write(f, "plain.csv", table("", &|_| String::new()));
    ok(f, "fit plain.csv --input series-wide -o m.eocc");
    let scores = |out: &str, column: usize| {
        out.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expected = scores(&ok(f, "score m.eocc plain.csv").out, 1);
    for (key, value) in [
        ("id,", (|i| format!("{i},")) as fn(usize) -> String),
        ("patient_id,", |i| format!("{},", 500 + i)),
        ("machine,", |i| format!("press {},", i % 7)),
    ] {
        write(f, "keyed.csv", table(key, &value));
        let fitted = ok(f, "fit keyed.csv --input series-wide -o k.eocc");
        let out = ok(f, "score k.eocc keyed.csv").out;
        assert_eq!(scores(&out, 2), expected, "{key} {}", fitted.err);
        assert_eq!(scores(&out, 1)[1], value(1).trim_end_matches(','), "{out}");
    }
}

#[test]
fn rows_without_a_class_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(55);
    let rows: Vec<String> = (0..80)
        .map(|i| format!("{:.3},{:.3},{}", r.normal(), r.normal(), ["good", "bad", "", "good"][i % 4]))
        .collect();
    write(f, "t.csv", format!("a,b,kind\n{}\n", rows.join("\n")));
    for command in [
        "fit t.csv --label kind --nominal good -o m.eocc",
        "evaluate t.csv --label kind --nominal good --repeats 1",
    ] {
        let said = ok(f, command).err;
        assert!(said.contains("20 of 80 rows have no class and are left out"), "{command}: {said}");
    }
    assert!(!ok(f, "outliers t.csv --label kind").err.contains("no class"));
}

/// A reject rate other than the model's, and an exit code for scripts.
#[test]
fn what_is_rejected_may_be_asked_for_when_scoring() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(56);
    let mut rows = |n: usize| -> String {
        (0..n).fold(String::from("a,b\n"), |t, _| t + &format!("{:.4},{:.4}\n", r.normal(), r.normal()))
    };
    write(f, "t.csv", rows(200));
    write(f, "new.csv", rows(300));
    ok(f, "fit t.csv -o m.eocc");
    let columns = |args: &str| {
        let out = ok(f, args).out;
        let cell = |line: &str, at: usize| line.split(',').nth(at).unwrap().to_owned();
        out.lines()
            .skip(1)
            .map(|line| (cell(line, 3) == "true", cell(line, 5).parse::<f64>().unwrap()))
            .collect::<Vec<_>>()
    };
    for share in [0.01, 0.2, 0.5] {
        let found = columns(&format!("score m.eocc new.csv --reject {share}"));
        assert!(found.iter().all(|(accepted, p)| *accepted == (*p > share)), "{share}");
        assert!(found.iter().any(|(accepted, _)| !accepted) && found.iter().any(|(accepted, _)| *accepted));
    }
    assert_eq!(run(f, "score m.eocc new.csv --reject 0").code, 2);
    assert_eq!(run(f, "score m.eocc new.csv --fail-if-rejected -o s.csv").code, 1);
    assert!(f.join("s.csv").exists());
    write(f, "usual.csv", "a,b\n0.1,0.1\n");
    assert_eq!(run(f, "score m.eocc usual.csv --fail-if-rejected").code, 0);
    // A skipped row is not passed in silence.
    write(f, "half.csv", "a,b\n0.1,0.1\noops,0.1\n");
    for how in ["skip", "report"] {
        let args = format!("score m.eocc half.csv --on-bad-row {how}");
        assert_eq!(run(f, &args).code, 0, "{how}");
        assert_eq!(run(f, &format!("{args} --fail-if-rejected")).code, 1, "{how}");
    }
    // A rate that no p-value can reach.
    let err = ok(f, "score m.eocc new.csv --reject 0.001").err;
    assert!(err.contains("nothing can be rejected at 0.001; at least 999 are needed"), "{err}");
    // The same rate for an explanation and a report.
    let rejected = |args: &str| {
        let err = ok(f, args).err;
        err.lines().find_map(|line| Some(line.split_once(" of 300 ")?.0.to_owned())).unwrap_or(err)
    };
    let expected = rejected("score m.eocc new.csv --reject 0.2");
    assert_eq!(rejected("explain m.eocc new.csv --reject 0.2 --top 1"), expected);
    ok(f, "report m.eocc new.csv --reject 0.2 -o r.html");
}

/// A warning about drift compares with training samples at the same rate.
#[test]
fn another_reject_rate_is_expected_in_the_same_share() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(61);
    let mut rows = |n: usize| -> String {
        (0..n).fold(String::from("a,b\n"), |t, _| t + &format!("{:.4},{:.4}\n", r.normal(), r.normal()))
    };
    write(f, "t.csv", rows(1100));
    write(f, "new.csv", rows(1500));
    ok(f, "fit t.csv --reject 0.001 -o m.eocc");
    for share in [0.05, 0.3] {
        let err = ok(f, &format!("score m.eocc new.csv --reject {share}")).err;
        assert!(!err.contains("warning"), "{share}: {err}");
    }
}

/// Text in another encoding stops an explanation as it stops scores; other bad rows are counted.
#[test]
fn an_explanation_does_not_pass_over_most_rows() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(62);
    let rows: Vec<(f64, &str)> = (0..200).map(|_| (r.normal(), ["warm", "k\u{fc}hl"][r.below(2)])).collect();
    let text = rows.iter().fold(String::from("a,b\n"), |t, (a, b)| t + &format!("{a:.4},{b}\n"));
    write(f, "t.csv", &text);
    ok(f, "fit t.csv -o m.eocc");
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    std::fs::write(f.join("latin.csv"), latin).unwrap();
    for command in ["score", "explain"] {
        let done = run(f, &format!("{command} m.eocc latin.csv"));
        assert_eq!((done.code, done.out.as_str()), (3, ""), "{command}: {}", done.err);
        assert!(done.err.contains("not valid UTF-8") && done.err.contains("--encoding"), "{}", done.err);
        ok(f, &format!("{command} m.eocc latin.csv --encoding latin1"));
    }
    let err = ok(f, "explain m.eocc latin.csv --on-bad-row skip").err;
    assert!(err.contains(" of 200 rows could not be scored; the first: "), "{err}");
    write(f, "bad.csv", format!("{text}oops,warm\n"));
    let err = ok(f, "explain m.eocc bad.csv").err;
    assert!(err.contains("warning: 1 of 201 rows could not be scored; the first: bad.csv: row 200"), "{err}");
}

/// The encoding is remembered, for files that are not in UTF-8.
#[test]
fn a_model_reads_its_encoding_and_utf8() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(66);
    let rows: Vec<(f64, &str)> = (0..200).map(|_| (r.normal(), ["warm", "k\u{fc}hl"][r.below(2)])).collect();
    let text = rows.iter().fold(String::from("a,b\n"), |t, (a, b)| t + &format!("{a:.4},{b}\n"));
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    std::fs::write(f.join("latin.csv"), &latin).unwrap();
    write(f, "utf8.csv", &text);
    ok(f, "fit latin.csv --encoding latin1 -o m.eocc");
    ok(f, "fit utf8.csv -o plain.eocc");
    let expected = ok(f, "score plain.eocc utf8.csv").out;
    assert_eq!(ok(f, "score m.eocc latin.csv").out, expected);
    assert_eq!(ok(f, "score m.eocc utf8.csv").out, expected);
    assert_eq!(run_with(f, "score m.eocc -", &latin).out, expected);
}

/// `tail -f` starts in the middle of a file.
#[test]
fn rows_without_their_header_are_refused_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(63);
    let rows: Vec<String> = (0..100)
        .map(|i| format!("2026-03-01 10:{:02}:{:02},{:.4},{:.4}\n", i / 60, i % 60, r.normal(), r.normal()))
        .collect();
    write(f, "t.csv", format!("time,flow,rpm\n{}", rows.concat()));
    ok(f, "fit t.csv -o m.eocc");
    ok(f, "monitor s.eocc t.csv --from m.eocc");
    let last = rows[90..].concat();
    for args in ["score m.eocc -", "monitor s.eocc -"] {
        let done = run_with(f, args, last.as_bytes());
        assert_eq!(done.code, 3, "{args}: {}", done.err);
        let remedy = "(no header was found; after `tail -f`, use `tail -n +1 -f`)";
        assert!(done.err.contains(remedy), "{args}: {}", done.err);
    }
}

/// Values that stand for nothing are suggested together: as words of another column they would not be noticed.
#[test]
fn all_marks_of_missing_values_are_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut text = String::from("flow,rpm,status\n");
    for i in 0..60 {
        let flow = match i % 20 {
            5 => "-".to_owned(),
            9 => "?".to_owned(),
            _ => format!("{}.5", i * 37 % 50),
        };
        writeln!(text, "{flow},{}.5,{}", i * 17 % 30, ["run", "idle", "?"][i % 3]).unwrap();
    }
    write(f, "t.csv", text);
    let refused = run(f, "fit t.csv -o m.eocc");
    assert!(refused.err.contains("(--na '-,?' if these mean missing, "), "{}", refused.err);
    ok(f, "fit t.csv -o m.eocc --na -,?");
    // The table of columns is shown all the same, with what is wrong.
    let shown = ok(f, "columns t.csv");
    let line =
        shown.out.lines().find(|line| line.starts_with("flow")).unwrap_or_else(|| panic!("{}", shown.out));
    let words = ["unreadable", "line 7: \"-\" is not a number", "--na '-,?'"];
    assert!(words.iter().all(|word| line.contains(word)), "{line}");
    assert!(shown.out.lines().any(|line| line.starts_with("status  category ")), "{}", shown.out);
    assert_eq!(run_with(f, "columns -", std::fs::read(f.join("t.csv")).unwrap().as_slice()).code, 3);
}

/// Mistakes on the command line are answered with what to write instead.
#[test]
fn mistakes_are_answered_with_what_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(64);
    let rows: Vec<String> = (0..60).map(|_| format!("{:.4},{:.4}\n", r.normal(), r.normal())).collect();
    write(f, "t.csv", format!("flow,rpm\n{}", rows.concat()));
    write(f, "head.csv", "flow,rpm\n");
    ok(f, "fit t.csv -o m.eocc");
    for (args, code, words) in [
        (
            "score t.csv m.eocc",
            4,
            "it looks like text, such as a table (the model comes first, then the data)",
        ),
        (
            "score m.eocc m.eocc",
            3,
            "looks like an eocc model, not text with delimiters; the model comes first",
        ),
        ("score no.eocc t.csv", 5, "no.eocc cannot be read or written: no such file\n"),
        ("monitor no.eocc --list", 5, "no.eocc cannot be read or written: no such file\n"),
        ("outliers t.csv --contamination 5%", 2, "write 0.05"),
        ("fit t.csv -o n.eocc --reject 0.1%", 2, "write 0.001"),
        ("score m.eocc t.csv --reject 5%", 2, "write 0.05"),
        ("score m.eocc t.csv --reject much", 2, "must be a number above 0 and below 1"),
        ("outliers head.csv", 3, "say that there is no header (--header false)"),
        (
            "monitor s.eocc t.csv --warm-up 8",
            2,
            "--warm-up is 8, but must be at least 20 and at most --window, 512",
        ),
        ("fit t.csv -o n.eocc --nominal good", 2, "the label (--label COL)"),
    ] {
        let done = run(f, args);
        assert_eq!(done.code, code, "{args}: {}", done.err);
        assert!(done.err.contains(words), "{args}: {}", done.err);
    }
}

/// One column that leads most reasons hides what the others would say.
#[test]
fn a_column_that_leads_most_reasons_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(65);
    let mut text = String::from("flow,rpm,load,status\n");
    for i in 0..1000 {
        let status = if i % 25 == 3 { format!("E{:02}", i / 25) } else { "run".to_owned() };
        writeln!(text, "{:.3},{:.3},{:.3},{status}", r.normal(), r.normal(), r.normal()).unwrap();
    }
    write(f, "t.csv", text);
    let err = ok(f, "outliers t.csv --types status=category").err;
    assert!(
        err.contains("note: `status` leads ") && err.contains("(--drop status judges by the rest)"),
        "{err}"
    );
    let err = ok(f, "outliers t.csv --drop status").err;
    assert!(!err.contains(" leads "), "{err}");
}

/// Nothing is fitted to show how a file would be read.
#[test]
fn columns_are_shown_with_reasons_and_remedies() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(57);
    let mut text = String::from("customer_no,age,kind,my level,label,seen\n");
    for i in 0..60 {
        let (age, level) = (20 + r.below(50), if i % 20 == 7 { -9999.0 } else { 3.0 + r.normal() });
        let kind = ["red", "blue", "green"][r.below(3)];
        writeln!(
            text,
            "{},{age},{kind},{level:.2},{},0{}/0{}/2024",
            900 + 7 * i,
            i % 2,
            1 + r.below(9),
            1 + r.below(9)
        )
        .unwrap();
    }
    write(f, "t.csv", text);
    let out = ok(f, "columns t.csv").out;
    for (column, words) in [
        ("customer_no", ["not a feature", "names the samples", "--types customer_no=number"]),
        ("age", ["number", "all values are numbers", "--drop age"]),
        ("kind", ["category", "words that repeat; 3 levels", "--types kind=TYPE"]),
        ("my level", ["number", "-9999 in 3 rows", "--na -9999"]),
        ("label", ["not a feature", "what is to be predicted", "--types label=number"]),
        ("seen", ["date", "is read with the month first", "--types seen=date:day-first"]),
    ] {
        let line = out.lines().find(|line| line.starts_with(column)).unwrap_or_else(|| panic!("{out}"));
        assert!(words.iter().all(|word| line.contains(word)), "{column}: {line}");
    }
    let json = ok(f, "columns t.csv --label label --json").out;
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(
        (first["column"].as_str(), first["read_as"].as_str()),
        (Some("customer_no"), Some("not a feature"))
    );
    assert_eq!(json.lines().count(), 6);
}

/// A word that few rows have makes these far out; this is reported when it happens.
#[test]
fn words_that_will_be_rejected_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(58);
    let mut rows = |rare: usize| {
        let mut text = String::from("x,y,z,kind\n");
        for i in 0..500 {
            let kind = if i % 500 < rare { "b" } else { "a" };
            writeln!(text, "{:.3},{:.3},{:.3},{kind}", r.normal(), r.normal(), r.normal()).unwrap();
        }
        text
    };
    write(f, "rare.csv", rows(8));
    write(f, "common.csv", rows(150));
    let said = ok(f, "fit rare.csv -o m.eocc").err;
    assert!(
        said.contains("`kind` is `b` in 8 of 500 samples") && said.contains("--contamination 0"),
        "{said}"
    );
    assert!(!ok(f, "fit rare.csv --contamination 0 -o m.eocc").err.contains("trimmed because"));
    assert!(!ok(f, "fit common.csv -o m.eocc").err.contains("trimmed because"));
}

/// An odd text is detected next to numbers, though it is one column among others.
#[test]
fn an_odd_text_is_found_next_to_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let words = ["connection", "from", "host", "opened", "closed", "by", "user", "session", "for", "root"];
    let mut r = Random::new(59);
    let mut row = |odd: bool| {
        let text: Vec<&str> = (0..6).map(|_| words[r.below(10)]).collect();
        let text = if odd { "KERNEL PANIC: not syncing, 0xdeadbeef".to_owned() } else { text.join(" ") };
        format!("{:.3},{:.3},{:.3},\"{text}\"\n", r.normal(), r.normal(), r.normal())
    };
    write(f, "t.csv", "a,b,c,message\n".to_owned() + &(0..300).map(|_| row(false)).collect::<String>());
    write(f, "new.csv", "a,b,c,message\n".to_owned() + &(0..40).map(|i| row(i < 10)).collect::<String>());
    ok(f, "fit t.csv -o m.eocc");
    let out = ok(f, "score m.eocc new.csv").out;
    let accepted: Vec<bool> = out.lines().skip(1).map(|line| line.contains("true")).collect();
    let found = accepted[..10].iter().filter(|a| !**a).count();
    assert!(found >= 7, "{found} of 10 found\n{out}");
    assert!(accepted[10..].iter().filter(|a| !**a).count() <= 6, "{out}");
}

/// Another locale, other numbers in the key, the file twice, another unit: the rejected rows stay the same, or nearly
/// so.
#[test]
fn other_shapes_of_a_table_give_the_same_answers() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(61);
    let mut rows = |n: usize| -> Vec<(usize, f64, f64, &str)> {
        (0..n)
            .map(|i| {
                (3000 + 7 * i, r.normal(), 20.0 + 5.0 * r.normal(), ["north", "south", "west"][r.below(3)])
            })
            .collect()
    };
    let (train, new) = (rows(300), rows(400));
    let table = |rows: &[(usize, f64, f64, &str)], key: usize, unit: f64| {
        rows.iter().fold(String::from("customer_no,x,size,region\n"), |text, (id, x, size, region)| {
            text + &format!("{},{x:.4},{:.4},{region}\n", id * key, size * unit)
        })
    };
    let german = |text: &str| text.replace(',', ";").replace('.', ",");
    write(f, "new.csv", table(&new, 1, 1.0));
    write(f, "plain.csv", table(&train, 1, 1.0));
    let answers = |train: &str, new: &str| {
        ok(f, &format!("fit {train} -o m.eocc"));
        let out = ok(f, &format!("score m.eocc {new}")).out;
        let cells = |line: &str| line.split(',').skip(2).map(str::to_owned).collect::<Vec<_>>();
        out.lines().skip(1).map(cells).collect::<Vec<_>>()
    };
    let expected = answers("plain.csv", "new.csv");
    write(f, "german.csv", german(&table(&train, 1, 1.0)));
    write(f, "neu.csv", german(&table(&new, 1, 1.0)));
    assert_eq!(answers("german.csv --decimal ,", "neu.csv"), expected, "another locale");
    write(f, "keys.csv", table(&train, 1000, 1.0));
    assert_eq!(answers("keys.csv", "new.csv"), expected, "other keys");
    let differ = |found: &[Vec<String>]| expected.iter().zip(found).filter(|(a, b)| a[2] != b[2]).count();
    let twice = table(&train, 1, 1.0) + table(&train, 1, 1.0).split_once('\n').unwrap().1;
    write(f, "twice.csv", twice);
    let found = differ(&answers("twice.csv", "new.csv"));
    assert!(found <= 8, "the file twice: {found} of 400 differ");
    // One of three views compares the units of columns.
    write(f, "unit.csv", table(&train, 1, 1000.0));
    write(f, "new_unit.csv", table(&new, 1, 1000.0));
    let found = differ(&answers("unit.csv", "new_unit.csv"));
    assert!(found <= 12, "another unit: {found} of 400 differ");
}

/// A column with exactly one missing value is treated like any other.
#[test]
fn one_empty_cell_changes_next_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let found = |gaps: usize| {
        let mut r = Random::new(62);
        let mut text = String::from("a,b,c\n");
        for i in 0..1000 {
            let a = r.normal() + if i < 30 { 7.0 } else { 0.0 };
            let b = r.normal();
            let b = if (500..500 + gaps).contains(&i) { String::new() } else { format!("{b:.4}") };
            writeln!(text, "{a:.4},{b},{:.4}", r.normal()).unwrap();
        }
        write(f, "t.csv", text);
        let out = ok(f, "outliers t.csv").out;
        let rows: Vec<usize> =
            out.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
        (rows.len(), rows.iter().filter(|row| **row < 30).count())
    };
    for gaps in [0, 1, 2] {
        let (rejected, planted) = found(gaps);
        assert!((45..=50).contains(&rejected) && planted >= 25, "{gaps}: {planted} of {rejected}");
    }
}

#[test]
fn hints_can_be_pasted_whatever_the_columns_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let row =
        |i: usize, third: &str| format!("{},{},{third},2024-0{}-0{}\n", i % 7, i % 5, 1 + i % 9, 1 + i % 9);
    let table = |third: &dyn Fn(usize) -> String| {
        let rows = (0..40).map(|i| row(i, &third(i))).collect::<String>();
        format!("a,b,it's a column,day of birth\n{rows}")
    };
    write(f, "mixed.csv", table(&|i| if i == 30 { "no idea".to_owned() } else { i.to_string() }));
    write(f, "comma.csv", table(&|i| format!("\"{i},5\"")));
    write(f, "fine.csv", table(&|i| (i % 11).to_string()));
    // One number is missing.
    write(f, "gap.csv", table(&|i| if i == 30 { String::new() } else { (i % 11).to_string() }));
    let quoted = r"'it'\''s a column'";
    for (words, hint) in [
        (
            "fit mixed.csv -o n.eocc",
            format!(
                r"(--na 'no idea' if that means missing, --types 'it'\''s a column=TYPE', --drop {quoted})"
            ),
        ),
        ("fit gap.csv --missing error -o n.eocc", format!("--drop {quoted}, or --label {quoted}")),
    ] {
        let done = run(f, words);
        assert!(done.code == 3 && done.err.contains(&hint), "{words}: {}", done.err);
    }
    // Dates whose days are all at most 12.
    let said = ok(f, "fit fine.csv -o m.eocc").err;
    assert!(said.contains("--types 'day of birth=ignore'"), "{said}");
    assert!(ok(f, "columns fine.csv").out.contains("--types 'day of birth=TYPE'"));
}

#[test]
fn codes_that_lost_their_zeros_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let table = |codes: [&str; 4]| {
        let mut r = Random::new(8);
        let row = |i: usize| format!("{},{:.3},{:.3}\n", codes[i % 4], r.normal(), r.normal());
        format!("zip,a,b\n{}", (0..80).map(row).collect::<String>())
    };
    std::fs::write(f.join("whole.csv"), table(["01234", "90210", "10115", "60601"])).unwrap();
    std::fs::write(f.join("lost.csv"), table(["1234", "90210", "10115", "60601"])).unwrap();
    assert!(ok(f, "fit lost.csv -o m.eocc").err.contains("note: `zip`: 1234 has fewer digits than most"));
    assert!(!ok(f, "fit whole.csv -o m.eocc").err.contains("fewer digits"));
    // What the model does not know is told as well.
    let said = ok(f, "score m.eocc lost.csv").err;
    assert!(said.contains("had a word in `zip` that training did not have, such as `1234`"), "{said}");
}

/// Rows with a word that hardly comes twice, of which some have an odd date and some an odd number.
fn flights() -> String {
    let mut r = Random::new(3);
    let mut row = |i: usize| {
        let year = if i % 150 == 7 { 1990 + i / 150 } else { 2023 };
        let air = if i % 150 == 8 { 900.0 } else { 300.0 + 40.0 * r.normal() };
        let (day, month, tail) = (1 + r.below(28), 1 + r.below(12), r.below(300));
        let letter = ["A", "B", "C"][r.below(3)];
        format!("N{tail:03}{letter},{air:.1},{:.3},{year}-{month:02}-{day:02}\n", r.normal())
    };
    format!("tail,air,delay,day\n{}", (0..900).map(&mut row).collect::<String>())
}

#[test]
fn what_sets_all_rows_apart_is_not_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    std::fs::write(f.join("t.csv"), flights()).unwrap();
    let out = ok(f, "outliers t.csv --types tail=category").out;
    let (mut first, mut all, mut planted) = (0, 0, 0);
    for line in out.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let row: usize = cells[0].parse().unwrap();
        all += 1;
        first += usize::from(cells[4] == "tail");
        let cause = [(7, "day"), (8, "air")].into_iter().find(|(at, _)| row % 150 == *at);
        if let Some((_, cause)) = cause {
            planted += 1;
            assert_eq!(cells[4], cause, "{line}");
            assert!(cells[6] != "tail" || cells[7].parse::<f64>().unwrap() < 0.05, "{line}");
        }
    }
    assert_eq!(planted, 12, "{out}");
    assert!(first * 4 < all, "`tail` is the first reason for {first} of {all}\n{out}");
    // Shares are of one whole.
    ok(f, "fit t.csv --types tail=category -o m.eocc");
    for line in ok(f, "explain m.eocc t.csv --row 7 --row 8 --row 30 --json").out.lines() {
        let why: serde_json::Value = serde_json::from_str(line).unwrap();
        let total: f64 =
            why["features"].as_array().unwrap().iter().map(|f| f["share"].as_f64().unwrap()).sum();
        assert!((0.95..=1.0 + 1e-9).contains(&total), "{line}");
    }
}

#[test]
fn a_text_weighs_no_more_than_another_column() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let words =
        ["the", "room", "was", "clean", "quiet", "small", "noisy", "staff", "kind", "late", "view", "street"];
    let mut r = Random::new(5);
    let mut row = |_| {
        let text: Vec<&str> = (0..5 + r.below(9)).map(|_| words[r.below(12)]).collect();
        format!(
            "{:.1},{:.3},{},{:.2},{}\n",
            300.0 + 40.0 * r.normal(),
            r.normal(),
            1 + r.below(59),
            r.normal(),
            text.join(" ")
        )
    };
    let text = format!("price,delay,nights,stars,review\n{}", (0..600).map(&mut row).collect::<String>());
    std::fs::write(f.join("t.csv"), text).unwrap();
    let found = ok(f, "outliers t.csv");
    assert!(found.err.contains("review: text"), "{}", found.err);
    let (mut share, mut rows) = (0.0, 0);
    for line in found.out.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        rows += 1;
        for at in [4, 6] {
            share += if cells[at] == "review" { cells[at + 1].parse().unwrap() } else { 0.0 };
        }
    }
    let mean = share / f64::from(rows);
    assert!(rows > 10 && mean <= 0.2, "{mean} of {rows} reasons");
}

#[test]
fn an_approximate_search_says_what_its_figure_means() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(6);
    let rows: Vec<String> = (0..900).map(|_| format!("{:.3},{:.3}\n", r.normal(), r.normal())).collect();
    let text = rows.concat();
    std::fs::write(f.join("t.csv"), format!("a,b\n{text}")).unwrap();
    let out = ok(f, "fit t.csv -o m.eocc --visits 100").out;
    let line = out.lines().find(|line| line.starts_with("graph")).unwrap();
    assert!(
        line.contains(
            " % of the true neighbors found by an approximate search (--visits all for an exact one)"
        ),
        "{line}"
    );
    assert!(!ok(f, "fit t.csv -o m.eocc --visits all").out.contains("true neighbors"));
}

/// People get a table, programs get CSV: decided by whether standard output is a terminal, which `script` makes.
#[test]
fn a_terminal_gets_a_table_and_a_pipe_gets_csv() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    std::fs::write(f.join("t.csv"), flights()).unwrap();
    ok(f, "fit t.csv -o m.eocc");
    let on_terminal = |words: &str| {
        let command = format!("stty cols 200; {} {words}", env!("CARGO_BIN_EXE_eocc"));
        let mut script = std::process::Command::new("script");
        script.args(["-q", "-e", "-c", &command, "/dev/null"]).current_dir(f);
        let done = script.stdin(std::process::Stdio::null()).output().ok()?;
        done.status.success().then(|| String::from_utf8_lossy(&done.stdout).replace('\r', ""))
    };
    let Some(shown) = on_terminal("outliers t.csv --quiet") else {
        eprintln!("skipped: there is no `script` to make a terminal with");
        return;
    };
    let header = shown.lines().find(|line| line.starts_with("row")).unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(header.split_whitespace().collect::<Vec<_>>().join(" "), "row p-value like it why", "{shown}");
    assert!(shown.contains("(usual: "), "{shown}");
    let piped = ok(f, "outliers t.csv --quiet").out;
    assert!(piped.starts_with("row,score,p_value,rejected,feature_1,"), "{piped}");
    // An option outweighs the terminal.
    let asked = on_terminal("outliers t.csv --quiet --format csv").unwrap();
    assert_eq!(asked, piped);
    assert!(ok(f, "outliers t.csv --quiet --format table").out.starts_with("row  "));
    // Answers of `score` are shortened for the eye, and whole for programs.
    let (shown, piped) =
        (on_terminal("score m.eocc t.csv --quiet").unwrap(), ok(f, "score m.eocc t.csv --quiet").out);
    assert_eq!(shown.lines().count(), piped.lines().count());
    assert!(shown.len() < piped.len(), "{shown}");
}

#[test]
fn copies_of_rows_are_a_warning_and_equal_rows_of_few_values_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(4);
    let rows: Vec<String> = (0..200).map(|_| format!("{:.4},{:.4}", r.normal(), r.normal())).collect();
    write(
        f,
        "joined.csv",
        format!("a,b\n{}\n", [rows.join("\n"), rows.join("\n"), rows.join("\n")].join("\n")),
    );
    let few: Vec<String> =
        (0..600).map(|_| format!("{},{}", r.below(6), ["x", "y", "z"][r.below(3)])).collect();
    write(f, "few.csv", format!("a,b\n{}\n", few.join("\n")));
    let warning = "400 of 600 samples are copies of an earlier one";
    assert!(ok(f, "fit joined.csv -o m.eocc").err.contains(warning));
    assert!(!ok(f, "fit few.csv -o m.eocc").err.contains("copies of an earlier one"));
}
