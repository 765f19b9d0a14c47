//! Formats, and how they are recognized.

use std::path::Path;

/// A format of tables or, for [`Format::Fasta`], [`Format::Fastq`], [`Format::Ts`] and [`Format::Lines`], of other samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Delimited text: commas, semicolons, tabs, bars or blanks.
    Csv,
    /// A `NumPy` array.
    Npy,
    /// A zip archive of `NumPy` arrays.
    Npz,
    /// One JSON object, or one array of values, per line.
    JsonLines,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow, as a file (Feather, version 2) or as a stream.
    Arrow,
    /// Named sequences of letters.
    Fasta,
    /// Named sequences of letters with their qualities, which are left out.
    Fastq,
    /// Time series in the text format of the UCR/UEA archive.
    Ts,
    /// One string per line, whatever it contains.
    Lines,
}

impl Format {
    /// The format that the extension names, if any.
    ///
    /// `.csv` and `.tsv` are delimited text, and so is `.txt` unless its content is not a table; `.npy`, `.npz`;
    /// `.jsonl` and `.ndjson` are JSON Lines; `.parquet` and `.pq` are Parquet; `.arrow`, `.arrows`, `.feather` and
    /// `.ipc` are Arrow; `.fasta`, `.fa`, `.faa` and `.fna` are FASTA; `.fastq` and `.fq` are FASTQ; `.ts` is TS.
    pub fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" | "tsv" | "txt" => Some(Self::Csv),
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "arrows" | "feather" | "ipc" => Some(Self::Arrow),
            "fasta" | "fa" | "faa" | "fna" => Some(Self::Fasta),
            "fastq" | "fq" => Some(Self::Fastq),
            "ts" => Some(Self::Ts),
            _ => None,
        }
    }

    /// The format that the content suggests: by its first bytes, JSON Lines if it starts with `{` or `[`, FASTA if it
    /// starts with `>`, FASTQ if it starts with `@name`, letters and `+`, TS if its first line that is not a comment starts with `@problemName`, else CSV.
    pub fn of_content(bytes: &[u8]) -> Self {
        if bytes.starts_with(b"\x93NUMPY") {
            return Self::Npy;
        }
        // The letters could begin the name of the first column.
        if bytes.starts_with(b"PAR1") && !is_text(bytes) {
            return Self::Parquet;
        }
        if is_arrow(bytes) && !is_text(bytes) {
            return Self::Arrow;
        }
        if is_zip(bytes) && !is_spreadsheet(bytes) {
            return Self::Npz;
        }
        match without_mark(bytes).iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[') => Self::JsonLines,
            Some(b'>') => Self::Fasta,
            Some(b'#' | b'%' | b'@') if names_problem(bytes) => Self::Ts,
            Some(b'@') if is_fastq(bytes) => Self::Fastq,
            _ => Self::Csv,
        }
    }

    /// The name of the format, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Npy => "NPY",
            Self::Npz => "NPZ",
            Self::JsonLines => "JSON Lines",
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
            Self::Fasta => "FASTA",
            Self::Fastq => "FASTQ",
            Self::Ts => "TS",
            Self::Lines => "lines of text",
        }
    }

    /// Whether the content starts as a file in this format must; any text may be in one of the text formats.
    pub(crate) fn may_be(self, bytes: &[u8]) -> bool {
        match self {
            Self::Csv | Self::JsonLines | Self::Fasta | Self::Fastq | Self::Ts | Self::Lines => {
                binary(bytes).is_none() || is_text(bytes)
            }
            Self::Npy => bytes.starts_with(b"\x93NUMPY"),
            Self::Npz => is_zip(bytes) && !is_spreadsheet(bytes),
            Self::Parquet => bytes.starts_with(b"PAR1"),
            Self::Arrow => is_arrow(bytes),
        }
    }
}

/// The apparent format of a binary file by its first bytes, and what to do about it.
pub(crate) fn binary(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const UNPACK: &str = "unpack it first";
    const EXPORT: &str = "export the table as CSV, NPY or Parquet";
    const CHOOSE: &str = "give the file its proper extension, or say which format it has";
    if is_zip(bytes) {
        return Some(if is_spreadsheet(bytes) {
            ("an office document (.xlsx or .ods)", "export the sheet as CSV")
        } else {
            ("a zip archive", "name it .npz if it holds NumPy arrays, else unpack it first")
        });
    }
    if bytes.get(8..).is_some_and(|rest| rest.starts_with(b"{\"__metadata__\":{\"eocc.")) {
        return Some(("an eocc model", "the model comes first, then the data"));
    }
    let known: [(&[u8], &str, &str); 17] = [
        (b"\x1f\x8b", "a gzip file", "unpack it first, for instance with gunzip"),
        (b"BZh", "a bzip2 file", UNPACK),
        (b"\xfd7zXZ\0", "an xz file", UNPACK),
        (b"\x28\xb5\x2f\xfd", "a zstd file", UNPACK),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document (.xls)", "export the sheet as CSV"),
        (b"\x93NUMPY", "a NPY file", CHOOSE),
        (b"PAR1", "a Parquet file", CHOOSE),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file", EXPORT),
        (b"ARROW1", "an Arrow file", CHOOSE),
        (b"\xff\xff\xff\xff", "an Arrow stream", CHOOSE),
        (b"FEA1", "a Feather file of version 1", "rewrite it as Feather version 2"),
        (b"SQLite format 3\0", "an SQLite database", EXPORT),
        (b"MATLAB 5.0 MAT-file", "a MATLAB file", EXPORT),
        (b"\x80\x02", "a Python pickle", EXPORT),
        (b"\x80\x03", "a Python pickle", EXPORT),
        (b"\x80\x04", "a Python pickle", EXPORT),
    ];
    known.iter().find(|(magic, ..)| bytes.starts_with(magic)).map(|(_, what, remedy)| (*what, *remedy))
}

/// Whether the content starts as an Arrow file or stream does.
fn is_arrow(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ARROW1") || bytes.starts_with(b"\xff\xff\xff\xff")
}

/// Whether the content is text, whatever its first bytes look like.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// An office document is a zip archive whose first entries have known names, stored uncompressed at the start.
fn is_spreadsheet(bytes: &[u8]) -> bool {
    let has = |most: usize, mark: &[u8]| {
        bytes[..bytes.len().min(most)].windows(mark.len()).any(|window| window == mark)
    };
    [&b"[Content_Types].xml"[..], b"_rels/", b"xl/", b"docProps/", b"mimetypeapplication/vnd.oasis"]
        .iter()
        .any(|mark| has(256, mark))
        || [&b"[Content_Types].xml"[..], b"xl/workbook.xml", b"xl/worksheets/"]
            .iter()
            .any(|mark| has(1 << 16, mark))
}

/// Whether the first line that is neither blank nor a comment is `@problemName`, in any case.
fn names_problem(bytes: &[u8]) -> bool {
    const KEY: &[u8] = b"@problemname";
    without_mark(bytes)
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !matches!(line[0], b'#' | b'%'))
        .and_then(|line| line.get(..KEY.len()))
        .is_some_and(|start| start.eq_ignore_ascii_case(KEY))
}

/// Whether text starts like FASTA: a name after `>`, and then a line of letters only.
pub(crate) fn is_fasta(bytes: &[u8]) -> bool {
    let mut lines =
        without_mark(bytes).split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    lines.next().is_some_and(|line| line.len() > 1 && line[0] == b'>')
        && lines.next().is_some_and(is_sequence)
}

fn is_sequence(line: &[u8]) -> bool {
    line.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'*' | b'-' | b'.'))
}

/// Whether text starts like FASTQ: a name after `@`, lines of letters only, and a line with `+`, which may repeat the
/// name.
pub(crate) fn is_fastq(bytes: &[u8]) -> bool {
    let mut lines =
        without_mark(bytes).split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let Some([b'@', title @ ..]) = lines.next() else { return false };
    let mut rest = lines.skip_while(|line| is_sequence(line));
    let is_plus = |line: &[u8]| line.strip_prefix(b"+").is_some_and(|again| title.starts_with(again));
    !title.is_empty() && rest.next().is_some_and(is_plus)
}

/// Whether more of the text is needed to see if it is FASTQ, whose first sequence may be long.
pub(crate) fn may_become_fastq(bytes: &[u8]) -> bool {
    /// The end of a longer sequence is not waited for.
    const MAX_FASTQ_WAIT: usize = 1 << 22;
    let mut lines = without_mark(bytes).split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    lines.next().is_some_and(|line| line.starts_with(b"@"))
        && bytes.len() < MAX_FASTQ_WAIT
        && lines.all(is_sequence)
}

/// Whether JSON starts like an array of objects, which is a table.
pub(crate) fn starts_array_of_objects(bytes: &[u8]) -> bool {
    let mut letters = without_mark(bytes).iter().filter(|byte| !byte.is_ascii_whitespace());
    letters.next() == Some(&b'[') && letters.next() == Some(&b'{')
}

/// The bytes after the byte-order mark with which some programs start UTF-8 files.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_in_a_text_file_are_fasta() {
        assert!(is_fasta(b">p1 some protein\nMKTAYIAKQR*\n>p2\nMK\n"));
        assert!(!is_fasta(b"> a quoted line\nand an answer\n"));
        assert!(!is_fasta(b">5,<3\n1,2\n") && !is_fasta(b">p1\n"));
    }

    #[test]
    fn extensions_are_known() {
        for (name, format) in [
            ("a.CSV", Format::Csv),
            ("b.tsv", Format::Csv),
            ("c.pq", Format::Parquet),
            ("d.FAA", Format::Fasta),
            ("e.ts", Format::Ts),
            ("r.fq", Format::Fastq),
            ("f.Feather", Format::Arrow),
        ] {
            assert_eq!(Format::of_extension(Path::new(name)), Some(format));
        }
        assert_eq!(Format::of_extension(Path::new("a.json")), None);
        assert_eq!(Format::of_extension(Path::new("csv")), None);
    }

    #[test]
    fn contents_are_known() {
        assert_eq!(Format::of_content(b"\x93NUMPY\x01"), Format::Npy);
        assert_eq!(Format::of_content(b"PK\x03\x04"), Format::Npz);
        assert_eq!(Format::of_content(b"PAR1\0"), Format::Parquet);
        assert_eq!(Format::of_content(b"\xef\xbb\xbf \n{\"a\":1}"), Format::JsonLines);
        assert_eq!(Format::of_content(b"a,b"), Format::Csv);
        assert_eq!(Format::of_content(b"ARROW1\0\0"), Format::Arrow);
        assert_eq!(Format::of_content(b"\xff\xff\xff\xff\x10\0\0\0"), Format::Arrow);
        assert_eq!(Format::of_content(b"ARROW1,b\n1,2\n"), Format::Csv);
        assert_eq!(Format::of_content(b""), Format::Csv);
        assert_eq!(Format::of_content(b"\n>p\nACD\n"), Format::Fasta);
        assert_eq!(Format::of_content(b"@r 1\nACGT\n+\nIIII\n"), Format::Fastq);
        assert_eq!(Format::of_content(b"@r 1\r\nAC\r\nGT\r\n+r 1\r\nII"), Format::Fastq);
        assert_eq!(Format::of_content(b"@home,@work\n1,2\n"), Format::Csv);
        assert!(may_become_fastq(b"@r 1\nAC\nGT\n") && !may_become_fastq(b"@r\nA b\n"));
        assert_eq!(Format::of_content(b"# a\r\n\r\n@PROBLEMname x\n"), Format::Ts);
        assert_eq!(Format::of_content(b"# a\n1,2\n"), Format::Csv);
        assert_eq!(Format::of_content(b"%a\n@problemName x\n"), Format::Ts);
        assert_eq!(Format::of_content(b"PAR1,PAR2\n1,2\n"), Format::Csv);
        assert!(Format::Csv.may_be(b"PAR1,PAR2\n1,2\n") && !Format::Csv.may_be(b"PAR1\0"));
    }

    #[test]
    fn binary_files_are_named() {
        assert_eq!(binary(b"\x1f\x8b\x08").map(|found| found.0), Some("a gzip file"));
        let sheet = b"PK\x03\x04..........................[Content_Types].xml";
        assert_eq!(binary(sheet).map(|found| found.0), Some("an office document (.xlsx or .ods)"));
        // As written by openpyxl.
        let sheet = [b"PK\x03\x04..........................docProps/app.xml", &[b'.'; 300][..]].concat();
        assert_eq!(binary(&sheet).map(|found| found.0), Some("an office document (.xlsx or .ods)"));
        assert!(!Format::Npz.may_be(&sheet));
        assert_eq!(binary(b"a,b\n"), None);
    }
}
