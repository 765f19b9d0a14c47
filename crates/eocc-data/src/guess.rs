//! Guesses the type of a column from its cells.

use std::collections::{HashMap, HashSet};

use serde::de::IgnoredAny;

use crate::cell::{Cell, CellFault, is_missing, is_missing_word, listed_words};
use crate::date::{DayMonth, seconds};
use crate::field_fault::FieldFault;
use crate::field_type::FieldType;

/// Up to this many distinct numbers with a unit may be words, such as sizes.
const MAX_AFFIXED: usize = 20;
/// The longest word of a category, in letters; longer values are texts or sequences, unless they are repeated often.
const MAX_LEVEL_LENGTH: usize = 40;
const MIN_REPEATS: usize = 5;
/// Maximum number of marks that a message suggests as missing values.
const MAX_MARKS: usize = 8;
/// Minimum count of numbers that end with a letter for all to be codes: a single one may be a mistake.
const MIN_SUFFIXED: usize = 2;
/// Columns with these names contain codes, even if written in digits.
const CODE_NAMES: [&str; 8] =
    ["zip", "zipcode", "zip_code", "zip code", "postcode", "postal_code", "postal code", "plz"];

/// The type that a single cell seems to have.
#[derive(Clone, Copy, PartialEq)]
enum CellShape {
    Number,
    Boolean,
    Array,
    Object,
    Date,
    Time,
    Text,
    /// `none` or `?`: a word among words, missing otherwise.
    Marker,
}

impl CellShape {
    fn name(self) -> &'static str {
        match self {
            CellShape::Number => "a number",
            CellShape::Boolean => "a truth value",
            CellShape::Array => "an array",
            CellShape::Object => "an object",
            CellShape::Date => "a date",
            CellShape::Time => "a time of day",
            CellShape::Text | CellShape::Marker => "a text",
        }
    }
}

/// The type of a column; the rules are in the documentation of [`crate::typed()`]. A fault includes its row.
pub(crate) fn guess(column: &str, cells: &[Cell<'_>]) -> Result<FieldType, (usize, FieldFault)> {
    let mut shapes: Vec<Option<CellShape>> = cells.iter().map(|cell| shape(*cell)).collect();
    // Among numbers and dates they mean missing, even if the format declares them as texts.
    let has_lists =
        cells.iter().zip(&shapes).any(|(c, l)| matches!(c, Cell::Json(_)) && *l == Some(CellShape::Text));
    if has_lists {
        let is_empty = |cell: &Cell<'_>| matches!(cell, Cell::Json(text) if listed_words(text).is_some());
        shapes
            .iter_mut()
            .zip(cells)
            .filter(|(_, cell)| is_empty(cell))
            .for_each(|(l, _)| *l = Some(CellShape::Text));
    }
    let markers = shapes.iter().filter(|shape| **shape == Some(CellShape::Marker)).count();
    if markers > 0 && are_marked(cells, &mut shapes) {
        return Ok(FieldType::Number);
    }
    let count = |wanted: CellShape| shapes.iter().filter(|shape| **shape == Some(wanted)).count();
    let values = shapes.iter().flatten().count();
    let numbers = count(CellShape::Number);
    // Any value at all would be new.
    if values == 0 {
        return Ok(FieldType::Category);
    }
    if numbers > 0 && is_coded(column, cells) {
        return Ok(FieldType::Category);
    }
    if numbers == values {
        return Ok(FieldType::Number);
    }
    let differs =
        |expected: CellShape| shapes.iter().position(|shape| shape.is_some_and(|shape| shape != expected));
    let text_of = |row: usize| cells.get(row).map(|cell| cell.text().into_owned()).unwrap_or_default();
    if let Some(row) = differs(CellShape::Number)
        && numbers * 2 >= values
    {
        let (text, marks, column) = (text_of(row).into(), marks(cells).into(), column.into());
        return Err((row, FieldFault::ChangesType { text, marks, numbers, values, column }));
    }
    for (shape, kind) in [(CellShape::Boolean, FieldType::Boolean), (CellShape::Array, FieldType::Series)] {
        if count(shape) == values {
            return Ok(kind);
        }
    }
    if count(CellShape::Time) == values {
        return Ok(FieldType::Time);
    }
    if count(CellShape::Date) == values
        && let Some(order) = order_of(cells)
    {
        return Ok(FieldType::Date(Some(order)));
    }
    // Nearly all of them: the others are mistakes.
    if let Some(row) = differs(CellShape::Date)
        && let Some(found) = shapes[row]
        && count(CellShape::Date) * 10 >= values * 9
    {
        let fault = FieldFault::Mixed { text: text_of(row), found: found.name(), expected: "a date" };
        return Err((row, fault));
    }
    if let Some((row, affix)) = affixed(cells, values) {
        return Err((row, FieldFault::Affixed { text: text_of(row), affix, column: column.to_owned() }));
    }
    if count(CellShape::Object) == values
        && cells.iter().all(|cell| cell.is_missing_word() || is_graph(&cell.text()))
    {
        return Ok(FieldType::Graph);
    }
    // A format that distinguishes arrays from texts means arrays; in CSV a text may happen to look like an array.
    if cells.iter().any(|cell| matches!(cell, Cell::Json(_)))
        && let Some(first) = shapes.iter().flatten().next()
        && let Some(row) = differs(*first)
        && let Some(found) = shapes[row]
    {
        let fault = FieldFault::Mixed { text: text_of(row), found: found.name(), expected: first.name() };
        return Err((row, fault));
    }
    Ok(if are_categories(cells, values) { FieldType::Category } else { FieldType::Text })
}

/// The distinct values without letters or digits, and other marks of missing values, in order.
fn marks(cells: &[Cell<'_>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for cell in cells.iter().filter(|cell| !cell.is_missing_word()) {
        let text = cell.text();
        let text = text.trim();
        let is_mark = cell.is_marker() || !text.contains(char::is_alphanumeric);
        if is_mark && !text.is_empty() && found.len() < MAX_MARKS && !found.iter().any(|mark| mark == text) {
            found.push(text.to_owned());
        }
    }
    found
}

/// The type of a column of declared texts, some of which may be missing: boolean, category or text (or series or
/// graph if they are JSON), by the rules of [`crate::typed()`].
pub fn type_of_texts(texts: &[Option<&str>]) -> FieldType {
    let cells: Vec<Cell<'_>> = texts.iter().map(|t| t.map_or(Cell::Missing, Cell::Text)).collect();
    // Texts are never taken for numbers, and only numbers can conflict with the rest.
    guess("", &cells).unwrap_or(FieldType::Text)
}

/// The order of day and month in these cells, if they are dates.
pub(crate) fn order_of(cells: &[Cell<'_>]) -> Option<DayMonth> {
    let is_there = |cell: &&Cell<'_>| !cell.is_missing_word() && !cell.is_marker();
    let texts = cells.iter().filter(is_there).filter_map(|cell| match cell {
        Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text) => Some(*text),
        _ => None,
    });
    match DayMonth::detect(texts) {
        None if cells.iter().any(|cell| matches!(cell, Cell::Time(_))) => Some(DayMonth::MonthFirst),
        order => order,
    }
}

/// The first of many distinct numbers with the same sign or unit before or after them, which is neither a number nor
/// a word.
fn affixed(cells: &[Cell<'_>], values: usize) -> Option<(usize, String)> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | '\'' | ' ');
    let affix = |cell: &Cell<'_>| match cell {
        Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text) => {
            let text = text.trim();
            let number = text.trim_matches(|c: char| !c.is_ascii_digit());
            let around = text.replacen(number, "", 1);
            let around = around.trim_matches(is_part);
            let is_number = number.bytes().any(|b| b.is_ascii_digit()) && number.chars().all(is_part);
            let is_affix = !around.is_empty() && around.chars().count() <= 4 && !around.contains(is_part);
            // A unit or a sign follows the number, a currency sign precedes it; `A17` and `city8` are names.
            let is_sign = !around.contains(char::is_alphanumeric);
            let is_alone = text.ends_with(around) || (text.starts_with(around) && is_sign);
            (is_number && is_affix && is_alone).then(|| around.to_owned())
        }
        _ => None,
    };
    let first = cells.iter().position(|cell| affix(cell).is_some())?;
    let common = affix(&cells[first])?;
    let alike: Vec<&Cell<'_>> =
        cells.iter().filter(|cell| affix(cell).as_deref() == Some(common.as_str())).collect();
    let different: HashSet<String> = alike.iter().map(|cell| cell.text().trim().to_owned()).collect();
    (alike.len() * 2 > values && different.len() > MAX_AFFIXED).then_some((first, common))
}

fn shape(cell: Cell<'_>) -> Option<CellShape> {
    Some(match cell {
        Cell::Missing => return None,
        Cell::Time(value) if value.is_nan() => return None,
        Cell::Time(_) => CellShape::Date,
        Cell::Boolean(_) => CellShape::Boolean,
        // Words are a text; an empty list may be of any type.
        Cell::Json(text) if listed_words(text).is_some_and(|words| !words.is_empty()) => CellShape::Text,
        Cell::Json(text) if text.starts_with('[') => CellShape::Array,
        Cell::Json(_) => CellShape::Object,
        Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text) if is_missing_word(text) => return None,
        Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text) if is_missing(text) => CellShape::Marker,
        Cell::Text(text) => shape_of_text(text.trim()),
        Cell::Raw(text) | Cell::Noted(text, _) => match cell.number() {
            Err(CellFault::Missing(_)) => return None,
            Err(CellFault::NotANumber(_)) => shape_of_text(text.trim()),
            // A value meant as a number that is not one is reported when it is read.
            _ => CellShape::Number,
        },
        Cell::Decimal(_) | Cell::Integer(_) | Cell::Unsigned(_) | Cell::Float(_) | Cell::Single(_) => {
            CellShape::Number
        }
    })
}

/// Whether all values except `none` and `?` are numbers or dates, so that these mean missing; otherwise they are
/// words, and classified as such from now on. Numbers need only a majority.
fn are_marked(cells: &[Cell<'_>], shapes: &mut [Option<CellShape>]) -> bool {
    let number = |cell: &Cell<'_>| match cell {
        Cell::Text(text) => Cell::Raw(text).number().is_ok(),
        cell => cell.number().is_ok() && !matches!(cell, Cell::Boolean(_)),
    };
    let others =
        || cells.iter().zip(shapes.iter()).filter(|(_, shape)| shape.is_some_and(|l| l != CellShape::Marker));
    let has_numbers = others().next().is_some() && others().all(|(cell, _)| number(cell));
    let has_moments = others().all(|(_, shape)| matches!(shape, Some(CellShape::Date | CellShape::Time)));
    // Half of them, as elsewhere: the error is in the others.
    let most = others().filter(|(cell, _)| number(cell)).count() * 2 >= others().count().max(1);
    let instead = if has_numbers || has_moments || most { None } else { Some(CellShape::Text) };
    shapes.iter_mut().filter(|shape| **shape == Some(CellShape::Marker)).for_each(|shape| *shape = instead);
    has_numbers
}

/// Whether digits are codes rather than numbers, by the name of their column or by their form.
pub(crate) fn is_coded(column: &str, cells: &[Cell<'_>]) -> bool {
    is_code_name(column) || are_codes(cells)
}

/// Whether a column is named as codes of digits are.
pub(crate) fn is_code_name(column: &str) -> bool {
    let name = column.trim().to_lowercase();
    CODE_NAMES.iter().any(|code| name == *code || name.ends_with(&format!("_{code}")))
}

/// Whether digits are codes rather than numbers: some have a leading zero or letters, and all have the same number of
/// digits, except where a leading zero was lost. `c536379` among `536365` is a code, `n/a` is not.
fn are_codes(cells: &[Cell<'_>]) -> bool {
    let (mut has_zero, mut has_letter, mut lengths) = (false, false, (usize::MAX, 0));
    let mut suffixed = 0;
    for cell in cells.iter().filter(|cell| !cell.is_missing_word()) {
        let (Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text)) = cell else { return false };
        let text = text.trim();
        let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        // `136A` and `136B` among `136`; other letters may be units.
        let digits = match digits.strip_suffix(|c: char| matches!(c, 'a'..='f' | 'A'..='F')) {
            Some(rest) if digits.len() == text.len() => {
                suffixed += 1;
                rest
            }
            _ => digits,
        };
        if digits.is_empty() || text.len() - digits.len() > 2 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return false;
        }
        has_zero |= digits.len() > 1 && digits.starts_with('0');
        has_letter |= digits.len() < text.len() && !text.starts_with(|c: char| c.is_ascii_digit());
        lengths = (lengths.0.min(digits.len()), lengths.1.max(digits.len()));
    }
    let are_even = lengths.0 == lengths.1;
    // If all have letters, they are ordinary words.
    let has_number =
        || cells.iter().any(|cell| matches!(cell, Cell::Raw(_) | Cell::Noted(..)) && cell.number().is_ok());
    (has_zero || has_letter && are_even || suffixed >= MIN_SUFFIXED) && has_number()
}

/// Seconds since midnight of a time of day, `06:55`, `06:55:46` or `6:55 PM`.
pub(crate) fn time_of_day(text: &str) -> Option<f64> {
    let is_time = text.contains(':') && text.len() <= 18 && text.as_bytes().first()?.is_ascii_digit();
    // The time of a timestamp on any day.
    is_time.then(|| seconds(&format!("1970-01-01T{text}"), DayMonth::MonthFirst)).flatten()
}

/// Whether a JSON object has the nodes and links of a graph.
fn is_graph(text: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Graph {
        nodes: Option<Vec<IgnoredAny>>,
        links: Option<Vec<IgnoredAny>>,
        edges: Option<Vec<IgnoredAny>>,
    }
    serde_json::from_str::<Graph>(text.trim())
        .is_ok_and(|graph| graph.nodes.is_some() && (graph.links.is_some() || graph.edges.is_some()))
}

fn shape_of_text(text: &str) -> CellShape {
    let is_json = || serde_json::from_str::<IgnoredAny>(text).is_ok();
    match text.as_bytes().first() {
        Some(b'[') if is_json() => CellShape::Array,
        Some(b'{') if is_json() => CellShape::Object,
        _ if word_of_truth(text).is_some() => CellShape::Boolean,
        _ if time_of_day(text).is_some() => CellShape::Time,
        _ if [DayMonth::MonthFirst, DayMonth::DayFirst]
            .iter()
            .any(|order| seconds(text, *order).is_some()) =>
        {
            CellShape::Date
        }
        _ => CellShape::Text,
    }
}

/// The boolean that a word means: `true`, `yes`, `false`, `no`, or their first letters, in any case.
pub(crate) fn word_of_truth(text: &str) -> Option<bool> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    if is("true") || is("yes") || is("t") || is("y") {
        Some(true)
    } else if is("false") || is("no") || is("f") || is("n") {
        Some(false)
    } else {
        None
    }
}

/// Like [`word_of_truth`], for a word that is known to be a boolean, which may also be 1 or 0.
pub(crate) fn truth_of(text: &str) -> Option<bool> {
    match text {
        "1" => Some(true),
        "0" => Some(false),
        _ => word_of_truth(text),
    }
}

/// Whether at least half of the texts are repeated, and they are short or repeated many times.
///
/// The fraction of repeated values is about the probability that the next one has been seen before. It grows with the
/// number of rows, and does not fall when there are many: thirty cities are a category in 50 rows and in 5000, and in
/// each fold of these.
fn are_categories(cells: &[Cell<'_>], values: usize) -> bool {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut is_long = false;
    for cell in cells.iter().filter(|cell| !cell.is_missing_word()) {
        let text = cell.text();
        let text = text.trim();
        is_long |= text.chars().nth(MAX_LEVEL_LENGTH).is_some();
        match counts.get_mut(text) {
            Some(count) => *count += 1,
            None => {
                counts.insert(text.to_owned(), 1);
            }
        }
    }
    let single = counts.values().filter(|count| **count == 1).count();
    single * 2 <= values && (!is_long || counts.len() * MIN_REPEATS <= values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(cells: &[&str]) -> Result<FieldType, (usize, FieldFault)> {
        guess("x", &cells.iter().map(|cell| Cell::Raw(cell)).collect::<Vec<_>>())
    }

    #[test]
    fn columns_of_one_kind() {
        for (cells, kind) in [
            (&["1", "0", ""][..], FieldType::Number),
            (&["", "NA"], FieldType::Category),
            (&["inf", "2"], FieldType::Number),
            (&["true", "False", "NA"], FieldType::Boolean),
            (&["yes", "no", "none", "none", "yes"], FieldType::Category),
            (&["?", "12", "13"], FieldType::Number),
            (&["none", "red", "red", "none"], FieldType::Category),
            (&["01234", "90210", "90210", "01234"], FieldType::Category),
            (&["536365", "C536379", "536365", "536366", "536366"], FieldType::Category),
            (&["135", "136A", "136B", "136A", "9", "135"], FieldType::Category),
            (&["06:55:46", "23:10:00", "?"], FieldType::Time),
            (&["7:05", "18:30"], FieldType::Time),
            (&["yes", "no"], FieldType::Boolean),
            (&["a", "b", "a", ""], FieldType::Category),
            (&["a", "b", "c"], FieldType::Text),
            (&["1", "b", "b"], FieldType::Category),
            (&["[1, 2]", "[3]"], FieldType::Series),
            (&["{\"nodes\": [], \"links\": []}", "{\"edges\": [], \"nodes\": [1]}"], FieldType::Graph),
            (&["{}", "{\"nodes\": []}"], FieldType::Text),
            (&["{\"a\": 1}", "{\"a\": 2}", "{\"a\": 1}"], FieldType::Category),
            (&["[Na+].[Cl-]", "[1]", "[1]"], FieldType::Category),
        ] {
            assert_eq!(raw(cells).unwrap(), kind, "{cells:?}");
        }
    }

    #[test]
    fn categories_are_short_and_come_again() {
        let long = "x".repeat(41);
        assert_eq!(raw(&[&long, &long]).unwrap(), FieldType::Text);
        // A few values repeated often are a category, however long they are.
        assert_eq!(raw(&[long.as_str(); 5]).unwrap(), FieldType::Category);
        let words: Vec<String> = (0..21).map(|i| format!("w{i}")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(raw(&words[..20]).unwrap(), FieldType::Text);
        assert_eq!(raw(&words.repeat(2)).unwrap(), FieldType::Category);
        // Half of the values are repeated, and less than half.
        let half = [&words[..10], &["w", "w", "v", "v", "v", "u", "u", "u", "u", "u"]].concat();
        assert_eq!(raw(&half).unwrap(), FieldType::Category);
        assert_eq!(raw(&[&half, &words[10..12]].concat()).unwrap(), FieldType::Text);
    }

    /// The rule must not depend on the number of rows: a fold of a table has the types of the table.
    #[test]
    fn thirty_cities_are_a_category_in_any_number_of_rows() {
        let mut state = 7_u64;
        let mut city = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("city{}", (state >> 33) % 30)
        };
        let all: Vec<String> = (0..3000).map(|_| city()).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        for rows in [50, 100, 200, 270, 300, 3000] {
            assert_eq!(raw(&all[..rows]).unwrap(), FieldType::Category, "{rows} rows");
            let fold = rows / 10;
            for start in (0..rows).step_by(fold) {
                let rest = [&all[..start], &all[start + fold..rows]].concat();
                assert_eq!(raw(&rest).unwrap(), FieldType::Category, "{rows} rows without {start}");
            }
        }
    }

    #[test]
    fn declared_texts_are_never_numbers() {
        let of = |texts: &[&str]| type_of_texts(&texts.iter().map(|t| Some(*t)).collect::<Vec<_>>());
        assert_eq!(of(&["1", "2", "1"]), FieldType::Category);
        assert_eq!(of(&["1", "2", "3"]), FieldType::Text);
        assert_eq!(of(&["yes", "no"]), FieldType::Boolean);
        // Except for what pandas makes of a column in which `?` means missing.
        assert_eq!(of(&["1", "?", "3"]), FieldType::Number);
        assert_eq!(of(&["a", "none", "a", "none"]), FieldType::Category);
        assert_eq!(type_of_texts(&[Some("a"), None, Some("a")]), FieldType::Category);
    }

    #[test]
    fn a_change_of_type_is_a_fault() {
        let (row, fault) = raw(&["1", "", "2", "oops", "z"]).unwrap_err();
        assert_eq!(row, 3);
        assert_eq!(
            fault.to_string(),
            "\"oops\" is not a number, but 2 of the 4 values of the column are; correct it, or say which type the \
             column has, as in x=category"
        );
    }

    #[test]
    fn declared_arrays_do_not_mix() {
        let cells = [Cell::Missing, Cell::Json("[1]"), Cell::Text("a")];
        let (row, fault) = guess("x", &cells).unwrap_err();
        assert_eq!(row, 2);
        assert!(
            fault.to_string().starts_with("\"a\" is a text, but the column starts with an array;"),
            "{fault}"
        );
    }
}
