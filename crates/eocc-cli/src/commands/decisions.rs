//! Decisions as columns of a table.

use eocc_core::Decision;
use eocc_data::{Dataset, OutColumn, OutValues};

/// A row each, the columns that `eocc score --help` names; rows are counted from `first`.
pub(crate) fn decision_columns(data: &Dataset, decisions: &[Decision], first: usize) -> Vec<OutColumn> {
    let numbers = |f: fn(&Decision) -> f64| OutValues::Number(decisions.iter().map(f).collect());
    let rows = (0..decisions.len()).map(|i| first + data.row(i)).collect();
    let mut columns = vec![
        OutColumn::new("row", integers(rows)),
        OutColumn::new("score", numbers(|d| d.score)),
        OutColumn::new("membership", numbers(|d| d.membership)),
        OutColumn::new("accepted", OutValues::Boolean(decisions.iter().map(|d| d.accepted).collect())),
        OutColumn::new("region", integers(decisions.iter().map(|d| d.region).collect())),
        OutColumn::new("p_value", numbers(|d| d.p_value)),
    ];
    if let Some(names) = &data.names {
        columns.insert(1, OutColumn::new("name", OutValues::Text(names.clone())));
    }
    add_kept(&mut columns, data.kept.iter().cloned());
    columns
}

/// Adds columns that are carried along; one whose name is taken gets another.
pub(crate) fn add_kept(columns: &mut Vec<OutColumn>, kept: impl Iterator<Item = OutColumn>) {
    for mut column in kept {
        while columns.iter().any(|other| other.name == column.name) {
            column.name = format!("input_{}", column.name);
        }
        columns.push(column);
    }
}

/// Counts as whole numbers; none is anywhere near the largest.
pub(crate) fn integers(counts: Vec<usize>) -> OutValues {
    OutValues::Integer(counts.into_iter().map(|c| i64::try_from(c).unwrap_or(i64::MAX)).collect())
}
