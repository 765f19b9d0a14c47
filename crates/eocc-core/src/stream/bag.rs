//! Exact ranks of one measure of a stream, in constant memory.
//!
//! The first values are stored, sorted. After that only the gaps between them are counted: of exchangeable values the next
//! falls into a gap with a probability proportional to its count, where every gap starts with 1 (Pólya's urn). So
//! the smoothed ranks are independent and uniform for as long as the values are exchangeable.

use crate::error::Result;
use crate::file::damaged;

/// The values of one measure so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Bag {
    /// How many values are stored.
    size: usize,
    /// The stored values, ascending.
    values: Vec<f64>,
    /// The gaps between them, once there are enough.
    gaps: Option<Gaps>,
}

impl Bag {
    /// A bag that stores `size` values, at least 1, and starts with these.
    pub fn new(size: usize, first: &[f64]) -> Self {
        let size = size.max(1);
        let mut values = first[first.len().saturating_sub(size)..].to_vec();
        values.sort_unstable_by(f64::total_cmp);
        let gaps = (values.len() == size).then(|| Gaps::new(&vec![1; size + 1]));
        Self { size, values, gaps }
    }

    /// The rank of a value among all before it, in `[0, 1)`: small for a large value. The value is put into the bag. `place` and
    /// `gap` are random numbers in `[0, 1)` that break ties: between equal values, and between values of the same gap.
    pub fn rank(&mut self, value: f64, place: f64, gap: f64) -> f64 {
        let below = self.values.partition_point(|v| *v < value);
        let is_new = self.values.get(below).is_none_or(|v| *v > value);
        let same = if is_new { 0 } else { self.values[below..].partition_point(|v| *v <= value) };
        let Some(gaps) = &mut self.gaps else {
            let above = self.values.len() - below - same;
            let rank = (above as f64 + place * (same + 1) as f64) / (self.values.len() + 1) as f64;
            self.values.insert(below, value);
            if self.values.len() == self.size {
                self.gaps = Some(Gaps::new(&vec![1; self.size + 1]));
            }
            return rank;
        };
        // A value that equals stored values may lie in any of the gaps next to them.
        let at = below + ((gap * (same + 1) as f64) as usize).min(same);
        let (up_to, count, total) = (gaps.up_to(at), gaps.count(at), gaps.total);
        let above = total - up_to;
        gaps.add(at);
        (above as f64 + place * count as f64) / total as f64
    }

    /// Stored values and counts of the gaps, for a file.
    pub(super) fn parts(&self) -> (&[f64], Vec<f64>) {
        let counts = self
            .gaps
            .as_ref()
            .map_or_else(Vec::new, |gaps| (0..gaps.tree.len()).map(|at| gaps.count(at) as f64).collect());
        (&self.values, counts)
    }

    /// Restores a bag from its [`parts`](Self::parts).
    pub(super) fn from_parts(size: usize, values: Vec<f64>, counts: &[f64]) -> Result<Self> {
        let is_count = |c: &f64| *c >= 1.0 && *c < 9e15 && c.fract() < f64::EPSILON;
        let is_full = values.len() == size;
        let sound = size > 0
            && values.len() <= size
            && values.is_sorted()
            && values.iter().all(|v| v.is_finite())
            && counts.iter().all(is_count)
            && counts.len() == if is_full { size + 1 } else { 0 };
        if !sound {
            return Err(damaged("the ranks of the stream are out of range".into()));
        }
        let counts: Vec<u64> = counts.iter().map(|c| *c as u64).collect();
        Ok(Self { size, values, gaps: is_full.then(|| Gaps::new(&counts)) })
    }
}

/// Counts with their sums, in a Fenwick tree.
#[derive(Debug, Clone, PartialEq)]
struct Gaps {
    tree: Vec<u64>,
    total: u64,
}

impl Gaps {
    fn new(counts: &[u64]) -> Self {
        let mut gaps = Self { tree: vec![0; counts.len()], total: 0 };
        for (at, &count) in counts.iter().enumerate() {
            gaps.increase(at, count);
        }
        gaps
    }

    fn increase(&mut self, at: usize, by: u64) {
        self.total += by;
        let mut node = at + 1;
        while node <= self.tree.len() {
            self.tree[node - 1] += by;
            node += node & node.wrapping_neg();
        }
    }

    fn add(&mut self, at: usize) {
        self.increase(at, 1);
    }

    /// The sum of the counts up to and with `at`.
    fn up_to(&self, at: usize) -> u64 {
        let (mut node, mut sum) = (at + 1, 0);
        while node > 0 {
            sum += self.tree[node - 1];
            node &= node - 1;
        }
        sum
    }

    fn count(&self, at: usize) -> u64 {
        // Without the sums below it; on average there is one.
        let (mut node, mut count, first) = (at, self.tree[at], at & (at + 1));
        while node > first {
            count -= self.tree[node - 1];
            node &= node - 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, lot};

    /// The same ranks, computed without a tree and without a sorted list.
    struct Plain {
        size: usize,
        values: Vec<f64>,
        counts: Vec<u64>,
    }

    impl Plain {
        fn rank(&mut self, value: f64, place: f64, gap: f64) -> f64 {
            let above = self.values.iter().filter(|v| **v > value).count();
            let same = self.values.iter().filter(|v| v.to_bits() == value.to_bits()).count();
            if self.values.len() < self.size {
                self.values.push(value);
                self.counts = vec![1; self.size + 1];
                return (above as f64 + place * (same + 1) as f64) / self.values.len() as f64;
            }
            let at = self.values.len() - above - same + (gap * (same + 1) as f64) as usize;
            let more: u64 = self.counts[at + 1..].iter().sum();
            let total: u64 = self.counts.iter().sum();
            let rank = (more as f64 + place * self.counts[at] as f64) / total as f64;
            self.counts[at] += 1;
            rank
        }
    }

    #[test]
    fn ranks_are_those_of_the_plain_twin() {
        let mut random = Random::new(1);
        for levels in [3.0, 1e9] {
            let first: Vec<f64> = (0..20).map(|_| (random.uniform() * levels).floor()).collect();
            let (mut bag, mut plain) =
                (Bag::new(50, &first), Plain { size: 50, values: first, counts: Vec::new() });
            for t in 0..500 {
                let value = (random.uniform() * levels).floor();
                let (place, gap) = (lot(0, t, 0), lot(1, t, 0));
                assert_eq!(
                    bag.rank(value, place, gap).to_bits(),
                    plain.rank(value, place, gap).to_bits(),
                    "{t}"
                );
                let (values, counts) = bag.parts();
                assert_eq!(Bag::from_parts(50, values.to_vec(), &counts).unwrap(), bag);
            }
        }
    }

    /// The fraction of 200 streams whose ranks fail a Kolmogorov–Smirnov test of uniformity at 5 %, and the mean correlation of
    /// successive ranks.
    fn of_streams(draw: impl Fn(&mut Random) -> f64) -> (f64, f64) {
        let (mut uneven, mut correlation) = (0.0, 0.0);
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let first: Vec<f64> = (0..30).map(|_| draw(&mut random)).collect();
            let mut bag = Bag::new(100, &first);
            let mut ranks: Vec<f64> =
                (0..600).map(|t| bag.rank(draw(&mut random), lot(seed, t, 0), lot(seed + 1, t, 0))).collect();
            let product = |pair: &[f64]| 12.0 * (pair[0] - 0.5) * (pair[1] - 0.5);
            correlation += ranks.windows(2).map(product).sum::<f64>() / 599.0 / 200.0;
            ranks.sort_unstable_by(f64::total_cmp);
            let gap = |(i, p): (usize, &f64)| (p - (i as f64 + 0.5) / 600.0).abs() + 0.5 / 600.0;
            let distance = ranks.iter().enumerate().map(gap).fold(0.0, f64::max);
            uneven += f64::from(u8::from(distance * 600_f64.sqrt() > 1.358)) / 200.0;
        }
        (uneven, correlation)
    }

    #[test]
    fn ranks_are_uniform_and_independent_in_both_phases() {
        for (name, (uneven, correlation)) in [
            ("normal", of_streams(Random::normal)),
            ("ties", of_streams(|r| (3.0 * r.uniform()).floor())),
            ("constant", of_streams(|_| 1.0)),
        ] {
            // Three standard deviations: 5 % of 200, and 200 x 599 products.
            assert!(uneven < 0.096, "{name}: {uneven}");
            assert!(correlation.abs() < 3.0 / (200.0 * 599.0_f64).sqrt(), "{name}: {correlation}");
        }
    }

    #[test]
    fn a_shift_is_seen_in_the_ranks() {
        let mut random = Random::new(5);
        let mut bag = Bag::new(100, &[]);
        for t in 0..400 {
            bag.rank(random.normal(), lot(0, t, 0), lot(1, t, 0));
        }
        let shifted = (400..500).map(|t| bag.rank(random.normal() + 1.0, lot(0, t, 0), lot(1, t, 0)));
        assert!(shifted.sum::<f64>() / 100.0 < 0.4);
    }
}
