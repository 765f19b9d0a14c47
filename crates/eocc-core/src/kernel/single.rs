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

/// Sums over the columns of each hand of what one sample differs by from `rows` others, a row for each hand, infinite where a block
/// is longer; and for each pair of hands the smallest sum of both in every block, a row for each pair.
pub fn sums_of_hands<const HANDS: usize>(
    hands: &[Hand<'_>; HANDS],
    is_manhattan: bool,
    rows: usize,
    pairs: &[(usize, usize)],
    sums: &mut [f32],
    smallest: &mut [f32],
) {
    struct Op<'a, const HANDS: usize> {
        hands: &'a [Hand<'a>; HANDS],
        is_manhattan: bool,
        rows: usize,
        pairs: &'a [(usize, usize)],
        sums: &'a mut [f32],
        smallest: &'a mut [f32],
    }
    impl<const HANDS: usize> WithSimd for Op<'_, HANDS> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, simd: S) {
            let blocks = self.rows.div_ceil(BLOCK);
            for b in 0..blocks {
                let mut all = [[0.0_f32; BLOCK]; HANDS];
                let within = (self.rows - b * BLOCK).min(BLOCK);
                for (h, (hand, out)) in self.hands.iter().zip(&mut all).enumerate() {
                    if self.is_manhattan {
                        block::<S, true>(simd, hand, b, out);
                    } else {
                        block::<S, false>(simd, hand, b, out);
                    }
                    out[within..].fill(f32::INFINITY);
                    let start = (h * blocks + b) * BLOCK;
                    self.sums[start..start + BLOCK].copy_from_slice(out);
                }
                for (p, &(one, other)) in self.pairs.iter().enumerate() {
                    let ((a, _), (b_, _)) = (S::as_simd_f32s(&all[one]), S::as_simd_f32s(&all[other]));
                    let mut least = simd.splat_f32s(f32::INFINITY);
                    for (x, y) in a.iter().zip(b_) {
                        least = simd.min_f32s(least, simd.add_f32s(*x, *y));
                    }
                    self.smallest[p * blocks + b] = simd.reduce_min_f32s(least);
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
    Arch::new().dispatch(Op { hands, is_manhattan, rows, pairs, sums, smallest });
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
                let (mut sums, mut smallest) = (vec![9.0; 4 * BLOCK], vec![9.0; 2]);
                sums_of_hands(&hands, is_manhattan, count, &[(0, 1)], &mut sums, &mut smallest);
                let is_near = |a: f32, b: f32| (a - b).abs() <= 1e-5 * a.abs().max(1.0);
                for i in 0..count {
                    assert!(is_near(plain(&first, i), sums[i]));
                    assert!(is_near(plain(&second, i), sums[2 * BLOCK + i]));
                }
                assert!(sums[count..2 * BLOCK].iter().all(|s| s.is_infinite()));
                for (b, smallest) in smallest.iter().enumerate() {
                    let both = |i: usize| plain(&first, i) + plain(&second, i);
                    let rows = b * BLOCK..((b + 1) * BLOCK).min(count);
                    let least = rows.map(both).fold(f32::INFINITY, f32::min);
                    assert!(is_near(least, *smallest), "{least} {smallest}");
                }
            }
        }
    }
}
