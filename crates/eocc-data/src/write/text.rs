//! CSV and JSON Lines.

use std::borrow::Cow;
use std::io::{self, Write};

use super::number_text;
use crate::column::{Column, Values};

/// Writes comma-separated text with a header.
pub(super) fn csv(columns: &[Column], writer: &mut dyn Write) -> io::Result<()> {
    csv_header(columns, writer)?;
    csv_rows(columns, writer)
}

pub(super) fn csv_header(columns: &[Column], writer: &mut dyn Write) -> io::Result<()> {
    let names: Vec<_> = columns.iter().map(|column| quoted(&column.name, columns.len() == 1)).collect();
    writeln!(writer, "{}", names.join(","))
}

pub(super) fn csv_rows(columns: &[Column], writer: &mut dyn Write) -> io::Result<()> {
    let alone = columns.len() == 1;
    let end = |column: usize| if column + 1 == columns.len() { "\n" } else { "," };
    for row in 0..rows(columns) {
        for (at, column) in columns.iter().enumerate() {
            match column.values() {
                _ if column.is_gap(row) => {}
                Values::Integer(values) => write!(writer, "{}", values[row])?,
                Values::Float(values) => writer.write_all(number_text(values[row]).as_bytes())?,
                Values::Boolean(values) => write!(writer, "{}", values[row])?,
                _ => writer.write_all(quoted(&column.text(row), alone).as_bytes())?,
            }
            writer.write_all(end(at).as_bytes())?;
        }
    }
    Ok(())
}

/// The text in quotes, if it needs them: also because of characters that other programs, and our reader, may take for
/// a delimiter.
fn quoted(text: &str, alone: bool) -> Cow<'_, str> {
    let special = [',', '"', '\r', '\n', ';', '\t', '|'];
    // In a single column, a blank may pass for a delimiter, too, and an empty text for a blank line.
    let is_special = text.contains(special) || (alone && (text.is_empty() || text.contains(' ')));
    if is_special { format!("\"{}\"", text.replace('"', "\"\"")).into() } else { text.into() }
}

/// Writes one JSON object per line.
pub(super) fn json_lines(columns: &[Column], writer: &mut dyn Write) -> io::Result<()> {
    let keys: Vec<String> =
        columns.iter().map(|column| serde_json::to_string(&column.name)).collect::<Result<_, _>>()?;
    for row in 0..rows(columns) {
        for (at, (column, key)) in columns.iter().zip(&keys).enumerate() {
            write!(writer, "{}{key}:", if at == 0 { '{' } else { ',' })?;
            match column.values() {
                _ if column.is_gap(row) => writer.write_all(b"null")?,
                Values::Integer(values) => write!(writer, "{}", values[row])?,
                Values::Float(values) if values[row].is_finite() => {
                    writer.write_all(number_text(values[row]).as_bytes())?;
                }
                Values::Float(_) => writer.write_all(b"null")?,
                Values::Boolean(values) => write!(writer, "{}", values[row])?,
                _ => serde_json::to_writer(&mut *writer, &column.text(row))?,
            }
        }
        writer.write_all(b"}\n")?;
    }
    Ok(())
}

fn rows(columns: &[Column]) -> usize {
    columns.first().map_or(0, Column::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        vec![
            Column::new("row", Values::Integer(vec![0, -1])),
            Column::new("score", Values::Float(vec![0.5, f64::NAN])),
            Column::new("is_target", Values::Boolean(vec![true, false])),
            Column::texts("a \"name\"", ["x,y", "line\nend"]),
        ]
    }

    #[test]
    fn csv_quotes_where_needed() {
        let mut out = Vec::new();
        csv(&columns(), &mut out).unwrap();
        let expected =
            "row,score,is_target,\"a \"\"name\"\"\"\n0,0.5,true,\"x,y\"\n-1,NaN,false,\"line\nend\"\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn json_escapes_where_needed() {
        let mut out = Vec::new();
        json_lines(&columns(), &mut out).unwrap();
        let expected = "{\"row\":0,\"score\":0.5,\"is_target\":true,\"a \\\"name\\\"\":\"x,y\"}\n\
                        {\"row\":-1,\"score\":null,\"is_target\":false,\"a \\\"name\\\"\":\"line\\nend\"}\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_single_empty_text_is_still_a_row() {
        let mut out = Vec::new();
        csv(&[Column::texts("a", [""])], &mut out).unwrap();
        assert_eq!(out, b"a\n\"\"\n");
    }
}
