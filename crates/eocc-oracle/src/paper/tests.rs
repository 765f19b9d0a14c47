//! Models small enough to be computed by hand, and laws that hold for all.

use super::*;
use crate::toy;

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} {b}");
}

/// Three samples at 0, 1 and 2: `c = 2`, rows (0, ½, 1), (½, 0, ½), (1, ½, 0), `K = 1`.
fn three() -> Reference {
    Reference::fit(&[vec![0.0], vec![1.0], vec![2.0]], &[1.0], 0.5, 50.0)
}

#[test]
fn three_samples_match_hand_computation() {
    let model = three();
    close(model.c, 2.0);
    assert_eq!(model.embedding, [[0.0, 0.5, 1.0], [0.5, 0.0, 0.5], [1.0, 0.5, 0.0]]);
    let edge = 0.75_f64.sqrt();
    close(model.distances[0][1], edge);
    close(model.distances[0][2], 2_f64.sqrt());
    assert_eq!((model.k, model.components.as_slice()), (1, [vec![0, 1, 2]].as_slice()));
    assert_eq!(graph::edges(&model.graph()), [(0, 1), (1, 2)]);

    // m = 3, gamma = 3/2, m / gamma = 2; one component, so only the lengths of 2 and of 1 neighbors remain:
    // lists of 1: edge three times; lists of 2: 0-1, 0-2, 1-0, 1-2, 2-1, 2-0.
    let (short, long) = (edge.powf(1.5), 2_f64.sqrt().powf(1.5));
    let jensen = 2.0 * ((4.0 * short + 2.0 * long) / (3.0 * short)).ln();
    close(model.jensen, jensen);
    close(model.eta, 1.0 / (1.0 + jensen));

    let (one, two) = ((-edge).exp2(), (-2.0 * edge).exp2());
    assert_eq!(model.regions.len(), 1);
    close(model.regions[0].chi_star, 2.0 * one);
    // Differences 0, one - two twice: their median is one - two, and exp(-1/2) the membership of both ends.
    close(model.regions[0].t, one - two);
    let memberships = model.training_memberships();
    close(memberships[0], (-0.5_f64).exp());
    close(memberships[1], 1.0);
    close(memberships[2], (-0.5_f64).exp());
    close(model.training_differences()[0], one - two);
}

#[test]
fn a_test_sample_matches_hand_computation() {
    // x = 1 again: the point (½, 0, ½), at distance 0 of vertex 1.
    let model = three();
    assert_eq!(model.embed(&[1.0]), [0.5, 0.0, 0.5]);
    let edge = 0.75_f64.sqrt();
    let (one, two) = ((-edge).exp2(), (-2.0 * edge).exp2());

    // Exact: 1 and x list each other, both 0 and 2 list 1; x reaches them through 1.
    let exact = model.exact(&[1.0]);
    close(exact.chi, 1.0 + 2.0 * one);
    close(exact.chi_star, 1.0 + 2.0 * one);
    close(exact.diff, 0.0);
    // Differences 0, 0 and twice 1 + 2 one - (2 one + two) = 1 - two; the median is half of that.
    close(exact.t, (1.0 - two) / 2.0);
    close(exact.membership, 1.0);
    assert!(exact.accepted);

    // Fast: the same closeness, but chi* and t as trained; more central than all, so the difference is 0.
    let fast = model.fast(&[1.0]);
    close(fast.chi, 1.0 + 2.0 * one);
    close(fast.chi_star, 2.0 * one);
    close(fast.diff, 0.0);
    assert!(fast.accepted);

    // x = 4: the point (2, 3/2, 1), nearest to vertex 2 at distance sqrt(3).
    let far = model.fast(&[4.0]);
    let leap = 3_f64.sqrt();
    let chi = (-leap).exp2() * (1.0 + one + two);
    close(far.chi, chi);
    close(far.diff, 2.0 * one - chi);
    close(far.membership, (-((2.0 * one - chi) / (one - two)).powi(2) / 2.0).exp());
    assert!(!far.accepted);
}

#[test]
fn precomputed_dissimilarities_are_the_same_model() {
    let samples = toy::three_blobs(12, 4);
    let weights = [1.0, 0.3];
    let matrix = input::weighted_matrix(&samples, &weights);
    for prototypes in [(0..36).collect::<Vec<_>>(), vec![30, 3, 17, 8, 25]] {
        let a = Reference::fit_with_prototypes(&samples, &weights, &prototypes, 0.5, 50.0);
        let b = Reference::fit_matrix_with_prototypes(&matrix, &prototypes, 0.5, 50.0);
        assert_eq!((a.embedding.clone(), a.k, a.trace.clone()), (b.embedding.clone(), b.k, b.trace.clone()));
        assert_eq!(a.embedding[0].len(), prototypes.len());
        let x = [2.0, 3.0];
        let row: Vec<f64> = prototypes.iter().map(|&r| input::weighted(&x, &samples[r], &weights)).collect();
        assert_eq!(a.exact(&x), b.exact(&row));
        assert_eq!(a.fast(&x), b.fast(&row));
    }
}

#[test]
fn every_component_has_more_than_k_vertices_and_memberships_lie_in_the_unit_interval() {
    for seed in 0..5 {
        let model = Reference::fit(&toy::three_blobs(15, seed), &[1.0, 1.0], 0.5, 50.0);
        assert!(model.components.iter().all(|component| component.len() > model.k));
        assert!(model.training_memberships().iter().all(|mu| (0.0..=1.0).contains(mu)));
        for x in [[0.0, 0.0], [5.0, 3.0], [100.0, -40.0]] {
            assert_eq!(model.exact_from_points(&x), model.exact(&x));
            for scored in [model.exact(&x), model.fast(&x)] {
                assert!(scored.memberships.iter().all(|mu| (0.0..=1.0).contains(mu)));
                assert_eq!(scored.memberships.len(), model.components.len());
                assert!(scored.diff >= 0.0 && scored.t >= 0.0);
            }
        }
    }
}

#[test]
fn the_unit_of_measurement_does_not_matter() {
    // A power of two, so that not even the rounding differs.
    let samples = toy::uniform_square(40, 9);
    let scaled: Vec<Vec<f64>> = samples.iter().map(|x| x.iter().map(|v| 1024.0 * v).collect()).collect();
    let (a, b) =
        (Reference::fit(&samples, &[1.0, 1.0], 0.5, 50.0), Reference::fit(&scaled, &[1.0, 1.0], 0.5, 50.0));
    assert_eq!(a.trace, b.trace);
    assert_eq!(a.exact(&[0.25, 0.5]), b.exact(&[256.0, 512.0]));
}

#[test]
fn equal_samples_and_few_samples() {
    let model = Reference::fit(&vec![vec![2.0, 3.0]; 6], &[1.0, 1.0], 0.5, 50.0);
    close(model.c, 1.0);
    assert_eq!(model.training_memberships(), [1.0; 6]);
    assert!(model.exact(&[2.0, 3.0]).accepted);
    assert!(!model.fast(&[9.0, 9.0]).accepted);
}
