//! Which samples are for training and which for testing: repeated cross-validation, or a held-out test set.

use eocc_core::random::Random;
use eocc_core::{Error, Result};

/// How a data set is split for repeated testing.
pub trait Protocol: Sync {
    /// All splits, in order of repeat and fold.
    fn splits(&self, nominal: &[usize], outliers: &[usize]) -> Result<Vec<Split>>;

    /// A description of everything that the splits depend on, for the key of a journal. The number of repeats is not
    /// included: more repeats continue where fewer ended.
    fn key(&self) -> String;
}

/// One training and testing split: indices of samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Which repeat.
    pub repeat: usize,
    /// Which fold of it.
    pub fold: usize,
    /// Samples to train on: nominal ones, and contaminants if the protocol adds some.
    pub train: Vec<usize>,
    /// Nominal samples to test on.
    pub nominal: Vec<usize>,
    /// Outliers to test on.
    pub outliers: Vec<usize>,
}

/// Repeated cross-validation for one-class problems: train on the nominals of all folds but one, test on the nominals
/// of that fold and on all outliers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrossValidation {
    /// Number of repeats.
    pub repeats: usize,
    /// Number of folds of the nominals.
    pub folds: usize,
    /// Seed of the shuffles.
    pub seed: u64,
}

impl Protocol for CrossValidation {
    fn splits(&self, nominal: &[usize], outliers: &[usize]) -> Result<Vec<Split>> {
        let n = nominal.len();
        if self.repeats == 0 {
            return Err(Error::parameter("repeats", 0, "at least 1"));
        }
        if self.folds < 2 || self.folds > n {
            return Err(Error::parameter("folds", self.folds, format!("in 2..={n} for {n} nominal samples")));
        }
        if outliers.is_empty() {
            return Err(Error::input("every sample is nominal, so there is nothing to separate"));
        }
        let mut splits = Vec::with_capacity(self.repeats * self.folds);
        for repeat in 0..self.repeats {
            let mut order = nominal.to_vec();
            Random::stream(self.seed, 100 + repeat as u64).shuffle(&mut order);
            for fold in 0..self.folds {
                // Folds differ in size by at most one.
                let range = fold * n / self.folds..(fold + 1) * n / self.folds;
                let mut train: Vec<usize> = [&order[..range.start], &order[range.end..]].concat();
                let mut test = order[range].to_vec();
                train.sort_unstable();
                test.sort_unstable();
                splits.push(Split { repeat, fold, train, nominal: test, outliers: outliers.to_vec() });
            }
        }
        Ok(splits)
    }

    fn key(&self) -> String {
        format!("folds {}, seed {}", self.folds, self.seed)
    }
}

/// One split made by the user: by a column of the file, or by a second file, which the test indices then refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldOut {
    /// Nominal samples to train on.
    pub train: Vec<usize>,
    /// Nominal samples to test on.
    pub nominal: Vec<usize>,
    /// Outliers to test on.
    pub outliers: Vec<usize>,
}

impl Protocol for HeldOut {
    fn splits(&self, _: &[usize], _: &[usize]) -> Result<Vec<Split>> {
        let Self { train, nominal, outliers } = self.clone();
        if nominal.is_empty() || outliers.is_empty() {
            let [nominal, outliers] = [nominal.len(), outliers.len()];
            return Err(Error::input(format!(
                "the test data must have nominal samples and outliers, but has {nominal} and {outliers} of them"
            )));
        }
        Ok(vec![Split { repeat: 0, fold: 0, train, nominal, outliers }])
    }

    fn key(&self) -> String {
        "held out".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_partition_the_nominals() {
        let cv = CrossValidation { repeats: 3, folds: 4, seed: 1 };
        let nominal: Vec<usize> = (0..22).collect();
        let splits = cv.splits(&nominal, &[30, 31]).unwrap();
        assert_eq!(splits.len(), 12);
        for repeat in splits.chunks(4) {
            let mut tested: Vec<usize> = repeat.iter().flat_map(|s| s.nominal.clone()).collect();
            tested.sort_unstable();
            assert_eq!(tested, nominal);
            for s in repeat {
                assert_eq!(s.train.len() + s.nominal.len(), 22);
                assert!(s.nominal.iter().all(|v| !s.train.contains(v)));
                assert_eq!(s.outliers, [30, 31]);
            }
        }
        assert_ne!(splits[0].nominal, splits[4].nominal);
        assert!(cv.splits(&nominal[..3], &[50]).is_err());
        assert!(cv.splits(&nominal, &[]).is_err());
    }

    #[test]
    fn what_is_held_out_needs_both_sides() {
        let split = HeldOut { train: vec![0, 1], nominal: vec![2], outliers: vec![] };
        let e = split.splits(&[], &[]).unwrap_err().to_string();
        assert_eq!(e, "the test data must have nominal samples and outliers, but has 1 and 0 of them");
    }
}
