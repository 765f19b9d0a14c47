//! Lists of nearest neighbors.
//!
//! They are built once, for the largest `k`; lists for a smaller `k` are prefixes.

mod bounds;
mod brute;
mod forecast;
mod landmarks;
mod product;
mod rows;
mod window;

use crate::error::{Error, Result};

pub use crate::select::nearest;
pub use bounds::nearest_by_bounds;
pub(crate) use bounds::{MIN_SAMPLES as MIN_BOUNDED, bounds_spare_enough, lists_by_bounds, work_by_bounds};
pub(crate) use brute::collect;
pub use brute::{nearest_of_rows, nearest_of_rows_watched};
pub(crate) use forecast::most_directions;
pub(crate) use landmarks::{LandmarkIndex, choose, even_landmarks, fill_column, landmarks};
pub(crate) use product::PackedPoints;
pub use product::{nearest_of_points, nearest_of_points_watched, symmetric_product};
pub(crate) use rows::{RowSearch, check};
#[cfg(test)]
pub(crate) use window::without;
pub(crate) use window::{Arrival, WindowLists};

/// For each of `n` points, its nearest neighbors, by distance and then by index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnnLists {
    neighbors: Vec<u32>,
    lengths: Vec<f64>,
    width: usize,
}

impl KnnLists {
    /// From flat lists, each of `width` entries.
    ///
    /// # Panics
    /// If the two vectors differ in length, or the length is not a multiple of `width`.
    pub fn new(neighbors: Vec<u32>, lengths: Vec<f64>, width: usize) -> Self {
        assert!(width > 0 && neighbors.len() == lengths.len() && neighbors.len().is_multiple_of(width));
        Self { neighbors, lengths, width }
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.neighbors.len().checked_div(self.width).unwrap_or(0)
    }

    /// Length of each list: the largest possible `k`.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The `k` nearest of point `i`.
    pub fn neighbors(&self, i: usize, k: usize) -> &[u32] {
        &self.neighbors[i * self.width..i * self.width + k]
    }

    /// The distances to them, ascending.
    pub fn lengths(&self, i: usize, k: usize) -> &[f64] {
        &self.lengths[i * self.width..i * self.width + k]
    }

    /// These lists, truncated to `k` entries each.
    #[must_use]
    pub fn truncated(mut self, k: usize) -> Self {
        // In place, since there may not be memory for a copy.
        for i in 0..self.points() {
            self.neighbors.copy_within(i * self.width..i * self.width + k, i * k);
            self.lengths.copy_within(i * self.width..i * self.width + k, i * k);
        }
        let length = self.points() * k;
        self.neighbors.truncate(length);
        self.neighbors.shrink_to_fit();
        self.lengths.truncate(length);
        self.lengths.shrink_to_fit();
        self.width = k;
        self
    }

    /// Fails if a length is negative or not finite, and names its sample.
    pub(crate) fn require_distances(&self) -> Result<()> {
        match self.lengths.iter().position(|l| !(l.is_finite() && *l >= 0.0)) {
            None => Ok(()),
            Some(at) => Err(Error::input(format!(
                "a dissimilarity of sample {} is {}, but must be finite and not negative",
                at / self.width,
                self.lengths[at]
            ))),
        }
    }

    /// All neighbors, list after list.
    pub fn all_neighbors(&self) -> &[u32] {
        &self.neighbors
    }

    /// All lengths, list after list.
    pub fn all_lengths(&self) -> &[f64] {
        &self.lengths
    }
}
