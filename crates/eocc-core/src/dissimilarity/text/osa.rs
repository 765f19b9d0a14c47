//! Optimal string alignment: Levenshtein with transpositions, no symbol edited twice.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::settings::{setting, word};
use super::super::sight::TextSight;
use super::super::{Dissimilarity, Entry, Prepared, Sight};
use super::alphabet::Alphabet;
use super::grouped::{Grouped, Kernel};
use super::lanes;
use super::symbols::Unit;
use crate::error::Result;

/// Optimal string alignment distance; divided by the length of the longer string if normalized.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Osa {
    unit: Unit,
    normalize: bool,
}

impl Osa {
    /// Over these units, normalized to [0, 1] or not.
    pub fn new(unit: Unit, normalize: bool) -> Self {
        Self { unit, normalize }
    }
}

impl Dissimilarity<str> for Osa {
    fn name(&self) -> &'static str {
        "osa"
    }

    fn sight(&self) -> Option<Box<dyn Sight<str>>> {
        Some(Box::new(TextSight))
    }

    fn between(&self, a: &str, b: &str) -> f64 {
        self.prepare(&[b]).to_first(a)
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn settings(&self) -> Vec<(String, String)> {
        vec![setting("unit", word(&self.unit)), setting("normalize", self.normalize)]
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<str>> {
        Box::new(self.clone())
    }

    fn prepare(&self, many: &[&str]) -> Box<dyn Prepared<str>> {
        Box::new(Grouped::new(self.clone(), Alphabet::new(self.unit), many))
    }

    fn effort(&self, sample: &str) -> usize {
        self.unit.length(sample)
    }
}

impl Kernel for Osa {
    type Group = lanes::Group;
    type Buffer = lanes::SwapColumn;
    const WIDTH: usize = lanes::LANES;

    fn group(&self, strings: &[&[u32]], alphabet: usize) -> lanes::Group {
        lanes::Group::new(strings, alphabet)
    }

    fn compare(&self, one: &[u32], group: &lanes::Group, buffer: &mut Self::Buffer, out: &mut [f64]) {
        let edits = group.distances_with_swaps(one, buffer);
        for ((o, edits), length) in out.iter_mut().zip(edits).zip(group.lengths()) {
            let longest = one.len().max(length);
            *o = if self.normalize && longest > 0 { edits as f64 / longest as f64 } else { edits as f64 };
        }
    }
}

fn make(settings: &super::super::Settings) -> Result<Box<dyn Dissimilarity<str>>> {
    settings.only("osa", &["unit", "normalize"])?;
    Ok(Box::new(Osa::new(super::unit(settings)?, settings.truth("normalize", true)?)))
}

pub(super) const ENTRY: Entry<str> = Entry {
    name: "osa",
    summary: "levenshtein with swaps of adjacent symbols (optimal string alignment); settings: unit, normalize",
    make,
    restore: |state| super::super::restored(state, |d: Osa| Some(d.boxed())),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_is_one_edit_but_no_symbol_is_edited_twice() {
        let d = Osa::new(Unit::Chars, false);
        let is = |a, b, expected: u32| {
            assert_eq!(d.between(a, b).to_bits(), f64::from(expected).to_bits(), "{a} {b}");
        };
        is("ab", "ba", 1);
        // The example that distinguishes it from the unrestricted Damerau–Levenshtein distance, which is 2.
        is("ca", "abc", 3);
        is("", "", 0);
        is("", "abc", 3);
    }
}
