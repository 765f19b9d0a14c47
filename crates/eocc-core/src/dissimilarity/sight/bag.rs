//! Bags of parts, compared by the Hellinger distance of their frequencies: `d(x, y)^2 = 1 - sum over parts of
//! sqrt(p_x p_y)`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::super::{Dissimilarity, Index, Prepared, Properties};
use super::Sight;
use super::bag_index::BagIndex;
use crate::sample::Sample;

/// Smaller squared distances are rounding: the frequencies of equal bags sum to 1 only up to rounding.
const ROUNDING: f64 = 1e-12;

/// The parts of a sample: for each kind of part the square root of its frequency, by the number of the kind,
/// ascending. The squares sum to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bag(pub(super) Vec<(u64, f64)>);

impl Bag {
    /// From the parts of each size, in any order. All sizes count the same; a size without parts gets a placeholder
    /// part.
    pub fn new(sizes: &mut [Vec<u64>]) -> Self {
        let mut all = Vec::new();
        let weight = 1.0 / sizes.len() as f64;
        for (size, parts) in (0_u64..).zip(sizes) {
            // Different sizes share no parts.
            let key = |part: u64| part.rotate_left(8) ^ size.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            if parts.is_empty() {
                all.push((key(u64::MAX), weight.sqrt()));
            }
            parts.sort_unstable();
            let share = weight / parts.len() as f64;
            all.extend(
                parts
                    .chunk_by(|a, b| a == b)
                    .map(|equal| (key(equal[0]), (equal.len() as f64 * share).sqrt())),
            );
        }
        all.sort_unstable_by_key(|part| part.0);
        Self(all)
    }

    /// The distance to another.
    pub(super) fn distance(&self, other: &[(u64, f64)]) -> f64 {
        let mut rest = other.iter().peekable();
        let mut sum = 0.0;
        for (part, root) in &self.0 {
            while rest.next_if(|o| o.0 < *part).is_some() {}
            if let Some((_, other)) = rest.next_if(|o| o.0 == *part) {
                sum += root * other;
            }
        }
        from_sum(sum)
    }
}

fn from_sum(sum: f64) -> f64 {
    let squared = 1.0 - sum;
    if squared < ROUNDING { 0.0 } else { squared.sqrt() }
}

/// The view on the bag of parts.
pub(super) struct BagView<S: ?Sized>(pub(super) Arc<dyn Sight<S>>);

impl<S: ?Sized + Sample> Dissimilarity<S> for BagView<S> {
    fn name(&self) -> &'static str {
        "parts"
    }

    fn between(&self, a: &S, b: &S) -> f64 {
        self.0.bag(a).distance(&self.0.bag(b).0)
    }

    /// Derived from the samples.
    fn state(&self) -> Option<Value> {
        None
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<S>> {
        Box::new(Self(Arc::clone(&self.0)))
    }

    fn properties(&self) -> Properties {
        Properties { metric: true, ..Properties::default() }
    }

    fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>> {
        Box::new(Bags::new(Arc::clone(&self.0), many))
    }

    fn is_cheap_per_row(&self) -> bool {
        true
    }

    fn index(&self, many: &[&S], counting: usize) -> Option<Box<dyn Index<S>>> {
        Some(Box::new(BagIndex::new(Bags::new(Arc::clone(&self.0), many), counting)))
    }
}

/// Many bags: for each part the samples that have it.
pub(super) struct Bags<S: ?Sized> {
    pub(super) sight: Arc<dyn Sight<S>>,
    pub(super) all: Vec<Bag>,
    /// The number of each part.
    numbers: HashMap<u64, u32>,
    /// Where the samples of each part start; the last entry is the end.
    starts: Vec<usize>,
    /// Samples, ascending for each part, and the square roots of their frequencies.
    samples: Vec<(u32, f64)>,
}

impl<S: ?Sized + Sample> Bags<S> {
    pub(super) fn new(sight: Arc<dyn Sight<S>>, many: &[&S]) -> Self {
        let bags = crate::parallel::map(many.len(), 16, &|i| sight.bag(many[i]));
        let mut all =
            Bags { sight, all: bags, numbers: HashMap::new(), starts: Vec::new(), samples: Vec::new() };
        // A list for one sample would be wasted.
        if all.all.len() < 2 {
            return all;
        }
        let mut counts: Vec<usize> = Vec::new();
        for (part, _) in all.all.iter().flat_map(|bag| &bag.0) {
            let next = all.numbers.len() as u32;
            let number = *all.numbers.entry(*part).or_insert(next) as usize;
            counts.resize(counts.len().max(number + 1), 0);
            counts[number] += 1;
        }
        let mut end = 0;
        for count in counts {
            all.starts.push(end);
            end += count;
        }
        let mut next = all.starts.clone();
        all.starts.push(end);
        all.samples = vec![(0, 0.0); end];
        for (i, bag) in all.all.iter().enumerate() {
            for (part, root) in &bag.0 {
                let at = &mut next[all.numbers[part] as usize];
                all.samples[*at] = (i as u32, *root);
                *at += 1;
            }
        }
        all
    }

    /// The samples that have a part.
    pub(super) fn having(&self, part: u64) -> &[(u32, f64)] {
        let number = self.numbers.get(&part).map(|number| *number as usize);
        number.map_or(&[], |number| &self.samples[self.starts[number]..self.starts[number + 1]])
    }
}

impl<S: ?Sized + Sample> Prepared<S> for Bags<S> {
    fn fill(&self, one: &S, range: Range<usize>, out: &mut [f64]) {
        let bag = self.sight.bag(one);
        if self.numbers.is_empty() || 2 * range.len() < self.all.len() {
            for (i, o) in range.zip(out) {
                *o = bag.distance(&self.all[i].0);
            }
            return;
        }
        out.fill(0.0);
        // Part by part, in the order of `Bag::distance`, so that sums have the same bits.
        for (part, root) in &bag.0 {
            for (sample, other) in self.having(*part) {
                if let Some(sum) = (*sample as usize).checked_sub(range.start).and_then(|at| out.get_mut(at))
                {
                    *sum += root * other;
                }
            }
        }
        for sum in out {
            *sum = from_sum(*sum);
        }
    }

    fn fill_some(&self, one: &S, which: &[usize], out: &mut [f64]) {
        let bag = self.sight.bag(one);
        for (&i, o) in which.iter().zip(out) {
            *o = bag.distance(&self.all[i].0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TextSight;
    use super::*;

    #[test]
    fn distances_match_hand_computation() {
        let bag = |parts: &[&[u64]]| Bag::new(&mut parts.iter().map(|p| p.to_vec()).collect::<Vec<_>>());
        let a = bag(&[&[1, 1, 2], &[7]]);
        assert!(a.distance(&bag(&[&[2, 1, 1], &[7]]).0) <= 0.0);
        assert!((a.distance(&bag(&[&[3], &[8]]).0) - 1.0).abs() < 1e-15);
        // Half of the sizes agree; of the other, sqrt(2/3 · 1).
        let by_hand = (1.0 - (0.5 + 0.5 * (2.0_f64 / 3.0).sqrt())).sqrt();
        assert!((a.distance(&bag(&[&[1], &[7]]).0) - by_hand).abs() < 1e-15);
        // Empty equals empty.
        assert!(bag(&[&[], &[7]]).distance(&bag(&[&[], &[7]]).0) <= 0.0);
    }

    /// The definition: frequencies of trigrams of the string with start and end marks.
    fn plain_text_distance(a: &str, b: &str) -> f64 {
        let shares = |text: &str| {
            let letters: Vec<String> = std::iter::once("START".to_owned())
                .chain(text.chars().map(String::from))
                .chain(["END".to_owned()])
                .collect();
            let parts: Vec<&[String]> = letters.windows(3.min(letters.len())).collect();
            let mut shares: HashMap<String, f64> = HashMap::new();
            for part in &parts {
                *shares.entry(part.join(" ")).or_default() += 1.0 / parts.len() as f64;
            }
            shares
        };
        let (a, b) = (shares(a), shares(b));
        let common: f64 = a.iter().filter_map(|(part, p)| Some((p * b.get(part)?).sqrt())).sum();
        (1.0 - common).max(0.0).sqrt()
    }

    #[test]
    fn strings_by_the_definition() {
        let texts = ["", "a", "ab", "abc", "abcabc", "banana", "bandana", "ÄÖÜ ß", "aaaaaaa", "xyz"];
        for a in texts {
            for b in texts {
                let fast = TextSight.bag(a).distance(&TextSight.bag(b).0);
                assert!((fast - plain_text_distance(a, b)).abs() < 1e-7, "{a} {b}: {fast}");
            }
        }
    }

    #[test]
    fn many_at_a_time_are_one_by_one() {
        let texts = ["abcabc", "abc", "", "xyz", "cabc", "abcabc"];
        let view = BagView(Arc::new(TextSight) as Arc<dyn Sight<str>>);
        let prepared = view.prepare(&texts);
        for one in ["abcab", "", "xyz", "qq"] {
            let mut out = [9.0; 6];
            prepared.fill(one, 0..6, &mut out);
            for (o, text) in out.iter().zip(texts) {
                assert_eq!(o.to_bits(), view.between(one, text).to_bits(), "{one} {text}");
            }
            let mut some = [9.0; 2];
            prepared.fill(one, 3..5, &mut some);
            assert_eq!(some.map(f64::to_bits), [out[3], out[4]].map(f64::to_bits));
        }
    }
}
