//! The labels of one graph as far as they count, each stored once, and the cost of turning one into another.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use super::costs::{Side, Sources, Term};
use super::shape::NONE;
use super::texts::{Known, edits};
use crate::graphs::{Attribute, ValueRef};

/// A text as characters; as bytes if it is ASCII.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Text {
    units: Vec<u32>,
    is_ascii: bool,
}

impl Text {
    pub(super) fn new(text: &str) -> Self {
        Self { units: text.chars().map(u32::from).collect(), is_ascii: text.is_ascii() }
    }
}

/// A label by its content, independent of its number in a graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Content {
    numbers: Vec<u64>,
    texts: Vec<Option<Text>>,
    size: Option<u64>,
    types: Vec<Text>,
}

/// Labels without repetition: numbers, texts and a multiset each.
#[derive(Debug, Clone, Default)]
pub(super) struct Labels {
    pub(super) texts: Vec<Text>,
    number_width: usize,
    numbers: Vec<f64>,
    text_width: usize,
    /// Indices into `texts`, [`NONE`] if missing.
    codes: Vec<u32>,
    /// `frequency` of each label, and where its types end in `types`; empty without multisets.
    sizes: Vec<f64>,
    ends: Vec<u32>,
    types: Vec<u32>,
    /// Where distances between texts are cached; not part of the labels.
    pub(super) known: Option<Known>,
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        // Bitwise: a missing number is a NaN, and equal to another one.
        let same = |a: &[f64], b: &[f64]| a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()));
        (&self.texts, &self.codes, &self.ends, &self.types)
            == (&other.texts, &other.codes, &other.ends, &other.types)
            && same(&self.numbers, &other.numbers)
            && same(&self.sizes, &other.sizes)
    }
}

impl Labels {
    /// The labels that `value(row, attribute)` yields, and the label of each row.
    pub(super) fn new<'a>(
        sources: &Sources,
        attributes: &[Attribute],
        rows: usize,
        value: impl Fn(usize, usize) -> ValueRef<'a>,
    ) -> (Self, Vec<u32>) {
        let places: HashMap<&str, usize> =
            attributes.iter().enumerate().map(|(at, a)| (a.name.as_str(), at)).collect();
        let find = |name: &str| places.get(name).copied();
        let numbers: Vec<_> = sources.numbers.iter().map(|(name, f, w)| (find(name), *f, *w)).collect();
        let texts: Vec<_> = sources.texts.iter().map(|name| find(name)).collect();
        let frequency = find("frequency").filter(|_| sources.bag);
        let mut types: Vec<(u64, usize)> = Vec::new();
        if sources.bag {
            let number = |a: &Attribute| a.name.strip_prefix("type")?.parse::<u64>().ok();
            types.extend(attributes.iter().enumerate().filter_map(|(at, a)| Some((number(a)?, at))));
            types.sort_unstable();
        }
        let mut out = Self {
            number_width: numbers.iter().map(|n| n.2).sum(),
            text_width: texts.len(),
            ..Self::default()
        };
        let mut text_codes: HashMap<String, u32> = HashMap::new();
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut count = 0;
        let mut of_rows = Vec::with_capacity(rows);
        let (mut own_numbers, mut own_codes, mut own_types) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..rows {
            own_numbers.clear();
            own_codes.clear();
            own_types.clear();
            for &(at, factor, width) in &numbers {
                match at.map(|at| value(row, at)) {
                    Some(ValueRef::Number(v)) if width == 1 => own_numbers.push(v * factor),
                    Some(ValueRef::Vector(v)) if v.len() == width => {
                        own_numbers.extend(v.iter().map(|v| v * factor));
                    }
                    _ => own_numbers.resize(own_numbers.len() + width, f64::NAN),
                }
            }
            let mut code = |value: Option<ValueRef<'_>>, texts: &mut Vec<Text>| {
                let text = match value {
                    None | Some(ValueRef::Missing) => return NONE,
                    Some(value) => value.to_string(),
                };
                *text_codes.entry(text).or_insert_with_key(|text| {
                    texts.push(Text::new(text));
                    texts.len() as u32 - 1
                })
            };
            for at in &texts {
                own_codes.push(code(at.map(|at| value(row, at)), &mut out.texts));
            }
            let mut size = 0.0;
            if sources.bag {
                let given = match frequency.map(|at| value(row, at)) {
                    Some(ValueRef::Number(f)) => Some(f.max(0.0)),
                    _ => None,
                };
                for &(number, at) in &types {
                    if given.is_none_or(|f| (number as f64) < f) {
                        let code = code(Some(value(row, at)), &mut out.texts);
                        if code != NONE {
                            own_types.push(code);
                        }
                    }
                }
                own_types.sort_unstable();
                size = given.unwrap_or(own_types.len() as f64);
            }
            let key: Vec<u64> = (own_numbers.iter().chain([&size]).map(|v| v.to_bits()))
                .chain(own_codes.iter().chain(&own_types).map(|&c| u64::from(c)))
                .collect();
            let label = *known.entry(key).or_insert_with(|| {
                out.numbers.extend_from_slice(&own_numbers);
                out.codes.extend_from_slice(&own_codes);
                if sources.bag {
                    out.sizes.push(size);
                    out.types.extend_from_slice(&own_types);
                    out.ends.push(out.types.len() as u32);
                }
                count += 1;
                count - 1
            });
            of_rows.push(label);
        }
        (out, of_rows)
    }

    /// Cost of deleting or inserting a label.
    pub(super) fn erase(&self, side: &Side, label: u32) -> f64 {
        match self.sizes.get(label as usize) {
            Some(size) => side.erase * size,
            None => side.erase,
        }
    }

    pub(super) fn hash_into(&self, hash: &mut impl Hasher) {
        (&self.texts, &self.codes, &self.types, &self.ends).hash(hash);
        for v in self.numbers.iter().chain(&self.sizes) {
            v.to_bits().hash(hash);
        }
    }

    /// The label by its content.
    pub(super) fn content(&self, label: u32) -> Content {
        let size = self.sizes.get(label as usize).map(|s| s.to_bits());
        let types = if size.is_some() { self.types_of(label) } else { &[] };
        let mut types: Vec<Text> = types.iter().map(|&t| self.texts[t as usize].clone()).collect();
        types.sort_unstable();
        Content {
            numbers: self.number_slice(label).iter().map(|v| v.to_bits()).collect(),
            texts: (0..self.text_width).map(|slot| self.text_at(label, slot).cloned()).collect(),
            size,
            types,
        }
    }

    /// Whether two labels agree in everything that counts.
    pub(super) fn is_same(&self, a: u32, other: &Self, b: u32) -> bool {
        let (x, y) = (self.number_slice(a), other.number_slice(b));
        let has_bag = !self.sizes.is_empty() && !other.sizes.is_empty();
        x.iter().map(|v| v.to_bits()).eq(y.iter().map(|v| v.to_bits()))
            && (0..self.text_width).all(|slot| self.text_at(a, slot) == other.text_at(b, slot))
            && (!has_bag || {
                let (x, y) = (self.types_of(a), other.types_of(b));
                self.sizes[a as usize].to_bits() == other.sizes[b as usize].to_bits()
                    && x.len() == y.len()
                    && common(self, x, other, y) == x.len()
            })
    }

    fn number_slice(&self, label: u32) -> &[f64] {
        &self.numbers[label as usize * self.number_width..][..self.number_width]
    }

    fn text_at(&self, label: u32, slot: usize) -> Option<&Text> {
        self.texts.get(self.code(label, slot) as usize)
    }

    fn code(&self, label: u32, slot: usize) -> u32 {
        self.codes[label as usize * self.text_width + slot]
    }

    fn types_of(&self, label: u32) -> &[u32] {
        let start = if label == 0 { 0 } else { self.ends[label as usize - 1] as usize };
        &self.types[start..self.ends[label as usize] as usize]
    }
}

/// Cost of turning label `a` of one graph into label `b` of another.
pub(super) fn substitution(
    side: &Side,
    (one, a): (&Labels, u32),
    (two, b): (&Labels, u32),
    distance: &mut EditDistance,
) -> f64 {
    if let Some((slot, cost)) = side.gate
        && one.text_at(a, slot) != two.text_at(b, slot)
    {
        return cost;
    }
    let mut sum = 0.0;
    for term in &side.terms {
        sum += match *term {
            Term::Euclid { from, to, weight, absent } => {
                let (x, y) = (&one.number_slice(a)[from..to], &two.number_slice(b)[from..to]);
                let absent_in = |v: &[f64]| v.iter().any(|v| v.is_nan());
                match (absent_in(x), absent_in(y)) {
                    (false, false) => {
                        weight * x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
                    }
                    (true, true) => 0.0,
                    _ => absent,
                }
            }
            Term::Category { slot, weight } => {
                if one.text_at(a, slot) == two.text_at(b, slot) {
                    0.0
                } else {
                    weight
                }
            }
            Term::Edit { slot, weight, relative, absent } => {
                match (one.text_at(a, slot), two.text_at(b, slot)) {
                    (None, None) => 0.0,
                    (Some(x), Some(y)) => {
                        let (a, b) = (one.code(a, slot), two.code(b, slot));
                        let edits = edits(one, a, two, b, distance) as f64;
                        let longer = x.units.len().max(y.units.len()).max(1) as f64;
                        weight * if relative { edits / longer } else { edits }
                    }
                    _ => absent,
                }
            }
            Term::Bag { weight } => {
                let common = common(one, one.types_of(a), two, two.types_of(b)) as f64;
                // The frequency may be smaller than the number of common types: clamp at zero.
                weight * (one.sizes[a as usize] + two.sizes[b as usize] - 2.0 * common).max(0.0)
            }
        };
    }
    sum
}

/// Cost of turning an edge into another: at most that of deleting the one and inserting the other, which for an edge,
/// unlike a vertex, is always possible.
pub(super) fn edge_cost(
    side: &Side,
    (one, a): (&Labels, u32),
    (two, b): (&Labels, u32),
    distance: &mut EditDistance,
) -> f64 {
    let whole = one.erase(side, a) + two.erase(side, b);
    substitution(side, (one, a), (two, b), distance).min(whole)
}

/// Size of the intersection of two multisets of types.
fn common(one: &Labels, x: &[u32], two: &Labels, y: &[u32]) -> usize {
    let mut count = 0;
    // There are few types: each of `x` takes the first equal type of `y` not yet taken, found by how often it
    // occurred before.
    for (i, &a) in x.iter().enumerate() {
        let before = x[..i].iter().filter(|&&other| other == a).count();
        let text = &one.texts[a as usize];
        if y.iter().filter(|&&b| two.texts[b as usize] == *text).nth(before).is_some() {
            count += 1;
        }
    }
    count
}

/// Levenshtein distances, with buffers reused between patterns.
///
/// Up to 64 ASCII characters by the bit-parallel algorithm of Myers ("A fast bit-vector algorithm for approximate
/// string matching based on dynamic programming", JACM 46, 1999) in the form of Hyyrö (2003); otherwise by dynamic
/// programming, row by row.
#[derive(Debug, Clone)]
pub(super) struct EditDistance {
    masks: Box<[u64; 128]>,
    row: Vec<u32>,
}

impl Default for EditDistance {
    fn default() -> Self {
        Self { masks: Box::new([0; 128]), row: Vec::new() }
    }
}

impl EditDistance {
    pub(super) fn between(&mut self, a: &Text, b: &Text) -> usize {
        let (short, long) = if a.units.len() <= b.units.len() { (a, b) } else { (b, a) };
        if short.units.is_empty() {
            long.units.len()
        } else if short.units.len() <= 64 && short.is_ascii && long.is_ascii {
            self.by_bits(&short.units, &long.units)
        } else {
            self.by_table(&short.units, &long.units)
        }
    }

    fn by_bits(&mut self, pattern: &[u32], text: &[u32]) -> usize {
        for (i, &c) in pattern.iter().enumerate() {
            self.masks[c as usize & 127] |= 1 << i;
        }
        let last = 1_u64 << (pattern.len() - 1);
        let (mut plus, mut minus) = (u64::MAX, 0_u64);
        let mut score = pattern.len();
        for &c in text {
            let equal = self.masks[c as usize & 127];
            let diagonal = (((equal & plus).wrapping_add(plus)) ^ plus) | equal | minus;
            let right = minus | !(diagonal | plus);
            let left = plus & diagonal;
            score += usize::from(right & last != 0);
            score -= usize::from(left & last != 0);
            let right = (right << 1) | 1;
            plus = (left << 1) | !(diagonal | right);
            minus = right & diagonal;
        }
        for &c in pattern {
            self.masks[c as usize & 127] = 0;
        }
        score
    }

    fn by_table(&mut self, short: &[u32], long: &[u32]) -> usize {
        self.row.clear();
        self.row.extend(0..=short.len() as u32);
        for (i, c) in long.iter().enumerate() {
            let mut corner = self.row[0];
            self.row[0] = i as u32 + 1;
            for (j, d) in short.iter().enumerate() {
                let above = self.row[j + 1];
                self.row[j + 1] = (corner + u32::from(c != d)).min(above + 1).min(self.row[j] + 1);
                corner = above;
            }
        }
        self.row[short.len()] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distances_by_hand_and_by_both_ways() {
        let mut d = EditDistance::default();
        let mut between = |a: &str, b: &str| d.between(&Text::new(a), &Text::new(b));
        assert_eq!(between("kitten", "sitting"), 3);
        assert_eq!(between("", "abc"), 3);
        assert_eq!(between("same", "same"), 0);
        assert_eq!(between("größe", "grosse"), 3);
        let mut random = crate::random::Random::new(5);
        let mut word = |most: usize| -> Vec<u32> {
            let length = random.below(most);
            (0..length).map(|_| 97 + random.below(4) as u32).collect()
        };
        let mut d = EditDistance::default();
        for _ in 0..500 {
            let (mut a, mut b) = (word(65), word(90));
            if a.len() > b.len() {
                std::mem::swap(&mut a, &mut b);
            }
            if !a.is_empty() && a.len() <= 64 {
                assert_eq!(d.by_bits(&a, &b), d.by_table(&a, &b));
            }
        }
    }
}
