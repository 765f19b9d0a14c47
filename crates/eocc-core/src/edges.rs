//! How long an edge counts: in the local scale of its end, and stretched where that end is not trusted.
//!
//! The edge from a sample to the training sample `u` at distance `d` counts as `d w_u`, with
//! `w_u = t_u (s_u / s)^-a`. `s_u` is the mean distance of `u` to its nearest neighbours and `s` the geometric mean of
//! all `s_u`: among sparse nominals a step is shorter than among dense ones. `a` is the parameter `locality`.
//!
//! `t_u = (f_u c_u)^b`, where `f_u = g_u / g` says how far out `u` lies and `c_u = (g_u / s_u) / c` how much denser it
//! is at hand than at large. `g_u` is the distance of `u` to the nearest twentieth of the training set; `g` and `c` are
//! medians, so that half of the nominals have 1; both ratios are held in [1, 1.5]; `b` is the parameter `suspicion`. A
//! clump of outliers among the nominals is dense in itself, so its own scale says nothing against it; but it does not
//! hold a twentieth of all samples, and is far from them. A neighbour that may belong to such a clump counts for less.

use rayon::prelude::*;

use crate::dissimilarity::Dissimilarity;
use crate::knn::KnnLists;
use crate::params::OneClass;
use crate::sample::Sample;

/// Scales below this share of their median count as it: duplicates must not make a sample infinitely dense.
const MIN_SCALE: f64 = 0.1;
/// The nearest of this share tell how far out a sample lies: 1 in 20.
const SHARE: usize = 20;
/// But no fewer than these.
const MIN_NEAREST: usize = 5;
/// With fewer samples than this a twentieth is not two, and one is not a clump.
const MIN_SAMPLES: usize = 2 * SHARE;
/// The most that either ratio counts: one sample far out is no worse than many.
const MAX_RATIO: f64 = 1.5;
/// The longest lists kept for it.
const MAX_LISTED: usize = 256;
/// Edges beyond this count as it: nothing a score could tell apart, and means of them are numbers.
const MAX_LENGTH: f64 = 1e300;
/// For more samples than this, an evenly spaced subset of so many stands for all.
const SUBSAMPLE: usize = 512;

/// Weights of edges by the training sample they lead to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edges {
    ring_size: usize,
    locality: f64,
    /// Mean length of the `ring_size` nearest.
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
    /// From lists of more than `ring_size` entries; `far` says how far out each sample lies, if that counts.
    pub(crate) fn new(params: &OneClass, lists: &KnnLists, ring_size: usize, far: Option<&[f64]>) -> Self {
        let n = lists.points();
        // Divided before they are added, so that the sum cannot overflow.
        let mean = |u: usize| lists.lengths(u, ring_size).iter().map(|l| l / ring_size as f64).sum();
        let means: Vec<f64> = (0..n).map(mean).collect();
        let next =
            (0..n).map(|u| lists.lengths(u, lists.width())[ring_size.min(lists.width() - 1)]).collect();
        let mut sorted = means.clone();
        let least = MIN_SCALE * crate::stats::percentile(&mut sorted, 50.0);
        let logarithms = means.iter().map(|s| s.max(least).ln());
        let typical = (logarithms.sum::<f64>() / n as f64).exp();
        let stretch = match far {
            Some(far) => stretches(far, &means, least, params.suspicion),
            None => vec![1.0; n],
        };
        // Paths lead through the graph as it is; only rings are weighed.
        let locality = if params.centrality.is_of_rings() { params.locality } else { 0.0 };
        Self { ring_size, locality, means, next, least, typical, stretch }
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
        let (neighbors, lengths) = (lists.neighbors(v, self.ring_size), lists.lengths(v, self.ring_size));
        neighbors.iter().zip(lengths).map(move |(&u, &length)| {
            let u = u as usize;
            let counts = lists.neighbors(u, self.ring_size).contains(&(v as u32));
            let change = if counts { (self.next[u] - length) / self.ring_size as f64 } else { 0.0 };
            (length * self.weight(u, self.means[u] + change)).min(MAX_LENGTH)
        })
    }

    /// All of [`of_left_out`](Self::of_left_out), list after list.
    pub(crate) fn left_out(&self, lists: &KnnLists) -> Vec<f64> {
        let all: Vec<Vec<f64>> =
            (0..lists.points()).into_par_iter().map(|v| self.of_left_out(lists, v).collect()).collect();
        all.concat()
    }
}

/// `t_u`.
fn stretches(far: &[f64], means: &[f64], least: f64, suspicion: f64) -> Vec<f64> {
    let density: Vec<f64> = far.iter().zip(means).map(|(far, mean)| far / mean.max(least)).collect();
    let (far, density) = (beyond_median(far), beyond_median(&density));
    far.zip(density).map(|(f, c)| (f * c).powf(suspicion)).collect()
}

/// Each value as a multiple of their median, from 1 to [`MAX_RATIO`]. Where most samples are duplicates and the median is 0,
/// all that is beyond it counts the most.
fn beyond_median(values: &[f64]) -> impl Iterator<Item = f64> {
    let median = crate::stats::percentile(&mut values.to_vec(), 50.0);
    values.iter().map(move |v| if *v > median { (v / median).min(MAX_RATIO) } else { 1.0 })
}

/// Whether it counts how far out training samples lie.
pub(crate) fn uses_outlyingness(params: &OneClass, n: usize) -> bool {
    params.centrality.is_of_rings() && params.suspicion > 0.0 && n >= MIN_SAMPLES
}

/// How many of the nearest tell how far out a sample is.
fn outlyingness_neighbors(n: usize) -> usize {
    n.div_ceil(SHARE).max(MIN_NEAREST)
}

/// The width of lists that tell how far out each sample lies; `None` if that is too wide or does not count.
pub(crate) fn outlyingness_width(params: &OneClass, n: usize) -> Option<usize> {
    uses_outlyingness(params, n).then(|| outlyingness_neighbors(n)).filter(|w| *w <= MAX_LISTED)
}

/// How far out each sample lies, by lists of at least [`outlyingness_width`].
pub(crate) fn outlyingness_from_lists(lists: &KnnLists) -> Vec<f64> {
    let n = lists.points();
    let k = outlyingness_neighbors(n);
    (0..n).map(|i| lists.lengths(i, k)[k - 1]).collect()
}

/// How far out each sample lies, by a subset.
pub(crate) fn outlyingness_from_subsample<S: ?Sized + Sample>(
    samples: &[&S],
    d: &dyn Dissimilarity<S>,
) -> Vec<f64> {
    let n = samples.len();
    let count = n.min(SUBSAMPLE);
    let subset: Vec<usize> = (0..count).map(|i| i * n / count).collect();
    let some: Vec<&S> = subset.iter().map(|&i| samples[i]).collect();
    let prepared = d.prepare(&some);
    let nearest = outlyingness_neighbors(count);
    let of = |i: usize| {
        let own = subset.binary_search(&i).ok();
        if d.has_bounds() {
            let among: Vec<u32> = (0..count as u32).filter(|j| Some(*j as usize) != own).collect();
            if let Some(found) = prepared.nearest(samples[i], &among, nearest) {
                return found.found[nearest - 1].1;
            }
        }
        let mut row = vec![0.0; count];
        prepared.fill(samples[i], 0..count, &mut row);
        if let Some(own) = own {
            row.swap_remove(own);
        }
        *row.select_nth_unstable_by(nearest - 1, f64::total_cmp).1
    };
    (0..n).into_par_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::{Dtw, Local, Minkowski};
    use crate::knn::nearest_of_rows;
    use crate::params::Preset;
    use crate::random::Random;
    use crate::sample::Series;

    fn lists(points: &[f64], width: usize) -> KnnLists {
        nearest_of_rows(points.len(), width, |i, row| {
            for (r, p) in row.iter_mut().zip(points) {
                *r = (p - points[i]).abs();
            }
        })
    }

    fn params(locality: f64, suspicion: f64) -> OneClass {
        OneClass { locality, suspicion, ..OneClass::new(Preset::Default) }
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
        // The median of 1, 0, 2.4 and 6 is 1.7, that of those over the scales 1, 1, 1 and 4 is 1.25.
        let far = Edges::new(&params(0.0, 2.0), &lists, 1, Some(&[1.0, 0.0, 2.4, 6.0])).weights();
        for (got, want) in far.iter().zip([1.0, 1.0, 2.4 / 1.7 * 1.5, 1.5 * 1.2_f64]) {
            assert!((got - want * want).abs() < 1e-12, "{far:?}");
        }
        let duplicates = Edges::new(&params(0.0, 1.0), &lists, 1, Some(&[0.0, 0.0, 0.0, 9.0])).weights();
        assert_eq!(duplicates, [1.0, 1.0, 1.0, 2.25]);
    }

    #[test]
    fn a_sample_left_out_finds_what_a_newcomer_would() {
        let mut r = Random::new(8);
        let points: Vec<f64> = (0..40).map(|_| r.normal()).collect();
        let params = params(0.5, 0.0);
        for ring_size in [1, 3, 5] {
            let all = lists(&points, ring_size + 1);
            let edges = Edges::new(&params, &all, ring_size, None);
            let found = edges.left_out(&all);
            for v in 0..points.len() {
                let mut others = points.clone();
                others.remove(v);
                let without = Edges::new(&params, &lists(&others, ring_size + 1), ring_size, None);
                let (mut scale, weights) = (0.0_f64, without.weights());
                for (at, &u) in all.neighbors(v, ring_size).iter().enumerate() {
                    let u = if (u as usize) > v { u as usize - 1 } else { u as usize };
                    let ratio = found[v * ring_size + at] / (all.lengths(v, ring_size)[at] * weights[u]);
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
    fn a_subsample_tells_who_lies_far_out() {
        let mut r = Random::new(9);
        let rows: Vec<Vec<f64>> = (0..1500).map(|_| vec![r.normal(), r.normal()]).collect();
        let refs: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let mut d = Minkowski::euclidean();
        d.learn(&refs, &[]).unwrap();
        let all = nearest_of_rows(1500, 76, |i, row| {
            (&d as &dyn Dissimilarity<[f64]>).prepare(&refs).fill(refs[i], 0..1500, row);
        });
        let (exact, estimate) = (outlyingness_from_lists(&all), outlyingness_from_subsample(&refs, &d));
        let close = exact.iter().zip(&estimate).filter(|(a, b)| (*a / *b - 1.0).abs() < 0.3).count();
        assert!(close > 1400, "{close}");
        let few = &refs[..400];
        let lists = nearest_of_rows(400, 26, |i, row| {
            (&d as &dyn Dissimilarity<[f64]>).prepare(few).fill(few[i], 0..400, row);
        });
        assert_eq!(
            outlyingness_from_lists(&lists),
            outlyingness_from_subsample(few, &d),
            "with all in the subset it is no estimate"
        );
    }

    #[test]
    fn bounds_change_nothing() {
        let mut r = Random::new(10);
        let series: Vec<Series> =
            (0..600).map(|_| Series::univariate((0..12).map(|_| r.normal()).collect()).unwrap()).collect();
        let refs: Vec<&Series> = series.iter().collect();
        let d = Dtw::new(Local::Euclidean, None, false).unwrap();
        let found = outlyingness_from_subsample(&refs, &d);
        let subset: Vec<&Series> = (0..SUBSAMPLE).map(|i| refs[i * 600 / SUBSAMPLE]).collect();
        let prepared = (&d as &dyn Dissimilarity<Series>).prepare(&subset);
        for i in (0..600).step_by(37) {
            let mut row = vec![0.0; SUBSAMPLE];
            prepared.fill(refs[i], 0..SUBSAMPLE, &mut row);
            row.sort_by(f64::total_cmp);
            // A sample of the subset is nearest to itself.
            let own = usize::from((0..SUBSAMPLE).any(|s| s * 600 / SUBSAMPLE == i));
            let expected = row[SUBSAMPLE.div_ceil(SHARE) - 1 + own];
            assert_eq!(found[i].to_bits(), expected.to_bits(), "sample {i}");
        }
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
