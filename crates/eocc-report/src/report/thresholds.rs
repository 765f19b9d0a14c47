//! How many samples would be accepted at other thresholds.
//!
//! The paper's rule accepts a sample whose difference is at most the percentile `l` of the differences of its region;
//! the other rules accept a p-value above a reject rate, which is a percentile, too: `l = 100 (1 - rate)`.

use eocc_core::region::Centrality;
use eocc_core::stats::percentile;
use eocc_core::{AnyModel, Decision, Threshold};
use serde::Serialize;

use super::MAX_CURVES;

/// Counts at each position of the slider.
#[derive(Debug, Clone, Serialize)]
pub struct Slider {
    /// The positions: percentiles of the nominals, ascending.
    pub percentiles: Vec<f64>,
    /// The position of the model's own threshold.
    pub own: usize,
    /// Whether each region has its own threshold (the paper's rule), or all share one p-value.
    pub is_by_region: bool,
    /// Training samples that would be accepted.
    pub training: Vec<usize>,
    /// New samples that would be accepted, except those labelled as outliers.
    pub nominals: Option<Vec<usize>>,
    /// New samples labelled as outliers that would be accepted.
    pub outliers: Option<Vec<usize>>,
    /// How many samples there are: training, new, and new ones labelled as outliers.
    pub totals: [usize; 3],
    /// The difference up to which each of the largest regions accepts, at each position; `null` if it accepts
    /// nothing, or everything.
    pub boundaries: Vec<Vec<f64>>,
}

impl Slider {
    pub(super) fn new(
        model: &AnyModel,
        decisions: &[Decision],
        differences: &[f64],
        is_nominal: Option<&[bool]>,
    ) -> Self {
        let training = model.summary().samples;
        let (own, is_by_region) = own_percentile(model);
        let mut percentiles: Vec<f64> = (0..=100).map(f64::from).collect();
        if !percentiles.iter().any(|p| (p - own).abs() < 1e-9) {
            percentiles.push(own);
            percentiles.sort_by(f64::total_cmp);
        }
        let place = percentiles.iter().position(|p| (p - own).abs() < 1e-9).unwrap_or(0);
        let of_regions = region_differences(model);
        let at = |(i, l): (usize, &f64)| At::new(model, &of_regions, *l, is_by_region, i == place);
        let places: Vec<At> = percentiles.iter().enumerate().map(at).collect();
        let count = |from: usize, to: usize, is_wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
            let accepted = |at: &At| {
                (from..to).filter(|&i| is_wanted(i) && at.accepts(&decisions[i], differences[i])).count()
            };
            places.iter().map(accepted).collect()
        };
        let all = decisions.len();
        let is_outlier = |i: usize| is_nominal.is_some_and(|n| !n[i - training]);
        let outliers = (training..all).filter(|&i| is_outlier(i)).count();
        Self {
            own: place,
            is_by_region,
            training: count(0, training, &|_| true),
            nominals: (all > training).then(|| count(training, all, &|i| !is_outlier(i))),
            outliers: is_nominal.map(|_| count(training, all, &is_outlier)),
            totals: [training, all - training - outliers, outliers],
            boundaries: places.into_iter().map(|at| at.boundaries).collect(),
            percentiles,
        }
    }
}

/// The percentile of the model's own threshold, and whether each region has its own.
fn own_percentile(model: &AnyModel) -> (f64, bool) {
    match model.params().threshold {
        Threshold::Percentile => (model.params().percentile, true),
        Threshold::Reject(share) => (100.0 * (1.0 - share), false),
        Threshold::Contamination => {
            let share = model.calibration().share_of_lowest(model.params().contamination.unwrap_or(0.0));
            (100.0 * (1.0 - share), false)
        }
    }
}

/// The differences of the samples of each region, ascending.
fn region_differences(model: &AnyModel) -> Vec<Vec<f64>> {
    let of_region = |region: &eocc_core::region::Region| {
        let fuzzy = region.membership();
        let mut all: Vec<f64> = region.centrality().iter().map(|c| fuzzy.difference(*c)).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    model.regions().iter().map(of_region).collect()
}

/// How far a sample falls short of the most central one of its region. For new samples under the paper's rule, the
/// threshold of the region is used, which a new sample moves a little.
pub(super) fn difference(model: &AnyModel, sample: usize, decision: &Decision) -> f64 {
    let Some(region) = model.regions().get(decision.region) else { return f64::INFINITY };
    let fuzzy = region.membership();
    if model.centrality() == Centrality::Score {
        return fuzzy.difference(decision.score);
    }
    if sample < model.summary().samples
        && let Ok(at) = region.vertices().binary_search(&(sample as u32))
    {
        return fuzzy.difference(region.centrality()[at]);
    }
    // For far samples the degree underflows to 0; the score is its logarithm.
    let log_degree = if decision.membership > 0.0 { decision.membership.ln() } else { decision.score };
    let within = (-2.0 * log_degree).max(0.0).sqrt() * fuzzy.threshold;
    // Accepted samples are within the threshold, and rejected ones beyond, whatever the rounding.
    if decision.accepted { within.min(fuzzy.threshold) } else { within }
}

/// One position of the slider.
struct At {
    /// The model's own position: use the decisions as they are.
    is_own: bool,
    is_by_region: bool,
    share: f64,
    thresholds: Vec<f64>,
    boundaries: Vec<f64>,
}

impl At {
    fn new(model: &AnyModel, differences: &[Vec<f64>], l: f64, is_by_region: bool, is_own: bool) -> Self {
        let share = 1.0 - l / 100.0;
        let thresholds: Vec<f64> = if is_by_region {
            differences.iter().map(|of_region| percentile(&mut of_region.clone(), l)).collect()
        } else {
            Vec::new()
        };
        let mut boundaries = thresholds.clone();
        if !is_by_region {
            let smallest = model.calibration().smallest_accepted(share);
            // Otherwise the boundary of a p-value is not a difference.
            let is_score = model.centrality() == Centrality::Score;
            let of_region = |r: &eocc_core::region::Region| {
                if is_score { r.membership().largest - smallest } else { f64::NAN }
            };
            boundaries = model.regions().iter().map(of_region).collect();
        }
        boundaries.truncate(MAX_CURVES);
        Self { is_own, is_by_region, share, thresholds, boundaries }
    }

    fn accepts(&self, decision: &Decision, difference: f64) -> bool {
        if self.is_own {
            return decision.accepted;
        }
        if self.is_by_region {
            return self.thresholds.get(decision.region).is_some_and(|t| difference <= *t);
        }
        decision.p_value > self.share
    }
}
