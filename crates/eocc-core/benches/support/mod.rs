//! Shared helpers of the benches: data, threads, and the ratios they print at the end.
#![allow(dead_code, reason = "every bench uses its own part of this")]

use std::time::Instant;

use criterion::Criterion;
use eocc_core::Matrix;
use eocc_core::random::Random;

/// `n` standard normal points in `q` dimensions.
pub(crate) fn normals(n: usize, q: usize, seed: u64) -> Matrix {
    let mut random = Random::new(seed);
    Matrix::new((0..n * q).map(|_| random.normal()).collect(), n, q)
}

/// A pool of this many threads.
pub(crate) fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// Criterion with few samples: a single run here takes up to seconds.
pub(crate) fn criterion() -> Criterion {
    Criterion::default().sample_size(10).configure_from_args()
}

fn seconds<T>(run: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(run());
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Median seconds of `a` and of `b`, and the median of their ratio. The two alternate, so that other work on the
/// machine slows both.
pub(crate) fn compared<T, U>(mut a: impl FnMut() -> T, mut b: impl FnMut() -> U) -> (f64, f64, f64) {
    let start = Instant::now();
    let (mut times_a, mut times_b) = (Vec::new(), Vec::new());
    while times_a.len() < 9 || (start.elapsed().as_secs_f64() < 4.0 && times_a.len() < 1000) {
        times_a.push(seconds(&mut a));
        times_b.push(seconds(&mut b));
    }
    let ratios = times_a.iter().zip(&times_b).map(|(a, b)| a / b).collect();
    (median(times_a), median(times_b), median(ratios))
}

/// Whether the bench is only a trial run, as in `cargo test --benches`, or profiled.
pub(crate) fn is_trial() -> bool {
    std::env::args().any(|a| a == "--profile-time") || !std::env::args().any(|a| a == "--bench")
}
