//! The metrics, in the text format of Prometheus.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::monitor::Drift;

/// Upper bounds of latencies in seconds.
const SECONDS: [f64; 16] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Upper bounds of the numbers of requests, and rows, that are judged together.
const COUNTS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0, 1024.0];
/// Upper bounds of p-values, which are uniform for nominal samples.
const P_VALUES: [f64; 14] = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// The number of last rows for which the rejected fraction is reported.
const WINDOW: usize = 1000;

/// All metrics.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    refusals: Mutex<BTreeMap<&'static str, u64>>,
    latency: Mutex<BTreeMap<&'static str, Histogram>>,
    models: Mutex<BTreeMap<String, Arc<ModelMetrics>>>,
    batch_requests: Mutex<Option<Histogram>>,
    batch_rows: Mutex<Option<Histogram>>,
    queue_seconds: Mutex<Option<Histogram>>,
    pub(crate) in_flight: AtomicI64,
    pub(crate) connections: AtomicI64,
    pub(crate) refused_connections: AtomicU64,
    pub(crate) queued: AtomicUsize,
    pub(crate) panics: AtomicU64,
}

/// The metrics of a model, across its versions.
#[derive(Default)]
pub(crate) struct ModelMetrics {
    judged: Mutex<DecisionCounts>,
    pub(crate) loads: AtomicU64,
    pub(crate) refused_loads: AtomicU64,
}

#[derive(Default)]
struct DecisionCounts {
    rows: u64,
    rejected: u64,
    p_values: Option<Histogram>,
    /// Whether each of the last rows was rejected.
    last: VecDeque<bool>,
    rejected_last: usize,
}

#[derive(Clone)]
struct Histogram {
    bounds: &'static [f64],
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    fn new(bounds: &'static [f64]) -> Self {
        Self { bounds, counts: vec![0; bounds.len() + 1], sum: 0.0 }
    }

    fn add(&mut self, value: f64) {
        self.counts[self.bounds.partition_point(|bound| *bound < value)] += 1;
        self.sum += value;
    }

    /// `labels` are those besides the bound, with a trailing comma.
    fn write(&self, out: &mut String, name: &str, labels: &str) {
        let mut all = 0;
        for (count, bound) in
            self.counts.iter().zip(self.bounds.iter().map(f64::to_string).chain(["+Inf".into()]))
        {
            all += count;
            let _ = writeln!(out, "{name}_bucket{{{labels}le=\"{bound}\"}} {all}");
        }
        let labels = braced(labels);
        let _ = writeln!(out, "{name}_sum{labels} {}\n{name}_count{labels} {all}", self.sum);
    }
}

fn braced(labels: &str) -> String {
    if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.trim_end_matches(',')) }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The reported state of a model that is, or should be, served.
pub(crate) struct ModelState {
    pub(crate) name: String,
    pub(crate) version: Option<String>,
    /// Whether its file was refused, so that an older version answers, or none.
    pub(crate) is_refused: bool,
}

impl ModelMetrics {
    /// Counts rows: whether each was accepted, and its p-value.
    pub(crate) fn judged(&self, rows: impl Iterator<Item = (bool, f64)>) {
        let mut judged = lock(&self.judged);
        for (is_accepted, p_value) in rows {
            let is_rejected = !is_accepted;
            judged.rows += 1;
            judged.rejected += u64::from(is_rejected);
            judged.p_values.get_or_insert_with(|| Histogram::new(&P_VALUES)).add(p_value);
            judged.last.push_back(is_rejected);
            judged.rejected_last += usize::from(is_rejected);
            if judged.last.len() > WINDOW && judged.last.pop_front() == Some(true) {
                judged.rejected_last -= 1;
            }
        }
    }
}

impl Metrics {
    pub(crate) fn model(&self, name: &str) -> Arc<ModelMetrics> {
        Arc::clone(lock(&self.models).entry(name.to_owned()).or_default())
    }

    pub(crate) fn request(&self, route: &'static str, status: u16, took: Duration) {
        *lock(&self.requests).entry((route, status)).or_default() += 1;
        let mut latency = lock(&self.latency);
        latency.entry(route).or_insert_with(|| Histogram::new(&SECONDS)).add(took.as_secs_f64());
    }

    pub(crate) fn refused(&self, code: &'static str) {
        *lock(&self.refusals).entry(code).or_default() += 1;
    }

    pub(crate) fn batch(&self, requests: usize, rows: usize) {
        lock(&self.batch_requests).get_or_insert_with(|| Histogram::new(&COUNTS)).add(requests as f64);
        lock(&self.batch_rows).get_or_insert_with(|| Histogram::new(&COUNTS)).add(rows as f64);
    }

    pub(crate) fn waited(&self, waited: Duration) {
        lock(&self.queue_seconds).get_or_insert_with(|| Histogram::new(&SECONDS)).add(waited.as_secs_f64());
    }

    /// All of it as text.
    pub(crate) fn text(&self, models: &[ModelState], drifts: &[(String, Drift)], log_dropped: u64) -> String {
        let mut out = String::new();
        let head = |out: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        head(&mut out, "eocc_requests_total", "counter", "Requests answered, by route and status.");
        for ((route, status), count) in lock(&self.requests).iter() {
            let _ = writeln!(out, "eocc_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
        }
        head(&mut out, "eocc_errors_total", "counter", "Requests refused or failed, by reason.");
        for (code, count) in lock(&self.refusals).iter() {
            let _ = writeln!(out, "eocc_errors_total{{reason=\"{code}\"}} {count}");
        }
        let name = "eocc_request_seconds";
        head(&mut out, name, "histogram", "Time from the head of a request to its answer, by route.");
        for (route, histogram) in lock(&self.latency).iter() {
            histogram.write(&mut out, name, &format!("route=\"{route}\","));
        }
        let histograms = [
            ("eocc_queue_seconds", "Time that requests waited for a worker.", &self.queue_seconds),
            ("eocc_batch_requests", "Requests judged together.", &self.batch_requests),
            ("eocc_batch_rows", "Rows judged together.", &self.batch_rows),
        ];
        for (name, help, histogram) in histograms {
            head(&mut out, name, "histogram", help);
            if let Some(histogram) = lock(histogram).as_ref() {
                histogram.write(&mut out, name, "");
            }
        }
        let queued = i64::try_from(self.queued.load(Ordering::Relaxed)).unwrap_or(i64::MAX);
        let gauges = [
            (
                "eocc_requests_in_flight",
                "Requests being read, waiting or worked on.",
                self.in_flight.load(Ordering::Relaxed),
            ),
            ("eocc_queue_length", "Requests that wait for a worker.", queued),
            ("eocc_connections", "Open connections.", self.connections.load(Ordering::Relaxed)),
        ];
        for (name, help, gauge) in gauges {
            head(&mut out, name, "gauge", help);
            let _ = writeln!(out, "{name} {gauge}");
        }
        let counters = [
            (
                "eocc_refused_connections_total",
                "Connections refused because there were too many.",
                self.refused_connections.load(Ordering::Relaxed),
            ),
            ("eocc_panics_total", "Faults of eocc itself.", self.panics.load(Ordering::Relaxed)),
            ("eocc_log_lines_dropped_total", "Log lines that could not be written.", log_dropped),
        ];
        for (name, help, count) in counters {
            head(&mut out, name, "counter", help);
            let _ = writeln!(out, "{name} {count}");
        }
        self.models_text(&mut out, models);
        drift_text(&mut out, drifts);
        process(&mut out);
        out
    }

    fn models_text(&self, out: &mut String, states: &[ModelState]) {
        let known: Vec<(String, Arc<ModelMetrics>)> =
            lock(&self.models).iter().map(|(name, metrics)| (escaped(name), Arc::clone(metrics))).collect();
        let mut series =
            |name: &str, kind: &str, help: &str, value: &dyn Fn(&ModelMetrics) -> Option<String>| {
                let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
                for (model, metrics) in &known {
                    if let Some(value) = value(metrics) {
                        let _ = writeln!(out, "{name}{{model=\"{model}\"}} {value}");
                    }
                }
            };
        series("eocc_rows_total", "counter", "Rows judged.", &|m| Some(lock(&m.judged).rows.to_string()));
        series("eocc_rows_rejected_total", "counter", "Rows rejected.", &|m| {
            Some(lock(&m.judged).rejected.to_string())
        });
        series("eocc_rejected_share", "gauge", "Share of the last 1000 rows that was rejected.", &|m| {
            let judged = lock(&m.judged);
            let share = judged.rejected_last as f64 / judged.last.len() as f64;
            (!judged.last.is_empty()).then(|| share.to_string())
        });
        series("eocc_model_loads_total", "counter", "Versions of the model that were loaded.", &|m| {
            Some(m.loads.load(Ordering::Relaxed).to_string())
        });
        series("eocc_model_refused_total", "counter", "Model files that were refused.", &|m| {
            Some(m.refused_loads.load(Ordering::Relaxed).to_string())
        });
        let name = "eocc_p_value";
        let _ = writeln!(out, "# HELP {name} P-values of the rows judged.\n# TYPE {name} histogram");
        for (model, metrics) in &known {
            if let Some(histogram) = &lock(&metrics.judged).p_values {
                histogram.write(out, name, &format!("model=\"{model}\","));
            }
        }
        let mut flag = |name: &str, help: &str, flag: fn(&ModelState) -> bool| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge");
            for state in states {
                let _ =
                    writeln!(out, "{name}{{model=\"{}\"}} {}", escaped(&state.name), u8::from(flag(state)));
            }
        };
        flag("eocc_model_ready", "Whether the model answers.", |state| state.version.is_some());
        flag("eocc_model_file_refused", "Whether the file of the model is refused.", |state| {
            state.is_refused
        });
        let name = "eocc_model_info";
        let _ = writeln!(out, "# HELP {name} The version of the model that answers.\n# TYPE {name} gauge");
        for state in states {
            if let Some(version) = &state.version {
                let _ = writeln!(out, "{name}{{model=\"{}\",version=\"{version}\"}} 1", escaped(&state.name));
            }
        }
    }
}

/// The findings of monitors.
fn drift_text(out: &mut String, drifts: &[(String, Drift)]) {
    let mut series = |name: &str, kind: &str, help: &str, value: fn(&Drift) -> String| {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (model, drift) in drifts {
            let _ = writeln!(out, "{name}{{model=\"{}\"}} {}", escaped(model), value(drift));
        }
    };
    series("eocc_drift_level", "gauge", "The drift statistic; an alarm is raised at 1.", |d| {
        d.level.to_string()
    });
    series(
        "eocc_drift_rows_total",
        "counter",
        "Rows that the monitor has seen, also before this start.",
        |d| d.seen.to_string(),
    );
    series("eocc_drift_skipped_total", "counter", "Rows that the monitor could not take.", |d| {
        d.skipped.to_string()
    });
    series("eocc_drift_questions", "gauge", "Events that wait for an answer.", |d| d.questions.to_string());
    series("eocc_drift_failed_saves_total", "counter", "States that could not be saved.", |d| {
        d.failed_saves.to_string()
    });
    let name = "eocc_drift_events_total";
    let _ =
        writeln!(out, "# HELP {name} Events of the monitor by kind, since the start.\n# TYPE {name} counter");
    for (model, drift) in drifts {
        for (kind, count) in &drift.events {
            let _ = writeln!(out, "{name}{{model=\"{}\",kind=\"{kind}\"}} {count}", escaped(model));
        }
    }
}

/// A label, escaped for the format.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The system's data about the process, if available.
fn process(out: &mut String) {
    let pages: Option<u64> = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse().ok());
    if let Some(pages) = pages {
        let name = "process_resident_memory_bytes";
        let _ = writeln!(out, "# HELP {name} Resident memory.\n# TYPE {name} gauge\n{name} {}", pages * 4096);
    }
    if let Ok(handles) = std::fs::read_dir("/proc/self/fd") {
        let name = "process_open_fds";
        let _ = writeln!(
            out,
            "# HELP {name} Open file handles.\n# TYPE {name} gauge\n{name} {}",
            handles.count()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_add_up() {
        let mut histogram = Histogram::new(&[1.0, 2.0]);
        for value in [0.5, 1.0, 1.5, 2.5] {
            histogram.add(value);
        }
        let mut out = String::new();
        histogram.write(&mut out, "x", "a=\"b\",");
        assert_eq!(
            out,
            "x_bucket{a=\"b\",le=\"1\"} 2\nx_bucket{a=\"b\",le=\"2\"} 3\nx_bucket{a=\"b\",le=\"+Inf\"} 4\n\
             x_sum{a=\"b\"} 5.5\nx_count{a=\"b\"} 4\n"
        );
    }

    #[test]
    fn the_share_is_of_the_last_rows() {
        let metrics = ModelMetrics::default();
        metrics.judged(std::iter::repeat_n((false, 0.5), WINDOW));
        metrics.judged(std::iter::repeat_n((true, 0.5), WINDOW / 4));
        let judged = lock(&metrics.judged);
        assert_eq!((judged.rows, judged.rejected), (1250, 1000));
        assert_eq!((judged.rejected_last, judged.last.len()), (750, WINDOW));
    }
}
