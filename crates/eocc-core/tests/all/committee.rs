//! The committee of views compared with its slow twin, with refitting, and on its purpose.
//!
//! `testdata/golden/views.json` has the results of `scripts/research/parts_and_relations.py` for small tables.

use crate::support::{fit, normals, vectors};
use eocc_core::dissimilarity::{CustomDissimilarity, Dissimilarity, TableRow, Views};
use eocc_core::random::Random;
use eocc_core::sample::{ColumnKind, MixedColumn, MixedRow};
use eocc_core::{MixedTable, Model, OneClass, Preset, SampleSet, Silent, Vectors};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("numbers").iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("rows").iter().map(numbers).collect()
}

/// The twin's scores measure oddity, the classifier's how nominal a sample is.
fn assert_close(ours: &[f64], theirs: &[f64], what: &str) {
    // Normal scores agree to nine digits; if two references are that close, a tail may differ in the fourth digit: in
    // at most one sample of a hundred.
    let mut loose = 0;
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        let b = -b;
        let difference = (a - b).abs() / b.abs().max(1.0);
        assert!(difference < 1e-3, "{what}, sample {i}: {a} but must be {b}");
        loose += usize::from(difference > 1e-6);
    }
    assert!(loose <= ours.len().div_ceil(100), "{what}: {loose} differ");
    assert_eq!(ours.len(), theirs.len(), "{what}");
}

#[test]
fn scores_are_those_of_the_plain_twin() {
    let text = include_str!("../../../../testdata/golden/views.json");
    let cases: Vec<Value> = serde_json::from_str(text).expect("the golden file");
    for case in &cases {
        let mut params = OneClass::default();
        params.contamination = case["contamination"].as_f64();
        let (train, test) = (rows(&case["train"]), rows(&case["test"]));
        let what = format!("{} of {}, {}", case["kind"], train.len(), case["contamination"]);
        let model: Model<Vectors> = if case["kind"] == "matrix" {
            let manhattan = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum();
            let measure = Box::new(CustomDissimilarity::new(manhattan));
            params.check().unwrap().fit_with(&vectors(&train), measure, &Silent).unwrap()
        } else {
            fit(params, &train)
        };
        assert_close(&model.training_scores(), &numbers(&case["own"]), &what);
        let trimmed: Vec<f64> = model.trimmed().iter().map(|&t| f64::from(t)).collect();
        assert_eq!(trimmed, numbers(&case["trimmed"]), "{what}");
        let decisions = model.decide_all(&vectors(&test)).unwrap();
        let scores: Vec<f64> = decisions.iter().map(|d| d.score).collect();
        assert_close(&scores, &numbers(&case["score"]), &what);
        for (decision, p) in decisions.iter().zip(numbers(&case["p"])) {
            assert!((decision.p_value - p).abs() < 1e-12, "{what}: {} {p}", decision.p_value);
        }
    }
}

/// New samples may miss values that no training sample misses; vectors and rows of a mixed table with the same
/// numbers are judged equally.
#[test]
fn vectors_lack_values_as_mixed_rows_do() {
    let train = normals(80, 4, 3);
    let mut new = normals(40, 4, 4);
    let mut r = Random::new(5);
    new.iter_mut().flatten().for_each(|v| {
        if r.uniform() < 0.3 {
            *v = f64::NAN;
        }
    });
    let table = |rows: &[Vec<f64>]| {
        let column = |f: usize| {
            let cells = rows.iter().map(|row| Some(row[f]).filter(|v| !v.is_nan())).collect();
            (MixedColumn { name: format!("x{f}"), kind: ColumnKind::Number }, cells)
        };
        MixedTable::new((0..4).map(column).collect()).unwrap()
    };
    let params = OneClass::default().check().unwrap();
    let of_rows = params.fit_with(&table(&train), Box::new(Views::new()), &Silent).unwrap();
    let of_vectors: Model<Vectors> = fit(OneClass::default(), &train);
    let lacking = Vectors::with_missing(eocc_core::Matrix::new(new.concat(), 40, 4), Vec::new()).unwrap();
    let (a, b) = (of_vectors.decide_all(&lacking).unwrap(), of_rows.decide_all(&table(&new)).unwrap());
    let complete = new.iter().filter(|row| row.iter().all(|v| !v.is_nan())).count();
    assert!(complete > 3 && complete < 30);
    for (i, (a, b)) in a.iter().zip(&b).enumerate() {
        assert!((a.score - b.score).abs() < 1e-9, "row {i}: {} {}", a.score, b.score);
        let one = of_vectors.decide(lacking.sample(i)).unwrap();
        assert!((a.score - one.score).abs() < 1e-12);
    }
    // They cannot be learned from, and other measures do not accept them.
    assert!(params.fit_with(&lacking, Box::new(Views::new()), &Silent).is_err());
    let euclidean = Box::new(eocc_core::dissimilarity::Minkowski::euclidean());
    let plain = params.fit_with(&vectors(&train), euclidean, &Silent).unwrap();
    let error = plain.decide_all(&lacking).unwrap_err().to_string();
    assert!(error.contains("the value is missing"), "{error}");
}

/// A table with every kind of column and with gaps.
fn mixed(n: usize, seed: u64) -> MixedTable {
    let mut r = Random::new(seed);
    let column = |name: &str, kind| MixedColumn { name: name.into(), kind };
    let levels = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut cells = |hole: f64, of: &mut dyn FnMut(&mut Random) -> f64| -> Vec<Option<f64>> {
        (0..n).map(|_| (r.uniform() >= hole).then(|| of(&mut r))).collect()
    };
    MixedTable::new(vec![
        (column("size", ColumnKind::Number), cells(0.1, &mut |r| r.normal())),
        (column("count", ColumnKind::Number), cells(0.0, &mut |r| (3.0 * r.uniform()).floor())),
        (column("rare", ColumnKind::Boolean), cells(0.0, &mut |r| f64::from(u8::from(r.uniform() < 0.1)))),
        (
            column("color", ColumnKind::Category(levels(&["red", "green", "blue"]))),
            cells(0.2, &mut |r| (3.0 * r.uniform() * r.uniform()).floor()),
        ),
        (
            column("grade", ColumnKind::Ordered(levels(&["c", "b", "a"]))),
            cells(0.05, &mut |r| (3.0 * r.uniform()).floor()),
        ),
    ])
    .unwrap()
}

/// The first views with a sample left out equal those after learning without it.
fn assert_left_out_is_refitted<S: ?Sized + TableRow>(samples: &[&S], views: usize) {
    let mut all: Box<dyn Dissimilarity<S>> = Box::new(Views::new());
    all.learn(samples, &[]).unwrap();
    let left_out = all.leave_one_out(samples).expect("views leave one out");
    for i in 0..samples.len() {
        let others: Vec<u32> = (0..samples.len() as u32).filter(|j| *j as usize != i).collect();
        let rest: Vec<&S> = others.iter().map(|&j| samples[j as usize]).collect();
        let mut without: Box<dyn Dissimilarity<S>> = Box::new(Views::new());
        without.learn(&rest, &[]).unwrap();
        let changed = (without.changed(&rest).unwrap().of)(samples[i]);
        assert_eq!(left_out.changes(i), changed.len(), "sample {i}");
        // A value that no other sample misses is a change, and not a distance.
        let is_new_hole = changed.iter().any(|&c| samples[i].cells()[c].is_nan());
        for (v, view) in without.views(&rest).iter().take(views).enumerate() {
            let mut told = vec![0.0; rest.len()];
            left_out.fill(v, i, &others, &mut told);
            let mut refitted = vec![0.0; rest.len()];
            view.measure.prepare(&rest).fill(samples[i], 0..rest.len(), &mut refitted);
            for (j, (a, b)) in told.iter().zip(&refitted).enumerate() {
                let is_same = (a - b).abs() < 1e-9 * b.abs().max(1.0);
                assert!(is_same || (is_new_hole && a < b), "{}, {i} to {j}: {a} {b}", view.name);
            }
        }
    }
}

#[test]
fn leaving_one_out_is_learning_without_it() {
    let mut r = Random::new(3);
    for n in [3, 4, 9, 25] {
        // Which columns may share a unit is not learned again, and a heavy tail may change it: exclude such columns
        // from the third view.
        for (heaviness, views) in [(1.0, 2), (0.0, 3)] {
            let odd = |r: &mut Random| {
                let heavy = r.normal() / r.uniform().max(0.01).powf(heaviness);
                let two = f64::from(u8::from(r.uniform() < 0.2));
                vec![
                    r.normal(),
                    heavy,
                    two,
                    4.0,
                    (2.0 * r.uniform()).round(),
                    1e8 + r.normal(),
                    1e-9 * r.normal(),
                ]
            };
            let rows: Vec<Vec<f64>> = (0..n).map(|_| odd(&mut r)).collect();
            assert_left_out_is_refitted(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), views);
        }
        let table = mixed(n, n as u64);
        assert_left_out_is_refitted::<MixedRow>(&table.refs(), 3);
        // Wide enough for directions.
        let wide = normals(n, 70, n as u64);
        let rows: Vec<&[f64]> = wide.iter().map(Vec::as_slice).collect();
        assert_left_out_is_refitted(&rows, 4);
    }
}

#[test]
fn nothing_depends_on_units() {
    let rows = normals(120, 4, 1);
    let scaled = |rows: &[Vec<f64>], by: f64| -> Vec<Vec<f64>> {
        rows.iter().map(|r| r.iter().map(|x| x * by).collect()).collect()
    };
    let tests = scaled(&normals(40, 4, 2), 1.5);
    let before = fit(OneClass::default(), &rows).decide_all(&vectors(&tests)).unwrap();
    for by in [2.0_f64.powi(40), 2.0_f64.powi(-60), 1e200, 1e-290] {
        let after =
            fit(OneClass::default(), &scaled(&rows, by)).decide_all(&vectors(&scaled(&tests, by))).unwrap();
        for (a, b) in before.iter().zip(&after) {
            assert!((a.score - b.score).abs() < 1e-6, "times {by}: {} {}", a.score, b.score);
        }
    }
}

#[test]
fn a_constant_column_that_changes_is_noticed_whatever_its_unit() {
    for constant in [0.0, 7.0, -1e9, 1e-9] {
        let with = |rows: Vec<Vec<f64>>, value: f64| -> Vec<Vec<f64>> {
            rows.into_iter().map(|r| [r, vec![value]].concat()).collect()
        };
        let model = fit(OneClass::default(), &with(normals(300, 5, 1), constant));
        let usual = model.decide_all(&vectors(&with(normals(200, 5, 2), constant))).unwrap();
        let changed = model.decide_all(&vectors(&with(normals(200, 5, 2), constant + 1e-3))).unwrap();
        assert!(usual.iter().filter(|d| d.accepted).count() > 175);
        assert_eq!(changed.iter().filter(|d| d.accepted).count(), 0, "{constant}");
        let why = &model
            .explain(&vectors(&with(normals(1, 5, 2), constant + 1e-3)), 3, &eocc_core::Silent)
            .unwrap()[0];
        assert!(why.shares[5] > 0.3, "{:?}", why.shares);
    }
}

/// 49 scattered outliers among 1049 training samples, and copies of them with noise of this many deviations: at least
/// half must be detected at 5 % false alarms, all if the contamination is given.
#[test]
fn no_single_training_sample_vouches_for_its_surroundings() {
    for (features, seed) in [(2, 1), (5, 2), (10, 3)] {
        let mut r = Random::new(seed);
        let outliers: Vec<Vec<f64>> =
            (0..49).map(|_| (0..features).map(|_| r.range(-8.0, 8.0)).collect()).collect();
        // The box overlaps the nominals: samples there are not outliers.
        let outliers: Vec<Vec<f64>> = outliers
            .into_iter()
            .filter(|o| o.iter().map(|x| x * x).sum::<f64>().sqrt() > 4.0 + (features as f64).sqrt())
            .collect();
        let train = [normals(1000, features, seed + 10), outliers.clone()].concat();
        let fresh = vectors(&normals(1000, features, seed + 20));
        for (params, least) in [(OneClass::default(), 0.5), (OneClass::default().contamination(0.05), 0.999)]
        {
            let model = fit(params, &train);
            let mut scores: Vec<f64> = model.decide_all(&fresh).unwrap().iter().map(|d| d.score).collect();
            scores.sort_unstable_by(f64::total_cmp);
            let limit = scores[50];
            let caught = |copies: Vec<Vec<f64>>| {
                let decisions = model.decide_all(&vectors(&copies)).unwrap();
                decisions.iter().filter(|d| d.score < limit).count() as f64 / decisions.len() as f64
            };
            let mut noisy = |noise: f64| -> Vec<Vec<f64>> {
                outliers.iter().map(|o| o.iter().map(|x| x + noise * r.normal()).collect()).collect()
            };
            let mut all: Vec<f64> = [0.0, 1e-9, 1e-3, 1e-2, 0.1].map(|noise| caught(noisy(noise))).to_vec();
            let rounded = |o: &Vec<f64>| o.iter().map(|x| f64::from(*x as f32)).collect();
            all.push(caught(outliers.iter().map(rounded).collect()));
            eprintln!("{features} features, {least}: {all:?}");
            assert!(all.iter().all(|share| *share >= least), "{features} features: {all:?}");
        }
    }
}

#[test]
fn trimmed_samples_are_reported_and_kept_out_of_regions() {
    let mut rows = normals(200, 3, 1);
    for (i, row) in rows.iter_mut().enumerate().take(4) {
        for x in row {
            *x = 30.0 + i as f64;
        }
    }
    let model = fit(OneClass::default(), &rows);
    assert_eq!(model.trimmed(), [0, 1, 2, 3]);
    let members: usize = model.regions().iter().map(eocc_core::region::Region::size).sum();
    assert_eq!(members, 196);
    // They count in the calibration: of 200 p-values, theirs are the smallest.
    let p: Vec<f64> = model.decide_all(&vectors(&rows)).unwrap().iter().map(|d| d.p_value).collect();
    assert!(p[..4].iter().all(|p| *p <= 5.0 / 201.0), "{:?}", &p[..4]);
    assert!(fit(OneClass::default().contamination(0.0), &rows).trimmed().is_empty());
    assert_eq!(fit(OneClass::default().contamination(0.1), &rows).trimmed().len(), 40);
}

/// Columns with their cells.
type Filled = Vec<(MixedColumn, Vec<Option<f64>>)>;

#[test]
fn a_level_never_seen_and_a_hole_never_seen_are_odd() {
    let model = OneClass::default().fit(&mixed(300, 1)).unwrap();
    let usual = model.decide_all(&mixed(200, 2)).unwrap();
    assert!(usual.iter().filter(|d| d.accepted).count() >= 180);
    let odd = |change: &dyn Fn(&mut Filled)| {
        let table = mixed(200, 2);
        let mut columns: Filled = Vec::new();
        for (f, column) in table.columns().iter().enumerate() {
            let cells = table.refs().iter().map(|r| Some(r.cells()[f]).filter(|v| !v.is_nan())).collect();
            columns.push((column.clone(), cells));
        }
        change(&mut columns);
        let changed = model.decide_all(&MixedTable::new(columns).unwrap()).unwrap();
        usual.iter().zip(&changed).filter(|(a, b)| b.score < a.score - 0.5).count()
    };
    let unseen = odd(&|columns| {
        columns[3].0.kind = ColumnKind::Category(["violet".to_owned()].to_vec());
        columns[3].1 = vec![Some(0.0); 200];
    });
    let hole = odd(&|columns| columns[1].1 = vec![None; 200]);
    assert!(unseen > 190 && hole > 190, "{unseen} {hole}");
}

/// Normal numbers in four columns, one planted outlier in thirty, and gaps in the second column, one in each of this
/// many rows.
fn with_holes(holes: usize) -> MixedTable {
    let (n, mut r) = (600, Random::new(5));
    let column = |name: &str| MixedColumn { name: name.into(), kind: ColumnKind::Number };
    let mut cells = |c: usize| -> Vec<Option<f64>> {
        let value = |i: usize, r: &mut Random| r.normal() + if i % 30 == 7 { 3.0 } else { 0.0 };
        (0..n).map(|i| Some(value(i, &mut r)).filter(|_| c != 1 || i < 100 || i >= 100 + holes)).collect()
    };
    MixedTable::new(
        ["a", "b", "c", "d"].into_iter().enumerate().map(|(c, name)| (column(name), cells(c))).collect(),
    )
    .unwrap()
}

#[test]
fn one_empty_cell_changes_one_row() {
    let scores = |holes: usize| {
        let table = with_holes(holes);
        let params = OneClass::new(Preset::Default).contamination(0.1).check().unwrap();
        let model = params.fit_with(&table, Box::new(Views::new()), &Silent).unwrap();
        let decided = model.decide_all(&table).unwrap();
        decided.into_iter().map(|d| (d.score, d.accepted)).collect::<Vec<_>>()
    };
    let (none, one) = (scores(0), scores(1));
    let rejected = |all: &[(f64, bool)]| all.iter().filter(|d| !d.1).count();
    assert!(rejected(&none).abs_diff(rejected(&one)) <= 2, "{} {}", rejected(&none), rejected(&one));
    for (i, (a, b)) in none.iter().zip(&one).enumerate().filter(|(i, _)| *i != 100) {
        assert!((a.0 - b.0).abs() < 0.3, "row {i}: {a:?} {b:?}");
    }
}

/// Explaining a sample compares it with the others once, as judging does: many explanations take no longer than many judgements.
#[test]
fn an_explanation_costs_what_a_judgement_costs() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const ROWS: usize = 300;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let measure = eocc_core::dissimilarity::CustomDissimilarity::new(move |a: &[f64], b: &[f64]| {
        counted.fetch_add(1, Ordering::Relaxed);
        a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum::<f64>()
    });
    let samples = crate::support::vectors(&crate::support::normals(ROWS, 3, 1));
    let new = crate::support::vectors(&crate::support::normals(20, 3, 2));
    let model = OneClass::new(Preset::Default)
        .check()
        .unwrap()
        .fit_with(&samples, Box::new(measure), &Silent)
        .unwrap();
    let taken = |work: &dyn Fn()| {
        let before = count.load(Ordering::Relaxed);
        work();
        count.load(Ordering::Relaxed) - before
    };
    let judged = taken(&|| drop(model.decide_all(&new).unwrap()));
    let explained = taken(&|| drop(model.explain(&new, 10, &Silent).unwrap()));
    assert_eq!(judged, 20 * ROWS);
    assert!(explained <= judged + judged / 10, "{explained} comparisons to explain, {judged} to judge");
    // The regions are those of the decisions.
    let regions: Vec<usize> = model.decide_all(&new).unwrap().iter().map(|d| d.region).collect();
    let told: Vec<usize> = model.explain(&new, 10, &Silent).unwrap().iter().map(|e| e.region).collect();
    assert_eq!(told, regions);
}
