//! Records: a weighted sum over the parts, `d(a, b) = sum_i p_i d_i(a_i, b_i) / s_i`.
//!
//! Each part has a measure of its own; `s_i` is its mean over pairs of training samples, so that parts of different
//! units compare; the weights `p_i` in [0.1, 1] are parameters, and the parts' own parameters too if `inner=searched`.
//! No weight reaches zero: the objective looks at how the graph falls apart, and would gladly give up a part.
//! During a search the matrix of a part is kept as long as its own parameters stay.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Catalogue, Dissimilarity, Entry, Kept, Parameter, Prepared, Settings};
use crate::embedding::embed_keeping;
use crate::error::{Error, ModelFault, Result};
use crate::graphs::{Graph, Graphs};
use crate::matrix::Matrix;
use crate::memory;
use crate::observer::Observer;
use crate::params::Preset;
use crate::sample::{
    MixedRow, MixedTable, NamedPart, PartSet, Record, Records, SampleSet, Series, SeriesSet, Texts, Vectors,
};

/// The smallest weight that a search may try.
const LEAST: f64 = 0.1;
/// Pairs that the scale of a part is taken from.
const PAIRS: usize = 1000;

/// The measure of one part, by the type of its values.
enum Measure {
    Texts(Box<dyn Dissimilarity<str>>),
    Series(Box<dyn Dissimilarity<Series>>),
    Vectors(Box<dyn Dissimilarity<[f64]>>),
    Mixed(Box<dyn Dissimilarity<MixedRow>>),
    Graphs(Box<dyn Dissimilarity<Graph>>),
}

/// Does the same with whatever measure it is.
macro_rules! with_measure {
    ($measure:expr, $d:ident => $body:expr) => {
        match $measure {
            Measure::Texts($d) => $body,
            Measure::Series($d) => $body,
            Measure::Vectors($d) => $body,
            Measure::Mixed($d) => $body,
            Measure::Graphs($d) => $body,
        }
    };
}

/// Does the same with a measure and the values of its part; nothing if they are of different types, which `check` has
/// ruled out.
macro_rules! with_values {
    ($measure:expr, $set:expr, $d:ident, $values:ident => $body:expr) => {
        match ($measure, $set) {
            (Measure::Texts($d), PartSet::Texts($values)) => Some($body),
            (Measure::Series($d), PartSet::Series($values)) => Some($body),
            (Measure::Vectors($d), PartSet::Vectors($values)) => Some($body),
            (Measure::Mixed($d), PartSet::Mixed($values)) => Some($body),
            (Measure::Graphs($d), PartSet::Graphs($values)) => Some($body),
            _ => None,
        }
    };
}

impl Clone for Measure {
    fn clone(&self) -> Self {
        match self {
            Self::Texts(d) => Self::Texts(d.boxed()),
            Self::Series(d) => Self::Series(d.boxed()),
            Self::Vectors(d) => Self::Vectors(d.boxed()),
            Self::Mixed(d) => Self::Mixed(d.boxed()),
            Self::Graphs(d) => Self::Graphs(d.boxed()),
        }
    }
}

impl Measure {
    fn make(set: &PartSet, preset: Preset, name: Option<&str>, settings: &Settings) -> Result<Self> {
        Ok(match set {
            PartSet::Texts(_) => Self::Texts(Texts::measure(preset, name, settings)?),
            PartSet::Series(_) => Self::Series(SeriesSet::measure(preset, name, settings)?),
            PartSet::Vectors(_) => Self::Vectors(Vectors::measure(preset, name, settings)?),
            PartSet::Mixed(_) => Self::Mixed(MixedTable::measure(preset, name, settings)?),
            PartSet::Graphs(_) => Self::Graphs(Graphs::measure(preset, name, settings)?),
        })
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Texts(_) => "texts",
            Self::Series(_) => "series",
            Self::Vectors(_) => "vectors",
            Self::Mixed(_) => "mixed",
            Self::Graphs(_) => "graphs",
        }
    }

    fn restore(stored: &StoredPart) -> Result<Self> {
        fn find<X: Catalogue>(stored: &StoredPart) -> Result<Box<dyn Dissimilarity<X::Item>>> {
            let entry = X::catalogue().iter().find(|e| e.name == stored.measure);
            let entry = entry.ok_or_else(|| {
                ModelFault::Unsupported(format!("unknown dissimilarity `{}`", stored.measure))
            })?;
            (entry.restore)(&stored.state)
        }
        match stored.kind.as_str() {
            "texts" => find::<Texts>(stored).map(Self::Texts),
            "series" => find::<SeriesSet>(stored).map(Self::Series),
            "vectors" => find::<Vectors>(stored).map(Self::Vectors),
            "mixed" => find::<MixedTable>(stored).map(Self::Mixed),
            "graphs" => find::<Graphs>(stored).map(Self::Graphs),
            other => Err(ModelFault::Unsupported(format!("unknown kind of part `{other}`")).into()),
        }
    }
}

#[derive(Clone)]
struct Part {
    name: String,
    measure: Measure,
    weight: f64,
    scale: f64,
}

impl Part {
    fn factor(&self) -> f64 {
        self.weight / self.scale
    }
}

/// A weighted sum of the dissimilarities of the parts.
#[derive(Clone)]
pub struct Combined {
    settings: Settings,
    preset: Preset,
    inner: bool,
    parts: Vec<Part>,
}

#[derive(Serialize, Deserialize)]
struct StoredPart {
    name: String,
    kind: String,
    measure: String,
    state: Value,
    weight: f64,
    scale: f64,
}

impl Combined {
    /// From settings: `PART.dissimilarity=NAME` and `PART.KEY=VALUE` for the measure of a part, `inner=searched` to
    /// search their own parameters too.
    pub fn new(preset: Preset, settings: &Settings) -> Result<Self> {
        let inner = match settings.get::<String>("inner", "fixed or searched")?.as_deref() {
            None | Some("fixed") => false,
            Some("searched") => true,
            Some(other) => return Err(Error::parameter("inner", format!("`{other}`"), "fixed or searched")),
        };
        Ok(Self { settings: settings.clone(), preset, inner, parts: Vec::new() })
    }

    fn make_parts(&self, parts: &[NamedPart]) -> Result<Vec<Part>> {
        let names: Vec<&str> = parts.iter().map(|p| p.name.as_str()).collect();
        self.settings.only_of("combined", &["inner", "preset"], &names)?;
        let make = |part: &NamedPart| {
            let mut settings = self.settings.under(&part.name);
            let name = settings.take("dissimilarity");
            let measure = Measure::make(&part.set, self.preset, name.as_deref(), &settings);
            let measure = measure.map_err(|e| Error::input(format!("part `{}`: {e}", part.name)))?;
            Ok(Part { name: part.name.clone(), measure, weight: 1.0, scale: 1.0 })
        };
        parts.iter().map(make).collect()
    }

    fn own(&self, part: &Part) -> Vec<Parameter> {
        if self.inner { with_measure!(&part.measure, d => d.parameters()) } else { Vec::new() }
    }
}

/// The values of one part of these records.
fn refs<'a, X: SampleSet>(set: &'a X, samples: &[&Record]) -> Vec<&'a X::Item> {
    samples.iter().map(|record| set.sample(record.row)).collect()
}

/// Pairs of samples spread over the set, the same for the same number.
fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = PAIRS.min(n * n.saturating_sub(1) / 2);
    (0..count).map(move |i| {
        let a = i % n;
        (a, (a + 1 + (i / n + i * 7) % (n - 1)) % n)
    })
}

impl Dissimilarity<Record> for Combined {
    fn name(&self) -> &'static str {
        "combined"
    }

    fn learn(&mut self, samples: &[&Record], _names: &[String]) -> Result<()> {
        let Some(first) = samples.first() else { return Ok(()) };
        let parts = first.parts.clone();
        self.parts = self.make_parts(&parts)?;
        for (part, named) in self.parts.iter_mut().zip(parts.iter()) {
            let name = &named.name;
            let learnt = with_values!(&mut part.measure, &named.set, d, set => {
                let values = refs(set, samples);
                d.learn(&values, set.feature_names()).and_then(|()| {
                    values.iter().try_for_each(|v| d.check(v))?;
                    if !d.is_symmetric() {
                        return Err(Error::input("the measure is not symmetric"));
                    }
                    let all: Vec<f64> = pairs(values.len()).map(|(i, j)| d.between(values[i], values[j])).collect();
                    Ok(all.iter().sum::<f64>() / all.len().max(1) as f64)
                })
            });
            let mean = learnt.unwrap_or(Ok(1.0)).map_err(|e| Error::input(format!("part `{name}`: {e}")))?;
            part.scale = if mean > 0.0 && mean.is_finite() { mean } else { 1.0 };
        }
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut all = Vec::new();
        for part in &self.parts {
            let name = format!("weight.{}", part.name);
            all.push(Parameter { name, low: LEAST, high: 1.0, value: part.weight });
        }
        for part in &self.parts {
            let own = self.own(part).into_iter();
            all.extend(own.map(|p| Parameter { name: format!("{}.{}", part.name, p.name), ..p }));
        }
        all
    }

    fn set(&mut self, p: &[f64]) {
        let (weights, mut rest) = p.split_at(self.parts.len().min(p.len()));
        for (part, weight) in self.parts.iter_mut().zip(weights) {
            part.weight = *weight;
        }
        if self.inner {
            for part in &mut self.parts {
                let count = with_measure!(&part.measure, d => d.parameters().len()).min(rest.len());
                let (own, others) = rest.split_at(count);
                with_measure!(&mut part.measure, d => d.set(own));
                rest = others;
            }
        }
    }

    fn check(&self, sample: &Record) -> Result<()> {
        if self.parts.is_empty() {
            return Ok(());
        }
        if self.parts.len() != sample.parts.len() {
            return Err(Error::input(format!(
                "the record has {} parts, but must have {}",
                sample.parts.len(),
                self.parts.len()
            )));
        }
        for (part, named) in self.parts.iter().zip(sample.parts.iter()) {
            let checked = with_values!(&part.measure, &named.set, d, set => d.check(set.sample(sample.row)));
            let other = || Err(Error::input(format!("it holds {}", named.set.word())));
            checked.unwrap_or_else(other).map_err(|e| Error::input(format!("part `{}`: {e}", part.name)))?;
        }
        Ok(())
    }

    fn prepare(&self, many: &[&Record]) -> Box<dyn Prepared<Record>> {
        let Some(first) = many.first() else { return Box::new(Sides(Vec::new())) };
        let side = |(part, named): (&Part, &NamedPart)| {
            let prepared = match (&part.measure, &named.set) {
                (Measure::Texts(d), PartSet::Texts(set)) => Side::Texts(d.prepare(&refs(set, many))),
                (Measure::Series(d), PartSet::Series(set)) => Side::Series(d.prepare(&refs(set, many))),
                (Measure::Vectors(d), PartSet::Vectors(set)) => Side::Vectors(d.prepare(&refs(set, many))),
                (Measure::Mixed(d), PartSet::Mixed(set)) => Side::Mixed(d.prepare(&refs(set, many))),
                (Measure::Graphs(d), PartSet::Graphs(set)) => Side::Graphs(d.prepare(&refs(set, many))),
                _ => return None,
            };
            Some((part.factor(), prepared))
        };
        Box::new(Sides(self.parts.iter().zip(first.parts.iter()).map(side).collect()))
    }

    fn assemble(
        &self,
        samples: &[&Record],
        prototypes: &[usize],
        kept: &mut Kept,
        observer: &dyn Observer,
    ) -> Option<Result<Matrix>> {
        let first = samples.first()?;
        // A matrix for each part, the sum, and the best so far; where they would not fit, nothing is kept.
        let pairs = samples.len() as u64 * prototypes.len() as u64;
        memory::require("the parts of the records", 8 * pairs * (self.parts.len() as u64 + 2), None, "")
            .ok()?;
        let mut total = Matrix::zeros(samples.len(), prototypes.len());
        for (part, named) in self.parts.iter().zip(first.parts.iter()) {
            let state = with_measure!(&part.measure, d => d.state())?.to_string();
            let key = format!("{} {state}", part.name);
            let slot = format!("{} ", part.name);
            if kept.get(&key).is_none() {
                let computed = with_values!(&part.measure, &named.set, d, set => {
                    embed_keeping(&refs(set, samples), prototypes, d.as_ref(), kept.part(&part.name), observer)
                })?;
                match computed {
                    Ok(matrix) => kept.put(&slot, key.clone(), matrix),
                    Err(e) => return Some(Err(Error::input(format!("part `{}`: {e}", part.name)))),
                }
            }
            let matrix = kept.get(&key)?;
            let factor = part.factor();
            for (t, v) in total.values_mut().iter_mut().zip(matrix.values()) {
                *t += factor * v;
            }
        }
        Some(Ok(total))
    }

    fn effort(&self, sample: &Record) -> usize {
        let of_part = |(part, named): (&Part, &NamedPart)| with_values!(&part.measure, &named.set, d, set => d.effort(set.sample(sample.row)));
        self.parts.iter().zip(sample.parts.iter()).filter_map(of_part).sum()
    }

    fn is_metric(&self) -> bool {
        self.parts.iter().all(|part| with_measure!(&part.measure, d => d.is_metric()))
    }

    fn state(&self) -> Option<Value> {
        let store = |part: &Part| {
            Some(StoredPart {
                name: part.name.clone(),
                kind: part.measure.kind().into(),
                measure: with_measure!(&part.measure, d => d.name()).into(),
                state: with_measure!(&part.measure, d => d.state())?,
                weight: part.weight,
                scale: part.scale,
            })
        };
        let parts: Option<Vec<StoredPart>> = self.parts.iter().map(store).collect();
        serde_json::to_value(parts?).ok()
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<Record>> {
        Box::new(self.clone())
    }
}

/// One part of the prepared records.
enum Side {
    Texts(Box<dyn Prepared<str>>),
    Series(Box<dyn Prepared<Series>>),
    Vectors(Box<dyn Prepared<[f64]>>),
    Mixed(Box<dyn Prepared<MixedRow>>),
    Graphs(Box<dyn Prepared<Graph>>),
}

/// The parts with their factors; none for a part that `check` would not have let in.
struct Sides(Vec<Option<(f64, Side)>>);

impl Prepared<Record> for Sides {
    fn fill(&self, one: &Record, range: Range<usize>, out: &mut [f64]) {
        let mut own = vec![0.0; out.len()];
        out.fill(0.0);
        for (side, named) in self.0.iter().zip(one.parts.iter()) {
            let Some((factor, side)) = side else { return out.fill(f64::NAN) };
            match (side, &named.set) {
                (Side::Texts(p), PartSet::Texts(set)) => p.fill(set.sample(one.row), range.clone(), &mut own),
                (Side::Series(p), PartSet::Series(set)) => {
                    p.fill(set.sample(one.row), range.clone(), &mut own);
                }
                (Side::Vectors(p), PartSet::Vectors(set)) => {
                    p.fill(set.sample(one.row), range.clone(), &mut own);
                }
                (Side::Graphs(p), PartSet::Graphs(set)) => {
                    p.fill(set.sample(one.row), range.clone(), &mut own);
                }
                (Side::Mixed(p), PartSet::Mixed(set)) => p.fill(set.sample(one.row), range.clone(), &mut own),
                _ => return out.fill(f64::NAN),
            }
            for (o, v) in out.iter_mut().zip(&own) {
                *o += factor * v;
            }
        }
    }
}

fn restore(state: &Value) -> Result<Box<dyn Dissimilarity<Record>>> {
    let damaged = |e: String| ModelFault::Damaged(format!("the dissimilarity's state is not readable: {e}"));
    let stored: Vec<StoredPart> =
        serde_json::from_value(state.clone()).map_err(|e| damaged(e.to_string()))?;
    let parts = stored.iter().map(|part| {
        if !((0.0..=1.0).contains(&part.weight) && part.scale > 0.0 && part.scale.is_finite()) {
            return Err(damaged("a weight is out of range".into()).into());
        }
        let measure = Measure::restore(part)?;
        Ok(Part { name: part.name.clone(), measure, weight: part.weight, scale: part.scale })
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    if parts.is_empty() {
        return Err(damaged("there are no parts".into()).into());
    }
    Ok(Box::new(Combined { settings: Settings::default(), preset: Preset::Default, inner: false, parts }))
}

impl Catalogue for Records {
    fn catalogue() -> &'static [Entry<Record>] {
        &[Entry {
            name: "combined",
            summary: "weighted sum over the parts; settings: PART.dissimilarity, PART.KEY, inner=searched",
            make: |s| {
                let preset = match s.get::<String>("preset", "default or paper")?.as_deref() {
                    Some("paper") => Preset::Paper,
                    _ => Preset::Default,
                };
                Ok(Box::new(Combined::new(preset, s)?))
            },
            restore,
        }]
    }

    fn preset_settings(preset: Preset, _measure: &str) -> &'static [(&'static str, &'static str)] {
        match preset {
            Preset::Default => &[("preset", "default")],
            Preset::Paper => &[("preset", "paper")],
        }
    }
}
