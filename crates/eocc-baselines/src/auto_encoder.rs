//! Auto-encoder: a network with one hidden layer that learns to reproduce its input.

use std::collections::VecDeque;

use eocc_core::random::Random;
use eocc_core::{Matrix, Result};

use crate::classifier::{Learner, Rule, TrainingTable};
use crate::linear_algebra::dot;

/// The squared error of a network that should reproduce its input, `score = -|x - net(x)|^2`: `autoenc_dd` of
/// `dd_tools`.
///
/// Hidden units are hyperbolic tangents, outputs are linear. Training minimizes the mean squared error in the units
/// of the data, as in the reference; inputs are mapped to [-1, 1] first, which a first layer could learn but need
/// not. The optimizer is L-BFGS over all samples from seeded random weights (in the reference: Levenberg–Marquardt).
#[derive(Debug, Clone, Copy)]
pub struct AutoEncoder {
    /// Number of hidden units; 5, as in `autoenc_dd`.
    pub hidden: usize,
    /// Iterations of the optimizer.
    pub iterations: usize,
}

impl Default for AutoEncoder {
    fn default() -> Self {
        Self { hidden: 5, iterations: 200 }
    }
}

impl Learner for AutoEncoder {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let scaled = Scaled::from_rows(training.table);
        let shape = Shape { inputs: training.table.columns(), hidden: self.hidden };
        let mut rows = training.table.clone();
        for i in 0..rows.rows() {
            scaled.apply(rows.row_mut(i));
        }
        // Errors are in the units of the data; the common factor only affects the size of the first step.
        let common = dot(&scaled.half, &scaled.half) / scaled.half.len() as f64;
        let importance: Vec<f64> = scaled.half.iter().map(|h| h * h / common).collect();
        let start = shape.start(&mut Random::stream(training.seed, 5));
        let weights = minimize(start, self.iterations, |w, g| shape.loss(w, &rows, &importance, g));
        Ok(Box::new(move |x: &[f64]| {
            let mut u = x.to_vec();
            scaled.apply(&mut u);
            let output = shape.output(&weights, &u, &mut vec![0.0; shape.hidden]);
            -output.iter().zip(&u).zip(&scaled.half).map(|((o, u), h)| ((o - u) * h).powi(2)).sum::<f64>()
        }))
    }
}

/// The map of each feature to [-1, 1].
struct Scaled {
    middle: Vec<f64>,
    half: Vec<f64>,
}

impl Scaled {
    fn from_rows(rows: &Matrix) -> Self {
        let column = |f: usize| (0..rows.rows()).map(move |i| rows.row(i)[f]);
        let low = |f: usize| column(f).fold(f64::INFINITY, f64::min);
        let high = |f: usize| column(f).fold(f64::NEG_INFINITY, f64::max);
        let middle = (0..rows.columns()).map(|f| 0.5 * (low(f) + high(f))).collect();
        let positive = |h: f64| if h > 0.0 { h } else { 1.0 };
        Self { middle, half: (0..rows.columns()).map(|f| positive(0.5 * (high(f) - low(f)))).collect() }
    }

    fn apply(&self, row: &mut [f64]) {
        for ((v, m), h) in row.iter_mut().zip(&self.middle).zip(&self.half) {
            *v = (*v - m) / h;
        }
    }
}

/// The layout of all weights in one vector: hidden units (bias first), then outputs (bias first).
#[derive(Debug, Clone, Copy)]
struct Shape {
    inputs: usize,
    hidden: usize,
}

impl Shape {
    fn start(self, random: &mut Random) -> Vec<f64> {
        let mut layer = |units: usize, inputs: usize| -> Vec<f64> {
            let bound = (1.0 / inputs as f64).sqrt();
            (0..units * (inputs + 1)).map(|_| random.range(-bound, bound)).collect()
        };
        let first = layer(self.hidden, self.inputs);
        [first, layer(self.inputs, self.hidden)].concat()
    }

    fn split(self, weights: &[f64]) -> (&[f64], &[f64]) {
        weights.split_at(self.hidden * (self.inputs + 1))
    }

    fn output(self, weights: &[f64], u: &[f64], hidden: &mut [f64]) -> Vec<f64> {
        let (first, second) = self.split(weights);
        for (h, w) in hidden.iter_mut().zip(first.chunks_exact(self.inputs + 1)) {
            *h = (w[0] + dot(&w[1..], u)).tanh();
        }
        second.chunks_exact(self.hidden + 1).map(|w| w[0] + dot(&w[1..], hidden)).collect()
    }

    /// The mean squared error, and its gradient by back-propagation.
    fn loss(self, weights: &[f64], rows: &Matrix, importance: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let (_, second) = self.split(weights);
        let (g_first, g_second) = gradient.split_at_mut(self.hidden * (self.inputs + 1));
        let share = 1.0 / rows.rows() as f64;
        let (mut hidden, mut back) = (vec![0.0; self.hidden], vec![0.0; self.hidden]);
        let mut loss = 0.0;
        for i in 0..rows.rows() {
            let u = rows.row(i);
            let output = self.output(weights, u, &mut hidden);
            back.fill(0.0);
            let units = second.chunks_exact(self.hidden + 1).zip(g_second.chunks_exact_mut(self.hidden + 1));
            for ((w, g), f) in units.zip(0..) {
                let error = output[f] - u[f];
                loss += share * importance[f] * error * error;
                let delta = 2.0 * share * importance[f] * error;
                g[0] += delta;
                for h in 0..self.hidden {
                    g[1 + h] += delta * hidden[h];
                    back[h] += delta * w[1 + h];
                }
            }
            for (h, g) in g_first.chunks_exact_mut(self.inputs + 1).enumerate() {
                let delta = back[h] * (1.0 - hidden[h] * hidden[h]);
                g[0] += delta;
                for (g, u) in g[1..].iter_mut().zip(u) {
                    *g += delta * u;
                }
            }
        }
        loss
    }
}

/// Number of steps in the optimizer's memory.
const MEMORY: usize = 10;

/// L-BFGS with a backtracking line search (J. Nocedal, S. Wright, "Numerical Optimization", 2006, alg. 7.4, 7.5).
fn minimize(mut x: Vec<f64>, iterations: usize, mut f: impl FnMut(&[f64], &mut [f64]) -> f64) -> Vec<f64> {
    let n = x.len();
    let mut gradient = vec![0.0; n];
    let mut value = f(&x, &mut gradient);
    let mut steps: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
    let (mut next, mut next_gradient) = (vec![0.0; n], vec![0.0; n]);
    for _ in 0..iterations {
        let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut along = Vec::with_capacity(steps.len());
        for (s, y, rho) in steps.iter().rev() {
            let a = rho * dot(s, &direction);
            direction.iter_mut().zip(y).for_each(|(d, y)| *d -= a * y);
            along.push(a);
        }
        let scale = match steps.back() {
            Some((_, y, rho)) => 1.0 / (rho * dot(y, y)),
            None => 1.0 / dot(&gradient, &gradient).sqrt().max(1e-12),
        };
        for d in &mut direction {
            *d *= scale;
        }
        for ((s, y, rho), a) in steps.iter().zip(along.into_iter().rev()) {
            let b = rho * dot(y, &direction);
            direction.iter_mut().zip(s).for_each(|(d, s)| *d += (a - b) * s);
        }
        let slope = dot(&direction, &gradient);
        let mut length = 1.0;
        let reached = loop {
            next.iter_mut().zip(&x).zip(&direction).for_each(|((o, x), d)| *o = x + length * d);
            let reached = f(&next, &mut next_gradient);
            if reached <= value + 1e-4 * length * slope {
                break reached;
            }
            length *= 0.5;
            if length < 1e-12 {
                return x;
            }
        };
        let s: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        let y: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        let curvature = dot(&s, &y);
        if curvature > 1e-12 * dot(&y, &y) {
            if steps.len() == MEMORY {
                steps.pop_front();
            }
            steps.push_back((s, y, 1.0 / curvature));
        }
        let gained = value - reached;
        value = reached;
        std::mem::swap(&mut x, &mut next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        if gained <= 1e-12 * value {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_propagation_is_the_derivative() {
        let shape = Shape { inputs: 3, hidden: 2 };
        let rows = Matrix::new(vec![0.1, -0.4, 0.9, 0.3, 0.2, -0.7], 2, 3);
        let importance = [1.0, 2.0, 0.5];
        let weights = shape.start(&mut Random::new(1));
        let (mut gradient, mut none) = (vec![0.0; weights.len()], vec![0.0; weights.len()]);
        shape.loss(&weights, &rows, &importance, &mut gradient);
        for i in 0..weights.len() {
            let mut at = |change: f64| {
                let mut moved = weights.clone();
                moved[i] += change;
                shape.loss(&moved, &rows, &importance, &mut none)
            };
            let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((slope - gradient[i]).abs() < 1e-8, "{i}: {slope} {}", gradient[i]);
        }
    }

    #[test]
    fn the_optimiser_finds_the_bottom_of_a_valley() {
        // Rosenbrock's function; its minimum is at (1, 1).
        let found = minimize(vec![-1.2, 1.0], 200, |x, g| {
            g[0] = -400.0 * x[0] * (x[1] - x[0] * x[0]) - 2.0 * (1.0 - x[0]);
            g[1] = 200.0 * (x[1] - x[0] * x[0]);
            100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2)
        });
        assert!((found[0] - 1.0).abs() < 1e-5 && (found[1] - 1.0).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn a_line_is_repeated_and_what_is_off_it_is_not() {
        let rows: Vec<f64> = (0..60).flat_map(|i| [f64::from(i), 2.0 * f64::from(i)]).collect();
        let table = Matrix::new(rows, 60, 2);
        let one = AutoEncoder { hidden: 1, iterations: 500 };
        let rule = one.learn(&TrainingTable { table: &table, features: 2, seed: 0 }).unwrap();
        assert!(rule.score(&[30.0, 60.0]) > -1.0);
        // The nearest point of the line is (42, 84), 40 away from (6, 102).
        assert!(rule.score(&[6.0, 102.0]) < -1000.0);
    }
}
