//! What can be said of a set of samples before anything is learned: equal ones, features that never change, values.

use std::collections::HashSet;

use super::{ColumnKind, MixedTable, Records, SampleSet, Texts, Vectors};
use crate::kinds::{AnySamples, Layout};

impl AnySamples {
    /// How many samples equal an earlier one; nothing where that cannot be told without a measure.
    pub fn duplicates(&self) -> Option<usize> {
        fn distinct<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> usize {
            keys.collect::<HashSet<K>>().len()
        }
        let distinct = if let Some(vectors) = self.downcast_ref::<Vectors>() {
            distinct((0..vectors.count()).map(|i| bits(vectors.sample(i))))
        } else if let Some(table) = self.downcast_ref::<MixedTable>() {
            distinct((0..table.count()).map(|i| bits(&table.sample(i).cells)))
        } else if let Some(texts) = self.downcast_ref::<Texts>() {
            distinct((0..texts.count()).map(|i| texts.sample(i)))
        } else {
            return None;
        };
        Some(self.count() - distinct)
    }

    /// A feature of rows of a table: what it holds, and its values, `None` where missing.
    pub fn feature(&self, feature: usize) -> Option<(ColumnKind, Vec<Option<f64>>)> {
        if let Some(vectors) = self.downcast_ref::<Vectors>() {
            let value = |i: usize| vectors.sample(i).get(feature).copied().filter(|v| !v.is_nan());
            return (feature < vectors.features())
                .then(|| (ColumnKind::Number, (0..vectors.count()).map(value).collect()));
        }
        if let Some(records) = self.downcast_ref::<Records>() {
            let mut at = feature;
            for part in records.parts() {
                if at < part.samples.slots() {
                    return part.samples.feature(at);
                }
                at -= part.samples.slots();
            }
            return None;
        }
        let table = self.downcast_ref::<MixedTable>()?;
        Some((table.columns().get(feature)?.kind.clone(), table.cells(feature).collect()))
    }

    /// How many features an explanation has shares for: those of rows of a table; all other samples count as one.
    pub(crate) fn slots(&self) -> usize {
        match self.layout() {
            Layout::Numbers(_) | Layout::Columns(_) => self.features(),
            Layout::Parts(_) => self
                .downcast_ref::<Records>()
                .map_or(1, |records| records.parts().iter().map(|part| part.samples.slots()).sum()),
            _ => 1,
        }
    }

    /// The features that have one value in all samples, missing or not.
    pub fn constant_features(&self) -> Vec<usize> {
        let is_constant = |f: &usize| {
            let values = self.feature(*f).map(|(_, values)| values).unwrap_or_default();
            values.windows(2).all(|pair| pair[0].map(f64::to_bits) == pair[1].map(f64::to_bits))
        };
        let tabular = if self.feature(0).is_some() { self.features() } else { 0 };
        (0..tabular).filter(is_constant).collect()
    }
}

/// Numbers as a key; zeros of both signs are equal.
fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| (v + 0.0).to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_and_constant_features() {
        let rows = [[1.0, 5.0], [2.0, 5.0], [1.0, 5.0], [-0.0, 5.0], [0.0, 5.0]];
        let samples = AnySamples::from(Vectors::from_rows(&rows).unwrap());
        assert_eq!((samples.duplicates(), samples.constant_features()), (Some(2), vec![1]));
        let words = AnySamples::from(Texts::new(vec!["a".into(), "b".into(), "a".into()]).unwrap());
        assert_eq!((words.duplicates(), words.constant_features()), (Some(1), Vec::new()));
    }
}
