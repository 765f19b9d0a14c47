//! AUC of the reference on the UCI sets, by exact and by fast scoring, one line per set and seed.
//!
//! `cargo run --release -p eocc-oracle --example uci -- 3 ecoli biomed` for three seeds of two sets.
#![expect(clippy::print_stdout, reason = "the table is the purpose of the program")]

#[path = "../tests/all/support/mod.rs"]
mod support;

use eocc_oracle::auc::auc;
use eocc_oracle::paper::{Reference, Scored};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    for name in arguments {
        for seed in 1..=seeds {
            measure(&name, seed);
        }
    }
}

fn measure(name: &str, seed: u64) {
    let Some(split) = support::split(name, seed) else { return };
    let model = Reference::fit(&split.training, &vec![1.0; split.training[0].len()], 0.5, 50.0);
    let (t, o) = (split.targets.len(), split.outliers.len());
    let rows: Vec<&Vec<f64>> = split.targets.iter().chain(&split.outliers).collect();
    let exact: Vec<Scored> = rows.iter().map(|x| model.exact(x)).collect();
    let fast: Vec<Scored> = rows.iter().map(|x| model.fast(x)).collect();
    let area = |scored: &[Scored]| {
        let mu: Vec<f64> = scored.iter().map(|s| s.membership).collect();
        auc(&mu[..t], &mu[t..])
    };
    let agree = exact.iter().zip(&fast).filter(|(a, b)| a.accepted == b.accepted).count();
    println!(
        "{name} seed {seed}: exact {:.3} fast {:.3}, decisions agree on {agree} of {}, k {}, regions {}",
        area(&exact),
        area(&fast),
        t + o,
        model.k,
        model.components.len()
    );
}
