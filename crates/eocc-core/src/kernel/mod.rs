//! The few inner loops that determine the overall speed: squared Euclidean distances and the like.
//!
//! Every sum runs in 16 fixed lanes, so the result does not depend on the vector width of the machine: the bits are
//! the same with SSE2, AVX2 or AVX-512. (Rust never fuses a multiplication and an addition on its own.)

#![expect(clippy::inline_always, reason = "only what is inlined is compiled for the widest instructions")]

mod blocks;
mod product;
mod single;

use pulp::{Arch, WithSimd};

pub use blocks::{BLOCK, BOXES, sums_to_blocks, sums_to_boxes, view_to_blocks, weighted_sums_of_blocks};
pub use product::PackedRows;
pub use single::{Hand, small_sums_of_hands};

const LANES: usize = 16;

/// Runs `f` with the widest vector instructions of this machine enabled.
pub(crate) fn dispatch<R>(f: impl FnOnce() -> R) -> R {
    struct Op<F>(F);
    impl<R, F: FnOnce() -> R> WithSimd for Op<F> {
        type Output = R;
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, simd: S) -> R {
            simd.vectorize(
                #[inline(always)]
                || (self.0)(),
            )
        }
    }
    Arch::new().dispatch(Op(f))
}

#[inline(always)]
fn squared(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let mut tail = 0.0;
    let (ca, ra) = a.as_chunks::<LANES>();
    let (cb, rb) = b.as_chunks::<LANES>();
    for (x, y) in ca.iter().zip(cb) {
        add_squares(&mut lanes, x, y);
    }
    for (x, y) in ra.iter().zip(rb) {
        let d = x - y;
        tail += d * d;
    }
    fold(&lanes) + tail
}

/// Adds the squared differences of two rows of lanes.
#[inline(always)]
fn add_squares(lanes: &mut [f64; LANES], x: &[f64; LANES], y: &[f64; LANES]) {
    for l in 0..LANES {
        let d = x[l] - y[l];
        lanes[l] += d * d;
    }
}

/// [`squared`] of `a` to each of two rows, with the same bits: interleaved, neither waits for the other's sums.
#[inline(always)]
fn squared_to_two(a: &[f64], b: &[f64], c: &[f64]) -> [f64; 2] {
    let (mut to_b, mut to_c) = ([0.0; LANES], [0.0; LANES]);
    let (mut tail_b, mut tail_c) = (0.0, 0.0);
    let (ca, ra) = a.as_chunks::<LANES>();
    let (cb, rb) = b.as_chunks::<LANES>();
    let (cc, rc) = c.as_chunks::<LANES>();
    for ((x, y), z) in ca.iter().zip(cb).zip(cc) {
        add_squares(&mut to_b, x, y);
        add_squares(&mut to_c, x, z);
    }
    for ((x, y), z) in ra.iter().zip(rb).zip(rc) {
        tail_b += (x - y) * (x - y);
        tail_c += (x - z) * (x - z);
    }
    // Hidden from the optimizer, which would otherwise pair the lanes of the two rows and use vectors of two.
    let (to_b, to_c) = (std::hint::black_box(to_b), std::hint::black_box(to_c));
    [fold(&to_b) + tail_b, fold(&to_c) + tail_c]
}

/// The sum of products of two rows of equal length.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    dispatch(
        #[inline(always)]
        || {
            let mut lanes = [0.0; LANES];
            let mut tail = 0.0;
            let (ca, ra) = a.as_chunks::<LANES>();
            let (cb, rb) = b.as_chunks::<LANES>();
            for (x, y) in ca.iter().zip(cb) {
                for l in 0..LANES {
                    lanes[l] += x[l] * y[l];
                }
            }
            for (x, y) in ra.iter().zip(rb) {
                tail += x * y;
            }
            fold(&lanes) + tail
        },
    )
}

/// Sums the lanes pairwise, in a fixed order.
#[inline(always)]
fn fold(lanes: &[f64; LANES]) -> f64 {
    let mut s = *lanes;
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            s[l] += s[l + width];
        }
        width /= 2;
    }
    s[0]
}

/// Squared Euclidean distance of two rows of equal length.
pub fn squared_euclidean(a: &[f64], b: &[f64]) -> f64 {
    dispatch(
        #[inline(always)]
        || squared(a, b),
    )
}

/// Euclidean distances of `one` to the rows of `many` (row-major, as long as `one`), into `out`.
pub fn euclidean_to_rows(one: &[f64], many: &[f64], out: &mut [f64]) {
    let width = one.len();
    dispatch(
        #[inline(always)]
        || {
            if width == 0 {
                out.fill(0.0);
                return;
            }
            let (pairs, last) = out.as_chunks_mut::<2>();
            let mut rows = many.chunks_exact(width);
            for pair in pairs {
                if let (Some(a), Some(b)) = (rows.next(), rows.next()) {
                    *pair = squared_to_two(one, a, b).map(f64::sqrt);
                }
            }
            for (o, row) in last.iter_mut().zip(rows) {
                *o = squared(one, row).sqrt();
            }
        },
    );
}

/// Euclidean distances of all rows of `ones` to all rows of `many`, with a row of `out` for each of `ones`. The long
/// side is `many`: each of its rows is read once for all of `ones`.
pub fn euclidean_block(ones: &[f64], many: &[f64], width: usize, out: &mut [f64]) {
    if width == 0 || ones.is_empty() {
        out.fill(0.0);
        return;
    }
    let columns = many.len() / width;
    dispatch(
        #[inline(always)]
        || {
            for (j, row) in many.chunks_exact(width).enumerate() {
                let mut pairs = ones.chunks_exact(2 * width);
                for (i, pair) in pairs.by_ref().enumerate() {
                    let [a, b] = squared_to_two(row, &pair[..width], &pair[width..]);
                    out[2 * i * columns + j] = a.sqrt();
                    out[(2 * i + 1) * columns + j] = b.sqrt();
                }
                if !pairs.remainder().is_empty() {
                    let last = ones.len() / width - 1;
                    out[last * columns + j] = squared(row, pairs.remainder()).sqrt();
                }
            }
        },
    );
}

/// Euclidean distances of `one` to the rows of `many` with the given indices.
pub fn euclidean_to_some(one: &[f64], many: &[f64], indices: &[u32], out: &mut Vec<f64>) {
    let width = one.len();
    out.clear();
    dispatch(
        #[inline(always)]
        || {
            let row = |j: u32| &many[j as usize * width..(j as usize + 1) * width];
            let (pairs, last) = indices.as_chunks::<2>();
            for &[j, k] in pairs {
                out.extend(squared_to_two(one, row(j), row(k)).map(f64::sqrt));
            }
            out.extend(last.iter().map(|&j| squared(one, row(j)).sqrt()));
        },
    );
}

/// Adds the terms of one column to distances: half of each difference to `own`, divided by both numbers one after the other, as a
/// weighted amount or square.
pub fn add_differences(
    own: f64,
    others: &[f64],
    [unit, divisor]: [f64; 2],
    weight: f64,
    is_manhattan: bool,
    out: &mut [f64],
) {
    let is_one = (divisor - 1.0).abs() <= 0.0;
    let apart = |other: f64| (own / 2.0 - other / 2.0) / unit / divisor;
    dispatch(
        #[inline(always)]
        || {
            if !is_manhattan && is_one {
                // Dividing by 1 takes time, too.
                for (sum, other) in out.iter_mut().zip(others) {
                    let apart = (own / 2.0 - other / 2.0) / unit;
                    *sum += weight * apart * apart;
                }
            } else if is_manhattan {
                for (sum, other) in out.iter_mut().zip(others) {
                    *sum += weight * apart(*other).abs();
                }
            } else {
                for (sum, other) in out.iter_mut().zip(others) {
                    let apart = apart(*other);
                    *sum += weight * apart * apart;
                }
            }
        },
    );
}

/// Which of 64 values are at most `limit`: one bit each, the first in the lowest bit.
pub fn no_larger(values: &[f64; 64], limit: f64) -> u64 {
    dispatch(
        #[inline(always)]
        || bits_of(values, |_, v| v <= limit),
    )
}

/// Which of 64 values pass a test: one bit each, the first in the lowest bit.
#[inline(always)]
fn bits_of(values: &[f64; 64], is: impl Fn(usize, f64) -> bool) -> u64 {
    let mut bits = [0_u64; 8];
    for (group, lanes) in values.as_chunks::<8>().0.iter().enumerate() {
        for l in 0..8 {
            let bit = 1_u64 << (8 * group + l);
            bits[l] |= if is(8 * group + l, lanes[l]) { bit } else { 0 };
        }
    }
    bits.iter().fold(0, |all, b| all | b)
}

/// Calls `found` with the places of set bits, in order.
#[inline(always)]
fn each_bit(first: usize, mut bits: u64, found: &mut impl FnMut(usize)) {
    while bits != 0 {
        found(first + bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// Calls `found` with the places of the values that are not above `limit`, in order. NaN is not above it.
pub fn each_not_above(values: &[f64], limit: f64, found: &mut impl FnMut(usize)) {
    let (groups, rest) = values.as_chunks::<64>();
    dispatch(
        #[inline(always)]
        || {
            for (g, group) in groups.iter().enumerate() {
                each_bit(64 * g, !bits_of(group, |_, v| v > limit), found);
            }
        },
    );
    for (i, v) in (64 * groups.len()..).zip(rest) {
        let is_above = *v > limit;
        if !is_above {
            found(i);
        }
    }
}

/// Calls `found` with the places of the values that are not above their own limits, in order.
pub fn each_within(values: &[f64], limits: &[f64], found: &mut impl FnMut(usize)) {
    let (groups, rest) = values.as_chunks::<64>();
    let (own, rest_of_limits) = limits.as_chunks::<64>();
    dispatch(
        #[inline(always)]
        || {
            for (g, (group, own)) in groups.iter().zip(own).enumerate() {
                each_bit(64 * g, bits_of(group, |l, v| v <= own[l]), found);
            }
        },
    );
    for (i, (v, limit)) in (64 * groups.len()..).zip(rest.iter().zip(rest_of_limits)) {
        if v <= limit {
            found(i);
        }
    }
}

/// A number that at least `count` of the values do not exceed, and hardly more than that. Found by halving, so it may be larger than
/// need be.
pub fn bound_of(values: &[f64], count: usize) -> f64 {
    const STEPS: usize = 6;
    dispatch(
        #[inline(always)]
        || {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for v in values {
                low = if *v < low { *v } else { low };
                high = if *v > high { *v } else { high };
            }
            if high - low > f64::MAX {
                return high;
            }
            for _ in 0..STEPS {
                let middle = low + (high - low) / 2.0;
                let up_to = values.iter().map(|v| u64::from(*v <= middle)).sum::<u64>() as usize;
                (low, high) = if up_to >= count { (low, middle) } else { (middle, high) };
            }
            high
        },
    )
}

/// How many values are at least `limit`.
pub fn count_from(values: &[f64], limit: f64) -> usize {
    dispatch(
        #[inline(always)]
        || values.iter().map(|v| u64::from(*v >= limit)).sum::<u64>() as usize,
    )
}

/// How many values are above `from` by more than `by`, and how many are below it by more.
pub fn count_beyond(values: &[f64], from: f64, by: f64) -> [usize; 2] {
    dispatch(
        #[inline(always)]
        || {
            let above = values.iter().map(|v| u64::from(*v - from > by)).sum::<u64>();
            let below = values.iter().map(|v| u64::from(from - *v > by)).sum::<u64>();
            [above as usize, below as usize]
        },
    )
}

/// The smallest number of each run of `C`; infinity beyond the end of the last, possibly shorter run.
pub fn smallest_of_chunks<const C: usize>(values: &[f64], out: &mut [f64]) {
    let smaller = |a: f64, b: f64| if a < b { a } else { b };
    let (chunks, rest) = values.as_chunks::<C>();
    dispatch(
        #[inline(always)]
        || {
            for (chunk, out) in chunks.iter().zip(&mut *out) {
                let mut least = [f64::INFINITY; 8];
                for lanes in chunk.as_chunks::<8>().0 {
                    for l in 0..8 {
                        least[l] = smaller(lanes[l], least[l]);
                    }
                }
                for half in [4, 2, 1] {
                    for l in 0..half {
                        least[l] = smaller(least[l + half], least[l]);
                    }
                }
                *out = least[0];
            }
        },
    );
    if let Some(out) = out.get_mut(chunks.len()) {
        *out = rest.iter().fold(f64::INFINITY, |m, v| smaller(*v, m));
    }
}

/// Whether all are finite and non-negative.
pub fn are_distances(values: &[f64]) -> bool {
    dispatch(
        #[inline(always)]
        || {
            // No early exit: such a loop would not vectorize.
            let is_bad = |v: &f64| u64::from(!(*v >= 0.0 && *v <= f64::MAX));
            values.iter().map(is_bad).sum::<u64>() == 0
        },
    )
}

/// Adds `max(row[u], scale * other[u])` to each `out[u]`, and returns the sum of the added terms.
pub fn share_max(row: &[f64], scale: f64, other: &[f64], out: &mut [f64]) -> f64 {
    dispatch(
        #[inline(always)]
        || {
            let mut lanes = [0.0; LANES];
            let mut tail = 0.0;
            let (ca, ra) = row.as_chunks::<LANES>();
            let (cb, rb) = other.as_chunks::<LANES>();
            let (co, ro) = out.as_chunks_mut::<LANES>();
            for ((x, y), o) in ca.iter().zip(cb).zip(co) {
                // In whole rows of lanes, which the compiler vectorizes.
                let mut most = *x;
                let mut sum = *o;
                for l in 0..LANES {
                    let via = scale * y[l];
                    most[l] = if via > most[l] { via } else { most[l] };
                }
                for l in 0..LANES {
                    lanes[l] += most[l];
                }
                for l in 0..LANES {
                    sum[l] += most[l];
                }
                *o = sum;
            }
            for ((x, y), o) in ra.iter().zip(rb).zip(ro) {
                let via = scale * y;
                let most = if via > *x { via } else { *x };
                tail += most;
                *o += most;
            }
            fold(&lanes) + tail
        },
    )
}

/// `out[u] = max(out[u], scale * row[u])`.
pub fn max_scaled(out: &mut [f64], scale: f64, row: &[f64]) {
    dispatch(
        #[inline(always)]
        || {
            for (o, x) in out.iter_mut().zip(row) {
                let via = scale * x;
                *o = if via > *o { via } else { *o };
            }
        },
    );
}

/// `out[g]` becomes the minimum of itself and of every non-NaN `values[g + i * out.len()]`.
pub fn minima(values: &[f64], out: &mut [f64]) {
    let width = out.len().max(1);
    dispatch(
        #[inline(always)]
        || {
            for row in values.chunks(width) {
                for (o, x) in out.iter_mut().zip(row) {
                    *o = if *x < *o { *x } else { *o };
                }
            }
        },
    );
}

/// `out[u] = min(out[u], offset + row[u])`.
pub fn min_shifted(out: &mut [f64], offset: f64, row: &[f64]) {
    dispatch(
        #[inline(always)]
        || {
            for (o, x) in out.iter_mut().zip(row) {
                let via = offset + x;
                *o = if via < *o { via } else { *o };
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn kernels_equal_plain_loops() {
        let mut r = Random::new(5);
        for n in [0, 1, 2, 15, 16, 17, 31, 32, 33, 100, 257] {
            let a: Vec<f64> = (0..n).map(|_| r.normal()).collect();
            let b: Vec<f64> = (0..n).map(|_| r.normal()).collect();
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| (x - y) * (x - y)).sum();
            assert!((squared_euclidean(&a, &b) - plain).abs() <= 1e-13 * (1.0 + plain));
            let products: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!((dot(&a, &b) - products).abs() <= 1e-12 * (1.0 + plain));
            let mut out = [0.0];
            euclidean_to_rows(&a, &b, &mut out);
            assert!((out[0] - if n == 0 { 0.0 } else { plain.sqrt() }).abs() <= 1e-13 * (1.0 + plain));
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| x.max(0.5 * y)).sum();
            let mut out = vec![1.0; n];
            assert!((share_max(&a, 0.5, &b, &mut out) - plain).abs() <= 1e-12);
            assert!(
                out.iter().zip(a.iter().zip(&b)).all(|(o, (x, y))| (o - 1.0 - x.max(0.5 * y)).abs() < 1e-15)
            );
        }
    }

    #[test]
    fn some_rows_have_the_bits_of_all_rows() {
        let mut r = Random::new(6);
        for width in [1, 7, 16, 37] {
            let many: Vec<f64> = (0..9 * width).map(|_| r.normal()).collect();
            let one: Vec<f64> = (0..width).map(|_| r.normal()).collect();
            let mut all = vec![0.0; 9];
            euclidean_to_rows(&one, &many, &mut all);
            let mut some = Vec::new();
            euclidean_to_some(&one, &many, &[8, 0, 3], &mut some);
            assert_eq!(some, [all[8], all[0], all[3]]);
            let single = |row: &[f64]| squared_euclidean(&one, row).sqrt();
            assert_eq!(all, many.chunks(width).map(single).collect::<Vec<_>>());
            for count in [1, 2, 5] {
                let mut block = vec![0.0; 9 * count];
                euclidean_block(&many[..count * width], &many, width, &mut block);
                for (row, from) in block.chunks(9).zip(many.chunks(width)) {
                    euclidean_to_rows(from, &many, &mut all);
                    assert_eq!(row, all);
                }
            }
        }
    }

    #[test]
    fn values_within_limits_and_invalid_distances_are_found() {
        let mut r = Random::new(7);
        let values: [f64; 64] = std::array::from_fn(|_| r.normal().round());
        for limit in [-9.0, -1.0, 0.0, 0.5, 9.0] {
            let bits = no_larger(&values, limit);
            assert!((0..64).all(|i| (bits >> i & 1 == 1) == (values[i] <= limit)), "{limit}");
            for n in [0, 1, 63, 64] {
                let many: Vec<f64> = values.iter().chain(&values[..n]).copied().collect();
                let places =
                    |is: &dyn Fn(usize) -> bool| (0..many.len()).filter(|i| is(*i)).collect::<Vec<_>>();
                let mut found = Vec::new();
                each_not_above(&many, limit, &mut |i| found.push(i));
                assert_eq!(found, places(&|i| many[i] <= limit));
                let limits: Vec<f64> = many.iter().map(|_| r.normal().round()).collect();
                found.clear();
                each_within(&many, &limits, &mut |i| found.push(i));
                assert_eq!(found, places(&|i| many[i] <= limits[i]));
                assert_eq!(count_from(&many, limit), places(&|i| many[i] >= limit).len());
                let above = |v: &f64| [usize::from(*v - limit > 0.5), usize::from(limit - *v > 0.5)];
                let both = many.iter().map(above).fold([0, 0], |a, b| [a[0] + b[0], a[1] + b[1]]);
                assert_eq!(count_beyond(&many, limit, 0.5), both);
                for count in 1..=many.len() {
                    let bound = bound_of(&many, count);
                    assert!(many.iter().filter(|v| **v <= bound).count() >= count);
                }
            }
        }
        assert!(are_distances(&[0.0, 1e300, 2.0]));
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(!are_distances(&[1.0, bad, 2.0]));
        }
    }

    #[test]
    fn equal_rows_are_at_distance_zero_exactly() {
        let a: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.1).collect();
        assert_eq!(squared_euclidean(&a, &a.clone()).to_bits(), 0.0_f64.to_bits());
    }
}
