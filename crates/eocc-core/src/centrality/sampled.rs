//! The closeness of a large region, estimated from the shortest paths of some vertices.
//!
//! `chi(v)` is `n - 1` times the mean of `2^-d(v, u)` over the other vertices `u`; the mean over evenly spaced ones
//! estimates it without bias if their order is arbitrary, and their spread gives the error (Eppstein and Wang, 2004,
//! for closeness by distances). A newcomer uses the same vertices.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::RegionGraph;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel;
use crate::observer::{Observer, Progress};
use crate::parallel;
use crate::paths;

/// Vertices whose rows are written in one task.
const ROWS: usize = 256;
/// Half-width of a 95 % confidence interval, in standard deviations.
const CONFIDENT: f64 = 1.96;

/// Nearness `2^-d` of every vertex to the sources.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledPaths {
    sources: Vec<u32>,
    /// One row per vertex.
    nearness: Vec<f64>,
}

impl SampledPaths {
    /// Shortest paths from `count` evenly spaced vertices.
    pub(crate) fn new(region: &RegionGraph, count: usize, observer: &dyn Observer) -> Result<Self> {
        let n = region.vertices();
        let sources: Vec<u32> = (0..count).map(|s| (s * n / count) as u32).collect();
        let done = AtomicUsize::new(0);
        let from_source = |s: usize| {
            let source = sources[s];
            if observer.is_cancelled() {
                return Err(Error::from(ErrorKind::Cancelled));
            }
            let distances = paths::from_vertex(region.graph(), source as usize);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            observer.progress(&Progress::Stage { name: "closeness", done, total: count });
            Ok(distances.into_iter().map(|d| (-d).exp2()).collect::<Vec<f64>>())
        };
        let columns: Vec<Vec<f64>> = parallel::try_map(count, 1, &from_source)?;
        let mut nearness = vec![0.0; n * count];
        parallel::for_each_chunk(&mut nearness, ROWS * count, &|chunk, rows| {
            for (v, row) in (chunk * ROWS..).zip(rows.chunks_exact_mut(count)) {
                for (near, column) in row.iter_mut().zip(&columns) {
                    *near = column[v];
                }
            }
        });
        Ok(Self { sources, nearness })
    }

    fn row(&self, v: usize) -> &[f64] {
        &self.nearness[v * self.sources.len()..(v + 1) * self.sources.len()]
    }

    /// `log2` of the closeness of every vertex, and the largest relative error at 95 % confidence.
    pub(crate) fn closeness(&self) -> (Vec<f64>, f64) {
        let n = self.nearness.len() / self.sources.len();
        let of_vertex = |v: usize| {
            let others = || {
                let all = self.row(v).iter().zip(&self.sources);
                all.filter(move |(_, source)| **source as usize != v).map(|(near, _)| *near)
            };
            let count = others().count() as f64;
            let mean = others().sum::<f64>() / count;
            let variance = others().map(|near| (near - mean).powi(2)).sum::<f64>() / (count - 1.0);
            // Sampling without replacement.
            let rest = 1.0 - count / (n as f64 - 1.0);
            let error = if mean > 0.0 { CONFIDENT * (variance / count * rest).sqrt() / mean } else { 0.0 };
            (((n as f64 - 1.0) * mean).log2(), error)
        };
        let all: Vec<(f64, f64)> = parallel::map(n, 16, &of_vertex);
        let error = all.iter().map(|c| c.1).fold(0.0, f64::max);
        (all.into_iter().map(|c| c.0).collect(), error)
    }

    /// `log2` of the closeness of a newcomer joined to these vertices.
    pub(crate) fn of_newcomer(&self, links: &[(u32, f64)]) -> f64 {
        let Some(nearest) = links.iter().map(|l| l.1).min_by(f64::total_cmp) else {
            return f64::NEG_INFINITY;
        };
        let n = (self.nearness.len() / self.sources.len()) as f64;
        let mut nearness = vec![0.0; self.sources.len()];
        for &(v, length) in links {
            kernel::max_scaled(&mut nearness, (nearest - length).exp2(), self.row(v as usize));
        }
        let mean = nearness.iter().sum::<f64>() / nearness.len() as f64;
        (n * mean).log2() - nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::centrality::{of_newcomer, of_vertices};
    use crate::knn::nearest_of_points;
    use crate::matrix::Matrix;
    use crate::observer::Silent;
    use crate::random::Random;

    #[test]
    fn the_estimate_is_within_its_error_of_the_sum_over_all() {
        let mut r = Random::new(17);
        let points = Matrix::new((0..1200).map(|_| r.normal()).collect(), 600, 2);
        let region = RegionGraph::new(nearest_of_points(&points, 12));
        let exact = of_vertices(&region, &Silent).unwrap();
        let sampled = SampledPaths::new(&region, 150, &Silent).unwrap();
        let (estimates, error) = sampled.closeness();
        assert!(error > 0.0 && error < 0.3, "{error}");
        let off = |(e, x): (&f64, &f64)| ((e - x).exp2() - 1.0).abs();
        let outside = estimates.iter().zip(&exact).map(off).filter(|off| *off > error).count();
        assert!(outside <= 30, "{outside} of 600 are off by more than {error}");
        let links = [(3, 0.2), (40, 0.9)];
        let newcomer = (sampled.of_newcomer(&links) - of_newcomer(&region, &links)).exp2();
        assert!((newcomer - 1.0).abs() < error, "{newcomer}");
        // If every vertex is a source, it is the sum itself.
        let (all, error) = SampledPaths::new(&region, 600, &Silent).unwrap().closeness();
        assert!(error < 1e-7 && all.iter().zip(&exact).all(|(a, e)| (a - e).abs() < 1e-9), "{error}");
    }
}
