//! A small generator and the four data sets of the paper's figure `[LA17, fig. 3]`, for tests and pictures.
//!
//! It has its own generator, so that the oracle has no dependencies. That is good enough to scatter points, and no
//! better.

use std::f64::consts::{PI, TAU};

/// A 64-bit linear congruential generator (Knuth's MMIX constants), the upper 53 bits used.
#[derive(Debug, Clone)]
pub struct Lcg(u64);

impl Lcg {
    /// A generator that always gives the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        let mut lcg = Self(seed);
        // The first states of nearby seeds are nearby too.
        for _ in 0..10 {
            lcg.uniform();
        }
        lcg
    }

    /// The next number, uniform in `[0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The next number, standard normal, by Box and Muller.
    pub fn gaussian(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }

    /// The indices `0..n` in random order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, (self.uniform() * (i + 1) as f64) as usize);
        }
        order
    }
}

/// Round Gaussian clouds of standard deviation `spread`, `each` points about every center, cloud after cloud.
pub fn blobs(centers: &[Vec<f64>], each: usize, spread: f64, seed: u64) -> Vec<Vec<f64>> {
    let mut lcg = Lcg::new(seed);
    let mut points = Vec::new();
    for center in centers {
        for _ in 0..each {
            points.push(center.iter().map(|c| c + spread * lcg.gaussian()).collect());
        }
    }
    points
}

/// Three well separated Gaussian clouds in the plane.
pub fn three_blobs(each: usize, seed: u64) -> Vec<Vec<f64>> {
    blobs(&[vec![0.0, 0.0], vec![10.0, 0.0], vec![5.0, 9.0]], each, 1.0, seed)
}

/// Points uniform on the unit square.
pub fn uniform_square(n: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut lcg = Lcg::new(seed);
    (0..n).map(|_| vec![lcg.uniform(), lcg.uniform()]).collect()
}

/// A crescent of `each` points bent around a disc of `each` points.
pub fn crescent_and_disc(each: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut lcg = Lcg::new(seed);
    let mut points = Vec::new();
    for _ in 0..each {
        let angle = PI * (0.5 + lcg.uniform());
        let radius = 4.0 + lcg.uniform();
        points.push(vec![radius * angle.cos(), radius * angle.sin()]);
    }
    for _ in 0..each {
        let (angle, radius) = (TAU * lcg.uniform(), 1.5 * lcg.uniform().sqrt());
        points.push(vec![radius * angle.cos(), radius * angle.sin()]);
    }
    points
}

/// Two Gaussian clouds of `each` points in 100 dimensions.
pub fn two_in_hundred_dimensions(each: usize, seed: u64) -> Vec<Vec<f64>> {
    blobs(&[vec![0.0; 100], vec![2.0; 100]], each, 1.0, seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_about_right() {
        let mut lcg = Lcg::new(1);
        let numbers: Vec<f64> = (0..20_000).map(|_| lcg.gaussian()).collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|x| x * x).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }

    #[test]
    fn a_permutation_holds_every_index_once() {
        let mut order = Lcg::new(2).permutation(50);
        assert_ne!(order, (0..50).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn same_seed_same_points() {
        assert_eq!(three_blobs(5, 3), three_blobs(5, 3));
        assert_ne!(three_blobs(5, 3), three_blobs(5, 4));
        assert_eq!(two_in_hundred_dimensions(2, 1)[3].len(), 100);
    }
}
