//! Steps 1 and 2: dissimilarities and the embedding.

/// How a sample is compared with the prototypes.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Vectors of features under the weighted Euclidean distance.
    Vectors {
        /// The representation set `R`.
        prototypes: Vec<Vec<f64>>,
        /// The feature weights `p`.
        weights: Vec<f64>,
    },
    /// The dissimilarities to the prototypes are given.
    Precomputed,
}

impl Input {
    /// The dissimilarities of `x` to the prototypes, not yet divided by `c`.
    pub fn to_prototypes(&self, x: &[f64]) -> Vec<f64> {
        match self {
            Self::Vectors { prototypes, weights } => {
                prototypes.iter().map(|r| weighted(x, r, weights)).collect()
            }
            Self::Precomputed => x.to_vec(),
        }
    }
}

/// `sqrt(sum_f p_f (x_f - r_f)^2)`, summed in index order.
///
/// # Panics
/// If the two samples and the weights differ in length.
pub fn weighted(x: &[f64], r: &[f64], p: &[f64]) -> f64 {
    assert!(x.len() == r.len() && x.len() == p.len(), "samples and weights differ in length");
    let mut sum = 0.0;
    for f in 0..x.len() {
        let difference = x[f] - r[f];
        sum += p[f] * (difference * difference);
    }
    sum.sqrt()
}

/// The weighted distances of all pairs of samples.
pub fn weighted_matrix(samples: &[Vec<f64>], p: &[f64]) -> Vec<Vec<f64>> {
    samples.iter().map(|x| samples.iter().map(|r| weighted(x, r, p)).collect()).collect()
}

/// `c`: the largest dissimilarity over all training pairs; 1 if that is 0, since all samples are then equal.
pub fn largest(dissimilarities: &[Vec<f64>]) -> f64 {
    let c = dissimilarities.iter().flatten().copied().fold(0.0, f64::max);
    if c > 0.0 { c } else { 1.0 }
}

/// `D`: the columns of the prototypes, divided by `c`.
pub fn embedding(dissimilarities: &[Vec<f64>], prototypes: &[usize], c: f64) -> Vec<Vec<f64>> {
    dissimilarities.iter().map(|row| prototypes.iter().map(|&r| row[r] / c).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_switch_features_off() {
        let d = weighted(&[0.0, 5.0, 1.0], &[3.0, -2.0, 5.0], &[1.0, 0.0, 1.0]);
        assert!((d - 5.0).abs() < 1e-15);
    }

    #[test]
    fn embedding_matches_hand_computation() {
        let matrix = weighted_matrix(&[vec![0.0], vec![1.0], vec![4.0]], &[1.0]);
        assert_eq!(matrix, [[0.0, 1.0, 4.0], [1.0, 0.0, 3.0], [4.0, 3.0, 0.0]]);
        let c = largest(&matrix);
        assert_eq!(embedding(&matrix, &[2, 0], c), [[1.0, 0.0], [0.75, 0.25], [0.0, 1.0]]);
    }

    #[test]
    fn equal_samples_are_divided_by_one() {
        assert!((largest(&[vec![0.0, 0.0], vec![0.0, 0.0]]) - 1.0).abs() < 1e-15);
    }
}
