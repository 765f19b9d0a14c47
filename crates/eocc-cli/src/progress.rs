//! A progress bar with the remaining time, on a terminal only.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use eocc_core::error::bytes;
use eocc_core::{Closeness, NeighborSearch, Observer, Plan, Progress, memory};
use eocc_eval::Watcher;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::OneLine;
use crate::{interrupt, say};

/// The duration and memory from which on a plan is shown.
pub(crate) const LONG: f64 = 2.0;
pub(crate) const LARGE: u64 = 100_000_000;

/// Shows the progress of a run on standard error and stops it on Ctrl-C.
pub(crate) struct Bar {
    drawn: ProgressBar,
    /// Dissimilarities measured despite lower bounds, and their total number.
    measured: AtomicUsize,
    pairs: AtomicUsize,
    /// The planned memory of the process, in bytes.
    planned: AtomicU64,
    stages: Mutex<Stages>,
}

/// The time that the stages of a run have taken so far.
struct Stages {
    /// The time of the last report.
    last: Instant,
    all: Vec<Stage>,
}

/// A stage: the time between reports, and the peak memory by then.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    pub(crate) peak: u64,
}

impl Bar {
    /// A bar that appears with the first progress.
    pub(crate) fn new() -> Self {
        // Draws nothing unless standard error is a terminal.
        let target = if say::is_quiet() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(8)
        };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        let style = ProgressStyle::with_template("{msg:<32} [{bar:30}] {pos}/{len}  {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        Self {
            drawn: bar,
            measured: AtomicUsize::new(0),
            pairs: AtomicUsize::new(0),
            planned: AtomicU64::new(0),
            stages: Mutex::new(Stages { last: Instant::now(), all: Vec::new() }),
        }
    }

    /// The stages so far, in order of their first report.
    pub(crate) fn stages(&self) -> Vec<Stage> {
        self.stages.lock().map_or_else(|_| Vec::new(), |stages| stages.all.clone())
    }

    fn hear(&self, name: &str) {
        let Ok(mut stages) = self.stages.lock() else { return };
        let seconds = stages.last.elapsed().as_secs_f64();
        stages.last = Instant::now();
        let at = stages.all.iter().position(|stage| stage.name == name).unwrap_or_else(|| {
            stages.all.push(Stage { name: name.to_owned(), seconds: 0.0, peak: 0 });
            stages.all.len() - 1
        });
        let stage = &mut stages.all[at];
        stage.seconds += seconds;
        // Memory is not queried at every step.
        if stage.peak == 0 || seconds > 0.02 {
            stage.peak = memory::in_use().1;
        }
    }

    /// The planned memory of the process, in bytes.
    pub(crate) fn planned_memory(&self) -> u64 {
        self.planned.load(Ordering::Relaxed)
    }

    /// `done` of `total`; false if the run is cancelled.
    pub(crate) fn step(&self, name: &str, done: usize, total: usize) -> bool {
        self.drawn.set_length(total as u64);
        self.drawn.set_position(done as u64);
        self.drawn.set_message(OneLine(name).to_string());
        !interrupt::is_interrupted()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.drawn.finish_and_clear();
        let (measured, pairs) = (self.measured.load(Ordering::Relaxed), self.pairs.load(Ordering::Relaxed));
        let spared = pairs.saturating_sub(measured);
        if spared > 0 {
            let share = 100.0 * spared as f64 / pairs as f64;
            say::note(&format!("lower bounds skipped {spared} of {pairs} dissimilarities ({share:.1} %)"));
        }
    }
}

impl Observer for Bar {
    fn progress(&self, progress: &Progress<'_>) {
        match progress {
            Progress::Evaluation { evaluations, limit, best, .. } => {
                self.hear("search");
                self.step(&format!("searching, best eta {best:.4}"), *evaluations, *limit);
            }
            Progress::Stage { name, done, total } => {
                self.hear(name);
                self.step(name, *done, *total);
            }
            Progress::Planned(plan) => {
                let (holds, most) = memory::in_use();
                let planned = most.max(holds.saturating_add(plan.memory));
                self.planned.store(planned, Ordering::Relaxed);
                show(plan, planned);
            }
            Progress::Spared { measured, pairs } => {
                self.measured.fetch_add(*measured, Ordering::Relaxed);
                self.pairs.fetch_add(*pairs, Ordering::Relaxed);
            }
            _ => {}
        }
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_interrupted()
    }

    fn is_abandoned(&self) -> bool {
        interrupt::is_abandoned()
    }
}

/// A plan in one line, unless the work takes only a moment.
fn show(plan: &Plan, planned: u64) {
    let longest = plan.seconds + plan.search_seconds;
    if plan.is_exact() && longest < LONG && plan.memory < LARGE {
        return;
    }
    let neighbors = match plan.neighbors {
        NeighborSearch::Visits(visits) => format!("approximate neighbors, visiting {visits} samples"),
        _ => "exact neighbors".to_owned(),
    };
    let closeness = match plan.closeness {
        Closeness::Sources(count) => format!("; closeness by {count} samples in regions of more"),
        _ => String::new(),
    };
    let search = match plan.search_seconds {
        seconds if seconds > 0.0 => format!(", a search up to {} more", rough(seconds)),
        _ => String::new(),
    };
    let (memory, time) = (bytes(planned), rough(plan.seconds));
    say::line(&format!("plan: {neighbors}{closeness}; up to {memory} of memory, about {time}{search}"));
}

/// A duration, rounded for planning.
pub(crate) fn rough(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 1.0 => "a second".to_owned(),
        seconds if seconds < 100.0 => format!("{seconds:.0} s"),
        seconds if seconds < 6000.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.0} h", seconds / 3600.0),
    }
}

impl Watcher for Bar {
    fn resumed(&self, known: usize, total: usize, journal: &Path) {
        say::line(&format!("{known} of {total} results are in {} already", journal.display()));
    }

    fn step(&self, set: &str, method: &str, done: usize, total: usize) {
        self.step(&format!("{set} {method}"), done, total);
    }
}
