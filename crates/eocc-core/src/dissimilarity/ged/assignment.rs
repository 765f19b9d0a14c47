//! The linear sum assignment problem with optional partners.
//!
//! Edit distances need an assignment *with errors*: row `i` is assigned to a column or deleted; a column without a
//! row is inserted. Count each entry as its saving over deleting and inserting: then entries of zero or more are
//! useless, and the problem is a plain rectangular one on `min(c, 0)`, in which a pair of value zero is not a pair.

#![expect(clippy::inline_always, reason = "only what is inlined is compiled for the widest instructions")]

use crate::kernel;

/// Rows or columns without a partner.
const FREE: u32 = u32::MAX;
/// Columns processed together.
const LANES: usize = 8;

/// Solves one problem after another in the same memory: row minima, augmenting row reduction, then shortest
/// augmenting paths (R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
/// assignment problems", Computing 38, 1987). `O(rows^2 columns)`.
#[derive(Debug, Clone, Default)]
pub(super) struct Assignment {
    /// The column of each row.
    column_of: Vec<u32>,
    row_of: Vec<u32>,
    price: Vec<f64>,
    /// Distances of columns not yet scanned, infinite for scanned ones; and the same flag as 0 or infinity.
    distance: Vec<f64>,
    closed: Vec<f64>,
    /// The row before each column on its path.
    before: Vec<u64>,
    /// Columns scanned, with their distances.
    scanned: Vec<(u32, f64)>,
    free: Vec<u32>,
    turned: Vec<f64>,
}

impl Assignment {
    /// The smallest sum of `min(costs, 0)`; `costs` has `rows x columns` entries. The partners are then
    /// [`columns`](Self::columns) if `rows <= columns`, which the methods ensure.
    pub(super) fn solve(&mut self, costs: &[f64], rows: usize, columns: usize) -> f64 {
        if rows <= columns {
            return self.solve_in_lanes(costs, rows, columns);
        }
        let mut turned = std::mem::take(&mut self.turned);
        turned.clear();
        turned.resize(rows * columns, 0.0);
        for (i, row) in costs.chunks_exact(columns.max(1)).enumerate() {
            for (j, &c) in row.iter().enumerate() {
                turned[j * rows + i] = c;
            }
        }
        let sum = self.solve_in_lanes(&turned, columns, rows);
        self.turned = turned;
        sum
    }

    /// The column of each row.
    pub(super) fn columns(&self) -> &[u32] {
        &self.column_of
    }

    fn solve_in_lanes(&mut self, costs: &[f64], rows: usize, columns: usize) -> f64 {
        kernel::dispatch(
            #[inline(always)]
            || self.solve_wide(costs, rows, columns),
        )
    }

    #[inline(always)]
    fn solve_wide(&mut self, costs: &[f64], rows: usize, columns: usize) -> f64 {
        self.column_of.clear();
        self.column_of.resize(rows, FREE);
        self.row_of.clear();
        self.row_of.resize(columns, FREE);
        self.price.clear();
        self.price.resize(columns, 0.0);
        self.free.clear();
        for i in 0..rows {
            let row = &costs[i * columns..(i + 1) * columns];
            let at = smallest_below(row, 0.0).map_or(FREE, |j| j as u32);
            // A row that can save nothing takes whatever is left in the end.
            if at != FREE && self.row_of[at as usize] == FREE {
                self.row_of[at as usize] = i as u32;
                self.column_of[i] = at;
            } else {
                self.free.push(i as u32);
            }
        }
        if !self.free.is_empty() {
            self.distance.clear();
            self.distance.resize(columns, 0.0);
            self.reduce(costs, columns);
            self.closed.clear();
            self.closed.resize(columns, 0.0);
            self.before.clear();
            self.before.resize(columns, 0);
            let mut free = std::mem::take(&mut self.free);
            for &row in &free {
                self.augment(costs, columns, row as usize);
            }
            free.clear();
            self.free = free;
        }
        let mut sum = 0.0;
        for (i, &j) in self.column_of.iter().enumerate() {
            sum += saving(costs[i * columns + j as usize]);
        }
        sum
    }

    /// Gives free rows their best column at the price of the second best, displacing its row; twice.
    #[inline(always)]
    fn reduce(&mut self, costs: &[f64], columns: usize) {
        for _ in 0..2 {
            let mut kept = 0;
            let mut at = 0;
            let mut steps = 0;
            let count = self.free.len();
            while at < count {
                let i = self.free[at] as usize;
                at += 1;
                let row = &costs[i * columns..(i + 1) * columns];
                let values = &mut self.distance[..columns];
                for ((value, &c), &p) in values.iter_mut().zip(row).zip(&self.price) {
                    *value = saving(c) - p;
                }
                let (first, j1) = smallest(values);
                values[j1 as usize] = f64::INFINITY;
                let (second, j2) = smallest(values);
                let j2 = if columns > 1 { j2 } else { FREE };
                steps += 1;
                let mut taken = j1;
                let mut displaced = self.row_of[taken as usize];
                if first < second && j2 != FREE {
                    self.price[taken as usize] -= second - first;
                } else if displaced != FREE && j2 != FREE {
                    taken = j2;
                    displaced = self.row_of[taken as usize];
                }
                self.row_of[taken as usize] = i as u32;
                self.column_of[i] = taken;
                if displaced != FREE {
                    self.column_of[displaced as usize] = FREE;
                    // Chains of displacements may be long if prices hardly change: then leave the rest to the paths.
                    if first < second && steps < 4 * count {
                        at -= 1;
                        self.free[at] = displaced;
                    } else {
                        self.free[kept] = displaced;
                        kept += 1;
                    }
                }
            }
            self.free.truncate(kept);
            if kept == 0 {
                return;
            }
        }
    }

    /// Finds the shortest path from a free row to a free column, and flips it.
    #[inline(always)]
    fn augment(&mut self, costs: &[f64], columns: usize, free: usize) {
        let (distance, before) = (&mut self.distance[..columns], &mut self.before[..columns]);
        let (price, closed) = (&mut self.price[..columns], &mut self.closed[..columns]);
        let row = &costs[free * columns..(free + 1) * columns];
        for ((d, &c), &p) in distance.iter_mut().zip(row).zip(&*price) {
            *d = saving(c) - p;
        }
        before.fill(free as u64);
        closed.fill(0.0);
        self.scanned.clear();
        let (end, nearest) = loop {
            let (nearest, first) = smallest(distance);
            // Prefer a column without a row among equal ones.
            let mut j = first as usize;
            if self.row_of[j] != FREE {
                for (k, &d) in distance.iter().enumerate().skip(j + 1) {
                    if d <= nearest && self.row_of[k] == FREE {
                        j = k;
                        break;
                    }
                }
            }
            let i = self.row_of[j];
            if i == FREE {
                break (j, nearest);
            }
            self.scanned.push((j as u32, nearest));
            (distance[j], closed[j]) = (f64::INFINITY, f64::INFINITY);
            let row = &costs[i as usize * columns..(i as usize + 1) * columns];
            let base = nearest - (saving(row[j]) - price[j]);
            for k in 0..columns {
                // Infinite for finished columns, so that rounding cannot reopen them.
                let d = base + saving(row[k]) - price[k] + closed[k];
                let is_nearer = d < distance[k];
                distance[k] = if is_nearer { d } else { distance[k] };
                before[k] = if is_nearer { u64::from(i) } else { before[k] };
            }
        };
        for &(k, d) in &self.scanned {
            price[k as usize] += d - nearest;
        }
        let mut j = end as u32;
        loop {
            let i = before[j as usize] as usize;
            self.row_of[j as usize] = i as u32;
            let next = std::mem::replace(&mut self.column_of[i], j);
            if i == free {
                return;
            }
            j = next;
        }
    }
}

/// The smallest value and its first index.
#[inline(always)]
fn smallest(values: &[f64]) -> (f64, u32) {
    let at = smallest_below(values, f64::INFINITY).unwrap_or(0);
    (values[at], at as u32)
}

/// The index of the smallest value below `limit`; ties go to the first.
#[inline(always)]
pub(super) fn smallest_below(values: &[f64], limit: f64) -> Option<usize> {
    let mut lanes = [limit; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = if value < *lane { value } else { *lane };
        }
    }
    let mut smallest = limit;
    for &value in lanes.iter().chain(rest) {
        smallest = if value < smallest { value } else { smallest };
    }
    if smallest < limit { values.iter().position(|v| *v <= smallest) } else { None }
}

/// The value of an entry: 0 if it saves nothing.
#[inline(always)]
fn saving(cost: f64) -> f64 {
    // Unlike `f64::min`, one instruction.
    if cost < 0.0 { cost } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The smallest sum over all assignments, by trying them.
    fn brute(costs: &[f64], columns: usize, row: usize, used: &mut Vec<bool>) -> f64 {
        if (row + 1) * columns > costs.len() {
            return 0.0;
        }
        let mut best = brute(costs, columns, row + 1, used);
        for j in 0..columns {
            if !used[j] {
                used[j] = true;
                best = best.min(costs[row * columns + j] + brute(costs, columns, row + 1, used));
                used[j] = false;
            }
        }
        best
    }

    #[test]
    fn the_smallest_is_the_first_of_equals() {
        let values = [3.0, 1.0, 2.0, 1.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0];
        assert_eq!(smallest_below(&values, 4.0), Some(1));
        assert_eq!(smallest_below(&values, 1.0), None);
        assert_eq!(smallest_below(&values[8..], 4.0), Some(1));
    }

    #[test]
    fn as_good_as_trying_all_ways() {
        let mut random = Random::new(11);
        let mut solver = Assignment::default();
        for round in 0..2000 {
            let (rows, columns) = (random.below(6), 1 + random.below(6));
            // Often with ties, and with entries that save nothing.
            let costs: Vec<f64> = (0..rows * columns)
                .map(|_| if round % 2 == 0 { random.below(5) as f64 - 3.0 } else { random.range(-2.0, 1.0) })
                .collect();
            let found = solver.solve(&costs, rows, columns);
            let best = brute(&costs, columns, 0, &mut vec![false; columns]);
            assert!((found - best).abs() < 1e-9, "{costs:?}: {found} {best}");
            if rows <= columns {
                let mut partners = solver.columns().to_vec();
                partners.sort_unstable();
                partners.dedup();
                assert_eq!(partners.len(), rows);
            }
        }
    }
}
