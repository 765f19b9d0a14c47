//! Labelled samples of any type as a data set of a comparison.

use std::sync::OnceLock;

use eocc_baselines::{Classifier, Method, Needs, Options, Stopwatch, Tests, Training};
use eocc_core::{AnyDissimilarity, AnySamples, Error, Observer, Preset, Result, Vectors};
use sha2::{Digest, Sha256};

use crate::experiment::{Experiment, Scores, SplitRunner};
use crate::protocol::Split;
use crate::shared_matrix::SharedMatrix;
use crate::standardize::standardized;

/// Samples of which some are known to be nominal and some to be outliers.
pub struct LabelledSamples {
    /// Name in tables.
    pub name: String,
    /// What the samples were read from; its digest is part of the fingerprint.
    pub content: Vec<u8>,
    /// The samples.
    pub samples: AnySamples,
    /// Which of them are nominal.
    pub nominal: Vec<usize>,
    /// Which of them are outliers. Samples that are neither are not used.
    pub outliers: Vec<usize>,
    /// Samples of another file, which the test indices of a split count in place of `samples`.
    pub test: Option<AnySamples>,
}

/// How classifiers see the samples.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// The dissimilarity.
    pub dissimilarity: Options,
    /// Whether every feature is divided by its standard deviation among the training samples.
    pub standardize: bool,
    /// Whether dissimilarities that learn nothing are computed anew in every split. That measures the time of each
    /// classifier exactly; otherwise they are computed once, and every classifier is charged for all it may ask for.
    pub recompute: bool,
    /// Seed of all randomness in the classifiers.
    pub seed: u64,
}

impl LabelledSamples {
    /// The data set of a comparison that these samples make.
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
    let options = format!("{dissimilarity:?} {standardize} {seed}");
    fingerprint(&[content, &bytes(nominal), &bytes(outliers), options.as_bytes()])
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
        // A name that does not exist should be told at once, not in every split.
        let Options { dissimilarity, settings } = &options.dissimilarity;
        samples.measure(Preset::Paper, dissimilarity.as_deref(), settings)?;
        if options.standardize && samples.downcast_ref::<Vectors>().is_none() {
            return Err(Error::parameter("standardize", "set", "left out: these samples have no features"));
        }
        Ok(Self { labels, samples, test, options: options.clone(), shared: OnceLock::new() })
    }

    fn prepared(&self, split: &Split) -> Result<Prepared> {
        let tested = [&split.nominal[..], &split.outliers].concat();
        let from = self.test.as_ref().unwrap_or(&self.samples);
        let (mut train, mut test) = (self.samples.select(&split.train), from.select(&tested));
        if self.options.standardize {
            (train, test) = standardized(&train, &test).unwrap_or((train, test));
        }
        let Options { dissimilarity, settings } = &self.options.dissimilarity;
        let measure = self.samples.measure(Preset::Paper, dissimilarity.as_deref(), settings)?;
        Prepared::new(train, test, measure, self.options.seed)
    }

    /// The same by way of the shared matrix.
    fn prepared_from(&self, shared: &SharedMatrix, split: &Split) -> Result<Prepared> {
        let test = shared.select(&[&split.nominal[..], &split.outliers].concat());
        let measure = test.measure(Preset::Paper, None, &eocc_core::Settings::default())?;
        Prepared::new(shared.select(&split.train), test, measure, self.options.seed)
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
        if let Some(shared) = SharedMatrix::of(&self.samples, splits, &template, observer)? {
            self.shared.get_or_init(|| shared);
        }
        Ok(())
    }

    fn prepare<'a>(&'a self, split: &'a Split) -> Result<Box<SplitRunner<'a>>> {
        let Some(shared) = self.shared.get() else {
            let prepared = self.prepared(split)?;
            return Ok(Box::new(move |method: &Method, observer: &dyn Observer| {
                prepared.run(method, &self.options.dissimilarity, split, observer)
            }));
        };
        let prepared = self.prepared_from(shared, split)?;
        let (fit_seconds, score_seconds) =
            shared.seconds(split.train.len(), split.nominal.len() + split.outliers.len());
        Ok(Box::new(move |method: &Method, observer: &dyn Observer| {
            let options = &self.options.dissimilarity;
            if method.needs() != Needs::Dissimilarities
                || !shared.serves(&method.dissimilarity(self.samples.kind(), options)?)
            {
                return self.prepared(split)?.run(method, options, split, observer);
            }
            let scores = prepared.run(method, &Options::default(), split, observer)?;
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
        let classifier: Box<dyn Classifier> = method.classifier(self.training.samples().kind(), options)?;
        let watch = Stopwatch::start();
        let scorer = classifier.fit(&self.training, observer)?;
        let fit_seconds = watch.seconds() + self.training.saved_seconds();
        let watch = Stopwatch::start();
        let mut nominal = scorer.scores(&self.tests, observer)?;
        let score_seconds = watch.seconds() + self.tests.saved_seconds();
        let outliers = nominal.split_off(split.nominal.len());
        Ok(Scores { nominal, outliers, fit_seconds, score_seconds })
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
            RunOptions { standardize: true, ..plain.clone() },
            RunOptions { dissimilarity: manhattan, ..plain.clone() },
        ] {
            assert_ne!(of(b"x", vec![0, 1], &plain), of(b"x", vec![0, 1], &options), "{options:?}");
        }
    }

    #[test]
    fn an_unknown_dissimilarity_is_told_at_once() {
        let dissimilarity = Options { dissimilarity: Some("nonsense".to_owned()), ..Options::default() };
        let e = vectors(b"", vec![0], &RunOptions { dissimilarity, ..RunOptions::default() }).err().unwrap();
        assert!(e.is_parameter(), "{e}");
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
