//! Columns of the training samples, and how far those of new samples moved from them.

use std::collections::HashMap;

use eocc_core::sample::{ColumnKind, DateValue};
use eocc_core::stats::percentile_of_sorted;

use super::blocks::{Blocks, Mean};
use super::{Drift, Move};
use crate::date::date_text;

/// Levels of a category whose frequencies are compared, the most frequent in training first.
const MAX_LEVELS: usize = 8;
/// New values stored for their median and quartiles.
const MAX_VALUES: usize = 1024;
/// Minimum change worth a note: of a mean rank, of a mean distance of ranks from the middle, or of a frequency.
const MIN_MOVE: f64 = 0.05;
/// This limit if the blocks of a column differ too much to be certain of its move.
const MIN_LEAD: f64 = 0.15;

/// One column, in training and in new samples.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    name: String,
    kind: ColumnKind,
    /// Training values, ascending, without missing ones.
    sorted: Vec<f64>,
    /// The constant value of all training samples, if they agree.
    constant: Option<Constant>,
    measures: Vec<Measure>,
    /// In how many rows, and where, new samples differ from a constant.
    changed: Blocks,
    changed_rows: usize,
    first_change: Option<String>,
    rows: usize,
    values: Thinned,
    /// Whether successive training values are alike.
    pub(super) is_serial: bool,
}

/// The value of all training samples; `None` if missing in all.
#[derive(Debug, Clone, Copy)]
struct Constant(Option<f64>);

#[derive(Debug, Clone)]
struct Measure {
    of: Aspect,
    training: Mean,
    new: Blocks,
}

/// The aspects of a column that are compared; each is a number in [0, 1].
#[derive(Debug, Clone, PartialEq)]
enum Aspect {
    /// The rank among the training values.
    Rank,
    /// How far the rank lies from the middle.
    Spread,
    /// Whether the value is this level.
    Level(String),
    Missing,
}

/// A subset of many values, evenly spaced.
#[derive(Debug, Clone, Default)]
struct Thinned {
    values: Vec<f64>,
    step: usize,
    seen: usize,
}

impl Thinned {
    fn push(&mut self, value: f64) {
        self.step = self.step.max(1);
        if self.seen.is_multiple_of(self.step) {
            if self.values.len() == MAX_VALUES {
                let mut at = 0;
                self.values.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.step *= 2;
            }
            if self.seen.is_multiple_of(self.step) {
                self.values.push(value);
            }
        }
        self.seen += 1;
    }

    fn sorted(&self) -> Vec<f64> {
        let mut values = self.values.clone();
        values.sort_unstable_by(f64::total_cmp);
        values
    }
}

impl Watched {
    pub(super) fn new(name: String, kind: ColumnKind, training: &[Option<f64>]) -> Self {
        let mut sorted: Vec<f64> = training.iter().flatten().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let is_constant =
            training.windows(2).all(|pair| pair[0].map(f64::to_bits) == pair[1].map(f64::to_bits));
        let constant = if is_constant { training.first().copied().map(Constant) } else { None };
        let mut watched = Self {
            name,
            kind,
            sorted,
            constant,
            measures: Vec::new(),
            changed: Blocks::default(),
            changed_rows: 0,
            first_change: None,
            rows: 0,
            values: Thinned::default(),
            is_serial: false,
        };
        if constant.is_none() {
            let words: Vec<Option<Word>> = training.iter().map(|v| watched.word(&watched.kind, *v)).collect();
            for aspect in watched.aspects(training) {
                let values: Vec<Option<f64>> =
                    words.iter().map(|word| watched.value(&aspect, word.as_ref())).collect();
                watched.is_serial |= is_serial(&values);
                if let Some(training) = Blocks::from_values(values).mean() {
                    watched.measures.push(Measure { of: aspect, training, new: Blocks::default() });
                }
            }
        }
        watched
    }

    fn aspects(&self, training: &[Option<f64>]) -> Vec<Aspect> {
        let mut aspects = match &self.kind {
            ColumnKind::Number | ColumnKind::Date(_) | ColumnKind::Ordered(_) => {
                vec![Aspect::Rank, Aspect::Spread]
            }
            ColumnKind::Boolean => vec![Aspect::Level("true".to_owned())],
            ColumnKind::Category(levels) => {
                let mut counts = vec![0_usize; levels.len()];
                for place in training.iter().flatten().filter(|v| **v >= 0.0) {
                    counts[*place as usize] += 1;
                }
                let mut order: Vec<usize> = (0..levels.len()).collect();
                order.sort_by_key(|&level| std::cmp::Reverse(counts[level]));
                order.into_iter().take(MAX_LEVELS).map(|level| Aspect::Level(levels[level].clone())).collect()
            }
        };
        aspects.push(Aspect::Missing);
        aspects
    }

    /// A value in a form that is comparable between tables with different levels.
    fn word(&self, kind: &ColumnKind, value: Option<f64>) -> Option<Word> {
        let value = value?;
        Some(match kind {
            ColumnKind::Number | ColumnKind::Date(_) => Word::Number(value),
            ColumnKind::Boolean => Word::Level(if value > 0.5 { "true" } else { "false" }.to_owned()),
            ColumnKind::Category(levels) => Word::Level(level(levels, value).unwrap_or_default()),
            ColumnKind::Ordered(levels) => {
                let ColumnKind::Ordered(own) = &self.kind else { return None };
                let name = level(levels, value)?;
                Word::Number(own.iter().position(|level| *level == name)? as f64)
            }
        })
    }

    fn value(&self, aspect: &Aspect, word: Option<&Word>) -> Option<f64> {
        match (aspect, word) {
            (Aspect::Missing, word) => Some(f64::from(u8::from(word.is_none()))),
            (Aspect::Level(level), Some(Word::Level(word))) => Some(f64::from(u8::from(level == word))),
            (Aspect::Rank, Some(Word::Number(value))) => Some(self.rank(*value)),
            (Aspect::Spread, Some(Word::Number(value))) => Some((2.0 * self.rank(*value) - 1.0).abs()),
            _ => None,
        }
    }

    /// The fraction of training values below, including half of equal ones.
    fn rank(&self, value: f64) -> f64 {
        let below = self.sorted.partition_point(|s| *s < value);
        let to = self.sorted.partition_point(|s| *s <= value);
        (below + to) as f64 / (2.0 * self.sorted.len().max(1) as f64)
    }

    /// Adds new values, in order; `kind` has their levels.
    pub(super) fn add(&mut self, kind: &ColumnKind, values: &[Option<f64>]) {
        // Words of categories repeat: look each up once.
        let mut known: HashMap<u64, Option<Word>> = HashMap::new();
        for &value in values {
            let word = match kind {
                ColumnKind::Number | ColumnKind::Date(_) => self.word(kind, value),
                _ => known
                    .entry(value.map_or(u64::MAX, f64::to_bits))
                    .or_insert_with(|| self.word(kind, value))
                    .clone(),
            };
            self.rows += 1;
            if let Some(Constant(constant)) = self.constant {
                let is_changed = word != self.word(&self.kind, constant);
                self.changed.push(Some(f64::from(u8::from(is_changed))));
                if is_changed {
                    self.changed_rows += 1;
                    let shown = self.shown(word.as_ref());
                    self.first_change.get_or_insert(shown);
                }
                continue;
            }
            if let Some(Word::Number(number)) = word {
                self.values.push(number);
            }
            for m in 0..self.measures.len() {
                let value = self.value(&self.measures[m].of, word.as_ref());
                self.measures[m].new.push(value);
            }
        }
    }

    /// How many tests it takes.
    pub(super) fn tests(&self) -> usize {
        self.measures.len().max(1)
    }

    /// The change of a constant column, if it is not by chance; `blocks` is the number of blocks of the training
    /// samples, none of which had another value.
    pub(super) fn change(&self, blocks: usize, level: f64) -> Option<Drift> {
        let Constant(constant) = self.constant?;
        let (all, with) = self.changed.nonzero();
        // If another value were equally likely in any block, the probability that all blocks with one are new.
        let chance = (all as f64 / (all + blocks) as f64).powi(i32::try_from(with).unwrap_or(i32::MAX));
        (with > 0 && chance < level).then(|| Drift::Constant {
            column: self.name.clone(),
            was: self.shown(self.word(&self.kind, constant).as_ref()),
            now: self.first_change.clone().unwrap_or_default(),
            count: self.changed_rows,
            of: self.rows,
        })
    }

    /// The largest move of the column, if it is not by chance, and its size.
    pub(super) fn moved(&self, level: f64) -> Option<(f64, Drift)> {
        self.farthest(MIN_MOVE, |new, training| new.above(training, level).abs() > 1.0)
    }

    /// The largest move of the column, if it is large and would not be by chance among independent values, and its size.
    pub(super) fn leads(&self, level: f64) -> Option<(f64, Drift)> {
        self.farthest(MIN_LEAD, |new, training| {
            new.as_if_independent().above(&training.as_if_independent(), level).abs() > 1.0
        })
    }

    /// The largest move of at least this size that is certain, and its size.
    fn farthest(&self, least: f64, is_certain: impl Fn(&Mean, &Mean) -> bool) -> Option<(f64, Drift)> {
        let moves = self.measures.iter().filter_map(|measure| {
            let new = measure.new.mean()?;
            let size = new.value - measure.training.value;
            (size.abs() >= least && is_certain(&new, &measure.training)).then_some((size, measure, new))
        });
        // Values beyond all known ones lie far from the middle, too: that is a shift, not a change of spread.
        let weight = |aspect: &Aspect| if *aspect == Aspect::Rank { 2.0 } else { 1.0 };
        let telling = |(size, measure, _): &(f64, &Measure, Mean)| size.abs() * weight(&measure.of);
        let (mut size, mut measure, mut new) = moves.max_by(|a, b| telling(a).total_cmp(&telling(b)))?;
        // Where a shift begins within the file, only the distance from the middle may be certain.
        if measure.of == Aspect::Spread
            && let Some(rank) = self.measures.iter().find(|measure| measure.of == Aspect::Rank)
            && let Some(mean) = rank.new.mean()
            && (mean.value - rank.training.value).abs() >= MIN_LEAD.max(size.abs() / 2.0)
        {
            (size, measure, new) = (mean.value - rank.training.value, rank, mean);
        }
        let how = match &measure.of {
            Aspect::Rank => {
                let shows = self.shows_values();
                let median = |sorted: &[f64]| shows.then(|| self.number(percentile_of_sorted(sorted, 50.0)));
                Move::Shift {
                    is_up: size > 0.0,
                    median: median(&self.values.sorted()),
                    was: median(&self.sorted),
                }
            }
            Aspect::Spread => {
                let shows = self.shows_values();
                let middle = |sorted: &[f64]| {
                    shows.then(|| [25.0, 75.0].map(|l| self.number(percentile_of_sorted(sorted, l))))
                };
                Move::Spread {
                    is_wider: size > 0.0,
                    middle: middle(&self.values.sorted()),
                    was: middle(&self.sorted),
                }
            }
            Aspect::Level(level) => {
                Move::Level { level: level.clone(), share: new.value, was: measure.training.value }
            }
            Aspect::Missing => Move::Missing { share: new.value, was: measure.training.value },
        };
        Some((size.abs(), Drift::Column { column: self.name.clone(), how }))
    }

    fn shows_values(&self) -> bool {
        match &self.kind {
            ColumnKind::Number | ColumnKind::Ordered(_) => true,
            ColumnKind::Date(part) => part.value == DateValue::Elapsed,
            _ => false,
        }
    }

    fn number(&self, value: f64) -> String {
        match &self.kind {
            ColumnKind::Date(part) if part.value == DateValue::Elapsed => date_text(value),
            ColumnKind::Ordered(levels) => level(levels, value.round()).unwrap_or_default(),
            _ => short(value),
        }
    }

    fn shown(&self, word: Option<&Word>) -> String {
        match word {
            None => "missing".to_owned(),
            Some(Word::Number(value)) => self.number(*value),
            Some(Word::Level(word)) if word.is_empty() => "another word".to_owned(),
            Some(Word::Level(word)) => format!("`{word}`"),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Word {
    Number(f64),
    Level(String),
}

fn level(levels: &[String], place: f64) -> Option<String> {
    if place < 0.0 { None } else { levels.get(place as usize).cloned() }
}

/// Whether successive values are more alike than those of a shuffled column would be.
pub(super) fn is_serial(values: &[Option<f64>]) -> bool {
    /// Correlations up to this are ignored.
    const SMALL: f64 = 0.1;
    /// Standard errors that chance does not reach in any of many columns.
    const MIN_STANDARD_ERRORS: f64 = 4.0;
    let present: Vec<f64> = values.iter().flatten().copied().collect();
    let count = present.len() as f64;
    let mean = present.iter().sum::<f64>() / count.max(1.0);
    let total: f64 = present.iter().map(|v| (v - mean).powi(2)).sum();
    let products: f64 = present.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    total > 0.0 && products / total > SMALL.max(MIN_STANDARD_ERRORS / count.sqrt())
}

/// A number for display: four significant digits.
fn short(value: f64) -> String {
    // Zero has no sign.
    let value = value + 0.0;
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        return format!("{value:.3e}");
    }
    let whole = if size >= 1.0 { size.log10().floor() as usize + 1 } else { 0 };
    let text = format!("{value:.*}", 5_usize.saturating_sub(whole).min(4));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign() {
        assert_eq!([-0.0, 0.0, -0.5].map(short), ["0", "0", "-0.5"]);
    }
}
