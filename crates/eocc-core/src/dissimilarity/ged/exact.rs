//! Branch and bound: the vertices of the smaller graph are mapped one by one. An assignment in which edges among the
//! remaining vertices count half at each end bounds what these can save.
//!
//! After Z. Abu-Aisheh et al., "An exact graph edit distance algorithm for solving pattern recognition problems", ICPRAM
//! 2015, with the bound of BRANCH in place of theirs.

use std::time::Instant;

use super::assignment::Assignment;
use super::pair::{Pair, UNMAPPED};

/// Savings that differ by less count as equal.
const SAME: f64 = 1e-9;

/// When to stop early.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Maximum number of steps: a partial map of small graphs is one step, of large ones several.
    pub steps: u64,
    /// Maximum time per pair, in seconds. The result then depends on the machine.
    pub seconds: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 1_000_000, seconds: None }
    }
}

/// Buffers of the search.
#[derive(Debug, Clone, Default)]
pub(super) struct Exact {
    order: Vec<u32>,
    map: Vec<u32>,
    used: Vec<bool>,
    levels: Vec<Level>,
    problem: Vec<f64>,
    solver: Assignment,
    rows: Vec<u32>,
    columns: Vec<u32>,
    gains: Vec<f64>,
    classes: Vec<u32>,
}

/// The choices at one depth: savings so far, bound, partner; worst first.
#[derive(Debug, Clone, Default)]
struct Level {
    choices: Vec<(f64, f64, u32)>,
}

/// How much of the limits has been used.
struct Clock {
    limits: Limits,
    started: Instant,
    steps: u64,
}

impl Clock {
    fn is_over(&self) -> bool {
        self.steps > self.limits.steps
            || self.limits.seconds.is_some_and(|s| self.started.elapsed().as_secs_f64() > s)
    }
}

impl Exact {
    /// Improves `best` until it is proven optimal or the limits are reached; returns the lower bound of the cost. No
    /// map costs less than `lower`.
    pub(super) fn run(&mut self, pair: &Pair<'_>, best: &mut Vec<u32>, lower: f64, limits: &Limits) -> f64 {
        let n = pair.g.vertices;
        let mut saved = pair.savings(best);
        self.arrange(pair);
        self.map.clear();
        self.map.resize(n, UNMAPPED);
        self.used.clear();
        self.used.resize(pair.h.vertices, false);
        self.levels.resize(n.max(self.levels.len()), Level::default());
        let mut clock = Clock { limits: *limits, started: Instant::now(), steps: 0 };
        if n == 0 {
            return pair.cost(best);
        }
        self.expand(pair, 0, (0.0, lower - pair.erase()), saved, &mut clock);
        let mut depth = 0;
        loop {
            if clock.is_over() {
                // An open choice could be as cheap as its bound.
                let open = self.levels[..=depth].iter().flat_map(|l| &l.choices).map(|c| c.1);
                return pair.erase() + open.fold(saved, f64::min);
            }
            let u = self.order[depth] as usize;
            let before = std::mem::replace(&mut self.map[u], UNMAPPED);
            if before != UNMAPPED {
                self.used[before as usize] = false;
            }
            let Some((so_far, bound, v)) = self.levels[depth].choices.pop() else {
                if depth == 0 {
                    return pair.erase() + saved;
                }
                depth -= 1;
                continue;
            };
            if bound >= saved - SAME {
                // Choices are sorted: the remaining ones are no better.
                self.levels[depth].choices.clear();
                continue;
            }
            self.map[u] = v;
            if v != UNMAPPED {
                self.used[v as usize] = true;
            }
            if depth + 1 == n {
                saved = so_far;
                best.clone_from(&self.map);
                continue;
            }
            depth += 1;
            self.expand(pair, depth, (so_far, bound), saved, &mut clock);
        }
    }

    /// Vertices with many edges to earlier ones come first.
    fn arrange(&mut self, pair: &Pair<'_>) {
        let g = pair.g;
        self.order.clear();
        self.rows.clear();
        self.rows.resize(g.vertices, 0);
        for _ in 0..g.vertices {
            let degree = |v: usize| g.offsets[v + 1] - g.offsets[v];
            let open = (0..g.vertices).filter(|&v| self.rows[v] != u32::MAX);
            let Some(next) = open.max_by_key(|&v| (self.rows[v], degree(v), usize::MAX - v)) else { return };
            self.order.push(next as u32);
            self.rows[next] = u32::MAX;
            for (w, _) in g.around(next) {
                self.rows[w] = self.rows[w].saturating_add(1);
            }
        }
    }

    /// Lists the choices for the vertex at `depth`, with bounds, without those that cannot win. `so_far` is saved
    /// without it, and no completion saves more than `parent`.
    fn expand(
        &mut self,
        pair: &Pair<'_>,
        depth: usize,
        (so_far, parent): (f64, f64),
        saved: f64,
        clock: &mut Clock,
    ) {
        let u = self.order[depth] as usize;
        let m = pair.h.vertices;
        let mut choices = std::mem::take(&mut self.levels[depth].choices);
        choices.clear();
        for v in (0..m).filter(|&v| !self.used[v]) {
            choices.push((so_far + self.gain(pair, u, v), parent, v as u32));
        }
        choices.push((so_far, parent, UNMAPPED));
        // The time for a bound grows at least with the square of the number of open vertices.
        let open = self.order.len() - depth;
        let effort = 1 + (open * m / 64) as u64;
        for choice in &mut choices {
            if clock.is_over() {
                break;
            }
            clock.steps += effort;
            self.map[u] = choice.2;
            if choice.2 != UNMAPPED {
                self.used[choice.2 as usize] = true;
            }
            choice.1 = (choice.0 + self.bound(pair, depth + 1)).max(parent);
            if choice.2 != UNMAPPED {
                self.used[choice.2 as usize] = false;
            }
        }
        self.map[u] = UNMAPPED;
        choices.retain(|c| c.1 < saved - SAME);
        choices.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(b.2.cmp(&a.2)));
        self.levels[depth].choices = choices;
    }

    /// How much mapping `u` to `v` saves, including edges to already mapped vertices.
    fn gain(&self, pair: &Pair<'_>, u: usize, v: usize) -> f64 {
        let m = pair.h.vertices;
        let edges: f64 = (pair.g.around(u))
            .filter(|&(w, _)| self.map[w] != UNMAPPED)
            .map(|(w, class)| pair.saved(class, pair.t.second[v * m + self.map[w] as usize]))
            .sum();
        pair.t.vertex[u * m + v] + edges
    }

    /// The most that the vertices from `depth` on could save.
    fn bound(&mut self, pair: &Pair<'_>, depth: usize) -> f64 {
        let m = pair.h.vertices;
        let mut rows = std::mem::take(&mut self.rows);
        let mut columns = std::mem::take(&mut self.columns);
        rows.clear();
        rows.extend_from_slice(&self.order[depth..]);
        columns.clear();
        columns.extend((0..m as u32).filter(|&v| !self.used[v as usize]));
        // Vertices still to be mapped are marked by their position in the order.
        let open = |this: &Self, w: usize| this.map[w] == UNMAPPED && rows.contains(&(w as u32));
        self.problem.clear();
        for &u in &rows {
            let u = u as usize;
            let mut classes = std::mem::take(&mut self.classes);
            classes.clear();
            classes.extend(pair.g.around(u).filter(|&(w, _)| open(self, w)).map(|e| e.1));
            for &v in &columns {
                let v = v as usize;
                let value = self.gain(pair, u, v) + 0.5 * self.best_edges(pair, &classes, v);
                self.problem.push(value);
            }
            self.classes = classes;
        }
        let sum = self.solver.solve(&self.problem, rows.len(), columns.len());
        self.rows = rows;
        self.columns = columns;
        sum
    }

    /// A bound on what edges of these classes could save on the open edges of `v`: each takes its best, and only the
    /// best `deg(v)` count; and the same from the side of `v`.
    fn best_edges(&mut self, pair: &Pair<'_>, classes: &[u32], v: usize) -> f64 {
        let open = pair.h.around(v).filter(|&(z, _)| !self.used[z]).map(|e| e.1);
        let count = open.clone().count();
        let pick = |gains: &mut Vec<f64>, most: usize| -> f64 {
            gains.sort_unstable_by(f64::total_cmp);
            gains.iter().take(most).sum()
        };
        let mut gains = std::mem::take(&mut self.gains);
        let mut side = |of: &mut dyn Iterator<Item = f64>, most: usize| {
            gains.clear();
            gains.extend(of);
            pick(&mut gains, most)
        };
        let by_own = side(
            &mut classes.iter().map(|&a| open.clone().map(|b| pair.saved(a, b)).fold(0.0, f64::min)),
            count,
        );
        let by_other = side(
            &mut open.clone().map(|b| classes.iter().map(|&a| pair.saved(a, b)).fold(0.0, f64::min)),
            classes.len(),
        );
        self.gains = gains;
        by_own.max(by_other)
    }
}
