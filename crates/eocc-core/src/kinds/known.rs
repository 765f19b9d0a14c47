//! Samples with a precomputed matrix of dissimilarities that can still be observed themselves: records of two parts.
//!
//! Many fits on subsets of one set, as in cross-validation, then compute each dissimilarity once.

use serde_json::Value;

use super::combined::Combined;
use super::record::{Part, Record, Records};
use super::{AnyDissimilarity, AnySamples};
use crate::dissimilarity::{
    Changed, Dissimilarity, LeaveOneOut, Panel, Prepared, Properties, Settings, View,
};
use crate::error::Result;
use crate::params::Preset;
use crate::sample::Precomputed;

/// The parts of a record: a row of the matrix, and the sample.
const MATRIX: usize = 0;
const SAMPLE: usize = 1;

impl AnySamples {
    /// These samples with their known dissimilarities, one row each.
    pub fn with_known(&self, matrix: AnySamples) -> Result<Self> {
        matrix.expect::<Precomputed>()?;
        let parts = vec![Part::new("dissimilarities", matrix), Part::new("sample", self.clone())];
        Ok(Records::new(parts)?.into())
    }
}

impl AnyDissimilarity {
    /// This measure for samples [with known dissimilarities](AnySamples::with_known), which it looks up.
    pub fn of_known(self, preset: Preset) -> Result<Self> {
        let lookup = super::Kind::new::<Precomputed>().measure(preset, None, &Settings::default())?;
        Ok(Self::new::<Records>(Box::new(Known { lookup, inner: self })))
    }
}

/// A measure of the sample whose values are looked up in the matrix.
struct Known {
    lookup: AnyDissimilarity,
    inner: AnyDissimilarity,
}

impl Known {
    /// One part on its own, with this measure.
    fn alone(part: usize, measure: AnyDissimilarity) -> Box<dyn Dissimilarity<Record>> {
        Box::new(Combined::of_one(part, measure))
    }
}

fn sample(one: &Record) -> &AnySamples {
    &one.parts[SAMPLE].samples
}

/// The values of the samples, and their rows.
fn samples<'a>(records: &[&'a Record]) -> Option<(&'a AnySamples, Vec<usize>)> {
    Some((sample(records.first()?), records.iter().map(|r| r.row).collect()))
}

impl Dissimilarity<Record> for Known {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn between(&self, a: &Record, b: &Record) -> f64 {
        self.lookup.between((&a.parts[MATRIX].samples, a.row), (&b.parts[MATRIX].samples, b.row))
    }

    fn check(&self, one: &Record) -> Result<()> {
        self.lookup.check(&one.parts[MATRIX].samples, one.row)?;
        self.inner.check(sample(one), one.row)
    }

    fn learn(&mut self, records: &[&Record], _names: &[String]) -> Result<()> {
        let Some((values, rows)) = samples(records) else { return Ok(()) };
        self.lookup.learn(&records[0].parts[MATRIX].samples, &rows)?;
        self.inner.learn(values, &rows)
    }

    fn properties(&self) -> Properties {
        self.inner.properties()
    }

    /// It exists only within one run of many fits.
    fn state(&self) -> Option<Value> {
        None
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<Record>> {
        Box::new(Self { lookup: self.lookup.clone(), inner: self.inner.clone() })
    }

    fn prepare(&self, many: &[&Record]) -> Box<dyn Prepared<Record>> {
        Self::alone(MATRIX, self.lookup.clone()).prepare(many)
    }

    fn views(&self, records: &[&Record]) -> Vec<View<Record>> {
        let Some((values, rows)) = samples(records) else { return Vec::new() };
        let of_view = |(v, (name, weight, measure))| View {
            name,
            weight,
            measure: if v == 0 { self.boxed() } else { Self::alone(SAMPLE, measure) },
            feature: None,
        };
        self.inner.views(values, &rows).into_iter().enumerate().map(of_view).collect()
    }

    fn total_weight(&self) -> f64 {
        self.inner.total_weight()
    }

    fn panels(&self, records: &[&Record], kept: &[u32]) -> Vec<Box<dyn Panel<Record>>> {
        let Some((values, rows)) = samples(records) else { return Vec::new() };
        self.inner.panels(values, &rows, kept, SAMPLE)
    }

    fn leave_one_out(&self, records: &[&Record]) -> Option<Box<dyn LeaveOneOut>> {
        let (values, rows) = samples(records)?;
        Some(Box::new(OfSample(self.inner.leave_one_out(values, &rows)?)))
    }

    fn changed(&self, records: &[&Record]) -> Option<Changed<Record>> {
        let (values, rows) = samples(records)?;
        let changed = self.inner.changed(values, &rows)?;
        Some(Changed {
            weight: changed.weight,
            of: Box::new(move |one: &Record| (changed.of)(sample(one), one.row)),
        })
    }
}

/// The measure as if learned without a sample; known dissimilarities do not change.
struct OfSample(Box<dyn LeaveOneOut>);

impl LeaveOneOut for OfSample {
    fn fill(&self, view: usize, i: usize, others: &[u32], out: &mut [f64]) {
        if view > 0 {
            self.0.fill(view, i, others, out);
        }
    }

    fn changes(&self, i: usize) -> usize {
        self.0.changes(i)
    }

    fn part(&self, _part: usize) -> Option<&dyn LeaveOneOut> {
        Some(self.0.as_ref())
    }
}
