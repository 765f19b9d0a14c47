//! Half of the nominals for training, the rest and the outliers for testing, as in comparisons of anomaly detection.

use eocc_core::random::Random;
use eocc_core::{Error, Result};
use eocc_eval::{Protocol, Split};

/// Repeated random half splits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSplit {
    /// Number of repeats.
    pub repeats: usize,
    /// Maximum number of nominals to train on.
    pub max_train: usize,
    /// Maximum number of nominals to test on, and of outliers.
    pub max_test: usize,
    /// Fraction of outliers among the training samples, in [0, 1/2); it uses at most half of all outliers.
    pub contamination: f64,
    /// Seed of the shuffles.
    pub seed: u64,
}

impl Protocol for HalfSplit {
    fn splits(&self, nominal: &[usize], outliers: &[usize]) -> Result<Vec<Split>> {
        let n = nominal.len();
        if n < 4 || outliers.len() < 2 {
            let found = format!("{n} nominals and {} outliers", outliers.len());
            return Err(Error::input(format!(
                "a half split needs 4 nominals and 2 outliers, but there are {found}"
            )));
        }
        if !(0.0..0.5).contains(&self.contamination) {
            return Err(Error::parameter("contamination", self.contamination, "a fraction in [0, 0.5)"));
        }
        for (name, given, least) in
            [("repeats", self.repeats, 1), ("max-train", self.max_train, 2), ("max-test", self.max_test, 1)]
        {
            if given < least {
                return Err(Error::parameter(name, given, format!("at least {least}")));
            }
        }
        let split = |repeat: usize| {
            let mut random = Random::stream(self.seed, 200 + repeat as u64);
            let (mut order, mut rest) = (nominal.to_vec(), outliers.to_vec());
            random.shuffle(&mut order);
            let mut test = order.split_off(n / 2);
            order.truncate(self.max_train);
            random.shuffle(&mut rest);
            let odds = self.contamination / (1.0 - self.contamination);
            let spent = ((odds * order.len() as f64).round() as usize).min(rest.len() / 2);
            order.extend(rest.drain(..spent));
            test.truncate(self.max_test);
            rest.truncate(self.max_test);
            for part in [&mut order, &mut test, &mut rest] {
                part.sort_unstable();
            }
            Split { repeat, fold: 0, train: order, nominal: test, outliers: rest }
        };
        Ok((0..self.repeats).map(split).collect())
    }

    fn key(&self) -> String {
        let Self { max_train, max_test, contamination, seed, .. } = self;
        format!("most {max_train}, tests {max_test}, contamination {contamination}, seed {seed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_share_nothing_and_use_everything() {
        let (nominal, outliers): (Vec<usize>, Vec<usize>) = ((0..101).collect(), (200..230).collect());
        let half = HalfSplit { repeats: 3, max_train: 1000, max_test: 1000, contamination: 0.0, seed: 1 };
        let splits = half.splits(&nominal, &outliers).unwrap();
        for s in &splits {
            assert_eq!((s.train.len(), s.nominal.len()), (50, 51));
            assert_eq!(s.outliers, outliers);
            let mut all = [&s.train[..], &s.nominal].concat();
            all.sort_unstable();
            assert_eq!(all, nominal);
        }
        assert_ne!(splits[0].train, splits[1].train);
        let few = HalfSplit { max_train: 20, ..half }.splits(&nominal, &outliers).unwrap();
        assert_eq!((few[0].train.len(), few[0].nominal.len()), (20, 51));
        let few = HalfSplit { max_test: 25, ..half }.splits(&nominal, &outliers).unwrap();
        assert_eq!((few[0].train.len(), few[0].nominal.len(), few[0].outliers.len()), (50, 25, 25));
        assert_eq!(few[0].train, splits[0].train);
        assert!(few[0].nominal.iter().all(|i| splits[0].nominal.contains(i)));
        assert!(HalfSplit { max_test: 0, ..half }.splits(&nominal, &outliers).is_err());
    }

    #[test]
    fn outliers_among_the_training_samples_are_not_tested() {
        let (nominal, outliers): (Vec<usize>, Vec<usize>) = ((0..200).collect(), (200..230).collect());
        let half = HalfSplit { repeats: 1, max_train: 1000, max_test: 1000, contamination: 0.05, seed: 1 };
        let s = &half.splits(&nominal, &outliers).unwrap()[0];
        // 5 of 105 are 4.8 %.
        assert_eq!(s.train.iter().filter(|i| **i >= 200).count(), 5);
        assert_eq!(s.outliers.len(), 25);
        assert!(s.outliers.iter().all(|i| !s.train.contains(i)));
        let most = HalfSplit { contamination: 0.4, ..half }.splits(&nominal, &outliers).unwrap();
        assert_eq!(most[0].outliers.len(), 15);
        assert!(HalfSplit { contamination: 0.5, ..half }.splits(&nominal, &outliers).is_err());
        assert!(half.splits(&nominal[..3], &outliers).is_err());
    }
}
