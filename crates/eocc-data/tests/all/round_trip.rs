//! Written files read back to the same bits.

use std::path::PathBuf;

use eocc_data::{Column, OutFormat, Output, ReadOptions, Table, Values, read, write, write_npy};
use proptest::prelude::*;

/// Every finite float, all bit patterns equally likely.
fn finite() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |value| value.is_finite())
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

fn through(columns: &[Column], format: OutFormat, extension: &str) -> Table {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join(format!("table.{extension}"));
    write(columns, format, &Output::Path(path.clone())).unwrap();
    read(&path, &ReadOptions::default()).unwrap()
}

/// Texts with everything that is difficult in text formats, except surrounding blanks, which are ignored in labels.
fn text() -> impl Strategy<Value = String> {
    "[a-zé\",;|\\\\\n\r\t']{0,6}".prop_map(|text| format!("<{text}>"))
}

fn formats() -> Vec<(OutFormat, &'static str)> {
    let mut formats = vec![(OutFormat::Csv, "csv"), (OutFormat::JsonLines, "jsonl")];
    if cfg!(feature = "columnar") {
        formats.push((OutFormat::Parquet, "parquet"));
    }
    formats
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn numbers(values in prop::collection::vec(finite(), 1..8)) {
        for (format, extension) in formats() {
            let table = through(&[Column::new("a", Values::Float(values.clone()))], format, extension);
            prop_assert!(same_bits(&table.numbers(&[0]).unwrap(), &values), "{} {:?}", extension, values);
        }
    }

    #[test]
    fn arrays(rows in 1_usize..5, values in prop::collection::vec(finite(), 12)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.npy");
        let columns = 12 / rows;
        let values = &values[..rows * columns];
        write_npy(&path, rows, columns, values).unwrap();
        let table = read(&path, &ReadOptions::default()).unwrap();
        prop_assert_eq!(table.rows(), rows);
        prop_assert!(same_bits(&table.numbers(&(0..columns).collect::<Vec<_>>()).unwrap(), values));
    }

    #[test]
    fn whole_tables(
        rows in prop::collection::vec((any::<i64>(), any::<bool>(), text()), 1..6),
        name in text(),
    ) {
        let columns = [
            Column::new("id", Values::Integer(rows.iter().map(|row| row.0).collect())),
            Column::new("flag", Values::Boolean(rows.iter().map(|row| row.1).collect())),
            Column::texts(name.clone(), rows.iter().map(|row| &row.2)),
        ];
        for (format, extension) in formats() {
            let table = through(&columns, format, extension);
            prop_assert_eq!(table.name(2), name.as_str());
            let ids: Vec<String> = rows.iter().map(|row| row.0.to_string()).collect();
            prop_assert_eq!(table.text(0).collect::<Vec<_>>(), ids);
            let flags: Vec<String> = rows.iter().map(|row| row.1.to_string()).collect();
            prop_assert_eq!(table.text(1).collect::<Vec<_>>(), flags);
            let texts: Vec<&str> = rows.iter().map(|row| row.2.as_str()).collect();
            prop_assert_eq!(table.text(2).collect::<Vec<_>>(), texts);
        }
    }
}
