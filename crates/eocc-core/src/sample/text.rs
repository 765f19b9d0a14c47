//! Strings.

use super::{SampleSet, facts};
use crate::error::{Error, Result};

/// Maximum length of a string, in bytes: comparing two of this length takes seconds, not hours.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// Strings, none too long to be compared. An empty string is allowed; its distance to another string is that string's
/// length.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts {
    items: Vec<String>,
}

impl Texts {
    /// Checks and takes strings.
    pub fn new(items: Vec<String>) -> Result<Self> {
        match items.iter().position(|t| t.len() > MAX_TEXT_BYTES) {
            None => Ok(Self { items }),
            Some(i) => Err(Error::input(format!(
                "string {i} has {} bytes, but at most {MAX_TEXT_BYTES} are supported; cut it into pieces",
                items[i].len()
            ))),
        }
    }
}

impl SampleSet for Texts {
    type Item = str;

    fn count(&self) -> usize {
        self.items.len()
    }

    fn sample(&self, i: usize) -> &str {
        &self.items[i]
    }

    fn text(&self, i: usize) -> Option<&str> {
        self.items.get(i).map(String::as_str)
    }

    fn bytes(&self) -> usize {
        self.items.iter().map(|text| 32 + text.len()).sum()
    }

    fn duplicates(&self) -> Option<usize> {
        Some(facts::duplicates((0..self.count()).map(|i| self.sample(i))))
    }

    fn content_hash(&self, i: usize) -> Option<u64> {
        Some(facts::hash_of_text(self.sample(i)))
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self { items: indices.iter().map(|&i| self.items[i].clone()).collect() }
    }

    fn joined(sets: &[&Self]) -> Result<Self> {
        Ok(Self { items: sets.iter().flat_map(|set| set.items.iter().cloned()).collect() })
    }
}
