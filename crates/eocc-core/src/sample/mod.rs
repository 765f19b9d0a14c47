//! The samples that can be classified. They are checked when a set is made, so that everything else can rely on them.

mod facts;
mod missing;
mod mixed;
mod series;
mod template;
mod text;

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::error::{Error, InputFault, Result};
use crate::matrix::Matrix;

pub use mixed::{ColumnKind, DatePart, DateValue, MixedColumn, MixedRow, MixedTable, UNKNOWN_LEVEL};
pub use series::{MAX_SERIES_LENGTH, Series, SeriesSet};
pub use template::template;
pub use text::{MAX_TEXT_BYTES, Texts};

/// One sample: anything that can be owned and shared between threads.
pub trait Sample: ToOwned<Owned: Send + Sync> + Sync + 'static {}

impl<T: ?Sized + ToOwned<Owned: Send + Sync> + Sync + 'static> Sample for T {}

/// An indexed set of samples of one type, such as the training set or the prototypes.
///
/// Every `Vec<T>` is a set. For numeric vectors, use [`Vectors`], which stores them in one block.
pub trait SampleSet: Clone + Send + Sync + 'static {
    /// One sample.
    type Item: ?Sized + Sample;

    /// Number of samples.
    fn count(&self) -> usize;

    /// Sample `i`.
    fn sample(&self, i: usize) -> &Self::Item;

    /// The samples with these indices, in this order.
    #[must_use]
    fn select(&self, indices: &[usize]) -> Self;

    /// Concatenates sets of the same form. Streams require this.
    fn joined(_sets: &[&Self]) -> Result<Self> {
        Err(Error::input(
            "streams of this kind of samples are not supported; pass samples and a dissimilarity instead",
        ))
    }

    /// All samples by reference.
    fn refs(&self) -> Vec<&Self::Item> {
        (0..self.count()).map(|i| self.sample(i)).collect()
    }

    /// Number of features, if it is fixed; else 0.
    fn features(&self) -> usize {
        0
    }

    /// Bytes that the samples take, roughly; used for planning.
    fn bytes(&self) -> usize {
        self.count() * (32 + 8 * self.features())
    }

    /// Names of the features; empty if they have none.
    fn feature_names(&self) -> &[String] {
        &[]
    }

    /// Checks that samples to be scored are like these, the training samples; reports the difference.
    fn accepts(&self, _samples: &Self) -> Result<()> {
        Ok(())
    }

    /// The first row and column with a missing value, for kinds whose measures do not accept
    /// missing values.
    fn first_missing(&self) -> Option<(usize, usize)> {
        None
    }

    /// How many samples equal an earlier one; `None` if that cannot be decided without a measure.
    fn duplicates(&self) -> Option<usize> {
        None
    }

    /// A hash of sample `i`, used for subsampling. Does not depend on row or column order, or on digits beyond `f32`.
    /// `None` if samples cannot be distinguished without a measure.
    fn content_hash(&self, _i: usize) -> Option<u64> {
        None
    }

    /// A feature of table rows: its kind and its values, `None` if missing.
    fn feature(&self, _feature: usize) -> Option<(ColumnKind, Vec<Option<f64>>)> {
        None
    }

    /// Whether they are table rows.
    fn is_table(&self) -> bool {
        false
    }

    /// Number of features in an explanation: the columns of a table, otherwise 1.
    fn slots(&self) -> usize {
        if self.is_table() { self.features() } else { 1 }
    }

    /// The names of the features that the shares of an explanation refer to, or their numbers; empty if there are none.
    fn share_names(&self) -> Vec<String> {
        match self.feature_names() {
            names if names.len() == self.features() => names.to_vec(),
            _ => (0..self.features()).map(|f| format!("x{f}")).collect(),
        }
    }

    /// The text of sample `i`, if samples are texts.
    fn text(&self, _i: usize) -> Option<&str> {
        None
    }

    /// Whether a value is missing in this row.
    fn is_incomplete(&self, _row: usize) -> bool {
        false
    }

    /// The first missing value, as row and column name, whether or not measures accept missing values.
    fn first_gap(&self) -> Option<(usize, String)> {
        None
    }

    /// A copy with missing values replaced by the typical values of `like`: the median of numbers, the most frequent
    /// level. Fails if there is no typical value.
    fn filled(&self, _like: &Self) -> Result<Self> {
        Ok(self.clone())
    }

    /// Converts to [`Vectors`] if all columns are numeric and complete; `None` otherwise, or if they are `Vectors`
    /// already.
    fn as_vectors(&self) -> Result<Option<Vectors>> {
        Ok(None)
    }

    /// Converts samples to the form of the training samples (`self`), or reports how they differ.
    fn conform<'a>(&self, samples: &'a Self) -> Result<Cow<'a, Self>> {
        self.accepts(samples)?;
        Ok(Cow::Borrowed(samples))
    }
}

impl<T: Clone + Send + Sync + 'static> SampleSet for Vec<T> {
    type Item = T;

    fn count(&self) -> usize {
        self.len()
    }

    fn sample(&self, i: usize) -> &T {
        &self[i]
    }

    fn select(&self, indices: &[usize]) -> Self {
        indices.iter().map(|&i| self[i].clone()).collect()
    }

    fn joined(sets: &[&Self]) -> Result<Self> {
        Ok(sets.iter().flat_map(|set| set.iter().cloned()).collect())
    }
}

/// Vectors of finite numbers, all of the same length, with or without names of their features. Only those made by
/// [`Vectors::with_missing`] may have missing values.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    matrix: Matrix,
    names: Vec<String>,
}

impl Vectors {
    /// Checks and takes a matrix with one row per sample.
    pub fn new(matrix: Matrix) -> Result<Self> {
        Self::with_names(matrix, Vec::new())
    }

    /// Like [`new`](Self::new), with a name for each column; no names if `names` is empty.
    pub fn with_names(matrix: Matrix, names: Vec<String>) -> Result<Self> {
        if matrix.columns() == 0 {
            return Err(Error::input("the samples have no features; give at least one numeric column"));
        }
        if !names.is_empty() && names.len() != matrix.columns() {
            return Err(Error::input(format!(
                "there are {} feature names for {} columns",
                names.len(),
                matrix.columns()
            )));
        }
        Self::require_finite(matrix.values(), matrix.columns(), &names)?;
        Ok(Self { matrix, names })
    }

    /// Like [`with_names`](Self::with_names), for new samples; missing values are NaN. Use this only if they will be
    /// filled, or if the measure [accepts them](crate::dissimilarity::Properties::takes_missing) (the model checks).
    pub fn with_missing(matrix: Matrix, names: Vec<String>) -> Result<Self> {
        let values = matrix.values().iter().map(|v| if v.is_nan() { 0.0 } else { *v }).collect();
        let Self { names, .. } =
            Self::with_names(Matrix::new(values, matrix.rows(), matrix.columns()), names)?;
        Ok(Self { matrix, names })
    }

    /// Fails at the first value that is not finite; `columns` is the row length. For callers that hold the numbers
    /// themselves.
    pub fn require_finite(values: &[f64], columns: usize, names: &[String]) -> Result<()> {
        let Some(at) = values.iter().position(|v| !v.is_finite()) else { return Ok(()) };
        let column = at % columns;
        Err(InputFault::NotFinite {
            row: at / columns,
            column: names.get(column).map_or_else(|| column.to_string(), |n| format!("`{n}`")),
            value: values[at],
        }
        .into())
    }

    /// From rows; they must have equal lengths.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self> {
        let columns = rows.first().map_or(0, |r| r.as_ref().len());
        let mut values = Vec::with_capacity(rows.len() * columns);
        for (row, r) in rows.iter().enumerate() {
            if r.as_ref().len() != columns {
                return Err(InputFault::Ragged { row, found: r.as_ref().len(), expected: columns }.into());
            }
            values.extend_from_slice(r.as_ref());
        }
        Self::new(Matrix::new(values, rows.len(), columns))
    }

    /// The numbers, one row per sample.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }
}

impl SampleSet for Vectors {
    type Item = [f64];

    fn count(&self) -> usize {
        self.matrix.rows()
    }

    fn sample(&self, i: usize) -> &[f64] {
        self.matrix.row(i)
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self { matrix: self.matrix.select_rows(indices), names: self.names.clone() }
    }

    fn joined(sets: &[&Self]) -> Result<Self> {
        let first = sets.first().ok_or_else(nothing_to_join)?;
        sets.iter().try_for_each(|set| first.accepts(set))?;
        let rows = sets.iter().map(|set| set.count()).sum();
        let values = sets.iter().flat_map(|set| set.matrix.values().iter().copied()).collect();
        Ok(Self { matrix: Matrix::new(values, rows, first.features()), names: first.names.clone() })
    }

    fn features(&self) -> usize {
        self.matrix.columns()
    }

    fn feature_names(&self) -> &[String] {
        &self.names
    }

    fn duplicates(&self) -> Option<usize> {
        Some(facts::duplicates((0..self.count()).map(|i| facts::bits(self.sample(i)))))
    }

    fn content_hash(&self, i: usize) -> Option<u64> {
        Some(facts::hash_of_set(self.sample(i)))
    }

    fn feature(&self, feature: usize) -> Option<(ColumnKind, Vec<Option<f64>>)> {
        let value = |i: usize| self.sample(i).get(feature).copied().filter(|v| !v.is_nan());
        (feature < self.features()).then(|| (ColumnKind::Number, (0..self.count()).map(value).collect()))
    }

    fn is_table(&self) -> bool {
        true
    }

    fn is_incomplete(&self, row: usize) -> bool {
        self.sample(row).iter().any(|v| v.is_nan())
    }

    fn first_gap(&self) -> Option<(usize, String)> {
        let (row, column) = self.first_missing()?;
        Some((row, self.names.get(column).cloned().unwrap_or_else(|| column.to_string())))
    }

    fn filled(&self, like: &Self) -> Result<Self> {
        missing::filled_vectors(self, like)
    }

    fn first_missing(&self) -> Option<(usize, usize)> {
        let at = self.matrix.values().iter().position(|v| v.is_nan())?;
        Some((at / self.matrix.columns(), at % self.matrix.columns()))
    }

    fn accepts(&self, samples: &Self) -> Result<()> {
        let (expected, found) = (self.matrix.columns(), samples.matrix.columns());
        if expected != found {
            return Err(Error::input(format!(
                "the model was fitted on {expected} features, but the samples have {found}{}",
                differing(&self.names, &samples.names)
            )));
        }
        if !self.names.is_empty() && !samples.names.is_empty() && self.names != samples.names {
            return Err(Error::input(format!(
                "the samples' features are not the model's{}",
                differing(&self.names, &samples.names)
            )));
        }
        Ok(())
    }
}

/// The error for joining no sets, which have no form.
pub(crate) fn nothing_to_join() -> Error {
    Error::input("there are no samples to join")
}

/// Names the features that are missing, unknown, or in a different order.
fn differing(model: &[String], given: &[String]) -> String {
    if model.is_empty() || given.is_empty() {
        return String::new();
    }
    let list = |a: &[String], b: &[String]| {
        let names: Vec<_> = a.iter().filter(|n| !b.contains(n)).map(|n| format!("`{n}`")).collect();
        let more = names.len().saturating_sub(5);
        let mut text = names[..names.len() - more].join(", ");
        if more > 0 {
            let _ = write!(text, " and {more} more");
        }
        text
    };
    let (missing, unknown) = (list(model, given), list(given, model));
    match (missing.is_empty(), unknown.is_empty()) {
        (true, true) => "; the names are the same, in another order".to_owned(),
        (false, true) => format!("; missing: {missing}"),
        (true, false) => format!("; unknown to the model: {unknown}"),
        (false, false) => format!("; missing: {missing}; unknown to the model: {unknown}"),
    }
}

/// One sample known only by its dissimilarities to the training samples.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecomputedRow {
    /// The index of the training sample, for training samples.
    pub(crate) id: usize,
    /// Its dissimilarities to all training samples. In training samples, empty after loading a model, because the file
    /// does not store them.
    pub(crate) values: Vec<f64>,
}

impl PrecomputedRow {
    /// The dissimilarity to a training sample, or NaN if unknown; callers must report that.
    pub(crate) fn to(&self, id: usize) -> f64 {
        self.values.get(id).copied().unwrap_or(f64::NAN)
    }
}

/// Samples known only by a matrix of dissimilarities: square for fitting, rectangular
/// (new samples x training samples) for scoring.
#[derive(Debug, Clone, PartialEq)]
pub struct Precomputed {
    pub(crate) rows: Vec<PrecomputedRow>,
    pub(crate) columns: usize,
}

/// Rounding differences between the two halves of a matrix up to this relative size are averaged out.
const ASYMMETRY: f64 = 1e-9;

impl Precomputed {
    /// All dissimilarities among the training samples: square, symmetric, zero diagonal, non-negative.
    pub fn square(mut matrix: Matrix) -> Result<Self> {
        let n = matrix.rows();
        if matrix.columns() != n {
            return Err(Error::input(format!(
                "the matrix has {n} rows and {} columns, but must be square for fitting",
                matrix.columns()
            )));
        }
        check_dissimilarities(&matrix)?;
        for i in 0..n {
            let own = matrix.row(i)[i];
            if own.abs() > 0.0 {
                return Err(InputFault::Diagonal { row: i, value: own }.into());
            }
            for j in i + 1..n {
                let (value, mirror) = (matrix.row(i)[j], matrix.row(j)[i]);
                if (value - mirror).abs() > ASYMMETRY * value.max(mirror) {
                    return Err(InputFault::Asymmetric { row: i, column: j, value, mirror }.into());
                }
                // Written this way because `value + mirror` may overflow.
                let mean = value + 0.5 * (mirror - value);
                matrix.row_mut(i)[j] = mean;
                matrix.row_mut(j)[i] = mean;
            }
        }
        Ok(Self::from_matrix(&matrix))
    }

    /// Dissimilarities of new samples (rows) to all training samples (columns).
    pub fn rectangular(matrix: Matrix) -> Result<Self> {
        check_dissimilarities(&matrix)?;
        Ok(Self::from_matrix(&matrix))
    }

    fn from_matrix(matrix: &Matrix) -> Self {
        let rows =
            (0..matrix.rows()).map(|id| PrecomputedRow { id, values: matrix.row(id).to_vec() }).collect();
        Self { rows, columns: matrix.columns() }
    }
}

fn check_dissimilarities(matrix: &Matrix) -> Result<()> {
    match matrix.values().iter().position(|v| !v.is_finite() || *v < 0.0) {
        None => Ok(()),
        Some(at) => Err(InputFault::BadDissimilarity {
            row: at / matrix.columns(),
            column: at % matrix.columns(),
            value: matrix.values()[at],
        }
        .into()),
    }
}

impl SampleSet for Precomputed {
    type Item = PrecomputedRow;

    fn count(&self) -> usize {
        self.rows.len()
    }

    fn sample(&self, i: usize) -> &PrecomputedRow {
        &self.rows[i]
    }

    fn bytes(&self) -> usize {
        self.count() * (32 + 8 * self.columns)
    }

    fn content_hash(&self, i: usize) -> Option<u64> {
        Some(facts::hash_of_set(&self.rows[i].values))
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self { rows: indices.iter().map(|&i| self.rows[i].clone()).collect(), columns: self.columns }
    }

    fn accepts(&self, samples: &Self) -> Result<()> {
        if let Some(row) = samples.rows.iter().find(|row| row.values.len() != samples.columns) {
            return Err(Error::input(format!(
                "the model does not keep the dissimilarities of its training samples, such as {}; give one row of {} \
                 dissimilarities per sample",
                row.id, self.columns
            )));
        }
        if self.columns == samples.columns {
            return Ok(());
        }
        Err(Error::input(format!(
            "the model was fitted on {} samples, so each row must hold {0} dissimilarities, but the rows hold {}",
            self.columns, samples.columns
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(values: &[f64], n: usize) -> Result<Precomputed> {
        Precomputed::square(Matrix::new(values.to_vec(), n, n))
    }

    #[test]
    fn vectors_reject_invalid_values() {
        let e = Vectors::from_rows(&[vec![1.0, 2.0], vec![3.0, f64::NAN]]).unwrap_err();
        assert_eq!(
            e.to_string(),
            "row 1, column 1: the value is NaN, but must be finite; drop the row or fill the cell"
        );
        let e = Vectors::from_rows(&[vec![1.0, 2.0], vec![3.0]]).unwrap_err();
        assert!(e.to_string().starts_with("row 1 has 1 values"), "{e}");
        assert!(Vectors::from_rows(&[Vec::<f64>::new()]).is_err());
    }

    #[test]
    fn other_features_are_named() {
        let named = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            Vectors::with_names(Matrix::zeros(1, names.len()), names).unwrap()
        };
        let model = named(&["a", "b", "c"]);
        assert!(model.accepts(&named(&["a", "b", "c"])).is_ok());
        let say = |names| model.accepts(&named(names)).unwrap_err().to_string();
        assert!(say(&["a", "b", "d"]).ends_with("missing: `c`; unknown to the model: `d`"));
        assert!(say(&["a", "c", "b"]).ends_with("another order"));
        assert!(say(&["a", "b"]).ends_with("but the samples have 2; missing: `c`"));
    }

    #[test]
    fn matrices_of_dissimilarities_are_checked() {
        assert!(square(&[0.0, 1.0, 1.0, 0.0], 2).is_ok());
        let say = |v: &[f64]| square(v, 2).unwrap_err().to_string();
        assert!(say(&[0.0, 1.0, 2.0, 0.0]).contains("not symmetric"));
        assert!(say(&[0.0, -1.0, -1.0, 0.0]).contains("is -1, but must be finite and not negative"));
        assert!(say(&[0.5, 1.0, 1.0, 0.0]).contains("entry (0, 0)"));
        let e = Precomputed::square(Matrix::zeros(2, 3)).unwrap_err();
        assert!(e.to_string().contains("2 rows and 3 columns"));
    }
}
