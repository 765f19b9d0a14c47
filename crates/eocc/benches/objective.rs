//! One evaluation of the objective (embedding, lists, descent) beside the matrix product that it cannot do without.
//! Goal: at most 2.5 times the product.
#![expect(clippy::print_stdout, reason = "the ratios are the purpose of the program")]

mod support;

use criterion::{BenchmarkId, Criterion};
use eocc::dissimilarity::Minkowski;
use eocc::knn::symmetric_product;
use eocc::{Dissimilarity, Matrix, OneClassParams, Preset, SampleSet, ValidParams, Vectors};
use support::{criterion, is_trial, median, normals, pool};

const FEATURES: usize = 20;

struct Case {
    params: ValidParams,
    samples: Vectors,
    measure: Minkowski,
    points: Matrix,
    out: Matrix,
}

impl Case {
    fn new(n: usize) -> Self {
        let samples = Vectors::new(normals(n, FEATURES, 1)).expect("samples");
        let mut measure = Minkowski::euclidean();
        measure.learn(&samples.refs(), &[]).expect("learnt");
        let all: Vec<usize> = (0..n).collect();
        let points = eocc::embedding::embed(&samples.refs(), &all, &measure, &eocc::Silent).expect("points");
        let params = OneClassParams::new(Preset::Paper).check().expect("parameters");
        Self { params, samples, measure, points, out: Matrix::zeros(n, n) }
    }

    fn objective(&self) -> f64 {
        self.params.evaluate(&self.samples, &self.measure).expect("an objective").eta
    }

    fn product(&mut self) {
        symmetric_product(&self.points, &mut self.out);
    }
}

fn objective(c: &mut Criterion) {
    let mut case = Case::new(2000);
    for threads in [1, 2] {
        let pool = pool(threads);
        let mut group = c.benchmark_group(format!("objective/{threads} threads"));
        let id = |what: &str| BenchmarkId::new(what, "n = m = 2000, q = 20");
        group.bench_function(id("objective"), |b| pool.install(|| b.iter(|| case.objective())));
        group.bench_function(id("product"), |b| pool.install(|| b.iter(|| case.product())));
        group.finish();
    }
}

fn main() {
    let mut c = criterion();
    objective(&mut c);
    c.final_summary();
    if is_trial() {
        return;
    }
    let mut case = Case::new(2000);
    for threads in [1, 2] {
        let pool = pool(threads);
        let whole = pool.install(|| median(|| case.objective()));
        let product = pool.install(|| median(|| case.product()));
        println!("{threads} threads: objective {whole:.3} s, product {product:.3} s");
        println!("{threads} threads: objective / product = {:.2}", whole / product);
    }
}
