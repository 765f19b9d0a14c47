//! Columns that a program has at hand, a data frame say, by the same rules as those of a file.

use eocc_core::{AnySamples, Layout, Part, Records};

use super::build::{TABLE, is_plain, of_plain, of_special};
use super::conform::{for_layout_with, wanted_columns};
use super::{ReadError, of_source};
use crate::column::{Column, Kind, TextCells, Values};
use crate::field_type::FieldType;
use crate::fields::Field;
use crate::table::Table;
use crate::typed::typed;

/// One column of a data frame.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ColumnValues {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Moments, in seconds since the start of 1970 UTC; NaN is missing.
    Times(Vec<f64>),
    /// Truth values.
    Booleans(Vec<Option<bool>>),
    /// Texts, which may turn out to be truth values, words or texts.
    Texts(Vec<Option<String>>),
    /// Samples by themselves: series, graphs.
    Samples(AnySamples),
}

/// The samples that columns make, by the rules of [`crate::typed()`] unless a type is given.
pub fn samples_of_columns(
    source: &str,
    columns: Vec<(String, ColumnValues)>,
    types: &[(String, FieldType)],
    mixed: bool,
) -> Result<AnySamples, ReadError> {
    let fault = of_source(source);
    let order: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    let (table, mut parts) = split(source, columns)?;
    let Some(table) = table else {
        return match parts.len() {
            1 => Ok(parts.remove(0).samples),
            _ => Ok(Records::new(parts).map_err(fault)?.into()),
        };
    };
    let fields = typed(table, types)?;
    if parts.is_empty() {
        return super::of_fields(&fields, mixed);
    }
    let (plain, special): (Vec<&Field>, Vec<&Field>) =
        fields.fields().iter().partition(|f| is_plain(&f.values));
    for field in special {
        parts.push(Part::new(&field.name, of_special(&fields, field)?));
    }
    parts.sort_by_key(|part| order.iter().position(|name| *name == part.name));
    if !plain.is_empty() {
        parts.push(Part::new(TABLE, of_plain(&fields, &plain, mixed)?));
    }
    Ok(Records::new(parts).map_err(fault)?.into())
}

/// The samples of this form that columns make.
pub fn columns_for_layout(
    source: &str,
    columns: Vec<(String, ColumnValues)>,
    layout: &Layout,
) -> Result<AnySamples, ReadError> {
    let (table, parts) = split(source, columns)?;
    let Some(table) = table else {
        return for_layout_with(None, source, &parts, layout);
    };
    let wanted: Vec<(String, FieldType)> = wanted_columns(layout)
        .into_iter()
        .filter(|(name, _)| !parts.iter().any(|part| part.name == *name))
        .collect();
    let places = wanted.iter().map(|(name, _)| table.column(name)).collect::<Result<Vec<_>, _>>()?;
    let fields = typed(table.select(&places), &wanted)?;
    for_layout_with(Some(&fields), source, &parts, layout)
}

/// Cells as a table, if there are any, and samples by name.
fn split(
    source: &str,
    columns: Vec<(String, ColumnValues)>,
) -> Result<(Option<Table>, Vec<Part>), ReadError> {
    let (mut names, mut cells, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for (name, values) in columns {
        let column = match values {
            ColumnValues::Samples(samples) => {
                parts.push(Part { name, samples });
                continue;
            }
            ColumnValues::Numbers(values) => {
                let missing = values.iter().map(|v| v.is_nan()).collect();
                Column::with_missing(Values::Float(values), missing)
            }
            ColumnValues::Times(values) => {
                let missing = values.iter().map(|v| v.is_nan()).collect();
                Column::with_missing(Values::Time(values), missing)
            }
            ColumnValues::Booleans(values) => {
                let missing = values.iter().map(Option::is_none).collect();
                Column::with_missing(
                    Values::Boolean(values.into_iter().map(|v| v == Some(true)).collect()),
                    missing,
                )
            }
            ColumnValues::Texts(values) => {
                let mut texts = TextCells::default();
                for value in &values {
                    match value {
                        Some(text) => texts.push(Kind::Text, text),
                        None => texts.push(Kind::Missing, ""),
                    }
                }
                Column::new(Values::Text(texts))
            }
        };
        names.push(name);
        cells.push(column);
    }
    let table = if names.is_empty() { None } else { Some(Table::new(source, names, cells)?) };
    Ok((table, parts))
}
