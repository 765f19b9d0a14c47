//! Local search over vertex maps that takes the best of all two-vertex changes.
//!
//! The neighborhood is that of REFINE (Z. Zeng et al., "Comparing stars: on approximating graph edit distance", VLDB
//! 2009, in the form of N. Boria et al., "Improved local search for graph edit distance", Pattern Recognition Letters
//! 129, 2020): two vertices exchange their partners, or one takes a free partner, or gives its own up. We add one
//! change: a vertex takes over the partner of another, which is deleted.
//!
//! It is fast because of the table `D(u, v)`: what `u` would save if it were mapped to `v` and everything else
//! stayed. The table gives the effect of any two-vertex change in constant time, and a change touches only the
//! entries of neighbors. Vertices bid with their best change, and the best bid is taken. After a change, only
//! vertices whose entries it touched bid again at once; others when their bid is the best, and all of them before the
//! end.

#![expect(clippy::inline_always, reason = "only what is inlined is compiled for the widest instructions")]

use super::assignment::smallest_below;
use super::pair::{Pair, UNMAPPED};
use crate::kernel;

/// Smaller gains are rounding errors.
const MIN_GAIN: f64 = 1e-9;

/// A vertex map with its table.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    pub(super) map: Vec<u32>,
    owner: Vec<u32>,
    table: Vec<f64>,
    /// The current savings of each vertex of the second graph with its partner; 0 without one.
    kept: Vec<f64>,
    bids: Vec<Bid>,
    /// Buffer for one row.
    values: Vec<f64>,
}

/// The best change of a vertex when it last bid.
#[derive(Debug, Clone, Copy)]
struct Bid {
    /// Negative if there is a change.
    gain: f64,
    change: Change,
    /// How many changes had been made by then.
    at: usize,
}

impl Bid {
    fn new(best: Option<(f64, Change)>, at: usize) -> Self {
        let (gain, change) = best.unwrap_or((0.0, Change::Take(usize::MAX)));
        Self { gain, change, at }
    }
}

/// A change of the image of vertex `u`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    /// Takes the column; its owner, if any, takes what `u` had.
    Swap(usize),
    /// Takes the column; its owner, if any, loses it. For its own column: gives it up.
    Take(usize),
}

impl Search {
    /// Starts from `map`.
    pub(super) fn start(&mut self, pair: &Pair<'_>, map: &[u32]) {
        self.map.clear();
        self.map.resize(map.len(), UNMAPPED);
        self.owner.clear();
        self.owner.resize(pair.h.vertices, UNMAPPED);
        self.kept.clear();
        self.kept.resize(pair.h.vertices, 0.0);
        self.values.resize(pair.h.vertices.max(self.values.len()), 0.0);
        self.table.clear();
        self.table.extend_from_slice(&pair.t.vertex);
        for (u, &v) in map.iter().enumerate() {
            if v != UNMAPPED {
                self.map_vertex(pair, u, v);
            }
        }
    }

    /// Improves the map until no change does.
    pub(super) fn descend(&mut self, pair: &Pair<'_>) {
        kernel::dispatch(
            #[inline(always)]
            || self.descend_in_lanes(pair),
        );
    }

    #[inline(always)]
    fn descend_in_lanes(&mut self, pair: &Pair<'_>) {
        let n = pair.g.vertices;
        let mut bids = std::mem::take(&mut self.bids);
        bids.clear();
        for u in 0..n {
            bids.push(Bid::new(self.best(pair, u), 0));
        }
        let mut changes = 0;
        // Each change lowers the cost, so this ends; the minimum gain prevents rounding from causing cycles.
        loop {
            let (mut gain, mut u) = (0.0, n);
            for (own, bid) in bids.iter().enumerate() {
                if bid.gain < gain {
                    (gain, u) = (bid.gain, own);
                }
            }
            if u == n {
                // No vertex has a change to make, as far as known.
                let mut is_over = true;
                for (own, bid) in bids.iter_mut().enumerate().filter(|(_, bid)| bid.at < changes) {
                    *bid = Bid::new(self.best(pair, own), changes);
                    is_over &= bid.gain >= 0.0;
                }
                if is_over {
                    break;
                }
                continue;
            }
            if bids[u].at < changes {
                bids[u] = Bid::new(self.best(pair, u), changes);
                continue;
            }
            let other = self.apply(pair, u, bids[u].change);
            changes += 1;
            // These see a new table; the others bid again in their turn.
            let touched = [u, other].into_iter().filter(|&x| x < n);
            for x in touched {
                bids[x] = Bid::new(self.best(pair, x), changes);
                for (w, _) in pair.g.around(x) {
                    if bids[w].at < changes {
                        bids[w] = Bid::new(self.best(pair, w), changes);
                    }
                }
            }
        }
        self.bids = bids;
    }

    /// The change of vertex `u` that saves most, and by how much; `None` if nothing saves.
    #[inline(always)]
    fn best(&mut self, pair: &Pair<'_>, u: usize) -> Option<(f64, Change)> {
        let m = pair.h.vertices;
        let row = &self.table[u * m..(u + 1) * m];
        let v = self.map[u] as usize;
        // Without a partner there is nothing to lose, and nothing to exchange.
        let own = if v < m { row[v] } else { 0.0 };
        let limit = own - MIN_GAIN;
        let mut found = (limit, Change::Take(usize::MAX));
        // Taking a column costs its owner what it saves there. For the own column the remainder is zero: giving it
        // up.
        let values = &mut self.values[..m];
        for (value, (to, kept)) in values.iter_mut().zip(row.iter().zip(&self.kept)) {
            *value = to - kept;
        }
        if let Some(at) = smallest_below(values, limit) {
            found = (values[at], Change::Take(at));
        }
        if v < m {
            for (other, &column) in self.map.iter().enumerate() {
                // An exchange with itself comes out as `own`, which is not a gain.
                if let Some(value) = values.get(column as usize) {
                    let value = value + self.table[other * m + v];
                    if value < found.0 {
                        found = (value, Change::Swap(column as usize));
                    }
                }
            }
            // The edge between the two, if any, is counted twice before and never after.
            for (other, class) in pair.g.around(u) {
                let column = self.map[other] as usize;
                if column >= m {
                    continue;
                }
                let taken = values[column] + pair.saved(class, pair.t.second[v * m + column]);
                if taken < found.0 {
                    found = (taken, Change::Take(column));
                }
                let after = pair.saved(class, pair.t.second[column * m + v]);
                let swapped = taken + self.table[other * m + v] + after;
                if swapped < found.0 {
                    found = (swapped, Change::Swap(column));
                }
            }
        }
        (found.1 != Change::Take(usize::MAX)).then_some((found.0 - own, found.1))
    }

    /// Makes the change; returns the other vertex involved, or an invalid number.
    #[inline(always)]
    fn apply(&mut self, pair: &Pair<'_>, u: usize, change: Change) -> usize {
        let had = self.map[u];
        if had != UNMAPPED {
            self.remove(pair, u);
        }
        let (Change::Swap(column) | Change::Take(column)) = change;
        if column == had as usize {
            return UNMAPPED as usize;
        }
        let other = self.owner[column];
        if other != UNMAPPED {
            self.remove(pair, other as usize);
        }
        self.map_vertex(pair, u, column as u32);
        if other != UNMAPPED && had != UNMAPPED && matches!(change, Change::Swap(_)) {
            self.map_vertex(pair, other as usize, had);
        }
        other as usize
    }

    #[inline(always)]
    fn map_vertex(&mut self, pair: &Pair<'_>, u: usize, v: u32) {
        self.map[u] = v;
        self.owner[v as usize] = u as u32;
        self.kept[v as usize] = self.table[u * pair.h.vertices + v as usize];
        self.shift(pair, u, v as usize, 1.0);
    }

    #[inline(always)]
    fn remove(&mut self, pair: &Pair<'_>, u: usize) {
        let v = std::mem::replace(&mut self.map[u], UNMAPPED);
        self.owner[v as usize] = UNMAPPED;
        self.kept[v as usize] = 0.0;
        self.shift(pair, u, v as usize, -1.0);
    }

    /// Adds or subtracts what the neighbors of `u` save if they are mapped to neighbors of `v`.
    #[inline(always)]
    fn shift(&mut self, pair: &Pair<'_>, u: usize, v: usize, sign: f64) {
        add_in_place(pair, u, v, sign, &mut self.table);
        let m = pair.h.vertices;
        for (w, _) in pair.g.around(u) {
            if let Some(kept) = self.kept.get_mut(self.map[w] as usize) {
                *kept = self.table[w * m + self.map[w] as usize];
            }
        }
    }
}

/// Adds `sign` times what each neighbor of `u` would save on each neighbor of `v` if `u` were mapped to `v`.
pub(super) fn add_around(pair: &Pair<'_>, u: usize, v: usize, sign: f64, table: &mut [f64]) {
    add_in_place(pair, u, v, sign, table);
}

#[inline(always)]
fn add_in_place(pair: &Pair<'_>, u: usize, v: usize, sign: f64, table: &mut [f64]) {
    let (n, m) = (pair.g.vertices, pair.h.vertices);
    for (w, _) in pair.g.around(u) {
        // Classes are seen from the neighbor, which matters if edges are directed.
        let class = pair.t.first[w * n + u];
        let row = &mut table[w * m..(w + 1) * m];
        for (z, _) in pair.h.around(v) {
            row[z] += sign * pair.saved(class, pair.t.second[z * m + v]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::costs::Costs;
    use super::super::pair::Tables;
    use super::super::profile::Profile;
    use super::*;
    use crate::graphs::{GraphInput, Graphs, Value};
    use crate::random::Random;

    fn random_graph(random: &mut Random, most: usize) -> GraphInput {
        let mut g = GraphInput::new("g", false);
        let n = 1 + random.below(most);
        for v in 0..n {
            let mut at = || Value::Number(random.range(0.0, 2.0));
            g.vertex(v.to_string(), [("x", at()), ("y", at())]);
        }
        for u in 0..n {
            for v in 0..u {
                if random.uniform() < 0.4 {
                    g.edge(u, v, []);
                }
            }
        }
        g
    }

    /// The best change of a vertex, the slow way: make each, and count what the map then saves.
    fn best_by_trying(pair: &Pair<'_>, map: &[u32], u: usize) -> f64 {
        let before = pair.savings(map);
        let mut best = 0.0_f64;
        for column in 0..pair.h.vertices as u32 {
            for swap in [false, true] {
                let mut changed = map.to_vec();
                changed[u] = column;
                if let Some(other) = map.iter().position(|&v| v == column) {
                    changed[other] = if swap { map[u] } else { UNMAPPED };
                    if other == u {
                        changed[u] = UNMAPPED;
                    }
                }
                best = best.min(pair.savings(&changed) - before);
            }
        }
        best
    }

    #[test]
    fn the_best_change_is_that_of_trying_all() {
        let mut random = Random::new(8);
        for _ in 0..60 {
            let inputs = vec![random_graph(&mut random, 6), random_graph(&mut random, 9)];
            let graphs = Graphs::new(inputs).unwrap();
            let rates = Costs::Letter.rates();
            let profiles: Vec<Profile> = graphs.graphs().iter().map(|g| Profile::new(g, &rates)).collect();
            let (a, b) = (&profiles[0], &profiles[1]);
            let (g, h) = if a.vertices <= b.vertices { (a, b) } else { (b, a) };
            let mut tables = Tables::default();
            let mut pair = Pair::new(g, h, &rates, &mut tables);
            pair.fill_adjacency();
            let mut columns: Vec<u32> = (0..h.vertices as u32).collect();
            random.shuffle(&mut columns);
            let start: Vec<u32> =
                (0..g.vertices).map(|u| if random.below(4) == 0 { UNMAPPED } else { columns[u] }).collect();
            let mut search = Search::default();
            search.start(&pair, &start);
            for _ in 0..3 {
                for u in 0..g.vertices {
                    let expected = best_by_trying(&pair, &search.map, u);
                    let found = search.best(&pair, u);
                    let gain = found.map_or(0.0, |f| f.0);
                    assert!((gain - expected).abs() < 1e-8, "{gain} {expected}");
                    if let Some((gain, change)) = found {
                        let before = pair.savings(&search.map);
                        search.apply(&pair, u, change);
                        assert!((pair.savings(&search.map) - before - gain).abs() < 1e-8);
                    }
                }
            }
            search.start(&pair, &start);
            search.descend(&pair);
            for u in 0..g.vertices {
                assert!(best_by_trying(&pair, &search.map, u) > -1e-8, "a change was left");
            }
        }
    }
}
