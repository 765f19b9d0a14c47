//! The UCI sets of the paper, and one split of them.

use std::path::PathBuf;

use eocc_oracle::toy::Lcg;

/// Nominal samples to train with, and two kinds of test samples.
pub(crate) struct Split {
    pub(crate) training: Vec<Vec<f64>>,
    pub(crate) targets: Vec<Vec<f64>>,
    pub(crate) outliers: Vec<Vec<f64>>,
}

/// Nine tenths of the targets of `uci/<name>.csv` in random order are for training, the rest and all outliers for
/// testing.
///
/// The data are in `EOCC_DATA`, or next to the repository in `shared/data`. If they are missing, prints a message and
/// returns `None`.
pub(crate) fn split(name: &str, seed: u64) -> Option<Split> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("EOCC_DATA")
        .map_or_else(beside, PathBuf::from)
        .join("uci")
        .join(format!("{name}.csv"));
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
    let order = Lcg::new(seed).permutation(nominal.len());
    let cut = nominal.len() * 9 / 10;
    let take = |indices: &[usize]| indices.iter().map(|&i| nominal[i].clone()).collect();
    Some(Split { training: take(&order[..cut]), targets: take(&order[cut..]), outliers })
}
