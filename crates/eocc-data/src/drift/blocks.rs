//! Means over contiguous blocks, and the test that compares two of them.
//!
//! Rows of a file often depend on each other: a sensor drifts within a day, a log repeats itself. The variance of a
//! mean is therefore estimated from the means of contiguous blocks rather than from single values: blocks much longer
//! than the dependence are nearly independent, whatever the dependence looks like.

use eocc_core::stats::normal_quantile;

/// At this many blocks, adjacent ones are merged.
const MAX_BLOCKS: usize = 32;
/// Maximum correlation of successive blocks that is corrected for.
const MAX_CORRELATION: f64 = 0.9;

/// The values of one measure, as sums over blocks of equal length, in constant memory.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    /// Rows in a full block.
    length: usize,
    /// Rows in the last block.
    filled: usize,
    /// Sum and number of values of each block; rows without a value count in neither.
    sums: Vec<(f64, f64)>,
    squares: f64,
}

/// The mean of a measure and its uncertainty.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mean {
    pub(super) value: f64,
    /// Variance of the mean.
    pub(super) variance: f64,
    /// The variance if all values were independent.
    pub(super) independent: f64,
    /// Number of blocks minus one.
    freedom: f64,
}

impl Default for Blocks {
    fn default() -> Self {
        Self { length: 1, filled: 1, sums: Vec::new(), squares: 0.0 }
    }
}

impl Blocks {
    pub(super) fn from_values(values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let mut blocks = Self::default();
        values.into_iter().for_each(|value| blocks.push(value));
        blocks
    }

    /// Adds the value of the next row, if it has one.
    pub(super) fn push(&mut self, value: Option<f64>) {
        if self.filled == self.length {
            if self.sums.len() == MAX_BLOCKS {
                self.sums =
                    self.sums.chunks(2).map(|pair| (pair[0].0 + pair[1].0, pair[0].1 + pair[1].1)).collect();
                self.length *= 2;
            }
            self.sums.push((0.0, 0.0));
            self.filled = 0;
        }
        self.filled += 1;
        if let (Some(value), Some(last)) = (value, self.sums.last_mut()) {
            last.0 += value;
            last.1 += 1.0;
            self.squares += value * value;
        }
    }

    /// How many blocks there are, and how many have a nonzero sum.
    pub(super) fn nonzero(&self) -> (usize, usize) {
        (self.sums.len(), self.sums.iter().filter(|(sum, _)| *sum > 0.0).count())
    }

    /// The mean of all values; `None` with fewer than two blocks with values.
    pub(super) fn mean(&self) -> Option<Mean> {
        let with: Vec<(f64, f64)> = self.sums.iter().copied().filter(|(_, count)| *count > 0.0).collect();
        let blocks = with.len() as f64;
        if blocks < 2.0 {
            return None;
        }
        let (sum, count) = with.iter().fold((0.0, 0.0), |(s, n), (sum, count)| (s + sum, n + count));
        let value = sum / count;
        // Deviations of the sums: a block is weighted by its length.
        let deviations: Vec<f64> = with.iter().map(|(sum, count)| sum - count * value).collect();
        let total: f64 = deviations.iter().map(|d| d * d).sum();
        let products: f64 = deviations.windows(2).map(|pair| pair[0] * pair[1]).sum();
        // Deviations of independent values from their own mean have a correlation of -1 / blocks.
        let correlation = if total > 0.0 { products / total + 1.0 / blocks } else { 0.0 };
        let correlation = correlation.clamp(0.0, MAX_CORRELATION);
        let inflation = (1.0 + correlation) / (1.0 - correlation);
        let between = total / (count * count) * blocks / (blocks - 1.0) * inflation;
        let independent = (self.squares / count - value * value).max(0.0) / count;
        Some(Mean { value, variance: between.max(independent), independent, freedom: blocks - 1.0 })
    }
}

impl Mean {
    /// With the uncertainty that it would have if all values were independent.
    pub(super) fn as_if_independent(&self) -> Self {
        Self { variance: self.independent, ..*self }
    }

    /// How many standard errors this mean is above another, as a fraction of the two-sided critical value at `level`:
    /// significant beyond 1 and below -1.
    pub(super) fn above(&self, other: &Self, level: f64) -> f64 {
        let variance = self.variance + other.variance;
        if variance <= 0.0 {
            return match self.value - other.value {
                gap if gap.abs() < 1e-12 => 0.0,
                gap => gap.signum() * f64::INFINITY,
            };
        }
        let freedom = variance * variance
            / (self.variance.powi(2) / self.freedom + other.variance.powi(2) / other.freedom);
        (self.value - other.value) / variance.sqrt() / t_quantile(1.0 - level / 2.0, freedom)
    }
}

/// The quantile of Student's distribution, by the Cornish–Fisher expansion.
pub(super) fn t_quantile(p: f64, freedom: f64) -> f64 {
    let (z, n) = (normal_quantile(p), freedom.max(1.0));
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * n)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n * n * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_tables() {
        for (p, freedom, want) in [(0.975, 10.0, 2.228), (0.995, 20.0, 2.845), (0.9995, 30.0, 3.646)] {
            assert!((t_quantile(p, freedom) - want).abs() < 0.01, "{p} {freedom}");
        }
    }

    #[test]
    fn the_mean_does_not_depend_on_how_blocks_were_joined() {
        let values: Vec<f64> = (0..1000).map(|i| f64::from(i % 7)).collect();
        let mean = Blocks::from_values(values.iter().map(|v| Some(*v))).mean().unwrap();
        let plain = values.iter().sum::<f64>() / 1000.0;
        assert!((mean.value - plain).abs() < 1e-12);
        let variance = values.iter().map(|v| (v - plain).powi(2)).sum::<f64>() / 1e6;
        assert!((mean.independent - variance).abs() < 1e-12);
        // Rows without a value do not count.
        let gappy = Blocks::from_values(values.iter().flat_map(|v| [Some(*v), None])).mean().unwrap();
        assert!((gappy.value - plain).abs() < 1e-12);
    }

    #[test]
    fn dependence_makes_a_mean_less_sure() {
        let runs = Blocks::from_values((0..1024).map(|i| Some(f64::from((i / 64) % 2)))).mean().unwrap();
        assert!(runs.variance > 20.0 * runs.independent);
    }
}
