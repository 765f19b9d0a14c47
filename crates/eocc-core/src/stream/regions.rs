//! Proposals of new regions: rejected samples that are as close to each other as nominals are, and that keep coming.

use crate::dissimilarity::Prepared;
use crate::error::Result;
use crate::model::Model;
use crate::sample::SampleSet;
use crate::stats::percentile;

/// Minimum number of samples of a proposal.
pub(super) const MIN_GROUP: usize = 15;

/// The scores below this percentile are at the border of the nominals, the others are their core.
const CORE: f64 = 20.0;

/// Groups of rejected samples, by index: the components of the graph that joins two samples if they are no farther apart than most
/// nominals are from their nearest among equally many. `known_reach` caches that distance for their number. A group must last: the
/// middle eight tenths of its times span `least_span`. And it must be apart from the nominals ([`Known::is_apart`]).
pub(super) fn proposals<X: SampleSet>(
    model: &Model<X>,
    rejected: &X,
    times: &[u64],
    least_span: f64,
    known_reach: &mut Option<(usize, f64)>,
) -> Result<Vec<Vec<usize>>> {
    let n = rejected.count();
    let kept = kept(model);
    if n < MIN_GROUP || kept.len() < 2 {
        return Ok(Vec::new());
    }
    let some = n.min(kept.len()).max(2);
    let reach = match *known_reach {
        Some((count, reach)) if count == some => reach,
        _ => reach_of(model, &kept, some),
    };
    *known_reach = Some((some, reach));
    let conformed = model.reference().conform(rejected)?;
    let refs = conformed.refs();
    let distances = distances(model, &refs);
    let labels = components(&distances, reach);
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (i, &label) in labels.iter().enumerate() {
        groups[label].push(i);
    }
    let lasts = |group: &Vec<usize>| {
        let own = || group.iter().map(|&i| times[i] as f64).collect::<Vec<f64>>();
        group.len() >= MIN_GROUP && percentile(&mut own(), 90.0) - percentile(&mut own(), 10.0) >= least_span
    };
    groups.retain(lasts);
    if !groups.is_empty() {
        let known = Known::new(model, &kept, reach);
        groups.retain(|group| {
            let members: Vec<&X::Item> = group.iter().map(|&i| refs[i]).collect();
            let (first, last) = group
                .iter()
                .fold((u64::MAX, 0), |(first, last), &i| (first.min(times[i]), last.max(times[i])));
            known.is_apart(&members, refs[medoid(group, &distances)], (last - first + 1) as f64)
        });
    }
    Ok(groups)
}

/// The samples of the window that are not trimmed.
fn kept<X: SampleSet>(model: &Model<X>) -> Vec<usize> {
    let trimmed = model.trimmed();
    (0..model.reference().count()).filter(|i| trimmed.binary_search(&(*i as u32)).is_err()).collect()
}

/// The member of a group with the least median distance to the others.
fn medoid(group: &[usize], distances: &[Vec<f64>]) -> usize {
    let middle =
        |i: usize| percentile(&mut group.iter().map(|&j| distances[i][j]).collect::<Vec<f64>>(), 50.0);
    let middles: Vec<(f64, usize)> = group.iter().map(|&i| (middle(i), i)).collect();
    middles.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, i)| i)
}

/// The window, which groups of rejected samples are compared with.
struct Known<'a, X: SampleSet> {
    window: Vec<&'a X::Item>,
    prepared: Box<dyn Prepared<X::Item> + 'a>,
    kept: &'a [usize],
    /// The kept samples except the border.
    core: Vec<usize>,
    reach: f64,
}

impl<'a, X: SampleSet> Known<'a, X> {
    fn new(model: &'a Model<X>, kept: &'a [usize], reach: f64) -> Self {
        let window: Vec<&X::Item> =
            (0..model.reference().count()).map(|i| model.reference().sample(i)).collect();
        let scores = model.training_scores();
        let border = percentile(&mut kept.iter().map(|&i| scores[i]).collect::<Vec<f64>>(), CORE);
        let core = kept.iter().copied().filter(|&i| scores[i] >= border).collect();
        Self { prepared: model.dissimilarity().prepare(&window), window, kept, core, reach }
    }

    fn distances(&self, sample: &X::Item) -> Vec<f64> {
        let mut row = vec![0.0; self.window.len()];
        self.prepared.fill(sample, 0..row.len(), &mut row);
        row
    }

    /// Whether a group is apart from the nominals: most members have no kept sample within reach, and in the time of the group
    /// fewer samples came between its medoid and the nearest of the core than to the group. Samples beyond the
    /// threshold on one side of a region fail this: more samples of that side lie within the threshold than beyond it.
    fn is_apart(&self, members: &[&X::Item], medoid: &X::Item, span: f64) -> bool {
        let is_alone = |member: &&&X::Item| {
            let row = self.distances(member);
            self.kept.iter().all(|&i| row[i] > self.reach)
        };
        if 2 * members.iter().filter(is_alone).count() <= members.len() {
            return false;
        }
        let of_medoid = self.distances(medoid);
        let nearest = self.core.iter().copied().min_by(|&a, &b| of_medoid[a].total_cmp(&of_medoid[b]));
        let Some(nearest) = nearest else { return false };
        let of_nearest = self.distances(self.window[nearest]);
        let length = of_medoid[nearest];
        let is_between = |i: &usize| *i != nearest && of_medoid[*i] < length && of_nearest[*i] < length;
        let between = (0..self.window.len()).filter(is_between).count();
        between as f64 * span / self.window.len() as f64 <= members.len() as f64
    }
}

/// The distance within which nine tenths of a subset of the nominals have another member of it.
fn reach_of<X: SampleSet>(model: &Model<X>, kept: &[usize], some: usize) -> f64 {
    let nominals: Vec<&X::Item> =
        (0..some).map(|i| model.reference().sample(kept[i * (kept.len() - 1) / (some - 1)])).collect();
    let mut nearest: Vec<f64> = Vec::with_capacity(some);
    for (i, row) in distances(model, &nominals).iter().enumerate() {
        let others = row.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, d)| *d);
        nearest.push(others.fold(f64::INFINITY, f64::min));
    }
    percentile(&mut nearest, 90.0)
}

/// All distances among samples.
fn distances<X: SampleSet>(model: &Model<X>, samples: &[&X::Item]) -> Vec<Vec<f64>> {
    let prepared = model.dissimilarity().prepare(samples);
    crate::parallel::map(samples.len(), 8, &|i| {
        let mut row = vec![0.0; samples.len()];
        prepared.fill(samples[i], 0..samples.len(), &mut row);
        row
    })
}

/// The component of each vertex, named by its smallest vertex, in the graph of pairs not farther apart than `reach`.
fn components(distances: &[Vec<f64>], reach: f64) -> Vec<usize> {
    let n = distances.len();
    let mut label = vec![usize::MAX; n];
    for start in 0..n {
        if label[start] != usize::MAX {
            continue;
        }
        label[start] = start;
        let mut queue = vec![start];
        while let Some(i) = queue.pop() {
            for (j, distance) in distances[i].iter().enumerate() {
                if label[j] == usize::MAX && *distance <= reach {
                    label[j] = start;
                    queue.push(j);
                }
            }
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_by_hand() {
        let places = [0.0, 5.0, 1.0, 6.0, 2.0, 9.0_f64];
        let distances: Vec<Vec<f64>> =
            places.iter().map(|a| places.iter().map(|b| (a - b).abs()).collect()).collect();
        assert_eq!(components(&distances, 1.0), [0, 1, 0, 1, 0, 5]);
    }
}
