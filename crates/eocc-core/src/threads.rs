//! How many threads are useful.

/// More are useless on every machine, and take minutes to start.
const MAX_THREADS: usize = 1024;
/// This many may always be requested.
const ALWAYS_ALLOWED: usize = 64;

/// The number of threads to start if `asked` are requested: at least one, and no more than are useful on this machine.
pub fn clamp_thread_count(asked: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    asked.clamp(1, (4 * cores).clamp(ALWAYS_ALLOWED, MAX_THREADS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_threads_is_limited() {
        assert_eq!([0, 1, 2, ALWAYS_ALLOWED].map(clamp_thread_count), [1, 1, 2, ALWAYS_ALLOWED]);
        assert!(clamp_thread_count(1_000_000) <= MAX_THREADS);
    }
}
