//! Shared helpers of the benches: data, threads, and the ratios they print at the end.
#![allow(dead_code, reason = "every bench uses its own part of this")]

use std::sync::LazyLock;
use std::time::Instant;

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

/// The seconds that a processor has worked for this thread; by the clock where the system does not tell.
pub(crate) fn processor_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |n| 1e-9 * n)
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
/// machine slows both. A trial runs each once.
pub(crate) fn compared<T, U>(mut a: impl FnMut() -> T, mut b: impl FnMut() -> U) -> (f64, f64, f64) {
    let start = Instant::now();
    let (mut times_a, mut times_b) = (Vec::new(), Vec::new());
    let min_runs = if is_trial() { 1 } else { 9 };
    let is_enough = |runs: usize| is_trial() || start.elapsed().as_secs_f64() >= 4.0 || runs >= 1000;
    while times_a.len() < min_runs || !is_enough(times_a.len()) {
        times_a.push(seconds(&mut a));
        times_b.push(seconds(&mut b));
    }
    let ratios = times_a.iter().zip(&times_b).map(|(a, b)| a / b).collect();
    (median(times_a), median(times_b), median(ratios))
}

/// Whether the bench is only a trial run, as in `cargo test --benches`.
pub(crate) fn is_trial() -> bool {
    !std::env::args().any(|a| a == "--bench")
}
