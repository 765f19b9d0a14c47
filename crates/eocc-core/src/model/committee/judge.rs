//! The committee as the judge of a model: regions from the graph of its first view, memberships from its scores.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::super::Model;
use super::super::graph::Graph;
use super::super::judge::{Judge, JudgeKind, Judged, Judgment, Reasons, Stored, Task};
use super::super::reference::{MAX_DISTANCE, Reference, normalize};
use super::verdict::Verdict;
use super::{Committee, PreparedViews, fit, store};
use crate::calibration::Calibration;
use crate::dissimilarity::{Prepared, SEEN_WHOLE, Sight};
use crate::error::Result;
use crate::file::Contents;
use crate::knn::KnnLists;
use crate::membership::{Membership, Scale, log_degree};
use crate::observer::Observer;
use crate::params::Scoring;
use crate::region::Region;
use crate::sample::SampleSet;

/// Number of nominals that determine what is typical of all.
const TYPICAL_SAMPLES: usize = 64;

/// A committee and the training samples it learned from.
pub struct CommitteeJudge<X: SampleSet> {
    pub(super) reference: Reference<X>,
    pub(super) committee: Committee,
    pub(super) graph: Graph,
    /// `l`, the percentile that gives a region's threshold.
    pub(super) percentile: f64,
    pub(super) calibration: Calibration,
    /// The training samples prepared for each view, on the first sample.
    pub(super) views: OnceLock<PreparedViews<X::Item>>,
    /// The lists of the training samples in each view, for callers that maintain them.
    pub(super) view_lists: Vec<KnnLists>,
    /// These samples prepared for each view, for the same.
    pub(super) view_prepared: Vec<Box<dyn Prepared<X::Item>>>,
}

impl<X: SampleSet> CommitteeJudge<X> {
    fn prepared(&self) -> &PreparedViews<X::Item> {
        self.views.get_or_init(|| {
            PreparedViews::new(&self.committee, self.reference.measure(), &self.reference.samples.refs())
        })
    }

    /// The bag and summary it uses besides the dissimilarities.
    fn sight(&self) -> Option<&dyn Sight<X::Item>> {
        // Without them, nothing needs to be prepared.
        self.reference.measure().sight()?;
        self.prepared().sight.as_deref()
    }

    /// The training sample with this index.
    fn original<'a>(&'a self) -> impl Fn(u32) -> &'a X::Item {
        |i| self.reference.samples.sample(i as usize)
    }

    /// The share of each feature in a view: how much more it contributes to the distances of this sample than to those of a
    /// typical nominal. A feature in which all samples differ, such as a name, explains nothing.
    fn excess(&self, view: usize, parts: &[f64]) -> Vec<f64> {
        if parts.is_empty() {
            return Vec::new();
        }
        let typical = &self.typical()[view];
        let mut excess: Vec<f64> =
            (0..parts.len()).map(|f| (parts[f] - typical.get(f).copied().unwrap_or(0.0)).max(0.0)).collect();
        if excess.iter().all(|e| *e <= 0.0) {
            excess = parts.to_vec();
        }
        normalize(&mut excess);
        excess
    }

    /// The mean contribution of each feature, view by view, to the distances between nominals that are close in the first view.
    fn typical(&self) -> &[Vec<f64>] {
        let views = self.prepared();
        views.typical.get_or_init(|| {
            let (kept, samples, lists) = (&self.committee.kept, &self.reference.samples, &self.graph.lists);
            let width = self.committee.ring_size.min(lists.width());
            let step = kept.len().div_ceil(TYPICAL_SAMPLES).max(1);
            let of_view = |view: usize| {
                let mut mean = Vec::new();
                if views.feature(view).is_some() {
                    return mean;
                }
                let measure = views.measure(view);
                for &i in kept.iter().step_by(step) {
                    let one = samples.sample(i as usize);
                    let near = lists.neighbors(i as usize, width).iter();
                    let ring: Vec<(u32, f64)> =
                        near.map(|&j| (j, measure.between(one, samples.sample(j as usize)))).collect();
                    add(&mut mean, 1.0, &self.reference.parts(measure, one, &ring));
                }
                let count = kept.len().div_ceil(step) as f64;
                for m in &mut mean {
                    *m /= count;
                }
                mean
            };
            (0..self.committee.members.len()).map(of_view).collect()
        })
    }

    /// The membership of an oddity in a region: the fuzzy set is over the scores of its vertices.
    pub(crate) fn judgment(&self, region: u32, oddity: f64) -> Judgment {
        let region = region as usize;
        let fuzzy = &self.graph.regions[region].fuzzy;
        let difference = fuzzy.difference(-oddity);
        Judgment {
            score: (-oddity).max(-MAX_DISTANCE),
            membership: log_degree(difference, fuzzy.threshold).exp(),
            region,
            is_central: difference <= fuzzy.threshold,
        }
    }
}

impl<X: SampleSet> Judge<X> for CommitteeJudge<X> {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn reference(&self) -> &Reference<X> {
        &self.reference
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn prepare(&self, _scoring: Scoring, _observer: &dyn Observer) -> Result<()> {
        self.prepared();
        Ok(())
    }

    fn judge(&self, samples: &[&X::Item], _scoring: Scoring) -> Result<Judged> {
        let (verdicts, measured) =
            self.committee.judge(samples, &self.original(), self.reference.measure(), self.prepared())?;
        let judgment = |verdict: &Verdict| {
            let near = nearest_training_sample(verdict);
            self.judgment(self.committee.region_of[near as usize], verdict.oddity)
        };
        Ok(Judged { judgments: verdicts.iter().map(judgment).collect(), measured })
    }

    fn order(&self, samples: &[&X::Item]) -> Vec<u32> {
        self.prepared().order(samples)
    }

    fn spares_comparisons(&self, _scoring: Scoring) -> bool {
        self.reference.measure.has_bounds()
    }

    fn training(&self) -> Vec<Judgment> {
        let pairs = self.committee.region_of.iter().zip(&self.committee.oddity);
        pairs.map(|(region, oddity)| self.judgment(*region, *oddity)).collect()
    }

    fn recalibrate(&mut self, scores: Vec<f64>) {
        self.committee.oddity = scores.iter().map(|s| -s).collect();
        let members = self.graph.regions.iter().map(|r| r.vertices.clone()).collect();
        self.graph.regions = regions_by_score(self.percentile, &self.graph.lists, members, &scores);
        self.calibration = Calibration::new(scores);
    }

    /// The nearest in the first view; and the shares of the features in the contributions of each view, each panel
    /// and the changed features.
    fn reasons(&self, sample: &X::Item, count: usize) -> Result<Reasons> {
        Ok(self.explain(sample, count, Scoring::Fast)?.1)
    }

    /// The nearest in the first view; and the shares of the features in the contributions of each view, each panel and the
    /// changed features.
    fn explain(&self, sample: &X::Item, count: usize, _scoring: Scoring) -> Result<(usize, Reasons)> {
        let (committee, views, reference) = (&self.committee, self.prepared(), &self.reference);
        let (verdict, nearest) =
            committee.judge_as_new(sample, &self.original(), reference.measure(), views, count + 1)?;
        let region = committee.region_of[nearest_training_sample(&verdict) as usize];
        let mut reasons = Reasons::default();
        let mut contributions = verdict.contributions.iter().copied();
        for ((v, mut near), contribution) in nearest.into_iter().enumerate().zip(contributions.by_ref()) {
            near.retain(|n| Some(n.0) != verdict.copy_of);
            let ring = &near[..near.len().min(committee.ring_size)];
            let shares = match views.feature(v) {
                Some(feature) => (0..=feature).map(|f| f64::from(u8::from(f == feature))).collect(),
                None => self.excess(v, &reference.parts(views.measure(v), sample, ring)),
            };
            add(&mut reasons.shares, contribution, &shares);
            if v == 0 {
                near.truncate(count);
                reasons.nearest = near;
            }
        }
        for ((member, panel), contribution) in
            committee.panels.iter().zip(&views.panels).zip(&mut contributions)
        {
            let largest = member.largest_of(&panel.scores(sample, committee.few));
            let all: f64 = largest.iter().map(|l| l.1).sum();
            for (score, tail) in largest.into_iter().filter(|l| l.1 > 0.0) {
                let features = panel.features(score);
                let own = restricted(&reasons.shares, &features);
                add(&mut reasons.shares, contribution * tail / all, &own);
            }
        }
        let changed = views.changed.as_ref().map_or_else(Vec::new, |changed| (changed.of)(sample));
        let of_changes = contributions.next().unwrap_or(0.0);
        for &f in &changed {
            if let Some(share) = reasons.shares.get_mut(f) {
                *share += of_changes / changed.len() as f64;
            }
        }
        normalize(&mut reasons.shares);
        Ok((region as usize, reasons))
    }

    fn central_boundary(&self) -> f64 {
        let of_region = |r: &Region| r.fuzzy.largest - r.fuzzy.threshold;
        self.graph.regions.iter().map(of_region).fold(f64::INFINITY, f64::min)
    }

    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn share_names(&self) -> Vec<String> {
        self.sight().map_or_else(|| self.reference.samples().share_names(), Sight::names)
    }

    fn share_values(&self, sample: &X::Item) -> Option<Vec<f64>> {
        let values = self.sight()?.values(sample);
        Some([f64::NAN; SEEN_WHOLE].into_iter().chain(values).collect())
    }

    fn describe(&self) -> String {
        match self.committee.members.len() + self.committee.panels.len() {
            1 => "the scores in 1 view".to_owned(),
            views => format!("the scores in {views} views"),
        }
    }

    fn views(&self) -> Vec<(String, f64)> {
        let views = self.committee.members.iter().map(|m| (m.name.clone(), m.weight));
        views.chain(self.committee.panels.iter().map(|p| (p.name.clone(), p.weight))).collect()
    }

    fn trimmed(&self) -> &[u32] {
        &self.committee.trimmed
    }

    fn write(&self, out: &mut Contents) -> Result<Value> {
        store::write(self, out)
    }
}

impl<X: SampleSet> JudgeKind<X> for CommitteeJudge<X> {
    const NAME: &'static str = "committee";

    fn train(task: Task<'_, X>) -> Result<Model<X>> {
        fit::fit(task)
    }

    fn read(stored: Stored<'_, X>) -> Result<Self> {
        store::read(stored)
    }
}

/// The training sample that equals the sample, or else the closest.
fn nearest_training_sample(verdict: &Verdict) -> u32 {
    verdict.copy_of.or(verdict.nearest.first().map(|n| n.0)).unwrap_or(0)
}

/// Adds shares, which sum to 1, times their total.
fn add(all: &mut Vec<f64>, factor: f64, shares: &[f64]) {
    all.resize(shares.len().max(all.len()), 0.0);
    all.iter_mut().zip(shares).for_each(|(all, share)| *all += factor * share);
}

/// Shares of some features in proportion to their present ones; equal if those are all 0.
fn restricted(shares: &[f64], features: &[usize]) -> Vec<f64> {
    let mut own = vec![0.0; shares.len()];
    let of = |f: &usize| shares.get(*f).copied().unwrap_or(0.0);
    let sum: f64 = features.iter().map(of).sum();
    for f in features.iter().filter(|f| **f < shares.len()) {
        own[*f] = if sum > 0.0 { shares[*f] / sum } else { 1.0 / features.len() as f64 };
    }
    own
}

/// Regions in which the centrality of a vertex is its committee score.
pub(super) fn regions_by_score(
    percentile: f64,
    lists: &Arc<KnnLists>,
    members: Vec<Vec<u32>>,
    scores: &[f64],
) -> Vec<Region> {
    let region = |vertices: Vec<u32>| {
        let own: Vec<f64> = vertices.iter().map(|&v| scores[v as usize]).collect();
        let fuzzy = Membership::from_centrality(&own, Scale::Logarithmic, percentile);
        Region::new(vertices, lists.clone(), own, fuzzy)
    };
    members.into_iter().map(region).collect()
}
