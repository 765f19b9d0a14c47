//! How many threads are useful.

/// More are useless on any machine, and take minutes to start.
const MOST: usize = 1024;
/// This many may always be requested.
const FEW: usize = 64;

/// The number of threads to start for a request: at least one, and no more than are useful here.
pub fn clamp_thread_count(asked: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    asked.clamp(1, (4 * cores).clamp(FEW, MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_threads_is_limited() {
        assert_eq!([0, 1, 2, FEW].map(clamp_thread_count), [1, 1, 2, FEW]);
        assert!(clamp_thread_count(1_000_000) <= MOST);
    }
}
