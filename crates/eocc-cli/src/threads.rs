//! The threads of a run.

use rayon::ThreadPoolBuilder;

use crate::say;

/// Starts as many threads as were asked for, or one for each core; as many as can be had, if there is too little memory for
/// all of them. The result does not depend on it.
pub(crate) fn start(asked: Option<usize>) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let wanted = asked.filter(|count| *count > 0).unwrap_or(cores);
    let mut count = eocc_core::threads::sensible(wanted);
    if asked.is_some_and(|asked| asked > count) {
        say::note(&format!("{count} threads are used; {wanted} would only get into each other's way"));
    }
    // The first call that succeeds decides; none can have been made before.
    while count > 1 {
        if ThreadPoolBuilder::new().num_threads(count).build_global().is_ok() {
            return;
        }
        count /= 2;
    }
    // This very thread, which need not be started.
    let _ = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
}
