//! Proposals of new regions: rejected samples that are as close to each other as nominals are, and that keep coming.

use crate::error::Result;
use crate::model::Model;
use crate::sample::SampleSet;
use crate::stats::percentile;

/// Fewest samples of a proposal.
pub(super) const MIN_GROUP: usize = 15;

/// Groups among the rejected samples, by their places: components of the graph of pairs that are not farther apart than nine
/// tenths of as many nominals are from their nearest. A group must last: the middle eight tenths of its times span `least_span`.
pub(super) fn proposals<X: SampleSet>(
    model: &Model<X>,
    rejected: &X,
    times: &[u64],
    least_span: f64,
) -> Result<Vec<Vec<usize>>> {
    let n = rejected.count();
    let trimmed = model.trimmed();
    let kept: Vec<usize> =
        (0..model.reference().count()).filter(|i| trimmed.binary_search(&(*i as u32)).is_err()).collect();
    if n < MIN_GROUP || kept.len() < 2 {
        return Ok(Vec::new());
    }
    let some = n.min(kept.len()).max(2);
    let nominals: Vec<&X::Item> =
        (0..some).map(|i| model.reference().sample(kept[i * (kept.len() - 1) / (some - 1)])).collect();
    let mut nearest: Vec<f64> = Vec::with_capacity(some);
    for (i, row) in distances(model, &nominals).iter().enumerate() {
        let others = row.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, d)| *d);
        nearest.push(others.fold(f64::INFINITY, f64::min));
    }
    let reach = percentile(&mut nearest, 90.0);
    let conformed = model.reference().conform(rejected)?;
    let labels = components(&distances(model, &conformed.refs()), reach);
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (i, &label) in labels.iter().enumerate() {
        groups[label].push(i);
    }
    let lasts = |group: &Vec<usize>| {
        let own = || group.iter().map(|&i| times[i] as f64).collect::<Vec<f64>>();
        group.len() >= MIN_GROUP && percentile(&mut own(), 90.0) - percentile(&mut own(), 10.0) >= least_span
    };
    Ok(groups.into_iter().filter(lasts).collect())
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

/// The component of each vertex, by its smallest one, in the graph of pairs not farther apart than `reach`.
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
