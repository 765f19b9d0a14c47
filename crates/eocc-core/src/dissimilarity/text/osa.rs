//! Optimal string alignment: Levenshtein with swaps of neighbours, no symbol edited twice.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::settings::{setting, word};
use super::super::sight::TextSight;
use super::super::{Dissimilarity, Entry, Prepared, Sight};
use super::alphabet::Alphabet;
use super::grouped::{Grouped, Pairwise};
use super::symbols::Unit;
use crate::error::Result;

/// Optimal string alignment distance; divided by the length of the longer string if normalised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Osa {
    unit: Unit,
    normalize: bool,
}

impl Osa {
    /// Over these units, normalised to [0, 1] or not.
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
}

impl Pairwise for Osa {
    type Scratch = [Vec<u32>; 3];

    fn compare(&self, a: &[u32], b: &[u32], scratch: &mut Self::Scratch) -> f64 {
        let distance = f64::from(osa(a, b, scratch));
        let longest = a.len().max(b.len());
        if self.normalize && longest > 0 { distance / longest as f64 } else { distance }
    }
}

/// The dynamic programme, with the two rows before the present one.
fn osa(a: &[u32], b: &[u32], [before, last, row]: &mut [Vec<u32>; 3]) -> u32 {
    last.clear();
    last.extend(0..=b.len() as u32);
    before.clone_from(last);
    row.clone_from(last);
    for (i, &x) in a.iter().enumerate() {
        row[0] = i as u32 + 1;
        for (j, &y) in b.iter().enumerate() {
            let mut least = (last[j] + u32::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                least = least.min(before[j - 1] + 1);
            }
            row[j + 1] = least;
        }
        std::mem::swap(before, last);
        std::mem::swap(last, row);
    }
    last[b.len()]
}

fn make(settings: &super::super::Settings) -> Result<Box<dyn Dissimilarity<str>>> {
    settings.only("osa", &["unit", "normalize"])?;
    Ok(Box::new(Osa::new(super::unit(settings)?, settings.truth("normalize", true)?)))
}

pub(super) const ENTRY: Entry<str> = Entry {
    name: "osa",
    summary: "levenshtein with swaps of neighbours (optimal string alignment); settings: unit, normalize",
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
        // The example that tells it from the unrestricted Damerau–Levenshtein distance, which is 2.
        is("ca", "abc", 3);
        is("", "", 0);
        is("", "abc", 3);
    }
}
