//! What a measure tells a committee: the views it consists of, and what it would have learned without a sample.

use super::Dissimilarity;
use crate::sample::Sample;

/// One view: a measure of its own, and how much its scores count.
pub struct View<S: ?Sized> {
    /// Its name.
    pub name: String,
    /// Its weight, positive.
    pub weight: f64,
    /// Its distance.
    pub measure: Box<dyn Dissimilarity<S>>,
}

/// A measure of one view or several.
pub trait Viewed<S: ?Sized> {
    /// The views, after learning. The first is the one that [`Dissimilarity::between`] is the distance of.
    fn views(&self) -> Vec<View<S>>;

    /// Distances of the samples that it learned from, as if it had learned without one of them; `None` where it learns
    /// nothing that matters, or cannot tell.
    fn leave_one_out(&self, _samples: &[&S]) -> Option<Box<dyn LeaveOneOut>> {
        None
    }

    /// The features in which all training samples agree and `sample` differs.
    fn changed(&self, _sample: &S) -> Vec<usize> {
        Vec::new()
    }
}

/// Distances of training samples to others, all that is learned being learned without them.
pub trait LeaveOneOut: Send + Sync {
    /// Distances of sample `i` to `others` in a view, as if learned without `i`. On entry `out` holds them as they were
    /// learned with it: what does not change may stay.
    fn fill(&self, view: usize, i: usize, others: &[u32], out: &mut [f64]);

    /// The number of features in which all samples but `i` agree, and `i` differs.
    fn changes(&self, i: usize) -> usize;
}

impl<S: ?Sized + Sample> dyn Dissimilarity<S> + '_ {
    /// Its views; itself if it is one.
    pub fn views(&self) -> Vec<View<S>> {
        let itself = || vec![View { name: self.name().to_owned(), weight: 1.0, measure: self.boxed() }];
        self.viewed().map_or_else(itself, Viewed::views)
    }

    /// See [`Viewed::leave_one_out`].
    pub fn leave_one_out(&self, samples: &[&S]) -> Option<Box<dyn LeaveOneOut>> {
        self.viewed()?.leave_one_out(samples)
    }

    /// See [`Viewed::changed`].
    pub fn changed(&self, sample: &S) -> Vec<usize> {
        self.viewed().map_or_else(Vec::new, |viewed| viewed.changed(sample))
    }
}
