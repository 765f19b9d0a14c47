//! The vertices of a region that a newcomer may be joined to, found by a matrix product before any distance is
//! measured.

use crate::kernel;
use crate::region::Region;

/// Buffers reused from sample to sample.
#[derive(Default)]
pub(super) struct CandidateBuffers {
    pub(super) squares: Vec<f64>,
    pub(super) order: Vec<f64>,
    pub(super) needed: Vec<u32>,
    pub(super) found: Vec<f64>,
}

/// The vertices that a newcomer may be joined to: the nearest, and in exact scoring those that may admit it to their
/// list (within `radii`). A product proposes them, with a margin for its rounding, so the decision is bit for bit
/// that of measuring all. If squares overflow, the product is useless and all are candidates.
pub(super) fn candidates(
    region: &Region,
    ring_size: usize,
    radii: Option<&[f64]>,
    squares: &[f64],
    slack: f64,
    buffers: &mut CandidateBuffers,
    near: &mut Vec<(u32, f64)>,
) {
    buffers.squares.clear();
    if region.size() == squares.len() {
        buffers.squares.extend_from_slice(squares);
    } else {
        buffers.squares.extend(region.vertices.iter().map(|&v| squares[v as usize]));
    }
    let limit = not_below_smallest(&buffers.squares, ring_size, &mut buffers.order) + slack;
    near.clear();
    let may_be_near = |square: f64| square <= limit || square.is_nan();
    match radii {
        _ if !limit.is_finite() => near.extend((0..region.size() as u32).map(|v| (v, 0.0))),
        None => {
            let some = buffers.squares.iter().zip(0..).filter(|(square, _)| may_be_near(**square));
            near.extend(some.map(|(_, v)| (v, 0.0)));
        }
        Some(radii) => {
            let may_matter = |square: f64, radius: f64| may_be_near(square) || square <= radius + slack;
            let some = buffers.squares.iter().zip(radii).zip(0..).filter(|((q, r), _)| may_matter(**q, **r));
            near.extend(some.map(|(_, v)| (v, 0.0)));
        }
    }
}

/// A number that at least `k` of `values` do not exceed, close to the `k`-th smallest of them; infinite if fewer than
/// `k` are numbers.
///
/// The values are dealt into about `4 k` groups. The `k`-th smallest of the group minima is not below that of all
/// values: one vectorized pass, and a selection among few.
fn not_below_smallest(values: &[f64], k: usize, order: &mut Vec<f64>) -> f64 {
    let groups = (4 * k).next_multiple_of(16).min(values.len());
    order.clear();
    order.resize(groups, f64::INFINITY);
    if k == 0 || k > groups {
        return f64::INFINITY;
    }
    kernel::minima(values, order);
    *order.select_nth_unstable_by(k - 1, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_bound_holds_k_and_not_many_more() {
        let mut r = Random::new(4);
        let mut order = Vec::new();
        for (n, k) in [(1, 1), (20, 20), (450, 20), (1000, 3), (77, 19)] {
            let values: Vec<f64> = (0..n).map(|_| r.uniform()).collect();
            let bound = not_below_smallest(&values, k, &mut order);
            let within = values.iter().filter(|v| **v <= bound).count();
            assert!(k <= within && within <= 2 * k + 2, "{within} for k = {k} of {n}");
        }
        assert!(not_below_smallest(&[1.0, f64::NAN, 2.0], 3, &mut order).is_infinite());
        assert!(not_below_smallest(&[1.0, 2.0], 3, &mut order).is_infinite());
    }
}
