//! The cost of an observation in a stream, on one thread: 10 columns, a window of 512. The parts are timed
//! separately, to show where the microseconds go. The slow twin relearns the window at every refresh. Times are those of the processor,
//! where the system tells them. `scripts/streams.py speed` has river's `HalfSpaceTrees` on data of the same size.
//!
//! As a trial (`cargo test --benches`), it runs once on less data.
#![expect(clippy::print_stdout, reason = "the figures are the purpose of the program")]

mod support;

use std::hint::black_box;

use eocc_core::random::{Random, lot};
use eocc_core::stream::{AlarmRate, Bag, Detector, Stream, StreamParams};
use eocc_core::{Matrix, OneClass, Silent, Texts, Vectors};
use support::{is_trial, normals, pool, processor_seconds};

const WINDOW: usize = 512;

fn seconds(run: impl FnOnce()) -> f64 {
    let start = processor_seconds();
    run();
    processor_seconds() - start
}

fn vectors(matrix: Matrix) -> Vectors {
    Vectors::new(matrix).expect("rows")
}

fn micros(seconds: f64, count: usize) -> f64 {
    1e6 * seconds / count as f64
}

fn numbers(columns: usize, count: usize) {
    let rows = normals(WINDOW + count, columns, 1);
    let values = rows.values();
    let first = vectors(Matrix::new(values[..WINDOW * columns].to_vec(), WINDOW, columns));
    let rest = vectors(Matrix::new(values[WINDOW * columns..].to_vec(), count, columns));
    let started = || {
        let mut params = StreamParams::default();
        (params.window, params.warm_up) = (WINDOW, WINDOW);
        let mut stream = Stream::<Vectors>::new(params).expect("a stream");
        stream.observe_all(&first).expect("a warm-up");
        stream
    };
    let mut stream = started();
    let all = seconds(|| drop(black_box(stream.observe_all(&rest).expect("answers"))));
    let mut stream = started();
    let some = count / 4;
    let single = seconds(|| {
        for row in 0..some {
            black_box(stream.observe(&rest, row).expect("an answer"));
        }
    });
    println!(
        "{columns} columns, window {WINDOW}: {:.1} us per observation, {:.0} per second; one by one {:.1} us",
        micros(all, count),
        count as f64 / all,
        micros(single, some)
    );

    let measure = || Box::new(eocc_core::dissimilarity::Views::new());
    let fit = || {
        OneClass::default()
            .contamination(0.01)
            .fit_without_panels(&first, measure(), &Silent)
            .expect("a model")
    };
    let mut model = fit();
    let fits = 5_usize;
    let fitting = seconds(|| (0..fits).for_each(|_| model = fit()));
    let judged = count.min(4096);
    let tests = vectors(Matrix::new(rest.matrix().values()[..judged * columns].to_vec(), judged, columns));
    let judging = seconds(|| drop(black_box(model.decide_all(&tests).expect("decisions"))));
    let small = vectors(Matrix::new(values[..256 * columns].to_vec(), 256, columns));
    let reference = OneClass::default().fit_without_panels(&small, measure(), &Silent).expect("a model");
    let referring = seconds(|| drop(black_box(reference.decide_all(&tests).expect("decisions"))));
    let mut random = Random::new(2);
    let mut bags: Vec<Bag> = (0..=columns)
        .map(|_| Bag::new(WINDOW, &(0..WINDOW).map(|_| random.normal()).collect::<Vec<_>>()))
        .collect();
    let drawn: Vec<f64> = (0..judged * (columns + 1)).map(|_| random.normal()).collect();
    let mut ranks = vec![0.0; drawn.len()];
    let ranking = seconds(|| {
        for (t, (values, ranks)) in drawn.chunks(columns + 1).zip(ranks.chunks_mut(columns + 1)).enumerate() {
            for (j, ((bag, value), rank)) in bags.iter_mut().zip(values).zip(ranks).enumerate() {
                *rank = bag.rank(*value, lot(0, t as u64, j as u64), lot(1, t as u64, j as u64));
            }
        }
    });
    let weights = vec![1.0 / (columns + 1) as f64; columns + 1];
    let mut detector = Detector::new(weights, AlarmRate::PerObservation(1e-12), 0);
    let betting = seconds(|| {
        ranks.chunks(columns + 1).for_each(|ranks| assert_eq!(black_box(detector.bet(ranks)), None));
    });
    let relearning = fitting / fits as f64;
    println!("  judging by the window, as a model does {:6.1} us", micros(judging, judged));
    println!("  the reference of 256                   {:6.1} us", micros(referring, judged));
    println!("  {:2} exact ranks                         {:6.1} us", columns + 1, micros(ranking, judged));
    println!("  {:2} times nine bets                     {:6.1} us", columns + 1, micros(betting, judged));
    println!("  learning the window, every {WINDOW}         {:6.1} us", micros(relearning, WINDOW));
    let parts = micros(relearning, WINDOW) + micros(judging + referring + ranking + betting, judged);
    let rest = micros(all, count) - parts;
    println!("  the rest: lists and scores of the window {rest:5.1} us");
    let slow = micros(relearning, WINDOW / 8) + micros(judging + referring + ranking + betting, judged);
    println!("  slow twin, learning every {}           {slow:6.1} us", WINDOW / 8);
}

fn strings(count: usize) {
    let mut random = Random::new(3);
    let mut word =
        || (0..8 + random.below(6)).map(|_| ["a", "b", "c", "d"][random.below(4)]).collect::<String>();
    let words: Vec<String> = (0..256 + count).map(|_| word()).collect();
    let mut params = StreamParams::default();
    (params.window, params.warm_up) = (256, 256);
    let mut stream = Stream::<Texts>::new(params).expect("a stream");
    stream.observe_all(&Texts::new(words[..256].to_vec()).expect("words")).expect("a warm-up");
    let rest = Texts::new(words[256..].to_vec()).expect("words");
    let all = seconds(|| drop(black_box(stream.observe_all(&rest).expect("answers"))));
    println!("strings of 8 to 13 letters, window 256: {:.1} us per observation", micros(all, count));
}

fn main() {
    let count = if is_trial() { 300 } else { 1 << 14 };
    pool(1).install(|| {
        numbers(10, count);
        numbers(1, count);
        numbers(50, count);
        strings(count / 8);
    });
}
