//! Thresholds keep their promise: fresh nominals are rejected at the requested rate, and p-values are uniform; for
//! vectors, mixed tables, records, strings and graphs, with duplicates, and with fewer rows than columns.

use std::collections::BTreeMap;
use std::path::PathBuf;

use eocc_core::graphs::{GraphInput, Graphs, Value};
use eocc_core::random::Random;
use eocc_core::sample::{ColumnKind, MixedColumn};
use eocc_core::{
    Matrix, MixedTable, OneClass, Part, Preset, Records, SampleKind, SampleSet, SeriesSet, Settings, Silent,
    Texts, Vectors,
};
use eocc_data::{Dataset, FieldType, ReadOptions, ReadRequest};
use eocc_eval::Protocol as _;
use eocc_lab::half_split::HalfSplit;

/// The reject rate.
const REJECT: f64 = 0.05;
/// Beyond this fraction of equal p-values, they come in lumps.
const MAX_LUMP: f64 = 0.1;
/// Maximum number of samples on either side: enough to detect an error of two points.
const MAX_SAMPLES: usize = 1000;

/// P-values of fresh nominals under models of the other half, split by split, and the number of training samples of
/// each model.
fn p_values<X: SampleKind>(samples: &X, splits: usize) -> Vec<(usize, Vec<f64>)> {
    let nominal: Vec<usize> = (0..samples.count()).collect();
    // The protocol requires outliers; none are used.
    let half_split = HalfSplit {
        repeats: splits,
        max_train: MAX_SAMPLES,
        max_test: usize::MAX,
        contamination: 0.0,
        seed: 7,
    };
    let splits = half_split.splits(&nominal, &[0, 1]).expect("splits");
    let params = OneClass::new(Preset::Default).reject(REJECT).check().expect("parameters");
    let of = |train: &[usize], test: &[usize]| {
        let measure = X::measure(Preset::Default, None, &Settings::default()).expect("measure");
        let model = params.fit_with(&samples.select(train), measure, &Silent).expect("fit");
        // Indices ascend, and files have their own order.
        let some: Vec<usize> = test.iter().copied().step_by(test.len().div_ceil(MAX_SAMPLES)).collect();
        let decisions = model.decide_all(&samples.select(&some)).expect("decisions");
        assert!(decisions.iter().all(|d| d.accepted == (d.p_value > REJECT)));
        (train.len(), decisions.iter().map(|d| d.p_value).collect())
    };
    splits.iter().map(|s| of(&s.train, &s.nominal)).collect()
}

/// How far the fraction of p-values up to `p` rises above `p`, and how far it falls below, over all possible p-values.
fn kolmogorov_smirnov(p: &[f64]) -> (f64, f64) {
    let mut sorted = p.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let m = sorted.len() as f64;
    let steps = sorted.iter().enumerate();
    steps.fold((0.0, 0.0), |(above, below), (i, p)| {
        (f64::max(above, (i + 1) as f64 / m - p), f64::max(below, p - i as f64 / m))
    })
}

/// Fails if the rejected fraction is off by more than twice its binomial error (including that of the calibration),
/// or if p-values are not uniform at a level of one in a thousand. If many samples are duplicates of each other,
/// p-values come in lumps, and are only required not to be too small.
fn check(name: &str, splits: &[(usize, Vec<f64>)]) {
    let (mut share, mut error) = (0.0, 0.0);
    for (n, p) in splits {
        let m = p.len() as f64;
        let sizes = 1.0 / m + 1.0 / *n as f64;
        share += p.iter().filter(|p| **p <= REJECT).count() as f64 / m / splits.len() as f64;
        error += (REJECT * (1.0 - REJECT) * sizes).sqrt() / splits.len() as f64;
        let ((above, below), lump) = (kolmogorov_smirnov(p), largest_lump(p));
        let limit = 1.95 * sizes.sqrt() + lump;
        assert!(above <= limit, "{name}: p-values are too small, by {above} where {limit} is chance");
        let is_lumpy = lump > MAX_LUMP;
        assert!(
            is_lumpy || below <= limit,
            "{name}: p-values are too large, by {below} where {limit} is chance"
        );
    }
    eprintln!("{name}: {share:.3} of the nominals rejected at {REJECT}, error {error:.3}");
    // Over the splits the error is smaller, but they share samples.
    assert!((share - REJECT).abs() <= 2.0 * error, "{name}: {share} rejected, not {REJECT} (error {error})");
}

/// The largest fraction of equal p-values.
fn largest_lump(p: &[f64]) -> f64 {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for p in p {
        *counts.entry(p.to_bits()).or_default() += 1;
    }
    counts.values().max().map_or(0.0, |most| *most as f64 / p.len() as f64)
}

#[test]
fn of_vectors_of_every_set_with_two_hundred_nominals() {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = std::env::var_os("EOCC_DATA").map_or_else(beside, PathBuf::from);
    let mut sets: BTreeMap<PathBuf, (&str, &str)> = BTreeMap::new();
    for (name, label, nominal) in [("adbench", "y", "0"), ("uci", "label", "target")] {
        let Ok(entries) = std::fs::read_dir(folder.join(name)) else {
            eprintln!("skipped: there is no folder `{name}` in {}; set EOCC_DATA", folder.display());
            continue;
        };
        sets.extend(entries.filter_map(Result::ok).map(|e| (e.path(), (label, nominal))));
    }
    for (path, (label, nominal)) in sets {
        let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        // The first is expensive because of its 1555 features; the others are tables with gaps.
        if name.contains("InternetAds") || name.ends_with("_missing") {
            continue;
        }
        let table = eocc_data::read(&path, &ReadOptions::default()).expect("table");
        let label = table.column(label).expect("label");
        let rows = table.matching(label, nominal).expect("nominals");
        if rows.len() < 200 {
            continue;
        }
        let columns: Vec<usize> = (0..table.names().len()).filter(|c| *c != label).collect();
        let matrix = Matrix::new(table.numbers(&columns).expect("numbers"), table.rows(), columns.len());
        check(&name, &p_values(&Vectors::new(matrix).expect("vectors").select(&rows), 3));
    }
}

/// Whether to take the time for every set; otherwise, some stand for all.
fn is_every_set_wanted() -> bool {
    std::env::var_os("EOCC_EVERY_SET").is_some()
}

/// The same for strings, series and graphs.
#[test]
fn of_strings_series_and_graphs_with_two_hundred_nominals() {
    const SOME: [&str; 4] = ["strings_log-Apache", "strings_sms", "series_TwoLeadECG", "series_Earthquakes"];
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = std::env::var_os("EOCC_DATA").map_or_else(beside, PathBuf::from).join("kinds");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no {}; set EOCC_DATA", folder.display());
        return;
    };
    let is_wanted = |name: &str| is_every_set_wanted() || SOME.iter().any(|s| name.starts_with(s));
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|e| e.path()).collect();
    files.retain(|f| f.file_name().is_some_and(|name| is_wanted(&name.to_string_lossy())));
    files.sort();
    for path in files {
        let name = path.file_name().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let is_text = name.starts_with("strings_");
        let types = if is_text { vec![("text".to_owned(), FieldType::Text)] } else { Vec::new() };
        let request = ReadRequest { label: Some("class".to_owned()), types, ..ReadRequest::default() };
        let data = Dataset::read(&path, &request).expect("a set");
        let mut classes: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
        for (i, class) in data.classes.iter().flatten().enumerate() {
            classes.entry(class).or_default().push(i);
        }
        for (class, rows) in classes.iter().filter(|(_, rows)| rows.len() >= 200) {
            let name = format!("{name}, {class}");
            if let Some(texts) = data.samples.downcast_ref::<Texts>() {
                check(&name, &p_values(&texts.select(rows), 3));
            } else if let Some(series) = data.samples.downcast_ref::<SeriesSet>() {
                check(&name, &p_values(&series.select(rows), 3));
            } else if let Some(graphs) = data.samples.downcast_ref::<Graphs>() {
                check(&name, &p_values(&graphs.select(rows), 3));
            }
        }
    }
}

/// The fraction of rejected fresh nominals, over many small training sets, is at most twice its error above the
/// requested rate; no more is required if there are fewer rows than columns.
fn check_few(name: &str, train: usize, draw: impl Fn(usize, &mut Random) -> Vec<Vec<f64>>) {
    let (fits, fresh) = (30, 60);
    let mut shares = Vec::new();
    for seed in 0..fits {
        let mut r = Random::new(seed);
        let rows = draw(train + fresh, &mut r);
        let model =
            OneClass::default().reject(REJECT).fit(&Vectors::from_rows(&rows[..train]).unwrap()).unwrap();
        let decisions = model.decide_all(&Vectors::from_rows(&rows[train..]).unwrap()).unwrap();
        shares.push(decisions.iter().filter(|d| !d.accepted).count() as f64 / fresh as f64);
    }
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let deviation = (shares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / count).sqrt();
    // If hardly any are rejected, their deviation is meaningless: use at least that of the promise.
    let error = (deviation / count.sqrt()).max((REJECT * (1.0 - REJECT) / (count * fresh as f64)).sqrt());
    eprintln!("{name}: {mean:.3} rejected at {REJECT}, error {error:.3}");
    assert!(mean <= REJECT + 2.0 * error, "{name}: {mean} rejected, not {REJECT} (error {error})");
}

#[test]
fn with_fewer_rows_than_columns() {
    let gaussian = |columns: usize| {
        move |n: usize, r: &mut Random| -> Vec<Vec<f64>> {
            (0..n).map(|_| (0..columns).map(|_| r.normal()).collect()).collect()
        }
    };
    let shapes = [(30, 300), (60, 300), (30, 50), (100, 300), (60, 1000), (100, 1000)];
    for &(rows, columns) in if is_every_set_wanted() { &shapes[..] } else { &shapes[..2] } {
        check_few(&format!("{rows} x {columns}"), rows, gaussian(columns));
    }
    let heavy = |n: usize, r: &mut Random| -> Vec<Vec<f64>> {
        let cell = |r: &mut Random| r.normal() / r.normal().abs().max(0.05);
        (0..n).map(|_| (0..100).map(|_| cell(r)).collect()).collect()
    };
    check_few("heavy tails, 60 x 100", 60, heavy);
    let sparse = |n: usize, r: &mut Random| -> Vec<Vec<f64>> {
        let cell = |r: &mut Random| if r.uniform() < 0.02 { r.normal() } else { 0.0 };
        (0..n).map(|_| (0..300).map(|_| cell(r)).collect()).collect()
    };
    check_few("sparse, 60 x 300", 60, sparse);
}

#[test]
fn of_embeddings_with_fewer_rows_than_columns() {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = std::env::var_os("EOCC_DATA").map_or_else(beside, PathBuf::from).join("embeddings");
    if !folder.is_dir() {
        eprintln!("skipped: there is no {}; set EOCC_DATA", folder.display());
        return;
    }
    let names = ["carpet", "hazelnut", "screw"];
    for name in if is_every_set_wanted() { &names[..] } else { &names[..1] } {
        let path = folder.join(format!("MVTec-AD_{name}.npz"));
        let table = eocc_data::read(&path, &ReadOptions::default()).expect("table");
        let label = table.column("y").expect("label");
        let rows = table.matching(label, "0").expect("nominals");
        let columns: Vec<usize> = (0..table.names().len()).filter(|c| *c != label).collect();
        let numbers = table.numbers(&columns).expect("numbers");
        let nominals: Vec<&[f64]> =
            rows.iter().map(|r| &numbers[r * columns.len()..(r + 1) * columns.len()]).collect();
        let draw = |n: usize, r: &mut Random| -> Vec<Vec<f64>> {
            let mut order: Vec<usize> = (0..nominals.len()).collect();
            r.shuffle(&mut order);
            order[..n].iter().map(|&i| nominals[i].to_vec()).collect()
        };
        for train in [30, 100] {
            check_few(&format!("{name}, {train} x {}", columns.len()), train, draw);
        }
    }
}

/// Repeated rows, one or all: neither they nor the others are rejected more often.
#[test]
fn with_duplicates() {
    let table = |r: &mut Random, n: usize| -> Vec<Vec<f64>> {
        (0..n).map(|_| vec![r.normal(), 2.0 * r.normal(), r.uniform()]).collect()
    };
    let mut r = Random::new(8);
    let rows = table(&mut r, 600);
    let one = [rows.clone(), vec![rows[17].clone()]].concat();
    let all = [rows.clone(), rows.clone()].concat();
    // Few distinct values, so that most rows are repeated.
    let coarse: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|x| x.round()).collect()).collect();
    for (name, rows) in [("one row doubled", one), ("all rows doubled", all), ("coarse", coarse)] {
        let model = OneClass::default().reject(REJECT).fit(&Vectors::from_rows(&rows).unwrap()).unwrap();
        let share = |rows: &[Vec<f64>]| {
            let decisions = model.decide_all(&Vectors::from_rows(rows).unwrap()).unwrap();
            decisions.iter().filter(|d| !d.accepted).count() as f64 / rows.len() as f64
        };
        let own = share(&rows);
        eprintln!("{name}: {own:.3} of the training samples rejected at {REJECT}");
        // Copies are rejected together, and each is calibrated as if there were one fewer: repeated rows are rejected
        // less often.
        let least = if name == "all rows doubled" { 0.015 } else { 0.02 };
        assert!((least..=0.055).contains(&own), "{name}: {own} of the training samples");
        if name != "all rows doubled" {
            let fresh = table(&mut r, 1000);
            let round = |row: &Vec<f64>| row.iter().map(|x| x.round()).collect();
            let fresh = if name == "coarse" { fresh.iter().map(round).collect() } else { fresh };
            let fresh = share(&fresh);
            eprintln!("{name}: {fresh:.3} of fresh nominals");
            assert!(fresh <= REJECT + 2.0 * (REJECT * (1.0 - REJECT) * (1.0 / 600.0 + 1.0 / 1000.0)).sqrt());
        }
    }
}

/// A table with every kind of column and with gaps.
fn mixed(r: &mut Random, n: usize) -> MixedTable {
    let column = |name: &str, kind| MixedColumn { name: name.into(), kind };
    let levels = |count: usize| (0..count).map(|l| format!("level {l}")).collect::<Vec<_>>();
    let mut cells = |missing: f64, of: &dyn Fn(&mut Random) -> f64| -> Vec<Option<f64>> {
        (0..n).map(|_| (r.uniform() >= missing).then(|| of(r))).collect()
    };
    MixedTable::new(vec![
        (column("size", ColumnKind::Number), cells(0.05, &|r| r.normal())),
        (column("price", ColumnKind::Number), cells(0.0, &|r| r.normal().exp())),
        (column("count", ColumnKind::Number), cells(0.1, &|r| (4.0 * r.uniform()).floor())),
        (
            column("kind", ColumnKind::Category(levels(12))),
            cells(0.05, &|r| (12.0 * r.uniform().powi(2)).floor()),
        ),
        (column("new", ColumnKind::Boolean), cells(0.0, &|r| f64::from(u8::from(r.uniform() < 0.1)))),
        (column("grade", ColumnKind::Ordered(levels(4))), cells(0.02, &|r| (4.0 * r.uniform()).floor())),
    ])
    .expect("a table")
}

fn words(r: &mut Random, n: usize) -> Vec<String> {
    let letter = |r: &mut Random| char::from(b'a' + (6.0 * r.uniform().powi(2)) as u8);
    (0..n).map(|_| (0..6 + r.below(6)).map(|_| letter(r)).collect()).collect()
}

#[test]
fn of_mixed_tables() {
    check("mixed tables", &p_values(&mixed(&mut Random::new(4), 800), 3));
}

#[test]
fn of_records() {
    let mut r = Random::new(9);
    let texts = Texts::new(words(&mut r, 500)).expect("texts");
    let records = Records::new(vec![Part::new("row", mixed(&mut r, 500)), Part::new("word", texts)]);
    check("records", &p_values(&records.expect("records"), 3));
}

#[test]
fn of_strings() {
    let mut r = Random::new(5);
    let words: Vec<String> = (0..600)
        .map(|_| {
            let mut word = String::new();
            for _ in 0..8 + r.below(16) {
                // Mostly consecutive letters.
                let last = word.bytes().last().unwrap_or(b'a');
                let next = if r.uniform() < 0.7 { (last - b'a' + 1) % 26 } else { r.below(26) as u8 };
                word.push(char::from(b'a' + next));
            }
            word
        })
        .collect();
    check("strings", &p_values(&Texts::new(words).expect("texts"), 3));
}

#[test]
fn of_graphs() {
    let mut r = Random::new(6);
    let graphs: Vec<GraphInput> = (0..400)
        .map(|i| {
            let mut g = GraphInput::new(format!("g{i}"), false);
            let count = 4 + r.below(4);
            for v in 0..count {
                g.vertex(
                    format!("{v}"),
                    [("x", Value::Number(r.normal())), ("y", Value::Number(r.normal()))],
                );
            }
            for v in 1..count {
                g.edge(r.below(v), v, []);
            }
            g
        })
        .collect();
    check("graphs", &p_values(&Graphs::new(graphs).expect("graphs"), 2));
}
