//! P-values come from samples that the measure has not learned from, wherever what it learns matters.
use eocc_core::random::Random;
use eocc_core::sample::{ColumnKind, MixedColumn};
use eocc_core::{
    AnyModel, AnySamples, MixedTable, OneClass, Part, Preset, Records, Settings, Silent, Texts, Vectors,
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

fn fit(samples: &AnySamples, measure: Option<&str>) -> AnyModel {
    let measure = samples.measure(Preset::Default, measure, &Settings::default()).unwrap();
    samples.fit(&OneClass::default().check().unwrap(), measure, &Silent).unwrap().model
}

fn is_by_folds(samples: impl Into<AnySamples>, measure: Option<&str>) -> bool {
    let model = fit(&samples.into(), measure);
    let mut own = model.training_scores();
    own.sort_unstable_by(f64::total_cmp);
    model.calibration().scores() != own
}

#[test]
fn measures_that_learn_scales_are_calibrated_by_folds() {
    let mut random = Random::new(5);
    assert!(is_by_folds(vectors(SAMPLES, &mut random), None), "blend");
    assert!(is_by_folds(vectors(SAMPLES, &mut random), Some("euclidean")), "robust scales");
    assert!(is_by_folds(mixed(SAMPLES, &mut random), None), "gower learns ranges");
    assert!(is_by_folds(records(SAMPLES, &mut random), None), "records with such a part");
    assert!(!is_by_folds(texts(SAMPLES, &mut random), None), "strings learn nothing that matters");
    let both = ["a", "b"].map(|name| Part::new(name, texts(SAMPLES, &mut random)));
    assert!(!is_by_folds(Records::new(both.to_vec()).unwrap(), None), "nor do records of strings");
}

/// The share of fresh nominals with `p <= 0.1`, over many small training sets.
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
    let table = rejected(|n, random| mixed(n, random).into(), None);
    let scaled = rejected(|n, random| vectors(n, random).into(), Some("euclidean"));
    let both = rejected(|n, random| records(n, random).into(), None);
    // The standard error is about .01; folds of nine tenths make it a little safer than exact.
    for (name, share) in [("gower", table), ("robust", scaled), ("records", both)] {
        assert!((0.06..=0.125).contains(&share), "{name}: {share}");
    }
}
