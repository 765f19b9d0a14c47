//! A threshold keeps its word: of fresh nominals the asked share is rejected, and p-values are uniform; for vectors,
//! strings and graphs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use eocc_core::graphs::{GraphInput, Graphs, Value};
use eocc_core::random::Random;
use eocc_core::{Matrix, OneClass, Preset, SampleKind, SampleSet, Settings, Texts, Vectors};
use eocc_data::ReadOptions;
use eocc_eval::Protocol as _;
use eocc_lab::half_split::HalfSplit;

/// The share that may be lost.
const REJECT: f64 = 0.05;
/// Largest number of samples on either side: enough to see a fault of two points.
const MAX_SAMPLES: usize = 1000;

/// P-values of fresh nominals under models of the other half, split by split, and how many samples each model learned from.
fn p_values<X: SampleKind>(samples: &X, splits: usize) -> Vec<(usize, Vec<f64>)> {
    let nominal: Vec<usize> = (0..samples.count()).collect();
    // The protocol wants outliers; none are used.
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
        let model = params.fit(&samples.select(train), measure).expect("fit").model;
        // Indices ascend, and files have an order of their own.
        let some: Vec<usize> = test.iter().copied().step_by(test.len().div_ceil(MAX_SAMPLES)).collect();
        let decisions = model.decide_all(&samples.select(&some)).expect("decisions");
        assert!(decisions.iter().all(|d| d.accepted == (d.p_value > REJECT)));
        (train.len(), decisions.iter().map(|d| d.p_value).collect())
    };
    splits.iter().map(|s| of(&s.train, &s.nominal)).collect()
}

/// Largest distance between the shares of p-values up to `p` and `p`, over all p-values that can come about.
fn kolmogorov_smirnov(p: &[f64]) -> f64 {
    let mut sorted = p.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let m = sorted.len() as f64;
    let steps = sorted.iter().enumerate();
    steps.map(|(i, p)| (p - i as f64 / m).abs().max((p - (i + 1) as f64 / m).abs())).fold(0.0, f64::max)
}

/// Fails if the share rejected is off by more than twice its binomial error (that of the calibration included), or if
/// p-values are not uniform at a level of one in a thousand. Where many samples are duplicates of each other, p-values
/// come in lumps, and are only held to be not too small.
fn check(name: &str, splits: &[(usize, Vec<f64>)]) {
    let (mut share, mut error) = (0.0, 0.0);
    for (n, p) in splits {
        let m = p.len() as f64;
        let sizes = 1.0 / m + 1.0 / *n as f64;
        share += p.iter().filter(|p| **p <= REJECT).count() as f64 / m / splits.len() as f64;
        error += (REJECT * (1.0 - REJECT) * sizes).sqrt() / splits.len() as f64;
        let (distance, limit) = (kolmogorov_smirnov(p), 1.95 * sizes.sqrt() + largest_lump(p));
        assert!(distance <= limit, "{name}: p-values are not uniform, {distance} beyond {limit}");
    }
    eprintln!("{name}: {share:.3} of the nominals rejected at {REJECT}, error {error:.3}");
    // Over the splits the error is smaller, but they share samples.
    assert!((share - REJECT).abs() <= 2.0 * error, "{name}: {share} rejected, not {REJECT} (error {error})");
}

/// The largest share of equal p-values.
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
        // The first is dear for its 1555 features; the second kind are tables with gaps.
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

#[test]
fn of_strings() {
    let mut r = Random::new(5);
    let words: Vec<String> = (0..600)
        .map(|_| {
            let mut word = String::new();
            for _ in 0..8 + r.below(16) {
                // Letters that follow each other, most of the time.
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
