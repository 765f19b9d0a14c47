//! Levenshtein distance: the least cost of turning one string into another by inserting, deleting and replacing.
//!
//! Equal costs use bit-parallel counting, eight strings at a time (`lanes`); other costs a dynamic program
//! (`weighted`). Normalized, it is divided by the largest cost for strings of these lengths.

#![expect(clippy::inline_always, reason = "only what is inlined is compiled for the widest instructions")]

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::settings::{setting, word};
use super::super::sight::TextSight;
use super::super::{Dissimilarity, Entry, Parameter, Prepared, Properties, Settings, Sight};
use super::alphabet::Alphabet;
use super::grouped::{Grouped, Kernel};
use super::lanes;
use super::symbols::Unit;
use super::weighted::{self, EditCosts};
use crate::error::{Error, Result};

/// The costs of edits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Inserting a symbol.
    pub insertion: f64,
    /// Deleting a symbol.
    pub deletion: f64,
    /// Replacing a symbol by another.
    pub substitution: f64,
}

impl Costs {
    /// One for each.
    pub const UNIT: Self = Self { insertion: 1.0, deletion: 1.0, substitution: 1.0 };

    fn are_equal(self) -> bool {
        self.is_symmetric() && self.insertion.to_bits() == self.substitution.to_bits()
    }

    fn is_symmetric(self) -> bool {
        self.insertion.to_bits() == self.deletion.to_bits()
    }

    /// The largest cost of turning a string of length `a` into one of length `b`.
    fn largest(self, a: usize, b: usize) -> f64 {
        let anew = a as f64 * self.deletion + b as f64 * self.insertion;
        let rest = if a > b { (a - b) as f64 * self.deletion } else { (b - a) as f64 * self.insertion };
        anew.min(a.min(b) as f64 * self.substitution + rest)
    }
}

/// The Levenshtein distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Levenshtein {
    unit: Unit,
    normalize: bool,
    costs: Costs,
    /// Whether the costs are parameters.
    searched: bool,
}

impl Levenshtein {
    /// Over these units and with these costs, normalized to [0, 1] or not.
    pub fn new(unit: Unit, costs: Costs, normalize: bool) -> Self {
        Self { unit, normalize, costs, searched: false }
    }

    fn is_sound(&self) -> bool {
        let is_cost = |c: f64| c > 0.0 && c <= 1e6;
        is_cost(self.costs.insertion) && is_cost(self.costs.deletion) && is_cost(self.costs.substitution)
    }

    fn finish(&self, distance: f64, a: usize, b: usize) -> f64 {
        if !self.normalize {
            return distance;
        }
        let largest = self.costs.largest(a, b);
        if largest > 0.0 { distance / largest } else { 0.0 }
    }
}

impl Dissimilarity<str> for Levenshtein {
    fn name(&self) -> &'static str {
        "levenshtein"
    }

    fn sight(&self) -> Option<Box<dyn Sight<str>>> {
        Some(Box::new(TextSight))
    }

    fn between(&self, a: &str, b: &str) -> f64 {
        self.prepare(&[b]).to_first(a)
    }

    fn parameters(&self) -> Vec<Parameter> {
        if !self.searched {
            return Vec::new();
        }
        let parameter = |name: &str, high, value| Parameter { name: name.to_owned(), low: 0.05, high, value };
        vec![
            parameter("indel", 1.0, self.costs.insertion.clamp(0.05, 1.0)),
            parameter("substitution", 2.0, self.costs.substitution.clamp(0.05, 2.0)),
        ]
    }

    fn set(&mut self, p: &[f64]) {
        if let [indel, substitution] = *p {
            self.costs = Costs { insertion: indel, deletion: indel, substitution };
        }
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn settings(&self) -> Vec<(String, String)> {
        vec![
            setting("unit", word(&self.unit)),
            setting("normalize", self.normalize),
            setting("insertion", self.costs.insertion),
            setting("deletion", self.costs.deletion),
            setting("substitution", self.costs.substitution),
            setting("costs", if self.searched { "searched" } else { "fixed" }),
        ]
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<str>> {
        Box::new(self.clone())
    }

    fn properties(&self) -> Properties {
        Properties {
            symmetric: self.costs.is_symmetric(),
            metric: !self.normalize && self.costs.is_symmetric(),
            ..Properties::default()
        }
    }

    fn prepare(&self, many: &[&str]) -> Box<dyn Prepared<str>> {
        let alphabet = Alphabet::new(self.unit);
        if self.costs.are_equal() {
            Box::new(Grouped::new(Counted(self.clone()), alphabet, many))
        } else {
            Box::new(Grouped::new(Summed(self.clone()), alphabet, many))
        }
    }

    fn effort(&self, sample: &str) -> usize {
        self.unit.length(sample)
    }
}

/// Equal costs: edits are counted.
struct Counted(Levenshtein);

impl Kernel for Counted {
    type Group = lanes::Group;
    type Buffer = lanes::BitColumn;
    const WIDTH: usize = lanes::LANES;

    fn group(&self, strings: &[&[u32]], alphabet: usize) -> lanes::Group {
        lanes::Group::new(strings, alphabet)
    }

    fn compare(&self, one: &[u32], group: &lanes::Group, buffer: &mut lanes::BitColumn, out: &mut [f64]) {
        let edits = group.distances(one, buffer);
        for ((o, edits), length) in out.iter_mut().zip(edits).zip(group.lengths()) {
            *o = self.0.finish(self.0.costs.insertion * edits as f64, one.len(), length);
        }
    }
}

/// Costs that differ by the kind of edit.
struct Summed(Levenshtein);

impl Kernel for Summed {
    type Group = weighted::Group;
    type Buffer = Vec<[f64; weighted::LANES]>;
    const WIDTH: usize = weighted::LANES;

    fn group(&self, strings: &[&[u32]], _alphabet: usize) -> weighted::Group {
        weighted::Group::new(strings)
    }

    fn compare(&self, one: &[u32], group: &weighted::Group, buffer: &mut Self::Buffer, out: &mut [f64]) {
        let costs = group.distances(one, &self.0.costs, buffer);
        for ((o, cost), length) in out.iter_mut().zip(costs).zip(group.lengths()) {
            *o = self.0.finish(cost, one.len(), length);
        }
    }
}

impl EditCosts for Costs {
    #[inline(always)]
    fn deletion(&self, _symbol: u32) -> f64 {
        self.deletion
    }

    #[inline(always)]
    fn insertion(&self, _symbol: u32) -> f64 {
        self.insertion
    }

    #[inline(always)]
    fn substitution(&self, symbol: u32, others: &[u32; weighted::LANES]) -> [f64; weighted::LANES] {
        others.map(|other| if other == symbol { 0.0 } else { self.substitution })
    }
}

fn make(settings: &Settings) -> Result<Box<dyn Dissimilarity<str>>> {
    settings.only("levenshtein", &["unit", "normalize", "insertion", "deletion", "substitution", "costs"])?;
    let cost = |name: &str| -> Result<f64> { Ok(settings.get(name, "a number above 0")?.unwrap_or(1.0)) };
    let searched = match settings.get::<String>("costs", "fixed or searched")?.as_deref() {
        None | Some("fixed") => false,
        Some("searched") => true,
        Some(other) => return Err(Error::parameter("costs", format!("`{other}`"), "fixed or searched")),
    };
    let d = Levenshtein {
        unit: super::unit(settings)?,
        normalize: settings.truth("normalize", true)?,
        costs: Costs {
            insertion: cost("insertion")?,
            deletion: cost("deletion")?,
            substitution: cost("substitution")?,
        },
        searched,
    };
    if !d.is_sound() {
        let costs = [d.costs.insertion, d.costs.deletion, d.costs.substitution];
        return Err(Error::parameter(
            "insertion, deletion, substitution",
            format!("{costs:?}"),
            "numbers above 0 and up to 1e6",
        ));
    }
    Ok(Box::new(d))
}

pub(super) const ENTRY: Entry<str> = Entry {
    name: "levenshtein",
    summary: "edits that turn one string into another; settings: unit, normalize, insertion, deletion, substitution, \
              costs=searched",
    make,
    restore: |state| super::super::restored(state, |d: Levenshtein| d.is_sound().then(|| d.boxed())),
};
