//! From the cells of a table to columns with types.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use eocc_core::parallel;
use serde::de::IgnoredAny;

#[cfg(feature = "columnar")]
use crate::cell::is_missing_word;
use crate::cell::{Cell, CellFault, listed_words};
use crate::cells::{CellKind, Cells};
use crate::column::{Column, Values};
use crate::dataset::{BadRows, deciding_rows};
use crate::date::{self, DayMonth};
use crate::error::{DataError, Fault};
use crate::field_fault::FieldFault;
use crate::field_type::FieldType;
use crate::guess::{guess, order_of, time_of_day, truth_of};
use crate::series;
use crate::table::Table;

/// Gives each column of a table its type: the one given in `overrides`, by name or number, or else a guess. Columns
/// given as keys or to be ignored are left out. A type declared by the format cannot be overridden.
///
/// The guess uses all cells of the column that are not missing, and is deterministic:
///
/// 1. all are numbers, or there are none: number, also for 0 and 1;
/// 2. at least half of them are numbers: an error, which names the first that is not one;
/// 3. all are booleans, or `true`, `false`, `yes`, `no` in any case: boolean;
/// 4. all are JSON arrays: series, which are arrays of numbers (one channel) or arrays of arrays of numbers (time, then
///    channel);
/// 5. all are JSON objects with the lists `nodes` and `links` (or `edges`): graph;
/// 6. all are dates, or times of day: date, time;
/// 7. digits, some with a leading zero, and columns of postal codes: category;
/// 8. texts, including other objects: category if at least half of them are repeated in another row, and none is
///    longer than 40 letters or each occurs five times; else text. A single column of words, none of them missing, is
///    text, too: as categories they could only be equal or not.
///
/// An empty cell, `NA`, `N/A`, `NaN`, `null` and `None` are missing, in a CSV file and in a data frame; `none` and
/// `?` are missing among numbers and dates, and words among words. A number, boolean or word may be missing; a text,
/// series or graph may not. NaN in a format that has it as a number, and infinity, are errors.
///
/// ```
/// use eocc_data::{FieldType, ReadOptions, read_bytes, typed};
///
/// let table = read_bytes("t.csv", b"size,kind,grade\n1,a,low\n2,b,high\n,a,low\n", &ReadOptions::default())?;
/// let grade = FieldType::Ordered(vec!["low".into(), "high".into()]);
/// let table = typed(&table, &[("grade".into(), grade)])?;
/// let types: Vec<String> = table.describe().into_iter().map(|(_, words)| words).collect();
/// assert_eq!(types, ["number, 1 missing", "category, 2 levels", "ordered, 2 levels"]);
/// # Ok::<(), eocc_data::DataError>(())
/// ```
pub fn typed(table: &Table, overrides: &[(String, FieldType)]) -> Result<Table, DataError> {
    let all: Vec<usize> = (0..table.width()).collect();
    let types = Types::resolve(table, overrides, &all, None)?;
    convert(table, &types, &all, false, &mut BadRows::default())
}

/// The types of some columns of a table: as given, or as guessed from their cells. A column with inconsistent cells
/// is an error only when it is converted, since it may be left out.
pub(crate) struct Types(Vec<Option<Faulty<FieldType>>>);

impl Types {
    /// Decides on these columns, from all cells or those of these rows. Types are given by name or number.
    pub(crate) fn resolve(
        table: &Table,
        overrides: &[(String, FieldType)],
        columns: &[usize],
        rows: Option<&[usize]>,
    ) -> Result<Self, DataError> {
        let mut types: Vec<Option<Faulty<FieldType>>> = vec![None; table.width()];
        for (name, kind) in overrides {
            let column = table.column(name)?;
            if let Some(fixed) = table.columns()[column].kind()
                && fixed.name() != kind.name()
                && !matches!(kind, FieldType::Id | FieldType::Ignore)
            {
                let (column, wanted) = (table.name(column).to_owned(), kind.to_string());
                let fault = Fault::FixedType { column, actual: fixed.name(), wanted };
                return Err(DataError::new(table.source(), fault));
            }
            if let Some(Ok(before)) = types[column].replace(Ok(kind.clone()))
                && before != *kind
            {
                let (first, second) = (before.to_string(), kind.to_string());
                let column = table.name(column).to_owned();
                return Err(DataError::new(table.source(), Fault::TwoTypes { column, first, second }));
            }
        }
        let guessed: Vec<usize> = columns
            .iter()
            .copied()
            .filter(|&column| types[column].is_none() && table.columns()[column].kind().is_none())
            .collect();
        let per_task = table.columns_per_task(guessed.len());
        let mut kinds = parallel::map(guessed.len(), per_task, &|at| {
            let column = guessed[at];
            let cells = cells(table, column, rows);
            let kind = guess(table.name(column), &cells);
            let is_whole = columns.len() == 1 && !cells.iter().any(|cell| cell.is_missing_word());
            if is_whole && kind == Ok(FieldType::Category) { Ok(FieldType::Text) } else { kind }
        });
        if kinds.contains(&Ok(FieldType::Category))
            && let Some(rows) = deciding_rows(table)
        {
            // Texts that are repeated only with the whole row are not a category.
            kinds = parallel::map(guessed.len(), per_task, &|at| match &kinds[at] {
                Ok(FieldType::Category) => {
                    guess(table.name(guessed[at]), &cells(table, guessed[at], Some(&rows)))
                }
                kind => kind.clone(),
            });
        }
        for (column, kind) in guessed.into_iter().zip(kinds) {
            types[column] = Some(kind);
        }
        for &column in columns {
            if let (Some(fixed), None) = (table.columns()[column].kind(), &types[column]) {
                types[column] = Some(Ok(fixed.clone()));
            }
        }
        Ok(Self(types))
    }

    /// Whether a cell of a column is missing, according to the column's type.
    pub(crate) fn is_missing(&self, column: usize, cell: Cell<'_>) -> bool {
        match &self.0[column] {
            Some(Ok(kind)) => is_missing_in(kind)(cell),
            _ => cell.is_missing(),
        }
    }

    /// Whether all these columns have this type.
    pub(crate) fn all_are(&self, columns: &[usize], kind: &FieldType) -> bool {
        let is_kind = |found: &Faulty<FieldType>| found.as_ref().is_ok_and(|found| found == kind);
        columns.iter().all(|&column| self.0[column].as_ref().is_some_and(is_kind))
    }
}

/// The cells of these rows of a column.
fn cells<'a>(table: &'a Table, column: usize, rows: Option<&[usize]>) -> Vec<Cell<'a>> {
    match rows {
        Some(rows) => rows.iter().map(|&row| table.cell(row, column)).collect(),
        None => table.columns()[column].cells().collect(),
    }
}

/// An empty graph.
const EMPTY_GRAPH: &str = r#"{"nodes": [], "links": []}"#;

/// The fault and its row.
type Faulty<T> = Result<T, (usize, FieldFault)>;

/// Converts these columns of a table to these types. Missing texts and graphs may be allowed, as empty ones.
pub(crate) fn convert(
    table: &Table,
    types: &Types,
    columns: &[usize],
    allow_empty: bool,
    bad: &mut BadRows,
) -> Result<Table, DataError> {
    let is_skipped = bad.are_skipped();
    let each = parallel::map(columns.len(), table.columns_per_task(columns.len()), &|at| {
        let mut bad = BadRows::new(is_skipped);
        converted(table, types, columns[at], allow_empty, &mut bad).map(|column| (column, bad))
    });
    // In the order of the columns, so that the first error counts.
    let mut all = Vec::with_capacity(columns.len());
    for one in each {
        let (column, own) = one?;
        all.extend(column);
        bad.add_all(own);
    }
    Ok(table.with(all))
}

/// One of the columns; `None` if it is left out.
fn converted(
    table: &Table,
    types: &Types,
    column: usize,
    allow_empty: bool,
    bad: &mut BadRows,
) -> Result<Option<Column>, DataError> {
    let own = &table.columns()[column];
    let kind = match &types.0[column] {
        Some(Ok(FieldType::Id | FieldType::Ignore)) | None => return Ok(None),
        Some(Ok(kind)) => kind,
        Some(Err((row, fault))) => return Err(table.field_fault(*row, column, fault.clone())),
    };
    if own.kind().is_some() {
        return Ok(Some(own.clone()));
    }
    let empty = match kind {
        FieldType::Text => Cell::Text(""),
        FieldType::Graph => Cell::Json(EMPTY_GRAPH),
        _ => Cell::Missing,
    };
    // A text declared to be a number may be stored as text.
    let mut cells: Vec<Cell<'_>> = match kind {
        FieldType::Number => (0..own.len()).map(|row| own.number_cell(row)).collect(),
        _ => own.cells().collect(),
    };
    if allow_empty {
        let is_missing = is_missing_in(kind);
        cells.iter_mut().filter(|cell| is_missing(**cell)).for_each(|cell| *cell = empty);
    }
    let conversion = Conversion { cells, table, column, bad };
    Ok(Some(conversion.of_type(kind)?.named(&own.name)))
}

/// The conversion of a column to its type.
struct Conversion<'a, 'b> {
    cells: Vec<Cell<'a>>,
    table: &'b Table,
    column: usize,
    bad: &'b mut BadRows,
}

impl<'a> Conversion<'a, '_> {
    fn of_type(mut self, kind: &FieldType) -> Result<Column, DataError> {
        let mut kind = kind.clone();
        let column = match &kind {
            FieldType::Number => of_numbers(self.each(number)?, Values::Float),
            FieldType::Boolean => {
                let values = self.each(boolean)?;
                let missing = values.iter().map(Option::is_none).collect();
                let values = values.into_iter().map(|value| value == Some(true)).collect();
                Column::from(Values::Boolean(values)).with_missing(missing)
            }
            FieldType::Category => self.categories()?,
            FieldType::Ordered(levels) => {
                let codes = self.each(|cell| {
                    let Some(text) = word(cell)? else { return Ok(None) };
                    let found = levels.iter().position(|level| *level == text);
                    let fault = || FieldFault::NoLevel { text, levels: levels.clone() };
                    found.map(|code| Some(code as u32)).ok_or_else(fault)
                })?;
                of_codes(levels.clone(), codes)
            }
            FieldType::Date(order) => {
                let order = order.or_else(|| order_of(&self.cells)).unwrap_or(DayMonth::MonthFirst);
                let seconds = self.each(|cell| date(cell, order))?;
                kind = FieldType::Date(Some(order));
                of_numbers(seconds, Values::Time)
            }
            FieldType::Time => of_numbers(self.each(time)?, Values::Time),
            FieldType::Series => Column::from(Values::Series(self.series()?)),
            FieldType::Graph => of_texts(CellKind::Json, self.each(graph)?),
            // Unreachable: columns of keys, and those to ignore, are left out.
            FieldType::Text | FieldType::Id | FieldType::Ignore => of_texts(CellKind::Text, self.each(text)?),
        };
        Ok(column.of_type(kind))
    }

    /// The parsed value of each cell; a placeholder if a cell cannot be read but bad rows are skipped.
    fn each<T: Default>(
        &mut self,
        read: impl Fn(Cell<'a>) -> Result<T, FieldFault>,
    ) -> Result<Vec<T>, DataError> {
        let mut all = Vec::with_capacity(self.cells.len());
        for (row, cell) in self.cells.iter().enumerate() {
            all.push(match read(*cell) {
                Ok(value) => value,
                Err(fault) => {
                    self.bad.add(row, self.table.field_fault(row, self.column, fault))?;
                    T::default()
                }
            });
        }
        Ok(all)
    }

    /// Words as levels, sorted as texts. A text is read once, however often it occurs.
    fn categories(&mut self) -> Result<Column, DataError> {
        let mut known: HashMap<&'a str, Option<u32>> = HashMap::new();
        let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
        let mut codes = Vec::with_capacity(self.cells.len());
        for (row, cell) in self.cells.iter().enumerate() {
            let text = match cell {
                Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text) => Some(*text),
                _ => None,
            };
            if let Some(code) = text.and_then(|text| known.get(text)) {
                codes.push(*code);
                continue;
            }
            let word = word(*cell).or_else(|fault| {
                self.bad.add(row, self.table.field_fault(row, self.column, fault)).map(|()| None)
            })?;
            let next = numbers.len() as u32;
            let code = word.map(|word| *numbers.entry(word).or_insert(next));
            text.map(|text| known.insert(text, code));
            codes.push(code);
        }
        let mut places = vec![0; numbers.len()];
        for (place, number) in (0..).zip(numbers.values()) {
            places[*number as usize] = place;
        }
        let codes = codes.into_iter().map(|code| code.map(|number| places[number as usize])).collect();
        Ok(of_codes(numbers.into_keys().collect(), codes))
    }

    /// Series, all with the same number of channels as the first; or as most have, if the others are skipped.
    fn series(&mut self) -> Result<Vec<series::Series>, DataError> {
        let read = |cell: &Cell<'_>, channels: Option<(usize, &str)>| {
            present(*cell, "series").and_then(|cell| series::parse(&cell.text(), channels))
        };
        let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (row, cell) in self.cells.iter().enumerate() {
            if let Ok(series) = read(cell, None) {
                counts.entry(series.first().map_or(0, Vec::len)).or_insert((0, row)).0 += 1;
            }
            if !self.bad.are_skipped() {
                break;
            }
        }
        let most = counts.into_iter().max_by_key(|(_, (count, row))| (*count, Reverse(*row)));
        let first = most.map(|(channels, (_, row))| (row, channels, self.table.location(row)));
        let mut all: Vec<series::Series> = Vec::with_capacity(self.cells.len());
        for (row, cell) in self.cells.iter().enumerate() {
            let other = first.as_ref().filter(|(first, ..)| *first != row);
            let channels = other.map(|(_, channels, place)| (*channels, place.as_str()));
            all.push(match read(cell, channels) {
                Ok(series) => series,
                Err(fault) => {
                    self.bad.add(row, self.table.field_fault(row, self.column, fault))?;
                    Vec::new()
                }
            });
        }
        Ok(all)
    }
}

/// A column of numbers or timestamps.
fn of_numbers(values: Vec<Option<f64>>, of: fn(Vec<f64>) -> Values) -> Column {
    let missing = values.iter().map(Option::is_none).collect();
    Column::from(of(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect()))
        .with_missing(missing)
}

fn of_codes(levels: Vec<String>, codes: Vec<Option<u32>>) -> Column {
    let missing = codes.iter().map(Option::is_none).collect();
    let codes = codes.into_iter().map(Option::unwrap_or_default).collect();
    Column::from(Values::Levels { levels, codes }).with_missing(missing)
}

fn of_texts(kind: CellKind, texts: Vec<String>) -> Column {
    let mut cells = Cells::default();
    for text in &texts {
        cells.push(kind, text);
    }
    Column::from(Values::Cells(cells))
}

fn number(cell: Cell<'_>) -> Result<Option<f64>, FieldFault> {
    match cell.number() {
        Ok(value) => Ok(Some(value)),
        Err(CellFault::Missing(_)) => Ok(None),
        Err(fault) => Err(FieldFault::Number(fault)),
    }
}

/// Whether a cell is missing in a column of this type: some words mean missing among numbers but not among words.
pub(crate) fn is_missing_in(kind: &FieldType) -> fn(Cell<'_>) -> bool {
    match kind {
        FieldType::Category | FieldType::Ordered(_) | FieldType::Boolean => |cell| cell.is_missing_word(),
        FieldType::Text | FieldType::Id | FieldType::Ignore => |cell| match cell {
            // A cell declared as text is a text.
            Cell::Text(_) => false,
            cell => cell.is_missing_word(),
        },
        _ => |cell| cell.is_missing() || cell.is_missing_word() || cell.is_marker(),
    }
}

fn time(cell: Cell<'_>) -> Result<Option<f64>, FieldFault> {
    if is_missing_in(&FieldType::Time)(cell) {
        return Ok(None);
    }
    let moment = match cell {
        Cell::Time(seconds) => Some(seconds.rem_euclid(date::DAY)),
        cell => time_of_day(cell.text().trim()),
    };
    let fault = || FieldFault::NotA {
        text: cell.text().into_owned(),
        expected: "a time of day, such as 14:30 or 14:30:05",
    };
    moment.map(Some).ok_or_else(fault)
}

fn date(cell: Cell<'_>, order: DayMonth) -> Result<Option<f64>, FieldFault> {
    if is_missing_in(&FieldType::Date(None))(cell) {
        return Ok(None);
    }
    let fault = || FieldFault::NotA {
        text: cell.text().into_owned(),
        expected: "a date, such as 2024-03-01 or 2024-03-01 14:30",
    };
    date::of_cell(cell, order).map(Some).ok_or_else(fault)
}

fn boolean(cell: Cell<'_>) -> Result<Option<bool>, FieldFault> {
    if let Cell::Boolean(value) = cell {
        return Ok(Some(value));
    }
    let Some(text) = word(cell)? else { return Ok(None) };
    truth_of(&text).map(Some).ok_or(FieldFault::NotA {
        text,
        expected: "a truth value, which is true or false, yes or no, 1 or 0",
    })
}

/// A cell as a word, without surrounding blanks.
fn word(cell: Cell<'_>) -> Result<Option<String>, FieldFault> {
    match cell {
        Cell::Json(text) if !text.starts_with('{') => match listed_words(text) {
            Some(words) => Ok(Some(words)),
            None => Err(FieldFault::NotA { text: text.to_owned(), expected: "a word or a number" }),
        },
        Cell::Float(value) if value.is_nan() => Err(FieldFault::Number(CellFault::Nan)),
        Cell::Single(value) if value.is_nan() => Err(FieldFault::Number(CellFault::Nan)),
        cell if cell.is_missing_word() => Ok(None),
        cell => Ok(present_word(&cell.text())),
    }
}

/// The word that a text is read as; `None` if it means that the value is missing.
#[cfg(feature = "columnar")]
pub(crate) fn word_of_text(text: &str) -> Option<String> {
    if is_missing_word(text) { None } else { present_word(text) }
}

fn present_word(text: &str) -> Option<String> {
    Some(without_zeros(text.trim()).to_owned()).filter(|text| !text.is_empty())
}

/// An integer without the decimal zeros that some programs write, so that a code stays the same word.
fn without_zeros(text: &str) -> &str {
    let whole = text.split_once('.').filter(|(whole, zeros)| {
        let digits = whole.strip_prefix('-').unwrap_or(whole);
        let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        is_number && !zeros.is_empty() && zeros.bytes().all(|b| b == b'0')
    });
    whole.map_or(text, |(whole, _)| whole)
}

fn text(cell: Cell<'_>) -> Result<String, FieldFault> {
    match present(cell, "text")? {
        Cell::Json(text) if !text.starts_with('{') => {
            listed_words(text).ok_or_else(|| FieldFault::NotA { text: text.to_owned(), expected: "a text" })
        }
        cell => Ok(cell.text().into_owned()),
    }
}

fn graph(cell: Cell<'_>) -> Result<String, FieldFault> {
    let cell = present(cell, "graph")?;
    let text = cell.text().trim().to_owned();
    if text.starts_with('{') && serde_json::from_str::<IgnoredAny>(&text).is_ok() {
        Ok(text)
    } else {
        Err(FieldFault::NotA { text, expected: "a graph, which is a JSON object with nodes and links" })
    }
}

fn present<'a>(cell: Cell<'a>, kind: &'static str) -> Result<Cell<'a>, FieldFault> {
    if is_missing_in(&FieldType::Text)(cell) {
        return Err(FieldFault::Missing { kind, text: cell.text().trim().to_owned() });
    }
    Ok(cell)
}

#[cfg(test)]
mod tests;
