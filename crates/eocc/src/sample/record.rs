//! Records: samples of several parts, say a string, a time series and a row of numbers.

use std::borrow::Cow;
use std::sync::Arc;

use super::{MixedTable, SampleSet, SeriesSet, Texts, Vectors};
use crate::error::{Error, Result};
use crate::graphs::Graphs;

/// All values of one part, a sample each.
#[derive(Debug, Clone)]
pub enum PartSet {
    /// Strings.
    Texts(Texts),
    /// Time series.
    Series(SeriesSet),
    /// Vectors of numbers.
    Vectors(Vectors),
    /// Rows of a mixed table.
    Mixed(MixedTable),
    /// Labelled graphs.
    Graphs(Graphs),
}

/// Does the same with whatever part it is: `with_part!(part, set => expression)`.
macro_rules! with_part {
    ($part:expr, $set:ident => $body:expr) => {
        match $part {
            $crate::sample::PartSet::Texts($set) => $body,
            $crate::sample::PartSet::Series($set) => $body,
            $crate::sample::PartSet::Vectors($set) => $body,
            $crate::sample::PartSet::Mixed($set) => $body,
            $crate::sample::PartSet::Graphs($set) => $body,
        }
    };
}
pub(crate) use with_part;

impl PartSet {
    /// Number of samples.
    pub fn count(&self) -> usize {
        with_part!(self, set => set.count())
    }

    /// What it holds, in a word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Texts(_) => "strings",
            Self::Series(_) => "time series",
            Self::Vectors(_) => "vectors",
            Self::Mixed(_) => "rows of a mixed table",
            Self::Graphs(_) => "graphs",
        }
    }

    /// The samples with these indices.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        match self {
            Self::Texts(set) => Self::Texts(set.select(indices)),
            Self::Series(set) => Self::Series(set.select(indices)),
            Self::Vectors(set) => Self::Vectors(set.select(indices)),
            Self::Mixed(set) => Self::Mixed(set.select(indices)),
            Self::Graphs(set) => Self::Graphs(set.select(indices)),
        }
    }

    fn conform(&self, other: &Self) -> Result<Self> {
        match (self, other) {
            (Self::Texts(own), Self::Texts(other)) => Ok(Self::Texts(own.conform(other)?.into_owned())),
            (Self::Series(own), Self::Series(other)) => Ok(Self::Series(own.conform(other)?.into_owned())),
            (Self::Vectors(own), Self::Vectors(other)) => Ok(Self::Vectors(own.conform(other)?.into_owned())),
            (Self::Mixed(own), Self::Mixed(other)) => Ok(Self::Mixed(own.conform(other)?.into_owned())),
            (Self::Graphs(own), Self::Graphs(other)) => Ok(Self::Graphs(own.conform(other)?.into_owned())),
            _ => {
                Err(Error::input(format!("it holds {}, but held {} in training", other.word(), self.word())))
            }
        }
    }
}

/// A part with its name.
#[derive(Debug, Clone)]
pub struct NamedPart {
    /// Its name.
    pub name: String,
    /// Its values.
    pub set: PartSet,
}

/// One record: a place in the parts.
#[derive(Debug, Clone)]
pub struct Record {
    pub(crate) parts: Arc<Vec<NamedPart>>,
    pub(crate) row: usize,
}

impl Record {
    /// The parts, of which this is one row.
    pub fn parts(&self) -> &[NamedPart] {
        &self.parts
    }
}

/// Records with the same parts.
#[derive(Debug, Clone)]
pub struct Records {
    items: Vec<Record>,
    parts: Arc<Vec<NamedPart>>,
}

impl Records {
    /// From the values of each part; all of the same number, names all different.
    pub fn new(parts: Vec<NamedPart>) -> Result<Self> {
        let Some(count) = parts.first().map(|p| p.set.count()) else {
            return Err(Error::input("the records have no parts; give at least one"));
        };
        for (i, part) in parts.iter().enumerate() {
            if part.set.count() != count {
                return Err(Error::input(format!(
                    "part `{}` has {} samples, but `{}` has {count}",
                    part.name,
                    part.set.count(),
                    parts[0].name
                )));
            }
            if parts[..i].iter().any(|other| other.name == part.name) {
                return Err(Error::input(format!("two parts are named `{}`", part.name)));
            }
        }
        let parts = Arc::new(parts);
        let items = (0..count).map(|row| Record { parts: parts.clone(), row }).collect();
        Ok(Self { items, parts })
    }

    /// The parts of the samples of this set, in order.
    pub fn parts(&self) -> Vec<NamedPart> {
        let rows: Vec<usize> = self.items.iter().map(|r| r.row).collect();
        let part = |p: &NamedPart| NamedPart { name: p.name.clone(), set: p.set.select(&rows) };
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

    fn select(&self, indices: &[usize]) -> Self {
        Self { items: indices.iter().map(|&i| self.items[i].clone()).collect(), parts: self.parts.clone() }
    }

    fn conform<'a>(&self, others: &'a Self) -> Result<Cow<'a, Self>> {
        let theirs = others.parts();
        let names = |parts: &[NamedPart]| parts.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        if names(&self.parts) != names(&theirs) {
            return Err(Error::input(format!(
                "the model is of records with {}, but the samples have {}",
                names(&self.parts).join(", "),
                names(&theirs).join(", ")
            )));
        }
        let conformed = self.parts.iter().zip(&theirs).map(|(own, other)| {
            let set = own.set.conform(&other.set);
            let set = set.map_err(|e| Error::input(format!("part `{}`: {e}", own.name)))?;
            Ok(NamedPart { name: own.name.clone(), set })
        });
        Self::new(conformed.collect::<Result<_>>()?).map(Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_must_agree() {
        let part = |name: &str, texts: &[&str]| NamedPart {
            name: name.into(),
            set: PartSet::Texts(Texts::new(texts.iter().map(ToString::to_string).collect()).unwrap()),
        };
        assert!(Records::new(Vec::new()).is_err());
        let e = Records::new(vec![part("a", &["x"]), part("b", &["x", "y"])]).unwrap_err();
        assert!(e.to_string().contains("part `b` has 2 samples, but `a` has 1"));
        assert!(Records::new(vec![part("a", &["x"]), part("a", &["y"])]).is_err());
        let records = Records::new(vec![part("a", &["x", "y", "z"])]).unwrap();
        let PartSet::Texts(kept) = &records.select(&[2, 0]).parts()[0].set else { panic!("texts") };
        assert_eq!(kept.refs(), ["z", "x"]);
    }
}
