//! Half of the nominals to train on, the rest and all others to test on, as in the comparisons of anomaly detection; and
//! what a comparison may take for its splits.

use eocc::random::Random;
use eocc::{Error, Result};

use crate::protocol::{CrossValidation, Split};

/// Repeated random halves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Halves {
    /// How often.
    pub repeats: usize,
    /// Most samples to train on.
    pub most: usize,
    /// Share of others among the training samples, in [0, 1/2); at most half of the others are spent on it.
    pub contamination: f64,
    /// Seed of the shuffles.
    pub seed: u64,
}

impl Halves {
    /// All splits, in order of repeat.
    pub fn splits(&self, nominal: &[usize], others: &[usize]) -> Result<Vec<Split>> {
        let n = nominal.len();
        if n < 4 || others.len() < 2 {
            let found = format!("{n} nominals and {} others", others.len());
            return Err(Error::input(format!("halves need 4 nominals and 2 others, but there are {found}")));
        }
        if !(0.0..0.5).contains(&self.contamination) {
            return Err(Error::parameter("contamination", self.contamination, "a share in [0, 0.5)"));
        }
        if self.repeats == 0 || self.most < 2 {
            return Err(Error::parameter("repeats and most", 0, "at least 1 and 2"));
        }
        let split = |repeat: usize| {
            let mut random = Random::stream(self.seed, 200 + repeat as u64);
            let (mut order, mut rest) = (nominal.to_vec(), others.to_vec());
            random.shuffle(&mut order);
            let mut test = order.split_off(n / 2);
            order.truncate(self.most);
            random.shuffle(&mut rest);
            let odds = self.contamination / (1.0 - self.contamination);
            let spent = ((odds * order.len() as f64).round() as usize).min(rest.len() / 2);
            order.extend(rest.drain(..spent));
            for part in [&mut order, &mut test, &mut rest] {
                part.sort_unstable();
            }
            Split { repeat, fold: 0, train: order, nominal: test, others: rest }
        };
        Ok((0..self.repeats).map(split).collect())
    }
}

/// How data sets are split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Protocol {
    /// Into folds of the nominals.
    Folds(CrossValidation),
    /// Into halves of them.
    Halves(Halves),
}

impl From<CrossValidation> for Protocol {
    fn from(folds: CrossValidation) -> Self {
        Self::Folds(folds)
    }
}

impl From<Halves> for Protocol {
    fn from(halves: Halves) -> Self {
        Self::Halves(halves)
    }
}

impl Protocol {
    /// All splits, in order of repeat and fold.
    pub fn splits(&self, nominal: &[usize], others: &[usize]) -> Result<Vec<Split>> {
        match self {
            Self::Folds(folds) => folds.splits(nominal, others),
            Self::Halves(halves) => halves.splits(nominal, others),
        }
    }

    /// How often.
    pub fn repeats(&self) -> usize {
        match self {
            Self::Folds(folds) => folds.repeats,
            Self::Halves(halves) => halves.repeats,
        }
    }

    /// Splits of a repeat.
    pub fn folds(&self) -> usize {
        match self {
            Self::Folds(folds) => folds.folds,
            Self::Halves(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_share_nothing_and_use_everything() {
        let (nominal, others): (Vec<usize>, Vec<usize>) = ((0..101).collect(), (200..230).collect());
        let halves = Halves { repeats: 3, most: 1000, contamination: 0.0, seed: 1 };
        let splits = halves.splits(&nominal, &others).unwrap();
        for s in &splits {
            assert_eq!((s.train.len(), s.nominal.len()), (50, 51));
            assert_eq!(s.others, others);
            let mut all = [&s.train[..], &s.nominal].concat();
            all.sort_unstable();
            assert_eq!(all, nominal);
        }
        assert_ne!(splits[0].train, splits[1].train);
        let few = Halves { most: 20, ..halves }.splits(&nominal, &others).unwrap();
        assert_eq!((few[0].train.len(), few[0].nominal.len()), (20, 51));
    }

    #[test]
    fn others_among_the_training_samples_are_not_tested() {
        let (nominal, others): (Vec<usize>, Vec<usize>) = ((0..200).collect(), (200..230).collect());
        let halves = Halves { repeats: 1, most: 1000, contamination: 0.05, seed: 1 };
        let s = &halves.splits(&nominal, &others).unwrap()[0];
        // 5 of 105 are 4.8 %.
        assert_eq!(s.train.iter().filter(|i| **i >= 200).count(), 5);
        assert_eq!(s.others.len(), 25);
        assert!(s.others.iter().all(|i| !s.train.contains(i)));
        let most = Halves { contamination: 0.4, ..halves }.splits(&nominal, &others).unwrap();
        assert_eq!(most[0].others.len(), 15);
        assert!(Halves { contamination: 0.5, ..halves }.splits(&nominal, &others).is_err());
        assert!(halves.splits(&nominal[..3], &others).is_err());
    }
}
