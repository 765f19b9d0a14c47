//! Labelled samples of any type as a data set for a comparison.

use std::sync::{Arc, OnceLock};

use eocc_baselines::{Classifier, Judgement, Method, Needs, Options, Stopwatch, Tests, Training};
use eocc_core::{AnyDissimilarity, AnySamples, Error, Matrix, Observer, Preset, Result, Vectors};
use sha2::{Digest, Sha256};

use crate::experiment::{Experiment, Rejected, Scores, SplitRunner};
use crate::protocol::Split;
use crate::shared_matrix::SharedMatrix;
use crate::standardize::{Standardize, standardized};

/// Samples, some known to be nominal and some to be outliers.
pub struct LabelledSamples {
    /// Name in tables.
    pub name: String,
    /// The content that the samples were read from; its digest is part of the fingerprint.
    pub content: Vec<u8>,
    /// The samples.
    pub samples: AnySamples,
    /// Which of them are nominal.
    pub nominal: Vec<usize>,
    /// Which of them are outliers. Samples that are neither are not used.
    pub outliers: Vec<usize>,
    /// Samples of another file, which the test indices of a split refer to instead of `samples`.
    pub test: Option<AnySamples>,
}

/// How classifiers see the samples.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// The dissimilarity.
    pub dissimilarity: Options,
    /// Which classifiers see standardized features.
    pub standardize: Standardize,
    /// Whether dissimilarities that learn nothing are recomputed in every split. That measures the time of each
    /// classifier exactly; otherwise they are computed once, and every classifier is charged for all it may use.
    pub recompute: bool,
    /// The dissimilarities of all samples, if already known; they must not depend on learning.
    pub known: Option<Arc<Matrix>>,
    /// Seed of all randomness in the classifiers.
    pub seed: u64,
}

impl LabelledSamples {
    /// The data set of a comparison formed by these samples.
    pub fn experiment(self, options: &RunOptions) -> Result<Box<dyn Experiment>> {
        let Self { name, content, samples, nominal, outliers, test } = self;
        let seen = Labels {
            fingerprint: described(&content, &nominal, &outliers, options),
            name,
            nominal,
            outliers,
        };
        if test.as_ref().is_some_and(|test| test.kind() != samples.kind()) {
            return Err(Error::input("the two files hold samples of different types"));
        }
        Ok(Box::new(DataSet::new(seen, samples, test, options)?))
    }
}

/// The fingerprint of data and options.
fn described(content: &[u8], nominal: &[usize], outliers: &[usize], options: &RunOptions) -> String {
    let bytes = |rows: &[usize]| rows.iter().flat_map(|i| (*i as u64).to_le_bytes()).collect::<Vec<u8>>();
    let RunOptions { dissimilarity, standardize, seed, .. } = options;
    // The first two as before there were other options, so that older journals are still found.
    let standardize = match standardize {
        Standardize::None => "false",
        Standardize::All => "true",
        Standardize::WithoutOwnScales => "without own scales",
    };
    let options = format!("{dissimilarity:?} {standardize} {seed}");
    fingerprint(&[content, &bytes(nominal), &bytes(outliers), options.as_bytes()])
}

/// Sixteen letters that identify these bytes.
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

struct Labels {
    name: String,
    fingerprint: String,
    nominal: Vec<usize>,
    outliers: Vec<usize>,
}

/// Samples with their labels.
struct DataSet {
    labels: Labels,
    samples: AnySamples,
    test: Option<AnySamples>,
    options: RunOptions,
    shared: OnceLock<SharedMatrix>,
}

impl DataSet {
    fn new(
        labels: Labels,
        samples: AnySamples,
        test: Option<AnySamples>,
        options: &RunOptions,
    ) -> Result<Self> {
        // A wrong name should be reported immediately, not in every split.
        let Options { dissimilarity, settings } = &options.dissimilarity;
        samples.measure(Preset::Paper, dissimilarity.as_deref(), settings)?;
        if options.standardize != Standardize::None && samples.downcast_ref::<Vectors>().is_none() {
            return Err(Error::parameter("standardize", "set", "left out: these samples have no features"));
        }
        Ok(Self { labels, samples, test, options: options.clone(), shared: OnceLock::new() })
    }

    /// The two sides of a split, for classifiers with or without standardized features.
    fn prepared(&self, split: &Split, standardize: bool) -> Result<Prepared> {
        let tested = [&split.nominal[..], &split.outliers].concat();
        let from = self.test.as_ref().unwrap_or(&self.samples);
        let (mut train, mut test) = (self.samples.select(&split.train), from.select(&tested));
        if standardize {
            (train, test) = standardized(&train, &test).unwrap_or((train, test));
        }
        let Options { dissimilarity, settings } = &self.options.dissimilarity;
        let measure = self.samples.measure(Preset::Paper, dissimilarity.as_deref(), settings)?;
        Prepared::new(train, test, measure, self.options.seed)
    }

    /// Like `prepared`, from the shared matrix.
    fn prepared_from(&self, shared: &SharedMatrix, split: &Split) -> Result<Prepared> {
        let test = shared.select(&[&split.nominal[..], &split.outliers].concat());
        let measure = test.measure(Preset::Paper, None, &eocc_core::Settings::default())?;
        Prepared::new(shared.select(&split.train), test, measure, self.options.seed)
    }
}

impl DataSet {
    /// Like `prepared`, for a classifier that also uses the samples themselves.
    fn prepared_with_samples(
        &self,
        shared: &SharedMatrix,
        split: &Split,
        measure: AnyDissimilarity,
    ) -> Result<Prepared> {
        let side = |rows: &[usize]| self.samples.select(rows).with_known(shared.select(rows));
        let tested = side(&[&split.nominal[..], &split.outliers].concat())?;
        Prepared::new(side(&split.train)?, tested, measure, self.options.seed)
    }
}

impl Experiment for DataSet {
    fn name(&self) -> &str {
        &self.labels.name
    }

    fn fingerprint(&self) -> &str {
        &self.labels.fingerprint
    }

    fn nominal(&self) -> &[usize] {
        &self.labels.nominal
    }

    fn outliers(&self) -> &[usize] {
        &self.labels.outliers
    }

    fn begin(&self, methods: &[&Method], splits: &[&Split], observer: &dyn Observer) -> Result<()> {
        let method = methods.iter().find(|m| m.needs() == Needs::Dissimilarities);
        let (Some(method), None) = (method, &self.test) else { return Ok(()) };
        if splits.len() < 2 || self.options.recompute || self.shared.get().is_some() {
            return Ok(());
        }
        let template = method.dissimilarity(self.samples.kind(), &self.options.dissimilarity)?;
        let shared = match &self.options.known {
            Some(matrix) => Some(SharedMatrix::known(matrix, splits, &template)?),
            None => SharedMatrix::for_splits(&self.samples, splits, &template, observer)?,
        };
        if let Some(shared) = shared {
            self.shared.get_or_init(|| shared);
        }
        Ok(())
    }

    fn prepare<'a>(&'a self, split: &'a Split) -> Result<Box<SplitRunner<'a>>> {
        let Some(shared) = self.shared.get() else {
            let standardize = self.options.standardize;
            let first = self.prepared(split, standardize == Standardize::All)?;
            let is_mixed = standardize == Standardize::WithoutOwnScales;
            let second = if is_mixed { Some(self.prepared(split, true)?) } else { None };
            return Ok(Box::new(move |method: &Method, observer: &dyn Observer| {
                let seen = second.as_ref().filter(|_| standardize.applies_to(method)).unwrap_or(&first);
                seen.run(method, &self.options.dissimilarity, split, observer)
            }));
        };
        let prepared = self.prepared_from(shared, split)?;
        let (fit_seconds, score_seconds) =
            shared.seconds(split.train.len(), split.nominal.len() + split.outliers.len());
        Ok(Box::new(move |method: &Method, observer: &dyn Observer| {
            let options = &self.options.dissimilarity;
            let measure = method.dissimilarity(self.samples.kind(), options)?;
            if method.needs() != Needs::Dissimilarities || !shared.serves(&measure) {
                // Samples with a shared matrix have no features to standardize.
                return self.prepared(split, false)?.run(method, options, split, observer);
            }
            let scores = if method.preset() == Some(Preset::Default) && measure.has_sight() {
                let measure = measure.of_known(Preset::Default)?;
                let sides = self.prepared_with_samples(shared, split, measure.clone())?;
                sides.run_classifier(method.classifier_with(measure).as_ref(), split, observer)?
            } else {
                prepared.run(method, &Options::default(), split, observer)?
            };
            Ok(Scores {
                fit_seconds: scores.fit_seconds + fit_seconds,
                score_seconds: scores.score_seconds + score_seconds,
                ..scores
            })
        }))
    }
}

/// The two sides of a split.
struct Prepared {
    training: Training,
    tests: Tests,
}

impl Prepared {
    fn new(train: AnySamples, test: AnySamples, measure: AnyDissimilarity, seed: u64) -> Result<Self> {
        let training = Training::new(train, measure, seed)?;
        let tests = training.tests(test)?;
        Ok(Self { training, tests })
    }

    fn run(
        &self,
        method: &Method,
        options: &Options,
        split: &Split,
        observer: &dyn Observer,
    ) -> Result<Scores> {
        let classifier = method.classifier(self.training.samples().kind(), options)?;
        self.run_classifier(classifier.as_ref(), split, observer)
    }

    fn run_classifier(
        &self,
        classifier: &dyn Classifier,
        split: &Split,
        observer: &dyn Observer,
    ) -> Result<Scores> {
        let watch = Stopwatch::start();
        let scorer = classifier.fit(&self.training, observer)?;
        let fit_seconds = watch.seconds() + self.training.saved_seconds();
        let watch = Stopwatch::start();
        let Judgement { scores: mut nominal, accepted } = scorer.judge(&self.tests, observer)?;
        let score_seconds = watch.seconds() + self.tests.saved_seconds();
        let outliers = nominal.split_off(split.nominal.len());
        let rejected = accepted.map(|accepted| {
            let count = |part: &[bool]| part.iter().filter(|accepted| !**accepted).count();
            let (of_nominal, of_outliers) = (nominal.len(), outliers.len());
            let (first, second) = accepted.split_at(of_nominal);
            Rejected { nominal: count(first), of_nominal, outliers: count(second), of_outliers }
        });
        Ok(Scores { nominal, outliers, rejected, fit_seconds, score_seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_baselines::method;
    use eocc_core::{Silent, Texts};

    fn vectors(content: &[u8], nominal: Vec<usize>, options: &RunOptions) -> Result<Box<dyn Experiment>> {
        LabelledSamples {
            name: "a".to_owned(),
            content: content.to_vec(),
            samples: Vectors::from_rows(&[[0.0], [1.0], [2.0]])?.into(),
            nominal,
            outliers: Vec::new(),
            test: None,
        }
        .experiment(options)
    }

    #[test]
    fn fingerprints_tell_data_nominals_and_options_apart() {
        let plain = RunOptions::default();
        let of = |content: &[u8], nominal: Vec<usize>, options: &RunOptions| {
            vectors(content, nominal, options).unwrap().fingerprint().to_owned()
        };
        assert_eq!(of(b"x", vec![0, 1], &plain), of(b"x", vec![0, 1], &plain));
        assert_ne!(of(b"x", vec![0, 1], &plain), of(b"y", vec![0, 1], &plain));
        assert_ne!(of(b"x", vec![0, 1], &plain), of(b"x", vec![0, 2], &plain));
        let manhattan = Options { dissimilarity: Some("manhattan".to_owned()), ..Options::default() };
        for options in [
            RunOptions { seed: 1, ..plain.clone() },
            RunOptions { standardize: Standardize::All, ..plain.clone() },
            RunOptions { standardize: Standardize::WithoutOwnScales, ..plain.clone() },
            RunOptions { dissimilarity: manhattan, ..plain.clone() },
        ] {
            assert_ne!(of(b"x", vec![0, 1], &plain), of(b"x", vec![0, 1], &options), "{options:?}");
        }
    }

    #[test]
    fn an_unknown_dissimilarity_is_reported_at_once() {
        let dissimilarity = Options { dissimilarity: Some("nonsense".to_owned()), ..Options::default() };
        let e = vectors(b"", vec![0], &RunOptions { dissimilarity, ..RunOptions::default() }).err().unwrap();
        assert!(e.is_parameter(), "{e}");
    }

    #[test]
    fn each_classifier_sees_the_features_that_are_meant_for_it() {
        // The second feature has large units and no information.
        let row = |i: u32| {
            let outlier = if i < 30 { 0.0 } else { 20.0 };
            [f64::from(i * 7 % 11) + outlier, 1000.0 * f64::from(i * 5 % 13)]
        };
        let split = Split {
            repeat: 0,
            fold: 0,
            train: (0..20).collect(),
            nominal: (20..30).collect(),
            outliers: (30..40).collect(),
        };
        let scores = |standardize: Standardize, name: &str| {
            let set = LabelledSamples {
                name: "a".to_owned(),
                content: Vec::new(),
                samples: Vectors::from_rows(&(0..40).map(row).collect::<Vec<_>>()).unwrap().into(),
                nominal: (0..30).collect(),
                outliers: (30..40).collect(),
                test: None,
            };
            let set = set.experiment(&RunOptions { standardize, ..RunOptions::default() }).unwrap();
            let run = set.prepare(&split).unwrap();
            run(method(name).unwrap(), &Silent).unwrap().nominal
        };
        let mixed = Standardize::WithoutOwnScales;
        assert_eq!(scores(mixed, "k-nn-mean"), scores(Standardize::All, "k-nn-mean"));
        assert_ne!(scores(mixed, "k-nn-mean"), scores(Standardize::None, "k-nn-mean"));
        assert_eq!(scores(mixed, "default"), scores(Standardize::None, "default"));
    }

    #[test]
    fn a_shared_matrix_changes_no_score_and_its_time_is_charged() {
        let words = (0..40_u32).map(|i| "abcdefgh"[..=(i * i % 7) as usize].repeat(1 + i as usize % 3));
        let experiment = |recompute| {
            LabelledSamples {
                name: "words".to_owned(),
                content: Vec::new(),
                samples: Texts::new(words.clone().collect()).unwrap().into(),
                nominal: (0..30).collect(),
                outliers: (31..40).collect(),
                test: None,
            }
            .experiment(&RunOptions { recompute, ..RunOptions::default() })
            .unwrap()
        };
        let train = (0..20).collect();
        let split =
            Split { repeat: 0, fold: 0, train, nominal: (20..30).collect(), outliers: (31..40).collect() };
        let methods = ["default", "paper", "lof"].map(|name| method(name).unwrap());
        let scores = |set: Box<dyn Experiment>| {
            set.begin(&methods, &[&split, &split], &Silent).unwrap();
            let run = set.prepare(&split).unwrap();
            methods.map(|m| run(m, &Silent).unwrap())
        };
        let (shared, alone) = (scores(experiment(false)), scores(experiment(true)));
        for (a, b) in shared.iter().zip(&alone) {
            assert_eq!((&a.nominal, &a.outliers), (&b.nominal, &b.outliers));
            assert!(a.fit_seconds > 0.0 && a.score_seconds > 0.0);
        }
        let gauss = experiment(false);
        gauss.begin(&methods, &[&split, &split], &Silent).unwrap();
        let e = gauss.prepare(&split).unwrap()(method("gauss").unwrap(), &Silent).unwrap_err().to_string();
        assert!(e.contains("needs vectors"), "{e}");
    }
}
