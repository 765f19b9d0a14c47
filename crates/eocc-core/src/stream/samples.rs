//! The samples that a stream remembers: a window to learn from, the latest, and the rejected. Each is stored once.

use std::collections::VecDeque;

use crate::error::Result;
use crate::sample::SampleSet;

/// A sample by its time and its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) time: u64,
    pub(super) row: u32,
}

/// One of the latest samples.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Recent {
    pub(super) member: Member,
    pub(super) rejected: bool,
    /// The ranks of its measures; empty if it was not in the change test.
    pub(super) ranks: Vec<f64>,
}

/// The samples that a stream remembers.
#[derive(Debug)]
pub(super) struct Samples<X> {
    /// Joined samples, and further ones that are not joined to them yet.
    joined: X,
    fresh: Vec<X>,
    count: usize,
    /// The samples to learn from, oldest first.
    pub(super) window: VecDeque<Member>,
    /// The samples that the present committee judges by: the window at the last refresh, in the slots of the committee.
    pub(super) slots: Vec<Member>,
    /// The samples that have entered the window since then, oldest first.
    pub(super) arrivals: Vec<Member>,
    /// The latest samples, accepted or not, oldest first.
    pub(super) recent: VecDeque<Recent>,
    /// Rejected samples, oldest first.
    pub(super) quarantine: VecDeque<Member>,
}

impl<X: SampleSet> Samples<X> {
    /// An empty store for samples of this form.
    pub(super) fn like(samples: &X) -> Result<Self> {
        Ok(Self::from_joined(X::joined(&[&samples.select(&[])])?))
    }

    /// A store with these rows.
    pub(super) fn from_joined(joined: X) -> Self {
        let count = joined.count();
        let (window, recent, quarantine) = <(VecDeque<_>, VecDeque<_>, VecDeque<_>)>::default();
        let (slots, arrivals) = (Vec::new(), Vec::new());
        Self { joined, fresh: Vec::new(), count, window, slots, arrivals, recent, quarantine }
    }

    /// Adds rows; returns the number of the first.
    pub(super) fn append(&mut self, samples: X) -> u32 {
        let first = self.count;
        self.count += samples.count();
        self.fresh.push(samples);
        first as u32
    }

    /// The number of the row that comes next.
    pub(super) fn next_row(&self) -> u32 {
        self.count as u32
    }

    /// All rows as one set.
    pub(super) fn all(&self) -> Result<X> {
        let sets: Vec<&X> = std::iter::once(&self.joined).chain(&self.fresh).collect();
        X::joined(&sets)
    }

    /// The form of the samples.
    pub(super) fn form(&self) -> &X {
        &self.joined
    }

    fn join(&mut self) -> Result<()> {
        if !self.fresh.is_empty() {
            self.joined = self.all()?;
            self.fresh.clear();
        }
        Ok(())
    }

    /// These samples as a set.
    pub(super) fn select(&mut self, members: impl Iterator<Item = Member>) -> Result<X> {
        self.join()?;
        let rows: Vec<usize> = members.map(|member| member.row as usize).collect();
        X::joined(&[&self.joined.select(&rows)])
    }

    /// The window as a set.
    pub(super) fn window_set(&mut self) -> Result<X> {
        let members: Vec<Member> = self.window.iter().copied().collect();
        self.select(members.into_iter())
    }

    /// Replaces missing values by typical ones.
    pub(super) fn fill(&mut self) -> Result<()> {
        self.join()?;
        self.joined = self.joined.filled(&self.joined)?;
        Ok(())
    }

    /// Makes the window, oldest first, the samples that the committee judges by.
    pub(super) fn relearn(&mut self) {
        self.slots = self.window.iter().copied().collect();
        self.arrivals.clear();
    }

    /// Drops all rows that are not referenced.
    pub(super) fn compact(&mut self) -> Result<()> {
        self.join()?;
        let mut is_used = vec![false; self.count];
        self.members_mut().for_each(|member| is_used[member.row as usize] = true);
        let used: Vec<usize> = (0..self.count).filter(|&row| is_used[row]).collect();
        let mut place = vec![0; self.count];
        used.iter().zip(0..).for_each(|(&row, new)| place[row] = new);
        self.members_mut().for_each(|member| member.row = place[member.row as usize]);
        self.joined = X::joined(&[&self.joined.select(&used)])?;
        self.count = used.len();
        Ok(())
    }

    fn members_mut(&mut self) -> impl Iterator<Item = &mut Member> {
        let recent = self.recent.iter_mut().map(|recent| &mut recent.member);
        let queues = self.window.iter_mut().chain(recent).chain(self.quarantine.iter_mut());
        queues.chain(&mut self.slots).chain(&mut self.arrivals)
    }

    /// Gives every arrival that is still in the window a slot: that of a sample that has left, or a new one. Returns the slot of each
    /// arrival, or `None` if slots would stay empty.
    pub(super) fn settle_arrivals(&mut self) -> Option<Vec<Option<usize>>> {
        let mut is_in_window = vec![false; self.count];
        self.window.iter().for_each(|member| is_in_window[member.row as usize] = true);
        let is_free = |slot: &usize| !is_in_window[self.slots[*slot].row as usize];
        let free: Vec<usize> = (0..self.slots.len()).filter(is_free).collect();
        let mut free = free.into_iter();
        let mut slots = Vec::with_capacity(self.arrivals.len());
        for arrival in std::mem::take(&mut self.arrivals) {
            if !is_in_window[arrival.row as usize] {
                slots.push(None);
                continue;
            }
            let slot = free.next().unwrap_or(self.slots.len());
            if slot < self.slots.len() {
                self.slots[slot] = arrival;
            } else {
                self.slots.push(arrival);
            }
            slots.push(Some(slot));
        }
        free.next().is_none().then_some(slots)
    }
}

/// Adds an item to the end of a queue, and drops items at its front if there are more than `most`.
pub(super) fn push<T>(queue: &mut VecDeque<T>, item: T, most: usize) {
    while queue.len() >= most.max(1) {
        queue.pop_front();
    }
    queue.push_back(item);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Texts;

    #[test]
    fn rows_that_nobody_needs_are_forgotten() {
        let texts = |words: &[&str]| Texts::new(words.iter().map(ToString::to_string).collect()).unwrap();
        let mut samples = Samples::like(&texts(&["a"])).unwrap();
        assert_eq!((samples.append(texts(&["a", "b"])), samples.append(texts(&["c"]))), (0, 2));
        samples.window.extend([Member { time: 0, row: 2 }, Member { time: 1, row: 0 }]);
        samples.quarantine.push_back(Member { time: 2, row: 2 });
        assert_eq!(samples.window_set().unwrap(), texts(&["c", "a"]));
        samples.compact().unwrap();
        assert_eq!(samples.all().unwrap(), texts(&["a", "c"]));
        assert_eq!(samples.window_set().unwrap(), texts(&["c", "a"]));
        assert_eq!((samples.quarantine[0].row, samples.next_row()), (1, 2));
    }

    #[test]
    fn arrivals_take_the_slots_of_what_has_left() {
        let texts = |words: &[&str]| Texts::new(words.iter().map(ToString::to_string).collect()).unwrap();
        let mut samples = Samples::like(&texts(&["a"])).unwrap();
        samples.append(texts(&["a", "b", "c", "d", "e"]));
        let member = |row: u32| Member { time: u64::from(row), row };
        samples.window.extend([0, 1, 2].map(member));
        samples.relearn();
        for row in [3, 4] {
            push(&mut samples.window, member(row), 4);
            samples.arrivals.push(member(row));
        }
        // Room for one more, and the oldest has left.
        assert_eq!(samples.settle_arrivals(), Some(vec![Some(0), Some(3)]));
        assert_eq!(samples.slots, [3, 1, 2, 4].map(member));
        samples.window.pop_front();
        assert_eq!(samples.settle_arrivals(), None);
    }
}
