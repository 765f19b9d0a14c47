//! From the cells of a table to typed fields.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;

use crate::cell::{Cell, CellFault};
use crate::date::{self, DayMonth};
use crate::error::{DataError, Fault};
use crate::field_fault::FieldFault;
use crate::field_type::FieldType;
use crate::fields::{Field, FieldValues, Fields};
use crate::guess::{guess, order_of, truth_of};
use crate::series;
use crate::table::Table;

/// Gives each column of a table its type: the one that `overrides` says, by name or number, else a guess. Columns that are
/// said to be keys or to be ignored give no field.
///
/// The guess looks at all cells of the column that are not missing, and is always the same for the same cells:
///
/// 1. all are numbers, or there are none: number, also for 0 and 1;
/// 2. at least half of them are numbers: a fault, which names the first that is none;
/// 3. all are truth values, or `true`, `false`, `yes`, `no` in any case: boolean;
/// 4. all are JSON arrays: series, which are arrays of numbers (one channel) or arrays of arrays of numbers (time, then
///    channel);
/// 5. all are JSON objects with the lists `nodes` and `links` (or `edges`): graph;
/// 6. texts, other objects among them: category if none is longer than 40 letters and at least half of them come again in
///    another row; else text. Words that are all there is, none of them missing, are texts too: as categories they could
///    only be equal or not.
///
/// In a CSV file an empty cell, `NA`, `N/A`, `NaN`, `null`, `None` and `?` are missing. A number, truth value or word may
/// be missing; a text, series or graph may not. NaN in a format that has it as a number, and infinity, are faults.
///
/// ```
/// use eocc_data::{FieldType, ReadOptions, read_bytes, typed};
///
/// let table = read_bytes("t.csv", b"size,kind,grade\n1,a,low\n2,b,high\n,a,low\n", &ReadOptions::default())?;
/// let grade = FieldType::Ordered(vec!["low".into(), "high".into()]);
/// let fields = typed(table, &[("grade".into(), grade)])?;
/// let types: Vec<String> = fields.describe().into_iter().map(|(_, words)| words).collect();
/// assert_eq!(types, ["number, 1 missing", "category, 2 levels", "ordered, 2 levels"]);
/// # Ok::<(), eocc_data::DataError>(())
/// ```
pub fn typed(table: Table, overrides: &[(String, FieldType)]) -> Result<Fields, DataError> {
    typed_with(table, overrides, false)
}

/// The same; missing texts and graphs may be let in, as empty ones.
pub(crate) fn typed_with(
    table: Table,
    overrides: &[(String, FieldType)],
    lets_empty_in: bool,
) -> Result<Fields, DataError> {
    let all: Vec<usize> = (0..table.names().len()).collect();
    let types = Types::of(&table, overrides, &all, None)?;
    convert_columns(&table, &types, &all, lets_empty_in)
}

/// The types of some columns of a table: what was said, or what their cells look like. A column whose cells do not agree
/// is a fault only when it is converted, since it may be left out.
pub(crate) struct Types(Vec<Option<Faulty<FieldType>>>);

impl Types {
    /// Decides on these columns, by all cells or by those of these rows. Types are said by name or number.
    pub(crate) fn of(
        table: &Table,
        overrides: &[(String, FieldType)],
        columns: &[usize],
        rows: Option<&[usize]>,
    ) -> Result<Self, DataError> {
        let mut types: Vec<Option<Faulty<FieldType>>> = vec![None; table.names().len()];
        for (name, kind) in overrides {
            let column = table.column(name)?;
            if let Some(Ok(before)) = types[column].replace(Ok(kind.clone()))
                && before != *kind
            {
                let (first, second) = (before.to_string(), kind.to_string());
                let column = table.names()[column].clone();
                return Err(DataError::new(table.source(), Fault::TwoTypes { column, first, second }));
            }
        }
        for &column in columns {
            if types[column].is_none() {
                let cells = cells(table, column, rows);
                let mut kind = guess(&table.names()[column], &cells);
                let is_whole = columns.len() == 1 && !cells.iter().any(|cell| cell.is_missing());
                if is_whole && kind == Ok(FieldType::Category) {
                    kind = Ok(FieldType::Text);
                }
                types[column] = Some(kind);
            }
        }
        Ok(Self(types))
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
        None => (0..table.rows()).map(|row| table.cell(row, column)).collect(),
    }
}

/// The fault with its place in the file.
fn field_fault(table: &Table, column: usize, fault: (usize, FieldFault)) -> DataError {
    let (row, why) = fault;
    let (file, own) = table.origin(row);
    let fault = Fault::Field { row: own, line: table.line(row), column: table.names()[column].clone(), why };
    DataError::new(file, fault)
}

/// These columns of a table as fields of these types.
pub(crate) fn convert_columns(
    table: &Table,
    types: &Types,
    columns: &[usize],
    lets_empty_in: bool,
) -> Result<Fields, DataError> {
    let place = |row: usize| table.place(row);
    let mut fields = Vec::with_capacity(columns.len());
    for &column in columns {
        let kind = match &types.0[column] {
            Some(Ok(FieldType::Id | FieldType::Ignore)) | None => continue,
            Some(Ok(kind)) => kind,
            Some(Err(fault)) => return Err(field_fault(table, column, fault.clone())),
        };
        let mut cells = cells(table, column, None);
        if lets_empty_in {
            let empty = match kind {
                FieldType::Text => Cell::Text(""),
                FieldType::Graph => Cell::Json(EMPTY_GRAPH),
                _ => Cell::Missing,
            };
            cells.iter_mut().filter(|cell| cell.is_missing()).for_each(|cell| *cell = empty);
        }
        let values = convert(&cells, kind, &place).map_err(|fault| field_fault(table, column, fault))?;
        fields.push(Field { name: table.names()[column].clone(), values });
    }
    let lines = (0..table.rows()).map_while(|row| table.line(row)).collect();
    Ok(Fields::new(table.source(), table.rows(), fields).with_lines(lines).moved(table.origin(0).1, 0))
}

/// A graph of nothing.
const EMPTY_GRAPH: &str = r#"{"nodes": [], "links": []}"#;

/// The fault and its row.
type Faulty<T> = Result<T, (usize, FieldFault)>;

fn convert(cells: &[Cell<'_>], kind: &FieldType, place: &dyn Fn(usize) -> String) -> Faulty<FieldValues> {
    Ok(match kind {
        FieldType::Number => FieldValues::Numbers(each(cells, number)?),
        FieldType::Boolean => FieldValues::Booleans(each(cells, boolean)?),
        FieldType::Category => categories(cells)?,
        FieldType::Ordered(levels) => FieldValues::Ordered {
            levels: levels.clone(),
            codes: each(cells, |cell| {
                let Some(text) = word(cell)? else { return Ok(None) };
                let found = levels.iter().position(|level| *level == text);
                let fault = || FieldFault::NoLevel { text, levels: levels.clone() };
                found.map(|code| Some(code as u32)).ok_or_else(fault)
            })?,
        },
        FieldType::Date(order) => {
            let order = order.or_else(|| order_of(cells)).unwrap_or(DayMonth::MonthFirst);
            FieldValues::Dates { seconds: each(cells, |cell| date(cell, order))?, order }
        }
        // Never asked for: such columns are no fields.
        FieldType::Text | FieldType::Id | FieldType::Ignore => FieldValues::Texts(each(cells, text)?),
        FieldType::Series => FieldValues::Series(all_series(cells, place)?),
        FieldType::Graph => FieldValues::Graphs(each(cells, graph)?),
    })
}

fn each<'a, T>(cells: &[Cell<'a>], read: impl Fn(Cell<'a>) -> Result<T, FieldFault>) -> Faulty<Vec<T>> {
    cells.iter().enumerate().map(|(row, cell)| read(*cell).map_err(|fault| (row, fault))).collect()
}

fn number(cell: Cell<'_>) -> Result<Option<f64>, FieldFault> {
    // Whoever says that a text is a number may store it as text.
    let cell = if let Cell::Text(text) = cell { Cell::Raw(text) } else { cell };
    match cell.number() {
        Ok(value) => Ok(Some(value)),
        Err(CellFault::Missing(_)) => Ok(None),
        Err(fault) => Err(FieldFault::Number(fault)),
    }
}

fn date(cell: Cell<'_>, order: DayMonth) -> Result<Option<f64>, FieldFault> {
    if cell.is_missing() {
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

/// A cell as a word, without blanks around it.
fn word(cell: Cell<'_>) -> Result<Option<String>, FieldFault> {
    match cell {
        Cell::Json(text) if !text.starts_with('{') => {
            Err(FieldFault::NotA { text: text.to_owned(), expected: "a word or a number" })
        }
        Cell::Float(value) if value.is_nan() => Err(FieldFault::Number(CellFault::Nan)),
        Cell::Single(value) if value.is_nan() => Err(FieldFault::Number(CellFault::Nan)),
        cell if cell.is_missing() => Ok(None),
        cell => {
            let text = cell.text();
            Ok(Some(without_zeros(text.trim()).to_owned()).filter(|text| !text.is_empty()))
        }
    }
}

/// A whole number without the decimal zeros that some programs write: a code stays the same word.
fn without_zeros(text: &str) -> &str {
    let whole = text.split_once('.').filter(|(whole, zeros)| {
        let digits = whole.strip_prefix('-').unwrap_or(whole);
        let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        is_number && !zeros.is_empty() && zeros.bytes().all(|b| b == b'0')
    });
    whole.map_or(text, |(whole, _)| whole)
}

fn categories(cells: &[Cell<'_>]) -> Faulty<FieldValues> {
    let words = each(cells, word)?;
    let mut places: BTreeMap<&str, u32> = words.iter().flatten().map(|word| (word.as_str(), 0)).collect();
    for (code, place) in places.values_mut().enumerate() {
        *place = code as u32;
    }
    let codes = words.iter().map(|word| places.get(word.as_deref()?).copied()).collect();
    Ok(FieldValues::Categories { levels: places.into_keys().map(str::to_owned).collect(), codes })
}

fn text(cell: Cell<'_>) -> Result<String, FieldFault> {
    match present(cell, "text")? {
        Cell::Json(text) if !text.starts_with('{') => {
            Err(FieldFault::NotA { text: text.to_owned(), expected: "a text" })
        }
        cell => Ok(cell.text().into_owned()),
    }
}

fn all_series(cells: &[Cell<'_>], place: &dyn Fn(usize) -> String) -> Faulty<Vec<series::Series>> {
    let first = place(0);
    let mut all: Vec<series::Series> = Vec::with_capacity(cells.len());
    for (row, cell) in cells.iter().enumerate() {
        let channels = all.first().and_then(|series| series.first()).map(|step| (step.len(), first.as_str()));
        let read = present(*cell, "series").and_then(|cell| series::parse(&cell.text(), channels));
        all.push(read.map_err(|fault| (row, fault))?);
    }
    Ok(all)
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
    if cell.is_missing() {
        return Err(FieldFault::Missing { kind, text: cell.text().trim().to_owned() });
    }
    Ok(cell)
}

#[cfg(test)]
mod tests;
