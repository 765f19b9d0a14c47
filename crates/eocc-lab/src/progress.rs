//! A progress bar with the remaining time, on a terminal only.

use std::path::Path;

use eocc_core::Observer;
use eocc_eval::Watcher;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows the progress of a comparison on standard error.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar that appears with the first result.
    pub(crate) fn new() -> Self {
        // Draws nothing unless standard error is a terminal.
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(8));
        let style = ProgressStyle::with_template("{msg:<32} [{bar:30}] {pos}/{len}  {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        Self(bar)
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Bar {}

impl Watcher for Bar {
    fn resumed(&self, known: usize, total: usize, journal: &Path) {
        eprintln!("{known} of {total} results are in {} already", journal.display());
    }

    fn step(&self, set: &str, method: &str, done: usize, total: usize) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
        self.0.set_message(format!("{set} {method}"));
    }
}
