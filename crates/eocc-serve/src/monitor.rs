//! A monitor in the background: whether the rows that a model judges are still like those it was fitted on.
//!
//! A monitor is a stream that starts from the model, or resumes from its file. It gets a copy of the judged rows
//! after the response; if it cannot keep up, it skips some and counts them rather than delaying requests.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use eocc_core::stream::{Event, StreamParams};
use eocc_core::{AnySamples, AnyStream, Error, Result};
use serde_json::json;

use crate::config::MonitorSource;
use crate::fault::StartError;
use crate::log::{Level, Log};
use crate::registry::Registry;

/// Maximum number of requests whose rows wait for a monitor.
const WAITING: usize = 1024;
/// Maximum number of their rows: requests may be large.
const WAITING_ROWS: usize = 200_000;
/// How often the state is saved while rows arrive.
const SAVE_EVERY: Duration = Duration::from_secs(10);

/// The monitors by the names of their models.
#[derive(Default)]
pub(crate) struct Monitors(BTreeMap<String, Monitor>);

struct Monitor {
    rows: SyncSender<Message>,
    waiting_rows: Arc<AtomicUsize>,
    drift: Arc<Mutex<Drift>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum Message {
    Rows(AnySamples),
    Stop,
}

/// The reported state of a monitor.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drift {
    /// How close it is to an alarm, which occurs at 1.
    pub(crate) level: f64,
    pub(crate) seen: u64,
    pub(crate) skipped: u64,
    /// Events since the server started, by kind.
    pub(crate) events: BTreeMap<&'static str, u64>,
    /// Events waiting for an answer.
    pub(crate) questions: usize,
    pub(crate) failed_saves: u64,
}

/// A stream, and the data of its thread.
struct Watch {
    name: String,
    path: PathBuf,
    stream: AnyStream,
    drift: Arc<Mutex<Drift>>,
    log: Log,
    last_event: u64,
    waiting_rows: Arc<AtomicUsize>,
    is_saved: bool,
    /// Whether it was logged that some rows are not accepted.
    has_warned: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Monitors {
    /// Starts or resumes all monitors.
    pub(crate) fn start(
        sources: &[MonitorSource],
        registry: &Registry,
        log: &Log,
    ) -> std::result::Result<Self, StartError> {
        let mut monitors = BTreeMap::new();
        for source in sources {
            let name = match &source.model {
                Some(name) => name.clone(),
                None => registry.only_name().ok_or_else(|| {
                    let allowed = "NAME=FILE where several models are served";
                    Error::parameter("monitor", source.path.display(), allowed)
                })?,
            };
            let served = registry.served(&name).map_err(|fault| Error::input(fault.message))?;
            let stream = if source.path.exists() {
                AnyStream::load(&source.path).map_err(|error| StartError::of_file(&source.path, error))?
            } else {
                AnyStream::from_model(StreamParams::default(), &served.model)?
            };
            if stream.kind().name() != served.model.kind().name() {
                let (own, other) = (stream.kind().name(), served.model.kind().name());
                let allowed =
                    format!("the state of a monitor of {other}, like the model `{name}`, but it is of {own}");
                return Err(Error::parameter("monitor", source.path.display(), allowed).into());
            }
            let watch = Watch::new(&name, &source.path, stream, log);
            // Early, so that a path that is not writable is reported now.
            watch.stream.save(&source.path)?;
            if monitors.contains_key(&name) {
                let allowed = format!("the only one of `{name}`");
                return Err(Error::parameter("monitor", source.path.display(), allowed).into());
            }
            monitors.insert(name, Monitor::start(watch)?);
        }
        Ok(Self(monitors))
    }

    /// Passes rows to the monitor of a model, if it has one.
    pub(crate) fn show(&self, model: &str, rows: &AnySamples) {
        let Some(monitor) = self.0.get(model) else { return };
        let count = rows.count();
        let before = monitor.waiting_rows.fetch_add(count, Ordering::Relaxed);
        if before + count > WAITING_ROWS || monitor.rows.try_send(Message::Rows(rows.clone())).is_err() {
            monitor.waiting_rows.fetch_sub(count, Ordering::Relaxed);
            lock(&monitor.drift).skipped += count as u64;
        }
    }

    /// The findings of each.
    pub(crate) fn drifts(&self) -> Vec<(String, Drift)> {
        self.0.iter().map(|(name, monitor)| (name.clone(), lock(&monitor.drift).clone())).collect()
    }

    /// Lets them finish their rows, and save.
    pub(crate) fn stop(&self) {
        for monitor in self.0.values() {
            let _ = monitor.rows.send(Message::Stop);
            if let Some(thread) = lock(&monitor.thread).take() {
                let _ = thread.join();
            }
        }
    }
}

impl Monitor {
    fn start(watch: Watch) -> Result<Self> {
        let (rows, waiting) = sync_channel(WAITING);
        let (drift, waiting_rows) = (Arc::clone(&watch.drift), Arc::clone(&watch.waiting_rows));
        let thread = thread::Builder::new()
            .name("monitor".to_owned())
            .spawn(move || watch.run(&waiting))
            .map_err(|e| Error::input(format!("a thread cannot be started: {e}")))?;
        Ok(Self { rows, waiting_rows, drift, thread: Mutex::new(Some(thread)) })
    }
}

impl Watch {
    fn new(name: &str, path: &std::path::Path, stream: AnyStream, log: &Log) -> Self {
        let last_event = stream.events().last().map_or(0, |event| event.id);
        let watch = Self {
            name: name.to_owned(),
            path: path.to_owned(),
            drift: Arc::default(),
            log: log.clone(),
            last_event,
            waiting_rows: Arc::default(),
            is_saved: true,
            has_warned: false,
            stream,
        };
        watch.tell(&[]);
        watch
    }

    fn run(mut self, waiting: &Receiver<Message>) {
        let mut due = Instant::now() + SAVE_EVERY;
        loop {
            match waiting.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(Message::Rows(rows)) => {
                    self.observe(&rows);
                    self.waiting_rows.fetch_sub(rows.count(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            }
            if Instant::now() >= due {
                self.save();
                due = Instant::now() + SAVE_EVERY;
            }
        }
        self.save();
    }

    fn observe(&mut self, rows: &AnySamples) {
        let observed = self.stream.observe_all(rows);
        self.is_saved = false;
        if let Err(error) = observed {
            // The model accepts the rows, the stream does not: for example, because a value is missing.
            lock(&self.drift).skipped += rows.count() as u64;
            if !std::mem::replace(&mut self.has_warned, true) {
                self.log.write(
                    Level::Warn,
                    "monitor",
                    json!({ "model": self.name, "error": error.to_string() }),
                );
            }
        }
        let events: Vec<Event> =
            self.stream.events().into_iter().filter(|event| event.id > self.last_event).collect();
        self.last_event = events.last().map_or(self.last_event, |event| event.id);
        self.tell(&events);
    }

    fn tell(&self, events: &[Event]) {
        let mut drift = lock(&self.drift);
        drift.level = self.stream.alarm_level();
        drift.seen = self.stream.seen();
        drift.questions = self.stream.questions().len();
        for event in events {
            *drift.events.entry(event.kind.name()).or_default() += 1;
        }
        drop(drift);
        for event in events {
            let fields = json!({ "model": self.name, "drift": event, "advice": event.advice() });
            self.log.write(Level::Warn, "drift", fields);
        }
    }

    fn save(&mut self) {
        if self.is_saved {
            return;
        }
        match self.stream.save(&self.path) {
            Ok(()) => self.is_saved = true,
            Err(error) => {
                lock(&self.drift).failed_saves += 1;
                self.log.write(
                    Level::Error,
                    "monitor",
                    json!({ "model": self.name, "error": error.to_string() }),
                );
            }
        }
    }
}
