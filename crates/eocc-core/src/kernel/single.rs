//! Sums over columns in single precision, of which only the smallest are of interest: twice as many lanes as in `blocks`.

use pulp::{Arch, WithSimd};

use super::{BLOCK, dispatch};

/// As [`sums_to_blocks`](super::sums_to_blocks), in single precision.
pub fn sums_to_blocks_single(
    numbers: &[f32],
    levels: &[f32],
    is_manhattan: bool,
    blocks: &[f32],
    out: &mut [f32],
) {
    struct Op<'a> {
        numbers: &'a [f32],
        levels: &'a [f32],
        is_manhattan: bool,
        blocks: &'a [f32],
        out: &'a mut [f32],
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
                let (out, _) = S::as_mut_simd_f32s(out);
                out.fill(simd.splat_f32s(0.0));
                let (numbers, levels) = block.split_at(self.numbers.len() * BLOCK);
                for (column, &x) in numbers.chunks_exact(BLOCK).zip(self.numbers) {
                    let (column, _) = S::as_simd_f32s(column);
                    let x = simd.splat_f32s(x);
                    for (sum, y) in out.iter_mut().zip(column) {
                        let d = simd.sub_f32s(x, *y);
                        let term = if self.is_manhattan { simd.abs_f32s(d) } else { simd.mul_f32s(d, d) };
                        *sum = simd.add_f32s(*sum, term);
                    }
                }
                for (column, one) in levels.chunks_exact(2 * BLOCK).zip(self.levels.chunks_exact(2)) {
                    let (code, gap) = (simd.splat_f32s(one[0]), simd.splat_f32s(one[1]));
                    let (codes, gaps) = column.split_at(BLOCK);
                    let ((codes, _), (gaps, _)) = (S::as_simd_f32s(codes), S::as_simd_f32s(gaps));
                    for ((sum, other), added) in out.iter_mut().zip(codes).zip(gaps) {
                        let differ = simd.abs_f32s(simd.sub_f32s(code, *other));
                        let is_same = simd.less_than_f32s(differ, simd.splat_f32s(0.5));
                        let both = simd.add_f32s(gap, *added);
                        let term = simd.select_f32s(is_same, simd.splat_f32s(0.0), both);
                        *sum = simd.add_f32s(*sum, term);
                    }
                }
            }
        }
    }
    Arch::new().dispatch(Op { numbers, levels, is_manhattan, blocks, out });
}

/// The smallest of the sums of two rows in every `C` that stand side by side; of the last ones, which may be fewer, too.
pub fn smallest_sums_of_chunks<const C: usize>(a: &[f32], b: &[f32], out: &mut [f32]) {
    let smaller = |a: f32, b: f32| if a < b { a } else { b };
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<C>(), b.as_chunks::<C>());
    dispatch(
        #[inline(always)]
        || {
            for ((a, b), out) in a.iter().zip(b).zip(&mut *out) {
                let mut least = [f32::INFINITY; 16];
                for (x, y) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
                    for l in 0..16 {
                        least[l] = smaller(x[l] + y[l], least[l]);
                    }
                }
                for half in [8, 4, 2, 1] {
                    for l in 0..half {
                        least[l] = smaller(least[l + half], least[l]);
                    }
                }
                *out = least[0];
            }
        },
    );
    if let Some(out) = out.get_mut(a.len()) {
        *out = rest_a.iter().zip(rest_b).fold(f32::INFINITY, |m, (x, y)| smaller(x + y, m));
    }
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
            let mut value = |f: usize| {
                let is_code = f >= numbers && (f - numbers).is_multiple_of(2);
                let v = r.normal() as f32;
                if is_code { v.abs().round() } else { v }
            };
            let one: Vec<f32> = (0..width).map(&mut value).collect();
            let rows: Vec<Vec<f32>> = (0..2 * BLOCK).map(|_| (0..width).map(&mut value).collect()).collect();
            let mut blocks = vec![0.0; rows.len() * width];
            for (i, row) in rows.iter().enumerate() {
                for (f, v) in row.iter().enumerate() {
                    blocks[(i / BLOCK * width + f) * BLOCK + i % BLOCK] = *v;
                }
            }
            for is_manhattan in [true, false] {
                let mut out = vec![9.0; rows.len()];
                let (own, own_levels) = one.split_at(numbers);
                sums_to_blocks_single(own, own_levels, is_manhattan, &blocks, &mut out);
                for (row, sum) in rows.iter().zip(&out) {
                    let term =
                        |(x, y): (&f32, &f32)| if is_manhattan { (x - y).abs() } else { (x - y) * (x - y) };
                    let mut plain: f32 = own.iter().zip(row).map(term).sum();
                    for (a, b) in own_levels.chunks(2).zip(row[numbers..].chunks(2)) {
                        plain += if (a[0] - b[0]).abs() < 0.5 { 0.0 } else { a[1] + b[1] };
                    }
                    assert!((plain - sum).abs() <= 1e-5 * plain.abs().max(1.0), "{plain} {sum}");
                }
            }
        }
    }
}
