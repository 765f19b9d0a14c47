//! Elastic measures of time series besides warping: dynamic programs that differ in the cost of a match and of an
//! unmatched step. Two rows of cells are stored.
//!
//! | name | costs | source |
//! |---|---|---|
//! | `erp` | distance to a gap value for an unmatched step; a metric | Chen and Ng 2004 |
//! | `msm` | move, split and merge, channel by channel; a metric | Stefan et al. 2013 |
//! | `twe` | stiffness for time, penalty for deletions; a metric | Marteau 2009 |
//! | `soft-dtw` | the divergence of a soft minimum over all paths | Blondel et al. 2021 |

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::settings::setting;
use super::super::sight::SeriesSight;
use super::super::{Dissimilarity, Entry, Parameter, Prepared, Properties, Settings, Sight};
use super::channels::Channels;
use crate::error::{Error, Result};
use crate::numbers::State;
use crate::sample::Series;

/// The measure, with its own parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elastic {
    /// Edit distance with real penalty.
    Erp {
        /// The value that an unmatched step is compared with.
        gap: f64,
        /// Whether a series that begins earlier pays for all of its steps at once, as in aeon, rather than step by
        /// step.
        whole: bool,
    },
    /// Move, split, merge.
    Msm {
        /// The cost of a split or merge, in addition to the move.
        cost: f64,
    },
    /// Time warp edit distance.
    Twe {
        /// Cost per unit of time between two matched steps.
        stiffness: f64,
        /// Cost of a deletion.
        penalty: f64,
    },
    /// Divergence of soft dynamic time warping with squared Euclidean local cost.
    SoftDtw {
        /// How soft the minimum is.
        gamma: f64,
    },
}

impl Elastic {
    fn name(self) -> &'static str {
        match self {
            Self::Erp { .. } => "erp",
            Self::Msm { .. } => "msm",
            Self::Twe { .. } => "twe",
            Self::SoftDtw { .. } => "soft-dtw",
        }
    }

    /// Its own parameters, with the range that a search may try.
    fn own(&mut self) -> Vec<(&'static str, &mut f64, f64, f64)> {
        match self {
            Self::Erp { gap, .. } => vec![("gap", gap, -3.0, 3.0)],
            Self::Msm { cost } => vec![("cost", cost, 0.01, 10.0)],
            Self::Twe { stiffness, penalty } => {
                vec![("stiffness", stiffness, 1e-5, 1.0), ("penalty", penalty, 0.0, 1.0)]
            }
            Self::SoftDtw { gamma } => vec![("gamma", gamma, 0.001, 10.0)],
        }
    }

    fn check(self) -> Result<()> {
        let fault =
            |name: &str, value: f64, allowed: &str| Err(Error::parameter(name, value.to_string(), allowed));
        match self {
            Self::Erp { gap, .. } if gap.abs() > 1e100 || gap.is_nan() => {
                fault("gap", gap, "a finite number")
            }
            Self::Msm { cost } if !(cost > 0.0 && cost <= 1e100) => fault("cost", cost, "a number above 0"),
            Self::Twe { stiffness, .. } if !(stiffness > 0.0 && stiffness <= 1e100) => {
                fault("stiffness", stiffness, "a number above 0")
            }
            Self::Twe { penalty, .. } if !(0.0..=1e100).contains(&penalty) => {
                fault("penalty", penalty, "a number of at least 0")
            }
            Self::SoftDtw { gamma } if !(gamma > 0.0 && gamma <= 1e100) => {
                fault("gamma", gamma, "a number above 0")
            }
            _ => Ok(()),
        }
    }

    /// Runs the program on two series of weighted values; for `soft-dtw` without the terms of each with itself.
    fn run(self, a: &[f64], b: &[f64], channels: usize, rows: &mut [Vec<f64>; 2]) -> f64 {
        match self {
            Self::Erp { gap, whole } => erp(a, b, channels, gap, whole, rows),
            Self::Msm { cost } => (0..channels).map(|c| msm(a, b, channels, c, cost, rows)).sum(),
            Self::Twe { stiffness, penalty } => twe(a, b, channels, stiffness, penalty, rows),
            Self::SoftDtw { gamma } => soft_dtw(a, b, channels, gamma, rows),
        }
    }
}

fn step(series: &[f64], t: usize, channels: usize) -> &[f64] {
    &series[t * channels..(t + 1) * channels]
}

fn square(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

fn erp(a: &[f64], b: &[f64], channels: usize, gap: f64, whole: bool, [last, row]: &mut [Vec<f64>; 2]) -> f64 {
    let to_gap = |s: &[f64]| s.iter().map(|v| (v - gap) * (v - gap)).sum::<f64>().sqrt();
    let of_b: Vec<f64> = b.chunks_exact(channels).map(to_gap).collect();
    let all = |s: &[f64]| s.chunks_exact(channels).map(to_gap).sum::<f64>();
    let (all_a, all_b) = (all(a), all(b));
    last.clear();
    last.push(0.0);
    for (j, g) in of_b.iter().enumerate() {
        last.push(if whole { all_b } else { last[j] + g });
    }
    row.clone_from(last);
    for x in a.chunks_exact(channels) {
        let of_x = to_gap(x);
        row[0] = if whole { all_a } else { last[0] + of_x };
        for (j, y) in b.chunks_exact(channels).enumerate() {
            let matched = last[j] + square(x, y).sqrt();
            row[j + 1] = matched.min(last[j + 1] + of_x).min(row[j] + of_b[j]);
        }
        std::mem::swap(last, row);
    }
    last[b.len() / channels]
}

fn msm(a: &[f64], b: &[f64], channels: usize, c: usize, cost: f64, [last, row]: &mut [Vec<f64>; 2]) -> f64 {
    // The cost of `x` between its predecessor in the same series and the step across.
    let apart = |x: f64, before: f64, across: f64| {
        let is_between = (before <= x && x <= across) || (before >= x && x >= across);
        if is_between { cost } else { cost + (x - before).abs().min((x - across).abs()) }
    };
    let at = |s: &[f64], t: usize| s[t * channels + c];
    let (n, m) = (a.len() / channels, b.len() / channels);
    last.clear();
    last.push((at(a, 0) - at(b, 0)).abs());
    for j in 1..m {
        last.push(last[j - 1] + apart(at(b, j), at(b, j - 1), at(a, 0)));
    }
    row.clone_from(last);
    for i in 1..n {
        let (x, before) = (at(a, i), at(a, i - 1));
        row[0] = last[0] + apart(x, before, at(b, 0));
        for j in 1..m {
            let y = at(b, j);
            let split = last[j] + apart(x, before, y);
            let merged = row[j - 1] + apart(y, at(b, j - 1), x);
            row[j] = (last[j - 1] + (x - y).abs()).min(split).min(merged);
        }
        std::mem::swap(last, row);
    }
    last[m - 1]
}

fn twe(
    a: &[f64],
    b: &[f64],
    channels: usize,
    stiffness: f64,
    penalty: f64,
    [last, row]: &mut [Vec<f64>; 2],
) -> f64 {
    // Both series begin with a step of zeros at time 0.
    let zeros = vec![0.0; channels];
    let before =
        |s: &'_ [f64], t: usize| if t == 0 { zeros.clone() } else { step(s, t - 1, channels).to_vec() };
    let gaps = |s: &[f64]| -> Vec<f64> {
        let alone = |t: usize| square(&before(s, t), step(s, t, channels)).sqrt() + stiffness + penalty;
        (0..s.len() / channels).map(alone).collect()
    };
    let (of_a, of_b) = (gaps(a), gaps(b));
    let m = of_b.len();
    last.clear();
    last.resize(m + 1, f64::INFINITY);
    last[0] = 0.0;
    row.clear();
    row.resize(m + 1, f64::INFINITY);
    let mut costs = vec![0.0; m + 1];
    let mut costs_before: Vec<f64> = vec![0.0; m + 1];
    for (j, y) in b.chunks_exact(channels).enumerate() {
        costs_before[j + 1] = square(&zeros, y).sqrt();
    }
    for (i, x) in a.chunks_exact(channels).enumerate() {
        row[0] = f64::INFINITY;
        costs[0] = square(x, &zeros).sqrt();
        for (j, y) in b.chunks_exact(channels).enumerate() {
            costs[j + 1] = square(x, y).sqrt();
            let matched = last[j] + costs[j + 1] + costs_before[j] + 2.0 * stiffness * i.abs_diff(j) as f64;
            row[j + 1] = matched.min(last[j + 1] + of_a[i]).min(row[j] + of_b[j]);
        }
        std::mem::swap(last, row);
        std::mem::swap(&mut costs, &mut costs_before);
    }
    last[m]
}

fn soft_dtw(a: &[f64], b: &[f64], channels: usize, gamma: f64, [last, row]: &mut [Vec<f64>; 2]) -> f64 {
    let m = b.len() / channels;
    last.clear();
    last.resize(m + 1, f64::INFINITY);
    last[0] = 0.0;
    row.clear();
    row.resize(m + 1, f64::INFINITY);
    for x in a.chunks_exact(channels) {
        row[0] = f64::INFINITY;
        for (j, y) in b.chunks_exact(channels).enumerate() {
            row[j + 1] = square(x, y) + soft_least([last[j], last[j + 1], row[j]], gamma);
        }
        std::mem::swap(last, row);
    }
    last[m]
}

/// `-gamma log sum exp(-v / gamma)`, relative to the smallest so that nothing overflows.
fn soft_least(values: [f64; 3], gamma: f64) -> f64 {
    let least = values.into_iter().fold(f64::INFINITY, f64::min);
    if least == f64::INFINITY {
        return least;
    }
    least - gamma * values.into_iter().map(|v| ((least - v) / gamma).exp()).sum::<f64>().ln()
}

/// An elastic measure with weights of the channels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ElasticMeasure {
    kind: Elastic,
    channels: Channels,
}

impl ElasticMeasure {
    /// The measure with unweighted channels.
    pub fn new(kind: Elastic) -> Result<Self> {
        kind.check()?;
        Ok(Self { kind, channels: Channels::default() })
    }

    fn finish(&self, both: f64, own: f64, other: f64) -> f64 {
        match self.kind {
            Elastic::SoftDtw { .. } => (both - 0.5 * (own + other)).max(0.0),
            _ => both,
        }
    }

    /// The number that the divergence subtracts; 0 for other measures.
    fn with_itself(&self, values: &[f64], channels: usize, rows: &mut [Vec<f64>; 2]) -> f64 {
        match self.kind {
            Elastic::SoftDtw { .. } => self.kind.run(values, values, channels, rows),
            _ => 0.0,
        }
    }
}

impl Dissimilarity<Series> for ElasticMeasure {
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn sight(&self) -> Option<Box<dyn Sight<Series>>> {
        Some(Box::new(SeriesSight::default()))
    }

    fn between(&self, a: &Series, b: &Series) -> f64 {
        self.prepare(&[b]).to_first(a)
    }

    fn learn(&mut self, samples: &[&Series], names: &[String]) -> Result<()> {
        self.channels.learn(samples, names);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut kind = self.kind;
        let own = kind.own().into_iter().map(|(name, value, low, high)| Parameter {
            name: name.to_owned(),
            low: low.min(*value),
            high: high.max(*value),
            value: *value,
        });
        own.chain(self.channels.parameters()).collect()
    }

    fn set(&mut self, p: &[f64]) {
        let mut own = self.kind.own();
        let count = own.len();
        for ((_, value, ..), p) in own.iter_mut().zip(p) {
            **value = *p;
        }
        self.channels.set(p.get(count..).unwrap_or(&[]));
    }

    fn check(&self, sample: &Series) -> Result<()> {
        self.channels.check(sample)
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn settings(&self) -> Vec<(String, String)> {
        let mut kind = self.kind;
        let own = kind.own().into_iter().map(|(name, value, ..)| setting(name, *value));
        let mut all: Vec<_> = own.collect();
        all.push(setting("scaling", self.channels.scaling()));
        if let Elastic::Erp { whole, .. } = self.kind {
            all.push(setting("edge", if whole { "whole" } else { "steps" }));
        }
        all
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<Series>> {
        Box::new(self.clone())
    }

    fn properties(&self) -> Properties {
        Properties {
            metric: matches!(
                self.kind,
                Elastic::Erp { whole: false, .. } | Elastic::Msm { .. } | Elastic::Twe { .. }
            ),
            ..Properties::default()
        }
    }

    fn prepare(&self, many: &[&Series]) -> Box<dyn Prepared<Series>> {
        let mut rows = [Vec::new(), Vec::new()];
        let many = many
            .iter()
            .map(|s| {
                let values = self.channels.map(s);
                let own = self.with_itself(&values, s.channels(), &mut rows);
                (values, own)
            })
            .collect();
        Box::new(Many { d: self.clone(), many })
    }

    fn effort(&self, sample: &Series) -> usize {
        sample.len()
    }
}

struct Many {
    d: ElasticMeasure,
    /// Weighted values, and what the divergence subtracts.
    many: Vec<(Vec<f64>, f64)>,
}

impl Prepared<Series> for Many {
    fn fill(&self, one: &Series, range: Range<usize>, out: &mut [f64]) {
        let channels = one.channels();
        let values = self.d.channels.map(one);
        let mut rows = [Vec::new(), Vec::new()];
        let own = self.d.with_itself(&values, channels, &mut rows);
        for (o, (other, others)) in out.iter_mut().zip(&self.many[range]) {
            *o = self.d.finish(self.d.kind.run(&values, other, channels, &mut rows), own, *others);
        }
    }
}

fn make(mut kind: Elastic, settings: &Settings, more: &[&str]) -> Result<Box<dyn Dissimilarity<Series>>> {
    let mut known: Vec<&str> = kind.own().iter().map(|own| own.0).collect();
    known.extend(["scaling", "normalize"]);
    known.extend(more);
    settings.only(kind.name(), &known)?;
    if settings.truth("normalize", false)? {
        return Err(Error::parameter("normalize", "true", "false: only dtw is normalized"));
    }
    for (name, value, ..) in kind.own() {
        if let Some(given) = settings.get(name, "a number")? {
            *value = given;
        }
    }
    let mut d = ElasticMeasure::new(kind)?;
    d.channels = Channels::from_settings(settings)?;
    Ok(Box::new(d))
}

fn restore(state: &State<'_>) -> Result<Box<dyn Dissimilarity<Series>>> {
    super::super::restored(state, |mut d: ElasticMeasure| {
        let is_sound = d.kind.check().is_ok() && d.channels.restore();
        is_sound.then(|| d.boxed())
    })
}

pub(super) const ERP: Entry<Series> = Entry {
    name: "erp",
    summary: "edit distance with real penalty; settings: gap, scaling, edge (steps, or whole as in aeon)",
    make: |s| {
        let whole = match s.get::<String>("edge", "steps or whole")?.as_deref() {
            None | Some("steps") => false,
            Some("whole") => true,
            Some(other) => return Err(Error::parameter("edge", format!("`{other}`"), "steps or whole")),
        };
        make(Elastic::Erp { gap: 0.0, whole }, s, &["edge"])
    },
    restore,
};

pub(super) const MSM: Entry<Series> = Entry {
    name: "msm",
    summary: "move, split, merge; settings: cost, scaling",
    make: |s| make(Elastic::Msm { cost: 1.0 }, s, &[]),
    restore,
};

pub(super) const TWE: Entry<Series> = Entry {
    name: "twe",
    summary: "time warp edit distance; settings: stiffness, penalty, scaling",
    make: |s| make(Elastic::Twe { stiffness: 0.001, penalty: 1.0 }, s, &[]),
    restore,
};

pub(super) const SOFT_DTW: Entry<Series> = Entry {
    name: "soft-dtw",
    summary: "divergence of soft dynamic time warping; settings: gamma, scaling",
    make: |s| make(Elastic::SoftDtw { gamma: 1.0 }, s, &[]),
    restore,
};
