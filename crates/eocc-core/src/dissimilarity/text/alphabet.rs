//! The symbols of many strings, numbered so that they can index a table.

use std::collections::HashMap;

use super::symbols::Unit;

/// From symbols to numbers, in order of appearance.
#[derive(Debug, Clone, Default)]
pub(super) struct Alphabet {
    unit: Unit,
    /// Numbers of the symbols below 256, nearly all in practice; 0 for none, else the number plus one.
    bytes: Vec<u32>,
    others: HashMap<u64, u32>,
    count: u32,
}

impl Alphabet {
    pub(super) fn new(unit: Unit) -> Self {
        Self { unit, bytes: vec![0; 256], others: HashMap::new(), count: 0 }
    }

    /// How many symbols there are.
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// The symbol numbers of a string; new symbols get the next ones.
    pub(super) fn learn(&mut self, text: &str) -> Vec<u32> {
        self.unit.symbols(text).into_iter().map(|symbol| self.number(symbol)).collect()
    }

    fn number(&mut self, symbol: u64) -> u32 {
        let slot = match self.bytes.get_mut(usize::try_from(symbol).unwrap_or(usize::MAX)) {
            Some(slot) => slot,
            None => self.others.entry(symbol).or_insert(0),
        };
        if *slot == 0 {
            self.count += 1;
            *slot = self.count;
        }
        *slot - 1
    }

    /// Writes the symbol numbers of a string to `out`; unknown symbols get numbers from [`len`](Self::len) on, equal
    /// ones the same.
    pub(super) fn read(&self, text: &str, out: &mut Vec<u32>) {
        out.clear();
        let mut unknown: HashMap<u64, u32> = HashMap::new();
        self.unit.for_each(text, |symbol| {
            let slot = match self.bytes.get(usize::try_from(symbol).unwrap_or(usize::MAX)) {
                Some(slot) => *slot,
                None => self.others.get(&symbol).copied().unwrap_or(0),
            };
            out.push(if slot > 0 {
                slot - 1
            } else {
                let next = self.count + unknown.len() as u32;
                *unknown.entry(symbol).or_insert(next)
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_symbols_have_equal_numbers() {
        let mut alphabet = Alphabet::new(Unit::Chars);
        assert_eq!(alphabet.learn("abaÿ€"), [0, 1, 0, 2, 3]);
        let mut out = Vec::new();
        alphabet.read("xb€yx", &mut out);
        assert_eq!(out, [4, 1, 3, 5, 4]);
        assert_eq!(alphabet.len(), 4);
    }
}
