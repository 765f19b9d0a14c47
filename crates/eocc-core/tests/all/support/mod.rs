//! Shared helpers: data, fits, and comparisons.
#![allow(dead_code, reason = "every test file uses its own part of this")]

use std::path::PathBuf;

use eocc_core::random::Random;
use eocc_core::{Model, OneClass, Preset, Representation, SampleKind, SearchKind, Settings, Silent, Vectors};
use proptest::test_runner::{Config as ProptestConfig, RngSeed};

/// Property tests with this many cases, the same ones on every run unless `PROPTEST_RNG_SEED` is set.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    config
}

/// Both presets.
pub(crate) const PRESETS: [Preset; 2] = [Preset::Paper, Preset::Default];

/// The representations that a preset supports: `default` compares samples directly.
pub(crate) fn taken(preset: Preset, representations: &[Representation]) -> Vec<Representation> {
    let is_taken = |r: &&Representation| preset == Preset::Paper || **r == Representation::Direct;
    representations.iter().filter(is_taken).copied().collect()
}

/// The preset `paper` without a search, so that the weights are 1.
pub(crate) fn paper() -> OneClass {
    OneClass::new(Preset::Paper).search(SearchKind::None)
}

/// The samples of these rows.
pub(crate) fn vectors(rows: &[Vec<f64>]) -> Vectors {
    Vectors::from_rows(rows).expect("rows of equal length")
}

/// Fits vectors under the preset's first measure.
pub(crate) fn try_fit(params: OneClass, rows: &[Vec<f64>]) -> eocc_core::Result<Model<Vectors>> {
    let measure = Vectors::measure(params.preset, None, &Settings::default())?;
    params.fit_with(&Vectors::from_rows(rows)?, measure, &Silent)
}

/// The same, expecting success.
pub(crate) fn fit(params: OneClass, rows: &[Vec<f64>]) -> Model<Vectors> {
    try_fit(params, rows).expect("a model")
}

/// `n` standard normal points in `q` dimensions.
pub(crate) fn normals(n: usize, q: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed);
    (0..n).map(|_| (0..q).map(|_| random.normal()).collect()).collect()
}

/// Whether `a` and `b` differ by at most `tolerance`, relative to the larger of them if that exceeds 1.
pub(crate) fn is_near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

/// Nominal samples to train with, and two kinds of test samples.
pub(crate) struct Split {
    pub(crate) training: Vec<Vec<f64>>,
    pub(crate) targets: Vec<Vec<f64>>,
    pub(crate) outliers: Vec<Vec<f64>>,
}

/// Nine tenths of the targets of `uci/<name>.csv` are for training, the rest and all outliers for testing, all in
/// random order.
///
/// The data are in `EOCC_DATA`, or next to the repository in `shared/data`. If they are missing, prints a message and
/// returns `None`.
pub(crate) fn uci(name: &str, seed: u64) -> Option<Split> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("EOCC_DATA").map_or_else(beside, PathBuf::from);
    let path = folder.join("uci").join(format!("{name}.csv"));
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no file {}", path.display());
        return None;
    };
    let (mut nominal, mut outliers) = (Vec::new(), Vec::new());
    for line in text.lines().skip(1) {
        let (features, label) = line.rsplit_once(',').expect("a label after a comma");
        let row: Vec<f64> = features.split(',').map(|cell| cell.parse().expect("a number")).collect();
        if label == "target" { nominal.push(row) } else { outliers.push(row) }
    }
    let mut random = Random::new(seed);
    random.shuffle(&mut nominal);
    random.shuffle(&mut outliers);
    let targets = nominal.split_off(nominal.len() * 9 / 10);
    Some(Split { training: nominal, targets, outliers })
}
