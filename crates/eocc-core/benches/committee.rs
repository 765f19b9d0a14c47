//! The cost of `default` compared with brute-force kNN, on one thread: fit and score of 5000 x 20, kNN of the same
//! rows in the same run (distances of all training samples to each other and of all tests to them, the five nearest
//! of each); and one row at a time at 1000 training samples.
//!
//! Three views are three neighbor searches, so 3 is the minimum. Goals: at most 4 times kNN, and a row in less than
//! 100 microseconds. As a trial (`cargo test --benches`), it runs once on less data.
#![expect(clippy::print_stdout, reason = "the ratios are the purpose of the program")]

mod support;

use std::hint::black_box;
use std::time::Instant;

use eocc_core::kernel::euclidean_to_rows;
use eocc_core::knn::nearest;
use eocc_core::{Matrix, OneClass, Vectors};
use support::{is_trial, normals, pool};

const FEATURES: usize = 20;
const NEIGHBORS: usize = 5;

/// The mean distance of each row to its five nearest in `train`; for training samples, excluding themselves.
fn neighbors(rows: &Matrix, train: &Matrix, is_training: bool) -> f64 {
    let mut row = vec![0.0; train.rows()];
    let mut sum = 0.0;
    for i in 0..rows.rows() {
        euclidean_to_rows(rows.row(i), train.values(), &mut row);
        sum += nearest(&row, NEIGHBORS, is_training.then_some(i)).iter().map(|n| n.1).sum::<f64>();
    }
    sum
}

fn shortest(repeats: usize, mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..repeats).map(time).fold(f64::INFINITY, f64::min)
}

fn main() {
    let (n, repeats) = if is_trial() { (300, 1) } else { (5000, 5) };
    let (train, test) = (normals(n, FEATURES, 1), normals(n, FEATURES, 2));
    let (samples, tests) =
        (Vectors::new(train.clone()).expect("rows"), Vectors::new(test.clone()).expect("rows"));
    pool(1).install(|| {
        let knn = shortest(repeats, || {
            black_box(neighbors(&train, &train, true) + neighbors(&test, &train, false));
        });
        let fit = shortest(repeats, || drop(black_box(OneClass::default().fit(&samples).expect("a model"))));
        let model = OneClass::default().fit(&samples).expect("a model");
        let score = shortest(repeats, || drop(black_box(model.decide_all(&tests).expect("decisions"))));
        println!("{n} x {FEATURES}, one thread: kNN {knn:.3} s, fit {fit:.3} s, score {score:.3} s");
        println!("(fit + score) / kNN = {:.2}", (fit + score) / knn);
        let model = OneClass::default()
            .fit(&Vectors::new(normals(1000, FEATURES, 3)).expect("rows"))
            .expect("a model");
        let rows = normals(200, FEATURES, 4);
        let all = shortest(repeats, || {
            for i in 0..rows.rows() {
                black_box(model.decide(rows.row(i)).expect("a decision"));
            }
        });
        println!("one row at n = 1000: {:.1} microseconds", 1e6 * all / rows.rows() as f64);
    });
}
