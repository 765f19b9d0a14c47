//! From a path to a table.

use std::path::Path;

use crate::budget::{Budget, Meter};
use crate::error::{DataError, Fault};
use crate::format::{self, Format};
use crate::notation::Notation;
use crate::source::{Whole, open_source, plain_bytes};
use crate::table::Table;
use crate::text_encoding::TextEncoding;
use crate::unpack::inner_name;
use crate::{csv, fasta, fastq, jsonl, npy, npz, strings, ts};

/// How to read a file. Options that are not given are detected from the file.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format; by default detected from the extension, then the content.
    pub format: Option<Format>,
    /// Whether the first row of a CSV file holds the names of the columns; by default decided by comparing it with
    /// the rows below.
    ///
    /// The first row is a header if it has a text in a column that continues with a number; or if it has no numbers
    /// and no blanks, its texts are distinct, and none of them is repeated in its column. A single row of texts is
    /// therefore a header, and a row with a number in it is one only for the first reason, or if it counts years
    /// (`2019,2020`) while the rows below hold something else.
    pub header: Option<bool>,
    /// The delimiter of a CSV file; by default the one of `,` `;` tab `|` that splits the first lines evenly, or
    /// blanks.
    pub delimiter: Option<u8>,
    /// The encoding of text; by default UTF-8, or UTF-16 if the file starts with its byte-order mark.
    pub encoding: Option<TextEncoding>,
    /// The encoding of text that is not UTF-8, if `encoding` is not given: that of a model's training samples.
    pub fallback: Option<TextEncoding>,
    /// The number notation of a CSV file; by default a decimal point and no thousands separator.
    pub notation: Option<Notation>,
    /// Lines of a CSV file, or of lines of text, that start with this character are skipped.
    pub comment: Option<u8>,
    /// How much memory reading may take.
    pub budget: Budget,
}

/// Reads a table from a file, or from standard input if the path is `-`. Files compressed with gzip or zstd are
/// unpacked.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Table, DataError> {
    let Whole { name, bytes, options } = load(path, options)?;
    let format = format_of(&name, &bytes, &options)?;
    table(&name, format, &bytes, &options)
}

/// All of a file, unpacked; standard input if the path is `-`.
pub(crate) fn load(path: &Path, options: &ReadOptions) -> Result<Whole, DataError> {
    open_source(path, options)?.read_whole()
}

/// Reads a table from the content of a file; `name` is used in messages, and its extension indicates the format.
pub fn read_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table, DataError> {
    let (bytes, options) = plain_bytes(name, bytes, options)?;
    let format = format_of(name, &bytes, &options)?;
    table(name, format, &bytes, &options)
}

/// The format of a file with this content, which is not compressed.
pub(crate) fn format_of(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Format, DataError> {
    if bytes.is_empty() {
        return Err(DataError::new(name, Fault::Empty));
    }
    let path = Path::new(inner_name(name));
    if options.format.is_none()
        && let Some(format) = unread_graphs(path)
    {
        return Err(DataError::new(name, Fault::UnreadGraphs { format }));
    }
    let mut format =
        options.format.or_else(|| Format::of_extension(path)).unwrap_or_else(|| Format::of_content(bytes));
    if options.format.is_none() && has_extension(path, "txt") {
        if format::is_fasta(bytes) {
            format = Format::Fasta;
        } else if format::is_fastq(bytes) {
            format = Format::Fastq;
        }
    }
    // Only text files may be either; options for headers or delimiters imply a table.
    let is_undecided = options.format.is_none()
        && options.header.is_none()
        && options.delimiter.is_none()
        && options.notation.is_none();
    if is_undecided
        && !matches!(format, Format::Fasta | Format::Fastq)
        && csv::decode(bytes).is_ok_and(|text| {
            // A file without other indications is a table if it has quoted cells.
            let may_be_lines = has_extension(path, "txt")
                || (Format::of_extension(path).is_none() && format == Format::Csv && !text.contains("\n\""));
            may_be_lines && !csv::is_table(text, options)
        })
    {
        format = Format::Lines;
    }
    if !format.may_be(bytes) {
        return Err(DataError::new(name, mismatch(format, bytes)));
    }
    Ok(format)
}

/// Well-known graph formats that are not supported; their files would pass for text.
fn unread_graphs(path: &Path) -> Option<&'static str> {
    [("gexf", "GEXF"), ("gml", "GML"), ("dot", "DOT")]
        .into_iter()
        .find(|(extension, _)| has_extension(path, extension))
        .map(|(_, format)| format)
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
}

/// Reads a table in a known format.
pub(crate) fn table(
    name: &str,
    format: Format,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Table, DataError> {
    let meter = options.budget.meter(Some(bytes.len() as u64));
    match format {
        Format::Csv => csv::read(name, bytes, options, meter),
        Format::Npy => npy::read(name, bytes, meter),
        Format::Npz => npz::read(name, bytes, meter),
        Format::JsonLines => jsonl::read(name, bytes, meter),
        #[cfg(feature = "columnar")]
        Format::Parquet => crate::parquet::read(name, bytes, meter),
        #[cfg(not(feature = "columnar"))]
        Format::Parquet => {
            Err(DataError::new(name, Fault::FeatureOff { format: "Parquet", feature: "columnar" }))
        }
        #[cfg(feature = "columnar")]
        Format::Arrow => crate::arrow::read(name, bytes, meter),
        #[cfg(not(feature = "columnar"))]
        Format::Arrow => {
            Err(DataError::new(name, Fault::FeatureOff { format: "Arrow", feature: "columnar" }))
        }
        Format::Fasta => of_pieces(name, bytes, meter).and_then(|()| fasta::read(name, bytes)),
        Format::Fastq => of_pieces(name, bytes, meter).and_then(|()| fastq::read(name, bytes)),
        Format::Ts => of_pieces(name, bytes, meter).and_then(|()| ts::read(name, bytes)),
        Format::Lines => {
            of_pieces(name, bytes, meter).and_then(|()| strings::read(name, bytes, options.comment))
        }
    }
}

/// Memory of a name, a number or a line of a text without columns, besides its letters.
const PIECE: u64 = 96;

/// Counts the memory that a text without columns will take.
pub(crate) fn of_pieces(name: &str, bytes: &[u8], mut meter: Meter) -> Result<(), DataError> {
    let pieces = bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r' | b',' | b':')).count() as u64;
    let needed = PIECE.saturating_mul(pieces + 1).saturating_add(2 * bytes.len() as u64);
    meter.take(needed).map_err(|fault| DataError::new(name, fault))
}

fn mismatch(format: Format, bytes: &[u8]) -> Fault {
    let (found, remedy) = format::binary(bytes).unwrap_or(if std::str::from_utf8(bytes).is_ok() {
        ("text", "give the file its proper extension, or say which format it has")
    } else {
        ("something else or a damaged file", "check where it comes from")
    });
    let expected = match format {
        Format::Csv => "text with delimiters",
        Format::JsonLines => "JSON Lines",
        Format::Npy => "a NPY file",
        Format::Npz => "a NPZ file",
        Format::Parquet => "a Parquet file",
        Format::Arrow => "an Arrow file",
        Format::Fasta => "FASTA",
        Format::Fastq => "FASTQ",
        Format::Ts => "a TS file of time series",
        Format::Lines => "text",
    };
    Fault::LooksLike { found, expected, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(name: &str, bytes: &[u8]) -> String {
        read_bytes(name, bytes, &ReadOptions::default()).unwrap_err().to_string()
    }

    #[test]
    fn files_that_are_not_there_are_named() {
        let error = read(Path::new("no/such.csv"), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "no/such.csv: no such file");
        assert!(error.is_io());
        let folder = tempfile::tempdir().unwrap();
        let error = read(folder.path(), &ReadOptions::default()).unwrap_err();
        assert!(error.to_string().ends_with(": is a directory, not a file"));
    }

    #[test]
    fn files_of_another_kind_are_named() {
        assert_eq!(
            message("a.csv", b"BZh9\xff"),
            "a.csv: looks like a bzip2 file, not text with delimiters; unpack it first"
        );
        assert!(message("a.csv", b"\x1f\x8b\x08\0").starts_with("a.csv: not a readable gzip file: "));
        assert!(message("a.npy", b"1,2\n").contains("looks like text, not a NPY file"));
        assert!(message("a.npz", b"\x93NUMPY").contains("looks like a NPY file, not a NPZ file"));
        assert!(message("a.jsonl", b"PK\x03\x04\x14\0").contains("looks like a zip archive, not JSON Lines"));
        assert_eq!(message("a.csv", b""), "a.csv: is empty; a table needs at least one row");
    }

    #[test]
    fn formats_may_say_the_types() {
        let read = |name: &str, bytes: &[u8]| read_bytes(name, bytes, &ReadOptions::default()).unwrap();
        let table = read("a.fa", b">p\nACD\n");
        assert_eq!((table.row_names().unwrap(), table.names()), (vec!["p".to_owned()], vec!["sequence"]));
        assert_eq!(read("-", b">p\nACD\n").name(0), "sequence");
        assert_eq!(read("-", b"#c\n\n@ProblemName x\n@data\n1,2\n").name(0), "series");
    }

    #[test]
    fn gzip_is_unpacked() {
        let bytes = crate::unpack::tests::gzip(b"a,b\n1,2\n3,oops\n");
        for name in ["a.csv.gz", "a.csv", "standard input"] {
            let table = read_bytes(name, &bytes, &ReadOptions::default()).unwrap();
            assert_eq!((table.rows(), table.source()), (2, name));
        }
        assert!(message("a.npy.gz", &bytes).contains("looks like text, not a NPY file"));
    }

    #[test]
    fn the_format_can_be_given() {
        let options = ReadOptions { format: Some(Format::Csv), ..ReadOptions::default() };
        assert_eq!(read_bytes("a.npy", b"1,2\n3,4\n", &options).unwrap().rows(), 2);
    }

    #[cfg(not(feature = "columnar"))]
    #[test]
    fn a_format_left_out_of_the_build_is_named() {
        assert!(message("a.pq", b"PAR1").contains("cargo feature `columnar`"));
    }
}
