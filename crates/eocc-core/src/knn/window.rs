//! Lists of nearest neighbors in a window whose samples come and go, maintained instead of recomputed.
//!
//! A list holds *every* sample up to its reach, so it stays exact when samples are added and removed: a sample nearer
//! than the reach is inserted, one that leaves is removed. Lists are longer than needed; only a list that has become
//! too short is rebuilt.

use super::KnnLists;
use crate::kernel;
use crate::select::{NearestBuffer, nearest_in};

/// Length of a list when it is built, and its maximum.
const LENGTH: usize = 24;

/// Beyond all neighbors.
const NONE: (u32, f64) = (u32::MAX, f64::INFINITY);

/// Neighbors of the samples in the slots of a window.
#[derive(Debug, Clone)]
pub(crate) struct WindowLists {
    /// Minimum number of neighbors in a list.
    needed: usize,
    /// The lists, slot after slot, each with room for as many as it may have: slots and distances, by distance and then by slot.
    near: Vec<(u32, f64)>,
    /// How long each list is.
    counts: Vec<usize>,
    /// All samples up to this one are in the list; the whole window is, if there is none.
    ends: Vec<Option<(u32, f64)>>,
    /// The distance of that: most samples are beyond it.
    reaches: Vec<f64>,
}

/// Whether neighbor `a` comes before `b`; without branches, as neither can be foreseen.
#[expect(clippy::needless_bitwise_bool, reason = "a branch would be guessed wrong half of the time")]
fn is_before(a: (u32, f64), b: (u32, f64)) -> bool {
    (a.1 < b.1) | ((a.1 <= b.1) & (a.0 < b.0))
}

/// The nearest, at most `length` of them.
struct Nearest<'a> {
    near: &'a [(u32, f64)],
    /// The last of them if there are more.
    end: Option<(u32, f64)>,
}

impl<'a> Nearest<'a> {
    fn new(distances: &[f64], length: usize, buffer: &'a mut NearestBuffer) -> Self {
        // One more is sought, to learn whether there is anything beyond.
        nearest_in(buffer, distances, length + 1, None);
        let finite = buffer.found.partition_point(|n| n.1.is_finite());
        let near = &buffer.found[..finite.min(length)];
        Self { near, end: near.last().copied().filter(|_| finite > length) }
    }
}

/// Facts about a sample that may enter the window, for the lists; found while its distances are available.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arrival {
    /// Its own list, and then the slots in whose lists it belongs, with its distances to them.
    all: Vec<(u32, f64)>,
    /// How long its own list is, and how far it reaches.
    own: usize,
    reach: Option<(u32, f64)>,
}

impl Arrival {
    /// The nearest samples, nearest first.
    pub(crate) fn nearest(&self) -> &[(u32, f64)] {
        &self.all[..self.own]
    }
}

/// A slot, and a neighbor that is offered to it.
type Offer = (u32, (u32, f64));

/// New list entries from arriving samples: for the slots that stay, those near enough; and those among the arrivals themselves.
fn offers(arrivals: &[(usize, &Arrival)], between: &[Vec<f64>], is_new: &[bool]) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::with_capacity(2 * LENGTH * arrivals.len());
    let reaches: Vec<f64> =
        arrivals.iter().map(|(_, arrival)| arrival.reach.map_or(f64::INFINITY, |reach| reach.1)).collect();
    for (i, (slot, arrival)) in arrivals.iter().enumerate() {
        let own = *slot as u32;
        for &(to, distance) in &arrival.all[arrival.own..] {
            if !is_new[to as usize] {
                offers.push((to, (own, distance)));
            }
        }
        let row = &between[i];
        let other = |j: usize| arrivals[j].0 as u32;
        kernel::each_not_above(row, reaches[i], &mut |j| offers.push((own, (other(j), row[j]))));
        kernel::each_within(row, &reaches[..row.len()], &mut |j| offers.push((other(j), (own, row[j]))));
    }
    offers
}

/// Runs `work` on distances of which these are infinite.
pub(crate) fn without<T>(row: &mut [f64], trimmed: &[usize], work: impl FnOnce(&[f64]) -> T) -> T {
    let hidden: Vec<f64> =
        trimmed.iter().map(|&slot| std::mem::replace(&mut row[slot], f64::INFINITY)).collect();
    let done = work(row);
    trimmed.iter().zip(hidden).for_each(|(&slot, distance)| row[slot] = distance);
    done
}

impl WindowLists {
    /// Lists of `count` slots, none built yet. Each will hold at least `needed` neighbors, if there are that many.
    pub(crate) fn new(count: usize, needed: usize) -> Self {
        let mut lists =
            Self { needed, near: Vec::new(), counts: Vec::new(), ends: Vec::new(), reaches: Vec::new() };
        lists.resize(count);
        lists
    }

    /// Makes room for more slots.
    fn resize(&mut self, count: usize) {
        self.near.resize(count * self.length(), NONE);
        self.counts.resize(count, 0);
        self.ends.resize(count, None);
        self.reaches.resize(count, f64::INFINITY);
    }

    /// Takes the lists of a fit, one per slot. Their neighbors are slots, and ordered as here.
    pub(crate) fn take(&mut self, lists: &KnnLists) {
        self.resize(lists.points());
        let width = lists.width().min(self.length());
        let mut near: Vec<(u32, f64)> = Vec::with_capacity(width);
        for slot in 0..lists.points() {
            near.clear();
            let neighbors = lists.neighbors(slot, width).iter().copied();
            near.extend(neighbors.zip(lists.lengths(slot, width).iter().copied()));
            self.set(slot, &near, near.last().copied());
        }
    }

    fn length(&self) -> usize {
        LENGTH.max(2 * self.needed)
    }

    fn set(&mut self, slot: usize, near: &[(u32, f64)], end: Option<(u32, f64)>) {
        let start = slot * self.length();
        self.near[start..start + near.len()].copy_from_slice(near);
        self.counts[slot] = near.len();
        self.set_end(slot, end);
    }

    fn set_end(&mut self, slot: usize, end: Option<(u32, f64)>) {
        self.ends[slot] = end;
        self.reaches[slot] = end.map_or(f64::INFINITY, |end| end.1);
    }

    /// Builds the list of a slot from its distances to all slots; infinite for the slot itself.
    pub(crate) fn build(
        &mut self,
        slot: usize,
        distances: &mut [f64],
        trimmed: &[usize],
        buffer: &mut NearestBuffer,
    ) {
        without(distances, trimmed, |row| {
            let Nearest { near, end } = Nearest::new(row, self.length(), buffer);
            self.set(slot, near, end);
        });
    }

    /// Facts about a new sample for the lists, given its distances to all slots. `trimmed` are the slots of samples that are not
    /// in lists.
    pub(crate) fn arrival(
        &self,
        distances: &mut [f64],
        trimmed: &[usize],
        buffer: &mut NearestBuffer,
    ) -> Arrival {
        let mut all = Vec::with_capacity(3 * LENGTH);
        let reach = without(distances, trimmed, |row| {
            let Nearest { near, end } = Nearest::new(row, self.length(), buffer);
            all.extend_from_slice(near);
            end
        });
        let own = all.len();
        kernel::each_within(distances, &self.reaches, &mut |slot| all.push((slot as u32, distances[slot])));
        Arrival { all, own, reach }
    }

    /// Gives samples that arrive the slots of those that leave, or new ones; there are `count` slots afterwards. `between` has the
    /// distances of each to those before it.
    pub(crate) fn exchange(&mut self, count: usize, arrivals: &[(usize, &Arrival)], between: &[Vec<f64>]) {
        let mut is_new = vec![false; count];
        for (slot, _) in arrivals {
            is_new[*slot] = true;
        }
        self.resize(count);
        let offers = offers(arrivals, between, &is_new);
        // The same result, one slot after another.
        let mut ends = vec![0_usize; count + 1];
        for (to, _) in &offers {
            ends[*to as usize + 1] += 1;
        }
        for slot in 0..count {
            ends[slot + 1] += ends[slot];
        }
        let mut next = ends.clone();
        let mut offered = vec![(0, 0.0); ends[count]];
        for (to, new) in offers {
            offered[next[to as usize]] = new;
            next[to as usize] += 1;
        }
        for (slot, arrival) in arrivals {
            self.set(*slot, arrival.nearest(), arrival.reach);
        }
        for slot in 0..count {
            self.exchange_in(slot, &is_new, &offered[ends[slot]..ends[slot + 1]]);
        }
    }

    /// Forgets samples that are gone and takes in those offered, in any order; they are in the list afterwards if they belong there.
    fn exchange_in(&mut self, slot: usize, is_gone: &[bool], offered: &[(u32, f64)]) {
        let length = self.length();
        let list = &mut self.near[slot * length..(slot + 1) * length];
        // Without branches: which samples are gone cannot be foreseen, nor where a new one belongs.
        let mut count = 0;
        for at in 0..self.counts[slot] {
            let one = list[at];
            list[count] = one;
            count += usize::from(!is_gone[one.0 as usize]);
        }
        let mut end = self.ends[slot];
        for new in offered {
            if end.is_some_and(|end| !is_before(*new, end)) {
                continue;
            }
            let at = list[..count].iter().map(|n| usize::from(is_before(*n, *new))).sum::<usize>();
            if count < length {
                list.copy_within(at..count, at + 1);
                list[at] = *new;
                count += 1;
                continue;
            }
            // The list is full, so that its last now is how far it reaches.
            if at < length {
                list.copy_within(at..length - 1, at + 1);
                list[at] = *new;
            }
            end = list.last().copied();
        }
        self.counts[slot] = count;
        self.set_end(slot, end);
    }

    /// Whether the list of a slot has become too short.
    pub(crate) fn is_short(&self, slot: usize) -> bool {
        self.counts[slot] < self.needed && self.ends[slot].is_some()
    }

    /// The nearest of the sample in a slot, nearest first.
    pub(crate) fn nearest(&self, slot: usize) -> &[(u32, f64)] {
        let start = slot * self.length();
        &self.near[start..start + self.counts[slot]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::select::nearest;

    /// The distances of one number to all.
    fn to_all(window: &[f64], one: f64) -> Vec<f64> {
        window.iter().map(|v| (v - one).abs()).collect()
    }

    /// The distances of a slot to all others.
    fn row(window: &[f64], slot: usize) -> Vec<f64> {
        let mut row = to_all(window, window[slot]);
        row[slot] = f64::INFINITY;
        row
    }

    /// Windows of numbers with maintained lists, compared with lists sorted from scratch. Some slots are trimmed until they are replaced.
    #[test]
    fn lists_are_those_of_brute_force_after_many_steps() {
        let needed = 11;
        for (mut n, at_once) in [(60, 1), (130, 16), (20, 3)] {
            let mut random = Random::new(n as u64);
            let mut trimmed = vec![3, 17];
            // Rounded, so that distances tie.
            let mut window: Vec<f64> = (0..n).map(|_| (40.0 * random.normal()).round()).collect();
            let mut lists = WindowLists::new(n, needed);
            let mut buffer = NearestBuffer::default();
            (0..n).for_each(|i| lists.build(i, &mut row(&window, i), &trimmed, &mut buffer));
            let (mut rebuilt, mut replaced) = (0, 0);
            for step in 0..10_000 / at_once {
                // The window grows at times.
                let slot = |i: usize| if step % 400 == 9 && i == 0 { n } else { (step * at_once + i) % n };
                let slots: Vec<usize> = (0..at_once).map(slot).collect();
                let values: Vec<f64> = slots.iter().map(|_| (40.0 * random.normal()).round()).collect();
                let arrival = |value: &f64| {
                    lists.arrival(&mut to_all(&window, *value), &trimmed, &mut NearestBuffer::default())
                };
                let arrivals: Vec<Arrival> = values.iter().map(arrival).collect();
                let between: Vec<Vec<f64>> = (0..at_once).map(|i| to_all(&values[..i], values[i])).collect();
                n = n.max(slots[0] + 1);
                window.resize(n, 0.0);
                slots.iter().zip(&values).for_each(|(&slot, value)| window[slot] = *value);
                trimmed.retain(|slot| !slots.contains(slot));
                replaced += at_once;
                lists.exchange(n, &slots.iter().copied().zip(&arrivals).collect::<Vec<_>>(), &between);
                for i in 0..n {
                    if lists.is_short(i) {
                        rebuilt += 1;
                        lists.build(i, &mut row(&window, i), &trimmed, &mut buffer);
                    }
                }
                if step % 97 == 0 || step < 40 {
                    for i in 0..n {
                        let mut near =
                            nearest(&without(&mut row(&window, i), &trimmed, <[f64]>::to_vec), needed, None);
                        near.retain(|n| n.1.is_finite());
                        assert_eq!(&lists.nearest(i)[..near.len()], near, "step {step}, slot {i}");
                    }
                }
            }
            assert!(rebuilt < replaced, "{rebuilt} lists were rebuilt for {replaced} samples");
        }
    }

    #[test]
    fn a_window_smaller_than_a_list_is_listed_whole() {
        let mut lists = WindowLists::new(3, 11);
        let window = [0.0, 1.0, 2.0];
        let mut buffer = NearestBuffer::default();
        (0..3).for_each(|i| lists.build(i, &mut row(&window, i), &[], &mut buffer));
        assert_eq!((lists.nearest(1), lists.is_short(1)), ([(0, 1.0), (2, 1.0)].as_slice(), false));
        let arrival = lists.arrival(&mut to_all(&window, 0.5), &[], &mut buffer);
        assert_eq!(arrival.nearest(), [(0, 0.5), (1, 0.5), (2, 1.5)]);
        lists.exchange(4, &[(3, &arrival)], &[Vec::new()]);
        assert_eq!(lists.nearest(0), [(3, 0.5), (1, 1.0), (2, 2.0)]);
        assert_eq!(lists.nearest(3), [(0, 0.5), (1, 0.5), (2, 1.5)]);
    }
}
