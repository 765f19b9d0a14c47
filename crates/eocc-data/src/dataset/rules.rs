//! The rules for the role of a column: their table, words and limits.
//!
//! | rule | by the name | by the values |
//! |---|---|---|
//! | names the samples | `id`, `name`, `uuid`, … | |
//! | names the samples | `…_id`, `…_no`, `order`, `account`, `email`, `country`, … | all different |
//! | names the group of a row | `…_id`, `…Id`, `…_number` | many distinct values, which repeat |
//! | a single day, month or year | `year`, `month`, `week`, `date`, … | the same value in all rows: the next file has another |
//! | a target | `label`, `class`, `target`, … | few values, words or integers |
//! | dates in order | | dates that rise or fall, except for small steps back: new ones lie beyond |
//! | looks like a key | not `rank`, `day`, `depth`, `age`, … | integers that repeat far less than by chance, in any order; texts with digits, addresses, short codes or proper names, all distinct |
//! | mostly empty text | | free text, or remarks of several words, in less than half of the rows |
//!
//! Except for dates, no rule uses the order of the rows: a sorted table has the same features as a shuffled one. All
//! other columns are features, with the type given by [`crate::guess`].

use std::collections::{HashMap, HashSet};

use super::request::NoFeature;
use crate::cell::{Cell, CellFault};
use crate::column::Column;
use crate::field_type::FieldType;
use crate::guess::{guess, is_coded, order_of, time_of_day};
use crate::table::Table;

/// Whether a column of a table is not a feature.
type Rule = fn(&Table, usize) -> bool;

/// The rules, in the order they apply.
pub(super) const RULES: [(NoFeature, Rule); 7] = [
    (NoFeature::KeyByName, is_key_by_name),
    (NoFeature::KeyOfGroups, is_key_of_groups),
    (NoFeature::ConstantCalendar, is_constant_calendar),
    (NoFeature::Classes, are_classes),
    (NoFeature::DatesInOrder, are_dates_in_order),
    (NoFeature::KeyByLook, is_key_by_look),
    (NoFeature::MostlyEmpty, is_mostly_empty),
];

/// Columns with these names hold the names of the samples, whatever their values; the first two take precedence.
const KEY_NAMES: [&str; 6] = ["name", "id", "uuid", "guid", "rowid", "row_id"];
/// Columns with these names hold keys if all their values differ; `column_0` is a first column without a name, as in
/// an index written by pandas, and `unnamed: 0` is what pandas calls it.
const DISTINCT_KEY_NAMES: [&str; 49] = [
    "unnamed: 0",
    "index",
    "idx",
    "key",
    "keys",
    "rownames",
    "row",
    "rowname",
    "row_names",
    "#",
    "column_0",
    "no",
    "nr",
    "num",
    "number",
    "code",
    "serial",
    "account",
    "acct",
    "customer",
    "client",
    "user",
    "username",
    "order",
    "invoice",
    "ticket",
    "transaction",
    "passport",
    "ssn",
    "phone",
    "telephone",
    "mobile",
    "email",
    "e-mail",
    "mail",
    "url",
    "isbn",
    "ean",
    "sku",
    "barcode",
    "imei",
    "vin",
    "tailnum",
    "hash",
    "token",
    "country",
    "city",
    "full_name",
    "names",
];
/// Words in the name of a column whose integers are measurements, however regular.
const MEASURE_WORDS: [&str; 46] = [
    "rank",
    "day",
    "days",
    "depth",
    "age",
    "year",
    "years",
    "month",
    "months",
    "week",
    "weeks",
    "hour",
    "hours",
    "minute",
    "minutes",
    "population",
    "pop",
    "salary",
    "income",
    "price",
    "cost",
    "amount",
    "total",
    "count",
    "counts",
    "size",
    "weight",
    "height",
    "length",
    "width",
    "distance",
    "dist",
    "duration",
    "temperature",
    "temp",
    "pressure",
    "speed",
    "score",
    "points",
    "value",
    "level",
    "dose",
    "area",
    "volume",
    "position",
    "quantity",
];
/// Words in the name of a column that indicate calendar units, which pass.
const CALENDAR_WORDS: [&str; 7] = ["year", "month", "week", "day", "date", "quarter", "season"];
/// The name that pandas gives its index in Parquet files.
const INDEX_LEVEL: &str = "__index_level_";
const KEY_ENDINGS: [&str; 16] = [
    "_id", "-id", " id", ".id", "_key", "_uuid", "_index", "_no", " no", "_nr", "_number", " number", "_num",
    "_code", "_email", "_name",
];
/// Those of them that identify groups of rows.
const GROUP_KEY_ENDINGS: [&str; 7] = ["_id", "-id", " id", ".id", "_uuid", "_number", " number"];
/// Minimum number of groups: fewer may be a category.
const MIN_GROUPS: usize = 20;
/// Maximum number of letters and words of a proper name.
const MAX_NAME_LENGTH: usize = 40;
const MAX_NAME_WORDS: usize = 5;
/// Minimum number of words of a remark.
const MIN_REMARK_WORDS: usize = 3;
/// Columns with these names hold classes.
const CLASS_NAMES: [&str; 15] = [
    "label",
    "labels",
    "class",
    "target",
    "y",
    "outlier",
    "is_outlier",
    "anomaly",
    "is_anomaly",
    "anomalous",
    "fraud",
    "is_fraud",
    "isfraud",
    "ground_truth",
    "truth",
];
/// Maximum number of classes, unless one per [`ROWS_PER_CLASS`] rows is more.
const MAX_CLASSES: usize = 20;
const ROWS_PER_CLASS: usize = 10;
/// Minimum number of rows for a column to look like a key: ten numbers are in order by chance once in 3 million
/// times.
const MIN_KEY_ROWS: usize = 10;
/// One in this many rows may be repeated, or be out of place, and a key is still one.
const ROWS_PER_REPEATED: usize = 20;
/// Numbers are keys if at least this many repeats are expected by chance, and there are none: a probability of 1 in
/// 150, and far less if some values are more common than others.
const EXPECTED_REPEATS: f64 = 5.0;
/// If a few are repeated, at least this many times as many repeats must be expected by chance.
const FAR_LESS: f64 = 5.0;
/// Columns of large numbers hold timestamps if their names contain one of these words.
const TIME_WORDS: [&str; 3] = ["time", "date", "epoch"];
/// Minimum number of seconds for a timestamp: 1973.
const MIN_EPOCH: f64 = 1e8;
/// Maximum length of a key, in bytes; longer values are texts.
const MAX_KEY_LENGTH: usize = 64;

/// Among this many codes, at least one has digits if others are capital letters only.
const MIXED_CODES: usize = 5;
/// Maximum length of a code of capital letters without digits.
const MAX_SHORT_CODE: usize = 5;

/// Minimum number of rows for which values can differ by more than chance.
const MIN_NAMED_ROWS: usize = 2;
pub(super) fn lower(table: &Table, column: usize) -> String {
    table.name(column).trim().to_lowercase()
}

pub(super) fn cells(table: &Table, column: usize) -> impl Iterator<Item = Cell<'_>> {
    table.columns()[column].cells()
}

/// Whether the name of a column was generated by a reader, as for an array.
fn is_numbered(table: &Table, column: usize) -> bool {
    table.name(column) == format!("x{column}")
}

/// Whether a column has the name of a name column, whatever its values.
pub(super) fn has_key_name(table: &Table, column: usize) -> bool {
    let name = lower(table, column);
    KEY_NAMES.contains(&name.as_str()) || name.starts_with(INDEX_LEVEL)
}

/// Whether a column has the name of a key column, some only if all values differ.
pub(super) fn names_keys(table: &Table, column: usize) -> bool {
    let name = lower(table, column);
    // The answer no, next to the answer yes.
    let is_answer =
        || name.ends_with("no") && (0..table.width()).any(|other| lower(table, other).contains("yes"));
    has_key_name(table, column)
        || DISTINCT_KEY_NAMES.contains(&name.as_str())
        || KEY_ENDINGS.iter().any(|end| name.ends_with(end)) && !is_answer()
        || is_camel_id(table.name(column))
}

/// Whether a name ends as `customerId` does, but not as `paid`.
fn is_camel_id(name: &str) -> bool {
    let name = name.trim();
    let stem = name.strip_suffix("Id").or_else(|| name.strip_suffix("ID"));
    stem.is_some_and(|stem| stem.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))
}

/// Whether a column has the name of a key column and identifies many groups of several rows each: a customer with
/// five orders.
fn is_key_of_groups(table: &Table, column: usize) -> bool {
    let name = lower(table, column);
    let is_named = GROUP_KEY_ENDINGS.iter().any(|end| name.ends_with(end)) || is_camel_id(table.name(column));
    if !is_named || has_fractions(table, column) {
        return false;
    }
    let values = present(table, column);
    let distinct: HashSet<String> = values.iter().map(|cell| cell.text().trim().to_owned()).collect();
    // Words may be a category, however many rows each has; numbers of things measure nothing.
    let are_numbers = || !is_counted(&name) && values.iter().all(|cell| cell.number().is_ok());
    distinct.len() >= MIN_GROUPS && (distinct.len() * ROWS_PER_CLASS >= table.rows() || are_numbers())
}

/// Whether a name ends as `atomic_number` does, and may count something.
fn is_counted(name: &str) -> bool {
    name.ends_with("number")
}

fn is_key_by_name(table: &Table, column: usize) -> bool {
    if has_key_name(table, column) {
        return true;
    }
    names_keys(table, column)
        && table.rows() >= MIN_NAMED_ROWS
        && are_distinct(table, column)
        && !has_fractions(table, column)
}

/// Whether all rows have the same day, month or year, according to the name. A model of January is applied to
/// February, where any value is new; other constant columns count, since a change may be just what is being looked
/// for.
fn is_constant_calendar(table: &Table, column: usize) -> bool {
    let is_named = words_of(table.name(column)).iter().any(|word| CALENDAR_WORDS.contains(&word.as_str()));
    let values = present(table, column);
    let first = values.first().map(|cell| cell.text().trim().to_owned());
    is_named
        && values.len() >= MIN_NAMED_ROWS
        && values.iter().all(|cell| Some(cell.text().trim()) == first.as_deref())
}

/// Whether some values are fractional, unlike keys.
fn has_fractions(table: &Table, column: usize) -> bool {
    present(table, column).iter().any(|cell| cell.number().is_ok_and(|value| value.fract() != 0.0))
}

/// Whether the values are distinct, except for repeated rows and a few others; and whether few are missing.
pub(super) fn are_distinct(table: &Table, column: usize) -> bool {
    let mut seen = HashSet::with_capacity(table.rows());
    let values = present(table, column);
    let repeated = values.iter().filter(|cell| !seen.insert(cell.text().trim().to_owned())).count();
    has_few_missing(table, values.len()) && is_excused(table, repeated)
}

/// The values of a column that are not missing.
fn present(table: &Table, column: usize) -> Vec<Cell<'_>> {
    cells(table, column).filter(|cell| !cell.is_missing() && !cell.is_missing_word()).collect()
}

/// Whether a key may have as many missing values as remain besides these.
fn has_few_missing(table: &Table, present: usize) -> bool {
    present > 0 && (table.rows() - present) * ROWS_PER_REPEATED <= table.rows()
}

/// Whether a key may have this many rows out of order or repeated: a few, plus all completely repeated rows. A few
/// relative to the distinct rows: if most rows repeat, so do values that are not keys.
fn is_excused(table: &Table, rows: usize) -> bool {
    if rows <= table.rows() / ROWS_PER_REPEATED {
        return true;
    }
    // A few values cannot identify many rows, however often these repeat.
    let is_most = (table.rows() - rows) * ROWS_PER_REPEATED < table.rows();
    let repeated = table.repeated_rows();
    !is_most && rows <= repeated + (table.rows() - repeated) / ROWS_PER_REPEATED
}

/// The rows that decide the roles of columns, if not all do: a duplicated file has the same features as the original.
///
/// If the counts of all rows have a common divisor, each row counts that many times less. Otherwise repeated rows
/// count once, provided that two columns distinguish the rest, so that rows do not repeat by chance.
pub(crate) fn deciding_rows(table: &Table) -> Option<Vec<usize>> {
    if table.columns().iter().any(|column| !column.has_cells()) {
        return None;
    }
    let hashes = table.row_hashes();
    let mut counts: HashMap<u64, usize> = HashMap::with_capacity(hashes.len());
    for hash in hashes {
        *counts.entry(*hash).or_default() += 1;
    }
    if counts.len() == hashes.len() {
        return None;
    }
    let common = counts.values().fold(0, |a, b| greatest_divisor(a, *b));
    let mut seen: HashMap<u64, usize> = HashMap::with_capacity(counts.len());
    let mut first_ones = |most: &dyn Fn(u64) -> usize| -> Vec<usize> {
        seen.clear();
        let mut is_one = |row: &usize| {
            let times = seen.entry(hashes[*row]).or_default();
            *times += 1;
            *times <= most(hashes[*row])
        };
        (0..hashes.len()).filter(|row| is_one(row)).collect()
    };
    if common > 1 {
        return Some(first_ones(&|hash| counts[&hash] / common));
    }
    let once = first_ones(&|_| 1);
    let tells_apart = |column: &Column| {
        let values: HashSet<String> =
            once.iter().map(|&row| column.cell(row).text().trim().to_owned()).collect();
        values.len() * ROWS_PER_REPEATED >= once.len() * (ROWS_PER_REPEATED - 1)
    };
    let telling = table.columns().iter().filter(|column| tells_apart(column)).take(2).count();
    (telling == 2).then_some(once)
}

fn greatest_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// Whether a column has the name of a class column and few values, words or integers. An array with such a name next
/// to a matrix is never a feature; but `x` and `y` are coordinates.
fn are_classes(table: &Table, column: usize) -> bool {
    let name = lower(table, column);
    if !CLASS_NAMES.contains(&name.as_str()) || is_numbered(table, column) {
        return false;
    }
    if (0..table.width()).any(|c| is_numbered(table, c)) {
        return true;
    }
    if name == "y" && (0..table.width()).any(|c| lower(table, c) == "x") {
        return false;
    }
    let most = MAX_CLASSES.max(table.rows() / ROWS_PER_CLASS);
    let (mut seen, mut values) = (HashSet::new(), 0);
    for cell in cells(table, column).filter(|cell| !cell.is_missing()) {
        let is_class = match cell.number() {
            Ok(value) => value.fract() == 0.0,
            Err(CellFault::NotANumber(_) | CellFault::Text(_)) => true,
            Err(_) => false,
        };
        values += 1;
        seen.insert(cell.text().trim().to_owned());
        if !is_class || seen.len() > most {
            return false;
        }
    }
    seen.len() < values
}

/// The seconds of a column of dates; `None` if it is not one, or some are missing.
pub(super) fn dates(table: &Table, column: usize) -> Option<Vec<f64>> {
    // A quick check that rejects most columns.
    if !matches!(
        table.cell(0, column),
        Cell::Raw(_) | Cell::Noted(..) | Cell::Text(_) | Cell::Time(_) | Cell::Missing
    ) {
        return None;
    }
    let cells: Vec<Cell<'_>> = cells(table, column).filter(|cell| !cell.is_missing()).collect();
    match guess("", cells.get(..1)?) {
        Ok(FieldType::Date(_)) => {}
        _ => return None,
    }
    let order = order_of(&cells)?;
    cells.iter().map(|cell| crate::date::of_cell(*cell, order)).collect()
}

/// The numbers of a column with the name of a timestamp column, if they may be timestamps: seconds since 1970, or
/// fractions of them.
fn epochs(table: &Table, column: usize) -> Option<Vec<f64>> {
    let name = lower(table, column);
    if !TIME_WORDS.iter().any(|word| name.contains(word)) && name != "ts" {
        return None;
    }
    let number = |cell: Cell<'_>| cell.number().ok().filter(|value| *value > MIN_EPOCH);
    cells(table, column).filter(|cell| !cell.is_missing()).map(number).collect()
}

/// Whether there are many dates and they rise or fall. Those of a log may step back a little: writers are not
/// perfectly synchronized.
fn are_dates_in_order(table: &Table, column: usize) -> bool {
    let Some(seconds) = dates(table, column).or_else(|| epochs(table, column)) else { return false };
    let distinct = 1 + seconds.windows(2).filter(|pair| pair[0].to_bits() != pair[1].to_bits()).count();
    let falls = seconds.windows(2).filter(|pair| pair[0] > pair[1]).count();
    let rises = seconds.windows(2).filter(|pair| pair[0] < pair[1]).count();
    distinct >= MIN_KEY_ROWS
        && (is_excused(table, falls)
            || is_excused(table, rises)
            || is_excused(table, stragglers(&seconds))
            || is_excused(table, stragglers(&seconds.iter().map(|s| -s).collect::<Vec<_>>())))
}

/// How many timestamps are so much earlier than a previous one that it is not a small step back.
fn stragglers(seconds: &[f64]) -> usize {
    let mut sorted = seconds.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = |share: usize| sorted[share * (sorted.len() - 1) / 100];
    // The range of nine in ten: a wrong year must not stretch it.
    let slack = (at(95) - at(5)) / ROWS_PER_REPEATED as f64;
    let mut latest = f64::NEG_INFINITY;
    let is_late = |moment: &&f64| {
        latest = latest.max(**moment);
        latest - **moment > slack
    };
    seconds.iter().filter(is_late).count()
}

fn is_key_by_look(table: &Table, column: usize) -> bool {
    if is_numbered(table, column) || dates(table, column).is_some() {
        return false;
    }
    are_uuids(table, column)
        || (table.rows() >= MIN_KEY_ROWS
            && (are_key_numbers(table, column)
                || has_key_texts(table, column)
                || are_proper_names(table, column)))
}

/// Whether the values are integers that repeat far less than by chance, as running numbers do, in any order and with
/// any gaps; or all distinct and longer than a float holds. Names of measures are exempt: `rank` repeats nothing
/// either.
fn are_key_numbers(table: &Table, column: usize) -> bool {
    let mut is_long = false;
    let mut number = |cell: Cell<'_>| match cell {
        Cell::Boolean(_) => None,
        cell => match cell.number() {
            Err(CellFault::Inexact(_)) => {
                is_long = true;
                Some(0.0)
            }
            other => other.ok().filter(|value| value.fract() == 0.0),
        },
    };
    let present = present(table, column);
    let Some(values) = present.iter().map(|cell| number(*cell)).collect::<Option<Vec<f64>>>() else {
        return false;
    };
    if !has_few_missing(table, values.len()) || (!is_long && is_measure(table, column)) {
        return false;
    }
    if is_long {
        return are_distinct(table, column);
    }
    // Numbers may restart in each file, if that is long enough to tell.
    let files = table.rows_of_files();
    if files.len() > 1
        && files.iter().all(|rows| *rows >= MIN_KEY_ROWS)
        && files.iter().sum::<usize>() == values.len()
    {
        let mut start = 0;
        return files.iter().all(|rows| {
            start += rows;
            repeat_too_little(table, values[start - rows..start].to_vec())
        });
    }
    repeat_too_little(table, values)
}

/// Whether integers repeat less than random numbers of their range would, or are all the integers in it.
fn repeat_too_little(table: &Table, mut values: Vec<f64>) -> bool {
    values.sort_unstable_by(f64::total_cmp);
    let (count, span) = (values.len() as f64, values[values.len() - 1] - values[0] + 1.0);
    let repeated = values.windows(2).filter(|pair| pair[0] >= pair[1]).count();
    let expected = count * count / (2.0 * span);
    // Rows that came twice say nothing about chance.
    let by_chance = repeated.saturating_sub(table.repeated_rows()) as f64;
    let are_few = by_chance * FAR_LESS <= expected;
    (span <= count || (expected >= EXPECTED_REPEATS && are_few)) && is_excused(table, repeated)
}

/// Whether one of the words of a name indicates a measure: `day_count`, `popRank`, `Depth (m)`.
fn is_measure(table: &Table, column: usize) -> bool {
    words_of(table.name(column)).iter().any(|word| MEASURE_WORDS.contains(&word.as_str()))
}

/// The words of a name, in lower case.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut text = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        if before.is_lowercase() && letter.is_uppercase() {
            text.push(' ');
        }
        text.extend(letter.to_lowercase());
        before = letter;
    }
    text.split(|c: char| !c.is_alphabetic()).map(str::to_owned).collect()
}

/// Whether less than half of the rows have a text, which is not one of a few words: remarks, which most rows do not
/// have.
fn is_mostly_empty(table: &Table, column: usize) -> bool {
    if present(table, column).len() * 2 >= table.rows() {
        return false;
    }
    let cells: Vec<Cell<'_>> = cells(table, column).collect();
    let there = || cells.iter().filter(|cell| !cell.is_missing_word());
    let words: usize = there().map(|cell| cell.text().split_whitespace().count()).sum();
    match guess(table.name(column), &cells) {
        Ok(FieldType::Text) => there().next().is_some(),
        // The same remark may occur several times.
        Ok(FieldType::Category) => words >= MIN_REMARK_WORDS * there().count().max(1),
        _ => false,
    }
}

fn are_uuids(table: &Table, column: usize) -> bool {
    let is_uuid = |text: &str| {
        let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
        let fits =
            |(at, byte): (usize, u8)| if is_dash(at) { byte == b'-' } else { byte.is_ascii_hexdigit() };
        text.len() == 36 && text.bytes().enumerate().all(fits)
    };
    let values = present(table, column);
    let others = values.iter().filter(|cell| !is_uuid(cell.text().trim())).count();
    has_few_missing(table, values.len() - others)
}

/// Whether the values are distinct texts without blanks that have digits or are e-mail addresses: `A-0017`, `7F3K9Q`,
/// `N102UW`; or short codes in capitals, `JFK`; or with blanks and of one shape, like `run 17`. Words, sentences,
/// sequences and measurements with a unit are not.
fn has_key_texts(table: &Table, column: usize) -> bool {
    let mut shapes: Option<String> = None;
    let (mut same_shape, mut has_blanks, mut with_digits, mut codes) = (true, false, 0, 0);
    let values = present(table, column);
    // Codes of digits are texts, even in a file without types.
    let is_coded = is_coded(table.name(column), &values);
    for cell in &values {
        let text = cell.text();
        let text = text.trim();
        let is_code = is_coded && text.bytes().all(|b| b.is_ascii_digit());
        // `1E8` and `369` among `JFK` and `0G6`.
        let is_code = is_code || is_short_code(text) && text.len() > 2;
        codes += usize::from(!matches!(cell.number(), Err(CellFault::NotANumber(_) | CellFault::Text(_))));
        if !is_code && !matches!(cell.number(), Err(CellFault::NotANumber(_) | CellFault::Text(_))) {
            return false;
        }
        if time_of_day(text).is_some() {
            return false;
        }
        let Some(shape) = shape(text) else { return false };
        with_digits += usize::from(shape.contains('9') || is_address(text));
        has_blanks |= shape.contains(' ');
        same_shape &= *shapes.get_or_insert_with(|| shape.clone()) == shape;
    }
    let Some(shape) = shapes else { return false };
    // Numbers are not codes, unless they are a few among others.
    if !is_coded && codes * 2 > values.len() {
        return false;
    }
    let is_measure = shape.starts_with('9') && shape.ends_with('a') && same_shape;
    // Like `JFK` and `00M`, or tickers: short, in capitals and of nearly equal length.
    let lengths = || values.iter().map(|cell| cell.text().trim().len());
    let are_short = values.iter().all(|cell| is_short_code(cell.text().trim()))
        && lengths().max().zip(lengths().min()).is_some_and(|(longest, shortest)| longest - shortest <= 1);
    // `KJFK` among `00AK`.
    let is_key_like = |cell: &&Cell<'_>| {
        let text = cell.text();
        is_short_code(text.trim()) || text.contains(|c: char| c.is_ascii_digit()) || is_address(text.trim())
    };
    let key_like = values.iter().filter(is_key_like).count();
    let are_codes = are_short
        || !has_blanks
            && with_digits * MIXED_CODES >= values.len()
            && key_like * ROWS_PER_REPEATED >= values.len() * (ROWS_PER_REPEATED - 1);
    let is_even = same_shape && with_digits == values.len();
    !is_measure && (is_even || are_codes) && are_distinct(table, column)
}

/// Whether the values are distinct proper names, like those of states, people or committees: few words, most of which
/// begin with a capital followed by other letters.
fn are_proper_names(table: &Table, column: usize) -> bool {
    let values = present(table, column);
    let (mut names, mut words, mut capitals) = (0, 0, 0);
    for cell in &values {
        let (Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text)) = cell else { return false };
        let text = text.trim();
        let own = text.split_whitespace().count();
        let starts = text.split_whitespace().filter(|word| word.starts_with(char::is_uppercase)).count();
        (words, capitals) = (words + own, capitals + starts);
        names += usize::from(
            text.len() <= MAX_NAME_LENGTH
                && (1..=MAX_NAME_WORDS).contains(&own)
                && text.starts_with(char::is_uppercase)
                && text.contains(char::is_lowercase)
                && !text.ends_with(['.', '!', '?', ':', '=']),
        );
    }
    names * ROWS_PER_REPEATED >= values.len() * (ROWS_PER_REPEATED - 1)
        && capitals * 2 > words
        && are_distinct(table, column)
}

fn is_short_code(text: &str) -> bool {
    (2..=MAX_SHORT_CODE).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

fn is_address(text: &str) -> bool {
    text.split_once('@')
        .is_some_and(|(user, host)| !user.is_empty() && host.contains('.') && !host.contains('@'))
}

/// A key with runs of letters as `a` and runs of digits as `9`; `None` if it contains anything that keys do not.
fn shape(text: &str) -> Option<String> {
    let mut shape = String::new();
    for letter in text.chars() {
        let class = match letter {
            '0'..='9' => '9',
            _ if letter.is_alphabetic() => 'a',
            '-' | '_' | '.' | ':' | '/' | '#' | ' ' | '+' => letter,
            '@' if is_address(text) => letter,
            _ => return None,
        };
        if !shape.ends_with(class) {
            shape.push(class);
        }
    }
    (text.len() <= MAX_KEY_LENGTH).then_some(shape)
}
