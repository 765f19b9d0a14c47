//! Lists of neighbors by a matrix product, compared with those from all distances row by row.
#![expect(clippy::print_stdout, reason = "the ratios are the purpose of the program")]

mod support;

use eocc_core::knn::{KnnLists, nearest_of_points, nearest_of_rows};
use eocc_core::{Matrix, kernel};
use support::{compared, normals};

const SIZES: [(usize, usize); 3] = [(2000, 20), (5000, 20), (2000, 2000)];

fn width(points: &Matrix) -> usize {
    points.rows().isqrt() + 1
}

fn by_product(points: &Matrix) -> KnnLists {
    nearest_of_points(points, width(points))
}

fn by_rows(points: &Matrix) -> KnnLists {
    nearest_of_rows(points.rows(), width(points), |i, row| {
        kernel::euclidean_to_rows(points.row(i), points.values(), row);
    })
}

fn main() {
    for (n, m) in SIZES {
        let points = normals(n, m, 1);
        let (rows, product, ratio) = compared(|| by_rows(&points), || by_product(&points));
        println!("n = {n}, m = {m}: rows {rows:.3} s, product {product:.3} s");
        println!("n = {n}, m = {m}: rows / product = {ratio:.2}");
    }
}
