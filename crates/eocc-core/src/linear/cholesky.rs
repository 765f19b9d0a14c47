//! Cholesky factors of symmetric matrices, given by their lower triangles, row by row.

use crate::kernel::dot;

/// Solves `L y = values` in place, `L` given by its rows up to the diagonal.
pub fn solve_lower(factor: &[f64], values: &mut [f64]) {
    let mut at = 0;
    for i in 0..values.len() {
        let (before, rest) = values.split_at_mut(i);
        let row = &factor[at..=at + i];
        rest[0] = (rest[0] - dot(&row[..i], before)) / row[i];
        at += i + 1;
    }
}

/// Solves `L' y = values` in place, `L` given by its rows up to the diagonal.
pub fn solve_upper(factor: &[f64], values: &mut [f64]) {
    for i in (0..values.len()).rev() {
        let start = i * (i + 1) / 2;
        let row = &factor[start..=start + i];
        let (before, rest) = values.split_at_mut(i);
        rest[0] /= row[i];
        for (value, l) in before.iter_mut().zip(row) {
            *value -= l * rest[0];
        }
    }
}

/// The Cholesky factor of a matrix given by its lower triangle, row by row; `None` if it is not positive definite.
pub fn cholesky(lower: &[f64], q: usize) -> Option<Vec<f64>> {
    let mut factor: Vec<f64> = Vec::with_capacity(lower.len());
    for i in 0..q {
        let start = i * (i + 1) / 2;
        for j in 0..=i {
            let row = j * (j + 1) / 2;
            let rest = lower[start + j] - dot(&factor[start..start + j], &factor[row..row + j]);
            if i == j && !(rest > 0.0 && rest.is_finite()) {
                return None;
            }
            factor.push(if i == j { rest.sqrt() } else { rest / factor[row + j] });
        }
    }
    Some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_matches_hand_computation() {
        // [[4, 2], [2, 3]] = L L' with L = [[2, 0], [1, sqrt 2]].
        let factor = cholesky(&[4.0, 2.0, 3.0], 2).unwrap();
        for (got, want) in factor.iter().zip([2.0, 1.0, 2.0_f64.sqrt()]) {
            assert!((got - want).abs() < 1e-15);
        }
        assert!(cholesky(&[1.0, 2.0, 1.0], 2).is_none());
    }
}
