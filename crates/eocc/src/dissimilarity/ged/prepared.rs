//! One side of many graphs, prepared; and neighbours found with the help of lower bounds.

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
        with_workspace(|w| {
            let mut candidates: Vec<(f64, u32)> = among
                .iter()
                .map(|&j| {
                    let other = &self.many[j as usize];
                    let bound = Bounds { lower: w.lower(&self.d, &one, other), upper: 0.0 };
                    (with_slack(self.d.scaled(bound, &one, other).lower), j)
                })
                .collect();
            candidates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            // The k best so far, by distance and then by index.
            let mut found: Vec<(u32, f64)> = Vec::with_capacity(k + 1);
            let mut measured = 0;
            for (bound, j) in candidates {
                if found.len() == k && found.last().is_none_or(|last| bound > last.1) {
                    break;
                }
                let other = &self.many[j as usize];
                let distance = self.d.scaled(w.bounds(&self.d, &one, other, false), &one, other).upper;
                measured += 1;
                let at = found.partition_point(|&(i, d)| (d, i) < (distance, j));
                found.insert(at, (j, distance));
                found.truncate(k);
            }
            Some(Nearest { found, measured })
        })
    }
}
