//! What real tables did to the program, a test each: the same rows give the same answer in whatever order, number, format or
//! notation they come, and where a choice is made the program says so.

use std::fmt::Write as _;
use std::path::Path;

use eocc_core::random::Random;

use crate::support::{ok, run, run_with};

fn write(folder: &Path, name: &str, text: impl AsRef<str>) {
    std::fs::write(folder.join(name), text.as_ref()).unwrap();
}

/// People with a salary each, of which one is far too high; the header comes first.
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

/// The rejected rows as they are in the file, sorted, and how many there are.
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
    // One array of objects, as programs write it, on one line or over many.
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

/// A model without names gives answers without names, whatever a file looks like; one with names always has the column.
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
    // Named: also for files without the names.
    let keyed: Vec<String> = rows.iter().enumerate().map(|(i, row)| format!("A-{i:04},{row}")).collect();
    write(f, "keyed.csv", format!("ref,a,b\n{}\n", keyed.join("\n")));
    ok(f, "fit keyed.csv -o k.eocc");
    let named = "row,name,score,membership,accepted,region,p_value";
    for (file, name) in [("train.csv", ""), ("keyed.csv", "A-0000"), ("new.csv", "A-0000")] {
        let out = ok(f, &format!("score k.eocc {file}")).out;
        assert_eq!(out.lines().next(), Some(named), "{file}");
        assert_eq!(first_line(&out)[1], name, "{file}");
    }
    // No rows: the header alone.
    write(f, "none.csv", "ref,a,b\n");
    assert_eq!(ok(f, "score k.eocc none.csv").out, format!("{named}\n"));
    assert_eq!(ok(f, "score m.eocc none.csv").out, format!("{plain}\n"));
}

/// January's model is asked about February.
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
    // What else is constant counts.
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
    assert!(!said.contains("lack a value"), "{said}");
    let said = ok(f, "outliers some.csv").err;
    if let Some(line) = said.lines().find(|line| line.contains("lack a value")) {
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

/// Many copies of one message are one line, with a count; the odd one is not buried.
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
    // The page leads with them too.
    ok(f, "outliers t.csv --report r.html -o o.csv");
    let page = std::fs::read_to_string(f.join("r.html")).unwrap();
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    assert!(page.contains("<title>Outliers of t.csv</title>"));
    assert!(place("The most unusual") < place("Map of the samples"));
    assert!(place("and 5 like it") < place("Map of the samples"));
    assert!(place("Map of the samples") < place("Facts of the model"));
    assert!(page.contains("<details id=\"internals\">"));
}

/// Office documents are not arrays of NumPy.
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

/// A row that lacks several values is odd because of these.
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

/// Log lines by their templates: those that differ in numbers and addresses only are alike, and the rare message comes first.
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
    // The model keeps it.
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

/// The same file twice in a folder, as exports are, has the columns of the file.
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

/// A table of few words repeats its rows; what has few values names nothing.
#[test]
fn columns_of_few_values_are_no_keys() {
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

/// Of many equal rows none has a p-value below their share, and of 20 rows one can be rejected.
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
