//! Choosing the prototypes `R`, the samples that everything is compared with [LA17, sec. III-A].

use serde::{Deserialize, Serialize};

use crate::dissimilarity::Dissimilarity;
use crate::error::{Error, Result};
use crate::random::Random;
use crate::sample::Sample;

/// How the prototypes are chosen among the training samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Prototypes {
    /// Every sample is a prototype, `R = S`.
    All,
    /// A seeded random subset of this size: the paper's choice for large sets.
    Random(usize),
    /// Farthest-first traversal: starting with sample 0, each prototype is the sample farthest from those already
    /// chosen. Covers the set evenly, at the cost of `count` times `n` dissimilarities.
    FarthestFirst(usize),
}

impl Prototypes {
    /// Parses `all`, a number (that many at random), or `farthest:N`.
    pub fn named(text: &str) -> Result<Self> {
        let fault =
            || Error::parameter("prototypes", format!("`{text}`"), "`all`, a number, or `farthest:N`");
        let number = |t: &str| t.parse::<usize>().map_err(|_| fault());
        Ok(match text.strip_prefix("farthest:") {
            Some(rest) => Self::FarthestFirst(number(rest)?),
            None if text == "all" => Self::All,
            None => Self::Random(number(text)?),
        })
    }

    /// Number of prototypes for `n` samples.
    pub fn count(self, n: usize) -> usize {
        match self {
            Self::All => n,
            Self::Random(count) | Self::FarthestFirst(count) => count.min(n),
        }
    }

    /// Indices of the chosen samples, ascending.
    pub fn select<S: ?Sized + Sample>(
        self,
        samples: &[&S],
        d: &dyn Dissimilarity<S>,
        seed: u64,
    ) -> Vec<usize> {
        let n = samples.len();
        match self {
            Self::All => (0..n).collect(),
            Self::Random(count) => Random::stream(seed, 1).subset(n, count.min(n)),
            Self::FarthestFirst(count) => farthest_first(samples, d, count.min(n)),
        }
    }
}

fn farthest_first<S: ?Sized + Sample>(samples: &[&S], d: &dyn Dissimilarity<S>, count: usize) -> Vec<usize> {
    let prepared = d.prepare(samples);
    let mut nearest = vec![f64::INFINITY; samples.len()];
    let mut row = vec![0.0; samples.len()];
    let mut chosen = Vec::with_capacity(count);
    let mut next = 0;
    while chosen.len() < count {
        chosen.push(next);
        nearest[next] = f64::NEG_INFINITY;
        prepared.fill(samples[next], 0..samples.len(), &mut row);
        for (near, value) in nearest.iter_mut().zip(&row) {
            *near = near.min(*value);
        }
        // Ties go to the lower index.
        next = (0..nearest.len()).fold(0, |best, i| if nearest[i] > nearest[best] { i } else { best });
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::CustomDissimilarity;

    #[test]
    fn farthest_first_matches_hand_computation() {
        let line = [0.0, 1.0, 2.0, 9.0, 10.0, 5.0];
        let refs: Vec<&f64> = line.iter().collect();
        let d = CustomDissimilarity::new(|a: &f64, b: &f64| (a - b).abs());
        // From 0: then 10 (index 4), then 5 (index 5).
        assert_eq!(Prototypes::FarthestFirst(3).select(&refs, &d, 0), [0, 4, 5]);
        assert_eq!(Prototypes::FarthestFirst(99).select(&refs, &d, 0), [0, 1, 2, 3, 4, 5]);
        assert_eq!(Prototypes::All.select(&refs, &d, 0).len(), 6);
        assert_eq!(Prototypes::Random(3).select(&refs, &d, 7), Prototypes::Random(3).select(&refs, &d, 7));
    }
}
