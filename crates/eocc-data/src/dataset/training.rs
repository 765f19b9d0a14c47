//! Training samples. Types are decided once, before any number is parsed.

use std::collections::{HashMap, HashSet};

use eocc_core::{AnySamples, Error, parallel};

use super::bad_rows::BadRows;
use super::build::{self, Numbers};
use super::plan::Plan;
use super::{Dataset, Missing, Note, ReadError, ReadRequest, of_source};
use crate::cell::{Cell, CellFault};
use crate::column::{Column, Values};
use crate::date::{DayMonth, has_zone, seconds};
use crate::error::{DataError, Fault};
use crate::field_type::FieldType;
use crate::guess::{is_code_name, is_coded};
use crate::mask::masked;
use crate::table::Table;
use crate::typed::{Types, convert};

/// The training samples of a table.
pub(super) fn read(table: &Table, request: &ReadRequest) -> Result<Dataset, ReadError> {
    let plan = Plan::for_training(table, request)?;
    let (columns, bad) = (plan.features.as_slice(), &mut BadRows::default());
    if request.precomputed {
        let numbers = Numbers { table, columns, rows: None, accepts_missing: false };
        let named = |column: &usize| table.name(*column).to_owned();
        let header: Vec<String> = columns.iter().filter(|_| table.has_header()).map(named).collect();
        let names = plan.name.map(|column| table.words(column));
        if let Some(names) = &names {
            require_same_order(table, names, &header)?;
        }
        let data = plan.dataset(table, numbers.precomputed(true, bad)?.into());
        return Ok(Dataset { names, header, ..data });
    }
    let rows = match (plan.classes, request.only.as_slice()) {
        (Some(label), [_, ..]) if !table.is_typed() => Some(table.matching_any(label, &request.only)?),
        _ => None,
    };
    let unlabelled = match (plan.classes, &rows) {
        (Some(label), Some(_)) => {
            table.columns()[label].cells().filter(|cell| cell.is_missing_word()).count()
        }
        _ => 0,
    };
    let asked = rows.as_ref().map_or(table.rows(), Vec::len);
    let rows = complete_rows(table, columns, &request.types, rows, request.missing, bad)?;
    if rows.as_ref().is_some_and(Vec::is_empty) && request.missing == Some(Missing::Drop) {
        return Err(of_source(table.source())(Error::input(
            "every row has a missing value, so none is left",
        )));
    }
    let (samples, note) = samples(table, &plan, rows.as_deref(), request)?;
    let samples = match request.missing {
        Some(Missing::Impute) => samples
            .filled(&samples)
            .and_then(|filled| filled.numbers_as_vectors())
            .map_err(of_source(table.source()))?,
        _ => samples,
    };
    let samples = if request.mask { masked(&samples).map_err(of_source(table.source()))? } else { samples };
    let mut data = plan.dataset(table, samples);
    let told = (!table.is_typed() && table.has_header()).then(|| all_columns(table, &plan, note));
    data.notes.extend(told);
    data.notes.extend(doubts(table, columns, request));
    if !table.is_typed() && table.has_header() && request.types.is_empty() && request.columns.is_empty() {
        data.notes.extend(long_series(table));
    }
    if unlabelled > 0 {
        data.notes.push(Note::Unlabelled { count: unlabelled, of: table.rows() });
    }
    Ok(data.of_rows(table, rows, asked))
}

/// Refuses a matrix whose columns are named in another order than its rows.
fn require_same_order(table: &Table, names: &[String], header: &[String]) -> Result<(), ReadError> {
    let all: HashSet<&str> = header.iter().map(|name| name.trim()).collect();
    let differs =
        |(row, column): &(&String, &String)| row.trim() != column.trim() && all.contains(row.trim());
    match names.iter().zip(header).position(|pair| differs(&pair)) {
        None => Ok(()),
        Some(at) => Err(of_source(table.source())(Error::input(format!(
            "row {at} is that of `{}`, but column {at} that of `{}`; put rows and columns in the same order",
            names[at].trim(),
            header[at].trim()
        )))),
    }
}

/// The roles of all columns of a table: types of features, and everything else.
fn all_columns(table: &Table, plan: &Plan, types: Option<Described>) -> Note {
    // By name, since there may be many; the first of a name counts.
    let types = types.unwrap_or_default();
    let types: HashMap<&str, &str> =
        types.iter().rev().map(|(name, kind)| (name.as_str(), kind.as_str())).collect();
    let reasons: HashMap<&str, &str> = (plan.notes.iter().rev())
        .filter_map(|note| match note {
            Note::NoFeature { column, why, .. } => Some((column.as_str(), why.words())),
            _ => None,
        })
        .collect();
    let features: HashSet<usize> = plan.features.iter().copied().collect();
    let no_feature = |name: &str| reasons.get(name).map(|why| (*why).to_owned());
    let words = |column: usize| {
        let name = table.name(column);
        match column {
            _ if features.contains(&column) => types.get(name).copied().unwrap_or("number").to_owned(),
            c if Some(c) == plan.classes => "classes".to_owned(),
            c if Some(c) == plan.split => "splits".to_owned(),
            c if Some(c) == plan.name => no_feature(name).unwrap_or_else(|| "names the samples".to_owned()),
            _ => no_feature(name).unwrap_or_else(|| "left out".to_owned()),
        }
    };
    Note::Columns((0..table.width()).map(|column| (table.name(column).to_owned(), words(column))).collect())
}

/// The first rows that decide whether a table may hold time series in long form, and the most columns of such a
/// table.
const MAX_STEPS: usize = 2000;
const MAX_LONG_WIDTH: usize = 12;
/// Fewer series, or steps of each, may be chance.
const MIN_SERIES: usize = 3;
const MIN_SERIES_STEPS: usize = 5;

/// A note if rows come in runs of one key, within each of which some number rises, starting anew with each run.
fn long_series(table: &Table) -> Option<Note> {
    let (width, rows) = (table.width(), table.rows().min(MAX_STEPS));
    if !(3..=MAX_LONG_WIDTH).contains(&width) {
        return None;
    }
    let cells = |column: usize| table.columns()[column].cells().take(rows);
    let numbers = |column: usize| cells(column).map(|cell| cell.number().ok()).collect::<Option<Vec<f64>>>();
    let all: Vec<Option<Vec<f64>>> = (0..width).map(numbers).collect();
    for key in 0..width {
        let words: Vec<_> = cells(key).map(|cell| cell.text().into_owned()).collect();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let mut seen = HashSet::new();
        for (row, word) in words.iter().enumerate() {
            if row > 0 && words[row - 1] == *word {
                runs.last_mut()?.1 = row + 1;
            } else {
                runs.push((row, row + 1));
                if !seen.insert(word) {
                    break;
                }
            }
        }
        // The last run may be cut off, by the end of these rows or of the file.
        let is_regular = seen.len() == runs.len() && runs.len() >= MIN_SERIES;
        let few =
            runs.split_last().is_some_and(|(_, whole)| whole.iter().any(|(a, b)| b - a < MIN_SERIES_STEPS));
        if !is_regular || few {
            continue;
        }
        let rises = |values: &Vec<f64>| {
            let in_run = |&(a, b): &(usize, usize)| values[a..b].windows(2).all(|pair| pair[0] < pair[1]);
            let starts_anew = |pair: &[(usize, usize)]| values[pair[1].0] < values[pair[0].1 - 1];
            runs.iter().all(in_run) && runs.windows(2).all(starts_anew)
        };
        let is_time = |column: &usize| *column != key && all[*column].as_ref().is_some_and(rises);
        let Some(time) = (0..width).find(is_time) else { continue };
        if (0..width).any(|other| other != key && other != time && all[other].is_some()) {
            let name = |column: usize| table.name(column).to_owned();
            return Some(Note::LongSeries { key: name(key), time: name(time) });
        }
    }
    None
}

/// Numbers that often mean missing.
const SENTINELS: [f64; 6] = [-99.0, -999.0, -9999.0, -99_999.0, 9999.0, 99_999.0];
/// Minimum number of occurrences for that.
const MIN_SENTINELS: usize = 2;
/// Minimum count of numbers with a point before three digits for it to be a thousands separator.
const MIN_GROUPED: usize = 3;

/// Values that were read one way and may be meant another.
fn doubts(table: &Table, columns: &[usize], request: &ReadRequest) -> Vec<Note> {
    let told: Vec<usize> = request.types.iter().filter_map(|(name, _)| table.column(name).ok()).collect();
    let asked: Vec<usize> = columns.iter().copied().filter(|column| !told.contains(column)).collect();
    let each = parallel::map(asked.len(), table.columns_per_task(asked.len()), &|at| {
        doubts_of_column(table, asked[at])
    });
    each.into_iter().flatten().collect()
}

fn doubts_of_column(table: &Table, column: usize) -> Vec<Note> {
    let mut notes = Vec::new();
    let name = || table.name(column).to_owned();
    let cells: Vec<Cell<'_>> = table.columns()[column].cells().collect();
    if let Some((numbers, values, example)) = numbers_among_words(&cells)
        && !is_coded(table.name(column), &cells)
    {
        notes.push(Note::NumbersAmongWords { column: name(), numbers, values, example });
    }
    if let Some(example) = lost_zeros(table.name(column), &cells) {
        notes.push(Note::LostZeros { column: name(), example });
    }
    if let Some(example) = ambiguous_date(&cells) {
        notes.push(Note::DayOrMonth { column: name(), example });
    }
    if let Some(example) = without_zone(&cells) {
        notes.push(Note::Zones { column: name(), example });
    }
    if let Some(example) = thousands(&cells) {
        notes.push(Note::Thousands { column: name(), example });
        return notes;
    }
    let numbers: Option<Vec<f64>> = cells
        .iter()
        .filter(|cell| !cell.is_missing() && !matches!(cell, Cell::Boolean(_)))
        .map(|cell| cell.number().ok())
        .collect();
    if let Some((value, count)) = numbers.and_then(|numbers| sentinel(&numbers)) {
        notes.push(Note::Sentinel { column: name(), value: value.to_string(), count });
    }
    notes
}

/// A number that occurs several times, far from all others, and often means missing.
fn sentinel(numbers: &[f64]) -> Option<(f64, usize)> {
    SENTINELS.into_iter().find_map(|value| {
        let is_it = |v: &&f64| (**v - value).abs() < f64::EPSILON;
        let count = numbers.iter().filter(is_it).count();
        let others = || numbers.iter().filter(|v| !is_it(v));
        let largest = others().fold(0.0, |m: f64, v| m.max(v.abs()));
        let is_alone = value.abs() > 2.0 * largest || (value < 0.0 && others().all(|v| *v >= 0.0));
        (count >= MIN_SENTINELS && others().next().is_some() && is_alone).then_some((value, count))
    })
}

/// How many texts are numbers, how many texts there are, and a text that is not a number; `None` unless at least half
/// but not all are numbers. A file with such values is refused; in a frame with declared texts, they are words.
fn numbers_among_words(cells: &[Cell<'_>]) -> Option<(usize, usize, String)> {
    let (mut numbers, mut values, mut example) = (0, 0, None);
    for cell in cells.iter().filter(|cell| !cell.is_missing() && !cell.is_missing_word() && !cell.is_marker())
    {
        let Cell::Text(text) = cell else { return None };
        values += 1;
        if Cell::Raw(text.trim()).number().is_ok() {
            numbers += 1;
        } else {
            example.get_or_insert(*text);
        }
    }
    let example = example.filter(|_| numbers * 2 >= values)?;
    Some((numbers, values, example.trim().to_owned()))
}

/// A code that is shorter than most and may have begun with a zero, which programs lose that read it as a number.
fn lost_zeros(name: &str, cells: &[Cell<'_>]) -> Option<String> {
    if !is_code_name(name) {
        return None;
    }
    let mut codes = Vec::new();
    for cell in cells.iter().filter(|cell| !cell.is_missing() && !cell.is_missing_word()) {
        // A frame with missing values holds fractions: `1234.0`.
        let code = cell.number().ok().filter(|value| value.fract() == 0.0)?;
        let text = cell.text().trim().to_owned();
        codes.push(if text.starts_with('0') { text } else { format!("{code}") });
    }
    let longest = codes.iter().map(String::len).max()?;
    let full = codes.iter().filter(|code| code.len() == longest).count();
    let short = codes.iter().find(|code| code.len() < longest)?;
    (full * 2 > codes.len()).then(|| short.clone())
}

/// An ambiguous date, if all of them are.
fn ambiguous_date(cells: &[Cell<'_>]) -> Option<String> {
    let mut example = None;
    for text in texts(cells)? {
        let of = |order| seconds(text, order);
        let (first, second) = (of(DayMonth::DayFirst)?, of(DayMonth::MonthFirst)?);
        if (first - second).abs() > 0.0 {
            example = example.or_else(|| Some(text.to_owned()));
        }
    }
    example
}

/// A timestamp without a time zone, if others have one.
fn without_zone(cells: &[Cell<'_>]) -> Option<String> {
    let texts = texts(cells)?;
    let order = DayMonth::detect(texts.iter().copied())?;
    let is_moment = |text: &&&str| text.contains(':') && seconds(text, order).is_some();
    let (with, without): (Vec<&str>, Vec<&str>) =
        texts.iter().filter(is_moment).copied().partition(|text| has_zone(text));
    without.first().filter(|_| !with.is_empty()).map(|text| (*text).to_owned())
}

/// A number whose point may be a thousands separator, if all those with a point may and those without are below 1000:
/// `950` and `2.731`.
fn thousands(cells: &[Cell<'_>]) -> Option<String> {
    let (mut whole, mut grouped) = (0, Vec::new());
    for text in texts(cells)? {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let mut groups = digits.split('.');
        let first = groups.next()?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(first) || first.len() > 3 || (first.starts_with('0') && first.len() < digits.len()) {
            return None;
        }
        if !groups.all(|group| group.len() == 3 && is_number(group)) {
            return None;
        }
        if first.len() == digits.len() { whole += 1 } else { grouped.push(text) }
    }
    (whole > 0 && grouped.len() >= MIN_GROUPED).then(|| grouped[0].to_owned())
}

/// The texts of a column, without those that mean missing; `None` if it contains anything else.
fn texts<'a>(cells: &[Cell<'a>]) -> Option<Vec<&'a str>> {
    let present =
        cells.iter().filter(|cell| !cell.is_missing() && !cell.is_missing_word() && !cell.is_marker());
    let text = |cell: &Cell<'a>| match cell {
        Cell::Raw(text) | Cell::Text(text) => Some(text.trim()),
        _ => None,
    };
    present.map(text).collect()
}

/// Names of columns, and their types in words.
type Described = Vec<(String, String)>;

/// The samples of these rows, all if none are given, and the description of their columns.
fn samples(
    table: &Table,
    plan: &Plan,
    rows: Option<&[usize]>,
    request: &ReadRequest,
) -> Result<(AnySamples, Option<Described>), ReadError> {
    let (columns, bad) = (plan.features.as_slice(), &mut BadRows::default());
    // Numbers use only those rows; words have the same levels whichever rows are nominal.
    let types = Types::resolve(table, &request.types, columns, rows)?;
    let is_told = request.types.iter().any(|(_, kind)| !matches!(kind, FieldType::Id | FieldType::Ignore));
    if !request.mixed && !is_told && !table.is_typed() && types.all_are(columns, &FieldType::Number) {
        match (Numbers { table, columns, rows, accepts_missing: false }).vectors(bad) {
            Err(fault) if Missing::allows_missing(request.missing) && is_missing(&fault) => {}
            vectors => return Ok((vectors?.into(), None)),
        }
    }
    let types = if rows.is_none() { types } else { Types::resolve(table, &request.types, columns, None)? };
    let allow_empty = Missing::allow_empty(request.missing);
    // Missing values have no placeholder in some types, so drop such rows first.
    let (typed, rows) = match rows.filter(|_| request.missing == Some(Missing::Drop)) {
        Some(rows) => (convert(&table.pick(rows), &types, columns, allow_empty, bad)?, None),
        None => (convert(table, &types, columns, allow_empty, bad)?, rows),
    };
    let is_cell = |column: &&Column| !matches!(column.values(), Values::Samples(_));
    let described = typed.columns().iter().filter(is_cell).map(|c| (c.name.clone(), c.describe())).collect();
    let note = (!table.is_typed()).then_some(described);
    let typed = rows.map(|rows| typed.pick(rows)).unwrap_or(typed);
    // New records may have gaps that the training records do not.
    let has_special = typed.columns().iter().any(Column::is_special);
    let is_mixed = request.mixed || (Missing::allows_missing(request.missing) && has_special);
    Ok((build::samples(&typed, is_mixed)?, note))
}

/// Whether the error is a missing value.
fn is_missing(error: &ReadError) -> bool {
    let fault = error.data().map(DataError::fault);
    matches!(fault, Some(Fault::Cell { why: CellFault::Missing(_), .. }))
}

/// These rows, all if none are given, without those with missing values if these are dropped; `None` for all. If
/// missing values are not allowed, rows with any are bad.
pub(super) fn complete_rows(
    table: &Table,
    columns: &[usize],
    types: &[(String, FieldType)],
    rows: Option<Vec<usize>>,
    missing: Option<Missing>,
    bad: &mut BadRows,
) -> Result<Option<Vec<usize>>, ReadError> {
    if !matches!(missing, Some(Missing::Drop | Missing::Error)) {
        return Ok(rows);
    }
    // The words for a missing value depend on the type.
    let types = Types::resolve(table, types, columns, None)?;
    let is_hole = |row: usize, column: usize| {
        let own = &table.columns()[column];
        own.has_cells() && types.is_missing(column, own.cell(row))
    };
    let hole = |row: usize| columns.iter().copied().find(|&column| is_hole(row, column));
    let all = || rows.clone().unwrap_or_else(|| (0..table.rows()).collect());
    if missing == Some(Missing::Error) {
        for (row, column) in all().into_iter().filter_map(|row| Some((row, hole(row)?))) {
            bad.add(row, table.missing(row, column))?;
        }
        return Ok(rows);
    }
    let complete: Vec<usize> = all().into_iter().filter(|&row| hole(row).is_none()).collect();
    Ok(if complete.len() == table.rows() { None } else { Some(complete) })
}
