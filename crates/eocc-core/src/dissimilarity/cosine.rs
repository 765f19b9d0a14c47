//! Cosine dissimilarity, `1 - cos(x, r)` in [0, 2], with weighted features.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scaling::FeatureWeights;
use super::settings::{setting, word};
use super::{Dissimilarity, Entry, Parameter, Prepared, Scaling};
use crate::error::{ModelFault, Result};
use crate::kernel;

/// One minus the cosine of the angle between two vectors.
///
/// A zero vector has no direction: its dissimilarity is 0 to another zero vector and 1 to anything else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cosine {
    features: FeatureWeights,
    #[serde(skip)]
    multipliers: Vec<f64>,
}

impl Cosine {
    /// With features scaled this way.
    pub fn new(scaling: Scaling) -> Self {
        Self { features: FeatureWeights::new(scaling), multipliers: Vec::new() }
    }

    /// The unit vector of `sample`, or zeros.
    fn direction(&self, sample: &[f64]) -> Vec<f64> {
        let mut v: Vec<f64> = sample.iter().zip(&self.multipliers).map(|(x, m)| x * m).collect();
        let largest = v.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        if largest > 0.0 {
            for x in &mut v {
                *x /= largest;
            }
            let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            for x in &mut v {
                *x /= norm;
            }
        }
        v
    }
}

impl Dissimilarity<[f64]> for Cosine {
    fn name(&self) -> &'static str {
        "cosine"
    }

    fn learn(&mut self, samples: &[&[f64]], names: &[String]) -> Result<()> {
        self.features.learn(samples, names);
        self.multipliers = self.features.multipliers(2.0);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.features.parameters()
    }

    fn set(&mut self, p: &[f64]) {
        self.features.set(p);
        self.multipliers = self.features.multipliers(2.0);
    }

    fn check(&self, sample: &[f64]) -> Result<()> {
        super::scaling::check_features(sample.len(), self.multipliers.len())
    }

    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        between_directions(&self.direction(a), &self.direction(b))
    }

    fn shares(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        super::shares::by_exchange(self, a, b)
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn settings(&self) -> Vec<(String, String)> {
        vec![setting("scaling", word(&self.features.scaling()))]
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<[f64]>> {
        Box::new(self.clone())
    }

    fn prepare(&self, many: &[&[f64]]) -> Box<dyn Prepared<[f64]>> {
        let many: Vec<Vec<f64>> = many.iter().map(|s| self.direction(s)).collect();
        Box::new(Directions { d: self.clone(), many })
    }
}

/// For unit vectors, or zeros.
fn between_directions(a: &[f64], b: &[f64]) -> f64 {
    let is_zero = |v: &[f64]| v.iter().all(|x| x.abs() == 0.0);
    match (is_zero(a), is_zero(b)) {
        (true, true) => 0.0,
        (true, false) | (false, true) => 1.0,
        // |a - b|^2 / 2 = 1 - cos for unit vectors, without the cancellation.
        (false, false) => 0.5 * kernel::squared_euclidean(a, b),
    }
}

struct Directions {
    d: Cosine,
    many: Vec<Vec<f64>>,
}

impl Prepared<[f64]> for Directions {
    fn fill(&self, one: &[f64], range: Range<usize>, out: &mut [f64]) {
        let one = self.d.direction(one);
        for (o, other) in out.iter_mut().zip(&self.many[range]) {
            *o = between_directions(&one, other);
        }
    }
}

pub(crate) const ENTRY: Entry<[f64]> = Entry {
    name: "cosine",
    summary: "one minus the cosine of the angle; setting: scaling",
    make: |s| {
        s.only("cosine", &["scaling"])?;
        Ok(Box::new(Cosine { features: FeatureWeights::from_settings(s)?, multipliers: Vec::new() }))
    },
    restore: |state| {
        let mut d: Cosine = state.read()?;
        if !d.features.is_sound() {
            return Err(ModelFault::Damaged("the dissimilarity's state is out of range".into()).into());
        }
        d.multipliers = d.features.multipliers(2.0);
        Ok(Box::new(d))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_match_hand_computation() {
        let mut d = Cosine::new(Scaling::None);
        d.learn(&[&[1.0, 0.0]], &[]).unwrap();
        let between = |a: [f64; 2], b: [f64; 2]| d.between(&a, &b);
        assert!((between([1.0, 0.0], [0.0, 3.0]) - 1.0).abs() < 1e-15);
        assert!((between([1.0, 0.0], [-2.0, 0.0]) - 2.0).abs() < 1e-15);
        assert!(between([1.0, 2.0], [1e300, 2e300]).abs() < 1e-15);
        assert!((between([1.0, 0.0], [0.0, 0.0]) - 1.0).abs() < 1e-15);
        assert!(between([0.0, 0.0], [0.0, 0.0]).abs() < 1e-15);
    }
}
