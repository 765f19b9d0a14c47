//! The main loop: samples in, decisions and events out, with the state saved along the way.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use eocc_core::Error;
use eocc_core::stream::Observed;
use eocc_data::{Column, Dataset, OutFormat, Values, add_kept, write_rows};

use super::events::{json_of, line_of};
use super::lock::{Journal, Lock};
use super::sink::Sink;
use super::source::Input;
use super::state::State;
use crate::cli::OnBadSample;
use crate::{interrupt, say};

/// Samples judged at a time: decisions come soon, and cancellation is noticed.
const AT_ONCE: usize = 256;
/// Saving takes at most one part in this many of the time.
const SAVING: u32 = 20;
/// Minimum time between two saves.
const MIN_PAUSE: Duration = Duration::from_millis(100);

/// A run over an input.
pub(crate) struct Run {
    pub(crate) state: State,
    pub(crate) path: PathBuf,
    pub(crate) lock: Lock,
    pub(crate) journal: Journal,
    pub(crate) table: Sink,
    pub(crate) events: Option<Sink>,
    pub(crate) format: OutFormat,
    /// Whether the table still needs its header.
    pub(crate) needs_header: bool,
    pub(crate) on_bad: OnBadSample,
    pub(crate) saving: Saving,
    pub(crate) totals: Totals,
}

/// The result of a run.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) judged: usize,
    pub(crate) rejected: usize,
    pub(crate) alarms: usize,
}

/// When to save the state.
#[derive(Debug)]
pub(crate) struct Saving {
    /// After this many samples; by default depending on how long saving takes.
    pub(crate) every: Option<usize>,
    pub(crate) samples: usize,
    pub(crate) last: Instant,
    pub(crate) pause: Duration,
}

impl Saving {
    pub(crate) fn new(every: Option<usize>) -> Self {
        Self { every, samples: 0, last: Instant::now(), pause: MIN_PAUSE }
    }

    fn is_due(&self) -> bool {
        match self.every {
            Some(every) => self.samples >= every,
            None => self.samples > 0 && self.last.elapsed() >= self.pause,
        }
    }
}

impl Run {
    /// Follows the input to its end, or until the run is cancelled; returns whether it was. The state is saved in any
    /// case, unless output could not be written: then the previous state stays, and output resumes from there.
    pub(crate) fn follow(&mut self, input: &mut Input) -> Result<bool> {
        self.save()?;
        loop {
            let may_stop = input.may_stop();
            if interrupt::is_interrupted() && may_stop {
                self.save()?;
                return Ok(true);
            }
            let data = match input.next() {
                Ok(Some(data)) => data,
                Ok(None) => break,
                Err(fault) => {
                    self.save()?;
                    if interrupt::is_interrupted() {
                        return Ok(true);
                    }
                    return Err(fault);
                }
            };
            let rows: Vec<usize> = (0..data.count()).collect();
            let most = self.saving.every.unwrap_or(AT_ONCE).clamp(1, AT_ONCE);
            for some in rows.chunks(most) {
                if interrupt::is_interrupted() && may_stop {
                    self.save()?;
                    return Ok(true);
                }
                self.take(&data.select(some), input)?;
                if self.saving.is_due() {
                    self.save()?;
                }
            }
        }
        self.save()?;
        Ok(false)
    }

    /// Judges some samples and reports them.
    fn take(&mut self, data: &Dataset, input: &mut Input) -> Result<()> {
        // On an error, earlier samples are not reported, and so not saved.
        let (observed, rows) = self.observe(data, input)?;
        let data = if rows.len() < data.count() { data.select(&rows) } else { data.clone() };
        self.totals.judged += observed.iter().filter(|o| !o.p_value.is_nan()).count();
        self.totals.rejected += observed.iter().filter(|o| !o.accepted).count();
        self.totals.alarms += observed.iter().filter(|o| o.alarm.is_some()).count();
        let mut bytes = Vec::new();
        if !observed.is_empty() || self.needs_header {
            let columns = columns(&data, &observed, self.state.position.names);
            let header = std::mem::take(&mut self.needs_header);
            write_rows(&columns, self.format, header, &mut bytes)?;
        }
        let (lock, journal) = (&mut self.lock, &mut self.journal);
        self.table.put(&bytes, |progress| {
            journal.outputs[0] = progress;
            lock.write(journal)
        })?;
        self.tell_events()?;
        self.state.position.bytes[0] = self.table.position();
        Ok(())
    }

    /// The decisions on samples, and the indices of these samples: those that cannot be judged are skipped.
    fn observe(&mut self, data: &Dataset, input: &mut Input) -> Result<(Vec<Observed>, Vec<usize>)> {
        let all: Vec<usize> = (0..data.count()).collect();
        self.saving.samples += all.len();
        let mut observed = Vec::with_capacity(all.len());
        let result = self.state.stream.observe_rows(&data.samples, &all, &mut observed);
        let mut rows: Vec<usize> = all[..observed.len()].to_vec();
        if let Err(fault) = result {
            if self.on_bad == OnBadSample::Error || !fault.is_input() {
                return Err(anyhow::Error::new(fault).context(data.source.clone()));
            }
            for &row in &all[observed.len()..] {
                match self.state.stream.observe(&data.samples, row) {
                    Ok(one) => {
                        observed.push(one);
                        rows.push(row);
                    }
                    Err(fault) if fault.is_input() => {
                        input.note_bad(format!("row {}: {fault}", data.row(row)));
                    }
                    Err(fault) => return Err(fault.into()),
                }
            }
        }
        self.state.position.taken += all.len() as u64;
        Ok((observed, rows))
    }

    /// Reports events that have not been reported yet.
    pub(crate) fn tell_events(&mut self) -> Result<()> {
        let last = self.state.position.event;
        for event in self.state.stream.events().into_iter().filter(|event| event.id > last) {
            say::line(&line_of(&event));
            if let Some(sink) = &mut self.events {
                let mut line = json_of(&event).to_string();
                line.push('\n');
                let (lock, journal) = (&mut self.lock, &mut self.journal);
                sink.put(line.as_bytes(), |progress| {
                    journal.outputs[1] = progress;
                    lock.write(journal)
                })?;
                self.state.position.bytes[1] = sink.position();
            }
            self.state.position.event = event.id;
        }
        Ok(())
    }

    fn save(&mut self) -> Result<()> {
        let start = Instant::now();
        self.state.save(&self.path)?;
        self.saving.samples = 0;
        self.saving.last = Instant::now();
        self.saving.pause = (start.elapsed() * SAVING).max(MIN_PAUSE);
        Ok(())
    }
}

/// One row per sample: the columns of `score`, and the alarm that it raised.
pub(crate) fn columns(data: &Dataset, observed: &[Observed], has_names: bool) -> Vec<Column> {
    let numbers =
        |name: &str, f: fn(&Observed) -> f64| Column::numbers_or_nan(name, observed.iter().map(f).collect());
    let mut columns = vec![Column::counts("row", (0..observed.len()).map(|i| data.row(i)))];
    if has_names {
        columns.push(Column::texts(
            "name",
            (0..observed.len()).map(|i| match &data.names {
                Some(names) => names[i].clone(),
                None => String::new(),
            }),
        ));
    }
    let has_none: Vec<bool> = observed.iter().map(|o| o.alarm.is_none()).collect();
    let alarms = observed.iter().map(|o| usize::try_from(o.alarm.unwrap_or(0)).unwrap_or(usize::MAX));
    columns.extend([
        numbers("score", |o| o.score),
        numbers("membership", |o| o.membership),
        Column::new("accepted", Values::Boolean(observed.iter().map(|o| o.accepted).collect())),
        Column::counts("region", observed.iter().map(|o| o.region)),
        numbers("p_value", |o| o.p_value),
        Column::counts("alarm", alarms).with_missing(has_none),
    ]);
    add_kept(&mut columns, data.kept.iter().cloned());
    columns
}

/// A state that cannot be used with these options.
pub(crate) fn refuse(name: &str, given: impl ToString, allowed: &str) -> anyhow::Error {
    Error::parameter(name, given, allowed).into()
}
