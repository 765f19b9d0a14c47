//! Columns that a program has at hand, a data frame say, by the same rules as those of a file.

use eocc_core::{Error, Layout, Part, Records};

use super::build::{TABLE, is_plain, of_plain, of_special};
use super::conform::{self, for_layout_with, wanted_columns};
use super::roles::{self, Roles};
use super::tables::{self, texts};
use super::{Dataset, Missing, Note, ReadError, ReadRequest, of_source};
use crate::column::{Column, Kind, TextCells, Values};
use crate::field_type::FieldType;
use crate::fields::Field;
use crate::table::Table;
use crate::typed::{Types, convert_columns, typed_with};

/// One column of a data frame.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ColumnValues {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Whole numbers, which may be longer than a float holds.
    Integers(Vec<i64>),
    /// Moments, in seconds since the start of 1970 UTC; NaN is missing.
    Times(Vec<f64>),
    /// Truth values.
    Booleans(Vec<Option<bool>>),
    /// Texts, which may turn out to be truth values, words or texts.
    Texts(Vec<Option<String>>),
    /// Samples by themselves: series, graphs.
    Samples(eocc_core::AnySamples),
}

/// The columns of a data frame.
#[derive(Debug, Clone)]
pub struct Columns {
    /// How messages call the frame.
    pub source: String,
    /// Names and values.
    pub columns: Vec<(String, ColumnValues)>,
    /// Whether the names are those of the frame. Columns of an array have none, and none of them is a key.
    pub is_named: bool,
}

impl Dataset {
    /// The samples that columns make, by the rules of a file.
    pub fn of_columns(columns: Columns, request: &ReadRequest) -> Result<Self, ReadError> {
        let (table, parts) = split(columns)?;
        if parts.is_empty() {
            return tables::read(table, request);
        }
        let fault = of_source(table.source());
        let mut request = request.clone();
        // What is a sample by itself is no key.
        for part in &parts {
            if !request.types.iter().any(|(name, _)| *name == part.name) {
                request.types.push((part.name.clone(), FieldType::Series));
            }
        }
        let all = tables::features(&table, None, &request)?;
        let Roles { features, name, mut notes } = roles::of(&table, all, &request)?;
        let names = name.map(|c| texts(&table, c));
        let part_of = |column: usize| parts.iter().find(|part| part.name == table.names()[column]);
        let plain: Vec<usize> = features.iter().copied().filter(|&c| part_of(c).is_none()).collect();
        let types = Types::of(&table, &request.types, &plain, None)?;
        let lets_empty_in = request.missing.is_some_and(|m| m != Missing::Error);
        let fields = convert_columns(&table, &types, &plain, lets_empty_in)?;
        notes.push(Note::Columns(fields.describe()));
        let field_of = |column: usize| fields.fields().iter().find(|f| f.name == table.names()[column]);
        let mut all: Vec<Part> = Vec::new();
        for &column in &features {
            match (part_of(column), field_of(column)) {
                (Some(part), _) => all.push(part.clone()),
                (None, Some(field)) if !is_plain(&field.values) => {
                    all.push(Part::new(&field.name, of_special(&fields, field)?));
                }
                _ => {}
            }
        }
        let plain: Vec<&Field> = fields.fields().iter().filter(|f| is_plain(&f.values)).collect();
        if !plain.is_empty() {
            // New records may lack what those to learn from do not.
            let mixed = request.mixed || Missing::is_let_in(request.missing);
            all.push(Part::new(TABLE, of_plain(&fields, &plain, mixed)?));
        }
        let samples = match all.len() {
            0 => return Err(fault(Error::input("no column is left to learn from"))),
            1 => all.remove(0).samples,
            _ => Records::new(all).map_err(&fault)?.into(),
        };
        let source = table.source().to_owned();
        Ok(Self { source, names, notes, ..Self::from(samples) })
    }

    /// The samples that columns make in the form of other samples, those that a model was fitted on.
    pub fn of_columns_for_model(
        columns: Columns,
        layout: &Layout,
        request: &ReadRequest,
    ) -> Result<Self, ReadError> {
        let (table, parts) = split(columns)?;
        if parts.is_empty() {
            return conform::read_table(table, layout, request);
        }
        let source = table.source().to_owned();
        let is_part = |name: &str| parts.iter().any(|part| part.name == name);
        let wanted: Vec<(String, FieldType)> =
            wanted_columns(layout).into_iter().filter(|(name, _)| !is_part(name)).collect();
        let places = wanted.iter().map(|(name, _)| table.column(name)).collect::<Result<Vec<_>, _>>()?;
        let samples = if places.is_empty() {
            for_layout_with(None, &source, &parts, layout)?
        } else {
            let lets_empty_in = request.missing.is_some_and(|m| m != Missing::Error);
            let fields = typed_with(table.select(&places), &wanted, lets_empty_in)?;
            for_layout_with(Some(&fields), &source, &parts, layout)?
        };
        Ok(Self { source, ..Self::from(samples) })
    }
}

/// Cells as a table, and samples by name, whose columns in the table are empty.
fn split(columns: Columns) -> Result<(Table, Vec<Part>), ReadError> {
    let (mut names, mut cells, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for (name, values) in columns.columns {
        let column = match values {
            ColumnValues::Samples(samples) => {
                let mut empty = TextCells::default();
                empty.pad(samples.count());
                parts.push(Part { name: name.clone(), samples });
                Column::new(Values::Text(empty))
            }
            ColumnValues::Numbers(values) => {
                let missing = values.iter().map(|v| v.is_nan()).collect();
                Column::with_missing(Values::Float(values), missing)
            }
            ColumnValues::Integers(values) => Column::new(Values::Integer(values)),
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
    let table = Table::new(&columns.source, names, cells)?.with_header(columns.is_named);
    Ok((table, parts))
}
