//! Running the library without the interpreter lock: on a given number of threads, to be interrupted, with a look at
//! the progress.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use eocc_core::{Observer, Progress};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{exception, internal};
use crate::measure::Fault;

/// How often signals are looked at and the progress is shown.
const TICK: Duration = Duration::from_millis(50);

/// How to run: on how many threads, and who is told of progress and faults.
pub(crate) struct RunContext {
    /// Threads to compute on.
    pub(crate) threads: usize,
    /// Called with a stage, steps done and steps in all.
    pub(crate) progress: Option<Py<PyAny>>,
    /// Where a metric in Python leaves what it raised.
    pub(crate) fault: Option<Arc<Fault>>,
}

struct Watch<'a> {
    is_cancelled: AtomicBool,
    latest: Mutex<Option<(String, usize, usize)>>,
    fault: Option<&'a Fault>,
}

impl Observer for Watch<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        let (name, done, total) = match progress {
            Progress::Evaluation { evaluations, limit, .. } => ("search", *evaluations, *limit),
            Progress::Stage { name, done, total } => (*name, *done, *total),
            _ => return,
        };
        // Whoever finds it taken has nothing newer to say.
        if let Ok(mut latest) = self.latest.try_lock() {
            *latest = Some((name.to_owned(), done, total));
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || self.fault.is_some_and(Fault::is_set)
    }

    /// What was interrupted raises: its result is thrown away.
    fn is_abandoned(&self) -> bool {
        self.is_cancelled()
    }
}

impl Watch<'_> {
    /// Runs pending signal handlers and shows the progress.
    fn tick(&self, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let (Some(callback), Some(latest)) = (progress, latest) {
                callback.call1(py, latest)?;
            }
            Ok(())
        })
    }
}

/// Runs `work` without the interpreter lock. This thread keeps looking for signals: Ctrl-C ends the work at its next look
/// at the observer, and raises.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    context: &RunContext,
    work: impl FnOnce(&dyn Observer) -> eocc_core::Result<T> + Send,
) -> PyResult<T> {
    let fault = context.fault.as_deref();
    let watch = Watch { is_cancelled: AtomicBool::new(false), latest: Mutex::new(None), fault };
    let (result, raised) = py.detach(|| {
        let guarded = || catch_unwind(AssertUnwindSafe(|| work(&watch)));
        let Some(pool) = pool(context) else {
            let error = PyMemoryError::new_err("not a single thread can be started; free some memory");
            return (Err(Box::new("no thread") as Box<dyn Any + Send>), Some(error));
        };
        waiting(&pool, &watch, context.progress.as_ref(), guarded)
    });
    if let Some(error) = fault.and_then(Fault::take) {
        return Err(error);
    }
    match (result, raised) {
        (_, Some(error)) => Err(error),
        (Ok(Ok(value)), None) => Ok(value),
        (Ok(Err(error)), None) => Err(exception(&error)),
        (Err(panic), None) => Err(internal(words(panic.as_ref()))),
    }
}

type Caught<T> = Result<eocc_core::Result<T>, Box<dyn Any + Send>>;

/// Hands `work` to the pool and waits for it; and what a signal handler or the progress raised meanwhile.
fn waiting<T: Send>(
    pool: &ThreadPool,
    watch: &Watch<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> Caught<T> + Send,
) -> (Caught<T>, Option<PyErr>) {
    let (send, receive) = sync_channel(1);
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            // The receiver waits until there is something.
            let _ = send.send(work());
        });
        let mut raised = None;
        loop {
            match receive.recv_timeout(TICK) {
                Ok(result) => {
                    if let (None, Err(error)) = (&raised, watch.tick(progress)) {
                        raised = Some(error);
                    }
                    return (result, raised);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = watch.tick(progress) {
                        watch.is_cancelled.store(true, Ordering::Relaxed);
                        raised.get_or_insert(error);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return (Err(Box::new("the computation ended without a result")), raised);
                }
            }
        }
    })
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without words")
}

/// Threads for one call, as many as were asked for or can be had; nothing if there are none.
///
/// Not shared: what a metric raises must reach its own call; a metric may itself fit a model, and must not wait for its own
/// thread; and threads do not follow a fork, nor is a lock released in the child that another thread held.
fn pool(context: &RunContext) -> Option<ThreadPool> {
    let mut threads = eocc_core::threads::sensible(context.threads);
    loop {
        let mut builder = ThreadPoolBuilder::new().num_threads(threads);
        if let Some(fault) = context.fault.clone() {
            builder = builder.start_handler(move |_| Arc::clone(&fault).attach());
        }
        match builder.build() {
            Ok(pool) => return Some(pool),
            Err(_) if threads > 1 => threads /= 2,
            Err(_) => return None,
        }
    }
}
