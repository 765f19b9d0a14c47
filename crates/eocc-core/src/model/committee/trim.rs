//! Trimming: which training samples are excluded as neighbors.
//!
//! Outliers among the training samples come in clumps, and a clump makes itself look nominal. So the fraction `q` that
//! lies farthest out is excluded from all lists. A sample's distance to one of its farther neighbors, so far down the
//! list that no clump reaches it, says how far out the sample lies. Neighbors are sought among at most 512 samples,
//! chosen by content, not position. Each view ranks the samples by that distance, and the logarithms of the ranks are
//! added.
//!
//! If the contamination is unknown, the neighbor a tenth of the way down the list is used, and trimming spreads to
//! whole clumps: a sample is also trimmed if at least a quarter of its *ring*, its ten nearest neighbors, is, until
//! nothing changes. If that would trim more than a tenth of all samples, these are taken to be nominal, and only those
//! farthest out are trimmed.

use super::neighbors::Neighbors;
use crate::error::Result;
use crate::parallel;
use crate::random::mix;
use crate::sample::Sample;

/// The fraction trimmed by default.
const SHARE: f64 = 0.02;
/// The fraction trimmed, as a multiple of the given contamination.
const MULTIPLE: f64 = 2.0;
/// But at most this.
const MAX_SHARE: f64 = 0.5;
/// Samples among which neighbors are sought.
const SUBSET: usize = 512;
/// The rank of the neighbor whose distance is used, as a multiple of the size of the largest possible clump.
const CLUMP: f64 = 1.5;
/// But at least this rank.
const MIN_NEIGHBORS: usize = 5;
/// This rank if the contamination is unknown, as a fraction of the samples among which it is sought.
const FARTHER: f64 = 0.1;
/// The number of neighbors in a ring.
pub(super) const RING: usize = 10;
/// A sample is also trimmed if at least this fraction of its ring is.
const CLUMP_SHARE: f64 = 0.25;
/// This is undone if it would trim more than this fraction of all samples.
const MAX_CLUMPS: f64 = 0.1;
/// Samples ranked by one task.
const GRAIN: usize = 4096;
/// Minimum number of samples to keep.
const MIN_KEPT: usize = 4;

/// The fraction of the training samples to trim, given the expected fraction of outliers.
fn share(contamination: Option<f64>) -> f64 {
    contamination.map_or(SHARE, |c| (MULTIPLE * c).min(MAX_SHARE))
}

/// Some of the samples `0..n`, ascending: those with the smallest content hashes, or evenly spaced ones if hashes are
/// not available. The hashes of equal samples are mixed with a counter, so the subset contains them in proportion.
fn subset(n: usize, count: usize, content: &dyn Fn(usize) -> Option<u64>) -> Vec<u32> {
    let evenly = || (0..count).map(|i| (i * n / count) as u32).collect();
    if count == n {
        return evenly();
    }
    let Some(mut hashes) = (0..n).map(|i| Some((content(i)?, i as u32))).collect::<Option<Vec<_>>>() else {
        return evenly();
    };
    hashes.sort_unstable();
    let mut keys: Vec<(u64, u32)> = Vec::with_capacity(n);
    let mut first = 0;
    for (at, &(hash, i)) in hashes.iter().enumerate() {
        if hash != hashes[first].0 {
            first = at;
        }
        keys.push((mix(hash ^ mix((at - first) as u64)), i));
    }
    keys.select_nth_unstable(count);
    let mut subset: Vec<u32> = keys[..count].iter().map(|key| key.1).collect();
    subset.sort_unstable();
    subset
}

/// Indices of the samples to keep, ascending, by the views and their weights; `content` hashes a sample.
pub(super) fn kept<S: ?Sized + Sample>(
    views: &[(f64, Neighbors<'_, S>)],
    n: usize,
    content: &dyn Fn(usize) -> Option<u64>,
    contamination: Option<f64>,
) -> Result<Vec<u32>> {
    let share = share(contamination);
    // Allows for rounding: 2 % of 50 is one.
    let trimmed = (share * n as f64 + 1e-9).floor() as usize;
    if trimmed == 0 || n - trimmed < MIN_KEPT {
        return Ok((0..n as u32).collect());
    }
    let count = n.min(SUBSET);
    let subset = subset(n, count, content);
    let farther = if contamination.is_none() { (FARTHER * count as f64) as usize } else { 0 };
    let k = ((CLUMP * share * count as f64) as usize).max(MIN_NEIGHBORS).max(farther).min(count - 2);
    let ring = if contamination.is_none() { RING.min(count - 2) } else { 0 };
    let mut far = vec![0.0; n];
    let mut rings = Vec::with_capacity(views.len());
    for (weight, view) in views {
        let found = view.near_and_far(&subset, k, ring)?;
        let distances: Vec<f64> = found.iter().map(|f| f.0).collect();
        let sorted = ascending(&distances);
        let logs = parallel::map(n, GRAIN, &|i| {
            let nearer = sorted.partition_point(|d| *d < distances[i]);
            ((n - nearer) as f64 / (n as f64 + 1.0)).ln()
        });
        far.iter_mut().zip(logs).for_each(|(far, log)| *far -= weight * log);
        rings.push((*weight, found.into_iter().map(|f| f.1).collect()));
    }
    // Equal samples are trimmed together or not at all.
    let limit = ascending(&far)[n - trimmed - 1];
    let farthest: Vec<bool> = far.iter().map(|f| *f > limit).collect();
    let trimmed = if ring == 0 { farthest } else { with_their_clumps(farthest, &rings) };
    Ok((0..n as u32).filter(|i| !trimmed[*i as usize]).collect())
}

/// The ring of each sample.
type Rings = Vec<Vec<u32>>;

/// The trimmed samples plus, repeatedly, every sample with at least a quarter of its ring trimmed (a weighted mean over
/// the views); without the latter if they are too many.
///
/// Each trimmed sample is visited once, so the time is that of reading all rings.
fn with_their_clumps(farthest: Vec<bool>, views: &[(f64, Rings)]) -> Vec<bool> {
    let n = farthest.len();
    let weights: f64 = views.iter().map(|v| v.0).sum();
    let most = MAX_CLUMPS * n as f64 + 1e-9;
    // For each view and sample, which samples have it in their ring, and how many of its own ring are trimmed.
    let has: Vec<Having> = parallel::map(views.len(), 1, &|view| Having::new(&views[view].1));
    let mut gone = vec![vec![0_u32; n]; views.len()];
    let mut trimmed = farthest.clone();
    let mut waiting: Vec<usize> = (0..n).filter(|&i| trimmed[i]).collect();
    let mut count = waiting.len();
    while let Some(j) = waiting.pop() {
        for (has, gone) in has.iter().zip(&mut gone) {
            has.get(j).iter().for_each(|&i| gone[i as usize] += 1);
        }
        for &i in has.iter().flat_map(|has| has.get(j)) {
            let i = i as usize;
            let of_view = |((weight, rings), gone): (&(f64, Rings), &Vec<u32>)| {
                weight * f64::from(gone[i]) / rings[i].len() as f64
            };
            let share = views.iter().zip(&gone).map(of_view).sum::<f64>() / weights;
            if !trimmed[i] && share >= CLUMP_SHARE - 1e-9 {
                trimmed[i] = true;
                waiting.push(i);
                count += 1;
            }
        }
        if count as f64 > most {
            return farthest;
        }
    }
    trimmed
}

/// For each sample, the samples that have it in their ring, ascending; all in one list.
struct Having {
    /// Where the list of each sample begins; at the end, where the last one ends.
    starts: Vec<usize>,
    samples: Vec<u32>,
}

impl Having {
    fn new(rings: &Rings) -> Self {
        let mut starts = vec![0; rings.len() + 1];
        rings.iter().flatten().for_each(|&j| starts[j as usize + 1] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut next = starts.clone();
        let mut samples = vec![0; end];
        for (i, ring) in (0..).zip(rings) {
            for &j in ring {
                samples[next[j as usize]] = i;
                next[j as usize] += 1;
            }
        }
        Self { starts, samples }
    }

    fn get(&self, j: usize) -> &[u32] {
        &self.samples[self.starts[j]..self.starts[j + 1]]
    }
}

fn ascending(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round by round until nothing changes.
    fn plain(farthest: &[bool], views: &[(f64, Rings)]) -> Vec<bool> {
        let weights: f64 = views.iter().map(|v| v.0).sum();
        let mut trimmed = farthest.to_vec();
        loop {
            let share = |i: usize| {
                let of_view = |(weight, rings): &(f64, Rings)| {
                    let gone = rings[i].iter().filter(|j| trimmed[**j as usize]).count();
                    weight * gone as f64 / rings[i].len() as f64
                };
                views.iter().map(of_view).sum::<f64>() / weights
            };
            let next: Vec<bool> =
                (0..trimmed.len()).map(|i| trimmed[i] || share(i) >= CLUMP_SHARE - 1e-9).collect();
            if next == trimmed {
                let count = trimmed.iter().filter(|t| **t).count() as f64;
                return if count > MAX_CLUMPS * trimmed.len() as f64 { farthest.to_vec() } else { trimmed };
            }
            trimmed = next;
        }
    }

    #[test]
    fn the_subset_goes_by_content_and_not_by_place() {
        let mut r = crate::random::Random::new(6);
        // 600 of 2000 samples are equal.
        let content: Vec<u64> = (0..2000).map(|i| if i % 10 < 3 { 7 } else { i }).collect();
        let held = |content: &[u64]| {
            let subset = subset(content.len(), 512, &|i| Some(mix(content[i])));
            assert!(subset.is_sorted() && subset.len() == 512);
            let mut held: Vec<u64> = subset.iter().map(|&i| content[i as usize]).collect();
            held.sort_unstable();
            held
        };
        let expected = held(&content);
        let equal = expected.iter().filter(|c| **c == 7).count();
        assert!((100..210).contains(&equal), "{equal} of 512 are of those");
        for _ in 0..5 {
            let mut shuffled = content.clone();
            r.shuffle(&mut shuffled);
            assert_eq!(held(&shuffled), expected);
        }
        assert_eq!(subset(6, 3, &|_| None), [0, 2, 4]);
    }

    #[test]
    fn clumps_as_round_by_round() {
        let mut r = crate::random::Random::new(5);
        let mut grown = 0;
        for run in 0..200 {
            let n = 60 + run;
            // Neighbors close by, so that trimming spreads.
            let mut ring = |i: usize| -> Vec<u32> { (0..4).map(|_| ((i + r.below(7)) % n) as u32).collect() };
            let mut rings = || -> Rings { (0..n).map(&mut ring).collect() };
            let views = vec![(1.0, rings()), (0.5, rings()), (1.0 / 6.0, rings())];
            let farthest: Vec<bool> = (0..n).map(|_| r.below(40 + 4 * run) == 0).collect();
            let fast = with_their_clumps(farthest.clone(), &views);
            assert_eq!(fast, plain(&farthest, &views), "run {run}");
            grown += usize::from(fast != farthest);
        }
        assert!(grown > 0, "no clump ever grew");
    }
}
