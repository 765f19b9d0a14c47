//! The preset `paper` equals the slow reference: regions, objective, memberships and decisions.

use std::collections::BTreeSet;

use crate::support::{fit, is_near, paper, uci, vectors};
use eocc_core::{Decision, Model, SampleSet, Scoring, Silent, Vectors};
use eocc_oracle::paper::{Reference, Scored};
use eocc_oracle::toy;
use rayon::prelude::*;

const TOLERANCE: f64 = 1e-9;

/// `k`, regions, objective and training memberships equal those of the reference.
fn same_model<X: SampleSet>(model: &Model<X>, reference: &Reference) {
    let summary = model.summary();
    assert_eq!(summary.neighbors, reference.k);
    let ours: BTreeSet<Vec<usize>> =
        model.regions().iter().map(|r| r.vertices().iter().map(|&v| v as usize).collect()).collect();
    assert_eq!(ours, reference.components.iter().cloned().collect());
    assert!(is_near(summary.eta, reference.eta, TOLERANCE), "eta {} {}", summary.eta, reference.eta);
    assert!(is_near(summary.jensen, reference.jensen, TOLERANCE), "{} {}", summary.jensen, reference.jensen);
    let theirs = reference.training_memberships();
    for (i, (ours, theirs)) in model.training_memberships().iter().zip(&theirs).enumerate() {
        assert!(is_near(ours.1, *theirs, TOLERANCE), "training sample {i}: {} {theirs}", ours.1);
    }
}

fn same_decision(row: usize, ours: &Decision, theirs: &Scored) {
    let (a, b) = (ours.membership, theirs.membership);
    assert!(is_near(a, b, TOLERANCE), "row {row}: membership {a}, reference {b}");
    assert_eq!(
        ours.accepted, theirs.accepted,
        "row {row}: difference {}, threshold {}",
        theirs.diff, theirs.t
    );
}

/// Both kinds of scoring give the reference's membership and decision for every row.
fn same_scores(model: &Model<Vectors>, reference: &Reference, rows: &[Vec<f64>]) {
    let samples = vectors(rows);
    let exact = model.decide_with(&samples, Scoring::Exact, &Silent).expect("decisions");
    let fast = model.decide_with(&samples, Scoring::Fast, &Silent).expect("decisions");
    rows.par_iter().enumerate().for_each(|(i, row)| {
        same_decision(i, &exact[i], &reference.exact(row));
        same_decision(i, &fast[i], &reference.fast(row));
    });
}

fn same_on(training: &[Vec<f64>], tests: &[Vec<f64>]) {
    let model = fit(paper(), training);
    let reference = Reference::fit(training, &vec![1.0; training[0].len()], 0.5, 50.0);
    same_model(&model, &reference);
    same_scores(&model, &reference, tests);
}

/// 50 rows of a UCI set: held-out targets, at most 25, and outliers.
fn same_on_uci(name: &str) {
    let Some(split) = uci(name, 1) else { return };
    let targets = split.targets.len().min(25);
    let tests: Vec<Vec<f64>> =
        split.targets[..targets].iter().chain(&split.outliers).take(50).cloned().collect();
    assert_eq!(tests.len(), 50);
    same_on(&split.training, &tests);
}

macro_rules! uci {
    ($($name:ident),*) => { $(
        #[test]
        fn $name() {
            same_on_uci(stringify!($name));
        }
    )* };
}

uci!(abalone, arrhythmia, biomed, breast_original, breast_prognostic, diabetes, ecoli, liver);

/// Every seventh point repeated twice, right after itself, and each midpoint as a test row.
fn same_with_duplicates(points: &[Vec<f64>]) {
    let mut training = Vec::new();
    for (i, point) in points.iter().enumerate() {
        let copies = if i % 7 == 3 { 3 } else { 1 };
        training.extend(std::iter::repeat_n(point.clone(), copies));
    }
    let middles = points.windows(2).map(|w| w[0].iter().zip(&w[1]).map(|(a, b)| 0.5 * (a + b)).collect());
    let mut tests: Vec<Vec<f64>> = middles.step_by(5).collect();
    // A duplicate of a training sample, one far away, and one between all.
    tests.push(points[3].clone());
    tests.push(points[0].iter().map(|x| x + 1e3).collect());
    tests.push(vec![0.5; points[0].len()]);
    same_on(&training, &tests);
}

#[test]
fn three_blobs_with_duplicates() {
    same_with_duplicates(&toy::three_blobs(40, 1));
}

#[test]
fn uniform_square_with_duplicates() {
    same_with_duplicates(&toy::uniform_square(100, 2));
}

#[test]
fn crescent_and_disc_with_duplicates() {
    same_with_duplicates(&toy::crescent_and_disc(50, 3));
}

#[test]
fn two_in_hundred_dimensions_with_duplicates() {
    same_with_duplicates(&toy::two_in_hundred_dimensions(50, 4));
}
