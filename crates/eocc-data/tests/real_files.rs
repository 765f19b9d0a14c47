//! The files of the experiments, if they are at hand: in the folder that `EOCC_DATA` names, else beside the workspace.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // Helpers of tests, too, may fail.

use std::path::{Path, PathBuf};

use eocc_data::{ReadOptions, Table, read};

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("EOCC_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no data at {}; set EOCC_DATA to the folder that holds it", folder.display());
    None
}

fn table(path: &Path) -> Table {
    read(path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Columns other than the label.
fn features(table: &Table, label: usize) -> Vec<usize> {
    (0..table.names().len()).filter(|column| *column != label).collect()
}

#[test]
fn uci() {
    let Some(folder) = folder() else { return };
    for (name, targets, outliers, width) in [
        ("abalone", 1407, 2770, 10),
        ("arrhythmia", 237, 183, 278),
        ("breast_prognostic", 151, 47, 33),
        ("biomed", 127, 67, 5),
        ("breast_original", 458, 241, 9),
        ("diabetes", 500, 268, 8),
        ("ecoli", 52, 284, 7),
        ("liver", 200, 145, 6),
    ] {
        let table = table(&folder.join(format!("uci/{name}.csv")));
        let label = table.column("label").unwrap();
        assert!(table.has_header(), "{name}");
        assert_eq!(table.matching(label, "target").unwrap().len(), targets, "{name}");
        assert_eq!(table.matching(label, "outlier").unwrap().len(), outliers, "{name}");
        let features = features(&table, label);
        assert_eq!(features.len(), width, "{name}");
        assert_eq!(table.numbers(&features).unwrap().len(), (targets + outliers) * width, "{name}");
    }
}

#[test]
fn missing_cells_are_located() {
    let Some(folder) = folder() else { return };
    let table = table(&folder.join("uci/breast_original_missing.csv"));
    let column = table.column("bare_nuclei").unwrap();
    let missing = (0..table.rows()).filter(|row| table.cell(*row, column).is_missing()).count();
    assert_eq!(missing, 16);
    let message = table.numbers(&[column]).unwrap_err().to_string();
    assert!(
        message.contains("(line ") && message.contains("\"bare_nuclei\": the value is missing"),
        "{message}"
    );
}

#[test]
fn adbench() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for entry in std::fs::read_dir(folder.join("adbench")).unwrap() {
        let path = entry.unwrap().path();
        let table = table(&path);
        let label = table.column("y").unwrap();
        let normal = table.matching(label, "0").unwrap().len();
        let anomalies = table.matching(label, "1").unwrap().len();
        assert_eq!(normal + anomalies, table.rows(), "{}", path.display());
        let features = features(&table, label);
        assert_eq!(
            table.names()[..features.len()],
            (0..features.len()).map(|i| format!("x{i}")).collect::<Vec<_>>()
        );
        assert_eq!(table.numbers(&features).unwrap().len(), table.rows() * features.len());
        let shape = match path.file_name().unwrap().to_str().unwrap() {
            "45_wine.npz" => Some((129, 13)),
            "14_glass.npz" => Some((214, 7)),
            "23_mammography.npz" => Some((11183, 6)),
            _ => None,
        };
        if let Some(shape) = shape {
            assert_eq!((table.rows(), features.len()), shape, "{}", path.display());
        }
        count += 1;
    }
    assert_eq!(count, 20);
}

#[test]
fn sequences_and_pairs() {
    let Some(folder) = folder() else { return };
    let table = table(&folder.join("esol/esol_sequences.csv"));
    assert_eq!(table.rows(), 3173);
    let class = table.column("class").unwrap();
    assert_eq!(table.matching(class, "insoluble").unwrap().len(), 1640);
    assert_eq!(self::table(&folder.join("ged/AIDS.csv")).rows(), 200);
}
