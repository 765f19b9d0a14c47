//! Nearest bags by the parts they share.
//!
//! Bags without a common part are at the maximum distance, so only those with one are examined, the rarest parts
//! first. A search that may not examine all of them stops at parts that are too common, and measures the samples that
//! share most of the other parts.

use super::bag::Bags;
use crate::dissimilarity::{Index, Nearest, Query};
use crate::sample::Sample;
use crate::select::keep_smallest;

/// Entries of the sample lists read per sample that may be examined.
const READ: usize = 32;
/// Sums of the same terms in different orders differ by less.
const ROUNDING: f64 = 1e-9;

/// Many bags, the first `counting` of which count as neighbors.
pub(super) struct BagIndex<S: ?Sized> {
    bags: Bags<S>,
    counting: usize,
}

impl<S: ?Sized + Sample> BagIndex<S> {
    pub(super) fn new(bags: Bags<S>, counting: usize) -> Self {
        Self { bags, counting }
    }
}

impl<S: ?Sized + Sample> Index<S> for BagIndex<S> {
    fn nearest(&self, one: &S, query: &Query) -> Nearest {
        let all = &self.bags.all;
        let made;
        let bag = if let Some(own) = query.skip {
            &all[own as usize]
        } else {
            made = self.bags.sight.bag(one);
            &made
        };
        let mut lists: Vec<(f64, &[(u32, f64)])> =
            bag.0.iter().map(|(part, root)| (*root, self.bags.having(*part))).collect();
        lists.sort_by_key(|list| list.1.len());
        let most = if query.visits == Query::ALL { usize::MAX } else { query.visits.saturating_mul(READ) };
        let mut sums = vec![0.0; all.len()];
        let (mut touched, mut read, mut own, mut is_whole) = (Vec::new(), 0, 0.0, true);
        for (root, list) in lists {
            if read + list.len() > most {
                is_whole = false;
                break;
            }
            read += list.len();
            own += root * root;
            for &(sample, other) in list {
                let sum = &mut sums[sample as usize];
                if *sum <= 0.0 {
                    touched.push(sample);
                }
                *sum += root * other;
            }
        }
        let counts = |i: &u32| (*i as usize) < self.counting && Some(*i) != query.skip;
        let negative = |i: &u32| (*i, -sums[*i as usize]);
        let mut likely: Vec<(u32, f64)> = touched.iter().filter(|i| counts(i)).map(negative).collect();
        let wanted = if is_whole { query.k } else { query.visits.max(query.k) };
        let others = likely.clone();
        keep_smallest(&mut likely, wanted);
        if let Some(last) = likely.last().map(|l| l.1).filter(|_| is_whole && likely.len() == wanted) {
            // Rounding must not decide between ties.
            likely = others.into_iter().filter(|l| l.1 <= last + ROUNDING).collect();
        }
        // Bags without a common part are at the largest distance, in index order.
        let missing = query.k.saturating_sub(likely.len());
        let untouched = (0..self.counting as u32).filter(|i| counts(i) && sums[*i as usize] <= 0.0);
        likely.extend(untouched.take(missing).map(|i| (i, 0.0)));
        let measure = |i: u32| (i, bag.distance(&all[i as usize].0));
        let mut found: Vec<(u32, f64)> = likely.into_iter().map(|l| measure(l.0)).collect();
        // A copy shares as much as the bag shares with itself.
        let is_like = |i: &&u32| **i as usize >= self.counting && sums[**i as usize] >= own - ROUNDING;
        let apart: Vec<(u32, f64)> = touched.iter().filter(is_like).map(|i| measure(*i)).collect();
        let measured = found.len() + apart.len();
        let near = found.iter().chain(&apart).filter(|f| f.1 <= query.close);
        let mut close: Vec<u32> = near.map(|f| f.0).collect();
        close.sort_unstable();
        keep_smallest(&mut found, query.k);
        Nearest { found, close, measured }
    }

    fn leaf_rank(&self, _one: &S) -> u32 {
        0
    }

    fn order(&self) -> Vec<u32> {
        (0..self.counting as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::bag::BagView;
    use super::super::{Sight, TextSight};
    use super::*;
    use crate::dissimilarity::Dissimilarity as _;
    use crate::random::Random;

    fn words(count: usize, seed: u64) -> Vec<String> {
        let mut r = Random::new(seed);
        let mut word = || (0..3 + r.below(6)).map(|_| char::from(b'a' + r.below(5) as u8)).collect();
        (0..count).map(|_| word()).collect()
    }

    #[test]
    fn all_that_share_a_part_are_found_as_by_looking_at_all() {
        let mut many = words(300, 1);
        many.push("zzzz".to_owned());
        let view = BagView(Arc::new(TextSight) as Arc<dyn Sight<str>>);
        let refs: Vec<&str> = many.iter().map(String::as_str).collect();
        let counting = 250;
        let index = view.index(&refs, counting).unwrap();
        let queries = words(40, 2);
        for one in queries.iter().map(String::as_str).chain(["qqq", "", refs[270], refs[3]]) {
            let query = Query { k: 12, skip: None, visits: Query::ALL, close: 0.0 };
            let near = index.nearest(one, &query);
            let mut plain: Vec<(u32, f64)> =
                refs.iter().zip(0..).map(|(other, i)| (i, view.between(one, other))).collect();
            let close: Vec<u32> = plain.iter().filter(|p| p.1 <= 0.0).map(|p| p.0).collect();
            assert_eq!(near.close, close, "{one}");
            plain.truncate(counting);
            keep_smallest(&mut plain, 12);
            assert_eq!(near.found, plain, "{one}");
        }
        let query = Query { k: 5, skip: Some(7), visits: Query::ALL, close: 0.0 };
        assert!(index.nearest(refs[7], &query).found.iter().all(|f| f.0 != 7));
    }

    #[test]
    fn a_search_that_may_not_look_at_all_finds_most() {
        let many = words(2000, 3);
        let view = BagView(Arc::new(TextSight) as Arc<dyn Sight<str>>);
        let refs: Vec<&str> = many.iter().map(String::as_str).collect();
        let index = view.index(&refs, refs.len()).unwrap();
        let mut found = 0;
        for one in &words(50, 4) {
            let find = |visits| index.nearest(one, &Query { k: 10, skip: None, visits, close: 0.0 });
            let (some, all) = (find(20), find(Query::ALL));
            assert!(some.measured < all.measured + 40);
            let last = all.found[9].1;
            found += some.found.iter().filter(|f| f.1 <= last).count();
        }
        assert!(found >= 350, "{found} of 500");
    }
}
