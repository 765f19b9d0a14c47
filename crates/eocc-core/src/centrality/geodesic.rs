//! The paper's closeness: `chi(v) = sum over u != v of 2^-d(v, u)`, `d` the shortest path [LA17, eq. 8].

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{RegionGraph, log2_sum};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel;
use crate::observer::{Observer, Progress, Silent};
use crate::parallel;
use crate::paths;

/// Terms below this fraction of a sum are lost in rounding.
const ROUNDING: f64 = 1e-17;

/// `log2` of the closeness of every vertex; and, if it is estimated, its maximum relative error.
pub fn estimate(region: &RegionGraph, observer: &dyn Observer) -> Result<(Vec<f64>, f64)> {
    match region.sampled(observer)? {
        Some(sampled) => Ok(sampled.closeness()),
        None => Ok((of_vertices(region, observer)?, 0.0)),
    }
}

/// `log2` of the closeness of every vertex.
pub fn of_vertices(region: &RegionGraph, observer: &dyn Observer) -> Result<Vec<f64>> {
    let n = region.vertices();
    let done = AtomicUsize::new(0);
    parallel::try_map(n, 1, &|v| {
        if observer.is_cancelled() {
            return Err(Error::from(ErrorKind::Cancelled));
        }
        let distances = paths::from_vertex_within(region.graph(), v, ROUNDING);
        let others = distances.iter().enumerate().filter(|(u, _)| *u != v).map(|(_, d)| *d);
        let chi = log2_sum(others);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(256) {
            observer.progress(&Progress::Stage { name: "closeness", done, total: n });
        }
        Ok(chi)
    })
}

/// `log2` of the closeness of a newcomer joined to these vertices, nearest first, with the graph as it is.
pub fn of_newcomer(region: &RegionGraph, links: &[(u32, f64)]) -> f64 {
    if let Ok(Some(sampled)) = region.sampled(&Silent) {
        return sampled.of_newcomer(links);
    }
    if !region.caches_paths() {
        return log2_sum(paths::from_links(region.graph(), links).into_iter());
    }
    let Some(nearest) = links.iter().map(|l| l.1).min_by(f64::total_cmp) else {
        return f64::NEG_INFINITY;
    };
    // d(x, u) = min over links v of |xv| + d(v, u), all in powers of two, relative to the nearest link so that
    // nothing underflows.
    let mut nearness = vec![0.0; region.vertices()];
    for &(v, length) in links {
        kernel::max_scaled(&mut nearness, (nearest - length).exp2(), region.paths().nearness(v as usize));
    }
    nearness.iter().sum::<f64>().log2() - nearest
}

/// Computes what [`of_newcomer`] needs of the region, once, before scoring many newcomers.
pub fn prepare(region: &RegionGraph, observer: &dyn Observer) -> Result<()> {
    if region.sampled(observer)?.is_some() || !region.caches_paths() {
        return Ok(());
    }
    region.prepare_paths(observer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knn::KnnLists;

    #[test]
    fn a_search_that_stops_leaves_out_less_than_its_share() {
        // Lengths of ten and more: most terms vanish compared with the first.
        let mut r = crate::random::Random::new(3);
        let points = crate::Matrix::new((0..800).map(|_| 40.0 * r.normal()).collect(), 400, 2);
        let region = RegionGraph::new(crate::knn::nearest_of_points(&points, 6));
        let mut reached = 0;
        for v in (0..400).step_by(7) {
            let sum = |distances: &[f64]| {
                let others = distances.iter().enumerate().filter(|(u, _)| *u != v);
                others.map(|(_, d)| (-d).exp2()).sum::<f64>()
            };
            let all = sum(&paths::from_vertex(region.graph(), v));
            for share in [1e-3, 1e-9] {
                let within = paths::from_vertex_within(region.graph(), v, share);
                assert!(sum(&within) <= all && all - sum(&within) <= share * all, "{v} {share}");
                reached += within.iter().filter(|d| d.is_finite()).count();
            }
            let exact = paths::from_vertex_within(region.graph(), v, 0.0);
            assert_eq!(exact, paths::from_vertex(region.graph(), v));
        }
        assert!(reached < 58 * 2 * 200, "{reached} vertices were reached");
    }

    #[test]
    fn a_star_matches_hand_computation() {
        // Center 0, leaves 1..=3 at length 1: chi(0) = 3/2, chi(leaf) = 1/2 + 2/4 = 1.
        let star = RegionGraph::new(KnnLists::new(vec![1, 0, 0, 0], vec![1.0; 4], 1));
        let chi = of_vertices(&star, &Silent).unwrap();
        assert!((chi[0] - 1.5_f64.log2()).abs() < 1e-15);
        assert!(chi[1..].iter().all(|c| c.abs() < 1e-15));
        // A newcomer at length 1 of leaf 1: 1/2 + 1/4 + 2/8 = 1.
        assert!(of_newcomer(&star, &[(1, 1.0)]).abs() < 1e-15);
        // Far away it falls by one per unit, without end.
        assert!((of_newcomer(&star, &[(1, 100_001.0)]) + 100_000.0).abs() < 1e-9);
    }
}
