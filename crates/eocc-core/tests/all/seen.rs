//! What `default` uses in strings, series and graphs besides their dissimilarity: which views exist, what
//! explanations name, and that known dissimilarities change nothing.

use eocc_core::graphs::{GraphInput, Graphs, Value};
use eocc_core::random::Random;
use eocc_core::{
    AnyModel, AnySamples, OneClass, Preset, SampleKind, Series, SeriesSet, Settings, Silent, Texts,
};

fn random_word(r: &mut Random, shortest: usize, longest: usize) -> String {
    let length = shortest + r.below(longest - shortest + 1);
    // Amino acids, which every measure of strings accepts.
    (0..length).map(|_| char::from(b"ARNDCQEGHILKMFPSTWYV"[r.below(20)])).collect()
}

fn words(count: usize, seed: u64) -> Vec<String> {
    let mut r = Random::new(seed);
    (0..count).map(|_| random_word(&mut r, 4, 9)).collect()
}

fn texts(words: Vec<String>) -> AnySamples {
    Texts::new(words).expect("words").into()
}

fn series(count: usize, seed: u64) -> AnySamples {
    let mut r = Random::new(seed);
    let mut one = || {
        let phase = r.range(0.0, 3.0);
        let value = |t: i32| (f64::from(t) / 4.0 + phase).sin() + 0.1 * r.normal();
        Series::univariate((0..40).map(value).collect()).expect("a series")
    };
    SeriesSet::new((0..count).map(|_| one()).collect()).expect("series").into()
}

fn graphs(count: usize, seed: u64) -> AnySamples {
    let mut r = Random::new(seed);
    let mut one = || {
        let mut graph = GraphInput::new("g", false);
        let size = 4 + r.below(5);
        for v in 0..size {
            let label = ["C", "N", "O"][r.below(3)];
            graph.vertex(v.to_string(), [("label", Value::Text(label.to_owned()))]);
        }
        for v in 1..size {
            graph.edge(r.below(v), v, []);
        }
        graph
    };
    Graphs::new((0..count).map(|_| one()).collect()).expect("graphs").into()
}

fn fit(samples: &AnySamples) -> AnyModel {
    let measure = samples.measure(Preset::Default, None, &Settings::default()).expect("a measure");
    let params = OneClass::new(Preset::Default).check().expect("parameters");
    samples.train(&params, measure, &Silent).expect("a model")
}

#[test]
fn known_dissimilarities_change_no_score() {
    for (train, test) in [
        (texts(words(60, 1)), texts(words(20, 2))),
        (series(40, 3), series(15, 4)),
        (graphs(40, 5), graphs(15, 6)),
    ] {
        let plain = fit(&train);
        let measure = train.measure(Preset::Default, None, &Settings::default()).expect("a measure");
        let mut learned = measure.clone();
        learned.learn_all(&train).expect("learned");
        let square = learned.matrix(&train, &Silent).expect("a matrix");
        let cross = learned.between_sets(&test, &train, &Silent).expect("a matrix");
        let rows = [square.values(), cross.values()].concat();
        let count = train.count() + test.count();
        let matrix = eocc_core::Matrix::new(rows, count, train.count());
        let matrix = AnySamples::from(eocc_core::Precomputed::rectangular(matrix).expect("rows"));
        let first: Vec<usize> = (0..train.count()).collect();
        let last: Vec<usize> = (train.count()..count).collect();
        let trained = train.with_known(matrix.select(&first)).expect("records");
        let tested = test.with_known(matrix.select(&last)).expect("records");
        let params = OneClass::new(Preset::Default).check().expect("parameters");
        let known = measure.of_known(Preset::Default).expect("a measure");
        let known = trained.train(&params, known, &Silent).expect("a model");
        let scores = |model: &AnyModel, samples: &AnySamples| -> Vec<u64> {
            let decisions = model.decide_with(samples, model.params().scoring, &Silent).expect("decisions");
            decisions.iter().map(|d| d.score.to_bits()).collect()
        };
        assert_eq!(scores(&plain, &test), scores(&known, &tested));
    }
}

#[test]
fn shares_have_names_and_values_and_sum_to_one() {
    let long = "abcdefghijklmnopqrstuvwxyz".repeat(4);
    for (train, odd, wanted) in [
        (texts(words(80, 1)), texts(vec![long]), "length"),
        (
            series(60, 3),
            {
                let flat = Series::univariate(vec![9.0; 40]).expect("a series");
                SeriesSet::new(vec![flat]).expect("series").into()
            },
            "spread",
        ),
    ] {
        let model = fit(&train);
        let names = model.share_names();
        let explained = model.explain(&odd, 3, &Silent).expect("an explanation");
        let shares = &explained[0].shares;
        assert_eq!(shares.len(), names.len());
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{shares:?}");
        let values = model.share_values(&odd, 0).expect("values");
        assert_eq!(values.len(), names.len());
        let at = names.iter().position(|n| n == wanted).expect("a name");
        assert!(shares[at] > 0.01, "{wanted}: {shares:?}");
        assert!((values[at] - if wanted == "length" { 104.0 } else { 0.0 }).abs() < 1e-9, "{values:?}");
    }
}

#[test]
fn named_measures_have_three_views_and_a_matrix_one() {
    let of = |samples: &AnySamples, name: &str| {
        let measure = samples.measure(Preset::Default, Some(name), &Settings::default()).expect("a measure");
        let params = OneClass::new(Preset::Default).check().expect("parameters");
        samples.train(&params, measure, &Silent).expect("a model").views()
    };
    let weight = |views: &[(String, f64)], from: usize, to: usize| -> f64 {
        views[from..to].iter().map(|v| v.1).sum()
    };
    let (strings, some) = (texts(words(40, 1)), series(30, 3));
    for (samples, catalogue) in [
        (&strings, Texts::catalogue().iter().map(|e| e.name).collect::<Vec<_>>()),
        (&some, SeriesSet::catalogue().iter().map(|e| e.name).collect()),
        (&graphs(30, 5), Graphs::catalogue().iter().map(|e| e.name).collect()),
    ] {
        for name in catalogue {
            let views = of(samples, name);
            let all = views.len();
            assert!((weight(&views, 0, 1) - 1.0).abs() < 1e-12, "{name}: {views:?}");
            assert!((weight(&views, 1, 2) - 0.5).abs() < 1e-12, "{name}: {views:?}");
            assert!((weight(&views, 2, all) - 0.5).abs() < 1e-12, "{name}: {views:?}");
        }
    }
}

/// A string that is odd only by its length: short strings are close to everything.
#[test]
fn short_strings_among_long_ones_stand_out() {
    let mut r = Random::new(9);
    let long: Vec<String> = (0..120).map(|_| random_word(&mut r, 30, 60)).collect();
    let short: Vec<String> = (0..30).map(|_| random_word(&mut r, 2, 4)).collect();
    let train = texts(long[..90].to_vec());
    let mut settings = Settings::default();
    settings.insert("normalize", "false");
    let measure = train.measure(Preset::Default, Some("levenshtein"), &settings).expect("a measure");
    let params = OneClass::new(Preset::Default).check().expect("parameters");
    let model = train.train(&params, measure, &Silent).expect("a model");
    let scores = |samples: &AnySamples| -> Vec<f64> {
        let decisions = model.decide_with(samples, model.params().scoring, &Silent).expect("decisions");
        decisions.iter().map(|d| d.score).collect()
    };
    let (nominal, odd) = (scores(&texts(long[90..].to_vec())), scores(&texts(short)));
    let lower = nominal.iter().flat_map(|n| odd.iter().map(move |o| usize::from(o < n))).sum::<usize>();
    assert!(lower as f64 > 0.95 * (nominal.len() * odd.len()) as f64, "{lower}");
}
