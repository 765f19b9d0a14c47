//! The first two principal components, for pictures of high-dimensional data.

/// Power iterations at most; what has not settled by then lies between two nearly equal directions, of which either
/// would do for a picture.
const ITERATIONS: usize = 1000;

/// The coordinates of every row along the two directions of largest variance, centred.
///
/// By power iteration on the covariance, which is never formed. The sign of a direction is such that its coefficient
/// of largest size is positive, so that the picture of a data set never comes out mirrored. A direction without
/// variance gives zeros.
///
/// # Panics
/// If rows differ in length.
pub fn first_two_components(rows: &[Vec<f64>]) -> Vec<[f64; 2]> {
    let Some(dimension) = rows.first().map(Vec::len) else { return Vec::new() };
    assert!(rows.iter().all(|row| row.len() == dimension), "rows differ in length");
    let centred = centred(rows, dimension);
    let first = direction(&centred, dimension, None);
    let second = direction(&centred, dimension, Some(&first));
    centred.iter().map(|row| [dot(row, &first), dot(row, &second)]).collect()
}

fn centred(rows: &[Vec<f64>], dimension: usize) -> Vec<Vec<f64>> {
    let mut mean = vec![0.0; dimension];
    for row in rows {
        for (m, x) in mean.iter_mut().zip(row) {
            *m += x / rows.len() as f64;
        }
    }
    rows.iter().map(|row| row.iter().zip(&mean).map(|(x, m)| x - m).collect()).collect()
}

/// The direction of largest variance, orthogonal to `found`; zeros where no variance is left.
fn direction(centred: &[Vec<f64>], dimension: usize, found: Option<&[f64]>) -> Vec<f64> {
    let mut v = start(dimension);
    let total: f64 = centred.iter().map(|row| dot(row, row)).sum();
    for _ in 0..ITERATIONS {
        let mut next = vec![0.0; dimension];
        for row in centred {
            let along = dot(row, &v);
            for (n, x) in next.iter_mut().zip(row) {
                *n += along * x;
            }
        }
        if let Some(found) = found {
            let along = dot(&next, found);
            for (n, f) in next.iter_mut().zip(found) {
                *n -= along * f;
            }
        }
        let length = dot(&next, &next).sqrt();
        // Nothing but rounding is left.
        if length.is_nan() || length <= 1e-12 * total {
            return vec![0.0; dimension];
        }
        for n in &mut next {
            *n /= length;
        }
        let moved: f64 = v.iter().zip(&next).map(|(a, b)| (a - b) * (a - b)).sum();
        v = next;
        if moved < 1e-24 {
            break;
        }
    }
    upright(v)
}

/// A unit vector in no special direction: on a round one the iteration could stand still.
fn start(dimension: usize) -> Vec<f64> {
    let mut v: Vec<f64> = (0..dimension).map(|i| 1.0 + 0.5 * (1.0 + 1.7 * i as f64).sin()).collect();
    let length = dot(&v, &v).sqrt();
    for x in &mut v {
        *x /= length;
    }
    v
}

/// The vector or its opposite, whichever has its coefficient of largest size positive (the first of equals).
fn upright(mut v: Vec<f64>) -> Vec<f64> {
    let mut largest = 0.0_f64;
    for &x in &v {
        // Sizes that differ by rounding only count as equal.
        if x.abs() > largest.abs() * (1.0 + 1e-9) {
            largest = x;
        }
    }
    if largest < 0.0 {
        for x in &mut v {
            *x = -*x;
        }
    }
    v
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_ellipse_by_hand() {
        // Variance 8 along (1, 1) / sqrt 2, variance 2 along (1, -1) / sqrt 2.
        let rows = [vec![2.0, 2.0], vec![-2.0, -2.0], vec![1.0, -1.0], vec![-1.0, 1.0]];
        let components = first_two_components(&rows);
        let expected =
            [[8_f64.sqrt(), 0.0], [-(8_f64.sqrt()), 0.0], [0.0, 2_f64.sqrt()], [0.0, -(2_f64.sqrt())]];
        for (a, b) in components.iter().zip(expected) {
            assert!((a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-9, "{components:?}");
        }
    }

    #[test]
    fn degenerate_rows_give_zeros() {
        assert!(first_two_components(&[]).is_empty());
        assert_eq!(first_two_components(&[vec![3.0, 4.0]]), [[0.0, 0.0]]);
        assert_eq!(first_two_components(&vec![vec![1.0; 5]; 3]), [[0.0, 0.0]; 3]);
        assert_eq!(first_two_components(&vec![vec![]; 2]), [[0.0, 0.0]; 2]);
        // A line has one component only.
        for [_, second] in first_two_components(&[vec![0.0, 0.0], vec![1.0, 2.0], vec![2.0, 4.0]]) {
            assert!(second.abs() < 1e-9);
        }
    }

    #[test]
    fn components_are_uncorrelated_and_ordered() {
        let rows = eocc_oracle::toy::two_in_hundred_dimensions(40, 3);
        let components = first_two_components(&rows);
        let moment = |i: usize, j: usize| components.iter().map(|c| c[i] * c[j]).sum::<f64>() / 80.0;
        assert!(moment(0, 0) > moment(1, 1) && moment(1, 1) > 0.0);
        assert!(moment(0, 1).abs() < 1e-6 * moment(0, 0));
        // The two clouds fall apart along the first.
        let side = components[0][0].signum();
        assert!(components[..40].iter().all(|c| c[0] * side > 0.0));
        assert!(components[40..].iter().all(|c| c[0] * side < 0.0));
    }
}
