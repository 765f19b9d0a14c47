//! The overhead of a call: record batches of 1, 2048 and 300 000 rows, numbers and mixed columns, compared with the
//! same samples in the model's form.
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
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use eocc_core::{AnyModel, OneClass, Preset, Settings, Silent};
use eocc_data::{BatchScorer, Dataset, ReadOptions, ReadRequest, ScoreOptions, read_bytes};

/// Training samples, and rows per call.
const TRAINING: usize = 1000;
const CALLS: [usize; 3] = [1, 2048, 300_000];

fn number(row: usize, column: usize) -> f64 {
    let mixed = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 + 5 * column as u32);
    (mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1_u64 << 53) as f64
}

fn word(row: usize) -> &'static str {
    ["red", "green", "blue", "black"][(4.0 * number(row, 11)) as usize]
}

fn batch(rows: usize, is_mixed: bool) -> RecordBatch {
    let mut columns: Vec<(String, ArrayRef)> = (0..10)
        .map(|c| {
            let values = Float64Array::from_iter_values((0..rows).map(|row| number(row + TRAINING, c)));
            (format!("x{c}"), Arc::new(values) as ArrayRef)
        })
        .collect();
    if is_mixed {
        let words = StringArray::from_iter_values((0..rows).map(|row| word(row + TRAINING)));
        columns.push(("color".into(), Arc::new(words)));
    }
    RecordBatch::try_from_iter(columns).unwrap()
}

fn model(is_mixed: bool) -> AnyModel {
    let names: Vec<String> = (0..10).map(|c| format!("x{c}")).collect();
    let mut text = names.join(",") + if is_mixed { ",color\n" } else { "\n" };
    for row in 0..TRAINING {
        let cells: Vec<String> = (0..10).map(|c| number(row, c).to_string()).collect();
        text += &cells.join(",");
        if is_mixed {
            text += ",";
            text += word(row);
        }
        text += "\n";
    }
    let table = read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let samples = Dataset::of_table(&table, &ReadRequest::default()).unwrap().samples;
    let measure = samples.measure(Preset::Default, None, &Settings::default()).unwrap();
    samples.fit(&OneClass::new(Preset::Default).check().unwrap(), measure, &Silent).unwrap()
}

fn shortest(repeats: usize, mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..repeats).map(time).min().unwrap_or_default()
}

fn main() {
    println!("{:8} {:>8} {:>14} {:>14} {:>14}", "columns", "rows", "model alone", "score", "besides");
    for is_mixed in [false, true] {
        let scorer = BatchScorer::new(Arc::new(model(is_mixed))).unwrap();
        let scoring = scorer.model().params().scoring;
        for rows in CALLS {
            let batch = batch(rows, is_mixed);
            let samples = scorer.samples(&batch).unwrap();
            let repeats = if rows < 10 { 2000 } else { (200_000 / rows).clamp(2, 50) };
            let alone = shortest(repeats, || {
                black_box(scorer.model().decide_with(&samples, scoring, &Silent).unwrap());
            });
            let whole = shortest(repeats, || {
                black_box(scorer.score(&batch, ScoreOptions::default()).unwrap());
            });
            let besides = whole.as_secs_f64() - alone.as_secs_f64();
            let name = if is_mixed { "mixed" } else { "numbers" };
            println!(
                "{name:8} {rows:>8} {:>11.1} us {:>11.1} us {:>+11.1} us",
                alone.as_secs_f64() * 1e6,
                whole.as_secs_f64() * 1e6,
                besides * 1e6
            );
        }
    }
}
