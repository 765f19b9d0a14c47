//! P-values come from scores of samples that the measure has not learned from, if its learning matters: the views of
//! tables compute what they would have learned without a sample, all other measures learn again without a fold.

use eocc_core::random::Random;
use eocc_core::sample::{ColumnKind, MixedColumn};
use eocc_core::{
    AnyModel, AnySamples, MixedTable, OneClass, Part, Preset, Records, Series, SeriesSet, Settings, Silent,
    Texts, Vectors,
};

const SAMPLES: usize = 60;
const FEATURES: usize = 20;

fn vectors(n: usize, random: &mut Random) -> Vectors {
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..FEATURES).map(|_| random.normal()).collect()).collect();
    Vectors::from_rows(&rows).unwrap()
}

fn mixed(n: usize, random: &mut Random) -> MixedTable {
    let column = |f: usize, random: &mut Random| {
        let cells = (0..n).map(|_| Some(random.normal())).collect();
        (MixedColumn { name: format!("x{f}"), kind: ColumnKind::Number }, cells)
    };
    MixedTable::new((0..FEATURES).map(|f| column(f, random)).collect()).unwrap()
}

fn texts(n: usize, random: &mut Random) -> Texts {
    let text =
        |random: &mut Random| (0..12).map(|_| if random.uniform() < 0.3 { 'a' } else { 'b' }).collect();
    Texts::new((0..n).map(|_| text(random)).collect()).unwrap()
}

fn records(n: usize, random: &mut Random) -> Records {
    let table = Part::new("table", vectors(n, random));
    Records::new(vec![table, Part::new("text", texts(n, random))]).unwrap()
}

/// Records with a series in this unit.
fn waves(n: usize, unit: f64, random: &mut Random) -> Records {
    let wave =
        |random: &mut Random| Series::new((0..6).map(|_| unit * random.normal()).collect(), 1).unwrap();
    let waves = SeriesSet::new((0..n).map(|_| wave(random)).collect()).unwrap();
    let numbers = Vectors::from_rows(&(0..n).map(|_| [random.normal()]).collect::<Vec<_>>()).unwrap();
    Records::new(vec![Part::new("wave", waves), Part::new("table", numbers)]).unwrap()
}

fn fit(samples: &AnySamples, measure: Option<&str>) -> AnyModel {
    let measure = samples.measure(Preset::Default, measure, &Settings::default()).unwrap();
    samples.train(&OneClass::default().check().unwrap(), measure, &Silent).unwrap()
}

fn is_by_folds(samples: impl Into<AnySamples>, measure: Option<&str>) -> bool {
    let samples = samples.into();
    let mut measure = samples.measure(Preset::Default, measure, &Settings::default()).unwrap();
    measure.learn_all(&samples).unwrap();
    measure.properties().needs_fold_calibration
}

#[test]
fn only_measures_that_cannot_leave_one_out_are_calibrated_by_folds() {
    let mut random = Random::new(5);
    assert!(!is_by_folds(vectors(SAMPLES, &mut random), None), "views leave one out");
    assert!(is_by_folds(vectors(SAMPLES, &mut random), Some("euclidean")), "robust scales");
    assert!(is_by_folds(mixed(SAMPLES, &mut random), Some("gower")), "gower learns ranges");
    assert!(!is_by_folds(records(SAMPLES, &mut random), None), "records whose parts can");
    assert!(!is_by_folds(texts(SAMPLES, &mut random), None), "strings learn nothing that matters");
}

/// However they were computed, the scores of the calibration are those of the training samples.
#[test]
fn training_samples_have_the_scores_of_the_calibration() {
    let mut random = Random::new(6);
    for measure in [None, Some("euclidean")] {
        let samples = AnySamples::from(vectors(SAMPLES, &mut random));
        let model = fit(&samples, measure);
        let mut own = model.training_scores();
        let again: Vec<f64> = model.decide_all(&samples).unwrap().iter().map(|d| d.score).collect();
        assert_eq!(own, again, "{measure:?}");
        own.sort_unstable_by(f64::total_cmp);
        assert_eq!(model.calibration().scores(), own, "{measure:?}");
    }
}

/// Powers of two are exact: only a scale that is forgotten or applied twice makes a difference.
#[test]
fn the_unit_of_a_series_in_a_record_does_not_matter() {
    let scores = |unit: f64| {
        let mut random = Random::new(8);
        let (train, fresh) = (waves(SAMPLES, unit, &mut random), waves(SAMPLES, unit, &mut random));
        let model = fit(&train.into(), None);
        let fresh: Vec<f64> = model.decide_all(&fresh.into()).unwrap().iter().map(|d| d.score).collect();
        (model.training_scores(), fresh)
    };
    let (own, fresh) = scores(1.0);
    for unit in [1.0 / 64.0, 64.0] {
        let (own_in_unit, fresh_in_unit) = scores(unit);
        for (a, b) in own.iter().chain(&fresh).zip(own_in_unit.iter().chain(&fresh_in_unit)) {
            assert!((a - b).abs() < 1e-9, "{a} and {b}, in a unit of {unit}");
        }
    }
}

/// The fraction of fresh nominals with `p <= 0.1`, over many small training sets.
fn rejected(samples: impl Fn(usize, &mut Random) -> AnySamples, measure: Option<&str>) -> f64 {
    let (mut below, mut count) = (0, 0);
    for seed in 0..25 {
        let mut random = Random::new(seed);
        let all = samples(2 * SAMPLES, &mut random);
        let rows = |from: usize| (from..from + SAMPLES).collect::<Vec<_>>();
        let model = fit(&all.select(&rows(0)), measure);
        let fresh = model.decide_all(&all.select(&rows(SAMPLES))).unwrap();
        below += fresh.iter().filter(|d| d.p_value <= 0.1).count();
        count += fresh.len();
    }
    below as f64 / f64::from(count as u32)
}

#[test]
fn fresh_nominals_are_rejected_as_often_as_promised() {
    let views = rejected(|n, random| vectors(n, random).into(), None);
    let table = rejected(|n, random| mixed(n, random).into(), None);
    let gower = rejected(|n, random| mixed(n, random).into(), Some("gower"));
    let scaled = rejected(|n, random| vectors(n, random).into(), Some("euclidean"));
    let both = rejected(|n, random| records(n, random).into(), None);
    let waves = rejected(|n, random| waves(n, 30.0, random).into(), None);
    // The standard error is about .01; folds of nine tenths make it slightly conservative.
    let all = [
        ("views", views),
        ("mixed", table),
        ("gower", gower),
        ("robust", scaled),
        ("records", both),
        ("series in records", waves),
    ];
    eprintln!("{all:?}");
    for (name, share) in all {
        assert!((0.05..=0.125).contains(&share), "{name}: {share}");
    }
}
