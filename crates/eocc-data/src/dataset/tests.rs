use super::*;
use crate::cells::Cells;
use crate::column::Values;
use crate::read::{ReadOptions, read_bytes};

fn words(name: &str, all: &[&str]) -> Column {
    let texts = all.iter().map(|text| Some(*text).filter(|text| !text.is_empty()));
    Column::new(name, Values::Cells(Cells::texts_or_missing(texts)))
}

fn frame(old: &[&str]) -> Table {
    let sizes = (0..12).map(|i| if i == 3 { f64::NAN } else { f64::from(i * i) }).collect();
    let columns = vec![
        Column::new("id", Values::Integer((0..12).map(|i| i * 7 % 12).collect())),
        Column::numbers_or_nan("size", sizes),
        words("old", &old.repeat(4)),
        words("town", &["Como", "", "Lugano", "Como"].repeat(3)),
        Column::moments_or_nan("when", (0..12).map(|i| f64::from(i * 5 % 12) * 86_400.0).collect()),
        words("label", &["good", "bad"].repeat(6)),
    ];
    Table::of_columns("X", columns, true).unwrap()
}

/// The table as a file.
fn csv() -> Table {
    let mut lines = vec!["id,size,old,town,when,label".to_owned()];
    for i in 0..12_usize {
        let size = if i == 3 { String::new() } else { (i * i).to_string() };
        let (old, town) = (["yes", "no", "no"][i % 3], ["Como", "", "Lugano", "Como"][i % 4]);
        let label = ["good", "bad"][i % 2];
        let (id, day) = (i * 7 % 12, i * 5 % 12 + 1);
        lines.push(format!("{id},{size},{old},{town},1970-01-{day:02},{label}"));
    }
    read_bytes("t.csv", lines.join("\n").as_bytes(), &ReadOptions::default()).unwrap()
}

fn distance() -> ReadRequest {
    ReadRequest { missing: Some(Missing::Distance), ..ReadRequest::default() }
}

fn bytes(data: &Dataset) -> Vec<u8> {
    data.samples.to_contents().to_bytes()
}

#[test]
fn a_frame_is_read_as_its_file_is() {
    let ours = Dataset::of_table(&frame(&["yes", "no", "no"]), &distance()).unwrap();
    let theirs = Dataset::of_table(&csv(), &distance()).unwrap();
    assert_eq!(bytes(&ours), bytes(&theirs));
    assert_eq!((&ours.names, &ours.notes), (&theirs.names, &theirs.notes));
    assert_eq!(ours.names.as_ref().unwrap()[..2], ["0", "7"]);
    let mut reader = ModelReader::new(theirs.samples.layout(), distance());
    let again = Dataset::of_table_for_model(&frame(&["yes", "no", "no"]), &mut reader).unwrap();
    assert_eq!(bytes(&again), bytes(&theirs));
}

#[test]
fn a_new_word_among_truth_values_is_a_level() {
    let layout = Dataset::of_table(&frame(&["yes", "no", "no"]), &distance()).unwrap().samples.layout();
    let mut reader = ModelReader::new(layout, distance());
    let new = Dataset::of_table_for_model(&frame(&["maybe", "1", "FALSE"]), &mut reader).unwrap().samples;
    let (_, old) = new.feature(1).unwrap();
    assert_eq!(old[..3], [Some(-1.0), Some(1.0), Some(0.0)]);
}

#[test]
fn columns_without_names_are_no_keys() {
    let numbers = |name: &str, scale: f64| {
        Column::numbers_or_nan(name, (0..12).map(|i| f64::from(i) * scale).collect())
    };
    let frame = Table::of_columns("X", vec![numbers("x0", 1.0), numbers("x1", -3.0)], false).unwrap();
    let data = Dataset::of_table(&frame, &ReadRequest::default()).unwrap();
    assert_eq!(data.samples.features(), 2);
    assert!(data.samples.feature_names().is_empty() && data.notes.is_empty());
}

/// Decisions about columns for the first table hold for later ones, wherever the columns are.
#[test]
fn later_tables_are_read_as_the_first() {
    let table = |text: &str| read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let layout = eocc_core::Layout::Numbers(vec!["a".into(), "b".into()]);
    let request = ReadRequest { keep: vec!["all".into()], ..ReadRequest::default() };
    let mut reader = ModelReader::new(layout, request);
    let first = reader.read(&table("id,a,b\nk1,1,2\nk2,3,4\n")).unwrap().data.unwrap();
    assert_eq!((first.name_column.as_deref(), first.kept.len()), (Some("id"), 3));
    let then = reader.read(&table("b,new,a,id\n6,7,5,1\n")).unwrap().data.unwrap();
    assert_eq!(then.names.unwrap(), ["1"]);
    assert_eq!(then.kept.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["id", "a", "b"]);
    assert_eq!(then.samples.feature(0).unwrap().1, [Some(5.0)]);
}

/// Rows that cannot be read are reported in order, whichever column is at fault, and the others are unchanged.
#[test]
fn bad_rows_of_mixed_tables_are_told_of() {
    let table = |text: &str| read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let train = table("n,c,id\n1,a,p\n2,b,q\n3,a,r\n4,b,s\n");
    let layout = Dataset::of_table(&train, &distance()).unwrap().samples.layout();
    let request = ReadRequest { skip_bad_rows: true, keep: vec!["c".into()], ..distance() };
    let new = table("n,c,id\n1,a,p\nx,b,q\n3,a,r\n1e200,b,s\n,a,t\n");
    let RowsRead { data, bad } = ModelReader::new(layout.clone(), request).read(&new).unwrap();
    let told: Vec<(usize, Option<&str>, &str)> =
        bad.iter().map(|bad| (bad.row, bad.name.as_deref(), bad.kept[0].as_str())).collect();
    assert_eq!(told, [(1, Some("q"), "b"), (3, Some("s"), "b")]);
    let data = data.unwrap();
    assert_eq!(
        (data.names.unwrap(), data.rows.unwrap()),
        (vec!["p".into(), "r".into(), "t".into()], vec![0, 2, 4])
    );
    let none = table("n,c,id\nx,a,p\ny,b,q\n");
    let request = ReadRequest { skip_bad_rows: true, ..distance() };
    let read = ModelReader::new(layout.clone(), request).read(&none).unwrap();
    assert!(read.data.is_none() && read.bad.len() == 2);
    let fault = ModelReader::new(layout, distance()).read(&new).unwrap_err();
    assert!(fault.to_string().starts_with("t.csv: row 1 (line 3), column \"n\""), "{fault}");
}
