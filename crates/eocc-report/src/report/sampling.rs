//! Which samples are drawn: all of a few thousand; beyond that, some of every region, and the most suspicious ones.

use eocc_core::Decision;

/// Maximum number of drawn training samples, and of new ones.
const MAX_TRAINING: usize = 2500;
const MAX_NEW: usize = 2500;

/// The samples that are drawn, as indices among all, ascending.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    pub(super) samples: Vec<usize>,
    /// How many of them are training samples.
    pub(super) training: usize,
}

impl Drawn {
    /// `keep` lists samples that must be included.
    pub(super) fn new(decisions: &[Decision], training: usize, keep: &[usize]) -> Self {
        let mut samples = chosen(decisions, 0..training, MAX_TRAINING, keep);
        let drawn = samples.len();
        samples.extend(chosen(decisions, training..decisions.len(), MAX_NEW, keep));
        Self { samples, training: drawn }
    }

    /// Notes about samples that are not drawn.
    pub(super) fn notes(&self, training: usize, all: usize) -> Vec<String> {
        let note = |drawn: usize, of: usize, what: &str| {
            (drawn < of).then(|| {
                format!(
                    "The map draws {drawn} of {of} {what}: some of every region, and the most suspicious ones. All other figures \
                     and the download of the scores count all of them."
                )
            })
        };
        let new = note(self.samples.len() - self.training, all - training, "new samples");
        note(self.training, training, "training samples").into_iter().chain(new).collect()
    }
}

/// About `most` of a range: a quarter are the lowest scores, the others evenly spaced by score within each region.
fn chosen(decisions: &[Decision], range: std::ops::Range<usize>, most: usize, keep: &[usize]) -> Vec<usize> {
    if range.len() <= most {
        return range.collect();
    }
    let mut order: Vec<usize> = range.clone().collect();
    order.sort_by(|&a, &b| decisions[a].score.total_cmp(&decisions[b].score).then(a.cmp(&b)));
    let rest = order.split_off(most / 4);
    let mut chosen = order;
    let regions = rest.iter().map(|&i| decisions[i].region).max().map_or(0, |r| r + 1);
    let mut of_region = vec![Vec::new(); regions];
    for &i in &rest {
        of_region[decisions[i].region].push(i);
    }
    let room = most - chosen.len();
    for members in of_region.into_iter().filter(|members| !members.is_empty()) {
        let share = (room * members.len() / rest.len()).max(1);
        chosen.extend(
            (0..share).map(|j| members[(j * members.len() + members.len() / 2) / share % members.len()]),
        );
    }
    chosen.extend(keep.iter().copied().filter(|i| range.contains(i)));
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_region_and_the_lowest_scores_are_drawn() {
        let any = super::super::any_decision();
        let decision = |i: usize| {
            let mut decision = any;
            decision.score = -((i * 7919 % 50_000) as f64);
            decision.region = usize::from(i == 31_415) + 2 * usize::from(i.is_multiple_of(3));
            decision
        };
        let decisions: Vec<Decision> = (0..50_000).map(decision).collect();
        let drawn = Drawn::new(&decisions, 50_000, &[123]);
        assert!((2400..=2510).contains(&drawn.samples.len()), "{}", drawn.samples.len());
        assert!(drawn.samples.is_sorted() && drawn.samples.contains(&123));
        let lowest = (0..50_000).min_by(|&a, &b| decisions[a].score.total_cmp(&decisions[b].score));
        assert!(drawn.samples.contains(&lowest.unwrap()));
        for region in 0..=2 {
            assert!(drawn.samples.iter().any(|&i| decisions[i].region == region), "{region}");
        }
        assert_eq!(drawn.notes(50_000, 50_000).len(), 1);
        assert!(Drawn::new(&decisions[..100], 60, &[]).notes(60, 100).is_empty());
    }
}
