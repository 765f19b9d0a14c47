//! Sums over columns in single precision, of which only the smallest are of interest: twice as many lanes as in `blocks`.

use pulp::{Arch, WithSimd};

use super::BLOCK;

/// Some columns: what one sample has in them, and all samples in blocks of [`BLOCK`], each given column by column. Columns of
/// numbers come first; a level is a code and half of its gap.
#[derive(Clone, Copy)]
pub struct Hand<'a> {
    /// The numbers of the one sample.
    pub numbers: &'a [f32],
    /// Its levels.
    pub levels: &'a [f32],
    /// All samples.
    pub blocks: &'a [f32],
}

/// Most vectors of a block that are kept in registers.
const VECTORS: usize = 4;

/// Finds small sums, over the columns of two hands, of what one sample differs by from `rows` others. Block by block, for each pair of
/// hands with a sum below its limit, `found` is told the pair, the number of the block and all sums of the block, infinite where it is
/// longer than the rows; it returns the new limit of the pair.
pub fn small_sums_of_hands<const HANDS: usize>(
    hands: &[Hand<'_>; HANDS],
    is_manhattan: bool,
    rows: usize,
    pairs: &[(usize, usize)],
    found: &mut impl FnMut(usize, usize, &[f32; BLOCK]) -> f32,
) {
    struct Op<'a, const HANDS: usize, F> {
        hands: &'a [Hand<'a>; HANDS],
        is_manhattan: bool,
        rows: usize,
        pairs: &'a [(usize, usize)],
        found: &'a mut F,
    }
    impl<const HANDS: usize, F: FnMut(usize, usize, &[f32; BLOCK]) -> f32> WithSimd for Op<'_, HANDS, F> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, simd: S) {
            let mut limits = vec![f32::INFINITY; self.pairs.len()];
            for b in 0..self.rows.div_ceil(BLOCK) {
                let mut all = [[0.0_f32; BLOCK]; HANDS];
                let within = (self.rows - b * BLOCK).min(BLOCK);
                for (hand, out) in self.hands.iter().zip(&mut all) {
                    if self.is_manhattan {
                        block::<S, true>(simd, hand, b, out);
                    } else {
                        block::<S, false>(simd, hand, b, out);
                    }
                    out[within..].fill(f32::INFINITY);
                }
                for (p, (&(one, other), limit)) in self.pairs.iter().zip(&mut limits).enumerate() {
                    let ((x, _), (y, _)) = (S::as_simd_f32s(&all[one]), S::as_simd_f32s(&all[other]));
                    let bound = simd.splat_f32s(*limit);
                    let is_small = x.iter().zip(y).any(|(x, y)| {
                        let mask = simd.less_than_f32s(simd.add_f32s(*x, *y), bound);
                        simd.first_true_m32s(mask) < S::F32_LANES
                    });
                    if is_small {
                        let sums = std::array::from_fn(|l| all[one][l] + all[other][l]);
                        *limit = (self.found)(p, b, &sums);
                    }
                }
            }
        }
    }
    /// The sums over one block.
    #[inline(always)]
    fn block<S: pulp::Simd, const MANHATTAN: bool>(
        simd: S,
        hand: &Hand<'_>,
        at: usize,
        out: &mut [f32; BLOCK],
    ) {
        let width = hand.numbers.len() + hand.levels.len();
        let own = &hand.blocks[at * width * BLOCK..(at + 1) * width * BLOCK];
        let (numbers, levels) = own.split_at(hand.numbers.len() * BLOCK);
        let (out, _) = S::as_mut_simd_f32s(out);
        let term = |x: S::f32s, y: S::f32s| {
            let d = simd.sub_f32s(x, y);
            if MANHATTAN { simd.abs_f32s(d) } else { simd.mul_f32s(d, d) }
        };
        if out.len() <= VECTORS {
            let mut sums = [simd.splat_f32s(0.0); VECTORS];
            for (column, &x) in numbers.chunks_exact(BLOCK).zip(hand.numbers) {
                let (column, _) = S::as_simd_f32s(column);
                let x = simd.splat_f32s(x);
                for (sum, y) in sums.iter_mut().zip(column) {
                    *sum = simd.add_f32s(*sum, term(x, *y));
                }
            }
            out.copy_from_slice(&sums[..out.len()]);
        } else {
            for (column, &x) in numbers.chunks_exact(BLOCK).zip(hand.numbers) {
                let (column, _) = S::as_simd_f32s(column);
                let x = simd.splat_f32s(x);
                for (sum, y) in out.iter_mut().zip(column) {
                    *sum = simd.add_f32s(*sum, term(x, *y));
                }
            }
        }
        for (column, one) in levels.chunks_exact(2 * BLOCK).zip(hand.levels.chunks_exact(2)) {
            let (code, gap) = (simd.splat_f32s(one[0]), simd.splat_f32s(one[1]));
            let (codes, gaps) = column.split_at(BLOCK);
            let ((codes, _), (gaps, _)) = (S::as_simd_f32s(codes), S::as_simd_f32s(gaps));
            for ((sum, other), added) in out.iter_mut().zip(codes).zip(gaps) {
                let differ = simd.abs_f32s(simd.sub_f32s(code, *other));
                let is_same = simd.less_than_f32s(differ, simd.splat_f32s(0.5));
                let both = simd.add_f32s(gap, *added);
                let added = simd.select_f32s(is_same, simd.splat_f32s(0.0), both);
                *sum = simd.add_f32s(*sum, added);
            }
        }
    }
    Arch::new().dispatch(Op { hands, is_manhattan, rows, pairs, found });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn sums_are_those_of_plain_loops() {
        let mut r = Random::new(6);
        for (numbers, levels) in [(0, 0), (3, 0), (0, 2), (5, 3)] {
            let width = numbers + 2 * levels;
            let count = 2 * BLOCK - 5;
            let mut value = |f: usize| {
                let is_code = f >= numbers && (f - numbers).is_multiple_of(2);
                let v = r.normal() as f32;
                if is_code { v.abs().round() } else { v }
            };
            let mut hand = || {
                let one: Vec<f32> = (0..width).map(&mut value).collect();
                let rows: Vec<Vec<f32>> = (0..count).map(|_| (0..width).map(&mut value).collect()).collect();
                let mut blocks = vec![0.0; 2 * BLOCK * width];
                for (i, row) in rows.iter().enumerate() {
                    for (f, v) in row.iter().enumerate() {
                        blocks[(i / BLOCK * width + f) * BLOCK + i % BLOCK] = *v;
                    }
                }
                (one, rows, blocks)
            };
            let (first, second) = (hand(), hand());
            let hands = [&first, &second].map(|(one, _, blocks)| Hand {
                numbers: &one[..numbers],
                levels: &one[numbers..],
                blocks,
            });
            for is_manhattan in [true, false] {
                let plain = |(one, rows, _): &(Vec<f32>, Vec<Vec<f32>>, Vec<f32>), i: usize| {
                    let term =
                        |(x, y): (&f32, &f32)| if is_manhattan { (x - y).abs() } else { (x - y) * (x - y) };
                    let mut plain: f32 = one[..numbers].iter().zip(&rows[i]).map(term).sum();
                    for (a, b) in one[numbers..].chunks(2).zip(rows[i][numbers..].chunks(2)) {
                        plain += if (a[0] - b[0]).abs() < 0.5 { 0.0 } else { a[1] + b[1] };
                    }
                    plain
                };
                let mut sums: Vec<f32> = Vec::new();
                let pairs = [(0, 1), (1, 1)];
                let mut all = |p: usize, _: usize, some: &[f32; BLOCK]| {
                    if p == 0 {
                        sums.extend(some);
                    }
                    f32::INFINITY
                };
                small_sums_of_hands(&hands, is_manhattan, count, &pairs, &mut all);
                for (i, sum) in sums[..count].iter().enumerate() {
                    let plain: f32 = plain(&first, i) + plain(&second, i);
                    assert!((plain - *sum).abs() <= 1e-5 * plain.abs().max(1.0), "{plain} {sum}");
                }
                assert!(sums[count..].iter().all(|s| s.is_infinite()) && sums.len() == 2 * BLOCK);
                // The second block is told only if it has a sum below the limit.
                let least =
                    |b: usize| sums[b * BLOCK..][..BLOCK].iter().copied().fold(f32::INFINITY, f32::min);
                let mut told = Vec::new();
                let mut below = |_: usize, b: usize, _: &[f32; BLOCK]| {
                    told.push(b);
                    least(0)
                };
                small_sums_of_hands(&hands, is_manhattan, count, &pairs[..1], &mut below);
                assert_eq!(told.len(), 1 + usize::from(least(1) < least(0)));
            }
        }
    }
}
