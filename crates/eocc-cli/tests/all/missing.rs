//! Numbers, some of them missing: planted outliers are detected, and nominals are rejected at the promised rate.

use crate::support::{ok, run, run_with};
use eocc_core::random::Random;
use std::fmt::Write as _;
use std::path::Path;

/// Rows of four numbers, a fraction of them missing; with `factor` times the usual amount.
fn write(path: &Path, rows: usize, missing: f64, factor: f64, seed: u64) {
    let mut r = Random::new(seed);
    let mut text = String::from("amount,visits,age,rate\n");
    for _ in 0..rows {
        let row = [
            factor * (3.0 + 0.4 * r.normal()).exp(),
            (8.0 * r.uniform()).floor(),
            40.0 + 9.0 * r.normal(),
            r.uniform() * r.uniform(),
        ];
        let cells: Vec<String> = row
            .iter()
            .map(|v| if r.uniform() < missing { String::new() } else { format!("{v:.4}") })
            .collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    std::fs::write(path, text).unwrap();
}

fn rejected(scores: &str) -> f64 {
    let rows: Vec<&str> = scores.lines().skip(1).collect();
    rows.iter().filter(|l| l.split(',').nth(3) == Some("false")).count() as f64 / rows.len() as f64
}

#[test]
fn outliers_are_found_and_nominals_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (seed, missing) in [(1, 0.005), (2, 0.035), (3, 0.1), (4, 0.2)] {
        write(&at("train.csv"), 600, missing, 1.0, seed);
        write(&at("new.csv"), 1000, missing, 1.0, seed + 10);
        // Twenty times the usual amount; k-NN with imputed medians detects all of them.
        write(&at("odd.csv"), 30, 0.0, 20.0, seed + 20);
        ok(folder.path(), "fit train.csv -o m.eocc");
        let odd = rejected(&ok(folder.path(), "score m.eocc odd.csv").out);
        let new = rejected(&ok(folder.path(), "score m.eocc new.csv").out);
        eprintln!("{missing} missing: {odd} of the outliers rejected, {new} of the nominals");
        assert!(odd >= 1.0, "{missing} missing: {odd} of the outliers rejected");
        // Twice the binomial error of 1000 samples and of a calibration with 600.
        assert!((0.028..=0.072).contains(&new), "{missing} missing: {new} of the nominals rejected");
    }
}

/// A row of numbers and words; `None` is missing.
#[derive(Clone)]
struct Row {
    numbers: Vec<Option<f64>>,
    words: Vec<Option<&'static str>>,
}

const PLACES: [&str; 4] = ["north", "south", "east", "west"];
const KINDS: [&str; 3] = ["private", "trade", "public"];

/// Rows in which words depend on numbers; outliers have a number far out, and words that never occur together.
fn rows(count: usize, missing: f64, with: (bool, bool), is_odd: bool, seed: u64) -> Vec<Row> {
    let mut r = Random::new(seed);
    let row = |_| {
        let kind = r.below(3);
        let place = if is_odd { 3 } else { r.below(3) };
        let amount = (kind as f64 + 3.0 + 0.4 * r.normal()).exp();
        let numbers =
            [if is_odd { 25.0 * amount } else { amount }, 40.0 + 9.0 * r.normal(), r.uniform() * r.uniform()];
        let mut lost = |is_possible: bool| is_possible && !is_odd && r.uniform() < missing;
        Row {
            numbers: numbers.iter().map(|v| (!lost(with.0)).then_some(*v)).collect(),
            words: [PLACES[place], KINDS[kind]].iter().map(|w| (!lost(with.1)).then_some(*w)).collect(),
        }
    };
    (0..count).map(row).collect()
}

fn write_rows(path: &Path, rows: &[Row]) {
    let mut text = String::from("amount,age,rate,place,kind\n");
    for row in rows {
        let numbers = row.numbers.iter().map(|v| v.map_or_else(String::new, |v| format!("{v:.4}")));
        let words = row.words.iter().map(|w| w.unwrap_or_default().to_owned());
        let _ = writeln!(text, "{}", numbers.chain(words).collect::<Vec<_>>().join(","));
    }
    std::fs::write(path, text).unwrap();
}

/// The plain method: impute medians and the most frequent words, use z-scores and indicators, and the mean distance
/// to five neighbors.
struct Medians {
    usual: Row,
    scales: Vec<(f64, f64)>,
    train: Vec<Vec<f64>>,
}

impl Medians {
    fn new(train: &[Row]) -> Self {
        let column = |f: usize| {
            let mut known: Vec<f64> = train.iter().filter_map(|row| row.numbers[f]).collect();
            known.sort_by(f64::total_cmp);
            known
        };
        let median = |f: usize| Some(column(f)[column(f).len() / 2]);
        let most = |f: usize, all: &[&'static str]| {
            let count = |w: &&&str| train.iter().filter(|row| row.words[f] == Some(**w)).count();
            all.iter().max_by_key(count).copied()
        };
        let usual =
            Row { numbers: (0..3).map(median).collect(), words: vec![most(0, &PLACES), most(1, &KINDS)] };
        let scale = |f: usize| {
            let known = column(f);
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let squares = known.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
            (mean, (squares / known.len() as f64).sqrt())
        };
        let mut whole = Self { usual, scales: (0..3).map(scale).collect(), train: Vec::new() };
        whole.train = train.iter().map(|row| whole.point(row)).collect();
        whole
    }

    fn point(&self, row: &Row) -> Vec<f64> {
        let number = |f: usize| {
            let value = row.numbers[f].or(self.usual.numbers[f]).unwrap();
            (value - self.scales[f].0) / self.scales[f].1
        };
        let word = |f: usize, w: &&str| {
            let is_it = row.words[f].or(self.usual.words[f]) == Some(*w);
            f64::from(u8::from(is_it)) / 2.0_f64.sqrt()
        };
        let words = PLACES.iter().map(|w| word(0, w)).chain(KINDS.iter().map(|w| word(1, w)));
        (0..3).map(number).chain(words).collect()
    }

    fn distance(&self, row: &Row) -> f64 {
        let point = self.point(row);
        let to = |other: &Vec<f64>| point.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let mut all: Vec<f64> = self.train.iter().map(to).collect();
        all.sort_by(f64::total_cmp);
        all[..5].iter().sum()
    }
}

/// Missing numbers, words, or both: at least as many outliers are detected as by neighbors with imputed medians at
/// the same false-alarm rate, and that rate is as promised.
#[test]
fn no_worse_than_neighbors_on_medians() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (case, with) in [(true, false), (false, true), (true, true)].into_iter().enumerate() {
        for (step, missing) in [0.005, 0.035, 0.1, 0.2].into_iter().enumerate() {
            let seed = 100 * case as u64 + 10 * step as u64;
            let train = rows(500, missing, with, false, seed);
            let new = rows(1000, missing, with, false, seed + 1);
            let odd = rows(60, missing, with, true, seed + 2);
            for (name, rows) in [("train.csv", &train), ("new.csv", &new), ("odd.csv", &odd)] {
                write_rows(&at(name), rows);
            }
            ok(folder.path(), "fit train.csv -o m.eocc");
            let found = rejected(&ok(folder.path(), "score m.eocc odd.csv").out);
            let lost = rejected(&ok(folder.path(), "score m.eocc new.csv").out);
            let plain = Medians::new(&train);
            let mut distances: Vec<f64> = new.iter().map(|row| plain.distance(row)).collect();
            distances.sort_by(f64::total_cmp);
            let bound = distances[distances.len() * 95 / 100];
            let by_medians =
                odd.iter().filter(|row| plain.distance(row) > bound).count() as f64 / odd.len() as f64;
            let what =
                format!("{with:?}, {missing} missing: {found} found ({by_medians} by medians), {lost} lost");
            assert!(found >= by_medians, "{what}");
            assert!(lost <= 0.075, "{what}");
        }
    }
}

/// If a value was never missing, its absence is odd; and the treatment can be chosen.
#[test]
fn what_becomes_of_missing_values_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(&f.join("whole.csv"), 300, 0.0, 1.0, 7);
    write(&f.join("holes.csv"), 300, 0.05, 1.0, 8);
    let holes = std::fs::read_to_string(f.join("holes.csv")).unwrap();
    let complete = holes.lines().skip(1).filter(|l| l.split(',').all(|c| !c.is_empty())).count();
    assert!(complete < 290);
    ok(f, "fit whole.csv -o w.eocc");
    let bare = run_with(f, "score w.eocc -", b"amount,visits,age,rate\n,,,\n20,3,40,0.2\n,3,40,0.2\n").out;
    let accepted: Vec<&str> = bare.lines().skip(1).map(|l| l.split(',').nth(3).unwrap()).collect();
    assert_eq!(accepted[..2], ["false", "true"], "{bare}");
    // The same rows with imputed typical values are as typical as possible.
    let filled = run_with(f, "score w.eocc - --missing impute", b"amount,visits,age,rate\n,,,\n").out;
    assert!(filled.lines().nth(1).unwrap().contains(",true,"), "{filled}");
    // If dropped, they are not in the output; if refused, they are named.
    let left = ok(f, "score w.eocc holes.csv --missing drop");
    assert_eq!(left.out.lines().count(), complete + 1);
    let refused = run(f, "score w.eocc holes.csv --missing error");
    assert!(refused.code == 3 && refused.err.contains("the value is missing"), "{}", refused.err);
    // In learning.
    let dropped = ok(f, "fit holes.csv -o d.eocc --missing drop");
    assert!(dropped.out.starts_with(&format!("samples   {complete} with 4 features")), "{}", dropped.out);
    assert!(dropped.err.contains("rows have missing values and are left out"), "{}", dropped.err);
    ok(f, "fit holes.csv -o p.eocc --preset paper --missing impute");
    ok(f, "score p.eocc holes.csv");
    ok(f, "fit whole.csv -o q.eocc --preset paper");
    let refused = run(f, "score q.eocc holes.csv");
    assert!(refused.code == 3 && refused.err.contains("--missing impute"), "{}", refused.err);
    assert_eq!(run(f, "fit holes.csv -o e.eocc --missing error").code, 3);
    ok(f, "outliers holes.csv --missing impute");
    // A missing text is an empty one.
    let names: Vec<String> =
        (0..40).map(|i| format!("{}.5,north-west passage number {}\n", i % 7, i * i)).collect();
    std::fs::write(f.join("text.csv"), format!("size,note\n{}3.5,\n", names.concat())).unwrap();
    ok(f, "fit text.csv -o t.eocc");
    ok(f, "score t.eocc text.csv");
}

/// One training row with two missing cells does not make gaps nominal.
#[test]
fn one_row_with_missing_cells_vouches_for_nobody() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("train.csv"), 500, 0.0, 1.0, 5);
    let mut text = std::fs::read_to_string(folder.path().join("train.csv")).unwrap();
    text.push_str(",,41,0.2\n");
    std::fs::write(folder.path().join("train.csv"), text).unwrap();
    write(&folder.path().join("odd.csv"), 100, 0.0, 20.0, 6);
    ok(folder.path(), "fit train.csv -o m.eocc");
    assert!(rejected(&ok(folder.path(), "score m.eocc odd.csv").out) >= 1.0);
    // The paper's measures do not accept them.
    let refused = run(folder.path(), "fit train.csv -o p.eocc --preset paper");
    assert!(refused.code == 3 && refused.err.contains("the value is missing"), "{}", refused.err);
}
