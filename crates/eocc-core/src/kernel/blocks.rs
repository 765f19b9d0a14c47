//! Sums over the columns of many samples at a time, interleaved in blocks column by column; and of their bounding
//! boxes.
//!
//! Explicitly vectorized: on its own, the compiler computes the sums of a block one number at a time.

use pulp::{Arch, WithSimd};

use super::dispatch;

/// Samples in a block of [`sums_to_blocks`].
pub const BLOCK: usize = 32;
/// Vectors that are summed in parallel.
const STRIP: usize = 4;

/// Distances of `one` to samples in blocks of [`BLOCK`]: [`sums_to_blocks`], with roots taken.
pub fn view_to_blocks(numbers: &[f64], levels: &[f64], is_manhattan: bool, blocks: &[f64], out: &mut [f64]) {
    sums_to_blocks(numbers, levels, is_manhattan, blocks, out);
    if !is_manhattan {
        dispatch(
            #[inline(always)]
            || {
                for sum in out {
                    *sum = sum.sqrt();
                }
            },
        );
    }
}

/// Sums over the columns of the differences between `one` and samples in blocks of [`BLOCK`], stored column by
/// column: first numeric columns, whose differences or squared differences are added, then pairs of columns, a code
/// and the term to add if the codes differ. Each sum runs column by column, whatever the vector width.
pub fn sums_to_blocks(numbers: &[f64], levels: &[f64], is_manhattan: bool, blocks: &[f64], out: &mut [f64]) {
    struct Op<'a> {
        numbers: &'a [f64],
        levels: &'a [f64],
        is_manhattan: bool,
        blocks: &'a [f64],
        out: &'a mut [f64],
    }
    impl WithSimd for Op<'_> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, simd: S) {
            let width = self.numbers.len() + self.levels.len();
            if width == 0 {
                self.out.fill(0.0);
                return;
            }
            let blocks = self.blocks.chunks_exact(width * BLOCK);
            for (block, out) in blocks.zip(self.out.chunks_exact_mut(BLOCK)) {
                let (out, _) = S::as_mut_simd_f64s(out);
                for (strip, out) in out.chunks_exact_mut(STRIP).enumerate() {
                    let column = |f: usize| {
                        let (column, _) = S::as_simd_f64s(&block[f * BLOCK..(f + 1) * BLOCK]);
                        &column[strip * STRIP..(strip + 1) * STRIP]
                    };
                    let mut sums = [simd.splat_f64s(0.0); STRIP];
                    if self.is_manhattan {
                        for (f, &x) in self.numbers.iter().enumerate() {
                            let x = simd.splat_f64s(x);
                            for (sum, y) in sums.iter_mut().zip(column(f)) {
                                *sum = simd.add_f64s(*sum, simd.abs_f64s(simd.sub_f64s(x, *y)));
                            }
                        }
                    } else {
                        for (f, &x) in self.numbers.iter().enumerate() {
                            let x = simd.splat_f64s(x);
                            for (sum, y) in sums.iter_mut().zip(column(f)) {
                                let d = simd.sub_f64s(x, *y);
                                *sum = simd.add_f64s(*sum, simd.mul_f64s(d, d));
                            }
                        }
                    }
                    for (k, one) in self.levels.chunks_exact(2).enumerate() {
                        let (code, gap) = (simd.splat_f64s(one[0]), simd.splat_f64s(one[1]));
                        let f = self.numbers.len() + 2 * k;
                        for ((sum, other), added) in sums.iter_mut().zip(column(f)).zip(column(f + 1)) {
                            let differ = simd.abs_f64s(simd.sub_f64s(code, *other));
                            let is_same = simd.less_than_f64s(differ, simd.splat_f64s(0.5));
                            let both = simd.add_f64s(gap, *added);
                            let term = simd.select_f64s(is_same, simd.splat_f64s(0.0), both);
                            *sum = simd.add_f64s(*sum, term);
                        }
                    }
                    for (out, sum) in out.iter_mut().zip(sums) {
                        *out = sum;
                    }
                }
            }
        }
    }
    Arch::new().dispatch(Op { numbers, levels, is_manhattan, blocks, out });
}

/// Weighted sums over the columns of samples in blocks of [`BLOCK`]. They run column by column.
pub fn weighted_sums_of_blocks(weights: &[f64], blocks: &[f64], out: &mut [f64]) {
    struct Op<'a> {
        weights: &'a [f64],
        blocks: &'a [f64],
        out: &'a mut [f64],
    }
    impl WithSimd for Op<'_> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, simd: S) {
            if self.weights.is_empty() {
                self.out.fill(0.0);
                return;
            }
            let blocks = self.blocks.chunks_exact(self.weights.len() * BLOCK);
            for (block, out) in blocks.zip(self.out.chunks_exact_mut(BLOCK)) {
                let (out, _) = S::as_mut_simd_f64s(out);
                for (strip, out) in out.chunks_exact_mut(STRIP).enumerate() {
                    let mut sums = [simd.splat_f64s(0.0); STRIP];
                    for (column, &weight) in block.chunks_exact(BLOCK).zip(self.weights) {
                        let (column, _) = S::as_simd_f64s(column);
                        let weight = simd.splat_f64s(weight);
                        for (sum, y) in sums.iter_mut().zip(&column[strip * STRIP..(strip + 1) * STRIP]) {
                            *sum = simd.add_f64s(*sum, simd.mul_f64s(weight, *y));
                        }
                    }
                    out.copy_from_slice(&sums);
                }
            }
        }
    }
    Arch::new().dispatch(Op { weights, blocks, out });
}

/// Boxes in a group of [`sums_to_boxes`].
pub const BOXES: usize = 64;

/// Lower bounds of the sums of `one` to everything inside boxes, in groups of [`BOXES`], stored column by column: the
/// smallest values, then the largest; for categories, those of the codes. Sums run in the order of
/// [`sums_to_blocks`], and rounding is monotonic, so no bound exceeds a sum by even one bit.
pub fn sums_to_boxes(numbers: &[f64], levels: &[f64], is_manhattan: bool, boxes: &[f64], out: &mut [f64]) {
    struct Op<'a> {
        numbers: &'a [f64],
        levels: &'a [f64],
        is_manhattan: bool,
        boxes: &'a [f64],
        out: &'a mut [f64],
    }
    impl WithSimd for Op<'_> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, simd: S) {
            let width = self.numbers.len() + self.levels.len() / 2;
            if width == 0 {
                self.out.fill(0.0);
                return;
            }
            let (zero, half) = (simd.splat_f64s(0.0), simd.splat_f64s(0.5));
            let groups = self.boxes.chunks_exact(2 * width * BOXES);
            for (group, out) in groups.zip(self.out.chunks_exact_mut(BOXES)) {
                let (out, _) = S::as_mut_simd_f64s(out);
                for (strip, out) in out.chunks_exact_mut(STRIP).enumerate() {
                    let ends = |column: usize| {
                        let ends = group[2 * column * BOXES..2 * (column + 1) * BOXES].split_at(BOXES);
                        let strip = strip * STRIP..(strip + 1) * STRIP;
                        let low = &S::as_simd_f64s(ends.0).0[strip.clone()];
                        low.iter().zip(&S::as_simd_f64s(ends.1).0[strip])
                    };
                    let mut sums = [zero; STRIP];
                    for (f, &x) in self.numbers.iter().enumerate() {
                        let x = simd.splat_f64s(x);
                        for (sum, (low, high)) in sums.iter_mut().zip(ends(f)) {
                            let (below, above) = (simd.sub_f64s(*low, x), simd.sub_f64s(x, *high));
                            let outside = simd.max_f64s(simd.max_f64s(below, above), zero);
                            let term =
                                if self.is_manhattan { outside } else { simd.mul_f64s(outside, outside) };
                            *sum = simd.add_f64s(*sum, term);
                        }
                    }
                    for (one, f) in self.levels.chunks_exact(2).zip(self.numbers.len()..) {
                        let (code, gap) = (simd.splat_f64s(one[0]), simd.splat_f64s(one[1]));
                        for (sum, (low, high)) in sums.iter_mut().zip(ends(f)) {
                            let is_below = simd.less_than_f64s(code, simd.sub_f64s(*low, half));
                            let is_above = simd.less_than_f64s(simd.add_f64s(*high, half), code);
                            let term = simd.select_f64s(is_below, gap, simd.select_f64s(is_above, gap, zero));
                            *sum = simd.add_f64s(*sum, term);
                        }
                    }
                    out.copy_from_slice(&sums);
                }
            }
        }
    }
    Arch::new().dispatch(Op { numbers, levels, is_manhattan, boxes, out });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn distances_to_blocks_are_those_of_plain_loops() {
        let mut r = Random::new(7);
        for (numbers, levels) in [(0, 0), (1, 0), (5, 0), (3, 2), (0, 3)] {
            let width = numbers + 2 * levels;
            let mut blocks: Vec<f64> = (0..2 * BLOCK * width).map(|_| r.normal()).collect();
            let mut one: Vec<f64> = (0..width).map(|_| r.normal()).collect();
            for k in 0..levels {
                let f = numbers + 2 * k;
                one[f] = r.below(3) as f64;
                for block in blocks.chunks_exact_mut(BLOCK * width) {
                    block[f * BLOCK..(f + 1) * BLOCK].iter_mut().for_each(|c| *c = r.below(3) as f64);
                }
            }
            for is_manhattan in [true, false] {
                let mut out = vec![f64::NAN; 2 * BLOCK];
                view_to_blocks(&one[..numbers], &one[numbers..], is_manhattan, &blocks, &mut out);
                for (i, found) in out.iter().enumerate() {
                    let cell = |f: usize| blocks[(i / BLOCK * width + f) * BLOCK + i % BLOCK];
                    let mut sum = 0.0;
                    for (f, x) in one[..numbers].iter().enumerate() {
                        let d = x - cell(f);
                        sum += if is_manhattan { d.abs() } else { d * d };
                    }
                    for f in (numbers..width).step_by(2) {
                        sum += if (one[f] - cell(f)).abs() > 0.5 { one[f + 1] + cell(f + 1) } else { 0.0 };
                    }
                    let wanted: f64 = if is_manhattan { sum } else { sum.sqrt() };
                    assert_eq!(found.to_bits(), wanted.to_bits());
                }
            }
        }
    }

    #[test]
    fn bounds_and_weighted_sums_are_those_of_plain_loops() {
        let mut r = Random::new(9);
        for (numbers, levels) in [(0, 0), (1, 0), (4, 0), (3, 2), (0, 2)] {
            let columns = numbers + levels;
            let mut ends = vec![0.0; 2 * columns * BOXES];
            for column in ends.chunks_exact_mut(2 * BOXES) {
                let (low, high) = column.split_at_mut(BOXES);
                for (low, high) in low.iter_mut().zip(high) {
                    *low = (3.0 * r.normal()).round();
                    *high = *low + r.below(3) as f64;
                }
            }
            let mut one: Vec<f64> = (0..numbers).map(|_| 3.0 * r.normal()).collect();
            one.extend((0..levels).flat_map(|_| [r.below(4) as f64, 0.25]));
            for is_manhattan in [true, false] {
                let mut out = vec![f64::NAN; BOXES];
                sums_to_boxes(&one[..numbers], &one[numbers..], is_manhattan, &ends, &mut out);
                for (b, found) in out.iter().enumerate() {
                    let (low, high) =
                        (|f: usize| ends[2 * f * BOXES + b], |f: usize| ends[(2 * f + 1) * BOXES + b]);
                    let mut sum = 0.0;
                    for (f, x) in one[..numbers].iter().enumerate() {
                        let outside = (low(f) - x).max(x - high(f)).max(0.0);
                        sum += if is_manhattan { outside } else { outside * outside };
                    }
                    for (level, f) in one[numbers..].chunks_exact(2).zip(numbers..) {
                        let is_inside = level[0] >= low(f) && level[0] <= high(f);
                        sum += if is_inside { 0.0 } else { level[1] };
                    }
                    assert_eq!(found.to_bits(), sum.to_bits(), "{found} {sum}");
                }
            }
            let weights: Vec<f64> = (0..columns).map(|_| r.normal()).collect();
            let blocks: Vec<f64> = (0..2 * BLOCK * columns).map(|_| r.normal()).collect();
            let mut out = vec![f64::NAN; 2 * BLOCK];
            weighted_sums_of_blocks(&weights, &blocks, &mut out);
            for (i, found) in out.iter().enumerate() {
                let cell = |f: usize| blocks[(i / BLOCK * columns + f) * BLOCK + i % BLOCK];
                let sum = weights.iter().enumerate().fold(0.0, |sum, (f, w)| sum + w * cell(f));
                assert_eq!(found.to_bits(), sum.to_bits());
            }
        }
    }
}
