//! Ambiguous values are read one way, with a note.

use eocc_data::{Dataset, Note, ReadOptions, ReadRequest, read_bytes};

fn notes(text: &str) -> Vec<Note> {
    let table = read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let request = ReadRequest { missing: Some(eocc_data::Missing::Distance), ..ReadRequest::default() };
    Dataset::of_table(&table, &request).unwrap().notes
}

/// A column of these values next to a plain one.
fn with(values: &[&str]) -> Vec<Note> {
    let rows: Vec<String> =
        (0..24).map(|i| format!("{};{}\n", values[i % values.len()], i * 7 % 11)).collect();
    notes(&format!("what;size\n{}", rows.concat()))
}

#[test]
fn a_point_may_separate_thousands() {
    let is_told = |values: &[&str]| {
        with(values).iter().any(|note| matches!(note, Note::Thousands { column, .. } if column == "what"))
    };
    assert!(is_told(&["950", "2.731", "18.004", "1.250", "87"]));
    // Some have fewer decimals, none is an integer, or one is below 1.
    assert!(!is_told(&["950", "2.731", "18.04", "1.250", "87"]));
    assert!(!is_told(&["2.731", "18.004", "1.250"]));
    assert!(!is_told(&["950", "2.731", "0.004", "1.250"]));
    assert!(!is_told(&["1950", "2.731", "18.004", "1.250"]));
}

#[test]
fn moments_with_and_without_a_zone() {
    let is_told = |values: &[&str]| {
        with(values).iter().any(|note| matches!(note, Note::Zones { column, .. } if column == "what"))
    };
    assert!(is_told(&["2024-03-01 12:00", "2024-01-02T10:30+01:00", "2023-03-01 02:00Z"]));
    assert!(!is_told(&["2024-03-01 12:00", "2024-01-02 10:30"]));
    assert!(!is_told(&["2024-03-01 12:00Z", "2024-01-02 10:30Z"]));
    assert!(!is_told(&["2024-03-01", "2024-01-02"]));
}

#[test]
fn days_up_to_twelve() {
    let is_told = |values: &[&str]| with(values).iter().any(|note| matches!(note, Note::DayOrMonth { .. }));
    assert!(is_told(&["3/4/2024", "12/11/2023", "7/7/2022"]));
    assert!(!is_told(&["3/4/2024", "13/11/2023", "7/7/2022"]));
    assert!(!is_told(&["03.04.2024", "12.11.2023"]));
}
