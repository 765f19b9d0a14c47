//! The threads of a run.

use std::sync::{Arc, Mutex};
use std::thread;

use rayon::ThreadPoolBuilder;

use crate::say;

/// Starts the requested number of threads, or one per core; as many as possible if there is too little memory for
/// all. The result does not depend on the number.
pub(crate) fn start(asked: Option<usize>) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let wanted = asked.filter(|count| *count > 0).unwrap_or(cores);
    let mut count = eocc_core::threads::clamp_thread_count(wanted);
    if asked.is_some_and(|asked| asked > count) {
        say::note(&format!("{count} threads are used; {wanted} would slow each other down"));
    }
    // The pool is created only once, and a failure is permanent: so try the threads first.
    while count > 1 && !can_start(count) {
        count /= 2;
    }
    let builder = ThreadPoolBuilder::new().num_threads(count);
    // A single thread is this one, which need not be started.
    let _ = if count > 1 { builder.build_global() } else { builder.use_current_thread().build_global() };
}

/// Whether this many threads can exist at the same time.
fn can_start(count: usize) -> bool {
    let gate = Arc::new(Mutex::new(()));
    let held = gate.lock();
    let start = |_| {
        let gate = gate.clone();
        thread::Builder::new().spawn(move || drop(gate.lock())).ok()
    };
    let threads: Vec<_> = (0..count).map_while(start).collect();
    drop(held);
    let is_all = threads.len() == count;
    for thread in threads {
        let _ = thread.join();
    }
    is_all
}
