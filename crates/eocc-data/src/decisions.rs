//! Decisions as columns of a table.

use crate::column::{Column, Values};
use crate::dataset::Dataset;
use eocc_core::Decision;

/// One row per decision, with the columns listed by `eocc score --help`.
pub fn decision_columns(data: &Dataset, decisions: &[Decision]) -> Vec<Column> {
    let numbers = |f: fn(&Decision) -> f64| Values::Float(decisions.iter().map(f).collect());
    let mut columns = vec![
        Column::counts("row", (0..decisions.len()).map(|i| data.row(i))),
        Column::new("score", numbers(|d| d.score)),
        Column::new("membership", numbers(|d| d.membership)),
        Column::new("accepted", Values::Boolean(decisions.iter().map(|d| d.accepted).collect())),
        Column::counts("region", decisions.iter().map(|d| d.region)),
        Column::new("p_value", numbers(|d| d.p_value)),
    ];
    if let Some(names) = &data.names {
        columns.insert(1, Column::texts("name", names));
    }
    add_kept(&mut columns, data.kept.iter().cloned());
    columns
}

/// Adds columns that are carried along; one whose name is taken gets another name.
pub fn add_kept(columns: &mut Vec<Column>, kept: impl Iterator<Item = Column>) {
    for mut column in kept {
        while columns.iter().any(|other| other.name == column.name) {
            column.name = format!("input_{}", column.name);
        }
        columns.push(column);
    }
}
