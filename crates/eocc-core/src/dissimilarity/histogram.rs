//! Dissimilarities of histograms and sets, written as vectors of numbers.
//!
//! | name | formula |
//! |---|---|
//! | `hamming` | fraction of the features that differ |
//! | `jaccard` | `1 - sum min(x, y) / sum max(x, y)`; for 0 and 1 the Jaccard distance of sets |
//! | `chi2` | `sum (x - y)^2 / (x + y)` |
//! | `emd` | `sum |F_x - F_y|` of the cumulative fractions: the earth mover's distance on a line |

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Dissimilarity, Entry, Properties, Settings};
use crate::error::{Error, Result};
use crate::numbers::State;

/// The largest sum of a histogram: two of them can be added without overflow.
const MAX_SUM: f64 = 1e307;

/// A dissimilarity of histograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HistogramKind {
    /// Fraction of the features that differ.
    Hamming,
    /// One minus the fraction in common.
    Jaccard,
    /// The chi-squared statistic.
    Chi2,
    /// Earth mover's distance; a step from feature to feature costs one.
    Emd,
}

/// The measure, with the learned number of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    kind: HistogramKind,
    features: usize,
}

impl Histogram {
    /// The measure of this kind.
    pub fn new(kind: HistogramKind) -> Self {
        Self { kind, features: 0 }
    }
}

impl Dissimilarity<[f64]> for Histogram {
    fn name(&self) -> &'static str {
        match self.kind {
            HistogramKind::Hamming => "hamming",
            HistogramKind::Jaccard => "jaccard",
            HistogramKind::Chi2 => "chi2",
            HistogramKind::Emd => "emd",
        }
    }

    fn learn(&mut self, samples: &[&[f64]], names: &[String]) -> Result<()> {
        self.features = samples.first().map_or(0, |s| s.len());
        for (i, sample) in samples.iter().enumerate() {
            self.check(sample).map_err(|e| Error::input(format!("sample {i}: {e}")))?;
        }
        let _ = names;
        Ok(())
    }

    fn check(&self, sample: &[f64]) -> Result<()> {
        if sample.len() != self.features {
            return Err(Error::input(format!(
                "there are {} features, but must be {}",
                sample.len(),
                self.features
            )));
        }
        if self.kind == HistogramKind::Hamming {
            return Ok(());
        }
        if let Some(f) = sample.iter().position(|v| *v < 0.0) {
            return Err(Error::input(format!(
                "feature {f} is {}, but {} takes counts, which are not negative",
                sample[f],
                Dissimilarity::<[f64]>::name(self)
            )));
        }
        if sample.iter().sum::<f64>() > MAX_SUM {
            return Err(Error::input("the sum of the features overflows; divide them by a constant"));
        }
        if self.kind == HistogramKind::Emd && sample.iter().sum::<f64>() <= 0.0 {
            return Err(Error::input("the histogram is empty: emd has nothing to move; leave out the row"));
        }
        Ok(())
    }

    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let pairs = a.iter().zip(b);
        match self.kind {
            HistogramKind::Hamming => {
                let differ =
                    pairs.filter(|(x, y)| x.partial_cmp(y) != Some(std::cmp::Ordering::Equal)).count();
                differ as f64 / a.len().max(1) as f64
            }
            HistogramKind::Jaccard => {
                let (both, any) = pairs.fold((0.0, 0.0), |(l, h), (x, y)| (l + x.min(*y), h + x.max(*y)));
                if any > 0.0 { (1.0 - both / any).max(0.0) } else { 0.0 }
            }
            HistogramKind::Chi2 => {
                pairs.map(|(x, y)| if x + y > 0.0 { (x - y) * ((x - y) / (x + y)) } else { 0.0 }).sum()
            }
            HistogramKind::Emd => {
                let (all_a, all_b) = (a.iter().sum::<f64>(), b.iter().sum::<f64>());
                let mut ahead = 0.0_f64;
                // A remainder after the last feature is a rounding error.
                pairs.take(a.len().saturating_sub(1)).fold(0.0, |moved, (x, y)| {
                    ahead += x / all_a - y / all_b;
                    moved + ahead.abs()
                })
            }
        }
    }

    fn shares(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        super::shares::by_exchange(self, a, b)
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<[f64]>> {
        Box::new(*self)
    }

    fn properties(&self) -> Properties {
        Properties { metric: self.kind != HistogramKind::Chi2, ..Properties::default() }
    }
}

fn make(kind: HistogramKind, settings: &Settings) -> Result<Box<dyn Dissimilarity<[f64]>>> {
    let d = Histogram::new(kind);
    settings.only(Dissimilarity::<[f64]>::name(&d), &[])?;
    Ok(Box::new(d))
}

fn restore(state: &State<'_>) -> Result<Box<dyn Dissimilarity<[f64]>>> {
    super::restored(state, |d: Histogram| Some(d.boxed()))
}

pub(crate) const HAMMING: Entry<[f64]> = Entry {
    name: "hamming",
    summary: "fraction of the features that differ",
    make: |s| make(HistogramKind::Hamming, s),
    restore,
};
pub(crate) const JACCARD: Entry<[f64]> = Entry {
    name: "jaccard",
    summary: "one minus the fraction in common, for sets and counts",
    make: |s| make(HistogramKind::Jaccard, s),
    restore,
};
pub(crate) const CHI2: Entry<[f64]> = Entry {
    name: "chi2",
    summary: "chi-squared statistic of two histograms",
    make: |s| make(HistogramKind::Chi2, s),
    restore,
};
pub(crate) const EMD: Entry<[f64]> = Entry {
    name: "emd",
    summary: "earth mover's distance of two histograms on a line",
    make: |s| make(HistogramKind::Emd, s),
    restore,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_histograms_match_hand_computation() {
        let (a, b) = ([1.0, 0.0, 3.0], [1.0, 2.0, 1.0]);
        for (kind, expected) in [
            (HistogramKind::Hamming, 2.0 / 3.0),
            (HistogramKind::Jaccard, 1.0 - 2.0 / 6.0),
            (HistogramKind::Chi2, 2.0 + 1.0),
            (HistogramKind::Emd, 0.5),
        ] {
            let d = Histogram::new(kind);
            assert!((d.between(&a, &b) - expected).abs() < 1e-15, "{kind:?}");
            assert!(d.between(&a, &a).abs() < 1e-15);
        }
    }

    #[test]
    fn counts_are_not_negative() {
        let mut d = Histogram::new(HistogramKind::Emd);
        let e = d.learn(&[&[1.0, 2.0], &[1.0, -2.0]], &[]).unwrap_err();
        assert!(e.to_string().starts_with("sample 1: feature 1 is -2"), "{e}");
        assert!(d.check(&[0.0, 0.0]).unwrap_err().to_string().contains("empty"));
        assert!(d.check(&[1e308, 1e308]).unwrap_err().to_string().contains("overflows"));
    }
}
