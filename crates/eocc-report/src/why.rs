//! Why a sample is judged as it is, in words: the features with the largest shares, and how it differs from the
//! nearest nominal.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use eocc_core::dissimilarity::ged::EditPath;
use eocc_core::dissimilarity::matched::{Differences, LetterPair, StepPair};
use eocc_core::sample::{ColumnKind, DateValue};
use eocc_core::stats::percentile;
use eocc_core::{AnyDissimilarity, AnyModel, AnySamples, Decision, Explanation};

use serde_json::json;

use crate::report::{FeatureShare, Why};

/// Maximum number of features given for a sample.
const FEATURES: usize = 5;
/// This many are given in any case.
const FEW_FEATURES: usize = 2;
/// Further features need at least this share.
const MIN_SHARE: f64 = 0.01;
/// The percentiles of the usual range.
const USUAL: (f64, f64) = (5.0, 95.0);
/// Letters per line of an alignment.
const LINE: usize = 80;
/// Maximum length of a string that serves as its own name.
const LONGEST_NAME: usize = 30;
/// Maximum number of steps given for a series.
const STEPS: usize = 5;
/// Maximum number of edits given for a graph.
const EDITS: usize = 10;

/// The format of numbers, and of dates in days since 1970.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// A number.
    pub number: fn(f64) -> String,
    /// A date.
    pub date: fn(f64) -> String,
}

/// A model's information about its samples, gathered once to explain others.
pub struct Reasons<'a> {
    model: &'a AnyModel,
    style: Style,
    measure: AnyDissimilarity,
    reference: AnySamples,
    features: Vec<String>,
    /// The usual values of each feature, computed on first use.
    usual: Vec<OnceLock<Option<Usual>>>,
    /// The summaries of the nominals, if the model uses these instead of features.
    seen: OnceLock<Vec<Vec<f64>>>,
}

impl<'a> Reasons<'a> {
    /// The reasons of a model.
    pub fn new(model: &'a AnyModel, style: Style) -> Self {
        let features = model.share_names();
        Self {
            model,
            style,
            measure: model.measure(),
            reference: model.reference(),
            usual: features.iter().map(|_| OnceLock::new()).collect(),
            features,
            seen: OnceLock::new(),
        }
    }

    /// Explains the single sample in `samples`.
    pub fn why(&self, samples: &AnySamples, explanation: &Explanation) -> Why {
        Why {
            features: self.features(samples, explanation),
            nearest: explanation.nearest.iter().map(|(i, length)| (self.name(*i), *length)).collect(),
            matched: self.matched(samples, explanation),
        }
    }

    /// The features with the largest shares, largest first.
    fn features(&self, samples: &AnySamples, explanation: &Explanation) -> Vec<FeatureShare> {
        let shares = &explanation.shares;
        let mut order: Vec<usize> = (0..shares.len()).filter(|&f| shares[f] > 0.0).collect();
        order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
        // With many features, each may have a small share.
        let telling = order.iter().filter(|&&f| shares[f] >= MIN_SHARE).count();
        order.truncate(telling.clamp(FEW_FEATURES, FEATURES));
        let seen = self.model.share_values(samples, 0);
        let feature = |f: usize| {
            let name = self.features.get(f).cloned().unwrap_or_else(|| format!("x{f}"));
            let value = match &seen {
                Some(seen) => seen.get(f).filter(|v| !v.is_nan()).map(|v| (self.style.number)(*v)),
                None => samples.feature(f).map(|(kind, values)| self.style.in_words(&kind, values[0])),
            };
            let value = value.unwrap_or_default();
            let usual = self.usual(f, &value).unwrap_or_default();
            FeatureShare { name, share: shares[f], value, usual }
        };
        order.into_iter().map(feature).collect()
    }

    /// How it differs from the nearest nominal.
    fn matched(&self, own: &AnySamples, explanation: &Explanation) -> Option<String> {
        let nearest = explanation.nearest.first()?.0 as usize;
        let differences = own.differences(0, &self.reference, nearest, Some(&self.measure))?;
        Some(self.differences(&differences))
    }

    fn differences(&self, differences: &Differences) -> String {
        match differences {
            Differences::Letters(pairs) => aligned(pairs),
            Differences::Steps(pairs) => warped(pairs, self.style.number),
            Differences::Edits(path) => edits(path),
            Differences::Parts(parts) => {
                let part =
                    |(name, own): &(String, Differences)| format!("{name}:\n{}", self.differences(own));
                parts.iter().map(part).collect::<Vec<_>>().join("\n")
            }
            // Kinds added since.
            _ => String::new(),
        }
    }

    /// The usual values of a feature among the nominals, given this value.
    fn usual(&self, feature: usize, value: &str) -> Option<String> {
        let made = || {
            let (kind, values) = self.reference.feature(feature).or_else(|| self.seen(feature))?;
            Some(Usual::new(&kind, &values, self.style))
        };
        self.usual.get(feature)?.get_or_init(made).as_ref().map(|usual| usual.note_for(value))
    }

    /// The values of the nominals under the name of a feature.
    fn seen(&self, feature: usize) -> Option<(ColumnKind, Vec<Option<f64>>)> {
        let all = self.seen.get_or_init(|| {
            (0..self.reference.count()).map_while(|i| self.model.share_values(&self.reference, i)).collect()
        });
        let values: Vec<f64> = all.iter().filter_map(|row| row.get(feature).copied()).collect();
        let is_number = !values.is_empty() && values.iter().all(|v| !v.is_nan());
        is_number.then(|| (ColumnKind::Number, values.into_iter().map(Some).collect()))
    }

    /// The name of a training sample, or its number; with fewer prototypes than samples, its number among the
    /// prototypes.
    fn name(&self, i: u32) -> String {
        let is_named = self.reference.count() == self.model.summary().samples;
        let name = self.model.names().get(i as usize).filter(|_| is_named).cloned();
        // A short string is its own name.
        let short = |text: &&str| text.chars().count() <= LONGEST_NAME && !text.contains(char::is_control);
        let own = || self.reference.text(i as usize).filter(short).map(|text| format!("\"{text}\""));
        name.or_else(own).unwrap_or_else(|| format!("#{i}"))
    }
}

impl Style {
    /// A value of a feature.
    pub(crate) fn in_words(self, kind: &ColumnKind, value: Option<f64>) -> String {
        let Some(value) = value else { return "missing".to_owned() };
        let level = |levels: &[String]| match levels.get(value as usize) {
            Some(level) if value >= 0.0 => level.clone(),
            _ => "unknown in training".to_owned(),
        };
        match kind {
            ColumnKind::Boolean if value < 0.0 => "unknown in training".to_owned(),
            ColumnKind::Boolean => (value > 0.5).to_string(),
            ColumnKind::Category(levels) | ColumnKind::Ordered(levels) => level(levels),
            ColumnKind::Date(part) if part.value == DateValue::Elapsed => (self.date)(value),
            _ => (self.number)(value),
        }
    }
}

impl Why {
    /// The decision on a sample and its reasons, as printed by `eocc explain --json`.
    pub fn as_json(&self, row: usize, name: Option<&str>, decision: &Decision) -> serde_json::Value {
        let nearest = |(name, length): &(String, f64)| json!({ "name": name, "distance": length });
        json!({
            "row": row,
            "name": name,
            "accepted": decision.accepted,
            "p_value": decision.p_value,
            "score": decision.score,
            "membership": decision.membership,
            "region": decision.region,
            "features": self.features,
            "nearest": self.nearest.iter().map(nearest).collect::<Vec<_>>(),
            "matched": self.matched,
        })
    }

    /// The reasons in words, one line each.
    pub fn lines(&self, number: fn(f64) -> String) -> Vec<String> {
        let width = |f: fn(&FeatureShare) -> &String| {
            self.features.iter().map(|feature| f(feature).chars().count()).max().unwrap_or(0)
        };
        let (names, values) = (width(|f| &f.name), width(|f| &f.value));
        let mut lines = Vec::with_capacity(self.features.len() + 1);
        for FeatureShare { name, share, value, usual } in &self.features {
            let share = if *share < 0.01 { "< 1 %".to_owned() } else { format!("{:.0} %", 100.0 * share) };
            let line = format!("{share:>5}  {name:<names$}  {value:<values$}  {usual}");
            lines.push(line.trim_end().to_owned());
        }
        let nearest: Vec<String> =
            self.nearest.iter().map(|(name, length)| format!("{name} ({})", number(*length))).collect();
        lines.push(format!("nearest nominals: {}", nearest.join(", ")));
        if let (Some(matched), Some((name, _))) = (&self.matched, self.nearest.first()) {
            lines.push(format!("compared with {name}:"));
            lines.extend(matched.lines().map(|line| format!("  {line}")));
        }
        lines
    }
}

/// The usual values of a feature among the nominals.
struct Usual {
    nominals: usize,
    missing: usize,
    /// The usual range of numbers and dates; `None` for words.
    range: Option<String>,
    /// The count of each word.
    words: BTreeMap<String, usize>,
}

impl Usual {
    fn new(kind: &ColumnKind, values: &[Option<f64>], style: Style) -> Self {
        let mut known: Vec<f64> = values.iter().flatten().copied().collect();
        let missing = values.len() - known.len();
        let (mut range, mut words) = (None, BTreeMap::new());
        if matches!(kind, ColumnKind::Number | ColumnKind::Date(_)) {
            if !known.is_empty() {
                let at = |known: &mut [f64], p: f64| style.in_words(kind, Some(percentile(known, p)));
                let (low, high) = (at(&mut known, USUAL.0), at(&mut known, USUAL.1));
                range = Some(if low == high {
                    format!("usual: {low}")
                } else {
                    format!("usual: {low} to {high}")
                });
            }
        } else {
            for value in values {
                *words.entry(style.in_words(kind, *value)).or_insert(0) += 1;
            }
        }
        Self { nominals: values.len(), missing, range, words }
    }

    /// The text next to a value.
    fn note_for(&self, value: &str) -> String {
        if self.missing == self.nominals {
            return "never known among the nominals".to_owned();
        }
        if value == "missing" {
            return format!("missing in {}", share(self.missing, self.nominals));
        }
        self.range.clone().unwrap_or_else(|| {
            let same = self.words.get(value).copied().unwrap_or(0);
            // With few samples, a count says more than a fraction.
            match same {
                1.. if same * 100 < self.nominals => format!("as in {same} of {} nominals", self.nominals),
                _ => format!("as in {} of the nominals", share(same, self.nominals)),
            }
        })
    }
}

fn share(part: usize, whole: usize) -> String {
    match part {
        0 => "none".to_owned(),
        _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    }
}

/// Two aligned strings, one above the other; a bar marks equal letters.
fn aligned(pairs: &[LetterPair]) -> String {
    let line = |pairs: &[LetterPair], f: fn(&LetterPair) -> char| -> String { pairs.iter().map(f).collect() };
    let blocks: Vec<String> = pairs
        .chunks(LINE)
        .map(|some| {
            let own = line(some, |p| visible(p.0));
            let marks = line(some, |p| if p.0 == p.1 { '|' } else { ' ' });
            let other = line(some, |p| visible(p.1));
            format!("{own}\n{}\n{other}", marks.trim_end())
        })
        .collect();
    blocks.join("\n\n")
}

/// A letter that does not shift others on a terminal.
fn visible(letter: Option<char>) -> char {
    letter.map_or('-', |c| if c.is_control() { ' ' } else { c })
}

/// The steps of a series that differ most from the matching steps of the nearest one.
fn warped(pairs: &[StepPair], number: fn(f64) -> String) -> String {
    let mut order: Vec<&StepPair> = pairs.iter().collect();
    order.sort_by(|p, q| q.distance.total_cmp(&p.distance));
    let values = |step: &[f64]| step.iter().map(|v| number(*v)).collect::<Vec<_>>().join(", ");
    let total: f64 = pairs.iter().map(|pair| pair.distance).sum();
    let lines = order.iter().take(STEPS).map(|pair| {
        let share = if total > 0.0 { 100.0 * pair.distance / total } else { 0.0 };
        format!(
            "step {}: {} where step {} has {} ({share:.0} % of the difference)",
            pair.steps.0,
            values(&pair.values.0),
            pair.steps.1,
            values(&pair.values.1)
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The edits that cost something, one to a line.
fn edits(path: &EditPath) -> String {
    let path = path.to_string();
    let mut lines: Vec<&str> = path.lines().filter(|line| !line.ends_with(": 0")).collect();
    let more = lines.len().saturating_sub(EDITS);
    lines.truncate(EDITS);
    let more = if more > 0 { format!("\n… and {more} more") } else { String::new() };
    format!("edits that lead here:\n{}{more}", lines.join("\n"))
}
