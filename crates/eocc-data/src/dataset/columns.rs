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
    /// Cells as of a file without types, where `1` is a number and nothing is missing.
    Raw(Vec<String>),
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
            ColumnValues::Raw(values) => {
                let mut texts = TextCells::default();
                for value in &values {
                    texts.push_raw(value);
                }
                Column::new(Values::Text(texts))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_bytes};

    fn columns(columns: Vec<(&str, ColumnValues)>) -> Columns {
        let columns = columns.into_iter().map(|(name, values)| (name.to_owned(), values)).collect();
        Columns { source: "X".into(), columns, is_named: true }
    }

    fn words(all: &[&str]) -> ColumnValues {
        ColumnValues::Texts(all.iter().map(|t| Some((*t).to_owned()).filter(|t| !t.is_empty())).collect())
    }

    fn frame() -> Columns {
        columns(vec![
            ("id", ColumnValues::Integers((0..12).map(|i| i * 7 % 12).collect())),
            (
                "size",
                ColumnValues::Numbers(
                    (0..12).map(|i| if i == 3 { f64::NAN } else { f64::from(i * i) }).collect(),
                ),
            ),
            ("old", words(&["yes", "no", "no"].repeat(4))),
            ("town", words(&["Como", "", "Lugano", "Como"].repeat(3))),
            ("when", ColumnValues::Times((0..12).map(|i| f64::from(i * 5 % 12) * 86_400.0).collect())),
            ("label", words(&["good", "bad"].repeat(6))),
        ])
    }

    /// The same as a file.
    fn csv() -> Table {
        let mut lines = vec!["id,size,old,town,when,label".to_owned()];
        for i in 0..12_usize {
            let size = if i == 3 { String::new() } else { (i * i).to_string() };
            let (old, town) = (["yes", "no", "no"][i % 3], ["Como", "", "Lugano", "Como"][i % 4]);
            let label = ["good", "bad"][i % 2];
            let (id, day) = (i * 7 % 12, i * 5 % 12 + 1);
            lines.push(format!("{id},{size},{old},{town},1970-01-{day:02},{label}"));
        }
        read_bytes("t.csv", lines.join("\n").as_bytes(), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn a_frame_is_read_as_its_file_is() {
        let request = ReadRequest { missing: Some(Missing::Distance), ..ReadRequest::default() };
        let ours = Dataset::of_columns(frame(), &request).unwrap();
        let theirs = tables::read(csv(), &request).unwrap();
        let bytes = |data: &Dataset| data.samples.to_contents().to_bytes();
        assert_eq!(bytes(&ours), bytes(&theirs));
        assert_eq!((&ours.names, &ours.notes), (&theirs.names, &theirs.notes));
        assert_eq!(ours.names.as_ref().unwrap()[..2], ["0", "7"]);
    }

    #[test]
    fn a_new_word_among_truth_values_is_a_level() {
        let request = ReadRequest { missing: Some(Missing::Distance), ..ReadRequest::default() };
        let layout = Dataset::of_columns(frame(), &request).unwrap().samples.layout();
        let mut new = frame();
        new.columns[2].1 = words(&["maybe", "1", "FALSE"].repeat(4));
        let new = Dataset::of_columns_for_model(new, &layout, &request).unwrap().samples;
        let (_, old) = new.feature(1).unwrap();
        assert_eq!(old[..3], [Some(-1.0), Some(1.0), Some(0.0)]);
    }

    #[test]
    fn columns_without_names_are_no_keys() {
        let numbers = |scale: f64| ColumnValues::Numbers((0..12).map(|i| f64::from(i) * scale).collect());
        let mut frame = columns(vec![("x0", numbers(1.0)), ("x1", numbers(-3.0))]);
        frame.is_named = false;
        let data = Dataset::of_columns(frame, &ReadRequest::default()).unwrap();
        assert_eq!(data.samples.features(), 2);
        assert!(data.samples.feature_names().is_empty() && data.notes.is_empty());
    }
}
