//! How long an edge counts: in the local scale of its end, and stretched where that end is not trusted.
//!
//! The edge from a sample to the training sample `u` at distance `d` counts as `d w_u`, with
//! `w_u = t_u (s_u / s)^-a`. `s_u` is the mean distance of `u` to its nearest others and `s` the geometric mean of all
//! `s_u`: among sparse nominals a step is shorter than among dense ones. `a` is the parameter `locality`. `t_u` grows
//! from 1 to `1 + suspicion` over the half of the training samples that lie farthest out, by their distance to the
//! nearest twentieth of all: others among the nominals are found there, and lend less of their closeness.

use rayon::prelude::*;

use crate::centrality::Centrality;
use crate::dissimilarity::Dissimilarity;
use crate::knn::KnnLists;
use crate::params::OneClassParams;

/// Scales below this share of their median count as it: duplicates must not make a sample infinitely dense.
const LEAST_SCALE: f64 = 0.1;
/// The share of the training set that tells how far out a sample lies.
const FAR: usize = 20;
/// Edges beyond this count as it: nothing a score could tell apart, and means of them are numbers.
const FARTHEST: f64 = 1e300;
/// For more samples than this, an evenly spaced subset of so many stands for all.
const SUBSET: usize = 512;

/// Weights of edges by the training sample they lead to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edges {
    links: usize,
    locality: f64,
    /// Mean length of the `links` nearest.
    means: Vec<f64>,
    /// The length after those.
    next: Vec<f64>,
    /// Smallest scale, and the geometric mean of the scales.
    least: f64,
    typical: f64,
    /// `t_u`.
    stretch: Vec<f64>,
}

impl Edges {
    /// From lists of more than `links` entries; `far` says how far out each sample lies, if that counts.
    pub(crate) fn new(params: &OneClassParams, lists: &KnnLists, links: usize, far: Option<&[f64]>) -> Self {
        let n = lists.points();
        // Divided before they are added, so that the sum cannot overflow.
        let mean = |u: usize| lists.lengths(u, links).iter().map(|l| l / links as f64).sum();
        let means: Vec<f64> = (0..n).map(mean).collect();
        let next = (0..n).map(|u| lists.lengths(u, lists.width())[links.min(lists.width() - 1)]).collect();
        let mut sorted = means.clone();
        let least = LEAST_SCALE * crate::stats::percentile(&mut sorted, 50.0);
        let logarithms = means.iter().map(|s| s.max(least).ln());
        let typical = (logarithms.sum::<f64>() / n as f64).exp();
        let stretch = match far {
            Some(far) => stretches(far, params.suspicion),
            None => vec![1.0; n],
        };
        // Paths lead through the graph as it is; only rings are weighed.
        let locality = if params.centrality == Centrality::Ring { params.locality } else { 0.0 };
        Self { links, locality, means, next, least, typical, stretch }
    }

    /// `w_u` for newcomers.
    pub(crate) fn weights(&self) -> Vec<f64> {
        (0..self.means.len()).map(|u| self.weight(u, self.means[u])).collect()
    }

    fn weight(&self, u: usize, mean: f64) -> f64 {
        let scale = mean.max(self.least) / self.typical;
        // Where most samples are duplicates there is no scale.
        let is_scale = scale.is_finite() && scale > 0.0;
        if self.locality > 0.0 && is_scale {
            self.stretch[u] * scale.powf(-self.locality)
        } else {
            self.stretch[u]
        }
    }

    /// What the edges of `v` to its nearest count as, with `v` left out of the scale of each: what a newcomer in its
    /// place would find.
    fn of_left_out<'a>(&'a self, lists: &'a KnnLists, v: usize) -> impl Iterator<Item = f64> + Clone + 'a {
        let (neighbors, lengths) = (lists.neighbors(v, self.links), lists.lengths(v, self.links));
        neighbors.iter().zip(lengths).map(move |(&u, &length)| {
            let u = u as usize;
            let counts = lists.neighbors(u, self.links).contains(&(v as u32));
            let change = if counts { (self.next[u] - length) / self.links as f64 } else { 0.0 };
            (length * self.weight(u, self.means[u] + change)).min(FARTHEST)
        })
    }

    /// All of [`of_left_out`](Self::of_left_out), list after list.
    pub(crate) fn left_out(&self, lists: &KnnLists) -> Vec<f64> {
        let all: Vec<Vec<f64>> =
            (0..lists.points()).into_par_iter().map(|v| self.of_left_out(lists, v).collect()).collect();
        all.concat()
    }
}

/// From 1 to `1 + suspicion` over the farther half; ties by index.
fn stretches(far: &[f64], suspicion: f64) -> Vec<f64> {
    let n = far.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| far[a].total_cmp(&far[b]).then(a.cmp(&b)));
    let mut stretch = vec![1.0; n];
    for (place, u) in order.into_iter().enumerate() {
        let share = (place as f64 + 0.5) / n as f64;
        stretch[u] += suspicion * (2.0 * share - 1.0).max(0.0);
    }
    stretch
}

/// How far out each sample lies: its distance to the nearest twentieth of the training set, or of a subset of that.
/// The lists tell it where they are long enough, and where distances are dear and most were never measured.
pub(crate) fn far_out<S: ?Sized + Sync>(
    samples: &[&S],
    lists: &KnnLists,
    d: &dyn Dissimilarity<S>,
) -> Vec<f64> {
    let n = samples.len();
    let wanted = n.div_ceil(FAR).max(5);
    if wanted <= lists.width() || d.has_bounds() {
        let k = wanted.min(lists.width());
        return (0..n).map(|i| lists.lengths(i, k)[k - 1]).collect();
    }
    let count = n.min(SUBSET);
    let subset: Vec<usize> = (0..count).map(|i| i * n / count).collect();
    let some: Vec<&S> = subset.iter().map(|&i| samples[i]).collect();
    let prepared = d.prepare(&some);
    let nearest = count.div_ceil(FAR);
    let of = |i: usize| {
        let mut row = vec![0.0; count];
        prepared.fill(samples[i], 0..count, &mut row);
        if let Ok(own) = subset.binary_search(&i) {
            row.swap_remove(own);
        }
        *row.select_nth_unstable_by(nearest - 1, f64::total_cmp).1
    };
    (0..n).into_par_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::Minkowski;
    use crate::knn::nearest_of_rows;
    use crate::params::Preset;
    use crate::random::Random;

    fn lists(points: &[f64], width: usize) -> KnnLists {
        nearest_of_rows(points.len(), width, |i, row| {
            for (r, p) in row.iter_mut().zip(points) {
                *r = (p - points[i]).abs();
            }
        })
    }

    fn params(locality: f64, suspicion: f64) -> OneClassParams {
        OneClassParams { locality, suspicion, ..OneClassParams::new(Preset::Default) }
    }

    #[test]
    fn weights_by_hand() {
        // Nearest of 0, 1, 2, 6: 1, 1, 1, 4. The geometric mean is the square root of 2.
        let lists = lists(&[0.0, 1.0, 2.0, 6.0], 2);
        let plain = Edges::new(&params(0.0, 0.0), &lists, 1, None);
        assert_eq!(plain.weights(), [1.0; 4]);
        let local = Edges::new(&params(1.0, 0.0), &lists, 1, None).weights();
        let r = 2.0_f64.sqrt();
        for (got, want) in local.iter().zip([r, r, r, r / 4.0]) {
            assert!((got - want).abs() < 1e-15, "{local:?}");
        }
        // Places 0.125, 0.375, 0.625, 0.875: the farther half is stretched by 0.25 and 0.75 of the suspicion.
        let far = Edges::new(&params(0.0, 2.0), &lists, 1, Some(&[1.0, 0.0, 3.0, 9.0])).weights();
        assert_eq!(far, [1.0, 1.0, 1.5, 2.5]);
    }

    #[test]
    fn a_sample_left_out_finds_what_a_newcomer_would() {
        let mut r = Random::new(8);
        let points: Vec<f64> = (0..40).map(|_| r.normal()).collect();
        let params = params(0.5, 0.0);
        for links in [1, 3, 5] {
            let all = lists(&points, links + 1);
            let edges = Edges::new(&params, &all, links, None);
            let found = edges.left_out(&all);
            for v in 0..points.len() {
                let mut others = points.clone();
                others.remove(v);
                let without = Edges::new(&params, &lists(&others, links + 1), links, None);
                let (mut scale, weights) = (0.0_f64, without.weights());
                for (at, &u) in all.neighbors(v, links).iter().enumerate() {
                    let u = if (u as usize) > v { u as usize - 1 } else { u as usize };
                    let ratio = found[v * links + at] / (all.lengths(v, links)[at] * weights[u]);
                    // The typical scale of the others differs a little, by the same factor for all.
                    if at == 0 {
                        scale = ratio;
                    }
                    assert!((ratio / scale - 1.0).abs() < 1e-12 && (ratio - 1.0).abs() < 0.1, "{ratio}");
                }
            }
        }
    }

    #[test]
    fn a_subset_tells_who_lies_far_out() {
        let mut r = Random::new(9);
        let rows: Vec<Vec<f64>> = (0..1500).map(|_| vec![r.normal(), r.normal()]).collect();
        let refs: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let mut d = Minkowski::euclidean();
        d.learn(&refs, &[]).unwrap();
        let all = nearest_of_rows(1500, 76, |i, row| d.prepare(&refs).fill(refs[i], 0..1500, row));
        let short = all.truncated(10);
        let (exact, estimate) = (far_out(&refs, &all, &d), far_out(&refs, &short, &d));
        let close = exact.iter().zip(&estimate).filter(|(a, b)| (*a / *b - 1.0).abs() < 0.3).count();
        assert!(close > 1400, "{close}");
    }

    #[test]
    fn duplicates_have_a_weight() {
        let same = lists(&[1.0; 6], 3);
        assert_eq!(Edges::new(&params(0.5, 0.0), &same, 2, None).weights(), [1.0; 6]);
        let some = lists(&[0.0, 0.0, 0.0, 0.0, 1.0, 5.0, 9.0], 3);
        assert!(
            Edges::new(&params(0.5, 0.0), &some, 2, None).weights().iter().all(|w| w.is_finite() && *w > 0.0)
        );
    }
}
