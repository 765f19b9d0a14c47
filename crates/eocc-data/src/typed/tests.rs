use super::*;
use crate::read::{ReadOptions, read_bytes};

fn csv(text: &str, overrides: &[&str]) -> Result<Table, DataError> {
    read("t.csv", text, overrides)
}

fn jsonl(text: &str, overrides: &[&str]) -> Result<Table, DataError> {
    read("t.jsonl", text, overrides)
}

fn read(name: &str, text: &str, overrides: &[&str]) -> Result<Table, DataError> {
    let overrides: Vec<_> = overrides.iter().map(|text| FieldType::assignment(text).unwrap()).collect();
    typed(&read_bytes(name, text.as_bytes(), &ReadOptions::default()).unwrap(), &overrides)
}

/// Each column: its type in words, and its values as text.
fn values(table: &Table) -> Vec<(String, Vec<String>)> {
    let texts = |column: &Column| (0..column.len()).map(|row| column.text(row).into_owned()).collect();
    table.columns().iter().map(|column| (column.describe(), texts(column))).collect()
}

fn column(kind: &str, texts: &[&str]) -> (String, Vec<String>) {
    (kind.to_owned(), texts.iter().map(|text| (*text).to_owned()).collect())
}

#[test]
fn a_table_of_plain_columns() {
    let fields =
        csv("n,b,c,t\n1,yes,b,one\n,no,a,two\n2.5,NA,b,three\n,no,NA,four\n0,no, a ,five\n", &[]).unwrap();
    assert_eq!(fields.rows(), 5);
    assert_eq!(fields.location(1), "row 1 (line 3)");
    assert_eq!(
        values(&fields),
        [
            column("number, 2 missing", &["1", "", "2.5", "", "0"]),
            column("boolean, 1 missing", &["true", "false", "", "false", "false"]),
            column("category, 2 levels, 1 missing", &["b", "a", "b", "", "a"]),
            column("text", &["one", "two", "three", "four", "five"]),
        ]
    );
}

#[test]
fn a_table_of_series_and_graphs() {
    let text = "{\"s\": [1, 2], \"m\": [[1, 2]], \"g\": {\"nodes\": [], \"links\": []}}\n\
                {\"s\": [3], \"m\": [[3, 4], [5, 6]], \"g\": {\"edges\": [], \"nodes\": []}}\n";
    let fields = jsonl(text, &[]).unwrap();
    assert_eq!(fields.describe()[1].1, "series, 2 channels, length 1 to 2");
    assert_eq!(
        values(&fields),
        [
            column("series, 1 channel, length 1 to 2", &["[[1.0], [2.0]]", "[[3.0]]"]),
            column("series, 2 channels, length 1 to 2", &["[[1.0, 2.0]]", "[[3.0, 4.0], [5.0, 6.0]]"]),
            column("graph", &["{\"nodes\": [], \"links\": []}", "{\"edges\": [], \"nodes\": []}"]),
        ]
    );
}

#[test]
fn a_type_can_be_given() {
    let text = "a,b,c\n10,1,x\n2,0,y\n2,NA,z\n";
    let fields = csv(text, &["a=category", "1=boolean", "c=ordered:z<y<x"]).unwrap();
    assert_eq!(
        values(&fields),
        [
            column("category, 2 levels", &["10", "2", "2"]),
            column("boolean, 1 missing", &["true", "false", ""]),
            column("ordered, 3 levels", &["x", "y", "z"]),
        ]
    );
    let Values::Levels { levels, codes } = fields.columns()[2].values() else { panic!("no levels") };
    assert_eq!((levels.join(""), codes.as_slice()), ("zyx".to_owned(), &[2, 1, 0][..]));
    let fields = csv(text, &["a=text"]).unwrap();
    assert_eq!(values(&fields)[0], column("text", &["10", "2", "2"]));
    let fields = jsonl("{\"a\": \"1.5\"}\n{\"a\": \"NA\"}\n", &["a=number"]).unwrap();
    assert_eq!(values(&fields), [column("number, 1 missing", &["1.5", ""])]);
}

#[test]
fn faults_of_given_types() {
    let message = |overrides: &[&str]| csv("a,b\n1,x\n2,y\n", overrides).unwrap_err().to_string();
    assert!(message(&["aa=text"]).contains("no column \"aa\""));
    assert_eq!(
        message(&["a=text", "0=number"]),
        "t.csv: column \"a\" is given two types, text and number; choose one"
    );
    assert_eq!(
        message(&["b=ordered:w<x"]),
        "t.csv: row 1 (line 3), column \"b\": \"y\" is not one of the levels \"w\", \"x\"; correct it, or add it to \
         the levels"
    );
    assert!(
        message(&["b=number"]).starts_with("t.csv: row 0 (line 2), column \"b\": \"x\" is not a number;")
    );
    assert!(
        message(&["a=boolean"])
            .starts_with("t.csv: row 1 (line 3), column \"a\": \"2\" is not a truth value")
    );
    assert!(message(&["a=series"]).contains("\"1\" is not a series"));
    assert!(message(&["a=graph"]).contains("\"1\" is not a graph"));
}

#[test]
fn a_column_that_changes_type_is_a_fault() {
    let mut text = "x\n".to_owned();
    text += &"1\n".repeat(50);
    text += &"word\n".repeat(50);
    let message = csv(&text, &[]).unwrap_err().to_string();
    assert_eq!(
        message,
        "t.csv: row 50 (line 52), column \"x\": \"word\" is not a number, but 50 of the 100 values of the column are; \
         correct it, or say which type the column has, as in x=category"
    );
    assert!(csv(&text, &["x=category"]).is_ok());
}

#[test]
fn numbers_that_are_none_are_faults() {
    let message = |text: &str| csv(text, &[]).unwrap_err().to_string();
    assert!(
        message("a,b\n1,2\ninf,3\n").starts_with("t.csv: row 1 (line 3), column \"a\": \"inf\" is infinite")
    );
    assert!(message("a,b\n1,2\n1e999,3\n").contains("\"1e999\" is infinite"));
    assert!(message("a,b\n1,2\n9007199254740993,3\n").contains("cannot hold exactly"));
    assert!(message("a;b\n1;2\n1,5;3\n").contains("decimal comma"));
    let column = Column::from(Values::Float(vec![1.0, f64::NAN]));
    let table = Table::new("t.npy", vec!["x0".into()], vec![column]).unwrap();
    let message = typed(&table, &[]).unwrap_err().to_string();
    assert!(message.starts_with("t.npy: row 1, column \"x0\": the value is NaN"), "{message}");
}

#[test]
fn a_record_with_a_field_missing() {
    let fields = jsonl("{\"n\": 1, \"c\": \"a\"}\n{\"c\": \"a\"}\n{\"n\": 2}\n", &[]).unwrap();
    assert_eq!(fields.columns().iter().map(Column::missing).collect::<Vec<_>>(), [1, 1]);
    for (value, kind) in
        [("\"ab cd\"", "text"), ("[1, 2]", "series"), ("{\"nodes\": [], \"links\": []}", "graph")]
    {
        let text = format!("{{\"id\": 1, \"x\": {value}}}\n{{\"id\": 2}}\n");
        assert_eq!(
            jsonl(&text, &[]).unwrap_err().to_string(),
            format!(
                "t.jsonl: row 1 (line 2), column \"x\": the {kind} is missing; fill it in, or leave out the row"
            )
        );
    }
    let message = csv("id,x\n1,abc\n2,def\n3,NA\n", &[]).unwrap_err().to_string();
    assert!(message.contains("row 2 (line 4), column \"x\": the text is missing (\"NA\");"), "{message}");
}

#[test]
fn faults_within_series() {
    let message = |text: &str| jsonl(text, &[]).unwrap_err().to_string();
    assert_eq!(
        message("{\"s\": [1, 2]}\n{\"s\": [1, null]}\n"),
        "t.jsonl: row 1 (line 2), column \"s\": time step 1: \"null\" is not a finite number; fill it in, or leave out \
         the row"
    );
    assert_eq!(
        message("{\"s\": [[1, 2]]}\n\n{\"s\": [[1, 2], [3]]}\n"),
        "t.jsonl: row 1 (line 3), column \"s\": time step 1 has 1 channel, but row 0 (line 1) has 2; all must have \
         the same, at least one"
    );
    assert!(
        message("{\"s\": [1]}\n{\"s\": []}\n")
            .contains("row 1 (line 2), column \"s\": the series has no time")
    );
    assert!(
        message("{\"s\": [1]}\n{\"s\": {}}\n").contains("is an object, but the column starts with an array")
    );
    assert!(message("{\"s\": [\"a\", 1]}\n").contains("time step 0"));
    // A single column of words is a text.
    let words = jsonl("{\"s\": [\"a\", \"b\"]}\n{\"s\": []}\n", &[]).unwrap();
    assert_eq!([0, 1].map(|row| words.cell(row, 0)), ["a b", ""].map(Cell::Text));
}
