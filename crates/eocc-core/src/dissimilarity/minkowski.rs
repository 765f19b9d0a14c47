//! The norms: weighted Euclidean (the paper's measure for vectors), Manhattan, Chebyshev, Minkowski.
//!
//! `d(x, r; p) = (sum_f p_f |x_f - r_f|^o)^(1/o)`; for Chebyshev `max_f p_f |x_f - r_f|`.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ranks::Ranks;
use super::scaling::FeatureWeights;
use super::settings::{setting, word};
use super::{Dissimilarity, Entry, Parameter, Prepared, Properties, Scaling, Settings};
use crate::error::{Error, ModelFault, Result};
use crate::kernel;
use crate::matrix::Matrix;
use crate::numbers::State;

/// The order `o` of the norm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// 2.
    Euclidean,
    /// 1.
    Manhattan,
    /// Infinite.
    Chebyshev,
    /// Any order of at least 1.
    Minkowski(f64),
}

impl Order {
    /// The order of the root that turns weights into multipliers.
    fn exponent(self) -> f64 {
        match self {
            Self::Euclidean => 2.0,
            Self::Manhattan | Self::Chebyshev => 1.0,
            Self::Minkowski(o) => o,
        }
    }

    fn norm(self, a: &[f64], b: &[f64]) -> f64 {
        let differences = a.iter().zip(b).map(|(x, y)| (x - y).abs());
        match self {
            Self::Euclidean => kernel::squared_euclidean(a, b).sqrt(),
            Self::Manhattan => differences.sum(),
            Self::Chebyshev => differences.fold(0.0, f64::max),
            Self::Minkowski(o) => {
                // Relative to the largest difference, so that powers neither overflow nor vanish.
                let largest = differences.clone().fold(0.0, f64::max);
                if largest > 0.0 {
                    largest * differences.map(|d| (d / largest).powf(o)).sum::<f64>().powf(1.0 / o)
                } else {
                    0.0
                }
            }
        }
    }
}

/// A weighted norm of the difference of two vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Minkowski {
    order: Order,
    features: FeatureWeights,
    /// Set if features are scaled by ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ranks: Option<Ranks>,
    #[serde(skip)]
    multipliers: Vec<f64>,
}

impl Minkowski {
    /// A norm of this order, with features scaled this way.
    pub fn new(order: Order, scaling: Scaling) -> Self {
        Self { order, features: FeatureWeights::new(scaling), ranks: None, multipliers: Vec::new() }
    }

    /// The weighted Euclidean distance on unscaled features.
    pub fn euclidean() -> Self {
        Self::new(Order::Euclidean, Scaling::None)
    }

    fn refresh(&mut self) {
        self.multipliers = self.features.multipliers(self.order.exponent());
    }

    /// Appends the coordinates of a sample.
    fn extend(&self, sample: &[f64], out: &mut Vec<f64>) {
        let values = sample.iter().zip(&self.multipliers);
        match &self.ranks {
            None => out.extend(values.map(|(x, m)| x * m)),
            Some(ranks) => out.extend(values.enumerate().map(|(f, (x, m))| ranks.score(f, *x) * m)),
        }
    }

    /// Fails if samples differ, but so little that the squares of all differences are zero or nearly so.
    fn require_squares(&self, samples: &[&[f64]]) -> Result<()> {
        const LEAST: f64 = 1e-150;
        let Some(first) = samples.first().filter(|_| self.order == Order::Euclidean) else { return Ok(()) };
        let first = self.map(first);
        let mut largest = 0.0_f64;
        for sample in samples {
            let mapped = self.map(sample);
            largest = mapped.iter().zip(&first).map(|(x, y)| (x - y).abs()).fold(largest, f64::max);
            if largest >= LEAST {
                return Ok(());
            }
        }
        if largest > 0.0 {
            return Err(Error::input(format!(
                "the samples differ by no more than {largest:e}, too little to square; multiply the features by a constant"
            )));
        }
        Ok(())
    }

    fn map(&self, sample: &[f64]) -> Vec<f64> {
        let mut values = Vec::with_capacity(sample.len());
        self.extend(sample, &mut values);
        values
    }

    fn block(&self, samples: &[&[f64]]) -> Matrix {
        let mut values = Vec::with_capacity(samples.len() * self.multipliers.len());
        for s in samples {
            self.extend(s, &mut values);
        }
        Matrix::new(values, samples.len(), self.multipliers.len())
    }
}

impl Dissimilarity<[f64]> for Minkowski {
    fn name(&self) -> &'static str {
        match self.order {
            Order::Euclidean => "euclidean",
            Order::Manhattan => "manhattan",
            Order::Chebyshev => "chebyshev",
            Order::Minkowski(_) => "minkowski",
        }
    }

    fn learn(&mut self, samples: &[&[f64]], names: &[String]) -> Result<()> {
        self.features.learn(samples, names);
        self.ranks = (self.features.scaling() == Scaling::Rank).then(|| Ranks::from_samples(samples));
        self.refresh();
        self.require_squares(samples)
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.features.parameters()
    }

    fn set(&mut self, p: &[f64]) {
        self.features.set(p);
        self.refresh();
    }

    fn check(&self, sample: &[f64]) -> Result<()> {
        super::scaling::check_features(sample.len(), self.multipliers.len())
    }

    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        self.order.norm(&self.map(a), &self.map(b))
    }

    fn shares(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let differences: Vec<f64> = self.map(a).iter().zip(self.map(b)).map(|(x, y)| (x - y).abs()).collect();
        let largest = differences.iter().copied().fold(0.0, f64::max);
        let term = |d: f64| match self.order {
            // Only the largest counts.
            Order::Chebyshev => f64::from(u8::from(d >= largest && d > 0.0)),
            order if largest > 0.0 => (d / largest).powf(order.exponent()),
            _ => 0.0,
        };
        super::shares::of_terms(differences.into_iter().map(term).collect())
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn settings(&self) -> Vec<(String, String)> {
        let mut all = vec![setting("scaling", word(&self.features.scaling()))];
        if let Order::Minkowski(order) = self.order {
            all.push(setting("order", order));
        }
        all
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<[f64]>> {
        Box::new(self.clone())
    }

    fn properties(&self) -> Properties {
        Properties {
            metric: true,
            needs_fold_calibration: self.features.scaling() != Scaling::None,
            ..Properties::default()
        }
    }

    fn prepare(&self, many: &[&[f64]]) -> Box<dyn Prepared<[f64]>> {
        Box::new(Block { d: self.clone(), many: self.block(many) })
    }

    fn coordinates(&self, samples: &[&[f64]]) -> Option<Matrix> {
        (self.order == Order::Euclidean).then(|| self.block(samples))
    }
}

struct Block {
    d: Minkowski,
    many: Matrix,
}

impl Prepared<[f64]> for Block {
    fn fill(&self, one: &[f64], range: Range<usize>, out: &mut [f64]) {
        let one = self.d.map(one);
        if self.d.order == Order::Euclidean {
            let width = one.len();
            kernel::euclidean_to_rows(&one, &self.many.values()[range.start * width..range.end * width], out);
        } else {
            for (o, j) in out.iter_mut().zip(range) {
                *o = self.d.order.norm(&one, self.many.row(j));
            }
        }
    }
}

fn make(
    order: Order,
    name: &str,
    settings: &Settings,
    known: &[&str],
) -> Result<Box<dyn Dissimilarity<[f64]>>> {
    settings.only(name, known)?;
    Ok(Box::new(Minkowski {
        order,
        features: FeatureWeights::from_settings_or_rank(settings)?,
        ranks: None,
        multipliers: Vec::new(),
    }))
}

fn restore(state: &State<'_>) -> Result<Box<dyn Dissimilarity<[f64]>>> {
    let mut d: Minkowski = state.read()?;
    let order_is_sound = !matches!(d.order, Order::Minkowski(o) if !(o >= 1.0 && o.is_finite()));
    let ranks_are_sound = match (&d.ranks, d.features.scaling()) {
        (Some(ranks), Scaling::Rank) => ranks.is_sound(d.features.weights().len()),
        (ranks, scaling) => ranks.is_none() && scaling != Scaling::Rank,
    };
    if !d.features.is_sound() || !order_is_sound || !ranks_are_sound {
        return Err(ModelFault::Damaged("the dissimilarity's state is out of range".into()).into());
    }
    d.refresh();
    Ok(Box::new(d))
}

/// The paper's measure for vectors.
pub(crate) const EUCLIDEAN: Entry<[f64]> = Entry {
    name: "euclidean",
    summary: "weighted Euclidean distance; setting: scaling (none, standard, robust, range, central, rank)",
    make: |s| make(Order::Euclidean, "euclidean", s, &["scaling"]),
    restore,
};

pub(crate) const MANHATTAN: Entry<[f64]> = Entry {
    name: "manhattan",
    summary: "weighted sum of absolute differences; setting: scaling",
    make: |s| make(Order::Manhattan, "manhattan", s, &["scaling"]),
    restore,
};

pub(crate) const CHEBYSHEV: Entry<[f64]> = Entry {
    name: "chebyshev",
    summary: "largest weighted absolute difference; setting: scaling",
    make: |s| make(Order::Chebyshev, "chebyshev", s, &["scaling"]),
    restore,
};

pub(crate) const MINKOWSKI: Entry<[f64]> = Entry {
    name: "minkowski",
    summary: "weighted norm of any order of at least 1; settings: order (3), scaling",
    make: |s| {
        let allowed = "a number of at least 1";
        let order: f64 = s.get("order", allowed)?.unwrap_or(3.0);
        if !(order >= 1.0 && order.is_finite()) {
            return Err(Error::parameter("order", order, allowed));
        }
        make(Order::Minkowski(order), "minkowski", s, &["order", "scaling"])
    },
    restore,
};

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(order: Order, weights: &[f64]) -> Minkowski {
        let mut d = Minkowski::new(order, Scaling::None);
        d.learn(&[&[0.0, 0.0], &[1.0, 1.0]], &[]).unwrap();
        d.set(weights);
        d
    }

    #[test]
    fn norms_match_hand_computation() {
        let (a, b) = ([0.0, 0.0], [3.0, 4.0]);
        let between = |o| learned(o, &[1.0, 1.0]).between(&a, &b);
        assert!((between(Order::Euclidean) - 5.0).abs() < 1e-15);
        assert!((between(Order::Manhattan) - 7.0).abs() < 1e-15);
        assert!((between(Order::Chebyshev) - 4.0).abs() < 1e-15);
        assert!((between(Order::Minkowski(3.0)) - 91.0_f64.cbrt()).abs() < 1e-14);
    }

    #[test]
    fn ranks_know_no_unit_and_no_outliers() {
        let rows = [[1.0, 1e9], [2.0, 1.0], [3.0, 2.0], [50.0, 3.0], [5e7, 4.0]];
        let refs: Vec<&[f64]> = rows.iter().map(<[f64; 2]>::as_slice).collect();
        let mut d = Minkowski::new(Order::Manhattan, Scaling::Rank);
        d.learn(&refs, &[]).unwrap();
        // Ranks 0 and 4, 4 and 3; 1 and 3, 0 and 2.
        let score = |place: f64| crate::stats::normal_quantile((place + 0.5) / 5.0);
        let by_hand = [
            score(4.0) - score(0.0) + score(4.0) - score(3.0),
            score(3.0) - score(1.0) + score(2.0) - score(0.0),
        ];
        assert!((d.between(&rows[0], &rows[4]) - by_hand[0]).abs() < 1e-12);
        assert!((d.between(&rows[1], &rows[3]) - by_hand[1]).abs() < 1e-12);
        let mut out = [0.0; 5];
        d.prepare(&refs).fill(&rows[0], 0..5, &mut out);
        assert_eq!(out.to_vec(), rows.map(|row| d.between(&rows[0], &row)).to_vec());
        let again = restore(&(&d.state().unwrap()).into()).unwrap();
        assert_eq!(
            again.between(&rows[2], &[7.0, 2.5]).to_bits(),
            d.between(&rows[2], &[7.0, 2.5]).to_bits()
        );
        let mut state = d.state().unwrap();
        state["ranks"]["features"][1]["values"][0] = Value::from(1e10);
        assert!(restore(&(&state).into()).is_err(), "out of order");
        state["ranks"] = Value::Null;
        assert!(restore(&(&state).into()).is_err(), "no ranks");
    }

    #[test]
    fn weights_are_those_of_the_formula() {
        let (a, b) = ([0.0, 0.0], [3.0, 4.0]);
        let between = |o| learned(o, &[0.25, 1.0]).between(&a, &b);
        assert!((between(Order::Euclidean) - (0.25 * 9.0 + 16.0_f64).sqrt()).abs() < 1e-14);
        assert!((between(Order::Manhattan) - 4.75).abs() < 1e-14);
        assert!((between(Order::Chebyshev) - 4.0).abs() < 1e-14);
        assert!((between(Order::Minkowski(3.0)) - (0.25 * 27.0 + 64.0_f64).cbrt()).abs() < 1e-14);
    }
}
