//! A data set in a comparison, whatever its samples are.

use std::any::Any;

use eocc::{Catalogue, Error, Matrix, Preset, Result, SampleSet, Vectors};
use eocc_baselines::{Options, Stopwatch, Training, method};
use sha2::{Digest, Sha256};

use crate::protocol::{Scores, Split};

/// Runs the classifier with this name on one fold.
pub type Run<'a> = dyn Fn(&str) -> Result<Scores> + 'a;

/// A data set that classifiers can be run on.
pub trait Experiment: Sync {
    /// Its name in tables.
    fn name(&self) -> &str;

    /// What tells it from others, in a few letters.
    fn fingerprint(&self) -> &str;

    /// Nominal samples.
    fn nominal(&self) -> &[usize];

    /// The others.
    fn others(&self) -> &[usize];

    /// Prepares one fold, on which several classifiers may then be run.
    fn prepare<'a>(&'a self, split: &'a Split) -> Result<Box<Run<'a>>>;
}

/// Samples of one type, with what classifiers need to know of them.
pub struct DataSet<X: Catalogue> {
    name: String,
    fingerprint: String,
    samples: X,
    nominal: Vec<usize>,
    others: Vec<usize>,
    options: Options,
    standardize: bool,
    seed: u64,
}

impl<X: Catalogue> DataSet<X> {
    /// Takes samples of which these are nominal. `content` is what the samples were read from; its digest is the
    /// fingerprint. With `standardize`, every feature is divided by its standard deviation in the training part of a fold.
    pub fn new(
        name: String,
        content: &[u8],
        samples: X,
        nominal: Vec<usize>,
        options: Options,
        standardize: bool,
        seed: u64,
    ) -> Result<Self> {
        // A name that does not exist should be told at once, not in every fold.
        X::measure(Preset::Paper, options.dissimilarity.as_deref(), &options.settings)?;
        if standardize && as_vectors(&samples).is_none() {
            return Err(Error::parameter("standardize", "set", "left out: these samples have no features"));
        }
        let is_nominal: std::collections::HashSet<usize> = nominal.iter().copied().collect();
        let others = (0..samples.count()).filter(|i| !is_nominal.contains(i)).collect();
        let rows: Vec<u8> = nominal.iter().flat_map(|i| i.to_le_bytes()).collect();
        let fingerprint = fingerprint(&[content, &rows]);
        Ok(Self { name, fingerprint, samples, nominal, others, options, standardize, seed })
    }
}

/// Sixteen letters that tell these bytes from others.
pub fn fingerprint(parts: &[&[u8]]) -> String {
    use std::fmt::Write as _;
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().iter().take(8).fold(String::new(), |mut text, b| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{b:02x}");
        text
    })
}

impl<X: Catalogue> Experiment for DataSet<X> {
    fn name(&self) -> &str {
        &self.name
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn nominal(&self) -> &[usize] {
        &self.nominal
    }

    fn others(&self) -> &[usize] {
        &self.others
    }

    fn prepare<'a>(&'a self, split: &'a Split) -> Result<Box<Run<'a>>> {
        let all = [&split.nominal[..], &split.others].concat();
        let (mut train, mut test) = (self.samples.select(&split.train), self.samples.select(&all));
        if self.standardize {
            (train, test) = standardized(&train, &test).unwrap_or((train, test));
        }
        let measure =
            X::measure(Preset::Paper, self.options.dissimilarity.as_deref(), &self.options.settings)?;
        let training = Training::new(train, measure, self.seed)?;
        let tests = training.tests(test)?;
        Ok(Box::new(move |name: &str| {
            let classifier = method(name)?.classifier::<X>(&self.options)?;
            let watch = Stopwatch::start();
            let scorer = classifier.fit(&training)?;
            let fit_seconds = watch.seconds() + training.saved_seconds();
            let watch = Stopwatch::start();
            let mut nominal = scorer.scores(&tests)?;
            let score_seconds = watch.seconds() + tests.saved_seconds();
            let others = nominal.split_off(split.nominal.len());
            Ok(Scores { nominal, others, fit_seconds, score_seconds })
        }))
    }
}

fn as_vectors<X: SampleSet>(samples: &X) -> Option<&Vectors> {
    (samples as &dyn Any).downcast_ref()
}

/// Both sets with every feature less its mean and divided by its standard deviation in the first; `None` if they have no
/// features. A feature that does not vary is left as it is.
fn standardized<X: SampleSet>(train: &X, test: &X) -> Option<(X, X)> {
    let (a, b) = (as_vectors(train)?, as_vectors(test)?);
    let n = a.count() as f64;
    let column = |f: usize| (0..a.count()).map(move |i| a.matrix().row(i)[f]);
    let scales: Vec<(f64, f64)> = (0..a.features())
        .map(|f| {
            let mean = column(f).sum::<f64>() / n;
            let deviation = (column(f).map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
            (mean, if deviation > 0.0 { deviation } else { 1.0 })
        })
        .collect();
    let scaled = |set: &Vectors| -> Option<X> {
        let mut matrix: Matrix = set.matrix().clone();
        for i in 0..matrix.rows() {
            for (v, (mean, deviation)) in matrix.row_mut(i).iter_mut().zip(&scales) {
                *v = (*v - mean) / deviation;
            }
        }
        let vectors = Vectors::with_names(matrix, set.feature_names().to_vec()).ok()?;
        (&vectors as &dyn Any).downcast_ref::<X>().cloned()
    };
    Some((scaled(a)?, scaled(b)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_standardized_by_the_training_part() {
        let train = Vectors::from_rows(&[[0.0, 5.0], [2.0, 5.0]]).unwrap();
        let test = Vectors::from_rows(&[[3.0, 7.0]]).unwrap();
        let (a, b) = standardized(&train, &test).unwrap();
        assert_eq!(a.matrix().values(), [-1.0, 0.0, 1.0, 0.0]);
        assert_eq!(b.matrix().values(), [2.0, 2.0]);
        assert!(standardized(&vec![1, 2], &vec![3]).is_none());
    }

    #[test]
    fn fingerprints_tell_data_and_nominals_apart() {
        let set = |content: &[u8], nominal: Vec<usize>| {
            let samples = Vectors::from_rows(&[[0.0], [1.0], [2.0]]).unwrap();
            let made = DataSet::new("a".to_owned(), content, samples, nominal, Options::default(), false, 0);
            made.unwrap().fingerprint().to_owned()
        };
        assert_eq!(set(b"x", vec![0, 1]), set(b"x", vec![0, 1]));
        assert_ne!(set(b"x", vec![0, 1]), set(b"y", vec![0, 1]));
        assert_ne!(set(b"x", vec![0, 1]), set(b"x", vec![0, 2]));
    }

    #[test]
    fn an_unknown_measure_is_told_at_once() {
        let samples = Vectors::from_rows(&[[0.0], [1.0]]).unwrap();
        let options = Options { dissimilarity: Some("nonsense".to_owned()), ..Options::default() };
        let e = DataSet::new("a".to_owned(), b"", samples, vec![0], options, false, 0).err().unwrap();
        assert!(e.is_parameter(), "{e}");
    }
}
