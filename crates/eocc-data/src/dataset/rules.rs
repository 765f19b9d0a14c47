//! What a column is, by rules that anyone can read: a table of them, and the words and limits they go by.
//!
//! | rule | by the name | by the values |
//! |---|---|---|
//! | names the samples | `id`, `name`, `uuid`, … | |
//! | names the samples | `…_id`, `…_no`, `order`, `account`, `email`, `country`, … | all different |
//! | names what rows belong to | `…_id`, `…Id`, `…_number` | many different ones, which repeat |
//! | one day, month or year | `year`, `month`, `week`, `date`, … | one value in all rows: the next file has another |
//! | what is to be predicted | `label`, `class`, `target`, … | few values, words or whole numbers |
//! | dates in order | | dates that rise or fall, but for small steps back: new ones lie beyond |
//! | looks like a key | not `rank`, `day`, `depth`, `age`, … | whole numbers that repeat far less than chance has them, in any order; texts with digits, addresses, short codes or proper names, all different |
//! | mostly empty text | | free text, or remarks of several words, in less than half of the rows |
//!
//! None goes by the order of the rows alone, but for dates: a table that is sorted has the columns that it has shuffled. What is
//! none of these is a feature, whose type [`crate::guess`] tells.

use std::collections::{HashMap, HashSet};

use super::request::NoFeature;
use crate::cell::{Cell, CellFault};
use crate::column::Column;
use crate::field_type::FieldType;
use crate::guess::{guess, is_coded, order_of, time_of_day};
use crate::table::Table;

/// Whether a column of a table is no feature.
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

/// Columns named so hold the names of the samples, whatever their values; the first two before the others.
const KEY_NAMES: [&str; 6] = ["name", "id", "uuid", "guid", "rowid", "row_id"];
/// Columns named so hold keys if all their values differ; `column_0` is what a first column is called that has no name, as
/// pandas writes its index, and `unnamed: 0` what pandas calls it.
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
/// Words in the name of a column whose whole numbers measure something, however regular they are.
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
/// Words in the name of a column that says when something was, in units that pass.
const CALENDAR_WORDS: [&str; 7] = ["year", "month", "week", "day", "date", "quarter", "season"];
/// What pandas calls its index in Parquet files.
const INDEX_LEVEL: &str = "__index_level_";
const KEY_ENDINGS: [&str; 16] = [
    "_id", "-id", " id", ".id", "_key", "_uuid", "_index", "_no", " no", "_nr", "_number", " number", "_num",
    "_code", "_email", "_name",
];
/// Of these, those that tell things apart that have several rows each.
const GROUP_KEY_ENDINGS: [&str; 7] = ["_id", "-id", " id", ".id", "_uuid", "_number", " number"];
/// Fewest such things: fewer may be a category.
const MIN_GROUPS: usize = 20;
/// Most letters and words of a proper name.
const MAX_NAME_LENGTH: usize = 40;
const MAX_NAME_WORDS: usize = 5;
/// Remarks have so many words, or more.
const MIN_REMARK_WORDS: usize = 3;
/// Columns named so hold classes.
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
/// Most classes, or one for each [`ROWS_PER_CLASS`] rows.
const MAX_CLASSES: usize = 20;
const ROWS_PER_CLASS: usize = 10;
/// Fewest rows by which a column can look like a key: ten numbers are in order by chance once in 3 million times.
const MIN_KEY_ROWS: usize = 10;
/// Of so many rows one may have come twice, or have been put at another place, and a key is still one.
const ROWS_PER_REPEATED: usize = 20;
/// Numbers are keys if by chance at least so many of them would come again, and none does: once in 150 times, and far less
/// often where some values are more common than others.
const EXPECTED_REPEATS: f64 = 5.0;
/// And where a few of them come again, chance would have so many times as many.
const FAR_LESS: f64 = 5.0;
/// Columns whose names hold one of these words, and whose numbers are large, hold moments.
const TIME_WORDS: [&str; 3] = ["time", "date", "epoch"];
/// The smallest number of seconds that is taken for a moment: 1973.
const MIN_EPOCH: f64 = 1e8;
/// The longest key, in bytes; what is longer is a text.
const MAX_KEY_LENGTH: usize = 64;

/// Of so many codes one has digits, where others are capital letters alone.
const MIXED_CODES: usize = 5;
/// The longest code of capital letters without digits.
const MAX_SHORT_CODE: usize = 5;

/// Fewest rows by which values can differ by more than chance.
const MIN_NAMED_ROWS: usize = 2;
pub(super) fn lower(table: &Table, column: usize) -> String {
    table.name(column).trim().to_lowercase()
}

pub(super) fn cells(table: &Table, column: usize) -> impl Iterator<Item = Cell<'_>> {
    table.columns()[column].cells()
}

/// Whether the name of a column was made up by a reader, as those of an array are.
fn is_numbered(table: &Table, column: usize) -> bool {
    table.name(column) == format!("x{column}")
}

/// Whether a column is named as names of samples are, whatever it holds.
pub(super) fn has_key_name(table: &Table, column: usize) -> bool {
    let name = lower(table, column);
    KEY_NAMES.contains(&name.as_str()) || name.starts_with(INDEX_LEVEL)
}

/// Whether a column is named as keys are, some of them only if all values differ.
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

/// Whether a column is named as keys are and tells many things apart, which have several rows each: a customer with five orders.
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

/// Whether all rows are of one day, month or year, and the name says so. A model of January is asked about February, where any
/// value is another; other columns with one value count, since a change may be just what is looked for.
fn is_constant_calendar(table: &Table, column: usize) -> bool {
    let is_named = words_of(table.name(column)).iter().any(|word| CALENDAR_WORDS.contains(&word.as_str()));
    let values = present(table, column);
    let first = values.first().map(|cell| cell.text().trim().to_owned());
    is_named
        && values.len() >= MIN_NAMED_ROWS
        && values.iter().all(|cell| Some(cell.text().trim()) == first.as_deref())
}

/// Whether some values are numbers that are not whole, as no key is.
fn has_fractions(table: &Table, column: usize) -> bool {
    present(table, column).iter().any(|cell| cell.number().is_ok_and(|value| value.fract() != 0.0))
}

/// Whether the values differ, but for rows that came twice, and a few others; and whether few are missing.
pub(super) fn are_distinct(table: &Table, column: usize) -> bool {
    let mut seen = HashSet::with_capacity(table.rows());
    let values = present(table, column);
    let repeated = values.iter().filter(|cell| !seen.insert(cell.text().trim().to_owned())).count();
    has_few_missing(table, values.len()) && is_excused(table, repeated)
}

/// The values of a column that are there.
fn present(table: &Table, column: usize) -> Vec<Cell<'_>> {
    cells(table, column).filter(|cell| !cell.is_missing() && !cell.is_missing_word()).collect()
}

/// Whether a key may lack as many values as are missing beside these.
fn has_few_missing(table: &Table, present: usize) -> bool {
    present > 0 && (table.rows() - present) * ROWS_PER_REPEATED <= table.rows()
}

/// Whether so many rows may be out of order, or repeat a key, that it still is one: a few, and all that are whole rows which
/// came twice. A few of the rows that differ: where most rows repeat, so do values that are no keys.
fn is_excused(table: &Table, rows: usize) -> bool {
    if rows <= table.rows() / ROWS_PER_REPEATED {
        return true;
    }
    // A few values cannot name many rows, however often these repeat.
    let is_most = (table.rows() - rows) * ROWS_PER_REPEATED < table.rows();
    let repeated = table.repeated_rows();
    !is_most && rows <= repeated + (table.rows() - repeated) / ROWS_PER_REPEATED
}

/// The rows that decide what columns are, if not all do: a file that was doubled has the columns of the file.
///
/// If every row comes a multiple of so many times, each counts once for as many. Otherwise rows that came twice count once,
/// provided that two columns tell the rest apart, so that rows do not repeat by chance.
pub(crate) fn deciding_rows(table: &Table) -> Option<Vec<usize>> {
    if table.columns().iter().any(|column| !column.has_cells()) {
        return None;
    }
    let hashes = table.row_hashes();
    let mut counts: HashMap<u64, usize> = HashMap::with_capacity(hashes.len());
    for hash in &hashes {
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

/// Whether a column is named as classes are and has few values, words or whole numbers. What stands beside a matrix by that
/// name is never a feature; but `x` and `y` are coordinates.
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

/// The seconds of a column of dates; nothing if it is none, or some are missing.
pub(super) fn dates(table: &Table, column: usize) -> Option<Vec<f64>> {
    // Cheap for most columns.
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

/// The numbers of a column that is named as moments are, if they may be such: seconds since 1970, or parts of them.
fn epochs(table: &Table, column: usize) -> Option<Vec<f64>> {
    let name = lower(table, column);
    if !TIME_WORDS.iter().any(|word| name.contains(word)) && name != "ts" {
        return None;
    }
    let number = |cell: Cell<'_>| cell.number().ok().filter(|value| *value > MIN_EPOCH);
    cells(table, column).filter(|cell| !cell.is_missing()).map(number).collect()
}

/// Whether dates rise, or fall, and are many. Those of a log may step back a little: writers are not quite in step.
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

/// How many moments come late: so long after a later one that it is not a matter of a small step back.
fn stragglers(seconds: &[f64]) -> usize {
    let mut sorted = seconds.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = |share: usize| sorted[share * (sorted.len() - 1) / 100];
    // What nine of ten span: a wrong year must not stretch it.
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

/// Whether the values are whole numbers that repeat far less than chance has them, as running numbers do, in whatever order
/// and with whatever gaps; or all different and longer than a float holds. Names of measures are an excuse: `rank` repeats
/// nothing either.
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
    // Numbers may begin anew in each file, if that is long enough to tell.
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

/// Whether whole numbers repeat less than numbers of their range would by chance, or are all that there are between two.
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

/// Whether one of the words of a name is that of a measure: `day_count`, `popRank`, `Depth (m)`.
fn is_measure(table: &Table, column: usize) -> bool {
    words_of(table.name(column)).iter().any(|word| MEASURE_WORDS.contains(&word.as_str()))
}

/// The words of a name, in lower case.
fn words_of(name: &str) -> Vec<String> {
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

/// Whether less than half of the rows have a text, which is not one of a few words: remarks, of which most rows have none.
fn is_mostly_empty(table: &Table, column: usize) -> bool {
    if present(table, column).len() * 2 >= table.rows() {
        return false;
    }
    let cells: Vec<Cell<'_>> = cells(table, column).collect();
    let there = || cells.iter().filter(|cell| !cell.is_missing_word());
    let words: usize = there().map(|cell| cell.text().split_whitespace().count()).sum();
    match guess(table.name(column), &cells) {
        Ok(FieldType::Text) => there().next().is_some(),
        // The same remark may come several times.
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

/// Whether the values are texts without blanks, all different, that have digits or are addresses of mail: `A-0017`, `7F3K9Q`,
/// `N102UW`; or short codes in capitals, `JFK`; or with blanks and of one shape, as `run 17`. Words, sentences, sequences and measures with a unit are not.
fn has_key_texts(table: &Table, column: usize) -> bool {
    let mut shapes: Option<String> = None;
    let (mut same_shape, mut has_blanks, mut with_digits, mut codes) = (true, false, 0, 0);
    let values = present(table, column);
    // Codes of digits are texts, in a file too.
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
    // Numbers are no codes, unless a few among others.
    if !is_coded && codes * 2 > values.len() {
        return false;
    }
    let is_measure = shape.starts_with('9') && shape.ends_with('a') && same_shape;
    // As `JFK` and `00M`, or tickers: short, in capitals and of nearly one length.
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

/// Whether the values are names, all different, as those of states, people or committees are: few words, most of which begin with
/// a capital and go on with other letters.
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

/// A key with runs of letters as `a` and runs of digits as `9`; nothing if it has anything that keys lack.
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
