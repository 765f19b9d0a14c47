//! What a one-class classifier is: it is fitted on nominals and then scores; larger is more nominal.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use eocc::embedding::embed;
use eocc::error::InputFault;
use eocc::{Dissimilarity, Error, Matrix, Result, SampleSet, Silent, Vectors};

use crate::dimension::intrinsic_dimension;
use crate::stopwatch::Stopwatch;

/// A one-class classifier for samples like those of `X`.
pub trait OneClass<X: SampleSet>: Send + Sync {
    /// Learns from nominal samples.
    fn fit(&self, training: &Training<X>) -> Result<Box<dyn Scorer<X>>>;
}

/// A fitted classifier.
pub trait Scorer<X: SampleSet>: Send + Sync {
    /// A score for each sample, larger for the more nominal; never NaN.
    fn scores(&self, tests: &Tests<X>) -> Result<Vec<f64>>;
}

/// What most classifiers reduce to: learning from one table of numbers, a row a nominal sample.
///
/// The table holds either the vectors or the square matrix of dissimilarities, as the registry says.
pub trait Learner: Send + Sync {
    /// Learns a rule.
    fn learn(&self, given: &Given<'_>) -> Result<Box<dyn Rule>>;
}

/// A learnt rule.
pub trait Rule: Send + Sync {
    /// The score of a sample, given by its vector or by its dissimilarities to all training samples.
    fn score(&self, row: &[f64]) -> f64;
}

impl<F: Fn(&[f64]) -> f64 + Send + Sync> Rule for F {
    fn score(&self, row: &[f64]) -> f64 {
        self(row)
    }
}

/// What a [`Learner`] learns from.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// Vectors, or dissimilarities among the nominal samples.
    pub table: &'a Matrix,
    /// Number of features of the samples; 0 where they have no fixed number.
    pub features: usize,
    /// Seed of all randomness.
    pub seed: u64,
}

impl Given<'_> {
    /// The dimension of the space the samples live in: their number of features, or an estimate from their
    /// dissimilarities where they have none.
    pub fn dimension(&self) -> f64 {
        if self.features > 0 { self.features as f64 } else { intrinsic_dimension(self.table) }
    }

    /// Fails unless there are at least `needed` samples.
    pub fn require(&self, needed: usize) -> Result<()> {
        let found = self.table.rows();
        if found < needed { Err(InputFault::TooFew { found, needed }.into()) } else { Ok(()) }
    }
}

/// Nominal samples to learn from, with the dissimilarity and all that several classifiers want of them, computed once.
///
/// A handle: cheap to clone, and what is computed through one is there for all.
pub struct Training<X: SampleSet>(Arc<Inner<X>>);

struct Inner<X: SampleSet> {
    samples: X,
    measure: Box<dyn Dissimilarity<X::Item>>,
    seed: u64,
    square: Shared,
}

impl<X: SampleSet> Training<X> {
    /// Takes the samples; the measure learns from them.
    pub fn new(samples: X, mut measure: Box<dyn Dissimilarity<X::Item>>, seed: u64) -> Result<Self> {
        if samples.count() < 2 {
            return Err(InputFault::TooFew { found: samples.count(), needed: 2 }.into());
        }
        measure.learn(&samples.refs(), samples.feature_names())?;
        Ok(Self(Arc::new(Inner { samples, measure, seed, square: Shared::default() })))
    }

    /// The samples.
    pub fn samples(&self) -> &X {
        &self.0.samples
    }

    /// Seed of all randomness.
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// The samples as vectors, if that is what they are.
    pub fn vectors(&self) -> Result<&Vectors> {
        as_any(&self.0.samples).downcast_ref().ok_or_else(needs_vectors)
    }

    /// All dissimilarities among the samples.
    pub fn square(&self) -> Result<Arc<Matrix>> {
        self.0.square.get(|| {
            let all: Vec<usize> = (0..self.0.samples.count()).collect();
            embed(&self.0.samples.refs(), &all, self.0.measure.as_ref(), &Silent)
        })
    }

    /// New samples, to be scored by classifiers fitted on these.
    pub fn tests(&self, samples: X) -> Result<Tests<X>> {
        self.0.samples.accepts(&samples)?;
        Ok(Tests { training: Self(self.0.clone()), samples, cross: Shared::default() })
    }

    /// Seconds that were saved since the last call because dissimilarities had been computed for somebody else. To be
    /// added to a time that is to be compared.
    pub fn saved_seconds(&self) -> f64 {
        self.0.square.saved_seconds()
    }
}

/// New samples, with their dissimilarities to the training samples.
pub struct Tests<X: SampleSet> {
    training: Training<X>,
    samples: X,
    cross: Shared,
}

impl<X: SampleSet> Tests<X> {
    /// The samples.
    pub fn samples(&self) -> &X {
        &self.samples
    }

    /// The samples as vectors, if that is what they are.
    pub fn vectors(&self) -> Result<&Vectors> {
        as_any(&self.samples).downcast_ref().ok_or_else(needs_vectors)
    }

    /// Dissimilarities to all training samples, a row a new sample.
    pub fn cross(&self) -> Result<Arc<Matrix>> {
        self.cross.get(|| {
            let columns = self.training.0.samples.count();
            let prepared = self.training.0.measure.prepare(&self.training.0.samples.refs());
            let mut matrix = Matrix::zeros(self.samples.count(), columns);
            for i in 0..self.samples.count() {
                let row = matrix.row_mut(i);
                prepared.fill(self.samples.sample(i), 0..columns, row);
                if let Some(j) = row.iter().position(|d| !d.is_finite() || *d < 0.0) {
                    return Err(InputFault::BadDissimilarity { row: i, column: j, value: row[j] }.into());
                }
            }
            Ok(matrix)
        })
    }

    /// Seconds saved, as [`Training::saved_seconds`].
    pub fn saved_seconds(&self) -> f64 {
        self.cross.saved_seconds()
    }
}

fn as_any<X: SampleSet>(samples: &X) -> &dyn Any {
    samples
}

fn needs_vectors() -> Error {
    Error::input("this classifier needs vectors of numbers; it cannot work from dissimilarities alone")
}

/// A matrix computed by whoever asks first.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    matrix: Option<Arc<Matrix>>,
    seconds: f64,
    saved: f64,
}

impl Shared {
    fn get(&self, make: impl FnOnce() -> Result<Matrix>) -> Result<Arc<Matrix>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(matrix) = state.matrix.clone() {
            state.saved += state.seconds;
            return Ok(matrix);
        }
        let watch = Stopwatch::start();
        let matrix = Arc::new(make()?);
        state.seconds = watch.seconds();
        state.matrix = Some(matrix.clone());
        Ok(matrix)
    }

    fn saved_seconds(&self) -> f64 {
        std::mem::take(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).saved)
    }
}

/// A learner from vectors, as a classifier.
pub(crate) struct OfVectors(pub(crate) Box<dyn Learner>);

impl<X: SampleSet> OneClass<X> for OfVectors {
    fn fit(&self, training: &Training<X>) -> Result<Box<dyn Scorer<X>>> {
        let table = training.vectors()?.matrix();
        let rule = self.0.learn(&Given { table, features: table.columns(), seed: training.seed() })?;
        Ok(Box::new(VectorScorer(rule)))
    }
}

struct VectorScorer(Box<dyn Rule>);

impl<X: SampleSet> Scorer<X> for VectorScorer {
    fn scores(&self, tests: &Tests<X>) -> Result<Vec<f64>> {
        all_scores(self.0.as_ref(), tests.vectors()?.matrix())
    }
}

/// A learner from dissimilarities, as a classifier.
pub(crate) struct OfDissimilarities(pub(crate) Box<dyn Learner>);

impl<X: SampleSet> OneClass<X> for OfDissimilarities {
    fn fit(&self, training: &Training<X>) -> Result<Box<dyn Scorer<X>>> {
        let table = training.square()?;
        let features = training.samples().features();
        let rule = self.0.learn(&Given { table: &table, features, seed: training.seed() })?;
        Ok(Box::new(RowScorer(rule)))
    }
}

struct RowScorer(Box<dyn Rule>);

impl<X: SampleSet> Scorer<X> for RowScorer {
    fn scores(&self, tests: &Tests<X>) -> Result<Vec<f64>> {
        all_scores(self.0.as_ref(), tests.cross()?.as_ref())
    }
}

fn all_scores(rule: &dyn Rule, table: &Matrix) -> Result<Vec<f64>> {
    let scores: Vec<f64> = (0..table.rows()).map(|i| rule.score(table.row(i))).collect();
    match scores.iter().position(|s| s.is_nan()) {
        None => Ok(scores),
        Some(i) => Err(Error::input(format!(
            "the score of test sample {i} is not a number; are some features far out of scale?"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc::dissimilarity::{Minkowski, Own};

    #[test]
    fn matrices_are_computed_once_and_the_time_is_not_lost() {
        let samples = Vectors::from_rows(&[[0.0], [1.0], [3.0]]).unwrap();
        let training = Training::new(samples.clone(), Box::new(Minkowski::euclidean()), 0).unwrap();
        let first = training.square().unwrap();
        assert!(training.saved_seconds().abs() < 1e-300);
        let second = training.square().unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        assert!(training.saved_seconds() > 0.0);
        assert!(training.saved_seconds().abs() < 1e-300);
        let cross = training.tests(samples).unwrap().cross().unwrap();
        assert_eq!(cross.as_ref(), first.as_ref());
    }

    #[test]
    fn words_have_dissimilarities_but_no_vectors() {
        let words: Vec<String> = ["a", "bb", "ccc"].map(String::from).to_vec();
        let lengths = Own::new(|a: &String, b: &String| a.len().abs_diff(b.len()) as f64);
        let training = Training::new(words, Box::new(lengths), 0).unwrap();
        assert_eq!(training.square().unwrap().row(0), [0.0, 1.0, 2.0]);
        assert!(training.vectors().unwrap_err().to_string().contains("needs vectors of numbers"));
        assert!(Training::new(vec![1.0], Box::new(Own::new(|_: &f64, _: &f64| 0.0)), 0).is_err());
    }
}
