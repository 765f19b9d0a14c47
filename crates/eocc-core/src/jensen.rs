//! The alpha-Jensen difference [LA17, eq. 4 and 5]: how far the entropy of the whole exceeds the mean entropy of its
//! parts. Zero if all parts have the same density; estimation errors may make it negative.

use serde::{Deserialize, Serialize};

use crate::entropy::{Constant, RenyiEntropy};
use crate::error::{Error, Result};
use crate::knn::{KnnLists, nearest_of_points};
use crate::matrix::Matrix;
use crate::parallel;
use crate::partition::Partition;
use crate::stats::{log_add, log_sum_exp};

/// Minimum number of vertices for which another thread pays off.
const MIN_PARALLEL: usize = 1 << 10;

/// The estimator for given parts: the entropy of each part from its own kNN graph.
///
/// This is the definition, for use on its own; the classifier uses [`Descent`], in which the parts reuse the lists of
/// the whole.
pub fn jensen_difference(points: &Matrix, partition: &Partition, alpha: f64, k: usize) -> Result<f64> {
    if partition.vertices() != points.rows() {
        return Err(Error::input(format!(
            "the partition has {} vertices for {} points",
            partition.vertices(),
            points.rows()
        )));
    }
    let h = RenyiEntropy::new(alpha, points.columns(), Constant::Calibrated { cubes: 1 })?;
    let mut difference = h.of_points(points, k)?;
    for members in partition.members() {
        let members: Vec<usize> = members.into_iter().map(|v| v as usize).collect();
        let part = points.select_rows(&members);
        if members.len() <= k {
            let allowed = format!("less than the {} samples of the smallest part", members.len());
            return Err(Error::parameter("neighbors", k, allowed));
        }
        let share = members.len() as f64 / points.rows() as f64;
        difference -= share * h.of_lists(&nearest_of_points(&part, k));
    }
    Ok(difference)
}

/// The Jensen difference of the components of `G_k`, for any `k`, from one set of lists.
///
/// `dH(k) = H(whole, lists of k + 1) - sum_i (n_i / n) H(component i, lists of k)`, where the constant of the entropy
/// cancels because the weights sum to one. The exponent of the lengths is in the hundreds, so only logarithms of
/// lengths are used.
pub struct Descent<'a> {
    lists: &'a KnnLists,
    entropy: RenyiEntropy,
    /// `log sum_{j <= k} |e_ij|^gamma` of each vertex `i` for each `k`, concatenated.
    vertex: Vec<f64>,
    partitions: Vec<Partition>,
}

/// The objective at one `k`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Objective {
    /// `k`.
    pub neighbors: usize,
    /// `dH(k)`.
    pub jensen: f64,
    /// `eta(k) = 1 / (1 + max(dH, 0))` [LA17, eq. 6].
    pub eta: f64,
}

/// One step of the descent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DescentStep {
    /// `k`.
    pub neighbors: usize,
    /// `eta(k)`.
    pub eta: f64,
    /// The number of components of `G_k`.
    pub regions: usize,
}

impl<'a> Descent<'a> {
    /// Prepares all `k` below the width of the lists. `dimension` is `m`.
    pub fn new(lists: &'a KnnLists, alpha: f64, dimension: usize) -> Result<Self> {
        let entropy = RenyiEntropy::new(alpha, dimension, Constant::Paper)?;
        let gamma = entropy.gamma();
        let lengths = lists.all_lengths();
        // Duplicates have length zero: raise it to the smallest positive length in the lists.
        let floor = lengths.iter().copied().filter(|l| *l > 0.0).fold(f64::INFINITY, f64::min);
        let floor = if floor.is_finite() { floor } else { 1.0 };
        let mut vertex = vec![0.0; lengths.len()];
        let width = lists.width();
        let of_chunk = |chunk: usize, sums: &mut [f64]| {
            let lists = lengths[chunk * MIN_PARALLEL * width..].chunks_exact(width);
            for (sums, list) in sums.chunks_exact_mut(width).zip(lists) {
                let mut sum = f64::NEG_INFINITY;
                for (out, length) in sums.iter_mut().zip(list) {
                    sum = log_add(sum, gamma * length.max(floor).ln());
                    *out = sum;
                }
            }
        };
        let ((), partitions) = parallel::join(
            || parallel::for_each_chunk(&mut vertex, MIN_PARALLEL * width, &of_chunk),
            || Partition::of_each(lists, width - 1),
        );
        Ok(Self { lists, entropy, vertex, partitions })
    }

    /// The components of `G_k`.
    pub fn partition(&self, k: usize) -> &Partition {
        &self.partitions[k - 1]
    }

    /// The objective at `k`.
    pub fn objective(&self, k: usize) -> Objective {
        let n = self.lists.points();
        let width = self.lists.width();
        let log_length = |v: usize, k: usize| self.vertex[v * width + k - 1];
        let log_beta = self.entropy.paper_log_beta();
        let partition = self.partition(k);
        let of_whole = || log_sum_exp((0..n).map(|v| log_length(v, k + 1)));
        let of_parts = || {
            let mut largest = vec![f64::NEG_INFINITY; partition.parts()];
            for v in 0..n {
                let part = partition.part(v);
                largest[part] = largest[part].max(log_length(v, k));
            }
            let mut sums = vec![0.0; partition.parts()];
            for v in 0..n {
                let part = partition.part(v);
                sums[part] += (log_length(v, k) - largest[part]).exp();
            }
            (largest, sums)
        };
        let (whole, (largest, sums)) =
            if n < MIN_PARALLEL { (of_whole(), of_parts()) } else { parallel::join(of_whole, of_parts) };
        let mut jensen = self.entropy.at_log_length(whole, n, log_beta);
        for (part, &size) in partition.sizes().iter().enumerate() {
            let log_length = largest[part] + sums[part].ln();
            let share = size as f64 / n as f64;
            jensen -= share * self.entropy.at_log_length(log_length, size, log_beta);
        }
        Objective { neighbors: k, jensen, eta: 1.0 / (1.0 + jensen.max(0.0)) }
    }

    /// The greedy descent of [LA17, alg. 1]: `k` from the largest down to `smallest`, stopping at the first rise of
    /// the objective and returning the `k` before it.
    pub fn descend(&self, smallest: usize) -> Objective {
        self.descend_recorded(smallest).0
    }

    /// Like [`descend`](Self::descend), with all steps in order, including the one at which the objective rose.
    pub fn descend_recorded(&self, smallest: usize) -> (Objective, Vec<DescentStep>) {
        let largest = self.lists.width() - 1;
        let step = |o: &Objective| DescentStep {
            neighbors: o.neighbors,
            eta: o.eta,
            regions: self.partition(o.neighbors).parts(),
        };
        let mut kept = self.objective(largest);
        let mut steps = vec![step(&kept)];
        for k in (smallest.min(largest)..largest).rev() {
            let next = self.objective(k);
            steps.push(step(&next));
            if next.eta > kept.eta {
                break;
            }
            kept = next;
        }
        (kept, steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_part_differs_only_by_the_lists() {
        let points = Matrix::new((0..12).map(|i| f64::from(i * i)).collect(), 12, 1);
        let lists = nearest_of_points(&points, 4);
        let descent = Descent::new(&lists, 0.5, 2).unwrap();
        // gamma = 1: L is the plain sum of lengths.
        let o = descent.objective(3);
        let sum = |k: usize| (0..12).flat_map(|i| lists.lengths(i, k)).sum::<f64>();
        assert_eq!(descent.partition(3).parts(), 1);
        assert!((o.jensen - 2.0 * (sum(4).ln() - sum(3).ln())).abs() < 1e-12);
        assert!((o.eta - 1.0 / (1.0 + o.jensen)).abs() < 1e-15);
        // The last step is the returned one, or the next one, at which the objective rose.
        let (kept, steps) = descent.descend_recorded(1);
        assert_eq!(steps[0].neighbors, 3);
        assert!(steps.iter().rev().take(2).any(|s| s.neighbors == kept.neighbors));
        assert_eq!(descent.descend(1), kept);
    }
}
