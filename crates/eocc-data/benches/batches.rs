//! The overhead of a call: record batches of 1, 2048 and 300 000 rows, ten numbers or mixed columns (six numbers, two
//! of words, one of booleans, one of dates), compared with the same samples in the model's form.
//!
//! On one thread. Time that the judge takes is not counted on either side, since it would hide the difference: an
//! observer notes it. As a trial (`cargo test --benches`), it runs once on fewer rows.
//!
//! ```sh
//! cargo bench -p eocc-data --features columnar --bench batches
//! ```
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench prints, and stops at a fault"
)]

use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use eocc_core::parallel::on_this_thread;
use eocc_core::{AnyModel, Observer, OneClass, Preset, Progress, Settings, Silent};
use eocc_data::{BatchScorer, Dataset, ReadOptions, ReadRequest, ScoreOptions, read_bytes};

/// Training samples, and rows per call.
const TRAINING: usize = 50;
const CALLS: [usize; 3] = [1, 2048, 300_000];
const DAY: i64 = 86_400;

fn number(row: usize, column: usize) -> f64 {
    let mixed = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 + 5 * column as u32);
    (mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1_u64 << 53) as f64
}

fn color(row: usize) -> &'static str {
    ["red", "green", "blue", "black"][(4.0 * number(row, 10)) as usize]
}

fn shop(row: usize) -> String {
    format!("s{}", (40.0 * number(row, 11)) as usize)
}

fn is_new(row: usize) -> bool {
    number(row, 8) < 0.3
}

/// Seconds since 1970.
fn day(row: usize) -> i64 {
    (19_723 + (300.0 * number(row, 9)) as i64) * DAY
}

fn batch(rows: usize, is_mixed: bool) -> RecordBatch {
    let rows = || TRAINING..TRAINING + rows;
    let numbers =
        |c: usize| -> ArrayRef { Arc::new(Float64Array::from_iter_values(rows().map(|row| number(row, c)))) };
    let count = if is_mixed { 6 } else { 10 };
    let mut columns: Vec<(String, ArrayRef)> = (0..count).map(|c| (format!("x{c}"), numbers(c))).collect();
    if is_mixed {
        columns.push(("color".into(), Arc::new(StringArray::from_iter_values(rows().map(color)))));
        columns.push(("shop".into(), Arc::new(StringArray::from_iter_values(rows().map(shop)))));
        columns
            .push(("is_new".into(), Arc::new(rows().map(|row| Some(is_new(row))).collect::<BooleanArray>())));
        let days = rows().map(|row| day(row) * 1_000_000);
        columns.push(("day".into(), Arc::new(TimestampMicrosecondArray::from_iter_values(days))));
    }
    RecordBatch::try_from_iter(columns).unwrap()
}

fn model(is_mixed: bool) -> AnyModel {
    let count = if is_mixed { 6 } else { 10 };
    let mut text = (0..count).map(|c| format!("x{c}")).collect::<Vec<_>>().join(",");
    text += if is_mixed { ",color,shop,is_new,day\n" } else { "\n" };
    for row in 0..TRAINING {
        let mut cells: Vec<String> = (0..count).map(|c| number(row, c).to_string()).collect();
        if is_mixed {
            cells.extend([color(row).to_owned(), shop(row), is_new(row).to_string()]);
            cells.push(eocc_data::date_text((day(row) / DAY) as f64));
        }
        text += &cells.join(",");
        text += "\n";
    }
    let table = read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let samples = Dataset::of_table(&table, &ReadRequest::default()).unwrap().samples;
    let measure = samples.measure(Preset::Default, None, &Settings::default()).unwrap();
    samples.train(&OneClass::new(Preset::Default).check().unwrap(), measure, &Silent).unwrap()
}

/// Notes how long the judge takes: it asks whether it is cancelled before every few samples, and reports after them.
#[derive(Default)]
struct Judging {
    since: Mutex<Option<Instant>>,
    judged: Mutex<Duration>,
}

impl Observer for Judging {
    fn progress(&self, progress: &Progress<'_>) {
        if let Progress::Stage { name: "scoring", .. } = progress
            && let Some(since) = self.since.lock().unwrap().take()
        {
            *self.judged.lock().unwrap() += since.elapsed();
        }
    }

    fn is_cancelled(&self) -> bool {
        *self.since.lock().unwrap() = Some(Instant::now());
        false
    }
}

/// The shortest time of a run outside the judge, and inside.
fn shortest(repeats: usize, run: impl Fn(&dyn Observer)) -> (Duration, Duration) {
    let time = |_| {
        let (judging, start) = (Judging::default(), Instant::now());
        on_this_thread(|| run(&judging));
        let (all, judged) = (start.elapsed(), judging.judged.into_inner().unwrap());
        (all.saturating_sub(judged), judged)
    };
    let longest = (Duration::MAX, Duration::MAX);
    (0..repeats).map(time).fold(longest, |a, b| (a.0.min(b.0), a.1.min(b.1)))
}

fn main() {
    let is_trial = !std::env::args().any(|argument| argument == "--bench");
    println!(
        "{:8} {:>8} {:>14} {:>14} {:>14} {:>14}",
        "columns", "rows", "judge", "model besides", "score besides", "difference"
    );
    for is_mixed in [false, true] {
        let scorer = BatchScorer::new(Arc::new(model(is_mixed))).unwrap();
        let scoring = scorer.model().params().scoring;
        for rows in CALLS {
            let rows = if is_trial { rows.min(100) } else { rows };
            let batch = batch(rows, is_mixed);
            let samples = scorer.samples(&batch).unwrap();
            let repeats = if is_trial { 1 } else { (2_000_000 / rows).clamp(5, 2000) };
            let (model, judge) = shortest(repeats, |watch| {
                black_box(scorer.model().decide_with(&samples, scoring, watch).unwrap());
            });
            let (score, _) = shortest(repeats, |watch| {
                black_box(scorer.score_watched(&batch, ScoreOptions::default(), watch).unwrap());
            });
            let name = if is_mixed { "mixed" } else { "numbers" };
            let us = |time: Duration| time.as_secs_f64() * 1e6;
            println!(
                "{name:8} {rows:>8} {:>11.1} us {:>11.1} us {:>11.1} us {:>+11.1} us",
                us(judge),
                us(model),
                us(score),
                us(score) - us(model)
            );
        }
    }
}
