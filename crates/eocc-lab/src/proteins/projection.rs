//! Principal components of standardized features, plain and with a kernel, learned from training rows only.

use eocc_core::Matrix;
use eocc_core::linear::{symmetric_eigen, upright};

/// A projection to few dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Projection {
    /// The features themselves, standardized.
    None,
    /// Principal components.
    Pca(usize),
    /// Principal components in the space of the kernel `exp(-|x - y|^2 / q)` of `q` standardized features.
    KernelPca(usize),
}

impl Projection {
    /// A description for the fingerprint of a data set.
    pub fn key(self) -> String {
        format!("{self:?}")
    }

    /// Learns from these rows.
    pub fn fit(self, train: &Matrix) -> Fitted {
        let scales = scales(train);
        let rows = scaled(train, &scales);
        let count = |k: usize, most: usize| k.min(most);
        let kind = match self {
            Self::None => ProjectionKind::None,
            Self::Pca(k) => {
                let covariance = covariance(&rows);
                let q = rows.columns();
                let total = (0..q).map(|i| covariance.row(i)[i]).sum::<f64>();
                let pairs = top_eigenpairs(&covariance, count(k, q));
                let ratio =
                    pairs.iter().map(|(value, _)| if total > 0.0 { value / total } else { 0.0 }).collect();
                ProjectionKind::Pca {
                    directions: pairs.into_iter().map(|(_, vector)| vector).collect(),
                    ratio,
                }
            }
            Self::KernelPca(k) => ProjectionKind::kernel(rows, k),
        };
        Fitted { scales, kind }
    }
}

/// A fitted projection.
#[derive(Debug, Clone)]
pub struct Fitted {
    scales: Vec<(f64, f64)>,
    kind: ProjectionKind,
}

#[derive(Debug, Clone)]
enum ProjectionKind {
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

impl ProjectionKind {
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
            ProjectionKind::None => rows,
            ProjectionKind::Pca { directions, .. } => {
                by_row(&|row| directions.iter().map(|d| dot(d, row)).collect(), directions.len())
            }
            ProjectionKind::Kernel { train, means, mean, coefficients } => by_row(
                &|row| {
                    let values: Vec<f64> = (0..train.rows()).map(|j| kernel(train.row(j), row)).collect();
                    let own = values.iter().sum::<f64>() / values.len() as f64;
                    let centered: Vec<f64> =
                        values.iter().zip(means).map(|(v, m)| v - m - own + mean).collect();
                    coefficients.iter().map(|c| dot(c, &centered)).collect()
                },
                coefficients.len(),
            ),
        }
    }

    /// The fraction of the variance of each principal component.
    pub fn explained(&self) -> &[f64] {
        match &self.kind {
            ProjectionKind::Pca { ratio, .. } => ratio,
            ProjectionKind::None | ProjectionKind::Kernel { .. } => &[],
        }
    }
}

/// Mean and standard deviation of each column; 1 for a constant column.
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

/// The largest eigenvalues of a symmetric matrix, with unit vectors whose entry of largest magnitude is positive.
fn top_eigenpairs(matrix: &Matrix, wanted: usize) -> Vec<(f64, Vec<f64>)> {
    let (values, vectors) = symmetric_eigen(matrix.clone());
    let pair = |(i, value): (usize, f64)| (value, upright(vectors.row(i).to_vec()));
    values.into_iter().enumerate().take(wanted).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from scikit-learn, generated by `scripts/golden/proteins.py`; the sign of a component is arbitrary.
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
