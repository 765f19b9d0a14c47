//! Integer projected fixed point: Frank and Wolfe's method on the relaxed quadratic problem, from several starts.
//!
//! S. Bougleux et al., "Graph edit distance as a quadratic assignment problem", Pattern Recognition Letters 87, 2017;
//! N. Boria et al., as in `refine.rs`, for several starts. Each round solves a linear assignment for the gradient and
//! takes the best step towards the solution. The quadratic part of the gradient is linear in the point, so it is
//! updated with the step, and only the part of the new assignment is computed: a product over neighbors of mapped
//! pairs. Unlike in both papers, [local search](super::refine) finishes the result of each start.

use super::pair::{Pair, UNMAPPED};
use super::refine::{Search, add_around};
use crate::random::Random;

/// Maximum number of rounds of one start.
const ROUNDS: usize = 100;
/// Maximum work, in steps of an assignment: large graphs have fewer starts of fewer rounds.
const MAX_WORK: usize = 1 << 31;
/// A start has converged if the gradient promises less than this fraction.
const CONVERGED: f64 = 1e-3;
/// Savings that differ by less count as equal.
const SAME: f64 = 1e-9;

/// Buffers of the search.
#[derive(Debug, Clone, Default)]
pub(super) struct Relaxed {
    point: Vec<f64>,
    /// Quadratic part of the gradient at the point, and at the target of the step.
    at_point: Vec<f64>,
    at_goal: Vec<f64>,
    goal: Vec<u32>,
    start: Vec<u32>,
    first: Vec<u32>,
    second: Vec<u32>,
    pub(super) search: Search,
    pub(super) best: Vec<u32>,
    order: Vec<u32>,
    found: Vec<u32>,
    rounds: usize,
}

impl Relaxed {
    /// Local search from the maps of BIPARTITE and of BRANCH-FAST; the better result goes to `best`. Returns the
    /// savings of the BRANCH-FAST solution: no map saves more.
    pub(super) fn refine(&mut self, pair: &mut Pair<'_>) -> f64 {
        pair.fill_bipartite();
        pair.solve();
        pair.read_map(&mut self.first);
        pair.fill_branch_fast();
        let least = pair.solve();
        pair.read_map(&mut self.second);
        self.search.start(pair, &self.first);
        self.search.descend(pair);
        self.best.clone_from(&self.search.map);
        let saved = pair.savings(&self.best);
        if self.first != self.second && saved > least + SAME {
            self.search.start(pair, &self.second);
            self.search.descend(pair);
            self.keep_better(pair, saved);
        }
        least
    }

    /// Takes the map of the search if it saves more than `saved`; returns the current savings.
    fn keep_better(&mut self, pair: &Pair<'_>, saved: f64) -> f64 {
        let found = pair.savings(&self.search.map);
        if found < saved - SAME {
            self.best.clone_from(&self.search.map);
            return found;
        }
        saved
    }

    /// Improves on the map that [`refine`](Self::refine) found, from at most `starts` starts; stops at a cost of `lower`.
    pub(super) fn run(&mut self, pair: &mut Pair<'_>, starts: usize, seed: u64, lower: f64) {
        let least = lower - pair.erase() + SAME;
        let mut saved = pair.savings(&self.best);
        let mut random = Random::new(seed);
        let (n, m) = (pair.g.vertices, pair.h.vertices);
        let work = (n * n * m).max(1);
        self.rounds = (MAX_WORK / work).clamp(1, ROUNDS);
        // Small graphs have few maps to miss.
        let most = (MAX_WORK / 32 / work).max(1);
        for number in 0..starts.min(4 + 2 * n).min(most) {
            if saved <= least {
                return;
            }
            let mut start = std::mem::take(&mut self.start);
            match number {
                0 => start.clone_from(&self.first),
                1 => start.clone_from(&self.second),
                _ => self.random_map(pair, &mut random, &mut start),
            }
            self.descend(pair, &start);
            self.start = start;
            self.search.start(pair, &self.goal);
            self.search.descend(pair);
            saved = self.keep_better(pair, saved);
        }
    }

    /// Maps all of the smaller graph onto random vertices of the larger.
    fn random_map(&mut self, pair: &Pair<'_>, random: &mut Random, map: &mut Vec<u32>) {
        self.order.clear();
        self.order.extend(0..pair.h.vertices as u32);
        random.shuffle(&mut self.order);
        map.clear();
        map.extend_from_slice(&self.order[..pair.g.vertices]);
    }

    /// One start; leaves the best map found in `goal`.
    fn descend(&mut self, pair: &mut Pair<'_>, start: &[u32]) {
        let m = pair.h.vertices;
        let size = pair.t.vertex.len();
        let mut best = std::mem::take(&mut self.found);
        best.clear();
        best.extend_from_slice(start);
        let mut best_saved = pair.savings(start);
        quadratic(pair, start, &mut self.at_point);
        self.point.clear();
        self.point.resize(size, 0.0);
        for (u, &v) in start.iter().enumerate() {
            if v != UNMAPPED {
                self.point[u * m + v as usize] = 1.0;
            }
        }
        let (mut linear, mut square) = parts(pair, start, &self.at_point);
        let mut is_integral = true;
        for _ in 0..self.rounds {
            pair.t.problem.clear();
            let gradient = pair.t.vertex.iter().zip(&self.at_point).map(|(v, q)| v + q);
            pair.t.problem.extend(gradient);
            let least = pair.solve();
            pair.read_map(&mut self.goal);
            quadratic(pair, &self.goal, &mut self.at_goal);
            let (goal_linear, goal_square) = parts(pair, &self.goal, &self.at_goal);
            let goal_saved = goal_linear + 0.5 * goal_square;
            if goal_saved < best_saved - SAME {
                best_saved = goal_saved;
                best.clone_from(&self.goal);
            }
            let mixed = least - goal_linear;
            let slope = least - linear - square;
            let curvature = 0.5 * (goal_square - 2.0 * mixed + square);
            if slope > -CONVERGED * (1.0 + least.abs()) {
                break;
            }
            let step = if curvature > 0.0 { -slope / (2.0 * curvature) } else { 1.0 };
            if step >= 1.0 {
                is_integral = true;
                (linear, square) = (goal_linear, goal_square);
                std::mem::swap(&mut self.at_point, &mut self.at_goal);
                self.point.fill(0.0);
                for (u, &v) in self.goal.iter().enumerate() {
                    if v != UNMAPPED {
                        self.point[u * m + v as usize] = 1.0;
                    }
                }
            } else {
                is_integral = false;
                let stay = 1.0 - step;
                linear = stay * linear + step * goal_linear;
                square = stay * stay * square + 2.0 * step * stay * mixed + step * step * goal_square;
                for (x, q) in self.at_point.iter_mut().zip(&self.at_goal) {
                    *x = stay * *x + step * q;
                }
                for x in &mut self.point {
                    *x *= stay;
                }
                for (u, &v) in self.goal.iter().enumerate() {
                    if v != UNMAPPED {
                        self.point[u * m + v as usize] += step;
                    }
                }
            }
        }
        if !is_integral {
            pair.t.problem.clear();
            pair.t.problem.extend(self.point.iter().map(|x| -x));
            pair.solve();
            pair.read_map(&mut self.goal);
            if pair.savings(&self.goal) < best_saved - SAME {
                best.clone_from(&self.goal);
            }
        }
        self.goal.clone_from(&best);
        self.found = best;
    }
}

/// How much each vertex would save by its edges if the others were mapped this way.
fn quadratic(pair: &Pair<'_>, map: &[u32], out: &mut Vec<f64>) {
    out.clear();
    out.resize(pair.t.vertex.len(), 0.0);
    for (u, &v) in map.iter().enumerate() {
        if v != UNMAPPED {
            add_around(pair, u, v as usize, 1.0, out);
        }
    }
}

/// Savings of a map by vertices, and twice those by edges.
fn parts(pair: &Pair<'_>, map: &[u32], quadratic: &[f64]) -> (f64, f64) {
    let m = pair.h.vertices;
    let mut sums = (0.0, 0.0);
    for (u, &v) in map.iter().enumerate() {
        if v != UNMAPPED {
            sums.0 += pair.t.vertex[u * m + v as usize];
            sums.1 += quadratic[u * m + v as usize];
        }
    }
    sums
}
