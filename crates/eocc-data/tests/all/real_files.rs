//! The files of the experiments, if available: in the folder `EOCC_DATA`, else next to the workspace.

use std::path::{Path, PathBuf};

use eocc_data::{ReadOptions, Table, Values, read, read_pairs, typed};

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
    (0..table.width()).filter(|column| *column != label).collect()
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

#[test]
fn sequences_as_fields() {
    let Some(folder) = folder() else { return };
    let path = folder.join("esol/esol_sequences.csv");
    let table = table(&path);
    let error = typed(&table, &[]).unwrap_err();
    assert!(error.to_string().contains("column \"uniprot\": the text is missing"), "{error}");
    let wanted = ["sequence", "solubility", "class"].map(|name| table.column(name).unwrap());
    let fields = typed(&table.select(&wanted), &[]).unwrap();
    let types: Vec<String> = fields.describe().into_iter().map(|(_, words)| words).collect();
    assert_eq!(types, ["text", "number", "category, 3 levels"]);
    assert_eq!(fields.rows(), 3173);
    assert_eq!(read_pairs(&folder.join("ged/AIDS.csv")).unwrap().len(), 200);
}

#[test]
fn packed_tables() {
    let Some(folder) = folder() else { return };
    assert!(table(&folder.join("esol/structures_ca.csv.gz")).rows() > 1000);
}

#[test]
fn time_series() {
    let Some(folder) = folder() else { return };
    for (name, train, test, classes, channels, lengths) in [
        ("ArrowHead", 36, 175, 3, 1, (251, 251)),
        ("BasicMotions", 40, 40, 4, 6, (100, 100)),
        ("Coffee", 28, 28, 2, 1, (286, 286)),
        ("GunPoint", 50, 150, 2, 1, (150, 150)),
        ("ItalyPowerDemand", 67, 1029, 2, 1, (24, 24)),
        ("JapaneseVowels", 270, 370, 9, 12, (7, 29)),
        ("OSULeaf", 200, 242, 6, 1, (427, 427)),
        ("PickupGestureWiimoteZ", 50, 50, 10, 1, (29, 361)),
        ("Trace", 100, 100, 4, 1, (275, 275)),
    ] {
        let (mut shortest, mut longest) = (usize::MAX, 0);
        for (part, rows) in [("TRAIN", train), ("TEST", test)] {
            let fields = table(&folder.join(format!("ts/{name}_{part}.ts")));
            assert_eq!(fields.rows(), rows, "{name} {part}");
            let [series, class] = fields.columns() else { panic!("{name} {part}: {:?}", fields.describe()) };
            let Values::Series(series) = series.values() else { panic!("{name} {part}: no series") };
            assert!(series.iter().flatten().all(|step| step.len() == channels), "{name} {part}");
            shortest = series.iter().map(Vec::len).min().unwrap().min(shortest);
            longest = series.iter().map(Vec::len).max().unwrap().max(longest);
            let Values::Levels { levels, .. } = class.values() else { panic!("{name}: no class") };
            assert_eq!((levels.len(), class.missing()), (classes, 0), "{name} {part}");
        }
        assert_eq!((shortest, longest), lengths, "{name}");
    }
}
