//! Hostile files as typed columns: an error with the location, or columns that keep their promises, never a panic.

use std::io::Write as _;

use eocc_data::{
    FieldType, Format, ReadOptions, Table, Values, labels_for, read_bytes, read_labels, read_pairs, typed,
};
use proptest::prelude::*;

const FORMATS: [Format; 5] = [Format::Csv, Format::JsonLines, Format::Fasta, Format::Fastq, Format::Ts];

fn read(name: &str, bytes: &[u8]) -> Result<Table, String> {
    let table = read_bytes(name, bytes, &ReadOptions::default());
    table.and_then(|table| typed(&table, &[])).map_err(|error| error.to_string())
}

fn message(name: &str, bytes: &[u8]) -> String {
    read(name, bytes).unwrap_err()
}

/// What the documentation of `Values` promises.
fn check(table: &Table) {
    let rows = table.rows();
    assert!(rows > 0 && table.width() > 0);
    assert!(table.row_names().is_none_or(|names| names.len() == rows));
    for column in table.columns() {
        assert_eq!(column.len(), rows);
        let known = |row: &usize| !column.is_missing(*row);
        match column.values() {
            Values::Float(values) => assert!((0..rows).filter(known).all(|row| values[row].is_finite())),
            Values::Levels { levels, codes } => {
                assert!(column.type_name() == "ordered" || levels.is_sorted());
                assert!((0..rows).filter(known).all(|row| (codes[row] as usize) < levels.len()));
            }
            Values::Series(series) => {
                let channels = series[0][0].len();
                assert!(channels > 0 && series.iter().all(|steps| !steps.is_empty()));
                assert!(series.iter().flatten().all(|step| step.len() == channels));
                assert!(series.iter().flatten().flatten().all(|value| value.is_finite()));
            }
            Values::Cells(_) if column.type_name() == "graph" => {
                assert!((0..rows).all(|row| column.text(row).starts_with('{')));
            }
            _ => {}
        }
    }
    assert_eq!(table.describe().len(), table.width());
    let last = table.pick(&[rows - 1, 0]);
    assert_eq!((last.rows(), last.location(0)), (2, table.location(rows - 1)));
}

fn exercise(format: Format, bytes: &[u8], overrides: &[(String, FieldType)]) {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    match read_bytes("hostile", bytes, &options).and_then(|table| typed(&table, overrides)) {
        Ok(fields) => check(&fields),
        Err(error) => assert!(error.to_string().starts_with("hostile: ") && !error.is_io(), "{error}"),
    }
}

#[test]
fn empty_files_and_files_of_a_header() {
    for name in ["a.csv", "a.jsonl", "a.fa", "a.ts", "-"] {
        assert!(message(name, b"").contains("is empty"), "{name}");
    }
    assert!(message("a.csv", b"x,kind\n").contains("has a header on line 1 (\"x\", \"kind\") but no rows"));
    assert!(message("a.ts", b"@problemName x\n@data\n").contains("no series"));
    assert!(message("a.fa", b">p description\n").contains("line 1: the sequence \"p\" is empty"));
}

#[test]
fn text_that_is_none() {
    for (name, bytes) in [
        ("a.csv", &b"a,b\n1,\xff\n"[..]),
        ("a.jsonl", b"{\"a\": 1}\n{\"a\": \"\xc3\x28\"}\n"),
        ("a.fa", b">p\nAC\xffD\n"),
        ("a.ts", b"@data\n1,\xfe\n"),
    ] {
        assert!(message(name, bytes).contains("line 2, byte"), "{name}: {}", message(name, bytes));
        assert!(message(name, bytes).contains("not valid UTF-8"), "{name}");
    }
    assert!(message("a.fa", b">p\nAC\0D\n").contains("zero byte"));
}

#[test]
fn values_that_are_not_numbers_within_series() {
    let nan = b"{\"s\": [1, NaN]}\n";
    assert!(
        message("a.jsonl", nan).contains("line 1, column 11: NaN is not JSON"),
        "{}",
        message("a.jsonl", nan)
    );
    let null = b"{\"s\": [1]}\n{\"s\": [1, null]}\n";
    assert!(message("a.jsonl", null).contains("row 1 (line 2), column \"s\": time step 1: \"null\" is not"));
    let huge = b"{\"s\": [1]}\n{\"s\": [1e999]}\n";
    assert!(message("a.jsonl", huge).contains("line 2, column"), "{}", message("a.jsonl", huge));
    let quoted = b"id,s\n1,\"[1, 2]\"\n2,\"[3, 1e999]\"\n";
    let text = message("a.csv", quoted);
    assert!(
        text.contains("row 1 (line 3), column \"s\": time step 1: \"1e999\" is not a finite number"),
        "{text}"
    );
}

#[test]
fn series_that_do_not_fit_each_other() {
    let text = message("a.jsonl", b"{\"s\": [[1, 2]]}\n{\"s\": [[1, 2, 3]]}\n");
    assert!(
        text.contains("line 2") && text.contains("time step 0 has 3 channels, but row 0 (line 1) has 2"),
        "{text}"
    );
    let text = message("a.ts", b"@problemName x\n@data\n1,2:3,4\n1,2\n");
    assert!(text.contains("line 4: the line has 1 channel, but line 3 has 2"), "{text}");
}

#[test]
fn deep_nesting() {
    for depth in [100, 1000, 100_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let value = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            exercise(Format::JsonLines, format!("{{\"x\": {value}}}\n").as_bytes(), &[]);
            exercise(Format::Csv, format!("x\n\"{}\"\n", value.replace('"', "\"\"")).as_bytes(), &[]);
            for kind in [FieldType::Series, FieldType::Graph] {
                let table = format!("x\n\"{}\"\n", value.replace('"', "\"\""));
                exercise(Format::Csv, table.as_bytes(), &[("x".into(), kind)]);
            }
        }
    }
    assert!(
        message("a.jsonl", format!("{{\"x\": {}1{}}}\n", "[".repeat(999), "]".repeat(999)).as_bytes())
            .contains("recursion limit")
    );
}

#[test]
fn huge_numbers() {
    assert!(
        message("a.csv", b"a,b\n1,2\n1e999,3\n")
            .contains("row 1 (line 3), column \"a\": \"1e999\" is infinite")
    );
    let digits = "9".repeat(400);
    assert!(message("a.csv", format!("a,b\n1,2\n{digits},3\n").as_bytes()).contains("is infinite"));
    assert!(message("a.jsonl", format!("{{\"a\": {digits}}}\n").as_bytes()).contains("is infinite"));
    assert!(read("a.csv", b"a,b\n1,2\n1e300,3\n").is_ok());
}

#[test]
fn labels_and_pairs_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.csv");
    std::fs::File::create(&path).unwrap().write_all(b"name,label\np,x\nq,y\n").unwrap();
    let labels = read_labels(&path).unwrap();
    assert_eq!(labels_for(&["q".to_owned()], &labels).unwrap(), ["y"]);
    assert_eq!(read_pairs(&path).unwrap().len(), 3);
    assert!(read_labels(&folder.path().join("none.csv")).unwrap_err().is_io());
}

fn kinds() -> impl Strategy<Value = FieldType> {
    prop::sample::select(vec![
        FieldType::Number,
        FieldType::Boolean,
        FieldType::Category,
        FieldType::Ordered(vec!["a".into(), "b".into()]),
        FieldType::Text,
        FieldType::Series,
        FieldType::Graph,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in FORMATS {
            exercise(format, &bytes, &[]);
        }
        exercise(Format::Fasta, &[b">p\n", &bytes[..]].concat(), &[]);
        exercise(Format::Fastq, &[b"@p\nA\n+\nI\n@q\n", &bytes[..]].concat(), &[]);
        exercise(Format::Ts, &[b"@problemName x\n@data\n", &bytes[..]].concat(), &[]);
        exercise(Format::Csv, &[b"\x1f\x8b\x08", &bytes[..]].concat(), &[]);
    }

    #[test]
    fn random_text(text in "[0-9aex>;@#.,:?()\"\\[\\]{} \t\r\n-]{0,80}", kind in kinds()) {
        let overrides = [("0".to_owned(), kind)];
        for format in FORMATS {
            exercise(format, text.as_bytes(), &[]);
            exercise(format, text.as_bytes(), &overrides);
        }
        exercise(Format::JsonLines, format!("{{\"a\":{text}}}").as_bytes(), &overrides);
        for header in ["@timeStamps true", "@classLabel true a e", "@targetLabel true", "@equalLength true"] {
            exercise(Format::Ts, format!("{header}\n@data\n{text}").as_bytes(), &[]);
        }
    }

    #[test]
    fn what_is_written_is_read(
        series in prop::collection::vec(
            (1_usize..4).prop_flat_map(|length| prop::collection::vec((-1e9..1e9_f64, -1.0..1.0_f64), length)), 1..5),
    ) {
        let series: Vec<Vec<Vec<f64>>> =
            series.into_iter().map(|steps| steps.into_iter().map(|(a, b)| vec![a, b]).collect()).collect();
        let lines: Vec<String> = series.iter().map(|steps| format!("{{\"s\": {steps:?}}}")).collect();
        let channel = |steps: &Vec<Vec<f64>>, at: usize| {
            steps.iter().map(|step| step[at].to_string()).collect::<Vec<_>>().join(",")
        };
        let mut cases = vec!["@data".to_owned()];
        cases.extend(series.iter().map(|steps| format!("{}:{}", channel(steps, 0), channel(steps, 1))));
        for (name, text) in [("a.jsonl", lines.join("\n")), ("a.ts", cases.join("\n"))] {
            let fields = read(name, text.as_bytes()).unwrap();
            let Values::Series(found) = fields.columns()[0].values() else { panic!("no series") };
            prop_assert_eq!(found, &series);
        }
    }
}
