//! Workers that take jobs until there are none.

use eocc_core::{ErrorKind, Remedy, Result};

/// Approximate memory of a thread, with its stack and that of its pool.
const THREAD_BYTES: u64 = 8 << 20;

/// Runs `work` on this many threads at the same time, each with a pool of one thread: times measured inside are
/// comparable, and do not depend on the number. If not all threads can be started, the others do all the work.
pub(crate) fn on_threads(count: usize, work: impl Fn() + Copy + Send) -> Result<()> {
    std::thread::scope(|scope| {
        let start = || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
            std::thread::Builder::new().spawn_scoped(scope, move || pool.install(work)).ok()
        };
        let started = (0..count).map_while(|_| start()).count();
        if started > 0 || count == 0 {
            return Ok(());
        }
        let available = eocc_core::memory::available().unwrap_or(0);
        let what = "a thread".to_owned();
        Err(ErrorKind::Memory { what, needed: THREAD_BYTES, available, remedy: Remedy::FreeMemory }.into())
    })
}
