//! Local search over vertex maps by the best of all changes of two vertices.
//!
//! The neighbourhood is that of REFINE (Z. Zeng et al., "Comparing stars: on approximating graph edit distance", VLDB
//! 2009, in the form of N. Boria et al., "Improved local search for graph edit distance", Pattern Recognition Letters 129,
//! 2020): two vertices exchange their partners, or one takes a partner that is free, or gives its own up. One change is
//! added: a vertex takes over the partner of another, which is deleted.
//!
//! What makes it fast is the table `D(u, v)`: what `u` would save if it were mapped to `v` and everything else stayed. It
//! gives the effect of any change of two vertices in constant time, and a change touches only the entries of neighbours.

use super::pair::{Pair, UNMAPPED};

/// Changes that save less are rounding.
const LEAST: f64 = 1e-9;

/// A vertex map with its table.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    pub(super) map: Vec<u32>,
    owner: Vec<u32>,
    table: Vec<f64>,
}

/// What to do with vertex `u`.
#[derive(Clone, Copy)]
enum Change {
    /// Takes the column; its owner, if any, takes what `u` had.
    Swap(usize),
    /// Takes the column; its owner is left without.
    Oust(usize),
    /// Gives its partner up.
    Leave,
}

impl Search {
    /// Starts from `map`.
    pub(super) fn start(&mut self, pair: &Pair<'_>, map: &[u32]) {
        self.map.clear();
        self.map.resize(map.len(), UNMAPPED);
        self.owner.clear();
        self.owner.resize(pair.h.vertices, UNMAPPED);
        self.table.clear();
        self.table.extend_from_slice(&pair.t.vertex);
        for (u, &v) in map.iter().enumerate() {
            if v != UNMAPPED {
                self.place(pair, u, v);
            }
        }
    }

    /// Improves the map until no change does.
    pub(super) fn descend(&mut self, pair: &Pair<'_>) {
        // Each change lowers the cost, so this ends; rounding is kept from going round in circles.
        while let Some((u, change)) = self.best(pair) {
            self.apply(pair, u, change);
        }
    }

    fn best(&self, pair: &Pair<'_>) -> Option<(usize, Change)> {
        let (n, m) = (pair.g.vertices, pair.h.vertices);
        let mut best = (-LEAST, None);
        let width = pair.h.no_edge() + 1;
        let (first, second, edge) = (&pair.t.first[..], &pair.t.second[..], &pair.t.edge[..]);
        for u in 0..n {
            let row = &self.table[u * m..(u + 1) * m];
            let v = self.map[u] as usize;
            let own = if v < m { row[v] } else { 0.0 };
            if -own < best.0 {
                best = (-own, Some((u, Change::Leave)));
            }
            for (column, (&to, &other)) in row.iter().zip(&self.owner).enumerate() {
                let gain = to - own;
                if other == UNMAPPED {
                    if gain < best.0 {
                        best = (gain, Some((u, Change::Swap(column))));
                    }
                    continue;
                }
                let other = other as usize;
                if other == u {
                    continue;
                }
                let theirs = &self.table[other * m..(other + 1) * m];
                let class = first[u * n + other] as usize * width;
                let gain = gain - theirs[column];
                if v < m {
                    // The edge between the two, if any, is counted twice before and not at all after.
                    let before = edge[class + second[v * m + column] as usize];
                    if gain + before < best.0 {
                        best = (gain + before, Some((u, Change::Oust(column))));
                    }
                    if other > u {
                        let after = edge[class + second[column * m + v] as usize];
                        let gain = gain + theirs[v] + before + after;
                        if gain < best.0 {
                            best = (gain, Some((u, Change::Swap(column))));
                        }
                    }
                } else if gain < best.0 {
                    best = (gain, Some((u, Change::Oust(column))));
                }
            }
        }
        best.1
    }

    fn apply(&mut self, pair: &Pair<'_>, u: usize, change: Change) {
        let had = self.map[u];
        if had != UNMAPPED {
            self.remove(pair, u);
        }
        let (Change::Swap(column) | Change::Oust(column)) = change else { return };
        let other = self.owner[column];
        if other != UNMAPPED {
            self.remove(pair, other as usize);
        }
        self.place(pair, u, column as u32);
        if other != UNMAPPED && had != UNMAPPED && matches!(change, Change::Swap(_)) {
            self.place(pair, other as usize, had);
        }
    }

    fn place(&mut self, pair: &Pair<'_>, u: usize, v: u32) {
        self.map[u] = v;
        self.owner[v as usize] = u as u32;
        self.shift(pair, u, v as usize, 1.0);
    }

    fn remove(&mut self, pair: &Pair<'_>, u: usize) {
        let v = std::mem::replace(&mut self.map[u], UNMAPPED);
        self.owner[v as usize] = UNMAPPED;
        self.shift(pair, u, v as usize, -1.0);
    }

    /// Adds or takes away what the neighbours of `u` save if they are mapped to neighbours of `v`.
    fn shift(&mut self, pair: &Pair<'_>, u: usize, v: usize, sign: f64) {
        add_around(pair, u, v, sign, &mut self.table);
    }
}

/// Adds `sign` times what each neighbour of `u` would save on each neighbour of `v`, were `u` mapped to `v`.
pub(super) fn add_around(pair: &Pair<'_>, u: usize, v: usize, sign: f64, table: &mut [f64]) {
    let (n, m) = (pair.g.vertices, pair.h.vertices);
    for (w, _) in pair.g.around(u) {
        // Classes are seen from the neighbour, which matters where edges have a direction.
        let class = pair.t.first[w * n + u];
        let row = &mut table[w * m..(w + 1) * m];
        for (z, _) in pair.h.around(v) {
            row[z] += sign * pair.saved(class, pair.t.second[z * m + v]);
        }
    }
}
