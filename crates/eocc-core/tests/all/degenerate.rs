//! Sets without anything to learn, and numbers at the ends of the range: an error or finite results, never a panic.

use crate::support::{PRESETS, fit, normals, taken, vectors};
use eocc_core::{
    Matrix, Model, OneClass, Precomputed, Preset, Prototypes, Representation, SampleKind, Scoring,
    SearchKind, Settings, Silent, Vectors,
};
use proptest::prelude::*;

const REPRESENTATIONS: [Representation; 4] = [
    Representation::Embedding,
    Representation::Direct,
    Representation::Prototypes(Prototypes::Random(2)),
    Representation::Prototypes(Prototypes::FarthestFirst(3)),
];

/// Every preset, representation and search; searches are short, and cannot end before their limit.
fn all_params() -> Vec<OneClass> {
    let mut all = Vec::new();
    for preset in PRESETS {
        for representation in taken(preset, &REPRESENTATIONS) {
            for &search in SearchKind::ALL {
                let mut params = OneClass::new(preset).search(search).representation(representation);
                params.evaluations = 25;
                params.tau = 0.0;
                all.push(params);
            }
        }
    }
    all
}

fn assert_finite<X: SampleKind>(model: &Model<X>, samples: &X) {
    let again: Model<X> =
        Model::from_contents(&model.to_contents().expect("contents")).expect("what is saved loads");
    assert_eq!(again.decide_all(samples).expect("decisions"), model.decide_all(samples).expect("decisions"));
    for scoring in [Scoring::Exact, Scoring::Fast] {
        for d in model.decide_with(samples, scoring, &Silent).expect("decisions") {
            assert!(d.score.is_finite(), "{scoring:?}: {d:?}");
            assert!((0.0..=1.0).contains(&d.membership) && (0.0..=1.0).contains(&d.p_value), "{d:?}");
        }
    }
    assert!(model.training_memberships().iter().all(|m| (0.0..=1.0).contains(&m.1)));
    assert!(model.calibration().scores().iter().all(|s| s.is_finite()));
}

#[test]
fn few_samples() {
    for n in [3, 4, 5] {
        let rows = normals(n, 2, 5);
        let tests = vectors(&[rows[0].clone(), vec![0.0, 0.0], vec![50.0, -3.0]]);
        for params in all_params() {
            assert_finite(&fit(params, &rows), &tests);
        }
    }
}

#[test]
fn constant_and_duplicate_rows() {
    let constant = vec![vec![2.5, -1.0]; 9];
    let zero = vec![vec![0.0, 0.0]; 4];
    // One row many times and two others; every row twice.
    let mut mostly = vec![vec![1.0, 1.0]; 12];
    mostly.extend([vec![1.0, 2.0], vec![3.0, 1.0]]);
    let mut twice = normals(8, 2, 1);
    twice.extend(twice.clone());
    for rows in [constant, zero, mostly, twice] {
        let tests = vectors(&[rows[0].clone(), vec![2.5, -1.0 + 1e-12], vec![1e6, 0.0], vec![0.0, 0.0]]);
        for params in all_params() {
            assert_finite(&fit(params, &rows), &tests);
        }
    }
}

#[test]
fn a_sample_like_the_only_one_there_is_belongs_and_others_do_not() {
    for preset in PRESETS {
        let model = fit(OneClass::new(preset).search(SearchKind::None), &vec![vec![2.5, -1.0]; 30]);
        let same = model.decide(&[2.5, -1.0]).expect("a decision");
        let other = model.decide(&[2.5, 4.0]).expect("a decision");
        assert!(same.accepted && !other.accepted, "{preset:?}: {same:?} {other:?}");
        assert!(same.score > other.score);
    }
}

#[test]
fn all_zero_dissimilarities() {
    let samples = Precomputed::square(Matrix::zeros(6, 6)).expect("a matrix");
    for params in all_params() {
        let measure = Precomputed::measure(params.preset, None, &Settings::default()).expect("a measure");
        let model =
            params.check().expect("parameters").fit_with(&samples, measure, &Silent).expect("a model");
        let far = Precomputed::rectangular(Matrix::new(vec![3.0; 6], 1, 6)).expect("a row");
        assert_finite(&model, &far);
    }
}

/// Numbers of any size, and plain ones.
fn any_size() -> impl Strategy<Value = f64> {
    prop_oneof![
        2 => (-300.0..300.0_f64, any::<bool>()).prop_map(|(e, s)| if s { 10_f64.powf(e) } else { -(10_f64.powf(e)) }),
        1 => Just(0.0),
        1 => -1.0..1.0_f64,
        1 => prop_oneof![Just(f64::MAX), Just(f64::MIN_POSITIVE), Just(5e-324), Just(f64::MIN)],
    ]
}

/// All of about the same size, which may be any.
fn of_one_size(n: usize) -> impl Strategy<Value = Vec<f64>> {
    (-300.0..300.0_f64, prop::collection::vec(-1.0..1.0_f64, n))
        .prop_map(|(e, values)| values.into_iter().map(|v| v * 10_f64.powf(e)).collect())
}

fn table() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let size = 12 * 3;
    prop_oneof![prop::collection::vec(any_size(), size), of_one_size(size)]
        .prop_map(|values| values.chunks(3).map(<[f64]>::to_vec).collect())
}

proptest! {
    #![proptest_config(crate::support::cases(400))]

    #[test]
    fn training_on_any_magnitude(
        rows in table(),
        measure in 0..Vectors::catalogue().len(),
        preset in prop_oneof![Just(Preset::Paper), Just(Preset::Default)],
        scaling in prop_oneof![Just(""), Just("none"), Just("standard"), Just("range")],
    ) {
        let entry = &Vectors::catalogue()[measure];
        for representation in taken(preset, &REPRESENTATIONS) {
            let mut settings = Settings::default();
            if !scaling.is_empty() && !["views", "mahalanobis", "hamming", "jaccard", "chi2", "emd"].contains(&entry.name) {
                settings.insert("scaling", scaling);
            }
            let d = Vectors::measure(preset, Some(entry.name), &settings).expect("a measure");
            let params = OneClass::new(preset).search(SearchKind::None).representation(representation);
            let model = params.check().expect("parameters").fit_with(&vectors(&rows), d, &Silent);
            match model {
                Ok(model) => assert_finite(&model, &vectors(&rows)),
                Err(e) => prop_assert!(e.is_input(), "{}", e),
            }
        }
    }

    #[test]
    fn scoring_any_magnitude(row in prop::collection::vec(any_size(), 3), measure in 0..Vectors::catalogue().len()) {
        let entry = &Vectors::catalogue()[measure];
        for preset in PRESETS {
            for representation in taken(preset, &REPRESENTATIONS[..2]) {
                let d = Vectors::measure(preset, Some(entry.name), &Settings::default()).expect("a measure");
                let params = OneClass::new(preset).search(SearchKind::None).representation(representation);
                // Non-negative, for the measures of counts.
                let rows: Vec<Vec<f64>> = normals(20, 3, 1).iter().map(|r| r.iter().map(|v| v.abs()).collect()).collect();
                let model = params.check().expect("parameters").fit_with(&vectors(&rows), d, &Silent).expect("a model");
                for scoring in [Scoring::Exact, Scoring::Fast] {
                    match model.decide_with(&vectors(std::slice::from_ref(&row)), scoring, &Silent) {
                        Ok(d) => prop_assert!(d[0].score.is_finite() && (0.0..=1.0).contains(&d[0].membership), "{:?}", d),
                        Err(e) => prop_assert!(e.is_input(), "{}", e),
                    }
                }
            }
        }
    }

    #[test]
    fn precomputed_of_any_magnitude(values in prop::collection::vec(any_size(), 28), preset in prop_oneof![Just(Preset::Paper), Just(Preset::Default)]) {
        let n = 8;
        let mut matrix = Matrix::zeros(n, n);
        let mut values = values.into_iter().map(f64::abs);
        for i in 0..n {
            for j in 0..i {
                let value = values.next().unwrap_or(0.0);
                matrix.row_mut(i)[j] = value;
                matrix.row_mut(j)[i] = value;
            }
        }
        let samples = Precomputed::square(matrix).expect("a matrix");
        for representation in taken(preset, &REPRESENTATIONS) {
            let d = Precomputed::measure(preset, None, &Settings::default()).expect("a measure");
            let params = OneClass::new(preset).search(SearchKind::None).representation(representation);
            match params.check().expect("parameters").fit_with(&samples, d, &Silent) {
                Ok(model) => assert_finite(&model, &samples),
                Err(e) => prop_assert!(e.is_input(), "{}", e),
            }
        }
    }
}
