//! FASTA: named sequences of letters.

use std::collections::HashMap;

use crate::column::Column;
use crate::csv::decode;
use crate::error::{DataError, Fault};
use crate::field_type::FieldType;
use crate::lines::lines;
use crate::shown::shown;
use crate::table::{SomeRows, Table};

/// Name of the only field.
const FIELD: &str = "sequence";

/// A record under construction.
struct Record {
    name: String,
    line: usize,
    sequence: String,
    /// What is wrong with it.
    fault: Option<Fault>,
}

/// Reads sequences from FASTA: a line `>name description`, then the sequence on any number of lines.
///
/// The name is the first word after `>`; different sequences must have different names. Blank lines and lines that start with `;` are skipped,
/// blanks within a sequence too. Lower case, which marks masked regions, becomes upper case, so that the same residue
/// is always the same letter; a stop `*` at the end is removed. Only letters, `-` (gap), `.` and `*` are allowed.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
    let text = decode(bytes).map_err(|fault| DataError::new(name, fault))?;
    let fail = |fault| DataError::new(name, fault);
    let Sorted { records, bad, twins } = Sorted::new(parse(text, 0).map_err(fail)?);
    match summary(bad.into_iter().map(|(_, fault)| fault).collect(), twins) {
        Some(fault) => Err(fail(fault)),
        None => table(name, records)?.ok_or_else(|| fail(Fault::Empty)),
    }
}

/// Like [`read`], for text after this many lines of its file, skipping records that cannot be read: these are returned by
/// number, with their errors.
pub(crate) fn read_some(source: &str, text: &str, lines_before: usize) -> Result<SomeRows, DataError> {
    let fail = |fault| DataError::new(source, fault);
    let Sorted { records, bad, twins } = Sorted::new(parse(text, lines_before).map_err(fail)?);
    if let Some(fault) = summary(Vec::new(), twins) {
        return Err(fail(fault));
    }
    Ok((table(source, records)?, bad.into_iter().map(|(row, fault)| (row, fail(fault))).collect()))
}

/// Records by what is wrong with them.
struct Sorted {
    records: Vec<Record>,
    /// Those that cannot be read, by number.
    bad: Vec<(usize, Fault)>,
    /// Different sequences of one name.
    twins: Vec<Fault>,
}

impl Sorted {
    fn new(all: Vec<Record>) -> Self {
        let (mut records, mut bad) = (Vec::new(), Vec::new());
        for (row, record) in all.into_iter().enumerate() {
            match record.finish() {
                Ok(record) => records.push(record),
                Err(fault) => bad.push((row, fault)),
            }
        }
        let mut seen: HashMap<&str, &Record> = HashMap::with_capacity(records.len());
        let mut twins = Vec::new();
        for record in &records {
            let first: &Record = seen.entry(&record.name).or_insert(record);
            // The same record twice does no harm.
            if first.sequence != record.sequence {
                let (name, first, second) = (record.name.clone(), first.line, record.line);
                twins.push(Fault::DuplicateSample { name, first, second });
            }
        }
        Self { records, bad, twins }
    }
}

/// All that is wrong with a file, with the first of each; `None` if nothing is.
fn summary(bad: Vec<Fault>, twins: Vec<Fault>) -> Option<Fault> {
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let counts: Vec<String> = [
        counted(bad.len(), "bad record", "bad records"),
        counted(twins.len(), "name of two sequences", "names of two sequences"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let all = bad.len() + twins.len();
    let first: Vec<Fault> = [bad, twins].into_iter().filter_map(|some| some.into_iter().next()).collect();
    if all <= 1 {
        return first.into_iter().next();
    }
    Some(Fault::Several { counts: counts.join(", "), first })
}

/// The sequences as a table; `None` without any.
fn table(source: &str, records: Vec<Record>) -> Result<Option<Table>, DataError> {
    if records.is_empty() {
        return Ok(None);
    }
    let sequences =
        Column::texts(FIELD, records.iter().map(|record| &record.sequence)).of_type(FieldType::Text);
    let lines = records.iter().map(|record| record.line).collect();
    let names = records.into_iter().map(|record| record.name).collect();
    let table = Table::of_columns(source, vec![sequences], true)?;
    Ok(Some(table.with_row_names(Some(names)).with_lines(lines)))
}

fn parse(text: &str, lines_before: usize) -> Result<Vec<Record>, Fault> {
    let mut records: Vec<Record> = Vec::new();
    for (number, line) in lines(text) {
        let number = lines_before + number;
        if let Some(header) = line.strip_prefix('>') {
            let name = header.split_whitespace().next().map(str::to_owned);
            let fault = name.is_none().then(|| {
                let reason = "the record has no name; write one after `>` or `@`".to_owned();
                Fault::Line { line: number, reason }
            });
            let name = name.unwrap_or_default();
            records.push(Record { name, line: number, sequence: String::new(), fault });
        } else if !line.starts_with(';') && !line.trim().is_empty() {
            let Some(record) = records.last_mut() else {
                let reason = format!(
                    "{} comes before the first record; start each sequence with a line such as `>name`",
                    shown(line)
                );
                return Err(Fault::Line { line: number, reason });
            };
            if let Err(letter) = append(&mut record.sequence, line) {
                let reason = format!(
                    "{} in the sequence {} is not a residue; only letters, `-`, `.` and `*` are",
                    shown(&letter.to_string()),
                    shown(&record.name)
                );
                record.fault.get_or_insert(Fault::Line { line: number, reason });
            }
        }
    }
    Ok(records)
}

impl Record {
    fn finish(mut self) -> Result<Self, Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if self.sequence.ends_with('*') {
            self.sequence.pop();
        }
        if self.sequence.is_empty() {
            let reason = format!(
                "the sequence {} is empty; give it at least one residue, or leave out the record",
                shown(&self.name)
            );
            return Err(Fault::Line { line: self.line, reason });
        }
        Ok(self)
    }
}

/// Appends the residues of a line, or returns the first character that is not a residue.
fn append(sequence: &mut String, line: &str) -> Result<(), char> {
    let start = sequence.len();
    let is_residue = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'.' | b'*');
    if line.bytes().all(is_residue) {
        sequence.push_str(line);
    } else {
        for letter in line.chars().filter(|letter| !letter.is_whitespace()) {
            if !u8::try_from(letter).is_ok_and(is_residue) {
                return Err(letter);
            }
            sequence.push(letter);
        }
    }
    if let Some(added) = sequence.get_mut(start..) {
        added.make_ascii_uppercase();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8]) -> String {
        read("t.fa", bytes).unwrap_err().to_string()
    }

    #[test]
    fn records_are_read() {
        let text = "\u{feff}; a comment\r\n>P1 some protein\r\nMKV\r\nlla*\r\n\r\n>P2\r\n; note\r\nAC GT\r\n>P3 x\r\nA*C";
        let fields = read("t.fa", text.as_bytes()).unwrap();
        assert_eq!(fields.row_names().unwrap(), ["P1", "P2", "P3"]);
        assert_eq!(fields.name(0), "sequence");
        assert_eq!(fields.text(0).collect::<Vec<_>>(), ["MKVLLA", "ACGT", "A*C"]);
        assert_eq!(fields.location(1), "sample \"P2\" (line 6)");
        assert_eq!(read("t", b">a\rAC\rGT\r>b\rA\r").unwrap().rows(), 2);
    }

    #[test]
    fn faults_say_where_they_are() {
        assert_eq!(
            message(b">a\nAC\n>b x\nG\n>a y\nT\n"),
            "t.fa: the samples on lines 1 and 5 are both named \"a\"; rename one of them, or leave one out"
        );
        assert_eq!(read("t.fa", b">a\nAC\n>a again\nac*\n").unwrap().rows(), 2);
        assert_eq!(
            message(b">a\nAC\n>b\n>a\nG\n>c\n"),
            "t.fa: 2 bad records, 1 name of two sequences: line 3: the sequence \"b\" is empty; give it at least one residue, \
             or leave out the record; the samples on lines 1 and 4 are both named \"a\"; rename one of them, or leave one out"
        );
        assert!(message(b">a\nAC\n\n>b\n>c\nA\n").starts_with("t.fa: line 4: the sequence \"b\" is empty;"));
        assert!(message(b">a\n*\n").starts_with("t.fa: line 1: the sequence \"a\" is empty;"));
        assert!(message(b">a\n").contains("\"a\" is empty"));
        assert!(
            message(b"\nACGT\n>a\nA\n").starts_with("t.fa: line 2: \"ACGT\" comes before the first record;")
        );
        assert!(message(b">\nACGT\n").starts_with("t.fa: line 1: the record has no name"));
        assert!(
            message(b">a\nACGT\n1 ACGT\n").starts_with("t.fa: line 3: \"1\" in the sequence \"a\" is no")
        );
        assert!(message(">a\nACéT\n".as_bytes()).contains("line 2: \"é\""));
        assert!(message(b">a\nAC\xff\n").starts_with("t.fa: line 2, byte 5 of the file: not valid UTF-8"));
        assert!(message(b"; nothing\n\n").contains("is empty"));
    }

    #[test]
    fn long_sequences_are_fast() {
        let mut bytes = b">long\n".to_vec();
        for _ in 0..10_000_000 / 60 {
            bytes.extend_from_slice(&[b'a'; 60]);
            bytes.push(b'\n');
        }
        let start = std::time::Instant::now();
        let fields = read("t.fa", &bytes).unwrap();
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
        let text = fields.columns()[0].text(0);
        assert_eq!(text.len(), 10_000_000 / 60 * 60);
        assert!(text.bytes().all(|byte| byte == b'A'));
    }
}
