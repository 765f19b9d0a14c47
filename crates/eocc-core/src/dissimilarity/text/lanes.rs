//! Levenshtein distances of one string to many, eight at a time, optionally with transpositions.
//!
//! The bit-parallel algorithm of Myers (1999) in Hyyrö's form stores a column of the edit matrix in two bit vectors
//! per 64 symbols of the pattern, the rises and the falls along the column, and advances them by a symbol of the text
//! in about fifteen operations. Eight patterns run in the lanes of vector registers; nothing crosses a lane. The
//! distance is read off at the end: the length of the text plus the rises minus the falls of the last column.

#![expect(clippy::inline_always, reason = "only what is inlined is compiled for the widest instructions")]

use std::collections::HashMap;

use crate::kernel;

/// Patterns processed in parallel.
pub(super) const LANES: usize = 8;
type Lane = [u64; LANES];
/// The column of the edit matrix: its rises and falls, in blocks of 64 symbols.
pub(super) type BitColumn = Vec<(Lane, Lane)>;

/// Like [`BitColumn`], with transpositions: also stores where the last column equaled its diagonal neighbor, and the
/// positions of the last text symbol in the patterns.
pub(super) type SwapColumn = Vec<SwapBlock>;

/// A block of 64 symbols of such a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct SwapBlock {
    up: Lane,
    down: Lane,
    level: Lane,
    equal: Lane,
}

/// Groups with more distinct symbols look them up by hash rather than by index.
const DENSE: usize = 4096;

/// Up to eight prepared patterns.
pub(super) struct Group {
    /// Number of 64-symbol blocks of the longest.
    blocks: usize,
    /// Rows of masks, `blocks` lanes each; row 0 is for symbols that occur in no pattern.
    masks: Vec<Lane>,
    rows: Rows,
    /// Lengths of the patterns; zero for unused lanes.
    lengths: [usize; LANES],
}

/// From a symbol's number to its row of masks.
enum Rows {
    Dense(Vec<u32>),
    Sparse(HashMap<u32, u32>),
}

impl Rows {
    fn get(&self, symbol: u32) -> usize {
        match self {
            Self::Dense(rows) => rows.get(symbol as usize).copied().unwrap_or(0) as usize,
            Self::Sparse(rows) => rows.get(&symbol).copied().unwrap_or(0) as usize,
        }
    }
}

impl Group {
    /// Prepares up to eight patterns of symbols numbered below `alphabet`.
    pub(super) fn new(patterns: &[&[u32]], alphabet: usize) -> Self {
        let longest = patterns.iter().map(|p| p.len()).max().unwrap_or(0);
        let blocks = longest.div_ceil(64);
        let mut rows =
            if alphabet <= DENSE { Rows::Dense(vec![0; alphabet]) } else { Rows::Sparse(HashMap::new()) };
        let mut masks = vec![[0; LANES]; blocks];
        let mut lengths = [0; LANES];
        for (lane, pattern) in patterns.iter().enumerate() {
            lengths[lane] = pattern.len();
            for (i, &symbol) in pattern.iter().enumerate() {
                let next = (masks.len() / blocks) as u32;
                let row = match &mut rows {
                    Rows::Dense(rows) => &mut rows[symbol as usize],
                    Rows::Sparse(rows) => rows.entry(symbol).or_insert(0),
                };
                if *row == 0 {
                    *row = next;
                    masks.resize(masks.len() + blocks, [0; LANES]);
                }
                masks[*row as usize * blocks + i / 64][lane] |= 1 << (i % 64);
            }
        }
        Self { blocks, masks, rows, lengths }
    }

    /// Lengths of the patterns.
    pub(super) fn lengths(&self) -> [usize; LANES] {
        self.lengths
    }

    /// Levenshtein distances of all patterns to `text`, with symbols numbered the same way (any number at or above
    /// the alphabet for a symbol that no pattern has).
    pub(super) fn distances(&self, text: &[u32], column: &mut BitColumn) -> [usize; LANES] {
        if self.blocks == 0 {
            return [text.len(); LANES];
        }
        column.clear();
        column.resize(self.blocks, ([u64::MAX; LANES], [0; LANES]));
        kernel::dispatch(
            #[inline(always)]
            || {
                for &symbol in text {
                    let row = self.rows.get(symbol) * self.blocks;
                    advance(&self.masks[row..row + self.blocks], column);
                }
            },
        );
        self.last_row(text.len(), column.iter().map(|(up, down)| (up, down)))
    }

    /// Distances in which a transposition of two adjacent symbols is one edit, and no symbol is edited twice (optimal
    /// string alignment); Hyyrö (2003), "A bit-vector algorithm for computing Levenshtein and Damerau edit
    /// distances".
    pub(super) fn distances_with_swaps(&self, text: &[u32], column: &mut SwapColumn) -> [usize; LANES] {
        if self.blocks == 0 {
            return [text.len(); LANES];
        }
        column.clear();
        let none = [0; LANES];
        column.resize(self.blocks, SwapBlock { up: [u64::MAX; LANES], down: none, level: none, equal: none });
        kernel::dispatch(
            #[inline(always)]
            || {
                for &symbol in text {
                    let row = self.rows.get(symbol) * self.blocks;
                    advance_with_swaps(&self.masks[row..row + self.blocks], column);
                }
            },
        );
        self.last_row(text.len(), column.iter().map(|block| (&block.up, &block.down)))
    }

    /// The distance at the end of each pattern: the length of the text, plus all rises and minus all falls above it.
    fn last_row<'a>(
        &self,
        length: usize,
        column: impl Iterator<Item = (&'a Lane, &'a Lane)>,
    ) -> [usize; LANES] {
        let (mut rises, mut falls) = ([length; LANES], [0; LANES]);
        for (block, (up, down)) in column.enumerate() {
            for lane in 0..LANES {
                let inside = mask_below(self.lengths[lane].saturating_sub(64 * block));
                rises[lane] += (up[lane] & inside).count_ones() as usize;
                falls[lane] += (down[lane] & inside).count_ones() as usize;
            }
        }
        std::array::from_fn(|lane| rises[lane] - falls[lane])
    }
}

/// The lowest `count` bits.
fn mask_below(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Advances the column by one symbol of the text.
#[inline(always)]
fn advance(masks: &[Lane], column: &mut [(Lane, Lane)]) {
    // The top row of the matrix rises by one with every symbol.
    let mut rise_in: Lane = [1; LANES];
    let mut fall_in: Lane = [0; LANES];
    for (equal, (up, down)) in masks.iter().zip(column) {
        for l in 0..LANES {
            let (pv, mv) = (up[l], down[l]);
            let xv = equal[l] | mv;
            let eq = equal[l] | fall_in[l];
            let xh = ((eq & pv).wrapping_add(pv) ^ pv) | eq;
            let ph = mv | !(xh | pv);
            let mh = pv & xh;
            let ph_shifted = (ph << 1) | rise_in[l];
            let mh_shifted = (mh << 1) | fall_in[l];
            rise_in[l] = ph >> 63;
            fall_in[l] = mh >> 63;
            up[l] = mh_shifted | !(xv | ph_shifted);
            down[l] = ph_shifted & xv;
        }
    }
}

/// Advances the column by one symbol of the text, with transpositions.
#[inline(always)]
fn advance_with_swaps(masks: &[Lane], column: &mut [SwapBlock]) {
    let mut rise_in: Lane = [1; LANES];
    let mut fall_in: Lane = [0; LANES];
    // Whether the symbol before the block may begin a transposition.
    let mut swap_in: Lane = [0; LANES];
    for (equal, block) in masks.iter().zip(column) {
        for l in 0..LANES {
            let (pv, mv) = (block.up[l], block.down[l]);
            let begins = !block.level[l] & equal[l];
            let swapped = ((begins << 1) | swap_in[l]) & block.equal[l];
            swap_in[l] = begins >> 63;
            let eq = equal[l] | fall_in[l];
            let level = ((eq & pv).wrapping_add(pv) ^ pv) | eq | mv | swapped;
            let ph = mv | !(level | pv);
            let mh = pv & level;
            let ph_shifted = (ph << 1) | rise_in[l];
            let mh_shifted = (mh << 1) | fall_in[l];
            rise_in[l] = ph >> 63;
            fall_in[l] = mh >> 63;
            block.up[l] = mh_shifted | !(level | ph_shifted);
            block.down[l] = ph_shifted & level;
            (block.level[l], block.equal[l]) = (level, equal[l]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The textbook dynamic program of optimal string alignment.
    fn plain_with_swaps(a: &[u32], b: &[u32]) -> usize {
        let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                rows[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                    let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    if is_swap { least.min(rows[i - 2][j - 2] + 1) } else { least }
                };
            }
        }
        rows[a.len()][b.len()]
    }

    /// The textbook dynamic program.
    fn plain(a: &[u32], b: &[u32]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let next = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
                diagonal = row[j + 1];
                row[j + 1] = next;
            }
        }
        row[b.len()]
    }

    #[test]
    fn equals_the_dynamic_programme() {
        let mut r = Random::new(2);
        for alphabet in [1, 2, 4, 26, 5000] {
            let draw = |r: &mut Random| -> Vec<u32> {
                let length = r.below(200);
                (0..length).map(|_| r.below(alphabet) as u32).collect()
            };
            let patterns: Vec<Vec<u32>> = (0..LANES).map(|_| draw(&mut r)).collect();
            let refs: Vec<&[u32]> = patterns.iter().map(Vec::as_slice).collect();
            let (mut column, mut swap_column) = (Vec::new(), Vec::new());
            for used in [1, 3, LANES] {
                let group = Group::new(&refs[..used], alphabet);
                for _ in 0..10 {
                    let mut text = draw(&mut r);
                    text.push(alphabet as u32 + 7);
                    let found = group.distances(&text, &mut column);
                    let swapped = group.distances_with_swaps(&text, &mut swap_column);
                    for lane in 0..used {
                        assert_eq!(found[lane], plain(refs[lane], &text));
                        assert_eq!(swapped[lane], plain_with_swaps(refs[lane], &text));
                    }
                }
            }
        }
    }

    #[test]
    fn swaps_across_a_block_are_found() {
        for length in [63, 64, 65, 128, 129, 200] {
            let pattern: Vec<u32> = (0..length).collect();
            let group = Group::new(&[&pattern], length as usize);
            for at in 0..length as usize - 1 {
                let mut text = pattern.clone();
                text.swap(at, at + 1);
                assert_eq!(group.distances_with_swaps(&text, &mut Vec::new())[0], 1, "{length} {at}");
            }
        }
    }

    #[test]
    fn empty_strings_are_as_far_as_the_other_is_long() {
        let group = Group::new(&[&[], &[1, 2]], 3);
        let mut column = Vec::new();
        assert_eq!(group.distances(&[], &mut column)[..2], [0, 2]);
        assert_eq!(group.distances(&[1, 1, 1], &mut column)[..2], [3, 2]);
    }
}
