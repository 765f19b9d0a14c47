//! Principal components of standardised features, plain and with a kernel, learned from training rows only.

use eocc_core::Matrix;

/// A projection to few dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Projection {
    /// The features themselves, standardised.
    None,
    /// Principal components.
    Pca(usize),
    /// Principal components in the space of the kernel `exp(-|x - y|^2 / q)` of `q` standardised features.
    KernelPca(usize),
}

impl Projection {
    /// What it is, for the fingerprint of a data set.
    pub fn key(self) -> String {
        format!("{self:?}")
    }

    /// Learns from these rows.
    pub fn fit(self, train: &Matrix) -> Fitted {
        let scales = scales(train);
        let rows = scaled(train, &scales);
        let count = |k: usize, most: usize| k.min(most);
        let kind = match self {
            Self::None => Kind::None,
            Self::Pca(k) => {
                let covariance = covariance(&rows);
                let q = rows.columns();
                let total = (0..q).map(|i| covariance.row(i)[i]).sum::<f64>();
                let pairs = top_eigenpairs(&covariance, count(k, q));
                let ratio =
                    pairs.iter().map(|(value, _)| if total > 0.0 { value / total } else { 0.0 }).collect();
                Kind::Pca { directions: pairs.into_iter().map(|(_, vector)| vector).collect(), ratio }
            }
            Self::KernelPca(k) => Kind::kernel(rows, k),
        };
        Fitted { scales, kind }
    }
}

/// A projection that has learned.
#[derive(Debug, Clone)]
pub struct Fitted {
    scales: Vec<(f64, f64)>,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    None,
    Pca {
        directions: Vec<Vec<f64>>,
        ratio: Vec<f64>,
    },
    Kernel {
        train: Matrix,
        /// Mean of each row of the kernel among training rows, and of all.
        means: Vec<f64>,
        mean: f64,
        /// Eigenvectors divided by the root of their eigenvalue.
        coefficients: Vec<Vec<f64>>,
    },
}

impl Kind {
    fn kernel(train: Matrix, k: usize) -> Self {
        let n = train.rows();
        let mut gram = Matrix::zeros(n, n);
        for i in 0..n {
            for j in 0..n {
                gram.row_mut(i)[j] = kernel(train.row(i), train.row(j));
            }
        }
        let means: Vec<f64> = (0..n).map(|i| gram.row(i).iter().sum::<f64>() / n as f64).collect();
        let mean = means.iter().sum::<f64>() / n as f64;
        for i in 0..n {
            for (j, value) in gram.row_mut(i).iter_mut().enumerate() {
                *value += mean - means[i] - means[j];
            }
        }
        let root = |(value, vector): (f64, Vec<f64>)| {
            let length = value.max(0.0).sqrt();
            vector.iter().map(|v| if length > 0.0 { v / length } else { 0.0 }).collect()
        };
        let coefficients = top_eigenpairs(&gram, k.min(n)).into_iter().map(root).collect();
        Self::Kernel { train, means, mean, coefficients }
    }
}

impl Fitted {
    /// The rows of this many features in the space of the projection.
    pub fn transform(&self, rows: &Matrix) -> Matrix {
        let rows = scaled(rows, &self.scales);
        let by_row = |of: &dyn Fn(&[f64]) -> Vec<f64>, columns: usize| {
            Matrix::new((0..rows.rows()).flat_map(|i| of(rows.row(i))).collect(), rows.rows(), columns)
        };
        match &self.kind {
            Kind::None => rows,
            Kind::Pca { directions, .. } => {
                by_row(&|row| directions.iter().map(|d| dot(d, row)).collect(), directions.len())
            }
            Kind::Kernel { train, means, mean, coefficients } => by_row(
                &|row| {
                    let values: Vec<f64> = (0..train.rows()).map(|j| kernel(train.row(j), row)).collect();
                    let own = values.iter().sum::<f64>() / values.len() as f64;
                    let centred: Vec<f64> =
                        values.iter().zip(means).map(|(v, m)| v - m - own + mean).collect();
                    coefficients.iter().map(|c| dot(c, &centred)).collect()
                },
                coefficients.len(),
            ),
        }
    }

    /// The share of the variance of each principal component.
    pub fn explained(&self) -> &[f64] {
        match &self.kind {
            Kind::Pca { ratio, .. } => ratio,
            Kind::None | Kind::Kernel { .. } => &[],
        }
    }
}

/// Mean and standard deviation of each column; 1 for a column that does not vary.
fn scales(rows: &Matrix) -> Vec<(f64, f64)> {
    let n = rows.rows() as f64;
    let of_column = |c: usize| {
        let column = || (0..rows.rows()).map(|i| rows.row(i)[c]);
        let mean = column().sum::<f64>() / n;
        let deviation = (column().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        (mean, if deviation > 0.0 { deviation } else { 1.0 })
    };
    (0..rows.columns()).map(of_column).collect()
}

fn scaled(rows: &Matrix, scales: &[(f64, f64)]) -> Matrix {
    let mut out = rows.clone();
    for i in 0..out.rows() {
        for (value, (mean, deviation)) in out.row_mut(i).iter_mut().zip(scales) {
            *value = (*value - mean) / deviation;
        }
    }
    out
}

fn covariance(rows: &Matrix) -> Matrix {
    let q = rows.columns();
    let mut out = Matrix::zeros(q, q);
    for i in 0..rows.rows() {
        let row = rows.row(i);
        for a in 0..q {
            for b in 0..q {
                out.row_mut(a)[b] += row[a] * row[b] / rows.rows() as f64;
            }
        }
    }
    out
}

fn kernel(a: &[f64], b: &[f64]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
    (-squares / a.len().max(1) as f64).exp()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The largest eigenvalues of a symmetric matrix without negative ones, with unit vectors whose entry of largest size is
/// positive.
///
/// By iteration of a few more vectors than are wanted, kept orthogonal; in their span the matrix is small and is
/// diagonalised by Jacobi's rotations.
fn top_eigenpairs(matrix: &Matrix, wanted: usize) -> Vec<(f64, Vec<f64>)> {
    const ROUNDS: usize = 2000;
    let n = matrix.rows();
    let width = (wanted + 6).min(n);
    let mut basis: Vec<Vec<f64>> = (0..width)
        .map(|k| (0..n).map(|i| (1.0 + (i * (k + 1)) as f64 * 0.7 + k as f64).sin()).collect())
        .collect();
    orthogonalize(&mut basis);
    let mut last = vec![f64::INFINITY; width];
    let mut pairs = Vec::new();
    for _ in 0..ROUNDS {
        let images: Vec<Vec<f64>> =
            basis.iter().map(|v| (0..n).map(|i| dot(matrix.row(i), v)).collect()).collect();
        let mut small = Matrix::zeros(width, width);
        for a in 0..width {
            for b in 0..width {
                small.row_mut(a)[b] = 0.5 * (dot(&basis[a], &images[b]) + dot(&basis[b], &images[a]));
            }
        }
        let (values, turns) = jacobi(small);
        let turned = |from: &[Vec<f64>]| -> Vec<Vec<f64>> {
            turns
                .iter()
                .map(|t| (0..n).map(|i| (0..width).map(|a| t[a] * from[a][i]).sum()).collect())
                .collect()
        };
        pairs = values.iter().copied().zip(turned(&basis)).take(wanted).collect();
        let scale = values.first().map_or(0.0, |v| v.abs());
        let is_settled = values.iter().zip(&last).take(wanted).all(|(a, b)| (a - b).abs() <= 1e-15 * scale);
        let residual = |(value, vector): &(f64, Vec<f64>)| {
            (0..n).map(|i| (dot(matrix.row(i), vector) - value * vector[i]).abs()).fold(0.0, f64::max)
        };
        if is_settled && pairs.iter().all(|p| residual(p) <= 1e-11 * scale) {
            break;
        }
        last = values;
        basis = turned(&images);
        orthogonalize(&mut basis);
    }
    pairs.into_iter().map(|(value, vector)| (value, upright(vector))).collect()
}

/// Gram and Schmidt, twice; what vanishes stays zero.
fn orthogonalize(basis: &mut [Vec<f64>]) {
    for k in 0..basis.len() {
        let before = dot(&basis[k], &basis[k]).sqrt();
        for _ in 0..2 {
            for j in 0..k {
                let (done, rest) = basis.split_at_mut(k);
                let along = dot(&done[j], &rest[0]);
                for (x, y) in rest[0].iter_mut().zip(&done[j]) {
                    *x -= along * y;
                }
            }
        }
        let length = dot(&basis[k], &basis[k]).sqrt();
        let is_left = length > 1e-14 * before && length > 0.0;
        for x in &mut basis[k] {
            *x = if is_left { *x / length } else { 0.0 };
        }
    }
}

/// Eigenvalues of a small symmetric matrix, the largest first, each with its vector.
fn jacobi(mut a: Matrix) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.rows();
    let mut v = Matrix::zeros(n, n);
    for i in 0..n {
        v.row_mut(i)[i] = 1.0;
    }
    for _ in 0..60 {
        let off: f64 =
            (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a.row(i)[j].powi(2)).sum();
        let all: f64 = a.values().iter().map(|x| x * x).sum();
        if off <= 1e-32 * all {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let apq = a.row(p)[q];
                if apq == 0.0 {
                    continue;
                }
                let theta = (a.row(q)[q] - a.row(p)[p]) / (2.0 * apq);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                let rotate = |m: &mut Matrix, by_rows: bool| {
                    for k in 0..n {
                        let (x, y) =
                            if by_rows { (m.row(p)[k], m.row(q)[k]) } else { (m.row(k)[p], m.row(k)[q]) };
                        let (new_x, new_y) = (c * x - s * y, s * x + c * y);
                        if by_rows {
                            (m.row_mut(p)[k], m.row_mut(q)[k]) = (new_x, new_y);
                        } else {
                            (m.row_mut(k)[p], m.row_mut(k)[q]) = (new_x, new_y);
                        }
                    }
                };
                rotate(&mut a, true);
                rotate(&mut a, false);
                rotate(&mut v, false);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a.row(j)[j].total_cmp(&a.row(i)[i]));
    let values = order.iter().map(|&i| a.row(i)[i]).collect();
    let vectors = order.iter().map(|&i| (0..n).map(|k| v.row(k)[i]).collect()).collect();
    (values, vectors)
}

/// The vector or its opposite, whichever has its entry of largest size positive.
fn upright(mut v: Vec<f64>) -> Vec<f64> {
    let largest =
        v.iter().fold(0.0_f64, |best, x| if x.abs() > best.abs() * (1.0 + 1e-9) { *x } else { best });
    if largest < 0.0 {
        for x in &mut v {
            *x = -*x;
        }
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of scikit-learn, made by `scripts/golden/proteins.py`; the sign of a component is nobody's.
    #[test]
    fn scikit_learn_agrees() {
        let text = include_str!("../../../../testdata/golden/proteins.json");
        let golden: serde_json::Value = serde_json::from_str(text).unwrap();
        let table = |name: &str| {
            let rows: Vec<Vec<f64>> = serde_json::from_value(golden["projections"][name].clone()).unwrap();
            Matrix::new(rows.concat(), rows.len(), rows[0].len())
        };
        let (train, test) = (table("train"), table("test"));
        for (projection, name) in [(Projection::Pca(3), "pca"), (Projection::KernelPca(3), "kernel")] {
            let fitted = projection.fit(&train);
            let (a, b) = (table(&format!("{name}_train")), table(&format!("{name}_test")));
            let (found, new) = (fitted.transform(&train), fitted.transform(&test));
            for c in 0..3 {
                let sign = (0..a.rows()).map(|i| a.row(i)[c] * found.row(i)[c]).sum::<f64>().signum();
                let same = |x: &Matrix, y: &Matrix| {
                    (0..x.rows()).all(|i| (x.row(i)[c] - sign * y.row(i)[c]).abs() < 1e-7)
                };
                assert!(same(&a, &found) && same(&b, &new), "{name} {c}");
            }
            if name == "pca" {
                for (x, y) in
                    fitted.explained().iter().zip(golden["projections"]["pca_ratio"].as_array().unwrap())
                {
                    assert!((x - y.as_f64().unwrap()).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn columns_that_do_not_vary_and_few_rows_do_no_harm() {
        let rows = Matrix::new(vec![1.0, 5.0, 2.0, 5.0, 3.0, 5.0], 3, 2);
        for projection in [Projection::None, Projection::Pca(5), Projection::KernelPca(7)] {
            let out = projection.fit(&rows).transform(&rows);
            assert!(out.values().iter().all(|v| v.is_finite()), "{projection:?}");
        }
    }
}
