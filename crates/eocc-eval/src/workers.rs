//! Workers that take jobs until there are none.

use eocc_core::{Error, Result};

/// Runs `work` on this many threads at once, each with a pool of one thread of its own: what is timed inside is comparable,
/// and does not depend on how many there are.
pub(crate) fn on_threads(count: usize, work: impl Fn() + Copy + Send) -> Result<()> {
    std::thread::scope(|scope| {
        for _ in 0..count {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .build()
                .map_err(|e| Error::input(format!("no thread could be started: {e}")))?;
            scope.spawn(move || pool.install(work));
        }
        Ok(())
    })
}
