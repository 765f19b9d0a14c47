//! The most unusual samples of a set for display: what each is, why it is unusual, and similar ones together.

use std::collections::HashMap;

use eocc_core::sample::{ColumnKind, template};
use eocc_core::stats::percentile;
use eocc_core::{AnyModel, AnySamples, Decision, Observer, Part, Result};
use serde::Serialize;

use crate::report::{FeatureShare, Why};
use crate::why::{Reasons, Style};

/// Nearest neighbors used for an explanation.
const NEAREST: usize = 10;
/// Features given as reasons; after the first, only those with at least this share.
const REASONS: usize = 3;
const MIN_SHARE: f64 = 0.1;
/// Numbers are alike if they differ by at most this fraction of the range of nine in ten training samples.
const TOLERANCE: f64 = 0.05;
/// Maximum number of values shown for a row.
const MAX_VALUES: usize = 12;
/// Maximum length of a text that is a reason.
const MAX_REASON: usize = 60;
/// Maximum length of a displayed text.
const MAX_LETTERS: usize = 160;
/// This maximum for a text without blanks, such as a sequence.
const MAX_SEQUENCE: usize = 40;

/// The name of a string's value.
const TEXT: &str = "text";

/// Samples that are unusual in the same way, represented by one of them.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The samples, most suspicious first; the first represents all.
    pub samples: Vec<usize>,
    /// The name of the first sample, or its row.
    pub title: String,
    /// Its score.
    pub score: f64,
    /// Its p-value.
    pub p_value: f64,
    /// Whether it is accepted nevertheless.
    pub accepted: bool,
    /// The columns that make it unusual, with the largest share first.
    pub reasons: Vec<FeatureShare>,
    /// Its values, by column; for a string, the string.
    pub values: Vec<(String, String)>,
}

impl Finding {
    /// Why the first is unusual, in one line: `amount 912 (usual: 10 to 88), 91 %`. A string is itself the first
    /// item.
    pub fn why(&self) -> String {
        let reason = |f: &FeatureShare| {
            let value = if f.value.is_empty() { String::new() } else { format!(" {}", f.value) };
            let usual = if f.usual.is_empty() { String::new() } else { format!(" ({})", f.usual) };
            let name = crate::report::cut(&f.name, MAX_REASON);
            format!("{name}{value}{usual}, {:.0} %", 100.0 * f.share)
        };
        let reasons = self.reasons.iter().map(reason).collect::<Vec<_>>().join("; ");
        match self.values.as_slice() {
            [(name, text)] if name == TEXT => {
                let is_sequence = !text.contains(char::is_whitespace);
                let text = if is_sequence { crate::report::cut(text, MAX_SEQUENCE) } else { text.clone() };
                if reasons.is_empty() { text } else { format!("{text} – {reasons}") }
            }
            _ => reasons,
        }
    }
}

/// The input for findings: samples, their decisions, and their titles.
pub struct DecidedSamples<'a> {
    /// The samples.
    pub samples: &'a AnySamples,
    /// The decisions about them.
    pub decisions: &'a [Decision],
    /// The title of each.
    pub title: &'a dyn Fn(usize) -> String,
}

impl DecidedSamples<'_> {
    /// The samples with these indices, most suspicious first, as at most this many findings.
    pub fn findings(
        &self,
        model: &AnyModel,
        order: &[usize],
        most: usize,
        style: Style,
        observer: &dyn Observer,
    ) -> Result<Vec<Finding>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (&sample, group) in order.iter().zip(groups_of(model, self.samples, order)) {
            match groups.get_mut(group) {
                Some(group) => group.push(sample),
                None => groups.push(vec![sample]),
            }
        }
        groups.truncate(most);
        let leaders: Vec<usize> = groups.iter().map(|group| group[0]).collect();
        let chosen = self.samples.select(&leaders);
        let explained = model.explain(&chosen, NEAREST, observer)?;
        let reasons = Reasons::new(model, style);
        let names = model.share_names();
        let finding = |(at, samples): (usize, Vec<usize>)| {
            let (own, decision) = (chosen.select(&[at]), &self.decisions[samples[0]]);
            let Why { mut features, .. } = reasons.why(&own, &explained[at]);
            let telling = features.iter().filter(|f| f.share >= MIN_SHARE).count();
            features.truncate(telling.clamp(1, REASONS));
            let values = values(&own, &names, style);
            // For a text, the text itself.
            for feature in features.iter_mut().filter(|feature| feature.value.is_empty()) {
                let own = values.iter().find(|(name, _)| *name == feature.name);
                feature.value = own.map(|(_, text)| crate::report::cut(text, MAX_REASON)).unwrap_or_default();
            }
            Finding {
                title: crate::report::cut(&(self.title)(samples[0]), MAX_LETTERS),
                samples,
                score: decision.score,
                p_value: decision.p_value,
                accepted: decision.accepted,
                reasons: features,
                values,
            }
        };
        Ok(groups.into_iter().enumerate().map(finding).collect())
    }
}

/// The values of the single sample in `own`.
fn values(own: &AnySamples, names: &[String], style: Style) -> Vec<(String, String)> {
    if let Some(text) = own.text(0) {
        return vec![(TEXT.to_owned(), crate::report::cut(text, MAX_LETTERS))];
    }
    let parts = own.parts();
    if !parts.is_empty() {
        let of_part = |part: &Part| match part.samples.text(0) {
            Some(text) => vec![(part.name.clone(), crate::report::cut(text, MAX_LETTERS))],
            None => values(&part.samples, part.samples.feature_names(), style),
        };
        return parts.iter().flat_map(of_part).take(MAX_VALUES).collect();
    }
    let value = |f: usize| {
        let (kind, values) = own.feature(f)?;
        let name = names.get(f).cloned().unwrap_or_else(|| format!("x{f}"));
        Some((name, style.in_words(&kind, *values.first()?)))
    };
    (0..).map_while(value).take(MAX_VALUES).collect()
}

/// The group of each of these samples, numbered in order of appearance: a sample joins the group of the first one
/// that it is like. Rows of a table are alike if their words are equal and their numbers nearly so; strings, if they
/// differ only in numbers and addresses.
pub fn groups_of(model: &AnyModel, samples: &AnySamples, order: &[usize]) -> Vec<usize> {
    let mut traits = Traits { numbers: Vec::new(), words: vec![Vec::new(); order.len()], is_known: true };
    traits.add(&samples.select(order), &model.reference());
    if !traits.is_known {
        return (0..order.len()).collect();
    }
    let mut count = 0;
    let mut groups = Vec::with_capacity(order.len());
    // The first sample of each group and the group's number, by words.
    let mut leaders: HashMap<&[String], Vec<(usize, usize)>> = HashMap::new();
    for (at, words) in traits.words.iter().enumerate() {
        let like = leaders.entry(words).or_default();
        let found = like.iter().find(|(leader, _)| traits.are_close(*leader, at)).map(|(_, group)| *group);
        groups.push(found.unwrap_or_else(|| {
            like.push((at, count));
            count += 1;
            count - 1
        }));
    }
    groups
}

/// The basis for comparing samples.
struct Traits {
    /// For each column, the tolerance of numbers, and the numbers.
    numbers: Vec<(f64, Vec<Option<f64>>)>,
    /// For each sample, its words, and the templates of its texts.
    words: Vec<Vec<String>>,
    /// Whether the kind of samples supports comparison.
    is_known: bool,
}

impl Traits {
    fn add(&mut self, samples: &AnySamples, reference: &AnySamples) {
        let parts = samples.parts();
        if !parts.is_empty() {
            parts.iter().zip(reference.parts()).for_each(|(own, like)| self.add(&own.samples, &like.samples));
        } else if samples.text(0).is_some() {
            for (i, words) in self.words.iter_mut().enumerate() {
                words.extend(samples.text(i).map(template));
            }
        } else if samples.is_table() {
            for f in 0.. {
                let Some((kind, values)) = samples.feature(f) else { break };
                self.add_column(
                    &kind,
                    values,
                    reference.feature(f).map(|(_, values)| values).unwrap_or_default(),
                );
            }
        } else {
            self.is_known = false;
        }
    }

    fn add_column(&mut self, kind: &ColumnKind, values: Vec<Option<f64>>, usual: Vec<Option<f64>>) {
        if !matches!(kind, ColumnKind::Number | ColumnKind::Date(_)) {
            let word = |value: &Option<f64>| value.map_or_else(String::new, |code| code.to_string());
            self.words.iter_mut().zip(&values).for_each(|(words, value)| words.push(word(value)));
            return;
        }
        let mut known: Vec<f64> = usual.into_iter().flatten().collect();
        let span =
            if known.is_empty() { 0.0 } else { percentile(&mut known, 95.0) - percentile(&mut known, 5.0) };
        self.numbers.push((TOLERANCE * span, values));
    }

    fn are_close(&self, a: usize, b: usize) -> bool {
        self.numbers.iter().all(|(tolerance, values)| match (values[a], values[b]) {
            (Some(a), Some(b)) => (a - b).abs() <= *tolerance,
            (a, b) => a.is_none() && b.is_none(),
        })
    }
}

#[cfg(test)]
mod tests {
    use eocc_core::{Matrix, OneClass, Preset, Settings, Silent, Texts, Vectors};

    use super::*;

    fn fitted(samples: &AnySamples) -> AnyModel {
        let measure = samples.measure(Preset::Default, None, &Settings::default()).unwrap();
        samples.train(&OneClass::new(Preset::Default).check().unwrap(), measure, &Silent).unwrap()
    }

    /// Compares all pairs, one by one.
    fn slow_groups(model: &AnyModel, samples: &AnySamples, order: &[usize]) -> Vec<usize> {
        let mut leaders: Vec<usize> = Vec::new();
        let group = |at: usize| {
            let same = |leader: &usize| groups_of(model, samples, &[order[*leader], order[at]]) == [0, 0];
            leaders.iter().position(same).unwrap_or_else(|| {
                leaders.push(at);
                leaders.len() - 1
            })
        };
        (0..order.len()).map(group).collect()
    }

    #[test]
    fn rows_that_are_nearly_alike_are_one_finding() {
        let mut values: Vec<f64> =
            (0..60).flat_map(|i| [f64::from(i * 37 % 60), f64::from(i * 17 % 60)]).collect();
        values.extend([30.0, 900.0, 30.5, 901.0, 500.0, 30.0, 29.0, 899.0]);
        let vectors = Vectors::with_names(Matrix::new(values, 64, 2), vec!["x".into(), "y".into()]).unwrap();
        let samples = AnySamples::from(vectors);
        let model = fitted(&samples);
        let decisions = model.training_decisions();
        let order = [60, 62, 61, 63, 3];
        assert_eq!(groups_of(&model, &samples, &order), [0, 1, 0, 0, 2]);
        let judged =
            DecidedSamples { samples: &samples, decisions: &decisions, title: &|i| format!("row {i}") };
        let style = Style { number: crate::report::number, date: |days| days.to_string() };
        let found = judged.findings(&model, &order, 2, style, &Silent).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].title.as_str(), found[0].samples.as_slice()), ("row 60", &[60, 61, 63][..]));
        assert_eq!(found[0].reasons[0].name, "y");
        assert_eq!(found[0].values, [("x".into(), "30".into()), ("y".into(), "900".into())]);
        assert!(found[0].why().starts_with("y 900 (usual: "), "{}", found[0].why());
    }

    #[test]
    fn messages_that_differ_in_numbers_only_are_one_finding() {
        let lines = (0..40).map(|i| match i % 4 {
            3 => format!("session opened for user {}", ["ann", "bob"][i / 4 % 2]),
            _ => format!("connection from 10.0.{i}.7 port {}", 4000 + i),
        });
        let samples = AnySamples::from(Texts::new(lines.collect()).unwrap());
        let model = fitted(&samples);
        let order: Vec<usize> = (0..12).rev().collect();
        let groups = groups_of(&model, &samples, &order);
        assert_eq!(groups, slow_groups(&model, &samples, &order));
        assert_eq!(groups, [0, 1, 1, 1, 2, 1, 1, 1, 0, 1, 1, 1]);
    }
}
