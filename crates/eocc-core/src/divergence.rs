//! Rényi alpha-divergence and alpha-mutual information from nearest neighbors [LA17, eq. 3 and sec. II-B].
//!
//! `D(f || q) = log(integral f^alpha q^(1 - alpha)) / (alpha - 1)`. The integral is the mean over samples of `f` of
//! `(q / f)^(1 - alpha)`, and both densities are estimated by the distance to the `k`-th neighbor; the known bias
//! of such a ratio is divided out (Póczos and Schneider, AISTATS 2011). The entropies of a spanning graph do not
//! give the divergence without knowing `q`, so this estimator is separate from them.

use crate::error::{Error, Result};
use crate::kernel;
use crate::knn::nearest_of_points;
use crate::matrix::Matrix;
use crate::parallel;
use crate::random::Random;
use crate::select::nearest;
use crate::stats::{ln_gamma, log_sum_exp};

/// `D_alpha(f || q)` in nats from samples of `f` and of `q`. Estimation errors may make it negative.
pub fn alpha_divergence(f: &Matrix, q: &Matrix, alpha: f64, k: usize) -> Result<f64> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(Error::parameter("alpha", alpha, "in (0, 1)"));
    }
    if f.columns() != q.columns() || f.columns() == 0 {
        return Err(Error::input(format!(
            "the samples have {} and {} features, but must have the same number",
            f.columns(),
            q.columns()
        )));
    }
    let most = f.rows().saturating_sub(1).min(q.rows());
    if k == 0 || k > most {
        return Err(Error::parameter("neighbors", k, format!("in 1..={most} for these samples")));
    }
    let (n, m) = (f.rows() as f64, f.columns() as f64);
    let own = nearest_of_points(f, k);
    let other: Vec<f64> = parallel::map_with(f.rows(), 8, &|| vec![0.0; q.rows()], &|row, i| {
        kernel::euclidean_to_rows(f.row(i), q.values(), row);
        nearest(row, k, None)[k - 1].1
    });
    let kf = k as f64;
    let log_bias = 2.0 * ln_gamma(kf) - ln_gamma(kf - alpha + 1.0) - ln_gamma(kf + alpha - 1.0);
    let tiny = f64::MIN_POSITIVE;
    let terms: Vec<f64> = (0..f.rows())
        .map(|i| {
            let (rho, nu) = (own.lengths(i, k)[k - 1].max(tiny), other[i].max(tiny));
            (1.0 - alpha) * (((n - 1.0) / q.rows() as f64).ln() + m * (rho.ln() - nu.ln()))
        })
        .collect();
    let log_integral = log_sum_exp(terms.into_iter()) - n.ln() + log_bias;
    Ok(log_integral / (alpha - 1.0))
}

/// The alpha-mutual information between the features: the divergence of their joint density from the product of their
/// marginals, sampled by shuffling each feature independently.
pub fn alpha_mutual_information(points: &Matrix, alpha: f64, k: usize, seed: u64) -> Result<f64> {
    let mut product = points.clone();
    let n = points.rows();
    for column in 1..points.columns() {
        let mut order: Vec<usize> = (0..n).collect();
        Random::stream(seed, column as u64).shuffle(&mut order);
        for (i, &j) in order.iter().enumerate() {
            product.row_mut(i)[column] = points.row(j)[column];
        }
    }
    alpha_divergence(points, &product, alpha, k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named() {
        let a = Matrix::zeros(5, 2);
        assert!(alpha_divergence(&a, &a, 0.0, 1).is_err());
        assert!(alpha_divergence(&a, &Matrix::zeros(5, 3), 0.5, 1).is_err());
        let e = alpha_divergence(&a, &Matrix::zeros(3, 2), 0.5, 4).unwrap_err();
        assert_eq!(e.to_string(), "neighbors is 4, but must be in 1..=3 for these samples");
    }
}
