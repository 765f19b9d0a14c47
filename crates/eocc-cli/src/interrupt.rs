//! Ctrl-C: the first asks the run to stop in order, the second leaves at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens from now on.
pub(crate) fn install() {
    // Without a handler Ctrl-C ends the program as usual; files are written atomically, so nothing is lost either way.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            #[allow(clippy::exit)] // a second Ctrl-C means now
            std::process::exit(i32::from(crate::exit_code::INTERRUPTED));
        }
        eprintln!("stopping; press Ctrl-C again to leave at once");
    });
}

/// Whether the run was asked to stop.
pub(crate) fn is_interrupted() -> bool {
    ASKED.load(Ordering::SeqCst)
}
