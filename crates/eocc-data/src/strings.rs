//! Lines of text: one string each.

use crate::column::Column;
use crate::csv::decode;
use crate::error::{DataError, Fault};
use crate::field_type::FieldType;
use crate::lines::lines;
use crate::table::Table;

/// Name of the only column.
const FIELD: &str = "text";

/// Reads one string per line, verbatim: there is no header, and commas and quotes are letters. Blank lines are
/// skipped, and so are lines that start with the comment character.
pub(crate) fn read(name: &str, bytes: &[u8], comment: Option<u8>) -> Result<Table, DataError> {
    let text = decode(bytes).map_err(|fault| DataError::new(name, fault))?;
    read_some(name, text, 0, comment)?.ok_or_else(|| DataError::new(name, Fault::Empty))
}

/// Like [`read`], for text after this many lines of its file; `None` if all lines are blank.
pub(crate) fn read_some(
    name: &str,
    text: &str,
    lines_before: usize,
    comment: Option<u8>,
) -> Result<Option<Table>, DataError> {
    let is_string = |line: &str| {
        !line.trim().is_empty() && line.bytes().next().is_none_or(|start| Some(start) != comment)
    };
    let (numbers, texts): (Vec<usize>, Vec<&str>) = lines(text)
        .filter(|(_, line)| is_string(line))
        .map(|(number, line)| (lines_before + number, line))
        .unzip();
    if texts.is_empty() {
        return Ok(None);
    }
    let column = Column::texts(FIELD, texts).of_type(FieldType::Text);
    Ok(Some(Table::of_columns(name, vec![column], true)?.with_lines(numbers).of_lines()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_string() {
        let fields = read("t.txt", "\u{feff}a, b\r\n\r\n\"c\r\n d ".as_bytes(), None).unwrap();
        assert_eq!(fields.text(0).collect::<Vec<_>>(), ["a, b", "\"c", " d "]);
        assert_eq!(fields.location(1), "row 1 (line 3)");
        assert_eq!(read("t.txt", b"#a\nb#\n", Some(b'#')).unwrap().location(0), "row 0 (line 2)");
        assert!(read("t.txt", b"\n \n", None).unwrap_err().to_string().contains("is empty"));
        assert!(read("t.txt", b"a\xff", None).unwrap_err().to_string().contains("not valid UTF-8"));
    }
}
