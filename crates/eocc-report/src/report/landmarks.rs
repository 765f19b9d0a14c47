//! Landmark scaling: two coordinates from dissimilarities to some samples (V. de Silva, J. B. Tenenbaum, "Sparse
//! multidimensional scaling using landmark points", 2004).
//!
//! For the landmarks it is classical scaling; with Euclidean distances to all samples, it gives the principal
//! components.

use eocc_core::Matrix;
use eocc_core::linear::{symmetric_eigen, upright};

/// Computes the position of a sample from its dissimilarities to the landmarks.
#[derive(Debug, Clone)]
pub(super) struct Scaling {
    /// Mean squared dissimilarity of each landmark to all of them.
    means: Vec<f64>,
    /// For each of two coordinates, the weight of each landmark; zeros if there is no second direction.
    directions: [Vec<f64>; 2],
}

impl Scaling {
    /// From the dissimilarities among `m` landmarks, row by row.
    pub(super) fn new(among: &[f64], m: usize) -> Self {
        let square = |i: usize, j: usize| {
            let d = 0.5 * (among[i * m + j] + among[j * m + i]);
            if d.is_finite() { d * d } else { 0.0 }
        };
        let means: Vec<f64> = (0..m).map(|i| (0..m).map(|j| square(i, j)).sum::<f64>() / m as f64).collect();
        let whole = means.iter().sum::<f64>() / m as f64;
        let gram = |i: usize, j: usize| -0.5 * (square(i, j) - means[i] - means[j] + whole);
        let matrix = Matrix::new((0..m * m).map(|at| gram(at / m, at % m)).collect(), m, m);
        let (values, vectors) = symmetric_eigen(matrix);
        let largest = values.first().copied().unwrap_or(0.0);
        let direction = |rank: usize| match values.get(rank) {
            Some(&value) if value > 1e-9 * largest && value > 0.0 => {
                let root = value.sqrt();
                // With a fixed sign, so that no picture comes out mirrored.
                upright(vectors.row(rank).to_vec()).into_iter().map(|v| -0.5 * v / root).collect()
            }
            _ => vec![0.0; m],
        };
        Self { means, directions: [direction(0), direction(1)] }
    }

    /// The position of a sample, given its dissimilarities to the landmarks.
    pub(super) fn project(&self, to: &[f64]) -> [f64; 2] {
        let along = |direction: &[f64]| {
            let terms = direction.iter().zip(to).zip(&self.means);
            terms.map(|((v, d), mean)| v * (d * d - mean)).sum::<f64>()
        };
        [along(&self.directions[0]), along(&self.directions[1])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
        (a[0] - b[0]).hypot(a[1] - b[1])
    }

    #[test]
    fn distances_in_the_plane_come_back() {
        let points: Vec<[f64; 2]> =
            (0..30).map(f64::from).map(|x| [(x * 1.7).sin() * 3.0, (x * 0.9).cos()]).collect();
        let m = 12;
        let among: Vec<f64> = (0..m * m).map(|at| distance(points[at / m], points[at % m])).collect();
        let scaling = Scaling::new(&among, m);
        let place = |p: &[f64; 2]| {
            let to: Vec<f64> = points[..m].iter().map(|l| distance(*p, *l)).collect();
            scaling.project(&to)
        };
        let places: Vec<[f64; 2]> = points.iter().map(place).collect();
        for (i, a) in points.iter().enumerate() {
            for (j, b) in points.iter().enumerate() {
                assert!((distance(*a, *b) - distance(places[i], places[j])).abs() < 1e-9, "{i} {j}");
            }
        }
    }

    #[test]
    fn equal_samples_and_invalid_distances() {
        let is_zero = |place: [f64; 2]| place.iter().all(|x| x.abs() < 1e-15);
        assert!(is_zero(Scaling::new(&[0.0; 9], 3).project(&[0.0; 3])));
        assert!(is_zero(Scaling::new(&[0.0], 1).project(&[2.0])));
        // On a line there is no second direction.
        let scaling = Scaling::new(&[0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0], 3);
        assert!(scaling.project(&[3.0, 2.0, 1.0])[1].abs() < 1e-6);
        // Violates the triangle inequality: the results are still numbers.
        let place = Scaling::new(&[0.0, 9.0, 1.0, 9.0, 0.0, 1.0, 1.0, 1.0, 0.0], 3).project(&[1.0, 2.0, 3.0]);
        assert!(place.iter().all(|x| x.is_finite()));
    }
}
