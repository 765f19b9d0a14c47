//! Differential evolution, `rand/1/bin` (Storn and Price 1997), with the usual factors.

use super::Search;
use crate::random::Random;

const FACTOR: f64 = 0.6;
const CROSSOVER: f64 = 0.9;

pub(super) struct Differential {
    genes: usize,
    size: usize,
    first: Vec<f64>,
    population: Vec<(Vec<f64>, f64)>,
}

impl Differential {
    pub(super) fn new(first: Vec<f64>) -> Self {
        Self { genes: first.len(), size: (4 * first.len()).clamp(12, 40), first, population: Vec::new() }
    }
}

impl Search for Differential {
    fn ask(&mut self, random: &mut Random) -> Vec<Vec<f64>> {
        if self.population.is_empty() {
            let mut candidates = vec![self.first.clone()];
            candidates.extend((1..self.size).map(|_| (0..self.genes).map(|_| random.uniform()).collect()));
            return candidates;
        }
        (0..self.size)
            .map(|i| {
                let mut pick = || &self.population[random.below(self.size)].0;
                let (a, b, c) = (pick(), pick(), pick());
                let forced = random.below(self.genes);
                let own = &self.population[i].0;
                (0..self.genes)
                    .map(|g| {
                        if g == forced || random.uniform() < CROSSOVER {
                            (a[g] + FACTOR * (b[g] - c[g])).clamp(0.0, 1.0)
                        } else {
                            own[g]
                        }
                    })
                    .collect()
            })
            .collect()
    }

    fn tell(&mut self, candidates: &[Vec<f64>], values: &[f64]) {
        let told = candidates.iter().cloned().zip(values.iter().copied());
        if self.population.is_empty() {
            self.population = told.collect();
        } else {
            for (old, new) in self.population.iter_mut().zip(told) {
                if new.1 <= old.1 {
                    *old = new;
                }
            }
        }
    }
}
