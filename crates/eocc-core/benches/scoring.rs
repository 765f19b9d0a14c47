//! Exact and fast scoring on one thread, compared with the reference, which recomputes everything for each sample.
//! Goals: recomputing takes at least 100 times as long as exact scoring, and 2000 times as long as fast scoring.
//!
//! There are two ways to recompute: exactly as in the paper, with the lists from the points; and from a table of the
//! distances among the training samples, which saves half of the work.
#![expect(clippy::print_stdout, reason = "the ratios are the purpose of the program")]

mod support;

use eocc_core::dissimilarity::Minkowski;
use eocc_core::{Decision, Model, OneClass, Preset, SampleSet, Scoring, SearchKind, Silent, Vectors};
use eocc_oracle::paper::Reference;
use support::{compared, normals, pool};

const TRAINING: usize = 450;
const FEATURES: usize = 9;
const BATCH: usize = 200;

struct Case {
    model: Model<Vectors>,
    tests: Vectors,
    reference: Reference,
}

impl Case {
    /// The first seed whose descent stops at `k = 20` with one region.
    fn new() -> Self {
        let params = OneClass::new(Preset::Paper).search(SearchKind::None).check().expect("parameters");
        let fitted = (1..).find_map(|seed| {
            let samples = Vectors::new(normals(TRAINING, FEATURES, seed)).expect("samples");
            let model =
                params.fit_with(&samples, Box::new(Minkowski::euclidean()), &Silent).expect("a model");
            (model.summary().neighbors == 20 && model.regions().len() == 1).then_some((model, samples))
        });
        let (model, samples) = fitted.expect("a seed");
        let rows: Vec<Vec<f64>> = samples.refs().iter().map(|r| r.to_vec()).collect();
        let reference = Reference::fit(&rows, &[1.0; FEATURES], 0.5, 50.0);
        Self { model, tests: Vectors::new(normals(BATCH, FEATURES, 0)).expect("tests"), reference }
    }

    fn batch(&self, scoring: Scoring) -> Vec<Decision> {
        self.model.decide_with(&self.tests, scoring, &Silent).expect("decisions")
    }

    fn slow(&self) -> f64 {
        self.reference.exact_from_points(self.tests.sample(0)).membership
    }

    fn slow_with_table(&self) -> f64 {
        self.reference.exact(self.tests.sample(0)).membership
    }
}

fn main() {
    let case = Case::new();
    let pool = pool(1);
    for (name, scoring) in [("exact", Scoring::Exact), ("fast", Scoring::Fast)] {
        let report = |what: &str, slow: &(dyn Fn() -> f64 + Sync)| {
            let (slow, all, ratio) = pool.install(|| compared(slow, || case.batch(scoring)));
            let (each, count) = (all / BATCH as f64, BATCH as f64);
            println!("{name} {:.1} us, {what} {:.1} ms a sample", 1e6 * each, 1e3 * slow);
            println!("{what} / {name} = {:.0}", ratio * count);
        };
        report("recomputing", &|| case.slow());
        report("recomputing from a table", &|| case.slow_with_table());
    }
}
