//! Which columns of a table are no features: keys of the samples, and classes that nobody asked for.

use std::collections::HashSet;

use super::ReadRequest;
use super::request::{NoFeature, Note};
use crate::cell::{Cell, CellFault};
use crate::error::DataError;
use crate::field_type::FieldType;
use crate::guess::{guess, order_of};
use crate::table::Table;

/// Columns named so hold the names of the samples, whatever their values; the first two before the others.
const KEY_NAMES: [&str; 7] = ["name", "id", "uuid", "guid", "rowid", "row_id", "unnamed: 0"];
/// Columns named so, or ending so, hold keys if all their values differ; the last is what a first column is called that has
/// no name, as pandas writes its index.
const DISTINCT_KEY_NAMES: [&str; 5] = ["index", "key", "rownames", "#", "column_0"];
/// What pandas calls its index in Parquet files.
const INDEX_LEVEL: &str = "__index_level_";
const KEY_ENDINGS: [&str; 6] = ["_id", "-id", " id", "_key", "_uuid", "_index"];
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
/// The same for numbers that are in no order: of thirty among forty-five, no more than one comes again by chance once in two
/// thousand times, and of more far less often.
const MIN_SHUFFLED_ROWS: usize = 30;
/// Columns whose names hold one of these words, and whose numbers are large, hold moments.
const TIME_WORDS: [&str; 3] = ["time", "date", "epoch"];
/// The smallest number of seconds that is taken for a moment: 1973.
const MIN_EPOCH: f64 = 1e8;
/// The longest key, in bytes; what is longer is a text.
const MAX_KEY_LENGTH: usize = 64;

/// Whether a column of a table is no feature.
type Rule = fn(&Table, usize) -> bool;

/// What the columns of a table are.
pub(super) struct Roles {
    /// The columns that are features.
    pub(super) features: Vec<usize>,
    /// The column with the names of the samples.
    pub(super) name: Option<usize>,
    /// What was decided without being told.
    pub(super) notes: Vec<Note>,
}

/// Tells features from the rest among these columns.
///
/// Columns that were chosen by name or given a type are what the request says. Of the others, keys and classes are left
/// out, by their names and then by their values, but never so that nothing is left.
pub(super) fn of(table: &Table, columns: Vec<usize>, request: &ReadRequest) -> Result<Roles, DataError> {
    let mut typed: Vec<(usize, &FieldType)> = Vec::with_capacity(request.types.len());
    for (name, kind) in &request.types {
        typed.push((table.column(name)?, kind));
    }
    // What the format says, or is a sample by itself, is no key.
    let is_fixed = |column: usize| table.columns()[column].kind().is_some();
    let asked =
        |kind: FieldType| typed.iter().filter(move |(_, own)| **own == kind).map(|(column, _)| *column);
    let told: Vec<usize> = typed.iter().map(|(column, _)| *column).collect();
    let mut name = asked(FieldType::Id).next();
    let is_left_out =
        |c: &usize| asked(FieldType::Id).chain(asked(FieldType::Ignore)).any(|other| other == *c);
    let mut features: Vec<usize> = columns.into_iter().filter(|c| !is_left_out(c)).collect();
    let mut notes = Vec::new();
    if !request.columns.is_empty() {
        return Ok(Roles { features, name, notes });
    }
    let mut keys: Vec<usize> = Vec::new();
    let rules: [(NoFeature, Rule); 4] = [
        (NoFeature::KeyByName, is_key_by_name),
        (NoFeature::Classes, are_classes),
        (NoFeature::DatesInOrder, are_dates_in_order),
        (NoFeature::KeyByLook, is_key_by_look),
    ];
    for (why, applies) in rules {
        let found: Vec<usize> = features
            .iter()
            .copied()
            .filter(|&c| !told.contains(&c) && !is_fixed(c) && applies(table, c))
            .collect();
        if found.is_empty() || found.len() == features.len() {
            continue;
        }
        features.retain(|c| !found.contains(c));
        notes.extend(found.iter().map(|&column| note(table, column, why)));
        match why {
            NoFeature::Classes => {}
            NoFeature::DatesInOrder => keys.extend(found.into_iter().filter(|&c| are_distinct(table, c))),
            _ => keys.extend(found),
        }
    }
    let of_dates =
        features.iter().filter(|&&c| !told.contains(&c) && !is_fixed(c) && dates(table, c).is_some());
    notes.extend(of_dates.map(|&c| Note::Date { column: table.name(c).to_owned() }));
    name = name.or_else(|| first_key(table, &keys));
    Ok(Roles { features, name, notes })
}

/// The column with the names of the samples among these, which are no features. Texts that look like keys may be few here;
/// a number in a single row says nothing.
pub(super) fn name_among(table: &Table, columns: &[usize], request: &ReadRequest) -> Option<usize> {
    let asked = request.types.iter().find(|(_, kind)| *kind == FieldType::Id).map(|(name, _)| name);
    if let Some(column) = asked.and_then(|name| table.column(name).ok()) {
        return Some(column);
    }
    // As it was before, by name only: a number may be that of a feature.
    let usual = request.id.as_ref().and_then(|id| table.find(id));
    if let Some(column) = usual.filter(|column| columns.contains(column)) {
        return Some(column);
    }
    let by_name: Vec<usize> = columns.iter().copied().filter(|&c| is_key_by_name(table, c)).collect();
    let is_key =
        |c: &usize| is_key_by_look(table, *c) || (!is_numbered(table, *c) && has_key_texts(table, *c));
    first_key(table, &by_name).or_else(|| columns.iter().copied().find(is_key))
}

/// Of several keys, the one that is named best.
fn first_key(table: &Table, keys: &[usize]) -> Option<usize> {
    let is_named = |c: &usize| KEY_NAMES[..2].contains(&lower(table, *c).as_str());
    keys.iter().copied().find(is_named).or_else(|| keys.first().copied())
}

fn note(table: &Table, column: usize, why: NoFeature) -> Note {
    let cells: Vec<Cell<'_>> = cells(table, column).collect();
    let name = table.name(column).to_owned();
    let kind = guess(&name, &cells).map_or("category", |kind| kind.name());
    Note::NoFeature { column: name, why, kind }
}

fn lower(table: &Table, column: usize) -> String {
    table.name(column).trim().to_lowercase()
}

fn cells(table: &Table, column: usize) -> impl Iterator<Item = Cell<'_>> {
    table.columns()[column].cells()
}

/// Whether the name of a column was made up by a reader, as those of an array are.
fn is_numbered(table: &Table, column: usize) -> bool {
    table.name(column) == format!("x{column}")
}

fn is_key_by_name(table: &Table, column: usize) -> bool {
    let name = lower(table, column);
    // `customerId`, but not `paid`.
    let is_camel = || {
        let name = table.name(column).trim();
        let stem = name.strip_suffix("Id").or_else(|| name.strip_suffix("ID"));
        stem.is_some_and(|stem| stem.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))
    };
    if KEY_NAMES.contains(&name.as_str()) || name.starts_with(INDEX_LEVEL) {
        return true;
    }
    (DISTINCT_KEY_NAMES.contains(&name.as_str())
        || KEY_ENDINGS.iter().any(|end| name.ends_with(end))
        || is_camel())
        && are_distinct(table, column)
}

/// Whether the values differ, but for rows that came twice, and a few others; and whether few are missing.
fn are_distinct(table: &Table, column: usize) -> bool {
    let mut seen = HashSet::with_capacity(table.rows());
    let values = present(table, column);
    let repeated = values.iter().filter(|cell| !seen.insert(cell.text().trim().to_owned())).count();
    has_few_missing(table, values.len()) && is_excused(table, repeated)
}

/// The values of a column that are there.
fn present(table: &Table, column: usize) -> Vec<Cell<'_>> {
    cells(table, column).filter(|cell| !cell.is_missing()).collect()
}

/// Whether a key may lack as many values as are missing beside these.
fn has_few_missing(table: &Table, present: usize) -> bool {
    present > 0 && (table.rows() - present) * ROWS_PER_REPEATED <= table.rows()
}

/// Whether so many rows may be out of order, or repeat a key, that it still is one: a few, and all that are whole rows which
/// came twice.
fn is_excused(table: &Table, rows: usize) -> bool {
    let few = table.rows() / ROWS_PER_REPEATED;
    rows <= few || rows <= few + table.repeated_rows()
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
fn dates(table: &Table, column: usize) -> Option<Vec<f64>> {
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

/// Whether dates only rise, or only fall, and are many.
fn are_dates_in_order(table: &Table, column: usize) -> bool {
    let Some(seconds) = dates(table, column).or_else(|| epochs(table, column)) else { return false };
    let distinct = 1 + seconds.windows(2).filter(|pair| pair[0].to_bits() != pair[1].to_bits()).count();
    let falls = seconds.windows(2).filter(|pair| pair[0] > pair[1]).count();
    let rises = seconds.windows(2).filter(|pair| pair[0] < pair[1]).count();
    distinct >= MIN_KEY_ROWS && (is_excused(table, falls) || is_excused(table, rises))
}

fn is_key_by_look(table: &Table, column: usize) -> bool {
    if is_numbered(table, column) || dates(table, column).is_some() {
        return false;
    }
    are_uuids(table, column)
        || (table.rows() >= MIN_KEY_ROWS
            && (is_running_number(table, column)
                || is_shuffled_number(table, column)
                || has_key_texts(table, column)))
}

/// Whether the values are whole numbers, each larger than the one before, but for a few; or all different and longer than
/// a float holds.
fn is_running_number(table: &Table, column: usize) -> bool {
    let mut before = f64::NEG_INFINITY;
    let mut is_long = false;
    let mut falls = 0;
    // Numbers may begin anew in each file, if that is long enough to tell.
    let begins_anew = table.rows_of_files().iter().all(|rows| *rows >= MIN_KEY_ROWS);
    let mut missing = 0;
    let is_whole = cells(table, column).enumerate().all(|(row, cell)| match cell.number() {
        _ if cell.is_missing() => {
            missing += 1;
            true
        }
        _ if matches!(cell, Cell::Boolean(_)) => false,
        Err(CellFault::Inexact(_)) => {
            is_long = true;
            true
        }
        Ok(value) => {
            let is_first = begins_anew && table.origin(row).1 == 0;
            falls += usize::from(value <= before && !is_first);
            before = value;
            value.fract() == 0.0
        }
        Err(_) => false,
    });
    let comes_again = begins_anew && table.rows_of_files().len() > 1 && !is_long;
    is_whole
        && has_few_missing(table, table.rows() - missing)
        && (is_long || is_excused(table, falls))
        && (comes_again || are_distinct(table, column))
}

/// Whether the values are whole numbers, all different, that fill most of the range they span: running numbers in another
/// order.
fn is_shuffled_number(table: &Table, column: usize) -> bool {
    let number = |cell: Cell<'_>| match cell {
        Cell::Boolean(_) => None,
        cell => cell.number().ok().filter(|value| value.fract() == 0.0),
    };
    let present = present(table, column);
    let Some(mut values) = present.iter().map(|cell| number(*cell)).collect::<Option<Vec<f64>>>() else {
        return false;
    };
    if !has_few_missing(table, values.len()) {
        return false;
    }
    values.sort_unstable_by(f64::total_cmp);
    let span = values[values.len() - 1] - values[0];
    let repeated = values.windows(2).filter(|pair| pair[0] >= pair[1]).count();
    values.len() >= MIN_SHUFFLED_ROWS && span < 1.5 * values.len() as f64 && is_excused(table, repeated)
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

/// Whether the values are texts with digits, all different and all alike: of the same shape, as `A-0017` and `A-231`, or of
/// the same length, as `7F3K9Q`. Words, sentences, sequences and measures with a unit are not.
fn has_key_texts(table: &Table, column: usize) -> bool {
    let mut shapes: Option<(String, usize)> = None;
    let (mut same_shape, mut same_length) = (true, true);
    for cell in present(table, column) {
        if !matches!(cell.number(), Err(CellFault::NotANumber(_) | CellFault::Text(_))) {
            return false;
        }
        let text = cell.text();
        let Some(shape) = shape(text.trim()) else { return false };
        let length = text.trim().len();
        let (first, first_length) = shapes.get_or_insert_with(|| (shape.clone(), length));
        same_shape &= *first == shape;
        same_length &= *first_length == length;
    }
    let Some((shape, _)) = shapes else { return false };
    let is_measure = shape.starts_with('9') && shape.ends_with('a');
    let is_code = same_length && !shape.contains(' ');
    ((same_shape && !is_measure) || is_code) && are_distinct(table, column)
}

/// A key with runs of letters as `a` and runs of digits as `9`; nothing if it has no digit or anything that keys lack.
fn shape(text: &str) -> Option<String> {
    let mut shape = String::new();
    for letter in text.chars() {
        let class = match letter {
            '0'..='9' => '9',
            _ if letter.is_alphabetic() => 'a',
            '-' | '_' | '.' | ':' | '/' | '#' | ' ' | '+' => letter,
            _ => return None,
        };
        if !shape.ends_with(class) {
            shape.push(class);
        }
    }
    (text.len() <= MAX_KEY_LENGTH && shape.contains('9')).then_some(shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_bytes};

    /// A table of a plain column and one with this name and these values.
    fn with(name: &str, value: impl Fn(usize) -> String) -> Table {
        let rows: Vec<String> = (0..30).map(|i| format!("{},{}\n", value(i), i * 7 % 11)).collect();
        read_bytes("t.csv", format!("{name},size\n{}", rows.concat()).as_bytes(), &ReadOptions::default())
            .unwrap()
    }

    fn role(table: &Table) -> Option<NoFeature> {
        match of(table, vec![0, 1], &ReadRequest::default()).unwrap().notes.as_slice() {
            [Note::NoFeature { why, .. }] => Some(*why),
            _ => None,
        }
    }

    #[test]
    fn keys_are_known_by_name() {
        for name in ["id", "ID", "Name", "uuid", "Unnamed: 0", "customer_id", "customerId", "orderID", "key"]
        {
            assert_eq!(
                role(&with(name, |i| (i * 117 % 131).to_string())),
                Some(NoFeature::KeyByName),
                "{name}"
            );
        }
        for name in ["paid", "width", "idle", "void"] {
            assert_eq!(role(&with(name, |i| (i * 117 % 131).to_string())), None, "{name}");
        }
        // Only some names are keys whatever they hold.
        assert_eq!(role(&with("key", |i| (i % 3).to_string())), None);
        assert_eq!(role(&with("id", |i| (i % 3).to_string())), Some(NoFeature::KeyByName));
    }

    #[test]
    fn keys_are_known_by_look() {
        type Value = fn(usize) -> String;
        let keys: [Value; 8] = [
            |i| (100 + i * 17 % 31).to_string(),
            |i| (i + 600).to_string(),
            |i| (i * i).to_string(),
            |i| format!("A-{i}"),
            |i| format!("run 2024-03-{:02}", i + 1),
            |i| format!("{:08x}-1234-4abc-8def-0123456789ab", i * 77_777),
            |i| format!("{:06X}", 0xA0_0000 + i * 7919),
            |i| format!("9223372036854775{}", 901 - i),
        ];
        for (number, value) in keys.iter().enumerate() {
            assert_eq!(role(&with("what", value)), Some(NoFeature::KeyByLook), "{number}");
        }
        let others: [Value; 7] = [
            |i| (i * 117 % 131).to_string(),
            |i| (i / 2).to_string(),
            |i| format!("{i}.5"),
            |i| format!("{i} kg"),
            |i| "ab".repeat(i + 1),
            |i| format!("C{}=O1", "C".repeat(i)),
            |i| format!("\"[{i}, 2]\""),
        ];
        for (number, value) in others.iter().enumerate() {
            assert_eq!(role(&with("what", value)), None, "{number}");
        }
    }

    #[test]
    fn dates_in_order_are_those_of_a_log() {
        type Value = fn(usize) -> String;
        let logs: [Value; 4] = [
            |i| format!("2024-03-{:02} 12:00:00", i + 1),
            |i| format!("{:02}.03.2024", 31 - i),
            |i| format!("2024-03-{:02}", i / 2 + 1),
            |i| if i == 3 { String::new() } else { format!("2024-03-{:02}", i + 1) },
        ];
        for (number, value) in logs.iter().enumerate() {
            assert_eq!(role(&with("what", value)), Some(NoFeature::DatesInOrder), "{number}");
        }
        let stamps = |i: usize| (1_700_000_000 + i / 2 * 60).to_string();
        assert_eq!(role(&with("event_time", stamps)), Some(NoFeature::DatesInOrder));
        assert_eq!(role(&with("salary", stamps)), None);
        // Those of birth are features, and said to be.
        let births = with("born", |i| format!("19{:02}-03-01", i * 17 % 31 + 50));
        let roles = of(&births, vec![0, 1], &ReadRequest::default()).unwrap();
        assert_eq!((roles.features, roles.name), (vec![0, 1], None));
        assert_eq!(roles.notes, [Note::Date { column: "born".into() }]);
    }

    #[test]
    fn classes_are_few() {
        for name in ["label", "Class", "target", "y"] {
            assert_eq!(role(&with(name, |i| (i % 3).to_string())), Some(NoFeature::Classes), "{name}");
            assert_eq!(
                role(&with(name, |i| ["a", "b"][i % 2].to_owned())),
                Some(NoFeature::Classes),
                "{name}"
            );
            assert_eq!(role(&with(name, |i| format!("0.{}", i * 17 % 31))), None, "{name}");
        }
        assert_eq!(role(&with("colour", |i| (i % 3).to_string())), None);
        let rows: Vec<String> = (0..30).map(|i| format!("{},{}\n", i * 5 % 7, i * 3 % 8)).collect();
        let points = format!("x,y\n{}", rows.concat());
        assert_eq!(role(&read_bytes("t.csv", points.as_bytes(), &ReadOptions::default()).unwrap()), None);
    }

    #[test]
    fn something_is_always_left() {
        let rows: Vec<String> = (0..30).map(|i| format!("{i},{}\n", i + 1)).collect();
        let table =
            read_bytes("t.csv", format!("a,b\n{}", rows.concat()).as_bytes(), &ReadOptions::default())
                .unwrap();
        assert_eq!(of(&table, vec![0, 1], &ReadRequest::default()).unwrap().features, [0, 1]);
    }

    #[test]
    fn what_is_said_goes_before_what_is_seen() {
        let table = with("id", |i| i.to_string());
        let request =
            |kind: FieldType| ReadRequest { types: vec![("id".into(), kind)], ..ReadRequest::default() };
        let roles = of(&table, vec![0, 1], &request(FieldType::Number)).unwrap();
        assert_eq!((roles.features, roles.name), (vec![0, 1], None));
        let roles = of(&table, vec![0, 1], &request(FieldType::Ignore)).unwrap();
        assert_eq!((roles.features, roles.name), (vec![1], None));
        let table = with("what", |i| (i % 5).to_string());
        let request = ReadRequest { types: vec![("what".into(), FieldType::Id)], ..ReadRequest::default() };
        let roles = of(&table, vec![0, 1], &request).unwrap();
        assert_eq!((roles.features, roles.name), (vec![1], Some(0)));
    }
}
