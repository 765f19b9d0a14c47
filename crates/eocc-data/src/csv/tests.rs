use super::*;
use crate::cell::Cell;

fn read(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table, DataError> {
    super::read(name, bytes, options, options.budget.meter(Some(bytes.len() as u64)))
}

fn table(text: &str) -> Table {
    read("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn message(text: &str) -> String {
    read("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap_err().to_string()
}

#[test]
fn a_plain_file() {
    let table = table("\u{feff}a,b,label\r\n1,2.5,x\r\n\r\n3,4,\"y \"\"z\"\"\"\r\n");
    assert_eq!(table.names(), ["a", "b", "label"]);
    assert_eq!(table.rows(), 2);
    assert!(table.has_header());
    assert_eq!(table.numbers(&[0, 1]).unwrap(), [1.0, 2.5, 3.0, 4.0]);
    assert_eq!(table.text(2).collect::<Vec<_>>(), ["x", "y \"z\""]);
    assert_eq!((table.line(0), table.line(1)), (Some(2), Some(4)));
}

#[test]
fn lines_are_counted_through_quotes_and_blank_lines() {
    let table = table("\n\na,b\n\"one\ntwo\",1\n   \n\n\"x\",2\nlast,oops\n");
    assert_eq!([0, 1, 2].map(|row| table.line(row).unwrap()), [4, 8, 9]);
    assert_eq!(table.cell(0, 0), Cell::Raw("one\ntwo"));
    let message = table.numbers(&[1]).unwrap_err().to_string();
    assert!(
        message.starts_with("t.csv: row 2 (line 9), column \"b\": \"oops\" is not a number"),
        "{message}"
    );
    let old_line_ends = table_of_carriage_returns();
    assert_eq!([0, 1].map(|row| old_line_ends.line(row).unwrap()), [2, 4]);
}

fn table_of_carriage_returns() -> Table {
    table("a,b\r1,2\r\r3,4\r")
}

#[test]
fn names_are_made_where_there_are_none() {
    assert_eq!(table("1,2\n3,4\n").names(), ["x0", "x1"]);
    assert!(!table("1,2\n3,4\n").has_header());
    assert_eq!(table("a,,c\n1,2,3\n").names(), ["a", "column_1", "c"]);
}

#[test]
fn a_header_can_be_insisted_on() {
    let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
    assert_eq!(read("t", b"1,2\n3,4\n", &options).unwrap().names(), ["1", "2"]);
    let options = ReadOptions { header: Some(false), ..ReadOptions::default() };
    assert_eq!(read("t", b"a,b\n3,4\n", &options).unwrap().rows(), 2);
}

#[test]
fn blanks_delimit_in_runs() {
    let table = table("a  b   c\n 1 2    3\n4   5 6  \n");
    assert_eq!(table.names(), ["a", "b", "c"]);
    assert_eq!(table.numbers(&[0, 1, 2]).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn single_columns_may_have_gaps() {
    let table = table("a\n1\n\"\"\n2\n");
    assert_eq!(table.rows(), 3);
    assert!(table.cell(1, 0).is_missing());
}

#[test]
fn faults_say_where_they_are() {
    let ragged = "t.csv: line 3 has 3 cells, but line 1 has 2; the delimiter is ','";
    assert_eq!(message("a,b\n1,2\n3,4,5\n"), ragged);
    assert_eq!(message("a,b,a\n1,2,3\n"), "t.csv: columns 0 and 2 are both named \"a\"; rename one of them");
    assert_eq!(message("\n  \n"), "t.csv: is empty; a table needs at least one row");
    assert!(message("a,b\n").starts_with("t.csv: has a header on line 1 (\"a\", \"b\") but no rows of data"));
    assert!(message("a,b\n1,\0\n").starts_with("t.csv: line 2, byte 6 of the file: a zero byte"));
    let latin = read("t.csv", b"a,b\n1,2\n\xe9,3\n", &ReadOptions::default()).unwrap_err().to_string();
    assert!(latin.starts_with("t.csv: line 3, byte 8 of the file: not valid UTF-8"), "{latin}");
    let bad = ReadOptions { delimiter: Some(b'\n'), ..ReadOptions::default() };
    assert!(read("t", b"a", &bad).unwrap_err().to_string().contains("cannot be used"));
}

#[test]
fn a_decimal_comma_is_recognised() {
    let message = table("a;b\n1,5;2\n").numbers(&[0]).unwrap_err().to_string();
    assert!(message.contains("\"1,5\" is not a number: it seems to have a decimal comma"), "{message}");
}

#[test]
fn a_missing_quote_is_hinted_at() {
    let message = |text: &str| message(text);
    assert_eq!(
        message("a,b\n1,2\n\"3,4\n5,6\n"),
        "t.csv: line 3: a quote is opened and never closed; close it, or take it out"
    );
    let closed = message("a,b\n1,2\n\"3,4\n5,\"6\n");
    assert!(closed.contains("line 3 has 1 cell, but") && closed.contains("quote may be missing"), "{closed}");
}

#[test]
fn comments_are_skipped_and_lines_still_counted() {
    let options = ReadOptions { comment: Some(b'#'), ..ReadOptions::default() };
    let text = "# made by \"x\n#\n\na,b\r\n#1,2,3\r\n1,2\n\n# c\n\"#3\n#4\",oops\n#end";
    let table = read("t.csv", text.as_bytes(), &options).unwrap();
    assert_eq!((table.names(), table.rows()), (vec!["a", "b"], 2));
    assert_eq!([0, 1].map(|row| table.line(row).unwrap()), [6, 9]);
    assert_eq!(table.cell(1, 0), Cell::Raw("#3\n#4"));
    let options = ReadOptions { delimiter: Some(b'#'), ..options };
    assert!(
        read("t.csv", b"a#b\n", &options).unwrap_err().to_string().contains("comments cannot start with '#'")
    );
}

#[test]
fn numbers_have_the_notation_that_is_given() {
    let notation = crate::notation::Notation::new(Some(','), Some('.')).ok();
    let options = ReadOptions { notation, ..ReadOptions::default() };
    let table = read("t.csv", b"a;b;c\n1.234,5;7;1.2\n,5;8;x\n", &options).unwrap();
    assert_eq!(table.numbers(&[0, 1]).unwrap(), [1234.5, 7.0, 0.5, 8.0]);
    assert_eq!(table.text(2).collect::<Vec<_>>(), ["1.2", "x"]);
    let message = table.numbers(&[2]).unwrap_err().to_string();
    assert!(
        message.contains("row 0 (line 2), column \"c\": \"1.2\" is not a number in the notation"),
        "{message}"
    );
}

/// The cells, locations and lines of rows do not depend on how the text arrives, and equal those of the whole file.
#[test]
fn rows_do_not_depend_on_how_the_text_comes() {
    let dialect = Dialect { delimiter: b',', comment: Some(b'#'), notation: None };
    let text = "a,b\r\n\n# \"no\r\n1,\"x\r\ny\"\n2,5\" pipe\r\n3\n4,é\n5,\"a\"\"\n\"\n\n 6,7";
    let mut text = text.as_bytes().to_vec();
    // A letter in another encoding.
    let at = text.iter().position(|byte| *byte == 0xc3).unwrap();
    text.remove(at + 1);
    for step in 1..=text.len() {
        let mut rows = Rows::new("t.csv", dialect, true, 0, crate::Budget::default().meter(None));
        let (mut seen, mut found, mut raw, mut faults) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut left: Vec<u8> = Vec::new();
        for piece in text.chunks(step) {
            left.extend_from_slice(piece);
            seen.extend_from_slice(piece);
            let is_last = seen.len() == text.len();
            rows.take(&left, is_last).unwrap();
            let (count, length) = rows.waiting();
            if count == 0 {
                continue;
            }
            let part: Vec<u8> = left.drain(..length).collect();
            let lexed = rows.cut(&part);
            raw.extend(lexed.records.iter().map(|r| part[r.start..r.end].trim_ascii_end().to_vec()));
            faults.extend(lexed.bad.iter().map(|(row, fault)| format!("{row}: {fault}")));
            let Some(table) = lexed.table else { continue };
            for row in 0..table.rows() {
                let cells: Vec<String> = (0..2).map(|c| table.cell(row, c).text().into_owned()).collect();
                found.push((table.row_number(row), table.line(row).unwrap(), cells.join("|")));
            }
        }
        let expected = [(0, 4, "1|x\r\ny"), (1, 6, "2|5\" pipe"), (4, 9, "5|a\"\n"), (5, 12, " 6|7")];
        assert_eq!(found, expected.map(|(row, line, cells)| (row, line, cells.to_owned())), "{step}");
        assert_eq!((raw.len(), raw[2].as_slice(), raw[5].as_slice()), (6, &b"3"[..], &b" 6,7"[..]), "{step}");
        let offset = text.iter().position(|byte| *byte == 0xc3).unwrap();
        assert_eq!(
            faults,
            [
                "2: t.csv: line 7 has 1 cell, but line 1 has 2; the delimiter is ','".to_owned(),
                format!(
                    "3: t.csv: line 8, byte {offset} of the file: not valid UTF-8 text; save the file as UTF-8, or \
                     say which encoding it has"
                ),
            ],
            "{step}"
        );
    }
}
