//! The interface of a one-class classifier: it is fitted on nominals and then scores; larger is more nominal.

use std::sync::{Arc, Mutex, PoisonError};

use eocc_core::error::InputFault;
use eocc_core::{AnyDissimilarity, AnySamples, Error, Matrix, Observer, Result, Silent, Vectors};

use crate::dimension::intrinsic_dimension;
use crate::stopwatch::Stopwatch;

/// A one-class classifier.
pub trait Classifier: Send + Sync {
    /// Learns from nominal samples. A slow classifier reports its progress to `observer` and stops when that cancels;
    /// most finish first.
    fn fit(&self, training: &Training, observer: &dyn Observer) -> Result<Box<dyn Scorer>>;
}

/// A fitted classifier.
pub trait Scorer: Send + Sync {
    /// A score for each sample, larger for more nominal ones; never NaN.
    fn scores(&self, tests: &Tests, observer: &dyn Observer) -> Result<Vec<f64>>;

    /// The scores, and which samples are accepted if the classifier has a threshold.
    fn judge(&self, tests: &Tests, observer: &dyn Observer) -> Result<Judgement> {
        Ok(Judgement { scores: self.scores(tests, observer)?, accepted: None })
    }
}

/// A classifier's result for some samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// One score per sample.
    pub scores: Vec<f64>,
    /// Whether each is accepted, if the classifier has a threshold.
    pub accepted: Option<Vec<bool>>,
}

/// The interface of most classifiers: learning from one table of numbers, with one row per nominal sample.
///
/// The table holds either the vectors or the square matrix of dissimilarities, as given in the registry.
pub trait Learner: Send + Sync {
    /// Learns a rule.
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>>;
}

/// A learned rule.
pub trait Rule: Send + Sync {
    /// The score of a sample, given by its vector or by its dissimilarities to all training samples.
    fn score(&self, row: &[f64]) -> f64;
}

impl<F: Fn(&[f64]) -> f64 + Send + Sync> Rule for F {
    fn score(&self, row: &[f64]) -> f64 {
        self(row)
    }
}

/// The nominal samples as a [`Learner`] sees them: a table of numbers.
#[derive(Debug, Clone, Copy)]
pub struct TrainingTable<'a> {
    /// Vectors, or dissimilarities among the nominal samples.
    pub table: &'a Matrix,
    /// Number of features of the samples; 0 if it is not fixed.
    pub features: usize,
    /// Seed of all randomness.
    pub seed: u64,
}

impl TrainingTable<'_> {
    /// The dimension of the samples' space: their number of features, or an estimate from their dissimilarities if
    /// they have none.
    pub fn dimension(&self) -> f64 {
        if self.features > 0 { self.features as f64 } else { intrinsic_dimension(self.table) }
    }

    /// Fails unless there are at least `needed` samples.
    pub fn require(&self, needed: usize) -> Result<()> {
        let found = self.table.rows();
        if found < needed { Err(InputFault::TooFew { found, needed }.into()) } else { Ok(()) }
    }
}

/// Nominal samples to learn from, with the dissimilarity and everything that several classifiers share, computed on
/// first use.
///
/// A handle: cheap to clone, and clones share what is computed.
pub struct Training(Arc<Inner>);

struct Inner {
    samples: AnySamples,
    /// Before learning.
    template: AnyDissimilarity,
    learned: Mutex<Option<Arc<AnyDissimilarity>>>,
    seed: u64,
    square: Shared,
}

impl Training {
    /// Takes the samples. The dissimilarity learns from them when the first classifier needs it: one that works on
    /// vectors, or brings its own, does not pay for it.
    pub fn new(samples: impl Into<AnySamples>, dissimilarity: AnyDissimilarity, seed: u64) -> Result<Self> {
        let samples = samples.into();
        if samples.count() < 2 {
            return Err(InputFault::TooFew { found: samples.count(), needed: 2 }.into());
        }
        let (learned, square) = (Mutex::new(None), Shared::default());
        Ok(Self(Arc::new(Inner { samples, template: dissimilarity, learned, seed, square })))
    }

    /// The samples.
    pub fn samples(&self) -> &AnySamples {
        &self.0.samples
    }

    /// Seed of all randomness.
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// The samples as vectors, if they are.
    pub fn vectors(&self) -> Result<&Vectors> {
        self.0.samples.downcast_ref().ok_or_else(needs_vectors)
    }

    fn dissimilarity(&self) -> Result<Arc<AnyDissimilarity>> {
        let mut learned = self.0.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = learned.as_ref() {
            return Ok(known.clone());
        }
        let mut new = self.0.template.clone();
        new.learn_all(&self.0.samples)?;
        let new = Arc::new(new);
        *learned = Some(new.clone());
        Ok(new)
    }

    /// All dissimilarities among the samples.
    pub fn square(&self) -> Result<Arc<Matrix>> {
        self.0.square.get(|| self.dissimilarity()?.matrix(&self.0.samples, &Silent))
    }

    /// New samples, to be scored by classifiers fitted on these.
    pub fn tests(&self, samples: impl Into<AnySamples>) -> Result<Tests> {
        let samples = self.0.samples.conform(&samples.into())?;
        Ok(Tests { training: Self(self.0.clone()), samples, cross: Shared::default() })
    }

    /// Seconds saved since the last call because dissimilarities had been computed for another classifier. Must be
    /// added to times that are to be compared.
    pub fn saved_seconds(&self) -> f64 {
        self.0.square.saved_seconds()
    }
}

/// New samples, with their dissimilarities to the training samples.
pub struct Tests {
    training: Training,
    samples: AnySamples,
    cross: Shared,
}

impl Tests {
    /// The samples.
    pub fn samples(&self) -> &AnySamples {
        &self.samples
    }

    /// The samples as vectors, if they are.
    pub fn vectors(&self) -> Result<&Vectors> {
        self.samples.downcast_ref().ok_or_else(needs_vectors)
    }

    /// Dissimilarities to all training samples, one row per new sample.
    pub fn cross(&self) -> Result<Arc<Matrix>> {
        self.cross.get(|| {
            let columns = self.training.0.samples.count();
            let all: Vec<usize> = (0..columns).collect();
            let dissimilarity = self.training.dissimilarity()?;
            let prepared = dissimilarity.prepare(&self.training.0.samples, &all)?;
            let mut matrix = Matrix::zeros(self.samples.count(), columns);
            for i in 0..self.samples.count() {
                let row = matrix.row_mut(i);
                prepared.fill((&self.samples, i), 0..columns, row);
                if let Some(j) = row.iter().position(|d| !d.is_finite() || *d < 0.0) {
                    return Err(InputFault::BadDissimilarity { row: i, column: j, value: row[j] }.into());
                }
            }
            Ok(matrix)
        })
    }

    /// Seconds saved, as in [`Training::saved_seconds`].
    pub fn saved_seconds(&self) -> f64 {
        self.cross.saved_seconds()
    }
}

fn needs_vectors() -> Error {
    Error::input("this classifier needs vectors of numbers; it cannot work from dissimilarities alone")
}

/// A matrix computed on first use.
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

impl Classifier for OfVectors {
    fn fit(&self, training: &Training, _: &dyn Observer) -> Result<Box<dyn Scorer>> {
        let table = training.vectors()?.matrix();
        let rule =
            self.0.learn(&TrainingTable { table, features: table.columns(), seed: training.seed() })?;
        Ok(Box::new(VectorScorer(rule)))
    }
}

struct VectorScorer(Box<dyn Rule>);

impl Scorer for VectorScorer {
    fn scores(&self, tests: &Tests, _: &dyn Observer) -> Result<Vec<f64>> {
        all_scores(self.0.as_ref(), tests.vectors()?.matrix())
    }
}

/// A learner from dissimilarities, as a classifier.
pub(crate) struct OfDissimilarities(pub(crate) Box<dyn Learner>);

impl Classifier for OfDissimilarities {
    fn fit(&self, training: &Training, _: &dyn Observer) -> Result<Box<dyn Scorer>> {
        let table = training.square()?;
        let features = training.samples().features();
        let rule = self.0.learn(&TrainingTable { table: &table, features, seed: training.seed() })?;
        Ok(Box::new(RowScorer(rule)))
    }
}

struct RowScorer(Box<dyn Rule>);

impl Scorer for RowScorer {
    fn scores(&self, tests: &Tests, _: &dyn Observer) -> Result<Vec<f64>> {
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
    use eocc_core::Texts;
    use eocc_core::dissimilarity::{CustomDissimilarity, Minkowski};

    #[test]
    fn matrices_are_computed_once_and_the_time_is_not_lost() {
        let samples = Vectors::from_rows(&[[0.0], [1.0], [3.0]]).unwrap();
        let training = Training::new(
            samples.clone(),
            AnyDissimilarity::new::<Vectors>(Box::new(Minkowski::euclidean())),
            0,
        )
        .unwrap();
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
        let words = |words: &[&str]| Texts::new(words.iter().map(ToString::to_string).collect()).unwrap();
        let lengths = CustomDissimilarity::new(|a: &str, b: &str| a.len().abs_diff(b.len()) as f64);
        let lengths = AnyDissimilarity::new::<Texts>(Box::new(lengths));
        let training = Training::new(words(&["a", "bb", "ccc"]), lengths.clone(), 0).unwrap();
        assert_eq!(training.square().unwrap().row(0), [0.0, 1.0, 2.0]);
        assert!(training.vectors().unwrap_err().to_string().contains("needs vectors of numbers"));
        assert!(Training::new(words(&["a"]), lengths, 0).is_err());
    }
}
