//! Same seed, same bits: for any number of threads, and after saving and loading.

use crate::support::{PRESETS, fit, normals, try_fit, vectors};
use eocc_core::{
    Model, OneClass, Preset, Prototypes, Representation, SampleKind, SampleSet, Scoring, SearchKind, Silent,
    Vectors,
};
use rayon::prelude::*;

/// Many features and duplicates, so that sums are long and ties are common.
fn rows() -> Vec<Vec<f64>> {
    let mut rows = normals(150, 6, 3);
    rows.extend(normals(40, 6, 3));
    rows.iter_mut().take(60).for_each(|r| r[2] += 9.0);
    rows
}

/// Searches that really search: `tau = 0` cannot be reached, but the limit can.
fn searching(preset: Preset, search: SearchKind, representation: Representation) -> OneClass {
    let mut params = OneClass::new(preset).search(search).representation(representation).seed(5);
    params.tau = 0.0;
    params.evaluations = 45;
    params
}

fn variants() -> Vec<OneClass> {
    let random = Representation::Prototypes(Prototypes::Random(30));
    let farthest = Representation::Prototypes(Prototypes::FarthestFirst(30));
    let mut all = Vec::new();
    let paper = Preset::Paper;
    all.push(searching(paper, SearchKind::Genetic, Representation::Embedding));
    all.push(searching(paper, SearchKind::Genetic, random));
    all.push(searching(paper, SearchKind::Genetic, farthest));
    for preset in PRESETS {
        all.push(searching(preset, SearchKind::Genetic, Representation::Direct));
        all.push(OneClass::new(preset).search(SearchKind::None));
    }
    all.push(OneClass::default().contamination(0.1));
    all
}

fn bytes(model: &Model<Vectors>) -> Vec<u8> {
    model.to_contents().expect("contents").to_bytes()
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let tests = vectors(&normals(30, 6, 9));
    for params in variants() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let model = fit(params.clone(), &rows());
                let exact = model.decide_with(&tests, Scoring::Exact, &Silent).expect("decisions");
                let fast = model.decide_with(&tests, Scoring::Fast, &Silent).expect("decisions");
                (bytes(&model), exact, fast)
            })
        };
        let one = run(1);
        assert!(one == run(2) && one == run(8), "{params:?}");
    }
}

/// Exact scoring computes the shortest paths of a region at the first sample, and many samples arrive at the same
/// time. If threads waited for one another there, this would not end.
#[test]
fn many_threads_may_ask_for_the_paths_of_a_region_at_once() {
    let contents = fit(OneClass::new(Preset::Paper).search(SearchKind::None), &rows()).to_contents().unwrap();
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        let tests = vectors(&normals(64, 6, 9));
        for _ in 0..50 {
            // A fresh model each time, without any paths.
            let fresh = || Model::<Vectors>::from_contents(&contents).unwrap();
            let (batch, single) = (fresh(), fresh());
            pool.install(|| {
                let all = batch.decide_with(&tests, Scoring::Exact, &Silent).unwrap();
                let decided: Vec<_> =
                    (0..64).into_par_iter().map(|i| single.decide(tests.sample(i)).unwrap()).collect();
                assert_eq!(decided, all);
            });
        }
        done.send(()).unwrap();
    });
    assert!(
        is_done.recv_timeout(std::time::Duration::from_mins(2)).is_ok(),
        "the threads wait for one another"
    );
}

fn loaded<X: SampleKind>(model: &Model<X>) -> Model<X> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model");
    model.save(&path).expect("saved");
    Model::load(&path).expect("loaded")
}

#[test]
fn a_loaded_model_decides_the_same_bit_for_bit() {
    let tests = vectors(&normals(40, 6, 8));
    for params in variants() {
        let model = fit(params, &rows());
        let again = loaded(&model);
        for scoring in [Scoring::Exact, Scoring::Fast] {
            let (a, b) =
                (model.decide_with(&tests, scoring, &Silent), again.decide_with(&tests, scoring, &Silent));
            // Equal as numbers, and none is NaN or zero of the other sign.
            assert_eq!(a.unwrap(), b.unwrap());
        }
        assert_eq!(model.training_memberships(), again.training_memberships());
        assert_eq!(bytes(&model), bytes(&again));
    }
}

#[test]
fn another_seed_searches_elsewhere() {
    let history = |seed: u64| {
        let params = searching(Preset::Paper, SearchKind::Genetic, Representation::Embedding).seed(seed);
        try_fit(params, &rows()).unwrap().record().search.clone()
    };
    let (a, b) = (history(1), history(2));
    assert_eq!(a.len(), 45);
    assert_eq!(a[0].to_bits(), b[0].to_bits(), "uniform weights come first");
    assert_ne!(a, b);
    assert_eq!(a, history(1));
}
