//! Polls model files.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::registry::Registry;

/// Checks the files every `poll` until the other end of `stop` is dropped.
pub(crate) fn watch(registry: &Arc<Registry>, poll: Duration, stop: &Receiver<()>) {
    while stop.recv_timeout(poll) == Err(RecvTimeoutError::Timeout) {
        registry.refresh();
    }
}
