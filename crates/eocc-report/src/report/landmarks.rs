//! Landmark scaling: two coordinates from dissimilarities to some samples (V. de Silva, J. B. Tenenbaum, "Sparse
//! multidimensional scaling using landmark points", 2004).
//!
//! Of the landmarks it is classical scaling; of Euclidean distances to all samples these are their principal components.

/// Rotations of the matrix, all pairs in turn, so many times at most; it is diagonal long before.
const SWEEPS: usize = 30;

/// What places a sample by its dissimilarities to the landmarks.
#[derive(Debug, Clone)]
pub(super) struct Scaling {
    /// Mean squared dissimilarity of each landmark to all of them.
    means: Vec<f64>,
    /// For each of two coordinates, what each landmark counts; zeros where there is no second direction.
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
        let matrix: Vec<f64> = (0..m * m).map(|at| gram(at / m, at % m)).collect();
        let (values, vectors) = eigen(matrix, m);
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
        let largest = order.first().map_or(0.0, |&i| values[i]);
        let direction = |rank: usize| {
            let found = order.get(rank).copied().filter(|&i| values[i] > 1e-9 * largest && values[i] > 0.0);
            found.map_or_else(
                || vec![0.0; m],
                |i| {
                    let own: Vec<f64> = (0..m).map(|row| vectors[row * m + i]).collect();
                    let root = values[i].sqrt();
                    upright(own).into_iter().map(|v| -0.5 * v / root).collect()
                },
            )
        };
        Self { means, directions: [direction(0), direction(1)] }
    }

    /// The place of a sample, by its dissimilarities to the landmarks.
    pub(super) fn place(&self, to: &[f64]) -> [f64; 2] {
        let along = |direction: &[f64]| {
            let terms = direction.iter().zip(to).zip(&self.means);
            terms.map(|((v, d), mean)| v * (d * d - mean)).sum::<f64>()
        };
        [along(&self.directions[0]), along(&self.directions[1])]
    }
}

/// The vector or its opposite, whichever has its entry of largest size positive, so that no picture comes out mirrored.
fn upright(v: Vec<f64>) -> Vec<f64> {
    let largest =
        v.iter().copied().fold(0.0_f64, |a, b| if b.abs() > a.abs() * (1.0 + 1e-9) { b } else { a });
    if largest < 0.0 { v.into_iter().map(|x| -x).collect() } else { v }
}

/// Eigenvalues of a symmetric matrix and, column by column, its eigenvectors, by Jacobi's rotations.
fn eigen(mut a: Vec<f64>, m: usize) -> (Vec<f64>, Vec<f64>) {
    let mut v: Vec<f64> = (0..m * m).map(|at| f64::from(u8::from(at / m == at % m))).collect();
    let size: f64 = a.iter().map(|x| x * x).sum();
    for _ in 0..SWEEPS {
        let off: f64 = (0..m * m).filter(|at| at / m != at % m).map(|at| a[at] * a[at]).sum();
        if off <= 1e-22 * size {
            break;
        }
        for p in 0..m {
            for q in p + 1..m {
                rotate(&mut a, &mut v, m, p, q);
            }
        }
    }
    ((0..m).map(|i| a[i * m + i]).collect(), v)
}

/// Makes the entry `p, q` zero.
fn rotate(a: &mut [f64], v: &mut [f64], m: usize, p: usize, q: usize) {
    let apq = a[p * m + q];
    if apq.abs() < 1e-300 {
        return;
    }
    let theta = (a[q * m + q] - a[p * m + p]) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..m {
        let (x, y) = (a[k * m + p], a[k * m + q]);
        a[k * m + p] = c * x - s * y;
        a[k * m + q] = s * x + c * y;
    }
    for k in 0..m {
        let (x, y) = (a[p * m + k], a[q * m + k]);
        a[p * m + k] = c * x - s * y;
        a[q * m + k] = s * x + c * y;
        let (x, y) = (v[k * m + p], v[k * m + q]);
        v[k * m + p] = c * x - s * y;
        v[k * m + q] = s * x + c * y;
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
            scaling.place(&to)
        };
        let places: Vec<[f64; 2]> = points.iter().map(place).collect();
        for (i, a) in points.iter().enumerate() {
            for (j, b) in points.iter().enumerate() {
                assert!((distance(*a, *b) - distance(places[i], places[j])).abs() < 1e-9, "{i} {j}");
            }
        }
    }

    #[test]
    fn equal_samples_and_what_is_no_distance() {
        let is_zero = |place: [f64; 2]| place.iter().all(|x| x.abs() < 1e-15);
        assert!(is_zero(Scaling::new(&[0.0; 9], 3).place(&[0.0; 3])));
        assert!(is_zero(Scaling::new(&[0.0], 1).place(&[2.0])));
        // On a line there is no second direction.
        let scaling = Scaling::new(&[0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0], 3);
        assert!(scaling.place(&[3.0, 2.0, 1.0])[1].abs() < 1e-6);
        // Breaks the triangle inequality: still numbers.
        let place = Scaling::new(&[0.0, 9.0, 1.0, 9.0, 0.0, 1.0, 1.0, 1.0, 0.0], 3).place(&[1.0, 2.0, 3.0]);
        assert!(place.iter().all(|x| x.is_finite()));
    }
}
