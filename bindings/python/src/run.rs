//! Running the library without the interpreter lock: on a given number of threads, interruptible, with progress.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use eocc_core::{Observer, Progress, parallel};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{exception, internal};
use crate::measure::Fault;

/// How often signals are checked and progress is shown.
const TICK: Duration = Duration::from_millis(50);

/// How to run: on how many threads, and where progress and exceptions go.
pub(crate) struct RunContext {
    /// Threads to compute on.
    pub(crate) threads: usize,
    /// Called with a stage, its finished steps and its total steps.
    pub(crate) progress: Option<Py<PyAny>>,
    /// Where a Python metric stores its exception.
    pub(crate) fault: Option<Arc<Fault>>,
}

struct Watch<'a> {
    is_cancelled: AtomicBool,
    latest: Mutex<Option<(String, usize, usize)>>,
    fault: Option<&'a Fault>,
    /// Set if the work runs on the caller's thread, which then checks for signals itself.
    own: Option<OwnThread<'a>>,
}

/// Checks for signals between steps of the work.
struct OwnThread<'a> {
    progress: Option<&'a Py<PyAny>>,
    state: Mutex<Looked>,
}

struct Looked {
    last: Instant,
    raised: Option<PyErr>,
}

impl Observer for Watch<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        let (name, done, total) = match progress {
            Progress::Evaluation { evaluations, limit, .. } => ("search", *evaluations, *limit),
            Progress::Stage { name, done, total } => (*name, *done, *total),
            _ => return,
        };
        // A thread that finds it locked has nothing newer to report.
        if let Ok(mut latest) = self.latest.try_lock() {
            *latest = Some((name.to_owned(), done, total));
        }
    }

    fn is_cancelled(&self) -> bool {
        if let Some(own) = &self.own {
            self.check_signals(own);
        }
        self.is_cancelled.load(Ordering::Relaxed) || self.fault.is_some_and(Fault::is_set)
    }

    /// An interrupted call raises, and its result is discarded.
    fn is_abandoned(&self) -> bool {
        self.is_cancelled()
    }
}

impl Watch<'_> {
    /// Checks for signals on the caller's own thread, if some time has passed.
    fn check_signals(&self, own: &OwnThread<'_>) {
        let Ok(mut state) = own.state.try_lock() else { return };
        if state.last.elapsed() < TICK {
            return;
        }
        if let Err(error) = self.tick(own.progress) {
            self.is_cancelled.store(true, Ordering::Relaxed);
            state.raised.get_or_insert(error);
        }
        state.last = Instant::now();
    }

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

/// Runs `work` without the interpreter lock. This thread keeps checking for signals: Ctrl-C ends the work at its next
/// check of the observer, and raises.
///
/// Work for one thread stays on this one: no thread is started, and microseconds stay microseconds. A Python function
/// gets its own threads.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    context: &RunContext,
    work: impl FnOnce(&dyn Observer) -> eocc_core::Result<T> + Send,
) -> PyResult<T> {
    let fault = context.fault.as_deref();
    let is_own = context.threads <= 1 && fault.is_none();
    let state = Mutex::new(Looked { last: Instant::now(), raised: None });
    let own = is_own.then(|| OwnThread { progress: context.progress.as_ref(), state });
    let watch = Watch { is_cancelled: AtomicBool::new(false), latest: Mutex::new(None), fault, own };
    let (result, raised) = py.detach(|| {
        let guarded = || catch_unwind(AssertUnwindSafe(|| work(&watch)));
        if watch.own.is_some() {
            return (parallel::on_this_thread(guarded), None);
        }
        let Some(pool) = Pool::get(context) else {
            let error = PyMemoryError::new_err("not a single thread can be started; free some memory");
            return (Err(Box::new("no thread") as Box<dyn Any + Send>), Some(error));
        };
        waiting(pool.as_ref(), &watch, context.progress.as_ref(), guarded)
    });
    let raised = match &watch.own {
        None => raised,
        Some(own) => {
            let raised = own.state.lock().unwrap_or_else(PoisonError::into_inner).raised.take();
            // Progress since the last check; short work has none to show.
            let is_new = watch.latest.lock().unwrap_or_else(PoisonError::into_inner).is_some();
            let shown = if is_new && own.progress.is_some() { watch.tick(own.progress).err() } else { None };
            raised.or(shown)
        }
    };
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

/// Hands `work` to the pool and waits for it; also returns exceptions of signal handlers or the progress callback.
fn waiting<T: Send>(
    pool: &ThreadPool,
    watch: &Watch<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> Caught<T> + Send,
) -> (Caught<T>, Option<PyErr>) {
    let (send, receive) = sync_channel(1);
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            // The receiver waits until there is a result.
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

/// The pool of earlier calls, with its process and number of threads.
static KEPT: Mutex<Option<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(None);

/// Threads for a call.
enum Pool {
    /// Those of earlier calls.
    Kept(Arc<ThreadPool>),
    /// Its own.
    Own(ThreadPool),
}

impl Pool {
    /// The requested number of threads, or as many as possible; `None` if there are none.
    ///
    /// A Python function has one pool per call: its exceptions must reach that call, and it may itself fit a model,
    /// which must not wait for its own thread. Other calls share one pool. Threads do not survive a fork, so the pool
    /// belongs to a process; and since a fork may leave the lock locked, no call waits for it.
    fn get(context: &RunContext) -> Option<Self> {
        let threads = eocc_core::threads::clamp_thread_count(context.threads);
        if context.fault.is_some() {
            return started(threads, context.fault.as_ref()).map(Self::Own);
        }
        let Ok(mut kept) = KEPT.try_lock() else { return started(threads, None).map(Self::Own) };
        let process = std::process::id();
        if let Some((of, count, pool)) = kept.as_ref()
            && (*of, *count) == (process, threads)
        {
            return Some(Self::Kept(Arc::clone(pool)));
        }
        let pool = Arc::new(started(threads, None)?);
        let before = kept.replace((process, threads, Arc::clone(&pool)));
        // The threads of another process cannot be ended from here.
        if let Some((of, _, pool)) = before
            && of != process
        {
            std::mem::forget(pool);
        }
        Some(Self::Kept(pool))
    }
}

impl AsRef<ThreadPool> for Pool {
    fn as_ref(&self) -> &ThreadPool {
        match self {
            Self::Kept(pool) => pool,
            Self::Own(pool) => pool,
        }
    }
}

fn started(mut threads: usize, fault: Option<&Arc<Fault>>) -> Option<ThreadPool> {
    loop {
        let mut builder = ThreadPoolBuilder::new().num_threads(threads);
        if let Some(fault) = fault.cloned() {
            builder = builder.start_handler(move |_| Arc::clone(&fault).attach());
        }
        match builder.build() {
            Ok(pool) => return Some(pool),
            Err(_) if threads > 1 => threads /= 2,
            Err(_) => return None,
        }
    }
}
