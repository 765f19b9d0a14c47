//! The method of `[LA17]` from the first step to the last, as specified in METHOD (preset `paper`, `search none`).
//!
//! [`Reference::fit`] goes through steps 1 to 12, [`Reference::exact`] and [`Reference::fast`] through step 13:
//!
//! 1. [`input`]: dissimilarities in `[0, 1]` and the embedding, steps 1 and 2;
//! 2. [`descent`]: graph, entropy and the greedy search for `k`, steps 3 to 9;
//! 3. [`region`]: closeness, threshold and membership inside one component, steps 11 and 12;
//! 4. [`score`]: a test sample, step 13.

pub mod descent;
pub mod input;
pub mod region;
pub mod score;

use crate::graph::{self, Graph};
use crate::knn;
use descent::descend;
use input::Input;
use region::Region;
pub use score::Scored;

/// A fitted model, with all intermediate values public.
#[derive(Debug, Clone)]
pub struct Reference {
    /// How samples become points: prototypes and weights, or nothing for precomputed dissimilarities.
    pub input: Input,
    /// The largest dissimilarity over all training pairs (1 if that is 0), the common divisor.
    pub c: f64,
    /// `D`: row `i` holds the dissimilarities of sample `i` to the `m` prototypes, divided by `c`.
    pub embedding: Vec<Vec<f64>>,
    /// Euclidean distances of all pairs of rows of `D`.
    pub distances: Vec<Vec<f64>>,
    /// The final number of neighbors `k*`.
    pub k: usize,
    /// The components of `G_{k*}`: each ascending, ordered by smallest vertex.
    pub components: Vec<Vec<usize>>,
    /// The objective at `k*`.
    pub eta: f64,
    /// The alpha-Jensen difference at `k*`; may be negative.
    pub jensen: f64,
    /// `(k, dH, eta)` for every `k` tried, from `K` downwards; the last one may be the rejected step.
    pub trace: Vec<(usize, f64, f64)>,
    /// The order of the entropy.
    pub alpha: f64,
    /// The percentile `l` that sets the threshold.
    pub percentile: f64,
    /// Closeness, threshold and membership inside each component, in the same order as `components`.
    pub regions: Vec<Region>,
}

impl Reference {
    /// Fits vectors with the given feature weights `p`, every sample a prototype (`R = S`).
    ///
    /// # Panics
    /// If there are fewer than three samples, or they or the weights differ in length.
    pub fn fit(samples: &[Vec<f64>], weights: &[f64], alpha: f64, percentile: f64) -> Self {
        let everyone: Vec<usize> = (0..samples.len()).collect();
        Self::fit_with_prototypes(samples, weights, &everyone, alpha, percentile)
    }

    /// Fits vectors with the samples of the given indices as prototypes, in that order.
    ///
    /// `c` is still the largest value over all pairs of samples, not only over those with a prototype.
    ///
    /// # Panics
    /// As [`Reference::fit`], or if an index is out of range.
    pub fn fit_with_prototypes(
        samples: &[Vec<f64>],
        weights: &[f64],
        prototypes: &[usize],
        alpha: f64,
        percentile: f64,
    ) -> Self {
        let dissimilarities = input::weighted_matrix(samples, weights);
        let input = Input::Vectors {
            prototypes: prototypes.iter().map(|&r| samples[r].clone()).collect(),
            weights: weights.to_vec(),
        };
        Self::build(input, &dissimilarities, prototypes, alpha, percentile)
    }

    /// Fits a square matrix of dissimilarities, row `i` those of sample `i` to every sample, all of them prototypes.
    ///
    /// # Panics
    /// If there are fewer than three samples, or the matrix is not square.
    pub fn fit_matrix(dissimilarities: &[Vec<f64>], alpha: f64, percentile: f64) -> Self {
        let everyone: Vec<usize> = (0..dissimilarities.len()).collect();
        Self::fit_matrix_with_prototypes(dissimilarities, &everyone, alpha, percentile)
    }

    /// Fits a square matrix of dissimilarities with the samples of the given indices as prototypes.
    ///
    /// # Panics
    /// As [`Reference::fit_matrix`], or if an index is out of range.
    pub fn fit_matrix_with_prototypes(
        dissimilarities: &[Vec<f64>],
        prototypes: &[usize],
        alpha: f64,
        percentile: f64,
    ) -> Self {
        let n = dissimilarities.len();
        assert!(dissimilarities.iter().all(|row| row.len() == n), "the matrix is not square");
        Self::build(Input::Precomputed, dissimilarities, prototypes, alpha, percentile)
    }

    fn build(
        input: Input,
        dissimilarities: &[Vec<f64>],
        prototypes: &[usize],
        alpha: f64,
        percentile: f64,
    ) -> Self {
        let c = input::largest(dissimilarities);
        let embedding = input::embedding(dissimilarities, prototypes, c);
        let distances = knn::distances(&embedding);
        let kept = descend(&distances, prototypes.len(), alpha);
        let regions = kept
            .components
            .iter()
            .map(|vertices| Region::new(&within(&distances, vertices), kept.k, percentile))
            .collect();
        Self {
            input,
            c,
            embedding,
            distances,
            k: kept.k,
            components: kept.components,
            eta: kept.eta,
            jensen: kept.jensen,
            trace: kept.trace,
            alpha,
            percentile,
            regions,
        }
    }

    /// The graph `G_{k*}` of all training samples.
    pub fn graph(&self) -> Graph {
        graph::undirected(&knn::lists(&self.distances, self.k), self.k, &self.distances)
    }

    /// The point of a sample: its dissimilarities to the prototypes, divided by `c`.
    ///
    /// `x` is a vector of features, or, for a model of precomputed dissimilarities, the row of those to the
    /// prototypes.
    pub fn embed(&self, x: &[f64]) -> Vec<f64> {
        self.input.to_prototypes(x).into_iter().map(|d| d / self.c).collect()
    }

    /// The membership of every training sample in its own component.
    pub fn training_memberships(&self) -> Vec<f64> {
        self.per_sample(|region| &region.memberships)
    }

    /// The difference `chi* - chi(v)` of every training sample in its own component.
    pub fn training_differences(&self) -> Vec<f64> {
        self.per_sample(|region| &region.differences)
    }

    fn per_sample(&self, values: impl Fn(&Region) -> &Vec<f64>) -> Vec<f64> {
        let mut all = vec![0.0; self.embedding.len()];
        for (component, region) in self.components.iter().zip(&self.regions) {
            for (&vertex, &value) in component.iter().zip(values(region)) {
                all[vertex] = value;
            }
        }
        all
    }
}

/// The part of the distance matrix between the given vertices.
fn within(distances: &[Vec<f64>], vertices: &[usize]) -> Vec<Vec<f64>> {
    vertices.iter().map(|&i| vertices.iter().map(|&j| distances[i][j]).collect()).collect()
}

#[cfg(test)]
mod tests;
