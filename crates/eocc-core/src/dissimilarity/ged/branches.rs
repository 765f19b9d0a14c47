//! How much mapping the edges around one vertex onto those around another could save: the estimates of BRANCH-FAST and
//! of BIPARTITE, for two branches at a time.

use super::assignment::Assignment;
use super::profile::Price;

/// One branch: the counts of its edge classes, and their prices.
#[derive(Clone, Copy)]
pub(super) struct Branch<'a> {
    pub(super) counts: &'a [(u32, u32)],
    pub(super) price: &'a Price,
}

/// Costs of the edge classes of two sides.
#[derive(Clone, Copy)]
pub(super) struct EdgeCosts<'a> {
    /// `S`, one row for each class of the first side, with `width` entries.
    pub(super) saved: &'a [f64],
    pub(super) width: usize,
    /// For each class of the second side, the equal class of the first, or an unused number.
    pub(super) common: &'a [u32],
    /// Cost of deleting an edge of each class.
    pub(super) first: &'a [f64],
    pub(super) second: &'a [f64],
}

/// Buffers for small assignments.
#[derive(Debug, Clone, Default)]
pub(super) struct Small {
    table: Vec<f64>,
    columns: Vec<usize>,
    solver: Assignment,
}

/// The data of the first of two branches for the estimate of BRANCH-FAST, for each class of the second side.
#[derive(Debug, Clone, Default)]
pub(super) struct FirstBranch {
    /// How many edges of the equal class it has.
    own: Vec<u32>,
    /// The cheapest change of one of its edges of a different class.
    cheapest: Vec<f64>,
}

impl FirstBranch {
    /// Equal to [`EdgeCosts::fast`] bit for bit, in one pass over the second branch; `p` is the price of the first.
    pub(super) fn fast(&self, p: &Price, b: Branch<'_>) -> f64 {
        let q = b.price;
        let mut cost = surplus(p, q);
        let (mut common, mut cheapest) = (0, f64::INFINITY);
        for &(class, count) in b.counts {
            common += self.own[class as usize].min(count) as usize;
            cheapest = cheapest.min(self.cheapest[class as usize]);
        }
        let differing = p.degree.min(q.degree) - common;
        if differing > 0 {
            cost += differing as f64 * cheapest;
        }
        0.5 * (cost - p.erase - q.erase)
    }
}

impl EdgeCosts<'_> {
    /// Prepares a branch of the first side to be compared with many of the second.
    pub(super) fn prepare(&self, a: Branch<'_>, first: &mut FirstBranch) {
        first.own.clear();
        first.cheapest.clear();
        for (y, &common) in self.common.iter().enumerate() {
            let (mut own, mut cheapest) = (0, f64::INFINITY);
            for &(x, count) in a.counts {
                if x == common {
                    own = count;
                } else {
                    let row = self.saved[x as usize * self.width + y];
                    cheapest = f64::min(cheapest, self.first[x as usize] + self.second[y] + row);
                }
            }
            first.own.push(own);
            first.cheapest.push(cheapest);
        }
    }

    /// Half of what the edges could save at best, as estimated by BRANCH-FAST: edges of equal classes for free, all
    /// others at the cheapest price.
    pub(super) fn fast(&self, a: Branch<'_>, b: Branch<'_>) -> f64 {
        let (p, q) = (a.price, b.price);
        let mut cost = surplus(p, q);
        let mut common = 0;
        for &(class, count) in b.counts {
            let class = self.common[class as usize];
            let own = a.counts.iter().find(|c| c.0 == class).map_or(0, |c| c.1);
            common += own.min(count) as usize;
        }
        let differing = p.degree.min(q.degree) - common;
        if differing > 0 {
            let mut cheapest = f64::INFINITY;
            for &(x, _) in a.counts {
                let row = &self.saved[x as usize * self.width..][..self.width];
                for &(y, _) in b.counts {
                    if self.common[y as usize] != x {
                        let full = self.first[x as usize] + self.second[y as usize] + row[y as usize];
                        cheapest = cheapest.min(full);
                    }
                }
            }
            cost += differing as f64 * cheapest;
        }
        0.5 * (cost - p.erase - q.erase)
    }

    /// How much the edges save in an optimal assignment.
    pub(super) fn assigned(&self, a: Branch<'_>, b: Branch<'_>, small: &mut Small) -> f64 {
        if let ([(x, p)], [(y, q)]) = (a.counts, b.counts) {
            return self.saved[*x as usize * self.width + *y as usize].min(0.0) * f64::from(*p.min(q));
        }
        small.columns.clear();
        for &(class, count) in b.counts {
            small.columns.extend(std::iter::repeat_n(class as usize, count as usize));
        }
        small.table.clear();
        for &(class, count) in a.counts {
            let row = &self.saved[class as usize * self.width..][..self.width];
            for _ in 0..count {
                small.table.extend(small.columns.iter().map(|&y| row[y]));
            }
        }
        small.solver.solve(&small.table, a.price.degree, b.price.degree)
    }
}

/// The minimum cost of the extra edges of the larger branch.
fn surplus(p: &Price, q: &Price) -> f64 {
    match p.degree.cmp(&q.degree) {
        std::cmp::Ordering::Less => (q.degree - p.degree) as f64 * q.cheapest,
        std::cmp::Ordering::Greater => (p.degree - q.degree) as f64 * p.cheapest,
        std::cmp::Ordering::Equal => 0.0,
    }
}
