//! Records: samples of several named parts, such as a string, a time series and a row of numbers.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::AnySamples;
use crate::error::{Error, Result};
use crate::sample::{ColumnKind, SampleSet, nothing_to_join};

/// One part of all records of a set: its name and its values, one per sample.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its values.
    pub samples: AnySamples,
}

impl Part {
    /// Names samples of any kind.
    pub fn new(name: impl Into<String>, samples: impl Into<AnySamples>) -> Self {
        Self { name: name.into(), samples: samples.into() }
    }
}

/// One record: a row of the parts.
#[derive(Debug, Clone)]
pub struct Record {
    pub(crate) parts: Arc<Vec<Part>>,
    pub(crate) row: usize,
}

impl Record {
    /// The parts, of which the record is one row.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}

/// Records with the same parts.
#[derive(Debug, Clone)]
pub struct Records {
    items: Vec<Record>,
    parts: Arc<Vec<Part>>,
}

impl Records {
    /// From the values of each part; all must have the same count and different names.
    pub fn new(parts: Vec<Part>) -> Result<Self> {
        let Some(count) = parts.first().map(|p| p.samples.count()) else {
            return Err(Error::input("the records have no parts; give at least one"));
        };
        let mut names = HashSet::with_capacity(parts.len());
        for part in &parts {
            if part.samples.count() != count {
                return Err(Error::input(format!(
                    "part `{}` has {} samples, but `{}` has {count}",
                    part.name,
                    part.samples.count(),
                    parts[0].name
                )));
            }
            if !names.insert(part.name.as_str()) {
                return Err(Error::input(format!("two parts are named `{}`", part.name)));
            }
        }
        let parts = Arc::new(parts);
        let items = (0..count).map(|row| Record { parts: parts.clone(), row }).collect();
        Ok(Self { items, parts })
    }

    /// The parts of the samples of this set, in order.
    pub fn parts(&self) -> Vec<Part> {
        let rows: Vec<usize> = self.items.iter().map(|r| r.row).collect();
        let part = |p: &Part| Part { name: p.name.clone(), samples: p.samples.select(&rows) };
        self.parts.iter().map(part).collect()
    }
}

impl SampleSet for Records {
    type Item = Record;

    fn count(&self) -> usize {
        self.items.len()
    }

    fn sample(&self, i: usize) -> &Record {
        &self.items[i]
    }

    fn bytes(&self) -> usize {
        64 * self.items.len() + self.parts.iter().map(|part| part.samples.bytes()).sum::<usize>()
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self { items: indices.iter().map(|&i| self.items[i].clone()).collect(), parts: self.parts.clone() }
    }

    fn content_hash(&self, i: usize) -> Option<u64> {
        let Record { parts, row } = &self.items[i];
        parts.iter().try_fold(0, |sum: u64, part| Some(sum.wrapping_add(part.samples.content_hash(*row)?)))
    }

    fn joined(sets: &[&Self]) -> Result<Self> {
        let first = sets.first().ok_or_else(nothing_to_join)?;
        for set in sets {
            first.conform(set)?;
        }
        let of_sets: Vec<Vec<Part>> = sets.iter().map(|set| set.parts()).collect();
        let joined = |p: usize| {
            let own: Vec<AnySamples> = of_sets.iter().map(|parts| parts[p].samples.clone()).collect();
            Ok(Part { name: first.parts[p].name.clone(), samples: own[0].joined(&own)? })
        };
        Self::new((0..first.parts.len()).map(joined).collect::<Result<_>>()?)
    }

    fn feature(&self, feature: usize) -> Option<(ColumnKind, Vec<Option<f64>>)> {
        let mut at = feature;
        for part in self.parts() {
            if at < part.samples.slots() {
                return part.samples.feature(at);
            }
            at -= part.samples.slots();
        }
        None
    }

    fn slots(&self) -> usize {
        self.parts.iter().map(|part| part.samples.slots()).sum()
    }

    /// The columns of tables; other parts by their own name.
    fn share_names(&self) -> Vec<String> {
        let names = |part: &Part| match part.samples.feature_names() {
            columns @ [_, ..] if part.samples.is_table() => columns.to_vec(),
            _ => vec![part.name.clone()],
        };
        self.parts.iter().flat_map(names).collect()
    }

    fn is_incomplete(&self, row: usize) -> bool {
        let record = &self.items[row];
        record.parts.iter().any(|part| part.samples.is_incomplete(record.row))
    }

    fn first_gap(&self) -> Option<(usize, String)> {
        self.parts().iter().filter_map(|part| part.samples.first_missing()).min()
    }

    fn filled(&self, like: &Self) -> Result<Self> {
        let parts =
            self.parts().into_iter().zip(like.parts()).map(|(part, like)| {
                Ok(Part { samples: part.samples.filled(&like.samples)?, name: part.name })
            });
        Self::new(parts.collect::<Result<_>>()?)
    }

    fn conform<'a>(&self, samples: &'a Self) -> Result<Cow<'a, Self>> {
        let theirs = samples.parts();
        let names = |parts: &[Part]| parts.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        if names(&self.parts) != names(&theirs) {
            return Err(Error::input(format!(
                "the model is of records with {}, but the samples have {}",
                names(&self.parts).join(", "),
                names(&theirs).join(", ")
            )));
        }
        let conformed = self.parts.iter().zip(&theirs).map(|(own, other)| {
            let (expected, found) = (own.samples.kind(), other.samples.kind());
            let conformed = if expected == found {
                own.samples.conform(&other.samples)
            } else {
                let (found, expected) = (found.name(), expected.name());
                Err(Error::input(format!("it holds {found}, but held {expected} in training")))
            };
            let samples = conformed.map_err(|e| Error::input(format!("part `{}`: {e}", own.name)))?;
            Ok(Part { name: own.name.clone(), samples })
        });
        Self::new(conformed.collect::<Result<_>>()?).map(Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Texts;

    #[test]
    fn parts_must_agree() {
        let part = |name: &str, texts: &[&str]| {
            Part::new(name, Texts::new(texts.iter().map(ToString::to_string).collect()).unwrap())
        };
        assert!(Records::new(Vec::new()).is_err());
        let e = Records::new(vec![part("a", &["x"]), part("b", &["x", "y"])]).unwrap_err();
        assert!(e.to_string().contains("part `b` has 2 samples, but `a` has 1"));
        assert!(Records::new(vec![part("a", &["x"]), part("a", &["y"])]).is_err());
        let records = Records::new(vec![part("a", &["x", "y", "z"])]).unwrap();
        let parts = records.select(&[2, 0]).parts();
        assert_eq!(parts[0].samples.downcast_ref::<Texts>().unwrap().refs(), ["z", "x"]);
    }
}
