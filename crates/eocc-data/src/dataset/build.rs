//! From typed fields to samples: which kind a file holds.

use eocc_core::sample::{ColumnKind, DatePart, DateValue, MAX_TEXT_BYTES, MixedColumn};
use eocc_core::{AnySamples, Error, Matrix, MixedTable, Part, Records, Series, SeriesSet, Texts, Vectors};

use super::{Dataset, NoFeature, Note, ReadError, ReadRequest, keep, of_source};
use crate::date::{self, DayMonth};
use crate::fields::{Field, FieldValues, Fields};
use crate::graphs::graphs_of_cells;
use crate::read_fields::check_types;

/// The name of the part that holds all plain columns of a record.
pub(super) const TABLE: &str = "table";

/// The field of a TS file that a regression is to predict.
const TARGET: &str = "target";

/// A format that types its fields itself; the field `class` holds the classes unless another is named.
pub(super) fn read(fields: Fields, request: &ReadRequest) -> Result<Dataset, ReadError> {
    check_types(&fields, &request.types)?;
    let source = fields.source().to_owned();
    let names = fields.names().map(<[String]>::to_vec);
    let label = class_field(&fields, request)?;
    let classes = label.map(|l| words(&fields.fields()[l].values));
    let split = request.split.as_ref().map(|s| fields.field(s)).transpose()?;
    let splits = split.map(|s| words(&fields.fields()[s].values));
    let find = |names: &[String]| names.iter().map(|n| fields.field(n)).collect::<Result<Vec<_>, _>>();
    let drop = find(&request.drop)?;
    let chosen = if request.columns.is_empty() {
        (0..fields.fields().len()).collect()
    } else {
        find(&request.columns)?
    };
    let mut chosen: Vec<usize> =
        chosen.into_iter().filter(|c| Some(*c) != label && !drop.contains(c)).collect();
    let mut notes = Vec::new();
    // What a regression is to predict is no more a feature than a class is.
    if request.columns.is_empty()
        && let Some(target) = chosen.iter().position(|&c| fields.fields()[c].name == TARGET)
        && chosen.len() > 1
    {
        let field = &fields.fields()[chosen.remove(target)];
        let (column, kind) = (field.name.clone(), field.values.type_name());
        notes.push(Note::NoFeature { column, why: NoFeature::Classes, kind });
    }
    let kept = keep::of_fields(&fields, &request.keep)?;
    let are_lines = fields.are_lines();
    let samples = of_fields(&fields.take(&chosen), false)?;
    Ok(Dataset { source, names, classes, splits, kept, are_lines, notes, ..Dataset::from(samples) })
}

/// The field of the classes, if there is one.
pub(super) fn class_field(fields: &Fields, request: &ReadRequest) -> Result<Option<usize>, ReadError> {
    Ok(match &request.label {
        Some(label) => Some(fields.field(label)?),
        None => fields.fields().iter().position(|f| f.name == "class"),
    })
}

/// A field as words, for classes.
pub(super) fn words(values: &FieldValues) -> Vec<String> {
    fn texts<T: ToString>(all: &[Option<T>]) -> Vec<String> {
        all.iter().map(|v| v.as_ref().map_or_else(String::new, ToString::to_string)).collect()
    }
    match values {
        FieldValues::Categories { levels, codes } | FieldValues::Ordered { levels, codes } => {
            let word = |c: &Option<u32>| c.and_then(|c| levels.get(c as usize)).cloned().unwrap_or_default();
            codes.iter().map(word).collect()
        }
        FieldValues::Texts(texts) => texts.clone(),
        FieldValues::Numbers(all) => texts(all),
        FieldValues::Dates { seconds, .. } => {
            seconds.iter().map(|s| s.map(crate::date::text).unwrap_or_default()).collect()
        }
        FieldValues::Booleans(all) => texts(all),
        _ => vec![String::new(); values.len()],
    }
}

/// The samples that fields make: vectors if all are numbers, strings or series if there is one such field, rows of a
/// mixed table if they are numbers, words and the like, and records if there are several kinds. `mixed` asks for a
/// mixed table also of numbers only.
pub(crate) fn of_fields(fields: &Fields, mixed: bool) -> Result<AnySamples, ReadError> {
    let (plain, special): (Vec<&Field>, Vec<&Field>) =
        fields.fields().iter().partition(|f| is_plain(&f.values));
    let fault = of_source(fields.source());
    match (plain.as_slice(), special.as_slice()) {
        ([], []) => Err(fault(Error::input("no column is left to learn from"))),
        (plain, []) => of_plain(fields, plain, mixed),
        ([], [one]) => of_special(fields, one),
        (plain, special) => {
            let mut parts = Vec::with_capacity(special.len() + 1);
            for field in special {
                parts.push(Part::new(&field.name, of_special(fields, field)?));
            }
            if !plain.is_empty() {
                parts.push(Part::new(TABLE, of_plain(fields, plain, mixed)?));
            }
            Ok(Records::new(parts).map_err(fault)?.into())
        }
    }
}

/// Whether values are cells of a table, rather than samples by themselves.
pub(super) fn is_plain(values: &FieldValues) -> bool {
    !matches!(values, FieldValues::Texts(_) | FieldValues::Series(_) | FieldValues::Graphs(_))
}

/// Samples of one field: texts, series or graphs.
pub(super) fn of_special(fields: &Fields, field: &Field) -> Result<AnySamples, ReadError> {
    let fault = of_source(fields.source());
    let at = |row: usize, error: String| fault(Error::input(format!("{}: {error}", fields.place(row))));
    match &field.values {
        FieldValues::Texts(texts) => {
            if let Some(row) = texts.iter().position(|t| t.len() > MAX_TEXT_BYTES) {
                return Err(at(
                    row,
                    format!(
                        "the text has {} bytes, but at most {MAX_TEXT_BYTES} are taken; cut it into pieces",
                        texts[row].len()
                    ),
                ));
            }
            Ok(Texts::new(texts.clone()).map_err(fault)?.into())
        }
        FieldValues::Series(all) => {
            let each = all.iter().enumerate().map(|(row, steps)| {
                let channels = steps.first().map_or(0, Vec::len);
                Series::new(steps.concat(), channels).map_err(|e| at(row, e.to_string()))
            });
            Ok(SeriesSet::new(each.collect::<Result<_, _>>()?).map_err(fault)?.into())
        }
        FieldValues::Graphs(texts) => {
            let place = |row: usize| format!("{}, column `{}`", fields.place(row), field.name);
            Ok(graphs_of_cells(fields.source(), texts, place)?.into())
        }
        _ => Err(fault(Error::input(format!("column `{}` cannot be compared", field.name)))),
    }
}

/// Plain columns: vectors if all are numbers and none is missing.
pub(super) fn of_plain(fields: &Fields, plain: &[&Field], mixed: bool) -> Result<AnySamples, ReadError> {
    let fault = of_source(fields.source());
    let numbers = |field: &&Field| match &field.values {
        FieldValues::Numbers(values) => values.iter().copied().collect::<Option<Vec<f64>>>(),
        _ => None,
    };
    if !mixed && let Some(columns) = plain.iter().map(numbers).collect::<Option<Vec<_>>>() {
        let values = (0..fields.rows()).flat_map(|row| columns.iter().map(move |c| c[row])).collect();
        let names = plain.iter().map(|f| f.name.clone()).collect();
        let matrix = Matrix::new(values, fields.rows(), plain.len());
        return Ok(Vectors::with_names(matrix, names).map_err(fault)?.into());
    }
    let columns = plain.iter().flat_map(|field| mixed_columns(field)).collect();
    Ok(MixedTable::new(columns).map_err(fault)?.into())
}

/// A plain field as columns of a mixed table: several of a date, else one.
fn mixed_columns(field: &Field) -> Vec<(MixedColumn, Vec<Option<f64>>)> {
    let FieldValues::Dates { seconds, order } = &field.values else { return vec![mixed_column(field)] };
    let column = |value: DateValue| {
        let day_first = *order == DayMonth::DayFirst;
        let kind = ColumnKind::Date(DatePart { of: field.name.clone(), value, day_first });
        (MixedColumn { name: date::feature_name(&field.name, value), kind }, date_cells(seconds, value))
    };
    date::features(seconds).into_iter().map(column).collect()
}

/// What is taken from the dates of a field.
pub(super) fn date_cells(seconds: &[Option<f64>], value: DateValue) -> Vec<Option<f64>> {
    seconds.iter().map(|s| s.map(|s| date::value(s, value))).collect()
}

/// A plain field as a column of a mixed table.
pub(super) fn mixed_column(field: &Field) -> (MixedColumn, Vec<Option<f64>>) {
    let codes = |codes: &[Option<u32>]| codes.iter().map(|c| c.map(f64::from)).collect();
    let (kind, cells) = match &field.values {
        FieldValues::Numbers(values) => (ColumnKind::Number, values.clone()),
        FieldValues::Booleans(values) => {
            (ColumnKind::Boolean, values.iter().map(|v| v.map(|v| f64::from(u8::from(v)))).collect())
        }
        FieldValues::Categories { levels, codes: c } => (ColumnKind::Category(levels.clone()), codes(c)),
        FieldValues::Ordered { levels, codes: c } => (ColumnKind::Ordered(levels.clone()), codes(c)),
        // Not plain: nothing of it can be told.
        _ => (ColumnKind::Number, vec![None; field.values.len()]),
    };
    (MixedColumn { name: field.name.clone(), kind }, cells)
}
