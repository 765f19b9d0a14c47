//! The log: one JSON object per line, written by a separate thread, so that a full disk or a stuck pipe delays
//! nothing.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// Lines waiting to be written; beyond that, lines are dropped and counted.
const WAITING: usize = 8192;
/// Approximate number of bytes written at a time.
const MAX_WRITE: usize = 64 << 10;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// The destination of log lines. Clones share it.
#[derive(Clone)]
pub struct Log {
    lines: SyncSender<Line>,
    dropped: Arc<AtomicU64>,
}

enum Line {
    Text(String),
    /// Requests that everything before it be written, and a notification.
    Flush(SyncSender<()>),
}

/// The severity of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Level {
    Info,
    Warn,
    Error,
}

impl Log {
    /// A log that is written to `out`.
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        let (lines, waiting) = sync_channel(WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let failed = Arc::clone(&dropped);
        // Without the thread, all lines count as dropped.
        let _ =
            thread::Builder::new().name("log".to_owned()).spawn(move || write_all(&waiting, out, &failed));
        Self { lines, dropped }
    }

    /// Lines that could not be written.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Writes a line: an event and its fields.
    pub(crate) fn write(&self, level: Level, event: &str, mut fields: Value) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = (now.as_secs_f64() * 1e3).round() / 1e3;
        fields["time"] = json!(eocc_data::date_text(seconds / SECONDS_PER_DAY) + "Z");
        fields["level"] = json!(match level {
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        });
        fields["event"] = json!(event);
        if self.lines.try_send(Line::Text(fields.to_string())).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until everything so far is written, if possible.
    pub(crate) fn flush(&self) {
        let (done, is_done) = sync_channel(1);
        if self.lines.try_send(Line::Flush(done)).is_ok() {
            let _ = is_done.recv_timeout(std::time::Duration::from_secs(1));
        }
    }
}

fn write_all(waiting: &Receiver<Line>, mut out: Box<dyn Write + Send>, dropped: &AtomicU64) {
    while let Ok(first) = waiting.recv() {
        let (mut text, mut lines, mut flushed) = (String::new(), 0, Vec::new());
        let mut next = Some(first);
        // Waiting lines are written together.
        while let Some(line) = next {
            match line {
                Line::Text(line) => {
                    text.push_str(&line);
                    text.push('\n');
                    lines += 1;
                }
                Line::Flush(done) => flushed.push(done),
            }
            next = if text.len() < MAX_WRITE { waiting.try_recv().ok() } else { None };
        }
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            dropped.fetch_add(lines, Ordering::Relaxed);
        }
        for done in flushed {
            let _ = done.send(());
        }
    }
}
