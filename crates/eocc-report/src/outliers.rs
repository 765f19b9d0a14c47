//! Which samples of a set are unlike the rest: no labels, no second set, and none counts itself.

use eocc_core::{AnyModel, AnySamples, Decision, Explanation, Observer, OneClass, Preset, Result};

/// The share of outliers that is expected when nothing is said, as PyOD has it.
pub const EXPECTED: f64 = 0.1;
/// The share of samples that are reported then.
pub const REJECTED: f64 = 0.05;
/// Neighbors that an explanation goes by.
const NEAREST: usize = 10;
/// Features named with each sample.
const FEATURES: usize = 2;

/// The parameters of a search for outliers, of which some are then expected among the samples unless the caller says how
/// many. `paper` learns from nominal samples only and stays as it is.
#[must_use]
pub fn expected(params: OneClass, contamination: Option<f64>, reject: Option<f64>) -> OneClass {
    if contamination.is_some() || params.preset != Preset::Default {
        return params;
    }
    params.contamination(EXPECTED).reject(reject.unwrap_or(REJECTED))
}

/// The samples of a model that are unlike the rest.
#[derive(Debug, Clone)]
pub struct Outliers {
    /// What the model says of every sample.
    pub decisions: Vec<Decision>,
    /// How many it rejects.
    pub rejected: usize,
    /// The samples asked for, the most suspicious first; ties by index.
    pub order: Vec<usize>,
    /// Of each of these, the features that say most and their shares, the largest first; ties by place.
    pub features: Vec<Vec<(String, f64)>>,
    /// How many features are named with each.
    pub width: usize,
}

impl Outliers {
    /// Judges the samples that a model was fitted on, each as if it were new, and explains the most suspicious: so many, or all
    /// that are rejected.
    pub fn find(
        model: &AnyModel,
        samples: &AnySamples,
        top: Option<usize>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let decisions = model.decide_with(samples, model.params().scoring, observer)?;
        let rejected = decisions.iter().filter(|decision| !decision.accepted).count();
        let mut order: Vec<usize> = (0..decisions.len()).collect();
        order.sort_by(|&a, &b| decisions[a].score.total_cmp(&decisions[b].score));
        order.truncate(top.unwrap_or(rejected));
        let explained = model.explain(&samples.select(&order), NEAREST, observer)?;
        let names = model.share_names();
        let width = FEATURES.min(names.len());
        let largest = |explanation: &Explanation| greatest(&explanation.shares, &names, width);
        let features = explained.iter().map(largest).collect();
        Ok(Self { decisions, rejected, order, features, width })
    }
}

/// So many of the largest shares with their names.
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
        let model = samples.fit(&params.check().unwrap(), measure, &Silent).unwrap();
        let found = Outliers::find(&model, &samples, Some(3), &Silent).unwrap();
        assert_eq!((found.order[0], found.order.len(), found.decisions.len()), (60, 3, 61));
        assert_eq!((found.features[0][0].0.as_str(), found.width), ("y", 2));
        assert!(found.features.iter().all(|shares| shares[0].1 >= shares[1].1));
        let rejected = Outliers::find(&model, &samples, None, &Silent).unwrap();
        assert_eq!(rejected.order.len(), rejected.rejected);
        assert_eq!(expected(OneClass::new(Preset::Paper), None, None).contamination, None);
        assert_eq!(expected(OneClass::new(Preset::Default), Some(0.2), None).contamination, None);
    }
}
