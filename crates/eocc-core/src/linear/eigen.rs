//! Eigenvectors of a symmetric matrix: Householder's tridiagonal form, then implicit QL steps, in `O(n^3)` overall.
//!
//! Golub and Van Loan, Matrix Computations, 8.3. The slow twin uses Jacobi rotations, which are simple and a hundred
//! times slower.

use std::sync::{Mutex, PoisonError};

use crate::kernel::dot;
use crate::matrix::Matrix;
use crate::parallel;

/// Steps for one eigenvalue after which it is accepted as is; two or three are typical.
const STEPS: usize = 60;
/// Matrix entries per task.
const GRAIN: usize = 1 << 16;

/// Eigenvalues, largest first, and eigenvectors (rows) of a symmetric matrix.
pub fn symmetric_eigen(a: Matrix) -> (Vec<f64>, Matrix) {
    let n = a.rows();
    eigen(a, n)
}

/// The eigenvalues alone, largest first, in a fraction of the time.
pub fn symmetric_eigenvalues(a: Matrix) -> Vec<f64> {
    eigen(a, 0).0
}

/// Like [`symmetric_eigenvalues`]; `None` if `stop` returns true, which is checked frequently.
pub fn symmetric_eigenvalues_unless(a: Matrix, stop: &dyn Fn() -> bool) -> Option<Vec<f64>> {
    Some(eigen_unless(a, 0, stop)?.0)
}

/// The vector or its negative, whichever makes the entry of largest magnitude positive: the first of ties, allowing
/// for rounding.
pub fn upright(mut v: Vec<f64>) -> Vec<f64> {
    let largest =
        v.iter().fold(0.0_f64, |best, x| if x.abs() > best.abs() * (1.0 + 1e-9) { *x } else { best });
    if largest < 0.0 {
        for x in &mut v {
            *x = -*x;
        }
    }
    v
}

/// Eigenvalues, and the first `width` entries of each eigenvector.
fn eigen(a: Matrix, width: usize) -> (Vec<f64>, Matrix) {
    // It cannot be stopped.
    eigen_unless(a, width, &|| false).unwrap_or_else(|| (Vec::new(), Matrix::zeros(0, width)))
}

fn eigen_unless(a: Matrix, width: usize, stop: &dyn Fn() -> bool) -> Option<(Vec<f64>, Matrix)> {
    let n = a.rows();
    let (mut diagonal, mut off_diagonal, mut vectors) = tridiagonal(a, width, stop)?;
    for l in 0..n {
        for _ in 0..STEPS {
            let negligible = |i: usize| {
                off_diagonal[i].abs() <= f64::EPSILON * (diagonal[i].abs() + diagonal[i + 1].abs())
            };
            let m = (l..n - 1).find(|&i| negligible(i)).unwrap_or(n - 1);
            if m == l {
                break;
            }
            ql_step(&mut diagonal, &mut off_diagonal, &mut vectors, l, m);
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| diagonal[j].total_cmp(&diagonal[i]));
    Some((order.iter().map(|&i| diagonal[i]).collect(), vectors.select_rows(&order)))
}

/// `T = Q^T A Q` as its diagonal and subdiagonal, and the first `width` columns of `Q^T`; `None` if stopped.
///
/// Each step updates the whole remaining matrix and then multiplies it by the next reflection. Both can be done in
/// one pass over each row once the next reflection is known, which only needs its own row to be updated first. So the
/// matrix passes through memory once per step, with its rows divided among all threads.
fn tridiagonal(mut a: Matrix, width: usize, stop: &dyn Fn() -> bool) -> Option<(Vec<f64>, Vec<f64>, Matrix)> {
    let n = a.rows();
    let mut rotation = Matrix::zeros(n, width);
    for i in 0..width {
        rotation.row_mut(i)[i] = 1.0;
    }
    let mut off_diagonal = vec![0.0; n];
    let mut pending = Change::default();
    for k in 0..n.saturating_sub(2) {
        if stop() {
            return None;
        }
        pending.apply(k, k, a.row_mut(k));
        // The reflection that maps the rest of the column to its first entry.
        let mut v: Vec<f64> = a.row(k)[k + 1..].to_vec();
        let norm = dot(&v, &v).sqrt();
        if norm <= 0.0 {
            pending.apply_below(&mut a, k + 1);
            pending = Change::default();
            continue;
        }
        let target = if v[0] > 0.0 { -norm } else { norm };
        v[0] -= target;
        let beta = 2.0 / dot(&v, &v);
        off_diagonal[k] = target;
        let rows = GRAIN.div_ceil(n - k);
        let below = &mut a.values_mut()[(k + 1) * n..];
        let chunks: Vec<Mutex<&mut [f64]>> = below.chunks_mut(rows * n).map(Mutex::new).collect();
        let product = |chunk: usize| -> Vec<f64> {
            let mut chunk_rows = chunks[chunk].lock().unwrap_or_else(PoisonError::into_inner);
            let first = k + 1 + chunk * rows;
            let row = |(i, row): (usize, &mut [f64])| {
                pending.apply(first + i, k + 1, row);
                beta * dot(&row[k + 1..], &v)
            };
            chunk_rows.chunks_mut(n).enumerate().map(row).collect()
        };
        let mut w: Vec<f64> = parallel::map(chunks.len(), 1, &product).concat();
        drop(chunks);
        let half = 0.5 * beta * dot(&w, &v);
        for (w, v) in w.iter_mut().zip(&v) {
            *w -= half * v;
        }
        reflect(&mut rotation, k + 1, &v, beta);
        pending = Change { first: k + 1, v, w };
    }
    pending.apply_below(&mut a, n.saturating_sub(2));
    if n > 1 {
        off_diagonal[n - 2] = a.row(n - 2)[n - 1];
    }
    Some(((0..n).map(|i| a.row(i)[i]).collect(), off_diagonal, rotation))
}

/// `A - v w^T - w v^T`, both from row and column `first` on; no change if they are empty.
#[derive(Default)]
struct Change {
    first: usize,
    v: Vec<f64>,
    w: Vec<f64>,
}

impl Change {
    /// Updates row `i` from this column on.
    fn apply(&self, i: usize, from: usize, row: &mut [f64]) {
        if self.v.is_empty() {
            return;
        }
        let (vi, wi) = (self.v[i - self.first], self.w[i - self.first]);
        let skipped = from - self.first;
        for ((a, v), w) in row[from..].iter_mut().zip(&self.v[skipped..]).zip(&self.w[skipped..]) {
            *a -= vi * w + wi * v;
        }
    }

    /// Updates all rows from this one on.
    fn apply_below(&self, a: &mut Matrix, first: usize) {
        for i in first..a.rows() {
            self.apply(i, first, a.row_mut(i));
        }
    }
}

/// `M - beta v (v^T M)`, `v` from row `first` on.
fn reflect(m: &mut Matrix, first: usize, v: &[f64], beta: f64) {
    let mut along = vec![0.0; m.columns()];
    for (i, v) in v.iter().enumerate() {
        for (s, x) in along.iter_mut().zip(m.row(first + i)) {
            *s += v * x;
        }
    }
    for (i, v) in v.iter().enumerate() {
        for (x, s) in m.row_mut(first + i).iter_mut().zip(&along) {
            *x -= beta * v * s;
        }
    }
}

/// One implicit QL step with Wilkinson's shift on the block `l..=m`.
fn ql_step(d: &mut [f64], e: &mut [f64], vectors: &mut Matrix, l: usize, m: usize) {
    let g = (d[l + 1] - d[l]) / (2.0 * e[l]);
    let shift = d[l] - e[l] / (g + g.hypot(1.0).copysign(g));
    let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
    let mut g = d[m] - shift;
    for i in (l..m).rev() {
        let (f, b) = (s * e[i], c * e[i]);
        let r = f.hypot(g);
        e[i + 1] = r;
        if r <= 0.0 {
            // The block splits: go on with its parts.
            d[i + 1] -= p;
            e[m] = 0.0;
            return;
        }
        (s, c) = (f / r, g / r);
        let q = d[i + 1] - p;
        let r = (d[i] - q) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = q + p;
        g = c * r - b;
        rotate(vectors, i, c, s);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0.0;
}

/// Rotates rows `i` and `i + 1` in their plane.
fn rotate(vectors: &mut Matrix, i: usize, c: f64, s: f64) {
    let n = vectors.columns();
    let (above, below) = vectors.values_mut().split_at_mut((i + 1) * n);
    for (x, y) in above[i * n..].iter_mut().zip(&mut below[..n]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The slow twin: cyclic Jacobi rotations.
    fn jacobi(mut a: Matrix) -> Vec<f64> {
        let n = a.rows();
        for _ in 0..60 {
            for p in 0..n {
                for q in p + 1..n {
                    let apq = a.row(p)[q];
                    if apq.abs() <= f64::MIN_POSITIVE {
                        continue;
                    }
                    let theta = (a.row(q)[q] - a.row(p)[p]) / (2.0 * apq);
                    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                    let c = 1.0 / t.hypot(1.0);
                    let s = t * c;
                    for i in 0..n {
                        let (x, y) = (a.row(p)[i], a.row(q)[i]);
                        (a.row_mut(p)[i], a.row_mut(q)[i]) = (c * x - s * y, s * x + c * y);
                    }
                    for i in 0..n {
                        let (x, y) = (a.row(i)[p], a.row(i)[q]);
                        (a.row_mut(i)[p], a.row_mut(i)[q]) = (c * x - s * y, s * x + c * y);
                    }
                }
            }
        }
        let mut values: Vec<f64> = (0..n).map(|i| a.row(i)[i]).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        values
    }

    /// The slow twin of the first half: every step updates the whole remaining matrix at once.
    fn step_by_step(mut a: Matrix, width: usize) -> (Vec<f64>, Vec<f64>, Matrix) {
        let n = a.rows();
        let mut rotation = Matrix::zeros(n, width);
        for i in 0..width {
            rotation.row_mut(i)[i] = 1.0;
        }
        let mut off_diagonal = vec![0.0; n];
        for k in 0..n.saturating_sub(2) {
            // The reflection that maps the rest of the column to its first entry.
            let mut v: Vec<f64> = a.row(k)[k + 1..].to_vec();
            let norm = dot(&v, &v).sqrt();
            if norm <= 0.0 {
                continue;
            }
            let target = if v[0] > 0.0 { -norm } else { norm };
            v[0] -= target;
            let beta = 2.0 / dot(&v, &v);
            off_diagonal[k] = target;
            let mut w: Vec<f64> = (k + 1..n).map(|i| beta * dot(&a.row(i)[k + 1..], &v)).collect();
            let half = 0.5 * beta * dot(&w, &v);
            for (w, v) in w.iter_mut().zip(&v) {
                *w -= half * v;
            }
            for i in k + 1..n {
                let (vi, wi) = (v[i - k - 1], w[i - k - 1]);
                for ((a, v), w) in a.row_mut(i)[k + 1..].iter_mut().zip(&v).zip(&w) {
                    *a -= vi * w + wi * v;
                }
            }
            reflect(&mut rotation, k + 1, &v, beta);
        }
        if n > 1 {
            off_diagonal[n - 2] = a.row(n - 2)[n - 1];
        }
        ((0..n).map(|i| a.row(i)[i]).collect(), off_diagonal, rotation)
    }

    #[test]
    fn changes_that_wait_give_the_same_bits() {
        let mut r = Random::new(3);
        for n in [0, 1, 2, 3, 30, 400] {
            let mut a = Matrix::zeros(n, n);
            for i in 0..n {
                // Some rows are empty, so that the step has nothing to do.
                for j in (0..=i).filter(|j| i % 7 != 3 && j % 7 != 3) {
                    (a.row_mut(i)[j], a.row_mut(j)[i]) = (r.normal(), 0.0);
                    a.row_mut(j)[i] = a.row(i)[j];
                }
            }
            let (diagonal, off_diagonal, rotation) = tridiagonal(a.clone(), n.min(5), &|| false).unwrap();
            let twin = step_by_step(a, n.min(5));
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&diagonal), bits(&twin.0), "{n}");
            assert_eq!(bits(&off_diagonal), bits(&twin.1), "{n}");
            assert_eq!(bits(rotation.values()), bits(twin.2.values()), "{n}");
        }
        assert_eq!(symmetric_eigenvalues_unless(Matrix::zeros(9, 9), &|| true), None);
    }

    fn holds(a: &Matrix) {
        let n = a.rows();
        let scale = a.values().iter().fold(1e-300_f64, |m, v| m.max(v.abs()));
        let (values, vectors) = symmetric_eigen(a.clone());
        assert!(values.windows(2).all(|w| w[0] >= w[1]));
        assert_eq!(symmetric_eigenvalues(a.clone()), values);
        for (value, twin) in values.iter().zip(jacobi(a.clone())) {
            assert!((value - twin).abs() <= 1e-12 * scale * n as f64, "{value} {twin}");
        }
        for i in 0..n {
            for j in 0..n {
                let product = dot(vectors.row(i), vectors.row(j));
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12, "{product}");
                let rebuilt: f64 = (0..n).map(|e| values[e] * vectors.row(e)[i] * vectors.row(e)[j]).sum();
                assert!((rebuilt - a.row(i)[j]).abs() <= 1e-12 * scale * n as f64);
            }
        }
    }

    #[test]
    fn eigenvectors_are_orthonormal_and_rebuild_the_matrix() {
        let mut r = Random::new(2);
        for n in [1, 2, 3, 9, 40] {
            // With fewer rows than columns, many eigenvalues are zero.
            for rows in [2, n + 1, 3 * n] {
                let rows = Matrix::new((0..rows * n).map(|_| r.normal()).collect(), rows, n);
                let product =
                    |i: usize, j: usize| (0..rows.rows()).map(|k| rows.row(k)[i] * rows.row(k)[j]).sum();
                holds(&Matrix::new((0..n * n).map(|at| product(at / n, at % n)).collect(), n, n));
            }
        }
    }

    #[test]
    fn matrices_that_fall_apart() {
        holds(&Matrix::zeros(4, 4));
        let mut blocks = Matrix::zeros(6, 6);
        for i in 0..6 {
            blocks.row_mut(i)[i] = if i < 3 { 2.0 } else { 1e-8 };
        }
        (blocks.row_mut(0)[1], blocks.row_mut(1)[0]) = (1.0, 1.0);
        (blocks.row_mut(4)[5], blocks.row_mut(5)[4]) = (-1e-9, -1e-9);
        holds(&blocks);
        holds(&Matrix::new(vec![1.0; 49], 7, 7));
    }
}
