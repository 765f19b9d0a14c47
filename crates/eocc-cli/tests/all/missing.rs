//! Numbers of which some are missing: planted outliers are found, and as many nominals rejected as promised.

use crate::support::{ok, run};
use eocc_core::random::Random;
use std::fmt::Write as _;
use std::path::Path;

/// Rows of four numbers, a share of them missing; with `factor` times the usual amount.
fn write(path: &Path, rows: usize, missing: f64, factor: f64, seed: u64) {
    let mut r = Random::new(seed);
    let mut text = String::from("amount,visits,age,rate\n");
    for _ in 0..rows {
        let row = [
            factor * (3.0 + 0.4 * r.normal()).exp(),
            (8.0 * r.uniform()).floor(),
            40.0 + 9.0 * r.normal(),
            r.uniform() * r.uniform(),
        ];
        let cells: Vec<String> = row
            .iter()
            .map(|v| if r.uniform() < missing { String::new() } else { format!("{v:.4}") })
            .collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    std::fs::write(path, text).unwrap();
}

fn rejected(scores: &str) -> f64 {
    let rows: Vec<&str> = scores.lines().skip(1).collect();
    rows.iter().filter(|l| l.split(',').nth(3) == Some("false")).count() as f64 / rows.len() as f64
}

#[test]
fn outliers_are_found_and_nominals_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (seed, missing) in [(1, 0.005), (2, 0.035), (3, 0.1), (4, 0.2)] {
        write(&at("train.csv"), 600, missing, 1.0, seed);
        write(&at("new.csv"), 1000, missing, 1.0, seed + 10);
        // Twenty times the usual amount; k-NN on medians finds all of them.
        write(&at("odd.csv"), 30, 0.0, 20.0, seed + 20);
        ok(folder.path(), "fit train.csv -o m.eocc");
        let odd = rejected(&ok(folder.path(), "score m.eocc odd.csv").out);
        let new = rejected(&ok(folder.path(), "score m.eocc new.csv").out);
        eprintln!("{missing} missing: {odd} of the outliers rejected, {new} of the nominals");
        assert!(odd >= 1.0, "{missing} missing: {odd} of the outliers rejected");
        // Twice the binomial error of 1000 samples and of a calibration by 600.
        assert!((0.028..=0.072).contains(&new), "{missing} missing: {new} of the nominals rejected");
    }
}

/// One training row that lacks two cells does not open the door.
#[test]
fn one_row_with_missing_cells_vouches_for_nobody() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("train.csv"), 500, 0.0, 1.0, 5);
    let mut text = std::fs::read_to_string(folder.path().join("train.csv")).unwrap();
    text.push_str(",,41,0.2\n");
    std::fs::write(folder.path().join("train.csv"), text).unwrap();
    write(&folder.path().join("odd.csv"), 100, 0.0, 20.0, 6);
    ok(folder.path(), "fit train.csv -o m.eocc");
    assert!(rejected(&ok(folder.path(), "score m.eocc odd.csv").out) >= 1.0);
    // The paper's measures do not take them.
    let refused = run(folder.path(), "fit train.csv -o p.eocc --preset paper");
    assert!(refused.code == 3 && refused.err.contains("the value is missing"), "{}", refused.err);
}
