//! Messages next to the data, on standard error; none with `--quiet`.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::terminal;

static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Suppresses everything but errors.
pub(crate) fn nothing() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether messages are suppressed.
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Prints a line.
pub(crate) fn line(text: &str) {
    if !is_quiet() {
        terminal::say(text);
    }
}

/// Prints a decision of the reader.
pub(crate) fn note(text: &str) {
    line(&format!("note: {text}"));
}

/// Prints a warning.
pub(crate) fn warning(text: &str) {
    line(&format!("warning: {text}"));
}
