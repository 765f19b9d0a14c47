//! Which samples of a set are unlike the rest: without labels or a second set; no sample is its own neighbor.

use eocc_core::sample::ColumnKind;
use eocc_core::{AnyModel, AnySamples, Decision, Explanation, Observer, OneClass, Preset, Result, Threshold};

use crate::findings::groups_of;

/// The default expected fraction of outliers, as in PyOD.
pub const EXPECTED: f64 = 0.1;
/// The fraction of samples that is then reported.
pub const REJECTED: f64 = 0.05;
/// Neighbors used for an explanation.
const NEAREST: usize = 10;
/// Minimum number of samples with a word for it to be mentioned.
const MIN_RARE: usize = 3;
/// Features named with each sample.
const FEATURES: usize = 2;

/// The parameters of a search for outliers: unless the caller gives their number, some are expected among the
/// samples. `paper` learns from nominal samples only and is unchanged.
#[must_use]
pub fn expected(params: OneClass, contamination: Option<f64>, reject: Option<f64>) -> OneClass {
    if contamination.is_some() || params.preset != Preset::Default {
        return params;
    }
    params.contamination(EXPECTED).reject(reject.unwrap_or(REJECTED))
}

/// The samples of a model's training set that are unlike the rest.
#[derive(Debug, Clone)]
pub struct Outliers {
    /// The decision about every sample.
    pub decisions: Vec<Decision>,
    /// The number of rejected samples.
    pub rejected: usize,
    /// The requested samples, most suspicious first; ties by index.
    pub order: Vec<usize>,
    /// For each of these, the features with the largest shares, largest first; ties by index.
    pub features: Vec<Vec<(String, f64)>>,
    /// How many features are named with each.
    pub width: usize,
    /// The group of each of these, from 0: samples of a group are nearly alike.
    pub groups: Vec<usize>,
}

impl Outliers {
    /// Judges the samples that a model was fitted on, each as if it were new, and explains the most suspicious: this
    /// many, or all rejected ones.
    pub fn find(
        model: &AnyModel,
        samples: &AnySamples,
        top: Option<usize>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut found = Self::rank(model, samples, top);
        let names = model.share_names();
        found.width = FEATURES.min(names.len());
        // Without features there is nothing to name.
        found.features = vec![Vec::new(); found.order.len()];
        if found.width > 0 {
            let explained = model.explain(&samples.select(&found.order), NEAREST, observer)?;
            let largest = |explanation: &Explanation| greatest(&explanation.shares, &names, found.width);
            found.features = explained.iter().map(largest).collect();
        }
        Ok(found)
    }

    /// The outliers without features.
    pub fn rank(model: &AnyModel, samples: &AnySamples, top: Option<usize>) -> Self {
        let decisions = model.ranked_decisions();
        let rejected = decisions.iter().filter(|decision| !decision.accepted).count();
        let mut order: Vec<usize> = (0..decisions.len()).collect();
        order.sort_by(|&a, &b| decisions[a].score.total_cmp(&decisions[b].score));
        order.truncate(top.unwrap_or(rejected));
        let groups = groups_of(model, samples, &order);
        Self { decisions, rejected, order, features: Vec::new(), width: 0, groups }
    }
}

/// A word that few training samples have and that makes them far out, so that new samples with it will be rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RareWord {
    /// The column.
    pub column: String,
    /// The word.
    pub word: String,
    /// Number of training samples with it, most of which are trimmed.
    pub count: usize,
}

/// A warning if at least half of the rows are copies of an earlier one, as after a join: copies make each other look
/// typical, and new rows odd. Rows of few values are often equal without being copies; but if a column has about as many
/// values as there are distinct rows, equal rows are the same observation.
pub fn repetition(samples: &AnySamples) -> Option<String> {
    let (repeated, count) = (samples.duplicates()?, samples.count());
    let distinct = count - repeated;
    let identifies_rows = |feature: usize| {
        let Some((_, values)) = samples.feature(feature) else { return false };
        let mut values: Vec<u64> = values.into_iter().flatten().map(f64::to_bits).collect();
        values.sort_unstable();
        values.dedup();
        10 * values.len() >= 9 * distinct
    };
    let are_copies = 2 * repeated >= count && (0..samples.features()).any(identifies_rows);
    are_copies.then(|| {
        format!(
            "{repeated} of {count} samples are copies of an earlier one, so that new samples may look odd: keep one of each"
        )
    })
}

/// The words for which more than half of the training samples are trimmed: these are excluded as neighbors, so new
/// samples with such a word have none.
pub fn rare_words(model: &AnyModel) -> Vec<RareWord> {
    let (reference, names) = (model.reference(), model.share_names());
    let mut found = Vec::new();
    if model.trimmed().is_empty() || reference.count() != model.summary().samples {
        return found;
    }
    for (f, column) in names.iter().enumerate() {
        let Some((ColumnKind::Category(levels), values)) = reference.feature(f) else { continue };
        let mut counts = vec![(0_usize, 0_usize); levels.len()];
        for (i, value) in (0..).zip(values) {
            if let Some(count) = value.and_then(|code| counts.get_mut(code as usize)) {
                count.0 += 1;
                count.1 += usize::from(model.trimmed().binary_search(&i).is_ok());
            }
        }
        let rare = counts.iter().zip(&levels).filter(|((all, gone), _)| *all >= MIN_RARE && gone * 2 > *all);
        found.extend(rare.map(|((count, _), word)| RareWord {
            column: column.clone(),
            word: word.clone(),
            count: *count,
        }));
    }
    found
}

/// A warning if no sample can be rejected because the reject rate is less than one sample.
pub fn too_few(model: &AnyModel) -> Option<String> {
    let n = model.summary().samples;
    match model.params().threshold {
        Threshold::Reject(share) if share * (n as f64) < 1.0 - 1e-9 => Some(format!(
            "with {n} samples, a fraction of {share} is less than one sample, so none is rejected; at least {} are needed for that",
            (1.0 / share - 1e-9).ceil()
        )),
        _ => None,
    }
}

/// The mean share of each feature, or part, in the explanations of the rejected samples, or of all if none is
/// rejected; largest first, ties by index.
pub fn mean_shares(
    model: &AnyModel,
    samples: &AnySamples,
    nearest: usize,
    observer: &dyn Observer,
) -> Result<Vec<(String, f64)>> {
    let names = model.share_names();
    if names.is_empty() || samples.count() == 0 {
        return Ok(Vec::new());
    }
    let decisions = model.decide_with(samples, model.params().scoring, observer)?;
    let rejected: Vec<usize> = (0..decisions.len()).filter(|&i| !decisions[i].accepted).collect();
    let chosen = if rejected.is_empty() { samples.clone() } else { samples.select(&rejected) };
    let mut sums = vec![0.0; names.len()];
    for explanation in model.explain(&chosen, nearest, observer)? {
        sums.iter_mut().zip(&explanation.shares).for_each(|(sum, share)| *sum += share);
    }
    let count = chosen.count() as f64;
    let mut means: Vec<(String, f64)> =
        names.into_iter().zip(sums.into_iter().map(|sum| sum / count)).collect();
    means.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(means)
}

/// This many of the largest shares with their names.
fn greatest(shares: &[f64], names: &[String], count: usize) -> Vec<(String, f64)> {
    let mut order: Vec<usize> = (0..shares.len().min(names.len())).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    let mut found: Vec<(String, f64)> =
        order.into_iter().take(count).map(|feature| (names[feature].clone(), shares[feature])).collect();
    found.resize(count, (String::new(), 0.0));
    found
}

#[cfg(test)]
mod tests {
    use eocc_core::{Matrix, Settings, Silent, Vectors};

    use super::*;

    #[test]
    fn the_odd_one_comes_first_and_says_why() {
        let mut values: Vec<f64> =
            (0..60).flat_map(|i| [f64::from(i * 37 % 60), f64::from(i * 17 % 60)]).collect();
        values.extend([30.0, 900.0]);
        let vectors = Vectors::with_names(Matrix::new(values, 61, 2), vec!["x".into(), "y".into()]).unwrap();
        let samples = AnySamples::from(vectors);
        let params = expected(OneClass::new(Preset::Default), None, None);
        assert_eq!(params.contamination, Some(EXPECTED));
        let measure = samples.measure(Preset::Default, None, &Settings::default()).unwrap();
        let model = samples.train(&params.check().unwrap(), measure, &Silent).unwrap();
        let found = Outliers::find(&model, &samples, Some(3), &Silent).unwrap();
        assert_eq!((found.order[0], found.order.len(), found.decisions.len()), (60, 3, 61));
        assert_eq!((found.features[0][0].0.as_str(), found.width), ("y", 2));
        assert!(found.features.iter().all(|shares| shares[0].1 >= shares[1].1));
        assert_eq!(found.groups.len(), 3);
        let shares = mean_shares(&model, &samples.select(&[60]), 10, &Silent).unwrap();
        assert_eq!(shares[0].0, "y");
        let total: f64 = shares.iter().map(|(_, share)| share).sum();
        assert!((total - 1.0).abs() < 1e-9, "{shares:?}");
        let rejected = Outliers::find(&model, &samples, None, &Silent).unwrap();
        assert_eq!(rejected.order.len(), rejected.rejected);
        assert_eq!(expected(OneClass::new(Preset::Paper), None, None).contamination, None);
        assert_eq!(expected(OneClass::new(Preset::Default), Some(0.2), None).contamination, None);
    }
}
