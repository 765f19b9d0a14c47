//! The branches of many graphs, each stored once, and the estimates between all of them: the graphs of a set have few
//! distinct branches, so a pair of graphs only looks them up.

use std::collections::{BTreeMap, HashMap};

use super::branches::{Branch, EdgeCosts, Small};
use super::costs::Rates;
use super::labels::EditDistance;
use super::pair::saved_by_class;
use super::profile::{Price, Profile};
use super::shape::{ClassContent, Counts, Shape};
use crate::parallel;

/// Maximum number of edge classes: with more, edges carry numbers, and hardly any two branches are equal.
const MAX_CLASSES: usize = 64;
/// Maximum number of branches; the estimates between 1280 of them take 26 MB.
const MAX_BRANCHES: usize = 1280;
/// Minimum ratio of branches in the graphs to distinct branches for a vocabulary to pay off.
const MIN_GAIN: usize = 4;

/// The distinct edge classes and branches of a set of graphs, numbered in the order of their content.
#[derive(Debug)]
pub(super) struct Vocabulary {
    classes: HashMap<ClassContent, u32>,
    /// For each class, a graph that has it and its number there.
    examples: Vec<(u32, u32)>,
    branches: Vec<Counts>,
    numbers: HashMap<Counts, u32>,
    /// The branches of each graph by number.
    of_graphs: Vec<Vec<u32>>,
}

impl Vocabulary {
    /// The vocabulary of these graphs; `None` if it would not pay off.
    pub(super) fn new<'a>(graphs: impl Iterator<Item = &'a Shape> + Clone) -> Option<Self> {
        let mut found: BTreeMap<ClassContent, (u32, u32)> = BTreeMap::new();
        for (graph, number) in graphs.clone().zip(0..) {
            if graph.no_edge() > MAX_CLASSES {
                return None;
            }
            for (content, class) in graph.class_contents().zip(0..) {
                found.entry(content).or_insert((number, class));
            }
            if found.len() > MAX_CLASSES {
                return None;
            }
        }
        let mut made = Self {
            examples: found.values().copied().collect(),
            classes: found.into_keys().zip(0..).collect(),
            branches: Vec::new(),
            numbers: HashMap::new(),
            of_graphs: Vec::new(),
        };
        let mut total = 0;
        for graph in graphs {
            let classes = made.classes_of(graph);
            let mut own = Vec::with_capacity(graph.branches.len());
            for counts in &graph.branches {
                let counts = translated(counts, &classes)?;
                let next = made.branches.len() as u32;
                own.push(*made.numbers.entry(counts).or_insert_with_key(|counts| {
                    made.branches.push(counts.clone());
                    next
                }));
            }
            total += own.len();
            made.of_graphs.push(own);
            if made.branches.len() > MAX_BRANCHES {
                return None;
            }
        }
        (made.branches.len() * MIN_GAIN <= total).then_some(made)
    }

    fn classes_of(&self, graph: &Shape) -> Vec<Option<u32>> {
        graph.class_contents().map(|content| self.classes.get(&content).copied()).collect()
    }
}

/// The counts with renumbered classes; `None` if a class has no number.
fn translated(counts: &[(u32, u32)], classes: &[Option<u32>]) -> Option<Counts> {
    counts.iter().map(|&(class, count)| Some((classes[class as usize]?, count))).collect()
}

/// Estimates of both kinds: BRANCH-FAST's, and those of assigned edges.
#[derive(Debug, Default)]
struct Estimate {
    fast: Vec<f64>,
    assigned: Vec<f64>,
}

impl Estimate {
    fn values(&self, fast: bool) -> &[f64] {
        if fast { &self.fast } else { &self.assigned }
    }
}

/// The estimates between all branches of a vocabulary under given costs.
#[derive(Debug)]
pub(super) struct Estimates {
    prices: Vec<Price>,
    edge_erase: Vec<f64>,
    /// With rows for the first graph of a pair.
    all: Estimate,
}

impl Estimates {
    /// `many` are the graphs of the vocabulary.
    pub(super) fn new(words: &Vocabulary, many: &[Profile], rates: &Rates) -> Self {
        let edge_erase: Vec<f64> = (words.examples.iter())
            .map(|&(graph, class)| many[graph as usize].edge_erase[class as usize])
            .collect();
        let prices: Vec<Price> = words.branches.iter().map(|b| Price::new(b, &edge_erase)).collect();
        let mut distance = EditDistance::default();
        let count = edge_erase.len();
        let mut saved = Vec::with_capacity(count * count);
        for &(g, a) in &words.examples {
            for &(h, b) in &words.examples {
                let one = (&many[g as usize], a as usize);
                saved.push(saved_by_class(one, (&many[h as usize], b as usize), rates, &mut distance));
            }
        }
        let same: Vec<u32> = (0..count as u32).collect();
        let costs =
            EdgeCosts { saved: &saved, width: count, common: &same, first: &edge_erase, second: &edge_erase };
        let branch = |i: usize| Branch { counts: &words.branches[i], price: &prices[i] };
        let rows: Vec<Estimate> = parallel::map_with(prices.len(), 16, &Small::default, &|small, i| {
            let others = || (0..prices.len()).map(branch);
            Estimate {
                fast: others().map(|b| costs.fast(branch(i), b)).collect(),
                assigned: others().map(|b| costs.assigned(branch(i), b, small)).collect(),
            }
        });
        let mut all = Estimate::default();
        for row in rows {
            all.fast.extend(row.fast);
            all.assigned.extend(row.assigned);
        }
        Self { prices, edge_erase, all }
    }

    fn count(&self) -> usize {
        self.prices.len()
    }
}

/// A graph outside the vocabulary, in its terms: its branches by number, and estimates for branches that are not in
/// it.
#[derive(Debug, Default)]
pub(super) struct Newcomer {
    /// Numbers beyond the vocabulary's branches are rows of `first` and `second`.
    ids: Vec<u32>,
    /// The newcomer as the first graph of a pair, and as the second.
    first: Estimate,
    second: Estimate,
}

impl Newcomer {
    pub(super) fn new(
        one: &Profile,
        words: &Vocabulary,
        estimates: &Estimates,
        many: &[Profile],
        rates: &Rates,
    ) -> Self {
        let classes = words.classes_of(one);
        let mut new = Self::default();
        let mut unknown = Vec::new();
        for (i, counts) in one.branches.iter().enumerate() {
            let known = translated(counts, &classes).and_then(|c| words.numbers.get(&c).copied());
            new.ids.push(known.unwrap_or_else(|| {
                unknown.push(i);
                (estimates.count() + unknown.len() - 1) as u32
            }));
        }
        if unknown.is_empty() {
            return new;
        }
        let mut distance = EditDistance::default();
        let (own, theirs) = (one.no_edge(), words.examples.len());
        let (mut saved, mut turned) = (vec![0.0; own * theirs], vec![0.0; own * theirs]);
        for a in 0..own {
            for (b, &(h, class)) in words.examples.iter().enumerate() {
                let other = (&many[h as usize], class as usize);
                saved[a * theirs + b] = saved_by_class((one, a), other, rates, &mut distance);
                turned[b * own + a] = saved_by_class(other, (one, a), rates, &mut distance);
            }
        }
        // Numbers beyond the classes of the other side stand for none of them.
        let forth: Vec<u32> = (0..theirs as u32)
            .map(|b| classes.iter().position(|c| *c == Some(b)).map_or(own as u32 + b, |a| a as u32))
            .collect();
        let back: Vec<u32> = (classes.iter().zip(0..)).map(|(c, a)| c.unwrap_or(theirs as u32 + a)).collect();
        let as_first = EdgeCosts {
            saved: &saved,
            width: theirs,
            common: &forth,
            first: &one.edge_erase,
            second: &estimates.edge_erase,
        };
        let as_second = EdgeCosts {
            saved: &turned,
            width: own,
            common: &back,
            first: &estimates.edge_erase,
            second: &one.edge_erase,
        };
        let mut small = Small::default();
        for i in unknown {
            let a = Branch { counts: &one.branches[i], price: &one.prices[i] };
            for (counts, price) in words.branches.iter().zip(&estimates.prices) {
                let b = Branch { counts, price };
                new.first.fast.push(as_first.fast(a, b));
                new.first.assigned.push(as_first.assigned(a, b, &mut small));
                new.second.fast.push(as_second.fast(b, a));
                new.second.assigned.push(as_second.assigned(b, a, &mut small));
            }
        }
        new
    }

    /// A graph of the vocabulary.
    pub(super) fn known(words: &Vocabulary, graph: usize) -> Self {
        Self { ids: words.of_graphs[graph].clone(), ..Self::default() }
    }
}

/// Estimates for a newcomer and one of the graphs of the vocabulary.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'a> {
    pub(super) words: &'a Vocabulary,
    pub(super) estimates: &'a Estimates,
    pub(super) one: &'a Newcomer,
    pub(super) graph: usize,
    /// Whether the newcomer is the first graph of the pair.
    pub(super) is_first: bool,
}

impl Lookup<'_> {
    /// Writes the table of estimates, with rows for the first graph's branches.
    pub(super) fn fill(&self, fast: bool, out: &mut Vec<f64>) {
        let (all, first, second) =
            (self.estimates.all.values(fast), self.one.first.values(fast), self.one.second.values(fast));
        let count = self.estimates.count();
        let other = &self.words.of_graphs[self.graph];
        out.clear();
        if self.is_first {
            for &a in &self.one.ids {
                let a = a as usize;
                let row = if a < count { &all[a * count..] } else { &first[(a - count) * count..] };
                out.extend(other.iter().map(|&b| row[b as usize]));
            }
        } else {
            for &a in other {
                let a = a as usize;
                out.extend(self.one.ids.iter().map(|&b| {
                    let b = b as usize;
                    if b < count { all[a * count + b] } else { second[(b - count) * count + a] }
                }));
            }
        }
    }
}
