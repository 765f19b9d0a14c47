//! What is said beside the data, on standard error; nothing of it with `--quiet`.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::terminal;

static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Says nothing more, but for errors.
pub(crate) fn nothing() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether nothing is to be said.
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Says a line.
pub(crate) fn line(text: &str) {
    if !is_quiet() {
        terminal::say(text);
    }
}

/// Says what the reader decided.
pub(crate) fn note(text: &str) {
    line(&format!("note: {text}"));
}

/// Says what a user should know.
pub(crate) fn warning(text: &str) {
    line(&format!("warning: {text}"));
}
