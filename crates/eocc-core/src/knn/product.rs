//! Neighbors of points by one symmetric matrix product.
//!
//! `|a - b|^2 = |a|^2 + |b|^2 - 2 ab`: the inner products of all pairs are one matrix product, the fastest operation
//! on any machine, but digits are lost where `a` and `b` are close. So the product only proposes: every point that
//! could be among the `k` nearest, given a bound on the rounding error, is measured again directly. The lists equal
//! those of brute force bit for bit, whatever the order of summation or the number of threads.

use super::KnnLists;
use super::brute::collect;
use crate::error::{ErrorKind, Result};
use crate::kernel::{self, PackedRows};
use crate::matrix::Matrix;
use crate::observer::{Observer, Progress, Silent};
use crate::parallel;
use crate::select::keep_smallest;

/// Largest `n x n` block of products held at once, in numbers: 512 MiB.
const WHOLE: usize = 1 << 26;
/// Candidates per neighbor beyond which they are thinned out immediately.
const MANY: usize = 4;
/// Rows of a panel if the whole product does not fit.
const PANEL: usize = 512;
/// Rows that a thread multiplies at a time.
const TASK: usize = 48;

/// Lists of the `width` nearest other rows of `points` by Euclidean distance.
pub fn nearest_of_points(points: &Matrix, width: usize) -> KnnLists {
    // It cannot be cancelled, so there always are lists.
    nearest_of_points_watched(points, width, &Silent).unwrap_or_default()
}

/// Like [`nearest_of_points`], reporting to the observer; fails only if that cancels.
pub fn nearest_of_points_watched(points: &Matrix, width: usize, observer: &dyn Observer) -> Result<KnnLists> {
    let n = points.rows();
    let norms = squared_norms(points);
    let slack = slack(points.columns(), norms.iter().copied().fold(0.0, f64::max));
    let whole = n.saturating_mul(n) <= WHOLE;
    let step = if whole { n } else { PANEL };
    let packed = (!whole).then(|| PackedRows::new(points.values(), points.columns()));
    let mut candidates: Vec<Vec<u32>> = Vec::with_capacity(n);
    for start in (0..n).step_by(step.max(1)) {
        if observer.is_cancelled() {
            return Err(ErrorKind::Cancelled.into());
        }
        let rows = start..(start + step).min(n);
        let products = match &packed {
            None => gram(points, observer)?,
            Some(packed) => panel(points, packed, rows.clone()),
        };
        candidates.extend(propose(points, &products, start, &norms, width, slack));
        if !whole {
            observer.progress(&Progress::Stage { name: "neighbors", done: rows.end, total: n });
        }
    }
    Ok(collect(&measure(points, &candidates, width), width))
}

/// The possible `width` nearest of each row, ascending, given the products of the rows from `start` on with all rows.
fn propose(
    points: &Matrix,
    products: &Matrix,
    start: usize,
    norms: &[f64],
    width: usize,
    slack: f64,
) -> Vec<Vec<u32>> {
    parallel::map_with(
        products.rows(),
        8,
        &Default::default,
        &|(approximate, order): &mut (Vec<f64>, Vec<f64>), row| {
            let i = start + row;
            approximate.clear();
            // |a|^2 is the same for the whole row: leave it out.
            approximate.extend(products.row(row).iter().zip(norms).map(|(ab, bb)| bb - 2.0 * ab));
            approximate[i] = f64::INFINITY;
            order.clone_from(approximate);
            let (_, &mut bound, _) = order.select_nth_unstable_by(width - 1, f64::total_cmp);
            // If squares overflow the product is useless: then all are candidates.
            let limit = if (bound + slack).is_finite() { bound + slack } else { f64::INFINITY };
            let may_be_near = |j: u32| {
                let a = approximate[j as usize];
                (a <= limit || a.is_nan()) && j as usize != i
            };
            let near: Vec<u32> = (0..norms.len() as u32).filter(|&j| may_be_near(j)).collect();
            if near.len() > MANY * width { thin(points, i, &near, width) } else { near }
        },
    )
}

/// Reduces a long list of candidates to those needed in any case. If most samples are duplicates, each is a candidate
/// of every other, and all pairs would not fit in memory.
fn thin(points: &Matrix, i: usize, near: &[u32], width: usize) -> Vec<u32> {
    let mut distances = Vec::with_capacity(near.len());
    kernel::euclidean_to_some(points.row(i), points.values(), near, &mut distances);
    let mut found: Vec<(u32, f64)> = near.iter().copied().zip(distances).collect();
    keep_smallest(&mut found, width);
    let mut kept: Vec<u32> = found.into_iter().map(|f| f.0).collect();
    kept.sort_unstable();
    kept
}

/// The `width` nearest among the candidates of each point by direct distance. That is the same bit for bit from both
/// ends, so a pair that proposes each other is measured once.
fn measure(points: &Matrix, candidates: &[Vec<u32>], width: usize) -> Vec<Vec<(u32, f64)>> {
    let place = |i: u32, j: u32| candidates[i as usize].binary_search(&j).ok();
    let measured: Vec<Vec<f64>> = parallel::map_with(
        candidates.len(),
        8,
        &Default::default,
        &|(wanted, found): &mut (Vec<u32>, Vec<f64>), i| {
            let own = &candidates[i];
            let i = i as u32;
            wanted.clear();
            wanted.extend(own.iter().copied().filter(|&j| i < j || place(j, i).is_none()));
            kernel::euclidean_to_some(points.row(i as usize), points.values(), wanted, found);
            let mut found = wanted.iter().copied().zip(found.iter().copied()).peekable();
            let own_value = |&j: &u32| found.next_if(|f| f.0 == j).map_or(f64::NAN, |f| f.1);
            own.iter().map(own_value).collect()
        },
    );
    let of_pair = |i: usize, at: usize| {
        let (j, own) = (candidates[i][at], measured[i][at]);
        let distance =
            if own.is_nan() { place(j, i as u32).map_or(own, |p| measured[j as usize][p]) } else { own };
        (j, distance)
    };
    parallel::map(candidates.len(), 16, &|i| {
        let mut found: Vec<(u32, f64)> = (0..candidates[i].len()).map(|at| of_pair(i, at)).collect();
        keep_smallest(&mut found, width);
        found
    })
}

/// Squared lengths of the rows.
pub(crate) fn squared_norms(points: &Matrix) -> Vec<f64> {
    let norm = |i: usize| points.row(i).iter().map(|v| v * v).sum();
    parallel::map(points.rows(), 64, &norm)
}

/// Points packed for products with new ones.
pub(crate) struct PackedPoints {
    rows: PackedRows,
    /// Squared lengths of the points.
    norms: Vec<f64>,
    /// Numbers in a point.
    width: usize,
}

impl PackedPoints {
    pub(crate) fn new(points: &Matrix) -> Self {
        let rows = PackedRows::new(points.values(), points.columns());
        Self { rows, norms: squared_norms(points), width: points.columns() }
    }

    /// Squared distances of all rows of `ones` to all points by one product on this thread, and for each of `ones` a
    /// bound on the error.
    pub(crate) fn approximate_squares(&self, ones: &Matrix) -> (Matrix, Vec<f64>) {
        let count = self.norms.len();
        let mut out = Matrix::zeros(ones.rows(), count);
        self.rows.multiply(ones.values(), count, out.values_mut(), count);
        let largest = self.norms.iter().copied().fold(0.0, f64::max);
        let mut slacks = Vec::with_capacity(ones.rows());
        for i in 0..ones.rows() {
            let own: f64 = ones.row(i).iter().map(|v| v * v).sum();
            for (ab, bb) in out.row_mut(i).iter_mut().zip(&self.norms) {
                *ab = (own + bb) - 2.0 * *ab;
            }
            slacks.push(slack(self.width, largest.max(own)));
        }
        (out, slacks)
    }
}

/// Twice the maximum error of a squared distance by products, for rows with this many columns and squared lengths up
/// to `largest`.
fn slack(columns: usize, largest: f64) -> f64 {
    // |computed - true| <= (m + 2) eps |a||b| for each product in any order of summation, the same for the norms and
    // for the direct distance; twice that, since both the bound and the candidate may be off.
    // Products so small that they lose digits are off by less than the smallest normal number.
    (columns as f64 + 8.0) * (8.0 * f64::EPSILON * largest + f64::MIN_POSITIVE)
}

/// All products of rows with rows; fails only if the observer cancels.
fn gram(points: &Matrix, observer: &dyn Observer) -> Result<Matrix> {
    let mut out = Matrix::zeros(points.rows(), points.rows());
    lower_products(points, &mut out, observer)?;
    crate::embedding::mirror(&mut out);
    Ok(out)
}

/// The lower triangle of `points * points'`: the one product that every evaluation needs.
pub fn symmetric_product(points: &Matrix, out: &mut Matrix) {
    // It cannot be cancelled.
    let _ = lower_products(points, out, &Silent);
}

/// The lower triangle, plus a little of each task's rows; fails only if the observer cancels.
fn lower_products(points: &Matrix, out: &mut Matrix, observer: &dyn Observer) -> Result<()> {
    let (n, m) = (points.rows(), points.columns());
    let packed = PackedRows::new(points.values(), m);
    parallel::try_for_each_chunk(out.values_mut(), TASK * n, &|task, out| {
        if observer.is_cancelled() {
            return Err(ErrorKind::Cancelled.into());
        }
        let rows = task * TASK..task * TASK + out.len() / n;
        packed.multiply(&points.values()[rows.start * m..rows.end * m], rows.end, out, n);
        Ok(())
    })
}

/// Products of some rows with all rows.
fn panel(points: &Matrix, packed: &PackedRows, rows: std::ops::Range<usize>) -> Matrix {
    let (n, m) = (points.rows(), points.columns());
    let mut out = Matrix::zeros(rows.len(), n);
    let some = &points.values()[rows.start * m..rows.end * m];
    parallel::for_each_chunk(out.values_mut(), TASK * n, &|task, out| {
        let rows = task * TASK..task * TASK + out.len() / n;
        packed.multiply(&some[rows.start * m..rows.end * m], n, out, n);
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knn::nearest_of_rows;
    use crate::random::Random;

    fn plain(points: &Matrix, width: usize) -> KnnLists {
        nearest_of_rows(points.rows(), width, |i, row| {
            kernel::euclidean_to_rows(points.row(i), points.values(), row);
        })
    }

    #[test]
    fn the_product_gives_the_lists_of_brute_force_bit_for_bit() {
        let mut r = Random::new(11);
        for (n, m) in [(3, 1), (40, 2), (100, 100), (130, 17)] {
            // Far from the origin, with many near-ties and duplicates: the hardest case for the product.
            let mut values: Vec<f64> = (0..n * m).map(|_| 1e4 + 1e-3 * (r.uniform() * 4.0).floor()).collect();
            let half = (n / 2) * m;
            let copy = values[..m].to_vec();
            values[half..half + m].copy_from_slice(&copy);
            let points = Matrix::new(values, n, m);
            let width = (n - 1).min(9);
            assert_eq!(nearest_of_points(&points, width), plain(&points, width));
        }
    }

    #[test]
    fn squares_that_overflow_or_vanish_give_the_lists_of_brute_force() {
        let mut r = Random::new(12);
        for size in [1e200, 1e154, 1e-160, 1e-200] {
            let values = (0..60).map(|_| size * (r.uniform() - 0.5)).collect();
            let points = Matrix::new(values, 20, 3);
            assert_eq!(nearest_of_points(&points, 5), plain(&points, 5));
        }
    }

    #[test]
    fn constant_points_have_lists_by_index() {
        let points = Matrix::new(vec![2.5; 30], 10, 3);
        let lists = nearest_of_points(&points, 3);
        assert_eq!(lists.neighbors(0, 3), [1, 2, 3]);
        assert_eq!(lists.neighbors(9, 3), [0, 1, 2]);
        assert!(lists.all_lengths().iter().all(|l| l.abs() == 0.0));
    }
}
