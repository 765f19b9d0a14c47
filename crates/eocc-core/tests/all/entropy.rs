//! Estimates compared with closed forms. The error must shrink with `n`: bounds are given for several `n`.

use eocc_core::Matrix;
use eocc_core::divergence::{alpha_divergence, alpha_mutual_information};
use eocc_core::entropy::{Constant, RenyiEntropy};
use eocc_core::jensen::jensen_difference;
use eocc_core::partition::Partition;
use eocc_core::random::Random;
use eocc_core::stats::ln_gamma;

const CALIBRATED: Constant = Constant::Calibrated { cubes: 4 };

fn points(n: usize, m: usize, seed: u64, mut draw: impl FnMut(&mut Random) -> f64) -> Matrix {
    let mut random = Random::new(seed);
    Matrix::new((0..n * m).map(|_| draw(&mut random)).collect(), n, m)
}

fn cube(n: usize, m: usize, seed: u64) -> Matrix {
    points(n, m, seed, Random::uniform)
}

fn gaussian(n: usize, m: usize, seed: u64) -> Matrix {
    points(n, m, seed, Random::normal)
}

/// The mean of an estimate over five seeds.
fn mean(estimate: impl Fn(u64) -> f64) -> f64 {
    (1..=5).map(estimate).sum::<f64>() / 5.0
}

/// `H = (m / 2) ln(2 pi) - m ln(alpha) / (2 (1 - alpha))` of a standard Gaussian, from
/// `integral f^alpha = (2 pi)^(m (1 - alpha) / 2) alpha^(-m / 2)`.
fn gaussian_entropy(m: usize, alpha: f64) -> f64 {
    let m = m as f64;
    0.5 * m * std::f64::consts::TAU.ln() - 0.5 * m * alpha.ln() / (1.0 - alpha)
}

/// Checks that `error(n)` is within `bound` for each pair `(n, bound)`.
fn shrinks(what: &str, bounds: &[(usize, f64)], error: impl Fn(usize) -> f64) {
    for &(n, bound) in bounds {
        let error = error(n);
        assert!(error.abs() <= bound, "{what}: the error is {error} for {n} points, but may be {bound}");
    }
}

#[test]
fn a_uniform_cube_has_entropy_zero() {
    for (m, k) in [(1, 1), (2, 3), (3, 5)] {
        let h = RenyiEntropy::new(0.5, m, CALIBRATED).unwrap();
        // Points at the border have fewer neighbors: a share of about n^(-1/m).
        let bound = |n: usize| (n, 2.0 * (n as f64).powf(-1.0 / m as f64) + 2.0 * (n as f64).powf(-0.5));
        shrinks("kNN", &[200, 1000, 4000].map(bound), |n| {
            mean(|seed| h.of_points(&cube(n, m, seed), k).unwrap())
        });
    }
    // The constant of the tree comes from other cubes: what remains is the variation between cubes.
    let h = RenyiEntropy::new(0.5, 2, CALIBRATED).unwrap();
    shrinks("tree", &[(200, 0.08), (1000, 0.04)], |n| mean(|seed| h.of_tree(&cube(n, 2, seed)).unwrap()));
}

#[test]
fn a_cube_of_side_s_has_entropy_m_ln_s() {
    let h = RenyiEntropy::new(0.7, 2, CALIBRATED).unwrap();
    let small = cube(500, 2, 1);
    let large = Matrix::new(small.values().iter().map(|x| 3.0 * x).collect(), 500, 2);
    let grown = h.of_points(&large, 4).unwrap() - h.of_points(&small, 4).unwrap();
    assert!((grown - 2.0 * 3.0_f64.ln()).abs() < 1e-9, "{grown}");
    let grown = h.of_tree(&large).unwrap() - h.of_tree(&small).unwrap();
    assert!((grown - 2.0 * 3.0_f64.ln()).abs() < 1e-9, "{grown}");
}

#[test]
fn a_gaussian_has_the_entropy_of_its_closed_form() {
    for (m, alpha) in [(1, 0.5), (2, 0.5), (2, 0.8)] {
        let h = RenyiEntropy::new(alpha, m, CALIBRATED).unwrap();
        let want = gaussian_entropy(m, alpha);
        shrinks("kNN", &[(200, 0.35), (1000, 0.2), (4000, 0.12)], |n| {
            mean(|seed| h.of_points(&gaussian(n, m, seed), 4).unwrap()) - want
        });
    }
    let h = RenyiEntropy::new(0.5, 2, CALIBRATED).unwrap();
    shrinks("tree", &[(200, 0.4), (1000, 0.2)], |n| {
        mean(|seed| h.of_tree(&gaussian(n, 2, seed)).unwrap()) - gaussian_entropy(2, 0.5)
    });
}

/// Half of the points in one cube, half in another, moved by `shift`.
fn two_cubes(n: usize, seed: u64, shift: f64) -> (Matrix, Partition) {
    let mut points = cube(n, 2, seed);
    for i in n / 2..n {
        points.row_mut(i)[0] += shift;
    }
    let labels: Vec<u32> = (0..n).map(|i| u32::from(i >= n / 2)).collect();
    (points, Partition::from_labels(&labels))
}

#[test]
fn jensen_of_far_cubes_is_ln_2_and_of_equal_densities_0() {
    let jensen = |n: usize, shift: f64| {
        mean(|seed| {
            let (points, partition) = two_cubes(n, seed, shift);
            jensen_difference(&points, &partition, 0.5, 4).unwrap()
        })
    };
    // Uniform on twice the volume: H = ln 2, and both parts have 0.
    shrinks("far", &[(200, 0.05), (1000, 0.02), (4000, 0.01)], |n| jensen(n, 100.0) - 2.0_f64.ln());
    shrinks("equal", &[(200, 0.12), (1000, 0.06), (4000, 0.03)], |n| jensen(n, 0.0));
}

#[test]
fn divergence_of_shifted_gaussians_is_half_alpha_times_the_squared_shift() {
    for (alpha, shift) in [(0.5, 1.0), (0.8, 1.0), (0.5, 0.0)] {
        let want = 0.5 * alpha * shift * shift;
        shrinks("divergence", &[(500, 0.12), (4000, 0.06)], |n| {
            mean(|seed| {
                let mut q = gaussian(n, 2, seed + 100);
                for i in 0..n {
                    q.row_mut(i)[0] += shift;
                }
                alpha_divergence(&gaussian(n, 2, seed), &q, alpha, 10).unwrap()
            }) - want
        });
    }
}

/// For Gaussians with different covariances and samples of different sizes: swapping them, or omitting the bias term
/// or the ratio of the sizes, changes the estimate by more than the tolerance.
#[test]
fn divergence_of_unequal_gaussians_knows_which_is_which() {
    for (alpha, sigma) in [(0.8, 2.0), (0.7, 2.5)] {
        let (alpha, sigma): (f64, f64) = (alpha, sigma);
        // For N(0, I) from N(0, sigma^2 I) in two dimensions, from the integral of the product of powers of the
        // densities.
        let between = alpha * sigma * sigma + 1.0 - alpha;
        let want = 2.0 * (sigma.ln() + (sigma * sigma / between).ln() / (2.0 * (alpha - 1.0)));
        let reverse = 1.0 / sigma;
        let back = alpha * reverse * reverse + 1.0 - alpha;
        let exchanged = 2.0 * (reverse.ln() + (reverse * reverse / back).ln() / (2.0 * (alpha - 1.0)));
        let error = mean(|seed| {
            let mut q = gaussian(1500, 2, seed + 100);
            q.values_mut().iter_mut().for_each(|v| *v *= sigma);
            alpha_divergence(&gaussian(4000, 2, seed), &q, alpha, 2).unwrap()
        }) - want;
        // With k = 2 the bias is large: its logarithm over alpha - 1.
        let (tolerance, bias) = (0.05, 2.0 * ln_gamma(2.0) - ln_gamma(3.0 - alpha) - ln_gamma(1.0 + alpha));
        assert!(error.abs() < tolerance, "alpha {alpha}, sigma {sigma}: off by {error}");
        assert!((exchanged - want).abs() > 2.0 * tolerance, "{exchanged} {want}");
        assert!((bias / (alpha - 1.0)).abs() > 2.0 * tolerance, "{bias}");
    }
}

#[test]
fn mutual_information_of_a_correlated_pair_has_its_closed_form() {
    for (alpha, rho) in [(0.5, 0.0), (0.5, 0.6), (0.8, 0.8)] {
        let rho: f64 = rho;
        let a: f64 = 1.0 - alpha;
        // The divergence of N(0, [[1, rho], [rho, 1]]) from N(0, I), from the integral of a product of Gaussians.
        let want = ((1.0 - a * a * rho * rho) / (1.0 - rho * rho).powf(a)).ln() / (2.0 * a);
        shrinks("information", &[(500, 0.15), (4000, 0.08)], |n| {
            mean(|seed| {
                let mut pair = gaussian(n, 2, seed);
                for i in 0..n {
                    let row = pair.row_mut(i);
                    row[1] = rho * row[0] + (1.0 - rho * rho).sqrt() * row[1];
                }
                alpha_mutual_information(&pair, alpha, 10, seed).unwrap()
            }) - want
        });
    }
}
