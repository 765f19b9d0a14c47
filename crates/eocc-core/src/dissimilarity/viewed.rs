//! What a measure tells a committee: the views it consists of, and what it would have learned without a sample.

use super::Dissimilarity;

/// One view: a measure of its own, and how much its scores count.
pub struct View<S: ?Sized> {
    /// Its name.
    pub name: String,
    /// Its weight, positive.
    pub weight: f64,
    /// Its distance.
    pub measure: Box<dyn Dissimilarity<S>>,
}

/// Distances of training samples to others, all that is learned being learned without them.
pub trait LeaveOneOut: Send + Sync {
    /// Distances of sample `i` to `others` in a view, as if learned without `i`. On entry `out` holds them as they were
    /// learned with it: what does not change may stay.
    fn fill(&self, view: usize, i: usize, others: &[u32], out: &mut [f64]);

    /// The number of features in which all samples but `i` agree, and `i` differs.
    fn changes(&self, i: usize) -> usize;
}
