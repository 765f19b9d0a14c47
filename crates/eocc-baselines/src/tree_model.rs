//! The common part of EOCC-1 and EOCC-2: parts of a minimum spanning tree in the dissimilarity space, described by
//! centroids.

use eocc_core::mst::{Edge, spanning_tree};
use eocc_core::partition::Partition;
use eocc_core::stats::{log_sum_exp, percentile};
use eocc_core::{Matrix, kernel};

use crate::linear_algebra::squared_distance;

/// The embedded samples: row `i` holds the dissimilarities of sample `i` to all samples, divided by the largest.
pub(crate) struct Embedded {
    pub(crate) points: Matrix,
    pub(crate) bound: f64,
    /// Distances of the points.
    pub(crate) distances: Matrix,
}

impl Embedded {
    pub(crate) fn from_dissimilarities(square: &Matrix) -> Self {
        let n = square.rows();
        let largest = square.values().iter().copied().fold(0.0, f64::max);
        let bound = if largest > 0.0 { largest } else { 1.0 };
        let points = Matrix::new(square.values().iter().map(|d| d / bound).collect(), n, n);
        let mut distances = Matrix::zeros(n, n);
        kernel::euclidean_block(points.values(), points.values(), n, distances.values_mut());
        Self { points, bound, distances }
    }
}

/// Minimum fraction of the samples in a part. Cut by length alone, a tree first loses its single outliers, each as a
/// part of its own.
const MIN_SHARE: f64 = 0.05;

/// The minimum spanning tree of some of the points, and what remains after cutting its longest edges.
pub(crate) struct Tree {
    edges: Vec<Edge>,
    rows: usize,
    /// Edges to cut, in order.
    cuts: Vec<usize>,
}

impl Tree {
    /// The tree of the points with these indices; parts are numbered within them.
    pub(crate) fn spanning(distances: &Matrix, indices: &[usize]) -> Self {
        let n = indices.len();
        let edges = spanning_tree(n, |v, row| {
            let from = distances.row(indices[v]);
            row.iter_mut().zip(indices).for_each(|(o, &j)| *o = from[j]);
        });
        let mut tree = Self { edges, rows: n, cuts: Vec::new() };
        let least = ((MIN_SHARE * n as f64).ceil() as usize).max(2);
        let mut order: Vec<usize> = (0..tree.edges.len()).collect();
        order.sort_by(|&a, &b| tree.edges[b].length.total_cmp(&tree.edges[a].length).then(a.cmp(&b)));
        let most = (n as f64).sqrt() as usize;
        for e in order {
            if tree.cuts.len() + 1 >= most {
                break;
            }
            tree.cuts.push(e);
            if tree.parts(tree.cuts.len() + 1).sizes().iter().any(|s| *s < least) {
                tree.cuts.pop();
            }
        }
        tree
    }

    /// The largest possible number of parts.
    pub(crate) fn most_parts(&self) -> usize {
        self.cuts.len() + 1
    }

    /// The partition into this many parts.
    pub(crate) fn parts(&self, count: usize) -> Partition {
        let cut = &self.cuts[..count - 1];
        let mut labels: Vec<u32> = (0..self.rows as u32).collect();
        // Edges come in the order of growth: `from` is labelled before `to`.
        for (e, edge) in self.edges.iter().enumerate() {
            labels[edge.to] = if cut.contains(&e) { edge.to as u32 } else { labels[edge.from] };
        }
        Partition::from_labels(&labels)
    }

    /// The modularity of a partition in the tree, with edge weights `exp(-length / mean length)`.
    pub(crate) fn modularity(&self, parts: &Partition) -> f64 {
        let mean = self.edges.iter().map(|e| e.length).sum::<f64>() / self.edges.len() as f64;
        let unit = if mean > 0.0 { mean } else { 1.0 };
        let (mut inside, mut degree) = (0.0, vec![0.0; parts.parts()]);
        let mut total = 0.0;
        for edge in &self.edges {
            let w = (-edge.length / unit).exp();
            let (a, b) = (parts.part(edge.from), parts.part(edge.to));
            total += w;
            degree[a] += w;
            degree[b] += w;
            if a == b {
                inside += w;
            }
        }
        inside / total - degree.iter().map(|d| (d / (2.0 * total)).powi(2)).sum::<f64>()
    }

    /// The modularity of a chain with the same number of equal edges, cut into `count` equal parts.
    pub(crate) fn chain_modularity(&self, count: usize) -> f64 {
        let k = count as f64;
        1.0 - (k - 1.0) / self.edges.len() as f64 - 1.0 / k
    }

    /// The mean Rényi entropy of order 1/2 of the parts, minus that of the whole, per dimension.
    pub(crate) fn entropy_of_parts(&self, parts: &Partition) -> f64 {
        let alpha = 0.5;
        let m = self.rows as f64;
        let gamma = (1.0 - alpha) * m;
        let floor = self.edges.iter().map(|e| e.length).filter(|l| *l > 0.0).fold(f64::INFINITY, f64::min);
        let floor = if floor.is_finite() { floor } else { 1.0 };
        // Without the constant, which cancels: the weights sum to one.
        let entropy = |n: usize, lengths: Vec<f64>| {
            let log_length = log_sum_exp(lengths.iter().map(|l| gamma * l.max(floor).ln()));
            (log_length - alpha * (n as f64).ln()) / ((1.0 - alpha) * m)
        };
        let mut of_parts = 0.0;
        for (p, &size) in parts.sizes().iter().enumerate() {
            let own = self.edges.iter().filter(|e| parts.part(e.from) == p && parts.part(e.to) == p);
            of_parts += size as f64 / m * entropy(size, own.map(|e| e.length).collect());
        }
        of_parts - entropy(self.rows, self.edges.iter().map(|e| e.length).collect())
    }
}

/// Centroids of parts, and the distances of their members.
pub(crate) struct Centroids {
    centers: Matrix,
    /// The median distance of all members to their centroids: where membership is `exp(-1/2)`.
    median: f64,
    /// Root mean square distance of the members.
    radii: Vec<f64>,
    shares: Vec<f64>,
}

impl Centroids {
    /// For the points with these indices, partitioned.
    pub(crate) fn from_parts(points: &Matrix, indices: &[usize], parts: &Partition) -> Self {
        let mut centers = Matrix::zeros(parts.parts(), points.columns());
        let (mut distances, mut radii, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        for (p, members) in parts.members().iter().enumerate() {
            let size = members.len() as f64;
            for &v in members {
                let point = points.row(indices[v as usize]);
                centers.row_mut(p).iter_mut().zip(point).for_each(|(c, v)| *c += v / size);
            }
            let squared = |v: &u32| squared_distance(points.row(indices[*v as usize]), centers.row(p));
            let squares: Vec<f64> = members.iter().map(squared).collect();
            distances.extend(squares.iter().map(|s| s.sqrt()));
            radii.push((squares.iter().sum::<f64>() / size).sqrt());
            shares.push(size / indices.len() as f64);
        }
        // If all members are equal: a tiny spread, but not zero.
        let least = radii.iter().copied().fold(0.0, f64::max).max(1e-300) * 1e-9;
        for v in &mut radii {
            *v = v.max(least);
        }
        let median = percentile(&mut distances, 50.0).max(least);
        Self { centers, median, radii, shares }
    }

    /// `log mu(x)`, `mu(x) = max_i exp(-|x - c_i|^2 / (2 t^2))`.
    pub(crate) fn log_membership(&self, x: &[f64]) -> f64 {
        let nearest = (0..self.centers.rows()).map(|i| squared_distance(x, self.centers.row(i)));
        -nearest.fold(f64::INFINITY, f64::min) / (2.0 * self.median * self.median)
    }

    /// The log-likelihood of round Gaussians around the centroids in `q` dimensions, without constants.
    pub(crate) fn log_likelihood(&self, x: &[f64], q: f64) -> f64 {
        let one = |i: usize| {
            let variance = self.radii[i] * self.radii[i] / q;
            self.shares[i].ln()
                - 0.5 * q * variance.ln()
                - squared_distance(x, self.centers.row(i)) / (2.0 * variance)
        };
        log_sum_exp((0..self.radii.len()).map(one))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::line;

    #[test]
    fn long_edges_are_cut_unless_they_leave_a_crumb() {
        let at: Vec<f64> =
            (0..20).map(|i| if i < 10 { f64::from(i) } else { f64::from(i) + 50.0 }).chain([500.0]).collect();
        let all: Vec<usize> = (0..21).collect();
        let tree = Tree::spanning(&line(&at), &all);
        let parts = tree.parts(2);
        // The edge to 500 is longer, but would leave one sample alone.
        assert_eq!(parts.sizes(), [10, 11]);
        assert!(tree.most_parts() >= 2);
        assert_eq!(tree.parts(1).parts(), 1);
    }

    #[test]
    fn modularity_and_entropy_match_hand_computation() {
        // A path of three edges of equal length, cut in the middle: of three equal weights two lie inside, and both
        // parts have half of the degrees: 2/3 - 1/2.
        let all: Vec<usize> = (0..4).collect();
        let tree = Tree::spanning(&line(&[0.0, 1.0, 2.0, 3.0]), &all);
        let parts = Partition::from_labels(&[0, 0, 1, 1]);
        assert!((tree.modularity(&parts) - 1.0 / 6.0).abs() < 1e-12);
        assert!(tree.modularity(&tree.parts(1)).abs() < 1e-12);
        // All lengths 1, m = 4: the whole has (log 3 - log 4 / 2) / 2, a part (log 1 - log 2 / 2) / 2.
        let want = -0.25 * 2.0_f64.ln() - 0.5 * (3.0_f64.ln() - 0.5 * 4.0_f64.ln());
        assert!((tree.entropy_of_parts(&parts) - want).abs() < 1e-12);
        assert!(tree.entropy_of_parts(&tree.parts(1)).abs() < 1e-12);
    }

    #[test]
    fn membership_is_one_at_a_centroid_and_falls_from_there() {
        let points = Matrix::new(vec![0.0, 2.0, 4.0, 10.0, 12.0, 14.0], 6, 1);
        let all: Vec<usize> = (0..6).collect();
        let model = Centroids::from_parts(&points, &all, &Partition::from_labels(&[0, 0, 0, 1, 1, 1]));
        assert!(model.log_membership(&[2.0]).abs() < 1e-15);
        // The median distance is 2: at 8, four from the second centroid, log mu = -16 / 8.
        assert!((model.log_membership(&[8.0]) + 2.0).abs() < 1e-12);
        // Variance 8/3 each, share 1/2: at the first centroid the second is 100 away, squared.
        let want = 0.5_f64.ln() - 0.5 * (8.0_f64 / 3.0).ln() + (1.0 + (-100.0 * 3.0 / 16.0_f64).exp()).ln();
        assert!((model.log_likelihood(&[2.0], 1.0) - want).abs() < 1e-12);
    }
}
