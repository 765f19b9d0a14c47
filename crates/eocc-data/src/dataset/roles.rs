//! Which columns of a table are not features: keys of the samples, and classes that were not requested.

use std::collections::HashSet;

use eocc_core::parallel;

use super::ReadRequest;
use super::request::{NoFeature, Note};
use super::rules::{RULES, are_distinct, cells, dates, deciding_rows, has_key_name, lower};
use crate::cell::Cell;
use crate::error::DataError;
use crate::field_type::FieldType;
use crate::guess::guess;
use crate::table::Table;

/// The names of columns that are preferred among several keys.
const BEST: [&str; 2] = ["name", "id"];

/// The roles of the columns of a table.
pub(super) struct Roles {
    /// The columns that are features.
    pub(super) features: Vec<usize>,
    /// The column with the names of the samples.
    pub(super) name: Option<usize>,
    /// Decisions that were not requested.
    pub(super) notes: Vec<Note>,
}

/// Separates the features from the rest of these columns.
///
/// Columns chosen by name or given a type have the role in the request. From the others, keys and classes are left
/// out, by their names and then by their values, but never so that nothing is left.
pub(super) fn assign(table: &Table, columns: Vec<usize>, request: &ReadRequest) -> Result<Roles, DataError> {
    let mut typed: Vec<(usize, &FieldType)> = Vec::with_capacity(request.types.len());
    for (name, kind) in &request.types {
        typed.push((table.column(name)?, kind));
    }
    // A column with a declared type, or of complete samples, is not a key.
    let is_fixed = |column: usize| table.columns()[column].kind().is_some();
    let asked =
        |kind: FieldType| typed.iter().filter(move |(_, own)| **own == kind).map(|(column, _)| *column);
    let told: HashSet<usize> = typed.iter().map(|(column, _)| *column).collect();
    let mut name = asked(FieldType::Id).next();
    let left_out: HashSet<usize> = asked(FieldType::Id).chain(asked(FieldType::Ignore)).collect();
    let mut features: Vec<usize> = columns.into_iter().filter(|c| !left_out.contains(c)).collect();
    let mut notes = Vec::new();
    if !request.columns.is_empty() {
        return Ok(Roles { features, name, notes });
    }
    let once = deciding_rows(table).map(|rows| table.pick(&rows));
    let table = once.as_ref().unwrap_or(table);
    // Rules ask for this, on several threads.
    table.repeated_rows();
    let mut keys: Vec<usize> = Vec::new();
    for (why, applies) in RULES {
        let applies = parallel::map(features.len(), table.columns_per_task(features.len()), &|at| {
            let c = features[at];
            !told.contains(&c) && !is_fixed(c) && applies(table, c)
        });
        let found: Vec<usize> =
            features.iter().zip(applies).filter(|(_, applies)| *applies).map(|(c, _)| *c).collect();
        if found.is_empty() || found.len() == features.len() {
            continue;
        }
        let are_found: HashSet<usize> = found.iter().copied().collect();
        features.retain(|c| !are_found.contains(c));
        notes.extend(found.iter().map(|&column| note(table, column, why)));
        match why {
            NoFeature::Classes
            | NoFeature::MostlyEmpty
            | NoFeature::ConstantCalendar
            | NoFeature::KeyOfGroups => {}
            NoFeature::DatesInOrder => keys.extend(found.into_iter().filter(|&c| are_distinct(table, c))),
            _ => keys.extend(found),
        }
    }
    let are_dates = parallel::map(features.len(), table.columns_per_task(features.len()), &|at| {
        let c = features[at];
        !told.contains(&c) && !is_fixed(c) && dates(table, c).is_some()
    });
    let of_dates = features.iter().zip(are_dates).filter(|(_, are_dates)| *are_dates);
    notes.extend(of_dates.map(|(&c, _)| Note::Date { column: table.name(c).to_owned() }));
    name = name.or_else(|| first_key(table, &keys));
    Ok(Roles { features, name, notes })
}

/// The name column among these columns, none of which is a feature. It is recognized by its name, never by its
/// values, which may look different in the next file.
pub(super) fn name_among(table: &Table, columns: &[usize], request: &ReadRequest) -> Option<usize> {
    let asked = request.types.iter().find(|(_, kind)| *kind == FieldType::Id).map(|(name, _)| name);
    if let Some(column) = asked.and_then(|name| table.column(name).ok()) {
        return Some(column);
    }
    // As before, by name only: the number may be that of a feature.
    let usual = request.id.as_ref().and_then(|id| table.find(id));
    if let Some(column) = usual.filter(|column| columns.contains(column)) {
        return Some(column);
    }
    // Rows of several files have names in any case.
    if request.unnamed && table.row_names().is_none() {
        return None;
    }
    let by_name: Vec<usize> = columns.iter().copied().filter(|&c| has_key_name(table, c)).collect();
    first_key(table, &by_name)
}

/// The key with the preferred name.
fn first_key(table: &Table, keys: &[usize]) -> Option<usize> {
    let is_named = |c: &usize| BEST.contains(&lower(table, *c).as_str());
    keys.iter().copied().find(is_named).or_else(|| keys.first().copied())
}

fn note(table: &Table, column: usize, why: NoFeature) -> Note {
    let cells: Vec<Cell<'_>> = cells(table, column).collect();
    let name = table.name(column).to_owned();
    let kind = guess(&name, &cells).map_or("category", |kind| kind.name());
    Note::NoFeature { column: name, why, kind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_bytes};

    /// A table with a plain column and one with this name and these values.
    fn with(name: &str, value: impl Fn(usize) -> String) -> Table {
        let rows: Vec<String> = (0..30).map(|i| format!("{},{}\n", value(i), i * 7 % 11)).collect();
        read_bytes("t.csv", format!("{name},size\n{}", rows.concat()).as_bytes(), &ReadOptions::default())
            .unwrap()
    }

    fn role(table: &Table) -> Option<NoFeature> {
        match assign(table, vec![0, 1], &ReadRequest::default()).unwrap().notes.as_slice() {
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
        // Only some names indicate keys whatever their values.
        assert_eq!(role(&with("key", |i| (i % 3).to_string())), None);
        assert_eq!(role(&with("id", |i| (i % 3).to_string())), Some(NoFeature::KeyByName));
    }

    #[test]
    fn keys_are_known_by_look() {
        type Value = fn(usize) -> String;
        let keys: [Value; 10] = [
            |i| {
                ["A", "B", "C"][i % 3].to_owned()
                    + ["K", "L"][i / 3 % 2]
                    + ["U", "V", "W", "X", "Y"][i / 6 % 5]
            },
            |i| (100 + i * 17 % 31).to_string(),
            |i| (i + 600).to_string(),
            // Like the registration of planes, and addresses.
            |i| format!("N{}{}", i * 37 + 10, ["UW", "A", "", "EV"][i % 4]),
            |i| {
                format!("{}.{}@mail{}.org", ["ann", "bob", "eve"][i % 3], "x".repeat(i + 1), ["", "a"][i % 2])
            },
            |i| format!("A-{i}"),
            |i| format!("run 2024-03-{:02}", i + 1),
            |i| format!("{:08x}-1234-4abc-8def-0123456789ab", i * 77_777),
            |i| format!("{:06X}", 0xA0_0000 + i * 7919),
            |i| format!("9223372036854775{}", 901 - i),
        ];
        for (number, value) in keys.iter().enumerate() {
            assert_eq!(role(&with("what", value)), Some(NoFeature::KeyByLook), "{number}");
        }
        let codes: [Value; 3] = [
            // Airports, some of which look like numbers.
            |i| {
                if i == 4 {
                    "1E8".into()
                } else {
                    format!("{:03}", i * 7).replace('1', "K").replace('2', "JX").chars().take(3).collect()
                }
            },
            |i| {
                format!(
                    "{}{} County",
                    ["Ham", "Bel", "Cor"][i % 3],
                    "berlinghamshireton".split_at(i / 3 + 1).0
                )
            },
            |i| {
                format!(
                    "{} of {}{}",
                    ["Bank", "Isle"][i % 2],
                    "Ar",
                    "kansasiaonderland".split_at(i / 2 + 1).0
                )
            },
        ];
        for (number, value) in codes.iter().enumerate() {
            assert_eq!(role(&with("what", value)), Some(NoFeature::KeyByLook), "{number}");
        }
        let others: [Value; 9] = [
            |i| format!("Was {} and not {} again", "so".repeat(i + 1), i),
            |i| (i * 117 % 131).to_string(),
            // In order, as in a sorted file.
            |i| (20_000 + i * i * 371).to_string(),
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
    fn keys_of_groups_and_remarks_are_no_features() {
        // Fewer than 20 may be a category.
        let orders = |name: &str, per: usize| {
            let rows: Vec<String> =
                (0..120).map(|i| format!("{},{}\n", 700 + i / per * 13, i * 7 % 11)).collect();
            let text = format!("{name},size\n{}", rows.concat());
            role(&read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap())
        };
        assert_eq!(orders("customer_id", 3), Some(NoFeature::KeyOfGroups));
        assert_eq!(orders("Individual ID", 4), Some(NoFeature::KeyOfGroups));
        assert_eq!((orders("store_id", 12), orders("weight", 3)), (None, None));
        let remarks =
            with(
                "remarks",
                |i| if i % 5 == 0 { "no blood sample obtained".to_owned() } else { String::new() },
            );
        assert_eq!(role(&remarks), Some(NoFeature::MostlyEmpty));
        let yes = "sick_yes,sick_no\n".to_owned()
            + &(0..12).map(|i| format!("{},{}\n", i * i * 3 + 1, i * i * 5 + 2)).collect::<Vec<_>>().concat();
        assert_eq!(role(&read_bytes("t.csv", yes.as_bytes(), &ReadOptions::default()).unwrap()), None);
    }

    /// The role of a column does not depend on the order or number of the rows.
    #[test]
    fn measures_are_features_in_any_order() {
        for (name, value) in [
            ("rank", (|i| (i + 1).to_string()) as fn(usize) -> String),
            ("Day", |i| (i + 1).to_string()),
            ("depth_m", |i| (i * 10).to_string()),
            ("population", |i| (1000 + i * i * 977).to_string()),
            ("salary", |i| (20_000 + i * i * 371).to_string()),
        ] {
            assert_eq!(role(&with(name, value)), None, "{name}");
            assert_eq!(role(&with(name, |i| value(i * 7 % 30))), None, "{name}, shuffled");
        }
        for name in ["customer_no", "orderId", "account", "email"] {
            assert_eq!(
                role(&with(name, |i| (48_213 + i * 9_371 % 99_991).to_string())),
                Some(NoFeature::KeyByName)
            );
        }
        let remarks =
            with(
                "comments",
                |i| if i % 4 == 0 { format!("seen by the gate number {i}") } else { String::new() },
            );
        assert_eq!(role(&remarks), Some(NoFeature::MostlyEmpty));
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
        // Small steps back, in half of the rows.
        let jittered = |i: usize| (1_700_000_000 + (i * 600) as u64 + [0, 900][i % 2]).to_string();
        assert_eq!(role(&with("event_time", jittered)), Some(NoFeature::DatesInOrder));
        let shuffled = |i: usize| jittered(i * 7 % 30);
        assert_eq!(role(&with("event_time", shuffled)), None);
        // Dates of birth are features, and reported as such.
        let births = with("born", |i| format!("19{:02}-03-01", i * 17 % 31 + 50));
        let roles = assign(&births, vec![0, 1], &ReadRequest::default()).unwrap();
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
        assert_eq!(role(&with("color", |i| (i % 3).to_string())), None);
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
        assert_eq!(assign(&table, vec![0, 1], &ReadRequest::default()).unwrap().features, [0, 1]);
    }

    #[test]
    fn what_is_said_goes_before_what_is_seen() {
        let table = with("id", |i| i.to_string());
        let request =
            |kind: FieldType| ReadRequest { types: vec![("id".into(), kind)], ..ReadRequest::default() };
        let roles = assign(&table, vec![0, 1], &request(FieldType::Number)).unwrap();
        assert_eq!((roles.features, roles.name), (vec![0, 1], None));
        let roles = assign(&table, vec![0, 1], &request(FieldType::Ignore)).unwrap();
        assert_eq!((roles.features, roles.name), (vec![1], None));
        let table = with("what", |i| (i % 5).to_string());
        let request = ReadRequest { types: vec![("what".into(), FieldType::Id)], ..ReadRequest::default() };
        let roles = assign(&table, vec![0, 1], &request).unwrap();
        assert_eq!((roles.features, roles.name), (vec![1], Some(0)));
    }
}
