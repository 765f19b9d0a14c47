//! The dynamic program of time warping, for sixteen series in parallel.
//!
//! Cell `(i, j)` is the least sum over paths that match the first `i` time steps of one series with the first `j` of
//! the other: the local cost plus the least of the three previous cells. The sixteen other series run in the lanes of
//! vector registers, and one row of cells is stored.

#![expect(clippy::needless_range_loop, reason = "loops over lanes become vectors")]
#![expect(clippy::inline_always, reason = "only what is inlined is compiled for the widest instructions")]

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::kernel;

/// Series processed in parallel.
pub(super) const LANES: usize = 16;
type Lane = [f64; LANES];

/// The cost of matching two time steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Local {
    /// Their Euclidean distance.
    #[default]
    Euclidean,
    /// Its square.
    Squared,
}

impl Local {
    pub(super) const NAMES: &'static str = "euclidean or squared";

    pub(super) fn cost_of_square(self, square: f64) -> f64 {
        match self {
            Self::Euclidean => square.sqrt(),
            Self::Squared => square,
        }
    }
}

impl FromStr for Local {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        match name {
            "euclidean" => Ok(Self::Euclidean),
            "squared" => Ok(Self::Squared),
            _ => Err(()),
        }
    }
}

/// Up to sixteen series, interleaved value by value and padded to the longest.
pub(super) struct Group {
    /// Time step after time step, channel after channel.
    values: Vec<Lane>,
    lengths: [usize; LANES],
    channels: usize,
}

impl Group {
    pub(super) fn new(series: &[&[f64]], channels: usize) -> Self {
        let longest = series.iter().map(|s| s.len()).max().unwrap_or(0);
        let mut values = vec![[0.0; LANES]; longest];
        let mut lengths = [0; LANES];
        for (lane, series) in series.iter().enumerate() {
            lengths[lane] = series.len() / channels;
            for (all, &v) in values.iter_mut().zip(*series) {
                all[lane] = v;
            }
        }
        Self { values, lengths, channels }
    }
}

/// The kind of warping.
#[derive(Debug, Clone, Copy)]
pub(super) struct Warping {
    pub(super) local: Local,
    /// Half-width of the band as a fraction of the longer series.
    pub(super) band: Option<f64>,
    /// Whether the sum is divided by the number of matches.
    pub(super) by_steps: bool,
}

/// The range of `j - i` for two series of these lengths: the band around the diagonals through the two corners.
pub(super) fn reach(band: f64, one: usize, other: usize) -> (isize, isize) {
    let radius = (band * one.max(other) as f64 - 1e-9).ceil().max(0.0) as isize;
    let ahead = other.cast_signed() - one.cast_signed();
    (ahead.min(0) - radius, ahead.max(0) + radius)
}

/// A row of cells: sums, and the number of matches if needed.
pub(super) type CellRow = Vec<(Lane, Lane)>;

impl Warping {
    /// Distances of `one` to the series of the group.
    pub(super) fn distances(&self, one: &[f64], group: &Group, cells: &mut CellRow) -> Lane {
        let columns = group.values.len() / group.channels;
        cells.clear();
        cells.resize(columns + 1, ([f64::INFINITY; LANES], [0.0; LANES]));
        cells[0].0 = [0.0; LANES];
        // One body per kind, so that the compiler drops what is not needed.
        kernel::dispatch(
            #[inline(always)]
            || match (self.by_steps, self.local, group.channels) {
                (false, Local::Squared, 1) => self.rows::<false, false>(one, group, cells, square_of_one),
                (false, Local::Squared, _) => self.rows::<false, false>(one, group, cells, square_of_many),
                (false, Local::Euclidean, 1) => {
                    self.rows::<false, false>(one, group, cells, distance_of_one);
                }
                (false, Local::Euclidean, _) => self.rows::<false, true>(one, group, cells, square_of_many),
                (true, Local::Squared, 1) => self.rows::<true, false>(one, group, cells, square_of_one),
                (true, Local::Squared, _) => self.rows::<true, false>(one, group, cells, square_of_many),
                (true, Local::Euclidean, 1) => self.rows::<true, false>(one, group, cells, distance_of_one),
                (true, Local::Euclidean, _) => self.rows::<true, true>(one, group, cells, square_of_many),
            },
        );
        std::array::from_fn(|l| {
            let (sum, steps) = &cells[group.lengths[l]];
            if self.by_steps && steps[l] > 0.0 { sum[l] / steps[l] } else { sum[l] }
        })
    }

    #[inline(always)]
    fn rows<const STEPS: bool, const ROOT: bool>(
        &self,
        one: &[f64],
        group: &Group,
        row: &mut CellRow,
        cost: impl Fn(&[f64], &[Lane]) -> Lane,
    ) {
        let columns = group.values.len() / group.channels;
        let length = one.len() / group.channels;
        let reaches = self.band.map(|band| group.lengths.map(|other| reach(band, length, other.max(1))));
        for (i, step) in one.chunks_exact(group.channels).enumerate() {
            // The columns that any lane may use, and whether some lanes may not.
            let (from, to) = reaches.as_ref().map_or((0, columns), |reaches| {
                let low = reaches.iter().map(|r| i.cast_signed() + r.0).min().unwrap_or(0).max(0) as usize;
                let high =
                    reaches.iter().map(|r| i.cast_signed() + r.1 + 1).max().unwrap_or(0).max(0) as usize;
                (low.min(columns), high.min(columns))
            });
            let mut diagonal = row[from];
            row[from].0 = [f64::INFINITY; LANES];
            let mut left = row[from];
            let others =
                group.values[from * group.channels..to * group.channels].chunks_exact(group.channels);
            for ((other, cell), j) in others.zip(&mut row[from + 1..=to]).zip(from.cast_signed()..) {
                let mut cost = cost(step, other);
                if ROOT {
                    cost = cost.map(f64::sqrt);
                }
                let above = *cell;
                if STEPS {
                    for l in 0..LANES {
                        // Ties are broken by the fewest matches, which makes it symmetric.
                        let first = is_less((above.0[l], above.1[l]), (diagonal.0[l], diagonal.1[l]));
                        let sum = if first { above.0[l] } else { diagonal.0[l] };
                        let steps = if first { above.1[l] } else { diagonal.1[l] };
                        let second = is_less((left.0[l], left.1[l]), (sum, steps));
                        left.0[l] = cost[l] + if second { left.0[l] } else { sum };
                        left.1[l] = 1.0 + if second { left.1[l] } else { steps };
                    }
                } else {
                    for l in 0..LANES {
                        // Added before the last comparison, which shortens the dependency chain from cell to cell.
                        let sum =
                            cost[l] + if above.0[l] < diagonal.0[l] { above.0[l] } else { diagonal.0[l] };
                        let along = cost[l] + left.0[l];
                        left.0[l] = if along < sum { along } else { sum };
                    }
                }
                if let Some(reaches) = &reaches {
                    for l in 0..LANES {
                        let ahead = j - i.cast_signed();
                        if ahead < reaches[l].0 || ahead > reaches[l].1 {
                            left.0[l] = f64::INFINITY;
                        }
                    }
                }
                *cell = left;
                diagonal = above;
            }
        }
    }
}

/// Whether a sum is smaller, or equal with fewer matches.
#[inline(always)]
fn is_less(a: (f64, f64), b: (f64, f64)) -> bool {
    a.0 < b.0 || (a.0 <= b.0 && a.1 < b.1)
}

#[inline(always)]
fn square_of_one(step: &[f64], other: &[Lane]) -> Lane {
    let x = step[0];
    other[0].map(|y| (x - y) * (x - y))
}

#[inline(always)]
fn distance_of_one(step: &[f64], other: &[Lane]) -> Lane {
    let x = step[0];
    other[0].map(|y| (x - y).abs())
}

#[inline(always)]
fn square_of_many(step: &[f64], other: &[Lane]) -> Lane {
    let mut sum = [0.0; LANES];
    for (x, y) in step.iter().zip(other) {
        for l in 0..LANES {
            sum[l] += (x - y[l]) * (x - y[l]);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The textbook dynamic program, with the same tie-breaking.
    fn plain(w: &Warping, a: &[f64], b: &[f64], channels: usize) -> f64 {
        let (n, m) = (a.len() / channels, b.len() / channels);
        let mut d = vec![vec![(f64::INFINITY, 0.0); m + 1]; n + 1];
        d[0][0].0 = 0.0;
        for i in 1..=n {
            for j in 1..=m {
                let (x, y) = (&a[(i - 1) * channels..i * channels], &b[(j - 1) * channels..j * channels]);
                let ahead = j.cast_signed() - i.cast_signed();
                if let Some((low, high)) = w.band.map(|band| reach(band, n, m))
                    && (ahead < low || ahead > high)
                {
                    continue;
                }
                let cost = w.local.cost_of_square(x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum());
                let mut best = d[i - 1][j - 1];
                for before in [d[i - 1][j], d[i][j - 1]] {
                    if before.partial_cmp(&best) == Some(std::cmp::Ordering::Less) {
                        best = before;
                    }
                }
                d[i][j] = (best.0 + cost, best.1 + 1.0);
            }
        }
        let (sum, steps) = d[n][m];
        if w.by_steps { sum / steps } else { sum }
    }

    #[test]
    fn of_equal_sums_the_shortest_path_counts_both_ways_round() {
        let w = Warping { local: Local::Euclidean, band: None, by_steps: true };
        let between = |a: &[f64], b: &[f64]| w.distances(a, &Group::new(&[b], 1), &mut Vec::new())[0];
        let (a, b) = ([0.0, 1.0, 0.0, 1.0], [0.0, 2.0, 1.0]);
        // Four matches: 0-0, 1-2, 0-1, 1-1 or the like, with a sum of 2.
        assert!((between(&a, &b) - 0.5).abs() < 1e-15 && (between(&b, &a) - 0.5).abs() < 1e-15);
        let mut r = Random::new(11);
        for _ in 0..200 {
            let mut draw = || -> Vec<f64> { (0..=r.below(9)).map(|_| r.below(3) as f64).collect() };
            let (a, b) = (draw(), draw());
            assert_eq!(between(&a, &b).to_bits(), between(&b, &a).to_bits(), "{a:?} {b:?}");
        }
    }

    #[test]
    fn equals_the_dynamic_programme() {
        let mut r = Random::new(3);
        for channels in [1, 2, 5] {
            let draw = |r: &mut Random| -> Vec<f64> {
                let length = 1 + r.below(30);
                (0..length * channels).map(|_| (4.0 * r.normal()).round() / 2.0).collect()
            };
            for local in [Local::Euclidean, Local::Squared] {
                for band in [None, Some(0.0), Some(0.1), Some(0.5)] {
                    for by_steps in [false, true] {
                        let w = Warping { local, band, by_steps };
                        let others: Vec<Vec<f64>> = (0..LANES - 3).map(|_| draw(&mut r)).collect();
                        let refs: Vec<&[f64]> = others.iter().map(Vec::as_slice).collect();
                        let one = draw(&mut r);
                        let found = w.distances(&one, &Group::new(&refs, channels), &mut Vec::new());
                        for (other, value) in refs.iter().zip(found) {
                            let expected = plain(&w, &one, other, channels);
                            assert!((value - expected).abs() < 1e-9, "{w:?}: {value} {expected}");
                        }
                    }
                }
            }
        }
    }
}
