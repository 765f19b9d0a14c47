//! Decisions as a record batch.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use eocc_core::{Decision, Error};

use super::super::{ReadError, of_source};
use super::{Judged, SOURCE, ScoreOptions};

/// Number of features given as reasons.
const FEATURES: usize = 3;
/// Minimum share of further features to be given.
const MIN_SHARE: f64 = 0.05;

/// The columns of the answers.
pub(super) fn schema(options: ScoreOptions) -> SchemaRef {
    let mut fields = vec![
        Field::new("score", DataType::Float64, true),
        Field::new("p_value", DataType::Float64, true),
        Field::new("accepted", DataType::Boolean, true),
        Field::new("region", DataType::Int64, true),
    ];
    if options.membership {
        fields.push(Field::new("membership", DataType::Float64, true));
    }
    if options.reasons {
        fields.push(Field::new("reasons", DataType::Utf8, true));
    }
    Arc::new(Schema::new(fields))
}

/// Decisions on the rows of a batch of `count`, null where a row could not be read.
pub(super) fn answer(judged: Judged, count: usize, options: ScoreOptions) -> Result<RecordBatch, ReadError> {
    let Judged { rows, decisions, reasons } = judged;
    let floats = |of: fn(&Decision) -> f64| -> ArrayRef {
        match &rows {
            None => Arc::new(Float64Array::from_iter_values(decisions.iter().map(of))),
            Some(rows) => Arc::new(Float64Array::from(spread(rows, decisions.iter().map(of), count))),
        }
    };
    let truths = decisions.iter().map(|decision| decision.accepted);
    let accepted = match &rows {
        None => BooleanArray::from(truths.collect::<Vec<bool>>()),
        Some(rows) => BooleanArray::from(spread(rows, truths, count)),
    };
    let regions = decisions.iter().map(|decision| i64::try_from(decision.region).unwrap_or(i64::MAX));
    let region = match &rows {
        None => Int64Array::from_iter_values(regions),
        Some(rows) => Int64Array::from(spread(rows, regions, count)),
    };
    let mut columns: Vec<ArrayRef> =
        vec![floats(|d| d.score), floats(|d| d.p_value), Arc::new(accepted), Arc::new(region)];
    if options.membership {
        columns.push(floats(|d| d.membership));
    }
    if options.reasons {
        let reasons = match &rows {
            None => reasons,
            Some(rows) => spread(rows, reasons.into_iter(), count).into_iter().map(Option::flatten).collect(),
        };
        columns.push(Arc::new(StringArray::from(reasons)));
    }
    // All columns have the length of the batch.
    RecordBatch::try_new(schema(options), columns)
        .map_err(|error| of_source(SOURCE)(Error::input(error.to_string())))
}

/// Values at these rows, ascending, and the default elsewhere.
fn spread<T: Clone>(rows: &[usize], values: impl Iterator<Item = T>, count: usize) -> Vec<Option<T>> {
    let mut all = vec![None; count];
    for (&row, value) in rows.iter().zip(values) {
        all[row] = Some(value);
    }
    all
}

/// The largest shares with their names, such as `amount 61 %, country 22 %`; ties by index.
pub(super) fn words(names: &[String], shares: &[f64]) -> String {
    let mut order: Vec<usize> = (0..shares.len().min(names.len())).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    let named = order.into_iter().take(FEATURES).enumerate();
    let large = named.filter(|(at, feature)| *at == 0 || shares[*feature] >= MIN_SHARE);
    let word = |(_, feature): (usize, usize)| format!("{} {:.0} %", names[feature], 100.0 * shares[feature]);
    large.map(word).collect::<Vec<_>>().join(", ")
}
