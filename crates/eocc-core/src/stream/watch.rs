//! The measures of a sample in the change test, besides its oddity: the columns of a table, and distances to landmarks if a
//! sample has more than columns.

use crate::error::Result;
use crate::model::Model;
use crate::random::hashed;
use crate::sample::{ColumnKind, SampleSet};

/// Number of landmarks of samples that are not rows of a table.
const LANDMARKS: usize = 8;
/// Maximum number of columns to watch. Beyond it, only landmarks are watched: shared among more columns, an alarm would
/// come late.
const MAX_COLUMNS: usize = 200;
/// The value that stands for a missing one.
const MISSING: f64 = -f64::MAX;

/// The columns and landmarks that are watched.
#[derive(Debug)]
pub(super) struct Watch<X> {
    /// The features whose values are watched.
    pub(super) columns: Vec<usize>,
    /// The samples whose distances are watched.
    pub(super) landmarks: Option<X>,
    names: Vec<String>,
}

impl<X: SampleSet> Watch<X> {
    /// Chooses what to watch in such samples. Landmarks come from the first quarter of them. Also returns how many samples
    /// that uses up: the ranks may start with the rest, which is exchangeable with later samples.
    pub(super) fn new(samples: &X, reference: &Model<X>) -> Result<(Self, usize)> {
        let slots = samples.slots();
        let columns: Vec<usize> = (0..slots).filter(|&f| samples.feature(f).is_some()).collect();
        let needs_landmarks = columns.len() < slots || columns.len() > MAX_COLUMNS;
        let columns = if columns.len() > MAX_COLUMNS { Vec::new() } else { columns };
        if !needs_landmarks {
            return Ok((Self::from_parts(columns, None, samples), 0));
        }
        let candidates: Vec<usize> = (0..(samples.count() / 4).clamp(1, 64)).collect();
        let candidates = samples.select(&candidates);
        let chosen = spread(&candidates, reference)?;
        let landmarks = X::joined(&[&candidates.select(&chosen)])?;
        let skipped = candidates.count();
        Ok((Self::from_parts(columns, Some(landmarks), samples), skipped))
    }

    pub(super) fn from_parts(columns: Vec<usize>, landmarks: Option<X>, samples: &X) -> Self {
        let known = samples.share_names();
        let name = |f: &usize| match known.get(*f) {
            Some(name) if known.len() == samples.slots() => name.clone(),
            _ => format!("x{f}"),
        };
        let of_landmarks = (1..=landmarks.as_ref().map_or(0, X::count)).map(|i| format!("landmark {i}"));
        let names = columns.iter().map(name).chain(of_landmarks).collect();
        Self { columns, landmarks, names }
    }

    /// How many measures there are, the oddity included.
    pub(super) fn count(&self) -> usize {
        1 + self.names.len()
    }

    /// The name of a measure; the first is the oddity.
    pub(super) fn name(&self, measure: usize) -> &str {
        if measure == 0 { "oddity" } else { &self.names[measure - 1] }
    }

    /// The weight of each measure: half for the oddity, half for all others together.
    pub(super) fn weights(&self) -> Vec<f64> {
        let others = self.names.len();
        if others == 0 {
            return vec![1.0];
        }
        std::iter::once(0.5).chain(std::iter::repeat_n(0.5 / others as f64, others)).collect()
    }

    /// A list of values for every measure except the oddity; the reference must be able to judge the samples.
    pub(super) fn values(&self, samples: &X, reference: &Model<X>) -> Result<Vec<Vec<f64>>> {
        let column = |f: &usize| {
            let (kind, cells) = samples.feature(*f).unwrap_or((ColumnKind::Number, Vec::new()));
            cells.into_iter().map(|cell| value(&kind, cell)).collect()
        };
        let mut values: Vec<Vec<f64>> = self.columns.iter().map(column).collect();
        if let Some(landmarks) = &self.landmarks {
            let form = reference.reference();
            let (samples, landmarks) = (form.conform(samples)?, form.conform(landmarks)?);
            let refs = samples.refs();
            for landmark in landmarks.refs() {
                let distance =
                    |one: &&X::Item| reference.dissimilarity().between(one, landmark).min(f64::MAX);
                values.push(refs.iter().map(distance).collect());
            }
        }
        Ok(values)
    }
}

/// A cell as a number. Levels without an order get a fixed one that does not depend on data.
fn value(kind: &ColumnKind, cell: Option<f64>) -> f64 {
    match (cell, kind) {
        (None, _) => MISSING,
        (Some(v), ColumnKind::Category(levels)) if v >= 0.0 => {
            levels.get(v as usize).map_or(v, |level| hashed(level))
        }
        (Some(v), _) => v,
    }
}

/// A few samples far from each other, but not the farthest, which may be outliers: each is at the 0.9 quantile of distances to
/// those chosen before.
fn spread<X: SampleSet>(samples: &X, reference: &Model<X>) -> Result<Vec<usize>> {
    let conformed = reference.reference().conform(samples)?;
    let refs = conformed.refs();
    let mut chosen = vec![0];
    let mut nearest = vec![f64::INFINITY; refs.len()];
    while chosen.len() < LANDMARKS.min(refs.len()) {
        let last = refs[chosen[chosen.len() - 1]];
        for (near, one) in nearest.iter_mut().zip(&refs) {
            *near = near.min(reference.dissimilarity().between(one, last));
        }
        let mut order: Vec<usize> = (0..refs.len()).filter(|i| !chosen.contains(i)).collect();
        order.sort_by(|&a, &b| nearest[a].total_cmp(&nearest[b]).then(a.cmp(&b)));
        chosen.push(order[(order.len() - 1) * 9 / 10]);
    }
    Ok(chosen)
}
