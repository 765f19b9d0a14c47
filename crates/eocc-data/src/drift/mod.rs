//! Whether the samples that a model scores are like its training samples, for a note at the end.
//!
//! Everything is compared with the training samples themselves: their leave-one-out p-values and decisions, and their
//! columns, both in the order in which they were read. With few samples nothing is reported, and the tests allow for
//! rows that depend on each other: see [`blocks`].

mod blocks;
mod columns;

use std::fmt;

use eocc_core::sample::ColumnKind;
use eocc_core::stats::normal_quantile;
use eocc_core::{AnyModel, AnySamples, Decision, parallel};

use blocks::Blocks;
use columns::{Watched, is_serial};

/// Training samples whose columns are examined, evenly spaced.
const MAX_TRAINING: usize = 4096;
/// Maximum number of columns that are named.
const MAX_NAMED: usize = 5;
/// The probability of a false note of each kind; together they stay below 1 %.
const LEVEL: f64 = 5e-4;
/// If training rows depend on each other, leave-one-out is too lenient, and more of the next rows are rejected than
/// promised. Unless columns moved, too, only a rejected fraction above this is then reported.
const TELLING: f64 = 0.5;
/// With too few samples for tests, new or training, only one thing is reported: that at least this fraction of at least
/// [`MIN_NEW_SAMPLES`] new samples is rejected.
const NEARLY_ALL: f64 = 0.9;
/// Minimum number of new samples for that.
const MIN_NEW_SAMPLES: usize = 20;
/// Of the columns that moved, those lead that moved at least this fraction of the farthest move.
const LEADING: f64 = 0.5;

/// A way in which the scored samples differ from the training samples. Displayed as a sentence.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Drift {
    /// More or fewer samples are rejected than expected.
    Rejected {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
        /// The expected range of the rejected fraction.
        expected: (f64, f64),
    },
    /// P-values are not uniform.
    PValues {
        /// Their mean; about a half is expected.
        mean: f64,
    },
    /// A column was constant in training and has other values now.
    Constant {
        /// Its name.
        column: String,
        /// The value in training.
        was: String,
        /// The first other value.
        now: String,
        /// How many samples have another value.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// The values of a column moved.
    Column {
        /// Its name.
        column: String,
        /// How.
        how: Move,
    },
}

/// How the values of a column moved.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Move {
    /// Up or down; with medians if known.
    Shift {
        /// Up rather than down.
        is_up: bool,
        /// The median of the new samples.
        median: Option<String>,
        /// The median in training.
        was: Option<String>,
    },
    /// Wider or narrower; with quartiles if known.
    Spread {
        /// Wider rather than narrower.
        is_wider: bool,
        /// The middle half of the new samples.
        middle: Option<[String; 2]>,
        /// The quartiles in training.
        was: Option<[String; 2]>,
    },
    /// A level is more or less frequent.
    Level {
        /// The level.
        level: String,
        /// Its frequency in the new samples.
        share: f64,
        /// Its frequency in training.
        was: f64,
    },
    /// More or fewer values are missing.
    Missing {
        /// The fraction of the new samples with a missing value.
        share: f64,
        /// The fraction in training.
        was: f64,
    },
}

/// Compares the samples that a model scores with its training samples, batch by batch.
#[derive(Debug, Clone)]
pub struct DriftWatch {
    columns: Vec<(usize, Watched)>,
    /// Whether the columns come from the bag and summary of strings, series or graphs rather than from features.
    are_seen: bool,
    training: Training,
    p_values: Blocks,
    spread: Blocks,
    rejections: Blocks,
    rejected: usize,
    count: usize,
}

/// The judgments of the training samples, each as if it were new.
#[derive(Debug, Clone)]
struct Training {
    /// The p-value of each.
    ranks: Vec<f64>,
    count: usize,
    rejected: usize,
    p_values: Blocks,
    spread: Blocks,
    rejections: Blocks,
    /// Whether training rows depend on earlier ones.
    is_serial: bool,
}

impl Training {
    fn new(decisions: &[Decision]) -> Self {
        let p_values: Vec<Option<f64>> = decisions.iter().map(|d| Some(d.p_value)).collect();
        Self {
            ranks: decisions.iter().map(|d| d.p_value).collect(),
            count: decisions.len(),
            rejected: decisions.iter().filter(|d| !d.accepted).count(),
            is_serial: is_serial(&p_values),
            p_values: Blocks::from_values(p_values),
            spread: Blocks::from_values(decisions.iter().map(|d| Some(spread(d.p_value)))),
            rejections: Blocks::from_values(decisions.iter().map(|d| Some(rejection(d.accepted)))),
        }
    }

    /// Rejects at this rate.
    fn reject(&mut self, share: f64) {
        let is_accepted = |p_value: &f64| *p_value > share;
        self.rejected = self.ranks.iter().filter(|p| !is_accepted(p)).count();
        self.rejections = Blocks::from_values(self.ranks.iter().map(|p| Some(rejection(is_accepted(p)))));
    }
}

impl DriftWatch {
    /// For fewer samples, new or training, nothing is reported but that nearly all new ones are rejected.
    pub const MIN_SAMPLES: usize = 50;

    /// Examines the training samples of a model.
    pub fn new(model: &AnyModel) -> Self {
        let reference = model.reference();
        let step = reference.count().div_ceil(MAX_TRAINING).max(1);
        let reference = match step {
            1 => reference,
            _ => reference.select(&(0..reference.count()).step_by(step).collect::<Vec<_>>()),
        };
        let names = model.share_names();
        let of_table = (0..names.len()).filter_map(|f| Some((f, reference.feature(f)?)));
        let mut columns: Vec<(usize, Watched)> =
            of_table.map(|(f, (kind, values))| (f, Watched::new(names[f].clone(), kind, &values))).collect();
        let are_seen = columns.is_empty();
        if are_seen {
            let seen = seen_columns(model, &reference);
            columns.extend(
                seen.into_iter()
                    .enumerate()
                    .filter(|(_, values)| values.iter().any(Option::is_some))
                    .map(|(f, values)| (f, Watched::new(names[f].clone(), ColumnKind::Number, &values))),
            );
        }
        let mut training = Training::new(&model.training_decisions());
        training.is_serial |= columns.iter().any(|(_, column)| column.is_serial);
        Self {
            columns,
            are_seen,
            training,
            p_values: Blocks::default(),
            spread: Blocks::default(),
            rejections: Blocks::default(),
            rejected: 0,
            count: 0,
        }
    }

    /// With this reject rate instead of that of the model: the decisions that are added must have been made at it.
    #[must_use]
    pub fn rejecting(mut self, share: f64) -> Self {
        self.training.reject(share);
        self
    }

    /// Adds more samples, with the model's p-value for each and whether it was accepted.
    pub fn add(
        &mut self,
        model: &AnyModel,
        samples: &AnySamples,
        answers: impl IntoIterator<Item = (f64, bool)>,
    ) {
        for (p_value, is_accepted) in answers {
            self.count += 1;
            self.p_values.push(Some(p_value));
            self.spread.push(Some(spread(p_value)));
            self.rejections.push(Some(rejection(is_accepted)));
            self.rejected += usize::from(!is_accepted);
        }
        if self.are_seen {
            let seen = seen_columns(model, samples);
            self.add_columns(&|f| Some((ColumnKind::Number, seen.get(f)?.clone())));
        } else {
            self.add_columns(&|f| samples.feature(f));
        }
    }

    fn add_columns(&mut self, values: &(dyn Fn(usize) -> Option<(ColumnKind, Vec<Option<f64>>)> + Sync)) {
        parallel::for_each_chunk(&mut self.columns, 1, &|_, column| {
            for (f, column) in column {
                if let Some((kind, values)) = values(*f) {
                    column.add(&kind, &values);
                }
            }
        });
    }

    /// The differences from the training samples; empty if they may be by chance, or if there are too few samples to
    /// decide.
    pub fn found(&self) -> Vec<Drift> {
        if self.count < Self::MIN_SAMPLES || self.training.count < Self::MIN_SAMPLES {
            let share = self.rejected as f64 / self.count.max(1) as f64;
            let is_plain = self.count >= MIN_NEW_SAMPLES && share >= NEARLY_ALL;
            return if is_plain { self.rejected_share(share).into_iter().collect() } else { Vec::new() };
        }
        let tests = self.columns.iter().map(|(_, column)| column.tests()).sum::<usize>().max(1) as f64;
        let blocks = self.training.p_values.nonzero().0;
        let level = LEVEL / self.columns.len().max(1) as f64;
        let mut found: Vec<Drift> =
            self.columns.iter().filter_map(|(_, column)| column.change(blocks, level)).collect();
        let mut moved: Vec<(f64, Drift)> =
            self.columns.iter().filter_map(|(_, column)| column.moved(LEVEL / tests)).collect();
        moved.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.extend(moved.into_iter().take(MAX_NAMED).map(|(_, drift)| drift));
        if let Some(judged) = self.judged(!found.is_empty()) {
            let is_more = matches!(&judged, Drift::Rejected { expected, .. } if self.share() > expected.1);
            if found.is_empty() && is_more {
                found = self.leading(LEVEL / tests);
            }
            found.insert(0, judged);
        }
        found
    }

    /// The columns that moved farthest, if more samples are rejected than expected but no column alone is certain: where
    /// a column steps within the file, its blocks differ by the step itself.
    fn leading(&self, level: f64) -> Vec<Drift> {
        let mut moved: Vec<(f64, Drift)> =
            self.columns.iter().filter_map(|(_, column)| column.leads(level)).collect();
        moved.sort_by(|a, b| b.0.total_cmp(&a.0));
        let farthest = moved.first().map_or(0.0, |(size, _)| *size);
        moved.retain(|(size, _)| *size >= LEADING * farthest);
        moved.into_iter().take(MAX_NAMED).map(|(_, drift)| drift).collect()
    }

    fn share(&self) -> f64 {
        self.rejected as f64 / self.count as f64
    }

    /// Whether decisions or p-values differ from those of the training samples.
    fn judged(&self, has_moved: bool) -> Option<Drift> {
        let share = self.share();
        if self.training.is_serial && !has_moved && share < TELLING {
            return None;
        }
        self.rejected_share(share).or_else(|| self.uneven_p_values())
    }

    fn rejected_share(&self, share: f64) -> Option<Drift> {
        let of = self.training.count as f64;
        // For exchangeable samples, the next one is equally likely to have any rank.
        let expected = (self.training.rejected as f64 + 1.0) / (of + 1.0);
        let inflation = |blocks: &Blocks| {
            blocks.mean().map_or(1.0, |m| if m.independent > 0.0 { m.variance / m.independent } else { 1.0 })
        };
        let binomial = expected * (1.0 - expected);
        let band = |new: f64, training: f64| {
            let variance = binomial * (new / self.count as f64 + training / of);
            let reach = normal_quantile(1.0 - LEVEL / 2.0) * variance.sqrt() + 0.5 / self.count as f64;
            // Rare events are skewed: the upper end allows for it.
            let high = expected + reach + 2.0 / self.count as f64 + 2.0 / of;
            ((expected - reach).max(0.0), high.min(1.0))
        };
        let (low, high) = band(inflation(&self.rejections), inflation(&self.training.rejections));
        let is_telling =
            (share > high && share >= 1.5 * expected) || (share < low && share <= 0.5 * expected);
        // The reported band is that of independent samples; the wider one only decides whether to report.
        let expected = band(1.0, 1.0);
        is_telling.then_some(Drift::Rejected { count: self.rejected, of: self.count, expected })
    }

    fn uneven_p_values(&self) -> Option<Drift> {
        /// Leave-one-out is not exact: smaller differences are not reported.
        const MIN_SHIFT: f64 = 0.1;
        let differ = |new: &Blocks, training: &Blocks| -> Option<bool> {
            let (new, training) = (new.mean()?, training.mean()?);
            let is_large = (new.value - training.value).abs() >= MIN_SHIFT;
            Some(is_large && new.above(&training, LEVEL / 2.0).abs() > 1.0)
        };
        let is_uneven =
            differ(&self.p_values, &self.training.p_values)? || differ(&self.spread, &self.training.spread)?;
        is_uneven.then(|| Drift::PValues { mean: self.p_values.mean().map_or(f64::NAN, |m| m.value) })
    }
}

fn spread(p_value: f64) -> f64 {
    (2.0 * p_value - 1.0).abs()
}

fn rejection(is_accepted: bool) -> f64 {
    f64::from(u8::from(!is_accepted))
}

/// The summaries that the model uses for strings, series or graphs: a list of values for each name.
fn seen_columns(model: &AnyModel, samples: &AnySamples) -> Vec<Vec<Option<f64>>> {
    let mut columns: Vec<Vec<Option<f64>>> = Vec::new();
    for row in 0..samples.count() {
        let Some(values) = model.share_values(samples, row) else { return Vec::new() };
        columns.resize(values.len(), Vec::new());
        for (column, value) in columns.iter_mut().zip(values) {
            column.push(Some(value).filter(|v| v.is_finite()));
        }
    }
    columns
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected { count, of, expected } => {
                let share = *count as f64 / *of as f64;
                let (low, high) = (percent(expected.0), percent(expected.1));
                write!(
                    f,
                    "{count} of {of} samples ({}) are rejected, where {low} to {high} would be of samples like those learned",
                    percent(share)
                )
            }
            Self::PValues { mean } => write!(
                f,
                "p-values are spread unevenly, with a mean of {mean:.2}: the samples are not like those learned"
            ),
            Self::Constant { column, was, now, count, of } => write!(
                f,
                "`{column}` was {was} in all training samples and is another, such as {now}, in {count} of {of} samples"
            ),
            Self::Column { column, how } => write!(f, "`{column}` {how}"),
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shift { is_up, median, was } => {
                write!(f, "moved {}", if *is_up { "up" } else { "down" })?;
                match (median, was) {
                    (Some(median), Some(was)) => write!(f, ": its median is {median}, in training {was}"),
                    _ => Ok(()),
                }
            }
            Self::Spread { is_wider, middle, was } => {
                write!(f, "is spread {}", if *is_wider { "wider" } else { "less wide" })?;
                match (middle, was) {
                    (Some([a, b]), Some([c, d])) => {
                        write!(
                            f,
                            ": half of the values lie between {a} and {b}, in training between {c} and {d}"
                        )
                    }
                    _ => Ok(()),
                }
            }
            Self::Level { level, share, was } => {
                write!(f, "is `{level}` in {} of the samples, in training {}", percent(*share), percent(*was))
            }
            Self::Missing { share, was } => {
                write!(f, "is missing in {} of the samples, in training {}", percent(*share), percent(*was))
            }
        }
    }
}

fn percent(share: f64) -> String {
    let digits = usize::from(share < 0.0995);
    format!("{:.digits$} %", 100.0 * share)
}

#[cfg(test)]
mod tests;
