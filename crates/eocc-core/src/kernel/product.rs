//! Products of rows with rows, `out[i][j] = a_i . b_j`: the matrix product that dominates large fits.
//!
//! The rows of `b` are packed in strips of sixteen, so that a vector holds one column of several rows. A tile of sums stays in
//! registers: with AVX-512, 12 x 16 sums take two vectors of `b` and twelve numbers of `a` for 24 multiplications.
//! `benches/objective.rs` measures the speed.

use pulp::{Arch, Simd, WithSimd};

use crate::parallel;

/// Rows in a strip.
const STRIP: usize = 16;
/// Columns at a time: a strip this deep fits the L1 cache, the rows of a task the L2 cache.
const DEPTH: usize = 256;

/// Rows packed for products.
#[derive(Debug)]
pub struct PackedRows {
    /// The strips, concatenated. A strip holds its sixteen rows column by column, with zeros after the last row.
    strips: Vec<f64>,
    rows: usize,
    width: usize,
}

impl PackedRows {
    /// Packs rows of `width` numbers.
    pub fn new(values: &[f64], width: usize) -> Self {
        let rows = values.len().checked_div(width).unwrap_or(0);
        let mut strips = vec![0.0; rows.next_multiple_of(STRIP) * width];
        if width > 0 {
            parallel::for_each_chunk(&mut strips, STRIP * width, &|s, strip| {
                let rows = values[s * STRIP * width..].chunks_exact(width).take(STRIP);
                for (i, row) in rows.enumerate() {
                    for (column, v) in strip.chunks_exact_mut(STRIP).zip(row) {
                        column[i] = *v;
                    }
                }
            });
        }
        Self { strips, rows, width }
    }

    /// Multiplies the rows of `a` with the first `columns` packed rows, into the first `columns` numbers of each row
    /// of `out`, which have length `stride`. Runs on this thread. The last bits of a product depend on the machine.
    pub fn multiply(&self, a: &[f64], columns: usize, out: &mut [f64], stride: usize) {
        let columns = columns.min(self.rows);
        if self.width == 0 || a.is_empty() {
            out.fill(0.0);
            return;
        }
        Arch::new().dispatch(Multiply { packed: self, a, columns, out, stride });
    }
}

struct Multiply<'a> {
    packed: &'a PackedRows,
    a: &'a [f64],
    columns: usize,
    out: &'a mut [f64],
    stride: usize,
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // As many rows as leave registers for the operands of the sums.
        match STRIP * size_of::<f64>() / size_of::<S::f64s>() {
            2 => self.run::<S, 12, 2>(simd),
            4 => self.run::<S, 3, 4>(simd),
            8 => self.run::<S, 3, 8>(simd),
            _ => self.run::<S, 1, STRIP>(simd),
        }
    }
}

impl Multiply<'_> {
    /// In tiles of `R` rows by a strip of `V` vectors.
    #[inline(always)]
    fn run<S: Simd, const R: usize, const V: usize>(self, simd: S) {
        let Self { packed, a, columns, out, stride } = self;
        let width = packed.width;
        let rows = a.len() / width;
        let mut tiles = vec![[0.0; R]; rows.div_ceil(R) * DEPTH.min(width)];
        for start in (0..width).step_by(DEPTH) {
            let depth = DEPTH.min(width - start);
            let tiles = &mut tiles[..rows.div_ceil(R) * depth];
            for (i, row) in a.chunks_exact(width).enumerate() {
                let tile = &mut tiles[i / R * depth..(i / R + 1) * depth];
                for (column, v) in tile.iter_mut().zip(&row[start..start + depth]) {
                    column[i % R] = *v;
                }
            }
            let strips = packed.strips.chunks_exact(STRIP * width).zip((0..columns).step_by(STRIP));
            for (strip, from) in strips {
                let strip = &strip[start * STRIP..(start + depth) * STRIP];
                let count = STRIP.min(columns - from);
                for (t, tile) in tiles.chunks_exact(depth).enumerate() {
                    for (i, sums) in (t * R..rows).zip(&tile_sums::<S, R, V>(simd, tile, strip)) {
                        let out = &mut out[i * stride + from..i * stride + from + count];
                        let sums: &[f64] = pulp::bytemuck::cast_slice(sums);
                        for (out, sum) in out.iter_mut().zip(sums) {
                            *out = if start == 0 { *sum } else { *out + sum };
                        }
                    }
                }
            }
        }
    }
}

/// The products of the `R` rows of a tile with the rows of a strip.
#[inline(always)]
fn tile_sums<S: Simd, const R: usize, const V: usize>(
    simd: S,
    tile: &[[f64; R]],
    strip: &[f64],
) -> [[S::f64s; V]; R] {
    let mut sums = [[simd.splat_f64s(0.0); V]; R];
    let (vectors, _) = S::as_simd_f64s(strip);
    for (a, b) in tile.iter().zip(vectors.as_chunks::<V>().0) {
        for i in 0..R {
            let x = simd.splat_f64s(a[i]);
            for v in 0..V {
                sums[i][v] = simd.mul_add_e_f64s(x, b[v], sums[i][v]);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn products_are_those_of_plain_loops() {
        let mut r = Random::new(21);
        for (rows, columns, width) in [(1, 1, 1), (5, 16, 3), (13, 17, 255), (48, 40, 256), (7, 33, 600)] {
            let a: Vec<f64> = (0..rows * width).map(|_| r.normal()).collect();
            let b: Vec<f64> = (0..columns * width).map(|_| r.normal()).collect();
            let packed = PackedRows::new(&b, width);
            for asked in [columns, columns.div_ceil(2)] {
                let stride = columns + 2;
                let mut out = vec![7.0; rows * stride];
                packed.multiply(&a, asked, &mut out, stride);
                for (i, x) in a.chunks(width).enumerate() {
                    for (j, y) in b.chunks(width).enumerate().take(asked) {
                        let plain: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
                        assert!((out[i * stride + j] - plain).abs() < 1e-11, "{rows} x {columns} x {width}");
                    }
                    // Nothing is written past the requested columns.
                    assert!(
                        out[i * stride + asked..(i + 1) * stride]
                            .iter()
                            .all(|v| v.to_bits() == 7.0_f64.to_bits())
                    );
                }
            }
        }
    }

    #[test]
    fn rows_without_columns_have_products_of_zero() {
        let mut out = [1.0; 4];
        PackedRows::new(&[], 0).multiply(&[], 2, &mut out, 2);
        assert!(out.iter().all(|v| v.abs() < f64::MIN_POSITIVE));
    }
}
