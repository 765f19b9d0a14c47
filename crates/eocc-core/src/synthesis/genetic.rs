//! The genetic algorithm of [LA17, sec. III-D]: tournament selection, blend crossover, Gaussian mutation, elitism.
//!
//! The paper specifies no operators or rates; these are the textbook ones for real-valued genomes (BLX-alpha:
//! Eshelman and Schaffer 1993).

use super::Search;
use crate::random::Random;

const POPULATION: usize = 20;
const ELITE: usize = 2;
const TOURNAMENT: usize = 2;
const BLEND: f64 = 0.5;
const MUTATION_WIDTH: f64 = 0.15;

pub(super) struct Genetic {
    genes: usize,
    first: Vec<f64>,
    population: Vec<(Vec<f64>, f64)>,
}

impl Genetic {
    pub(super) fn new(first: Vec<f64>) -> Self {
        Self { genes: first.len(), first, population: Vec::new() }
    }

    fn parent<'a>(&'a self, random: &mut Random) -> &'a [f64] {
        // The population is sorted: a smaller index is fitter.
        let winner = (0..TOURNAMENT).map(|_| random.below(self.population.len())).min().unwrap_or(0);
        &self.population[winner].0
    }

    fn child(&self, random: &mut Random) -> Vec<f64> {
        let (a, b) = (self.parent(random), self.parent(random));
        let rate = 1.0 / self.genes as f64;
        (0..self.genes)
            .map(|g| {
                let (low, high) = (a[g].min(b[g]), a[g].max(b[g]));
                let wide = BLEND * (high - low);
                let mut gene = random.range(low - wide, high + wide);
                if random.uniform() < rate {
                    gene += MUTATION_WIDTH * random.normal();
                }
                gene.clamp(0.0, 1.0)
            })
            .collect()
    }
}

impl Search for Genetic {
    fn ask(&mut self, random: &mut Random) -> Vec<Vec<f64>> {
        if self.population.is_empty() {
            let mut candidates = vec![self.first.clone()];
            candidates.extend((1..POPULATION).map(|_| (0..self.genes).map(|_| random.uniform()).collect()));
            candidates
        } else {
            (ELITE..POPULATION).map(|_| self.child(random)).collect()
        }
    }

    fn tell(&mut self, candidates: &[Vec<f64>], values: &[f64]) {
        self.population.truncate(ELITE);
        self.population.extend(candidates.iter().cloned().zip(values.iter().copied()));
        // Stable: among equals, the earlier wins.
        self.population.sort_by(|a, b| a.1.total_cmp(&b.1));
    }
}
