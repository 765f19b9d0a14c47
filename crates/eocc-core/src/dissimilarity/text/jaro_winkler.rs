//! Jaro–Winkler dissimilarity: one minus the fraction of symbols that two strings have at about the same position,
//! with a bonus for a common prefix. Made for names and other short strings.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::settings::{setting, word};
use super::super::sight::TextSight;
use super::super::{Dissimilarity, Entry, Prepared, Settings, Sight};
use super::alphabet::Alphabet;
use super::grouped::{Grouped, Pairwise};
use super::symbols::Unit;
use crate::error::{Error, Result};

/// Only strings at least this similar get the bonus, as in Winkler's own code.
const BOOST_ABOVE: f64 = 0.7;
/// The longest prefix that counts.
const MAX_PREFIX: usize = 4;
/// Shorter strings are scanned: a table of positions would take longer.
const SHORT: usize = 64;

/// `1 - similarity`, in [0, 1].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JaroWinkler {
    unit: Unit,
    prefix: f64,
}

impl JaroWinkler {
    /// Over these units, with this weight in [0, 0.25] per symbol of the common prefix; Winkler uses 0.1.
    pub fn new(unit: Unit, prefix: f64) -> Result<Self> {
        if !(0.0..=0.25).contains(&prefix) {
            return Err(Error::parameter("prefix", prefix.to_string(), "in [0, 0.25]"));
        }
        Ok(Self { unit, prefix })
    }
}

impl Dissimilarity<str> for JaroWinkler {
    fn name(&self) -> &'static str {
        "jaro-winkler"
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
        vec![setting("unit", word(&self.unit)), setting("prefix", self.prefix)]
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<str>> {
        Box::new(self.clone())
    }

    fn prepare(&self, many: &[&str]) -> Box<dyn Prepared<str>> {
        Box::new(Grouped::new(self.clone(), Alphabet::new(self.unit), many))
    }
}

impl Pairwise for JaroWinkler {
    type Buffer = [Vec<bool>; 2];

    fn compare(&self, a: &[u32], b: &[u32], buffer: &mut Self::Buffer) -> f64 {
        // The search for matches scans the first string in order: put the shorter first, so that it is symmetric.
        let (a, b) = if (a.len(), a) <= (b.len(), b) { (a, b) } else { (b, a) };
        let mut similarity = jaro(a, b, buffer);
        if similarity > BOOST_ABOVE {
            let common = a.iter().zip(b).take(MAX_PREFIX).take_while(|(x, y)| x == y).count();
            similarity += common as f64 * self.prefix * (1.0 - similarity);
        }
        (1.0 - similarity).max(0.0)
    }
}

/// Jaro's similarity: matches are equal symbols at most half the longer length apart, each used once.
fn jaro(a: &[u32], b: &[u32], [in_a, in_b]: &mut [Vec<bool>; 2]) -> f64 {
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let reach = (a.len().max(b.len()) / 2).saturating_sub(1);
    in_a.clear();
    in_a.resize(a.len(), false);
    in_b.clear();
    in_b.resize(b.len(), false);
    let matches =
        if a.len() < SHORT { search(a, b, reach, in_a, in_b) } else { walk(a, b, reach, in_a, in_b) };
    if matches == 0 {
        return 0.0;
    }
    let matched = |s: &'_ [u32], taken: &'_ [bool]| -> Vec<u32> {
        s.iter().zip(taken).filter(|(_, t)| **t).map(|(x, _)| *x).collect()
    };
    let swapped = matched(a, in_a).iter().zip(matched(b, in_b)).filter(|(x, y)| **x != *y).count();
    let m = matches as f64;
    (m / a.len() as f64 + m / b.len() as f64 + (m - (swapped / 2) as f64) / m) / 3.0
}

/// Finds matches by scanning every position within reach; returns their number.
fn search(a: &[u32], b: &[u32], reach: usize, in_a: &mut [bool], in_b: &mut [bool]) -> usize {
    let mut matches = 0;
    for (i, x) in a.iter().enumerate() {
        let mut window = i.saturating_sub(reach)..(i + reach + 1).min(b.len());
        if let Some(j) = window.find(|&j| !in_b[j] && b[j] == *x) {
            (in_a[i], in_b[j]) = (true, true);
            matches += 1;
        }
    }
    matches
}

/// Finds the same matches without useless scans. The first free position of a symbol within reach is taken; reach
/// only moves forward, so earlier positions are never visited again.
fn walk(a: &[u32], b: &[u32], reach: usize, in_a: &mut [bool], in_b: &mut [bool]) -> usize {
    let mut places: Vec<u32> = (0..b.len() as u32).collect();
    places.sort_by_key(|&j| b[j as usize]);
    // The range of positions of each symbol that may still be used.
    let mut of_symbol: HashMap<u32, (usize, usize)> = HashMap::new();
    for (at, &j) in places.iter().enumerate() {
        of_symbol.entry(b[j as usize]).or_insert((at, at)).1 = at + 1;
    }
    let mut matches = 0;
    for (i, x) in a.iter().enumerate() {
        let Some((next, end)) = of_symbol.get_mut(x) else { continue };
        while *next < *end && (places[*next] as usize) < i.saturating_sub(reach) {
            *next += 1;
        }
        if *next < *end && places[*next] as usize <= i + reach {
            (in_a[i], in_b[places[*next] as usize]) = (true, true);
            *next += 1;
            matches += 1;
        }
    }
    matches
}

fn make(settings: &Settings) -> Result<Box<dyn Dissimilarity<str>>> {
    settings.only("jaro-winkler", &["unit", "prefix", "normalize"])?;
    // [0, 1] is its only scale.
    settings.truth("normalize", true)?;
    let prefix = settings.get("prefix", "a number in [0, 0.25]")?.unwrap_or(0.1);
    Ok(Box::new(JaroWinkler::new(super::unit(settings)?, prefix)?))
}

pub(super) const ENTRY: Entry<str> = Entry {
    name: "jaro-winkler",
    summary: "symbols in common at about the same place, for names and short strings; settings: unit, prefix",
    make,
    restore: |state| {
        super::super::restored(state, |d: JaroWinkler| {
            JaroWinkler::new(d.unit, d.prefix).ok().map(|d| d.boxed())
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn walking_finds_what_searching_finds() {
        let mut r = Random::new(4);
        for alphabet in [1, 2, 5, 40] {
            for _ in 0..200 {
                let draw = |r: &mut Random| -> Vec<u32> {
                    let length = r.below(40);
                    (0..length).map(|_| r.below(alphabet) as u32).collect()
                };
                let (a, b, reach) = (draw(&mut r), draw(&mut r), r.below(12));
                let empty = || (vec![false; a.len()], vec![false; b.len()]);
                let (mut searched, mut walked) = (empty(), empty());
                let count = search(&a, &b, reach, &mut searched.0, &mut searched.1);
                assert_eq!(walk(&a, &b, reach, &mut walked.0, &mut walked.1), count);
                assert_eq!(walked, searched);
            }
        }
    }

    #[test]
    fn winklers_examples() {
        // Winkler (1990), table of examples: similarities .961, .840, .813 to three digits.
        let d = JaroWinkler::new(Unit::Chars, 0.1).unwrap();
        for (a, b, similarity) in
            [("MARTHA", "MARHTA", 0.961), ("DWAYNE", "DUANE", 0.840), ("DIXON", "DICKSONX", 0.813)]
        {
            assert!((1.0 - d.between(a, b) - similarity).abs() < 5e-4, "{a} {b}");
            assert_eq!(d.between(a, b).to_bits(), d.between(b, a).to_bits());
        }
        assert!(d.between("", "").abs() < 1e-15);
        assert!((d.between("", "a") - 1.0).abs() < 1e-15);
    }
}
