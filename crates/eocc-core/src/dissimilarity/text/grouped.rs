//! Many strings prepared for comparison: numbered, sorted by length, in groups that run in parallel.

use std::ops::Range;

use super::super::Prepared;
use super::alphabet::Alphabet;

/// How strings are compared, one group at a time.
pub(super) trait Kernel: Send + Sync + 'static {
    /// Strings that run in parallel, prepared for the kernel.
    type Group: Send + Sync;
    /// Memory that is reused between comparisons.
    type Buffer: Default;
    /// Maximum number of strings in a group.
    const WIDTH: usize;

    /// Makes a group of strings over symbols below `alphabet`.
    fn group(&self, strings: &[&[u32]], alphabet: usize) -> Self::Group;

    /// Dissimilarities of `one` to the strings of the group, written to the start of `out`.
    fn compare(&self, one: &[u32], group: &Self::Group, buffer: &mut Self::Buffer, out: &mut [f64]);
}

/// How strings are compared if groups gain nothing: a kernel with groups of one.
pub(super) trait Pairwise: Send + Sync + 'static {
    /// Memory that is reused between comparisons.
    type Buffer: Default;

    /// The dissimilarity of two strings.
    fn compare(&self, a: &[u32], b: &[u32], buffer: &mut Self::Buffer) -> f64;
}

impl<P: Pairwise> Kernel for P {
    type Group = Vec<u32>;
    type Buffer = P::Buffer;
    const WIDTH: usize = 1;

    fn group(&self, strings: &[&[u32]], _alphabet: usize) -> Vec<u32> {
        strings.concat()
    }

    fn compare(&self, one: &[u32], group: &Vec<u32>, buffer: &mut P::Buffer, out: &mut [f64]) {
        out[0] = Pairwise::compare(self, one, group, buffer);
    }
}

/// Strings in groups of similar lengths: a group takes as long as its longest string.
pub(super) struct Grouped<K: Kernel> {
    kernel: K,
    alphabet: Alphabet,
    /// The symbol numbers of the strings.
    numbered: Vec<Vec<u32>>,
    /// Index of the string at each position of the groups.
    order: Vec<usize>,
    groups: Vec<K::Group>,
    /// The group of each string.
    groups_of: Vec<u32>,
}

impl<K: Kernel> Grouped<K> {
    pub(super) fn new(kernel: K, mut alphabet: Alphabet, strings: &[&str]) -> Self {
        let numbered: Vec<Vec<u32>> = strings.iter().map(|s| alphabet.learn(s)).collect();
        let mut order: Vec<usize> = (0..strings.len()).collect();
        order.sort_by_key(|&i| numbered[i].len());
        let group = |places: &[usize]| {
            let members: Vec<&[u32]> = places.iter().map(|&i| numbered[i].as_slice()).collect();
            kernel.group(&members, alphabet.len())
        };
        let groups = order.chunks(K::WIDTH).map(group).collect();
        let mut groups_of = vec![0; order.len()];
        for (place, &i) in order.iter().enumerate() {
            groups_of[i] = (place / K::WIDTH) as u32;
        }
        Self { kernel, alphabet, numbered, order, groups, groups_of }
    }
}

impl<K: Kernel> Prepared<str> for Grouped<K> {
    fn fill(&self, one: &str, range: Range<usize>, out: &mut [f64]) {
        let mut symbols = Vec::with_capacity(one.len());
        self.alphabet.read(one, &mut symbols);
        let mut buffer = K::Buffer::default();
        let mut found = vec![0.0; K::WIDTH];
        // Only the groups that are needed: checking all of many groups would take longer than a few comparisons.
        let mut needed: Vec<u32> = self.groups_of[range.clone()].to_vec();
        needed.sort_unstable();
        needed.dedup();
        for at in needed.into_iter().map(|at| at as usize) {
            let places = self.order.chunks(K::WIDTH).nth(at).unwrap_or_default();
            self.kernel.compare(&symbols, &self.groups[at], &mut buffer, &mut found);
            for (&i, &value) in places.iter().zip(&found).filter(|(i, _)| range.contains(i)) {
                out[i - range.start] = value;
            }
        }
    }

    fn fill_some(&self, one: &str, which: &[usize], out: &mut [f64]) {
        let mut symbols = Vec::with_capacity(one.len());
        self.alphabet.read(one, &mut symbols);
        let mut buffer = K::Buffer::default();
        let mut found = vec![0.0; K::WIDTH];
        let mut order: Vec<usize> = (0..which.len()).collect();
        order.sort_by_key(|&at| self.numbered[which[at]].len());
        // In new groups: most lanes of the existing ones would be wasted.
        for places in order.chunks(K::WIDTH) {
            let members: Vec<&[u32]> = places.iter().map(|&at| self.numbered[which[at]].as_slice()).collect();
            let group = self.kernel.group(&members, self.alphabet.len());
            self.kernel.compare(&symbols, &group, &mut buffer, &mut found);
            for (&at, &value) in places.iter().zip(&found) {
                out[at] = value;
            }
        }
    }
}
