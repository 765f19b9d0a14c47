//! Scores of scikit-learn on fixed data; see `scripts/golden/baselines.py`.
use eocc_baselines::{
    DteNp, Gauss, IsolationForest, KMeans, KNnMean, Learner, Lof, Mixture, NaiveParzen, Parzen, Pca, Start,
    Svdd, TrainingTable,
};
use eocc_core::Matrix;
use serde_json::Value;

fn golden() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/golden/baselines.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Matrix {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    let (n, q) = (rows.len(), rows[0].len());
    Matrix::new(rows.concat(), n, q)
}

fn distances(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), b.rows());
    for i in 0..a.rows() {
        eocc_core::kernel::euclidean_to_rows(a.row(i), b.values(), out.row_mut(i));
    }
    out
}

fn close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * w.abs().max(1.0), "sample {i}: {g}, but scikit-learn has {w}");
    }
}

/// Scores of a learner from vectors.
fn of_vectors(learner: &dyn Learner, golden: &Value) -> Vec<f64> {
    let (train, test) = (matrix(&golden["train"]), matrix(&golden["test"]));
    let rule = learner.learn(&TrainingTable { table: &train, features: train.columns(), seed: 0 }).unwrap();
    (0..test.rows()).map(|i| rule.score(test.row(i))).collect()
}

/// Scores of a learner from dissimilarities.
fn of_dissimilarities(learner: &dyn Learner, golden: &Value) -> Vec<f64> {
    let (train, test) = (matrix(&golden["train"]), matrix(&golden["test"]));
    let (square, cross) = (distances(&train, &train), distances(&test, &train));
    let rule = learner.learn(&TrainingTable { table: &square, features: train.columns(), seed: 0 }).unwrap();
    (0..test.rows()).map(|i| rule.score(cross.row(i))).collect()
}

#[test]
fn gauss() {
    let g = golden();
    close(&of_vectors(&Gauss::default(), &g), &numbers(&g["gauss"]), 1e-10);
}

#[test]
fn mixture() {
    let g = golden();
    let (train, test) = (matrix(&g["train"]), matrix(&g["test"]));
    let mut round = Matrix::zeros(3, 3);
    (0..3).for_each(|i| round.row_mut(i)[i] = g["mixture"]["variance"].as_f64().unwrap());
    let start = Start {
        weights: vec![1.0 / 3.0; 3],
        means: matrix(&g["mixture"]["means"]),
        covariances: vec![round; 3],
    };
    let seven = Mixture { components: 3, regularization: 0.01, iterations: 7 };
    let rule = seven.learn_from(&train, start, 0.0).unwrap();
    let scores: Vec<f64> = (0..test.rows()).map(|i| rule.score(test.row(i))).collect();
    close(&scores, &numbers(&g["mixture"]["scores"]), 1e-8);
}

#[test]
fn parzen_with_the_given_width_and_with_the_width_it_finds() {
    let g = golden();
    let want = numbers(&g["parzen"]["scores"]);
    let given = Parzen { width: g["parzen"]["width"].as_f64() };
    close(&of_dissimilarities(&given, &g), &want, 1e-8);
    // The width is found to four digits; far samples score by its square.
    close(&of_dissimilarities(&Parzen::default(), &g), &want, 2e-3);
}

#[test]
fn naive_parzen() {
    let g = golden();
    close(&of_vectors(&NaiveParzen, &g), &numbers(&g["naive_parzen"]), 2e-3);
}

#[test]
fn k_means() {
    let g = golden();
    let (train, test) = (matrix(&g["train"]), matrix(&g["test"]));
    let means = KMeans { means: 4, tolerance: 0.0 }.improve(&train, matrix(&g["k_means"]["starts"]));
    let to_nearest = |i: usize| {
        let mut d = vec![0.0; means.rows()];
        eocc_core::kernel::euclidean_to_rows(test.row(i), means.values(), &mut d);
        -d.into_iter().fold(f64::INFINITY, f64::min)
    };
    let scores: Vec<f64> = (0..test.rows()).map(to_nearest).collect();
    close(&scores, &numbers(&g["k_means"]["scores"]), 1e-10);
}

#[test]
fn pca() {
    let g = golden();
    close(&of_vectors(&Pca::default(), &g), &numbers(&g["pca"]["scores"]), 1e-9);
}

#[test]
fn svdd_is_the_one_class_support_vector_machine() {
    let g = golden();
    close(&of_dissimilarities(&Svdd::default(), &g), &numbers(&g["svdd"]), 1e-7);
}

#[test]
fn lof() {
    let g = golden();
    close(&of_dissimilarities(&Lof::default(), &g), &numbers(&g["lof"]), 1e-9);
}

#[test]
fn mean_distances_to_neighbors() {
    let g = golden();
    close(&of_dissimilarities(&KNnMean::default(), &g), &numbers(&g["k_nn_mean"]), 1e-10);
    close(&of_dissimilarities(&DteNp::default(), &g), &numbers(&g["dte_np"]), 1e-10);
}

#[test]
fn isolation_forest_agrees_on_average() {
    // A mean over forty forests in the golden values, one of four thousand trees here; the trees are random in both.
    let g = golden();
    let many = IsolationForest { trees: 4000, ..IsolationForest::default() };
    close(&of_vectors(&many, &g), &numbers(&g["isolation_forest"]), 0.01);
}
