//! Inputs of a committee from a measure: its views, further scores of a sample, and the result of learning
//! without a sample.

use super::Dissimilarity;

/// One view: a distance and the weight of its scores.
pub struct View<S: ?Sized> {
    /// Its name.
    pub name: String,
    /// Its weight, positive.
    pub weight: f64,
    /// Its distance.
    pub measure: Box<dyn Dissimilarity<S>>,
    /// The one feature that its distances are about, if they have no [shares](Dissimilarity::shares).
    pub feature: Option<usize>,
}

/// Distances of training samples to others, with everything learned without them.
pub trait LeaveOneOut: Send + Sync {
    /// Distances of sample `i` to `others` in a view, as if learned without `i`. On entry `out` holds the distances
    /// as learned with it; unchanged ones may stay.
    fn fill(&self, view: usize, i: usize, others: &[u32], out: &mut [f64]);

    /// The number of features that are constant in all samples but `i`, and differ in `i`.
    fn changes(&self, i: usize) -> usize;

    /// Like [`fill`](Self::fill), in subsets of the columns; each subset has its own `others` and distances.
    fn fill_subsets(&self, _view: usize, _i: usize, _subsets: &[Vec<u32>], _others: &mut [Vec<(u32, f64)>]) {}

    /// The part of a record with this number.
    fn part(&self, _part: usize) -> Option<&dyn LeaveOneOut> {
        None
    }

    /// The coordinates of sample `i` in a view, as learned with it.
    fn coordinates(&self, _view: usize, _i: usize) -> Vec<f64> {
        Vec::new()
    }

    /// The input of relations between columns: the normal scores of sample `i`, as learned with it and without it.
    fn normal_scores(&self, _i: usize) -> [Vec<f64>; 2] {
        [Vec::new(), Vec::new()]
    }
}

/// Many scores of a sample, a few of which may stand out: the committee takes the tail of the largest of their tails.
pub trait Panel<S: ?Sized>: Send + Sync {
    /// Its name.
    fn name(&self) -> String;

    /// Its weight, relative to a view.
    fn weight(&self) -> f64;

    /// How many scores there are.
    fn count(&self) -> usize;

    /// The scores of a new sample; larger is odder. They use the `few` nearest.
    fn scores(&self, one: &S, few: usize) -> Vec<f64>;

    /// The scores of training sample `i` as if it were new, with and, if it has one, without its twin.
    fn left_out(
        &self,
        i: usize,
        one: &S,
        few: usize,
        twin: Option<u32>,
        left_out: &dyn LeaveOneOut,
    ) -> LeftOutScores;

    /// The features a score is about.
    fn features(&self, score: usize) -> Vec<usize>;
}

/// The scores of a training sample by a [`Panel`].
#[derive(Debug, Clone, Default)]
pub struct LeftOutScores {
    /// As if it were new.
    pub own: Vec<f64>,
    /// The scores without its twin; `None` if it has none, or if it makes no difference.
    pub without_twin: Option<Vec<f64>>,
}

/// The features that are constant in training and differ in a new sample.
pub struct Changed<S: ?Sized> {
    /// How much they count, relative to those of a table.
    pub weight: f64,
    /// The features of a sample.
    pub of: FeaturesOf<S>,
}

/// Some features of a sample.
pub type FeaturesOf<S> = Box<dyn Fn(&S) -> Vec<usize> + Send + Sync>;
