//! What the benches share: data, threads, and the ratios they print at the end.
#![allow(dead_code, reason = "every bench uses its own part of this")]

use std::time::Instant;

use criterion::Criterion;
use eocc::Matrix;
use eocc::random::Random;

/// `n` standard normal points in `q` dimensions.
pub(crate) fn normals(n: usize, q: usize, seed: u64) -> Matrix {
    let mut random = Random::new(seed);
    Matrix::new((0..n * q).map(|_| random.normal()).collect(), n, q)
}

/// A pool of this many threads.
pub(crate) fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// Criterion with few samples: one run of what is measured here takes up to seconds.
pub(crate) fn criterion() -> Criterion {
    Criterion::default().sample_size(10).configure_from_args()
}

/// The median time of `run`, in seconds, of at least five runs and about two seconds.
pub(crate) fn median<T>(mut run: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    let mut times = Vec::new();
    while times.len() < 5 || (start.elapsed().as_secs_f64() < 2.0 && times.len() < 1000) {
        let start = Instant::now();
        std::hint::black_box(run());
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Whether the bench is only tried out, as `cargo test --benches` does.
pub(crate) fn is_trial() -> bool {
    !std::env::args().any(|a| a == "--bench")
}
