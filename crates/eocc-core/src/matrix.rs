//! A dense matrix of finite numbers, row by row.

/// A dense `rows x columns` matrix, row-major.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { values: vec![0.0; rows * columns], rows, columns }
    }

    /// The matrix with these values, row by row.
    ///
    /// # Panics
    /// If the number of values is not `rows * columns`; readers check shapes first.
    pub fn new(values: Vec<f64>, rows: usize, columns: usize) -> Self {
        assert_eq!(values.len(), rows * columns, "matrix shape");
        Self { values, rows, columns }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// Row `i`, mutably.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// All values, row by row, consuming the matrix.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, mutably.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The rows with these indices.
    #[must_use]
    pub fn select_rows(&self, indices: &[usize]) -> Self {
        let mut values = Vec::with_capacity(indices.len() * self.columns);
        for &i in indices {
            values.extend_from_slice(self.row(i));
        }
        Self { values, rows: indices.len(), columns: self.columns }
    }
}
