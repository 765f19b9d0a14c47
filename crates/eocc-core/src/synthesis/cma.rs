//! Separable CMA-ES (Ros and Hansen 2008): an evolution strategy that adapts a step size and one variance for each
//! parameter. The full covariance would need more evaluations than a search here can afford.

use super::Search;
use crate::random::Random;

pub(super) struct Cma {
    mean: Vec<f64>,
    sigma: f64,
    variance: Vec<f64>,
    path_sigma: Vec<f64>,
    path_variance: Vec<f64>,
    /// Number of candidates, and the weights of the better half.
    size: usize,
    weights: Vec<f64>,
    generation: i32,
}

impl Cma {
    pub(super) fn new(first: Vec<f64>) -> Self {
        let q = first.len();
        let size = 4 + (3.0 * (q as f64).ln()).floor() as usize;
        let half = size / 2;
        let raw: Vec<f64> = (0..half).map(|i| (half as f64 + 0.5).ln() - (i as f64 + 1.0).ln()).collect();
        let sum: f64 = raw.iter().sum();
        Self {
            mean: first,
            sigma: 0.3,
            variance: vec![1.0; q],
            path_sigma: vec![0.0; q],
            path_variance: vec![0.0; q],
            size,
            weights: raw.into_iter().map(|w| w / sum).collect(),
            generation: 0,
        }
    }
}

impl Search for Cma {
    fn ask(&mut self, random: &mut Random) -> Vec<Vec<f64>> {
        (0..self.size)
            .map(|_| {
                self.mean
                    .iter()
                    .zip(&self.variance)
                    .map(|(m, v)| (m + self.sigma * v.sqrt() * random.normal()).clamp(0.0, 1.0))
                    .collect()
            })
            .collect()
    }

    fn tell(&mut self, candidates: &[Vec<f64>], values: &[f64]) {
        let n = self.mean.len() as f64;
        let mu_eff = 1.0 / self.weights.iter().map(|w| w * w).sum::<f64>();
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let damping = 1.0 + c_sigma + 2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0);
        let c_path = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n);
        // The separable form may learn (n + 2) / 3 times as fast as the full one.
        let c_one = ((n + 2.0) / 3.0 * 2.0 / ((n + 1.3).powi(2) + mu_eff)).min(0.5);
        let c_mu = ((n + 2.0) / 3.0 * 2.0 * (mu_eff - 2.0 + 1.0 / mu_eff) / ((n + 2.0).powi(2) + mu_eff))
            .min(1.0 - c_one)
            .max(0.0);
        let expected = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
        self.generation += 1;
        // Steps in units of sigma.
        let step = |i: usize, g: usize| (candidates[order[i]][g] - self.mean[g]) / self.sigma;
        let mut norm = 0.0;
        let mut mean_steps = Vec::with_capacity(self.mean.len());
        for g in 0..self.mean.len() {
            let y: f64 = self.weights.iter().enumerate().map(|(i, w)| w * step(i, g)).sum();
            let kept = 1.0 - c_sigma;
            self.path_sigma[g] = kept * self.path_sigma[g]
                + (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt() * y / self.variance[g].sqrt();
            norm += self.path_sigma[g].powi(2);
            mean_steps.push(y);
        }
        let norm = norm.sqrt();
        let decay = (1.0 - (1.0 - c_sigma).powi(2 * self.generation)).sqrt();
        let is_steady = norm / decay < (1.4 + 2.0 / (n + 1.0)) * expected;
        for (g, y) in mean_steps.iter().enumerate() {
            let push = if is_steady { (c_path * (2.0 - c_path) * mu_eff).sqrt() * y } else { 0.0 };
            self.path_variance[g] = (1.0 - c_path) * self.path_variance[g] + push;
            let rank_mu: f64 = self.weights.iter().enumerate().map(|(i, w)| w * step(i, g).powi(2)).sum();
            self.variance[g] = ((1.0 - c_one - c_mu) * self.variance[g]
                + c_one * self.path_variance[g].powi(2)
                + c_mu * rank_mu)
                .clamp(1e-8, 1e4);
        }
        for (m, y) in self.mean.iter_mut().zip(&mean_steps) {
            *m = (*m + self.sigma * y).clamp(0.0, 1.0);
        }
        self.sigma = (self.sigma * (c_sigma / damping * (norm / expected - 1.0)).exp()).clamp(1e-6, 1.0);
    }
}
