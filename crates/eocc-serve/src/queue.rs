//! Requests waiting for a worker, and how workers batch them.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::body::Form;
use crate::config::Batching;
use crate::fault::Fault;
use crate::metrics::Metrics;
use crate::served::Served;

/// Maximum bytes of bodies in a batch. A larger body is processed alone: it would delay the others and gain nothing,
/// since training samples are read once per 128 rows.
const BATCH_BYTES: usize = 16 << 10;

/// A request whose body has arrived.
pub(crate) struct Job {
    pub(crate) served: Arc<Served>,
    pub(crate) ask: Ask,
    pub(crate) form: Form,
    /// The form of the response, if the request specifies one.
    pub(crate) answer: Option<Form>,
    pub(crate) body: Bytes,
    pub(crate) queued: Instant,
    /// When nobody waits for the response any longer.
    pub(crate) deadline: Instant,
    pub(crate) reply: oneshot::Sender<Result<Reply, Fault>>,
}

/// The kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    Infer,
    /// With the names of this many nearest training samples.
    Explain {
        nearest: usize,
    },
}

/// The response to a request.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) body: Vec<u8>,
    pub(crate) form: Form,
    pub(crate) rows: usize,
}

impl Job {
    fn is_small(&self) -> bool {
        self.ask == Ask::Infer && self.body.len() <= BATCH_BYTES
    }

    /// Whether both may be judged in one pass.
    fn goes_with(&self, other: &Self) -> bool {
        self.is_small() && other.is_small() && Arc::ptr_eq(&self.served, &other.served)
    }
}

/// The waiting requests, oldest first.
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    has_more: Condvar,
    capacity: usize,
    batching: Batching,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    is_closed: bool,
}

impl Queue {
    pub(crate) fn new(capacity: usize, batching: Batching, metrics: Arc<Metrics>) -> Self {
        Self { waiting: Mutex::default(), has_more: Condvar::new(), capacity, batching, metrics }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request, unless too many wait.
    pub(crate) fn push(&self, job: Job) -> Result<(), Fault> {
        let mut waiting = self.lock();
        if waiting.is_closed {
            return Err(Fault::unavailable("stopping", "the server is stopping"));
        }
        if waiting.jobs.len() >= self.capacity {
            let many = self.capacity;
            return Err(Fault::busy(format!(
                "{many} requests are waiting already; try again in a second, or ask less often"
            )));
        }
        waiting.jobs.push_back(job);
        self.metrics.queued.store(waiting.jobs.len(), Ordering::Relaxed);
        drop(waiting);
        self.has_more.notify_one();
        Ok(())
    }

    /// Whether requests are waiting.
    pub(crate) fn has_waiting(&self) -> bool {
        !self.lock().jobs.is_empty()
    }

    /// Lets workers finish the waiting requests, and then end.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.has_more.notify_all();
    }

    /// The next batch of requests, all for the same version of the same model; `None` once it is closed.
    ///
    /// The first of them has waited for others no longer than the delay allows, counted from its arrival.
    pub(crate) fn next(&self) -> Option<Vec<Job>> {
        let mut waiting = self.lock();
        let first = loop {
            if let Some(first) = waiting.jobs.pop_front() {
                break first;
            }
            if waiting.is_closed {
                return None;
            }
            waiting = self.has_more.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        };
        let until = first.queued + self.batching.delay;
        let mut batch = vec![first];
        loop {
            self.gather(&mut waiting, &mut batch);
            let left = until.saturating_duration_since(Instant::now());
            let is_full = batch.len() >= self.batching.requests || !batch[0].is_small();
            if is_full || left.is_zero() || waiting.is_closed {
                break;
            }
            let waited = self.has_more.wait_timeout(waiting, left);
            waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        self.metrics.queued.store(waiting.jobs.len(), Ordering::Relaxed);
        if !waiting.jobs.is_empty() {
            // The notification that woke this thread may have been meant for a remaining request.
            self.has_more.notify_one();
        }
        Some(batch)
    }

    /// Takes the requests that can be batched with the first, and leaves the others in order.
    fn gather(&self, waiting: &mut Waiting, batch: &mut Vec<Job>) {
        let mut at = 0;
        let mut left = BATCH_BYTES.saturating_sub(batch.iter().map(|job| job.body.len()).sum());
        while batch.len() < self.batching.requests && at < waiting.jobs.len() {
            let next = &waiting.jobs[at];
            if batch[0].goes_with(next) && next.body.len() <= left {
                left -= next.body.len();
                batch.extend(waiting.jobs.remove(at));
            } else {
                at += 1;
            }
        }
    }
}
