//! Small sets full of ties and duplicates, compared with the slow reference.
//!
//! Dissimilarities are multiples of 1/8 here, so that all sums of squares are exact in any order: mathematical ties
//! are ties in both programs, and both must break them by index.

use std::collections::BTreeSet;

use crate::support::{is_near, paper, vectors};
use eocc_core::centrality::{RegionGraph, rejoin};
use eocc_core::dissimilarity::{Minkowski, PrecomputedLookup};
use eocc_core::knn::KnnLists;
use eocc_core::membership::Scale;
use eocc_core::{
    Decision, Dissimilarity, Matrix, Model, OneClass, Precomputed, Prototypes, Representation, SampleSet,
    Scoring, Silent, Vectors,
};
use eocc_oracle::knn;
use eocc_oracle::paper::region::Region;
use eocc_oracle::paper::{Reference, Scored};
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-9;
/// Below this, a threshold may mathematically be zero; whether a difference equals it then depends on rounding.
const NO_SPREAD: f64 = 1e-6;

fn fitted<X: SampleSet>(params: OneClass, samples: &X, d: impl Dissimilarity<X::Item> + 'static) -> Model<X> {
    params.check().expect("parameters").fit_with(samples, Box::new(d), &Silent).expect("a model")
}

fn same_model<X: SampleSet>(model: &Model<X>, reference: &Reference) -> Result<(), TestCaseError> {
    prop_assert_eq!(model.summary().neighbors, reference.k);
    let ours: BTreeSet<Vec<usize>> =
        model.regions().iter().map(|r| r.vertices().iter().map(|&v| v as usize).collect()).collect();
    prop_assert_eq!(ours, reference.components.iter().cloned().collect());
    prop_assert!(is_near(model.summary().eta, reference.eta, TOLERANCE));
    prop_assert!(is_near(model.summary().jensen, reference.jensen, TOLERANCE));
    for region in model.regions() {
        let first = region.vertices()[0] as usize;
        let place = reference.components.iter().position(|c| c[0] == first).expect("the same region");
        let theirs = &reference.regions[place];
        prop_assert!(is_near(region.membership().threshold, theirs.t, TOLERANCE));
        for (log_chi, chi) in region.centrality().iter().zip(&theirs.chi) {
            prop_assert!(is_near(log_chi.exp2(), *chi, TOLERANCE));
        }
    }
    Ok(())
}

fn same_decision(reference: &Reference, ours: &Decision, theirs: &Scored) -> Result<(), TestCaseError> {
    let spread = reference.regions.iter().map(|r| r.t).fold(theirs.t, f64::min);
    if spread < NO_SPREAD {
        prop_assert!((0.0..=1.0).contains(&ours.membership) && ours.score.is_finite());
        return Ok(());
    }
    let (a, b) = (ours.membership, theirs.membership);
    prop_assert!(is_near(a, b, TOLERANCE), "membership {}, reference {}", a, b);
    if (theirs.diff - theirs.t).abs() > TOLERANCE {
        prop_assert_eq!(ours.accepted, theirs.accepted);
    }
    Ok(())
}

fn same_decisions<X: SampleSet>(
    model: &Model<X>,
    reference: &Reference,
    samples: &X,
    rows: &[Vec<f64>],
) -> Result<(), TestCaseError> {
    let exact = model.decide_with(samples, Scoring::Exact, &Silent).expect("decisions");
    let fast = model.decide_with(samples, Scoring::Fast, &Silent).expect("decisions");
    for (i, row) in rows.iter().enumerate() {
        same_decision(reference, &exact[i], &reference.exact(row))?;
        same_decision(reference, &fast[i], &reference.fast(row))?;
    }
    Ok(())
}

/// Points on the line at 0, 1, …, 8, including both ends: the largest distance is 8.
fn on_a_line() -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(0..=8_u8, 1..39).prop_map(|inner| {
        let ends = [0, 8];
        ends.iter().chain(&inner).map(|&x| vec![f64::from(x)]).collect()
    })
}

/// A symmetric matrix of integers in 0..=8 that contains an 8; not a metric.
fn any_matrix() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (3..40_usize).prop_flat_map(|n| {
        prop::collection::vec(0..=8_u8, n * (n - 1) / 2).prop_map(move |values| {
            let mut matrix = vec![vec![0.0; n]; n];
            let mut values = values.into_iter();
            for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let value = if (i, j) == (1, 0) { 8.0 } else { values.next().map_or(0.0, f64::from) };
                matrix[i][j] = value;
                matrix[j][i] = value;
            }
            matrix
        })
    })
}

fn flat(rows: &[Vec<f64>]) -> Matrix {
    Matrix::new(rows.concat(), rows.len(), rows[0].len())
}

proptest! {
    #![proptest_config(crate::support::cases(300))]

    #[test]
    fn points_on_a_line(rows in on_a_line()) {
        let model = fitted(paper(), &vectors(&rows), Minkowski::euclidean());
        let reference = Reference::fit(&rows, &[1.0], 0.5, 50.0);
        same_model(&model, &reference)?;
        let tests: Vec<Vec<f64>> = (-2..=22).map(|i| vec![f64::from(i) * 0.5]).collect();
        same_decisions(&model, &reference, &vectors(&tests), &tests)?;
    }

    /// Sample 0 is far from the rest and a prototype, so that `c` over the pairs with a prototype is `c` over all.
    #[test]
    fn subsets_of_prototypes(inner in prop::collection::vec(prop::array::uniform2(0..=4_u8), 2..39), m in 1..12_usize) {
        let mut rows = vec![vec![-5.0, -5.0]];
        rows.extend(inner.iter().map(|p| p.map(f64::from).to_vec()));
        let strategy = Prototypes::FarthestFirst(m);
        let model = fitted(paper().representation(Representation::Prototypes(strategy)), &vectors(&rows), Minkowski::euclidean());
        let mut d = Minkowski::euclidean();
        let samples: Vectors = vectors(&rows);
        d.learn(&samples.refs(), &[]).expect("learned");
        let chosen = strategy.select(&samples.refs(), &d, 0);
        let reference = Reference::fit_with_prototypes(&rows, &[1.0, 1.0], &chosen, 0.5, 50.0);
        prop_assert_eq!(model.bound().to_bits(), reference.c.to_bits());
        same_model(&model, &reference)?;
        let tests: Vec<Vec<f64>> = (0..20).map(|i| vec![f64::from(i % 5) * 0.75, f64::from(i / 5)]).collect();
        same_decisions(&model, &reference, &vectors(&tests), &tests)?;
    }

    #[test]
    fn precomputed_matrices(matrix in any_matrix(), tests in prop::collection::vec(prop::collection::vec(0..=9_u8, 40), 8)) {
        let n = matrix.len();
        let model = fitted(paper(), &Precomputed::square(flat(&matrix)).expect("a matrix"), PrecomputedLookup);
        let reference = Reference::fit_matrix(&matrix, 0.5, 50.0);
        same_model(&model, &reference)?;
        let rows: Vec<Vec<f64>> = tests.iter().map(|t| t[..n].iter().copied().map(f64::from).collect()).collect();
        same_decisions(&model, &reference, &Precomputed::rectangular(flat(&rows)).expect("rows"), &rows)?;
    }

    /// The exact join itself, on any lengths: closeness, difference and threshold of the newcomer.
    #[test]
    fn a_newcomer_joins(matrix in any_matrix(), to in prop::collection::vec(0..=9_u8, 40), k in 1..8_usize, l in 0..=4_u8) {
        let n = matrix.len();
        let k = k.min(n - 1);
        let l = 25.0 * f64::from(l);
        // Quarters, so that paths of several edges matter.
        let distances: Vec<Vec<f64>> = matrix.iter().map(|row| row.iter().map(|d| 0.25 * d).collect()).collect();
        let to: Vec<f64> = to[..n].iter().map(|&d| 0.25 * f64::from(d)).collect();
        let lists = knn::lists(&distances, k);
        let neighbors = lists.iter().flatten().map(|&j| j as u32).collect();
        let lengths = lists.iter().enumerate().flat_map(|(i, list)| list.iter().map(move |&j| (i, j)));
        let lengths = lengths.map(|(i, j)| distances[i][j]).collect();
        let near: Vec<(u32, f64)> = (0..).zip(to.iter().copied()).collect();
        let ours = rejoin(&RegionGraph::new(KnnLists::new(neighbors, lengths, k)), &near, l, Scale::Linear);

        let mut joined = distances.clone();
        joined.iter_mut().zip(&to).for_each(|(row, &d)| row.push(d));
        joined.push(to.iter().copied().chain([0.0]).collect());
        let theirs = Region::new(&joined, k, l);
        prop_assert!(is_near(ours.log_chi.exp2(), theirs.chi[n], TOLERANCE));
        prop_assert!(is_near(ours.largest, theirs.chi_star, TOLERANCE));
        prop_assert!(is_near(ours.difference, theirs.differences[n], TOLERANCE));
        prop_assert!(is_near(ours.threshold, theirs.t, TOLERANCE), "{} {}", ours.threshold, theirs.t);
    }
}
