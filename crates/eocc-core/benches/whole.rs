//! Fit and score from end to end, and one row at a time: the baseline for bindings in other languages.
//!
//! The rows are those of the file `EOCC_ROWS` (numbers of 8 bytes, little endian, 20 to a row), or 2000 seeded ones. Prints
//! one JSON object with the shortest of several runs, in seconds.

use std::hint::black_box;
use std::time::Instant;

use eocc_core::random::Random;
use eocc_core::{Matrix, OneClass, Preset, SampleKind, Settings, Silent, Vectors};

const FEATURES: usize = 20;
const REPEATS: usize = 15;
const SINGLE: usize = 10_000;

fn values() -> Vec<f64> {
    if let Some(path) = std::env::var_os("EOCC_ROWS") {
        let bytes = std::fs::read(path).expect("the rows");
        return bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
    }
    let mut random = Random::new(1);
    (0..2000 * FEATURES).map(|_| random.normal()).collect()
}

fn shortest(mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..REPEATS).map(time).fold(f64::INFINITY, f64::min)
}

#[expect(clippy::print_stdout, reason = "that is what it is for")]
fn main() {
    let values = values();
    let rows = values.len() / FEATURES;
    let samples = Vectors::new(Matrix::new(values.clone(), rows, FEATURES)).expect("finite rows");
    let params = OneClass::default().check().expect("sound parameters");
    let fit = || {
        let measure = Vectors::measure(Preset::Default, None, &Settings::default()).expect("a measure");
        params.fit_with(&samples, measure, &Silent).expect("a model")
    };
    let model = fit();
    let fit_seconds = shortest(|| drop(black_box(fit())));
    let score_seconds = shortest(|| drop(black_box(model.decide_all(&samples))));
    let one = &values[..FEATURES];
    let single_seconds = shortest(|| {
        for _ in 0..SINGLE / REPEATS {
            black_box(model.decide(black_box(one)).expect("a decision"));
        }
    }) / (SINGLE / REPEATS) as f64;
    println!("{{\"fit\": {fit_seconds}, \"score\": {score_seconds}, \"single\": {single_seconds}}}");
}
