use super::*;
use crate::read::{ReadOptions, read_bytes};

fn fields(text: &str, layout: SeriesLayout, label: Option<&str>) -> Result<(Table, Vec<Note>), String> {
    let table = read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let label = label.map(str::to_owned);
    let request = ReadRequest { series: Some(layout), label, ..ReadRequest::default() };
    let found = unfold(&table, &request, &mut BadRows::default()).map_err(|error| error.to_string())?;
    let Unfolded { table, notes, .. } = found.unwrap();
    Ok((table.into_owned(), notes))
}

fn series(text: &str, layout: SeriesLayout) -> Result<Vec<Vec<Vec<f64>>>, String> {
    let (found, _) = fields(text, layout, None)?;
    match found.columns()[0].values() {
        Values::Series(all) => Ok(all.clone()),
        _ => Err("no series".to_owned()),
    }
}

use SeriesLayout::{Long, Wide};

#[test]
fn a_row_for_each_series() {
    assert_eq!(series("1,2,3\n4,5,\n", Wide).unwrap(), [vec![[1.0], [2.0], [3.0]], vec![[4.0], [5.0]]]);
    let (found, notes) = fields("id,kind,t0,t1,y\np,a,1,2,0\nq,b,3,,1\n", Wide, Some("kind")).unwrap();
    assert_eq!(found.row_names().unwrap(), ["p", "q"]);
    assert_eq!(found.words(1), ["a", "b"]);
    assert!(matches!(&notes[..], [Note::NoFeature { column, .. }] if column == "y"), "{notes:?}");
    assert_eq!(fields("class,t0\na,1\nb,2\n", Wide, None).unwrap().0.name(1), "class");
}

#[test]
fn gaps_of_a_row_are_named() {
    assert!(series("a,b,c\n1,2,3\n4,,6\n", Wide).unwrap_err().starts_with(
        "t.csv: row 1 (line 3): the value of time step 1, column `b`, is missing, but later values exist"
    ));
    assert!(series("a,b\n1,2\n,\n", Wide).unwrap_err().contains("row 1 (line 3): the series has no value"));
    assert!(series("a,b\n1,x\n2,y\n", Wide).unwrap_err().contains("column \"b\": \"x\" is not a number"));
}

#[test]
fn a_row_for_each_value() {
    // Names in order of appearance, times in order.
    let text = "id,time,value\nq,10,1\np,2,5\nq,9,0\np,1,4\nq,11,2\n";
    assert_eq!(series(text, Long).unwrap(), [vec![[0.0], [1.0], [2.0]], vec![[4.0], [5.0]]]);
    assert_eq!(fields(text, Long, None).unwrap().0.row_names().unwrap(), ["q", "p"]);
    // Other names in this order, no header, and channels by number.
    assert_eq!(series("p,1,4\np,2,5\n", Long).unwrap(), [vec![[4.0], [5.0]]]);
    let text = "unit,when,what,sensor\np,1,4,10\np,1,5,9\np,2,7,10\np,2,8,9\n";
    assert_eq!(series(text, Long).unwrap(), [vec![[5.0, 4.0], [8.0, 7.0]]]);
    let dates = "id,time,value\np,2024-03-02 00:00,2\np,2024-03-01 12:00,1\n";
    assert_eq!(series(dates, Long).unwrap(), [vec![[1.0], [2.0]]]);
    let text = "id,site,time,value,class\np,n,1,4,x\np,n,2,4,x\nq,s,1,5,y\n";
    let (found, notes) = fields(text, Long, None).unwrap();
    assert_eq!(found.words(1), ["x", "y"]);
    let mapping =
        Note::SeriesColumns { id: "id".into(), time: "time".into(), value: "value".into(), channel: None };
    assert_eq!(notes, [Note::ColumnsLeftOut(vec!["site".into()]), mapping]);
}

#[test]
fn faults_of_single_values_are_named() {
    let fault = |text: &str| series(text, Long).unwrap_err();
    for (text, expected) in [
        (
            "id,time,value\np,1,4\nq,1,4\np,1,5\n",
            "row 0 (line 2) and row 2 (line 4): both have the value of series `p` at time 1; leave one out",
        ),
        ("id,time,value\np,1,4\np,2,\n", "row 1 (line 3): the value of series `p` at time 2 is missing"),
        (
            "id,time,value,channel\np,1,4,a\np,1,5,b\np,2,4,a\n",
            "series `p` has no value in channel `b` at time 2 (row 2",
        ),
        ("id,time,value\np,soon,4\n", "row 0 (line 2), column `time`: \"soon\" is not a time"),
        (
            "id,time,value\np,2024-01-01,4\np,soon,5\n",
            "row 1 (line 3), column `time`: \"soon\" is not a time",
        ),
        ("id,time,value\n,1,4\np,1,4\n", "row 0 (line 2): the series has no name"),
        ("id,time,value,class\np,1,4,x\np,2,4,y\n", "series `p` has `x` and `y` in column `class`"),
        ("a,b,c,d,e\n1,2,3,4,5\n", "there are 5 columns for series"),
        ("id,time,value\np,1,oops\n", "column \"value\": \"oops\" is not a number"),
    ] {
        let found = fault(text);
        assert!(found.contains(expected), "{found}");
    }
}
