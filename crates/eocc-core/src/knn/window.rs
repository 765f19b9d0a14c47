//! Lists of nearest neighbors in a window whose samples come and go, maintained instead of recomputed.
//!
//! A list holds *every* sample up to its reach, so it stays exact when samples are added and removed: a sample nearer
//! than the reach is inserted, one that leaves is removed. Lists are longer than needed; only a list that has become
//! too short is rebuilt.

use super::KnnLists;
use crate::select::nearest;

/// Length of a list when it is built, and its maximum.
const LENGTH: usize = 32;

/// Neighbors of the samples in the slots of a window.
#[derive(Debug, Clone)]
pub(crate) struct WindowLists {
    /// Minimum number of neighbors in a list.
    needed: usize,
    lists: Vec<List>,
    /// The reach of each list, contiguous: most samples are beyond it.
    reaches: Vec<f64>,
}

#[derive(Debug, Clone, Default)]
struct List {
    /// Slots and distances, by distance and then by slot.
    near: Vec<(u32, f64)>,
    /// All samples up to this one are in the list.
    reach: Option<(u32, f64)>,
}

/// Whether neighbor `a` comes before `b`.
fn is_before(a: (u32, f64), b: (u32, f64)) -> bool {
    a.1 < b.1 || (a.1 <= b.1 && a.0 < b.0)
}

impl List {
    /// From the distances to all slots; infinite for trimmed samples.
    fn build(distances: &[f64], length: usize) -> Self {
        let mut near = nearest(distances, length + 1, None);
        near.retain(|n| n.1.is_finite());
        // One more was sought, to learn whether there is anything beyond.
        let reach = if near.len() > length {
            near.truncate(length);
            near.last().copied()
        } else {
            None
        };
        Self { near, reach }
    }

    fn offer(&mut self, slot: u32, distance: f64, length: usize) {
        let new = (slot, distance);
        if self.reach.is_some_and(|reach| !is_before(new, reach)) {
            return;
        }
        let at = self.near.partition_point(|n| is_before(*n, new));
        self.near.insert(at, new);
        if self.near.len() > length {
            self.near.truncate(length);
            self.reach = self.near.last().copied();
        }
    }
}

impl WindowLists {
    /// Lists of `count` slots, none built yet. Each will hold at least `needed` neighbors, if there are that many.
    pub(crate) fn new(count: usize, needed: usize) -> Self {
        Self { needed, lists: vec![List::default(); count], reaches: vec![f64::INFINITY; count] }
    }

    /// Makes room for more slots.
    pub(crate) fn resize(&mut self, count: usize) {
        self.lists.resize_with(count, List::default);
        self.reaches.resize(count, f64::INFINITY);
    }

    /// Takes the lists of a fit, one per slot. Their neighbors are slots, and ordered as here.
    pub(crate) fn take(&mut self, lists: &KnnLists) {
        self.resize(lists.points());
        let (width, length) = (lists.width(), self.length());
        for (slot, list) in self.lists.iter_mut().enumerate() {
            let near = lists.neighbors(slot, width).iter().copied();
            list.near = near.zip(lists.lengths(slot, width).iter().copied()).take(length).collect();
            list.reach = list.near.last().copied();
            self.reaches[slot] = list.reach.map_or(f64::INFINITY, |reach| reach.1);
        }
    }

    fn length(&self) -> usize {
        LENGTH.max(2 * self.needed)
    }

    /// Builds the list of a slot from its distances to all slots; infinite for trimmed samples and for the slot
    /// itself.
    pub(crate) fn build(&mut self, slot: usize, distances: &[f64]) {
        if slot >= self.lists.len() {
            self.resize(slot + 1);
        }
        self.lists[slot] = List::build(distances, self.length());
        self.note_reach(slot);
    }

    fn note_reach(&mut self, slot: usize) {
        self.reaches[slot] = self.lists[slot].reach.map_or(f64::INFINITY, |reach| reach.1);
    }

    /// Removes the samples of these slots from all lists.
    pub(crate) fn remove(&mut self, is_gone: &[bool]) {
        for list in &mut self.lists {
            list.near.retain(|n| !is_gone[n.0 as usize]);
        }
    }

    /// Offers the sample of a slot as a neighbor to all slots except those to `skip`, given its distances to them.
    pub(crate) fn offer_to_all(&mut self, slot: u32, distances: &[f64], skip: &[bool]) {
        let length = self.length();
        for (to, distance) in distances.iter().enumerate() {
            if *distance <= self.reaches[to] && !skip[to] {
                self.lists[to].offer(slot, *distance, length);
                self.note_reach(to);
            }
        }
    }

    /// Whether the list of a slot has become too short.
    pub(crate) fn is_short(&self, slot: usize) -> bool {
        let list = &self.lists[slot];
        list.near.len() < self.needed && list.reach.is_some()
    }

    /// The nearest of the sample in a slot, nearest first.
    pub(crate) fn nearest(&self, slot: usize) -> &[(u32, f64)] {
        &self.lists[slot].near
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A window of numbers with maintained lists, compared with lists sorted from scratch.
    #[test]
    fn lists_are_those_of_brute_force_after_many_steps() {
        let (n, needed) = (60, 11);
        let mut random = Random::new(1);
        // Rounded, so that distances tie.
        let mut draw = || (40.0 * random.normal()).round();
        let mut window: Vec<f64> = (0..n).map(|_| draw()).collect();
        let row = |window: &[f64], i: usize| -> Vec<f64> {
            let of = |(j, v): (usize, &f64)| if j == i { f64::INFINITY } else { (v - window[i]).abs() };
            window.iter().enumerate().map(of).collect()
        };
        let mut lists = WindowLists::new(n, needed);
        (0..n).for_each(|i| lists.build(i, &row(&window, i)));
        let mut rebuilt = 0;
        for step in 0..10_000 {
            let slot = step % n;
            window[slot] = draw();
            let mut is_gone = vec![false; n];
            is_gone[slot] = true;
            lists.remove(&is_gone);
            let own = row(&window, slot);
            lists.build(slot, &own);
            lists.offer_to_all(slot as u32, &own, &is_gone);
            for i in (0..n).filter(|i| *i != slot) {
                if lists.is_short(i) {
                    rebuilt += 1;
                    lists.build(i, &row(&window, i));
                }
            }
            if step % 97 == 0 || step == 9_999 {
                for i in 0..n {
                    let want = nearest(&row(&window, i), needed, Some(i));
                    assert_eq!(&lists.nearest(i)[..needed], want, "step {step}, slot {i}");
                }
            }
        }
        assert!(rebuilt < 10_000, "{rebuilt} lists were rebuilt");
    }

    #[test]
    fn a_window_smaller_than_a_list_is_listed_whole() {
        let mut lists = WindowLists::new(3, 11);
        for (i, row) in [[f64::INFINITY, 1.0, 2.0], [1.0, f64::INFINITY, 1.0], [2.0, 1.0, f64::INFINITY]]
            .iter()
            .enumerate()
        {
            lists.build(i, row);
        }
        assert_eq!((lists.nearest(1), lists.is_short(1)), ([(0, 1.0), (2, 1.0)].as_slice(), false));
        lists.build(3, &[0.5, 3.0, 0.5, f64::INFINITY]);
        lists.offer_to_all(3, &[0.5, 3.0, 0.5, f64::INFINITY], &[false, true, true, true]);
        assert_eq!(lists.nearest(0), [(3, 0.5), (1, 1.0), (2, 2.0)]);
    }
}
