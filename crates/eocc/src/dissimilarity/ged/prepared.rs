//! One side of many graphs, prepared; and neighbours found with the help of lower bounds.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use rayon::prelude::*;

use super::profile::Profile;
use super::{Bounds, GraphEdit, with_workspace};
use crate::dissimilarity::{Nearest, Prepared};
use crate::graphs::Graph;

/// Prepared graphs with the costs they were prepared for.
pub(super) struct Profiles {
    d: GraphEdit,
    many: Vec<Profile>,
}

impl Profiles {
    pub(super) fn new(d: &GraphEdit, many: &[&Graph]) -> Self {
        let many = many.par_iter().with_min_len(16).map(|g| Profile::new(g, &d.rates)).collect();
        Self { d: d.clone(), many }
    }
}

/// A bound is a sum in another order than the distance it bounds.
fn with_slack(bound: f64) -> f64 {
    bound - 1e-9 * (1.0 + bound)
}

impl Prepared<Graph> for Profiles {
    fn fill(&self, one: &Graph, range: Range<usize>, out: &mut [f64]) {
        let one = Profile::new(one, &self.d.rates);
        with_workspace(|w| {
            for (o, other) in out.iter_mut().zip(&self.many[range]) {
                *o = self.d.scaled(w.bounds(&self.d, &one, other, false), &one, other).upper;
            }
        });
    }

    fn nearest(&self, one: &Graph, among: &[u32], k: usize) -> Option<Nearest> {
        let one = Profile::new(one, &self.d.rates);
        let scaled = |bound: f64, other: &Profile| {
            with_slack(self.d.scaled(Bounds { lower: bound, upper: 0.0 }, &one, other).lower)
        };
        // The smallest bound first: if it is of sizes only, it gives way to that of BRANCH-FAST; else the pair is measured.
        // No search with the same bounds measures fewer.
        let mut open: BinaryHeap<Reverse<Candidate>> = among
            .iter()
            .map(|&index| {
                let other = &self.many[index as usize];
                Reverse(Candidate { bound: scaled(one.size_bound(other), other), index, is_tight: false })
            })
            .collect();
        // The k best so far, by distance and then by index.
        let mut found: Vec<(u32, f64)> = Vec::with_capacity(k + 1);
        let mut measured = 0;
        with_workspace(|w| {
            while let Some(Reverse(next)) = open.pop() {
                if found.len() == k && found.last().is_none_or(|last| next.bound > last.1) {
                    break;
                }
                let other = &self.many[next.index as usize];
                if !next.is_tight {
                    let bound = scaled(w.lower(&self.d, &one, other), other).max(next.bound);
                    open.push(Reverse(Candidate { bound, is_tight: true, ..next }));
                    continue;
                }
                let distance = self.d.scaled(w.bounds(&self.d, &one, other, false), &one, other).upper;
                measured += 1;
                let at = found.partition_point(|&(i, d)| (d, i) < (distance, next.index));
                found.insert(at, (next.index, distance));
                found.truncate(k);
            }
        });
        Some(Nearest { found, measured })
    }
}

/// A graph that may be near.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    bound: f64,
    index: u32,
    /// Whether the bound is that of BRANCH-FAST.
    is_tight: bool,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(self.index.cmp(&other.index))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}
