//! A file in the form of other samples, so that types are not guessed anew.

use eocc_core::sample::{ColumnKind, MixedColumn, UNKNOWN_LEVEL};
use eocc_core::{AnySamples, Error, Layout, MixedTable, Part, Records};

use super::build::{class_field, date_cells, mixed_column, of_plain, of_special, words};
use super::tables::{complete_rows, features, precomputed, texts, vectors, vectors_with_missing};
use super::{Dataset, Missing, Note, ReadError, ReadRequest, keep, of_source, roles};
use crate::date::DayMonth;
use crate::error::DataError;
use crate::field_type::FieldType;
use crate::fields::{Field, FieldValues, Fields};
use crate::guess::truth_of;
use crate::table::Table;
use crate::typed::typed_with;

/// Fields whose types the format says.
pub(super) fn read_fields(
    fields: Fields,
    layout: &Layout,
    request: &ReadRequest,
) -> Result<Dataset, ReadError> {
    let classes = class_field(&fields, request)?.map(|l| words(&fields.fields()[l].values));
    let names = fields.names().map(<[String]>::to_vec);
    let source = fields.source().to_owned();
    let label = request.label.as_ref().map(|l| fields.field(l)).transpose()?;
    let kept = keep::of_fields(&fields, &request.keep)?;
    let others: Vec<usize> = (0..fields.fields().len()).filter(|c| Some(*c) != label).collect();
    let samples = for_layout(&fields.take(&others), layout)?;
    Ok(Dataset { source, names, classes, kept, ..Dataset::from(samples) })
}

/// A table, whose columns get the types that the form asks for.
pub(super) fn read_table(table: Table, layout: &Layout, request: &ReadRequest) -> Result<Dataset, ReadError> {
    let label = request.label.as_ref().map(|l| table.column(l)).transpose()?;
    let classes = label.map(|c| texts(&table, c));
    let source = table.source().to_owned();
    let mut columns = features(&table, label, request)?;
    let mut notes = Vec::new();
    let wanted = wanted_columns(layout);
    let name = match layout {
        Layout::Dissimilarities(_) => None,
        // The model does not say what its column is called.
        Layout::Text | Layout::Series | Layout::Graph => {
            let found = roles::of(&table, columns, request)?;
            (columns, notes) = (found.features, found.notes);
            found.name
        }
        Layout::Numbers(names) if names.is_empty() => None,
        _ => {
            let is_wanted = |c: usize| wanted.iter().any(|(name, _)| table.names()[c] == *name);
            let is_dropped = |c: usize| {
                request.drop.iter().any(|name| table.column(name).is_ok_and(|dropped| dropped == c))
            };
            let others: Vec<usize> = (0..table.names().len())
                .filter(|&c| Some(c) != label && !is_wanted(c) && !is_dropped(c))
                .collect();
            roles::name_among(&table, &others, request)
        }
    };
    let kept = keep::of_table(&table, &request.keep)?;
    let names = name.map(|c| texts(&table, c)).or_else(|| table.row_names());
    let count = table.rows();
    let name_column = name.map(|c| table.names()[c].clone());
    let used = match layout {
        Layout::Numbers(wanted) => {
            let has = |name: &&String| table.names().contains(name);
            // Some of them: the others are missing, whatever else the file has.
            if table.has_header() && wanted.iter().any(|name| has(&name)) {
                wanted.iter().try_for_each(|name| table.column(name).map(|_| ()))?;
            }
            // The names come out with the scores: they are not left out.
            let others: Vec<usize> = columns.iter().copied().filter(|c| Some(*c) != name).collect();
            in_order(wanted, &table, if wanted.is_empty() { &columns } else { &others }, &mut notes)
        }
        Layout::Dissimilarities(_) => columns.clone(),
        layout => used_for(&table, layout, &wanted, &columns)?,
    };
    let of_used = used.iter().map(|&c| table.names()[c].clone()).collect();
    let rows = complete_rows(&table, &used, None, request.missing)?;
    let samples = match layout {
        Layout::Numbers(_) if Missing::is_let_in(request.missing) => {
            vectors_with_missing(&table, &used)?.into()
        }
        Layout::Numbers(_) => vectors(&table, &used, rows.as_deref())?.into(),
        Layout::Dissimilarities(_) => precomputed(&table, &columns, false)?.into(),
        layout => {
            let table = match &rows {
                Some(rows) => table.pick(rows),
                None => table,
            };
            for_layout(&typed_for(table, layout, wanted, used, request)?, layout)?
        }
    };
    let data = Dataset {
        source,
        names,
        name_column,
        columns: of_used,
        classes,
        kept,
        notes,
        ..Dataset::from(samples)
    };
    Ok(data.of_rows(rows, count))
}

/// The columns that a form other than numbers is made of.
fn used_for(
    table: &Table,
    layout: &Layout,
    wanted: &[(String, FieldType)],
    columns: &[usize],
) -> Result<Vec<usize>, DataError> {
    if wanted.is_empty() {
        return Ok(columns.to_vec());
    }
    let columns: Vec<usize> = wanted.iter().map(|(name, _)| table.column(name)).collect::<Result<_, _>>()?;
    debug_assert!(!matches!(layout, Layout::Text | Layout::Series | Layout::Graph));
    Ok(columns)
}

/// These columns with the types that the form asks for.
fn typed_for(
    table: Table,
    layout: &Layout,
    wanted: Vec<(String, FieldType)>,
    columns: Vec<usize>,
    request: &ReadRequest,
) -> Result<Fields, DataError> {
    let mut types = request.types.clone();
    // A single column holds what the model is of, however few words it has.
    if wanted.is_empty()
        && let ([one], Some(kind)) = (columns.as_slice(), field_type(layout))
    {
        types.push((table.names()[*one].clone(), kind));
    }
    types.extend(wanted);
    // Types may be said of columns that the model does not have.
    types.retain(|(name, _)| table.column(name).map_or(true, |column| columns.contains(&column)));
    typed_with(table.select(&columns), &types, request.missing.is_some_and(|m| m != Missing::Error))
}

/// The type of a field that holds such samples by itself.
fn field_type(layout: &Layout) -> Option<FieldType> {
    match layout {
        Layout::Text => Some(FieldType::Text),
        Layout::Series => Some(FieldType::Series),
        Layout::Graph => Some(FieldType::Graph),
        _ => None,
    }
}

/// The columns that a form needs, by name, with their types; none if it has no names for them.
pub(crate) fn wanted_columns(layout: &Layout) -> Vec<(String, FieldType)> {
    let of_column = |column: &MixedColumn| {
        let kind = match &column.kind {
            ColumnKind::Number => FieldType::Number,
            ColumnKind::Date(part) => {
                let order = if part.day_first { DayMonth::DayFirst } else { DayMonth::MonthFirst };
                return (part.of.clone(), FieldType::Date(Some(order)));
            }
            // By their names: levels that training did not have are let in, and differ from all.
            ColumnKind::Boolean | ColumnKind::Category(_) | ColumnKind::Ordered(_) => FieldType::Category,
        };
        (column.name.clone(), kind)
    };
    match layout {
        Layout::Numbers(names) => names.iter().map(|n| (n.clone(), FieldType::Number)).collect(),
        Layout::Columns(columns) => {
            // The features of a date are of one column.
            let mut wanted: Vec<_> = columns.iter().map(of_column).collect();
            wanted.dedup();
            wanted
        }
        Layout::Parts(parts) => {
            let of_part = |(name, layout): &(String, Layout)| match field_type(layout) {
                Some(kind) => vec![(name.clone(), kind)],
                None => wanted_columns(layout),
            };
            parts.iter().flat_map(of_part).collect()
        }
        _ => Vec::new(),
    }
}

/// The model's features in the model's order, if the table has them all by name; columns that the model does not know
/// are left out and named. Else the columns as they are, for the model to accept or refuse.
fn in_order(names: &[String], table: &Table, columns: &[usize], notes: &mut Vec<Note>) -> Vec<usize> {
    let find = |name: &String| columns.iter().copied().find(|&c| table.names()[c] == *name);
    let found: Option<Vec<usize>> = names.iter().map(find).collect();
    match found {
        Some(found) if table.has_header() && !found.is_empty() => {
            let extra = columns.iter().filter(|c| !found.contains(c));
            let extra: Vec<String> = extra.map(|&c| table.names()[c].clone()).collect();
            if !extra.is_empty() {
                notes.push(Note::ColumnsLeftOut(extra));
            }
            found
        }
        _ => columns.to_vec(),
    }
}

/// The samples of this form that typed fields make.
fn for_layout(fields: &Fields, layout: &Layout) -> Result<AnySamples, ReadError> {
    for_layout_with(Some(fields), fields.source(), &[], layout)
}

/// The same, where some parts are samples already.
pub(super) fn for_layout_with(
    fields: Option<&Fields>,
    source: &str,
    given: &[Part],
    layout: &Layout,
) -> Result<AnySamples, ReadError> {
    let fault = of_source(source);
    let of_name = |name: &str| given.iter().find(|part| part.name == name);
    let Some(fields) = fields else {
        return match (layout, given) {
            (Layout::Parts(parts), _) => {
                let find = |(name, _): &(String, Layout)| {
                    let missing = || fault(Error::input(format!("there is no column `{name}`")));
                    of_name(name).cloned().ok_or_else(missing)
                };
                let parts = parts.iter().map(find).collect::<Result<_, _>>()?;
                Ok(Records::new(parts).map_err(&fault)?.into())
            }
            (_, [one]) => Ok(one.samples.clone()),
            _ => Err(fault(Error::input("there must be one column"))),
        };
    };
    let only = |what: &str, is: fn(&FieldValues) -> bool| -> Result<AnySamples, ReadError> {
        let found: Vec<&Field> = fields.fields().iter().filter(|f| is(&f.values)).collect();
        match found.as_slice() {
            [one] => of_special(fields, one),
            [] => Err(fault(Error::input(format!("the model is of {what}, and there is no such column")))),
            _ => Err(fault(Error::input(format!(
                "the model is of {what}, and several columns hold such; choose one"
            )))),
        }
    };
    match layout {
        Layout::Text => only("strings", |v| matches!(v, FieldValues::Texts(_))),
        Layout::Series => only("time series", |v| matches!(v, FieldValues::Series(_))),
        Layout::Graph => only("graphs", |v| matches!(v, FieldValues::Graphs(_))),
        Layout::Numbers(_) => of_plain(fields, &fields.fields().iter().collect::<Vec<_>>(), false),
        Layout::Columns(columns) => Ok(mixed(fields, columns)?.into()),
        Layout::Parts(parts) => {
            let part = |(name, layout): &(String, Layout)| -> Result<Part, ReadError> {
                if let Some(given) = of_name(name) {
                    return Ok(given.clone());
                }
                let samples = match layout {
                    Layout::Text | Layout::Series | Layout::Graph => {
                        of_special(fields, &fields.fields()[fields.field(name)?])?
                    }
                    Layout::Columns(columns) => mixed(fields, columns)?.into(),
                    layout => {
                        let names: Vec<String> = wanted_columns(layout).into_iter().map(|c| c.0).collect();
                        of_plain(fields, &by_name(fields, &names)?, false)?
                    }
                };
                Ok(Part::new(name, samples))
            };
            let parts = parts.iter().map(part).collect::<Result<_, _>>()?;
            Ok(Records::new(parts).map_err(fault)?.into())
        }
        _ => Err(fault(Error::input("the model is of samples that no file holds"))),
    }
}

fn by_name<'a>(fields: &'a Fields, names: &[String]) -> Result<Vec<&'a Field>, DataError> {
    names.iter().map(|n| fields.field(n).map(|f| &fields.fields()[f])).collect()
}

/// Columns of a mixed table, kinds as the model has them.
fn mixed(fields: &Fields, wanted: &[MixedColumn]) -> Result<MixedTable, ReadError> {
    let source = |c: &MixedColumn| match &c.kind {
        ColumnKind::Date(part) => part.of.clone(),
        _ => c.name.clone(),
    };
    let names: Vec<String> = wanted.iter().map(source).collect();
    let columns = by_name(fields, &names)?.into_iter().zip(wanted).map(|(field, wanted)| {
        if let (ColumnKind::Date(part), FieldValues::Dates { seconds, .. }) = (&wanted.kind, &field.values) {
            return (wanted.clone(), date_cells(seconds, part.value));
        }
        let (mut own, mut cells) = mixed_column(field);
        match (&own.kind, &wanted.kind) {
            (ColumnKind::Category(levels), ColumnKind::Ordered(_)) => {
                own.kind = ColumnKind::Ordered(levels.clone());
            }
            (ColumnKind::Category(levels), ColumnKind::Boolean) => {
                cells = truth_values(levels, &cells);
                own.kind = ColumnKind::Boolean;
            }
            _ => {}
        }
        (own, cells)
    });
    MixedTable::new(columns.collect()).map_err(of_source(fields.source()))
}

/// Words as truth values; what is none is a level of its own.
fn truth_values(levels: &[String], cells: &[Option<f64>]) -> Vec<Option<f64>> {
    let of_level: Vec<f64> = levels
        .iter()
        .map(|word| truth_of(word).map_or(UNKNOWN_LEVEL, |truth| f64::from(u8::from(truth))))
        .collect();
    cells.iter().map(|cell| cell.and_then(|place| of_level.get(place as usize).copied())).collect()
}
