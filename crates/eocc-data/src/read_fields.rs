//! From a path to typed fields, whatever the format.

use std::ops::Range;
use std::path::Path;

use crate::error::{DataError, Fault};
use crate::field_type::FieldType;
use crate::fields::Fields;
use crate::format::Format;
use crate::read::{ReadOptions, format_of, load, table};
use crate::source::{Whole, plain_bytes};
use crate::table::Table;
use crate::typed::typed;
use crate::{fasta, strings, ts};

/// What a name, a number or a line of a text without columns takes, beside its letters.
const PIECE: u64 = 96;

/// What a file holds: a table whose columns are yet to be given types, or fields whose types the format says.
#[derive(Debug)]
pub enum Content {
    /// A table; [`typed()`] makes fields of it, after [`Table::select`] has left out columns.
    Table(Table),
    /// Fields.
    Fields(Fields),
}

impl Content {
    /// These rows only.
    pub(crate) fn part(&self, rows: Range<usize>) -> Self {
        match self {
            Self::Table(table) => Self::Table(table.part(rows)),
            Self::Fields(fields) => Self::Fields(fields.select_rows(&rows.collect::<Vec<_>>())),
        }
    }

    /// The same as a part of a larger file, after so many rows and lines.
    pub(crate) fn moved(self, rows: usize, lines: isize) -> Self {
        match self {
            Self::Table(table) => Self::Table(table.moved(rows, lines)),
            Self::Fields(fields) => Self::Fields(fields.moved(rows, lines)),
        }
    }
}

/// Reads typed fields from a file, or from standard input if the path is `-`.
///
/// FASTA and TS files say the types of their fields themselves; all other formats are read as a table whose columns
/// [`typed()`] gives types. `overrides` are pairs of a column, by name or number, and its type.
pub fn read_fields(
    path: &Path,
    options: &ReadOptions,
    overrides: &[(String, FieldType)],
) -> Result<Fields, DataError> {
    let Whole { name, bytes, options } = load(path, options)?;
    typed_content(content(&name, &bytes, &options)?, overrides)
}

/// As [`read_fields`], from the content of a file; `name` stands in messages, and its extension tells the format.
pub fn read_fields_bytes(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
    overrides: &[(String, FieldType)],
) -> Result<Fields, DataError> {
    let (bytes, options) = plain_bytes(name, bytes, options)?;
    typed_content(content(name, &bytes, &options)?, overrides)
}

fn typed_content(content: Content, overrides: &[(String, FieldType)]) -> Result<Fields, DataError> {
    match content {
        Content::Table(table) => typed(table, overrides),
        Content::Fields(fields) => {
            check_types(&fields, overrides)?;
            Ok(fields)
        }
    }
}

/// Reads a file without giving the columns of a table types, so that some can be left out first.
pub fn read_content(path: &Path, options: &ReadOptions) -> Result<Content, DataError> {
    let Whole { name, bytes, options } = load(path, options)?;
    content(&name, &bytes, &options)
}

/// The content of a file that is not packed.
pub(crate) fn content(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Content, DataError> {
    let format = format_of(name, bytes, options)?;
    if matches!(format, Format::Fasta | Format::Ts | Format::Lines) {
        let mut meter = options.budget.meter(Some(bytes.len() as u64));
        let pieces = bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r' | b',' | b':')).count() as u64;
        let needed = PIECE.saturating_mul(pieces + 1).saturating_add(2 * bytes.len() as u64);
        meter.take(needed).map_err(|fault| DataError::new(name, fault))?;
    }
    Ok(match format {
        Format::Fasta => Content::Fields(fasta::read(name, bytes)?),
        Format::Ts => Content::Fields(ts::read(name, bytes)?),
        Format::Lines => Content::Fields(strings::read(name, bytes, options.comment)?),
        format => Content::Table(table(name, format, bytes, options)?),
    })
}

/// Refuses a type that is not the one the format gives.
pub fn check_types(fields: &Fields, overrides: &[(String, FieldType)]) -> Result<(), DataError> {
    for (name, wanted) in overrides {
        let field = &fields.fields()[fields.field(name)?];
        let actual = field.values.type_name();
        if wanted.name() != actual {
            let fault = Fault::FixedType { column: field.name.clone(), actual, wanted: wanted.to_string() };
            return Err(DataError::new(fields.source(), fault));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::FieldValues;

    fn fields(name: &str, bytes: &[u8], types: &[&str]) -> Result<Fields, DataError> {
        let overrides: Vec<_> = types.iter().map(|text| FieldType::assignment(text).unwrap()).collect();
        read_fields_bytes(name, bytes, &ReadOptions::default(), &overrides)
    }

    #[test]
    fn every_format_gives_fields() {
        assert_eq!(fields("a.fa", b">p\nACD\n", &["sequence=text"]).unwrap().names().unwrap(), ["p"]);
        assert_eq!(fields("-", b">p\nACD\n", &[]).unwrap().fields()[0].name, "sequence");
        assert_eq!(
            fields("-", b"#c\n\n@ProblemName x\n@data\n1,2\n", &[]).unwrap().fields()[0].name,
            "series"
        );
        let table = fields("a.csv", b"a,b\n1,x\n2,x\n", &["b=text"]).unwrap();
        assert_eq!(table.fields()[1].values, FieldValues::Texts(vec!["x".into(), "x".into()]));
    }

    #[test]
    fn types_of_a_format_are_fixed() {
        assert_eq!(
            fields("a.fa", b">p\nACD\n", &["sequence=category"]).unwrap_err().to_string(),
            "a.fa: column \"sequence\" is always of type text in this format, not category; leave out the type"
        );
        assert!(
            fields("a.fa", b">p\nACD\n", &["seq=text"])
                .unwrap_err()
                .to_string()
                .contains("no column \"seq\"")
        );
    }

    #[test]
    fn columns_can_be_left_out_before_they_get_types() {
        let bytes = b"id,x\n9007199254740993,1\n9007199254740995,2\n";
        assert!(fields("a.csv", bytes, &[]).is_err());
        let Content::Table(table) = content("a.csv", bytes, &ReadOptions::default()).unwrap() else {
            panic!("no table")
        };
        let fields = typed(table.select(&[1]), &[]).unwrap();
        assert_eq!(fields.fields()[0].values, FieldValues::Numbers(vec![Some(1.0), Some(2.0)]));
    }
}
