//! Edit distances compared with those of GEDLIB: 200 pairs of each of four IAM sets, one thread, processor time.
//!
//! The pairs with GEDLIB's bounds and seconds are in `ged/<set>.csv` of the data folder, the graphs in
//! `iam/<set>.tar.gz`; the folder is `$EOCC_DATA`, or `../shared/data`. Preparing graphs is not counted on either
//! side; costs of labels are counted here and not there.
//!
//! With the argument `matrix`: the full matrix of the set AIDS by `refine` on all threads, its memory, and how many
//! measurements the lower bound saves if only neighbors are needed. With `search`: evaluations of a search over the
//! constants of the schema cost, with and without the cache.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use eocc_core::dissimilarity::ged::{Costs, Limits, Method, Metric, SchemaCosts};
use eocc_core::dissimilarity::{Dissimilarity, GraphEdit, SearchCache};
use eocc_core::embedding::embed_cached;
use eocc_core::graphs::LabelledGraph;
use eocc_core::random::Random;
use eocc_core::{Observer, Progress, SampleSet};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = std::env::var_os("EOCC_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from);
    if !data.join("ged").is_dir() {
        println!("skipped: there is no folder `ged` in {}; set EOCC_DATA", data.display());
        return;
    }
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    if only.as_deref() == Some("matrix") {
        matrix(&data);
        return;
    }
    if only.as_deref() == Some("search") {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| search(&data));
        return;
    }
    println!("| set | method | lower | upper | GEDLIB | pairs/s | times GEDLIB | worse pairs |");
    println!("|---|---|---|---|---|---|---|---|");
    for (set, costs) in [
        ("Letter-HIGH", Costs::Letter),
        ("AIDS", Costs::Aids),
        ("GREC", Costs::Grec),
        ("Protein", Costs::Protein),
    ] {
        if only.as_deref().is_none_or(|o| set.contains(o)) {
            compare(&data, set, &costs);
        }
    }
}

/// A row of GEDLIB's results.
struct Row {
    a: usize,
    b: usize,
    values: Vec<f64>,
}

fn compare(data: &Path, set: &str, costs: &Costs) {
    let read = eocc_data::read_graphs(&data.join(format!("iam/{set}.tar.gz"))).unwrap();
    let graphs = read.graphs.graphs();
    let text = std::fs::read_to_string(data.join(format!("ged/{set}.csv"))).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let rows: Vec<Row> = text
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let find = |name: &str| read.graphs.position(name).unwrap();
            let values = cells[2..].iter().map(|c| c.parse().unwrap()).collect();
            Row { a: find(cells[0]), b: find(cells[1]), values }
        })
        .collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap() - 2;
    let methods = [
        (Method::BranchFast, "branch_fast"),
        (Method::Bipartite, "bipartite"),
        (Method::Refine, "refine_1"),
        (Method::Ipfp, "ipfp_10"),
        (Method::Exact, ""),
    ];
    let mut wrong = 0;
    for (method, name) in methods {
        if method == Method::Exact && set != "Letter-HIGH" {
            continue;
        }
        let limits = Limits { steps: 100_000_000, seconds: None };
        let d = GraphEdit::new(costs.clone()).normalize(false).method(method).limits(limits);
        let pairs: Vec<_> = rows.iter().map(|row| (&graphs[row.a], &graphs[row.b])).collect();
        let seconds = seconds_for(&d, &pairs);
        let (mut lower, mut upper, mut theirs, mut their_seconds) = (0.0, 0.0, 0.0, 0.0);
        let mut worse = 0;
        for row in &rows {
            let (a, b) = (&graphs[row.a], &graphs[row.b]);
            let bounds = d.bounds(a, b);
            lower += bounds.lower;
            upper += bounds.upper;
            if method != Method::Exact {
                let gedlib = row.values[column(&format!("{name}_upper"))];
                theirs += gedlib;
                their_seconds += row.values[column(&format!("{name}_seconds"))];
                worse += usize::from(bounds.upper > gedlib + 1e-6);
                let bound = row.values[column("branch_fast_lower")];
                wrong += usize::from((bounds.lower - bound).abs() > 1e-6 * (1.0 + bound));
            } else if bounds.upper > row.values[column("ipfp_10_upper")] + 1e-6 {
                worse += 1;
            }
        }
        let count = rows.len() as f64;
        println!(
            "| {set} | {} | {:.4} | {:.4} | {:.4} | {:.0} | {:.1} | {worse} |",
            method.name(),
            lower / count,
            upper / count,
            theirs / count,
            count / seconds,
            their_seconds / seconds
        );
    }
    println!("| {set} | lower bounds that differ from BRANCH_FAST's: {wrong} | | | | | | |");
}

/// Reports how many measurements were saved.
struct Spared;

impl Observer for Spared {
    fn progress(&self, progress: &Progress<'_>) {
        if let Progress::Spared { measured, pairs } = progress {
            let share = 100.0 * (pairs - measured) as f64 / *pairs as f64;
            println!("measured {measured} of {pairs} dissimilarities; spared {share:.1} %");
        }
    }
}

fn matrix(data: &Path) {
    let read = eocc_data::read_graphs(&data.join("iam/AIDS.tar.gz")).unwrap();
    let refs = read.graphs.refs();
    let n = refs.len();
    println!("{n} graphs, {} threads", rayon::current_num_threads());
    let d = GraphEdit::new(Costs::Aids);
    let start = Instant::now();
    let all: Vec<usize> = (0..n).collect();
    let whole = eocc_core::embedding::embed(&refs, &all, &d, &eocc_core::Silent).unwrap();
    println!(
        "full matrix: {:.1} s, {} MB",
        start.elapsed().as_secs_f64(),
        whole.values().len() * 8 / 1_000_000
    );
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or("");
        println!("peak memory of the process: {}", peak.trim_start_matches("VmHWM:").trim());
    }
    for width in [11, n.isqrt() + 1] {
        let start = Instant::now();
        let lists = eocc_core::knn::nearest_by_bounds(&refs, &d, width, &mut SearchCache::default(), &Spared)
            .unwrap()
            .unwrap();
        println!("{width} neighbors of each: {:.1} s", start.elapsed().as_secs_f64());
        let brute = eocc_core::knn::nearest_of_rows(n, width, |i, row| row.copy_from_slice(whole.row(i)));
        assert!(lists == brute, "the lists differ");
    }
}

/// Matrices under different constants.
fn search(data: &Path) {
    const EVALUATIONS: usize = 5;
    for (set, nominal, count) in [("Letter-HIGH", "A", 150), ("AIDS", "a", 60), ("Protein", "1", 40)] {
        let read = eocc_data::read_graphs(&data.join(format!("iam/{set}.tar.gz"))).unwrap();
        let own = read.one_class(nominal).unwrap().0;
        let graphs = read.graphs.select(&own[..count]);
        let refs = graphs.refs();
        let all: Vec<usize> = (0..count).collect();
        // Numbers on edges, which no published cost uses: with them, hardly any two edges are equal.
        let mut chosen = Vec::new();
        for a in &refs[0].schema().edge {
            if a.name.starts_with("distance") {
                chosen.push((format!("edge.{}", a.name), Metric::Ignore));
            }
        }
        let mut d = GraphEdit::new(Costs::Schema(SchemaCosts { chosen, ..SchemaCosts::default() }));
        d.learn(&refs, &[]).unwrap();
        let mut kept = SearchCache::default();
        // With the cache; prepared again; and the slow twin, every pair on its own without prior knowledge.
        let mut seconds = [0.0; 3];
        let mut random = Random::new(1);
        for evaluation in 0..=EVALUATIONS {
            let p: Vec<f64> = d.parameters().iter().map(|p| random.range(p.low, p.high)).collect();
            d.set(&p);
            let mut times = vec![processor_seconds()];
            let with = embed_cached(&refs, &all, &d, &mut kept, &eocc_core::Silent).unwrap();
            times.push(processor_seconds());
            let anew =
                embed_cached(&refs, &all, &d, &mut SearchCache::default(), &eocc_core::Silent).unwrap();
            times.push(processor_seconds());
            let mut plain = eocc_core::Matrix::zeros(count, count);
            for i in 0..count {
                for j in 0..i {
                    let value = d.between(refs[i], refs[j]);
                    plain.row_mut(i)[j] = value;
                    plain.row_mut(j)[i] = value;
                }
            }
            times.push(processor_seconds());
            assert!(with == anew && with == plain, "what was kept changed a distance");
            // The first one fills the cache for the others.
            if evaluation > 0 {
                for (sum, pair) in seconds.iter_mut().zip(times.windows(2)) {
                    *sum += (pair[1] - pair[0]) / EVALUATIONS as f64;
                }
            }
        }
        let [with, anew, plain] = seconds;
        println!(
            "{set}, {count} graphs, an evaluation: kept {with:.4} s, prepared anew {anew:.4} s ({:.2} times), pair by pair {plain:.4} s ({:.2} times)",
            anew / with,
            plain / with
        );
    }
}

/// Processor seconds of this thread or, if the system does not provide them, a clock.
fn processor_seconds() -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = text.and_then(|t| t.split_ascii_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

/// Processor seconds for all pairs once, both sides prepared.
fn seconds_for(d: &GraphEdit, pairs: &[(&LabelledGraph, &LabelledGraph)]) -> f64 {
    // Each pair is measured several times, so that preparing one side for each call does not count for much; but too
    // few times for branches to be looked up, so that each pair pays for its own estimates.
    const COPIES: usize = 4;
    /// The system's clock has steps of some milliseconds.
    const MIN_SECONDS: f64 = 0.3;
    let prepared: Vec<_> = pairs.iter().map(|(_, b)| d.prepare(&[*b; COPIES])).collect();
    let mut out = [0.0; COPIES];
    let mut passes = 0;
    let start = processor_seconds();
    while passes == 0 || processor_seconds() - start < MIN_SECONDS {
        for ((a, _), many) in pairs.iter().zip(&prepared) {
            many.fill(a, 0..COPIES, &mut out);
        }
        passes += 1;
    }
    let whole = processor_seconds() - start;
    let start = processor_seconds();
    for _ in 0..passes {
        for ((a, _), many) in pairs.iter().zip(&prepared) {
            many.fill(a, 0..0, &mut []);
        }
    }
    (whole - (processor_seconds() - start)) / (passes * COPIES) as f64
}
