//! Laws for approximate searches: the scores are close to those of exact neighbors, a sample scores the same alone
//! and among others, and threads make no difference.

use eocc_core::file::Contents;
use eocc_core::random::Random;
use eocc_core::sample::{SampleSet, Texts, Vectors};
use eocc_core::{
    Closeness, Matrix, Model, NeighborSearch, OneClass, Preset, Representation, SampleKind, SearchKind,
};

/// Rows around a few centers, and with `odd`, rows of columns that do not belong together.
fn table(rows: usize, seed: u64, odd: bool) -> Vectors {
    let mut r = Random::new(seed);
    let mut values = Vec::new();
    for _ in 0..rows {
        let center = r.below(4);
        for column in 0..6 {
            let center = if odd { r.below(4) } else { center };
            let level = 3.0 * ((center * 7 + column * 3) % 5) as f64;
            values.push(level + r.normal());
        }
    }
    Vectors::new(Matrix::new(values, rows, 6)).unwrap()
}

fn fitted<X: SampleKind>(samples: &X, visits: Option<usize>) -> Model<X> {
    let mut params = OneClass::new(Preset::Default);
    params.visits = visits;
    params.fit(samples).unwrap()
}

fn auc(nominal: &[f64], odd: &[f64]) -> f64 {
    let wins = |n: &f64| {
        odd.iter()
            .map(|o| {
                if n > o {
                    1.0
                } else if n < o {
                    0.0
                } else {
                    0.5
                }
            })
            .sum::<f64>()
    };
    nominal.iter().map(wins).sum::<f64>() / (nominal.len() * odd.len()) as f64
}

fn scores<X: SampleSet>(model: &Model<X>, samples: &X) -> Vec<f64> {
    model.decide_all(samples).unwrap().iter().map(|d| d.score).collect()
}

#[test]
fn scores_are_nearly_those_of_exact_neighbors() {
    let train = table(4000, 1, false);
    let (fresh, odd) = (table(400, 2, false), table(400, 3, true));
    let (exact, approximate) = (fitted(&train, None), fitted(&train, Some(512)));
    assert_eq!(exact.plan().neighbors, NeighborSearch::Exact);
    assert_eq!(approximate.plan().neighbors, NeighborSearch::Visits(512));
    assert!(approximate.plan().recall > 0.85, "{:?}", approximate.plan());
    let auc_of = |model: &Model<Vectors>| auc(&scores(model, &fresh), &scores(model, &odd));
    let (a, b) = (auc_of(&exact), auc_of(&approximate));
    assert!(a > 0.9 && (a - b).abs() < 0.002, "{a} {b}");
    let rejected = approximate.decide_all(&fresh).unwrap().iter().filter(|d| !d.accepted).count();
    assert!(rejected < 400 / 10, "{rejected}");
}

#[test]
fn a_sample_scores_the_same_alone_and_among_others() {
    let model = fitted(&table(3000, 4, false), Some(300));
    let fresh = table(60, 5, true);
    let together = scores(&model, &fresh);
    let alone: Vec<f64> = (0..60).map(|i| scores(&model, &fresh.select(&[i]))[0]).collect();
    assert_eq!(together, alone);
    // A repeated training sample is judged as if the original had not been there.
    let train = model.reference().clone();
    let again = scores(&model, &train.select(&[0, 7, 2999]));
    let own = model.training_scores();
    assert_eq!(again, [own[0], own[7], own[2999]]);
}

#[test]
fn threads_make_no_difference_and_files_bring_everything_back() {
    let train = table(3000, 6, false);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fitted(&train, Some(256)).to_contents().unwrap().to_bytes())
    };
    let bytes = with(1);
    assert_eq!(bytes, with(3));
    let again = Model::<Vectors>::from_contents(&Contents::from_bytes(&bytes).unwrap()).unwrap();
    let fresh = table(50, 7, true);
    assert_eq!(scores(&again, &fresh), scores(&fitted(&train, Some(256)), &fresh));
    assert_eq!(again.plan().neighbors, NeighborSearch::Visits(256));
}

/// Beyond 8192 rows, neighbors are searched by a tree, subsets of the columns use a part of the rows, and several batches
/// are judged.
#[test]
fn threads_and_batches_make_no_difference_beyond_8192_rows() {
    let train = table(9000, 11, false);
    let fresh = table(48, 12, true);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = fitted(&train, None);
            assert_eq!(model.plan().neighbors, NeighborSearch::Visits(2048));
            let together = scores(&model, &fresh);
            (model.to_contents().unwrap().to_bytes(), together, model)
        })
    };
    let (bytes, together, model) = with(1);
    let (others, among_others, _) = with(3);
    assert!(bytes == others, "other bytes with three threads");
    assert_eq!(together, among_others);
    let alone: Vec<f64> = (0..48).map(|i| scores(&model, &fresh.select(&[i]))[0]).collect();
    assert_eq!(together, alone);
    let halves = [(0..20).collect::<Vec<_>>(), (20..48).collect()];
    let of_halves: Vec<f64> = halves.iter().flat_map(|half| scores(&model, &fresh.select(half))).collect();
    assert_eq!(together, of_halves);
    // Training rows are judged as if they had been left out, also those of which subsets keep no copy.
    let own = model.training_scores();
    let some: Vec<usize> = (0..9000).step_by(451).collect();
    let expected: Vec<f64> = some.iter().map(|&i| own[i]).collect();
    assert_eq!(scores(&model, &model.reference().select(&some)), expected);
}

#[test]
fn strings_are_judged_by_a_part_of_all_comparisons() {
    // Words of families, and words of no family.
    let mut r = Random::new(9);
    let letter = |r: &mut Random| char::from(b"abcdefghijklmnopqrst"[r.below(20)]);
    let parents: Vec<String> = (0..60).map(|_| (0..30).map(|_| letter(&mut r)).collect()).collect();
    let mut mutant = |parent: &str| -> String {
        parent.chars().map(|c| if r.uniform() < 0.1 { letter(&mut r) } else { c }).collect()
    };
    let mut family = |count: usize| -> Vec<String> { (0..count).map(|i| mutant(&parents[i % 60])).collect() };
    let (train, fresh) = (Texts::new(family(1200)).unwrap(), Texts::new(family(120)).unwrap());
    let mut s = Random::new(10);
    let odd = Texts::new((0..120).map(|_| (0..30).map(|_| letter(&mut s)).collect()).collect()).unwrap();
    let auc_of = |model: &Model<Texts>| auc(&scores(model, &fresh), &scores(model, &odd));
    let (exact, approximate) = (fitted(&train, None), fitted(&train, Some(120)));
    let (a, b) = (auc_of(&exact), auc_of(&approximate));
    // Strangers have letters like those of the families, so the summary carries no information.
    assert!(a > 0.97 && (a - b).abs() < 0.005, "{a} {b}");
    assert!(approximate.plan().recall > 0.5, "{:?}", approximate.plan());
}

#[test]
fn the_paper_estimates_closeness_among_many_and_says_by_how_much() {
    let mut r = Random::new(5);
    let values = (0..2 * 16_500).map(|_| r.normal()).collect();
    let train = Vectors::new(Matrix::new(values, 16_500, 2)).unwrap();
    let mut params = OneClass::new(Preset::Paper);
    params.representation = Representation::Direct;
    params.search = SearchKind::None;
    let model = params.fit(&train).unwrap();
    let plan = model.plan();
    assert_eq!(plan.neighbors, NeighborSearch::Exact);
    assert_eq!(plan.closeness, Closeness::Sources(1024));
    assert!(plan.closeness_error > 0.0 && plan.closeness_error < 0.05, "{plan:?}");
    assert_eq!(model.regions().len(), 1);
    // Scoring exactly as in the paper would find all paths; the degrees of the training samples are already known.
    assert!(model.regions()[0].membership().threshold > 0.0);
}
