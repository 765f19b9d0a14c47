//! Forecasts of the dissimilarities of a sample to all others from those to the landmarks.
//!
//! The dissimilarities of a sample to the landmarks are its point. Points vary in far fewer directions than there are
//! landmarks: projecting onto the directions in which the landmarks vary most gives the sample's coordinates. The
//! dissimilarities of one sample to all others are close to a linear function of their coordinates, whose values at
//! the landmarks are known. Ridge regression gives its slope; the penalty keeps it from following noise. The slope
//! captures families as well as samples that are close to everything, and the measure need not be a metric.

use crate::kernel::dot;
use crate::linear::{cholesky, solve_lower, solve_upper};
use crate::parallel;

/// Landmarks per direction.
const SHARE: usize = 2;
/// But at most this many directions.
const MAX_DIRECTIONS: usize = 256;
/// Power iterations that turn the directions to where points vary most.
const TURNS: usize = 3;
/// The ridge penalty, relative to the mean variance along the directions.
const RIDGE: f64 = 0.01;
/// Minimum fraction of a vector left after orthogonalization for it to count as a direction.
const MIN_LEFT: f64 = 1e-9;

/// The maximum number of directions for this many landmarks.
pub(crate) fn most_directions(landmarks: usize) -> usize {
    (landmarks / SHARE).clamp(1, MAX_DIRECTIONS)
}

/// The coordinates learned from the points of the landmarks.
pub(super) struct Forecast {
    /// The mean of the points.
    center: Vec<f64>,
    /// Orthonormal directions, and for each, how much the value at each landmark adds to the slope.
    directions: Vec<Vec<f64>>,
    solution: Vec<Vec<f64>>,
}

impl Forecast {
    /// From the points of the landmarks, each with as many numbers as there are landmarks.
    pub(super) fn new(points: &[&[f64]]) -> Self {
        let count = points.len();
        let column = |f: usize| points.iter().map(move |p| p[f]);
        let center: Vec<f64> = (0..count).map(|f| column(f).map(|v| v / count as f64).sum()).collect();
        // Scaled to at most one, so that nothing overflows.
        let largest = points.iter().flat_map(|p| p.iter()).copied().fold(0.0, f64::max);
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let centered: Vec<Vec<f64>> =
            (0..count).map(|f| column(f).map(|v| v / unit - center[f] / unit).collect()).collect();
        let products: Vec<Vec<f64>> =
            parallel::map(count, 4, &|i| centered.iter().map(|b| dot(&centered[i], b)).collect());
        // The points of some evenly spaced landmarks, then turned.
        let wanted = most_directions(count);
        let start = (0..wanted).map(|d| d * count / wanted);
        let mut directions: Vec<Vec<f64>> =
            start.map(|l| centered.iter().map(|column| column[l]).collect()).collect();
        for _ in 0..TURNS {
            let turned = |d: usize| products.iter().map(|row| dot(row, &directions[d])).collect();
            directions = orthonormal(parallel::map(directions.len(), 1, &turned));
        }
        if directions.is_empty() {
            // All points are equal.
            directions.push(vec![0.0; count]);
        }
        let solution = solve(&centered, &directions);
        Self { center, directions, solution }
    }

    /// How many coordinates there are.
    pub(super) fn width(&self) -> usize {
        self.directions.len()
    }

    /// The coordinates of a sample, from its point.
    pub(super) fn project(&self, point: &[f64], out: &mut [f64]) {
        let centered: Vec<f64> = point.iter().zip(&self.center).map(|(v, c)| v - c).collect();
        for (out, direction) in out.iter_mut().zip(&self.directions) {
            *out = dot(direction, &centered);
        }
    }

    /// How the dissimilarities of a sample grow with the coordinates of the others, from its point.
    pub(super) fn slope(&self, point: &[f64]) -> Vec<f64> {
        let mean: f64 = point.iter().map(|v| v / point.len() as f64).sum();
        let centered: Vec<f64> = point.iter().map(|v| v - mean).collect();
        self.solution.iter().map(|row| dot(row, &centered)).collect()
    }
}

/// Orthonormal vectors that span these, in their order; those that add nothing are dropped.
fn orthonormal(vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut found: Vec<Vec<f64>> = Vec::with_capacity(vectors.len());
    for mut vector in vectors {
        let length = dot(&vector, &vector).sqrt();
        // Twice: rounding leaves a remainder the first time.
        for other in found.iter().chain(&found) {
            let along = dot(&vector, other);
            for (v, o) in vector.iter_mut().zip(other) {
                *v -= along * o;
            }
        }
        let left = dot(&vector, &vector).sqrt();
        if left > MIN_LEFT * length && left > f64::MIN_POSITIVE {
            for v in &mut vector {
                *v /= left;
            }
            found.push(vector);
        }
    }
    found
}

/// For each direction, how much the value at each landmark adds to the slope along it: `(Z'Z + ridge)^-1 Z'`, where
/// the rows of `Z` are the coordinates of the landmarks, whose points are given by `columns`.
fn solve(columns: &[Vec<f64>], directions: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (count, width) = (columns.len(), directions.len());
    let place = |landmark: usize| {
        let point: Vec<f64> = columns.iter().map(|column| column[landmark]).collect();
        directions.iter().map(|d| dot(d, &point)).collect::<Vec<f64>>()
    };
    let places: Vec<Vec<f64>> = parallel::map(count, 4, &place);
    let along: Vec<Vec<f64>> = (0..width).map(|d| places.iter().map(|p| p[d]).collect()).collect();
    let variance = along.iter().map(|z| dot(z, z)).sum::<f64>() / width as f64;
    let row = |i: usize| {
        let along = &along;
        (0..=i).map(move |j| dot(&along[i], &along[j]) + if i == j { RIDGE * variance } else { 0.0 })
    };
    let lower: Vec<f64> = (0..width).flat_map(row).collect();
    let Some(factor) = cholesky(&lower, width) else {
        // Nothing varies, so there is nothing to forecast.
        return vec![vec![0.0; count]; width];
    };
    let of_landmark = |landmark: usize| {
        let mut place = places[landmark].clone();
        solve_lower(&factor, &mut place);
        solve_upper(&factor, &mut place);
        place
    };
    let solved: Vec<Vec<f64>> = parallel::map(count, 4, &of_landmark);
    (0..width).map(|d| solved.iter().map(|s| s[d]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_linear_dissimilarity_is_forecast() {
        // Samples are two numbers, a and b; the dissimilarity is 3 + a a' + b b'.
        let mut r = Random::new(2);
        let samples: Vec<[f64; 2]> = (0..60).map(|_| [r.uniform(), r.uniform()]).collect();
        let between = |x: &[f64; 2], y: &[f64; 2]| 3.0 + x[0] * y[0] + x[1] * y[1];
        let point = |x: &[f64; 2]| samples[..20].iter().map(|y| between(x, y)).collect::<Vec<f64>>();
        let points: Vec<Vec<f64>> = samples.iter().map(point).collect();
        let forecast = Forecast::new(&points[..20].iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_eq!(forecast.width(), 2);
        let slope = forecast.slope(&points[40]);
        let value = |i: usize| {
            let mut place = vec![0.0; 2];
            forecast.project(&points[i], &mut place);
            dot(&slope, &place)
        };
        let mut order: Vec<usize> = (20..60).collect();
        order.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
        // The penalty affects one direction more than the other: nearly in order.
        let known = |i: usize| between(&samples[40], &samples[i]);
        assert!(order.windows(2).all(|w| known(w[0]) < known(w[1]) + 0.02));
    }

    #[test]
    fn points_that_do_not_differ_or_are_huge_have_places() {
        for value in [0.0, 0.7, 1e-310, 1e150] {
            let points = vec![vec![value; 8]; 8];
            let forecast = Forecast::new(&points.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let mut place = vec![f64::NAN; forecast.width()];
            forecast.project(&[1e150; 8], &mut place);
            assert!(!place.is_empty() && place.iter().all(|v| v.is_finite()), "{value}: {place:?}");
            assert!(forecast.slope(&[value; 8]).iter().all(|v| v.is_finite()));
        }
        let some: Vec<Vec<f64>> =
            (0..6).map(|i| (0..6).map(|j| if i == j { 0.0 } else { 1e150 }).collect()).collect();
        let forecast = Forecast::new(&some.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert!(forecast.slope(&some[0]).iter().all(|v| v.is_finite()));
    }
}
