//! A corpus of small tables with the roles a person would give their columns: the rules agree with nearly all of
//! them, and give the same result for a table shuffled, halved, doubled, and in other formats.

use std::fmt::Write as _;

use eocc_core::random::Random;
use eocc_data::{Dataset, Note, ReadOptions, ReadRequest, read_bytes};

/// The role a person gives a column: a type, or not a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Number,
    Word,
    Text,
    Moment,
    Out,
}

type Value = fn(&mut Random, usize, usize) -> String;
/// A name, its role, and a value by the row and the number of rows.
type Column = (&'static str, Role, Value);

fn pick(r: &mut Random, words: &[&str]) -> String {
    words[r.below(words.len())].to_owned()
}

fn lognormal(r: &mut Random, center: f64, spread: f64) -> f64 {
    center * (spread * r.normal()).exp()
}

/// Keys, in and out of order, dense and with gaps, in digits and in letters.
const KEYS: [Column; 29] = [
    ("State", Role::Out, |_, i, _| {
        let (first, second) =
            (["Ala", "Tex", "Ore", "Kan", "Vir", "Ohi"][i % 6], ["bama", "as", "gon", "ginia"][i / 6 % 4]);
        format!(
            "{first}{second}{}",
            [" North", " South", "", " County"][i / 24 % 4].to_owned() + &"ia".repeat(i / 96)
        )
    }),
    ("store_id", Role::Out, |_, i, _| (100 + i * 7 % 23).to_string()),
    ("AirlineID", Role::Out, |_, i, _| (20 + i * 11 % 29).to_string()),
    ("icao", Role::Out, |_, i, _| {
        let letter = |at: usize| char::from(b'A' + (i / at % 26) as u8);
        if i % 3 == 0 {
            format!("K{}{}{}", letter(1), letter(26), letter(7))
        } else {
            format!("{i:02}A{}{}", letter(3), i % 7)
        }
    }),
    ("Individual ID", Role::Out, |_, i, _| format!("N{}A1", 1 + i * 7 % 53 % 40 + i / 100)),
    ("id", Role::Out, |_, i, _| (i + 1).to_string()),
    ("ID", Role::Out, |_, i, _| (10_000 + 3 * i).to_string()),
    ("customer_id", Role::Out, |_, i, _| (48_213 + i * 9371 % 99_991).to_string()),
    ("customer_no", Role::Out, |_, i, _| (48_213 + i * 9371 % 99_991).to_string()),
    ("orderId", Role::Out, |_, i, _| (700 + i * 2).to_string()),
    ("nr", Role::Out, |_, i, n| (i * 7919 % n.next_power_of_two() + i).to_string()),
    ("obs", Role::Out, |_, i, _| (i + 1).to_string()),
    ("case", Role::Out, |_, i, _| (500 + i).to_string()),
    ("tailnum", Role::Out, |_, i, _| format!("N{}{}", 100 + i * 37, ["UW", "", "A", "EV"][i % 4])),
    ("plane", Role::Out, |_, i, _| format!("N{}{}", 100 + i * 37, ["UW", "", "A", "EV"][i % 4])),
    ("email", Role::Out, |_, i, _| format!("{}{}@mail.example", ["ann", "bob.x", "c"][i % 3], i * 17)),
    ("contact", Role::Out, |_, i, _| format!("{}{}@mail.example", ["ann", "bob.x", "c"][i % 3], i * 17)),
    ("token", Role::Out, |_, i, _| format!("{:08x}-1234-4abc-8def-0123456789ab", i * 77_777)),
    ("ref", Role::Out, |_, i, _| format!("A-{i:05}")),
    ("invoice", Role::Out, |_, i, _| format!("{}{}", if i % 9 == 0 { "C" } else { "" }, 536_365 + i)),
    ("hash", Role::Out, |_, i, _| format!("{:016x}", (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))),
    ("Unnamed: 0", Role::Out, |_, i, _| i.to_string()),
    ("rownames", Role::Out, |_, i, _| format!("Car {}", (b'A' + (i % 26) as u8) as char).repeat(i / 26 + 1)),
    ("account", Role::Out, |_, i, _| format!("{:010}", 12_345 + i * 104_729)),
    ("serial", Role::Out, |_, i, _| format!("SN{:06}X", i * 31 % 99_991)),
    ("imei", Role::Out, |_, i, _| format!("35{:013}", i as u64 * 7_919_777)),
    ("country", Role::Out, |_, i, _| {
        format!("{}land{}", ["Fin", "Ire", "Po", "Ice"][i % 4], "ia".repeat(i / 4))
    }),
    ("phone", Role::Out, |_, i, _| format!("+4930{:07}", i * 7919 % 9_999_991)),
    ("user", Role::Out, |_, i, _| (9_000 + i * 13 % 4093 + i).to_string()),
];

/// Numbers, some of which look like keys when they are sorted.
const NUMBERS: [Column; 26] = [
    ("salary", Role::Number, |r, _, _| format!("{:.0}", lognormal(r, 48_000.0, 0.6))),
    ("rank", Role::Number, |_, i, _| (i + 1).to_string()),
    ("day", Role::Number, |_, i, _| (i + 1).to_string()),
    ("depth", Role::Number, |_, i, _| (i * 10).to_string()),
    ("population", Role::Number, |r, _, _| format!("{:.0}", lognormal(r, 5e6, 1.5))),
    ("age", Role::Number, |r, _, _| (18 + r.below(60)).to_string()),
    ("year", Role::Number, |_, i, n| (2020 - n + i).to_string()),
    ("price", Role::Number, |r, _, _| format!("{:.2}", lognormal(r, 20.0, 0.8))),
    ("temperature", Role::Number, |r, _, _| format!("{:.1}", 15.0 + 8.0 * r.normal())),
    ("visits", Role::Number, |r, _, _| r.below(9).to_string()),
    ("flag", Role::Number, |r, _, _| r.below(2).to_string()),
    ("bytes", Role::Number, |r, _, _| format!("{:.0}", lognormal(r, 1e5, 2.0))),
    ("rating", Role::Number, |r, _, _| (1 + r.below(5)).to_string()),
    ("lat", Role::Number, |r, _, _| format!("{:.4}", 52.0 + r.normal())),
    ("mpg", Role::Number, |r, _, _| format!("{:.1}", 20.0 + 6.0 * r.uniform())),
    ("hp", Role::Number, |r, _, _| format!("{:.0}", lognormal(r, 150.0, 0.4))),
    ("bill_length_mm", Role::Number, |r, _, _| format!("{:.1}", 44.0 + 5.0 * r.normal())),
    ("body_mass_g", Role::Number, |r, _, _| (25 * (110 + r.below(140))).to_string()),
    ("score", Role::Number, |r, _, _| (400 + r.below(400)).to_string()),
    ("share", Role::Number, |r, _, _| format!("{:.3}", r.uniform())),
    (
        "wind",
        Role::Number,
        |r, i, _| if i % 11 == 0 { "NA".into() } else { format!("{:.1}", 9.0 + r.normal()) },
    ),
    ("gap", Role::Number, |r, i, _| if i % 7 == 0 { "?".into() } else { format!("{:.2}", r.normal()) }),
    ("dep_delay", Role::Number, |r, _, _| format!("{:.0}", 60.0 * r.normal().abs() - 10.0)),
    ("seats", Role::Number, |r, _, _| (50 + 10 * r.below(30)).to_string()),
    // Of a span in which chance repeats a few of them.
    ("jobless", Role::Number, |r, _, n| (2000 + r.below(n * n / 24)).to_string()),
    ("riders", Role::Number, |r, _, _| format!("{:.0}", 9000.0 + 1500.0 * r.normal())),
];

/// Words, some of them long, unique, or written in digits.
const WORDS: [Column; 18] = [
    ("species", Role::Word, |r, _, _| {
        pick(
            r,
            &[
                "Adelie Penguin (Pygoscelis adeliae), of the coast",
                "Gentoo penguin (Pygoscelis papua)",
                "Chinstrap",
            ],
        )
    }),
    ("sex", Role::Word, |r, _, _| pick(r, &["male", "female"])),
    ("island", Role::Word, |r, _, _| pick(r, &["Biscoe", "Dream", "Torgersen"])),
    ("garage", Role::Word, |r, _, _| pick(r, &["none", "attached", "detached"])),
    ("carrier", Role::Word, |r, _, _| pick(r, &["UA", "AA", "DL", "B6", "EV", "MQ"])),
    ("smoker", Role::Word, |r, _, _| pick(r, &["yes", "no"])),
    ("active", Role::Word, |r, _, _| pick(r, &["true", "false"])),
    ("zip", Role::Word, |r, _, _| pick(r, &["01234", "90210", "10115", "60601", "02139"])),
    ("postcode", Role::Word, |r, _, _| pick(r, &["11234", "90210", "10115", "60601", "22139"])),
    ("level", Role::Word, |r, _, _| pick(r, &["INFO", "WARN", "ERROR"])),
    ("workclass", Role::Word, |r, _, _| pick(r, &["Private", "?", "Local-gov", "State-gov"])),
    ("grade", Role::Word, |r, _, _| pick(r, &["a", "b", "c", "d"])),
    (
        "color",
        Role::Word,
        |r, i, _| if i % 10 == 3 { String::new() } else { pick(r, &["red", "green", "blue"]) },
    ),
    ("event", Role::Word, |r, _, _| {
        pick(
            r,
            &[
                "Failed password for invalid user from address port protocol",
                "Received disconnect from address: Bye Bye [preauth], session closed",
                "pam_unix(sshd:auth): authentication failure; logname= uid=",
            ],
        )
    }),
    ("unit", Role::Word, |r, _, _| pick(r, &["kg", "lb"])),
    ("dest", Role::Word, |r, _, _| pick(r, &["IAH", "MIA", "ORD", "ATL", "LAX", "SFO", "BOS", "DEN"])),
    ("code3", Role::Word, |r, _, _| pick(r, &["007", "013", "121", "300"])),
    ("status", Role::Word, |r, _, _| pick(r, &["none", "None", "some", "all"])),
];

/// Texts, timestamps, classes, remarks.
const OTHERS: [Column; 14] = [
    ("review", Role::Text, |r, i, _| {
        format!(
            "{} was {} and {} ({i})",
            pick(r, &["it", "the food"]),
            pick(r, &["good", "bad"]),
            pick(r, &["cheap", "dear"])
        )
    }),
    ("message", Role::Text, |r, i, _| {
        format!("job {i} of {} done in {} s!", pick(r, &["ann", "bob"]), r.below(100))
    }),
    ("dep_time", Role::Moment, |r, _, _| format!("{:02}:{:02}:{:02}", r.below(24), r.below(60), r.below(60))),
    ("at", Role::Moment, |r, _, _| format!("{}:{:02}", r.below(24), r.below(60))),
    ("born", Role::Moment, |r, _, _| {
        format!("19{:02}-{:02}-{:02}", 40 + r.below(50), 1 + r.below(12), 1 + r.below(28))
    }),
    ("hired", Role::Moment, |r, _, _| {
        format!("{}/{}/20{:02}", 1 + r.below(12), 1 + r.below(28), r.below(24))
    }),
    ("signup", Role::Moment, |r, _, _| {
        format!("{:02}.{:02}.20{:02}", 1 + r.below(28), 1 + r.below(12), r.below(24))
    }),
    ("label", Role::Out, |r, _, _| r.below(2).to_string()),
    ("target", Role::Out, |r, _, _| pick(r, &["good", "bad"])),
    ("is_fraud", Role::Out, |r, _, _| r.below(2).to_string()),
    (
        "comments",
        Role::Out,
        |_, i, _| if i % 5 == 0 { format!("nest {i} was seen, with eggs") } else { String::new() },
    ),
    ("note", Role::Out, |_, i, _| {
        if i % 4 == 1 { format!("called back on day {i}, no answer") } else { String::new() }
    }),
    ("class", Role::Out, |r, _, _| pick(r, &["1st", "2nd", "3rd"])),
    ("anomaly", Role::Out, |r, _, _| pick(r, &["true", "false"])),
];

/// A table: its columns and its rows.
struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// The tables: each has a key, some numbers, words and others, in one of several sizes; every third is sorted by a
/// number.
fn corpus() -> Vec<Table> {
    let mut tables = Vec::new();
    for number in 0..240 {
        let mut r = Random::new(number as u64);
        let rows = [30, 48, 90, 150, 344][number % 5];
        let mut columns: Vec<Column> = Vec::new();
        let mut add = |from: &[Column], at: usize| {
            let column = from[at % from.len()];
            if !columns.iter().any(|c: &Column| c.0 == column.0) {
                columns.push(column);
            }
        };
        if number % 4 != 3 {
            add(&KEYS, number);
        }
        (0..2 + number % 4).for_each(|k| add(&NUMBERS, number * 5 + k * 7));
        (0..=number % 3).for_each(|k| add(&WORDS, number * 7 + k * 5));
        if number % 2 == 0 {
            add(&OTHERS, number / 2);
        }
        let mut cells: Vec<Vec<String>> =
            (0..rows).map(|i| columns.iter().map(|(.., value)| value(&mut r, i, rows)).collect()).collect();
        if number % 3 == 0
            && let Some(by) = columns.iter().rposition(|(_, role, _)| *role == Role::Number)
        {
            cells
                .sort_by(|a, b| a[by].parse::<f64>().unwrap_or(0.0).total_cmp(&b[by].parse().unwrap_or(0.0)));
        }
        tables.push(Table { columns, rows: cells });
    }
    tables
}

impl Table {
    fn csv(&self, delimiter: &str) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, ..)| *name).collect();
        let mut text = names.join(delimiter) + "\n";
        for row in &self.rows {
            let quoted: Vec<String> = row
                .iter()
                .map(|c| if c.contains([',', ';', '"']) { format!("\"{c}\"") } else { c.clone() })
                .collect();
            writeln!(text, "{}", quoted.join(delimiter)).unwrap();
        }
        text
    }

    /// The same rows in another order, or some of them.
    fn with_rows(&self, rows: Vec<Vec<String>>) -> Self {
        Self { columns: self.columns.clone(), rows }
    }

    fn shuffled(&self) -> Self {
        let mut rows = self.rows.clone();
        let mut r = Random::new(1);
        (1..rows.len()).rev().for_each(|i| rows.swap(i, r.below(i + 1)));
        self.with_rows(rows)
    }

    fn first_half(&self) -> Self {
        self.with_rows(self.rows[..self.rows.len() / 2].to_vec())
    }

    /// All rows repeated this many times.
    fn repeated(&self, times: usize) -> Self {
        self.with_rows((0..times).flat_map(|_| self.rows.clone()).collect())
    }

    /// The columns from last to first.
    fn reversed(&self) -> Self {
        let rows = self.rows.iter().map(|row| row.iter().rev().cloned().collect()).collect();
        Self { columns: self.columns.iter().rev().copied().collect(), rows }
    }
}

/// The reader's role for each column, by name.
fn roles(name: &str, text: &str) -> Vec<(String, Role)> {
    let table = read_bytes(name, text.as_bytes(), &ReadOptions::default()).unwrap();
    let request = ReadRequest { missing: Some(eocc_data::Missing::Distance), ..ReadRequest::default() };
    let data = Dataset::of_table(&table, &request).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let columns = data.notes.iter().find_map(|note| match note {
        Note::Columns(columns) => Some(columns.clone()),
        _ => None,
    });
    let role = |words: &str| match words.split(',').next().unwrap() {
        "number" => Role::Number,
        "category" | "boolean" => Role::Word,
        "text" => Role::Text,
        "date" | "time" => Role::Moment,
        _ => Role::Out,
    };
    let mut roles: Vec<_> =
        columns.unwrap().iter().map(|(name, words)| (name.clone(), role(words))).collect();
    roles.sort_by(|a, b| a.0.cmp(&b.0));
    roles
}

#[test]
fn the_rules_agree_with_people() {
    let tables = corpus();
    assert!(tables.len() >= 200);
    let (mut agreed, mut all, mut faults) = (0, 0, String::new());
    for (number, table) in tables.iter().enumerate() {
        for (name, found) in roles("t.csv", &table.csv(",")) {
            let expected = table.columns.iter().find(|c| c.0 == name).unwrap().1;
            all += 1;
            agreed += usize::from(found == expected);
            if found != expected {
                let at = table.columns.iter().position(|c| c.0 == name).unwrap();
                let first: Vec<&str> = table.rows.iter().take(4).map(|row| row[at].as_str()).collect();
                writeln!(faults, "table {number}: {name} {found:?}, {expected:?} by a person; {first:?}")
                    .unwrap();
            }
        }
    }
    println!("{agreed} of {all} columns of {} tables as a person says\n{faults}", tables.len());
    assert!(agreed * 100 >= all * 95, "{agreed} of {all}\n{faults}");
}

#[test]
fn what_a_column_is_does_not_depend_on_order_number_or_format() {
    let (mut same, mut all, mut faults) = (0, 0, String::new());
    for (number, table) in corpus().iter().enumerate() {
        let expected = roles("t.csv", &table.csv(","));
        for (what, text) in [
            ("shuffled", table.shuffled().csv(",")),
            ("the first half", table.first_half().csv(",")),
            ("the first half, shuffled", table.shuffled().first_half().csv(",")),
            ("with semicolons", table.csv(";")),
            ("columns from last to first", table.reversed().csv(",")),
            ("doubled", table.repeated(2).csv(",")),
            ("three times", table.repeated(3).csv(",")),
        ] {
            let found = roles("t.csv", &text);
            for (a, b) in expected.iter().zip(&found) {
                all += 1;
                same += usize::from(a == b);
                if a != b {
                    writeln!(faults, "table {number} {what}: {a:?} {b:?}").unwrap();
                }
            }
        }
    }
    println!("{same} of {all}\n{faults}");
    // Half of the rows may be too few to tell numbers with gaps, or such that repeat, from a measure; nothing else differs.
    let is_known = |line: &str| {
        line.contains("the first half")
            && ["store_id", "AirlineID", "obs", "case"]
                .iter()
                .any(|name| line.contains(&format!("\"{name}\"")))
    };
    assert!(
        faults.lines().all(is_known) && (all - same) * 500 <= all,
        "{} of {all} differ\n{faults}",
        all - same
    );
}
