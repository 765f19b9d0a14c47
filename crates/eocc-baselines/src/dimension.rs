//! The dimension of samples without features.

use eocc_core::Matrix;
use eocc_core::knn::nearest;

/// Neighbors used for the estimate.
const NEIGHBORS: usize = 10;

/// The intrinsic dimension of samples known by their dissimilarities, by maximum likelihood: `1 / m = mean over i and
/// j < k of log(d_k(i) / d_j(i))`, where `d_j(i)` is the distance to the `j`-th neighbor (E. Levina, P. Bickel, NIPS
/// 2004; the inverses are averaged, which is less biased). At least 1; zero distances are ignored.
pub fn intrinsic_dimension(square: &Matrix) -> f64 {
    let n = square.rows();
    let (mut sum, mut count) = (0.0, 0.0);
    for i in 0..n {
        let found = nearest(square.row(i), NEIGHBORS.min(n - 1), Some(i));
        let Some(&(_, last)) = found.last() else { continue };
        for &(_, d) in &found[..found.len() - 1] {
            if d > 0.0 {
                sum += (last / d).ln();
                count += 1.0;
            }
        }
    }
    if sum > 0.0 { (count / sum).max(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_core::random::Random;

    #[test]
    fn flat_squares_and_cubes_have_their_dimension() {
        for dimension in [1, 2, 3] {
            let mut r = Random::new(5);
            let points: Vec<Vec<f64>> =
                (0..600).map(|_| (0..dimension).map(|_| r.uniform()).collect()).collect();
            let d = |a: &Vec<f64>, b: &Vec<f64>| {
                a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
            };
            let values = points.iter().flat_map(|a| points.iter().map(|b| d(a, b)).collect::<Vec<_>>());
            let found = intrinsic_dimension(&Matrix::new(values.collect(), 600, 600));
            // Borders and the finite sample bias the estimate by about a tenth.
            assert!((found - f64::from(dimension)).abs() < 0.2 * f64::from(dimension), "{found}");
        }
        assert!((intrinsic_dimension(&Matrix::zeros(5, 5)) - 1.0).abs() < 1e-15);
    }
}
