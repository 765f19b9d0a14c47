//! The threads that parse, judge and respond.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use eocc_core::{AnySamples, Decision, Observer, parallel};
use eocc_report::why::Style;
use serde_json::json;

use crate::body::{self, Question};
use crate::fault::Fault;
use crate::log::{Level, Log};
use crate::metrics::Metrics;
use crate::monitor::Monitors;
use crate::queue::{Ask, Job, Queue, Reply};
use crate::{answer, explain};

/// Up to this many rows, a worker judges them alone: other threads would take longer to wake up.
const FEW_ROWS: usize = 64;
/// Up to this many rows, a worker judges them alone if another worker is busy, too: workers sharing the threads only
/// get in each other's way.
const SOME_ROWS: usize = 2048;

/// State shared by all workers.
pub(crate) struct Work {
    pub(crate) queue: Arc<Queue>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Log,
    pub(crate) monitors: Arc<Monitors>,
    pub(crate) max_rows: usize,
    pub(crate) style: Style,
    /// How many workers are judging.
    pub(crate) judging: Arc<AtomicUsize>,
}

/// Cancels when nobody waits for the response any longer.
struct Until(Instant);

impl Observer for Until {
    fn is_cancelled(&self) -> bool {
        Instant::now() >= self.0
    }
}

impl Work {
    /// Works until the queue is closed and empty.
    pub(crate) fn run(&self) {
        while let Some(jobs) = self.queue.next() {
            let now = Instant::now();
            let jobs: Vec<Job> = jobs.into_iter().filter(|job| self.is_wanted(job, now)).collect();
            self.answer_all(jobs);
        }
    }

    /// Whether anyone still waits for the response.
    fn is_wanted(&self, job: &Job, now: Instant) -> bool {
        self.metrics.waited(now.saturating_duration_since(job.queued));
        !job.reply.is_closed() && now < job.deadline
    }

    fn answer_all(&self, jobs: Vec<Job>) {
        let mut read: Vec<(Job, Question)> = Vec::with_capacity(jobs.len());
        for job in jobs {
            if let Ask::Explain { nearest } = job.ask {
                let answered = self.guarded(|| self.explain(&job, nearest));
                reply(job, answered);
                continue;
            }
            match self.guarded(|| body::read(&job.served, job.form, &job.body, self.max_rows)) {
                Ok(question) => read.push((job, question)),
                Err(fault) => reply(job, Err(fault)),
            }
        }
        let Some((first, _)) = read.first() else { return };
        let served = Arc::clone(&first.served);
        let until = Until(read.iter().map(|(job, _)| job.deadline).max().unwrap_or_else(Instant::now));
        let sets: Vec<AnySamples> = read.iter().map(|(_, question)| question.data.samples.clone()).collect();
        let scoring = served.model.params().scoring;
        let rows = sets.iter().map(|set| set.count()).sum::<usize>();
        self.metrics.batch(sets.len(), rows);
        let others = self.judging.fetch_add(1, Ordering::Relaxed);
        let is_alone = rows <= FEW_ROWS || (rows <= SOME_ROWS && (others > 0 || self.queue.has_waiting()));
        let together = || served.model.decide_together(&sets, scoring, &until);
        let judge = || Ok(if is_alone { parallel::on_this_thread(together) } else { together() });
        let judged = self.guarded(judge);
        self.judging.fetch_sub(1, Ordering::Relaxed);
        let judged: Vec<Result<Vec<Decision>, Fault>> = match judged {
            Ok(judged) => judged.into_iter().map(|one| one.map_err(Fault::from)).collect(),
            // One of them may have caused the error: judge each individually.
            Err(_) => sets.iter().map(|set| self.judge_alone(&served, set, &until)).collect(),
        };
        for ((job, mut question), decisions) in read.into_iter().zip(judged) {
            let rows = question.data.samples.clone();
            let is_judged = decisions.is_ok();
            let answered = decisions.and_then(|decisions| {
                let form = job.answer.unwrap_or(question.form);
                let written = self.guarded(|| answer::write(&served, &mut question, form, &decisions))?;
                served.metrics.judged(decisions.iter().map(|decision| (decision.accepted, decision.p_value)));
                Ok(Reply { body: written, form, rows: decisions.len() })
            });
            reply(job, answered);
            if is_judged {
                self.monitors.show(&served.name, &rows);
            }
        }
    }

    fn judge_alone(
        &self,
        served: &crate::served::Served,
        set: &AnySamples,
        until: &Until,
    ) -> Result<Vec<Decision>, Fault> {
        self.guarded(|| Ok(served.model.decide_with(set, served.model.params().scoring, until)?))
    }

    fn explain(&self, job: &Job, nearest: usize) -> Result<Reply, Fault> {
        let max_rows = self.max_rows.min(explain::MAX_ROWS);
        let question = body::read(&job.served, job.form, &job.body, max_rows)?;
        let body = explain::explain(&job.served, &question, nearest, self.style, &Until(job.deadline))?;
        Ok(Reply { body, form: body::Form::Json, rows: question.data.count() })
    }

    /// An internal error ends one request, not the server.
    fn guarded<T>(&self, work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            self.metrics.panics.fetch_add(1, Ordering::Relaxed);
            self.log.write(Level::Error, "panic", json!({ "message": words }));
            Err(Fault::internal())
        })
    }
}

/// Responds, if the sender of the request is still connected.
fn reply(job: Job, answered: Result<Reply, Fault>) {
    let _ = job.reply.send(answered);
}
