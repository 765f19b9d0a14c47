//! Sums over columns in single precision, when only the smallest matter: twice as many lanes as in `blocks`.

use pulp::{Arch, WithSimd};

use super::BLOCK;

/// Some columns: those of one sample, and of all samples in blocks of [`BLOCK`], stored column by column. Numeric
/// columns come first; a level is a code and half of its gap.
#[derive(Clone, Copy)]
pub struct Hand<'a> {
    /// The numbers of the sample.
    pub numbers: &'a [f32],
    /// Its levels.
    pub levels: &'a [f32],
    /// All samples.
    pub blocks: &'a [f32],
}

/// Finds the smallest differences, summed over the columns of two hands, between one sample and `rows` others: at
/// least the `count` smallest of each pair of hands. `found` receives the pair, the row and the sum; rows ascend for
/// each pair.
///
/// The minimum of each lane over all blocks is computed first. The `count`-th smallest of these minima is an upper
/// bound of the `count`-th smallest sum, and few other sums are below it: only these are looked at one by one.
pub fn small_sums_of_hands<const HANDS: usize>(
    hands: &[Hand<'_>; HANDS],
    is_manhattan: bool,
    rows: usize,
    pairs: &[(usize, usize)],
    count: usize,
    found: &mut impl FnMut(usize, usize, f32),
) {
    struct Op<'a, const HANDS: usize, F> {
        hands: &'a [Hand<'a>; HANDS],
        is_manhattan: bool,
        rows: usize,
        pairs: &'a [(usize, usize)],
        count: usize,
        found: &'a mut F,
    }
    impl<const HANDS: usize, F: FnMut(usize, usize, f32)> WithSimd for Op<'_, HANDS, F> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, simd: S) {
            // The number of vectors per block is known here, so that loops over them unroll.
            match (S::F32_LANES, self.is_manhattan) {
                (16, true) => self.run::<S, true, 2>(simd),
                (16, false) => self.run::<S, false, 2>(simd),
                (8, true) => self.run::<S, true, 4>(simd),
                (8, false) => self.run::<S, false, 4>(simd),
                (4, true) => self.run::<S, true, 8>(simd),
                (4, false) => self.run::<S, false, 8>(simd),
                (_, true) => self.run::<S, true, BLOCK>(simd),
                (_, false) => self.run::<S, false, BLOCK>(simd),
            }
        }
    }
    impl<const HANDS: usize, F: FnMut(usize, usize, f32)> Op<'_, HANDS, F> {
        #[inline(always)]
        fn run<S: pulp::Simd, const MANHATTAN: bool, const VECTORS: usize>(self, simd: S) {
            let blocks = self.rows.div_ceil(BLOCK);
            let mut sums: Vec<[[f32; BLOCK]; HANDS]> = Vec::with_capacity(blocks);
            let mut smallest = vec![[f32::INFINITY; BLOCK]; self.pairs.len()];
            for b in 0..blocks {
                let within = (self.rows - b * BLOCK).min(BLOCK);
                let mut all = [[0.0; BLOCK]; HANDS];
                for (hand, out) in self.hands.iter().zip(&mut all) {
                    let width = hand.numbers.len() + hand.levels.len();
                    let own = &hand.blocks[b * width * BLOCK..(b + 1) * width * BLOCK];
                    block::<S, MANHATTAN, VECTORS>(simd, hand, own, out);
                    out[within..].fill(f32::INFINITY);
                }
                for (&(one, other), smallest) in self.pairs.iter().zip(&mut smallest) {
                    let (x, y) = (vectors::<S, VECTORS>(&all[one]), vectors::<S, VECTORS>(&all[other]));
                    let (smallest, _) = S::as_mut_simd_f32s(smallest);
                    for ((x, y), least) in x.into_iter().zip(y).zip(smallest) {
                        *least = simd.min_f32s(*least, simd.add_f32s(x, y));
                    }
                }
                sums.push(all);
            }
            let limit = |mut smallest: [f32; BLOCK]| match self.count.checked_sub(1) {
                Some(last) if last < BLOCK => *smallest.select_nth_unstable_by(last, f32::total_cmp).1,
                _ => f32::INFINITY,
            };
            let limits: Vec<f32> = smallest.into_iter().map(limit).collect();
            for (b, all) in sums.iter().enumerate() {
                for (p, (&(one, other), limit)) in self.pairs.iter().zip(&limits).enumerate() {
                    let (x, y) = (vectors::<S, VECTORS>(&all[one]), vectors::<S, VECTORS>(&all[other]));
                    let mut least = simd.splat_f32s(f32::INFINITY);
                    for (x, y) in x.into_iter().zip(y) {
                        least = simd.min_f32s(least, simd.add_f32s(x, y));
                    }
                    let is_small = simd.less_than_or_equal_f32s(least, simd.splat_f32s(*limit));
                    if simd.first_true_m32s(is_small) >= S::F32_LANES {
                        continue;
                    }
                    let sums: [f32; BLOCK] = std::array::from_fn(|l| all[one][l] + all[other][l]);
                    // One bit each, so that only those that are small enough are looked at.
                    let mut small =
                        (0..BLOCK).fold(0_u32, |bits, l| bits | u32::from(sums[l] <= *limit) << l);
                    while small > 0 {
                        let lane = small.trailing_zeros() as usize;
                        small &= small - 1;
                        if b * BLOCK + lane < self.rows {
                            (self.found)(p, b * BLOCK + lane, sums[lane]);
                        }
                    }
                }
            }
        }
    }
    Arch::new().dispatch(Op { hands, is_manhattan, rows, pairs, count, found });
}

/// As many vectors as a block has, `VECTORS`.
#[inline(always)]
fn vectors<S: pulp::Simd, const VECTORS: usize>(values: &[f32]) -> [S::f32s; VECTORS] {
    let (values, _) = S::as_simd_f32s(values);
    std::array::from_fn(|v| values[v])
}

/// The sums over one block.
#[inline(always)]
fn block<S: pulp::Simd, const MANHATTAN: bool, const VECTORS: usize>(
    simd: S,
    hand: &Hand<'_>,
    own: &[f32],
    out: &mut [f32; BLOCK],
) {
    let (numbers, levels) = own.split_at(hand.numbers.len() * BLOCK);
    let mut sums = [simd.splat_f32s(0.0); VECTORS];
    for (column, &x) in numbers.chunks_exact(BLOCK).zip(hand.numbers) {
        let x = simd.splat_f32s(x);
        for (sum, y) in sums.iter_mut().zip(vectors::<S, VECTORS>(column)) {
            let d = simd.sub_f32s(x, y);
            let term = if MANHATTAN { simd.abs_f32s(d) } else { simd.mul_f32s(d, d) };
            *sum = simd.add_f32s(*sum, term);
        }
    }
    for (column, one) in levels.chunks_exact(2 * BLOCK).zip(hand.levels.chunks_exact(2)) {
        let (code, gap) = (simd.splat_f32s(one[0]), simd.splat_f32s(one[1]));
        let (codes, gaps) = column.split_at(BLOCK);
        let both = vectors::<S, VECTORS>(codes).into_iter().zip(vectors::<S, VECTORS>(gaps));
        for (sum, (other, added)) in sums.iter_mut().zip(both) {
            let differ = simd.abs_f32s(simd.sub_f32s(code, other));
            let is_same = simd.less_than_f32s(differ, simd.splat_f32s(0.5));
            let both = simd.add_f32s(gap, added);
            let added = simd.select_f32s(is_same, simd.splat_f32s(0.0), both);
            *sum = simd.add_f32s(*sum, added);
        }
    }
    let (out, _) = S::as_mut_simd_f32s(out);
    out.copy_from_slice(&sums);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn sums_are_those_of_plain_loops() {
        let mut r = Random::new(6);
        let mut passed_over = 0;
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
                let pairs = [(0, 1), (1, 1)];
                let told = |wanted: usize| {
                    let mut told: Vec<(usize, f32)> = Vec::new();
                    let mut tell = |p: usize, row: usize, sum: f32| {
                        if p == 0 {
                            told.push((row, sum));
                        }
                    };
                    small_sums_of_hands(&hands, is_manhattan, count, &pairs, wanted, &mut tell);
                    assert!(told.is_sorted_by_key(|(row, _)| *row));
                    told
                };
                // More than there are lanes: nothing is skipped.
                let sums = told(BLOCK + 1);
                assert_eq!(sums.len(), count);
                for (i, (row, sum)) in sums.iter().enumerate() {
                    let plain: f32 = plain(&first, i) + plain(&second, i);
                    assert!(
                        *row == i && (plain - *sum).abs() <= 1e-5 * plain.abs().max(1.0),
                        "{plain} {sum}"
                    );
                }
                // The smallest are always reported; others may be skipped.
                let mut sorted: Vec<f32> = sums.iter().map(|(_, sum)| *sum).collect();
                sorted.sort_unstable_by(f32::total_cmp);
                for wanted in [1, 2, 7, BLOCK] {
                    let told = told(wanted);
                    assert!(told.iter().all(|one| sums.contains(one)));
                    let mut told: Vec<f32> = told.into_iter().map(|(_, sum)| sum).collect();
                    told.sort_unstable_by(f32::total_cmp);
                    assert_eq!(told[..wanted], sorted[..wanted]);
                    passed_over += usize::from(told.len() < sums.len());
                }
            }
        }
        assert!(passed_over > 0);
    }
}
