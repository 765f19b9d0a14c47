//! Records: a weighted sum over the parts, `d(a, b) = sum_i p_i d_i(a_i, b_i) / s_i`.
//!
//! Each part has its own measure; `s_i` is its mean over pairs of training samples, which makes parts of different
//! units comparable. The weights `p_i` in [0.1, 1] are parameters, and so are the parts' own parameters if
//! `inner=searched`. No weight reaches zero: the objective measures how the graph falls apart, and would readily drop
//! a part. In `default`, the weight of a part is the square root of its number of columns, so a table of nine columns
//! weighs three times as much as one text. During a search, the matrix of a part is cached until its own parameters
//! change.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::any_dissimilarity::AnyChanged;
use super::record::{self, Record};
use super::{AnyDissimilarity, AnyPrepared, AnySamples, Kinds};
use crate::dissimilarity::{
    Changed, Dissimilarity, Entry, LeaveOneOut, LeftOutScores, Panel, Parameter, Prepared, Properties,
    SearchCache, Settings, State, View, setting, shares_of_terms,
};
use crate::error::{Error, ModelFault, Remedy, Result};
use crate::matrix::Matrix;
use crate::memory;
use crate::observer::Observer;
use crate::params::Preset;

/// Minimum weight in a search.
const MIN_WEIGHT: f64 = 0.1;
/// Pairs used to estimate the scale of a part.
const SCALE_PAIRS: usize = 1000;

/// One part with its measure.
#[derive(Clone)]
struct Part {
    name: String,
    measure: AnyDissimilarity,
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
    searches_parts: bool,
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
    /// search the parts' own parameters, too.
    pub fn new(preset: Preset, settings: &Settings) -> Result<Self> {
        let searches_parts = match settings.get::<String>("inner", "fixed or searched")?.as_deref() {
            None | Some("fixed") => false,
            Some("searched") => true,
            Some(other) => return Err(Error::parameter("inner", format!("`{other}`"), "fixed or searched")),
        };
        Ok(Self { settings: settings.clone(), preset, searches_parts, parts: Vec::new() })
    }

    fn make_parts(&self, parts: &[record::Part]) -> Result<Vec<Part>> {
        let names: Vec<&str> = parts.iter().map(|p| p.name.as_str()).collect();
        self.settings.only_of("combined", &["inner", "preset"], &names)?;
        let make = |part: &record::Part| {
            let mut settings = self.settings.under(&part.name);
            let name = settings.take("dissimilarity");
            let measure = part.samples.measure(self.preset, name.as_deref(), &settings);
            let measure = measure.map_err(|e| of_part(&part.name, &e))?;
            Ok(Part { name: part.name.clone(), measure, weight: 1.0, scale: 1.0 })
        };
        parts.iter().map(make).collect()
    }

    /// Only this part counts, with this measure.
    fn alone(&self, part: usize, measure: AnyDissimilarity) -> Self {
        let mut alone = self.clone();
        for other in &mut alone.parts {
            other.weight = 0.0;
        }
        alone.parts[part].weight = 1.0;
        alone.parts[part].measure = measure;
        alone
    }

    /// One part of records on its own, with this measure.
    pub(super) fn of_one(part: usize, measure: AnyDissimilarity) -> Self {
        let of_part = |at: usize| Part {
            name: at.to_string(),
            measure: measure.clone(),
            weight: f64::from(u8::from(at == part)),
            scale: 1.0,
        };
        let parts = (0..=part).map(of_part).collect();
        Self { settings: Settings::default(), preset: Preset::Default, searches_parts: false, parts }
    }

    /// The parts that count, with their values in a set of records.
    fn counting<'a, 's>(
        &'a self,
        parts: &'s [record::Part],
    ) -> impl Iterator<Item = (&'a Part, &'s AnySamples)> + use<'a, 's> {
        let pairs = self.parts.iter().zip(parts.iter().map(|p| &p.samples));
        pairs.filter(|(part, _)| part.weight > 0.0)
    }

    /// The weight of the view of all parts together.
    fn weight_together(&self) -> f64 {
        self.parts.iter().map(|part| part.weight).filter(|weight| *weight > 0.0).fold(1.0, f64::min)
    }

    /// The total weight of all parts.
    fn weights(&self) -> f64 {
        self.parts.iter().map(|part| part.weight).sum()
    }

    fn searched(&self, part: &Part) -> Vec<Parameter> {
        if self.searches_parts { part.measure.parameters() } else { Vec::new() }
    }
}

fn of_part(name: &str, error: &Error) -> Error {
    Error::input(format!("part `{name}`: {error}"))
}

fn rows(records: &[&Record]) -> Vec<usize> {
    records.iter().map(|record| record.row).collect()
}

/// Pairs of samples spread over the set, always the same for the same `n`.
fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = SCALE_PAIRS.min(n * n.saturating_sub(1) / 2);
    (0..count).map(move |i| {
        let a = i % n;
        (a, (a + 1 + (i / n + i * 7) % (n - 1)) % n)
    })
}

impl Dissimilarity<Record> for Combined {
    fn name(&self) -> &'static str {
        "combined"
    }

    fn between(&self, a: &Record, b: &Record) -> f64 {
        self.prepare(&[b]).to_first(a)
    }

    fn learn(&mut self, samples: &[&Record], _names: &[String]) -> Result<()> {
        let Some(first) = samples.first() else { return Ok(()) };
        let parts = first.parts.clone();
        self.parts = self.make_parts(&parts)?;
        let rows = rows(samples);
        for (part, values) in self.parts.iter_mut().zip(parts.iter().map(|p| &p.samples)) {
            let measure = &mut part.measure;
            let learned = measure.learn(values, &rows).and_then(|()| {
                rows.iter().try_for_each(|&row| measure.check(values, row))?;
                if !measure.properties().symmetric {
                    return Err(Error::input("the measure is not symmetric"));
                }
                let all: Vec<f64> = pairs(rows.len())
                    .map(|(i, j)| measure.between((values, rows[i]), (values, rows[j])))
                    .collect();
                Ok(all.iter().sum::<f64>() / all.len().max(1) as f64)
            });
            let mean = learned.map_err(|e| of_part(&part.name, &e))?;
            part.scale = if mean > 0.0 && mean.is_finite() { mean } else { 1.0 };
        }
        // A single odd text must add as much to a panel as a single odd column of a table: hence the square root.
        if self.preset == Preset::Default {
            let fields = || parts.iter().map(|part| part.samples.slots().max(1) as f64);
            let most = fields().fold(1.0, f64::max);
            self.parts
                .iter_mut()
                .zip(fields())
                .for_each(|(part, fields)| part.weight = (fields / most).sqrt());
        }
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut all = Vec::new();
        for part in &self.parts {
            let name = format!("weight.{}", part.name);
            let low = MIN_WEIGHT.min(part.weight);
            all.push(Parameter { name, low, high: 1.0, value: part.weight });
        }
        for part in &self.parts {
            let own = self.searched(part).into_iter();
            all.extend(own.map(|p| Parameter { name: format!("{}.{}", part.name, p.name), ..p }));
        }
        all
    }

    fn set(&mut self, p: &[f64]) {
        let (weights, mut rest) = p.split_at(self.parts.len().min(p.len()));
        for (part, weight) in self.parts.iter_mut().zip(weights) {
            part.weight = *weight;
        }
        if self.searches_parts {
            for part in &mut self.parts {
                let count = part.measure.parameters().len().min(rest.len());
                let (own, others) = rest.split_at(count);
                part.measure.set(own);
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
        for (part, values) in self.parts.iter().zip(sample.parts.iter().map(|p| &p.samples)) {
            part.measure.check(values, sample.row).map_err(|e| of_part(&part.name, &e))?;
        }
        Ok(())
    }

    fn properties(&self) -> Properties {
        let of_parts = || self.parts.iter().map(|part| part.measure.properties());
        Properties {
            metric: of_parts().all(|p| p.metric),
            needs_fold_calibration: of_parts().any(|p| p.needs_fold_calibration),
            ..Properties::default()
        }
    }

    fn state(&self) -> Option<Value> {
        let store = |part: &Part| {
            Some(StoredPart {
                name: part.name.clone(),
                kind: part.measure.kind().key().into(),
                measure: part.measure.name().into(),
                state: part.measure.state()?,
                weight: part.weight,
                scale: part.scale,
            })
        };
        let parts: Option<Vec<StoredPart>> = self.parts.iter().map(store).collect();
        serde_json::to_value(parts?).ok()
    }

    fn settings(&self) -> Vec<(String, String)> {
        let mut all = vec![setting("inner", if self.searches_parts { "searched" } else { "fixed" })];
        for part in &self.parts {
            let own = part
                .measure
                .settings()
                .into_iter()
                .map(|(key, value)| (format!("{}.{key}", part.name), value));
            all.push((format!("{}.dissimilarity", part.name), part.measure.name().to_owned()));
            all.extend(own);
        }
        all
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<Record>> {
        Box::new(self.clone())
    }

    /// By part, and by column for parts that are tables.
    fn shares(&self, a: &Record, b: &Record) -> Vec<f64> {
        let mut terms = Vec::new();
        for (part, (x, y)) in self.parts.iter().zip(a.parts.iter().zip(b.parts.iter())) {
            let (x, y) = ((&x.samples, a.row), (&y.samples, b.row));
            let term = part.factor() * part.measure.between(x, y);
            match x.0.slots() {
                1 => terms.push(term),
                slots => {
                    let mut own = part.measure.shares(x, y);
                    own.resize(slots, 0.0);
                    terms.extend(own.into_iter().map(|share| share * term));
                }
            }
        }
        shares_of_terms(terms)
    }

    /// All parts together, if there are several, and then the views of each part, which together weigh as much as the
    /// part, whatever their number. The sum may reveal what no single part does. It weighs as much as the smallest
    /// part, since it hides what one part among many reveals.
    fn views(&self, samples: &[&Record]) -> Vec<View<Record>> {
        let mut views = Vec::new();
        if self.parts.len() > 1 {
            let name = "together".to_owned();
            let weight = self.weight_together();
            views.push(View { name, weight, measure: Box::new(self.clone()), feature: None });
        }
        let Some(first) = samples.first() else { return views };
        let rows = rows(samples);
        for (p, (part, values)) in self.parts.iter().zip(first.parts.iter()).enumerate() {
            if part.weight <= 0.0 {
                continue;
            }
            let own = part.measure.views(&values.samples, &rows);
            let (count, total) = (own.len(), part.measure.total_weight());
            views.extend(own.into_iter().map(|(name, weight, measure)| View {
                name: if count > 1 { format!("{}, {name}", part.name) } else { part.name.clone() },
                weight: part.weight * weight / total,
                measure: Box::new(self.alone(p, measure)),
                feature: None,
            }));
        }
        views
    }

    fn total_weight(&self) -> f64 {
        self.weights() + if self.parts.len() > 1 { self.weight_together() } else { 0.0 }
    }

    fn panels(&self, samples: &[&Record], kept: &[u32]) -> Vec<Box<dyn Panel<Record>>> {
        let Some(first) = samples.first() else { return Vec::new() };
        let rows = rows(samples);
        let mut all: Vec<Box<dyn Panel<Record>>> = Vec::new();
        let mut feature = 0;
        for (p, (part, values)) in self.parts.iter().zip(first.parts.iter()).enumerate() {
            let (total, slots) = (part.measure.total_weight(), values.samples.slots());
            let own = part.measure.panels(&values.samples, &rows, kept, p);
            for panel in own.into_iter().filter(|_| part.weight > 0.0) {
                all.push(Box::new(NamedPanel {
                    name: part.name.clone(),
                    features: feature..feature + slots,
                    factor: part.weight / total,
                    panel,
                }));
            }
            feature += slots;
        }
        all
    }

    fn leave_one_out(&self, samples: &[&Record]) -> Option<Box<dyn LeaveOneOut>> {
        let parts = samples.first()?.parts.clone();
        let rows = rows(samples);
        let left_out: Vec<PartLeftOut> = self
            .parts
            .iter()
            .zip(parts.iter())
            .map(|(part, values)| PartLeftOut {
                left_out: part.measure.leave_one_out(&values.samples, &rows),
                views: if part.weight > 0.0 { part.measure.views(&values.samples, &rows).len() } else { 0 },
            })
            .collect();
        left_out.iter().any(|p| p.left_out.is_some()).then(|| {
            let combined = self.clone();
            Box::new(LeftOutParts { combined, parts, rows, left_out }) as Box<dyn LeaveOneOut>
        })
    }

    /// From the parts that are tables.
    fn changed(&self, samples: &[&Record]) -> Option<Changed<Record>> {
        let parts = samples.first()?.parts.clone();
        let rows = rows(samples);
        let mut of_parts: Vec<(usize, usize, usize, AnyChanged)> = Vec::new();
        let mut first = 0;
        for (p, (part, values)) in self.parts.iter().zip(parts.iter()).enumerate() {
            let slots = values.samples.slots();
            let changed = part.measure.changed(&values.samples, &rows).filter(|c| c.weight >= 1.0);
            of_parts.extend(changed.map(|changed| (p, first, slots, changed)));
            first += slots;
        }
        let of = move |sample: &Record| {
            let mut all = Vec::new();
            for (p, first, slots, changed) in &of_parts {
                let own = (changed.of)(&sample.parts[*p].samples, sample.row);
                all.extend(own.into_iter().map(|f| first + f.min(slots - 1)));
            }
            all
        };
        Some(Changed { weight: 1.0, of: Box::new(of) })
    }

    fn prepare(&self, many: &[&Record]) -> Box<dyn Prepared<Record>> {
        let Some(first) = many.first() else { return Box::new(PreparedParts(Vec::new())) };
        let rows = rows(many);
        let prepared = |(part, values): (&Part, &record::Part)| {
            if part.weight <= 0.0 {
                return PreparedPart::Ignored;
            }
            match part.measure.prepare(&values.samples, &rows) {
                Ok(prepared) => PreparedPart::Counting(part.factor(), prepared),
                Err(_) => PreparedPart::Unfit,
            }
        };
        Box::new(PreparedParts(self.parts.iter().zip(first.parts.iter()).map(prepared).collect()))
    }

    fn is_cheap_per_row(&self) -> bool {
        self.parts.iter().filter(|part| part.weight > 0.0).all(|part| part.measure.is_cheap_per_row())
    }

    fn assemble<'s>(
        &self,
        samples: &[&'s Record],
        prototypes: &[usize],
        cache: &mut SearchCache<'s>,
        observer: &dyn Observer,
    ) -> Option<Result<Matrix>> {
        let parts: &'s [record::Part] = &samples.first()?.parts;
        // One matrix per part, the sum, and the best so far; if they do not fit in memory, nothing is cached.
        let pairs = samples.len() as u64 * prototypes.len() as u64;
        let needed = 8 * pairs * (self.parts.len() as u64 + 2);
        memory::require("the parts of the records", needed, None, Remedy::FreeMemory).ok()?;
        let rows = rows(samples);
        let mut total = Matrix::zeros(samples.len(), prototypes.len());
        for (part, values) in self.counting(parts) {
            let key = format!("{} {}", part.name, part.measure.state()?);
            let slot = format!("{} ", part.name);
            if cache.matrix(&key).is_none() {
                let inner = cache.part(&part.name);
                match part.measure.embed(values, &rows, prototypes, inner, observer) {
                    Ok(matrix) => cache.insert_matrix(&slot, key.clone(), matrix),
                    Err(e) if e.is_cancelled() => return Some(Err(e)),
                    Err(e) => return Some(Err(of_part(&part.name, &e))),
                }
            }
            let matrix = cache.matrix(&key)?;
            let factor = part.factor();
            for (t, v) in total.values_mut().iter_mut().zip(matrix.values()) {
                *t += factor * v;
            }
        }
        Some(Ok(total))
    }

    fn effort(&self, sample: &Record) -> usize {
        let of_part =
            |(part, values): (&Part, &record::Part)| part.measure.effort(&values.samples, sample.row);
        self.parts.iter().zip(sample.parts.iter()).map(of_part).sum()
    }
}

struct PartLeftOut {
    left_out: Option<Box<dyn LeaveOneOut>>,
    /// How many of the views belong to this part.
    views: usize,
}

/// Records, each left out of what the measures of its parts learned.
struct LeftOutParts {
    combined: Combined,
    parts: std::sync::Arc<Vec<record::Part>>,
    rows: Vec<usize>,
    left_out: Vec<PartLeftOut>,
}

impl LeaveOneOut for LeftOutParts {
    fn fill(&self, view: usize, i: usize, others: &[u32], out: &mut [f64]) {
        let together = usize::from(self.combined.parts.len() > 1);
        if view < together {
            return self.fill_together(i, others, out);
        }
        let mut at = view - together;
        for (part, combined) in self.left_out.iter().zip(&self.combined.parts) {
            if at >= part.views {
                at -= part.views;
                continue;
            }
            if let Some(left_out) = &part.left_out {
                // The part computes without its scale. What it leaves unchanged already has it.
                let before: Vec<f64> = out.iter().map(|o| o * combined.scale).collect();
                let mut after = before.clone();
                left_out.fill(at, i, others, &mut after);
                for ((o, before), after) in out.iter_mut().zip(&before).zip(&after) {
                    if after.to_bits() != before.to_bits() {
                        *o = after / combined.scale;
                    }
                }
            }
            return;
        }
    }

    fn changes(&self, i: usize) -> usize {
        let tables = self.left_out.iter().zip(self.parts.iter()).filter(|(_, part)| part.samples.is_table());
        tables.filter_map(|(p, _)| p.left_out.as_ref()).map(|l| l.changes(i)).sum()
    }

    fn part(&self, part: usize) -> Option<&dyn LeaveOneOut> {
        self.left_out[part].left_out.as_deref()
    }
}

/// A panel of one part, with its name and features among those of the record.
struct NamedPanel {
    name: String,
    /// The features of the part.
    features: Range<usize>,
    factor: f64,
    panel: Box<dyn Panel<Record>>,
}

impl Panel<Record> for NamedPanel {
    fn name(&self) -> String {
        format!("{}, {}", self.name, self.panel.name())
    }

    fn weight(&self) -> f64 {
        self.factor * self.panel.weight()
    }

    fn count(&self) -> usize {
        self.panel.count()
    }

    fn scores(&self, one: &Record, few: usize) -> Vec<f64> {
        self.panel.scores(one, few)
    }

    fn left_out(
        &self,
        i: usize,
        one: &Record,
        few: usize,
        twin: Option<u32>,
        left_out: &dyn LeaveOneOut,
    ) -> LeftOutScores {
        self.panel.left_out(i, one, few, twin, left_out)
    }

    /// For a part that is not a table, the part itself.
    fn features(&self, score: usize) -> Vec<usize> {
        let last = self.features.end - 1;
        let mut features: Vec<usize> =
            self.panel.features(score).into_iter().map(|f| (self.features.start + f).min(last)).collect();
        features.dedup();
        features
    }
}

impl LeftOutParts {
    /// The sum over the parts changes by the changes of those parts that support leaving out.
    fn fill_together(&self, i: usize, others: &[u32], out: &mut [f64]) {
        let parts = self.combined.parts.iter().zip(self.parts.iter()).zip(&self.left_out);
        for ((part, values), left_out) in parts {
            let Some(left_out) = left_out.left_out.as_ref().filter(|_| part.weight > 0.0) else { continue };
            let before = |j: &u32| {
                let (a, b) = (self.rows[i], self.rows[*j as usize]);
                part.measure.between((&values.samples, a), (&values.samples, b))
            };
            let before: Vec<f64> = others.iter().map(before).collect();
            let mut after = before.clone();
            left_out.fill(0, i, others, &mut after);
            for ((o, before), after) in out.iter_mut().zip(&before).zip(&after) {
                *o = (*o + part.factor() * (after - before)).max(0.0);
            }
        }
    }
}

struct PreparedParts(Vec<PreparedPart>);

enum PreparedPart {
    /// A part with its factor.
    Counting(f64, AnyPrepared),
    /// Its weight is zero.
    Ignored,
    /// Rejected by `check`.
    Unfit,
}

impl PreparedParts {
    /// Sums the values that `fill` computes for each part of a record.
    fn sum(
        &self,
        one: &Record,
        out: &mut [f64],
        fill: impl Fn(&AnyPrepared, (&AnySamples, usize), &mut [f64]),
    ) {
        let mut own = vec![0.0; out.len()];
        out.fill(0.0);
        for (part, values) in self.0.iter().zip(one.parts.iter()) {
            let (factor, prepared) = match part {
                PreparedPart::Counting(factor, prepared) => (factor, prepared),
                PreparedPart::Ignored => continue,
                PreparedPart::Unfit => return out.fill(f64::NAN),
            };
            fill(prepared, (&values.samples, one.row), &mut own);
            for (o, v) in out.iter_mut().zip(&own) {
                *o += factor * v;
            }
        }
    }
}

impl Prepared<Record> for PreparedParts {
    fn fill(&self, one: &Record, range: Range<usize>, out: &mut [f64]) {
        self.sum(one, out, |part, value, own| part.fill(value, range.clone(), own));
    }

    fn fill_some(&self, one: &Record, which: &[usize], out: &mut [f64]) {
        self.sum(one, out, |part, value, own| part.fill_some(value, which, own));
    }
}

/// From the stored state; parts are of these kinds.
pub(crate) fn restore(state: &State<'_>, kinds: &Kinds) -> Result<Box<dyn Dissimilarity<Record>>> {
    let damaged = |e: String| ModelFault::Damaged(format!("the dissimilarity's state is not readable: {e}"));
    let stored: Vec<StoredPart> = state.read()?;
    let parts = stored.iter().map(|part| {
        if !((0.0..=1.0).contains(&part.weight) && part.scale > 0.0 && part.scale.is_finite()) {
            return Err(damaged("a weight is out of range".into()).into());
        }
        let measure =
            kinds.keyed(&part.kind)?.restore_measure(&part.measure, &state.part(&part.state), kinds)?;
        Ok(Part { name: part.name.clone(), measure, weight: part.weight, scale: part.scale })
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    if parts.is_empty() {
        return Err(damaged("there are no parts".into()).into());
    }
    Ok(Box::new(Combined {
        settings: Settings::default(),
        preset: Preset::Default,
        searches_parts: false,
        parts,
    }))
}

pub(crate) const ENTRY: Entry<Record> = Entry {
    name: "combined",
    summary: "weighted sum over the parts; settings: PART.dissimilarity, PART.KEY, inner=searched",
    make: |s| {
        let preset = match s.get::<String>("preset", "default or paper")?.as_deref() {
            Some("paper") => Preset::Paper,
            _ => Preset::Default,
        };
        Ok(Box::new(Combined::new(preset, s)?))
    },
    restore: |state| restore(state, &Kinds::default()),
};
