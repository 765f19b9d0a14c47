//! Edit distances with costs: a dynamic program over eight strings in parallel.
//!
//! Cell `(i, j)` is the least cost of turning the first `i` symbols of one string into the first `j` of another. The
//! eight other strings run in the lanes of vector registers; a row of the program is one symbol of `one`.

#![expect(clippy::inline_always, reason = "only what is inlined is compiled for the widest instructions")]

use crate::kernel;

/// Strings processed in parallel.
pub(super) const LANES: usize = 8;
type Lane = [f64; LANES];

/// The costs of edits. Symbols are numbers; those at or above the alphabet are unknown.
pub(super) trait EditCosts {
    /// Deleting `symbol` from `one`.
    fn deletion(&self, symbol: u32) -> f64;
    /// Inserting `symbol` of another string.
    fn insertion(&self, symbol: u32) -> f64;
    /// Costs of replacing `symbol` of `one` by each of these symbols of the other strings.
    fn substitution(&self, symbol: u32, others: &[u32; LANES]) -> Lane;
}

/// Up to eight strings, symbols interleaved, padded to the longest.
pub(super) struct Group {
    symbols: Vec<[u32; LANES]>,
    lengths: [usize; LANES],
}

impl Group {
    pub(super) fn new(strings: &[&[u32]]) -> Self {
        let longest = strings.iter().map(|s| s.len()).max().unwrap_or(0);
        let mut symbols = vec![[u32::MAX; LANES]; longest];
        let mut lengths = [0; LANES];
        for (lane, string) in strings.iter().enumerate() {
            lengths[lane] = string.len();
            for (row, &symbol) in symbols.iter_mut().zip(*string) {
                row[lane] = symbol;
            }
        }
        Self { symbols, lengths }
    }

    /// Lengths of the strings.
    pub(super) fn lengths(&self) -> [usize; LANES] {
        self.lengths
    }

    /// The string in a lane.
    pub(super) fn string(&self, lane: usize) -> impl Iterator<Item = u32> + '_ {
        self.symbols[..self.lengths[lane]].iter().map(move |s| s[lane])
    }

    /// Costs of turning `one` into each string of the group.
    pub(super) fn distances<C: EditCosts>(&self, one: &[u32], costs: &C, row: &mut Vec<Lane>) -> Lane {
        row.clear();
        row.push([0.0; LANES]);
        let insertions: Vec<Lane> = self.symbols.iter().map(|s| s.map(|s| costs.insertion(s))).collect();
        for (j, insertion) in insertions.iter().enumerate() {
            row.push(std::array::from_fn(|l| row[j][l] + insertion[l]));
        }
        kernel::dispatch(
            #[inline(always)]
            || {
                for &symbol in one {
                    next_row(row, costs.deletion(symbol), &insertions, |j| {
                        costs.substitution(symbol, &self.symbols[j])
                    });
                }
            },
        );
        std::array::from_fn(|l| row[self.lengths[l]][l])
    }
}

/// Advances the row by one symbol of `one`.
#[inline(always)]
fn next_row(row: &mut [Lane], deletion: f64, insertions: &[Lane], substitution: impl Fn(usize) -> Lane) {
    let mut diagonal = row[0];
    let mut left = row[0].map(|v| v + deletion);
    row[0] = left;
    for (j, (cell, insertion)) in row[1..].iter_mut().zip(insertions).enumerate() {
        let substitution = substitution(j);
        let above = *cell;
        for l in 0..LANES {
            let replaced = diagonal[l] + substitution[l];
            let deleted = above[l] + deletion;
            let inserted = left[l] + insertion[l];
            let least = if replaced < deleted { replaced } else { deleted };
            left[l] = if inserted < least { inserted } else { least };
        }
        *cell = left;
        diagonal = above;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    struct Random26(Vec<f64>);

    impl EditCosts for Random26 {
        fn deletion(&self, s: u32) -> f64 {
            self.0[s as usize % 26]
        }
        fn insertion(&self, s: u32) -> f64 {
            self.0[26 + s as usize % 26]
        }
        fn substitution(&self, s: u32, others: &[u32; LANES]) -> Lane {
            others.map(|o| if o == s { 0.0 } else { self.0[52 + (s as usize * 7 + o as usize * 3) % 26] })
        }
    }

    /// The textbook dynamic program.
    fn plain<C: EditCosts>(a: &[u32], b: &[u32], costs: &C) -> f64 {
        let mut d = vec![vec![0.0_f64; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                d[i][j] = match (i, j) {
                    (0, 0) => 0.0,
                    (0, _) => d[0][j - 1] + costs.insertion(b[j - 1]),
                    (_, 0) => d[i - 1][0] + costs.deletion(a[i - 1]),
                    _ => (d[i - 1][j - 1] + costs.substitution(a[i - 1], &[b[j - 1]; LANES])[0])
                        .min(d[i - 1][j] + costs.deletion(a[i - 1]))
                        .min(d[i][j - 1] + costs.insertion(b[j - 1])),
                };
            }
        }
        d[a.len()][b.len()]
    }

    #[test]
    fn equals_the_dynamic_programme() {
        let mut r = Random::new(8);
        let costs = Random26((0..78).map(|_| 0.1 + r.uniform()).collect());
        let draw = |r: &mut Random| -> Vec<u32> {
            let length = r.below(40);
            (0..length).map(|_| r.below(26) as u32).collect()
        };
        let mut row = Vec::new();
        for used in [1, 5, LANES] {
            let strings: Vec<Vec<u32>> = (0..used).map(|_| draw(&mut r)).collect();
            let group = Group::new(&strings.iter().map(Vec::as_slice).collect::<Vec<_>>());
            for _ in 0..10 {
                let one = draw(&mut r);
                let found = group.distances(&one, &costs, &mut row);
                for (string, value) in strings.iter().zip(found) {
                    assert!((value - plain(&one, string, &costs)).abs() < 1e-12);
                }
            }
        }
    }
}
