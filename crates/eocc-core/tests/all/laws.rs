//! Laws for every fitted model.

use crate::support::{PRESETS, fit, is_near, normals, taken, vectors};
use eocc_core::random::Random;
use eocc_core::{Model, OneClass, Preset, Representation, SearchKind, Vectors};
use proptest::prelude::*;

fn params(preset: Preset) -> OneClass {
    OneClass::new(preset).search(SearchKind::None)
}

/// Two clouds of different sizes, so that there may be several regions.
fn clouds(n: usize, q: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rows = normals(n, q, seed);
    for row in rows.iter_mut().take(n / 3) {
        row[0] = 12.0 + 0.5 * row[0];
    }
    rows
}

fn decide(model: &Model<Vectors>, rows: &[Vec<f64>]) -> Vec<eocc_core::Decision> {
    model.decide_all(&vectors(rows)).expect("decisions")
}

proptest! {
    #![proptest_config(crate::support::cases(40))]

    #[test]
    fn degrees_are_in_the_unit_interval_and_parts_cover_all(n in 3..60_usize, q in 1..6_usize, seed: u64) {
        let rows = clouds(n, q, seed);
        for preset in PRESETS {
            let model = fit(params(preset), &rows);
            let vertices: Vec<u32> = model.regions().iter().flat_map(|r| r.vertices().to_vec()).collect();
            let mut all = [vertices, model.trimmed().to_vec()].concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..n as u32).collect::<Vec<_>>());
            for (region, degree) in model.training_memberships() {
                prop_assert!(region < model.regions().len() && (0.0..=1.0).contains(&degree));
            }
            for d in decide(&model, &normals(10, q, seed ^ 1)) {
                prop_assert!((0.0..=1.0).contains(&d.membership), "{:?}", d);
                prop_assert!(d.p_value > 0.0 && d.p_value <= 1.0, "{:?}", d);
                prop_assert!(d.score.is_finite() && d.region < model.regions().len(), "{:?}", d);
            }
        }
    }

    /// Continuous data have no ties, so the order of the rows cannot matter. (With one feature, the ranks are evenly
    /// spaced, and their distances tie.)
    #[test]
    fn the_order_of_the_training_rows_does_not_matter(n in 5..60_usize, q in 2..5_usize, seed: u64) {
        let rows = clouds(n, q, seed);
        let mut shuffled = rows.clone();
        Random::new(seed ^ 7).shuffle(&mut shuffled);
        let tests = clouds(10, q, seed ^ 1);
        for preset in PRESETS {
            let (a, b) = (fit(params(preset), &rows), fit(params(preset), &shuffled));
            prop_assert_eq!(a.summary().neighbors, b.summary().neighbors);
            for (a, b) in decide(&a, &tests).iter().zip(decide(&b, &tests)) {
                prop_assert!(is_near(a.score, b.score, 1e-9), "{} {}", a.score, b.score);
                prop_assert!(is_near(a.membership, b.membership, 1e-9));
            }
        }
    }

    #[test]
    fn a_row_scores_the_same_alone_and_in_any_company(n in 5..60_usize, q in 1..5_usize, seed: u64) {
        let tests = clouds(21, q, seed ^ 1);
        for preset in PRESETS {
            let model = fit(params(preset), &clouds(n, q, seed));
            let together = decide(&model, &tests);
            let reversed: Vec<Vec<f64>> = tests.iter().rev().cloned().collect();
            for ((row, a), b) in tests.iter().zip(&together).zip(decide(&model, &reversed).iter().rev()) {
                let alone = model.decide(row).expect("a decision");
                // Equal as numbers and not NaN: the same bits.
                prop_assert_eq!(*a, alone);
                prop_assert_eq!(a, b);
            }
        }
    }

    #[test]
    fn default_does_not_depend_on_the_common_unit_of_the_features(
        n in 5..60_usize,
        unit in -6.0..6.0_f64,
        seed: u64,
    ) {
        let scale = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> {
            rows.iter().map(|r| r.iter().map(|x| x * 10_f64.powf(unit)).collect()).collect()
        };
        let (rows, tests) = (clouds(n, 4, seed), clouds(10, 4, seed ^ 1));
        let plain = decide(&fit(params(Preset::Default), &rows), &tests);
        let scaled = decide(&fit(params(Preset::Default), &scale(&rows)), &scale(&tests));
        for (a, b) in plain.iter().zip(&scaled) {
            prop_assert!((a.score - b.score).abs() < 1e-6, "{} {}", a.score, b.score);
        }
    }

    /// From several diameters of the training set on, where the nearest neighbors no longer change.
    #[test]
    fn scores_fall_without_end_along_a_ray(n in 5..60_usize, q in 1..5_usize, seed: u64) {
        let mut random = Random::new(seed ^ 3);
        let direction: Vec<f64> = (0..q).map(|_| random.normal()).collect();
        prop_assume!(direction.iter().map(|x| x * x).sum::<f64>() > 0.1);
        let ray: Vec<Vec<f64>> =
            (0..30).map(|i| direction.iter().map(|x| x * 1e3 * 2_f64.powi(i)).collect()).collect();
        for preset in PRESETS {
            for representation in taken(preset, &[Representation::Embedding, Representation::Direct]) {
                let model = fit(params(preset).representation(representation), &clouds(n, q, seed));
                let decisions = decide(&model, &ray);
                for pair in decisions.windows(2) {
                    prop_assert!(pair[1].score < pair[0].score, "{:?}: {:?}", preset, pair);
                    prop_assert!(pair[1].p_value <= pair[0].p_value);
                }
                let (first, last) = (decisions[0].score, decisions[29].score);
                // The distance doubles 29 times; an unbounded score keeps falling in proportion, or logarithmically.
                let step = decisions[28].score - last;
                let least = if preset == Preset::Paper { 0.1 } else { 0.02 };
                prop_assert!(step > least * (first - last), "{:?}: {} to {}, last step {}", preset, first, last, step);
            }
        }
    }

    #[test]
    fn p_values_rise_with_scores(n in 5..60_usize, seed: u64) {
        for preset in PRESETS {
            let model = fit(params(preset), &clouds(n, 2, seed));
            let mut decisions = decide(&model, &clouds(40, 2, seed ^ 1));
            decisions.sort_by(|a, b| a.score.total_cmp(&b.score));
            prop_assert!(decisions.windows(2).all(|w| w[0].p_value <= w[1].p_value));
        }
    }
}

/// Of nominal samples that were not in training, at most a tenth may have a p-value of at most a tenth. The bound
/// allows four standard deviations of the mean of 3000 such samples.
#[test]
fn p_values_of_nominals_are_valid() {
    let fits = 1000;
    for n in [19, 40] {
        let mut below = 0;
        for seed in 0..fits {
            let rows = normals(n + 3, 2, seed);
            let model = fit(params(Preset::Default), &rows[..n]);
            below += decide(&model, &rows[n..]).iter().filter(|d| d.p_value <= 0.1 + 1e-12).count();
        }
        let (share, total) = (below as f64 / (3 * fits) as f64, (3 * fits) as f64);
        let limit = 0.1 + 4.0 * (0.1 * 0.9 / total).sqrt();
        assert!(share <= limit, "{share} of the nominals have a p-value of at most 0.1 ({n} samples)");
        assert!(share > 0.02, "p-values are so cautious that nothing is ever rejected: {share}");
    }
}
