//! Vectors that are standardized and projected in each split, based on its training rows.

use eocc_baselines::Method;
use eocc_core::{Matrix, Observer, Result, Vectors};
use eocc_eval::{Experiment, LabelledSamples, RunOptions, Split, SplitRunner, fingerprint};

use super::projection::Projection;

/// A data set whose features are projected separately in each split.
pub struct Projected {
    name: String,
    fingerprint: String,
    rows: Matrix,
    nominal: Vec<usize>,
    outliers: Vec<usize>,
    projection: Projection,
    seed: u64,
}

impl Projected {
    /// Rows of which some are nominal and some are outliers.
    pub fn new(
        name: String,
        rows: Matrix,
        (nominal, outliers): (Vec<usize>, Vec<usize>),
        projection: Projection,
        seed: u64,
    ) -> Self {
        let bytes =
            |values: &[usize]| values.iter().flat_map(|v| (*v as u64).to_le_bytes()).collect::<Vec<u8>>();
        let content: Vec<u8> = rows.values().iter().flat_map(|v| v.to_le_bytes()).collect();
        let key = format!("{} {seed}", projection.key());
        let fingerprint = fingerprint(&[&content, &bytes(&nominal), &bytes(&outliers), key.as_bytes()]);
        Self { name, fingerprint, rows, nominal, outliers, projection, seed }
    }

    /// The rows as seen by a model of these training rows.
    pub fn seen(&self, train: &[usize]) -> Result<Vectors> {
        Vectors::new(self.projection.fit(&self.rows.select_rows(train)).transform(&self.rows))
    }
}

impl Experiment for Projected {
    fn name(&self) -> &str {
        &self.name
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn nominal(&self) -> &[usize] {
        &self.nominal
    }

    fn outliers(&self) -> &[usize] {
        &self.outliers
    }

    fn prepare<'a>(&'a self, split: &'a Split) -> Result<Box<SplitRunner<'a>>> {
        let samples = self.seen(&split.train)?;
        Ok(Box::new(move |method: &Method, observer: &dyn Observer| {
            let labelled = LabelledSamples {
                name: self.name.clone(),
                content: Vec::new(),
                samples: samples.clone().into(),
                nominal: self.nominal.clone(),
                outliers: self.outliers.clone(),
                test: None,
            };
            let set = labelled.experiment(&RunOptions { seed: self.seed, ..RunOptions::default() })?;
            set.prepare(split)?(method, observer)
        }))
    }
}
