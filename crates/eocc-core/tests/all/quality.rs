//! Accuracy on seeded toy sets must not fall below a floor.
//!
//! The floors are slightly below the values when the test was written, so they detect regressions; they do not
//! measure the quality of the method on real data.

use crate::support::{fit, normals, vectors};
use eocc_core::random::Random;
use eocc_core::{OneClass, Preset, SearchKind};
use eocc_oracle::auc::auc;
use eocc_oracle::toy;

/// AUC of every second nominal against `outliers`, after training on the others.
fn measured(preset: Preset, nominal: &[Vec<f64>], outliers: &[Vec<f64>]) -> f64 {
    let half = |odd: usize| -> Vec<Vec<f64>> { nominal.iter().skip(odd).step_by(2).cloned().collect() };
    let model = fit(OneClass::new(preset).search(SearchKind::None), &half(0));
    let score = |rows: &[Vec<f64>]| -> Vec<f64> {
        model.decide_all(&vectors(rows)).expect("decisions").iter().map(|d| d.score).collect()
    };
    auc(&score(&half(1)), &score(outliers))
}

/// Uniform in a box.
fn box_of(n: usize, low: f64, high: f64, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed);
    (0..n).map(|_| (0..2).map(|_| random.range(low, high)).collect()).collect()
}

fn floors(name: &str, nominal: &[Vec<f64>], outliers: &[Vec<f64>], paper: f64, default: f64) {
    for (preset, floor) in [(Preset::Paper, paper), (Preset::Default, default)] {
        let auc = measured(preset, nominal, outliers);
        eprintln!("{name}, {}: {auc:.4}", preset.name());
        assert!(auc >= floor, "{name}, {}: AUC is {auc:.4}, but must be at least {floor}", preset.name());
    }
}

#[test]
fn three_blobs_in_a_box() {
    floors("three blobs", &toy::three_blobs(120, 1), &box_of(200, -6.0, 16.0, 2), 0.85, 0.9);
}

#[test]
fn a_crescent_and_a_disc_in_a_box() {
    floors("crescent", &toy::crescent_and_disc(150, 1), &box_of(200, -6.0, 6.0, 2), 0.6, 0.85);
}

#[test]
fn one_gaussian_against_a_wider_one() {
    let wide: Vec<Vec<f64>> =
        normals(200, 5, 7).iter().map(|r| r.iter().map(|x| 3.0 * x).collect()).collect();
    floors("gaussian", &normals(300, 5, 1), &wide, 0.9, 0.9);
}

#[test]
fn features_of_very_different_units() {
    let scaled = |rows: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        rows.into_iter().map(|r| vec![r[0], 1e-3 * r[1], 1e4 * r[2]]).collect()
    };
    let mut outliers = normals(200, 3, 7);
    for row in &mut outliers {
        row[1] += 6.0;
    }
    // The outliers differ in the feature with the smallest numbers: the paper's measure cannot detect them.
    floors("units", &scaled(normals(300, 3, 1)), &scaled(outliers), 0.4, 0.98);
}

#[test]
fn a_clump_of_others_among_the_nominals_is_trimmed() {
    let clump = |n: usize, seed: u64| -> Vec<Vec<f64>> {
        normals(n, 4, seed).iter().map(|r| r.iter().map(|x| 2.0 + 0.4 * x).collect()).collect()
    };
    // One training sample in 25.
    let trained = [normals(480, 4, 1), clump(20, 2)].concat();
    let measured = |params: OneClass| {
        let model = fit(params, &trained);
        let score = |rows: &[Vec<f64>]| -> Vec<f64> {
            model.decide_all(&vectors(rows)).expect("decisions").iter().map(|d| d.score).collect()
        };
        auc(&score(&normals(500, 4, 3)), &score(&clump(200, 4)))
    };
    let trusting = measured(OneClass::default().contamination(0.0));
    let (usual, told) = (measured(OneClass::default()), measured(OneClass::default().contamination(0.04)));
    eprintln!("{trusting:.4} {usual:.4} {told:.4}");
    // Two in a hundred are fewer than the clump contains; twice the given contamination is more.
    assert!(usual > trusting - 0.02 && told > 0.9, "{trusting} {usual} {told}");
}

#[test]
fn a_loose_clump_far_out_scores_lowest_without_being_announced() {
    for columns in [2, 5, 10] {
        // Six deviations away, in all columns together.
        let shift = 6.0 / (columns as f64).sqrt();
        let clump = normals(50, columns, 22);
        let clump = clump.iter().map(|row| row.iter().map(|x| x + shift).collect());
        let trained: Vec<Vec<f64>> = normals(950, columns, 21).into_iter().chain(clump).collect();
        let decisions = fit(OneClass::default(), &trained).training_decisions();
        let mut order: Vec<usize> = (0..1000).collect();
        order.sort_by(|a, b| decisions[*a].score.total_cmp(&decisions[*b].score));
        let found = order[..50].iter().filter(|i| **i >= 950).count();
        assert!(found >= 46, "{columns} columns: {found} of the 50 lowest");
    }
}
