//! The linear sum assignment problem, for rows that may stay without a partner.
//!
//! Edit distances ask for an assignment *with errors*: row `i` goes to a column, or is deleted; a column without row is
//! inserted. With everything counted as what it saves against deleting and inserting, an entry of zero or more is worth
//! nothing, and the problem is a plain rectangular one on `min(c, 0)`; a pair of value zero counts as no pair.

/// Rows or columns without a partner.
const FREE: u32 = u32::MAX;

/// Solves one problem after the other in the same memory: row minima, augmenting row reduction, then shortest augmenting
/// paths (R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
/// problems", Computing 38, 1987). `O(rows^2 columns)`.
#[derive(Debug, Clone, Default)]
pub(super) struct Assignment {
    /// The column of each row.
    column_of: Vec<u32>,
    row_of: Vec<u32>,
    price: Vec<f64>,
    distance: Vec<f64>,
    before: Vec<u32>,
    /// Columns: scanned, to scan, untouched.
    order: Vec<u32>,
    free: Vec<u32>,
    turned: Vec<f64>,
}

impl Assignment {
    /// The smallest sum of `min(costs, 0)`, `costs` having `rows x columns` entries. The partners are then
    /// [`columns`](Self::columns) if `rows <= columns`, which the methods take care of.
    pub(super) fn solve(&mut self, costs: &[f64], rows: usize, columns: usize) -> f64 {
        if rows <= columns {
            return self.solve_wide(costs, rows, columns);
        }
        let mut turned = std::mem::take(&mut self.turned);
        turned.clear();
        turned.resize(rows * columns, 0.0);
        for (i, row) in costs.chunks_exact(columns.max(1)).enumerate() {
            for (j, &c) in row.iter().enumerate() {
                turned[j * rows + i] = c;
            }
        }
        let sum = self.solve_wide(&turned, columns, rows);
        self.turned = turned;
        sum
    }

    /// The column of each row.
    pub(super) fn columns(&self) -> &[u32] {
        &self.column_of
    }

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
            let (mut best, mut at) = (0.0, FREE);
            for (j, &c) in row.iter().enumerate() {
                if c < best {
                    (best, at) = (c, j as u32);
                }
            }
            // A row that can save nothing takes whatever is left in the end.
            if at != FREE && self.row_of[at as usize] == FREE {
                self.row_of[at as usize] = i as u32;
                self.column_of[i] = at;
            } else {
                self.free.push(i as u32);
            }
        }
        if !self.free.is_empty() {
            self.reduce(costs, columns);
            self.distance.clear();
            self.distance.resize(columns, 0.0);
            self.before.clear();
            self.before.resize(columns, FREE);
            let mut free = std::mem::take(&mut self.free);
            for &row in &free {
                self.augment(costs, columns, row as usize);
            }
            free.clear();
            self.free = free;
        }
        let column = |(i, &j): (usize, &u32)| costs[i * columns + j as usize].min(0.0);
        self.column_of.iter().enumerate().map(column).sum()
    }

    /// Gives free rows their best column at the price of the second best, displacing its row; twice.
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
                let (mut first, mut second) = (f64::INFINITY, f64::INFINITY);
                let (mut j1, mut j2) = (FREE, FREE);
                for (j, (&c, &p)) in row.iter().zip(&self.price).enumerate() {
                    let v = c.min(0.0) - p;
                    if v < second {
                        if v < first {
                            (second, j2) = (first, j1);
                            (first, j1) = (v, j as u32);
                        } else {
                            (second, j2) = (v, j as u32);
                        }
                    }
                }
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
                    // Chains of displacements may be long where prices hardly move: then leave the rest to the paths.
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

    /// Finds the shortest path from a free row to a free column, and turns it over.
    fn augment(&mut self, costs: &[f64], columns: usize, free: usize) {
        self.order.clear();
        self.order.extend(0..columns as u32);
        let row = &costs[free * columns..(free + 1) * columns];
        for (j, &c) in row.iter().enumerate() {
            self.distance[j] = c.min(0.0) - self.price[j];
            self.before[j] = free as u32;
        }
        let mut scanned = 0;
        let end = loop {
            // The nearest column not yet scanned; of equals, one without row.
            let (mut nearest, mut at) = (f64::INFINITY, scanned);
            for (o, &j) in self.order.iter().enumerate().skip(scanned) {
                let d = self.distance[j as usize];
                if d < nearest || (d <= nearest && self.row_of[j as usize] == FREE) {
                    (nearest, at) = (d, o);
                }
            }
            let j = self.order[at] as usize;
            let i = self.row_of[j];
            if i == FREE {
                for &k in &self.order[..scanned] {
                    self.price[k as usize] += self.distance[k as usize] - nearest;
                }
                break j;
            }
            self.order.swap(at, scanned);
            scanned += 1;
            let row = &costs[i as usize * columns..(i as usize + 1) * columns];
            let base = nearest - (row[j].min(0.0) - self.price[j]);
            for &k in &self.order[scanned..] {
                let k = k as usize;
                let d = base + row[k].min(0.0) - self.price[k];
                if d < self.distance[k] {
                    self.distance[k] = d;
                    self.before[k] = i;
                }
            }
        };
        let mut j = end as u32;
        loop {
            let i = self.before[j as usize];
            self.row_of[j as usize] = i;
            let next = std::mem::replace(&mut self.column_of[i as usize], j);
            if i as usize == free {
                return;
            }
            j = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The smallest sum over all ways, by trying them.
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
