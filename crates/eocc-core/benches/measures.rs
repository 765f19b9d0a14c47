//! All pairs of strings and of time series, compared with a plain dynamic program and with the usual Python
//! libraries, the peers, run by `scripts/peers.py` on the same data in the same run.
//!
//! Goals, with the same number of threads and both sides computing half of the matrix: Levenshtein at 300 letters 1.5
//! times as fast as rapidfuzz; time warping 3 times as fast as dtaidistance on one channel of length 200, and 2 times
//! as fast as aeon on six channels.
//!
//! `EOCC_PYTHON` is a Python with the packages in `scripts/requirements-golden.txt`; without them, the peers are
//! skipped. Times are processor times of all threads, so that other work on the machine does not count.
#![expect(clippy::print_stdout, reason = "the ratios are the purpose of the program")]

mod support;

use std::process::Command;
use std::time::Instant;

use eocc_core::dissimilarity::{Costs, Dissimilarity, Dtw, Levenshtein, Local, Unit};
use eocc_core::embedding::embed;
use eocc_core::random::Random;
use eocc_core::{Matrix, Series, Silent};
use serde_json::{Value, json};
use support::{is_trial, pool};

/// Processor and wall seconds of `run`.
fn timed<T>(run: impl FnOnce() -> T) -> (T, f64, f64) {
    let before = processor();
    let start = Instant::now();
    let value = run();
    let wall = start.elapsed().as_secs_f64();
    let used = processor().zip(before).map_or(wall, |(after, before)| after - before);
    (value, used, wall)
}

/// Processor seconds of this process, if the system provides them.
fn processor() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

fn all_pairs<S: ?Sized + eocc_core::Sample>(samples: &[&S], d: &dyn Dissimilarity<S>) -> Matrix {
    let all: Vec<usize> = (0..samples.len()).collect();
    embed(samples, &all, d, &Silent).expect("a matrix")
}

/// The sum over pairs, each once.
fn sum(matrix: &Matrix, of: impl Fn(f64) -> f64) -> f64 {
    (0..matrix.rows()).map(|i| matrix.row(i)[i + 1..].iter().map(|v| of(*v)).sum::<f64>()).sum()
}

/// Runs the peer on the data; `None` if it is not installed.
fn peer(words: &[String], data: &Value) -> Option<Value> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let path = std::env::temp_dir().join(format!("eocc-peer-{}.json", std::process::id()));
    std::fs::write(&path, data.to_string()).ok()?;
    let python = std::env::var("EOCC_PYTHON").unwrap_or_else(|_| "python3".into());
    let done = Command::new(python)
        .arg(format!("{root}/scripts/peers.py"))
        .args(words)
        .arg("--data")
        .arg(&path)
        .output();
    let _ = std::fs::remove_file(&path);
    let out = done.ok().filter(|d| d.status.success())?.stdout;
    serde_json::from_slice(&out).ok()
}

/// Prints our time next to those of the peer and of the slow twin, which runs on a few pairs only.
fn report(
    words: &[String],
    data: &Value,
    pairs: usize,
    ours: &dyn Fn() -> f64,
    plain: &dyn Fn() -> (f64, usize),
) {
    let mut times: Vec<(f64, f64)> = Vec::new();
    let mut total = 0.0;
    for _ in 0..5 {
        let (value, used, wall) = timed(ours);
        total = value;
        times.push((used, wall));
    }
    times.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (used, wall) = times[times.len() / 2];
    println!(
        "{}: ours {used:.3} s of processor, {wall:.3} s ({:.0} pairs/s)",
        words.join(" "),
        pairs as f64 / used
    );
    let ((_, few), slow, _) = timed(plain);
    println!("  plain / ours = {:.1}", slow / few as f64 / (used / pairs as f64));
    match peer(words, data) {
        None => println!("  no peer: install scripts/requirements-golden.txt and set EOCC_PYTHON"),
        Some(found) => {
            let theirs = found["cpu_seconds"].as_f64().unwrap_or(f64::NAN);
            let agree = (found["sum"].as_f64().unwrap_or(f64::NAN) / total - 1.0).abs() < 1e-6;
            let version = found["version"].to_string();
            println!("  peer / ours = {:.2} ({version}: {theirs:.3} s; same sum: {agree})", theirs / used);
        }
    }
}

fn plain_levenshtein(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

fn plain_dtw(a: &Series, b: &Series) -> f64 {
    let mut last = vec![f64::INFINITY; b.len() + 1];
    last[0] = 0.0;
    for x in a.steps() {
        let mut row = vec![f64::INFINITY; b.len() + 1];
        for (j, y) in b.steps().enumerate() {
            let cost: f64 = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum();
            row[j + 1] = cost + last[j].min(last[j + 1]).min(row[j]);
        }
        last = row;
    }
    last[b.len()]
}

fn strings(n: usize, length: usize, threads: usize) {
    let mut r = Random::new(1);
    let letters: Vec<char> = "ARNDCQEGHILKMFPSTWYV".chars().collect();
    let strings: Vec<String> = (0..n).map(|_| (0..length).map(|_| letters[r.below(20)]).collect()).collect();
    let refs: Vec<&str> = strings.iter().map(String::as_str).collect();
    let d = Levenshtein::new(Unit::Chars, Costs::UNIT, false);
    let words = ["levenshtein".into(), n.to_string(), length.to_string(), threads.to_string()];
    let pool = pool(threads);
    report(
        &words,
        &json!({ "strings": strings }),
        n * (n - 1) / 2,
        &|| pool.install(|| sum(&all_pairs(&refs, &d), |v| v)),
        &|| ((1..n).map(|j| plain_levenshtein(refs[0], refs[j])).sum::<usize>() as f64, n - 1),
    );
}

fn series(n: usize, length: usize, channels: usize, threads: usize) {
    let mut r = Random::new(2);
    let mut one =
        || Series::new((0..length * channels).map(|_| r.normal()).collect(), channels).expect("a series");
    let all: Vec<Series> = (0..n).map(|_| one()).collect();
    let refs: Vec<&Series> = all.iter().collect();
    let d = Dtw::new(Local::Squared, None, false).expect("a measure");
    let pool = pool(threads);
    let ours = |root: bool| pool.install(|| sum(&all_pairs(&refs, &d), |v| if root { v.sqrt() } else { v }));
    let few = || (1..n).flat_map(|j| (0..4.min(j)).map(move |i| (i, j)));
    let plain = || (few().map(|(i, j)| plain_dtw(refs[i], refs[j])).sum::<f64>(), few().count());
    let pairs = n * (n - 1) / 2;
    if channels == 1 {
        let data = json!({ "series": all.iter().map(|s| s.values().to_vec()).collect::<Vec<_>>() });
        let words = ["dtw".into(), n.to_string(), length.to_string(), threads.to_string()];
        report(&words, &data, pairs, &|| ours(true), &plain);
    } else {
        let steps = |s: &Series| s.steps().map(<[f64]>::to_vec).collect::<Vec<_>>();
        let data = json!({ "series": all.iter().map(steps).collect::<Vec<_>>() });
        for (what, root) in [("dtw_multi", false), ("dtw_ndim", true)] {
            let words =
                [what.into(), n.to_string(), length.to_string(), channels.to_string(), threads.to_string()];
            report(&words, &data, pairs, &|| ours(root), &plain);
        }
    }
}

fn main() {
    if is_trial() {
        return;
    }
    strings(1000, 300, 1);
    strings(1000, 300, 2);
    series(300, 200, 1, 1);
    series(150, 100, 6, 1);
}
