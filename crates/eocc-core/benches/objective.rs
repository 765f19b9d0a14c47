//! One evaluation of the objective (embedding, lists, descent), compared with the matrix product that it needs. Goal:
//! at most 2.5 times the product.
#![expect(clippy::print_stdout, reason = "the ratios are the purpose of the program")]

mod support;

use eocc_core::dissimilarity::Minkowski;
use eocc_core::knn::symmetric_product;
use eocc_core::{Dissimilarity, Matrix, OneClass, Preset, SampleSet, ValidParams, Vectors};
use support::{compared, normals, pool};

const FEATURES: usize = 20;

struct Case {
    params: ValidParams,
    samples: Vectors,
    measure: Minkowski,
    points: Matrix,
}

impl Case {
    fn new(n: usize) -> Self {
        let samples = Vectors::new(normals(n, FEATURES, 1)).expect("samples");
        let mut measure = Minkowski::euclidean();
        measure.learn(&samples.refs(), &[]).expect("learned");
        let all: Vec<usize> = (0..n).collect();
        let points =
            eocc_core::embedding::embed(&samples.refs(), &all, &measure, &eocc_core::Silent).expect("points");
        let params = OneClass::new(Preset::Paper).check().expect("parameters");
        Self { params, samples, measure, points }
    }

    fn objective(&self) -> f64 {
        eocc_core::model::evaluate(&self.params, &self.samples, &self.measure).expect("an objective").eta
    }
}

fn main() {
    let (case, mut out) = (Case::new(2000), Matrix::zeros(2000, 2000));
    for threads in [1, 2] {
        let pool = pool(threads);
        let (whole, product, ratio) =
            pool.install(|| compared(|| case.objective(), || symmetric_product(&case.points, &mut out)));
        println!("{threads} threads: objective {whole:.3} s, product {product:.3} s");
        println!("{threads} threads: objective / product = {ratio:.2}");
    }
}
