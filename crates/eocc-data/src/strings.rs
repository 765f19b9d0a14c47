//! Lines of text: one string each.

use crate::csv::decode;
use crate::error::{DataError, Fault};
use crate::fields::{Field, FieldValues, Fields};
use crate::lines::lines;

/// Name of the only field.
const FIELD: &str = "text";

/// Reads one string a line, with all that is in it: there is no header, and commas and quotes are letters. Blank lines are
/// skipped, and so are lines that start with the character of comments.
pub(crate) fn read(name: &str, bytes: &[u8], comment: Option<u8>) -> Result<Fields, DataError> {
    let fail = |fault| DataError::new(name, fault);
    let text = decode(bytes).map_err(fail)?;
    let (numbers, texts): (Vec<usize>, Vec<String>) = lines(text)
        .filter(|(_, line)| {
            !line.trim().is_empty() && line.bytes().next().is_none_or(|start| Some(start) != comment)
        })
        .map(|(number, line)| (number, line.to_owned()))
        .unzip();
    if texts.is_empty() {
        return Err(fail(Fault::Empty));
    }
    let field = Field { name: FIELD.to_owned(), values: FieldValues::Texts(texts) };
    Ok(Fields::new(name, numbers.len(), vec![field]).with_lines(numbers).of_lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_string() {
        let fields = read("t.txt", "\u{feff}a, b\r\n\r\n\"c\r\n d ".as_bytes(), None).unwrap();
        let expected = ["a, b", "\"c", " d "].map(str::to_owned).to_vec();
        assert_eq!(fields.fields()[0].values, FieldValues::Texts(expected));
        assert_eq!(fields.place(1), "row 1 (line 3)");
        assert_eq!(read("t.txt", b"#a\nb#\n", Some(b'#')).unwrap().place(0), "row 0 (line 2)");
        assert!(read("t.txt", b"\n \n", None).unwrap_err().to_string().contains("is empty"));
        assert!(read("t.txt", b"a\xff", None).unwrap_err().to_string().contains("not valid UTF-8"));
    }
}
