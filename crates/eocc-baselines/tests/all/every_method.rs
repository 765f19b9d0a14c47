//! Laws for every classifier in the registry.
use eocc_baselines::{METHODS, Method, Needs, Options, Training};
use eocc_core::random::Random;
use eocc_core::{AnySamples, Matrix, Precomputed, Preset, SampleSet, Settings, Silent, Vectors};

/// 60 nominal samples in two clusters, then 10 similar ones and 10 far from both, with several nuisances: a constant
/// feature, twins and different units.
fn samples() -> (Vectors, Vectors) {
    let mut r = Random::new(11);
    let mut near = |i: usize| {
        let shift = if i.is_multiple_of(3) { 9.0 } else { 0.0 };
        vec![shift + r.normal(), 0.1 * r.normal(), 3.0 + 0.5 * r.normal(), 7.0]
    };
    let mut train: Vec<Vec<f64>> = (0..58).map(&mut near).collect();
    train.push(train[0].clone());
    train.push(train[1].clone());
    let mut test: Vec<Vec<f64>> = (0..10).map(&mut near).collect();
    let far = |i: u32| vec![4.5, 2.0 + f64::from(i), -6.0 - f64::from(i), 7.0];
    test.extend((0..10).map(far));
    (Vectors::from_rows(&train).unwrap(), Vectors::from_rows(&test).unwrap())
}

fn scores(
    method: &Method,
    train: impl Into<AnySamples>,
    test: impl Into<AnySamples>,
    seed: u64,
) -> eocc_core::Result<Vec<f64>> {
    let training = training(train, seed)?;
    let scorer =
        method.classifier(training.samples().kind(), &Options::default())?.fit(&training, &Silent)?;
    scorer.scores(&training.tests(test)?, &Silent)
}

fn training(samples: impl Into<AnySamples>, seed: u64) -> eocc_core::Result<Training> {
    let samples = samples.into();
    let measure = samples.measure(Preset::Paper, None, &Settings::default())?;
    Training::new(samples, measure, seed)
}

#[test]
fn larger_is_more_nominal_and_every_score_is_a_number() {
    let (train, test) = samples();
    for method in METHODS {
        let s = scores(method, train.clone(), test.clone(), 1).unwrap();
        assert!(s.iter().all(|v| !v.is_nan()), "{}: {s:?}", method.name);
        let pairs = s[..10].iter().flat_map(|a| s[10..].iter().map(move |b| (a, b)));
        let wins = pairs
            .map(|(a, b)| f64::from(u8::from(a > b)) + 0.5 * f64::from(u8::from(a.total_cmp(b).is_eq())));
        let auc = wins.sum::<f64>() / 100.0;
        assert!(auc > 0.9, "{}: AUC {auc}", method.name);
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_order_of_tests_does_not_matter() {
    let (train, test) = samples();
    let reversed: Vec<usize> = (0..test.count()).rev().collect();
    for method in METHODS {
        let first = scores(method, train.clone(), test.clone(), 5).unwrap();
        let mut again = scores(method, train.clone(), test.select(&reversed), 5).unwrap();
        again.reverse();
        let bits = |s: &[f64]| s.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&first), bits(&again), "{}", method.name);
    }
}

/// All dissimilarities of `a` to `b`.
fn distances(a: &Vectors, b: &Vectors) -> Matrix {
    let mut out = Matrix::zeros(a.count(), b.count());
    for i in 0..a.count() {
        eocc_core::kernel::euclidean_to_rows(a.sample(i), b.matrix().values(), out.row_mut(i));
    }
    out
}

#[test]
fn dissimilarities_alone_are_enough_where_the_registry_says_so() {
    let (train, test) = samples();
    let square = Precomputed::square(distances(&train, &train)).unwrap();
    let rectangle = Precomputed::rectangular(distances(&test, &train)).unwrap();
    for method in METHODS {
        let given = scores(method, square.clone(), rectangle.clone(), 1);
        match method.needs() {
            Needs::Vectors => {
                let e = given.unwrap_err().to_string();
                assert!(e.contains("needs vectors of numbers"), "{}: {e}", method.name);
            }
            Needs::Dissimilarities => {
                let given = given.unwrap();
                // Those that need the number of dimensions must estimate it here, and `default` scales features.
                if ["parzen", "k-nn", "default"].contains(&method.name) {
                    assert!(given[0] > given[19], "{}", method.name);
                    continue;
                }
                let vectors = scores(method, train.clone(), test.clone(), 1).unwrap();
                for (a, b) in given.iter().zip(&vectors) {
                    assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{}: {a} {b}", method.name);
                }
            }
        }
    }
}

#[test]
fn samples_that_are_all_equal_are_refused_or_scored_but_never_a_panic() {
    let train = Vectors::from_rows(&vec![[1.0, 2.0]; 30]).unwrap();
    let test = Vectors::from_rows(&[[1.0, 2.0], [5.0, 2.0]]).unwrap();
    for method in METHODS {
        match scores(method, train.clone(), test.clone(), 1) {
            Ok(s) => assert!(s[0] >= s[1], "{}: {s:?}", method.name),
            Err(e) => assert!(!e.to_string().is_empty(), "{}", method.name),
        }
    }
}

#[test]
fn too_few_samples_are_named() {
    let train = Vectors::from_rows(&[[1.0, 2.0], [2.0, 3.0], [4.0, 0.0]]).unwrap();
    for method in METHODS {
        let training = training(train.clone(), 0).unwrap();
        let classifier = method.classifier(training.samples().kind(), &Options::default()).unwrap();
        if let Err(e) = classifier.fit(&training, &Silent) {
            assert!(e.to_string().contains("3 nominal samples"), "{}: {e}", method.name);
        }
    }
}
