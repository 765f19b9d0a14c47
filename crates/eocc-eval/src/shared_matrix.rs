//! Dissimilarities that are computed once for all splits.
//!
//! A dissimilarity that learns nothing has the same value for two samples in every split. Recomputing it in each of
//! fifty splits would cost fifty times as much.

use std::collections::{BTreeSet, HashMap};

use eocc_baselines::Stopwatch;
use eocc_core::{AnyDissimilarity, AnySamples, Error, Matrix, Observer, Precomputed, Remedy, Result};
use serde_json::Value;

use crate::protocol::Split;

/// The dissimilarities of all samples that any split uses to all samples that any split trains on.
pub(crate) struct SharedMatrix {
    /// Training rows come first, in the order of the columns.
    matrix: AnySamples,
    /// The row of each sample.
    rows: HashMap<usize, usize>,
    identity: Identity,
    /// Processor time per dissimilarity.
    seconds_per_pair: f64,
}

/// Identifies a dissimilarity before it learns.
type Identity = (&'static str, Option<Value>);

fn identity(template: &AnyDissimilarity) -> Identity {
    (template.name(), template.state())
}

impl SharedMatrix {
    /// The matrix for these splits, if the dissimilarity does not depend on learning, has nothing to search, and
    /// memory suffices. Samples that it cannot compare are an error.
    pub(crate) fn for_splits(
        samples: &AnySamples,
        splits: &[&Split],
        template: &AnyDissimilarity,
        observer: &dyn Observer,
    ) -> Result<Option<Self>> {
        let (rows, t) = rows_of(splits);
        let is_precomputed = samples.downcast_ref::<Precomputed>().is_some();
        let is_out = is_precomputed || !template.properties().symmetric || samples.features() > 0;
        if is_out || !fits(rows.len(), t) {
            return Ok(None);
        }
        let all = samples.select(&rows);
        let learned = learned(&all, template)?;
        for (i, row) in rows.iter().enumerate() {
            learned.check(&all, i).map_err(|e| Error::input(format!("sample {row}: {e}")))?;
        }
        // Learned from all samples and from some of them: equal, or it depends on the split.
        let some = self::learned(&samples.select(&rows[..t.div_ceil(2)]), template)?.state();
        if !learned.parameters().is_empty() || learned.state().is_none() || learned.state() != some {
            return Ok(None);
        }
        let watch = Stopwatch::start();
        let columns = all.select(&(0..t).collect::<Vec<_>>());
        let rest = all.select(&(t..rows.len()).collect::<Vec<_>>());
        let square = learned.matrix(&columns, observer)?;
        // Rows are new samples in the form of the columns.
        let cross = learned.between_sets(&rest, &columns, observer)?;
        let seconds = watch.seconds();
        let pairs = t * (t - 1) / 2 + rest.count() * t;
        let matrix = Matrix::new([square.values(), cross.values()].concat(), rows.len(), t);
        Ok(Some(Self {
            matrix: Precomputed::rectangular(matrix)?.into(),
            rows: rows.iter().enumerate().map(|(row, &sample)| (sample, row)).collect(),
            identity: identity(template),
            seconds_per_pair: seconds / pairs.max(1) as f64,
        }))
    }

    /// The matrix from known dissimilarities between all samples.
    pub(crate) fn known(all: &Matrix, splits: &[&Split], template: &AnyDissimilarity) -> Result<Self> {
        let (rows, t) = rows_of(splits);
        let values = rows.iter().flat_map(|&i| rows[..t].iter().map(move |&j| all.row(i)[j])).collect();
        Ok(Self {
            matrix: Precomputed::rectangular(Matrix::new(values, rows.len(), t))?.into(),
            rows: rows.iter().enumerate().map(|(row, &sample)| (sample, row)).collect(),
            identity: identity(template),
            seconds_per_pair: 0.0,
        })
    }

    /// Whether these are the values of this dissimilarity.
    pub(crate) fn serves(&self, template: &AnyDissimilarity) -> bool {
        self.identity == identity(template)
    }

    /// Samples as rows of the matrix.
    pub(crate) fn select(&self, indices: &[usize]) -> AnySamples {
        let rows: Vec<usize> = indices.iter().filter_map(|i| self.rows.get(i).copied()).collect();
        self.matrix.select(&rows)
    }

    /// The cost of these dissimilarities for a classifier that computes them itself: all among the training samples,
    /// and from every test sample to all of them.
    pub(crate) fn seconds(&self, train: usize, test: usize) -> (f64, f64) {
        let train = train as f64;
        (0.5 * train * (train - 1.0) * self.seconds_per_pair, test as f64 * train * self.seconds_per_pair)
    }
}

/// The samples of some splits: the training samples, their number, and then the others.
fn rows_of(splits: &[&Split]) -> (Vec<usize>, usize) {
    let trained: BTreeSet<usize> = splits.iter().flat_map(|s| &s.train).copied().collect();
    let tested = splits.iter().flat_map(|s| s.nominal.iter().chain(&s.outliers)).copied();
    let only_tested: BTreeSet<usize> = tested.filter(|i| !trained.contains(i)).collect();
    (trained.iter().chain(&only_tested).copied().collect(), trained.len())
}

fn learned(samples: &AnySamples, template: &AnyDissimilarity) -> Result<AnyDissimilarity> {
    let mut d = template.clone();
    d.learn_all(samples)?;
    Ok(d)
}

/// Whether the matrix, a copy of it, and one more for every thread's split fit in memory.
fn fits(rows: usize, columns: usize) -> bool {
    let needed = rows as u64 * columns as u64 * 8 * (2 + rayon::current_num_threads() as u64);
    eocc_core::memory::require("the matrix", needed, None, Remedy::FreeMemory).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_core::{Preset, Settings, Silent, Texts, Vectors};

    fn matrix(samples: &AnySamples, name: &str) -> Option<SharedMatrix> {
        let template = samples.measure(Preset::Paper, Some(name), &Settings::default()).unwrap();
        let split = |train: [usize; 2], nominal: usize| Split {
            repeat: 0,
            fold: 0,
            train: train.to_vec(),
            nominal: vec![nominal],
            outliers: vec![0],
        };
        SharedMatrix::for_splits(samples, &[&split([2, 3], 4), &split([3, 4], 2)], &template, &Silent)
            .unwrap()
    }

    #[test]
    fn known_values_are_shared_like_computed_ones() {
        let words = ["outlier", "ignored", "nominal", "normal", "norm"].map(str::to_owned).to_vec();
        let words = AnySamples::new(Texts::new(words).unwrap());
        let template = words.measure(Preset::Paper, Some("levenshtein"), &Settings::default()).unwrap();
        let all = learned(&words, &template).unwrap().matrix(&words, &Silent).unwrap();
        let split = |train: [usize; 2], nominal: usize| Split {
            repeat: 0,
            fold: 0,
            train: train.to_vec(),
            nominal: vec![nominal],
            outliers: vec![0],
        };
        let known = SharedMatrix::known(&all, &[&split([2, 3], 4), &split([3, 4], 2)], &template).unwrap();
        let computed = matrix(&words, "levenshtein").unwrap();
        assert!(known.serves(&template));
        let values =
            |shared: &SharedMatrix| shared.select(&[4, 0]).downcast_ref::<Precomputed>().unwrap().clone();
        assert_eq!(values(&known), values(&computed));
    }

    #[test]
    fn strings_share_and_vectors_do_not() {
        let words = ["outlier", "ignored", "nominal", "normal", "norm"].map(str::to_owned).to_vec();
        let words = AnySamples::new(Texts::new(words).unwrap());
        let shared = matrix(&words, "levenshtein").unwrap();
        let rows = shared.select(&[0, 2, 3, 4]);
        let lookup = rows.measure(Preset::Paper, None, &Settings::default()).unwrap();
        // Every training sample is a column; sample 0, which is not one, has dissimilarities to all of them.
        for (i, j, want) in [(3, 3, 0.0), (3, 2, 1.0 / 3.0), (2, 3, 1.0 / 3.0), (0, 1, 1.0)] {
            let found = lookup.between((&rows, i), (&rows, j));
            assert!((found - want).abs() < 1e-12, "{i} {j}: {found}");
        }
        let other = words.measure(Preset::Paper, Some("osa"), &Settings::default()).unwrap();
        assert!(!shared.serves(&other));
        let (fit, score) = shared.seconds(3, 2);
        assert!((score - 2.0 * fit).abs() <= 1e-12 * score);
        let rows = Vectors::from_rows(&[[0.0], [1.0], [2.0], [3.0], [4.0]]).unwrap();
        assert!(matrix(&rows.into(), "euclidean").is_none());
    }
}
