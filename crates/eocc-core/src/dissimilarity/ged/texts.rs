//! Edit distances between the texts of many labels, each computed once: a search over costs needs the same ones
//! repeatedly.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use super::labels::{EditDistance, Labels, Text};

/// Maximum number of texts with a table: 16 MB.
const MAX_TEXTS: usize = 4096;

/// The distances computed so far. All threads compute the same number, so their order does not matter.
#[derive(Debug)]
pub(super) struct TextTable {
    /// Below the diagonal; 0 if not known, else the distance plus 1.
    values: Vec<AtomicU16>,
}

/// The numbers of a graph's texts in a table.
#[derive(Debug, Clone)]
pub(super) struct Known {
    table: Arc<TextTable>,
    ids: Vec<u32>,
}

impl TextTable {
    /// Gives all of these labels the same table, unless there are too many texts.
    pub(super) fn share(all: &mut [&mut Labels]) {
        let mut numbers: HashMap<Text, u32> = HashMap::new();
        let mut ids: Vec<Vec<u32>> = Vec::with_capacity(all.len());
        for labels in all.iter() {
            let own = labels.texts.iter().map(|text| {
                let next = numbers.len() as u32;
                *numbers.entry(text.clone()).or_insert(next)
            });
            ids.push(own.collect());
            if numbers.len() > MAX_TEXTS {
                return;
            }
        }
        let count = numbers.len();
        let mut values = Vec::new();
        values.resize_with(count * count.saturating_sub(1) / 2, AtomicU16::default);
        let table = Arc::new(Self { values });
        for (labels, ids) in all.iter_mut().zip(ids) {
            labels.known = Some(Known { table: table.clone(), ids });
        }
    }

    fn between(&self, i: u32, j: u32, compute: impl FnOnce() -> usize) -> usize {
        if i == j {
            return 0;
        }
        let (low, high) = (i.min(j) as usize, i.max(j) as usize);
        let place = &self.values[high * (high - 1) / 2 + low];
        let value = place.load(Ordering::Relaxed);
        if value > 0 {
            return usize::from(value) - 1;
        }
        let found = compute();
        if let Ok(found) = u16::try_from(found + 1) {
            place.store(found, Ordering::Relaxed);
        }
        found
    }
}

/// The edit distance between text `a` of one graph and text `b` of another.
pub(super) fn edits(one: &Labels, a: u32, two: &Labels, b: u32, distance: &mut EditDistance) -> usize {
    let mut compute = || distance.between(&one.texts[a as usize], &two.texts[b as usize]);
    match (&one.known, &two.known) {
        (Some(x), Some(y)) if Arc::ptr_eq(&x.table, &y.table) => {
            x.table.between(x.ids[a as usize], y.ids[b as usize], compute)
        }
        _ => compute(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_table_gives_what_computing_gives() {
        let mut random = Random::new(3);
        let mut labels = || {
            let mut labels = Labels::default();
            for _ in 0..20 {
                let length = random.below(9);
                let word: String = (0..length).map(|_| ['a', 'b', 'ü'][random.below(3)]).collect();
                labels.texts.push(Text::new(&word));
            }
            labels
        };
        let (mut one, mut two) = (labels(), labels());
        let (plain_one, plain_two) = (one.clone(), two.clone());
        TextTable::share(&mut [&mut one, &mut two]);
        let mut distance = EditDistance::default();
        for _ in 0..2 {
            for a in 0..20 {
                for b in 0..20 {
                    let fresh = edits(&plain_one, a, &plain_two, b, &mut distance);
                    assert_eq!(edits(&one, a, &two, b, &mut distance), fresh);
                    assert_eq!(edits(&two, b, &one, a, &mut distance), fresh);
                }
            }
        }
    }
}
